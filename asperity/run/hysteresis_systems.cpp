// SPDX-License-Identifier: Apache-2.0
#include <asperity/run/hysteresis_systems.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/systems/actuator.hpp>
#include <asperity/systems/composed_system.hpp>
#include <asperity/systems/two_bar_linkage.hpp>
#include <numbers>

namespace asperity {

namespace {

constexpr double pi = std::numbers::pi;

// ---- multiplay and its inverse ------------------------------------------------------------------

struct multiplay_and_inverse final : composed_system {
  multiplay_and_inverse(any_model the_model, const input& moved)
      : model(std::move(the_model)),
        elements(model.states() / 2),
        k(model.get("k")),
        motion(moved.shape) {
    if (k.size() == 1) k.assign(static_cast<std::size_t>(elements), k.front());
    for (const double each : k) stiffness += each;
    card_.kind = "multiplay_and_inverse";
    card_.models = {{"hysteresis", &model}};
    card_.add_input("motion", units::metre, motion, moved.shortest_period, false);
    const auto names = model.state_names();
    const auto in = model.state_units();
    for (const char* suffix : {"", "_inverse"})
      for (std::size_t i = 0; i < names.size(); ++i) add_state(names[i] + suffix, in[i], 0, 1);
    model.initial(initial_.data());
    model.initial(initial_.data() + model.states());
    add_output("x", units::metre);
    add_output("f", units::newton);
    add_output("x_inverse", units::metre);
    // Energy of the masses that the input drags along; the inverse is a computation and has none.
    // A spring with a dead zone pulls with m a + c v; its other end, the input, supplies.
    set_energy({{"kinetic", "springs"}, {"motion"}, {{"dampers", "", true, {{"viscous"}}}}});
  }
  any_model model;
  int elements;
  std::vector<double> k;
  double stiffness = 0;
  signal motion;

  // (2.33): the input that gives f at the state of the inverse.
  double recovered(const double* inverse, double f) const {
    double sum = f;
    for (int i = 0; i < elements; ++i) sum += k[static_cast<std::size_t>(i)] * inverse[i];
    return sum / stiffness;
  }
  void rates(double t, const double* y, double* rate, workspace&) const override {
    const int n = model.states();
    const double f = model.respond(y, motion.value(t), 0, 1, rate);
    model.respond(y + n, recovered(y + n, f), 0, 1, rate + n);
  }
  void observe(double t, const double* y, double* out, workspace&) const override {
    double ignored[any_model::max_states];
    out[0] = motion.value(t);
    out[1] = model.respond(y, out[0], 0, 1, ignored);
    out[2] = recovered(y + model.states(), out[1]);
  }

