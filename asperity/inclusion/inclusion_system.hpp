// SPDX-License-Identifier: Apache-2.0
#pragma once

// An inclusion as a system: any method runs its ODE, the implicit ones through stage_solver, and
// moreau_jean runs the inclusion itself with hard constraints.

#include <asperity/inclusion/choice.hpp>
#include <asperity/inclusion/frozen_forces.hpp>
#include <asperity/inclusion/stage_solver.hpp>
#include <asperity/integrate/system.hpp>
#include <memory>

namespace asperity {

class inclusion_system final : public system, implicit_stage, own_step, energy_balance {
 public:
  // What depends on the method: constants chosen for its step, and how forces are found.
  struct plan {
    double explicit_step = 0;  // [s] of an explicit method of fixed step; 0 for all others
    bool implicit = false, hard = false;
    double duration = 0;  // [s] of the run, in which loads are looked at
  };
  explicit inclusion_system(inclusion source) : inclusion_system(std::move(source), plan{}) {}
  inclusion_system(inclusion source, const plan& wanted);

  const regularised& equations() const { return system_; }
  const program& rate_program() const { return rates_; }
  const program_layout& layout() const { return layout_; }
  // How deep each contact went in a run, against what was asked, where its events were looked for.
  struct depth_note {
    std::string text;
    bool is_doubtful;  // far deeper, and beside the way that the contact opens
  };
  std::vector<depth_note> depths(const workspace&) const;

  const system_card& card() const override { return card_; }
  std::vector<double> initial() const override;
  void rates(double t, const double* y, double* rate, workspace&) const override;
  void observe(double t, const double* y, double* out, workspace&) const override;
  std::unique_ptr<workspace> new_workspace() const override;
  std::vector<event> events(workspace&) const override;
  std::shared_ptr<const system> planned(const run_setting&) const override;
  std::vector<std::string> doubts(const run_setting&) const override;

  const implicit_stage* implicit() const override { return affine_ ? this : nullptr; }
  const own_step* own() const override { return card_.why_no.impulses.empty() ? this : nullptr; }
  const energy_balance* energy() const override {
    return card_.why_no.energy.empty() ? this : nullptr;
  }

 private:
  // What a run writes: registers of the compiled formulas, and the solver of its stages.
  struct registers;

  void solve_stage(double t, double h, const double* start, double* y, workspace&) const override;
  void step(double t, double h, double* y, workspace&) const override;
  // The bodies hold what the source says (inclusion::energy). Rates are phi(x) + sum of B f over
  // the terms: a term takes the power -(dE/dx) B f from the bodies. At its own argument it takes
  // f theta, or -f psi'; the difference comes from what moves the other side, a belt or a table.
  const energy_terms& terms() const override { return energy_; }
  void energies(double t, const double* y, double* out, workspace&) const override;
  void powers(double t, const double* y, double* out, workspace&) const override;

  // The same formulas under another plan.
  inclusion_system(const inclusion_system& same, const plan& wanted);
  void build();
  void describe();
  energy_terms name_energies() const;
  void fill(double t, const double* y, double* r) const;
  void forces_at(double t, const double* y, double* forces, registers&) const;
  double slip_margin(const set_valued_term& term, double t, const double* y, registers&) const;
  void note_depth(const set_valued_term& term, double t, registers&) const;
  // A term may turn against itself along the run: its friction drives, its contact pulls. It is
  // looked at where a step ends, with explicit methods at every eighth and the more often the nearer
  // it comes, and the run ends there.
  event turns_driving(registers&) const;
  bool is_driving(double t, const double* y, registers&) const;
  // Force and rates of the states of each term, as the compiled rates find them.
  struct term_response {
    double force[2] = {}, rate[2] = {};
  };
  // True where nothing but states that forces move is in the argument of a sgn, it is 0 with all of
  // them, and so is the slope of the energy: no belt, no moved table. Then the other side rests and
  // supplies nothing.
  bool other_side_rests(const set_valued_term& term) const;
  // Terms whose force does another power on the bodies than at their own argument.
  std::vector<std::string> doubts_about_reactions() const;
  term_response respond_in(const set_valued_term& term, double t, const double* y,
                           registers&) const;

  inclusion source_;
  plan plan_;
  regularised system_;
  system_card card_;
  energy_terms energy_;
  bool affine_ = true;
  program_layout layout_, observed_layout_;
  program rates_, observed_;
  // Energies, then arguments of the terms, as formulas of states and inputs.
  static constexpr int directions = 8;
  using moving = dual<double, directions>;
  program held_;
  program_layout held_layout_;
  std::shared_ptr<const frozen_forces> parts_;  // copied by each run
  std::vector<system_quantity> defined_;        // what the definitions show
  std::vector<double> restitution_;
  std::vector<int> changing_inputs_;
  struct factor_to_check {
    std::uint16_t at;  // its register
    std::size_t term;
  };
  std::vector<factor_to_check> checked_;  // those that may become negative
  std::vector<std::size_t> turning_;      // terms that may turn against themselves
};

}  // namespace asperity
