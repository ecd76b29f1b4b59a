// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/identify/least_squares.hpp>
#include <cmath>

#ifdef ASPERITY_WITH_CERES
#include <ceres/ceres.h>
#endif

namespace asperity {

using ending = least_squares_result::ending;

// Rows join the triangle a few at a time, so that what is worked on stays in the cache.
Eigen::MatrixXd triangle_of(const row_matrix& jacobian, const Eigen::VectorXd& r) {
  const Eigen::Index n = jacobian.cols() + 1, at_once = std::max<Eigen::Index>(3 * n, 48);
  Eigen::MatrixXd work = Eigen::MatrixXd::Zero(n + at_once, n);
  Eigen::VectorXd head(n), temporary(n);
  for (Eigen::Index begin = 0; begin < jacobian.rows(); begin += at_once) {
    const Eigen::Index count = std::min(at_once, jacobian.rows() - begin);
    work.block(n, 0, count, n - 1) = jacobian.middleRows(begin, count);
    work.block(n, n - 1, count, 1) = r.segment(begin, count);
    // A reflection for each column: of the triangle it touches the diagonal alone.
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto below = work.block(n, k, count, 1);
      const double squares = below.squaredNorm(), diagonal = work(k, k);
      if (squares < 1e-280) continue;  // an unknown without influence; its square would underflow
      const double size = std::sqrt(diagonal * diagonal + squares);
      const double end = diagonal > 0 ? -size : size, first = diagonal - end;
      const double share = 2 / (first * first + squares);
      work(k, k) = end;
      for (Eigen::Index c = k + 1; c < n; ++c) {
        auto column = work.block(n, c, count, 1);
        const double along = share * (first * work(k, c) + below.col(0).dot(column.col(0)));
        work(k, c) -= along * first;
        column -= along * below;
      }
    }
  }
  return work.topRows(n);
}

namespace {

// A damped step inside the box. Unknowns on a bound that the gradient presses against are left out.
Eigen::VectorXd damped_step(const least_squares_problem& p, const Eigen::VectorXd& u,
                            const Eigen::VectorXd& gradient, const Eigen::MatrixXd& normal,
                            double damping) {
  const Eigen::Index n = u.size();
  Eigen::MatrixXd a = normal;
  Eigen::VectorXd b = -gradient;
  for (Eigen::Index i = 0; i < n; ++i) {
    a(i, i) += damping * std::max(normal(i, i), 1e-12 * normal.diagonal().maxCoeff());
    const bool is_held =
        (u[i] <= p.lower[i] && gradient[i] > 0) || (u[i] >= p.upper[i] && gradient[i] < 0);
    if (!is_held) continue;
    a.row(i).setZero();
    a.col(i).setZero();
    a(i, i) = 1;
    b[i] = 0;
  }
  return (u + a.ldlt().solve(b)).cwiseMax(p.lower).cwiseMin(p.upper) - u;
}

}  // namespace

