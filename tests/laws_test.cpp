// SPDX-License-Identifier: Apache-2.0
// What every model must obey, unasked: the whole catalogue, each with every Stribeck curve it can
// take, parameters drawn over decades around their defaults. A claim on a card is a promise that is
// kept here. ASPERITY_SEED=... draws anew. `ctest -L law`, or `laws --gtest_filter='*/lugre'` for
// one model.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <asperity/catalogue/catalogue.hpp>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <set>

namespace asperity {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t capacity = any_model::max_states;
using state_array = std::array<double, capacity>;

// ---- what is drawn
// -------------------------------------------------------------------------------

// A model under test.
struct subject {
  const catalogue_entry* entry;
  std::string curve, name;
  unsigned claims() const { return any_model(*entry, curve).describe().claims; }
  bool is_contact() const { return entry->family == "contact"; }
};

// Random numbers that are the same everywhere, seeded by the names of model and law.
class dice {
 public:
  explicit dice(std::string_view seed) {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : seed) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    engine_.seed(hash);
  }
  double uniform(double lower, double upper) {
    return lower + (upper - lower) * static_cast<double>(engine_() >> 11U) * 0x1p-53;
  }
  double power_of_ten(double lower, double upper) { return std::pow(10.0, uniform(lower, upper)); }
  double sign() { return uniform(0, 1) < 0.5 ? -1.0 : 1.0; }
  int whole(int first, int last) {
    return std::min(last, first + static_cast<int>(uniform(0, 1) * (last - first + 1)));
  }

 private:
  std::mt19937_64 engine_;
};

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
      const double scale =
          value != 0 ? value : random.whole(0, 2) * typical(about, model, random, p.in);
      do value = scale * random.power_of_ten(-width, width);
      while (!is_allowed(p.allowed, value));
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
    any_model model(*about.entry, about.curve);
    draw_parameters(about, model, random, how);
    if (model.functions().valid(model.self()).verdict == validity::fine) return model;
  }
  ADD_FAILURE() << "no valid parameters in 1000 draws";
  return any_model(*about.entry, about.curve);
}

std::string print(const any_model& model) {
  std::string text = model.key() + " " + model.curve();
  for (const auto& p : model.describe().parameters)
    text += fmt::format(" {}={:.6g}", p.name, fmt::join(model.get(p.name), ","));
  return text;
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

onset onset_of(const any_model& model, double load) {
  onset result;
  point at = initial_point(model, load);
  if (model.has_bound()) result.limit = model.force_bound(0, 0, load);
  // A stuck contact is linear in v, whatever the speed it was tried at; a slipping one is not.
  at.v = 1e-3;
  while (std::abs(respond(model, at).f) > 1e-6 * result.limit && at.v > 1e-30) at.v /= 10;
  const answer moving = respond(model, at);
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
  if (about.is_contact()) {
    result.length = random.power_of_ten(-5, -1);
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
  if (about.is_contact()) {
    point pressed = initial_point(model);
    pressed.x = -result.length;
    result.force = std::max(1e-12, std::abs(respond(model, pressed).f));
  }
  return result;
}

double typical(const subject& about, const any_model& model, dice& random, unit u) {
  return draw_scales(about, model, random, 1.0).of(u);
}

std::vector<bool> even_states(const any_model& model) {
  std::vector<bool> result;
  for (const auto& s : model.describe().states)
    result.insert(result.end(), s.is_list ? capacity : 1, s.is_even);
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
    at.state[i] = even[i] || about.is_contact() ? size : random.sign() * size;
  }
  at.x = random.sign() * s.length * random.power_of_ten(-2, 1);
  at.v = random.sign() * s.speed() * random.power_of_ten(-2, 2);
  return at;
}

// ---- motions
// ---------------------------------------------------------------------------------------

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
    if (about.is_contact()) {
      w.amplitude = s.length * random.power_of_ten(-1, 0);
      w.frequency = pace * random.power_of_ten(-0.5, 0.5) / s.time;
    } else {
      w.amplitude = s.length * random.power_of_ten(-0.5, 1.5);
      w.frequency = pace * s.speed() * random.power_of_ten(-0.5, 0.5) / w.amplitude;
    }
    slowest = std::min(slowest, w.frequency);
    result.waves.push_back(w);
  }
  if (about.is_contact()) result.x_0 = s.length * random.uniform(-0.5, 1.0);
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
      : model_(model), path_(path), sign_(about.is_contact() ? -1.0 : 1.0) {
    count_ = static_cast<std::size_t>(model.states());
    const auto kinds = model.state_units();
    for (std::size_t i = 0; i < count_; ++i) largest_[i] = 1e-3 * path.size.of(kinds[i]);
    largest_[count_] = largest_[count_ + 1] = 1e-3 * path.size.of(units::joule);
    model.initial(y_.data());
    k_[0] = slope(0, y_);
  }

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
      if (error > 0) size = std::max(size, error / (1e-6 * scale + 1e-300));
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

