// SPDX-License-Identifier: Apache-2.0
// The laws of models that move along a line: parameters are drawn over decades around their
// defaults, motions in the sizes at which something happens.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/laws/law.hpp>
#include <asperity/text.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <utility>

namespace asperity::laws {

namespace {

// Random cases of a law. Sanitized programs, which are slow and look for other things, try a few.
constexpr int cases(int n) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return n / 10;
#endif
#endif
  return n;
}

constexpr double pi = 3.14159265358979323846;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t capacity = any_model::max_states;
using state_array = std::array<double, capacity>;

// ---- what is drawn ------------------------------------------------------------------------------

struct spread {
  double decades = 1.5;       // of dimensional parameters, either way
  bool dimensionless = true;  // draw those, too
  bool exponents = true;      // ... and those on which units depend
};

bool is_allowed(const range& r, double x) {
  return (r.open_below ? x > r.lower : x >= r.lower) && x <= r.upper;
}

double typical(const subject& about, const any_model& model, dice& random, unit u);

void draw_parameters(const subject& about, any_model& model, dice& random, const spread& how) {
  for (const auto& p : model.describe().parameters)
    if (p.count != nullptr)
      model.set(p.name, random.whole(1, std::min(12, static_cast<int>(p.allowed.upper))));
  for (const auto& p : model.describe().parameters) {
    if (p.count != nullptr || (p.is_exponent && !how.exponents)) continue;
    const bool plain = p.in == units::one;
    if (plain && !p.is_share && !how.dimensionless) continue;
    std::vector<double> values = model.get(p.name);
    double sum = 0;
    for (double& value : values) {
      const double width = plain ? 0.4 : how.decades;
      // What is 0 by default may stay so, or become something that matters.
      double scale = value;
      if (value == 0) {
        const double matters = std::abs(typical(about, model, random, p.in));
        // Parameters drawn so far may not fit together; valid() will tell, later.
        scale = std::isfinite(matters) ? random.whole(0, 2) * matters : 0.0;
      }
      double drawn = value;
      for (int attempt = 0; attempt < 100; ++attempt) {
        drawn = scale * random.power_of_ten(-width, width);
        if (is_allowed(p.allowed, drawn)) break;
        drawn = value;
      }
      value = drawn;
      sum += value;
    }
    if (p.is_share)
      for (double& value : values) value /= sum;
    if (p.is_list) {
      model.set(p.name, values);
    } else {
      model.set(p.name, values.front());
    }
  }
}

// A model with random parameters that its `valid()` finds fine.
any_model draw_model(const subject& about, dice& random, const spread& how = {}) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    any_model model = about.model();
    draw_parameters(about, model, random, how);
    if (model.functions().valid(model.self()).verdict == validity::fine) return model;
  }
  throw error("no parameters in 1000 draws are allowed and pass valid()");
}

// Where something happens in a model: force, length and time in which its inputs are drawn.
struct scales {
  double force = 1, length = 1, time = 1;
  double speed() const { return length / time; }
  double of(unit u) const {
    const double mass = force * time * time / length;
    return std::pow(mass, u.kilogram) * std::pow(length, u.metre) * std::pow(time, u.second);
  }
};

struct point {
  state_array state{};
  double x = 0, v = 0, load = 1;
};

struct answer {
  double f = 0;
  state_array rate{};
};

answer respond(const any_model& model, const point& at) {
  answer result;
  result.f = model.respond(at.state.data(), at.x, at.v, at.load, result.rate.data());
  return result;
}

point initial_point(const any_model& model, double load = 1) {
  point start;
  model.initial(start.state.data());
  start.load = load;
  return start;
}

// Force per displacement and per velocity at the start of motion, and the limit of the force.
struct onset {
  double stiffness = 0, damping = 0, limit = 1;
};

// The same for a model that has no rates: by one short and slow step, and one twice as fast.
onset onset_by_advance(const any_model& model, double load) {
  onset result;
  if (model.has_bound()) result.limit = model.force_bound(0, 0, load);
  const auto force = [&](double x, double h) {
    point at = initial_point(model, load);
    return model.advance(at.state.data(), {0, x / h, load}, {x, x / h, load}, h);
  };
  double x = 1e-3;
  while (std::abs(force(x, 0.5)) > 1e-6 * result.limit && x > 1e-30) x /= 10;
  result.damping = (force(x, 0.5) - force(x, 1)) / x;
  result.stiffness = force(x, 1) / x - result.damping;
  return result;
}

onset onset_of(const any_model& model, double load) {
  if (!model.is_ode()) return onset_by_advance(model, load);
  onset result;
  point at = initial_point(model, load);
  if (model.has_bound()) result.limit = model.force_bound(0, 0, load);
  // A stuck contact is linear in v, whatever the speed it was tried at; a slipping one is not.
  at.v = 1e-3;
  while (std::abs(respond(model, at).f) > 1e-6 * result.limit && at.v > 1e-30) at.v /= 10;
  const answer moving = respond(model, at);
  if (std::abs(moving.f) > 1e-6 * result.limit) return result;  // jumps: there is no onset
  result.damping = moving.f / at.v;
  const double step = 1e-9 * result.limit / std::max(result.damping * at.v, 1e-300);
  point later = at;
  const double dt = std::min(step, 1e-9 / at.v);
  for (std::size_t i = 0; i < capacity; ++i) later.state[i] += dt * moving.rate[i];
  later.x += dt * at.v;
  result.stiffness = (respond(model, later).f - moving.f) / (dt * at.v);
  return result;
}

scales draw_scales(const subject& about, const any_model& model, dice& random, double load) {
  std::vector<double> times, speeds;
  for (const auto& p : model.describe().parameters) {
    for (const double value : p.count != nullptr ? std::vector<double>{} : model.get(p.name)) {
      if (value == 0) continue;
      if (p.in == units::second) times.push_back(value);
      if (p.in == units::one / units::second) times.push_back(1 / value);
      if (p.in == units::metre / units::second) speeds.push_back(value);
      if (p.in == units::second / units::metre) speeds.push_back(1 / value);
    }
  }
  scales result;
  if (about.at().is_contact()) {
    result.length = random.power_of_ten(-5, -1);
  } else if (!about.at().has_units()) {
    result.length = random.power_of_ten(-0.5, 0.5);
  } else {
    const onset start = onset_of(model, load);
    result.force = start.limit;
    const bool soft = model.states() > 0 && start.stiffness > 0;
    result.length = soft ? start.limit / start.stiffness : random.power_of_ten(-6, -2);
    if (start.damping > 0) speeds.push_back(start.limit / start.damping);
  }
  for (const double v : speeds) times.push_back(result.length / v);
  if (times.empty()) times.push_back(random.power_of_ten(-4, 0));
  result.time =
      times[static_cast<std::size_t>(random.whole(0, static_cast<int>(times.size()) - 1))];
  if (about.at().is_contact()) {
    point pressed = initial_point(model);
    pressed.x = -result.length;
    const double f = std::abs(respond(model, pressed).f);
    result.force = std::isfinite(f) ? std::max(1e-12, f) : 1.0;  // no force presses rigid bodies in
  }
  return result;
}

// How many elements a list on the card stands for.
std::size_t element_count(const any_model& model) {
  for (const auto& p : model.describe().parameters)
    if (p.count != nullptr) return static_cast<std::size_t>(*p.count);
  return 0;
}

double typical(const subject& about, const any_model& model, dice& random, unit u) {
  return draw_scales(about, model, random, 1.0).of(u);
}

std::vector<bool> even_states(const any_model& model) {
  std::vector<bool> result;
  for (const auto& s : model.describe().states)
    result.insert(result.end(), s.is_list ? element_count(model) : 1, s.is_even);
  result.resize(capacity);
  return result;
}

// Any state, reachable or not; states of contacts and even states are drawn above 0.
point draw_point(const subject& about, const any_model& model, dice& random) {
  point at;
  at.load = random.power_of_ten(-0.5, 0.5);
  const scales s = draw_scales(about, model, random, at.load);
  const auto kinds = model.state_units();
  const auto even = even_states(model);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const double size = s.of(kinds[i]) * random.power_of_ten(-2, 1);
    at.state[i] = even[i] || about.at().is_contact() ? size : random.sign() * size;
  }
  at.x = random.sign() * s.length * random.power_of_ten(-2, 1);
  at.v = random.sign() * s.speed() * random.power_of_ten(-2, 2);
  return at;
}

// ---- motions ------------------------------------------------------------------------------------

// x(t) as a sum of sines, and a load that may vary.
struct motion {
  struct wave {
    double amplitude, frequency, phase;
  };
  double x_0 = 0, load_0 = 1, load_change = 0, duration = 1;
  std::vector<wave> waves;
  scales size;  // of what happens on the way

