// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/analysis/properties.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/watch.hpp>
#include <cmath>
#include <vector>

namespace asperity {

namespace {

// ---- a model in motion -------------------------------------------------------------------------

using state_array = std::array<double, any_model::max_states>;

// One model under a prescribed motion. Copies are cheap: a history can be continued in two ways.
class contact_run {
 public:
  contact_run(const any_model& model, const std::atomic<bool>* interrupt)
      : model_(&model), interrupt_(interrupt) {
    model.initial(state_.data());
    scale_.fill(0);
    model.state_scale(scale_.data());
    f_ = model.force(state_.data(), at_);
  }

  double x() const { return at_.x; }
  double v() const { return at_.v; }
  double f() const { return f_; }
  double* state() { return state_.data(); }

  // To x and v, h later; x must be monotone on the way.
  double go(double x, double v, double h) {
    if (is_set(interrupt_)) throw interruption();
    const drive<double> to{x, v, 1.0};
    go(at_, to, h, 10);
    at_ = to;
    return f_;
  }

  // From rest to rest at x: the speed rises to v, stays, and falls again in the last part.
  // `seen` is called after each step.
  template <class Seen>
  void travel(double x, double v, int steps, Seen seen) {
    const double start = at_.x, distance = x - start, speed = std::copysign(v, distance);
    if (distance == 0) return;
    constexpr double ramp = 0.05;  // share of the time
    const double duration = std::abs(distance) / (v * (1 - ramp));
    for (int i = 1; i <= steps; ++i) {
      const double s = static_cast<double>(i) / steps, left = 1 - s;
      const double gone = s < ramp      ? s * s / (2 * ramp)
                          : left < ramp ? (1 - ramp) - left * left / (2 * ramp)
                                        : s - ramp / 2;
      const double now = std::min({1.0, s / ramp, left / ramp}) * speed;
      go(i == steps ? x : start + distance * gone / (1 - ramp), now, duration / steps);
      seen(*this);
    }
  }
  void travel(double x, double v, int steps = 200) {
    travel(x, v, steps, [](const contact_run&) {});
  }

  void rest(double duration) {
    for (int i = 0; i < 50; ++i) go(at_.x, 0, duration / 50);
  }

 private:
  const any_model* model_;
  const std::atomic<bool>* interrupt_;
  state_array state_{}, scale_{};
  drive<double> at_{};
  double f_ = 0;

