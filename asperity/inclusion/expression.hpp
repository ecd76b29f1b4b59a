// SPDX-License-Identifier: Apache-2.0
#pragma once

// Formulas as trees: what a user states a system with, in C++ by operators and in a file by text
// (formula.hpp). Trees are immutable and share their branches. Nothing here is evaluated step by
// step: see program.hpp.
//
//   const expression friction = F * sgn(v);
//   const expression pressure = dio(p - R);

#include <asperity/units.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace asperity {

enum class operation : std::uint8_t {
  number,
  symbol,  // a state, parameter, input, or time
  named,   // a definition: its argument under a name
  force,   // what replaces a set-valued term: component `index` of term `slot`
  add,
  subtract,
  multiply,
  divide,
  negate,
  raise,
  minimum,
  maximum,
  absolute,
  square_root,
  exponential,
  logarithm,
  sine,
  cosine,
  arctangent,
  hyperbolic_tangent,
  hyperbolic_cosine,
  set_sgn,  // set-valued: component `index` of the sign of its one or two arguments
  set_dio   // set-valued
};

enum class symbol_kind : std::uint8_t { time, state, parameter, input };

class expression {
 public:
  struct node {
    operation what = operation::number;
    double value = 0;                      // of a number
    symbol_kind kind = symbol_kind::time;  // of a symbol
    int slot = 0;                          // of a symbol: its place in the list of its kind
    int index = 0;                         // of a component
    std::string name;                      // of a symbol or definition
    std::optional<unit> in;                // of a symbol, where given
    bool is_bare = false;                  // of a force: as in inferred_unit
    std::vector<expression> arguments;
    std::string place;  // where it was written: "file.toml:12:30"
    // What occurs in it, a bit for each operation and each kind of symbol; found when it is made,
    // like the levels of operations in it: those that one formula has, definitions counting as
    // one, and all of them.
    std::uint32_t holds = 0;
    int depth = 0, whole_depth = 0;
    // What the functions of these names give; found when it is made, too.
    std::uint8_t degree = 0, degree_in_forces = 0, degree_with_time = 0;
  };

  expression(double value = 0);  // NOLINT(google-explicit-constructor): a number is a formula
  explicit expression(node n);
  expression(const expression&) = default;
  expression(expression&&) noexcept = default;
  expression& operator=(const expression&) = default;
  expression& operator=(expression&&) noexcept = default;
  ~expression();
  static expression symbol(symbol_kind kind, int slot, std::string name, std::optional<unit> in);
  static expression named(std::string name, expression value);
  static expression force(int term, int index, std::string name, std::optional<unit> in,
                          bool is_bare);
  static expression make(operation what, std::vector<expression> arguments, int index = 0);

  const node& operator*() const { return *node_; }
  const node* operator->() const { return node_.get(); }
  const expression& argument(std::size_t i) const { return node_->arguments[i]; }
  bool is(operation what) const { return node_->what == what; }
  bool is_number(double value) const;
  expression at_place(std::string place) const;  // the same, remembering where it was written

  friend expression operator+(const expression& a, const expression& b);
  friend expression operator-(const expression& a, const expression& b);
  friend expression operator*(const expression& a, const expression& b);
  friend expression operator/(const expression& a, const expression& b);
  friend expression operator-(const expression& a);

 private:
  std::shared_ptr<const node> node_;
};

expression pow(const expression& base, const expression& exponent);
expression min(const expression& a, const expression& b);
expression max(const expression& a, const expression& b);
expression abs(const expression& x);
expression sqrt(const expression& x);
expression exp(const expression& x);
expression log(const expression& x);
expression sin(const expression& x);
expression cos(const expression& x);
expression atan(const expression& x);
expression tanh(const expression& x);
expression cosh(const expression& x);
expression sgn(const expression& x);
expression dio(const expression& x);

// A vector in the plane: the argument of a sgn may be one.
struct plane_vector {
  expression x, y;

