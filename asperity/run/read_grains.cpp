// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/run/system_parts.hpp>
#include <asperity/systems/grains.hpp>
#include <random>

namespace asperity {

namespace {

class grains_system final : public composed_system, marching {
 public:
  grains_system(const char* kind, grains start) : start_(std::move(start)) {
    using namespace units;
    card_.kind = kind;
    for (const char* name :
         {"kinetic_energy", "potential_energy", "stored_energy", "dissipated_energy"})
      add_output(name, joule);
    add_output("touching", one);
    add_output("deepest", metre);
    add_output("fastest", speed);
    add_output("highest", metre);
    add_output("mean_height", metre);
    set_energy({{"kinetic", "potential"},
                {},
                {{"contacts",
                  "dai_frictional_contact",
                  true,
                  {{"normal damper"}, {"tangential damper"}, {"slider"}}}}});
  }

  const marching* march() const override { return this; }
  std::unique_ptr<workspace> new_workspace() const override {
    return std::make_unique<moving>(start_);
  }
  void rates(double, const double*, double*, workspace&) const override {}
  void observe(double, const double*, double* out, workspace& w) const override {
    const grains& all = of(w);
    const auto energy = all.energy();
    double highest = 0, sum = 0;
    for (const auto& each : all.bodies) {
      highest = std::max(highest, each.x[2] + each.R);
      sum += each.x[2];
    }
    out[0] = energy.kinetic;
    out[1] = energy.potential;
    out[2] = energy.stored;
    out[3] = energy.dissipated();
    out[4] = static_cast<double>(all.touching());
    out[5] = all.deepest();
    out[6] = all.fastest();
    out[7] = highest;
    out[8] = sum / static_cast<double>(all.bodies.size());
  }

 private:
  struct moving : workspace {
    grains all;
    explicit moving(const grains& start) : all(start) {}
  };
  static grains& of(workspace& w) { return static_cast<moving&>(w).all; }

  std::vector<std::string> methods() const override { return {"dopri5", "rk4"}; }
  progress onward(double length, const watch& before_each_step, workspace& w) const override {
    progress result{outcome::completed, 0};
    if (!w.setting.method->is_fixed) {
      result.how =
          of(w).advance(length, w.setting.tolerance.relative, result.done, before_each_step);
      return result;
    }
    result.how = before_each_step(0);
    if (result.how != outcome::completed) return result;
    of(w).step(length);
    result.done = length;
    return result;
  }
  counts count(const workspace& w) const override {
    const grains& all = static_cast<const moving&>(w).all;
    return {all.steps(), all.rejected(), all.evaluations()};
  }
  void energies(double, const double*, double* out, workspace& w) const override {
    const auto energy = of(w).energy();
    out[0] = energy.kinetic;
    out[1] = energy.potential;
    out[2] = energy.stored;
  }
  void flows(double* out, workspace& w) const override {
    const auto energy = of(w).energy();
    out[0] = energy.taken;
    out[1] = energy.normal_damper;
    out[2] = energy.tangential_damper;
    out[3] = energy.slider;
  }

  grains start_;
};

std::shared_ptr<system> read_grains(const system_context& from, bool flat) {
  using namespace units;
  reader& table = from.system;
  grains system;
  system.flat = flat;
  const auto columns = table.integer("columns", {1, 1000}, 10);
  const auto rows = table.integer("rows", {1, 1000}, 10);
  const auto layers = flat ? 1 : table.integer("layers", {1, 1000}, columns);
  if (columns * rows * layers > 20000)
    table.fail("rows", "these are more than 20000 grains, which would take too long");
  const double R = table.number("radius", metre, positive);
  const double m = table.number("mass", kilogram, positive);
  const double g = table.number("gravity", acceleration, non_negative, 9.81);
  const double spacing = table.number("spacing", metre, {2 * R, unbounded, true}, 2.1 * R);
  const double width =
      table.number("width", metre, {static_cast<double>(columns) * spacing, unbounded},
                   static_cast<double>(columns) * spacing);
  const double jitter = table.number("speed", speed, non_negative, 0.1);
  const auto seed = table.integer("seed", {0, 4e9}, 1);
  system.gravity = {{0, 0, -g}};

  std::mt19937 random(static_cast<std::uint32_t>(seed));
  const auto any = [&] { return static_cast<double>(random()) / 2147483648.0 - 1.0; };
  // Grains in neat columns would stay there: they lie a little beside them.
  const double room = 0.4 * (spacing - 2 * R);
  for (long long k = 0; k < rows; ++k)
    for (long long j = 0; j < layers; ++j)
      for (long long i = 0; i < columns; ++i) {
        grains::grain b;
        b.R = R;
        b.m = m;
        b.I = 0.4 * m * R * R;
        const auto place = [&](long long n) {
          return (static_cast<double>(n) + 0.5) * spacing + room * any();
        };
        b.x = {{place(i), flat ? 0.0 : place(j), place(k)}};
        b.v = {{jitter * any(), flat ? 0.0 : jitter * any(), jitter * any()}};
        system.bodies.push_back(b);
      }
  system.planes = {{{}, {{0, 0, 1}}}, {{}, {{1, 0, 0}}}, {{{width, 0, 0}}, {{-1, 0, 0}}}};
  if (!flat) {
    system.planes.push_back({{}, {{0, 1, 0}}});
    system.planes.push_back({{{0, static_cast<double>(layers) * spacing, 0}}, {{0, -1, 0}}});
  }
  reader contact = from.root.table("contact");
  contact.word("model", {"dai_frictional_contact"}, "dai_frictional_contact");
  system.law = read_touch_model<dai_frictional_contact<double>>(contact, from);
  return std::make_shared<grains_system>(flat ? "discs" : "spheres", std::move(system));
}

}  // namespace

std::shared_ptr<system> read_discs(const system_context& from) { return read_grains(from, true); }
std::shared_ptr<system> read_spheres(const system_context& from) {
  return read_grains(from, false);
}

}  // namespace asperity