  double x(double t) const {
    double sum = x_0;
    for (const auto& w : waves) sum += w.amplitude * std::sin(w.frequency * t + w.phase);
    return sum;
  }
  double v(double t) const {
    double sum = 0;
    for (const auto& w : waves)
      sum += w.amplitude * w.frequency * std::cos(w.frequency * t + w.phase);
    return sum;
  }
  double load(double t) const {
    return load_0 * (1 + load_change * std::sin(waves.front().frequency * 0.7 * t));
  }
  double fastest() const {
    double result = 0;
    for (const auto& w : waves) result = std::max(result, w.frequency);
    return result;
  }
  // The same path, `factor` times as fast.
  motion faster(double factor) const {
    motion result = *this;
    for (auto& w : result.waves) w.frequency *= factor;
    result.duration /= factor;
    result.size.time /= factor;
    return result;
  }
};

motion draw_motion(const subject& about, const any_model& model, dice& random,
                   bool with_varying_load) {
  motion result;
  result.load_0 = random.power_of_ten(-0.5, 0.5);
  if (with_varying_load) result.load_change = random.uniform(0, 0.8);
  const scales s = result.size = draw_scales(about, model, random, result.load_0);
  double slowest = std::numeric_limits<double>::infinity();
  const double pace = random.power_of_ten(-1, 1);
  for (int i = 0; i < 4; ++i) {
    motion::wave w{};
    w.phase = random.uniform(0, 2 * pi);
    if (about.at().is_contact()) {
      w.amplitude = s.length * random.power_of_ten(-1, 0);
      w.frequency = pace * random.power_of_ten(-0.5, 0.5) / s.time;
    } else {
      w.amplitude = s.length * random.power_of_ten(-0.5, 1.5);
      w.frequency = pace * s.speed() * random.power_of_ten(-0.5, 0.5) / w.amplitude;
    }
    slowest = std::min(slowest, w.frequency);
    result.waves.push_back(w);
  }
  if (about.at().is_contact()) result.x_0 = s.length * random.uniform(-0.5, 1.0);
  result.duration = 3 * 2 * pi / slowest;
  return result;
}

// A step along a motion: where the model is, and the energy that went into it so far.
struct moment {
  double t = 0;
  point at;
  answer gives;
  double work = 0, traffic = 0;  // integrals of the power taken and of its absolute value
  bool is_mark = false;          // one of the equally spaced instants
};

// Bogacki and Shampine's pair with error control: the step follows the stiffness by itself.
class follower {
 public:
  follower(const subject& about, const any_model& model, const motion& path)
      : model_(model), path_(path), sign_(about.at().is_contact() ? -1.0 : 1.0) {
    count_ = static_cast<std::size_t>(model.states());
    const auto kinds = model.state_units();
    for (std::size_t i = 0; i < count_; ++i) largest_[i] = least * path.size.of(kinds[i]);
    largest_[count_] = largest_[count_ + 1] = least * path.size.of(units::joule);
    model.initial(y_.data());
    k_[0] = slope(0, y_);
  }

  // An error that a step may make: this share of the largest value so far, which counts from
  // `least` of the size of the motion on.
  static constexpr double exact = 1e-6, least = 1e-3;

  // Visits every accepted step until the end of the motion, or of `budget`.
  template <class Visit>
  void run(int marks, int budget, Visit visit) {
    double t = 0, h = 1e-4 / path_.fastest();
    visit(now(0, true));
    for (int mark = 1; mark <= marks; ++mark) {
      const double target = path_.duration * mark / marks;
      while (t < target && budget > 0) {
        const double step = std::min({h, target - t, 0.05 / path_.fastest()});
        const bool last = step >= target - t;
        --budget;
        const double size = attempt(t, step);
        if (size <= 1) {
          t = last ? target : t + step;
          y_ = next_;
          k_[0] = k_[3];
          for (std::size_t i = 0; i < count_ + 2; ++i)
            largest_[i] = std::max(largest_[i], std::abs(y_[i]));
          visit(now(t, last));
        }
        h = step * std::clamp(0.9 / std::cbrt(std::max(size, 1e-6)), 0.2, 5.0);
      }
    }
  }

 private:
  using extended = std::array<double, capacity + 2>;  // states, work, traffic

  point at(double t, const extended& y) const {
    point p;
    std::copy_n(y.begin(), count_, p.state.begin());
    p.x = path_.x(t);
    p.v = path_.v(t);
    p.load = path_.load(t);
    return p;
  }
  extended slope(double t, const extended& y) const {
    const point p = at(t, y);
    const answer a = respond(model_, p);
    extended result{};
    std::copy_n(a.rate.begin(), count_, result.begin());
    result[count_] = sign_ * a.f * p.v;
    result[count_ + 1] = std::abs(a.f * p.v);
    return result;
  }
  // Error over tolerance of a step of length h; fills next_ and k_[3].
  double attempt(double t, double h) {
    const auto shifted = [&](double c_1, double c_2, double c_3) {
      extended result{};
      for (std::size_t i = 0; i < count_ + 2; ++i)
        result[i] = y_[i] + h * (c_1 * k_[0][i] + c_2 * k_[1][i] + c_3 * k_[2][i]);
      return result;
    };
    k_[1] = slope(t + h / 2, shifted(0.5, 0, 0));
    k_[2] = slope(t + 0.75 * h, shifted(0, 0.75, 0));
    next_ = shifted(2.0 / 9, 1.0 / 3, 4.0 / 9);
    k_[3] = slope(t + h, next_);
    double size = 0;
    for (std::size_t i = 0; i < count_ + 2; ++i) {
      const double error =
          h * std::abs(-5.0 / 72 * k_[0][i] + k_[1][i] / 12 + k_[2][i] / 9 - k_[3][i] / 8);
      const double scale = std::max(largest_[i], std::abs(next_[i]));
      if (error > 0) size = std::max(size, error / (exact * scale + 1e-300));
    }
    return size;
  }
  moment now(double t, bool is_mark) const {
    const point p = at(t, y_);
    return {t, p, respond(model_, p), y_[count_], y_[count_ + 1], is_mark};
  }

  const any_model& model_;
  const motion& path_;
  double sign_;
  std::size_t count_ = 0;
  extended y_{}, next_{}, largest_{};
  std::array<extended, 4> k_{};
};

// ---- derivatives --------------------------------------------------------------------------------

// One number that goes into a model, and the derivatives of force and rates by it.
struct input {
  std::string name;
  double value = 0;
  std::vector<double> derivative;      // of f, rate_1, rate_2 ...
  std::function<answer(double)> with;  // the answer with this number changed, in double
};

std::vector<input> inputs_of(const any_model& model, const point& at) {
  std::vector<input> result;
  const auto add = [&](const std::string& name, double value, std::function<answer(double)> with) {
    result.push_back({name, value, {}, std::move(with)});
  };
  for (const auto& p : model.describe().parameters) {
    if (p.count != nullptr) continue;
    const std::size_t length = model.get(p.name).size();
    for (std::size_t k = 0; k < length; ++k)
      add(fmt::format("{}[{}]", p.name, k), *p.value[k], [&model, at, name = p.name, k](double x) {
        any_model other = model;
        for (const auto& q : other.describe().parameters)
          if (q.name == name) *q.value[k] = x;
        return respond(other, at);
      });
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(model.states()); ++i)
    add(fmt::format("state {}", i), at.state[i], [&model, at, i](double x) {
      point other = at;
      other.state[i] = x;
      return respond(model, other);
    });
  const auto of_drive = [&](const char* name, double point::*member) {
    add(name, at.*member, [&model, at, member](double x) {
      point other = at;
      other.*member = x;
      return respond(model, other);
    });
  };
  of_drive("x", &point::x);
  of_drive("v", &point::v);
  of_drive("load", &point::load);
  return result;
}

// Derivatives by dual numbers, eight inputs at a time. Also gives the values the duals carry.
answer differentiate(const any_model& model, const point& at, std::vector<input>& inputs) {
  const auto& in_dual = model.functions().in_dual;
  answer value;
  for (std::size_t first = 0; first < inputs.size(); first += 8) {
    const auto self = in_dual.make(model.self());
    const auto the_card = in_dual.describe(self.get());
    std::array<model_dual, capacity> state, rate;
    for (std::size_t i = 0; i < capacity; ++i) state[i] = model_dual(at.state[i]);
    model_dual x(at.x), v(at.v), load(at.load);
    std::vector<model_dual*> places;  // in the order of inputs_of
    for (const auto& p : the_card.parameters) {
      if (p.count != nullptr) continue;
      const std::size_t length = model.get(p.name).size();
      places.insert(places.end(), p.value.begin(),
                    p.value.begin() + static_cast<std::ptrdiff_t>(length));
    }
    for (int i = 0; i < model.states(); ++i) places.push_back(&state[static_cast<std::size_t>(i)]);
    places.insert(places.end(), {&x, &v, &load});

    const std::size_t last = std::min(first + 8, inputs.size());
    for (std::size_t i = first; i < last; ++i) places[i]->derivative[i - first] = 1;
    const model_dual f = in_dual.respond(self.get(), state.data(), x, v, load, rate.data());
    for (std::size_t i = first; i < last; ++i) {
      inputs[i].derivative = {f.derivative[i - first]};
      for (std::size_t k = 0; k < static_cast<std::size_t>(model.states()); ++k)
        inputs[i].derivative.push_back(rate[k].derivative[i - first]);
    }
    value.f = f.value;
    for (std::size_t k = 0; k < static_cast<std::size_t>(model.states()); ++k)
      value.rate[k] = rate[k].value;
  }
  return value;
}

