// SPDX-License-Identifier: Apache-2.0
#include <asperity/scenario/hysteresis_machines.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/models/friction/multiplay.hpp>
#include <asperity/systems/two_bar_linkage.hpp>
#include <numbers>

namespace asperity {

namespace {

constexpr double pi = std::numbers::pi;

// ---- multiplay and its inverse ------------------------------------------------------------------

struct multiplay_and_inverse final : machine {
  explicit multiplay_and_inverse(any_model the_model)
      : model(std::move(the_model)), elements(model.states() / 2), k(model.get("k")) {
    if (k.size() == 1) k.assign(static_cast<std::size_t>(elements), k.front());
    for (const double each : k) stiffness += each;
  }
  any_model model;
  int elements;
  std::vector<double> k;
  double stiffness = 0;
  signal motion;
  double period = unbounded;

  std::vector<machine_quantity> states() const override {
    std::vector<machine_quantity> result;
    const auto names = model.state_names();
    const auto in = model.state_units();
    for (const char* suffix : {"", "_inverse"})
      for (std::size_t i = 0; i < names.size(); ++i)
        result.push_back({names[i] + suffix, in[i], 1});
    return result;
  }
  std::vector<double> initial() const override {
    std::vector<double> y(static_cast<std::size_t>(2 * model.states()));
    model.initial(y.data());
    model.initial(y.data() + model.states());
    return y;
  }
  // (2.33): the input that gives f at the state of the inverse.
  double recovered(const double* inverse, double f) const {
    double sum = f;
    for (int i = 0; i < elements; ++i) sum += k[static_cast<std::size_t>(i)] * inverse[i];
    return sum / stiffness;
  }
  void rates(double t, const double* y, double* rate) const override {
    const int n = model.states();
    const double f = model.respond(y, motion.value(t), 0, 1, rate);
    model.respond(y + n, recovered(y + n, f), 0, 1, rate + n);
  }
  std::vector<machine_quantity> outputs() const override {
    return {{"x", units::metre}, {"f", units::newton}, {"x_inverse", units::metre}};
  }
  void observe(double t, const double* y, double* out) const override {
    double ignored[any_model::max_states];
    out[0] = motion.value(t);
    out[1] = model.respond(y, out[0], 0, 1, ignored);
    out[2] = recovered(y + model.states(), out[1]);
  }
  std::vector<double> jumps(double from, double to) const override {
    return motion.breakpoints(from, to);
  }
  double shortest_period() const override { return period; }

  // Energy of the masses that the input drags along; the inverse is a computation and has none. A
  // spring with a dead zone pulls with m a + c v; its other end, the input, supplies.
  energy_books books() const override {
    return {{"kinetic", "springs"}, {"motion"}, {{"dampers", "", true, {{"viscous"}}}}};
  }
  void energies(double t, const double* y, double* out) const override {
    std::fill_n(out, 3, 0.0);
    for_each_mass(t, y, [&](double m_i, double, double k_i, double v, double pull) {
      out[0] += 0.5 * m_i * v * v;
      out[1] += 0.5 * pull * pull / k_i;
    });
  }
  void powers(double t, const double* y, double* out) const override {
    std::fill_n(out, 3, 0.0);
    for_each_mass(t, y, [&](double, double c_i, double, double v, double pull) {
      out[0] += pull * motion.slope(t);
      out[1] += c_i * v * v;
    });
    out[2] = out[1];
  }

 private:
  template <class Visit>
  void for_each_mass(double t, const double* y, const Visit& visit) const {
    double rate[any_model::max_states];
    model.respond(y, motion.value(t), 0, 1, rate);
    const auto m = model.get("m"), c = model.get("c");
    for (int i = 0; i < elements; ++i) {
      const auto at = [&](const std::vector<double>& list) {
        return list[list.size() == 1 ? 0 : static_cast<std::size_t>(i)];
      };
      const double v = y[elements + i], m_i = at(m), c_i = at(c);
      visit(m_i, c_i, at(k), v, m_i * rate[elements + i] + c_i * v);
    }
  }
};

// ---- curves and their images --------------------------------------------------------------------

struct mapped_curve final : machine {
  std::string curve = "circle", map = "lines";
  double c = 0, y_c = 0, q_c = 0, left = 1, right = -1;

