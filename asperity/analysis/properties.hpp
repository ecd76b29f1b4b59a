// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a friction model does, found by running it: nothing here is read from its name or claims.
// Each property is one small experiment at the model's own scales of force, length and speed, which
// are measured first. Always at load 1 and with the parameters the model has.

#include <asperity/catalogue/any_model.hpp>
#include <atomic>

namespace asperity {

enum class memory_kind { none, local, nonlocal };
const char* to_string(memory_kind);

struct model_properties {
  bool rate_dependent = false;             // the loop in (x, f) depends on the speed
  memory_kind memory = memory_kind::none;  // what, beside x and v, decides on the force
  bool continuous = false;                 // the force, through a velocity reversal
  bool stiction = false;                   // holds a small load, also one that comes and goes
  bool drift = false;                      // a load that swings below the limit moves it on
  bool stribeck = false;                   // steady friction falls with speed somewhere
  bool presliding = false;                 // the force at rest grows with the displacement
  bool lag = false;                        // sliding, the force comes after the velocity
  bool stick_slip = false;                 // a mass pulled by a soft spring stops and goes

  bool operator==(const model_properties&) const = default;
};

// At which force, length and speeds a model is tried, and the mass on a spring that stops and goes; one
// of those that were tried where none does.
struct friction_scales {
  double force = 0;                // the largest in slow sliding [N]
  double length = 0;               // in which the force builds up [m]
  double slow = 0, fast = 0;       // the slowest and the fastest speed that matters [m/s]
  double time = 0;                 // the longest time in which something happens [s]
  double mass = 0, stiffness = 0;  // of the pulled mass [kg], [N/m]
  double pull = 0, duration = 0;   // speed of the spring's end [m/s], of what was run [s]
};

// For models of the families curve and friction; throws asperity::error for others. `effect` is
// what counts: differences below that share of the friction force are taken for none. The answers
// hardly depend on it, which is tested. Throws asperity::interruption.
model_properties properties_of(const any_model& model, double effect = 0.01,
                               const std::atomic<bool>* interrupt = nullptr,
                               friction_scales* scales = nullptr);

}  // namespace asperity