  // One step, or two half steps where these end elsewhere, so that stiff models are followed.
  void go(const drive<double>& from, const drive<double>& to, double h, int depth) {
    if (model_->states() == 0) {
      f_ = model_->force(state_.data(), to);
      return;
    }
    if (model_->functions().in_double.advance != nullptr) {  // knows by itself how far it may go
      f_ = model_->advance(state_.data(), from, to, h);
      return;
    }
    state_array once = state_, twice = state_;
    const drive<double> middle{(from.x + to.x) / 2 + (from.v - to.v) * h / 8, (from.v + to.v) / 2,
                               1.0};
    const bool ordered = (middle.x - from.x) * (to.x - middle.x) >= 0;
    model_->advance(once.data(), from, to, h);
    if (!ordered) {
      f_ = model_->force(once.data(), to);
      state_ = once;
      return;
    }
    model_->advance(twice.data(), from, middle, h / 2);
    f_ = model_->advance(twice.data(), middle, to, h / 2);
    bool near = true;
    for (int i = 0; i < model_->states(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double size = scale_[k] != 0 ? scale_[k] : std::abs(twice[k]);
      near = near && !(std::abs(once[k] - twice[k]) > 1e-4 * size);  // halving mends no NaN
    }
    if (near || depth == 0) {
      state_ = twice;
      return;
    }
    go(from, middle, h / 2, depth - 1);
    go(middle, to, h / 2, depth - 1);
  }
};

// ---- its scales --------------------------------------------------------------------------------

struct scales {
  double effect = 0.01;       // what share of the force counts
  double force = 1;           // the largest in slow sliding
  double limit = 1;           // the least in slow sliding: loads below it should be held
  double length = 1;          // in which the force builds up, or a length of the card
  double span = 100;          // holds many of those and every structure in x
  double slow = 1, fast = 1;  // the slowest and the fastest speed at which something happens
  double time = 1;            // the longest time in which something happens
  bool timeless = false;      // the parameters contain no time
  const std::atomic<bool>* interrupt = nullptr;
  double creep() const { return 0.05 * slow; }
};

// Every parameter with a time in its unit says, with a force and a length, what that time is.
void take_times(const any_model& model, scales& s) {
  double shortest = unbounded, longest = 0;
  for (const auto& p : model.describe().parameters) {
    if (p.count != nullptr) continue;
    const unit u = p.in;
    const double exponent = u.second + 2.0 * u.kilogram;  // kg = N s^2/m
    if (exponent == 0) continue;
    for (const double value : model.get(p.name)) {
      if (value == 0) continue;
      const double rest = std::pow(s.force, u.kilogram) * std::pow(s.length, u.metre - u.kilogram);
      const double time = std::pow(std::abs(value) / rest, 1 / exponent);
      shortest = std::min(shortest, time);
      longest = std::max(longest, time);
    }
  }
  s.timeless = longest == 0;
  s.time = s.timeless ? 1.0 : longest;
  s.slow = s.length / s.time;
  s.fast = s.length / (s.timeless ? 1.0 : shortest);
}

struct jump {
  double ahead, back;
};

// The forces just before and just after a reversal at which nothing else has time to change.
jump reversal(contact_run run, const scales& s) {
  const double v = 1e-9 * s.slow, h = 1e-9 * s.length / s.fast;
  run.go(run.x(), v, h);
  const double ahead = run.f();
  run.go(run.x(), -v, h);
  return {ahead, run.f()};
}

bool jumps(const jump& j, const scales& s) {
  return std::abs(j.ahead - j.back) > s.effect * s.force;
}

scales measure_scales(const any_model& model, double effect, const std::atomic<bool>* interrupt) {
  scales s;
  s.effect = effect;
  s.interrupt = interrupt;
  if (model.has_bound()) s.force = model.force_bound(0, 0, 1);
  // A first guess of the length: that of the states, else force by stiffness, else of the card.
  double of_states = 0, of_stiffness = unbounded, shortest = unbounded, longest = 0;
  state_array sizes{};
  if (model.state_scale(sizes.data())) {
    const auto units_of = model.state_units();
    for (std::size_t i = 0; i < units_of.size(); ++i)
      if (units_of[i] == units::metre) of_states = std::max(of_states, sizes[i]);
  }
  for (const auto& p : model.describe().parameters) {
    if (p.count != nullptr) continue;
    for (const double value : model.get(p.name)) {
      if (value <= 0) continue;
      if (p.in == units::newton / units::metre)
        of_stiffness = std::min(of_stiffness, s.force / value);
      if (p.in == units::metre && !p.is_list) {
        shortest = std::min(shortest, value);
        longest = std::max(longest, value);
      }
    }
  }
  s.length = of_states > 0              ? of_states
             : of_stiffness < unbounded ? of_stiffness
             : shortest < unbounded     ? shortest
                                        : 1.0;
  take_times(model, s);
  const bool rigid = jumps(reversal(contact_run(model, s.interrupt), s), s);
  if (rigid && shortest < unbounded) s.length = shortest;
  take_times(model, s);

  // Then by a slow pull.
  struct point {
    double x, f;
  };
  std::vector<point> pull;
  contact_run run(model, s.interrupt);
  run.travel(30 * s.length, s.creep(), 1500, [&](const contact_run& r) {
    pull.push_back({r.x(), std::abs(r.f())});
  });
  s.force = 0;
  s.limit = unbounded;
  for (std::size_t i = 0; i < pull.size() * 9 / 10; ++i) {
    s.force = std::max(s.force, pull[i].f);
    if (i > pull.size() / 2) s.limit = std::min(s.limit, pull[i].f);
  }
  for (std::size_t i = 0; i < pull.size() && !rigid; ++i)
    if (pull[i].f >= 0.5 * s.force) {
      if (model.states() > 0) s.length = pull[i].x;
      break;
    }
  s.span = std::max(100 * s.length, 3 * std::min(longest, 1e5 * s.length));
  take_times(model, s);
  return s;
}

// ---- the experiments ---------------------------------------------------------------------------

// Speeds from the slowest to the fastest that matter, evenly spread over the decades.
std::vector<double> speeds(const scales& s, double below, double above, int count) {
  const double first = s.slow * below, last = s.fast * above;
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    result.push_back(first * std::pow(last / first, static_cast<double>(i) / (count - 1)));
  return result;
}

// The same loop at several speeds: does the force at the same place differ?
bool depends_on_rate(const any_model& model, const scales& s) {
  constexpr int points = 256;
  constexpr double turn = 2 * 3.14159265358979323846 / points;
  const double size = 3 * s.length;
  std::vector<double> first;
  for (const double v : speeds(s, 0.3, 3, 5)) {
    contact_run run(model, s.interrupt);
    std::vector<double> loop;
    for (int i = 1; i <= 2 * points; ++i) {
      const double phase = turn * i;
      run.go(size * (1 - std::cos(phase)), v * std::sin(phase), turn * size / v);
      if (i > points && i % (points / 2) != 0) loop.push_back(run.f());
    }
    if (first.empty()) first = loop;
    for (std::size_t i = 0; i < loop.size(); ++i)
      if (std::abs(loop[i] - first[i]) > s.effect * s.force) return true;
  }
  return false;
}

// Two slow histories that end on the way up, through the same place. If the force there is always
// the same, there is no memory. Otherwise the second history is tuned until force, place and
// direction agree; memory is local if then the future agrees, too (Mayergoyz).
memory_kind memory_of(const any_model& model, const scales& s) {
  const double L = s.length, v = s.creep(), meeting = 0.7 * L, end = 1.6 * L, far = 12 * L;
  struct passage {
    double meeting, later;
  };
  const auto last_way = [&](contact_run run) {
    passage seen{0, 0};
    contact_run before = run;
    run.travel(end + 0.2 * L, v, 400, [&](const contact_run& now) {
      const auto at = [&](double x, double& f) {
        if (before.x() < x && x <= now.x())
          f = before.f() + (now.f() - before.f()) * (x - before.x()) / (now.x() - before.x());
      };
      at(meeting, seen.meeting);
      at(end, seen.later);
      before = now;
    });
    return seen;
  };
  // Out of saturation from above, with one reversal at `low`.
  contact_run from_above(model, s.interrupt);
  from_above.travel(far, v);
  const auto tuned = [&](double low) {
    contact_run run = from_above;
    run.travel(low, v);
    return last_way(run);
  };
  const double tolerance = s.effect * s.force;
  bool remembers = false;
  for (const double turn : {-0.5 * L, 0.3 * L}) {
    // Out of saturation from below, with a loop on the way.
    contact_run looped(model, s.interrupt);
    for (const double x : {far, -far, 1.2 * L, turn}) looped.travel(x, v);
    const passage wanted = last_way(looped);

    double low = -far, high = 0.3 * L, best = unbounded, differs = 0;
    const double at_low = tuned(low).meeting, at_high = tuned(high).meeting;
    if (std::abs(at_low - at_high) < tolerance && std::abs(wanted.meeting - at_low) < tolerance)
      continue;
    remembers = true;
    for (int i = 0; i < 20; ++i) {
      const double middle = (low + high) / 2;
      const passage now = tuned(middle);
      const double miss = std::abs(now.meeting - wanted.meeting);
      if (miss < best) {
        best = miss;
        differs = std::abs(now.later - wanted.later);
      }
      ((now.meeting < wanted.meeting) == (at_low < at_high) ? low : high) = middle;
    }
    // Where they cannot even be made to agree, more than place and force is remembered.
    if (best > tolerance / 4 || differs > tolerance) return memory_kind::nonlocal;
  }
  return remembers ? memory_kind::local : memory_kind::none;
}

jump reversal_in_sliding(const any_model& model, const scales& s) {
  contact_run run(model, s.interrupt);
  run.travel(10.3 * s.length, s.creep());
  return reversal(run, s);
}

// A law that jumps from -P to P at v = 0 holds every load between, by the inclusion it stands for.
bool holds_by_jump(const any_model& model, const scales& s, double load) {
  const jump j = reversal(contact_run(model, s.interrupt), s);
  return jumps(j, s) && j.ahead >= load && j.back <= -load;
}

// Pushed slowly to some place and left there long, does it hold 5 % of the limit?
bool holds_at_rest(const any_model& model, const scales& s) {
  bool holds = false;
  for (double x = 1e-3 * s.length; x < 30 * s.length && !holds; x *= 1.3) {
    contact_run run(model, s.interrupt);
    run.travel(x, s.creep(), 50);
    run.rest(20 * s.time);
    holds = run.f() >= 0.05 * s.limit;
  }
  return holds;
}

// Presliding: at rest in another place, another force. A law of v alone forgets.
bool preslides(const any_model& model, const scales& s) {
  if (jumps(reversal(contact_run(model, s.interrupt), s), s)) return false;
  return holds_at_rest(model, s);
}

// A slow load that swings between two shares of the limit, as often as `cycles` three times over:
// the way of the body in the second and in the last third, and the way to and fro of a swing.
struct swings {
  static constexpr int cycles = 10;
  bool held = false;
  double before = 0, last = 0, swing = 0;
};
swings swing_load(const any_model& model, const scales& s, double low, double high) {
  contact_run run(model, s.interrupt);
  const double step = 0.01 * s.length, v = 1e-3 * s.slow;  // dampers must not carry the load
  // Moves until the force is f, in steps that get finer at the end.
  const auto move_until = [&](double f, double direction) {
    double length = step;
    run.go(run.x(), direction * v, 1e-9 * length / v);  // turns on the spot
    for (int i = 0; i < 20000; ++i) {
      contact_run next = run;
      next.go(run.x() + direction * length, direction * v, length / v);
      if (direction * (next.f() - f) < 0) {
        run = next;
      } else if (length > 1e-9 * s.length) {
        length /= 4;
      } else {
        return true;
      }
    }
    return false;
  };
  swings result;
  double tops[3] = {};
  for (int i = 1; i <= 3 * swings::cycles; ++i) {
    if (!move_until(high * s.limit, 1)) return result;
    const double top = run.x();
    if (i % swings::cycles == 0) tops[i / swings::cycles - 1] = top;
    if (!move_until(low * s.limit, -1)) return result;
    result.swing = std::max(result.swing, top - run.x());
  }
  result.before = std::abs(tops[1] - tops[0]);
  result.last = std::abs(tops[2] - tops[1]);
  result.held = true;
  return result;
}

// Stiction: a small load is held, also while it comes and goes. A contact that yields from the
// first load on, as a bristle does whose rate is v (1 - z/z_ss), creeps in each cycle by as large a
// share of the swing as the load is of the limit, here 5 %.
bool sticks(const any_model& model, const scales& s) {
  if (holds_by_jump(model, s, 0.5 * s.limit)) return true;
  if (!holds_at_rest(model, s)) return false;
  const swings w = swing_load(model, s, 0.0, 0.05);
  return w.held && w.last < s.effect * swings::cycles * w.swing;
}

// Drift: under a larger load that swings the body goes on for ever, however slowly. One that drifts
// goes as far in each cycle as in the one before; one that settles goes less and less far.
bool drifts(const any_model& model, const scales& s) {
  if (holds_by_jump(model, s, 0.4 * s.limit)) return false;
  if (!holds_at_rest(model, s)) return true;  // at rest it holds nothing
  const swings w = swing_load(model, s, 0.1, 0.4);
  const double rounding = 1e-6 * w.swing;  // places are found to 1e-9 of a length
  return !w.held || (w.last > rounding && w.last > 0.9 * w.before);
}

// The mean force of steady sliding at each speed.
struct steady {
  double v, f;
};
std::vector<steady> steady_friction(const any_model& model, const scales& s) {
  std::vector<steady> result;
  for (const double v : speeds(s, 0.05, 20, 18)) {
    contact_run run(model, s.interrupt);
    const double distance = 20 * s.length + (s.timeless ? 0.0 : 10 * v * s.time);
    const double end = distance / 0.9;
    double sum = 0;
    int count = 0;
    run.travel(end, v, 1000, [&](const contact_run& now) {
      if (now.x() < 0.5 * distance || now.x() > 0.95 * distance) return;
      sum += now.f();
      ++count;
    });
    result.push_back({v, sum / count});
  }
  return result;
}

// Largest fall with growing speed, and the speed in its middle.
struct fall {
  double height = 0, v = 0;
};
fall largest_fall(const std::vector<steady>& curve) {
  fall result;
  for (std::size_t i = 0; i < curve.size(); ++i)
    for (std::size_t j = i + 1; j < curve.size(); ++j)
      if (curve[i].f - curve[j].f > result.height) {
        result.height = curve[i].f - curve[j].f;
        for (std::size_t k = i; k <= j; ++k)
          if (curve[k].f >= curve[i].f - result.height / 2) result.v = curve[k].v;
      }
  return result;
}

// Sliding on with a speed that swings: is the force at one speed another on the way down? Only a
// force that knows the speed can lag behind it.
bool lags(const any_model& model, const scales& s) {
  constexpr int points = 256;
  constexpr double turn = 2 * 3.14159265358979323846 / points;
  for (const double v : speeds(s, 0.3, 3, 8)) {
    // So long a path that the limit changes too slowly for the contact to stick again on it.
    const double h = std::max(50 * s.length / v, 3 * s.time) / points;
    contact_run run(model, s.interrupt);
    run.travel(20 * s.length, v, 400);
    double x = run.x();
    std::vector<double> f;
    for (int i = 1; i <= 3 * points; ++i) {
      const double now = v * (1 - 0.8 * std::cos(turn * i));
      x += h * (run.v() + now) / 2;
      run.go(x, now, h);
      if (i > 2 * points) f.push_back(run.f());
    }
    for (int i = 1; i < points / 2; ++i)  // the same speeds, mirrored in time
      if (std::abs(f[static_cast<std::size_t>(i - 1)] -
                   f[static_cast<std::size_t>(points - i - 1)]) > s.effect * s.force)
        return true;
  }
  return false;
}

// A mass pulled at constant speed by a spring: once the start is forgotten, does it still come to
// rest again and again, and overtake the pull in between? `give` is how far the spring gives under
// the friction force, `pull` its speed, `v_here` the speed at which friction falls, if it does.
struct pulling {
  double give, pull, v_here;