least_squares_result solve_by_secants(const least_squares_problem& p, const Eigen::VectorXd& start,
                                      row_matrix& slopes) {
  least_squares_result found;
  found.u = start.cwiseMax(p.lower).cwiseMin(p.upper);
  const Eigen::Index n = start.size();
  Eigen::VectorXd r(p.residuals), trial_r(p.residuals);
  bool is_new = slopes.cols() != n || slopes.rows() != p.residuals;
  if (is_new) slopes.resize(p.residuals, n);
  if (!p.evaluate(found.u, r, is_new ? &slopes : nullptr)) return found;
  found.cost = r.squaredNorm() / 2;
  found.how = ending::iteration_limit;
  double damping = 1e-6;
  // The slopes there. False: it ends.
  const auto renew = [&] {
    if (!p.evaluate(found.u, r, &slopes)) return false;
    is_new = true;
    return true;
  };
  int refused = 0;
  while (found.iterations < p.max_iterations) {
    ++found.iterations;
    if (p.stops && p.stops()) {
      found.how = ending::stopped;
      return found;
    }
    const Eigen::VectorXd gradient = slopes.transpose() * r;
    const Eigen::MatrixXd normal = slopes.transpose() * slopes;
    const auto promise_of = [&](const Eigen::VectorXd& step) {
      return -step.dot(gradient + normal * step / 2);
    };
    const Eigen::VectorXd step = damped_step(p, found.u, gradient, normal, damping);
    const double promised = promise_of(step);
    // Slopes that overflow do not say where to go, nor that it is at its end.
    if (is_new && !std::isfinite(promised)) return found;
    // A step that the box cuts may lead upwards, which a shorter one does not.
    if (promised < -p.tolerance * found.cost && refused <= 12) {
      ++refused;
      damping = std::max(damping * 8, 1e-4);
      continue;
    }
    // A short step promises little because it is short.
    const double at_most =
        promise_of(damped_step(p, found.u, gradient, normal, std::min(damping, 1e-6)));
    if (!step.allFinite() || !(std::max(promised, at_most) > p.tolerance * found.cost) ||
        step.norm() < 1e-10 * (1 + found.u.norm())) {
      if (is_new) {
        found.how = ending::converged;
        return found;
      }
      if (!renew()) return found;
      continue;
    }
    const Eigen::VectorXd trial = (found.u + step).cwiseMax(p.lower).cwiseMin(p.upper);
    const bool has_value = p.evaluate(trial, trial_r, nullptr) && trial_r.allFinite();
    const double trial_cost = trial_r.squaredNorm() / 2;
    const double gain = has_value ? found.cost - trial_cost : -found.cost;
    const bool was_new = is_new;
    if (has_value && (gain > 0 || !was_new)) {
      slopes += (trial_r - r - slopes * step) * (step / step.squaredNorm()).transpose();
      is_new = false;
    }
    if (gain > 0) {
      found.u = trial;
      r.swap(trial_r);
      found.cost = trial_cost;
      refused = 0;
      damping = gain > 0.75 * promised   ? std::max(damping / 10, 1e-12)
                : gain < 0.25 * promised ? std::max(damping * 5, 1e-6)
                                         : damping;
      const bool is_poor = gain < 0.25 * promised || gain > 4 * promised;
      if (is_poor && was_new && gain < p.negligible * found.cost && gain < promised) {
        found.how = ending::converged;
        return found;
      }
      if (is_poor && !renew()) return found;
      continue;
    }
    // Steps from old slopes say little.
    if (!was_new) {
      if (!renew()) return found;
      continue;
    }
    const bool is_rough =
        has_value && -gain < p.negligible * found.cost && promised < 4 * p.negligible * found.cost;
    if (is_rough || ++refused > 12) {
      found.how = ending::converged;
      return found;
    }
    damping = std::max(damping * 8, 1e-4);
  }
  return found;
}

least_squares_result solve_by_levenberg_marquardt(const least_squares_problem& p,
                                                  const Eigen::VectorXd& start) {
  least_squares_result found;
  const Eigen::Index n = start.size();
  found.u = start.cwiseMax(p.lower).cwiseMin(p.upper);
  Eigen::VectorXd r(p.residuals), trial_r(p.residuals);
  row_matrix jacobian(p.residuals, n);
  if (!p.evaluate(found.u, r, &jacobian)) return found;
  found.cost = r.squaredNorm() / 2;
  double damping = 1e-4;
  found.how = ending::iteration_limit;
  while (found.iterations < p.max_iterations) {
    ++found.iterations;
    if (p.stops && p.stops()) {
      found.how = ending::stopped;
      break;
    }
    const Eigen::VectorXd gradient = jacobian.transpose() * r;
    const Eigen::MatrixXd normal = jacobian.transpose() * jacobian;
    bool improved = false;
    double gain = 0, promised = 0;
    for (int attempt = 0; attempt < 20 && !improved; ++attempt) {
      const Eigen::VectorXd step = damped_step(p, found.u, gradient, normal, damping);
      const Eigen::VectorXd trial = (found.u + step).cwiseMax(p.lower).cwiseMin(p.upper);
      const bool has_value = step.allFinite() && p.evaluate(trial, trial_r, nullptr);
      const double cost = has_value ? trial_r.squaredNorm() / 2 : found.cost;
      if (has_value && cost < found.cost) {
        gain = (found.cost - cost) / found.cost;
        const Eigen::VectorXd taken = trial - found.u;
        promised = -taken.dot(gradient + normal * taken / 2) / found.cost;
        found.u = trial;
        improved = true;
        damping = std::max(damping / 5, 1e-12);
      } else if (has_value && cost - found.cost < p.negligible * found.cost) {
        break;
      } else {
        damping *= 4;
      }
    }
    if (!improved || !p.evaluate(found.u, r, &jacobian)) {
      found.how = ending::converged;
      break;
    }
    found.cost = r.squaredNorm() / 2;
    if (gain < p.tolerance || (gain < p.negligible && gain < 0.25 * promised)) {
      found.how = ending::converged;
      break;
    }
  }
  return found;
}

