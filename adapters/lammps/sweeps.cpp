// SPDX-License-Identifier: Apache-2.0
#include "sweeps.hpp"

namespace asperity::lammps {

namespace {

struct forces {
  double f_n, f_s;
  vector f_t, f_r;
};

// Forces of a contact change by so much.
void give(const swept_contact& c, const forces& more, std::vector<swept_grain>& grains, double h) {
  const vector f = more.f_n * c.n - more.f_t;  // on the second
  const vector torque = -c.R * cross(c.n, more.f_r) - (c.R * more.f_s) * c.n;
  const vector turn = cross(c.n, f);
  swept_grain& first = grains[static_cast<std::size_t>(c.i)];
  first.v = first.v - (h * first.inverse_m) * f;
  first.omega = first.omega - (h * first.inverse_I) * (c.arm_i * turn + torque);
  if (c.j < 0) return;
  swept_grain& second = grains[static_cast<std::size_t>(c.j)];
  second.v = second.v + (h * second.inverse_m) * f;
  second.omega = second.omega + (h * second.inverse_I) * (torque - c.arm_j * turn);
}

}  // namespace

void begin(swept_contact& c, std::vector<swept_grain>& grains, double h) {
  const swept_grain &first = grains[static_cast<std::size_t>(c.i)],
                    second = c.j < 0 ? swept_grain{} : grains[static_cast<std::size_t>(c.j)];
  c.normal_mobility = first.inverse_m + second.inverse_m;
  c.slip_mobility = c.normal_mobility + c.arm_i * c.arm_i * first.inverse_I +
                    c.arm_j * c.arm_j * second.inverse_I;
  c.spin_mobility = c.R * c.R * (first.inverse_I + second.inverse_I);
  const auto& law = *c.law;
  contact_memory& m = *c.m;
  m.slid = carried(m.slid, c.n);
  m.rolled = carried(m.rolled, c.n);
  // Without velocity the laws answer with K times the deflection, cut to the limit.
  c.f_n = math::max<double>(0.0, law.normal.K * m.e);
  if (law.sliding.acts()) c.f_t = law.sliding.in_plane().react(m.slid, {}, 0.0, c.f_n, h);
  if (law.rolling.acts()) c.f_r = law.rolling.in_plane().react(m.rolled, {}, 0.0, c.f_n, h);
  if (law.twisting.acts())
    c.f_s = law.twisting.about_normal().react({{m.twisted}}, c.f_n, h).solve(0.0, 0.0);
  give(c, {c.f_n, c.f_s, c.f_t, c.f_r}, grains, h);
}

void solve(swept_contact& c, std::vector<swept_grain>& grains, double h) {
  const swept_grain& first = grains[static_cast<std::size_t>(c.i)];
  const vector v_2 = c.j < 0 ? c.other_v : grains[static_cast<std::size_t>(c.j)].v;
  const vector omega_2 = c.j < 0 ? vector{} : grains[static_cast<std::size_t>(c.j)].omega;
  const vector v = (v_2 - first.v) - cross(c.arm_i * first.omega + c.arm_j * omega_2, c.n);
  const double gap_rate = dot(v, c.n);
  const auto& law = *c.law;
  const contact_memory& m = *c.m;
  forces now{};
  // Each law sees the step as it would end without its own force.
  now.f_n = law.normal.react({{m.e}}, 1.0, h)
                .solve(c.gap + h * (gap_rate - h * c.normal_mobility * c.f_n),
                       -h * h * c.normal_mobility);
  if (law.sliding.acts()) {
    const vector slip = v - gap_rate * c.n + (h * c.slip_mobility) * c.f_t;
    now.f_t = law.sliding.in_plane().react(m.slid, slip, h * c.slip_mobility, now.f_n, h);
  }
  const vector spin = omega_2 - first.omega;
  if (law.rolling.acts()) {
    const vector rolling = c.R * cross(spin, c.n) + (h * c.spin_mobility) * c.f_r;
    now.f_r = law.rolling.in_plane().react(m.rolled, rolling, h * c.spin_mobility, now.f_n, h);
  }
  if (law.twisting.acts())
    now.f_s = law.twisting.about_normal()
                  .react({{m.twisted}}, now.f_n, h)
                  .solve(c.R * dot(spin, c.n) + h * c.spin_mobility * c.f_s, h * c.spin_mobility);
  give(c, {now.f_n - c.f_n, now.f_s - c.f_s, now.f_t - c.f_t, now.f_r - c.f_r}, grains, h);
  c.f_n = now.f_n;
  c.f_s = now.f_s;
  c.f_t = now.f_t;
  c.f_r = now.f_r;
}

void settle(const swept_contact& c, double h) {
  const auto& law = *c.law;
  contact_memory& m = *c.m;
  m.e = law.normal.settle({{m.e}}, c.f_n, h)[0];
  if (law.sliding.acts()) m.slid = law.sliding.in_plane().settle(m.slid, c.f_t, h);
  if (law.rolling.acts()) m.rolled = law.rolling.in_plane().settle(m.rolled, c.f_r, h);
  if (law.twisting.acts())
    m.twisted = law.twisting.about_normal().settle({{m.twisted}}, c.f_s, h)[0];
  *c.touching = 1;
  if (c.gap >= 0 && law.has_faded(m, c.R)) {
    m = {};
    *c.touching = 0;
  }
}

}  // namespace asperity::lammps
