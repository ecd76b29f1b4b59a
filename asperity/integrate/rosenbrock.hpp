// SPDX-License-Identifier: Apache-2.0
#pragma once

// An adaptive method for small stiff systems without a closed-form step: Rodas of Hairer and Wanner
// (Solving Ordinary Differential Equations II, IV.7; their code RODAS). Order 4 with an estimate of
// order 3, L-stable and stiffly accurate, six stages that share one factorised matrix, dense output
// of order 3. No iteration, so nothing that could fail to converge; no allocation.
//
// It needs the Jacobian, which dual numbers give exactly:
//
//   void linearise(double t, double beside, const double* y, double* rate, double* rate_t,
//                  double* jacobian, int stride) const;
//
// rate_t is the partial derivative by time, jacobian[i * stride + j] that of rate i by y_j.
// `beside` is an instant near t between the same jumps of the inputs, for those who take
// differences.
//
// Friction has kinks, and no method keeps its order across one. Where the system says where they
// are, by a function that is zero there,
//
//   double kink(double t, const double* y) const;
//
// a step that would cross one is taken again, to end just behind it.

#include <asperity/integrate/stepper.hpp>
#include <asperity/scalar/dual.hpp>

namespace asperity {

template <class System>
concept differentiable_system = ode_system<System> &&
    requires(const System& system, double t, const double* y, double* out) {
  system.linearise(t, t, y, out, out, out, 1);
};

template <class System>
concept kinked_system = requires(const System& system, double t, const double* y) {
  { system.kink(t, y) } -> std::convertible_to<double>;
};

// The derivatives of n states of a system in dual numbers, in as few passes as the dual has room
// for. With a dual of n + 1 derivatives it is one.
template <class Dual, class DualSystem>
void linearise_in_dual(const DualSystem& in_dual, int n, double t, const double* y, double* rate,
                       double* rate_t, double* jacobian, int stride) {
  constexpr int width = static_cast<int>(std::extent_v<decltype(Dual::derivative)>);
  const int variables = n + 1;  // time last
  Dual seeded[DualSystem::capacity], answer[DualSystem::capacity];
  for (int first = 0; first < variables; first += width) {
    for (int j = 0; j < n; ++j)
      seeded[j] = j >= first && j < first + width ? Dual::variable(y[j], j - first) : Dual(y[j]);
    const Dual now = n >= first && n < first + width ? Dual::variable(t, n - first) : Dual(t);
    in_dual.rates(now, seeded, answer);
    for (int i = 0; i < n; ++i) {
      rate[i] = answer[i].value;
      for (int k = 0; k < width && first + k < variables; ++k)
        (first + k == n ? rate_t[i] : jacobian[i * stride + first + k]) = answer[i].derivative[k];
    }
  }
}

// A system and the same system in dual numbers.
template <class System, class Dual, class DualSystem>
struct differentiated {
  System plain;
  DualSystem in_dual;

  static constexpr int capacity = System::capacity;
  int size() const { return plain.size(); }
  void rates(double t, const double* y, double* rate) const { plain.rates(t, y, rate); }

  double kink(double t, const double* y) const requires kinked_system<System> {
    return plain.kink(t, y);
  }

  void linearise(double t, double /*beside*/, const double* y, double* rate, double* rate_t,
                 double* jacobian, int stride) const {
    linearise_in_dual<Dual>(in_dual, size(), t, y, rate, rate_t, jacobian, stride);
  }
};

// Derivatives by differences, for systems put together at run time. `scale` holds the typical size
// of each state that a rate depends on: the first `depended_on`, and integrals after them.
template <class System>
struct differenced {
  const System& plain;
  std::array<double, System::capacity> scale{};
  int depended_on = plain.size();

  static constexpr int capacity = System::capacity;
  int size() const { return plain.size(); }
  int compared() const { return detail::compared_states(plain); }
  void rates(double t, const double* y, double* rate) const { plain.rates(t, y, rate); }
  double kink(double t, const double* y) const requires kinked_system<System> {
    return plain.kink(t, y);
  }

