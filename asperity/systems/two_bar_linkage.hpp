// SPDX-License-Identifier: Apache-2.0
#pragma once

// The preloaded two-bar linkage (Drincic 2012, 5.4): two bars joined by a pin that a force F pushes
// down, held by a spring and a damper between their ends.
//
//   I(theta) theta_ddot + J sin cos theta_dot^2 + 2 k l^2 (cos theta_0 - cos theta) sin theta
//     + 2 c l^2 sin^2 theta theta_dot = -(l/2) cos theta F                                  [N m]
//   y = l sin theta,   q = 2 l cos theta                                                    [m]
//
// (5.16) prints I = J sin^2 + (5/24) m_bar l^2, J = (2 m + (9/8) m_bar) l^2, which leaves out the
// vertical velocity of the right bar; right are J = (2 m + m_bar) l^2, I = J sin^2 + m_bar l^2/3
// (erratum 34). q is taken from theta: (5.17) is singular where the bars lie flat (erratum 35).

#include <asperity/mechanics/composed_system.hpp>
#include <cmath>

namespace asperity {

struct two_bar_linkage final : composed_system {
  double m = 1, m_bar = 0.5, k = 1, c = 1, l = 1, theta_0 = 0.78539816339744831;
  bool as_printed = false;  // the inertia of (5.16)
  signal force;

  two_bar_linkage() {
    card_.kind = "two_bar_linkage";
    constexpr double upright = 1.57079632679489662;  // there the ends of the bars meet
    add_state("theta", units::radian, 0, 1, {-upright, upright});
    add_state("omega", units::radian / units::second, 0, 1);
    add_output("force", units::newton);
    add_output("y", units::metre);
    add_output("q", units::metre);
    add_input("force", units::newton, force, false);
    set_energy({{"kinetic", "spring"}, {"force"}, {{"damper", "", true, {{"viscous"}}}}});
  }
  void push(const signal& shape) {
    force = shape;
    card_.inputs.back().shortest_period = shape.shortest_period();
  }
  std::vector<double> initial() const override { return {theta_0, 0}; }

  void rates(double t, const double* y, double* rate, workspace&) const override {
    const double sine = std::sin(y[0]), cosine = std::cos(y[0]);
    const double torque = pushing(t, y) - 2 * k * l * l * (std::cos(theta_0) - cosine) * sine -
                          damping(y) - swing() * sine * cosine * y[1] * y[1];
    rate[0] = y[1];
    rate[1] = torque / inertia(y[0]);
  }

  // The equation is half of Lagrange's: the force, which moves by l cos theta d theta, appears with
  // l/2. So every energy is twice what its terms give: I omega^2 (I' = 2 J sin cos), and that of a
  // spring stretched by 2 l (cos theta - cos theta_0).
  void energies(double, const double* y, double* out, workspace&) const override {
    const double stretch = 2 * l * (std::cos(y[0]) - std::cos(theta_0));
    out[0] = inertia(y[0]) * y[1] * y[1];
    out[1] = 0.5 * k * stretch * stretch;
    out[2] = 0;
  }
  void powers(double t, const double* y, double* out, workspace&) const override {
    out[0] = 2 * pushing(t, y) * y[1];
    out[1] = out[2] = 2 * damping(y) * y[1];
  }

  void observe(double t, const double* y, double* out, workspace&) const override {
    out[0] = force.value(t);
    out[1] = l * std::sin(y[0]);
    out[2] = 2 * l * std::cos(y[0]);
  }

  // (5.12): the force that holds the linkage at theta.
  double holding_force(double theta) const {
    return 4 * k * l * std::sin(theta) * (1 - std::cos(theta_0) / std::cos(theta));
  }

 private:
  double swing() const { return (2 * m + (as_printed ? 9.0 / 8 : 1.0) * m_bar) * l * l; }  // J
  double inertia(double theta) const {
    return swing() * std::sin(theta) * std::sin(theta) +
           (as_printed ? 5.0 / 24 : 1.0 / 3) * m_bar * l * l;
  }
  // Torques of the force and of the damper.
  double pushing(double t, const double* y) const {
    return -l / 2 * std::cos(y[0]) * force.value(t);
  }
  double damping(const double* y) const {
    return 2 * c * l * l * std::sin(y[0]) * std::sin(y[0]) * y[1];
  }
};

}  // namespace asperity
