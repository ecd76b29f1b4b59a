// SPDX-License-Identifier: Apache-2.0
#pragma once

// The scenes of demos and tests.

#include <fmt/format.h>

#include <string>

namespace asperity::mujoco {

// 1 kg on a slide joint without gravity; `loss` is MuJoCo's own friction of the joint [N], `solver`
// attributes of the joint that say how hard it is.
inline std::string slide(double loss, const std::string& integrator = "Euler",
                         double timestep = 0.002, const std::string& solver = "") {
  return fmt::format(
      "<mujoco><option gravity='0 0 0' timestep='{}' integrator='{}'/><worldbody><body>"
      "<joint name='slide' type='slide' axis='1 0 0' frictionloss='{}' {}/>"
      "<geom type='box' size='.1 .1 .1' mass='1' contype='0' conaffinity='0'/></body></worldbody>"
      "</mujoco>",
      timestep, integrator, loss, solver);
}

// Two links of 0.5 m that hang out sideways, with a load at the end; motors drive both joints.
inline std::string arm(double loss, double damping = 0, const std::string& integrator = "Euler") {
  return fmt::format(
      "<mujoco><option gravity='0 0 -9.81' timestep='0.002' integrator='{2}'/>"
      "<default><geom contype='0' conaffinity='0'/>"
      "<joint type='hinge' axis='0 1 0' frictionloss='{0}' damping='{1}'/></default><worldbody>"
      "<body pos='0 0 1'><joint name='shoulder'/>"
      "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.03' mass='2'/>"
      "<body pos='.5 0 0'><joint name='elbow'/>"
      "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.025' mass='1'/>"
      "<geom type='sphere' pos='.5 0 0' size='.05' mass='1'/></body></body></worldbody>"
      "<actuator><motor name='shoulder' joint='shoulder'/><motor name='elbow' joint='elbow'/>"
      "</actuator></mujoco>",
      loss, damping, integrator);
}

// Links of 0.2 m in a row that hang out sideways, with a load at the end: joint_0, joint_1 ... share most
// of their inertia.
inline std::string chain(int links) {
  std::string inside = "<geom type='sphere' pos='.2 0 0' size='.03' mass='1'/>";
  for (int i = links - 1; i >= 0; --i)
    inside = fmt::format(
        "<body pos='{} 0 {}'><joint name='joint_{}' type='hinge' axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02' mass='.3'/>{}</body>",
        i == 0 ? 0.0 : 0.2, i == 0 ? 1.0 : 0.0, i, inside);
  return fmt::format(
      "<mujoco><option gravity='0 0 -9.81' timestep='0.002'/>"
      "<default><geom contype='0' conaffinity='0'/></default><worldbody>{}</worldbody></mujoco>",
      inside);
}

// Two flywheels on one axis: a motor on the first.
inline std::string flywheels() {
  return "<mujoco><option gravity='0 0 0' timestep='0.001'/>"
         "<default><geom contype='0' conaffinity='0'/></default><worldbody>"
         "<body><joint name='motor' type='hinge' axis='1 0 0'/>"
         "<geom type='cylinder' size='.1 .01' euler='0 90 0' mass='1'/></body>"
         "<body><joint name='load' type='hinge' axis='1 0 0'/>"
         "<geom type='cylinder' size='.1 .01' euler='0 90 0' mass='1'/></body></worldbody>"
         "<actuator><motor name='motor' joint='motor'/></actuator></mujoco>";
}

}  // namespace asperity::mujoco
