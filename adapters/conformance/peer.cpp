// SPDX-License-Identifier: Apache-2.0
#include "adapters/conformance/peer.hpp"

#include <algorithm>
#include <asperity/publish/conformance_tools.hpp>
#include <cmath>
#include <vector>

namespace asperity::peers {

namespace {

// An input of a card, in SI.
class inputs {
 public:
  explicit inputs(const std::string& card)
      : document_(read_toml(conformance_folder() + "/" + card + ".toml")),
        root_(document_, "", nullptr),
        table_(root_.table("inputs")) {}
  double operator()(const std::string& key, unit in = units::one) {
    return table_.number(key, in, any_value);
  }
  std::vector<double> list(const std::string& key, unit in) {
    return table_.numbers(key, in, any_value);
  }

 private:
  toml_value document_;
  reader root_, table_;
};

constexpr unit speed = units::metre / units::second, kg = units::kilogram, m = units::metre,
               s = units::second;

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

double half_cosine(double t, double ramp) {
  return t < ramp ? 0.5 * (1 - std::cos(M_PI * t / ramp)) : 1;
}

std::size_t whole(double value) { return static_cast<std::size_t>(std::lround(value)); }

}  // namespace

json does_not_apply(const std::string& why) { return {{"does_not_apply", why}}; }
json not_run(const std::string& why) { return {{"not_run", why}}; }

json row(const std::string& simulator, const std::string& settings) {
  return {{"simulator", simulator}, {"settings", settings}, {"cards", json::object()}};
}
void slide_cards(json& cards, slider& body) {
  cards["hold_for_an_hour"] = hold_for_an_hour(body);
  cards["drift_under_vibration"] = drift_under_vibration(body);
  cards["break_away"] = break_away(body);
}
void impact_cards(json& cards, spheres& world) {
  cards["touchdown"] = touchdown(world);
  cards["restitution_against_speed"] = restitution_against_speed(world);
  cards["grazing_impact"] = grazing_impact(world);
  cards["angular_momentum"] = angular_momentum(world);
}

// ---- a slider -----------------------------------------------------------------------------------

json hold_for_an_hour(slider& body) {
  inputs in("hold_for_an_hour");
  const double ramp = in("ramp", s), duration = in("duration", s), h = body.timestep;
  const double pull = in("share") * body.limit;
  constexpr std::size_t samples = 3600;
  const std::size_t steps = whole(duration / h), every = steps / samples;
  std::vector<double> x;
  const auto force = [&](double t) { return pull * half_cosine(t, ramp); };
  body.restart();
  body.follows(force);
  for (std::size_t n = 0; n < steps; ++n) {
    if (n % every == 0) x.push_back(body.x());
    body.step(force(static_cast<double>(n + 1) * h));
  }
  x.push_back(body.x());
  return {{"drift", number(drift_between(x, samples / 2, samples - samples / 10, samples / 10))}};
}

json drift_under_vibration(slider& body) {
  inputs in("drift_under_vibration");
  const double ramp = in("ramp", s), period = in("period", s), h = body.timestep;
  const double mean = in("mean"), amplitude = in("amplitude");
  const std::size_t periods = whole(in("periods")), tenth = periods / 10;
  constexpr std::size_t samples = 8;
  const std::size_t every = whole(period / samples / h);
  const std::size_t rising = whole(ramp / h);
  const auto force = [&](double t) {
    return body.limit * (t < ramp ? mean * half_cosine(t, ramp)
                                  : mean + amplitude * std::sin(2 * M_PI * (t - ramp) / period));
  };
  body.restart();
  body.follows(force);
  std::size_t n = 0;
  while (n < rising) body.step(force(static_cast<double>(++n) * h));
  std::vector<double> places;
  for (std::size_t p = 0; p < periods; ++p) {
    double sum = 0;
    for (std::size_t k = 0; k < samples * every; ++k) {
      if (k % every == 0) sum += body.x() / samples;
      body.step(force(static_cast<double>(++n) * h));
    }
    places.push_back(sum);
  }
  return {{"drift", number(drift_between(places, periods / 2 - tenth, periods - tenth, tenth))}};
}

json break_away(slider& body) {
  inputs in("break_away");
  const double moved = in("least", m) + in("ways") * body.presliding, excess = in("excess");
  std::vector<double> forces;
  for (const double rate : in.list("rates", units::one / s)) {
    const auto force = [&](double t) { return rate * body.limit * t; };
    body.restart();
    // The mean of a step, where it is followed.
    const double lag = body.follows(force) ? 0.5 : 0;
    double most = 0;
    const double start = body.x();
    for (std::size_t n = 1;; ++n) {
      const double pull = force((static_cast<double>(n) - lag) * body.timestep);
      const double before = body.v();
      body.step(pull);
      const double f = pull - body.mass * (body.v() - before) / body.timestep;
      const bool accelerates = pull - f > excess * body.limit;
      if ((body.x() - start >= moved && accelerates) || pull > 3 * body.limit) break;
      most = std::max(most, f);
    }
    forces.push_back(most / body.limit);
  }
  return {{"slow", number(forces.front())},
          {"most", number(*std::max_element(forces.begin(), forces.end()))}};
}

json two_brakes(two_sliders& pair) {
  inputs in("two_brakes");
  const double weaker = in("weaker"), hold = in("hold", s), slip = in("slip", s);
  const double h = pair.timestep, ramp = in("ramp", s), rise = 1;
  const double gentle = in("share") * weaker * pair.limit, strong = in("beyond") * pair.limit;
  pair.restart(in("mass", kg), weaker);
  std::vector<double> seen[2];
  double before[2] = {0, 0};
  const std::size_t held = whole((ramp + hold) / h), middle = whole((ramp + hold / 2) / h),
                    tenth = whole(hold / 10 / h), count = whole((ramp + hold + rise + slip) / h);
  for (std::size_t n = 1; n <= count; ++n) {
    const double t = static_cast<double>(n) * h;
    pair.step(n <= held ? gentle * half_cosine(t, ramp)
                        : gentle + (strong - gentle) * std::min(1.0, (t - ramp - hold) / rise));
    for (int i = 0; i < 2; ++i) {
      if (n <= held) seen[i].push_back(pair.slip(i));
      if (n == held) before[i] = pair.slip(i);
    }
  }
  double creep = 0;
  for (const auto& each : seen)
    creep = std::max(creep, drift_between(each, middle, held - tenth, tenth));
  return {{"creep", number(creep)},
          {"wrong_brake",
           number(std::abs(pair.slip(0) - before[0]) / std::abs(pair.slip(1) - before[1]))}};
}

// ---- spheres ------------------------------------------------------------------------------------

namespace {

struct bounce {
  double e = 0, contact = 0;  // restitution; time during which there is a force [s]
  std::vector<double> forces;
};
// A sphere that flies down at a speed, until it has been on its way up for a while.
bounce drop(spheres& world, double mass, double v) {
  constexpr double radius = 0.1;
  const double gap = std::max(2 * v * world.timestep, 1e-6);
  world.restart(mass, radius, 0, {{{0, 0, radius + gap}, {0, 0, -v}, {0, 0, 0}}});
  bounce result;
  double up = 0;
  // Ten seconds at most: what has not left by then stays.
  const std::size_t most = whole(10 / world.timestep);
  for (std::size_t n = 0; n < most; ++n) {
    world.step();
    const auto now = world.state(0);
    up = std::max(up, now.v[2]);
    if (world.has_force) {
      result.forces.push_back(world.contact_force());
      if (result.forces.back() != 0) result.contact += world.timestep;
    }
    if (now.v[2] > 0 && now.x[2] > radius + gap) break;
    const bool rests = std::abs(now.v[2]) < 1e-9 * v && now.x[2] < radius + gap;
    if (rests) break;
  }
  result.e = up / v;
  return result;
}

}  // namespace

json touchdown(spheres& world) {
  if (!world.has_force) return does_not_apply("impulses: no contact force is finite");
  inputs in("touchdown");
  const double mass = in("mass", kg), v = in("speed", speed), samples = in("samples");
  // Short steps: as many in the time of contact as the card wants samples.
  const double usual = world.timestep;
  world.timestep = drop(world, mass, v).contact / samples;
  const auto seen = drop(world, mass, v);
  world.timestep = usual;
  const double peak = *std::max_element(seen.forces.begin(), seen.forces.end());
  double jump = 0;
  for (std::size_t i = 1; i < seen.forces.size(); ++i)
    jump = std::max(jump, std::abs(seen.forces[i] - seen.forces[i - 1]));
  const double lowest = *std::min_element(seen.forces.begin(), seen.forces.end());
  return {{"jump", number(jump / peak)}, {"pull", number(std::max(0.0, -lowest) / peak)}};
}

json restitution_against_speed(spheres& world) {
  inputs in("restitution_against_speed");
  const double mass = in("mass", kg), slow = in("slowest", speed), fast = in("fastest", speed);
  const std::size_t speeds = whole(in("speeds"));
  const double usual = world.timestep;
  std::vector<double> e;
  for (std::size_t i = 0; i < speeds; ++i) {
    const double v =
        slow * std::pow(fast / slow, static_cast<double>(i) / static_cast<double>(speeds - 1));
    // Where the contact has a duration, in steps that resolve it.
    if (world.has_force) world.timestep = drop(world, mass, v).contact / 2000;
    e.push_back(drop(world, mass, v).e);
    world.timestep = usual;
  }
  double lowest = e.front(), rise = 0;
  for (const double each : e) {
    lowest = std::min(lowest, each);
    rise = std::max(rise, each - lowest);
  }
  return {{"slow_loss", number(1 - e.front())},
          {"fall", number(e.front() - e.back())},
          {"rise", number(rise)}};
}

json grazing_impact(spheres& world) {
  inputs in("grazing_impact");
  const double mass = in("mass", kg), R = in("radius", m), along = in("along", speed),
               down = in("down", speed), mu = in("mu"), gap = in("gap", m);
  world.restart(mass, R, mu, {{{0, 0, R + gap}, {along, 0, -down}, {0, 0, 0}}});
  const std::size_t steps = whole(in("duration", s) / world.timestep);
  for (std::size_t n = 0; n < steps; ++n) world.step();
  const auto end = world.state(0);
  const double I = 0.4 * mass * R * R, up = end.v[2], spin = end.omega[1];
  const double normal = mass * (up + down), slid = along - mu * normal / mass,
               turned = mu * normal * R / I;
  const double before = 0.5 * mass * (along * along + down * down);
  const double wanted = before - 0.5 * mass * (slid * slid + up * up) - 0.5 * I * turned * turned;
  const double left =
      0.5 * mass * (end.v[0] * end.v[0] + end.v[1] * end.v[1] + up * up) + 0.5 * I * spin * spin;
  return {{"loss", number((before - left) / wanted)},
          {"impulse", number(mass * (along - end.v[0]) / (mu * normal))}};
}

json angular_momentum(spheres& world) {
  inputs in("angular_momentum");
  const double mass = in("mass", kg), R = in("radius", m), v = in("speed", speed),
               offset = in("offset"), mu = in("mu"), spin = in("spin", units::radian / s);
  const double I = 0.4 * mass * R * R, b = offset * R, apart = 2 * R * 1.001;
  world.restart(mass, R, mu,
                {{{0, 0, 0}, {0, 0, 0}, {0, 0, spin}},
                 {{std::sqrt(apart * apart - b * b), b, 0}, {-v, 0, 0}, {0, 0, 0}}});
  const auto sums = [&](double* p, double& L) {
    p[0] = p[1] = L = 0;
    for (int i = 0; i < 2; ++i) {
      const auto of = world.state(i);
      p[0] += mass * of.v[0];
      p[1] += mass * of.v[1];
      L += mass * (of.x[0] * of.v[1] - of.x[1] * of.v[0]) + I * of.omega[2];
    }
  };
  double p_0[2], L_0, p[2], L, angular = 0, linear = 0;
  sums(p_0, L_0);
  const std::size_t steps = whole(in("duration", s) / world.timestep);
  for (std::size_t n = 0; n < steps; ++n) {
    world.step();
    sums(p, L);
    linear = std::max(linear, std::hypot(p[0] - p_0[0], p[1] - p_0[1]) / (mass * v));
    angular = std::max(angular, std::abs(L - L_0) / (mass * v * R));
  }
  const auto first = world.state(0), second = world.state(1);
  const double dx = second.x[0] - first.x[0], dy = second.x[1] - first.x[1],
               distance = std::hypot(dx, dy);
  const double away =
      ((second.v[0] - first.v[0]) * dx + (second.v[1] - first.v[1]) * dy) / distance;
  const double towards = v * std::sqrt(1 - 0.25 * offset * offset);
  const double wanted = mu * 0.5 * mass * (towards + away) * R / I;
  return {{"angular", number(angular)},
          {"linear", number(linear)},
          {"spin", number(second.omega[2] / wanted)}};
}

}  // namespace asperity::peers
