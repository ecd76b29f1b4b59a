// SPDX-License-Identifier: Apache-2.0
#pragma once

// What several conformance cards ask of a friction law.

#include <asperity/publish/conformance.hpp>
#include <asperity/run/simulate.hpp>

namespace asperity {

// What the law holds at most at rest, under the load that its parameters are stated for [N].
double friction_limit(const any_model&);
// Why there is no such force; empty where there is one. Stribeck curves are parts of laws.
std::string why_no_friction_limit(const any_model&);

// Runs a scenario to its end. Throws asperity::error where it fails.
run_data run_to_the_end(const std::string& text, const std::atomic<bool>* interrupt);

// The model at rest, then moved at a constant speed in steps that grow, until friction is half of
// its limit: how far that is [m]. NaN where it happens at once, or never within `furthest`.
double presliding_way(const any_model&, double speed, double furthest);

// A way after which nothing changes any more in sliding at a constant speed: a millimetre, and many
// presliding ways [m].
double settling_way(const any_model&);
// Friction after it, and after a second at least [N].
double steady_friction(const any_model&, double speed, double settling_way,
                       const std::atomic<bool>* interrupt);

// Stick-slip of a mass m on a spring k whose end moves at a speed, under rigid friction that falls
// from F_s to F_k as soon as the body moves. The spring force less F_k goes round a circle while it
// slips, and back along a straight line while it sticks.
struct rigid_cycle {
  double period, range;  // [s], of the spring force [N]
  static rigid_cycle of(double F_s, double F_k, double m, double k, double speed);
};

double mean_of(const std::vector<double>& values, std::size_t from, std::size_t count);
// How far the mean of so many values from `late` on lies from that from `early` on, beyond what
// swings about it there.
double drift_between(const std::vector<double>& values, std::size_t early, std::size_t late,
                     std::size_t count);

}  // namespace asperity