  void linearise(double t, double beside, const double* y, double* rate, double* rate_t,
                 double* jacobian, int stride) const {
    constexpr double small = 1.5e-8;  // root of the rounding of a double
    const int n = size();
    double moved[capacity], there[capacity];
    plain.rates(t, y, rate);
    std::copy_n(y, n, moved);
    for (int i = 0; i < n; ++i)
      for (int j = depended_on; j < n; ++j) jacobian[i * stride + j] = 0;
    for (int j = 0; j < depended_on; ++j) {
      // Away from zero: across it, friction has a kink.
      const double size_j = std::max(std::abs(y[j]), scale[static_cast<std::size_t>(j)]);
      moved[j] = y[j] + std::copysign(small * size_j, y[j]);
      const double step = moved[j] - y[j];
      plain.rates(t, moved, there);
      for (int i = 0; i < n; ++i) jacobian[i * stride + j] = (there[i] - rate[i]) / step;
      moved[j] = y[j];
    }
    plain.rates(beside, y, there);
    for (int i = 0; i < n; ++i) rate_t[i] = (there[i] - rate[i]) / (beside - t);
  }
};

namespace detail {

// A square matrix as its triangular factors, rows exchanged for the largest pivot.
template <int N>
class factorised {
 public:
  // False where it is singular or not finite.
  bool factorise(int n, const double (&matrix)[N * N]) {
    for (int i = 0; i < n; ++i) {
      order_[i] = i;
      for (int j = 0; j < n; ++j) lu_[i * N + j] = matrix[i * N + j];
    }
    for (int k = 0; k < n; ++k) {
      int best = k;
      for (int i = k + 1; i < n; ++i)
        if (std::abs(lu_[i * N + k]) > std::abs(lu_[best * N + k])) best = i;
      const double pivot = lu_[best * N + k];
      if (!(std::abs(pivot) > 0) || !std::isfinite(pivot)) return false;
      if (best != k) {
        std::swap(order_[k], order_[best]);
        for (int j = 0; j < n; ++j) std::swap(lu_[k * N + j], lu_[best * N + j]);
      }
      inverse_[k] = 1 / pivot;
      for (int i = k + 1; i < n; ++i) {
        const double factor = lu_[i * N + k] * inverse_[k];
        lu_[i * N + k] = factor;
        for (int j = k + 1; j < n; ++j) lu_[i * N + j] -= factor * lu_[k * N + j];
      }
    }
    return true;
  }

  void solve(int n, const double* right, double* x) const {
    for (int i = 0; i < n; ++i) {
      double sum = right[order_[i]];
      for (int j = 0; j < i; ++j) sum -= lu_[i * N + j] * x[j];
      x[i] = sum;
    }
    for (int i = n - 1; i >= 0; --i) {
      double sum = x[i];
      for (int j = i + 1; j < n; ++j) sum -= lu_[i * N + j] * x[j];
      x[i] = sum * inverse_[i];
    }
  }