#ifdef ASPERITY_WITH_CERES

namespace {

// Many residuals as few: J = Q R, and what the solver asks of residuals r and slopes J it gets from
// Q^T r and R. Without slopes their size alone is asked for.
class all_residuals final : public ceres::CostFunction {
 public:
  explicit all_residuals(const least_squares_problem& p)
      : p_(p), n_(p.lower.size()), r_(p.residuals), jacobian_(p.residuals, n_) {
    set_num_residuals(static_cast<int>(n_ + 1));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(n_));
  }
  bool Evaluate(double const* const* given, double* residuals, double** jacobians) const override {
    const Eigen::VectorXd u = Eigen::Map<const Eigen::VectorXd>(given[0], n_);
    Eigen::Map<Eigen::VectorXd> r(residuals, n_ + 1);
    const bool wants = jacobians != nullptr && jacobians[0] != nullptr;
    // A search along a step has slopes at its end, where the solver then asks again.
    if (u_.size() != n_ || u != u_ || (wants && !has_slopes_)) {
      const bool was_here = u_.size() == n_ && u == u_;
      u_.resize(0);
      // What overflows is no value.
      if (!p_.evaluate(u, r_, wants ? &jacobian_ : nullptr) || !(r_.norm() < too_large)) {
        if (small_.size() == 0) return false;
        if (p_.stops && p_.stops()) {
          // Ceres would complain on standard error: it stands still, and is then told to end.
          r = small_.col(n_);
          if (wants) Eigen::Map<row_matrix>(jacobians[0], n_ + 1, n_) = small_.leftCols(n_);
          return true;
        }
        if (!wants || !was_here) return false;
        // The same where a place that was reached has no slopes: it ends there.
        has_lost_slopes = true;
        r.setZero();
        r[0] = size_;
        std::fill_n(jacobians[0], (n_ + 1) * n_, 0.0);
        return true;
      }
      u_ = u;
      has_slopes_ = wants;
      if (wants) {
        // A residual whose slope overflows does not say where to go.
        for (Eigen::Index row = 0; row < jacobian_.rows(); ++row)
          if (!(jacobian_.row(row).cwiseAbs().maxCoeff() < too_large) ||
              !jacobian_.row(row).allFinite())
            jacobian_.row(row).setZero();
        small_ = triangle_of(jacobian_, r_);
      } else {
        size_ = r_.norm();
      }
    }
    if (has_slopes_) {
      r = small_.col(n_);
      if (wants) Eigen::Map<row_matrix>(jacobians[0], n_ + 1, n_) = small_.leftCols(n_);
    } else {
      r.setZero();
      r[0] = size_;
    }
    return true;
  }

  mutable bool has_lost_slopes = false;

