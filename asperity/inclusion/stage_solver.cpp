// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/inclusion/stage_solver.hpp>
#include <cmath>
#include <utility>

namespace asperity {

namespace {

constexpr int most_iterations = 60;
constexpr int most_sweeps = 3000;
constexpr int sweeps_before_newton = 8;
constexpr double force_tolerance = 1e-13;
constexpr double state_tolerance = 1e-11;

reaction<double> law_of(const set_valued_term& t, double state, double limit, double h) {
  if (t.is_contact) return dai_contact<double>{t.K, t.beta, t.alpha}.react({{state}}, 1.0, h);
  return dai<double>{t.K, 1.0, t.beta}.react({{state}}, limit, h);
}

// What is said where a rate, or its slope, is not finite; nothing where all are.
std::string complaint_about_rates(const regularised& system, const frozen_forces::values& now,
                                  const frozen_forces::derivatives& by, double t) {
  const auto& states = system.source.states;
  for (int i = 0; i < system.user_states(); ++i) {
    const std::string& name = states[static_cast<std::size_t>(i)].name;
    if (!std::isfinite(now.phi[i]))
      return fmt::format("the rate of '{}' is not finite at t = {:g} s", name, t);
    for (int k = 0; k < system.user_states(); ++k)
      if (!std::isfinite(by.phi_x(i, k)))
        return fmt::format(
            "the rate of '{}' has no finite slope by '{}' at t = {:g} s, which an implicit step "
            "needs (sqrt, log and powers have none at 0): take dopri5 or rk4, or change the "
            "formula",
            name, states[static_cast<std::size_t>(k)].name, t);
  }
  return "";
}

}  // namespace

stage_solver::stage_solver(const regularised& system, frozen_forces parts)
    : system_(&system), frozen_(std::move(parts)), n_(system.user_states()), m_(system.forces) {
  lambda_ = column_of_reals::Zero(m_);
  u_ = u_free_ = column_of_reals::Zero(m_);
  x_ = step_ = free_ = column_of_reals::Zero(n_);
  pieces_ = table_of_reals::Zero(m_, m_);
  right_ = column_of_reals::Zero(m_);
  int next = 0;
  for (const auto& t : system.terms) factor_of_.push_back(t.is_contact ? -1 : next++);

  piece_.assign(system.terms.size(), 0);
  none_.assign(static_cast<std::size_t>(m_) + 1, 0.0);

  // Gaps must answer to impulses through their rate, and only through it.
  std::vector<double> x;
  for (const auto& each : system.source.states) x.push_back(each.initial);
  frozen_.differentiate(0, x.data(), none_.data(), now_, by_);
  for (const auto& t : system.terms)
    if (t.is_contact && by_.u_x.row(t.first_force).dot(by_.phi_l.col(t.first_force)) != 0)
      no_impulse_step_ = fmt::format(
          "the rate of the gap of '{}' jumps with its own force: it is not a gap of positions",
          t.name);
  if (!frozen_.is_affine_in_forces())
    no_impulse_step_ = "a rate is not linear in the set-valued forces";
}

double stage_solver::limit_of(std::size_t term) const {
  const int k = factor_of_[term];
  if (k < 0) return 0;
  return std::max(0.0, c_free_[k] + C_.row(k).dot(lambda_));
}

void stage_solver::local_force(std::size_t term, double h, const double* start, double limit,
                               double* force) {
  const set_valued_term& t = system_->terms[term];
  const int i = t.first_force;
  if (t.dimension() == 1) {
    const double mobility = -W_(i, i);
    const double alone = u_[i] + mobility * lambda_[i];  // the argument without this force
    force[0] = law_of(t, start[t.first_state], limit, h).solve(alone, mobility);
    return;
  }
  // Where the two directions are not equally heavy, the larger mobility makes a step that the next
  // sweep corrects.
  const Eigen::Matrix2d block = -W_.block<2, 2>(i, i);
  const double mean = 0.5 * (block(0, 0) + block(1, 1));
  const double mobility =
      mean + std::hypot(0.5 * (block(0, 0) - block(1, 1)), 0.5 * (block(0, 1) + block(1, 0)));
  const vec<double, 2> free{{u_[i] + mobility * lambda_[i], u_[i + 1] + mobility * lambda_[i + 1]}};
  const dai_vector<double, 2> law{t.K, 1.0, t.beta};
  const auto f =
      law.react({{start[t.first_state], start[t.first_state + 1]}}, free, mobility, limit, h);
  force[0] = f[0];
  force[1] = f[1];
}

// Which piece of its law each component is on makes the whole problem linear; solving it and
// looking again ends, as a rule after one or two rounds, in the exact solution.
bool stage_solver::newton_on_pieces(double h, const double* start) {
  for (const auto& t : system_->terms)
    if (t.dimension() != 1) return false;
  enum piece : int { below = -1, uncut = 0, above = 1 };
  const std::size_t count = system_->terms.size();
  std::vector<int>& chosen = piece_;
  std::fill(chosen.begin(), chosen.end(), 2);  // none of them yet
  for (int round = 0; round < 20; ++round) {
    bool changed = false;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& t = system_->terms[i];
      const int row = t.first_force;
      const reaction<double> law = law_of(t, start[t.first_state], limit_of(i), h);
      const double mobility = -W_(row, row);
      const double y = law.uncut(u_[row] + mobility * lambda_[row], mobility);
      const int now = y > law.upper ? above : y < law.lower ? below : uncut;
      changed = changed || now != chosen[i];
      chosen[i] = now;
      // uncut: softness y - slope (u_free + W y) = offset; cut: y = bound.
      pieces_.row(row).setZero();
      if (now == uncut) {
        pieces_.row(row) = -law.slope * W_.row(row);
        pieces_(row, row) += law.softness;
        right_[row] = law.offset + law.slope * u_free_[row];
      } else if (t.is_contact) {
        pieces_(row, row) = 1;
        right_[row] = 0;
      } else {
        const int k = factor_of_[i];
        pieces_.row(row) = -static_cast<double>(now) * C_.row(k);
        pieces_(row, row) += 1;
        right_[row] = now * c_free_[k];
      }
    }
    if (!changed) return true;
    const column_of_reals solution = pieces_.partialPivLu().solve(right_);
    if (!solution.allFinite()) return false;
    lambda_ = solution;
    u_ = u_free_ + W_ * lambda_;
  }
  return false;
}

