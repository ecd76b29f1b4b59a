// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/publish/conformance_tools.hpp>
#include <cmath>

namespace asperity::detail {

namespace {

class slide_and_spin_test final : public conformance_test {
 public:
  explicit slide_and_spin_test(reader& in)
      : mass_(in.number("mass", units::kilogram, positive)),
        radius_(in.number("radius", units::metre, positive)),
        speed_(in.number("speed", units::metre / units::second, positive)),
        left_(in.number("left", units::one, {0, 1})),
        cells_(in.integer("cells", whole(4, 90), 24)) {}

  conformance_outcome run(const any_model& model,
                          const std::atomic<bool>* interrupt) const override {
    // A law has the radius itself, or takes it from a patch.
    const auto parameters = model.describe().parameters;
    const bool has_radius = std::any_of(parameters.begin(), parameters.end(),
                                        [](const auto& each) { return each.name == "R"; });
    // Cells with states are too many for steps that adapt.
    const bool has_cells = model.functions().at_port.cells != nullptr;
    const std::string shape =
        has_radius ? std::string()
                   : fmt::format("patch = {{ shape = 'disc', radius = {}, cells = {} }}\n", radius_,
                                 cells_);
    // At rest the bristles of some laws swing on: what is asked lies before.
    const run_data data = run_to_the_end(
        fmt::format(
            "{}{}system = {{ kind = 'planar_body', mass = {}, inertia = {} }}\nfriction = {{ "
            "model = '{}'{} }}\ninitial = {{ v_x = {}, omega = {} }}\nrun = {{ duration = "
            "{}, sample = {} }}\n",
            shape, has_cells ? "integrator = { step = 2e-5 }\n" : "", mass_,
            0.5 * mass_ * radius_ * radius_, model.key(),
            has_radius ? fmt::format(", R = {}", radius_) : "", speed_, speed_ / radius_, duration,
            duration / samples),
        interrupt);
    const auto& t = data["t"];
    const auto& v = data["speed"];
    const auto& rim = data["rim_speed"];
    const std::size_t slid = falls(v, left_ * speed_), spun = falls(rim, left_ * speed_);
    if (slid == 0 || spun == 0)
      throw error(fmt::format("the body does not come to rest within {:g} s", duration));
    conformance_outcome found;
    // On the straight line between the samples around that speed.
    const double share = (v[slid - 1] - left_ * speed_) / (v[slid - 1] - v[slid]);
    const double turning = rim[slid - 1] + share * (rim[slid] - rim[slid - 1]);
    found.values = {left_ * speed_ / turning, t[slid] / t[spun]};
    for (std::size_t i = 0; i <= std::min(slid, spun); i += 10) {
      found.x.push_back(v[i] / speed_);
      found.y.push_back(v[i] / rim[i]);
    }
    return found;
  }

 private:
  static constexpr double duration = 1;  // [s]
  static constexpr int samples = 10'000;
  double mass_, radius_, speed_, left_;
  long long cells_;

  static std::size_t falls(const std::vector<double>& of, double level) {
    for (std::size_t i = 1; i < of.size(); ++i)
      if (of[i] < level) return i;
    return 0;
  }
};

}  // namespace

extern const conformance_row slide_and_spin{
    .name = "slide_and_spin",
    .at = &ports::twist,
    .measures = {"eps", "together"},
    .x = {"speed over that at the start"},
    .y = {"eps = v/(R omega)"},
    .read = [](reader& in) -> std::unique_ptr<conformance_test> {
      return std::make_unique<slide_and_spin_test>(in);
    }};

}  // namespace asperity::detail
