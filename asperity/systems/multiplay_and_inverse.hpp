// SPDX-License-Identifier: Apache-2.0
#pragma once

// A multiplay (Drincic 2012, 2.4), moved as a function of time, and its inverse (2.32), (2.33), driven
// by the output of the first. y = (states of the multiplay, states of the inverse).

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/mechanics/composed_system.hpp>

namespace asperity {

struct multiplay_and_inverse final : composed_system {
  multiplay_and_inverse(any_model the_model, signal moved)
      : model(std::move(the_model)),
        elements(model.states() / 2),
        k(model.get("k")),
        motion(std::move(moved)) {
    if (k.size() == 1) k.assign(static_cast<std::size_t>(elements), k.front());
    for (const double each : k) stiffness += each;
    card_.kind = "multiplay_and_inverse";
    card_.models = {{"hysteresis", &model}};
    add_input("motion", units::metre, motion, false);
    const auto names = model.state_names();
    const auto in = model.state_units();
    for (const char* suffix : {"", "_inverse"})
      for (std::size_t i = 0; i < names.size(); ++i) add_state(names[i] + suffix, in[i], 0, 1);
    model.initial(initial_.data());
    model.initial(initial_.data() + model.states());
    add_output("x", units::metre);
    add_output("f", units::newton);
    add_output("x_inverse", units::metre);
    // Energy of the masses that the input drags along; the inverse is a computation and has none.
    // A spring with a dead zone pulls with m a + c v; its other end, the input, supplies.
    set_energy({{"kinetic", "springs"}, {"motion"}, {{"dampers", "", true, {{"viscous"}}}}});
  }
  any_model model;
  int elements;
  std::vector<double> k;
  double stiffness = 0;
  signal motion;

  // (2.33): the input that gives f at the state of the inverse.
  double recovered(const double* inverse, double f) const {
    double sum = f;
    for (int i = 0; i < elements; ++i) sum += k[static_cast<std::size_t>(i)] * inverse[i];
    return sum / stiffness;
  }
  void rates(double t, const double* y, double* rate, workspace&) const override {
    const int n = model.states();
    const double f = model.respond(y, motion.value(t), 0, 1, rate);
    model.respond(y + n, recovered(y + n, f), 0, 1, rate + n);
  }
  void observe(double t, const double* y, double* out, workspace&) const override {
    double ignored[any_model::max_states];
    out[0] = motion.value(t);
    out[1] = model.respond(y, out[0], 0, 1, ignored);
    out[2] = recovered(y + model.states(), out[1]);
  }

  void energies(double t, const double* y, double* out, workspace&) const override {
    std::fill_n(out, 3, 0.0);
    for_each_mass(t, y, [&](double m_i, double, double k_i, double v, double pull) {
      out[0] += 0.5 * m_i * v * v;
      out[1] += 0.5 * pull * pull / k_i;
    });
  }
  void powers(double t, const double* y, double* out, workspace&) const override {
    std::fill_n(out, 3, 0.0);
    for_each_mass(t, y, [&](double, double c_i, double, double v, double pull) {
      out[0] += pull * motion.slope(t);
      out[1] += c_i * v * v;
    });
    out[2] = out[1];
  }

 private:
  template <class Visit>
  void for_each_mass(double t, const double* y, const Visit& visit) const {
    double rate[any_model::max_states];
    model.respond(y, motion.value(t), 0, 1, rate);
    const auto m = model.get("m"), c = model.get("c");
    for (int i = 0; i < elements; ++i) {
      const auto at = [&](const std::vector<double>& list) {
        return list[list.size() == 1 ? 0 : static_cast<std::size_t>(i)];
      };
      const double v = y[elements + i], m_i = at(m), c_i = at(c);
      visit(m_i, c_i, at(k), v, m_i * rate[elements + i] + c_i * v);
    }
  }
};

}  // namespace asperity
