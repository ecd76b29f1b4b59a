// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/touch_respond.hpp>
#include <asperity/run/system_context.hpp>

namespace asperity {

namespace {

using kind = key_entry::kind;

std::shared_ptr<system> build(system_builder& b) {
  if (!b.lists()) return read_sphere_on_plane(context_of(b));
  using namespace units;
  double m = 1, R = 1, g = 0, slope = 0;
  b.required("mass", m, kilogram, positive, "of the sphere");
  b.required("radius", R, metre, positive, "of the sphere");
  b.gravity(g);
  b.optional("slope", slope, one, {-1.5, 1.5}, "of the ground, falling towards +x");
  b.mention({kind::numbers, "system", "inertia", "about the centre: one number, or three",
             kilogram * metre * metre, positive, false, "that of a solid sphere"});
  b.root.mention({kind::model,
                  "",
                  "contact",
                  "with friction, or a normal contact beside [friction]",
                  one,
                  any_value,
                  true,
                  "",
                  {"frictional_contact", "contact"}});
  key_builder friction =
      b.root.table("friction", "of a normal contact, which has none itself", is_optional);
  friction.word("model", {"dai"}, "planar", "dai");
  named_touch contact{any_model(*catalogue().front())};
  friction.optional("K", contact.K, newton / metre, positive, "stiffness of the bristles");
  friction.optional("beta", contact.beta, second, positive, "their damping over K");
  friction.optional("mu", contact.mu, one, non_negative, "coefficient of friction");
  return nullptr;
}

}  // namespace

namespace detail {

extern const system_row sphere_on_plane{
    .name = "sphere_on_plane",
    .what = "a sphere in space that bounces, slips, spins and rolls",
    .build = build};

}  // namespace detail

}  // namespace asperity
