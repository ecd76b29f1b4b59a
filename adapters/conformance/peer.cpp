// SPDX-License-Identifier: Apache-2.0
#include "adapters/conformance/peer.hpp"

#include <algorithm>
#include <asperity/publish/conformance_tools.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
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
bool wishes::has(const std::string& card) const {
  return cards.empty() || std::find(cards.begin(), cards.end(), card) != cards.end();
}
void wishes::put(json& into, const std::string& card, const std::function<json()>& measure) const {
  if (has(card)) into[card] = measure();
}
wishes read_wishes(int count, const char* const* words) {
  wishes result;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--steps") {
      const std::string factor = i + 1 < count ? words[++i] : "";
      char* end = nullptr;
      result.steps = std::strtod(factor.c_str(), &end);
      if (factor.empty() || *end != '\0' || !(result.steps > 0) || !std::isfinite(result.steps))
        throw std::runtime_error("--steps needs a factor above 0, not '" + factor + "'");
    } else if (std::filesystem::exists(conformance_folder() + "/" + word + ".toml")) {
      result.cards.push_back(word);
    } else {
      throw std::runtime_error("'" + word + "' is not a card; usage: [--steps FACTOR] [CARD ...]");
    }
  }
  return result;
}

void slide_cards(json& cards, slider& body, const wishes& wanted) {
  wanted.put(cards, "hold_for_an_hour", [&] { return hold_for_an_hour(body); });
  wanted.put(cards, "drift_under_vibration", [&] { return drift_under_vibration(body); });
  wanted.put(cards, "break_away", [&] { return break_away(body); });
  motion_cards(cards, body, wanted);
}
void motion_cards(json& cards, slider& body, const wishes& wanted) {
  wanted.put(cards, "presliding_memory", [&] { return presliding_memory(body); });
  wanted.put(cards, "stribeck_and_lag", [&] { return stribeck_and_lag(body); });
  wanted.put(cards, "stick_slip_cycle", [&] { return stick_slip_cycle(body); });
}
void impact_cards(json& cards, spheres& world, const wishes& wanted) {
  wanted.put(cards, "touchdown", [&] { return touchdown(world); });
  wanted.put(cards, "restitution_against_speed", [&] { return restitution_against_speed(world); });
  wanted.put(cards, "grazing_impact", [&] { return grazing_impact(world); });
  wanted.put(cards, "angular_momentum", [&] { return angular_momentum(world); });
}

// ---- a slider
// -----------------------------------------------------------------------------------

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

// ---- motion that is given
// -----------------------------------------------------------------------

namespace {

// A slider that is moved. Its friction is what the push did not turn into
// speed, a mean of the step. What the push takes for friction, and how it makes
// up for speeds, follows over some steps: a push that jumps from step to step
// shakes contacts that give way.
class moved {
 public:
  // The first push makes up for this friction; in a step, this share of what is
  // missing.
  explicit moved(slider& body, double friction, double share)
      : body_(body), expected_(friction), share_(share) {
    body.restart();
  }
  double with_speed(double v) {
    const double before = body_.v(), per_step = body_.mass / body_.timestep;
    const double push = per_step * (v - wanted_ + share_ * (wanted_ - before)) + expected_;
    body_.step(push);
    wanted_ = v;
    const double friction = push - per_step * (body_.v() - before);
    expected_ += share_ * (friction - expected_);
    return friction;
  }
  double to(double x) {
    wanted_ = body_.v();
    return with_speed((x - body_.x()) / body_.timestep);
  }

 private:
  slider& body_;
  double expected_, share_, wanted_ = 0;
};
constexpr double at_once = 1, gently = 0.1;

constexpr std::size_t most_steps = 2'000'000;  // of one motion

// Friction at a constant speed when it no longer changes, or swings about a mean that does not; NaN
// where it changes until the end. While it is slow it changes little, also on the way to its limit:
// what has presliding moves on for ten times its length.
double steady_friction(slider& body, double v) {
  const std::size_t window = std::max<std::size_t>(10, whole(0.1 / body.timestep));
  const double same = 2e-3 * body.limit;
  moved at(body, body.limit, gently);
  std::vector<double> means;
  while (means.size() * window < most_steps) {
    double mean = 0;
    for (std::size_t i = 0; i < window; ++i) mean += at.with_speed(v);
    means.push_back(mean / static_cast<double>(window));
    const std::size_t n = means.size();
    const double way = v * body.timestep * static_cast<double>(n * window);
    if (n < 3 || way < 10 * body.presliding) continue;
    const double last = means[n - 1];
    if (std::max(std::abs(last - means[n - 2]), std::abs(last - means[n - 3])) < same) return last;
    if (n < 256 || (n & (n - 1)) != 0) continue;
    const double late = mean_of(means, n / 2, n / 2);
    if (std::abs(late - mean_of(means, n / 4, n / 4)) < same) return late;
  }
  return NAN;
}

// How far it goes until friction is half of its limit; NaN where friction does
// not grow with the way: it is there at once, or it creeps at a friction below
// that.
double presliding_way(slider& body, double v) {
  const double h = body.timestep, half = 0.5 * body.limit;
  const std::size_t tenth = most_steps / 10;
  constexpr double same = 1e-6;
  moved at(body, 0, at_once);
  double x = 0, f = 0, earlier = 0;
  for (std::size_t n = 1; n <= most_steps; ++n) {
    const double x_before = x, f_before = f;
    f = at.to(v * h * static_cast<double>(n));
    x = body.x();
    if (f >= half) {
      const double way = x_before + (x - x_before) * (half - f_before) / (f - f_before);
      return way > 10 * v * h ? way : NAN;
    }
    if (n % tenth != 0) continue;
    if (std::abs(f - earlier) < same * body.limit) return NAN;
    earlier = f;
  }
  return NAN;
}

// Friction at each turning point, over the limit.
std::vector<double> along(slider& body, const std::vector<double>& path, double v) {
  std::vector<double> turned;
  moved at(body, 0, at_once);
  double x = 0, f = 0;
  for (const double point : path) {
    const std::size_t steps =
        std::max<std::size_t>(1, whole(std::abs(point - x) / v / body.timestep));
    for (std::size_t i = 1; i <= steps; ++i)
      f = at.to(x + (point - x) * static_cast<double>(i) / static_cast<double>(steps));
    x = point;
    turned.push_back(f / body.limit);
  }
  return turned;
}

}  // namespace