 private:
  double lu_[N * N] = {}, inverse_[N] = {};
  int order_[N] = {};
};

// Coefficients of RODAS in the form that needs no product with the Jacobian; stages from 0.
struct rodas {
  static constexpr double gamma = 0.25;
  static constexpr double c[6] = {0, 0.386, 0.21, 0.63, 1, 1};
  static constexpr double d[6] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
  // The last stages are the fifth state with all increments added so far.
  static constexpr double a[6][5] = {
      {},
      {1.544},
      {0.9466785280815826, 0.2557011698983284},
      {3.314825187068521, 2.896124015972201, 0.9986419139977817},
      {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
      {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}};
  static constexpr double b[6][5] = {
      {},
      {-5.6688},
      {-2.430093356833875, -0.2063599157091915},
      {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
      {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
      {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
       -6.058818238834054}};
  static constexpr double dense[2][5] = {{10.12623508344586, -7.487995877610167, -34.80091861555747,
                                          -7.992771707568823, 1.025137723295662},
                                         {-0.6762803392801253, 6.087714651680015, 16.43084320892478,
                                          24.76722511418386, -6.594389125716872}};
};

// The increments `u` of the stages of one step, and the last stage: y(t + h) is that and u[5], which
// is also the estimate of the error. `factors` are those of 1/(gamma h) less the Jacobian, of
// `states` of the n: no rate depends on the others, such as the flows of an audit, which follow from
// the states of a stage. Inputs are not asked for later than `latest`.
template <int N, class System>
void rodas_stages(const System& system, int n, int states, double t, double h, double latest,
                  const double* y0, const double* rate0, const double* rate_t,
                  const double* jacobian, const factorised<N>& factors, double (&u)[6][N],
                  double (&stage)[N]) {
  double rate[System::capacity], right[N];
  const double per_step = 1 / h;
  for (int s = 0; s < 6; ++s) {
    const double* f = rate0;
    if (s > 0) {
      for (int i = 0; i < n; ++i) {
        double sum = y0[i];
        for (int j = 0; j < s; ++j) sum += rodas::a[s][j] * u[j][i];
        stage[i] = sum;
      }
      system.rates(std::min(t + rodas::c[s] * h, latest), stage, rate);
      f = rate;
    }
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < s; ++j) sum += rodas::b[s][j] * u[j][i];
      right[i] = f[i] + per_step * sum + h * rodas::d[s] * rate_t[i];
    }
    factors.solve(states, right, u[s]);
    for (int i = states; i < n; ++i) {
      double sum = right[i];
      for (int j = 0; j < states; ++j) sum += jacobian[i * N + j] * u[s][j];
      u[s][i] = rodas::gamma * h * sum;
    }
  }
}

// One step by itself, which takes n states and flows from y to their values at t + h. False where
// there is none.
template <int N, class System>
bool rodas_step(const System& system, int n, int states, double t, double h, double* y) {
  double rate[System::capacity], rate_t[System::capacity], jacobian[N * N], matrix[N * N];
  system.linearise(t, t + 1e-5 * h, y, rate, rate_t, jacobian, N);
  for (int i = 0; i < states; ++i)
    for (int j = 0; j < states; ++j)
      matrix[i * N + j] = (i == j ? 1 / (rodas::gamma * h) : 0.0) - jacobian[i * N + j];
  factorised<N> factors;
  if (!factors.factorise(states, matrix)) return false;
  double u[6][N], stage[N] = {};
  rodas_stages<N>(system, n, states, t, h, t + h, y, rate, rate_t, jacobian, factors, u, stage);
  for (int i = 0; i < n; ++i) y[i] = stage[i] + u[5][i];
  return true;
}

}  // namespace detail

template <differentiable_system System>
class rosenbrock_stepper {
 public:
  static constexpr int N = System::capacity;

  rosenbrock_stepper(const System& system, const tolerances& wanted, double first_step,
                     double longest_step)
      : system_(system), wanted_(wanted), control_({4, 5, 0.9, 0.1}, first_step, longest_step) {}

  void start(double t, const double* y) {
    t0_ = t1_ = t;
    known_ = 0;
    std::copy_n(y, system_.size(), y1_);
  }

  outcome step(double limit, double latest) {
    const int n = detail::size_of(system_);
    t0_ = t1_;
    latest_ = latest;
    for (int i = 0; i < n; ++i) y0_[i] = y1_[i];
    linearise(latest);
    const double now = kink_at(t0_, latest, y0_);
    const double behind = -1e-3 * now;  // where a step that crosses the kink should end
    double crossing = expected_crossing(now, behind);
    int cuts = 0;
    bool was_finite = true;
    for (int attempt = 0; attempt < 60; ++attempt) {
      const auto [h, last] = control_.next(t0_, limit, crossing);
      const double worst = try_step(n, h, latest);
      was_finite = std::isfinite(worst);
      const double then = was_finite ? kink_at(t0_ + h, latest, y1_) : now;
      if (now * then < 0 && std::abs(then) > 2 * std::abs(behind) && cuts < 8) {
        crossing = crossing_inside(h, latest, now, then, behind);
        ++cuts;
        control_.reject();
        continue;
      }
      if (control_.take(t0_, h, worst, last || h >= crossing)) {
        t1_ = last ? limit : t0_ + h;
        missed_ = h >= crossing && now * then > 0 ? missed_ + 1 : 0;
        // Crossings that do not come were read off steps far too long to say anything.
        if (missed_ > 3) control_.plan(std::min(control_.planned(), 4 * h));
        remember_kink(now, now * then < 0);
        return outcome::completed;
      }
      if (detail::step_control::is_shortest(t0_, h)) break;
    }
    return was_finite ? outcome::step_too_small : outcome::not_finite;
  }