void stage_solver::sweep_until_done(double h, const double* start) {
  const std::size_t count = system_->terms.size();
  const auto sweep = [&] {
    // Afresh each time: the rounding of forces that were large at first must not stay.
    u_ = u_free_ + W_ * lambda_;
    double change = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& t = system_->terms[i];
      double force[2] = {};
      local_force(i, h, start, limit_of(i), force);
      for (int k = 0; k < t.dimension(); ++k) {
        const int at = t.first_force + k;
        const double delta = force[k] - lambda_[at];
        if (delta == 0) continue;
        lambda_[at] = force[k];
        u_ += delta * W_.col(at);
        change = std::max(change, std::abs(delta));
      }
    }
    ++report_.sweeps;
    const double largest = lambda_.cwiseAbs().maxCoeff();
    report_.residual = largest > 0 ? change / largest : change;
    return !(report_.residual > force_tolerance);
  };
  for (int i = 0; i < most_sweeps; ++i) {
    if (sweep()) {
      if (!std::isfinite(report_.residual)) report_.converged = false;
      return;
    }
    if (i % sweeps_before_newton != sweeps_before_newton - 1) continue;
    const column_of_reals before = lambda_;
    if (!newton_on_pieces(h, start)) lambda_ = before;
  }
  report_.converged = false;
}

void stage_solver::factorise(double h) {
  if (frozen_.is_linear() && factorised_for_ == h) return;
  lu_.compute(table_of_reals::Identity(n_, n_) - h * by_.phi_x);
  push_ = h * lu_.solve(by_.phi_l);
  W_ = by_.u_x * push_;
  C_ = by_.chi_l + by_.chi_x * push_;
  factorised_for_ = h;
}

