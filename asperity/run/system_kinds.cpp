// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/run/hysteresis_systems.hpp>
#include <asperity/run/read_inclusion.hpp>
#include <asperity/run/read_planar.hpp>
#include <asperity/run/system_kinds.hpp>
#include <asperity/run/system_parts.hpp>

namespace asperity {

const std::vector<system_kind>& system_kinds() {
  static const std::vector<system_kind> kinds{
      {"mass_under_force", "a mass that slides under a force", read_mass_under_force},
      {"pulled_mass", "a mass pulled by a spring whose end moves", read_pulled_mass},
      {"wall_spring_mass", "a mass on a spring that is fixed to a wall", read_wall_spring_mass},
      {"bouncing_mass", "a mass that may touch a surface", read_bouncing_mass},
      {"prescribed_motion", "a model that is moved as a function of time", read_prescribed_motion},
      {"inclusion", "a system of your own, stated with sgn and dio", read_inclusion_system},
      {"planar_body", "a body that slides and spins, pushed by a force and a torque",
       read_planar_body},
      {"gripped_object", "an object between the pads of a gripper, under gravity",
       read_gripped_object},
      {"planar_motion", "a contact that is moved, sliding and spinning", read_planar_motion},
      {"sphere_on_plane", "a sphere in space that bounces, slips, spins and rolls",
       read_sphere_on_plane},
      {"rolling_disc", "a disc or sphere in a plane, any contact and any friction",
       read_rolling_disc},
      {"mass_between_walls", "a mass between two walls", read_mass_between_walls},
      {"mass_on_belt", "a mass on a belt, held by a nonlinear spring", read_mass_on_belt},
      {"two_bodies_wall_conveyor", "two bodies beside a wall on a conveyor",
       read_two_bodies_wall_conveyor},
      {"rigid_bounce", "a mass on rigid ground that comes to rest after endless bounces",
       read_rigid_bounce},
      {"discs", "many discs dropped into a box", read_discs},
      {"spheres", "many spheres dropped into a box", read_spheres},
      {"two_bar_linkage", "two bars that snap through under a force", read_two_bar_linkage},
      {"multiplay_and_inverse", "a multiplay, and its inverse driven by its output",
       read_multiplay_and_inverse},
      {"magnetostrictive_actuator", "current to length over a hysteresis operator, and back",
       read_magnetostrictive_actuator},
  };
  return kinds;
}

const system_kind* find_system_kind(const std::string& name) {
  const auto& kinds = system_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const system_kind& each) { return name == each.name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace asperity
