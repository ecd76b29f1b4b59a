// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/mechanics/grains_system.hpp>
#include <asperity/mechanics/lammps_run.hpp>
#include <asperity/mechanics/system_parts.hpp>
#include <optional>
#include <random>

namespace asperity {

namespace {

// What both engines show. `places` are those of each grain, which are many columns.
struct shown_of_grains {
  bool places = false;
  bool flat = false;
  std::size_t count = 0;  // of grains
};
void add_outputs(system_card& to, const shown_of_grains& shown) {
  using namespace units;
  for (const char* name :
       {"kinetic_energy", "potential_energy", "stored_energy", "dissipated_energy"})
    to.add_output(name, joule);
  to.add_output("touching", one);
  to.add_output("deepest", metre);
  to.add_output("fastest", speed);
  to.add_output("highest", metre);
  to.add_output("mean_height", metre);
  for (std::size_t i = 1; shown.places && i <= shown.count; ++i)
    for (const char* axis : {"x", "y", "z"})
      if (!shown.flat || *axis != 'y') to.add_output(fmt::format("{}_{}", axis, i), metre);
}
void write_outputs(const grains& all, const grains::energies& energy, double touching,
                   const shown_of_grains& shown, double* out) {
  double highest = 0, sum = 0;
  for (const auto& each : all.bodies) {
    highest = std::max(highest, each.x[2] + each.R);
    sum += each.x[2];
  }
  out[0] = energy.kinetic;
  out[1] = energy.potential;
  out[2] = energy.stored;
  out[3] = energy.dissipated();
  out[4] = touching;
  out[5] = all.deepest();
  out[6] = all.fastest();
  out[7] = highest;
  out[8] = sum / static_cast<double>(all.bodies.size());
  if (!shown.places) return;
  out += 9;
  for (const auto& each : all.bodies)
    for (const int axis : {0, 1, 2})
      if (!shown.flat || axis != 1) *out++ = each.x[axis];
}

class grains_system final : public composed_system, marching {
 public:
  grains_system(const char* kind, grains start, shown_of_grains shown)
      : start_(std::move(start)), shown_(shown) {
    card_.kind = kind;
    add_outputs(card_, shown_);
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
    write_outputs(all, all.energy(), static_cast<double>(all.touching()), shown_, out);
  }

 private:
  // Steps that adapt end where their tolerance wants, not where a row is shown: `ahead` takes them,
  // and what is shown is a shorter step from where the last one began.
  struct moving : workspace {
    grains all;
    std::optional<grains> ahead, before;
    long double t = 0;  // the sum of many equal lengths, to the rounding of one
    double t_ahead = 0, t_before = 0;
    explicit moving(const grains& start) : all(start) {}
  };
  static grains& of(workspace& w) { return static_cast<moving&>(w).all; }

  std::vector<const method_row*> methods() const override {
    return {&detail::dopri5_method, &detail::rk4_method};
  }
  progress onward(double length, const watch& before_each_step, workspace& w) const override {
    if (!w.setting.method->is_fixed)
      return adapt(length, before_each_step, static_cast<moving&>(w));
    progress result{outcome::completed, 0};
    result.how = before_each_step(0);
    if (result.how != outcome::completed) return result;
    of(w).step(length);
    result.done = length;
    return result;
  }
  static progress adapt(double length, const watch& before_each_step, moving& m) {
    if (!m.ahead) m.ahead = m.all;
    const auto from = static_cast<double>(m.t);
    m.t += length;
    const auto to = static_cast<double>(m.t);
    const double tolerance = m.setting.tolerance.relative;
    while (m.t_ahead < to) {
      // Steps are never longer than planned: only one that may pass the row is gone back to.
      if (!(m.t_ahead + m.ahead->planned() < to) || m.ahead->steps() == 0) {
        m.before = m.ahead;
        m.t_before = m.t_ahead;
      }
      double done = 0;
      const outcome how = m.ahead->advance_freely(
          m.setting.max_step, tolerance, done, [&] { return before_each_step(m.t_ahead - from); });
      m.t_ahead += done;
      if (how == outcome::completed) continue;
      m.all = *m.ahead;
      return {how, m.t_ahead - from};
    }
    if (m.t_ahead == to) {
      m.all = *m.ahead;
      return {outcome::completed, length};
    }
    m.all = *m.before;
    return {m.all.advance(to - m.t_before, tolerance), length};
  }
  counts count(const workspace& w) const override {
    const auto& m = static_cast<const moving&>(w);
    const grains& all = m.ahead ? *m.ahead : m.all;
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
  shown_of_grains shown_;
};

// The same grains in LAMMPS. What contacts lose is what is missing from the energy of all grains.
class grains_in_lammps final : public composed_system, marching {
 public:
  grains_in_lammps(const char* kind, grains start, shown_of_grains shown, lammps_setting setting)
      : start_(std::move(start)), shown_(shown), setting_(setting), start_energy_(start_.energy()) {
    card_.kind = kind;
    add_outputs(card_, shown_);
    card_.why_no.energy = "LAMMPS does not say which part of a contact loses it";
  }

