// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many discs or spheres that touch each other and planes: a few hundred, each contact with the law
// of `dai_frictional_contact`, its memory kept from step to step.
//
//   normal       f_n and e as in dai_contact, at the gap |x_j - x_i| - R_i - R_j
//   tangential   f_t = sat(mu f_n, K_2 (a + beta_2 w)), a and w vectors in the tangent plane
//
// Discs are spheres whose centres stay in the plane y = 0. Steps are of fixed length: forces, then
// velocities, then positions (symplectic Euler, order 1). Pairs are found on a grid of cells as
// wide as the widest grain, so the cost grows with the number of grains and not with its square.
// Nothing is allocated in a step once the lists have grown.

#include <algorithm>
#include <asperity/models/frictional_contact/dai_frictional_contact.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

namespace asperity {

class grains {
 public:
  using vector = vec<double, 3>;

  struct grain {
    vector x = {}, v = {}, omega = {};
    double R = 0.01, m = 1, I = 1;
  };
  // All x with normal (x - point) > 0 are free.
  struct plane {
    vector point, normal;
  };
  struct books {
    double kinetic = 0, potential = 0, stored = 0;
    double taken = 0, dissipated = 0;  // by the contacts, since the start
  };

  dai_frictional_contact<double> law;
  vector gravity{{0, 0, -9.81}};
  bool flat = false;  // discs: y, v_y, omega_x and omega_z stay 0
  std::vector<grain> bodies;
  std::vector<plane> planes;

  void step(double h) {
    forces_.assign(bodies.size(), {});
    torques_.assign(bodies.size(), {});
    find_contacts();
    for (auto& each : contacts_) act(each, h);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      grain& b = bodies[i];
      vector f = forces_[i], torque = torques_[i];
      if (flat) f[1] = torque[0] = torque[2] = 0;
      b.v = b.v + h * (gravity + (1 / b.m) * f);
      b.omega = b.omega + (h / b.I) * torque;
      b.x = b.x + h * b.v;
    }
    // Work of the contact forces, with the mean of the velocities before and after.
    for (const auto& each : contacts_) taken_ -= work_in(each, h);
  }

  // Contacts of the last step, and those that carry a force.
  std::size_t near_pairs() const { return contacts_.size(); }
  std::size_t touching() const {
    return static_cast<std::size_t>(
        std::count_if(contacts_.begin(), contacts_.end(), [](const auto& c) { return c.f_n > 0; }));
  }
  double deepest() const {
    double gap = 0;
    for (const auto& each : contacts_) gap = std::min(gap, each.gap);
    return -gap;
  }
  double fastest() const {
    double v = 0;
    for (const auto& each : bodies) v = std::max(v, norm(each.v));
    return v;
  }

  books energy() const {
    books result;
    for (const auto& b : bodies) {
      result.kinetic += 0.5 * b.m * dot(b.v, b.v) + 0.5 * b.I * dot(b.omega, b.omega);
      result.potential -= b.m * dot(gravity, b.x);
    }
    for (const auto& each : contacts_) result.stored += each.stored;
    result.taken = taken_;
    result.dissipated = lost_;
    return result;
  }

  // Sum of the momenta of all grains.
  vector momentum() const {
    vector sum{};
    for (const auto& b : bodies) sum = sum + b.m * b.v;
    return sum;
  }

 private:
  // A pair of grains, or a grain and a plane (second = number of grains + index of the plane).
  struct contact {
    std::uint64_t key = 0;
    std::uint32_t first = 0, second = 0;
    double e = 0;
    vector a = {};
    // What the last step did.
    vector normal = {}, force = {}, v_before = {};  // force on `second`
    double gap = 0, f_n = 0, stored = 0;
  };

  std::vector<contact> contacts_, before_;
  std::vector<vector> forces_, torques_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> cells_;
  double taken_ = 0, lost_ = 0;

  static vector cross(const vector& a, const vector& b) {
    return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
  }
  bool is_plane(const contact& c) const { return c.second >= bodies.size(); }

  // A surface that was pressed recovers for a while after the bodies part: contacts are kept as
  // long as grains are near, and forgotten (with what is left of their deflection) farther away.
  static double reach(double R) { return 0.1 * R; }

