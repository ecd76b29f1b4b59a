// SPDX-License-Identifier: Apache-2.0
#include <asperity/patch/quadrature.hpp>
#include <boost/math/special_functions/legendre.hpp>

namespace asperity::quadrature {

std::span<const weighted_node> gauss_rule(int points) {
  static const auto rules = [] {
    std::array<std::vector<weighted_node>, most_gauss_points + 1> all;
    for (int n = 1; n <= most_gauss_points; ++n)
      for (const double x : boost::math::legendre_p_zeros<double>(n)) {  // those from 0 upwards
        const double slope = boost::math::legendre_p_prime(n, x);
        const double weight = 2 / ((1 - x * x) * slope * slope);
        all[static_cast<std::size_t>(n)].push_back({x, weight});
        if (x > 0) all[static_cast<std::size_t>(n)].push_back({-x, weight});
      }
    return all;
  }();
  return rules[static_cast<std::size_t>(points)];
}

int gauss_points_for(std::complex<double> singular, int degree, double accuracy) {
  const auto root = std::sqrt(singular * singular - 1.0);
  const double rho = std::max(std::abs(singular + root), std::abs(singular - root));
  const int for_polynomial = (degree + 1) / 2;
  if (!(rho < 1e14)) return for_polynomial + 1;  // also where all is infinite
  const double needed = std::ceil(-std::log(accuracy) / (2 * std::log(rho)));
  return for_polynomial + static_cast<int>(std::min(needed, 1e6));
}

}  // namespace asperity::quadrature
