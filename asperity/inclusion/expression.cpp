// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/inclusion/expression.hpp>
#include <asperity/portable.hpp>
#include <asperity/quantity.hpp>
#include <cmath>
#include <iterator>
#include <unordered_set>

namespace asperity {

using enum operation;

namespace {

constexpr std::uint32_t bit(operation what) { return 1U << static_cast<unsigned>(what); }
constexpr std::uint32_t bit(symbol_kind kind) {
  return 1U << (static_cast<unsigned>(set_dio) + 1 + static_cast<unsigned>(kind));
}
static_assert(bit(symbol_kind::input) != 0);

expression::node with_value(double value) {
  expression::node n;
  n.value = value;
  return n;
}

}  // namespace

namespace {

// A degree of a node whose arguments have theirs in `its`. `leaf`: does a symbol or force count?
// `function`: of a function of the argument given, which is not constant.
template <class Leaf, class Function>
std::uint8_t degree_of(const expression::node& n, std::uint8_t expression::node::*its,
                       const Leaf& leaf, const Function& function) {
  const auto of = [&](std::size_t i) { return static_cast<int>((*n.arguments[i]).*its); };
  const auto found = [&]() -> int {
    switch (n.what) {
      case number:
        return 0;
      case symbol:
      case force:
        return leaf(n) ? 1 : 0;
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
        if (n.arguments[1].is_number(1)) return of(0);
        break;
      default:
        break;
    }
    int most = 0;
    for (std::size_t i = 0; i < n.arguments.size(); ++i)
      if (of(i) > 0) most = std::max(most, function(*n.arguments[i]));
    return most;
  };
  return static_cast<std::uint8_t>(found());
}

}  // namespace

expression::expression(double value) : expression(with_value(value)) {}

expression::expression(node n) {
  n.holds = bit(n.what) | (n.what == operation::symbol ? bit(n.kind) : 0);
  n.depth = n.whole_depth = 0;
  for (const auto& each : n.arguments) {
    n.holds |= each->holds;
    if (n.what != operation::named) n.depth = std::max(n.depth, each->depth + 1);
    n.whole_depth = std::max(n.whole_depth, each->whole_depth + 1);
  }
  n.degree = degree_of(
      n, &node::degree,
      [](const node& leaf) {
        return leaf.what == operation::force || leaf.kind == symbol_kind::state;
      },
      [](const node&) { return 2; });
  n.degree_in_forces = degree_of(
      n, &node::degree_in_forces, [](const node& leaf) { return leaf.what == operation::force; },
      [](const node&) { return 2; });
  n.degree_with_time = degree_of(
      n, &node::degree_with_time,
      [](const node& leaf) {
        return leaf.what == operation::force || leaf.kind != symbol_kind::parameter;
      },
      [](const node& inside) {
        constexpr std::uint32_t moved = bit(operation::force) | bit(symbol_kind::state);
        return (inside.holds & moved) != 0 ? 2 : 1;
      });
  node_ = std::make_shared<node>(std::move(n));
}

// A tree that is deep is taken down level by level: its nodes would otherwise be destroyed by
// destructors that call each other.
expression::~expression() {
  constexpr int deep = 500;
  if (!node_ || node_->whole_depth < deep || node_.use_count() > 1) return;
  std::vector<expression> left;
  // Of a node that nobody else has, and that was not made const.
  const auto take_arguments = [&](const node& from) {
    auto& arguments = const_cast<node&>(from).arguments;  // NOLINT
    std::move(arguments.begin(), arguments.end(), std::back_inserter(left));
    arguments.clear();
  };
  take_arguments(*node_);
  while (!left.empty()) {
    const expression next = std::move(left.back());
    left.pop_back();
    if (next.node_ && next.node_.use_count() == 1) take_arguments(*next.node_);
  }
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

expression expression::force(int term, int index, std::string name, std::optional<unit> in,
                             bool is_bare) {
  node n;
  n.what = operation::force;
  n.slot = term;
  n.index = index;
  n.name = std::move(name);
  n.in = in;
  n.is_bare = is_bare;
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

// Sums with 0 vanish; everything else stays as it was written.
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
  return expression::make(multiply, {a, b});
}
expression operator/(const expression& a, const expression& b) {
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
      return std::signbit(e->value) ? 3 : 5;  // -0, too
    default:
      return 5;
  }
}

}  // namespace