// ---- derivatives
// ---------------------------------------------------------------------------------

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

// ---- the laws
// ----------------------------------------------------------------------------------------

// Mirrored motion gives the mirrored force.
void odd_symmetry(const subject& about, dice& random) {
  for (int n = 0; n < 300; ++n) {
    const any_model model = draw_model(about, random);
    SCOPED_TRACE(print(model));
    const point at = draw_point(about, model, random);
    const auto even = even_states(model);
    point mirrored = at;
    mirrored.x = -at.x;
    mirrored.v = -at.v;
    for (std::size_t i = 0; i < capacity; ++i)
      if (!even[i]) mirrored.state[i] = -at.state[i];
    const answer a = respond(model, at), b = respond(model, mirrored);
    ASSERT_EQ(a.f, -b.f);
    for (std::size_t i = 0; i < static_cast<std::size_t>(model.states()); ++i)
      ASSERT_EQ(a.rate[i], even[i] ? b.rate[i] : -b.rate[i]) << "state " << i;
  }
}

// |f| stays within force_bound, whatever the motion.
void force_stays_within_its_bound(const subject& about, dice& random) {
  for (int n = 0; n < 50; ++n) {
    const any_model model = draw_model(about, random);
    SCOPED_TRACE(print(model));
    const motion path = draw_motion(about, model, random, false);
    double closest = 0;
    follower(about, model, path).run(1, 3000, [&](const moment& m) {
      const double bound = model.force_bound(m.at.x, m.at.v, m.at.load);
      closest = std::max(closest, std::abs(m.gives.f) / bound);
    });
    ASSERT_LE(closest, 1 + 1e-5);  // steps are accurate to 1e-6
    ASSERT_GT(closest, 0) << "the motion must have come to something";
  }
}

double stored_energy(const any_model& model, const point& at) {
  return model.has_energy() ? model.stored_energy(at.state.data(), at.x, at.v, at.load) : 0.0;
}

// What is taken from the body covers what is stored: over every motion, from its beginning on ...
void creates_no_energy(const subject& about, dice& random) {
  int moved = 0;
  for (int n = 0; n < 50; ++n) {
    const any_model model = draw_model(about, random);
    SCOPED_TRACE(print(model));
    const motion path = draw_motion(about, model, random, true);
    double at_start = 0, deficit = 0, traffic = 0, most = 0, least = 0;
    bool is_start = true;
    follower(about, model, path).run(1, 4000, [&](const moment& m) {
      const double energy = stored_energy(model, m.at);
      if (std::exchange(is_start, false)) at_start = energy;
      deficit = std::max(deficit, energy - at_start - m.work);
      traffic = m.traffic;
      most = std::max(most, energy);
      least = std::min(least, energy);
    });
    moved += traffic > 0 ? 1 : 0;
    ASSERT_LE(deficit, 3e-5 * (traffic + most));
    ASSERT_GE(least, -1e-9 * most);
  }
  EXPECT_GE(moved, 35) << "most motions must come to something";
}

// ... and at every instant: power taken is never below the rate of the stored energy.
void power_covers_the_rate_of_storage(const subject& about, dice& random) {
  const double sign = about.is_contact() ? -1.0 : 1.0;
  int checked = 0;
  for (int n = 0; n < 50; ++n) {
    const any_model model = draw_model(about, random);
    SCOPED_TRACE(print(model));
    const motion path = draw_motion(about, model, random, true);
    double worst = 0;
    follower(about, model, path).run(1, 1000, [&](const moment& m) {
      const double energy = stored_energy(model, m.at);
      // A time step in which nothing moves by more than a millionth of itself.
      double dt = 1e-6 / path.fastest();
      for (std::size_t i = 0; i < capacity; ++i)
        if (m.gives.rate[i] != 0 && m.at.state[i] != 0)
          dt = std::min(dt, 1e-6 * std::abs(m.at.state[i] / m.gives.rate[i]));
      const auto shifted = [&](double h) {
        point p = m.at;
        for (std::size_t i = 0; i < capacity; ++i) p.state[i] += h * m.gives.rate[i];
        p.x += h * m.at.v;
        return stored_energy(model, p);
      };
      const double rate = (shifted(dt) - shifted(-dt)) / (2 * dt);
      const double power = sign * m.gives.f * m.at.v;
      const double rounding = 1e-15 * energy / dt;
      if (rounding > 1e-3 * std::abs(power)) return;  // nothing is learnt there
      ++checked;
      worst = std::max(worst, (rate - power) / (std::abs(power) + path.size.of(units::watt)));
    });
    ASSERT_LE(worst, 1e-4);
  }
  EXPECT_GT(checked, 3000);
}

