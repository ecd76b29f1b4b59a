// SPDX-License-Identifier: Apache-2.0
// Formulas: text to tree, back to text, and compiled to a program.

#include <fmt/format.h>

#include <asperity/inclusion/formula.hpp>
#include <asperity/inclusion/program.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

const formula_names& names() {
  static const formula_names known{
      [](const std::string& name) -> std::optional<formula> {
        const auto x = expression::symbol(symbol_kind::state, 0, "x", units::metre);
        const auto v = expression::symbol(symbol_kind::state, 1, "v", units::metre / units::second);
        if (name == "t") return formula{expression::symbol(symbol_kind::time, 0, "t", {}), {}};
        if (name == "x") return formula{x, {}};
        if (name == "v") return formula{v, {}};
        if (name == "F") return formula{expression::symbol(symbol_kind::parameter, 0, "F", {}), {}};
        if (name == "w") return formula{x, v};
        return {};
      },
      [] {
        return std::vector<std::string>{"t", "x", "v", "F", "w"};
      }};
  return known;
}

constexpr double t = 0.3, states[] = {1.5, -0.7}, F = 2;

// The value of a formula, straight from its tree.
double value_of(const expression& e) {
  const auto argument = [&](std::size_t i) { return value_of(e.argument(i)); };
  switch (e->what) {
    case operation::number:
      return e->value;
    case operation::symbol:
      return e->kind == symbol_kind::time ? t : e->kind == symbol_kind::state ? states[e->slot] : F;
    case operation::add:
      return argument(0) + argument(1);
    case operation::subtract:
      return argument(0) - argument(1);
    case operation::multiply:
      return argument(0) * argument(1);
    case operation::divide:
      return argument(0) / argument(1);
    case operation::negate:
      return -argument(0);
    case operation::minimum:
      return math::min(argument(0), argument(1));
    case operation::maximum:
      return math::max(argument(0), argument(1));
    case operation::absolute:
      return std::abs(argument(0));
    case operation::square_root:
      return std::sqrt(argument(0));
    case operation::exponential:
      return std::exp(argument(0));
    case operation::logarithm:
      return std::log(argument(0));
    case operation::sine:
      return std::sin(argument(0));
    case operation::cosine:
      return std::cos(argument(0));
    case operation::arctangent:
      return std::atan(argument(0));
    case operation::hyperbolic_tangent:
      return std::tanh(argument(0));
    case operation::hyperbolic_cosine:
      return std::cosh(argument(0));
    default:
      return std::nan("");
  }
}

double compiled_value_of(const expression& e) {
  const program_layout layout{.states = 2, .inputs = 0, .parameters = {F}, .constant_inputs = {}};
  const program code = compile({e}, {}, layout);
  std::vector<double> r(static_cast<std::size_t>(code.registers));
  code.prepare(r.data());
  r[0] = t;
  for (int i = 0; i < 2; ++i) r[static_cast<std::size_t>(layout.state_register(i))] = states[i];
  code.run(r.data());
  return r[code.outputs[0]];
}

}  // namespace

void try_input(std::string_view input) {
  const formula parsed = parse_formula(input, names(), "input:1:1");
  for (const auto* part : {&parsed.x, parsed.y ? &*parsed.y : nullptr}) {
    if (part == nullptr) continue;
    const std::string text = to_text(*part);
    const formula again = parse_formula(text, names(), "again:1:1");
    require(!again.is_vector() && to_text(again.x) == text, "a formula reads back: " + text);
    degree(*part);
    degree_in_forces(*part);
    degree_with_time(*part);
    infer_unit(*part);
    formula_numbers numbers;
    require(numbers(*part) == numbers(again.x), "what reads back says the same: " + text);
    if (contains(*part, operation::set_sgn) || contains(*part, operation::set_dio)) continue;
    // Compiled, whole powers are products, which round otherwise.
    if (contains(*part, operation::raise)) {
      (void)compiled_value_of(*part);
      continue;
    }
    const double from_tree = value_of(*part), compiled = compiled_value_of(*part);
    require(same(from_tree, compiled),
            fmt::format("{} is {} by its tree and {} compiled", text, from_tree, compiled));
  }
}

}  // namespace asperity::fuzz
