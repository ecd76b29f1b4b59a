// SPDX-License-Identifier: Apache-2.0
#include <asperity/scenario/hysteresis_machines.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/hysteresis/actuator.hpp>
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
  // Both branches of the leaning curve rise: its image can be unfolded.
  bool rises() const { return curve == "leaning"; }
  std::vector<machine_quantity> outputs() const override {
    std::vector<machine_quantity> result{{"x", units::one}, {"y", units::one}, {"q", units::one}};
    if (rises()) result.push_back({"y_back", units::one});
    return result;
  }
  double shortest_period() const override { return 1; }
  energy_books books() const override {
    energy_books none;
    none.refusal = "a curve and its image are plain numbers";
    return none;
  }

  double on_branch(double x, bool upper) const {
    const double root = std::sqrt(std::max(0.0, 1 - x * x)), side = upper ? 1 : -1;
    if (curve == "lifted") return side * root + c * x * x * (1 - x * x);
    if (curve == "skewed") return side * root + c * x * (1 - x * x);
    if (curve == "triangle") return side * (1 - x) / 2;
    if (curve == "leaning") return x + side * c * (1 - x * x);
    return side * root;
  }
  double image(double y) const {
    return map == "parabola" ? left * (y - y_c) * (y - y_c) + q_c
                             : q_c + (y < y_c ? left : right) * (y - y_c);
  }
  // Theorem 5.3.3: of the two y that the map takes to q, the one on the side on which it rises or
  // falls as q does along the branch.
  double unfolded(double q, bool q_rises) const {
    if (map == "parabola")
      return y_c + ((left > 0) == q_rises ? 1 : -1) * std::sqrt(std::max(0.0, (q - q_c) / left));
    return y_c + (q - q_c) / ((left > 0) == q_rises ? left : right);
  }

  // Counterclockwise: x falls on the upper branch in the first half of a turn, rises on the lower.
  void observe(double, const double* state, double* out) const override {
    const double angle = 2 * pi * (state[0] - std::floor(state[0]));
    const bool upper = angle <= pi;
    const double x = std::cos(angle), y = on_branch(x, upper), q = image(y);
    out[0] = x;
    out[1] = y;
    out[2] = q;
    if (!rises()) return;
    constexpr double beside = 1e-6;
    const double there = image(on_branch(std::min(x + beside, 1.0), upper)),
                 back = image(on_branch(std::max(x - beside, -1.0), upper));
    out[3] = unfolded(q, there > back);
  }
};

// ---- magnetostrictive actuator ------------------------------------------------------------------

using play_model = generalised_prandtl_ishlinskii<double>;

// What the fit looks for, by name and place; c_0 is kept (actuator.hpp).
struct fitted_parameter {
  const char* name;
  double play_model::*place;
  range allowed;
};
constexpr std::array fitted{
    fitted_parameter{"c_1", &play_model::c_1, positive},
    fitted_parameter{"c_2", &play_model::c_2, any_value},
    fitted_parameter{"c_3", &play_model::c_3, any_value},
    fitted_parameter{"rho", &play_model::rho, positive},
    fitted_parameter{"tau", &play_model::tau, any_value},
    fitted_parameter{"q", &play_model::q, positive},
    fitted_parameter{"beta", &play_model::beta, positive},
};

// Operators speak of plain numbers: fields and magnetisations times 1e-4 m/A, as the source does.
struct actuator_operator {
  any_model model;
  static constexpr double scale = 1e-4;
  double state[any_model::max_states] = {};

  explicit actuator_operator(const any_model& the_model) : model(the_model) {
    model.initial(state);
  }
  double magnetisation(double H, double H_before) {
    return model.advance(state, {H_before * scale, 0, 1}, {H * scale, 0, 1}, 1) / scale;
  }
};

struct actuator_machine final : machine {
  explicit actuator_machine(any_model the_model) : model(std::move(the_model)) {}
  magnetostrictive_actuator device;
  any_model model;
  signal current;
  double period = unbounded;
  bool fits = false;
  play_model fit_start;
  double fit_until = 0;
  long long fit_rows = 0;

  class moving;

  std::vector<machine_quantity> states() const override { return {}; }
  std::vector<double> initial() const override { return {}; }
  void rates(double, const double*, double*) const override {}
  std::vector<std::string> own_methods() const override { return {"advance"}; }
  std::unique_ptr<own_run> start(const std::string& method,
                                 double relative_tolerance) const override;
  std::vector<machine_quantity> outputs() const override {
    using units::metre;
    using units::one;
    std::vector<machine_quantity> result{{"current", one},      {"H", one},     {"M", one},
                                         {"elongation", metre}, {"M_one", one}, {"M_both", one}};
    if (fits) {
      result.push_back({"M_fit", one});
      result.push_back({"elongation_fit", metre});
      for (const auto& each : fitted) result.push_back({std::string("fit_") + each.name, one});
    }
    return result;
  }
  std::vector<double> jumps(double from, double to) const override {
    return current.breakpoints(from, to);
  }
  double shortest_period() const override { return period; }
  play_model fit() const;
};

