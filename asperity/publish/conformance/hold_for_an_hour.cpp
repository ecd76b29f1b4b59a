// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/publish/conformance_tools.hpp>
#include <cmath>

namespace asperity::detail {

namespace {

class hold final : public conformance_test {
 public:
  explicit hold(reader& in)
      : mass_(in.number("mass", units::kilogram, positive)),
        share_(in.number("share", units::one, {0, 1})),
        ramp_(in.number("ramp", units::second, positive)),
        duration_(in.number("duration", units::second, positive)) {}

  std::string why_not(const any_model& model) const override {
    return why_no_friction_limit(model);
  }

  conformance_outcome run(const any_model& model,
                          const std::atomic<bool>* interrupt) const override {
    const double pull = share_ * friction_limit(model);
    const run_data data = run_to_the_end(
        fmt::format("system = {{ kind = 'mass_under_force', mass = {} }}\nfriction = {{ model = "
                    "'{}' }}\nforce = {{ kind = 'nodes', times = [0, {}], values = [0, {}], join = "
                    "'half_cosine' }}\nrun = {{ duration = {}, sample = {} }}\n",
                    mass_, model.key(), ramp_, pull, duration_, duration_ / samples),
        interrupt);
    const auto& x = data["x"];
    const double middle = mean_of(x, samples / 2, samples / 10);
    conformance_outcome found;
    found.values = {drift_between(x, samples / 2, samples - samples / 10, samples / 10)};
    found.x = data["t"];
    for (const double at : x) found.y.push_back(at - middle);
    return found;
  }

 private:
  static constexpr std::size_t samples = 3600;
  double mass_, share_, ramp_, duration_;
};

}  // namespace

extern const conformance_row hold_for_an_hour{
    .name = "hold_for_an_hour",
    .at = &ports::drive,
    .measures = {"drift"},
    .x = {"time", units::second},
    .y = {"position relative to that at half time", units::metre},
    .read = [](reader& in) -> std::unique_ptr<conformance_test> {
      return std::make_unique<hold>(in);
    }};

}  // namespace asperity::detail