// Measured in other units of mass, length and time, every number changes as the card says.
void units_are_those_of_the_card(const subject& about, dice& random) {
  for (int n = 0; n < 100; ++n) {
    const any_model model = draw_model(about, random, {.exponents = false});
    SCOPED_TRACE(print(model));
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
    there.x *= factor(units::metre);
    there.v *= factor(units::metre / units::second);

    auto inputs = inputs_of(model, at);
    differentiate(model, at, inputs);
    const answer a = respond(model, at), b = respond(other, there);
    const auto sizes = conditions(model, a, inputs);
    ASSERT_NEAR(b.f / factor(units::newton), a.f, 1e-11 * sizes[0]);
    for (std::size_t i = 0; i < kinds.size(); ++i)
      ASSERT_NEAR(b.rate[i] / factor(kinds[i] / units::second), a.rate[i], 1e-11 * sizes[i + 1])
          << "rate of state " << i;
    if (model.has_bound()) {
      const double bound = model.force_bound(at.x, at.v, at.load);
      ASSERT_NEAR(other.force_bound(there.x, there.v, at.load) / factor(units::newton), bound,
                  1e-11 * bound);
    }
    if (model.has_energy()) {
      const double energy = stored_energy(model, at);
      ASSERT_NEAR(stored_energy(other, there) / factor(units::joule), energy,
                  1e-9 * std::abs(energy));
    }
  }
}

// double, float, dual numbers and each lane of a pack give the same force and rates.
void every_number_type_agrees(const subject& about, dice& random) {
  for (int n = 0; n < 60; ++n) {
    const any_model model = draw_model(about, random);
    SCOPED_TRACE(print(model));
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

      ASSERT_NEAR(dual.f, exact.f, 1e-14 * sizes[0]) << "dual";
      ASSERT_NEAR(f[static_cast<int>(lane)], exact.f, 1e-13 * sizes[0]) << "pack";
      ASSERT_NEAR(single, exact.f, 1e-5 * sizes[0]) << "float";
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_NEAR(dual.rate[i], exact.rate[i], 1e-14 * sizes[i + 1]) << "dual, rate " << i;
        ASSERT_NEAR(pack_rate[i][static_cast<int>(lane)], exact.rate[i], 1e-13 * sizes[i + 1])
            << "pack, rate " << i;
        ASSERT_NEAR(rate[i], exact.rate[i], 1e-5 * sizes[i + 1]) << "float, rate " << i;
      }
    }
  }
}

// The derivatives that dual numbers give, by every parameter, state and input, are those of a
// difference, away from kinks.
void derivatives_are_right(const subject& about, dice& random) {
  int checked = 0, at_kinks = 0;
  for (int n = 0; n < 30; ++n) {
    const any_model model = draw_model(about, random);
    SCOPED_TRACE(print(model));
    const point at = draw_point(about, model, random);
    auto inputs = inputs_of(model, at);
    const answer here = differentiate(model, at, inputs);
    const auto sizes = conditions(model, here, inputs);
    const auto middle = outputs(model, here);
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
        ASSERT_NEAR(in.derivative[k], (right + left) / 2, tolerance)
            << "output " << k << " by " << in.name;
      }
    }
  }
  // A force that jumps again and again on the way is met at a jump more often.
  EXPECT_GT(checked, ((about.claims() & continuous) != 0 ? 100 : 5) * at_kinks);
}

// On the way from one point to another the force does not jump: the half with the greater change,
// halved again and again, ends in no change at all.
void force_is_continuous(const subject& about, dice& random) {
  for (int n = 0; n < 300; ++n) {
    const any_model model = draw_model(about, random);
    SCOPED_TRACE(print(model));
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
    const double size = std::abs(f_left) + std::abs(f_right);
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = (left + right) / 2, f_middle = force(middle);
      if (std::abs(f_middle - f_left) > std::abs(f_right - f_middle)) {
        right = middle;
        f_right = f_middle;
      } else {
        left = middle;
        f_left = f_middle;
      }
    }
    ASSERT_LE(std::abs(f_right - f_left), 1e-6 * size);
  }
}

