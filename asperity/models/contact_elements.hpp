// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which laws of contact are linear while bodies touch, and as what (asperity/contact_element.hpp).

#include <asperity/contact_element.hpp>
#include <asperity/models/contact/dai_contact.hpp>
#include <asperity/models/contact/kelvin_voigt.hpp>
#include <asperity/models/contact/kelvin_voigt_clamped.hpp>

namespace asperity {

inline contact_element pressed_as(const dai_contact<double>& of) {
  return {.kind = contact_element::law::filtered,
          .K = of.K,
          .alpha = of.alpha,
          .beta = of.beta,
          .not_linear = of.beta < of.alpha ? "alpha is above beta, so that its swing grows" : ""};
}
inline contact_element pressed_as(const kelvin_voigt<double>& of) {
  return {.kind = contact_element::law::jumping, .K = of.K, .B = of.B};
}
inline contact_element pressed_as(const kelvin_voigt_clamped<double>& of) {
  return {.kind = contact_element::law::clamped, .K = of.K, .B = of.B};
}

}  // namespace asperity