json presliding_memory(slider& body) {
  inputs in("presliding_memory");
  const double v = in("speed", speed), way = presliding_way(body, v);
  if (!std::isfinite(way))
    return does_not_apply("no presliding: friction does not grow with the displacement");
  auto path = in.list("path", units::one);
  for (double& point : path) point *= way;
  const auto turned = along(body, path, v);
  const std::size_t last = path.size() - 1;
  double closure = 0;
  for (std::size_t i = 0; i < last; ++i)
    for (std::size_t k = i + 1; k < last; ++k)
      if (path[i] == path[k]) closure = std::max(closure, std::abs(turned[k] - turned[i]));
  const double direct = along(body, {path[last]}, v).back();
  return {{"closure", number(closure)}, {"wiping_out", number(std::abs(turned[last] - direct))}};
}

json stribeck_and_lag(slider& body) {
  inputs in("stribeck_and_lag");
  const double slow = in("slowest", speed), fast = in("fastest", speed), swing = in("swing"),
               frequency = in("frequency", units::one / s);
  const std::size_t speeds = whole(in("speeds"));
  double highest = 0, fall = 0, steepest = 0, mean = std::sqrt(slow * fast), v_before = 0,
         f_before = 0;
  for (std::size_t i = 0; i < speeds; ++i) {
    const double v =
        slow * std::pow(fast / slow, static_cast<double>(i) / static_cast<double>(speeds - 1));
    const double f = steady_friction(body, v) / body.limit;
    if (!std::isfinite(f)) return {{"fall", nullptr}, {"lag", nullptr}};
    highest = std::max(highest, f);
    fall = std::max(fall, highest - f);
    if (i > 0 && f_before - f > steepest) {
      steepest = f_before - f;
      mean = std::sqrt(v_before * v);
    }
    v_before = v;
    f_before = f;
  }
  // Below this it is the tolerance of a solver that swings.
  constexpr double least_range = 1e-3;  // of the limit
  moved at(body, body.limit, at_once);
  const std::size_t period = 4 * whole(0.25 / frequency / body.timestep);
  // From the way of presliding on; then the last of four periods.
  const std::size_t settling = std::max(period, whole(30 * body.presliding / mean / body.timestep));
  for (std::size_t n = 0; n < settling; ++n) at.with_speed(mean);
  double low = INFINITY, high = -INFINITY, rising = 0, falling = 0, before = 0;
  for (std::size_t n = 1; n <= 4 * period + 1; ++n) {
    const double phase = 2 * M_PI * static_cast<double>(n) / static_cast<double>(period);
    const double f = at.with_speed(mean * (1 + swing * std::sin(phase))) / body.limit;
    // Friction is the mean of a step: at the end of one it is that of two
    // steps.
    if (n == 4 * period - period / 2 + 1) falling = 0.5 * (before + f);
    if (n == 4 * period + 1) rising = 0.5 * (before + f);
    if (n > 3 * period) {
      low = std::min(low, f);
      high = std::max(high, f);
    }
    before = f;
  }
  return {{"fall", number(fall)},
          {"lag", number(high - low > least_range ? (rising - falling) / (high - low) : 0)}};
}

json stick_slip_cycle(slider& body) {
  inputs in("stick_slip_cycle");
  const double k = in("stiffness", units::newton / m), V = in("speed", speed), h = body.timestep;
  const double F_k = steady_friction(body, V);
  if (!(F_k <= 0.95 * body.limit))
    return does_not_apply(
        "steady sliding: friction at the speed of the pull "
        "is not below its limit");
  const auto wanted = rigid_cycle::of(body.limit, F_k, body.mass, k, V);
  const double duration = body.limit / (k * V) + in("cycles") * wanted.period;
  std::vector<double> begins, low, high;
  body.restart();
  double v = 0;
  for (std::size_t n = 1; n <= whole(duration / h); ++n) {
    const double t = static_cast<double>(n) * h, pull = k * (V * t - body.x());
    body.step(pull);
    const double v_before = v;
    v = body.v();
    if (v_before < V && v >= V) {
      begins.push_back(t);
      low.push_back(pull);
      high.push_back(pull);
    }
    if (begins.empty()) continue;
    low.back() = std::min(low.back(), pull);
    high.back() = std::max(high.back(), pull);
  }
  if (begins.size() < 3) return {{"period", nullptr}, {"range", nullptr}};
  const std::size_t from = begins.size() - 2;
  return {{"period", number((begins[from + 1] - begins[from]) / wanted.period)},
          {"range", number((high[from] - low[from]) / wanted.range)}};
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

// ---- spheres
// ------------------------------------------------------------------------------------

namespace {

struct bounce {
  double e = 0,
         contact = 0;  // restitution; time during which there is a force [s]
  std::vector<double> forces;
};
// A sphere that flies down at a speed, until it has been on its way up for a
// while.
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
