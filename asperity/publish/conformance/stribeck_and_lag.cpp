// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/publish/conformance_tools.hpp>
#include <asperity/run/stepped_model.hpp>
#include <cmath>

namespace asperity::detail {

namespace {

class stribeck final : public conformance_test {
 public:
  explicit stribeck(reader& in)
      : slowest_(in.number("slowest", units::metre / units::second, positive)),
        fastest_(in.number("fastest", units::metre / units::second, positive)),
        speeds_(static_cast<int>(in.integer("speeds", whole(3, 1000), 21))),
        swing_(in.number("swing", units::one, {0, 1})),
        frequency_(in.number("frequency", units::one / units::second, positive)) {}

  std::string why_not(const any_model& model) const override {
    return why_no_friction_limit(model);
  }

  conformance_outcome run(const any_model& model,
                          const std::atomic<bool>* interrupt) const override {
    const double limit = friction_limit(model), way = settling_way(model);
    conformance_outcome found;
    for (int i = 0; i < speeds_; ++i) {
      const double v = slowest_ * std::pow(fastest_ / slowest_, double(i) / (speeds_ - 1));
      found.x.push_back(v);
      found.y.push_back(steady_friction(model, v, way, interrupt) / limit);
    }
    // The steepest fall between two neighbours, and the greatest fall from anywhere.
    double highest = 0, fall = 0, steepest = 0, at = std::sqrt(slowest_ * fastest_);
    for (std::size_t i = 0; i < found.y.size(); ++i) {
      highest = std::max(highest, found.y[i]);
      fall = std::max(fall, highest - found.y[i]);
      if (i > 0 && found.y[i - 1] - found.y[i] > steepest) {
        steepest = found.y[i - 1] - found.y[i];
        at = std::sqrt(found.x[i - 1] * found.x[i]);
      }
    }
    found.values = {fall, lag(model, at, limit, way)};
    return found;
  }

 private:
  double slowest_, fastest_;
  int speeds_;
  double swing_, frequency_;

  // v = mean (1 + swing sin(w t)): friction at the mean speed while it rises less that while it
  // falls, over the range of friction. Of a linear answer this is the sine of its phase.
  double lag(const any_model& model, double mean, double limit, double way) const {
    constexpr int steps = 2000, periods = 4;
    const double w = 2 * std::acos(-1.0) * frequency_, h = 1 / frequency_ / steps;
    stepped_model law(model);
    // First to steady sliding.
    const double settling = std::max(1.0, way / mean);
    double x = 0;
    for (int i = 1; i <= steps; ++i) {
      x = mean * settling * i / steps;
      const double in[] = {x, mean, 1};
      if (law.step(in, settling / steps) != outcome::completed) throw error(lost);
    }
    double low = unbounded, high = -unbounded, rising = 0, falling = 0;
    for (int i = 1; i <= steps * periods; ++i) {
      const double t = i * h;
      const double in[] = {x + mean * (t + swing_ * (1 - std::cos(w * t)) / w),
                           mean * (1 + swing_ * std::sin(w * t)), 1};
      if (law.step(in, h) != outcome::completed) throw error(lost);
      if (i <= steps * (periods - 1)) continue;
      const double f = law.outputs()[0];
      low = std::min(low, f);
      high = std::max(high, f);
      if (i == steps * periods) rising = f;
      if (i == steps * periods - steps / 2) falling = f;
    }
    // Of friction that does not depend on the speed, nothing but rounding is left.
    return high - low > 1e-9 * limit ? (rising - falling) / (high - low) : 0;
  }
  static constexpr const char* lost = "the law cannot be integrated while its speed oscillates";
};

}  // namespace

extern const conformance_row stribeck_and_lag{
    .name = "stribeck_and_lag",
    .at = &ports::drive,
    .measures = {"fall", "lag"},
    .x = {.name = "speed", .in = units::metre / units::second, .log = true},
    .y = {"steady friction over the limit"},
    .read = [](reader& in) -> std::unique_ptr<conformance_test> {
      return std::make_unique<stribeck>(in);
    }};

}  // namespace asperity::detail
