// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions G, H and T of disc_coulomb.hpp without its iteration, for laws that need them at
// every step: each a quotient of two polynomials of degree 8 of x = 1 - m = 1 - min(eps, 1/eps)^2.
// Poles crowd towards x = 0 from the left, which is how a quotient follows the term x^2 log(x) of
// the elliptic integrals. The coefficients solve the equations of agreement at 17 points, found
// with 60 digits such that the errors between them are alike; pure sliding, pure spinning and
// eps = 1 are among them. Errors relative to the functions are 1.6e-10 (G), 3.5e-10 (H) and
// 6.2e-10 (T) at most over the whole range; the tests hold them to that.

#include <asperity/scalar/pack.hpp>

namespace asperity {

namespace detail {

// Coefficients of two functions side by side.
using coefficients_of_two = double[9][2];
struct fit_of_two {
  coefficients_of_two over, under;
};
inline constexpr fit_of_two G_and_H = {{{0.8488263631567751, 1.1317684842090334},
                                        {1473.07200005184, 2245.0641133816357},
                                        {357583.214403356, 625292.955753952},
                                        {19493425.903295282, 39358858.9798086},
                                        {295105468.74619704, 692671361.584781},
                                        {1367683595.0224855, 3728290357.1699777},
                                        {1968860183.351034, 6030824797.986482},
                                        {814276676.8564686, 2437562813.508202},
                                        {72295306.76971409, 120440624.59001413}},
                                       {{1.0, 1.0},
                                        {1735.1720751421822, 1983.9278588547586},
                                        {420834.792473979, 552985.7064065001},
                                        {22860913.706140544, 34911632.92665158},
                                        {342118663.07075214, 620159105.7268034},
                                        {1532248858.2779841, 3424029343.214154},
                                        {1999899076.9535377, 5908545403.702068},
                                        {620490708.1931329, 2820144378.427765},
                                        {20032922.618327763, 241431518.3391938}}};
inline constexpr fit_of_two G_and_T = {{{0.8488263631567751, 0.28294212105225836},
                                        {1473.07200005184, 420.1167619605377},
                                        {357583.214403356, 86710.70786875882},
                                        {19493425.903295282, 3974951.7305753054},
                                        {295105468.74619704, 50057891.63884659},
                                        {1367683595.0224855, 197618320.4324538},
                                        {1968860183.351034, 295471080.6546624},
                                        {814276676.8564686, 221594169.43681172},
                                        {72295306.76971409, 61317844.05320767}},
                                       {{1.0, 1.0},
                                        {1735.1720751421822, 1484.0651644917566},
                                        {420834.792473979, 305345.01309871074},
                                        {22860913.706140544, 13816371.90060221},
                                        {342118663.07075214, 166029352.9277484},
                                        {1532248858.2779841, 555330930.6814204},
                                        {1999899076.9535377, 460351633.6982745},
                                        {620490708.1931329, 51180054.44835899},
                                        {20032922.618327763, -1833090.1534722832}}};

// Even and odd powers side by side: half the chain of Horner's rule. `read` makes a number of a
// pair of coefficients.
template <class S, class Read>
ASPERITY_FN S polynomial(const coefficients_of_two& c, const S& x, const S& x2, const Read& read) {
  const auto at = [&](int i) { return read(c[i]); };
  const S even = (((at(8) * x2 + at(6)) * x2 + at(4)) * x2 + at(2)) * x2 + at(0);
  const S odd = ((at(7) * x2 + at(5)) * x2 + at(3)) * x2 + at(1);
  return even + x * odd;
}
template <class S, class Read>
ASPERITY_FN S fitted(const fit_of_two& f, const S& x, const Read& read) {
  const S x2 = x * x;
  return polynomial<S>(f.over, x, x2, read) / polynomial<S>(f.under, x, x2, read);
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
#if defined(__CUDACC__)
  // A GPU has no packs, and does not see the memory of the processor.
  constexpr fit_of_two G_and_H = detail::G_and_H, G_and_T = detail::G_and_T;
#else
  if constexpr (std::is_same_v<S, double>) {
    // Both functions in one register.
    using two = pack<double, 2>;
    const two both = fitted<two>(slides_more ? G_and_H : G_and_T, x,
                                 [](const double* pair) { return two::load(pair); });
    return {both[0], both[1]};
  } else
#endif
  {
    const auto first = [](const double* pair) { return lit<S>(pair[0]); };
    const auto second = [](const double* pair) { return lit<S>(pair[1]); };
    return {fitted<S>(G_and_H, x, first), math::select(slides_more, fitted<S>(G_and_H, x, second),
                                                       fitted<S>(G_and_T, x, second))};
  }
}

}  // namespace asperity
