// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/analysis/restitution.hpp>
#include <asperity/error.hpp>
#include <asperity/publish/conformance_tools.hpp>
#include <cmath>

namespace asperity::detail {

namespace {

class touchdown_test final : public conformance_test {
 public:
  explicit touchdown_test(reader& in)
      : mass_(in.number("mass", units::kilogram, positive)),
        speed_(in.number("speed", units::metre / units::second, positive)),
        gap_(in.number("gap", units::one, positive)),
        samples_(in.number("samples", units::one, whole(100, 1e6))) {}

  std::string why_not(const any_model& model) const override {
    const impact seen = find_impact(model, speed_, {.mass = mass_});
    return seen.how == impact::outcome::undetermined ? seen.why : std::string();
  }

  conformance_outcome run(const any_model& model,
                          const std::atomic<bool>* interrupt) const override {
    const impact seen = find_impact(model, speed_, {.mass = mass_, .interrupt = interrupt});
    const double contact =
        std::isfinite(seen.contact_time) ? seen.contact_time : 10 * seen.time_to_deepest;
    if (!(contact > 0)) throw error("the impact has no duration");
    const double duration = gap_ * contact + 1.5 * contact;
    const run_data data = run_to_the_end(
        fmt::format("force = 0\nsystem = {{ kind = 'bouncing_mass', mass = {} }}\ncontact = {{ "
                    "model = '{}' }}\ninitial = {{ x = {}, v = {} }}\nrun = {{ duration = {}, "
                    "sample = {} }}\n",
                    mass_, model.key(), gap_ * contact * speed_, -speed_, duration,
                    contact / samples_),
        interrupt);
    const auto& t = data["t"];
    const auto& f = data["f"];
    const double peak = *std::max_element(f.begin(), f.end());
    if (!(peak > 0)) throw error("the contact force is never above 0");
    double jump = 0, last = 0;
    for (std::size_t i = 1; i < f.size(); ++i) {
      jump = std::max(jump, std::abs(f[i] - f[i - 1]));
      if (f[i] != 0) last = t[i];
    }
    conformance_outcome found;
    found.values = {jump / peak, std::max(0.0, -*std::min_element(f.begin(), f.end())) / peak};
    for (std::size_t i = 0; i < t.size() && t[i] <= 1.1 * last; i += 20) {
      found.x.push_back(t[i]);
      found.y.push_back(f[i] / peak);
    }
    return found;
  }

 private:
  double mass_, speed_, gap_, samples_;
};

}  // namespace

extern const conformance_row touchdown{.name = "touchdown",
                                       .at = &ports::press,
                                       .measures = {"jump", "pull"},
                                       .x = {"time", units::second},
                                       .y = {"contact force over its peak"},
                                       .read = [](reader& in) -> std::unique_ptr<conformance_test> {
                                         return std::make_unique<touchdown_test>(in);
                                       }};

}  // namespace asperity::detail