std::vector<double> outputs(const any_model& model, const answer& a) {
  std::vector<double> result{a.f};
  result.insert(result.end(), a.rate.begin(), a.rate.begin() + model.states());
  return result;
}

// For each output, by how much it changes if every input changes by its own size: what rounding is
// to be compared with.
std::vector<double> conditions(const any_model& model, const answer& a,
                               const std::vector<input>& inputs) {
  std::vector<double> result = outputs(model, a);
  for (double& r : result) r = std::abs(r);
  for (const auto& in : inputs)
    for (std::size_t k = 0; k < result.size(); ++k)
      if (std::isfinite(in.derivative[k])) result[k] += std::abs(in.derivative[k] * in.value);
  return result;
}

// ---- the laws -----------------------------------------------------------------------------------

constexpr const char* no_bound =
    "the model has no force_bound, which the claims 'bounded' and 'no_drift' ask for";

// Mirrored motion gives the mirrored force.
void odd_symmetry(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < cases(300); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const point at = draw_point(about, model, random);
    const auto even = even_states(model);
    point mirrored = at;
    mirrored.x = -at.x;
    mirrored.v = -at.v;
    for (std::size_t i = 0; i < capacity; ++i)
      if (!even[i]) mirrored.state[i] = -at.state[i];
    const answer a = respond(model, at), b = respond(model, mirrored);
    if (!found.equal(a.f, -b.f)) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(model.states()); ++i)
      if (!found.equal(a.rate[i], even[i] ? b.rate[i] : -b.rate[i], {"state", i})) return;
  }
}

// |f| stays within force_bound, whatever the motion.
void force_stays_within_its_bound(const subject& about, dice& random, verdict& found) {
  if (!found.holds(about.model().has_bound(), no_bound)) return;
  for (int n = 0; n < cases(50); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const motion path = draw_motion(about, model, random, false);
    double closest = 0;
    follower(about, model, path).run(1, 3000, [&](const moment& m) {
      const double bound = model.force_bound(m.at.x, m.at.v, m.at.load);
      closest = std::max(closest, std::abs(m.gives.f) / bound);
    });
    if (!found.at_most(closest, 1 + 1e-5)) return;  // steps are accurate to 1e-6
    if (!found.more(closest, 0, {"the motion must have come to something"})) return;
  }
}

double stored_energy(const any_model& model, const point& at) {
  return model.has_energy() ? model.stored_energy(at.state.data(), at.x, at.v, at.load) : 0.0;
}

// What work has to cover: nothing where a law says that its energy comes from elsewhere, too. Such
// a law is passive if it never gives anything back.
double covered_energy(const any_model& model, const point& at) {
  return model.has_losses() ? 0.0 : stored_energy(model, at);
}

// What is taken from the body covers what is stored: over every motion, from its beginning on ...
void creates_no_energy(const subject& about, dice& random, verdict& found) {
  int moved = 0;
  for (int n = 0; n < cases(50); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const motion path = draw_motion(about, model, random, true);
    double at_start = 0, deficit = 0, traffic = 0, most = 0, least = 0;
    bool is_start = true;
    follower(about, model, path).run(1, 4000, [&](const moment& m) {
      const double energy = covered_energy(model, m.at);
      if (std::exchange(is_start, false)) at_start = energy;
      deficit = std::max(deficit, energy - at_start - m.work);
      traffic = m.traffic;
      most = std::max(most, energy);
      least = std::min(least, energy);
    });
    moved += traffic > 0 ? 1 : 0;
    // Thirty steps may err alike by what each is allowed. Bodies that barely meet, for ten steps,
    // exchange less energy than these are exact to, however small it is.
    const double floor = 10 * follower::exact * follower::least * path.size.of(units::joule);
    if (!found.at_most(deficit, 30 * follower::exact * (traffic + most) + floor)) return;
    if (!found.at_least(least, -1e-9 * most)) return;
  }
  found.at_least(moved, cases(35), {"most motions must come to something"});
}

// A time step in which nothing moves by more than a millionth of itself.
double short_time(const point& at, const answer& gives, double fastest) {
  double dt = 1e-6 / fastest;
  for (std::size_t i = 0; i < capacity; ++i)
    if (gives.rate[i] != 0 && at.state[i] != 0)
      dt = std::min(dt, 1e-6 * std::abs(at.state[i] / gives.rate[i]));
  return dt;
}
// The rate of an energy by central differences.
template <class Energy>
double rate_along(const point& at, const answer& gives, double dt, const Energy& energy) {
  const auto shifted = [&](double h) {
    point p = at;
    for (std::size_t i = 0; i < capacity; ++i) p.state[i] += h * gives.rate[i];
    p.x += h * at.v;
    return energy(p);
  };
  return (shifted(dt) - shifted(-dt)) / (2 * dt);
}

// ... and at every instant: power taken is never below the rate of the stored energy.
void power_covers_the_rate_of_storage(const subject& about, dice& random, verdict& found) {
  const double sign = about.at().is_contact() ? -1.0 : 1.0;
  int checked = 0;
  for (int n = 0; n < cases(50); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const motion path = draw_motion(about, model, random, true);
    double worst = 0;
    follower(about, model, path).run(1, 1000, [&](const moment& m) {
      const double energy = covered_energy(model, m.at);
      const double dt = short_time(m.at, m.gives, path.fastest());
      const double rate =
          rate_along(m.at, m.gives, dt, [&](const point& p) { return covered_energy(model, p); });
      const double power = sign * m.gives.f * m.at.v;
      const double rounding = 1e-15 * energy / dt;
      if (rounding > 1e-3 * std::abs(power)) return;  // nothing is learnt there
      ++checked;
      worst = std::max(worst, (rate - power) / (std::abs(power) + path.size.of(units::watt)));
    });
    if (!found.at_most(worst, 1e-4)) return;
  }
  found.more(checked, cases(3000));
}

// Where a law names its losses: power taken is the rate of what is stored, and these.
void power_is_stored_lost_or_unbalanced(const subject& about, dice& random, verdict& found) {
  int checked = 0;
  for (int n = 0; n < cases(300); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const point at = draw_point(about, model, random);
    const answer gives = respond(model, at);
    const auto lost =
        model.lost(at.state.data(), {at.x, at.v, at.load}, gives.f, gives.rate.data());
    const double power = gives.f * at.v;
    const double size = std::abs(power) + std::abs(lost.dissipated) + std::abs(lost.unbalanced);
    // Energies are smooth: differences over longer times lose fewer digits.
    const double dt = 1e2 * short_time(at, gives, std::abs(at.v) / (std::abs(at.x) + 1e-300));
    const double energy = stored_energy(model, at), rounding = 1e-14 * energy / dt;
    const double rate =
        rate_along(at, gives, dt, [&](const point& p) { return stored_energy(model, p); });
    if (!found.near(power, rate + lost.dissipated + lost.unbalanced, 1e-5 * size + rounding))
      return;
    checked += rounding < 1e-3 * size ? 1 : 0;
    if (!found.at_least(lost.dissipated, 0)) return;
  }
  found.more(checked, cases(60));
}

// Measured in other units of mass, length and time, every number changes as the card says.
void units_are_those_of_the_card(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < cases(100); ++n) {
    const any_model model = draw_model(about, random, {.exponents = false});
    const auto scope = found.on(model);
    const point at = draw_point(about, model, random);
    const double kilogram = random.power_of_ten(-2, 2), metre = random.power_of_ten(-2, 2),
                 second = random.power_of_ten(-2, 2);
    const auto factor = [&](unit u) {
      return std::pow(kilogram, u.kilogram) * std::pow(metre, u.metre) * std::pow(second, u.second);
    };
    any_model other = model;
    for (const auto& p : other.describe().parameters)
      for (double* value : p.value) *value *= factor(p.in);
    point there = at;
    const auto kinds = model.state_units();
    for (std::size_t i = 0; i < kinds.size(); ++i) there.state[i] *= factor(kinds[i]);
    there.x *= factor(about.at().inputs[0].in);
    there.v *= factor(about.at().inputs[0].in / units::second);

    auto inputs = inputs_of(model, at);
    differentiate(model, at, inputs);
    const answer a = respond(model, at), b = respond(other, there);
    const auto sizes = conditions(model, a, inputs);
    if (!found.near(b.f / factor(about.at().outputs[0].in), a.f, 1e-11 * sizes[0])) return;
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (!found.near(b.rate[i] / factor(kinds[i] / units::second), a.rate[i], 1e-11 * sizes[i + 1],
                      {"rate of state", i}))
        return;
    if (model.has_bound()) {
      const double bound = model.force_bound(at.x, at.v, at.load);
      if (!found.near(
              other.force_bound(there.x, there.v, at.load) / factor(about.at().outputs[0].in),
              bound, 1e-11 * bound))
        return;
    }
    if (model.has_energy()) {
      const double energy = stored_energy(model, at);
      if (!found.near(stored_energy(other, there) /
                          factor(about.at().inputs[0].in * about.at().outputs[0].in),
                      energy, 1e-9 * std::abs(energy)))
        return;
    }
  }
}

