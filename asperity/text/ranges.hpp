// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values to go through, as people write them:
//
//   3                          one
//   1, 2, 5                    a list
//   lin(0, 1, 11)              from, to, how many, at equal distances, both ends included
//   log(1 mm/s, 10 m/s, 50)    ... at equal ratios
//
// Every value may carry a unit.

#include <asperity/model.hpp>
#include <string_view>
#include <vector>

namespace asperity {

// The values in SI. Throws asperity::error that names the text, the value and what is allowed.
std::vector<double> parse_values(std::string_view text, unit in, range allowed = any_value);

}  // namespace asperity
