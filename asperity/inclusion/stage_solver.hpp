// SPDX-License-Identifier: Apache-2.0
#pragma once

// Implicit steps of a system with several set-valued terms.
//
// A backward Euler stage is x = start + h phi(t, x, lambda) with every lambda on its law. Newton's
// method on x (one iteration where the system is linear) leaves the arguments as u = u_free + W
// lambda, and each law alone has the closed form of its model's `react`. One term is solved by it
// at once; several by Gauss-Seidel sweeps over the terms, started from given forces, and by
// Newton steps on the pieces of the laws, which end exactly where the sweeps only converge to. A
// factor of a sgn that depends on contact forces is taken from the current ones, sweep by sweep.
//
// The hard-constraint reference is the time stepping of Moreau and Jean with Newton's impact law on
// the same inclusion: no K, beta or alpha, impulses instead of forces.

#include <asperity/inclusion/frozen_forces.hpp>

namespace asperity {

class stage_solver {
 public:
  explicit stage_solver(const regularised& system) : stage_solver(system, frozen_forces(system)) {}
  // The same where the formulas of the system are compiled already.
  stage_solver(const regularised& system, frozen_forces parts);

  // How a solve went. `residual` is the largest change of a force in the last sweep relative to the
  // largest force.
  struct report {
    bool converged = true;
    int iterations = 0;  // of Newton's method on x
    int sweeps = 0;
    double residual = 0;
    std::string complaint;
  };

  // y = start + h rates(t, y), all states.
  const report& solve(double t, double h, const double* start, double* y);

  // One step of Moreau and Jean (implicit midpoint for the smooth part, Newton impact with
  // `restitution` of each contact). The states of the terms keep their values.
  const report& impulse_step(double t, double h, const std::vector<double>& restitution, double* y);
  // Why there is no such step; empty where there is.
  const std::string& no_impulse_step() const { return no_impulse_step_; }

  // Forces that the next solve begins with; none where the law has none at the start.
  void begin_with(const double* forces) {
    lambda_ = Eigen::Map<const column_of_reals>(forces, m_);
    if (!lambda_.allFinite()) lambda_.setZero();
  }
  const column_of_reals& forces() const { return lambda_; }  // of the last solve
  const report& last() const { return report_; }

 private:
  // A law in one sweep: the force of term i that suits the arguments u, given the others' forces.
  void local_force(std::size_t term, double h, const double* start, double limit, double* force);
  void sweep_until_done(double h, const double* start);
  bool newton_on_pieces(double h, const double* start);
  double limit_of(std::size_t term) const;
  void factorise(double h);

  const regularised* system_;
  frozen_forces frozen_;
  int n_, m_;
  report report_;
  std::string no_impulse_step_;

  frozen_forces::values now_;
  frozen_forces::derivatives by_;
  frozen_forces::motion motion_;
  Eigen::PartialPivLU<table_of_reals> lu_;
  double factorised_for_ = -1;  // h, where the system is linear
  table_of_reals push_;         // h A^-1 B: how forces move the states
  table_of_reals W_, C_;        // of arguments and of factors by forces
  column_of_reals u_free_, u_, c_free_, lambda_, x_, step_, free_;
  table_of_reals pieces_;
  column_of_reals right_;
  std::vector<int> factor_of_;   // index of the term's factor; -1 for contacts
  std::vector<int> piece_;       // of each law, as the Newton steps see it
  std::vector<double> none_;     // zeros in place of forces
  bool differentiated_ = false;  // of a linear system, once for all
};

}  // namespace asperity