  const marching* march() const override { return this; }
  std::unique_ptr<workspace> new_workspace() const override {
    return std::make_unique<moving>(start_, setting_);
  }
  void rates(double, const double*, double*, workspace&) const override {}
  void observe(double, const double*, double* out, workspace& w) const override {
    auto& now = static_cast<moving&>(w);
    now.all.find_contacts();
    grains::energies energy = now.all.energy();
    energy.stored = now.run.stored();
    energy.slider = start_energy_.kinetic + start_energy_.potential - energy.kinetic -
                    energy.potential - energy.stored;
    write_outputs(now.all, energy, now.run.touching(), shown_, out);
  }

 private:
  struct moving : workspace {
    grains all;
    lammps_run run;
    moving(const grains& start, lammps_setting setting) : all(start), run(start, setting) {}
  };

  // Steps of LAMMPS, velocity Verlet.
  std::vector<const method_row*> methods() const override { return {&detail::advance_method}; }
  progress onward(double length, const watch& before_each_step, workspace& w) const override {
    auto& now = static_cast<moving&>(w);
    const outcome how = now.run.onward(length, now.all, [&] { return before_each_step(0); });
    return {how, how == outcome::completed ? length : 0};
  }
  counts count(const workspace& w) const override {
    const long steps = static_cast<const moving&>(w).run.steps();
    return {steps, 0, steps};
  }
  void flows(double*, workspace&) const override {}

