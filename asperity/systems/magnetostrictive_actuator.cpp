// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/systems/magnetostrictive_actuator.hpp>
//
#include <fmt/format.h>

#include <Eigen/Dense>
#include <array>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/mechanics/composed_system.hpp>
#include <asperity/mechanics/system_row.hpp>

namespace asperity {

namespace {

using model_type = generalised_prandtl_ishlinskii<double>;
constexpr int count = 7;
using parameters = Eigen::Matrix<double, count, 1>;

// rho, q and beta as logarithms: they stay above 0.
parameters read(const model_type& m) {
  parameters p;
  p << std::log(m.c_1), m.c_2, m.c_3, std::log(m.rho), m.tau, std::log(m.q), std::log(m.beta);
  return p;
}

model_type with(model_type m, const parameters& p) {
  m.c_1 = std::exp(p[0]);
  m.c_2 = p[1];
  m.c_3 = p[2];
  m.rho = std::exp(p[3]);
  m.tau = p[4];
  m.q = std::exp(p[5]);
  m.beta = std::exp(p[6]);
  return m;
}

Eigen::VectorXd residuals(const model_type& m, const std::vector<double>& x,
                          const std::vector<double>& y) {
  auto state = m.initial();
  Eigen::VectorXd r(static_cast<Eigen::Index>(x.size()));
  for (std::size_t k = 0; k < x.size(); ++k)
    r[static_cast<Eigen::Index>(k)] = m.advance(state, {}, {x[k], 0, 1}, 1) - y[k];
  return r;
}

}  // namespace

std::vector<double> unfold_record(const magnetostrictive_actuator& device,
                                  const std::vector<double>& H,
                                  const std::vector<double>& elongation) {
  if (H.size() != elongation.size() || H.size() < 2)
    throw error(fmt::format(
        "there are {} fields and {} elongations: at least 2 of each are needed, and equal numbers",
        H.size(), elongation.size()));
  std::vector<double> M(H.size());
  double sign = 1;
  const std::size_t last = H.size() - 1;
  for (std::size_t k = 0; k <= last; ++k) {
    // The first row has nothing before it: it goes by the second.
    const std::size_t to = std::max<std::size_t>(k, 1), from = to - 1;
    const double rise = (elongation[to] - elongation[from]) * (H[to] - H[from]);
    if (rise != 0) sign = rise > 0 ? 1 : -1;
    M[k] = device.magnetisation(elongation[k], sign, H[to] < H[from]);
  }
  for (std::size_t k = 1; k < last; ++k) {
    if (elongation[k] > elongation[k - 1] || elongation[k] > elongation[k + 1]) continue;
    const auto unevenness = [&](double here) { return std::abs(M[k + 1] - 2 * here + M[k - 1]); };
    if (unevenness(-M[k]) < unevenness(M[k])) M[k] = -M[k];
  }
  return M;
}

operator_fit fit_operator(const std::vector<double>& x, const std::vector<double>& y,
                          const model_type& start, int most_iterations) {
  if (x.size() != y.size() || x.size() < count + 1)
    throw error(
        fmt::format("there are {} inputs and {} outputs to fit: at least 8 of each are needed, and "
                    "equal numbers",
                    x.size(), y.size()));
  operator_fit result;
  parameters p = read(start);
  Eigen::VectorXd r = residuals(start, x, y);
  const auto rows = static_cast<double>(x.size());
  result.first_rms = std::sqrt(r.squaredNorm() / rows);
  double damping = 1e-3;
  for (; result.iterations < most_iterations; ++result.iterations) {
    Eigen::MatrixXd jacobian(r.size(), count);
    for (int i = 0; i < count; ++i) {
      parameters there = p, back = p;
      const double step = 1e-6 * (1 + std::abs(p[i]));
      there[i] += step;
      back[i] -= step;
      jacobian.col(i) =
          (residuals(with(start, there), x, y) - residuals(with(start, back), x, y)) / (2 * step);
    }
    const Eigen::MatrixXd normal = jacobian.transpose() * jacobian;
    const Eigen::VectorXd gradient = jacobian.transpose() * r;
    bool better = false;
    double change = 0;
    for (int attempt = 0; attempt < 20 && !better; ++attempt) {
      Eigen::MatrixXd damped = normal;
      damped.diagonal() +=
          damping * normal.diagonal() + Eigen::VectorXd::Constant(count, 1e-14 * normal.trace());
      const parameters step = -damped.ldlt().solve(gradient);
      const parameters next = p + step;
      const Eigen::VectorXd there = residuals(with(start, next), x, y);
      if (there.allFinite() && there.squaredNorm() < r.squaredNorm()) {
        change = step.cwiseAbs().maxCoeff();
        p = next;
        r = there;
        damping = std::max(damping / 5, 1e-12);
        better = true;
      } else {
        damping *= 4;
      }
    }
    if (!better || change < 1e-12) {
      result.converged = true;
      break;
    }
  }
  result.model = with(start, p);
  result.rms = std::sqrt(r.squaredNorm() / rows);
  return result;
}

// ---- the system ---------------------------------------------------------------------------------

namespace {

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
  actuator_system(any_model the_model, signal given)
      : model(std::move(the_model)), current(std::move(given)) {
    using units::metre;
    using units::one;
    card_.kind = "magnetostrictive_actuator";
    card_.models = {{"hysteresis", &model}};
    add_input("current", one, current, false);
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
  std::vector<const method_row*> methods() const override { return {&detail::advance_method}; }
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

void read_device(system_builder& b, magnetostrictive_actuator& device) {
  using units::metre;
  using units::one;
  b.optional("M_s", device.M_s, one, positive, "saturation of the magnetisation, in A/m");
  b.optional("L_rod", device.L_rod, metre, positive, "length of the rod");
  b.optional("c_0", device.c_0, one, any_value, "field per current, in 1/m");
  b.optional("lambda_s", device.lambda_s, one, positive, "saturation of the magnetostriction");
  b.optional("H_bias", device.H_bias, one, any_value, "field without current, in A/m");
  b.optional("b_1", device.b_1, one, any_value, "magnetostriction at M = 0 while the field rises");
  device.b_2 = device.b_1;
  b.optional("b_2", device.b_2, one, any_value, "magnetostriction at M = 0 while the field falls",
             "b_1");
  device.M_closed = device.M_s;
  b.optional("M_closed", device.M_closed, one, positive,
             "magnetisation at which both laws meet, in A/m", "M_s");
  if (!(device.a_2() > 0))
    b.refuse("b_2", "while the field falls the law would not rise with M: a_2 is not above 0");
}

std::shared_ptr<system> build(system_builder& b) {
  any_model hysteresis = b.root.model("hysteresis", "field to magnetisation, both in 1e4 A/m");
  signal current;
  b.root.required("current", current, units::one, "current through the coil, in A");
  auto result = std::make_shared<actuator_system>(std::move(hysteresis), std::move(current));
  read_device(b, result->device);
  if (!b.root.has("fit")) return result;

  key_builder fit = b.root.table(
      "fit", "fits the operator to the measured elongation, starting from these values",
      is_optional);
  if (result->model.key() != "generalised_prandtl_ishlinskii") {
    b.root.refuse("fit", "only model = \"generalised_prandtl_ishlinskii\" is fitted");
    result->model = any_model(find_model("generalised_prandtl_ishlinskii"));
  }
  result->show_fit();
  result->fit_rows = 1000;
  fit.required("until", result->fit_until, units::second, positive, "end of the record");
  fit.optional("rows", result->fit_rows, {10, 100000}, "number of rows of the record");
  play_model& start = result->fit_start;
  start.elements = static_cast<int>(result->model.get("elements").front());
  start.c_0 = result->model.get("c_0").front();
  for (const auto& each : fitted)
    fit.optional(each.name, start.*each.place, units::one, each.allowed,
                 "starting value of this parameter of the operator");
  fit.finish();
  return result;
}

}  // namespace

namespace detail {

extern const system_row magnetostrictive_actuator{
    .name = "magnetostrictive_actuator",
    .what = "current to length over a hysteresis operator, and back",
    .build = build};

}  // namespace detail

}  // namespace asperity
