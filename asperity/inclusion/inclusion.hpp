// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mechanical system stated as a differential inclusion, and the procedure of Xiong 2013, 3.2.4,
// that turns it into a differential-algebraic inclusion and thus into an ordinary ODE.
//
//   inclusion block;
//   const auto M = block.parameter("M", 1, units::kilogram);
//   const auto F = block.parameter("F", 0.5, units::newton);
//   const auto push = block.input("push", signal::ramp(0.1), units::newton);
//   const auto p = block.state("p", units::metre);
//   const auto v = block.state("v", units::metre / units::second);
//   const auto friction = block.define("friction", F * sgn(v));
//   block.rate(p, v);
//   block.rate(v, (push - friction) / M);
//   const regularised ode = regularise(block);
//
// Every dio is replaced first, then every factor times sgn. A term that occurs in several rates is
// one term. Give a force that appears more than once a name by define(): the factor of a sgn is all
// that is multiplied with it in its own product, constant divisors excepted.

#include <asperity/inclusion/expression.hpp>
#include <asperity/inclusion/program.hpp>
#include <asperity/mechanics/signal.hpp>
#include <map>
#include <unordered_map>

namespace asperity {

// Wishes for one term; what is left out follows from the rule in choice.hpp.
struct term_wish {
  std::optional<double> K, beta, alpha;  // unit of force over unit of argument (times s); s; s
  std::optional<double> restitution;     // of a contact
  // Deflection under the load or at the friction limit, as the unit of the gap says.
  std::optional<double> deflection;
  std::string place;
};

class inclusion {
 public:
  struct state_entry {
    std::string name;
    std::optional<unit> in;
    double initial = 0;
    std::optional<expression> rate;
    std::string place;
  };
  struct parameter_entry {
    std::string name;
    double value;
    std::optional<unit> in;
  };
  struct input_entry {
    std::string name;
    signal shape;
    std::optional<unit> in;
    double shortest_period = __builtin_huge_val();  // [s]
  };
  struct definition_entry {
    std::string name;
    std::vector<expression> components;  // one, or two of a plane vector
  };

  struct energy_entry {
    std::string name;
    expression value;
  };

  std::string name = "inclusion";

  expression state(const std::string& name, std::optional<unit> in = {}, double initial = 0);
  expression parameter(const std::string& name, double value, std::optional<unit> in = {});
  expression input(const std::string& name, signal shape, std::optional<unit> in = {});
  static expression time();
  expression define(const std::string& name, const expression& value);
  plane_vector define(const std::string& name, const plane_vector& value);
  void rate(const expression& state, const expression& value);
  // An energy that the bodies hold, for the audit: a formula without sgn and dio, in joules.
  void energy(const std::string& name, const expression& value);
  // The same for many that share branches: `unit_of` is theirs alone.
  void energy(const std::string& name, const expression& value, unit_finder& unit_of);
  // Wishes for the term that is called so: by its definition, or dio_1, sgn_1 in order.
  void wish(const std::string& term, term_wish wanted) { wishes[term] = std::move(wanted); }

  std::vector<state_entry> states;
  std::vector<parameter_entry> parameters;
  std::vector<input_entry> inputs;
  std::vector<definition_entry> definitions;
  std::vector<energy_entry> energies;
  std::map<std::string, term_wish> wishes;

 private:
  void check_name(const std::string& name, const char* what);
  std::unordered_map<std::string, const char*> taken_;  // names, and what they are
};

// One dio or one factor times sgn after replacement.
struct set_valued_term {
  bool is_contact = false;
  std::string name;
  std::vector<expression> argument;  // psi; or theta in one or two components
  expression factor;                 // chi of a friction term, contact forces in place of dio
  double K = 0, beta = 0, alpha = 0;
  int first_state = 0, first_force = 0;
  std::optional<unit> force_in, argument_in;
  bool units_are_declared = false;  // both; otherwise bare numbers count as plain ones in them
  std::string place;

  int dimension() const { return static_cast<int>(argument.size()); }
  // "dio(p - R)", "mu*N*sgn([vx, vy])": how messages call it.
  std::string text() const;
  // What is said where the factor became negative on the way.
  std::string complaint_about_factor(double value, double t) const;
  // What is said where its force acts against itself from the start.
  std::string complaint_about_start() const;
  // What is said where its force turned against itself on the way, with its mobility there.
  std::string complaint_about_direction(double mobility, double t) const;
  // e_N, a_friction, a_friction_x: its appended states.
  std::string state_name(int component) const;
  unit state_in() const;
};

struct regularised {
  inclusion source;
  std::vector<set_valued_term> terms;                    // contacts first, in order of appearance
  std::vector<expression> rates;                         // of the user's states, forces in place
  std::vector<inclusion::definition_entry> definitions;  // the same
  std::vector<std::string> warnings;
  int forces = 0;  // components of all terms together
  int states = 0;  // the user's and the appended ones
  // Of each term at the initial state, found with K, beta and alpha: see term_figures.
  std::vector<double> mass, load;

  int user_states() const { return static_cast<int>(source.states.size()); }
  std::vector<double> parameter_values() const;
  std::vector<term_to_compile> to_compile() const;
};

// Steps 1 and 2: finds the terms and puts forces in their place; K, beta and alpha are left open.
// Throws asperity::error that names the term and the remedy.
regularised replace_terms(const inclusion& source);

// The whole procedure, with K, beta and alpha as wished or by the rule of choice.hpp for the step
// `h` of an explicit method (0: an implicit or adaptive one) and loads until `duration`.
regularised regularise(const inclusion& source, double h = 0, double duration = 0);

// Is a name one that a formula can use?
bool is_name(std::string_view text);

}  // namespace asperity
