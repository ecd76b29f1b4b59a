// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/card.hpp>
#include <cmath>

namespace asperity {

bool allows(range r, double value) {
  const bool above = r.open_below ? value > r.lower : value >= r.lower;
  return std::isfinite(value) && above && value <= r.upper &&
         (!r.whole || value == std::floor(value));
}

std::string to_string(range r) {
  const bool has_lower = r.lower > -unbounded, has_upper = r.upper < unbounded;
  if (r.whole) {
    if (!has_lower && !has_upper) return "any whole number";
    r.whole = false;
    return "a whole number, " + to_string(r);
  }
  if (has_lower && has_upper)
    return fmt::format("{}{:g} to {:g}", r.open_below ? "above " : "", r.lower, r.upper);
  if (has_lower) return fmt::format("{} {:g}", r.open_below ? "above" : "at least", r.lower);
  if (has_upper) return fmt::format("at most {:g}", r.upper);
  return "any finite number";
}

}  // namespace asperity
