// SPDX-License-Identifier: Apache-2.0
#pragma once

// Methods describe themselves: a method is a stepper in asperity/integrate and a row in
// asperity/integrate/methods/<name>.cpp. The build lists them; only systems that prefer one name it.

#include <asperity/integrate/automatic.hpp>
#include <asperity/integrate/stability.hpp>
#include <asperity/integrate/step_check.hpp>
#include <asperity/integrate/system.hpp>
#include <functional>
#include <span>

namespace asperity {

// What every stepper sees of a system: the one type that methods are compiled for. The flows of the
// energy balance are further states of it, behind those of the system.
struct system_view {
  const system* of;
  workspace* work;
  int states;
  const implicit_stage* stage;
  const jump_sides* both_sides;
  const own_step* own;
  const memory_steps* memory;
  const derivatives* exact;
  const energy_balance* energy;  // null where the run is not audited
  int flows;

  system_view(const system& which, workspace& of_run, int count, bool audited);

  static constexpr int capacity = tolerances::most_states;
  int size() const { return states + flows; }
  int compared() const { return states; }
  void rates(double t, const double* y, double* rate) const {
    of->rates(t, y, rate, *work);
    if (energy != nullptr) energy->powers(t, y, rate + states, *work);
  }
  void solve_stage(double t, double h, const double* start, double* y) const {
    stage->solve_stage(t, h, start, y, *work);
    if (energy == nullptr) return;
    energy->stage_powers(t, h, start, y, y + states, *work);
    for (int i = states; i < states + flows; ++i) y[i] = start[i] + h * y[i];
  }
  void advance(double t, double h, double* y) const {
    if (energy != nullptr) {
      energy->step_with_work(t, h, y, y + states, *work);
    } else {
      own->step(t, h, y, *work);
    }
  }
  void tidy(double* y) const { of->tidy(y); }
  bool has_sides() const { return both_sides != nullptr; }
  void side_rates(double t, const double* y, double direction, double* rate) const {
    both_sides->side_rates(t, y, direction, rate, *work);
    if (energy != nullptr) energy->side_powers(t, y, direction, rate + states, *work);
  }
  double slip(const double* y) const { return both_sides->slip(y); }
  double slip_rate(const double* rate) const { return both_sides->slip_rate(rate); }
  void add_slip(double* y, double more) const { both_sides->add_slip(y, more); }
  double slip_grip(double t, const double* y) const { return both_sides->slip_grip(t, y); }
  double kink(double t, const double* y) const { return of->kink(t, y); }
  // Exact where the system has derivatives, by differences elsewhere.
  void linearise(double t, double beside, const double* y, double* rate, double* rate_t,
                 double* jacobian, int stride) const;
  // Around a memory that is not an ODE (memory_stepper.hpp).
  int bodies() const { return memory->memory_at(); }
  double force(double t, const double* y) const { return memory->memory_force(t, y); }
  bool is_prescribed() const { return memory->is_prescribed(); }
  double move(double t, double h, double* y, bool to_turn) const {
    return memory->move(t, h, y, to_turn, energy != nullptr ? y + states : nullptr);
  }
  bool leap(double t, double h, double* y) const {
    return memory->leap(t, h, y, energy != nullptr ? y + states : nullptr);
  }
};

// Methods of fixed step need no tolerances and have room for the cells of a patch.
// States of a system that adaptive methods take; there is room for the flows of its audit, too.
inline constexpr int most_states_of_adaptive_steps = 64;
inline constexpr int most_states_of_fixed_steps = 16384;
struct wide_view : system_view {
  explicit wide_view(const system_view& view) : system_view(view) {}
  static constexpr int capacity = most_states_of_fixed_steps + energy_terms::most_flows;
};

// What a method asks of a system.
enum class method_needs { rates, stage, sides, memory, impulses, linear };
const char* to_string(method_needs);

// A run as a method sees it.
struct method_run {
  const system_view& view;
  const run_setting& setting;
  const double* start;
  const run_options& options;
  std::span<const event> events;
  std::vector<event_record>& found;
  const std::function<void(double t, const double* y)>& observe;
};

struct method_report {
  integration_result result;
  step_error errors = {};  // of steps of fixed length, where they were looked at
  struct share {
    const char* method;
    long steps;
  };
  std::vector<share> shares = {};  // where more than one method took part
  damped_swing damped = {};
  stability_report stability = {};  // of explicit steps of fixed length
};

// Whether stability bounds its steps where a system is stiff; `both`: it changes over.
enum class stiff_steps { short_ones, long_ones, both };

struct method_row {
  const char* name;
  const char* meaning;  // one line for people
  int order;
  bool is_fixed;  // steps of fixed length; `advance` only where a step is given
  method_needs needs;
  bool follows_impacts = false;  // of rigid contacts, where velocities jump
  bool stops_at_jumps = false;   // of inputs; steps of fixed length keep their grid
  bool holds_at_rest = false;    // friction that is set-valued at rest does not make it chatter
  // The default is the lowest of those that can run a system; 0 is never a default.
  int preference = 0;
  method_report (*run)(const method_run&);
  // Why this build has none; null where it has one.
  const char* (*why_absent)() = nullptr;
  stiff_steps when_stiff = stiff_steps::short_ones;
  // Of the methods that can run a system, the highest is advised where its problem looks stiff; 0
  // is never advised.
  int stiff_advice = 0;
  // What a step makes of a mode, where that bounds its length: explicit methods of fixed step.
  amplification amplifies = nullptr;

