// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the energy of a system is made of, for its audit. A system that keeps books has
//
//   energy_books books() const;                                  names
//   void energies(t, y, double* out) const;                      what the bodies hold, then what
//                                                                each element stores [J]
//   void powers(t, y, double* out) const;                        what each input supplies, then of
//                                                                each element the power it takes
//                                                                from the bodies and its losses [W]
//
// The powers are integrated with the trajectory as further states (`audited` below), by the same
// method and at its order. Two balances must then close:
//
//   bodies     change of what they hold = supplied - taken by the elements
//   element    taken = change of what it stores + its losses
//
// The second is checked where an element names its losses. Where it does not, taken less stored is
// what it dissipates, and that must never fall.

#include <asperity/integrate/system.hpp>
#include <string>
#include <vector>

namespace asperity {

struct energy_books {
  struct loss {
    std::string name;
    // Work that a printed law takes or gives beyond its own account: it may have either sign.
    bool is_unbalanced = false;
  };
  struct element {
    std::string name;               // "contact"
    std::string model;              // "dai_contact"
    bool has_store = true;          // false: only its work is booked
    std::vector<loss> losses = {};  // empty: what is taken and not stored is dissipated
    std::string why_no_store = "what it stores is not known";
  };

  std::vector<std::string> held;      // energies of the bodies: kinetic, potential ...
  std::vector<std::string> supplies;  // inputs: force, belt ...
  std::vector<element> elements;
  std::string refusal = {};                     // why there are no books
  std::vector<std::size_t> idle_supplies = {};  // of them, those that nothing moves: they stay 0

  static constexpr int most_flows = 40;
  int energies() const { return static_cast<int>(held.size() + elements.size()); }
  int powers() const {
    std::size_t count = supplies.size();
    for (const auto& each : elements) count += 1 + each.losses.size();
    return static_cast<int>(count);
  }
  bool empty() const { return elements.empty(); }
};

// The losses of every model of contact with friction, in the order of touch_energy.
inline std::vector<energy_books::loss> losses_of_touch() {
  return {{"normal damper"}, {"tangential damper"}, {"slider"}, {"viscous"}, {"unbalanced", true}};
}

// A system with the integrals of its powers appended to its states. `Books` has what is listed
// above; where a law is set-valued or jumps, or its memory is not an ODE, also
//
//   stage_powers(t, h, start, y, out)        inside an implicit stage: only it knows the force
//   side_powers(t, y, direction, out)        on one side of v = 0
//   advance_with_work(t, h, y, work)         a step of the system's own, and the work done in it
template <class System, class Books>
struct audited {
  const System& system;
  const Books& books;
  int flows;  // books.books().powers()

  static constexpr bool switchable = requires(const System& s, const double* y) { s.slip(y); };
  static constexpr int capacity = System::capacity + energy_books::most_flows;
  int size() const { return system.size() + flows; }

  void rates(double t, const double* y, double* rate) const {
    system.rates(t, y, rate);
    books.powers(t, y, rate + system.size());
  }
  void side_rates(double t, const double* y, double direction, double* rate) const requires
      requires(const Books& b) {
    b.side_powers(t, y, direction, rate);
  }
  {
    system.side_rates(t, y, direction, rate);
    books.side_powers(t, y, direction, rate + system.size());
  }
  void tidy(double* y) const requires requires(const System& s) { s.tidy(y); }
  { system.tidy(y); }
  double slip(const double* y) const requires switchable { return system.slip(y); }
  double slip_rate(const double* rate) const requires switchable { return system.slip_rate(rate); }
  void add_slip(double* y, double more) const requires switchable { system.add_slip(y, more); }
  double slip_grip(double t, const double* y) const requires requires(const System& s) {
    s.slip_grip(t, y);
  }
  { return system.slip_grip(t, y); }
  void solve_stage(double t, double h, const double* start, double* y) const requires
      requires(const Books& b) {
    b.stage_powers(t, h, start, y, y);
  }
  {
    const int n = system.size();
    system.solve_stage(t, h, start, y);
    books.stage_powers(t, h, start, y, y + n);
    for (int i = n; i < n + flows; ++i) y[i] = start[i] + h * y[i];
  }
  void advance(double t, double h, double* y) const requires requires(const Books& b) {
    b.advance_with_work(t, h, y, y);
  }
  { books.advance_with_work(t, h, y, y + system.size()); }
};

}  // namespace asperity
