// SPDX-License-Identifier: Apache-2.0
#pragma once

// The procedures of the conformance cards for any simulator that can push a body along a line and
// let spheres collide. A simulator implements `slider` or `spheres`; the numbers of the procedures
// come from the cards. Results are what `asperity conformance --measured` judges.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace asperity::peers {

using json = nlohmann::ordered_json;

// A body at rest on dry friction, pushed along a line.
class slider {
 public:
  slider() = default;
  slider(const slider&) = delete;
  slider& operator=(const slider&) = delete;
  virtual ~slider() = default;

  double mass = 1, limit = 1;  // [kg], friction at most [N]
  double timestep = 1e-3;      // [s]
  double presliding = 0;       // [m] where friction is half of its limit

  virtual void restart() = 0;          // at rest at x = 0, settled under its load
  virtual void step(double pull) = 0;  // one time step under this force [N]
  // The force over the time since the restart, told before the first step. A simulator that takes
  // steps of its own length follows it, and its answer is true; then `step` says only where it stops.
  virtual bool follows(const std::function<double(double)>&) { return false; }
  virtual double x() const = 0;
  virtual double v() const = 0;
};

json hold_for_an_hour(slider&);
json drift_under_vibration(slider&);
json break_away(slider&);
// Motion that is given: the push of each step makes up for the friction of the one before. `step`
// must take the force that it is told, also from a simulator that could follow one.
json presliding_memory(slider&);
json stribeck_and_lag(slider&);
json stick_slip_cycle(slider&);

// A carriage and a body, each of `mass`, on two brakes in series: `limit` is that of the one between
// carriage and ground, and the other holds `weaker` of it.
class two_sliders {
 public:
  two_sliders() = default;
  two_sliders(const two_sliders&) = delete;
  two_sliders& operator=(const two_sliders&) = delete;
  virtual ~two_sliders() = default;

  double limit = 1, timestep = 1e-3;

  virtual void restart(double mass, double weaker) = 0;
  virtual void step(double pull) = 0;
  virtual double slip(int brake) const = 0;  // 0: ground and carriage, 1: carriage and body
};

json two_brakes(two_sliders&);

// Solid spheres without weight, above the plane z = 0 or alone in space.
class spheres {
 public:
  struct body {
    double x[3], v[3], omega[3];
  };

  spheres() = default;
  spheres(const spheres&) = delete;
  spheres& operator=(const spheres&) = delete;
  virtual ~spheres() = default;

  double timestep = 1e-3;
  bool has_force = false;  // contact_force() answers, at time steps as short as one likes

  // One sphere above a plane, or two and no plane.
  virtual void restart(double mass, double radius, double mu, const std::vector<body>&) = 0;
  virtual void step() = 0;
  virtual body state(int i) const = 0;
  virtual double contact_force() const { return 0; }  // normal, of the last step [N]
};

json touchdown(spheres&);
json restitution_against_speed(spheres&);
json grazing_impact(spheres&);
json angular_momentum(spheres&);

json does_not_apply(const std::string& why);
json not_run(const std::string& why);

// What a program is asked for: all cards where none is named, and its usual time steps times a factor,
// where a row says that it has such steps.
struct wishes {
  std::vector<std::string> cards = {};
  double steps = 1;

  bool has(const std::string& card) const;
  // Measures a card where it is wanted.
  void put(json& into, const std::string& card, const std::function<json()>& measure) const;
};
// The words of a command line, `[--steps FACTOR] [CARD ...]`; throws where they are others.
wishes read_wishes(int count, const char* const* words);

// A row of the matrix without cards yet; the cards of a body on friction, those among them that give
// its motion, and those of spheres.
json row(const std::string& simulator, const std::string& settings);
void slide_cards(json& cards, slider&, const wishes& = {});
void motion_cards(json& cards, slider&, const wishes& = {});
void impact_cards(json& cards, spheres&, const wishes& = {});

}  // namespace asperity::peers