  grains start_;
  shown_of_grains shown_;
  lammps_setting setting_;
  grains::energies start_energy_;
};

struct grains_box {
  long long columns = 10, rows = 10, layers = 1, seed = 1;
  double R = 0.01, m = 1, g = 0, spacing = 0, width = 0, jitter = 0.1;
  bool places = false;
};

grains_box read_box(system_builder& b, bool flat) {
  using namespace units;
  grains_box of;
  b.optional("columns", of.columns, {1, 1000}, "number of columns of grains");
  b.optional("rows", of.rows, {1, 1000}, "number of rows of grains, one above the other");
  if (!flat) {
    of.layers = of.columns;
    b.optional("layers", of.layers, {1, 1000}, "number of layers of grains, one behind the other",
               "columns");
  }
  if (of.columns * of.rows * of.layers > 20000)
    b.refuse("rows", "there are more than 20000 grains, which would take too long");
  b.required("radius", of.R, metre, positive, "radius of a grain");
  b.required("mass", of.m, kilogram, positive, "mass of a grain");
  b.gravity(of.g);
  of.spacing = 2.1 * of.R;
  b.optional("spacing", of.spacing, metre, positive,
             "spacing of the centres at the start, above twice the radius", "2.1 radius");
  if (!(of.spacing > 2 * of.R))
    b.refuse("spacing", fmt::format("it must be above twice the radius, {:g} m", 2 * of.R));
  const double least = static_cast<double>(of.columns) * of.spacing;
  of.width = least;
  b.optional("width", of.width, metre, positive, "width of the box, at least columns times spacing",
             "columns times spacing");
  if (of.width < least)
    b.refuse("width", fmt::format("it must be at least columns times spacing, {:g} m", least));
  b.optional("speed", of.jitter, speed, non_negative,
             "greatest speed of a grain at the start, in each direction");
  b.optional("seed", of.seed, {0, 4e9}, "seed of the positions and speeds at the start");
  b.optional("places", of.places, "also record the position of each grain");
  if (of.places && of.columns * of.rows * of.layers > 2000)
    b.refuse("places", "the positions of more than 2000 grains would be too many columns");
  return of;
}

std::optional<lammps_setting> read_engine(system_builder& b) {
  const bool is_ours = b.word("engine", {"own", "lammps"},
                              "program that computes the motion (docs/lammps.md)", "own") == "own";
  long long ranks = 1;
  lammps_setting setting;
  b.optional("ranks", ranks, {1, 100000},
             "number of processes of engine lammps, started by mpirun");
  b.optional("timestep", setting.longest_step, units::second, non_negative,
             "longest step of engine lammps; 0: short enough for the contacts");
  if (is_ours && ranks != 1) b.refuse("ranks", "it can be given only with engine = \"lammps\"");
  if (is_ours) return {};
  setting.ranks = static_cast<int>(ranks);
  return setting;
}

}  // namespace

std::shared_ptr<system> build_grains(system_builder& b, const char* kind, bool flat) {
  const grains_box of = read_box(b, flat);
  const auto lammps = read_engine(b);
  grains all;
  all.flat = flat;
  all.gravity = {{0, 0, -of.g}};
  std::mt19937 random(static_cast<std::uint32_t>(of.seed));
  const auto any = [&] { return static_cast<double>(random()) / 2147483648.0 - 1.0; };
  // Grains in neat columns would stay there: they lie a little beside them.
  const double room = 0.4 * (of.spacing - 2 * of.R);
  for (long long k = 0; k < of.rows; ++k)
    for (long long j = 0; j < of.layers; ++j)
      for (long long i = 0; i < of.columns; ++i) {
        grains::grain one;
        one.R = of.R;
        one.m = of.m;
        one.I = 0.4 * of.m * of.R * of.R;
        const auto place = [&](long long n) {
          return (static_cast<double>(n) + 0.5) * of.spacing + room * any();
        };
        one.x = {{place(i), flat ? 0.0 : place(j), place(k)}};
        one.v = {{of.jitter * any(), flat ? 0.0 : of.jitter * any(), of.jitter * any()}};
        all.bodies.push_back(one);
      }
  all.planes = {{{}, {{0, 0, 1}}}, {{}, {{1, 0, 0}}}, {{{of.width, 0, 0}}, {{-1, 0, 0}}}};
  if (!flat) {
    all.planes.push_back({{}, {{0, 1, 0}}});
    all.planes.push_back({{{0, static_cast<double>(of.layers) * of.spacing, 0}}, {{0, -1, 0}}});
  }
  key_builder contact = b.root.table("contact", "contact between grains, and with the walls");
  contact.word("model", {"dai_frictional_contact"}, "model of contact and friction",
               "dai_frictional_contact");
  all.law = read_touch_model<dai_frictional_contact<double>>(contact);
  if (const double good = lammps_run::good_step(all); lammps && lammps->longest_step > 10 * good)
    b.warn(fmt::format("timestep is {:g} s; contacts with these parameters need about {:.2g} s",
                       lammps->longest_step, good));
  const shown_of_grains shown{of.places, flat, all.bodies.size()};
  if (lammps) return std::make_shared<grains_in_lammps>(kind, std::move(all), shown, *lammps);
  return std::make_shared<grains_system>(kind, std::move(all), shown);
}

}  // namespace asperity