  bool is_closed_form() const { return needs == method_needs::stage; }
  bool is_explicit() const { return needs == method_needs::rates && is_fixed; }
};

std::span<const method_row* const> methods();          // by name
const method_row* find_method(std::string_view name);  // null where there is none

std::string why_not(const system&, const method_row&);  // empty where it can run the system
const method_row& default_method(const system&);
// Whether a run takes steps of fixed length.
bool has_fixed_step(const run_setting&);
// Whether the Switch Model takes part in it.
bool may_switch(const system&, const method_row&);

namespace detail {

extern const method_row advance_method, automatic_method, backward_euler_method, dopri5_method,
    rk4_method;

// Runs a stepper and shows the end even where it is not on the grid of samples.
template <class Stepper>
integration_result run_to_end(Stepper& stepper, const method_run& r) {
  const int n = r.view.size();
  double shown = r.options.from;
  const auto result =
      run(stepper, r.start, n, r.options, r.events, r.found, [&](double t, const double* y) {
        shown = t;
        r.observe(t, y);
      });
  if (result.t > shown) {
    std::vector<double> last(static_cast<std::size_t>(n));
    stepper.at(result.t, last.data());
    if (all_finite(last.data(), n)) r.observe(result.t, last.data());
  }
  return result;
}

// Steps of fixed length, some of which are taken again beside the run in halves: that looks at the
// system through a workspace of its own.
template <class Stepper, class View>
method_report run_checked(const method_run& r) {
  const auto beside = r.view.of->new_workspace();
  beside->setting = r.setting;
  const system_view other(*r.view.of, *beside, r.view.states, r.view.energy != nullptr);
  const View view(r.view), second(other);
  const double h = r.setting.step;
  const amplification amplifies = r.setting.method->amplifies;
  const system_view states_only(*r.view.of, *beside, r.view.states, false);
  stability_watch stability(states_only, amplifies, h, r.setting.duration / h);
  // A memory that is not an ODE may be a list or an index, which differences say nothing about.
  const bool remembers = r.setting.method->needs == method_needs::memory;
  const int looked_at = remembers ? r.view.bodies() : r.view.states;
  // On the heap: with room for all cells of a patch it is too large for the stack of a thread.
  const auto stepper = std::make_unique<checked_stepper<Stepper>>(
      Stepper(view, h), Stepper(second, 0.5 * h), static_cast<std::size_t>(r.view.size()),
      static_cast<std::size_t>(looked_at), r.setting.duration / h,
      amplifies != nullptr ? &stability : nullptr);
  method_report report{run_to_end(*stepper, r)};
  report.errors = stepper->result();
  report.stability = stability.report();
  return report;
}

template <template <class> class Stepper>
method_report run_fixed(const method_run& r) {
  if (r.view.size() <= system_view::capacity)
    return run_checked<Stepper<system_view>, system_view>(r);
  return run_checked<Stepper<wide_view>, wide_view>(r);
}

template <template <class> class Stepper>
method_report run_adaptive(const method_run& r) {
  const auto& s = r.setting;
  const auto stepper =
      std::make_unique<Stepper<system_view>>(r.view, s.tolerance, s.first_step, s.max_step);
  return {run_to_end(*stepper, r)};
}

}  // namespace detail

}  // namespace asperity