// Everything but the operator's own M is made of the elongation and the field.
class actuator_machine::moving final : public machine::own_run {
 public:
  explicit moving(const actuator_machine& of) : whole_(of), operator_(of.model) {
    if (whole_.fits) {
      fit_ = whole_.fit();
      fit_state_ = fit_.initial();
    }
    H_ = whole_.device.field(whole_.current.value(0));
    move(H_);
    sign_ = M_ < 0 ? -1 : 1;  // of the first row nothing else can tell
    unfold();
  }
  progress advance(double h, const watch& before_each_step) override {
    if (const outcome ends = before_each_step(0); ends != outcome::completed) return {ends, 0};
    t_ += h;
    ++steps_;
    const double H = whole_.device.field(whole_.current.value(t_)), elongation = elongation_;
    const double way = H - H_;
    if (way != 0) falls_ = way < 0;
    move(H);
    // M rises and falls with H: so where the elongation grows M has the sign of the way.
    if ((elongation_ - elongation) * way != 0)
      sign_ = (elongation_ - elongation) * way > 0 ? 1 : -1;
    unfold();
    return {outcome::completed, h};
  }
  long steps() const override { return steps_; }
  long evaluations() const override { return steps_; }
  void observe(double* out) const override {
    *out++ = whole_.current.value(t_);
    *out++ = H_;
    *out++ = M_;
    *out++ = elongation_;
    *out++ = M_one_;
    *out++ = M_both_;
    if (!whole_.fits) return;
    *out++ = M_fit_;
    *out++ = whole_.device.elongation(M_fit_, falls_);
    for (const auto& each : fitted) *out++ = fit_.*each.place;
  }

 private:
  void move(double H) {
    M_ = operator_.magnetisation(H, H_);
    if (whole_.fits)
      M_fit_ = fit_.advance(fit_state_, {}, {H * actuator_operator::scale, 0, 1}, 1) /
               actuator_operator::scale;
    elongation_ = whole_.device.elongation(M_, falls_);
    H_ = H;
  }
  void unfold() {
    M_one_ = whole_.device.magnetisation(elongation_, sign_);
    M_both_ = whole_.device.magnetisation(elongation_, sign_, falls_);
  }

  const actuator_machine& whole_;
  actuator_operator operator_;
  play_model fit_;
  vec<double, play_model::states> fit_state_;
  double t_ = 0, H_ = 0, M_ = 0, elongation_ = 0, M_one_ = 0, M_both_ = 0, M_fit_ = 0, sign_ = 1;
  bool falls_ = false;
  long steps_ = 0;
};

std::unique_ptr<machine::own_run> actuator_machine::start(const std::string&, double) const {
  return std::make_unique<moving>(*this);
}

// The record is the elongation alone; M is unfolded from it.
play_model actuator_machine::fit() const {
  actuator_operator recorded(model);
  std::vector<double> H, elongation;
  bool falls = false;
  for (long long i = 0; i < fit_rows; ++i) {
    const double t = fit_until * static_cast<double>(i) / static_cast<double>(fit_rows - 1);
    const double field = device.field(current.value(t)), before = H.empty() ? field : H.back();
    if (field != before) falls = field < before;
    H.push_back(field);
    elongation.push_back(device.elongation(recorded.magnetisation(field, before), falls));
  }
  std::vector<double> M = unfold_record(device, H, elongation);
  for (std::size_t i = 0; i < H.size(); ++i) {
    H[i] *= actuator_operator::scale;
    M[i] *= actuator_operator::scale;
  }
  return fit_operator(H, M, fit_start).model;
}

}  // namespace

std::shared_ptr<machine> read_magnetostrictive_actuator(const machine_context& in) {
  using units::metre;
  using units::one;
  reader operator_table = in.root.table("hysteresis");
  auto result =
      std::make_shared<actuator_machine>(read_model(operator_table, "hysteresis", in.warnings));
  reader& table = in.system;
  magnetostrictive_actuator& device = result->device;
  device.M_s = table.number("M_s", one, positive, device.M_s);
  device.L_rod = table.number("L_rod", metre, positive, device.L_rod);
  device.c_0 = table.number("c_0", one, any_value, device.c_0);
  device.lambda_s = table.number("lambda_s", one, positive, device.lambda_s);
  device.H_bias = table.number("H_bias", one, any_value, device.H_bias);
  device.b_1 = table.number("b_1", one, any_value, device.b_1);
  device.b_2 = table.number("b_2", one, any_value, device.b_1);
  device.M_closed = table.number("M_closed", one, positive, device.M_s);
  if (!(device.a_2() > 0))
    table.fail("b_2", "while the field falls the law would not rise with M: a_2 is not above 0");
  const input current = read_input(in.root, "current", one, in.files);
  result->current = current.shape;
  result->period = current.shortest_period;
  if (!in.root.has("fit")) return result;

  reader fit = in.root.table("fit");
  if (result->model.key() != "generalised_prandtl_ishlinskii")
    in.root.fail("fit", "only model = \"generalised_prandtl_ishlinskii\" is fitted");
  result->fits = true;
  result->fit_until = fit.number("until", units::second, positive);
  result->fit_rows = fit.integer("rows", {10, 100000}, 1000);
  play_model& start = result->fit_start;
  start.elements = static_cast<int>(result->model.get("elements").front());
  start.c_0 = result->model.get("c_0").front();
  for (const auto& each : fitted)
    start.*each.place = fit.number(each.name, one, each.allowed, start.*each.place);
  fit.finish();
  return result;
}

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