// A contact that claims it never pulls.
void never_pulls_at_all(const subject& about, dice& random) {
  double largest = 0;
  for (int n = 0; n < 30; ++n) {
    const any_model model = draw_model(about, random);
    SCOPED_TRACE(print(model));
    const motion path = draw_motion(about, model, random, false);
    double least = 0;
    follower(about, model, path).run(1, 2000, [&](const moment& m) {
      least = std::min(least, m.gives.f);
      largest = std::max(largest, m.gives.f);
    });
    ASSERT_GE(least, 0);
    ASSERT_GE(respond(model, draw_point(about, model, random)).f, 0);
  }
  EXPECT_GT(largest, 0) << "bodies must have met";
}

// Not-a-number is never swallowed: a simulation that went wrong says so.
void nan_in_nan_out(const subject& about, dice& random) {
  for (int n = 0; n < 50; ++n) {
    const any_model model = draw_model(about, random);
    SCOPED_TRACE(print(model));
    const point at = draw_point(about, model, random);
    for (std::size_t i = 0; i < static_cast<std::size_t>(model.states()); ++i) {
      point bad = at;
      bad.state[i] = nan;
      const auto all = outputs(model, respond(model, bad));
      ASSERT_TRUE(std::any_of(all.begin(), all.end(), [](double x) { return std::isnan(x); }))
          << "state " << i;
    }
    point bad = at;
    (about.is_contact() ? bad.x : bad.v) = nan;
    ASSERT_TRUE(std::isnan(respond(model, bad).f));
  }
}

// The card is complete: it accounts for every byte of the model, and its page can be printed.
void card_and_page_are_complete(const subject& about, dice&) {
  const any_model model(*about.entry, about.curve);
  const auto the_card = model.describe();
  EXPECT_FALSE(the_card.title.empty());
  EXPECT_FALSE(the_card.source.empty());
  EXPECT_NE(the_card.claims, 0U) << "a model of which nothing can be said";
  EXPECT_EQ(model.check(), "") << "defaults should be beyond doubt";

  std::set<std::string> names;
  std::set<const void*> places;
  std::size_t bytes = 0;
  for (const auto& p : the_card.parameters) {
    EXPECT_TRUE(names.insert(p.name).second) << p.name << " stands twice on the card";
    EXPECT_FALSE(p.meaning.empty()) << p.name;
    for (const double* value : p.value) {
      EXPECT_TRUE(places.insert(value).second) << p.name << " is another parameter's field";
      EXPECT_TRUE(is_allowed(p.allowed, *value)) << p.name << " = " << *value;
      bytes += sizeof(double);
    }
    if (p.count != nullptr) bytes += sizeof(double);  // an int and its padding
  }
  EXPECT_EQ(bytes, model.functions().bytes) << "a field is missing on the card, or stands twice";

  std::size_t count = 0;
  for (const auto& s : the_card.states) {
    EXPECT_FALSE(s.meaning.empty()) << s.name;
    count += s.is_list ? model.get("elements").size() == 1
                             ? static_cast<std::size_t>(model.get("elements").front())
                             : 0
                       : 1;
  }
  EXPECT_EQ(count, static_cast<std::size_t>(model.states()));

  for (const char* part :
       {"---\ntitle: ", "\nsource: ", "\n## Equations\n", "\n## What it does\n",
        "\n## What it does not\n", "\n## Choosing parameters\n", "\n## When to take another\n"})
    EXPECT_NE(about.entry->page.find(part), std::string::npos) << "its page lacks '" << part << "'";
}

