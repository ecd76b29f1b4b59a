// SPDX-License-Identifier: Apache-2.0
#include <asperity/scenario/machine_parts.hpp>
#include <asperity/systems/grains.hpp>
#include <random>

namespace asperity {

namespace {

class grains_run : public machine::own_run {
 public:
  grains_run(const grains& start, bool adapts, double tolerance)
      : system_(start), adapts_(adapts), tolerance_(tolerance) {}

  progress advance(double length, const watch& before_each_step) override {
    progress result{outcome::completed, 0};
    if (adapts_) {
      result.how = system_.advance(length, tolerance_, result.done, before_each_step);
      return result;
    }
    result.how = before_each_step(0);
    if (result.how != outcome::completed) return result;
    system_.step(length);
    result.done = length;
    return result;
  }
  long steps() const override { return system_.steps(); }
  long rejected() const override { return system_.rejected(); }
  long evaluations() const override { return system_.evaluations(); }
  void observe(double* out) const override {
    const auto books = system_.energy();
    double highest = 0, sum = 0;
    for (const auto& each : system_.bodies) {
      highest = std::max(highest, each.x[2] + each.R);
      sum += each.x[2];
    }
    out[0] = books.kinetic;
    out[1] = books.potential;
    out[2] = books.stored;
    out[3] = books.dissipated();
    out[4] = static_cast<double>(system_.touching());
    out[5] = system_.deepest();
    out[6] = system_.fastest();
    out[7] = highest;
    out[8] = sum / static_cast<double>(system_.bodies.size());
  }
  void energies(double* out) const override {
    const auto books = system_.energy();
    out[0] = books.kinetic;
    out[1] = books.potential;
    out[2] = books.stored;
  }
  void flows(double* out) const override {
    const auto books = system_.energy();
    out[0] = books.taken;
    out[1] = books.normal_damper;
    out[2] = books.tangential_damper;
    out[3] = books.slider;
  }

 private:
  grains system_;
  bool adapts_;
  double tolerance_;
};

class grains_machine : public machine {
 public:
  explicit grains_machine(grains start) : start_(std::move(start)) {}

  std::vector<machine_quantity> states() const override { return {}; }
  std::vector<double> initial() const override { return {}; }
  void rates(double, const double*, double*) const override {}
  std::vector<std::string> own_methods() const override { return {"dopri5", "rk4"}; }
  std::unique_ptr<own_run> start(const std::string& method,
                                 double relative_tolerance) const override {
    return std::make_unique<grains_run>(start_, method == "dopri5", relative_tolerance);
  }

  std::vector<machine_quantity> outputs() const override {
    using namespace units;
    return {{"kinetic_energy", joule},    {"potential_energy", joule}, {"stored_energy", joule},
            {"dissipated_energy", joule}, {"touching", one},           {"deepest", metre},
            {"fastest", speed},           {"highest", metre},          {"mean_height", metre}};
  }
  energy_books books() const override {
    return {{"kinetic", "potential"},
            {},
            {{"contacts",
              "dai_frictional_contact",
              true,
              {{"normal damper"}, {"tangential damper"}, {"slider"}}}}};
  }

 private:
  grains start_;
};

std::shared_ptr<machine> read_grains(const machine_context& from, bool flat) {
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
  return std::make_shared<grains_machine>(std::move(system));
}

}  // namespace

std::shared_ptr<machine> read_discs(const machine_context& from) { return read_grains(from, true); }
std::shared_ptr<machine> read_spheres(const machine_context& from) {
  return read_grains(from, false);
}

}  // namespace asperity