// double, float, dual numbers and each lane of a pack give the same force and rates.
void every_number_type_agrees(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < cases(60); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const auto count = static_cast<std::size_t>(model.states());
    const auto& functions = model.functions();

    const auto in_float = functions.in_float.make(model.self());
    const auto in_pack = functions.in_pack.make(model.self());
    std::array<point, static_cast<std::size_t>(model_pack::width)> lanes;
    std::array<model_pack, capacity> pack_state, pack_rate;
    model_pack x(0.0), v(0.0), load(0.0);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      const point at = lanes[lane] = draw_point(about, model, random);
      for (std::size_t i = 0; i < capacity; ++i) {
        if (lane == 0) pack_state[i] = model_pack(0.0);
        pack_state[i].v[static_cast<int>(lane)] = at.state[i];
      }
      x.v[static_cast<int>(lane)] = at.x;
      v.v[static_cast<int>(lane)] = at.v;
      load.v[static_cast<int>(lane)] = at.load;
    }
    const model_pack f =
        functions.in_pack.respond(in_pack.get(), pack_state.data(), x, v, load, pack_rate.data());
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      const point& at = lanes[lane];
      auto inputs = inputs_of(model, at);
      const answer exact = respond(model, at), dual = differentiate(model, at, inputs);
      const auto sizes = conditions(model, exact, inputs);

      std::array<float, capacity> state{}, rate{};
      for (std::size_t i = 0; i < count; ++i) state[i] = static_cast<float>(at.state[i]);
      const float single = functions.in_float.respond(
          in_float.get(), state.data(), static_cast<float>(at.x), static_cast<float>(at.v),
          static_cast<float>(at.load), rate.data());

      if (!found.near(dual.f, exact.f, 1e-14 * sizes[0], {"dual"})) return;
      if (!found.near(f[static_cast<int>(lane)], exact.f, 1e-13 * sizes[0], {"pack"})) return;
      if (!found.near(single, exact.f, 1e-5 * sizes[0], {"float"})) return;
      for (std::size_t i = 0; i < count; ++i) {
        if (!found.near(dual.rate[i], exact.rate[i], 1e-14 * sizes[i + 1], {"dual, rate", i}))
          return;
        if (!found.near(pack_rate[i][static_cast<int>(lane)], exact.rate[i], 1e-13 * sizes[i + 1],
                        {"pack, rate", i}))
          return;
        if (!found.near(rate[i], exact.rate[i], 1e-5 * sizes[i + 1], {"float, rate", i})) return;
      }
    }
  }
}

// The derivatives that dual numbers give, by every parameter, state and input, are those of a
// difference, away from kinks.
void derivatives_are_right(const subject& about, dice& random, verdict& found) {
  int checked = 0, at_kinks = 0;
  for (int n = 0; n < cases(30); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const point at = draw_point(about, model, random);
    auto inputs = inputs_of(model, at);
    const answer here = differentiate(model, at, inputs);
    const auto sizes = conditions(model, here, inputs);
    const auto middle = outputs(model, here);
    if (!std::isfinite(here.f)) {  // only where rigid bodies would overlap
      if (!found.holds(about.at().is_contact() && at.x < 0 && model.has_react() &&
                           model.react(at.state.data(), at.load, 1.0).softness == 0,
                       "the force is not finite, and no rigid bodies overlap"))
        return;
      continue;
    }
    for (const auto& in : inputs) {
      if (in.value == 0) continue;
      const double step = 1e-6 * std::abs(in.value);
      const auto above = outputs(model, in.with(in.value + step));
      const auto below = outputs(model, in.with(in.value - step));
      for (std::size_t k = 0; k < middle.size(); ++k) {
        const double tolerance = 1e-4 * sizes[k] / std::abs(in.value);
        const double right = (above[k] - middle[k]) / step, left = (middle[k] - below[k]) / step;
        if (std::abs(right - left) > tolerance) {
          ++at_kinks;
          continue;
        }
        ++checked;
        if (!found.near(in.derivative[k], (right + left) / 2, tolerance, {"output", k, &in.name}))
          return;
      }
    }
  }
  // A force that jumps again and again on the way is met at a jump more often.
  found.more(checked, ((about.claims() & continuous) != 0 ? 100 : 5) * at_kinks);
}

// On the way from one point to another the force does not jump: the half with the greater change,
// halved again and again, ends in no change at all.
void force_is_continuous(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < cases(300); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const point a = draw_point(about, model, random), b = draw_point(about, model, random);
    const auto force = [&](double t) {
      point p;
      for (std::size_t i = 0; i < capacity; ++i) p.state[i] = (1 - t) * a.state[i] + t * b.state[i];
      p.x = (1 - t) * a.x + t * b.x;
      p.v = (1 - t) * a.v + t * b.v;
      p.load = (1 - t) * a.load + t * b.load;
      return respond(model, p).f;
    };
    double left = 0, right = 1, f_left = force(0), f_right = force(1);
    double size = std::max(std::abs(f_left), std::abs(f_right));  // the largest on the way
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = (left + right) / 2, f_middle = force(middle);
      size = std::max(size, std::abs(f_middle));
      if (std::abs(f_middle - f_left) > std::abs(f_right - f_middle)) {
        right = middle;
        f_right = f_middle;
      } else {
        left = middle;
        f_left = f_middle;
      }
    }
    // What is left of a force that rises like the root of the gap, over one rounding of it, is
    // 1e-8. Ends may be without force, so that the largest on the way is the measure.
    if (!found.at_most(std::abs(f_right - f_left), 1e-7 * size)) return;
  }
}

// A contact that claims it never pulls.
void never_pulls_at_all(const subject& about, dice& random, verdict& found) {
  double largest = 0;
  for (int n = 0; n < cases(30); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const motion path = draw_motion(about, model, random, false);
    double least = 0;
    follower(about, model, path).run(1, 2000, [&](const moment& m) {
      least = std::min(least, m.gives.f);
      largest = std::max(largest, m.gives.f);
    });
    if (!found.at_least(least, 0)) return;
    if (!found.at_least(respond(model, draw_point(about, model, random)).f, 0)) return;
  }
  found.more(largest, 0, {"bodies must have met"});
}

bool has_nan(const std::vector<double>& all) {
  return std::any_of(all.begin(), all.end(), [](double x) { return std::isnan(x); });
}

// Not-a-number is never swallowed: a simulation that went wrong says so. Of x, v and load, those
// count that the model reads: it answers otherwise when they are other.
void nan_in_nan_out(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < cases(50); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const point at = draw_point(about, model, random);
    const auto given = outputs(model, respond(model, at));  // a force may be the state itself
    if (!found.holds(!has_nan(given), "the answer to numbers is not a number")) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(model.states()); ++i) {
      point bad = at;
      bad.state[i] = nan;
      if (!found.holds(has_nan(outputs(model, respond(model, bad))),
                       fmt::format("not-a-number in state {} is swallowed", i)))
        return;
    }
    for (const auto member : {&point::x, &point::v, &point::load}) {
      bool is_read = false;
      for (const double factor : {1e-3, 0.7, 1e3}) {
        point other = at;
        other.*member *= factor;
        is_read = is_read || outputs(model, respond(model, other)) != given;
      }
      if (!is_read) continue;
      point bad = at;
      bad.*member = nan;
      if (!found.holds(has_nan(outputs(model, respond(model, bad))),
                       (member == &point::x   ? "x"
                        : member == &point::v ? "v"
                                              : "load")))
        return;
    }
  }
}