// The closed-form implicit step is backward Euler: with the state at its end, the model gives the
// same force, and a rate that leads there.
void implicit_step_is_backward_euler(const subject& about, dice& random) {
  int regular = 0;
  for (int n = 0; n < 300; ++n) {
    const any_model model = draw_model(about, random);
    SCOPED_TRACE(print(model));
    point at = draw_point(about, model, random);
    const scales s = draw_scales(about, model, random, at.load);
    const double h = s.time * random.power_of_ten(-3, 2);
    double& u = about.is_contact() ? at.x : at.v;
    // The force takes from a velocity, and adds to a gap.
    const double mobility =
        (about.is_contact() ? -1.0 : 1.0) * std::abs(u) / s.force * random.power_of_ten(-2, 2);
    const point before = at;
    const auto law = model.react(before.state.data(), before.load, h);
    const double f = law.solve(u, mobility);
    const double held = 1e-9 * (std::abs(u) + std::abs(mobility * f));
    u -= mobility * f;
    model.settle(at.state.data(), f, h);
    ASSERT_LE(law.lower, f);
    ASSERT_LE(f, law.upper);
    if (law.softness == 0 && std::abs(u) < held) continue;  // rigid, and at rest: f is what holds
    ++regular;
    auto inputs = inputs_of(model, at);
    differentiate(model, at, inputs);
    const answer after = respond(model, at);
    const auto sizes = conditions(model, after, inputs);
    ASSERT_NEAR(after.f, f, 1e-9 * sizes[0]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(model.states()); ++i) {
      const double rounding = (std::abs(before.state[i]) + std::abs(at.state[i])) / h;
      ASSERT_NEAR(after.rate[i], (at.state[i] - before.state[i]) / h,
                  1e-9 * sizes[i + 1] + 1e-12 * rounding);
    }
  }
  EXPECT_GT(regular, 50);
}

