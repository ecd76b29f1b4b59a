// SPDX-License-Identifier: Apache-2.0
#pragma once

// Formulas compiled once into a flat list of instructions over registers, and run in any number
// type: double, packs of them, dual numbers for exact Jacobians. Running allocates nothing, loops
// over the list once, and can do nothing but arithmetic.
//
// The two set-valued terms are instructions of their own that call the models `dai` and
// `dai_contact`: their equations stand there and nowhere else.

#include <asperity/inclusion/expression.hpp>
#include <asperity/models/contact/dai_contact.hpp>
#include <asperity/models/friction/dai.hpp>
#include <span>

namespace asperity {

struct program {
  enum class code : std::uint8_t {
    add,
    subtract,
    multiply,
    divide,
    negate,
    minimum,
    maximum,
    power,
    absolute,
    square_root,
    exponential,
    logarithm,
    sine,
    cosine,
    arctangent,
    hyperbolic_tangent,
    hyperbolic_cosine,
    multiply_add,       // a b + c
    multiply_subtract,  // a b - c
    subtract_multiply,  // c - a b
    contact,            // of call a
    friction,
    planar_friction,
    end  // the last instruction of every program
  };
  struct instruction {
    code what;
    std::uint16_t to = 0, a = 0, b = 0, c = 0;
  };
  // A set-valued term: registers of its argument, its factor and its states; the force and the
  // rates go to `force` ... and `rate` ...
  struct call {
    double K, beta, alpha;
    std::uint16_t argument[2], factor, state[2], force[2], rate[2];
  };
  struct constant {
    std::uint16_t at;
    double value;
  };

  std::vector<instruction> instructions;
  std::vector<call> calls;
  std::vector<constant> constants;
  std::vector<std::uint16_t> outputs;      // registers of what was asked for
  std::vector<std::uint16_t> states_read;  // registers of the states that it needs
  int registers = 0;                       // length of the workspace

  template <class S>
  void prepare(S* r) const {
    for (const constant& each : constants) r[each.at] = lit<S>(each.value);
  }

  // The compiler puts instructions of one kind beside each other, so that most of them need no jump
  // of their own.
  template <class S>
  void run(S* r) const {
    const instruction* i = instructions.data();
    const auto all = [&](code what, auto&& run_one) {
      do {
        run_one(*i);
        ++i;
      } while (i->what == what);
    };
    const auto each = [&](code what, auto&& value) {
      all(what, [&](const instruction& n) { r[n.to] = value(r[n.a], r[n.b], r[n.c]); });
    };
    for (;;) switch (i->what) {
        case code::add:
          each(code::add, [](auto& a, auto& b, auto&) -> S { return a + b; });
          break;
        case code::subtract:
          each(code::subtract, [](auto& a, auto& b, auto&) -> S { return a - b; });
          break;
        case code::multiply:
          each(code::multiply, [](auto& a, auto& b, auto&) -> S { return a * b; });
          break;
        case code::divide:
          each(code::divide, [](auto& a, auto& b, auto&) -> S { return a / b; });
          break;
        case code::negate:
          each(code::negate, [](auto& a, auto&, auto&) -> S { return -a; });
          break;
        case code::minimum:
          each(code::minimum, [](auto& a, auto& b, auto&) -> S { return math::min<S>(a, b); });
          break;
        case code::maximum:
          each(code::maximum, [](auto& a, auto& b, auto&) -> S { return math::max<S>(a, b); });
          break;
        case code::power:
          each(code::power, [](auto& a, auto& b, auto&) -> S { return math::power<S>(a, b); });
          break;
        case code::absolute:
          each(code::absolute, [](auto& a, auto&, auto&) -> S { return math::abs<S>(a); });
          break;
        case code::square_root:
          each(code::square_root, [](auto& a, auto&, auto&) -> S { return math::sqrt<S>(a); });
          break;
        case code::exponential:
          each(code::exponential, [](auto& a, auto&, auto&) -> S { return math::exp<S>(a); });
          break;
        case code::logarithm:
          each(code::logarithm, [](auto& a, auto&, auto&) -> S { return math::log<S>(a); });
          break;
        case code::sine:
          each(code::sine, [](auto& a, auto&, auto&) -> S { return math::sin<S>(a); });
          break;
        case code::cosine:
          each(code::cosine, [](auto& a, auto&, auto&) -> S { return math::cos<S>(a); });
          break;
        case code::arctangent:
          each(code::arctangent, [](auto& a, auto&, auto&) -> S { return math::atan<S>(a); });
          break;
        case code::hyperbolic_tangent:
          each(code::hyperbolic_tangent,
               [](auto& a, auto&, auto&) -> S { return math::tanh<S>(a); });
          break;
        case code::hyperbolic_cosine:
          each(code::hyperbolic_cosine,
               [](auto& a, auto&, auto&) -> S { return math::cosh<S>(a); });
          break;
        case code::multiply_add:
          each(code::multiply_add, [](auto& a, auto& b, auto& c) -> S { return S(a * b) + c; });
          break;
        case code::multiply_subtract:
          each(code::multiply_subtract,
               [](auto& a, auto& b, auto& c) -> S { return S(a * b) - c; });
          break;
        case code::subtract_multiply:
          each(code::subtract_multiply,
               [](auto& a, auto& b, auto& c) -> S { return c - S(a * b); });
          break;
        case code::contact:
          all(code::contact, [&](const instruction& n) { contact_step(calls[n.a], r); });
          break;
        case code::friction:
          all(code::friction, [&](const instruction& n) { friction_step(calls[n.a], r); });
          break;
        case code::planar_friction:
          all(code::planar_friction, [&](const instruction& n) { planar_step(calls[n.a], r); });
          break;
        case code::end:
          return;
      }
  }

