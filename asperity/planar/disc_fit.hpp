// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions G, H and T of disc_coulomb.hpp without its iteration, for laws that need them at
// every step. With x = 1 - m = 1 - min(eps, 1/eps)^2 each is
//
//   P(x) + x^2 log(x) Q(x),     P of degree 8, Q of degree 6
//
// which is how the elliptic integrals behave at x = 0. The coefficients solve these equations at
// the 16 points x = (1 - cos(i pi/15))^2/4, with 100 digits; pure sliding and pure spinning are
// among them. Errors relative to the functions are 3e-13 (G), 4e-12 (H) and 1e-13 (T) at most over
// the whole range; the tests hold them to that.

#include <asperity/scalar/pack.hpp>

namespace asperity {

namespace detail {

// Coefficients of P and Q, two functions side by side.
struct fit_of_two {
  double p[9][2], q[7][2];
};
inline constexpr fit_of_two G_and_H = {{{0.84882636315677518, 1.1317684842090334},
                                        {0.21220659078591769, -0.28294212100053129},
                                        {0.031359591247320892, -0.33764335887166352},
                                        {0.012628219404354254, -0.34902528195250754},
                                        {0.0048337256481956305, -0.32152675798317532},
                                        {-0.016129868701075203, -0.019854933251496801},
                                        {-0.05222835479200498, 0.60903746532417924},
                                        {-0.036951450024057794, 0.50515834374766977},
                                        {-0.0045448167254256077, 0.065028159778491954}},
                                       {{0.079577454023971192, -0.31830960917489681},
                                        {0.099462823386325588, -0.66300243576434825},
                                        {0.10820158105272257, -1.0058983556995249},
                                        {0.10477779669853439, -1.2167509628591764},
                                        {0.069409254672967421, -0.91298108768689556},
                                        {0.019371376122822418, -0.27055328124560252},
                                        {0.0010925361981602576, -0.015709694709916774}}};
inline constexpr fit_of_two G_and_T = {{{0.84882636315677518, 0.28294212105225836},
                                        {0.21220659078591769, 0.21220659078951792},
                                        {0.031359591247320892, 0.1277952300335482},
                                        {0.012628219404354254, 0.017884722937105461},
                                        {0.0048337256481956305, 0.0075277470310721496},
                                        {-0.016129868701075203, 0.0059834205727594255},
                                        {-0.05222835479200498, 0.0074751272299299091},
                                        {-0.036951450024057794, 0.0043475567790113639},
                                        {-0.0045448167254256077, 0.00050415024146385431}},
                                       {{0.079577454023971192, -0.079577469814514606},
                                        {0.099462823386325588, -0.03315639294629593},
                                        {0.10820158105272257, -0.021701400693661284},
                                        {0.10477779669853439, -0.015413522795895343},
                                        {0.069409254672967421, -0.0086095024354803252},
                                        {0.019371376122822418, -0.0022174465835328532},
                                        {0.0010925361981602576, -0.00012043815232273301}}};

// x, x^2 and x^2 log(x), of which a fit is made.
template <class S>
struct fit_terms {
  S x, x2, singular;
};
// Even and odd powers side by side: half the chain of Horner's rule. `read` makes a number of a
// pair of coefficients.
template <class S, class Read>
ASPERITY_FN S fitted(const fit_of_two& f, const fit_terms<S>& at, const Read& read) {
  const auto p = [&](int i) { return read(f.p[i]); };
  const auto q = [&](int i) { return read(f.q[i]); };
  const S& x = at.x;
  const S& x2 = at.x2;
  const S p_even = (((p(8) * x2 + p(6)) * x2 + p(4)) * x2 + p(2)) * x2 + p(0);
  const S p_odd = ((p(7) * x2 + p(5)) * x2 + p(3)) * x2 + p(1);
  const S q_even = ((q(6) * x2 + q(4)) * x2 + q(2)) * x2 + q(0);
  const S q_odd = (q(5) * x2 + q(3)) * x2 + q(1);
  return (p_even + x * p_odd) + at.singular * (q_even + x * q_odd);
}

}  // namespace detail

// For x in [0, 1]: G, and H where `slides_more` (eps > 1), T elsewhere.
template <class S>
struct disc_fit {
  S G, spin;
};
template <class S, class Mask>
ASPERITY_FN disc_fit<S> disc_fit_at(const S& x, const Mask& slides_more) {
  using namespace detail;
  const S x2 = x * x;
  // Close to 0 the term is far below rounding, and the logarithm of 0 is not asked for.
  const S singular = x2 * math::log<S>(math::max<S>(lit<S>(1e-30), x));
  if constexpr (std::is_same_v<S, double>) {
    // Both functions in one register.
    using two = pack<double, 2>;
    const two both = fitted<two>(slides_more ? G_and_H : G_and_T, {x, x2, singular},
                                 [](const double* pair) { return two::load(pair); });
    return {both[0], both[1]};
  } else {
    const fit_terms<S> at{x, x2, singular};
    const auto first = [](const double* pair) { return lit<S>(pair[0]); };
    const auto second = [](const double* pair) { return lit<S>(pair[1]); };
    return {fitted<S>(G_and_H, at, first), math::select(slides_more, fitted<S>(G_and_H, at, second),
                                                        fitted<S>(G_and_T, at, second))};
  }
}

}  // namespace asperity