  // Mass and spring in resonance at v_here take a tenth of the force, so that a slip is faster than
  // v_here.
  double stiffness(const scales& s) const { return s.force / give; }
  double mass(const scales& s) const {
    const double root = 0.1 * s.force / v_here;  // root of k m
    return root * root / stiffness(s);
  }
  double duration() const { return 15 * give / pull; }
};
bool keeps_stopping(const any_model& model, const scales& s, const pulling& how) {
  // The damper takes no more at v_here than the least fall that counts would feed.
  const double k = how.stiffness(s), m = how.mass(s), c = 2 * s.effect * s.force / how.v_here;
  const bool rigid = jumps(reversal(contact_run(model, s.interrupt), s), s);
  // A fraction of the shortest period, that of the mass on the presliding stiffness.
  const double part = 0.02 * std::sqrt(s.length * how.give);
  const double h = (rigid ? std::min(part, 0.5 * s.length) : part) / how.v_here;
  const int steps = static_cast<int>(std::min(4e5, how.duration() / h));
  contact_run run(model, s.interrupt);
  double x = 0, v = 0, f = run.f();
  int stops = 0;
  bool moving = false;
  for (int i = 1; i <= steps && stops < 4; ++i) {
    const double t = i * h;
    const double drive_force = k * (how.pull * t - x) + c * (how.pull - v);
    if (model.has_implicit_step()) {  // solves its inclusion itself
      v = model.implicit_step(run.state(), 1.0, h, {v, v + h / m * drive_force, h / m}).u;
      x += h * v;
    } else if (rigid) {  // stays at rest where neither side of the jump lets it go
      const double least = 1e-9 * s.slow, free = v + h / m * drive_force;
      const double forwards = free - h / m * model.force(run.state(), {x, std::max(v, least), 1.0});
      const double backwards =
          free - h / m * model.force(run.state(), {x, std::min(v, -least), 1.0});
      v = forwards > 0 ? forwards : backwards < 0 ? backwards : 0.0;
      x += h * v;
      run.go(x, v, h);
    } else {  // velocity Verlet
      const double a = (drive_force - f) / m;
      const double next = x + h * (v + 0.5 * h * a);
      f = run.go(next, v + h * a, h);
      const double later = (k * (how.pull * t - next) + c * (how.pull - v - h * a) - f) / m;
      x = next;
      v += 0.5 * h * (a + later);
    }
    if (i < steps / 2) continue;
    if (moving && v < 0.05 * how.pull) ++stops, moving = false;
    if (v > 1.5 * how.pull) moving = true;
  }
  return stops >= 4;
}

// With some soft spring and some slow pull: friction that depends on the place needs a spring that
// is soft against its teeth and not so soft that a slip goes over many of them.
// `found` is that spring, or the last one that was tried.
bool stick_slips(const any_model& model, const scales& s, const fall& falling, pulling& found) {
  const double v_here = falling.height > s.effect * s.force ? falling.v : s.slow;
  for (const double softness : {1.0, 0.1, 0.01})
    for (const double slowness : {0.3, 0.1, 0.03}) {
      found = {std::max(softness * s.span, s.length), slowness * v_here, v_here};
      if (keeps_stopping(model, s, found)) return true;
    }
  return false;
}

}  // namespace

const char* to_string(memory_kind kind) {
  return kind == memory_kind::none ? "none" : kind == memory_kind::local ? "local" : "nonlocal";
}

model_properties properties_of(const any_model& model, double effect,
                               const std::atomic<bool>* interrupt, friction_scales* scales) {
  if (const auto& family = model.entry().family; !model.at().is_sliding())
    throw error(
        fmt::format("model '{}' is of the family {}: only friction and curves have these "
                    "properties",
                    model.key(), family));
  const auto s = measure_scales(model, effect, interrupt);
  const fall falling = largest_fall(steady_friction(model, s));
  model_properties p;
  p.rate_dependent = depends_on_rate(model, s);
  p.memory = memory_of(model, s);
  p.continuous = !jumps(reversal_in_sliding(model, s), s);
  p.stiction = sticks(model, s);
  p.drift = drifts(model, s);
  p.stribeck = falling.height > s.effect * s.force;
  p.presliding = preslides(model, s);
  p.lag = p.rate_dependent && lags(model, s);
  pulling how{};
  p.stick_slip = stick_slips(model, s, falling, how);
  if (scales != nullptr)
    *scales = {s.force,     s.length,         s.slow,   s.fast,        s.time,
               how.mass(s), how.stiffness(s), how.pull, how.duration()};
  return p;
}

}  // namespace asperity
