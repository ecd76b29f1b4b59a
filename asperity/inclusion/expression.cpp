// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/quantity.hpp>
#include <asperity/error.hpp>
#include <asperity/inclusion/expression.hpp>
#include <cmath>

namespace asperity {

using enum operation;

expression::expression(double value) {
  node n;
  n.value = value;
  node_ = std::make_shared<const node>(std::move(n));
}

expression expression::symbol(symbol_kind kind, int slot, std::string name,
                              std::optional<unit> in) {
  node n;
  n.what = operation::symbol;
  n.kind = kind;
  n.slot = slot;
  n.name = std::move(name);
  n.in = in;
  return expression(std::move(n));
}

expression expression::named(std::string name, expression value) {
  node n;
  n.what = operation::named;
  n.name = std::move(name);
  n.arguments.push_back(std::move(value));
  return expression(std::move(n));
}

expression expression::force(int term, int index, std::string name, std::optional<unit> in) {
  node n;
  n.what = operation::force;
  n.slot = term;
  n.index = index;
  n.name = std::move(name);
  n.in = in;
  return expression(std::move(n));
}

expression expression::make(operation what, std::vector<expression> arguments, int index) {
  node n;
  n.what = what;
  n.index = index;
  n.arguments = std::move(arguments);
  return expression(std::move(n));
}

bool expression::is_number(double value) const { return is(number) && node_->value == value; }

expression expression::at_place(std::string place) const {
  node n = *node_;
  n.place = std::move(place);
  return expression(std::move(n));
}

// Sums with 0 and products with 1 vanish; everything else stays as it was written.
expression operator+(const expression& a, const expression& b) {
  if (a.is_number(0)) return b;
  if (b.is_number(0)) return a;
  return expression::make(add, {a, b});
}
expression operator-(const expression& a, const expression& b) {
  if (b.is_number(0)) return a;
  if (a.is_number(0)) return -b;
  return expression::make(subtract, {a, b});
}
expression operator*(const expression& a, const expression& b) {
  if (a.is_number(1)) return b;
  if (b.is_number(1)) return a;
  return expression::make(multiply, {a, b});
}
expression operator/(const expression& a, const expression& b) {
  if (b.is_number(1)) return a;
  return expression::make(divide, {a, b});
}
expression operator-(const expression& a) {
  if (a.is(number)) return {-a->value};
  if (a.is(negate)) return a.argument(0);
  return expression::make(negate, {a});
}

expression pow(const expression& base, const expression& exponent) {
  return expression::make(raise, {base, exponent});
}
expression min(const expression& a, const expression& b) {
  return expression::make(minimum, {a, b});
}
expression max(const expression& a, const expression& b) {
  return expression::make(maximum, {a, b});
}
expression abs(const expression& x) { return expression::make(absolute, {x}); }
expression sqrt(const expression& x) { return expression::make(square_root, {x}); }
expression exp(const expression& x) { return expression::make(exponential, {x}); }
expression log(const expression& x) { return expression::make(logarithm, {x}); }
expression sin(const expression& x) { return expression::make(sine, {x}); }
expression cos(const expression& x) { return expression::make(cosine, {x}); }
expression atan(const expression& x) { return expression::make(arctangent, {x}); }
expression tanh(const expression& x) { return expression::make(hyperbolic_tangent, {x}); }
expression cosh(const expression& x) { return expression::make(hyperbolic_cosine, {x}); }
expression sgn(const expression& x) { return expression::make(set_sgn, {x}); }
expression dio(const expression& x) { return expression::make(set_dio, {x}); }

plane_vector sgn(const plane_vector& v) {
  return {expression::make(set_sgn, {v.x, v.y}, 0), expression::make(set_sgn, {v.x, v.y}, 1)};
}
expression norm(const plane_vector& v) { return sqrt(v.x * v.x + v.y * v.y); }

// ---- text ---------------------------------------------------------------------------------------

const char* function_name(operation what) {
  switch (what) {
    case minimum:
      return "min";
    case maximum:
      return "max";
    case absolute:
      return "abs";
    case square_root:
      return "sqrt";
    case exponential:
      return "exp";
    case logarithm:
      return "log";
    case sine:
      return "sin";
    case cosine:
      return "cos";
    case arctangent:
      return "atan";
    case hyperbolic_tangent:
      return "tanh";
    case hyperbolic_cosine:
      return "cosh";
    case set_sgn:
      return "sgn";
    case set_dio:
      return "dio";
    default:
      return nullptr;
  }
}

namespace {

int precedence(const expression& e) {
  switch (e->what) {
    case add:
    case subtract:
      return 1;
    case multiply:
    case divide:
      return 2;
    case negate:
      return 3;
    case raise:
      return 4;
    case number:
      return e->value < 0 ? 3 : 5;
    default:
      return 5;
  }
}

std::string write(const expression& e, bool full) {
  const auto part = [&](std::size_t i, int least) {
    const expression& of = e.argument(i);
    const expression& shown = full && of.is(named) ? of.argument(0) : of;
    const std::string text = write(of, full);
    return precedence(shown) < least ? fmt::format("({})", text) : text;
  };
  switch (e->what) {
    case number:
      return fmt::format("{}", e->value);
    case symbol:
    case force:
      return e->name;
    case named:
      return full ? write(e.argument(0), full) : e->name;
    case add:
      return part(0, 1) + " + " + part(1, 1);
    case subtract:
      return part(0, 1) + " - " + part(1, 2);
    case multiply:
      return part(0, 2) + "*" + part(1, 3);
    case divide:
      return part(0, 2) + "/" + part(1, 3);
    case negate:
      return fmt::format("-{}", part(0, 3));
    case raise:
      return part(0, 5) + "^" + part(1, 5);
    default:
      break;
  }
  std::vector<std::string> parts;
  for (const auto& each : e->arguments) parts.push_back(write(each, full));
  const bool is_vector = e->what == set_sgn && parts.size() == 2;
  if (is_vector)
    return fmt::format("sgn([{}, {}]).{}", parts[0], parts[1], e->index == 0 ? "x" : "y");
  return fmt::format("{}({})", function_name(e->what), fmt::join(parts, ", "));
}

}  // namespace

std::string to_text(const expression& e) { return write(e, false); }
std::string to_full_text(const expression& e) { return write(e, true); }

// ---- looking at trees ---------------------------------------------------------------------------

bool contains(const expression& e, const std::function<bool(const expression::node&)>& wanted) {
  if (wanted(*e)) return true;
  return std::any_of(e->arguments.begin(), e->arguments.end(),
                     [&](const expression& each) { return contains(each, wanted); });
}

bool contains(const expression& e, operation what) {
  return contains(e, [&](const expression::node& n) { return n.what == what; });
}

bool is_constant(const expression& e) {
  if (e.is(symbol)) return e->kind == symbol_kind::parameter;
  if (e.is(force)) return false;
  return std::all_of(e->arguments.begin(), e->arguments.end(), is_constant);
}

namespace {

template <class Leaf>
int degree_of(const expression& e, const Leaf& leaf) {
  const auto of = [&](std::size_t i) { return degree_of(e.argument(i), leaf); };
  switch (e->what) {
    case number:
      return 0;
    case symbol:
    case force:
      return leaf(e);
    case named:
    case negate:
      return of(0);
    case add:
    case subtract:
      return std::max(of(0), of(1));
    case multiply:
      return std::min(2, of(0) + of(1));
    case divide:
      return of(1) == 0 ? of(0) : 2;
    case raise:
      if (e.argument(1).is_number(1)) return of(0);
      break;
    default:
      break;
  }
  for (std::size_t i = 0; i < e->arguments.size(); ++i)
    if (of(i) > 0) return 2;
  return 0;
}

}  // namespace

int degree(const expression& e) {
  return degree_of(e, [](const expression& leaf) {
    return leaf.is(force) || leaf->kind == symbol_kind::state ? 1 : 0;
  });
}

int degree_in_forces(const expression& e) {
  return degree_of(e, [](const expression& leaf) { return leaf.is(force) ? 1 : 0; });
}

// ---- units --------------------------------------------------------------------------------------

namespace {

using sort = inferred_unit::sort;

[[noreturn]] void disagree(const expression& e, const std::string& why) {
  const std::string where = e->place.empty() ? "" : fmt::format("{}: ", e->place);
  throw error(fmt::format("{}units do not agree in '{}': {}", where, to_text(e), why));
}

inferred_unit agree(const expression& e, inferred_unit a, inferred_unit b) {
  if (a.is == sort::any) return b;
  if (b.is == sort::any) return a;
  if (a.is == sort::unknown || b.is == sort::unknown) return {sort::unknown, {}};
  if (!(a.in == b.in))
    disagree(e, fmt::format("'{}' is in {}, '{}' in {}; one of them misses a factor",
                            to_text(e.argument(0)), to_string(a.in), to_text(e.argument(1)),
                            to_string(b.in)));
  return a;
}

inferred_unit combine(inferred_unit a, inferred_unit b, bool quotient) {
  if (a.is == sort::unknown || b.is == sort::unknown) return {sort::unknown, {}};
  if (a.is == sort::any && b.is == sort::any) return {};
  return {sort::known, quotient ? a.in / b.in : a.in * b.in};
}

}  // namespace

inferred_unit infer_unit(const expression& e) {
  const auto of = [&](std::size_t i) { return infer_unit(e.argument(i)); };
  switch (e->what) {
    case number:
      return {};
    case symbol:
    case force:
      return e->in ? inferred_unit{sort::known, *e->in} : inferred_unit{sort::unknown, {}};
    case named:
    case negate:
    case absolute:
      return of(0);
    case add:
    case subtract:
    case minimum:
    case maximum:
      return agree(e, of(0), of(1));
    case multiply:
      return combine(of(0), of(1), false);
    case divide:
      return combine(of(0), of(1), true);
    case raise: {
      const inferred_unit base = of(0), exponent = of(1);
      if (exponent.is == sort::known && !(exponent.in == units::one))
        disagree(e, fmt::format("the exponent is in {}", to_string(exponent.in)));
      if (base.is != sort::known || base.in == units::one) return base;
      if (!e.argument(1).is(number))
        disagree(e, fmt::format("the base is in {}, so the exponent must be a number",
                                to_string(base.in)));
      return {sort::known, power(base.in, e.argument(1)->value)};
    }
    case square_root: {
      const inferred_unit x = of(0);
      return x.is == sort::known ? inferred_unit{sort::known, power(x.in, 0.5)} : x;
    }
    case set_sgn: {
      if (e->arguments.size() == 2)
        agree(e, of(0), of(1));
      else
        of(0);
      return {sort::known, units::one};
    }
    case set_dio: {
      // Force times gap is energy.
      const inferred_unit gap = of(0);
      if (gap.is == sort::known) return {sort::known, units::joule / gap.in};
      return {sort::unknown, {}};
    }
    default:
      break;
  }
  const inferred_unit x = of(0);
  if (x.is == sort::known && !(x.in == units::one))
    disagree(e, fmt::format("the argument of {} is in {}, but must be a plain number",
                            function_name(e->what), to_string(x.in)));
  return x.is == sort::unknown ? x : inferred_unit{sort::known, units::one};
}

}  // namespace asperity
