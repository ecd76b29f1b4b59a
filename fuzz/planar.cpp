// SPDX-License-Identifier: Apache-2.0
// Laws that see more than one direction, with any bits: contacts with friction, planar friction,
// and contact patches of any shape.

#include <asperity/card.hpp>
#include <asperity/models/frictional_contact/azad_featherstone_clutch.hpp>
#include <asperity/models/frictional_contact/azad_featherstone_stribeck.hpp>
#include <asperity/models/frictional_contact/dai_frictional_contact.hpp>
#include <asperity/models/planar/disc_coulomb.hpp>
#include <asperity/models/planar/limit_surface_ellipsoid.hpp>
#include <asperity/models/planar/planar_elastoplastic.hpp>
#include <asperity/models/planar/planar_lugre.hpp>
#include <asperity/patch/patch_coulomb.hpp>
#include <asperity/patch/patch_dai.hpp>
#include <asperity/patch/patch_lugre.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

// Some parameters, as far as their card allows it.
template <class Law>
Law with_parameters(bytes& from) {
  Law law;
  const auto parameters = card_of<double>(law).parameters;
  for (std::size_t left = from.below(5); left > 0 && !parameters.empty(); --left) {
    const auto& which = parameters[from.below(parameters.size())];
    const double value = from.finite_number();
    const range r = which.allowed;
    if ((r.open_below ? value > r.lower : value >= r.lower) && value <= r.upper)
      *which.value.front() = value;
  }
  return law;
}

template <int N>
vec<double, N> numbers(bytes& from) {
  vec<double, N> result;
  for (int i = 0; i < N; ++i) result[i] = from.number();
  return result;
}

template <class Law>
void try_contact(bytes& from) {
  const Law law = with_parameters<Law>(from);
  if (law.valid().verdict == validity::refused) return;
  constexpr int N = Law::states;
  auto state = numbers<N>(from);
  const double gap = from.number(), gap_rate = from.number();
  const touch<double> in{gap, gap_rate, numbers<2>(from)};
  (void)law(state, in);
  (void)law.energy(state, in);
  (void)law.slip_margin(state, in);
  if constexpr (requires { law.remember(state, in); }) law.remember(state, in);
  if constexpr (requires(touch_mechanics<double> m) { law.react(state, m, 1.0); }) {
    const double h = from.number(), a = from.number(), b = from.number(), c = from.number();
    const auto f = law.react(state, touch_mechanics<double>{a, numbers<2>(from), b, c}, h);
    (void)law.settle(state, f, h);
  }
}

template <class Law>
void try_bristles(bytes& from) {
  const Law law = with_parameters<Law>(from);
  const auto z = numbers<3>(from), t = numbers<3>(from);
  (void)law(z, t, from.number());
  (void)law.stored_energy(z);
}

contact_patch a_patch(bytes& from) {
  pressure_field field;
  switch (from.below(3)) {
    case 0:
      break;
    case 1:
      field.is = pressure_field::kind::hertz;
      break;
    default:
      field.is = pressure_field::kind::linear;
      field.gradient_x = from.finite_number();
      field.gradient_y = from.finite_number();
  }
  const std::size_t shape = from.below(7);
  const double a = from.number(), b = from.number();
  switch (shape) {
    case 0:
      return contact_patch::disc(a, field);
    case 1:
      return contact_patch::ring(a, b, field);
    case 2:
      return contact_patch::ellipse(a, b, field);
    case 3:
      return contact_patch::rectangle(a, b, field);
    case 4:
      return contact_patch::line(a, b, field);
    case 5: {
      planar_table table;
      for (std::size_t left = 1 + from.below(4), row = 0; row < left; ++row)
        for (int i = 0; i < 3; ++i) table.values.push_back(from.number());
      table.columns = 3;
      table.rows = static_cast<int>(table.values.size() / 3);
      table.dx = a;
      table.dy = b;
      return contact_patch::grid(table);
    }
    default: {
      const auto outline = [&](std::size_t corners) {
        contact_patch::polygon result;
        for (std::size_t i = 0; i < corners; ++i) {
          const double x = from.number(), y = from.number();
          result.push_back({x, y});
        }
        return result;
      };
      const auto rim = outline(from.below(8));
      return contact_patch::with_holes(rim, {outline(from.below(5))}, field);
    }
  }
}

void try_patch(bytes& from) {
  const contact_patch patch = a_patch(from);
  require(std::isfinite(patch.area()) && std::isfinite(patch.reach()), "a patch has a size");
  const auto t = numbers<3>(from), place = numbers<3>(from);
  const double load = from.number(), h = from.number();
  (void)patch.density(t[0], t[1]);
  (void)patch_coulomb{patch, 1, 1e-3}(t);
  const patch_lugre bristles(patch, 3, with_parameters<patch_lugre::parameters>(from));
  std::vector<double> z(static_cast<std::size_t>(bristles.states())), rate = z;
  z[from.below(z.size())] = from.number();
  (void)bristles.respond(z.data(), t, load, rate.data());
  (void)bristles.stored_energy(z.data());
  (void)bristles.advance(z.data(), t, load, h);
  const patch_dai cells(patch, 3, with_parameters<patch_dai::parameters>(from));
  std::vector<double> s(static_cast<std::size_t>(cells.states())), end = s, out = s;
  cells.initial(place, s.data());
  s[from.below(s.size())] = from.number();
  (void)cells.respond(place, s.data(), t, load, end.data());
  cells.utilisation(place, s.data(), t, load, out.data());
  (void)cells.stored_energy(place, s.data());
  const patch_dai::body body{.inertia = {{1, 1, 0.1}}};
  (void)cells.step(body, place, t, numbers<3>(from), load, h, s.data(), end.data());
}

}  // namespace

void try_input(std::string_view input) {
  bytes from(input);
  switch (from.below(8)) {
    case 0:
      return try_contact<dai_frictional_contact<double>>(from);
    case 1:
      return try_contact<azad_featherstone_clutch<double>>(from);
    case 2:
      return try_contact<azad_featherstone_stribeck<double>>(from);
    case 3:
      (void)with_parameters<disc_coulomb<double>>(from)(numbers<3>(from));
      return;
    case 4: {
      const auto law = with_parameters<limit_surface_ellipsoid<double>>(from);
      (void)law.gauge(law(numbers<3>(from)));
      return;
    }
    case 5:
      return try_bristles<planar_lugre<double>>(from);
    case 6:
      return try_bristles<planar_elastoplastic<double>>(from);
    default:
      return try_patch(from);
  }
}

}  // namespace asperity::fuzz