// The card is complete: it accounts for every byte of the model, and its page can be printed.
void card_and_page_are_complete(const subject& about, dice&, verdict& found) {
  const any_model model = about.model();
  const auto the_card = model.describe();
  found.holds(!the_card.title.empty(), "the card has no title");
  found.holds(!the_card.source.empty(), "the card names no source");
  found.holds(the_card.claims != 0U, "a model of which nothing can be said");
  const std::string doubt = model.check();
  found.holds(doubt.empty(), "defaults should be beyond doubt: " + doubt);
  found.holds((the_card.claims & bounded) == 0 || model.has_bound(),
              "it claims 'bounded', but has no force_bound");

  std::set<std::string> names;
  std::set<const void*> places;
  std::size_t bytes = 0;
  for (const auto& p : the_card.parameters) {
    found.holds(names.insert(p.name).second, p.name + " stands twice on the card");
    found.holds(!p.meaning.empty(), fmt::format("the parameter {} has no meaning", p.name));
    for (const double* value : p.value) {
      found.holds(places.insert(value).second, p.name + " is another parameter's field");
      found.holds(is_allowed(p.allowed, *value),
                  fmt::format("the default {} = {:g} is not allowed", p.name, *value));
      bytes += sizeof(double);
    }
    if (p.count != nullptr) bytes += sizeof(double);  // an int and its padding
  }
  bytes = std::max<std::size_t>(bytes, 1);  // a model without parameters is no smaller
  found.equal(static_cast<double>(bytes), static_cast<double>(model.functions().bytes),
              {"a field is missing on the card, or stands twice"});

  std::size_t count = 0;
  for (const auto& s : the_card.states) {
    found.holds(!s.meaning.empty(), fmt::format("the state {} has no meaning", s.name));
    count += s.is_list ? element_count(model) : 1;
  }
  found.equal(static_cast<double>(count), model.states(), {"states on the card"});

  for (const char* part :
       {"---\ntitle: ", "\nsource: ", "\n## Equations\n", "\n## What it does\n",
        "\n## What it does not\n", "\n## Choosing parameters\n", "\n## When to take another\n"})
    found.holds(about.entry->page.find(part) != std::string::npos,
                fmt::format("its page lacks '{}'", trimmed(part, " \n-")));
}

// The closed-form implicit step is backward Euler: with the state at its end, the model gives the
// same force, and a rate that leads there.
void implicit_step_is_backward_euler(const subject& about, dice& random, verdict& found) {
  int regular = 0;
  for (int n = 0; n < cases(300); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    point at = draw_point(about, model, random);
    const scales s = draw_scales(about, model, random, at.load);
    const double h = s.time * random.power_of_ten(-3, 2);
    double& u = about.at().is_contact() ? at.x : at.v;
    // The force takes from a velocity, and adds to a gap.
    const double mobility =
        (about.at().is_contact() ? -1.0 : 1.0) * std::abs(u) / s.force * random.power_of_ten(-2, 2);
    point before = at;
    // A step that begins in contact: one that begins apart counts the rate from touchdown on.
    if (about.at().is_contact()) before.x = -s.length * random.power_of_ten(-2, 1);
    const double u_free = u;
    const auto end =
        model.implicit_step(at.state.data(), before.load, h, {u, u, mobility}, before.x);
    const double f = end.f;
    u = end.u;
    const double held = 1e-9 * (std::abs(u_free) + std::abs(mobility * f));
    if (!found.near(u, u_free - mobility * f, 1e-3 * held)) return;
    if (about.at().is_contact()) at.v = (at.x - before.x) / h;
    if (model.has_react()) {
      const auto law = model.react(before.state.data(), before.load, h, before.x);
      const double dry = f - law.viscous * u, rounding = 1e-12 * (std::abs(f) + std::abs(dry));
      if (!found.at_most(law.lower - law.grip, dry + rounding)) return;
      if (!found.at_most(dry, law.upper + law.grip + rounding)) return;
      if (law.softness == 0 && std::abs(u) < held) {  // rigid, and at rest: f is what holds
        if (!found.holds(about.at().is_contact() || u == 0, "a held body must not creep")) return;
        continue;
      }
    }
    ++regular;
    auto inputs = inputs_of(model, at);
    differentiate(model, at, inputs);
    const answer after = respond(model, at);
    const auto sizes = conditions(model, after, inputs);
    if (!found.near(after.f, f, 1e-9 * sizes[0])) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(model.states()); ++i) {
      const double cancelled = (std::abs(before.state[i]) + std::abs(at.state[i])) / h;
      if (!found.near(after.rate[i], (at.state[i] - before.state[i]) / h,
                      1e-9 * sizes[i + 1] + 1e-12 * cancelled))
        return;
    }
  }
  found.more(regular, cases(50));
}

// The same path followed ten times as fast gives the same forces.
void loops_do_not_depend_on_speed(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < 6; ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const motion slow = draw_motion(about, model, random, false), fast = slow.faster(10);
    std::vector<double> slow_forces, fast_forces;
    const auto into = [](std::vector<double>& forces) {
      return [&forces](const moment& m) {
        if (m.is_mark) forces.push_back(m.gives.f);
      };
    };
    follower(about, model, slow).run(200, 100000, into(slow_forces));
    follower(about, model, fast).run(200, 100000, into(fast_forces));
    const std::size_t common = std::min(slow_forces.size(), fast_forces.size());
    if (!found.more(common, 50U)) return;
    double limit = model.has_bound() ? model.force_bound(0, 0, slow.load_0) : 0;
    if (!model.has_bound())
      for (const double f : slow_forces) limit = std::max(limit, std::abs(f));
    for (std::size_t i = 0; i < common; ++i)
      if (!found.near(slow_forces[i], fast_forces[i], 1e-4 * limit)) return;
  }
}

// A mass on the frictional contact, pushed by a force that changes slowly.
class pushed_mass {
 public:
  pushed_mass(const any_model& model, const point& start, double mass)
      : model_(model), at_(start), mass_(mass) {}

  double x() const { return at_.x; }
  double v() const { return at_.v; }
  double force() const { return respond(model_, at_).f; }

  // In closed form where the model can, otherwise by classical Runge-Kutta.
  void step(double push, double h) {
    if (model_.has_implicit_step()) {
      const free_step<double> body{at_.v, at_.v + h * push / mass_, h / mass_};
      at_.v = model_.implicit_step(at_.state.data(), at_.load, h, body).u;
      at_.x += h * at_.v;
      return;
    }
    const auto slope = [&](const point& p) {
      const answer a = respond(model_, p);
      point d;
      d.state = a.rate;
      d.x = p.v;
      d.v = (push - a.f) / mass_;
      return d;
    };
    const auto shifted = [&](double c, const point& d) {
      point p = at_;
      for (std::size_t i = 0; i < static_cast<std::size_t>(model_.states()); ++i)
        p.state[i] += c * d.state[i];
      p.x += c * d.x;
      p.v += c * d.v;
      return p;
    };
    const point k1 = slope(at_), k2 = slope(shifted(h / 2, k1)), k3 = slope(shifted(h / 2, k2)),
                k4 = slope(shifted(h, k3));
    for (const auto& [weight, k] : {std::pair{1.0 / 6, &k1}, std::pair{1.0 / 3, &k2},
                                    std::pair{1.0 / 3, &k3}, std::pair{1.0 / 6, &k4}})
      at_ = shifted(h * weight, *k);
  }

 private:
  const any_model& model_;
  point at_;
  double mass_;
};

// Brought slowly to 96 % of the limit and pushed between 96 % and 80 % of it, a mass swings about
// its place and does not move on. Pushed 5 % above the limit it leaves.
void holds_without_drift(const subject& about, dice& random, verdict& found) {
  if (!found.holds(about.model().has_bound(), no_bound)) return;
  for (int n = 0; n < 4; ++n) {
    any_model model = about.model();
    if (n > 0) model = draw_model(about, random, {.decades = 0.3, .dimensionless = false});
    const auto scope = found.on(model);
    const double load = n == 0 ? 1.0 : random.power_of_ten(-0.3, 0.3);
    const onset start = onset_of(model, load);
    point at = initial_point(model, load);
    const double limit = model.force_bound(0, 0, load);

    // So slow that a Stribeck curve is still at its highest.
    const bool elastic = model.states() > 0;
    double speed = elastic && start.damping > 0 ? 1e-3 * limit / start.damping : 1e-3;
    for (const auto& p : model.describe().parameters)
      if (p.in == units::metre / units::second) speed = std::min(speed, 1e-2 * *p.value[0]);
    const double relaxation = elastic ? start.damping / start.stiffness : 1.0;
    const double length = elastic ? limit / start.stiffness : speed;
    double h = 0.5 * relaxation;  // or less, as the stiffest state demands when all of them slip
    const auto even = even_states(model);
    point slipping = at;
    slipping.v = speed;
    for (std::size_t i = 0; i < capacity; ++i)
      if (!even[i]) slipping.state[i] += 1e3 * length;
    for (std::size_t i = 0; i < static_cast<std::size_t>(model.states()); ++i) {
      point other = slipping;
      const double change = 1e-3 * std::abs(slipping.state[i]);
      other.state[i] += change;
      const double pole =
          (respond(model, other).rate[i] - respond(model, slipping).rate[i]) / change;
      h = std::min(h, 0.5 / std::max(std::abs(pole), 1e-300));
    }
    at.v = speed;
    for (int i = 0; i < 2000000 && respond(model, at).f < 0.96 * limit; ++i) {
      const answer a = respond(model, at);
      for (std::size_t k = 0; k < capacity; ++k) at.state[k] += h * a.rate[k];
      at.x += h * speed;
    }
    at.v = 0;
    if (!found.near(elastic ? respond(model, at).f : 0.96 * limit, 0.96 * limit, 2e-2 * limit))
      return;

    const double mass = elastic ? start.damping * start.damping / start.stiffness : 1.0;
    const double period = 0.5 * length / speed;
    const int steps = std::max(400, static_cast<int>(std::ceil(period / h)));
    any_model dry = model;  // viscous friction would only slow the leaving down
    for (const auto& p : dry.describe().parameters)
      if (p.name == "sigma_2") dry.set(p.name, 0.0);
    pushed_mass held(model, at, mass), pushed(dry, at, mass);
    std::vector<double> turns{held.x()};
    double least = held.x(), most = held.x();
    for (int cycle = 0; cycle < 10; ++cycle) {
      for (int i = 1; i <= steps; ++i) {
        const double swing = 0.08 * limit * (1 - std::cos(2 * pi * i / steps));
        held.step(0.96 * limit - swing, period / steps);
        least = std::min(least, held.x());
        most = std::max(most, held.x());
      }
      turns.push_back(held.x());
    }
    // A lagging limit needs some cycles to come to rest; what drifts goes as far in the second five
    // cycles as in the first.
    const double first = std::abs(turns[5] - turns[0]), second = std::abs(turns[10] - turns[5]);
    found.at_most(second, std::max(0.5 * first, 1e-3 * (most - least)) + 1e-9 * length);
    found.less(most - turns[0], 0.2 * length);

    for (int i = 0; i < 10 * steps; ++i) pushed.step(1.05 * limit, period / steps);
    found.more(pushed.x() - turns[0], 10 * (most - least) + length);
  }
}

