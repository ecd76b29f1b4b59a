// SPDX-License-Identifier: Apache-2.0
#pragma once

// A system whose parts are functions of its own. It fills the card, says which parts it has, and
// overrides what it needs.

#include <asperity/integrate/system.hpp>
#include <asperity/mechanics/signal.hpp>
#include <utility>

namespace asperity {

class composed_system : public system,
                        protected implicit_stage,
                        protected jump_sides,
                        protected own_step,
                        protected memory_steps,
                        protected energy_balance {
 public:
  const system_card& card() const override { return card_; }
  std::vector<double> initial() const override { return initial_; }
  void observe(double, const double*, double*, workspace&) const override {}

  const implicit_stage* implicit() const override { return has_stage_ ? this : nullptr; }
  const jump_sides* sides() const override { return has_sides_ ? this : nullptr; }
  const own_step* own() const override { return has_own_step_ ? this : nullptr; }
  const memory_steps* memory() const override { return has_memory_ ? this : nullptr; }
  const energy_balance* energy() const override { return energy_.empty() ? nullptr : this; }

 protected:
  system_card card_;
  energy_terms energy_;
  std::vector<double> initial_;
  bool has_stage_ = false, has_sides_ = false, has_own_step_ = false, has_memory_ = false;

  void add_state(const std::string& name, unit in, double start = 0, double scale = 0,
                 range allowed = any_value) {
    card_.add_state({name, in, scale, allowed});
    initial_.push_back(start);
  }
  void add_output(const std::string& name, unit in) { card_.add_output(name, in); }
  void add_input(const std::string& name, unit in, const signal& shape, bool is_shown = true) {
    card_.add_input(name, in, shape, shape.shortest_period(), is_shown);
  }
  void set_energy(energy_terms terms) {
    energy_ = std::move(terms);
    if (!energy_.refusal.empty()) {
      card_.why_no.energy = energy_.refusal;
      energy_ = {};
    }
  }

  void solve_stage(double, double, const double*, double*, workspace&) const override {}
  void side_rates(double t, const double* y, double, double* rate, workspace& w) const override {
    rates(t, y, rate, w);
  }
  double slip(const double*) const override { return 0; }
  double slip_rate(const double*) const override { return 0; }
  void add_slip(double*, double) const override {}
  double slip_grip(double, const double*) const override { return 0; }
  void step(double, double, double*, workspace&) const override {}
  int memory_at() const override { return 0; }
  double memory_force(double, const double*) const override { return 0; }
  double move(double, double, double*, bool, double*) const override { return 0; }
  const energy_terms& terms() const override { return energy_; }
  void energies(double, const double*, double*, workspace&) const override {}
  void powers(double, const double*, double*, workspace&) const override {}
};

}  // namespace asperity
