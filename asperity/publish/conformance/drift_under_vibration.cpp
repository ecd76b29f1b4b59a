// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/publish/conformance_tools.hpp>
#include <cmath>

namespace asperity::detail {

namespace {

class vibration final : public conformance_test {
 public:
  explicit vibration(reader& in)
      : mass_(in.number("mass", units::kilogram, positive)),
        mean_(in.number("mean", units::one, {0, 1})),
        amplitude_(in.number("amplitude", units::one, {0, 1})),
        period_(in.number("period", units::second, positive)),
        ramp_(in.number("ramp", units::second, positive)),
        periods_(static_cast<std::size_t>(in.integer("periods", whole(20, 10'000), 100))) {}

  std::string why_not(const any_model& model) const override {
    return why_no_friction_limit(model);
  }

  conformance_outcome run(const any_model& model,
                          const std::atomic<bool>* interrupt) const override {
    constexpr std::size_t samples = 8;  // a period
    const double limit = friction_limit(model), pi = std::acos(-1.0);
    const double duration = ramp_ + static_cast<double>(periods_) * period_;
    const run_data data = run_to_the_end(
        fmt::format(
            "system = {{ kind = 'mass_under_force', mass = {} }}\nfriction = {{ model = "
            "'{}' }}\nforce = {{ kind = 'piecewise', piece = [{{ until = {}, kind = "
            "'nodes', times = [0, {}], values = [0, {}], join = 'half_cosine' }}, {{ kind = "
            "'sine', start = {}, offset = {}, amplitude = {}, omega = {} }}] }}\nrun = {{ "
            "duration = {}, sample = {} }}\n",
            mass_, model.key(), ramp_, ramp_, mean_ * limit, ramp_, mean_ * limit,
            amplitude_ * limit, 2 * pi / period_, duration, period_ / samples),
        interrupt);
    // The ramp ends on a sample where it takes whole periods.
    const auto& x = data["x"];
    const auto first = static_cast<std::size_t>(std::lround(ramp_ / period_)) * samples;
    conformance_outcome found;
    for (std::size_t i = 0; i < periods_; ++i) {
      found.x.push_back(static_cast<double>(i + 1));
      found.y.push_back(mean_of(x, first + i * samples, samples));
    }
    const std::size_t tenth = periods_ / 10, half = periods_ / 2;
    const double early = mean_of(found.y, half - tenth, tenth);
    found.values = {drift_between(found.y, half - tenth, periods_ - tenth, tenth)};
    for (double& each : found.y) each -= early;
    return found;
  }

 private:
  double mass_, mean_, amplitude_, period_, ramp_;
  std::size_t periods_;
};

}  // namespace

extern const conformance_row drift_under_vibration{
    .name = "drift_under_vibration",
    .at = &ports::drive,
    .measures = {"drift"},
    .x = {"period"},
    .y = {"mean position relative to that at half time", units::metre},
    .read = [](reader& in) -> std::unique_ptr<conformance_test> {
      return std::make_unique<vibration>(in);
    }};

}  // namespace asperity::detail