// At rest the slip margin is not above 0, in steady sliding, either way, it is.
void slip_margin_tells_sliding_from_rest(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < 20; ++n) {
    const any_model model = draw_model(about, random, {.decades = 0.5});
    const auto scope = found.on(model);
    const double load = random.power_of_ten(-0.5, 0.5);
    const auto margin = [&](const point& p) {
      return model.slip_margin(p.state.data(), p.x, p.v, p.load);
    };
    found.at_most(margin(initial_point(model, load)), 0);
    const scales s = draw_scales(about, model, random, load);
    motion path;  // a swing so wide that its beginning is steady sliding
    path.load_0 = load;
    path.size = s;
    const double amplitude = 1e4 * s.length;
    path.waves = {{n % 2 == 0 ? amplitude : -amplitude, 10 * s.speed() / amplitude, 0}};
    path.duration = 0.1 / path.waves[0].frequency;
    point last;
    follower(about, model, path).run(1, 200000, [&](const moment& m) { last = m.at; });
    found.more(margin(last), 0);
  }
}

// In steady sliding a model with a Stribeck curve gives the force of that curve.
void steady_sliding_follows_the_curve(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < 8; ++n) {
    const any_model model = draw_model(about, random, {.decades = 0.5});
    const auto scope = found.on(model);
    any_model curve(find_model(about.curve));
    for (const auto& p : curve.describe().parameters) curve.set(p.name, model.get(p.name).front());
    point at;
    at.load = random.power_of_ten(-0.5, 0.5);
    const scales s = draw_scales(about, model, random, at.load);
    motion path;
    path.load_0 = at.load;
    path.size = s;
    const double amplitude = 1e7 * s.length;
    path.waves = {{amplitude, s.speed() * random.power_of_ten(-1, 1) / amplitude, pi * (n % 2)}};
    path.duration = 1e-4 / path.waves[0].frequency;
    moment last;
    follower(about, model, path).run(1, 200000, [&](const moment& m) { last = m; });
    at.v = last.at.v;
    auto inputs = inputs_of(model, last.at);
    differentiate(model, last.at, inputs);
    const auto sizes = conditions(model, last.gives, inputs);  // of what the state is exact to 1e-6
    if (!found.near(last.gives.f, respond(curve, at).f, 3e-5 * sizes[0])) return;
  }
}

// ---- laws of models with an advance of their own ------------------------------------------------

// A model taken along a motion in equal steps by its own advance.
struct stride {
  point at;
  double f = 0, work = 0, traffic = 0;
};

template <class Visit>
void march(const any_model& model, const motion& path, double step, int budget, Visit visit) {
  const auto drive_at = [&](double t) { return drive<double>{path.x(t), path.v(t), path.load(t)}; };
  const double h = std::min(step / path.fastest(), path.duration / 100);
  stride now{initial_point(model, path.load(0))};
  drive<double> from = drive_at(0);
  from.x -= path.x(0);  // motions begin where the model does
  for (int i = 1; i <= budget && i * h <= path.duration; ++i) {
    drive<double> to = drive_at(i * h);
    to.x -= path.x(0);
    const double before = now.f;
    now.f = model.advance(now.at.state.data(), from, to, h);
    const double given = (before + now.f) / 2 * (to.x - from.x);
    now.work += given;
    now.traffic += std::abs(given);
    now.at.x = to.x;
    now.at.v = to.v;
    now.at.load = to.load;
    from = to;
    visit(now);
  }
}

// Mirrored motion gives the mirrored force and memory, to the last bit.
void advance_is_odd(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < 20; ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const motion path = draw_motion(about, model, random, true);
    motion mirrored = path;
    for (auto& w : mirrored.waves) w.amplitude = -w.amplitude;
    const auto even = even_states(model);
    std::vector<stride> there;
    march(model, path, 0.1, 300, [&](const stride& now) { there.push_back(now); });
    std::size_t i = 0;
    march(model, mirrored, 0.1, 300, [&](const stride& now) {
      if (!found.equal(now.f, -there[i].f)) return;
      for (std::size_t k = 0; k < static_cast<std::size_t>(model.states()); ++k)
        if (!found.equal(now.at.state[k], (even[k] ? 1 : -1) * there[i].at.state[k], {"state", k}))
          return;
      ++i;
    });
    if (!found.more(i, 50U)) return;
  }
}

void advance_stays_within_the_bound(const subject& about, dice& random, verdict& found) {
  if (!found.holds(about.model().has_bound(), no_bound)) return;
  double largest = 0;
  for (int n = 0; n < cases(30); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const motion path = draw_motion(about, model, random, false);
    double closest = 0;
    march(model, path, n % 2 == 0 ? 0.05 : 1.0, 3000, [&](const stride& now) {
      const double bound = model.force_bound(now.at.x, now.at.v, now.at.load);
      closest = std::max(closest, std::abs(now.f) / bound);
    });
    if (!found.at_most(closest, 1 + 1e-9)) return;
    largest = std::max(largest, closest);
  }
  found.more(largest, 0, {"some motion must have come to something"});
}

// What is taken from the body covers what is stored.
void advance_creates_no_energy(const subject& about, dice& random, verdict& found) {
  int moved = 0;
  for (int n = 0; n < cases(30); ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const motion path = draw_motion(about, model, random, n % 2 == 0);
    double deficit = 0, traffic = 0, most = 0;
    march(model, path, 0.002, 30000, [&](const stride& now) {
      const double energy = stored_energy(model, now.at);
      deficit = std::max(deficit, energy - now.work);
      traffic = now.traffic;
      most = std::max(most, energy);
    });
    moved += traffic > 0 ? 1 : 0;
    if (!found.at_most(deficit, 1e-3 * (traffic + most))) return;
  }
  found.at_least(moved, cases(20), {"most motions must come to something"});
}

// Goes to x within h at constant load.
double go(const any_model& model, point& p, double x, double h) {
  const double v = (x - p.x) / h;
  const double f = model.advance(p.state.data(), {p.x, v, p.load}, {x, v, p.load}, h);
  p.x = x;
  return f;
}

// Through the same places, however fast, the force is the same.
void advance_does_not_depend_on_speed(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < 10; ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const double load = random.power_of_ten(-0.5, 0.5);
    const double limit = model.has_bound() ? model.force_bound(0, 0, load) : 1;
    const scales s = draw_scales(about, model, random, load);
    point steady = initial_point(model, load), uneven = steady;
    for (int turn = 0; turn < 200; ++turn) {
      const double target = random.sign() * s.length * random.power_of_ten(-1.5, 1.5);
      const double f = go(model, uneven, target, s.time * random.power_of_ten(-6, 6));
      if (!found.near(go(model, steady, target, s.time), f, 1e-12 * limit)) return;
    }
  }
}

// Nor do further samples between its points change the force. This is for models without rates,
// whose advance is what they are; that of an ODE is a way to integrate it and need only converge.
void advance_depends_on_the_path_alone(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < 10; ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const double load = random.power_of_ten(-0.5, 0.5);
    const double limit = model.has_bound() ? model.force_bound(0, 0, load) : 1;
    const scales s = draw_scales(about, model, random, load);
    point direct = initial_point(model, load), wandering = direct;
    for (int turn = 0; turn < 200; ++turn) {
      const double target = random.sign() * s.length * random.power_of_ten(-1.5, 1.5);
      const double start = wandering.x;
      for (double share = random.uniform(0, 0.5); share < 1; share += random.uniform(0, 0.3))
        go(model, wandering, start + share * (target - start), s.time);
      const double f = go(model, wandering, target, s.time);
      if (!found.near(go(model, direct, target, s.time), f, 1e-12 * limit)) return;
    }
  }
}