  double t() const { return t1_; }
  double before() const { return t0_; }
  const double* y() const { return y1_; }
  void at(double t, double* out) const {
    if (t <= t0_) {
      std::copy_n(y0_, system_.size(), out);
    } else {
      interpolate(t >= t1_ ? 1 : (t - t0_) / (t1_ - t0_), out);
    }
  }
  // Interpolation between the ends of a step sees a kink inside it from both sides.
  void again(double t, double* out) {
    if (t <= t0_ || t >= t1_) return at(t, out);
    double y1[N], bend[2][N];
    std::copy_n(y1_, N, y1);
    std::copy_n(&bend_[0][0], 2 * N, &bend[0][0]);
    try_step(system_.size(), t - t0_, latest_);
    std::copy_n(y1_, system_.size(), out);
    std::copy_n(y1, N, y1_);
    std::copy_n(&bend[0][0], 2 * N, &bend_[0][0]);
  }
  long evaluations() const { return evaluations_; }
  long rejected() const { return control_.rejected(); }

  double planned() const { return control_.planned(); }
  void plan(double h) { control_.plan(h); }
  const double* trial(double h, double latest) {
    const int n = detail::size_of(system_);
    std::copy_n(y1_, n, y0_);
    t0_ = t1_;
    linearise(latest);
    const double now = kink_at(t0_, latest, y0_), worst = try_step(n, h, latest);
    std::swap_ranges(y1_, y1_ + n, tried_);
    std::copy_n(y0_, n, y1_);
    // Beyond a kink the Jacobian is another.
    const bool is_fine = worst <= 1 && now * kink_at(t0_ + h, latest, tried_) > 0;
    return is_fine ? tried_ : nullptr;
  }
  bool leap(double h, double latest) {
    const int n = detail::size_of(system_);
    std::copy_n(y1_, n, y0_);
    t0_ = t1_;
    latest_ = latest;
    known_ = 0;
    linearise(latest);
    (void)try_step(n, h, latest);
    t1_ = t0_ + h;
    return detail::all_finite(y1_, n);
  }

 private:
  // Derivatives at the start of a step; those by time by differences inside it, where need be.
  void linearise(double latest) {
    const double t = std::min(t0_, latest);
    const double shift =
        std::max(1e-5 * std::min(control_.planned(), control_.longest()), 1e-12 * std::abs(t));
    system_.linearise(t, t + shift < latest ? t + shift : t - shift, y0_, rate_, rate_t_, jacobian_,
                      N);
    ++evaluations_;
  }

  // The state at the share s of the step.
  void interpolate(double s, double* out) const {
    const int n = system_.size();
    const double rest = 1 - s;
    for (int i = 0; i < n; ++i)
      out[i] = y0_[i] * rest + s * (y1_[i] + rest * (bend_[0][i] + s * bend_[1][i]));
  }

  double kink_at(double t, double latest, const double* y) const {
    if constexpr (kinked_system<System>) {
      return system_.kink(std::min(t, latest), y);
    } else {
      return 1;
    }
  }

