// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/identify/motion.hpp>
#include <cmath>

namespace asperity {

namespace {

// Sizes that the card states: by their units.
struct sizes {
  double force = 0, length = 0, stiffness = 0, speed = 0;
};

sizes sizes_of(const any_model& model) {
  using namespace units;
  sizes s;
  double weakest = 0;
  for (const auto& p : model.describe().parameters) {
    if (p.value.empty()) continue;
    const double value = std::abs(*p.value[0]);
    if (!(value > 0)) continue;
    if (p.in == newton) s.force = std::max(s.force, value);
    if (p.in == metre && s.length == 0) s.length = value;
    if (p.in == newton / metre) {
      const auto values = model.get(p.name);
      double sum = 0;
      for (const double each : values) sum += std::abs(each);
      s.stiffness = std::max(s.stiffness, sum);
      weakest = *std::min_element(values.begin(), values.end());
    }
    if (p.in == metre / second && s.speed == 0) s.speed = value;
  }
  if (s.force > 0 && s.stiffness > 0) s.length = s.force / s.stiffness;
  if (weakest > 0 && s.force > 0 && model.states() > 2)
    s.length = std::max(s.length, s.force / weakest / model.states());
  if (!(s.length > 0)) s.length = 1e-3;
  if (!(s.speed > 0)) s.speed = s.length / 0.05;
  return s;
}

void add(record& r, const char* name, std::vector<double> values) {
  r.channels.push_back({name, std::move(values)});
}

}  // namespace

record rich_motion(const any_model& model, int rows) {
  const port& at = model.at();
  record r;
  r.name = "rich motion";
  if (at.is_sliding()) {
    const sizes s = sizes_of(model);
    struct segment {
      double stroke, speed;
    };
    const segment plan[] = {{30 * s.length, s.speed},       {0.7 * s.length, 0.5 * s.speed},
                            {2 * s.length, 0.5 * s.speed},  {6 * s.length, s.speed},
                            {60 * s.length, 10 * s.speed},  {3 * s.length, 5 * s.speed},
                            {20 * s.length, 0.1 * s.speed}, {30 * s.length, 3 * s.speed}};
    double t = 0;
    std::vector<double> v;
    for (const segment& each : plan) {
      const double omega = each.speed / each.stroke, period = 6.283185307179586 / omega,
                   h = 2 * period / rows;
      for (int k = 0; k < rows; ++k) {
        r.t.push_back(t);
        v.push_back(each.speed * std::cos(omega * k * h));
        t += h;
      }
    }
    add(r, "v", std::move(v));
  } else if (at.is_line()) {
    const bool is_contact = at.is_contact();
    const double size = is_contact ? 1e-3 : 1.0;
    std::vector<double> x;
    double t = 0;
    const double amplitudes[] = {1.0, 0.6, 0.3, 0.8, 1.2, 0.5, 1.0, 0.2};
    const double periods[] = {1.0, 0.1, 0.03, 0.3, 0.05, 2.0, 0.01, 0.5};
    for (int m = 0; m < 8; ++m) {
      const double h = 2 * periods[m] / rows;
      for (int k = 0; k < rows; ++k) {
        r.t.push_back(t);
        const double wave = std::sin(6.283185307179586 * k * h / periods[m]);
        x.push_back(is_contact ? size * (0.3 - amplitudes[m] * wave)
                               : 2 * size * amplitudes[m] * wave + 0.1 * size * std::sin(2.1 * t));
        t += h;
      }
    }
    add(r, "x", std::move(x));
  } else {
    // Several directions: waves of different period in each.
    const int count = 8 * rows;
    const double h = 2e-4;
    std::vector<std::vector<double>> columns(at.inputs.size());
    for (int k = 0; k < count; ++k) {
      const double t = k * h;
      r.t.push_back(t);
      for (std::size_t i = 0; i < at.inputs.size(); ++i) {
        const double w = 40 + 23.0 * static_cast<double>(i);
        const double wave = std::sin(w * t) * (0.3 + 0.7 * std::abs(std::sin(3.1 * t)));
        columns[i].push_back(at.is_contact() && i == 0 ? -1e-3 * (0.7 + 0.6 * std::sin(17 * t))
                                                       : 0.05 * wave);
      }
    }
    for (std::size_t i = 0; i < at.inputs.size(); ++i) {
      const bool is_gap = at.is_contact() && i == 0;
      if (is_gap || (at.inputs[i].is == channel::rate && !(at.is_contact() && i == 1)))
        add(r, at.inputs[i].name, std::move(columns[i]));
    }
  }
  r.pieces = {{0, r.t.size()}};
  return r;
}

}  // namespace asperity