std::string to_text(const expression& e) {
  const auto part = [&](std::size_t i, int least) {
    const std::string text = to_text(e.argument(i));
    return precedence(e.argument(i)) < least ? fmt::format("({})", text) : text;
  };
  switch (e->what) {
    case number:
      return fmt::format("{}", e->value);
    case symbol:
    case force:
    case named:
      return e->name;
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
  for (const auto& each : e->arguments) parts.push_back(to_text(each));
  const bool is_vector = e->what == set_sgn && parts.size() == 2;
  if (is_vector)
    return fmt::format("sgn([{}, {}]).{}", parts[0], parts[1], e->index == 0 ? "x" : "y");
  return fmt::format("{}({})", function_name(e->what), fmt::join(parts, ", "));
}

// ---- looking at trees ---------------------------------------------------------------------------

int formula_numbers::number_of(parts key) {
  const auto next = static_cast<int>(numbers_.size());
  return numbers_.emplace(std::move(key), next).first->second;
}

int formula_numbers::operator()(const expression& e) { return number_of(sum_of(e)); }

int formula_numbers::number_of(const sum& all) {
  if (all.size() == 1 && all.begin()->second == 1) return all.begin()->first;
  parts key{static_cast<std::uint64_t>(add)};
  for (const auto& [item, times] : all) {
    key.push_back(static_cast<std::uint64_t>(item));
    key.push_back(detail::bit_cast<std::uint64_t>(times));
  }
  return number_of(std::move(key));
}

const formula_numbers::sum& formula_numbers::sum_of(const expression& e) {
  const auto known = [&](const expression::node& n) { return sums_.count(&n) != 0; };
  arguments_first(e, known, [&](const expression& each) {
    // A long sum counts as one item of what it is part of, as a product does: sums of sums would
    // otherwise grow with the square of their number.
    constexpr std::size_t longest = 64;
    sum its = find_sum(each);
    if (its.size() > longest) its = {{number_of(its), 1.0}};
    sums_.emplace(&*each, std::move(its));
    kept_.push_back(each);
  });
  return sums_.at(&*e);
}

formula_numbers::sum formula_numbers::find_sum(const expression& e) {
  sum result;
  const auto put = [&](const expression& item, double times) {
    for (const auto& [which, count] : sums_.at(&*item)) {
      double& all = result[which];
      all += times * count;
      if (all == 0) result.erase(which);
    }
  };
  switch (e->what) {
    case named:
    case add:
      for (const auto& each : e->arguments) put(each, 1);
      break;
    case subtract:
      put(e.argument(0), 1);
      put(e.argument(1), -1);
      break;
    case negate:
      put(e.argument(0), -1);
      break;
    case number:
      if (e->value != 0) result[number_of({static_cast<std::uint64_t>(number)})] = e->value;
      break;
    default: {
      parts key{static_cast<std::uint64_t>(e->what), static_cast<std::uint64_t>(e->kind),
                static_cast<std::uint64_t>(e->slot), static_cast<std::uint64_t>(e->index)};
      for (const auto& each : e->arguments)
        key.push_back(static_cast<std::uint64_t>(number_of(sums_.at(&*each))));
      result[number_of(std::move(key))] = 1;
    }
  }
  return result;
}

bool contains(const expression& e, const std::function<bool(const expression::node&)>& wanted) {
  std::unordered_set<const expression::node*> seen;
  bool found = false;
  const auto known = [&](const expression::node& n) { return found || seen.count(&n) != 0; };
  arguments_first(e, known, [&](const expression& each) {
    seen.insert(&*each);
    found = wanted(*each);
  });
  return found;
}

bool contains(const expression& e, operation what) { return (e->holds & bit(what)) != 0; }

bool is_set_valued(const expression& e) {
  return contains(e, operation::set_sgn) || contains(e, operation::set_dio);
}

bool is_constant(const expression& e) {
  constexpr std::uint32_t changing =
      bit(force) | bit(symbol_kind::time) | bit(symbol_kind::state) | bit(symbol_kind::input);
  return (e->holds & changing) == 0;
}

int degree(const expression& e) { return e->degree; }
int degree_in_forces(const expression& e) { return e->degree_in_forces; }
int degree_with_time(const expression& e) { return e->degree_with_time; }

// ---- units --------------------------------------------------------------------------------------

namespace {

using sort = inferred_unit::sort;

[[noreturn]] void disagree(const expression& e, const std::string& why) {
  const std::string where = e->place.empty() ? "" : fmt::format("{}: ", e->place);
  throw error(fmt::format("{}units do not agree in '{}': {}", where, to_text(e), why));
}

inferred_unit agree(const expression& e, inferred_unit a, inferred_unit b) {
  if (a.is == sort::known && b.is == sort::known && !(a.in == b.in))
    disagree(e, fmt::format("'{}' is in {}, '{}' in {}; one of them misses a factor",
                            to_text(e.argument(0)), to_string(a.in), to_text(e.argument(1)),
                            to_string(b.in)));
  // What fits everywhere takes the unit of what stands beside it.
  for (const sort each : {sort::known, sort::unknown})
    if (a.is == each || b.is == each) return a.is == each ? a : b;
  if (a.is != sort::plain && b.is != sort::plain && !(a.in == units::one) &&
      !(b.in == units::one) && !(a.in == b.in))
    return {sort::unknown, {}};
  if (a.is == b.is) return a.in == units::one ? b : a;
  return a.is == sort::bare ? a : b;
}

inferred_unit combine(inferred_unit a, inferred_unit b, bool quotient) {
  const unit in = quotient ? a.in / b.in : a.in * b.in;
  for (const sort each : {sort::unknown, sort::bare, sort::known})
    if (a.is == each || b.is == each) return {each, each == sort::unknown ? unit{} : in};
  return {sort::plain, units::one};
}

inferred_unit power_of(const expression& e, inferred_unit base, inferred_unit exponent) {
  if (exponent.is == sort::known && !(exponent.in == units::one))
    disagree(e, fmt::format("the exponent is in {}", to_string(exponent.in)));
  if (base.is == sort::unknown || base.in == units::one) return base;
  if (e.argument(1).is(number)) return {base.is, power(base.in, e.argument(1)->value)};
  if (base.is == sort::known)
    disagree(
        e, fmt::format("the base is in {}, so the exponent must be a number", to_string(base.in)));
  return {sort::unknown, {}};
}

}  // namespace

inferred_unit unit_finder::operator()(const expression& e) {
  const auto known = [&](const expression::node& n) { return known_.count(&n) != 0; };
  arguments_first(e, known, [&](const expression& each) { known_.emplace(&*each, find(each)); });
  return of(e);
}

inferred_unit unit_finder::find(const expression& e) const {
  const auto of = [&](std::size_t i) { return this->of(e.argument(i)); };
  switch (e->what) {
    case number:
      return {};
    case symbol:
    case force:
      if (!e->in) return {sort::unknown, {}};
      return {e->is_bare ? sort::bare : sort::known, *e->in};
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
    case raise:
      return power_of(e, of(0), of(1));
    case square_root: {
      const inferred_unit x = of(0);
      return {x.is, power(x.in, 0.5)};
    }
    case set_sgn:
      if (e->arguments.size() == 2)
        agree(e, of(0), of(1));
      else
        of(0);
      return {sort::plain, units::one};
    case set_dio: {
      // Force times gap is energy, and a gap that is a plain number is an angle.
      const inferred_unit gap = of(0);
      if (gap.is == sort::unknown) return gap;
      return {gap.is == sort::known ? sort::known : sort::bare,
              gap.in == units::one ? units::torque : units::joule / gap.in};
    }
    default:
      break;
  }
  const inferred_unit x = of(0);
  if (x.is == sort::known && !(x.in == units::one))
    disagree(e, fmt::format("the argument of {} is in {}, but must be a number without a unit",
                            function_name(e->what), to_string(x.in)));
  return {sort::plain, units::one};
}

inferred_unit infer_unit(const expression& e) { return unit_finder()(e); }

std::optional<unit> inferred_unit::shown() const {
  if (is == sort::unknown || (is == sort::bare && in == units::one)) return {};
  return in;
}

}  // namespace asperity