  void energies(double t, const double* y, double* out, workspace&) const override {
    std::fill_n(out, 3, 0.0);
    for_each_mass(t, y, [&](double m_i, double, double k_i, double v, double pull) {
      out[0] += 0.5 * m_i * v * v;
      out[1] += 0.5 * pull * pull / k_i;
    });
  }
  void powers(double t, const double* y, double* out, workspace&) const override {
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

struct actuator_system final : composed_system, marching {
  actuator_system(any_model the_model, const input& given)
      : model(std::move(the_model)), current(given.shape) {
    using units::metre;
    using units::one;
    card_.kind = "magnetostrictive_actuator";
    card_.models = {{"hysteresis", &model}};
    card_.add_input("current", one, current, given.shortest_period, false);
    for (const char* name : {"current", "H", "M"}) add_output(name, one);
    add_output("elongation", metre);
    for (const char* name : {"M_one", "M_both"}) add_output(name, one);
  }
  void show_fit() {
    fits = true;
    add_output("M_fit", units::one);
    add_output("elongation_fit", units::metre);
    for (const auto& each : fitted) add_output(std::string("fit_") + each.name, units::one);
  }
  magnetostrictive_actuator device;
  any_model model;
  signal current;
  bool fits = false;
  play_model fit_start;
  double fit_until = 0;
  long long fit_rows = 0;

  class moving;

  void rates(double, const double*, double*, workspace&) const override {}
  void observe(double, const double*, double* out, workspace&) const override;
  std::unique_ptr<workspace> new_workspace() const override;
  const marching* march() const override { return this; }
  play_model fit() const;

 private:
  std::vector<std::string> methods() const override { return {"advance"}; }
  progress onward(double length, const watch&, workspace&) const override;
  counts count(const workspace&) const override;
  void flows(double*, workspace&) const override {}
};

// Everything but the operator's own M is made of the elongation and the field.
class actuator_system::moving final : public workspace {
 public:
  explicit moving(const actuator_system& of) : whole_(of), operator_(of.model) {
    if (whole_.fits) {
      fit_ = whole_.fit();
      fit_state_ = fit_.initial();
    }
    H_ = whole_.device.field(whole_.current.value(0));
    move(H_);
    sign_ = M_ < 0 ? -1 : 1;  // of the first row nothing else can tell
    unfold();
  }
  void step(double h) {
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
  }
  long steps() const { return steps_; }
  void show(double* out) const {
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

  const actuator_system& whole_;
  actuator_operator operator_;
  play_model fit_;
  vec<double, play_model::states> fit_state_;
  double t_ = 0, H_ = 0, M_ = 0, elongation_ = 0, M_one_ = 0, M_both_ = 0, M_fit_ = 0, sign_ = 1;
  bool falls_ = false;
  long steps_ = 0;
};

std::unique_ptr<workspace> actuator_system::new_workspace() const {
  return std::make_unique<moving>(*this);
}
marching::progress actuator_system::onward(double length, const watch& before_each_step,
                                           workspace& w) const {
  if (const outcome ends = before_each_step(0); ends != outcome::completed) return {ends, 0};
  static_cast<moving&>(w).step(length);
  return {outcome::completed, length};
}
marching::counts actuator_system::count(const workspace& w) const {
  const long steps = static_cast<const moving&>(w).steps();
  return {steps, 0, steps};
}
void actuator_system::observe(double, const double*, double* out, workspace& w) const {
  static_cast<moving&>(w).show(out);
}

// The record is the elongation alone; M is unfolded from it.
play_model actuator_system::fit() const {
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

std::shared_ptr<system> read_magnetostrictive_actuator(const system_context& in) {
  using units::metre;
  using units::one;
  reader operator_table = in.root.table("hysteresis");
  any_model hysteresis = read_model(operator_table, "hysteresis", in.warnings);
  auto result = std::make_shared<actuator_system>(std::move(hysteresis),
                                                  read_input(in.root, "current", one, in.files));
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
  if (!in.root.has("fit")) return result;

  reader fit = in.root.table("fit");
  if (result->model.key() != "generalised_prandtl_ishlinskii")
    in.root.fail("fit", "only model = \"generalised_prandtl_ishlinskii\" is fitted");
  result->show_fit();
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

std::shared_ptr<system> read_two_bar_linkage(const system_context& in) {
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
  linkage->push(force.shape, force.shortest_period);
  return linkage;
}

std::shared_ptr<system> read_multiplay_and_inverse(const system_context& in) {
  reader table = in.root.table("friction");
  const any_model model = read_model(table, "friction", in.warnings);
  if (model.key() != "multiplay")
    in.root.fail("friction", "only model = \"multiplay\" has this inverse");
  auto chain = std::make_shared<multiplay_and_inverse>(
      model, read_input(in.root, "motion", units::metre, in.files));
  if (chain->stiffness == 0) in.root.fail("friction", "the sum of k is 0: there is no inverse");
  if (4 * chain->elements > most_states_of_adaptive_steps)
    in.root.fail("friction",
                 fmt::format("at most {} elements fit here", most_states_of_adaptive_steps / 4));
  return chain;
}

}  // namespace asperity
