// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/system_row.hpp>
#include <asperity/systems/two_bar_linkage.hpp>
#include <numbers>

namespace asperity {

namespace {

std::shared_ptr<system> build(system_builder& b) {
  using namespace units;
  auto linkage = std::make_shared<two_bar_linkage>();
  b.optional("mass", linkage->m, kilogram, positive, "mass at the pin");
  b.optional("bar_mass", linkage->m_bar, kilogram, positive, "mass of each bar");
  b.optional("stiffness", linkage->k, newton / metre, positive, "stiffness of the spring");
  b.optional("damping", linkage->c, newton * second / metre, non_negative, "damping of the damper");
  b.optional("length", linkage->l, metre, positive, "length of each bar");
  b.optional("angle", linkage->theta_0, radian, {0, std::numbers::pi / 2, true},
             "angle of the bars at which the spring is relaxed, and at the start", "pi/4");
  linkage->as_printed =
      b.word("inertia", {"right", "printed"}, "inertia of the bars: right, or as printed in (5.16)",
             "right") == "printed";
  signal force;
  b.root.required("force", force, newton, "force on the pin, downwards");
  linkage->push(force);
  return linkage;
}

}  // namespace

namespace detail {

extern const system_row two_bar_linkage{
    .name = "two_bar_linkage", .what = "two bars that snap through under a force", .build = build};

}  // namespace detail

}  // namespace asperity
