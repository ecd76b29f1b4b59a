// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/analysis/restitution.hpp>
#include <asperity/error.hpp>
#include <asperity/publish/conformance.hpp>
#include <cmath>

namespace asperity::detail {

namespace {

class restitution_test final : public conformance_test {
 public:
  explicit restitution_test(reader& in)
      : mass_(in.number("mass", units::kilogram, positive)),
        slowest_(in.number("slowest", units::metre / units::second, positive)),
        fastest_(in.number("fastest", units::metre / units::second, positive)),
        speeds_(static_cast<int>(in.integer("speeds", whole(2, 1000), 13))) {}

  std::string why_not(const any_model& model) const override {
    const impact seen = find_impact(model, slowest_, {.mass = mass_});
    return seen.how == impact::outcome::undetermined ? seen.why : std::string();
  }

  conformance_outcome run(const any_model& model,
                          const std::atomic<bool>* interrupt) const override {
    conformance_outcome found;
    for (int i = 0; i < speeds_; ++i) {
      const double v = slowest_ * std::pow(fastest_ / slowest_, double(i) / (speeds_ - 1));
      const impact seen = find_impact(model, v, {.mass = mass_, .interrupt = interrupt});
      if (seen.how == impact::outcome::failed)
        throw error(fmt::format("the impact at {:g} m/s: {}", v, seen.why));
      found.x.push_back(v);
      found.y.push_back(seen.restitution);
    }
    double lowest = found.y.front(), rise = 0;
    for (const double e : found.y) {
      lowest = std::min(lowest, e);
      rise = std::max(rise, e - lowest);
    }
    found.values = {1 - found.y.front(), found.y.front() - found.y.back(), rise};
    return found;
  }

 private:
  double mass_, slowest_, fastest_;
  int speeds_;
};

}  // namespace

extern const conformance_row restitution_against_speed{
    .name = "restitution_against_speed",
    .at = &ports::press,
    .measures = {"slow_loss", "fall", "rise"},
    .x = {.name = "speed of impact", .in = units::metre / units::second, .log = true},
    .y = {"coefficient of restitution"},
    .read = [](reader& in) -> std::unique_ptr<conformance_test> {
      return std::make_unique<restitution_test>(in);
    }};

}  // namespace asperity::detail
