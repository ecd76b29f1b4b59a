// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/publish/conformance_tools.hpp>
#include <cmath>

namespace asperity::detail {

namespace {

class grazing final : public conformance_test {
 public:
  explicit grazing(reader& in)
      : mass_(in.number("mass", units::kilogram, positive)),
        radius_(in.number("radius", units::metre, positive)),
        along_(in.number("along", units::metre / units::second, positive)),
        down_(in.number("down", units::metre / units::second, positive)),
        mu_(in.number("mu", units::one, positive)),
        gap_(in.number("gap", units::metre, positive)),
        duration_(in.number("duration", units::second, positive)) {}

  std::string why_not(const any_model& model) const override {
    const auto parameters = model.describe().parameters;
    const bool has_mu = std::any_of(parameters.begin(), parameters.end(),
                                    [](const auto& each) { return each.name == "mu"; });
    return has_mu ? std::string() : "the law has no coefficient of friction to set";
  }

  conformance_outcome run(const any_model& model,
                          const std::atomic<bool>* interrupt) const override {
    const run_data data = run_to_the_end(
        fmt::format("system = {{ kind = 'sphere_on_plane', mass = {}, radius = {}, gravity = 0 "
                    "}}\ncontact = {{ model = '{}', mu = {} }}\ninitial = {{ z = {}, v_x = {}, "
                    "v_z = {} }}\nintegrator = {{ relative_tolerance = 1e-9 }}\nrun = {{ duration "
                    "= {}, sample = {} }}\n",
                    mass_, radius_, model.key(), mu_, radius_ + gap_, along_, -down_, duration_,
                    duration_ / 4000),
        interrupt);
    if (data["gap"].back() <= 0) throw error("the body does not leave the ground within the run");
    // What the impulses of sliding friction leave, with the restitution that the run itself shows.
    const double m = mass_, I = 0.4 * m * radius_ * radius_;
    const double up = data["v_z"].back(), after = data["v_x"].back();
    const double spin = data["omega_y"].back();
    const double normal = m * (up + down_);
    const double energy = 0.5 * m * (along_ * along_ + down_ * down_);
    const double left = 0.5 * m * (after * after + up * up) + 0.5 * I * spin * spin;
    const double slid = along_ - mu_ * normal / m, turned = mu_ * normal * radius_ / I;
    const double wanted = energy - 0.5 * m * (slid * slid + up * up) - 0.5 * I * turned * turned;
    conformance_outcome found;
    found.values = {(energy - left) / wanted, m * (along_ - after) / (mu_ * normal)};
    const auto& v_x = data["v_x"];
    const auto& v_z = data["v_z"];
    const auto& w = data["omega_y"];
    found.x = data["t"];
    for (std::size_t i = 0; i < v_x.size(); ++i)
      found.y.push_back(
          (energy - 0.5 * m * (v_x[i] * v_x[i] + v_z[i] * v_z[i]) - 0.5 * I * w[i] * w[i]) /
          wanted);
    return found;
  }

 private:
  double mass_, radius_, along_, down_, mu_, gap_, duration_;
};

}  // namespace

extern const conformance_row grazing_impact{
    .name = "grazing_impact",
    .at = &ports::touch,
    .measures = {"loss", "impulse"},
    .x = {"time", units::second},
    .y = {"kinetic energy lost, over the loss of rigid sliding"},
    .read = [](reader& in) -> std::unique_ptr<conformance_test> {
      return std::make_unique<grazing>(in);
    }};

}  // namespace asperity::detail
