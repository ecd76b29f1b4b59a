// SPDX-License-Identifier: Apache-2.0
// Numbers with units: "5 N/um".

#include <asperity/quantity.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

void try_input(std::string_view input) {
  const quantity q = parse_quantity(input);
  require(std::isfinite(q.value), "a quantity is finite");
  // What is printed of a unit can be read again; powers, of newtons where there are kilograms, are
  // printed with six digits.
  const unit again = q.in == units::one ? q.in : parse_quantity("1 " + to_string(q.in)).in;
  const auto near = [](double a, double b) {
    return std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(b));
  };
  require(near(again.kilogram, q.in.kilogram) && near(again.metre, q.in.metre) &&
              near(again.second, q.in.second),
          "a unit reads back as it is printed: " + to_string(q.in));
  require(in_si(input, q.in) == q.value, "a quantity has its own unit");
}

}  // namespace asperity::fuzz
