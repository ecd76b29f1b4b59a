// SPDX-License-Identifier: Apache-2.0
#pragma once

// An inclusion as a machine: any integrator runs its ODE, the implicit ones through stage_solver,
// and moreau_jean runs the inclusion itself with hard constraints.

#include <asperity/inclusion/choice.hpp>
#include <asperity/inclusion/frozen_forces.hpp>
#include <asperity/inclusion/stage_solver.hpp>
#include <asperity/systems/machine.hpp>
#include <memory>

namespace asperity {

class inclusion_machine : public machine {
 public:
  explicit inclusion_machine(const inclusion& source);

  const regularised& system() const { return system_; }
  const program& rate_program() const { return rates_; }
  const program_layout& layout() const { return layout_; }

  std::vector<machine_quantity> states() const override;
  std::vector<double> initial() const override;
  void rates(double t, const double* y, double* rate) const override;
  bool has_stage() const override { return solver_ != nullptr && affine_; }
  void solve_stage(double t, double h, const double* start, double* y) const override;
  std::string no_impulse_step() const override { return solver_->no_impulse_step(); }
  void own_step(double t, double h, double* y) const override;

  std::vector<machine_quantity> outputs() const override;
  void observe(double t, const double* y, double* out) const override;
  std::vector<event> events() const override;
  std::vector<double> jumps(double from, double to) const override;
  double shortest_period() const override;
  std::vector<std::string> plan(const std::string& method, double h) override;
  bool records_steps() const override { return true; }
  std::string complaint() const override { return complaint_; }

  // The bodies hold what the source says (inclusion::energy). Rates are phi(x) + sum of B f over
  // the terms: a term takes the power -(dE/dx) B f from the bodies. At its own argument it takes
  // f theta, or -f psi'; the difference comes from what moves the other side, a belt or a table.
  energy_books books() const override;
  void energies(double t, const double* y, double* out) const override;
  void powers(double t, const double* y, double* out) const override;

 private:
  void build();
  void fill(double t, const double* y, double* registers) const;
  void forces_at(double t, const double* y, double* forces) const;
  double slip_margin(const set_valued_term& term, double t, const double* y) const;
  // Force and rates of the states of each term, as the compiled rates find them.
  struct term_response {
    double force[2] = {}, rate[2] = {};
  };
  // True where nothing but states that forces move stands in the argument of a sgn, it is 0 with
  // all of them, and so is the slope of the energy: no belt, no moved table. Then the other side
  // rests and supplies nothing.
  bool other_side_rests(const set_valued_term& term) const;
  term_response respond_in(const set_valued_term& term, double t, const double* y) const;

  inclusion source_;
  regularised system_;
  double chosen_for_ = 0;  // the step of an explicit method for which K, beta and alpha are
  bool affine_ = true;
  bool implicit_ = false, hard_ = false;  // what the plan says
  program_layout layout_, observed_layout_;
  program rates_, observed_;
  // Energies, then arguments of the terms, as formulas of states and inputs.
  static constexpr int directions = 8;
  using moving = dual<double, directions>;
  program held_;
  program_layout held_layout_;
  mutable std::vector<moving> held_registers_;
  mutable std::unique_ptr<frozen_forces> parts_;
  std::vector<machine_quantity> defined_;  // what the definitions show
  std::vector<double> restitution_;
  std::vector<int> changing_inputs_;
  struct factor_to_check {
    std::uint16_t at;  // its register
    std::size_t term;
  };
  std::vector<factor_to_check> checked_;  // those that may become negative
  // Workspace: a machine runs on one thread at a time.
  mutable std::vector<double> registers_, observed_registers_, forces_;
  mutable std::unique_ptr<stage_solver> solver_;
  mutable std::string complaint_;
  mutable double complaint_time_ = 0;
  mutable double worst_residual_ = 0, most_sweeps_ = 0;  // since the last row
};

}  // namespace asperity
