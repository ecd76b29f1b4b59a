// SPDX-License-Identifier: Apache-2.0
#pragma once

// One scenario of each kind of system that sweeps step side by side.

#include <string>
#include <utility>
#include <vector>

namespace asperity::testing::sweep_scenarios {

inline const std::string pulled = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 100
damping = 1
speed = 0.05
[friction]
model = "lugre"
sigma_0 = 1e4
sigma_1 = 100
F_c = 1
F_s = 2
v_s = 0.1
[integrator]
method = "rk4"
step = 1e-4
[run]
duration = 2
)";

inline const std::string shaken = R"(
[system]
kind = "mass_under_force"
mass = 1
[friction]
model = "dai"
[force]
kind = "sine"
amplitude = 2
frequency = 3
[integrator]
method = "rk4"
step = 2e-5
[run]
duration = 0.5
)";

inline const std::string belt = R"(
[system]
kind = "mass_on_belt"
mass = 1
k_1 = 1
k_2 = 1
speed = 0.5
[friction]
model = "lugre"
curve = "stribeck_lorentzian"
sigma_0 = 1e3
sigma_1 = 20
[integrator]
method = "rk4"
step = 1e-3
[run]
duration = 20
)";

inline const std::string ball = R"(
[system]
kind = "bouncing_mass"
mass = 0.5
[force]
kind = "sine"
offset = -4.9
amplitude = 1
omega = 20
[contact]
model = "dai_contact"
[initial]
x = 0.01
[integrator]
method = "rk4"
step = 1e-5
[run]
duration = 0.2
sample = 1e-3
)";

inline const std::string sphere = R"(
[system]
kind = "sphere_on_plane"
mass = 1
radius = 0.1
[contact]
model = "dai_frictional_contact"
[initial]
z = 0.103
v_x = 0.5
v_y = -0.1
omega_y = -20
omega_z = 3
[integrator]
method = "rk4"
step = 1e-4
[run]
duration = 0.2
sample = 1e-3
)";

inline const std::string planar = R"(
[system]
kind = "planar_body"
mass = 1
inertia = 2e-3
[friction]
model = "planar_lugre"
R = 0.05
sigma_0 = 1e4
[force_x]
kind = "sine"
amplitude = 3
frequency = 5
[torque]
kind = "ramp"
slope = 0.2
[initial]
v_y = 0.1
omega = -3
[integrator]
method = "rk4"
step = 1e-4
[run]
duration = 0.3
sample = 1e-3
)";

inline const std::string moved = R"(
[system]
kind = "planar_motion"
[friction]
model = "planar_elastoplastic"
R = 0.05
sigma_0 = 1e4
[velocity_x]
kind = "sine"
amplitude = 0.02
frequency = 3
[spin]
kind = "sine"
amplitude = 0.5
frequency = 2
phase = 1
[integrator]
method = "rk4"
step = 1e-4
[run]
duration = 0.3
sample = 1e-3
)";

inline const std::vector<std::pair<std::string, std::string>> all{
    {"pulled.toml", pulled}, {"shaken.toml", shaken}, {"belt.toml", belt},  {"ball.toml", ball},
    {"sphere.toml", sphere}, {"planar.toml", planar}, {"moved.toml", moved}};

}  // namespace asperity::testing::sweep_scenarios