  std::vector<machine_quantity> states() const override { return {{"turns", units::one, 1}}; }
  std::vector<double> initial() const override { return {0}; }
  void rates(double, const double*, double* rate) const override { rate[0] = 1; }
  std::vector<machine_quantity> outputs() const override {
    return {{"x", units::one}, {"y", units::one}, {"q", units::one}};
  }
  double shortest_period() const override { return 1; }
  energy_books books() const override {
    energy_books none;
    none.refusal = "a curve and its image are plain numbers";
    return none;
  }

  // Counterclockwise: x falls on the upper branch in the first half of a turn, rises on the lower.
  void observe(double, const double* state, double* out) const override {
    const double angle = 2 * pi * (state[0] - std::floor(state[0]));
    const bool upper = angle <= pi;
    const double x = std::cos(angle), root = std::abs(std::sin(angle)), side = upper ? 1 : -1;
    double y = 0;
    if (curve == "circle") y = side * root;
    if (curve == "lifted") y = side * root + c * x * x * (1 - x * x);
    if (curve == "skewed") y = side * root + c * x * (1 - x * x);
    if (curve == "triangle") y = side * (1 - x) / 2;
    if (curve == "leaning") y = x + side * c * (1 - x * x);
    out[0] = x;
    out[1] = y;
    out[2] = map == "parabola" ? left * (y - y_c) * (y - y_c) + q_c
                               : q_c + (y < y_c ? left : right) * (y - y_c);
  }
};

}  // namespace

std::shared_ptr<machine> read_two_bar_linkage(const machine_context& in) {
  using namespace units;
  auto linkage = std::make_shared<two_bar_linkage>();
  reader& table = in.system;
  linkage->m = table.number("mass", kilogram, positive, 1);
  linkage->m_bar = table.number("bar_mass", kilogram, positive, 0.5);
  linkage->k = table.number("stiffness", newton / metre, positive, 1);
  linkage->c = table.number("damping", newton * second / metre, non_negative, 1);
  linkage->l = table.number("length", metre, positive, 1);
  linkage->theta_0 = table.number("angle", one, {0, pi / 2, true}, pi / 4);
  linkage->as_printed = table.word("inertia", {"right", "printed"}, "right") == "printed";
  const input force = read_input(in.root, "force", newton, in.files);
  linkage->force = force.shape;
  linkage->period = force.shortest_period;
  return linkage;
}

std::shared_ptr<machine> read_multiplay_and_inverse(const machine_context& in) {
  reader table = in.root.table("friction");
  const any_model model = read_model(table, "friction", in.warnings);
  if (model.key() != "multiplay")
    in.root.fail("friction", "only model = \"multiplay\" has this inverse");
  auto chain = std::make_shared<multiplay_and_inverse>(model);
  if (chain->stiffness == 0) in.root.fail("friction", "the sum of k is 0: there is no inverse");
  if (4 * chain->elements > machine_capacity)
    in.root.fail("friction", fmt::format("at most {} elements fit here", machine_capacity / 4));
  const input motion = read_input(in.root, "motion", units::metre, in.files);
  chain->motion = motion.shape;
  chain->period = motion.shortest_period;
  return chain;
}

std::shared_ptr<machine> read_mapped_curve(const machine_context& in) {
  using units::one;
  auto result = std::make_shared<mapped_curve>();
  reader& table = in.system;
  result->curve =
      table.word("curve", {"circle", "lifted", "skewed", "triangle", "leaning"}, "circle");
  result->c = table.number("c", one, any_value, 0);
  result->map = table.word("map", {"lines", "parabola"}, "lines");
  result->y_c = table.number("y_c", one, any_value, 0);
  result->q_c = table.number("q_c", one, any_value, 1);
  result->left = table.number("left", one, any_value, 1);
  result->right = table.number("right", one, any_value, -1);
  return result;
}

}  // namespace asperity
