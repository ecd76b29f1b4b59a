// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known of an uncertain parameter, as people write it; every value may carry a unit:
//
//   normal(1 kg, 100 g)        mean, standard deviation
//   uniform(0.9, 1.1)          from, to
//   lognormal(1, 0.1)          median, standard deviation of the logarithm

#include <asperity/units.hpp>
#include <string_view>

namespace asperity {

struct distribution {
  enum class kind { normal, uniform, lognormal };
  kind what = kind::normal;
  double a = 0, b = 1;  // in the order above, in SI

  // The value below which a share in (0, 1) of all values lies.
  double quantile(double share) const;
};

// Throws asperity::error that names the text and what is allowed.
distribution parse_distribution(std::string_view text, unit in);

}  // namespace asperity
