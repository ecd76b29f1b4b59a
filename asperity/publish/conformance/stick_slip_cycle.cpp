// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/publish/conformance_tools.hpp>
#include <cmath>
#include <limits>

namespace asperity::detail {

namespace {

class stick_slip final : public conformance_test {
 public:
  explicit stick_slip(reader& in)
      : mass_(in.number("mass", units::kilogram, positive)),
        stiffness_(in.number("stiffness", units::newton / units::metre, positive)),
        speed_(in.number("speed", units::metre / units::second, positive)),
        cycles_(static_cast<int>(in.integer("cycles", whole(3, 1000), 6))) {}

  std::string why_not(const any_model& model) const override {
    if (auto why = why_no_friction_limit(model); !why.empty()) return why;
    const double limit = friction_limit(model);
    if (steady_friction(model, speed_, settling_way(model), nullptr) > 0.95 * limit)
      return "steady sliding: friction at the speed of the pull is not below its limit";
    return {};
  }

  conformance_outcome run(const any_model& model,
                          const std::atomic<bool>* interrupt) const override {
    const double limit = friction_limit(model);
    const auto wanted =
        rigid_cycle::of(limit, steady_friction(model, speed_, settling_way(model), interrupt),
                        mass_, stiffness_, speed_);
    const double duration = limit / (stiffness_ * speed_) + cycles_ * wanted.period;
    const run_data data = run_to_the_end(
        fmt::format("system = {{ kind = 'pulled_mass', mass = {}, stiffness = {}, speed = {} }}\n"
                    "friction = {{ model = '{}' }}\nrun = {{ duration = {}, sample = {} }}\n",
                    mass_, stiffness_, speed_, model.key(), duration, wanted.period / 2000),
        interrupt);
    const auto& t = data["t"];
    const auto& x = data["x"];
    const auto& v = data["v"];
    // Slips begin where the body overtakes the end of the spring.
    std::vector<std::size_t> begins;
    for (std::size_t i = 1; i < v.size(); ++i)
      if (v[i - 1] < speed_ && v[i] >= speed_) begins.push_back(i);
    conformance_outcome found;
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    found.values = {nothing, nothing};
    if (begins.size() >= 3) {
      const std::size_t from = begins[begins.size() - 2], to = begins.back();
      double low = unbounded, high = -unbounded;
      for (std::size_t i = from; i < to; ++i) {
        const double pull = stiffness_ * (speed_ * t[i] - x[i]);
        low = std::min(low, pull);
        high = std::max(high, pull);
      }
      found.values = {(t[to] - t[from]) / wanted.period, (high - low) / wanted.range};
    }
    for (std::size_t i = 0; i < t.size(); i += 10) {
      found.x.push_back(t[i] / wanted.period);
      found.y.push_back(stiffness_ * (speed_ * t[i] - x[i]) / limit);
    }
    return found;
  }

 private:
  double mass_, stiffness_, speed_;
  int cycles_;
};

}  // namespace

extern const conformance_row stick_slip_cycle{
    .name = "stick_slip_cycle",
    .at = &ports::drive,
    .measures = {"period", "range"},
    .x = {"time in periods of rigid friction"},
    .y = {"spring force over the limit"},
    .read = [](reader& in) -> std::unique_ptr<conformance_test> {
      return std::make_unique<stick_slip>(in);
    }};

}  // namespace asperity::detail