void advance_has_the_units_of_the_card(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < 20; ++n) {
    const any_model model = draw_model(about, random, {.decades = 0.7, .exponents = false});
    const auto scope = found.on(model);
    const motion path = draw_motion(about, model, random, true);
    // Powers of two, so that rounding stays what it was but for roots and exponentials.
    const double kilogram = std::exp2(random.whole(-6, 6)), metre = std::exp2(random.whole(-6, 6)),
                 second = std::exp2(random.whole(-6, 6));
    const auto factor = [&](unit u) {
      return std::pow(kilogram, u.kilogram) * std::pow(metre, u.metre) * std::pow(second, u.second);
    };
    any_model other = model;
    for (const auto& p : other.describe().parameters)
      for (double* value : p.value) *value *= factor(p.in);
    motion there = path;
    there.duration *= second;
    for (auto& w : there.waves) {
      w.amplitude *= factor(about.at().inputs[0].in);
      w.frequency /= second;
    }
    std::vector<stride> here;
    double largest = 0;
    march(model, path, 0.1, 200, [&](const stride& now) {
      here.push_back(now);
      largest = std::max(largest, std::abs(now.f));
    });
    const auto kinds = model.state_units();
    std::size_t i = 0;
    march(other, there, 0.1, 200, [&](const stride& now) {
      if (i >= here.size()) return;
      if (!found.near(now.f / factor(about.at().outputs[0].in), here[i].f, 1e-6 * largest)) return;
      for (std::size_t k = 0; k < kinds.size(); ++k) {
        const double expected = here[i].at.state[k];
        if (!found.near(now.at.state[k] / factor(kinds[k]), expected,
                        1e-5 * (std::abs(expected) + path.size.of(kinds[k])), {"state", k}))
          return;
      }
      ++i;
    });
    if (!found.more(i, 50U)) return;
  }
}

void advance_takes_nan_in_and_gives_it_out(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < 20; ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    const motion path = draw_motion(about, model, random, false);
    stride last;
    march(model, path, 0.1, 200, [&](const stride& now) { last = now; });
    const auto gone = [&](point p, const drive<double>& to) {
      std::vector<double> all{
          model.advance(p.state.data(), {p.x, p.v, p.load}, to, 0.1 / path.fastest())};
      all.insert(all.end(), p.state.begin(), p.state.begin() + model.states());
      return all;
    };
    const drive<double> there{last.at.x, last.at.v, last.at.load};
    const auto given = gone(last.at, there);
    if (!found.holds(!has_nan(given), "the answer to numbers is not a number")) return;
    if (!found.holds(has_nan(gone(last.at, {nan, nan, there.load})),
                     "not-a-number in x and v is swallowed"))
      return;
    bool reads_load = false;
    for (const double factor : {1e-3, 0.7, 1e3})
      reads_load = reads_load || gone(last.at, {there.x, there.v, factor * there.load}) != given;
    if (reads_load) {
      if (!found.holds(has_nan(gone(last.at, {there.x, there.v, nan})),
                       "not-a-number in load is swallowed"))
        return;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(model.states()); ++i) {
      point bad = last.at;
      bad.state[i] = nan;
      if (!found.holds(has_nan(gone(bad, there)),
                       fmt::format("not-a-number in state {} is swallowed", i)))
        return;
    }
  }
}

// In float the force is the same as far as float can tell, measured by what the model can give.
// Even a model that branches on its memory, where rounding may choose the other branch.
void advance_in_float_agrees(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < 20; ++n) {
    const any_model model = draw_model(about, random, {.decades = 0.5});
    const auto scope = found.on(model);
    const auto single = model.functions().in_float.make(model.self());
    const double load = random.power_of_ten(-0.5, 0.5);
    const scales s = draw_scales(about, model, random, load);
    point at = initial_point(model, load);
    std::array<float, capacity> state{};
    for (std::size_t i = 0; i < capacity; ++i) state[i] = static_cast<float>(at.state[i]);
    const double h = s.time * random.power_of_ten(-1, 1);
    double size = model.has_bound() ? model.force_bound(0, 0, load) : 0.0;
    for (int i = 0; i < 100; ++i) {
      const auto place = [&](int k) { return 3 * s.length * std::sin(0.1 * k); };
      const double v = (place(i + 1) - place(i)) / h;
      const drive<double> from{place(i), v, load}, to{place(i + 1), v, load};
      const auto cut = [](const drive<double>& d) {
        return drive<float>{static_cast<float>(d.x), static_cast<float>(d.v),
                            static_cast<float>(d.load)};
      };
      const double f = model.advance(at.state.data(), from, to, h);
      size = std::max(size, std::abs(f));
      const float g = model.functions().in_float.advance(single.get(), state.data(), cut(from),
                                                         cut(to), static_cast<float>(h));
      if (!found.near(g, f, 1e-2 * size, {"step", static_cast<std::size_t>(i)})) return;
    }
  }
}

// Where a model is an ODE, too, its advance is a way to integrate it: with shorter steps it comes
// nearer to the solution, at least in proportion. Errors are means over motions and instants, since
// a tooth or a corner may lie well for one step and badly for another.
void advance_converges_to_the_ode(const subject& about, dice& random, verdict& found) {
  constexpr int marks = 20, steps[] = {1000, 4000, 16000};
  double error[3] = {};
  int motions = 0;
  for (int n = 0; n < 6; ++n) {
    const any_model model = draw_model(about, random, {.decades = 0.5});
    const auto scope = found.on(model);
    motion path = draw_motion(about, model, random, n % 2 == 1);
    path.waves.resize(2);
    path.x_0 = -(path.x(0) - path.x_0);
    path.duration = 10 / path.fastest();
    std::vector<double> exact;
    follower(about, model, path).run(marks, 400000, [&](const moment& m) {
      if (m.is_mark) exact.push_back(m.gives.f);
    });
    if (exact.size() < marks + 1U) continue;  // too stiff for the reference to reach the end
    ++motions;
    const double limit = model.has_bound() ? model.force_bound(0, 0, path.load_0) : 1;
    for (int k = 0; k < 3; ++k) {
      int count = 0;
      march(model, path, 10.0 / steps[k], steps[k], [&](const stride& now) {
        if (++count % (steps[k] / marks) != 0) return;
        error[k] += std::abs(now.f - exact[static_cast<std::size_t>(count / (steps[k] / marks))]) /
                    limit / marks;
      });
    }
  }
  if (!found.at_least(motions, 2)) return;
  constexpr double of_the_reference = 1e-5;
  for (double& e : error) e /= motions;
  found.at_most(error[1], 0.35 * error[0] + of_the_reference);
  found.at_most(error[2], 0.35 * error[1] + of_the_reference);
  found.at_most(error[2], 2e-3);
}

// On the way along a motion the force does not jump: the piece with the greatest change, cut into
// ten again and again, ends in next to no change.
void advance_is_continuous(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < 10; ++n) {
    const any_model model = draw_model(about, random);
    const auto scope = found.on(model);
    motion path = draw_motion(about, model, random, true);
    path.waves.resize(2);
    path.duration = 10 / path.fastest();
    const auto drive_at = [&](double t) {
      return drive<double>{path.x(t) - path.x(0), path.v(t), path.load(t)};
    };
    double begin = 0, end = path.duration, largest = 0, change = 0;
    state_array state = initial_point(model).state;  // at `begin`
    for (int level = 0, pieces = 2000; level < 9; ++level, pieces = 10) {
      state_array here = state;
      drive<double> from = drive_at(begin);
      double f = model.advance(here.data(), from, from, 0.0);
      const double first = begin, h = (end - begin) / pieces;
      change = 0;
      for (int i = 1; i <= pieces; ++i) {
        const state_array before = here;
        const drive<double> to = drive_at(first + i * h);
        const double f_before = std::exchange(f, model.advance(here.data(), from, to, h));
        from = to;
        largest = std::max(largest, std::abs(f));
        if (std::abs(f - f_before) <= change) continue;
        change = std::abs(f - f_before);
        state = before;
        begin = first + (i - 1) * h;
      }
      end = begin + h;
    }
    if (!found.at_most(change, 1e-4 * largest)) return;
  }
}

// A body that is held by the contact alone and pushed so slowly that nothing but its place counts.
class held_body {
 public:
  held_body(const any_model& model, double load, double speed, double stretch)
      : model_(model), at_(initial_point(model, load)), speed_(speed), stretch_(stretch) {}

