// SPDX-License-Identifier: Apache-2.0
#pragma once

// A system with one friction: what laws that jump (Switch Model), laws whose memory is not an ODE
// and laws that name their losses ask of it. Friction is the last element of its energy balance,
// whose other powers are `flows` many.

#include <asperity/mechanics/implicit_memory_step.hpp>
#include <asperity/mechanics/system_parts.hpp>

namespace asperity {

template <class Mechanics>
class rubbing_system : public system_of<Mechanics> {
 public:
  rubbing_system(const char* kind, Mechanics mechanics, int flows)
      : system_of<Mechanics>(kind, std::move(mechanics)),
        set_valued_(is_set_valued(friction())),
        by_velocity_(reads_velocity(friction())),
        flows_(flows) {
    auto& card = this->card_;
    card.models.push_back({"friction", &friction()});
    if (set_valued_ || friction().has_side()) card.chatters.push_back(friction().key());
    this->has_sides_ = friction().has_side();
    if (!this->has_sides_)
      card.why_no.sides =
          fmt::format("the force of model '{}' does not jump at v = 0", friction().key());
    // By its own step a law that is an ODE can be advanced, too, where the mechanics asks no more.
    if (friction().is_ode() && moves_bodies) return;
    this->has_own_step_ = this->has_memory_ = true;
    if (friction().is_ode()) return;
    card.memory = friction().key();
  }

 protected:
  const any_model& friction() const { return this->m_.friction; }

  double shown(const double* y, const drive<double>& rub, const loose_body& body, workspace& w,
               double least_load = 0) const {
    return friction_shown(friction(), set_valued_, y + this->m_.friction_states(), rub, body,
                          w.setting.instant(), least_load);
  }
  double margin(const double* y, const drive<double>& rub, const loose_body& body,
                workspace& w) const {
    const drive<double> seen = friction_touching(this->m_).seen(rub);
    return slip_margin_of(friction(), y + this->m_.friction_states(), seen, body,
                          w.setting.instant());
  }

  void powers(double t, const double* y, double* out, workspace&) const override {
    if constexpr (requires { this->m_.powers(t, y, out); }) this->m_.powers(t, y, out);
    add_losses(t, y, out);
  }
  void side_powers(double t, const double* y, double direction, double* out,
                   workspace&) const override {
    if constexpr (requires { this->m_.side_powers(t, y, direction, out); })
      this->m_.side_powers(t, y, direction, out);
    add_losses(t, y, out, &direction);
  }

  void stage_powers(double t, double h, const double* start, const double* y, double* out,
                    workspace& w) const override {
    if constexpr (requires { this->m_.stage_powers(t, h, start, y, out); }) {
      this->m_.stage_powers(t, h, start, y, out);
      add_losses(t, y, out);
    } else {
      powers(t, y, out, w);
    }
  }

  void step(double t, double h, double* y, workspace&) const override {
    if constexpr (moves_bodies) memory_step(this->m_, t, h, y, 0, nullptr);
  }
  void step_with_work(double t, double h, double* y, double* work, workspace&) const override {
    if constexpr (moves_bodies) memory_step(this->m_, t, h, y, this->energy_.powers(), work);
  }
  int memory_at() const override { return this->m_.friction_states(); }
  double memory_force(double t, const double* y) const override {
    const auto in = this->m_.rub_at(t, y);
    return in.load > 0 ? friction_touching(this->m_).force(y + memory_at(), in) : 0;
  }
  double move(double t, double h, double* y, bool, double* work) const override {
    if constexpr (moves_bodies) {
      const int flows = work != nullptr ? this->energy_.powers() : 0;
      return implicit_memory_step(this->m_, by_velocity_, t, h, y, flows, work) ? h : 0;
    } else {
      return 0;
    }
  }

  void side_rates(double t, const double* y, double direction, double* rate,
                  workspace&) const override {
    this->m_.side_rates(t, y, direction, rate);
  }
  double slip(const double* y) const override { return this->m_.slip(y); }
  double slip_rate(const double* rate) const override { return this->m_.slip_rate(rate); }
  void add_slip(double* y, double more) const override { this->m_.add_slip(y, more); }
  double slip_grip(double t, const double* y) const override { return this->m_.slip_grip(t, y); }

 private:
  // memory_step.hpp; a system without it has steps of its own.
  static constexpr bool moves_bodies = requires(const Mechanics& m, double t, double* y) {
    m.rates_under(t, y, t, y);
  };
  bool set_valued_, by_velocity_;
  int flows_;

  // What friction loses by its own word, in a motion towards a direction where one is given.
  void add_losses(double t, const double* y, double* out, const double* direction = nullptr) const {
    if (!friction().has_losses()) return;
    double rate[any_model::max_states];
    const double* state = y + this->m_.friction_states();
    const auto in = this->m_.rub_at(t, y);
    const double f = direction != nullptr ? side(friction(), state, in, *direction, rate)
                                          : respond(friction(), state, in, rate);
    book_losses(friction(), state, in, f, rate, out + flows_);
  }
};

}  // namespace asperity