const stage_solver::report& stage_solver::solve(double t, double h, const double* start,
                                                double* y) {
  report_ = {};
  x_ = Eigen::Map<const column_of_reals>(start, n_);
  const bool linear = frozen_.is_linear();
  for (int i = 0; i < most_iterations; ++i) {
    ++report_.iterations;
    if (linear && differentiated_) {
      frozen_.evaluate(t, x_.data(), lambda_.data(), now_);
    } else {
      frozen_.differentiate(t, x_.data(), lambda_.data(), now_, by_);
      differentiated_ = true;
    }
    factorise(h);
    // What the states and arguments would be without any set-valued force.
    free_ =
        Eigen::Map<const column_of_reals>(start, n_) - x_ + h * (now_.phi - by_.phi_l * lambda_);
    free_ = lu_.solve(free_);
    if (m_ > 0) {
      u_free_ = now_.u + by_.u_x * free_;
      c_free_ = now_.chi - by_.chi_l * lambda_ + by_.chi_x * free_;
      sweep_until_done(h, start);
      if (!report_.converged) break;
      step_ = free_ + push_ * lambda_;
    } else {
      step_ = free_;
    }
    // Forces are exact to about their tolerance, so states are to what that moves them.
    double worst = 0;
    for (int k = 0; k < n_; ++k) {
      double size =
          std::max({std::abs(x_[k] + step_[k]), std::abs(start[k]), std::abs(h * now_.phi[k])});
      for (int f = 0; f < m_; ++f) size += std::abs(push_(k, f) * lambda_[f]);
      worst = std::max(worst, (std::abs(step_[k]) - 1e-16) / (state_tolerance * size + 1e-300));
    }
    x_ += step_;
    // `worst` does not show what is not a number.
    if (!x_.allFinite() && !complaint_about_rates(*system_, now_, by_, t).empty())
      report_.converged = false;
    if (!report_.converged || linear || worst <= 1) break;
    if (!x_.allFinite() || i == most_iterations - 1) report_.converged = false;
    if (!report_.converged) break;
  }

  for (std::size_t i = 0; report_.converged && i < system_->terms.size(); ++i) {
    const auto& term = system_->terms[i];
    const int k = factor_of_[i];
    if (k < 0) continue;
    const double factor = c_free_[k] + C_.row(k).dot(lambda_);
    if (factor < -1e-9 * (1 + std::abs(lambda_[term.first_force]))) {
      report_.converged = false;
      report_.complaint = term.complaint_about_factor(factor, t);
    }
  }
  if (!report_.converged) {
    if (report_.complaint.empty())
      report_.complaint = complaint_about_rates(*system_, now_, by_, t);
    if (report_.complaint.empty())
      report_.complaint = fmt::format(
          "the forces of an implicit step did not settle at t = {:g} s (h = {:g} s, residual {:g} "
          "after {} sweeps)",
          t, h, report_.residual, report_.sweeps);
    for (int k = 0; k < system_->states; ++k) y[k] = __builtin_nan("");
    lambda_.setZero();
    return report_;
  }
  for (const auto& term : system_->terms) {
    const int s = term.first_state, f = term.first_force;
    if (term.dimension() == 2) {
      const auto a = dai_vector<double, 2>{term.K, 1.0, term.beta}.settle(
          {{start[s], start[s + 1]}}, {{lambda_[f], lambda_[f + 1]}}, h);
      y[s] = a[0];
      y[s + 1] = a[1];
    } else if (term.is_contact) {
      y[s] =
          dai_contact<double>{term.K, term.beta, term.alpha}.settle({{start[s]}}, lambda_[f], h)[0];
    } else {
      y[s] = dai<double>{term.K, 1.0, term.beta}.settle({{start[s]}}, lambda_[f], h)[0];
    }
  }
  for (int k = 0; k < n_; ++k) y[k] = x_[k];
  return report_;
}

// ---- hard constraints ---------------------------------------------------------------------------
// Over a step, x+ - x = h phi_0((x + x+)/2) + B P with impulses P. A contact whose gap is closed,
// or closes within half a step at the present speed, has 0 <= P, 0 <= g+ + e g-, P (g+ + e g-) = 0
// with the rates g of its gap; friction has |P| <= h chi, with P_N in place of h N, and opposes the
// velocity at the end of the step.

