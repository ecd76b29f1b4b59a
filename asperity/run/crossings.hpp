// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a curve crosses itself.

#include <cstddef>
#include <vector>

namespace asperity {

struct crossing {
  double u, y;
};

// Where the curve through rows [first, last] crosses itself. Neighbouring crossings closer than a
// thousandth of the box are counted once.
std::vector<crossing> self_crossings(const std::vector<double>& u, const std::vector<double>& y,
                                     std::size_t first, std::size_t last);

}  // namespace asperity