  // The length of step after which the kink function will be `wanted`, from its last three values.
  // The values alone: a rate would show what is left of fast modes.
  double expected_crossing(double now, double wanted) const {
    if (known_ < 2 || missed_ > 3) return HUGE_VAL;
    // In Newton's form, with times relative to now.
    const double t1 = earlier_t_[0] - t0_, t2 = earlier_t_[1] - t0_;
    const double first = (earlier_[0] - now) / t1;
    const double second = ((earlier_[1] - now) / t2 - first) / (t2 - t1);
    const double b = first - second * t1, c = now - wanted;  // c + b s + second s^2 = 0
    const double root = b * b - 4 * second * c;
    if (!(root > 0)) return HUGE_VAL;
    const double q = -0.5 * (b + std::copysign(std::sqrt(root), b));
    const double one = q / second, other = c / q;
    const double low = std::min(one, other), high = std::max(one, other);
    const double s = low > 0 ? low : high;
    return s > 0 ? s : HUGE_VAL;
  }

  void remember_kink(double now, bool crossed) {
    if constexpr (kinked_system<System>) {
      earlier_t_[1] = earlier_t_[0];
      earlier_[1] = earlier_[0];
      earlier_t_[0] = t0_;
      earlier_[0] = now;
      known_ = crossed ? 0 : std::min(known_ + 1, 2);
    }
  }

  // The length of step at which the kink function is `wanted`, between its values at both ends.
  double crossing_inside(double h, double latest, double at_start, double at_end,
                         double wanted) const {
    double a = 0, b = 1, ga = at_start - wanted, gb = at_end - wanted, y[N];
    for (int round = 0; round < 20; ++round) {  // false position, the idle end halved (Illinois)
      const double s = b - gb * (b - a) / (gb - ga);
      interpolate(s, y);
      const double g = kink_at(t0_ + s * h, latest, y) - wanted;
      if (std::abs(g) <= 0.2 * std::abs(wanted)) return s * h;
      if (g * gb < 0) {
        a = b;
        ga = gb;
      } else {
        ga *= 0.5;
      }
      b = s;
      gb = g;
    }
    return b * h;
  }

  // Takes y0 to y1; the worst error in units of what is allowed.
  double try_step(int n, double h, double latest) {
    using method = detail::rodas;
    double matrix[N * N];
    const double diagonal = 1 / (method::gamma * h);
    const int states = detail::compared_states(system_);
    for (int i = 0; i < states; ++i)
      for (int j = 0; j < states; ++j)
        matrix[i * N + j] = (i == j ? diagonal : 0.0) - jacobian_[i * N + j];
    if (!factors_.factorise(states, matrix)) return HUGE_VAL;

    double u[6][N], stage[N] = {};
    detail::rodas_stages<N>(system_, n, states, t0_, h, latest, y0_, rate_, rate_t_, jacobian_,
                            factors_, u, stage);
    evaluations_ += 5;

    double worst = 0;
    for (int i = 0; i < n; ++i) {
      y1_[i] = stage[i] + u[5][i];
      if (i < states) {
        const auto state = static_cast<std::size_t>(i);
        const double e = std::abs(u[5][i]) / detail::allowed_error(wanted_, state, y0_[i], y1_[i]);
        if (!(e <= worst)) worst = e;  // a NaN is the worst of all
      }
      for (int k = 0; k < 2; ++k) {
        double sum = 0;
        for (int j = 0; j < 5; ++j) sum += method::dense[k][j] * u[j][i];
        bend_[k][i] = sum;
      }
    }
    return worst;
  }

  const System& system_;
  tolerances wanted_;
  double t0_ = 0, t1_ = 0, latest_ = 0;
  detail::step_control control_;
  long evaluations_ = 0;
  double y0_[N] = {}, y1_[N] = {}, tried_[N] = {}, rate_[N] = {}, rate_t_[N] = {}, bend_[2][N] = {};
  double jacobian_[N * N] = {};
  // Values of the kink function at the last two steps' starts, where they are known.
  double earlier_t_[2] = {}, earlier_[2] = {};
  int known_ = 0, missed_ = 0;  // values, and crossings that were expected in the last steps
  detail::factorised<N> factors_;
};

}  // namespace asperity