const stage_solver::report& stage_solver::impulse_step(double t, double h,
                                                       const std::vector<double>& restitution,
                                                       double* y) {
  report_ = {};
  const column_of_reals x0 = Eigen::Map<const column_of_reals>(y, n_);
  frozen_.differentiate_motion(t, y, motion_);
  const column_of_reals gap_rate = motion_.u_rate;
  frozen_.evaluate(t, y, none_.data(), now_);
  const column_of_reals gap = now_.u;

  column_of_reals P = column_of_reals::Zero(m_), x1 = x0;
  table_of_reals B;
  for (int i = 0; i < most_iterations; ++i) {
    ++report_.iterations;
    const column_of_reals middle = 0.5 * (x0 + x1);
    frozen_.differentiate(t + 0.5 * h, middle.data(), none_.data(), now_, by_);
    B = by_.phi_l;
    lu_.compute(table_of_reals::Identity(n_, n_) - 0.5 * h * by_.phi_x);
    factorised_for_ = -1;
    differentiated_ = false;
    const column_of_reals free = x1 + lu_.solve(x0 - x1 + h * now_.phi);
    const table_of_reals push = lu_.solve(B);

    // Arguments at the end: rates of gaps, velocities of friction, linear in P.
    frozen_.differentiate_motion(t + h, x1.data(), motion_);
    frozen_forces::values end;
    frozen_forces::derivatives end_by;
    frozen_.differentiate(t + h, x1.data(), none_.data(), end, end_by);
    table_of_reals G(m_, n_);
    column_of_reals u0(m_);
    for (const auto& term : system_->terms)
      for (int k = 0; k < term.dimension(); ++k) {
        const int f = term.first_force + k;
        G.row(f) = term.is_contact ? motion_.u_rate_x.row(f) : end_by.u_x.row(f);
        u0[f] = term.is_contact ? motion_.u_rate[f] : end.u[f];
      }
    const column_of_reals u_free = u0 + G * (free - x1);
    const table_of_reals W = G * push;

    double change = 0;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      ++report_.sweeps;
      change = 0;
      std::size_t contact = 0;
      for (std::size_t j = 0; j < system_->terms.size(); ++j) {
        const auto& term = system_->terms[j];
        const int f = term.first_force;
        column_of_reals u = u_free + W * P;
        if (term.is_contact) {
          const double e = restitution[contact++];
          const bool closed = gap[f] + 0.5 * h * gap_rate[f] <= 0;
          const double wanted = -e * std::min(0.0, gap_rate[f]);  // least rate afterwards
          const double next =
              closed ? std::max(0.0, P[f] + (wanted - u[f]) / std::max(W(f, f), 1e-300)) : 0.0;
          change = std::max(change, std::abs(next - P[f]));
          P[f] = next;
          continue;
        }
        const int k = factor_of_[j];
        // h chi, where contact forces inside chi come as impulses over h.
        const column_of_reals mean_force = P / h;
        const double limit = h * std::max(0.0, end.chi[k] + end_by.chi_l.row(k).dot(mean_force));
        const int d = term.dimension();
        double mobility = 0;
        for (int a = 0; a < d; ++a)
          mobility = std::max(mobility, -W.block(f, f, d, d).row(a).sum());
        for (int a = 0; a < d; ++a) mobility = std::max(mobility, -W(f + a, f + a));
        if (mobility <= 0) continue;
        if (d == 1) {
          const double next = math::sat(limit, P[f] + u[f] / mobility);
          change = std::max(change, std::abs(next - P[f]));
          P[f] = next;
        } else {
          const auto next =
              sat(limit, vec<double, 2>{{P[f] + u[f] / mobility, P[f + 1] + u[f + 1] / mobility}});
          for (int a = 0; a < 2; ++a) {
            change = std::max(change, std::abs(next[a] - P[f + a]));
            P[f + a] = next[a];
          }
        }
      }
      const double largest = m_ > 0 ? P.cwiseAbs().maxCoeff() : 0;
      report_.residual = largest > 0 ? change / largest : change;
      if (report_.residual <= force_tolerance) break;
    }
    report_.complaint.clear();
    for (std::size_t j = 0; j < system_->terms.size(); ++j) {
      const int k = factor_of_[j];
      if (k < 0) continue;
      const double factor = end.chi[k] + end_by.chi_l.row(k).dot(P) / h;
      if (factor < -1e-9 * (1 + std::abs(P[system_->terms[j].first_force]) / h))
        report_.complaint = system_->terms[j].complaint_about_factor(factor, t + h);
    }
    const column_of_reals next = free + push * P;
    const double moved = (next - x1).cwiseAbs().maxCoeff();
    const double size = std::max(next.cwiseAbs().maxCoeff(), 1e-12);
    x1 = next;
    if (!x1.allFinite()) break;
    if (frozen_.is_linear() || moved <= 1e-12 * size) break;
    if (i == most_iterations - 1) report_.converged = false;
  }
  report_.converged = report_.converged && x1.allFinite() && report_.residual <= 1e-6;
  if (!report_.complaint.empty())
    report_.converged = false;
  else if (!report_.converged)
    report_.complaint = fmt::format(
        "the impulses of a Moreau-Jean step did not settle at t = {:g} s (residual {:g} after {} "
        "sweeps)",
        t, report_.residual, report_.sweeps);
  for (int k = 0; k < n_; ++k) y[k] = report_.converged ? x1[k] : __builtin_nan("");
  lambda_ = P / h;
  return report_;
}

}  // namespace asperity