 private:
  static constexpr double too_large = 1e100;  // its square can be added up
  const least_squares_problem& p_;
  Eigen::Index n_;
  // Where it was evaluated last, and what was found there.
  mutable Eigen::VectorXd u_, r_;
  mutable Eigen::MatrixXd small_;
  mutable double size_ = 0;
  mutable bool has_slopes_ = false;
  mutable row_matrix jacobian_;
};

class judge_of_steps final : public ceres::IterationCallback {
 public:
  explicit judge_of_steps(const least_squares_problem& p) : p_(p) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& step) override {
    if (p_.stops && p_.stops()) {
      has_stopped = true;
      return ceres::SOLVER_TERMINATE_SUCCESSFULLY;
    }
    const bool is_rough = step.iteration > 0 && step.relative_decrease < 0.25 &&
                          std::abs(step.cost_change) < p_.negligible * step.cost;
    return is_rough ? ceres::SOLVER_TERMINATE_SUCCESSFULLY : ceres::SOLVER_CONTINUE;
  }
  bool has_stopped = false;

 private:
  const least_squares_problem& p_;
};

}  // namespace

bool has_ceres() { return true; }

least_squares_result solve_least_squares(const least_squares_problem& p,
                                         const Eigen::VectorXd& start) {
  least_squares_result found;
  found.u = start.cwiseMax(p.lower).cwiseMin(p.upper);
  const int n = static_cast<int>(start.size());
  all_residuals cost(p);
  ceres::Problem::Options held;
  held.cost_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  ceres::Problem problem(held);
  problem.AddResidualBlock(&cost, nullptr, found.u.data());
  for (int i = 0; i < n; ++i) {
    problem.SetParameterLowerBound(found.u.data(), i, p.lower[i]);
    problem.SetParameterUpperBound(found.u.data(), i, p.upper[i]);
  }
  // Where it cannot be evaluated Ceres complains on standard error. It asks for the same values again.
  Eigen::VectorXd first(n + 1);
  row_matrix slopes(n + 1, n);
  const double* given[] = {found.u.data()};
  double* wanted[] = {slopes.data()};
  if (!cost.Evaluate(given, first.data(), wanted)) return found;
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = p.max_iterations;
  options.function_tolerance = p.tolerance;
  options.parameter_tolerance = 1e-10;
  options.gradient_tolerance = 1e-14;
  options.logging_type = ceres::SILENT;
  options.num_threads = 1;
  judge_of_steps judge(p);
  options.callbacks.push_back(&judge);
  options.update_state_every_iteration = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  found.cost = summary.final_cost;
  found.iterations = static_cast<int>(summary.iterations.size());
  if (judge.has_stopped || (p.stops && p.stops())) {
    found.how = ending::stopped;
  } else if (!cost.has_lost_slopes && (summary.termination_type == ceres::CONVERGENCE ||
                                       summary.termination_type == ceres::USER_SUCCESS)) {
    found.how = ending::converged;
  } else if (summary.termination_type == ceres::NO_CONVERGENCE) {
    found.how = ending::iteration_limit;
  } else {
    // No step that the model could be run at: what was reached until then still counts.
    found.how = summary.num_successful_steps > 1 ? ending::iteration_limit : ending::failed;
  }
  // Ceres cuts steps at the box, which spoils their direction for what is correlated with an unknown
  // on its bound. Ours leaves such unknowns out of the step.
  const bool is_on_bound =
      ((found.u - p.lower).array() < 1e-9).any() || ((p.upper - found.u).array() < 1e-9).any();
  if (is_on_bound && found.how != ending::stopped && found.how != ending::failed) {
    const auto polished = solve_by_levenberg_marquardt(p, found.u);
    if (polished.how != ending::failed && polished.cost <= found.cost) {
      found.u = polished.u;
      found.cost = polished.cost;
      found.how = polished.how;
    }
    found.iterations += polished.iterations;
  }
  return found;
}

#else

bool has_ceres() { return false; }

least_squares_result solve_least_squares(const least_squares_problem& p,
                                         const Eigen::VectorXd& start) {
  return solve_by_levenberg_marquardt(p, start);
}

#endif

}  // namespace asperity
