// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers with units at the boundary: "5 N/um" in a file or on the command line becomes 5e6 in SI.
// A bare number is SI already.

#include <asperity/units.hpp>
#include <string>
#include <string_view>

namespace asperity {

struct quantity {
  double value = 0;  // in SI
  bool has_unit = false;
  unit in;
};

// "5", "5 N/um", "0.3 mm/s", "45 deg". Throws asperity::error that names what it did not
// understand.
quantity parse_quantity(std::string_view whole);

// The value in SI, after checking that a unit, where given, is of the expected kind.
double in_si(std::string_view text, unit expected);

// "N/m", "N s/m", "N/m^1.5"; "-" for a plain number.
std::string to_string(unit);

}  // namespace asperity