// The same path followed ten times as fast gives the same forces.
void loops_do_not_depend_on_speed(const subject& about, dice& random) {
  for (int n = 0; n < 6; ++n) {
    const any_model model = draw_model(about, random);
    SCOPED_TRACE(print(model));
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
    ASSERT_GT(common, 50U);
    const double limit = model.has_bound() ? model.force_bound(0, 0, slow.load_0) : 1;
    for (std::size_t i = 0; i < common; ++i)
      ASSERT_NEAR(slow_forces[i], fast_forces[i], 1e-4 * limit);
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
    if (model_.has_react()) {
      const auto law = model_.react(at_.state.data(), at_.load, h);
      const double f = law.solve(at_.v + h * push / mass_, h / mass_);
      at_.v += h * (push - f) / mass_;
      at_.x += h * at_.v;
      model_.settle(at_.state.data(), f, h);
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
void holds_without_drift(const subject& about, dice& random) {
  for (int n = 0; n < 4; ++n) {
    any_model model(*about.entry, about.curve);
    if (n > 0) model = draw_model(about, random, {.decades = 0.3, .dimensionless = false});
    SCOPED_TRACE(print(model));
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
    ASSERT_NEAR(elastic ? respond(model, at).f : 0.96 * limit, 0.96 * limit, 2e-2 * limit);

    const double mass = elastic ? start.damping * start.damping / start.stiffness : 1.0;
    const double period = 0.5 * length / speed;
    const int steps = std::max(400, static_cast<int>(std::ceil(period / h)));
    pushed_mass held(model, at, mass), pushed = held;
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
    EXPECT_LE(second, std::max(0.5 * first, 1e-3 * (most - least)) + 1e-9 * length);
    EXPECT_LT(most - turns[0], 0.2 * length);

    for (int i = 0; i < 10 * steps; ++i) pushed.step(1.05 * limit, period / steps);
    EXPECT_GT(pushed.x() - turns[0], 10 * (most - least) + length);
  }
}

// At rest the slip margin is not above 0, in steady sliding it is.
void slip_margin_tells_sliding_from_rest(const subject& about, dice& random) {
  for (int n = 0; n < 20; ++n) {
    const any_model model = draw_model(about, random, {.decades = 0.5});
    SCOPED_TRACE(print(model));
    const double load = random.power_of_ten(-0.5, 0.5);
    const auto margin = [&](const point& p) {
      return model.slip_margin(p.state.data(), p.x, p.v, p.load);
    };
    EXPECT_LE(margin(initial_point(model, load)), 0);
    const scales s = draw_scales(about, model, random, load);
    motion path;  // a swing so wide that its beginning is steady sliding
    path.load_0 = load;
    path.size = s;
    const double amplitude = 1e4 * s.length;
    path.waves = {{amplitude, 10 * s.speed() / amplitude, 0}};
    path.duration = 0.1 / path.waves[0].frequency;
    point last;
    follower(about, model, path).run(1, 200000, [&](const moment& m) { last = m.at; });
    EXPECT_GT(margin(last), 0);
  }
}

// In steady sliding a model with a Stribeck curve gives the force of that curve.
void steady_sliding_follows_the_curve(const subject& about, dice& random) {
  for (int n = 0; n < 8; ++n) {
    const any_model model = draw_model(about, random, {.decades = 0.5});
    SCOPED_TRACE(print(model));
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
    ASSERT_NEAR(last.gives.f, respond(curve, at).f, 1e-4 * std::abs(respond(curve, at).f));
  }
}

// ---- which law binds whom
// ------------------------------------------------------------------------

struct law {
  const char* name;
  std::function<bool(const subject&)> binds;
  void (*check)(const subject&, dice&);
};

auto claiming(unsigned claims) {
  return [claims](const subject& s) { return (s.claims() & claims) != 0; };
}

template <class Member>
auto having(Member model_functions::*member) {
  return [member](const subject& s) {
    return any_model(*s.entry, s.curve).functions().*member != nullptr;
  };
}

bool everyone(const subject&) { return true; }

std::vector<law> all_laws() {
  return {
      {"OddSymmetry", claiming(odd), odd_symmetry},
      {"ForceStaysWithinItsBound", claiming(bounded), force_stays_within_its_bound},
      {"CreatesNoEnergy", claiming(passive), creates_no_energy},
      {"PowerCoversTheRateOfStorage", claiming(passive), power_covers_the_rate_of_storage},
      {"UnitsAreThoseOfTheCard", everyone, units_are_those_of_the_card},
      {"EveryNumberTypeAgrees", everyone, every_number_type_agrees},
      {"DerivativesAreRight", everyone, derivatives_are_right},
      {"ForceIsContinuous", claiming(continuous), force_is_continuous},
      {"NeverPulls", claiming(never_pulls), never_pulls_at_all},
      {"NanInNanOut", everyone, nan_in_nan_out},
      {"CardAndPageAreComplete", everyone, card_and_page_are_complete},
      {"ImplicitStepIsBackwardEuler", having(&model_functions::react),
       implicit_step_is_backward_euler},
      {"LoopsDoNotDependOnSpeed", claiming(rate_independent), loops_do_not_depend_on_speed},
      {"HoldsWithoutDrift", claiming(stiction), holds_without_drift},
      {"SlipMarginTellsSlidingFromRest", having(&model_functions::slip_margin),
       slip_margin_tells_sliding_from_rest},
      {"SteadySlidingFollowsTheCurve", [](const subject& s) { return !s.curve.empty(); },
       steady_sliding_follows_the_curve},
  };
}

class law_test : public ::testing::Test {
 public:
  law_test(law the_law, subject about) : law_(std::move(the_law)), about_(std::move(about)) {}
  void TestBody() override {
    const char* seed = std::getenv("ASPERITY_SEED");
    dice random(fmt::format("{}/{}{}", law_.name, about_.name, seed != nullptr ? seed : ""));
    law_.check(about_, random);
  }

 private:
  law law_;
  subject about_;
};

// A model whose memory is not an ODE has no rates; of these laws only that of the card binds it.
bool is_ode(const subject& s) {
  return any_model(*s.entry, s.curve).functions().in_double.respond != nullptr;
}

// Tests are registered at run time, since the catalogue is known only then: law.OddSymmetry/lugre.
bool register_laws() {
  std::set<std::string> without;
  for (const law& each : all_laws()) without.insert(each.name);
  for (const catalogue_entry* entry : catalogue()) {
    for (const auto& variant : entry->variants) {
      const bool usual = &variant == &entry->default_variant();
      const subject about{entry, variant.curve,
                          usual ? entry->key : entry->key + "_with_" + variant.curve};
      for (const law& each : all_laws()) {
        if (!each.binds(about) || !(is_ode(about) || each.check == card_and_page_are_complete))
          continue;
        without.erase(each.name);
        ::testing::RegisterTest("law", fmt::format("{}/{}", each.name, about.name).c_str(), nullptr,
                                nullptr, __FILE__, __LINE__,
                                [=]() -> ::testing::Test* { return new law_test(each, about); });
      }
    }
  }
  ::testing::RegisterTest("law", "EveryLawBindsSomeModel", nullptr, nullptr, __FILE__, __LINE__,
                          [=]() -> ::testing::Test* {
                            const auto check = [](const subject& s, dice&) {
                              EXPECT_EQ(s.name, "") << "a law that binds nobody";
                            };
                            const std::string names = fmt::format("{}", fmt::join(without, ", "));
                            return new law_test({"", everyone, check}, {nullptr, "", names});
                          });
  return true;
}

[[maybe_unused]] const bool registered = register_laws();

}  // namespace
}  // namespace asperity
