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
    if (!(h_ > 0)) h_ = 1e-3 * length;
    for (done = 0; done < length;) {
      const double remaining = length - done;
      bool last = h_ >= remaining * (1 - 1e-9);
      double h = last ? remaining : std::min(h_, 0.5 * remaining);
      const outcome how =
          adaptive_step(h, last, 1e-14 * length, tolerance, [&] { return watch(done); });
      if (how != outcome::completed) return how;
      done = last ? length : done + h;
    }
    return outcome::completed;
  }
  // One such step, as long as the tolerance allows, but not longer than `longest`.
  template <class Watch>
  outcome advance_freely(double longest, double tolerance, double& done, Watch&& watch) {
    if (!(h_ > 0)) h_ = 1e-3 * longest;
    bool last = false;
    double h = std::min(h_, longest);
    const outcome how = adaptive_step(h, last, 1e-14 * longest, tolerance, watch);
    done = how == outcome::completed ? h : 0;
    return how;
  }
  outcome advance(double length, double tolerance) {
    double done = 0;
    return advance(length, tolerance, done, [](double) { return outcome::completed; });
  }

  double planned() const { return h_; }  // length of the next such step, if nothing shortens it
  // Steps taken and thrown away since the start.
  long steps() const { return steps_; }
  long rejected() const { return rejected_; }
  long evaluations() const { return evaluations_; }

  // Pairs near enough to touch, those that carry a force, and the deepest overlap.
  std::size_t near_pairs() const { return contacts_.size(); }
  std::size_t touching() const {
    std::size_t count = 0;
    for (const auto& c : contacts_) {
      const auto seen = look(c);
      count += law.normal()({{c.e}}, {seen.gap, seen.gap_rate}).f > 0 ? 1U : 0U;
    }
    return count;
  }
  double deepest() const {
    double gap = 0;
    for (const auto& c : contacts_) gap = std::min(gap, look(c).gap);
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
      const auto seen = look(c);
      result.stored += law.normal().stored_energy({{c.e}}, {seen.gap, seen.gap_rate}) +
                       law.tangential<3>().stored_energy(in_plane(c.a, seen.normal));
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

  // A step of length h or, where the tolerance asks for it, a shorter one: then h is its length, and
  // it is not the `last`.
  template <class Watch>
  outcome adaptive_step(double& h, bool& last, double shortest, double tolerance, Watch&& watch) {
    constexpr detail::step_rule rule{5, 5, 0.9, 0.1};
    gather(h);
    fifth_order_.adjust_size(y_);
    rate_.resize(y_.size());
    rates(y_, rate_);
    for (;;) {
      if (const outcome ends = watch(); ends != outcome::completed) return ends;
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
      if (h < shortest) return std::isfinite(worst) ? outcome::step_too_small : outcome::not_finite;
    }
    const vector before = angular_momentum();
    y_.swap(next_);
    scatter();
    keep_angular_momentum(before);
    ++steps_;
    return outcome::completed;
  }

  // odeint copies what it calls.
  struct rates_of {
    explicit rates_of(grains& all) : which(&all) {}
    grains* which;
    void operator()(const state& y, state& rate, double) const { which->rates(y, rate); }
  };

  bool is_plane(const contact& c) const { return c.second >= bodies.size(); }
  static vector in_plane(const vector& a, const vector& n) { return a - dot(a, n) * n; }

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

  // Pairs that may come near each other before any grain has gone `slack` from where it was then.
  // Most steps take the last ones.
  struct pair_of {
    std::uint64_t key;
    std::uint32_t first, second;
  };
  struct place {
    vector x;
    double R;
  };
  std::vector<pair_of> candidates_;
  std::vector<place> places_;
  std::vector<plane> planes_then_;
  double room_ = -1;
  static double slack(double R) { return 0.15 * R; }

  bool candidates_hold(double travel) const {
    if (places_.size() != bodies.size() || planes_then_.size() != planes.size()) return false;
    const auto same = [](const vector& a, const vector& b) {
      return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
    };
    for (std::size_t p = 0; p < planes.size(); ++p)
      if (!same(planes[p].point, planes_then_[p].point) ||
          !same(planes[p].normal, planes_then_[p].normal))
        return false;
    const double left = room_ - travel;
    if (!(left >= 0)) return false;
    bool hold = true;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const vector gone = bodies[i].x - places_[i].x;
      hold = hold && dot(gone, gone) <= left * left && bodies[i].R == places_[i].R;
    }
    return hold;
  }

  void find_candidates(double travel) {
    candidates_.clear();
    places_.clear();
    planes_then_ = planes;
    double widest = 0, narrowest = bodies.empty() ? 0 : bodies[0].R;
    for (const auto& b : bodies) {
      places_.push_back({b.x, b.R});
      widest = std::max(widest, b.R);
      narrowest = std::min(narrowest, b.R);
    }
    room_ = travel + slack(narrowest);
    const double width = 2 * widest + reach(widest) + 2 * room_;
    cells_.clear();
    for (std::uint32_t i = 0; i < bodies.size(); ++i)
      cells_.emplace_back(cell_of(bodies[i].x[0], bodies[i].x[1], bodies[i].x[2], width), i);
    std::sort(cells_.begin(), cells_.end());
    const auto add = [&](std::uint32_t first, std::uint32_t second) {
      candidates_.push_back({static_cast<std::uint64_t>(first) << 32U | second, first, second});
    };
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      const auto& b = bodies[i];
      for (int dx = -1; dx <= 1; ++dx)
        for (int dy = flat ? 0 : -1; dy <= (flat ? 0 : 1); ++dy)
          for (int dz = -1; dz <= 1; ++dz) {
            const auto cell =
                cell_of(b.x[0] + dx * width, b.x[1] + dy * width, b.x[2] + dz * width, width);
            auto at = std::lower_bound(cells_.begin(), cells_.end(),
                                       std::pair<std::uint64_t, std::uint32_t>{cell, 0});
            for (; at != cells_.end() && at->first == cell; ++at)
              if (at->second > i && are_near(i, at->second, room_)) add(i, at->second);
          }
      for (std::uint32_t p = 0; p < planes.size(); ++p) {
        const auto second = static_cast<std::uint32_t>(bodies.size()) + p;
        if (are_near(i, second, room_)) add(i, second);
      }
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [](const pair_of& a, const pair_of& b) { return a.key < b.key; });
  }

  // Whether they may touch when each grain goes by `travel`.
  bool are_near(std::uint32_t first, std::uint32_t second, double travel) const {
    const auto& b = bodies[first];
    if (second >= bodies.size()) {
      const auto& p = planes[second - bodies.size()];
      return dot(b.x - p.point, p.normal) < b.R + reach(b.R) + travel;
    }
    const auto& other = bodies[second];
    const vector d = other.x - b.x;
    const double near = b.R + other.R + reach(std::min(b.R, other.R)) + 2 * travel;
    return dot(d, d) < near * near;
  }

  // `travel` is how far a grain may go in the step to come. Both lists are in the order of keys.
  void find_contacts(double travel) {
    if (!candidates_hold(travel)) find_candidates(travel);
    std::swap(contacts_, before_);
    contacts_.clear();
    auto old = before_.begin();
    const auto keep_pressed = [&](std::uint64_t until) {
      for (; old != before_.end() && old->key < until; ++old)
        if (is_pressed(*old)) contacts_.push_back(*old);
    };
    for (const auto& each : candidates_) {
      if (!are_near(each.first, each.second, travel)) continue;
      keep_pressed(each.key);
      if (old != before_.end() && old->key == each.key)
        contacts_.push_back(*old++);
      else
        contacts_.push_back({each.key, each.first, each.second, 0, {}});
    }
    keep_pressed(~std::uint64_t{0});
  }

  // ---- the ODE ----------------------------------------------------------------------------------

  // What the methods see of a grain, and its rate.
  struct motion {
    vector x, v, omega;
  };
  static motion motion_of(const double* at) {
    return {{{at[0], at[1], at[2]}}, {{at[3], at[4], at[5]}}, {{at[6], at[7], at[8]}}};
  }
  static motion motion_of(const grain& b) { return {b.x, b.v, b.omega}; }

  // A contact in the state of its bodies: what its laws see.
  struct view {
    vector normal, slip, turning;          // turning is the rate of the normal
    double arm_first = 0, arm_second = 0;  // from the centres to where they touch
    double gap = 0, gap_rate = 0;
  };
  [[gnu::always_inline]] static view look_at(const motion& i, double R_i, const motion& j,
                                             double R_j, const vector& apart, double length) {
    view seen;
    const double inverse = 1 / length;
    const vector n = inverse * apart;
    seen.normal = n;
    seen.gap = length - R_i - R_j;
    seen.arm_first = R_i + 0.5 * seen.gap;
    seen.arm_second = R_j + 0.5 * seen.gap;
    const vector v = j.v - i.v;
    seen.gap_rate = dot(v, n);
    const vector along = v - seen.gap_rate * n;
    seen.turning = inverse * along;
    seen.slip = along - cross(seen.arm_second * j.omega + seen.arm_first * i.omega, n);
    return seen;
  }
  [[gnu::always_inline]] static view look_at(const motion& i, double R_i, const plane& p) {
    view seen;
    seen.normal = -1.0 * p.normal;
    seen.turning = {};
    seen.gap = dot(i.x - p.point, p.normal) - R_i;
    seen.arm_first = R_i + seen.gap;
    seen.gap_rate = -dot(i.v, seen.normal);
    seen.slip =
        -1.0 * i.v - seen.gap_rate * seen.normal - cross(seen.arm_first * i.omega, seen.normal);
    return seen;
  }
  view look(const contact& c) const {
    const grain& i = bodies[c.first];
    if (is_plane(c)) return look_at(motion_of(i), i.R, planes[c.second - bodies.size()]);
    const grain& j = bodies[c.second];
    const vector apart = j.x - i.x;
    return look_at(motion_of(i), i.R, motion_of(j), j.R, apart, std::sqrt(dot(apart, apart)));
  }

  void rates(const state& y, state& rate) {
    ++evaluations_;
    const std::size_t n = bodies.size();
    std::fill_n(rate.begin(), per_grain * n, 0.0);
    // Constants of the loop, where the compiler sees that no store changes them.
    const dai_contact<double> across = law.normal();
    const auto friction = law.tangential<3, quick_ball>();
    const dai_frictional_contact<double> losses = law;
    double taken = 0, normal_damper = 0, tangential_damper = 0, slider = 0;
    vector given{};
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      const contact& c = contacts_[k];
      const std::size_t place = per_grain * n + flow_count + per_contact * k;
      const double e = y[place];
      vector a{{y[place + 1], y[place + 2], y[place + 3]}};
      const bool pair = !is_plane(c);
      const double* at_i = y.data() + per_grain * c.first;
      const double R_i = bodies[c.first].R;
      view seen;
      if (pair) {
        const double* at_j = y.data() + per_grain * c.second;
        const double R_j = bodies[c.second].R, both = R_i + R_j;
        const vector apart{{at_j[0] - at_i[0], at_j[1] - at_i[1], at_j[2] - at_i[2]}};
        const double squared = dot(apart, apart);
        // Apart, and nothing remembered: no force and no rate.
        if (squared > both * both && e == 0 && a[0] == 0 && a[1] == 0 && a[2] == 0) {
          std::fill_n(rate.begin() + static_cast<std::ptrdiff_t>(place), per_contact, 0.0);
          continue;
        }
        seen = look_at(motion_of(at_i), R_i, motion_of(at_j), R_j, apart, std::sqrt(squared));
      } else {
        seen = look_at(motion_of(at_i), R_i, planes[c.second - n]);
      }
      const vector& normal = seen.normal;
      const double off = dot(a, seen.turning);
      a = in_plane(a, normal);
      const auto pressed = across({{e}}, {seen.gap, seen.gap_rate});
      const auto dragged = friction(a, seen.slip, pressed.f);
      const auto lost = losses.losses(pressed.rate[0], dragged.f, dragged.a_dot, seen.slip);
      taken += dot(dragged.f, seen.slip) - pressed.f * seen.gap_rate;
      normal_damper += lost.normal_damper;
      tangential_damper += lost.tangential_damper;
      slider += lost.slider;
      const vector f = pressed.f * normal - dragged.f;  // on `second`
      // Only what is tangential turns.
      const vector turn = cross(normal, dragged.f);
      double* out_i = rate.data() + per_grain * c.first;
      for (int d = 0; d < 3; ++d) {
        out_i[3 + d] -= f[d];
        out_i[6 + d] += seen.arm_first * turn[d];
      }
      if (pair) {
        double* out_j = rate.data() + per_grain * c.second;
        for (int d = 0; d < 3; ++d) {
          out_j[3 + d] += f[d];
          out_j[6 + d] += seen.arm_second * turn[d];
        }
      } else {
        const motion i = motion_of(at_i);
        given = given - cross(i.x + seen.arm_first * normal, f);
      }
      rate[place] = pressed.rate[0];
      const vector a_dot = dragged.a_dot - off * normal;
      for (int d = 0; d < 3; ++d) rate[place + 1 + static_cast<std::size_t>(d)] = a_dot[d];
    }
    vector weighed{};
    for (std::size_t i = 0; i < n; ++i) {
      const double* at = y.data() + per_grain * i;
      double* out = rate.data() + per_grain * i;
      const double m = bodies[i].m, per_mass = 1 / m, per_inertia = 1 / bodies[i].I;
      for (int d = 0; d < 3; ++d) {
        out[d] = at[3 + d];
        out[3 + d] = gravity[d] + per_mass * out[3 + d];
        out[6 + d] *= per_inertia;
        weighed[d] += m * at[d];
      }
      if (flat) out[4] = out[6] = out[8] = 0;
    }
    given = given + cross(weighed, gravity);
    double* flow = rate.data() + per_grain * n;
    flow[0] = taken;
    flow[1] = normal_damper;
    flow[2] = tangential_damper;
    flow[3] = slider;
    for (int d = 0; d < 3; ++d) flow[energy_flows + static_cast<std::size_t>(d)] = given[d];
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