  double x() const { return at_.x; }
  // Moves until the force has come to `push`, or the body has gone as far as `farthest`.
  void push(double push, double farthest) {
    const double d = push > f_ ? 1 : -1;
    while (d * (push - f_) > 0 && d * at_.x < farthest) {
      const double x = at_.x + d * stretch_, v = d * speed_;
      f_ = model_.advance(at_.state.data(), {at_.x, v, at_.load}, {x, v, at_.load},
                          stretch_ / speed_);
      at_.x = x;
    }
  }

 private:
  const any_model& model_;
  point at_;
  double speed_, stretch_, f_ = 0;
};

// Pushed between 96 % and 80 % of the limit, the body comes back to the same place each time; above
// the limit it leaves.
void advance_holds_without_drift(const subject& about, dice& random, verdict& found) {
  if (!found.holds(about.model().has_bound(), no_bound)) return;
  for (int n = 0; n < 4; ++n) {
    any_model model = about.model();
    if (n > 0) model = draw_model(about, random, {.decades = 0.3, .dimensionless = false});
    const auto scope = found.on(model);
    const double load = n == 0 ? 1.0 : random.power_of_ten(-0.3, 0.3);
    const onset start = onset_of(model, load);
    const double limit = model.force_bound(0, 0, load), length = limit / start.stiffness;
    double speed = start.damping > 0 ? 1e-4 * limit / start.damping : length;
    for (const auto& p : model.describe().parameters)
      if (p.in == units::metre / units::second) speed = std::min(speed, 1e-3 * *p.value[0]);
    const double stretch = 1e-3 * length, farthest = 1e3 * length;
    held_body body(model, load, speed, stretch);
    std::vector<double> tops;
    for (int cycle = 0; cycle <= 10; ++cycle) {
      body.push(0.96 * limit, farthest);
      tops.push_back(body.x());
      body.push(0.80 * limit, farthest);
    }
    if (!found.less(tops[0], farthest / 2)) return;
    found.near(tops[10], tops[1], 4 * stretch);
    body.push(1.05 * limit, farthest);
    found.at_least(body.x(), farthest);
  }
}

// Slides on and on at constant speed, in longer and longer steps.
stride slide(const any_model& model, const scales& s, double v, double load) {
  stride now{initial_point(model, load)};
  now.at.v = v;
  for (double way = 1e-2 * s.length; way < 1e6 * s.length; way *= 1.2) {
    const double h = way / std::abs(v), x = now.at.x + h * v;
    now.f = model.advance(now.at.state.data(), {now.at.x, v, load}, {x, v, load}, h);
    now.at.x = x;
  }
  return now;
}

void advance_slides_along_the_curve(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < 20; ++n) {
    const any_model model = draw_model(about, random, {.decades = 0.5});
    const auto scope = found.on(model);
    any_model curve(find_model(about.curve));
    for (const auto& p : curve.describe().parameters) curve.set(p.name, model.get(p.name).front());
    const double load = random.power_of_ten(-0.5, 0.5);
    const scales s = draw_scales(about, model, random, load);
    point at;
    at.load = load;
    at.v = random.sign() * s.speed() * random.power_of_ten(-1, 1);
    const double expected = respond(curve, at).f;
    if (!found.near(slide(model, s, at.v, load).f, expected, 1e-4 * std::abs(expected))) return;
  }
}

void slip_margin_tells_sliding_from_rest_when_advanced(const subject& about, dice& random,
                                                       verdict& found) {
  for (int n = 0; n < 20; ++n) {
    const any_model model = draw_model(about, random, {.decades = 0.5});
    const auto scope = found.on(model);
    const double load = random.power_of_ten(-0.5, 0.5);
    const auto margin = [&](const point& p) {
      return model.slip_margin(p.state.data(), p.x, p.v, p.load);
    };
    found.at_most(margin(initial_point(model, load)), 0);
    const scales s = draw_scales(about, model, random, load);
    found.more(margin(slide(model, s, random.sign() * s.speed(), load).at), 0);
  }
}

// ---- which law binds whom -----------------------------------------------------------------------

template <class Member>
std::function<bool(const subject&)> having(Member model_functions::*member) {
  return [member](const subject& s) { return s.model().functions().*member != nullptr; };
}

bool everyone(const subject&) { return true; }

// A model whose memory is not an ODE has no rates, but an advance of its own; some have both.
bool is_ode(const subject& s) { return s.model().functions().in_double.respond != nullptr; }
bool has_advance(const subject& s) { return s.model().functions().in_double.advance != nullptr; }

// Laws of rates, of an advance, and of the card.
std::vector<law> all_laws() {
  using condition = std::function<bool(const subject&)>;
  // Either a claim, or a further condition.
  struct bond {
    bond(claim claimed)  // NOLINT(google-explicit-constructor): reads as a table below
        : of(claimed), also([claimed](const subject& s) { return (s.claims() & claimed) != 0; }) {}
    bond(condition which) : also(std::move(which)) {}     // NOLINT(google-explicit-constructor)
    bond(bool (*which)(const subject&)) : also(which) {}  // NOLINT(google-explicit-constructor)
    unsigned of = 0;
    condition also;
  };
  std::vector<law> laws{{"CardAndPageAreComplete", 0, everyone, card_and_page_are_complete}};
  const auto add = [&laws](const condition& first, const char* name, const bond& second,
                           void (*check)(const subject&, dice&, verdict&)) {
    laws.push_back({name, second.of,
                    [first, also = second.also](const subject& s) { return first(s) && also(s); },
                    check});
  };
  const condition takes_curve = [](const subject& s) { return !s.curve.empty(); };
  const condition rates = is_ode;
  add(rates, "OddSymmetry", odd, odd_symmetry);
  add(rates, "ForceStaysWithinItsBound", bounded, force_stays_within_its_bound);
  add(rates, "CreatesNoEnergy", passive, creates_no_energy);
  add(rates, "PowerCoversTheRateOfStorage", passive, power_covers_the_rate_of_storage);
  add(rates, "PowerIsStoredLostOrUnbalanced", having(&model_functions::lost),
      power_is_stored_lost_or_unbalanced);
  add(rates, "UnitsAreThoseOfTheCard", everyone, units_are_those_of_the_card);
  add(rates, "EveryNumberTypeAgrees", everyone, every_number_type_agrees);
  add(rates, "DerivativesAreRight", everyone, derivatives_are_right);
  add(rates, "ForceIsContinuous", continuous, force_is_continuous);
  add(rates, "NeverPulls", never_pulls, never_pulls_at_all);
  add(rates, "NanInNanOut", everyone, nan_in_nan_out);
  const condition has_implicit_step = [](const subject& s) {
    return s.model().has_implicit_step();
  };
  add(rates, "ImplicitStepIsBackwardEuler", has_implicit_step, implicit_step_is_backward_euler);
  add(rates, "LoopsDoNotDependOnSpeed", rate_independent, loops_do_not_depend_on_speed);
  add(std::not_fn(has_advance), "HoldsWithoutDrift", no_drift, holds_without_drift);
  add(rates, "SlipMarginTellsSlidingFromRest", having(&model_functions::slip_margin),
      slip_margin_tells_sliding_from_rest);
  add(rates, "SteadySlidingFollowsTheCurve", takes_curve, steady_sliding_follows_the_curve);

  const condition advance = has_advance;
  add(advance, "AdvanceIsOdd", odd, advance_is_odd);
  add(advance, "AdvanceStaysWithinTheBound", bounded, advance_stays_within_the_bound);
  add(advance, "AdvanceCreatesNoEnergy", passive, advance_creates_no_energy);
  const condition advance_alone = [](const subject& s) { return has_advance(s) && !is_ode(s); };
  add(advance, "AdvanceDoesNotDependOnSpeed", rate_independent, advance_does_not_depend_on_speed);
  add(advance_alone, "AdvanceDependsOnThePathAlone", rate_independent,
      advance_depends_on_the_path_alone);
  add(advance, "AdvanceHasTheUnitsOfTheCard", everyone, advance_has_the_units_of_the_card);
  add(advance, "AdvanceTakesNanInAndGivesItOut", everyone, advance_takes_nan_in_and_gives_it_out);
  add(advance, "AdvanceInFloatAgrees", everyone, advance_in_float_agrees);
  add(advance, "AdvanceConvergesToTheOde", is_ode, advance_converges_to_the_ode);
  add(advance, "AdvanceIsContinuous", continuous, advance_is_continuous);
  add(advance, "AdvanceHoldsWithoutDrift", no_drift, advance_holds_without_drift);
  add(advance, "AdvanceSlidesAlongTheCurve", takes_curve, advance_slides_along_the_curve);
  add(std::not_fn(is_ode), "SlipMarginTellsSlidingFromRestWhenAdvanced",
      having(&model_functions::slip_margin), slip_margin_tells_sliding_from_rest_when_advanced);
  return laws;
}

}  // namespace

std::span<const law> line_laws() {
  static const std::vector<law> laws = all_laws();
  return laws;
}

}  // namespace asperity::laws
