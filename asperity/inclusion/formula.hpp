// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text to formulas: numbers, names, + - * / ^ (right-associative, binds tighter than the sign),
// parentheses, functions, [a, b] for a vector in the plane, and .x .y for its components.
//
//   "-mu*N*sgn([v_x - R*w_y, v_y + R*w_x])"      "k*(p - x)^3 - c*abs(v)"
//
// A formula can only compute: there are no loops, no assignments and no names but those given.

#include <asperity/inclusion/expression.hpp>
#include <functional>
#include <string_view>

namespace asperity {

struct formula {
  expression x;
  std::optional<expression> y;  // of a vector

  bool is_vector() const { return y.has_value(); }
};

// What a formula may refer to. `find` returns nothing for names it does not know.
struct formula_names {
  std::function<std::optional<formula>(const std::string&)> find;
  std::function<std::vector<std::string>()> known;  // for suggestions
};

// `place` is where the text begins: "file.toml:12:30". Throws asperity::error that names line,
// column, what was met and what to do.
formula parse_formula(std::string_view text, const formula_names& names, const std::string& place);

// The names in a formula that are not those of functions, as they stand in it.
std::vector<std::string> names_in(std::string_view text);

// "file.toml:12:30" moved by so many columns.
std::string shifted(const std::string& place, std::size_t columns);

}  // namespace asperity