 private:
  template <class S>
  static void contact_step(const call& c, S* r) {
    const dai_contact<S> law{lit<S>(c.K), lit<S>(c.beta), lit<S>(c.alpha)};
    const auto answer = law({{r[c.state[0]]}}, {r[c.argument[0]], lit<S>(0.0), lit<S>(1.0)});
    r[c.force[0]] = answer.f;
    r[c.rate[0]] = answer.rate[0];
  }

  // A factor below zero is not friction: NaN says so, and the system names the term.
  template <class S>
  static S allowed(const S& factor) {
    return math::select(factor < lit<S>(0.0), lit<S>(__builtin_nan("")), factor);
  }

  template <class S>
  static void friction_step(const call& c, S* r) {
    const dai<S> law{lit<S>(c.K), lit<S>(1.0), lit<S>(c.beta)};
    const S limit = allowed(r[c.factor]);
    const auto answer = law({{r[c.state[0]]}}, {lit<S>(0.0), r[c.argument[0]], limit});
    r[c.force[0]] = answer.f;
    r[c.rate[0]] = answer.rate[0];
  }

  template <class S>
  static void planar_step(const call& c, S* r) {
    const dai_vector<S, 2> law{lit<S>(c.K), lit<S>(1.0), lit<S>(c.beta)};
    const S limit = allowed(r[c.factor]);
    const auto answer =
        law({{r[c.state[0]], r[c.state[1]]}}, {{r[c.argument[0]], r[c.argument[1]]}}, limit);
    for (int k = 0; k < 2; ++k) {
      r[c.force[k]] = answer.f[k];
      r[c.rate[k]] = answer.a_dot[k];
    }
  }
};

// Where the compiler finds what a formula refers to.
struct program_layout {
  int states = 0, inputs = 0;
  std::vector<double> parameters;
  std::vector<std::optional<double>> constant_inputs;  // values of the inputs that never change
  // Forces as given numbers: as many registers after the inputs. Without it they are computed by
  // calls, whose states follow the user's.
  int given_forces = 0;
  // Registers: 0 time, then states (those of the terms included where forces are computed), inputs,
  // given forces.
  int state_register(int i) const { return 1 + i; }
  int input_register(int i) const { return 1 + states + i; }
  int force_register(int i) const { return 1 + states + inputs + i; }
  int first_free() const { return 1 + states + inputs + given_forces; }
};

// A set-valued term as the compiler needs it.
struct term_to_compile {
  bool is_contact;
  std::vector<expression> argument;  // one or two
  expression factor;                 // of friction
  double K, beta, alpha;
  int first_state;  // place of its first state among all states
  int first_force;  // place of its first component among all forces
};

// Compiles `wanted`. Where forces are computed, the rates of the terms' states are appended to the
// outputs, in the order of the terms.
program compile(const std::vector<expression>& wanted, const std::vector<term_to_compile>& terms,
                const program_layout& layout);

}  // namespace asperity
