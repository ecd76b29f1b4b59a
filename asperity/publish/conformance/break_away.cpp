// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/publish/conformance_tools.hpp>
#include <cmath>

namespace asperity::detail {

namespace {

class break_away_test final : public conformance_test {
 public:
  explicit break_away_test(reader& in)
      : mass_(in.number("mass", units::kilogram, positive)),
        rates_(in.numbers("rates", units::one / units::second, positive)),
        speed_(in.number("speed", units::metre / units::second, positive)),
        ways_(in.number("ways", units::one, positive)),
        least_(in.number("least", units::metre, positive)),
        furthest_(in.number("furthest", units::metre, positive)),
        excess_(in.number("excess", units::one, positive)) {}

  std::string why_not(const any_model& model) const override {
    return why_no_friction_limit(model);
  }

  // At the slowest rate, and the most at any rate, over the limit.
  conformance_outcome run(const any_model& model,
                          const std::atomic<bool>* interrupt) const override {
    const double limit = friction_limit(model), way = presliding_way(model, speed_, furthest_);
    const double moved = least_ + (std::isfinite(way) ? ways_ * way : 0);
    conformance_outcome found;
    for (const double rate : rates_) {
      const double duration = 3 / rate;
      const run_data data = run_to_the_end(
          fmt::format("system = {{ kind = 'mass_under_force', mass = {} }}\nfriction = {{ model = "
                      "'{}' }}\nforce = {{ kind = 'ramp', slope = {} }}\nrun = {{ duration = {}, "
                      "sample = {} }}\n",
                      mass_, model.key(), rate * limit, duration, duration / 6000),
          interrupt);
      const auto& t = data["t"];
      const auto& x = data["x"];
      const auto& f = data["f"];
      double most = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool accelerates = rate * limit * t[i] - f[i] > excess_ * limit;
        if (x[i] >= moved && accelerates) break;
        most = std::max(most, f[i]);
      }
      found.x.push_back(rate);
      found.y.push_back(most / limit);
    }
    found.values = {found.y.front(), *std::max_element(found.y.begin(), found.y.end())};
    return found;
  }

 private:
  double mass_;
  std::vector<double> rates_;
  double speed_, ways_, least_, furthest_, excess_;
};

}  // namespace

extern const conformance_row break_away{
    .name = "break_away",
    .at = &ports::drive,
    .measures = {"slow", "most"},
    .x = {.name = "rate of the pull over the limit", .in = units::one / units::second, .log = true},
    .y = {"break-away force over the limit"},
    .read = [](reader& in) -> std::unique_ptr<conformance_test> {
      return std::make_unique<break_away_test>(in);
    }};

}  // namespace asperity::detail