  friend plane_vector operator+(const plane_vector& a, const plane_vector& b) {
    return {a.x + b.x, a.y + b.y};
  }
  friend plane_vector operator-(const plane_vector& a, const plane_vector& b) {
    return {a.x - b.x, a.y - b.y};
  }
  friend plane_vector operator-(const plane_vector& a) { return {-a.x, -a.y}; }
  friend plane_vector operator*(const expression& a, const plane_vector& b) {
    return {a * b.x, a * b.y};
  }
  friend plane_vector operator*(const plane_vector& a, const expression& b) {
    return {a.x * b, a.y * b};
  }
  friend plane_vector operator/(const plane_vector& a, const expression& b) {
    return {a.x / b, a.y / b};
  }
};
plane_vector sgn(const plane_vector& v);
expression norm(const plane_vector& v);

// ---- looking at trees ---------------------------------------------------------------------------
// Definitions that use one another share branches: there may be exponentially more ways down to a
// node than nodes. Everything here but text looks at each node once.

// Visits the nodes below `e` and then `e` itself, each after its arguments and only where `known`
// does not know it; `visit` makes it known. Chains of definitions may be thousands of levels deep:
// nothing here calls itself.
template <class Known, class Visit>
void arguments_first(const expression& e, const Known& known, const Visit& visit) {
  struct step {
    const expression* at;
    std::size_t next;  // of its arguments
  };
  std::vector<step> open;
  if (!known(*e)) open.push_back({&e, 0});
  while (!open.empty()) {
    const expression& at = *open.back().at;
    if (open.back().next < at->arguments.size()) {
      const expression& argument = at->arguments[open.back().next++];
      if (!known(*argument)) open.push_back({&argument, 0});
      continue;
    }
    open.pop_back();
    if (!known(*at)) visit(at);
  }
}

// The formula in the notation that formula.hpp reads, definitions by their names.
std::string to_text(const expression& e);

// Numbers formulas so that two have the same number if they say the same: names of definitions do
// not count, nor does the order of a sum.
class formula_numbers {
 public:
  int operator()(const expression& e);

 private:
  using parts = std::vector<std::uint64_t>;
  using sum = std::map<int, double>;  // how often each number occurs
  int number_of(parts key);
  int number_of(const sum& all);
  const sum& sum_of(const expression& e);
  sum find_sum(const expression& e);

  std::map<parts, int> numbers_;
  std::unordered_map<const expression::node*, sum> sums_;
  std::vector<expression> kept_;  // a node that is gone could leave its address to another
};

// The name by which text calls a function: "sin", "dio" ...; nullptr for the rest.
const char* function_name(operation what);

bool contains(const expression& e, operation what);
bool contains(const expression& e, const std::function<bool(const expression::node&)>& wanted);
// Does it have sgn or dio in it?
bool is_set_valued(const expression& e);
// Does the value depend on states, forces or time?
bool is_constant(const expression& e);

// Highest power in which states and forces occur: 0, 1, or 2 for everything that is not linear.
// Time and inputs count as given.
int degree(const expression& e);
// The same for forces alone.
int degree_in_forces(const expression& e);
// The same where time and inputs count like states, but may stand in functions: at most 1 where
// all coefficients of states and forces are constant.
int degree_with_time(const expression& e);

// Units. Two declared units that disagree in a sum are refused; what has none fits everywhere.
struct inferred_unit {
  enum class sort : std::uint8_t {
    bare,   // a bare number, and what is multiplied with one: fits everywhere
    plain,  // the value of a function (sgn, sin ...): fits everywhere, changes no unit in products
    unknown,  // from symbols without a unit: fits everywhere
    known     // from declared units alone
  } is = sort::bare;
  unit in = units::one;  // of a bare one: where its bare numbers are plain numbers

  // The unit to show, where there is one.
  std::optional<unit> shown() const;
};
// Throws asperity::error that names the operation whose units do not agree, and its place.
inferred_unit infer_unit(const expression& e);
// The same for many formulas, which share branches and outlive it: each is looked at once.
class unit_finder {
 public:
  inferred_unit operator()(const expression& e);

 private:
  inferred_unit find(const expression& e) const;
  inferred_unit of(const expression& e) const { return known_.at(&*e); }
  std::unordered_map<const expression::node*, inferred_unit> known_;
};

}  // namespace asperity
