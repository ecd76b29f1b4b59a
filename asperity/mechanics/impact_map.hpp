// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an impact becomes of, in pure numbers. A mass m meets a contact f = K d^lambda (...) at speed
// v. With the scales
//
//   L = (m v^2/K)^(1/(lambda+1)),   T = L/v                     (lambda = 1: T = sqrt(m/K))
//
// of length and time nothing is left of an impact but the shape of the law, and the weight g T/v:
//
//   kelvin_voigt_clamped    zeta = B T/(2 m)
//   hunt_crossley           b v, lambda
//   dai_contact             beta/alpha - 1, alpha/T
//   dai_contact_nonlinear   gamma beta_1, 1/(gamma T), gamma beta_2 L^lambda, lambda
//
// docs/design.md derives the maps. Without weight the first three are closed forms, quadratures or
// roots; all others follow the motion.

#include <array>
#include <asperity/catalogue/catalogue.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace asperity {

struct impact_numbers {
  double restitution = 0;  // at the surface where there is weight; 0: it stays in contact
  double duration = 0;     // until the force is first lost, over T; infinite where it never is
  double depth = 0;        // greatest, over L
  double force = 0;        // greatest, over m v/T
};

impact_numbers impact_on_kelvin_voigt_clamped(double zeta);
impact_numbers impact_on_hunt_crossley(double b_v, double lambda);
// Over T: alpha and beta >= alpha, above which energy would be created.
impact_numbers impact_on_dai_contact(double alpha, double beta);

// An impact that was followed step by step, and how fast the modes of its motion in contact are.
struct followed_impact {
  impact_numbers numbers;
  double fastest = 0;         // largest |eigenvalue| times T
  double euler = 0, rk4 = 0;  // longest steps without amplification, over T
  bool is_complete = true;    // false where it took too many steps
};

// ---- laws ---------------------------------------------------------------------------------------

inline constexpr int most_shapes = 3;
using impact_shape = std::array<double, most_shapes>;

// A law of contact whose impacts are known as a map.
struct impact_law {
  const char* key;  // in the catalogue
  struct number {
    const char* name;    // in symbols of the law
    double least, most;  // that the map is trusted with; it may also be 0 where may_vanish
    bool may_vanish;
  };
  std::vector<number> shape;  // the first is the damping
  bool has_exponent;

  impact_numbers (*without_weight)(const impact_shape&, double lambda);
  followed_impact (*follow)(const impact_shape&, double lambda, double weight, bool with_modes);
  // The shape at `ratio` times the speed.
  impact_shape (*at_speed)(const impact_shape&, double ratio, double lambda);
  // The parameters of the model, K among them, and back.
  void (*write)(any_model&, const impact_shape&, double mass, double speed, double T);
  impact_shape (*read)(const any_model&, double mass, double speed, double T);

  double lambda(const any_model&) const;
  double stiffness(double mass, double speed, double T, double lambda) const;
  double time_scale(const any_model&, double mass, double speed) const;  // T [s]
  impact_numbers numbers(const impact_shape& s, double lambda, double weight) const {
    return weight == 0 ? without_weight(s, lambda) : follow(s, lambda, weight, false).numbers;
  }
};

std::span<const impact_law> impact_laws();
const impact_law* find_impact_law(std::string_view key);  // null where there is none

// Sets the damping of a contact such that a mass without weight rebounds with `restitution`; K and
// the parameters in `given` stay. Throws asperity::error where the law has no map, where what is
// given fixes the restitution, and where it is out of reach, with what is in reach. Speed is needed
// by laws whose restitution depends on it.
void set_restitution(any_model&, double restitution, double mass, std::optional<double> speed,
                     const std::vector<std::string>& given);
// The parameters that it may set.
std::vector<std::string> damping_parameters(std::string_view key);

// ---- dai_contact as the regularisation of rigid contact -----------------------------------------

// Restitution of a unit mass that hits a dai_contact of unit stiffness at unit speed: beta omega,
// and alpha/beta. Its weight is g/(omega u): with it, the speed at which it passes the surface.
double restitution_of(double beta_omega, double ratio, double weight = 0);
// beta omega and alpha/beta for a wanted restitution in [0, 1].
struct contact_shape {
  double beta_omega, ratio;
};
contact_shape shape_for_restitution(double restitution);
// beta omega for a given alpha omega, and alpha/beta for a given beta omega; an end of the range
// where the restitution is out of reach.
double beta_for_restitution(double restitution, double alpha_omega);
double ratio_for_restitution(double restitution, double beta_omega);

}  // namespace asperity
