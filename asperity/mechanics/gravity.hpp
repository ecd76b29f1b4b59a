// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace asperity {

// What bodies fall with where nothing else is said [m/s^2].
inline constexpr double usual_gravity = 9.81;

}  // namespace asperity
