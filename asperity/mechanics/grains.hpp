// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many discs or spheres that touch each other and planes: a few hundred, each contact with the law
// of `dai_frictional_contact`. Let n be the normal of a contact, p its gap, w its slip velocity:
//
//   m x'' = m g + forces,   I omega' = torques,   e, a as in dai_frictional_contact
//
// a lies in the tangent plane and turns with it: a' = (that of the law) - (a n') n. All of this,
// and the work that the contacts take and lose, is one ODE, given to Runge and Kutta's or Dormand
// and Prince's method. Between steps only the list of contacts changes: pairs are found on a grid
// of cells as wide as the widest grain, so the cost grows with the number of grains and not with
// its square. Discs are spheres whose centres stay in the plane y = 0. Nothing is allocated in a
// step once the lists have grown.
//
// Two grains touch in one point, half of the gap from either surface, so that what one of them gets
// of momentum and of angular momentum the other loses. The latter is no linear function of the state
// and methods keep it to their order only: what a step loses of it goes to the turning of the grains
// that are near each other.

#include <algorithm>
#include <asperity/integrate/outcome.hpp>
#include <asperity/integrate/step_control.hpp>
#include <asperity/mechanics/gravity.hpp>
#include <asperity/models/frictional_contact/dai_frictional_contact.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
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
  struct energies {
    double kinetic = 0, potential = 0, stored = 0;
    // By the contacts, since the start.
    double taken = 0, normal_damper = 0, tangential_damper = 0, slider = 0;
    double dissipated() const { return normal_damper + tangential_damper + slider; }
  };

  dai_frictional_contact<double> law;
  vector gravity{{0, 0, -usual_gravity}};
  bool flat = false;  // discs: y, v_y, omega_x and omega_z stay 0
  std::vector<grain> bodies;
  std::vector<plane> planes;

  // Finds the contacts of bodies that were put in their places; steps do so by themselves.
  void find_contacts() { find_contacts(0.0); }

  // One step of the classical method of Runge and Kutta.
  void step(double h) {
    gather(h);
    fourth_order_.adjust_size(y_);
    const vector before = angular_momentum();
    fourth_order_.do_step(rates_of(*this), y_, 0.0, h);
    scatter();
    keep_angular_momentum(before);
    ++steps_;
  }

  // Onward by `length`, in steps of Dormand and Prince's method that meet a relative tolerance.
  // Before each try of a step `watch` is told how far it came, and stops it by another answer than
  // completed; so does a step that fails. `done` is then how far it came.
  template <class Watch>
  outcome advance(double length, double tolerance, double& done, Watch&& watch) {
    constexpr detail::step_rule rule{5, 5, 0.9, 0.1};
    const double shortest = 1e-14 * length;
    if (!(h_ > 0)) h_ = 1e-3 * length;
    for (done = 0; done < length;) {
      const double remaining = length - done;
      bool last = h_ >= remaining * (1 - 1e-9);
      double h = last ? remaining : std::min(h_, 0.5 * remaining);
      gather(h);
      fifth_order_.adjust_size(y_);
      rate_.resize(y_.size());
      rates(y_, rate_);
      for (;;) {
        if (const outcome ends = watch(done); ends != outcome::completed) return ends;
        next_.resize(y_.size());
        next_rate_.resize(y_.size());
        error_.resize(y_.size());
        fifth_order_.do_step(rates_of(*this), y_, rate_, 0.0, next_, next_rate_, h, error_);
        const double worst = worst_error(tolerance);
        const double factor = rule.factor(worst);
        if (worst <= 1) {
          if (!last || factor < 1) h_ = h * factor;
          break;
        }
        ++rejected_;
        h = h_ = h * std::min(factor, rule.refused);
        last = false;
        if (h < shortest)
          return std::isfinite(worst) ? outcome::step_too_small : outcome::not_finite;
      }
      const vector before = angular_momentum();
      y_.swap(next_);
      scatter();
      keep_angular_momentum(before);
      ++steps_;
      done = last ? length : done + h;
    }
    return outcome::completed;
  }
  outcome advance(double length, double tolerance) {
    double done = 0;
    return advance(length, tolerance, done, [](double) { return outcome::completed; });
  }

  // Steps taken and thrown away since the start.
  long steps() const { return steps_; }
  long rejected() const { return rejected_; }
  long evaluations() const { return evaluations_; }

  // Pairs near enough to touch, those that carry a force, and the deepest overlap.
  std::size_t near_pairs() const { return contacts_.size(); }
  std::size_t touching() const {
    std::size_t count = 0;
    for (const auto& c : contacts_) {
      const auto seen = look(c, bodies[c.first], other(c));
      count += law(state_of(c, seen), seen.in).f_n > 0 ? 1U : 0U;
    }
    return count;
  }
  double deepest() const {
    double gap = 0;
    for (const auto& c : contacts_) gap = std::min(gap, look(c, bodies[c.first], other(c)).in.gap);
    return -gap;
  }
  double fastest() const {
    double v = 0;
    for (const auto& each : bodies) v = std::max(v, norm(each.v));
    return v;
  }

  energies energy() const {
    energies result = flows_;
    for (const auto& b : bodies) {
      result.kinetic += 0.5 * b.m * dot(b.v, b.v) + 0.5 * b.I * dot(b.omega, b.omega);
      result.potential -= b.m * dot(gravity, b.x);
    }
    for (const auto& c : contacts_) {
      const auto seen = look(c, bodies[c.first], other(c));
      const auto energy = law.energy(state_of(c, seen), seen.in);
      result.stored += energy.stored_normal + energy.stored_tangential;
    }
    return result;
  }

  // Sum of the momenta of all grains.
  vector momentum() const {
    vector sum{};
    for (const auto& b : bodies) sum = sum + b.m * b.v;
    return sum;
  }

  // About the origin, their turning included.
  vector angular_momentum() const {
    vector sum{};
    for (const auto& b : bodies) sum = sum + b.m * cross(b.x, b.v) + b.I * b.omega;
    return sum;
  }

 private:
  // A pair of grains, or a grain and a plane (second = number of grains + index of the plane).
  struct contact {
    std::uint64_t key = 0;
    std::uint32_t first = 0, second = 0;
    double e = 0;
    vector a = {};
  };

  std::vector<contact> contacts_, before_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> cells_;
  std::vector<bool> near_;  // to another grain
  energies flows_;
  long steps_ = 0, rejected_ = 0, evaluations_ = 0;
  double h_ = 0;  // that Dormand and Prince's method will try next
  // State: x, v, omega of every grain; flows of energy, and of the angular momentum that gravity and
  // planes give; e and a of every contact.
  static constexpr std::size_t per_grain = 9, per_contact = 4, energy_flows = 4,
                               flow_count = energy_flows + 3;
  vector given_ = {};  // of angular momentum, in the last step
  using state = std::vector<double>;
  state y_, rate_, next_, next_rate_, error_;
  boost::numeric::odeint::runge_kutta4<state> fourth_order_;
  boost::numeric::odeint::runge_kutta_dopri5<state> fifth_order_;

  // odeint copies what it calls.
  struct rates_of {
    explicit rates_of(grains& all) : which(&all) {}
    grains* which;
    void operator()(const state& y, state& rate, double) const { which->rates(y, rate); }
  };

  bool is_plane(const contact& c) const { return c.second >= bodies.size(); }
  const grain* other(const contact& c) const { return is_plane(c) ? nullptr : &bodies[c.second]; }

  // ---- the list of contacts ---------------------------------------------------------------------

  // Contacts are known a little before they touch. A surface that was pressed recovers for a while
  // after the bodies part, and its contact is kept until nothing is left of the deflection.
  static double reach(double R) { return 0.1 * R; }
  bool is_pressed(const contact& c) const {
    const double least = 1e-12 * bodies[c.first].R;
    return std::abs(c.e) > least || dot(c.a, c.a) > least * least;
  }

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

  // `travel` is how far a grain may go in the step to come.
  void find_contacts(double travel) {
    std::swap(contacts_, before_);
    contacts_.clear();
    double widest = 0;
    for (const auto& b : bodies) widest = std::max(widest, b.R);
    const double width = 2 * widest + reach(widest) + 2 * travel;
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
              const double near =
                  b.R + bodies[j].R + reach(std::min(b.R, bodies[j].R)) + 2 * travel;
              if (dot(d, d) < near * near) add(i, j);
            }
          }
      for (std::uint32_t p = 0; p < planes.size(); ++p)
        if (dot(b.x - planes[p].point, planes[p].normal) < b.R + reach(b.R) + travel)
          add(i, static_cast<std::uint32_t>(bodies.size()) + p);
    }
    const auto by_key = [](const contact& a, const contact& b) { return a.key < b.key; };
    std::sort(contacts_.begin(), contacts_.end(), by_key);
    const auto near_ones = contacts_.size();
    auto old = before_.begin();
    const auto part = [&](const contact& c) {
      if (is_pressed(c)) contacts_.push_back(c);
    };
    for (std::size_t i = 0; i < near_ones; ++i) {
      for (; old != before_.end() && old->key < contacts_[i].key; ++old) part(*old);
      if (old == before_.end() || old->key != contacts_[i].key) continue;
      contacts_[i] = *old++;
    }
    for (; old != before_.end(); ++old) part(*old);
    if (contacts_.size() > near_ones) std::sort(contacts_.begin(), contacts_.end(), by_key);
  }

  // ---- the ODE ----------------------------------------------------------------------------------

  // A contact in the state of its bodies: what its law sees, in two directions along the surface.
  struct view {
    vector normal, along[2], turning;      // turning is the rate of the normal
    double arm_first = 0, arm_second = 0;  // from the centres to where they touch
    touch<double> in;
  };
  view look(const contact& c, const grain& i, const grain* j) const {
    view seen;
    vector v;
    const auto at_first = [&] { return i.v + cross(i.omega, seen.arm_first * seen.normal); };
    if (j == nullptr) {
      const plane& p = planes[c.second - bodies.size()];
      seen.normal = -1.0 * p.normal;
      seen.turning = {};
      seen.in.gap = dot(i.x - p.point, p.normal) - i.R;
      seen.arm_first = i.R + seen.in.gap;
      v = -1.0 * at_first();
    } else {
      const auto [length, direction] = to_polar(j->x - i.x);
      seen.normal = direction;
      seen.in.gap = length - i.R - j->R;
      seen.arm_first = i.R + 0.5 * seen.in.gap;
      seen.arm_second = j->R + 0.5 * seen.in.gap;
      v = j->v + cross(j->omega, -seen.arm_second * direction) - at_first();
      const vector apart = j->v - i.v;
      seen.turning = (1 / length) * (apart - dot(apart, direction) * direction);
    }
    seen.in.gap_rate = dot(v, seen.normal);
    const vector& n = seen.normal;
    if (flat) {
      seen.along[0] = {{n[2], 0, -n[0]}};
      seen.along[1] = {{0, 1, 0}};
    } else {
      // Away from the axis that n is closest to.
      const bool steep = std::abs(n[2]) > 0.7;
      seen.along[0] = to_polar(cross(n, steep ? vector{{1, 0, 0}} : vector{{0, 0, 1}})).direction;
      seen.along[1] = cross(n, seen.along[0]);
    }
    seen.in.slip = {{dot(v, seen.along[0]), dot(v, seen.along[1])}};
    return seen;
  }
  static vec<double, 3> state_of(const contact& c, const view& seen) {
    return {{c.e, dot(c.a, seen.along[0]), dot(c.a, seen.along[1])}};
  }

  void rates(const state& y, state& rate) {
    ++evaluations_;
    std::fill(rate.begin(), rate.end(), 0.0);
    const std::size_t n = bodies.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double* at = y.data() + per_grain * i;
      double* out = rate.data() + per_grain * i;
      for (std::size_t k = 0; k < 3; ++k) {
        out[k] = at[3 + k];
        out[3 + k] = gravity[static_cast<int>(k)];
      }
    }
    double* flow = rate.data() + per_grain * n;
    const auto give = [&](const vector& torque) {
      for (std::size_t k = 0; k < 3; ++k) flow[energy_flows + k] += torque[static_cast<int>(k)];
    };
    for (std::size_t i = 0; i < n; ++i) {
      const double* at = y.data() + per_grain * i;
      give(bodies[i].m * cross({{at[0], at[1], at[2]}}, gravity));
    }
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      contact c = contacts_[k];
      const std::size_t place = per_grain * n + flow_count + per_contact * k;
      c.e = y[place];
      for (int d = 0; d < 3; ++d) c.a[d] = y[place + 1 + static_cast<std::size_t>(d)];
      const grain i = moved(c.first, y);
      const bool pair = !is_plane(c);
      const grain j = pair ? moved(c.second, y) : grain{};
      const view seen = look(c, i, pair ? &j : nullptr);
      const auto now = state_of(c, seen);
      const auto answer = law(now, seen.in);
      const auto energy = law.energy(now, seen.in);
      flow[0] += -answer.f_n * seen.in.gap_rate + dot(answer.f_t, seen.in.slip);
      flow[1] += energy.normal_damper;
      flow[2] += energy.tangential_damper;
      flow[3] += energy.slider;
      // On `second`.
      const vector f =
          answer.f_n * seen.normal - answer.f_t[0] * seen.along[0] - answer.f_t[1] * seen.along[1];
      const vector arm = seen.arm_first * seen.normal;
      push(rate, c.first, i, -1.0 * f, arm);
      if (pair) {
        push(rate, c.second, j, f, -seen.arm_second * seen.normal);
      } else {
        give(cross(i.x + arm, -1.0 * f));
      }
      rate[place] = answer.rate[0];
      const vector a_dot = answer.rate[1] * seen.along[0] + answer.rate[2] * seen.along[1] -
                           dot(c.a, seen.turning) * seen.normal;
      for (int d = 0; d < 3; ++d) rate[place + 1 + static_cast<std::size_t>(d)] = a_dot[d];
    }
  }
  grain moved(std::uint32_t which, const state& y) const {
    grain b = bodies[which];
    const double* at = y.data() + per_grain * which;
    for (int k = 0; k < 3; ++k) {
      b.x[k] = at[k];
      b.v[k] = at[3 + k];
      b.omega[k] = at[6 + k];
    }
    return b;
  }
  void push(state& rate, std::uint32_t which, const grain& b, const vector& f,
            const vector& arm) const {
    double* out = rate.data() + per_grain * which;
    const vector torque = cross(arm, f);
    for (int k = 0; k < 3; ++k) {
      if (!flat || k != 1) out[3 + k] += f[k] / b.m;
      if (!flat || k == 1) out[6 + k] += torque[k] / b.I;
    }
  }

  // Into the vector that the methods see, and back. `h` is the longest step to be tried.
  void gather(double h) {
    find_contacts(h * fastest());
    const std::size_t n = bodies.size();
    y_.resize(per_grain * n + flow_count + per_contact * contacts_.size());
    double* out = y_.data();
    for (const auto& b : bodies)
      for (const vector* each : {&b.x, &b.v, &b.omega})
        for (int k = 0; k < 3; ++k) *out++ = (*each)[k];
    for (const double each :
         {flows_.taken, flows_.normal_damper, flows_.tangential_damper, flows_.slider})
      *out++ = each;
    for (int k = 0; k < 3; ++k) *out++ = 0;
    for (const auto& c : contacts_) {
      *out++ = c.e;
      for (int k = 0; k < 3; ++k) *out++ = c.a[k];
    }
  }
  void scatter() {
    const double* at = y_.data();
    for (auto& b : bodies)
      for (vector* each : {&b.x, &b.v, &b.omega})
        for (int k = 0; k < 3; ++k) (*each)[k] = *at++;
    for (double* each :
         {&flows_.taken, &flows_.normal_damper, &flows_.tangential_damper, &flows_.slider})
      *each = *at++;
    for (int k = 0; k < 3; ++k) given_[k] = *at++;
    for (auto& c : contacts_) {
      c.e = *at++;
      for (int k = 0; k < 3; ++k) c.a[k] = *at++;
    }
  }

  void keep_angular_momentum(const vector& before) {
    near_.assign(bodies.size(), false);
    double inertia = 0;
    for (const auto& c : contacts_)
      for (const std::uint32_t each : {c.first, c.second})
        if (!is_plane(c) && !near_[each]) {
          near_[each] = true;
          inertia += bodies[each].I;
        }
    if (!(inertia > 0)) return;
    const vector turn = (1 / inertia) * (before + given_ - angular_momentum());
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (int k = 0; k < 3; ++k)
        if (near_[i] && (!flat || k == 1)) bodies[i].omega[k] += turn[k];
  }

  // Each kind of state has a size of its own: radii, the speed of the fastest grain or of one that
  // fell by its radius, the deflection that stops it, and its energy.
  double worst_error(double tolerance) const {
    double R = 0, m = 0;
    for (const auto& b : bodies) {
      R = std::max(R, b.R);
      m = std::max(m, b.m);
    }
    const double speed = std::max(fastest(), std::sqrt(norm(gravity) * R));
    const double deflection = speed * std::sqrt(m / law.K_1);
    const double sizes[per_grain] = {R, R, R, speed, speed, speed, speed / R, speed / R, speed / R};
    const std::size_t n = per_grain * bodies.size();
    double worst = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double size = i < n                  ? sizes[i % per_grain]
                          : i < n + energy_flows ? m * speed * speed
                          : i < n + flow_count   ? m * speed * R
                                                 : deflection;
      const double value = std::max(std::abs(y_[i]), std::abs(next_[i]));
      const double each = std::abs(error_[i]) / (tolerance * std::max(size, value));
      if (!(each <= worst)) worst = each;  // a NaN is the worst of all
    }
    return worst;
  }
};

}  // namespace asperity