  static std::uint64_t cell_of(double x, double y, double z, double width) {
    const auto index = [&](double c) {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(c / width)) +
                                        1048576) &
             0x1fffff;
    };
    return index(x) << 42U | index(y) << 21U | index(z);
  }

  void add(std::uint32_t first, std::uint32_t second) {
    contact c;
    c.first = first;
    c.second = second;
    c.key = static_cast<std::uint64_t>(first) << 32U | second;
    contacts_.push_back(c);
  }

  void find_contacts() {
    std::swap(contacts_, before_);
    contacts_.clear();
    double widest = 0;
    for (const auto& b : bodies) widest = std::max(widest, b.R);
    const double width = 2 * widest + reach(widest);
    cells_.clear();
    for (std::uint32_t i = 0; i < bodies.size(); ++i)
      cells_.emplace_back(cell_of(bodies[i].x[0], bodies[i].x[1], bodies[i].x[2], width), i);
    std::sort(cells_.begin(), cells_.end());
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      const auto& b = bodies[i];
      for (int dx = -1; dx <= 1; ++dx)
        for (int dy = flat ? 0 : -1; dy <= (flat ? 0 : 1); ++dy)
          for (int dz = -1; dz <= 1; ++dz) {
            const auto cell =
                cell_of(b.x[0] + dx * width, b.x[1] + dy * width, b.x[2] + dz * width, width);
            auto at = std::lower_bound(cells_.begin(), cells_.end(),
                                       std::pair<std::uint64_t, std::uint32_t>{cell, 0});
            for (; at != cells_.end() && at->first == cell; ++at) {
              const auto j = at->second;
              if (j <= i) continue;
              const vector d = bodies[j].x - b.x;
              const double near = b.R + bodies[j].R + reach(std::min(b.R, bodies[j].R));
              if (dot(d, d) < near * near) add(i, j);
            }
          }
      for (std::uint32_t p = 0; p < planes.size(); ++p)
        if (dot(b.x - planes[p].point, planes[p].normal) < b.R + reach(b.R))
          add(i, static_cast<std::uint32_t>(bodies.size()) + p);
    }
    std::sort(contacts_.begin(), contacts_.end(),
              [](const auto& a, const auto& b) { return a.key < b.key; });
    auto old = before_.begin();
    for (auto& each : contacts_) {
      for (; old != before_.end() && old->key < each.key; ++old) forget(*old);
      if (old == before_.end() || old->key != each.key) continue;
      each.e = old->e;
      each.a = old->a;
      ++old;
    }
    for (; old != before_.end(); ++old) forget(*old);
  }
  // What it still stored goes to its dampers.
  void forget(const contact& c) { lost_ += c.stored; }

  // Velocity of `second` relative to `first` at their point of contact.
  vector relative_velocity(const contact& c) const {
    const grain& i = bodies[c.first];
    const vector at_first = i.v + cross(i.omega, i.R * c.normal);
    if (is_plane(c)) return -1.0 * at_first;
    const grain& j = bodies[c.second];
    return j.v + cross(j.omega, -j.R * c.normal) - at_first;
  }

  void act(contact& c, double h) {
    const grain& i = bodies[c.first];
    if (is_plane(c)) {
      const plane& p = planes[c.second - bodies.size()];
      c.normal = -1.0 * p.normal;
      c.gap = dot(i.x - p.point, p.normal) - i.R;
    } else {
      const auto [length, direction] = to_polar(bodies[c.second].x - i.x);
      c.normal = direction;
      c.gap = length - i.R - bodies[c.second].R;
    }
    const vector v = relative_velocity(c);
    const double rate = dot(v, c.normal);
    const vector slip = v - rate * c.normal;
    c.a = c.a - dot(c.a, c.normal) * c.normal;  // the tangent plane has turned
    const dai_contact<double> normal{law.K_1, law.beta_1, law.alpha};
    const dai_vector<double, 3> tangential{law.K_2, law.mu, law.beta_2};
    const auto pressed = normal({{c.e}}, {c.gap, rate});
    const auto dragged = tangential(c.a, slip, pressed.f);
    c.f_n = pressed.f;
    c.force = pressed.f * c.normal - dragged.f;
    c.v_before = v;

    const double e_dot = pressed.rate[0];
    lost_ += h * (law.K_1 * (law.beta_1 - law.alpha) * e_dot * e_dot +
                  law.K_2 * law.beta_2 * dot(dragged.a_dot, dragged.a_dot) +
                  dot(dragged.f, slip - dragged.a_dot));
    c.e += h * e_dot;
    c.a = c.a + h * dragged.a_dot;

    forces_[c.first] = forces_[c.first] - c.force;
    torques_[c.first] = torques_[c.first] - cross(i.R * c.normal, c.force);
    if (!is_plane(c)) {
      const grain& j = bodies[c.second];
      forces_[c.second] = forces_[c.second] + c.force;
      torques_[c.second] = torques_[c.second] + cross(-j.R * c.normal, c.force);
    }
    c.stored =
        normal.stored_energy({{c.e}}, {c.gap + h * rate, rate}) + tangential.stored_energy(c.a);
  }

  // Work of the contact force on the bodies over the step.
  double work_in(const contact& c, double h) const {
    return 0.5 * h * dot(c.force, c.v_before + relative_velocity(c));
  }
};

}  // namespace asperity
