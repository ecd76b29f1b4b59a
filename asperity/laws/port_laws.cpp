// SPDX-License-Identifier: Apache-2.0
// The laws of every port: motions, sizes and mirrors come from the port and the card, no line is
// for one family. Models that move along a line have finer laws of their own beside these
// (line_laws.cpp).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/laws/law.hpp>
#include <asperity/portable.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace asperity::laws {

namespace {

using numbers = std::vector<double>;
constexpr double pi = 3.14159265358979323846;

// Laws over cells take longer.
int cases(const subject& about, int n) {
  return about.model().functions().build != nullptr ? n / 2 : n;
}

// ---- what is drawn ------------------------------------------------------------------------------

// What is 0 by default may become something that matters.
double instead_of_zero(unit in) {
  if (in == units::second) return 2e-3;
  if (in == units::metre) return 0.02;
  if (in == units::newton * units::second / units::metre) return 0.5;
  if (in == units::one / units::metre) return 3;
  return 0;
}

using change = std::function<void(any_model&)>;

// A model with random parameters, words and whole numbers that fit together.
any_model draw_model(const subject& about, dice& random, const change& also = {}) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    any_model model = about.model();
    // A choice changes the card behind it, so the card is asked anew.
    for (std::size_t i = 0; i < model.describe().parameters.size(); ++i)
      if (const auto p = model.describe().parameters[i]; !p.words.empty())
        *p.whole = random.whole(0, static_cast<int>(p.words.size()) - 1);
    bool fits = true;
    for (const auto& p : model.describe().parameters)
      if (p.count != nullptr) model.set(p.name, random.whole(1, 6));
    for (const auto& p : model.describe().parameters) {
      if (p.whole != nullptr && p.words.empty()) *p.whole = random.whole(3, 8);
      if (p.value.empty() || p.is_exponent) continue;
      const double width = p.in == units::one ? 0.4 : 1.0;
      numbers values = model.get(p.name);
      double sum = 0;
      for (double& value : values) {
        if (value == 0 && random.uniform(0, 1) < 0.6) value = instead_of_zero(p.in);
        value *= random.power_of_ten(-width, width);
        sum += value;
        fits = fits && allows(p.allowed, value);
      }
      for (std::size_t i = 0; i < values.size(); ++i)
        *p.value[i] = p.is_share ? values[i] / sum : values[i];
    }
    if (also) also(model);
    if (!fits || model.functions().valid(model.self()).verdict != validity::fine) continue;
    try {
      model.build();
    } catch (const error&) {
      continue;  // shapes whose keys do not fit together
    }
    return model;
  }
  throw error("no parameters in 1000 draws are allowed and fit together");
}

// The first number on the card that has this unit; 0 where there is none.
double first_of(const any_model& model, unit in) {
  for (const auto& p : model.describe().parameters)
    if (p.in == in && !p.value.empty() && *p.value.front() > 0) return *p.value.front();
  return 0;
}

// One friction level for all speeds.
void one_level(any_model& model) {
  for (const auto& p : model.describe().parameters) {
    if (p.name == "F_s") *p.value[0] = first_of(model, units::newton);
    if (p.name == "tau_d") *p.value[0] = 0;
  }
}

// Every place is a sum of sines and its rate the derivative; a rate without a place is a sum of
// sines itself; the load waves.
struct motion {
  struct wave {
    double amplitude, frequency, phase;
  };
  const port* at;
  std::vector<std::array<wave, 3>> waves;
  numbers offset;
  double load_0 = 1, load_change = 0, duration = 1, fastest = 0;

  void operator()(double t, double* in) const {
    for (std::size_t i = 0; i < at->inputs.size(); ++i) {
      const channel& each = at->inputs[i];
      double place = offset[i], rate = 0;
      for (const wave& w : waves[i]) {
        place += w.amplitude * std::sin(w.frequency * t + w.phase);
        rate += w.amplitude * w.frequency * std::cos(w.frequency * t + w.phase);
      }
      if (each.is == channel::load)
        in[i] = load_0 * (1 + load_change * std::sin(0.7 * waves[0][0].frequency * t));
      if (each.is == channel::place) {
        in[i] = place;
        in[each.rate_of] = rate;
      }
      if (each.is == channel::rate && at->place_of(static_cast<int>(i)) < 0) in[i] = rate;
    }
  }
};

motion draw_motion(const any_model& model, dice& random, bool with_varying_load) {
  using namespace units;
  motion result;
  result.at = &model.at();
  // Sizes at which something happens, from the card: force over stiffness, damping over stiffness.
  const double F = first_of(model, newton), K = first_of(model, newton / metre);
  const double C = first_of(model, newton * second / metre);
  double tau = first_of(model, second);
  if (tau == 0 && C > 0 && K > 0) tau = C / K;
  const bool plain = !model.at().has_units();
  const double length = plain            ? random.power_of_ten(-0.5, 0.5)
                        : F > 0 && K > 0 ? F / K * random.power_of_ten(-1.5, 1)
                                         : random.power_of_ten(-6.5, -3);
  const double time = plain     ? random.power_of_ten(-1, 1)
                      : tau > 0 ? tau * random.power_of_ten(0, 3)
                                : random.power_of_ten(-3, 0);
  const double arm = std::max(first_of(model, metre), 1e-3);
  for (const channel& each : model.at().inputs) {
    const bool is_angle = each.is == channel::place && each.in == one && !plain;
    std::array<motion::wave, 3> waves{};
    for (auto& w : waves) {
      w = {length * (is_angle ? 1 / arm : 1) * random.power_of_ten(-0.5, each.is_odd ? 1 : 0.2),
           2 * pi / time * random.power_of_ten(-0.5, 0.3), random.uniform(0, 2 * pi)};
      result.fastest = std::max(result.fastest, w.frequency);
    }
    result.waves.push_back(waves);
    result.offset.push_back(model.at().is_contact() && each.is == channel::place
                                ? length * random.uniform(-1, 1)
                                : 0.0);
  }
  result.load_0 = random.power_of_ten(-0.5, 0.5);
  result.load_change = with_varying_load ? random.uniform(0, 0.8) : 0;
  result.duration = 4 * time;
  return result;
}

// Where a model is on its way.
struct moment {
  const double *in, *state, *out, *rate;
  double work, traffic;  // integrals of the power taken and of its absolute value
};

// Bogacki and Shampine's pair with error control; states of any number.
template <class Visit>
void follow(const any_model& model, const motion& path, int budget, Visit visit) {
  const auto n = static_cast<std::size_t>(model.states());
  numbers y(n + 2), z(n + 2), largest(n + 2, 1e-14), in(model.at().inputs.size()),
      out(model.at().outputs.size());
  numbers k[4];
  for (auto& each : k) each.resize(n + 2);
  path(0, in.data());
  model.initial(in.data(), y.data());
  const auto slope = [&](double t, const numbers& state, numbers& rate) {
    path(t, in.data());
    model.respond(in.data(), state.data(), out.data(), rate.data());
    rate[n] = model.at().power(in.data(), out.data());
    rate[n + 1] = std::abs(rate[n]);
  };
  slope(0, y, k[0]);
  visit(moment{in.data(), y.data(), out.data(), k[0].data(), 0, 0});
  double t = 0, h = 1e-4 / path.fastest;
  while (t < path.duration && budget-- > 0) {
    const double step = std::min({h, path.duration - t, 0.05 / path.fastest});
    const auto shift = [&](double a, double b, double c) {
      for (std::size_t i = 0; i < n + 2; ++i)
        z[i] = y[i] + step * (a * k[0][i] + b * k[1][i] + c * k[2][i]);
    };
    shift(0.5, 0, 0);
    slope(t + step / 2, z, k[1]);
    shift(0, 0.75, 0);
    slope(t + 0.75 * step, z, k[2]);
    shift(2.0 / 9, 1.0 / 3, 4.0 / 9);
    slope(t + step, z, k[3]);
    double worst = 0;
    for (std::size_t i = 0; i < n + 2; ++i) {
      const double e =
          step * std::abs(-5.0 / 72 * k[0][i] + k[1][i] / 12 + k[2][i] / 9 - k[3][i] / 8);
      if (e != 0) worsen(worst, e / (1e-6 * std::max(largest[i], std::abs(z[i])) + 1e-300));
    }
    if (std::isnan(worst))
      throw error(fmt::format("what is not a number comes up on the way: {}", print(model)));
    if (worst <= 1) {
      t += step;
      y = z;
      model.remember(in.data(), y.data());
      slope(t, y, k[0]);
      for (std::size_t i = 0; i < n + 2; ++i) largest[i] = std::max(largest[i], std::abs(y[i]));
      visit(moment{in.data(), y.data(), out.data(), k[0].data(), y[n], y[n + 1]});
    }
    h = step * std::clamp(0.9 / std::cbrt(std::max(worst, 1e-6)), 0.2, 5.0);
  }
}

double largest_of(const double* values, std::size_t count) {
  double result = 0;
  for (std::size_t i = 0; i < count; ++i) result = std::max(result, std::abs(values[i]));
  return result;
}

constexpr const char* no_bound =
    "the model has no bound, which the claims 'bounded' and 'no_drift' ask for";
constexpr const char* no_step = "its implicit step has no solution";

// ---- the laws -----------------------------------------------------------------------------------

// In every visited state the mirrored state and motion have the mirrored forces, and rates.
void odd_symmetry(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < cases(about, 20); ++n) {
    const any_model model = draw_model(about, random);
    const port& at = model.at();
    const auto states = static_cast<std::size_t>(model.states());
    const bool mirrors_itself = model.functions().at_port.mirror != nullptr;
    numbers in(at.inputs.size()), state(states), out(at.outputs.size()), rate(states + 1);
    double worst = 0;
    follow(model, draw_motion(model, random, true), 300, [&](const moment& m) {
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = at.inputs[i].is_odd ? -m.in[i] : m.in[i];
      std::copy_n(m.state, states, state.begin());
      model.mirror(m.in, state.data());
      model.respond(in.data(), state.data(), out.data(), rate.data());
      const double size = largest_of(m.out, out.size()) + 1e-300;
      for (std::size_t k = 0; k < out.size(); ++k)
        worst =
            std::max(worst, std::abs(m.out[k] - (at.outputs[k].is_odd ? -out[k] : out[k])) / size);
      if (mirrors_itself) return;  // its states are places on a surface that is not mirrored
      model.mirror(m.in, rate.data());
      for (std::size_t i = 0; i < states; ++i)
        if (rate[i] != m.rate[i])
          worsen(worst, std::abs(rate[i] - m.rate[i]) / std::abs(m.rate[i]));
    });
    found.add(worst, 1e-9, model);
  }
}

// What is taken from the body covers what is stored, from the beginning of every motion on.
void creates_no_energy(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < cases(about, 40); ++n) {
    const any_model model = draw_model(about, random);
    const motion path = draw_motion(model, random, n % 2 == 0);
    double start = 0, deficit = 0, traffic = 0, most = 0;
    bool is_first = true;
    follow(model, path, 3000, [&](const moment& m) {
      const double energy =
          model.has_energy() && !model.has_losses() ? model.stored_energy(m.in, m.state) : 0;
      if (std::exchange(is_first, false)) start = energy;
      worsen(deficit, energy - start - m.work);
      traffic = m.traffic;
      most = std::max(most, energy);
    });
    if (traffic > 0) found.add(deficit / (traffic + most + 1e-18), 1e-4, model);
  }
  found.more(found.draws, cases(about, 40) / 2, {"motions that come to something"});
}

// Vectors stay within their bounds, whatever the motion, and come near them somewhere.
void stays_within_its_bounds(const subject& about, dice& random, verdict& found) {
  if (!found.holds(about.model().has_bound(), no_bound)) return;
  for (int n = 0; n < cases(about, 40); ++n) {
    // Every other one has the same limit at all speeds, to come near it.
    const any_model model = draw_model(about, random, n % 2 == 0 ? change(one_level) : change{});
    double closest = 0;
    follow(model, draw_motion(model, random, false), 1500, [&](const moment& m) {
      numbers bound(model.at().vectors.size());
      model.bounds(m.in, m.out, bound.data());
      for (std::size_t k = 0; k < bound.size(); ++k) {
        const vector_output& v = model.at().vectors[k];
        double square = 0;
        for (int i = v.first; i < v.first + v.count; ++i) square += m.out[i] * m.out[i];
        if (square != 0) worsen(closest, std::sqrt(square) / bound[k]);
      }
    });
    found.add(closest, 1 + 1e-5, model);
  }
  found.more(found.worst, 0.9, {"the share of the bound that some motion comes to"});
}

// Forces that push bodies apart never pull them together.
void never_pulls_at_all(const subject& about, dice& random, verdict& found) {
  double largest = 0;
  for (int n = 0; n < cases(about, 20); ++n) {
    const any_model model = draw_model(about, random);
    double least = 0;
    follow(model, draw_motion(model, random, false), 1000, [&](const moment& m) {
      for (std::size_t k = 0; k < model.at().outputs.size(); ++k)
        if (model.at().outputs[k].sign < 0) {
          worsen(least, -m.out[k]);
          largest = std::max(largest, m.out[k]);
        }
    });
    found.add(least, 0, model);
  }
  found.more(largest, 0, {"the largest force of bodies that meet"});
}

// A law without memory answers to the direction of the motion alone.
void speed_does_not_matter(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < cases(about, 20); ++n) {
    const any_model model = draw_model(about, random);
    found.holds(model.states() == 0, "no law is here for memory that does not depend on the rate");
    const double factor = random.power_of_ten(-3, 3);
    numbers in(model.at().inputs.size()), out(model.at().outputs.size());
    double worst = 0, rate = 0;
    follow(model, draw_motion(model, random, true), 100, [&](const moment& m) {
      for (std::size_t i = 0; i < in.size(); ++i)
        in[i] = m.in[i] * (model.at().inputs[i].is == channel::rate ? factor : 1);
      model.respond(in.data(), m.state, out.data(), &rate);
      for (std::size_t k = 0; k < out.size(); ++k)
        worst =
            std::max(worst, std::abs(out[k] - m.out[k]) / (largest_of(m.out, out.size()) + 1e-300));
    });
    found.add(worst, 1e-8, model);
  }
}

// On the way between two visited points nothing jumps: the half with the greater change, halved
// again and again, ends in no change at all.
void force_is_continuous(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < cases(about, 60); ++n) {
    const any_model model = draw_model(about, random);
    const auto states = static_cast<std::size_t>(model.states());
    const std::size_t inputs = model.at().inputs.size(), outputs = model.at().outputs.size();
    std::vector<numbers> points;  // inputs and states
    follow(model, draw_motion(model, random, true), 200, [&](const moment& m) {
      numbers both(m.in, m.in + inputs);
      both.insert(both.end(), m.state, m.state + states);
      points.push_back(std::move(both));
    });
    const auto pick = [&] {
      return points[static_cast<std::size_t>(random.whole(0, static_cast<int>(points.size()) - 1))];
    };
    const numbers a = pick(), b = pick();
    numbers mixed(a.size()), rate(states + 1);
    const auto force = [&](double t) {
      for (std::size_t i = 0; i < a.size(); ++i) mixed[i] = (1 - t) * a[i] + t * b[i];
      numbers out(outputs);
      model.respond(mixed.data(), mixed.data() + inputs, out.data(), rate.data());
      return out;
    };
    const auto distance = [&](const numbers& f, const numbers& g) {
      double result = 0;
      for (std::size_t k = 0; k < outputs; ++k) result = std::max(result, std::abs(f[k] - g[k]));
      return result;
    };
    double left = 0, right = 1;
    numbers f_left = force(0), f_right = force(1);
    double size = std::max(largest_of(f_left.data(), outputs), largest_of(f_right.data(), outputs));
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = (left + right) / 2;
      numbers f = force(middle);
      size = std::max(size, largest_of(f.data(), outputs));
      if (distance(f, f_left) > distance(f_right, f)) {
        right = middle;
        f_right = std::move(f);
      } else {
        left = middle;
        f_left = std::move(f);
      }
    }
    found.add(distance(f_left, f_right) / (size + 1e-300), 1e-7, model);
  }
}

// Measured in other kilograms, metres and seconds, every number changes as card and port say.
void units_are_those_of_the_card(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < cases(about, 20); ++n) {
    const any_model model = draw_model(about, random);
    const double kilogram = random.power_of_ten(-2, 2), metre = random.power_of_ten(-2, 2),
                 second = random.power_of_ten(-2, 2);
    const auto factor = [&](unit u) {
      return std::pow(kilogram, u.kilogram) * std::pow(metre, u.metre) * std::pow(second, u.second);
    };
    any_model other = model;
    for (const auto& p : other.describe().parameters)
      for (double* value : p.value) *value *= factor(p.in);
    other.build();
    if (other.states() != model.states()) continue;  // a cell at the rim that rounding decides
    const auto kinds = model.state_units();
    const port& at = model.at();
    numbers in(at.inputs.size()), state(kinds.size()), out(at.outputs.size()),
        rate(kinds.size() + 1);
    double worst = 0;
    follow(model, draw_motion(model, random, true), 150, [&](const moment& m) {
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = m.in[i] * factor(at.inputs[i].in);
      for (std::size_t i = 0; i < state.size(); ++i) state[i] = m.state[i] * factor(kinds[i]);
      other.respond(in.data(), state.data(), out.data(), rate.data());
      // Torques beside forces: each against the largest of its unit.
      for (std::size_t k = 0; k < out.size(); ++k) {
        double size = 1e-12;
        for (std::size_t j = 0; j < out.size(); ++j)
          if (at.outputs[j].in == at.outputs[k].in) size = std::max(size, std::abs(m.out[j]));
        worsen(worst, std::abs(out[k] / factor(at.outputs[k].in) - m.out[k]) / size);
      }
      if (!model.has_energy()) return;
      const double energy = model.stored_energy(m.in, m.state);
      const double there =
          other.stored_energy(in.data(), state.data()) / factor(at.inputs[0].in * at.outputs[0].in);
      if (energy > 1e-18) worsen(worst, std::abs(there - energy) / energy);
    });
    found.add(worst, 1e-4, model);
  }
}

// Errors of most points: laws have kinks.
double all_but_few(numbers& errors) {
  if (errors.empty()) return 0;
  for (double& each : errors)
    if (std::isnan(each)) each = unbounded;
  std::sort(errors.begin(), errors.end());
  return errors[errors.size() * 98 / 100];
}

// Dual numbers agree with differences by every input and state.
void derivatives_are_right(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < 8; ++n) {
    const any_model model = draw_model(about, random);
    const auto& in_dual = model.functions().in_dual;
    const auto self = in_dual.make(model.self());
    const port& at = model.at();
    const auto states = static_cast<std::size_t>(model.states());
    const std::size_t inputs = at.inputs.size(), outputs = at.outputs.size();
    numbers errors;
    int count = 0;
    follow(model, draw_motion(model, random, true), 300, [&](const moment& m) {
      if (++count % 8 != 0) return;
      numbers both(m.in, m.in + inputs);
      both.insert(both.end(), m.state, m.state + states);
      const double size = largest_of(m.out, outputs) + 1e-12;
      for (std::size_t j = 0; j < both.size(); ++j) {
        std::vector<model_dual> dual_in(both.begin(), both.end()), out(outputs), rate(states + 1);
        dual_in[j].derivative[0] = 1;
        in_dual(at, self.get(), dual_in.data(), dual_in.data() + inputs, out.data(), rate.data());
        const double x = both[j], h = 1e-6 * (std::abs(x) + 1e-12);
        numbers above(outputs), below(outputs), unused(states + 1);
        both[j] = x + h;
        model.respond(both.data(), both.data() + inputs, above.data(), unused.data());
        both[j] = x - h;
        model.respond(both.data(), both.data() + inputs, below.data(), unused.data());
        both[j] = x;
        for (std::size_t k = 0; k < outputs; ++k) {
          const double right = (above[k] - m.out[k]) / h, left = (m.out[k] - below[k]) / h;
          if (std::abs(right - left) * std::abs(x) > 1e-3 * size) continue;  // a kink or a jump
          errors.push_back(std::abs(out[k].derivative[0] - (right + left) / 2) * std::abs(x) /
                           size);
        }
      }
    });
    found.more(static_cast<double>(errors.size()), 20, {"points without a kink"});
    found.add(all_but_few(errors), 1e-4, model);
  }
}

// Numbers of half the length give the same forces, beside the largest of the motion.
void float_agrees(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < cases(about, 20); ++n) {
    const any_model model = draw_model(about, random);
    const auto& in_float = model.functions().in_float;
    const auto self = in_float.make(model.self());
    const auto states = static_cast<std::size_t>(model.states());
    const std::size_t inputs = model.at().inputs.size(), outputs = model.at().outputs.size();
    numbers errors, largest(outputs, 1e-12);
    double reach = 0;
    if (model.at().inputs[0].in == units::metre)
      for (const auto& each : model.describe().parameters)
        if (each.in == units::metre)
          for (const double* value : each.value) reach = std::max(reach, std::abs(*value));
    follow(model, draw_motion(model, random, true), 300, [&](const moment& m) {
      for (std::size_t k = 0; k < outputs; ++k)
        largest[k] = std::max(largest[k], std::abs(m.out[k]));
      const std::vector<float> in(m.in, m.in + inputs), state(m.state, m.state + states);
      for (std::size_t k = 0; k < inputs; ++k)  // no float is that small: it has another sign
        if (m.in[k] != 0 && in[k] == 0) return;
      std::vector<float> out(outputs), rate(states + 1);
      in_float(model.at(), self.get(), in.data(), state.data(), out.data(), rate.data());
      // What the rounding of its arguments alone does, as where a body hardly dips into its
      // bristles or stands where one is let go, no float can avoid.
      std::vector<double> allowed(outputs), there(outputs), unused(states + 1);
      for (const int sign : {-1, 1}) {
        const double factor = 1 + sign * 4 * std::numeric_limits<float>::epsilon();
        std::vector<double> in_beside(m.in, m.in + inputs), beside(m.state, m.state + states);
        for (auto* list : {&in_beside, &beside})
          for (double& each : *list) each *= factor;
        in_beside[0] += (factor - 1) * reach;  // a place is added to lengths of the model
        model.respond(in_beside.data(), beside.data(), there.data(), unused.data());
        for (std::size_t k = 0; k < outputs; ++k)
          allowed[k] = std::max(allowed[k], std::abs(there[k] - m.out[k]));
      }
      for (std::size_t k = 0; k < outputs; ++k)
        errors.push_back((std::abs(static_cast<double>(out[k]) - m.out[k]) - 1.1 * allowed[k]) /
                         largest[k]);
    });
    found.add(all_but_few(errors), 1e-3, model);
  }
}

// The friction levels of a step are those of its start: with one level for all speeds, forces and
// states at its end are those of the rates there.
void step_is_backward_euler(const subject& about, dice& random, verdict& found) {
  for (int n = 0; n < cases(about, 20); ++n) {
    const any_model model = draw_model(about, random, one_level);
    const port& at = model.at();
    const auto states = static_cast<std::size_t>(model.states());
    const std::size_t outputs = at.outputs.size();
    numbers in(at.inputs.size()), out(outputs), again(outputs), end(states), rate(states),
        free(outputs), mobility(outputs);
    double worst = 0;
    int count = 0;
    follow(model, draw_motion(model, random, false), 200, [&](const moment& m) {
      if (++count % 10 != 0) return;
      // Arms are those of the start of the step: hardly any turn in it.
      double h = random.power_of_ten(-5, -2);
      for (std::size_t k = 0; k < outputs; ++k)
        if (at.outputs[k].in == units::joule)
          h = std::min(h, 1e-6 / (std::abs(m.in[at.outputs[k].rate_of]) + 1e-9));
      const double per_newton = h * random.power_of_ten(-1, 1);
      for (std::size_t k = 0; k < outputs; ++k) {
        const auto moved = static_cast<std::size_t>(at.outputs[k].rate_of);
        const bool normal = at.outputs[k].sign < 0;
        const auto place =
            static_cast<std::size_t>(std::max(0, at.place_of(at.outputs[k].rate_of)));
        mobility[k] = normal ? h * per_newton : per_newton;
        free[k] = normal ? m.in[place] + h * m.in[moved] : m.in[moved];
      }
      if (!found.holds(
              model.step(m.in, m.state, free.data(), mobility.data(), h, out.data(), end.data()),
              no_step))
        return;
      std::copy_n(m.in, in.size(), in.begin());
      double turn = 0;
      for (std::size_t k = 0; k < outputs; ++k) {
        const int moved = at.outputs[k].rate_of, place = at.place_of(moved);
        const double value = free[k] - at.outputs[k].sign * mobility[k] * out[k];
        const auto v = static_cast<std::size_t>(moved), x = static_cast<std::size_t>(place);
        if (at.outputs[k].sign < 0) {
          in[v] = (value - m.in[x]) / h;
          in[x] = value;
        } else {
          in[v] = value;
          if (place >= 0) in[x] += h * value;
          if (at.outputs[k].in == units::joule) turn = std::abs(h * value);
        }
      }
      if (turn > 1e-5) return;
      model.respond(in.data(), end.data(), again.data(), rate.data());
      const double size = largest_of(out.data(), outputs) + 1e-9;
      for (std::size_t k = 0; k < outputs; ++k) worsen(worst, std::abs(out[k] - again[k]) / size);
    });
    found.add(worst, 1e-4, model);
  }
}

// A body without mass that is pushed to and fro below the limit comes back to the same place; above
// the limit it leaves. Bodies that meet are pressed together first.
void holds_without_drift(const subject& about, dice& random, verdict& found) {
  if (!found.holds(about.model().has_bound(), no_bound)) return;
  if (!found.holds(about.model().has_step(), "it claims 'no_drift', but has no implicit step"))
    return;
  for (int n = 0; n < cases(about, 6); ++n) {
    any_model model = about.model();
    if (n > 0) model = draw_model(about, random, one_level);
    const port& at = model.at();
    const auto states = static_cast<std::size_t>(model.states());
    const std::size_t outputs = at.outputs.size();
    const double tau = first_of(model, units::second),
                 K = first_of(model, units::newton / units::metre);
    const double h = 2 * tau;
    numbers in(at.inputs.size()), state(states), end(states), out(outputs), free(outputs),
        mobility(outputs), bound(at.vectors.size()), rate(states + 1);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = at.inputs[i].is == channel::load ? 1 : 0;
    model.initial(in.data(), state.data());
    const double press = random.power_of_ten(0, 2);
    std::size_t pushed = 0;  // the first output along the surface
    while (at.outputs[pushed].sign < 0) ++pushed;
    const auto vector =
        static_cast<std::size_t>(std::find_if(at.vectors.begin(), at.vectors.end(),
                                              [&](const vector_output& v) {
                                                return v.first <= static_cast<int>(pushed) &&
                                                       static_cast<int>(pushed) < v.first + v.count;
                                              }) -
                                 at.vectors.begin());
    double way = 0;
    const auto push = [&](double force) {
      for (std::size_t k = 0; k < outputs; ++k) {
        const auto moved = static_cast<std::size_t>(at.outputs[k].rate_of);
        const int place = at.place_of(at.outputs[k].rate_of);
        const bool normal = at.outputs[k].sign < 0;
        // So light that nothing is left of a difference between push and force.
        mobility[k] = 1e6 / (K * tau) * (normal ? h : 1);
        free[k] = normal ? in[static_cast<std::size_t>(place)] - mobility[k] * press
                         : (k == pushed ? mobility[k] * force : 0.0);
        in[moved] = normal ? in[moved] : 0;
      }
      found.holds(model.step(in.data(), state.data(), free.data(), mobility.data(), h, out.data(),
                             end.data()),
                  no_step);
      for (std::size_t k = 0; k < outputs; ++k) {
        const int moved = at.outputs[k].rate_of, place = at.place_of(moved);
        const double value = free[k] - at.outputs[k].sign * mobility[k] * out[k];
        if (at.outputs[k].sign < 0) {
          in[static_cast<std::size_t>(moved)] = (value - in[static_cast<std::size_t>(place)]) / h;
          in[static_cast<std::size_t>(place)] = value;
        } else {
          in[static_cast<std::size_t>(moved)] = value;
          if (place >= 0) in[static_cast<std::size_t>(place)] += h * value;
          if (k == pushed) way += h * value;
        }
      }
      state = end;
    };
    for (int i = 0; i < 200; ++i) push(0);
    model.bounds(in.data(), out.data(), bound.data());
    const double limit = bound[vector];
    way = 0;
    numbers tops;
    for (int cycle = 0; cycle <= 20; ++cycle) {
      for (int i = 0; i < 100; ++i) push((0.88 + 0.08 * std::sin(2 * pi * i / 100)) * limit);
      tops.push_back(way);
    }
    const double deflection = std::abs(tops[0]);
    found.add(std::abs(tops[20] - tops[1]) / deflection, 1e-3, model);
    for (int i = 0; i < 20; ++i) push(1.05 * limit);
    found.more(std::abs(way), 10 * deflection, {"the way above the limit"});
  }
}

// Whatever bits inputs and states hold, nothing outside the arrays is read or written; and where
// there is no number, none comes out.
void takes_any_bits(const subject& about, dice& random, verdict& found) {
  constexpr double mark = 4711.25, none = std::numeric_limits<double>::quiet_NaN();
  const std::array odd_ones{0.0,
                            -0.0,
                            1.0,
                            -5.0,
                            1e9,
                            -1e19,
                            1e300,
                            none,
                            5e-324,
                            -1e-300,
                            std::numeric_limits<double>::infinity()};
  const any_model model = draw_model(about, random);
  const auto states = static_cast<std::size_t>(model.states());
  const std::size_t inputs = model.at().inputs.size(), outputs = model.at().outputs.size();
  const auto guarded = [&](std::size_t count) {
    numbers values(count + 8, mark);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = random.uniform(0, 1) < 0.6 ? odd_ones[random.bits() % odd_ones.size()]
                                             : detail::bit_cast<double>(random.bits());
    return values;
  };
  const auto is_whole = [&](const numbers& values, std::size_t count) {
    return std::all_of(values.begin() + static_cast<std::ptrdiff_t>(count), values.end(),
                       [](double x) { return x == mark; });
  };
  for (int n = 0; n < cases(about, 200); ++n) {
    const numbers in = guarded(inputs);
    numbers state = guarded(states), rate = guarded(states), end = guarded(states),
            out = guarded(outputs), bound = guarded(model.at().vectors.size());
    model.respond(in.data(), state.data(), out.data(), rate.data());
    if (model.has_energy()) model.stored_energy(in.data(), state.data());
    if (model.has_bound()) model.bounds(in.data(), out.data(), bound.data());
    model.mirror(in.data(), state.data());
    model.remember(in.data(), state.data());
    const numbers free = guarded(outputs), mobility = guarded(outputs);
    if (model.has_step())
      model.step(in.data(), state.data(), free.data(), mobility.data(), random.uniform(-1, 1),
                 out.data(), end.data());
    model.initial(in.data(), state.data());
    const bool fine = is_whole(state, states) && is_whole(rate, states) && is_whole(end, states) &&
                      is_whole(out, outputs) && is_whole(bound, model.at().vectors.size());
    found.add(fine ? 0 : 1, 0, model);
  }
  const numbers in(inputs, none), state(states, none);
  numbers out(outputs), rate(states + 1);
  model.respond(in.data(), state.data(), out.data(), rate.data());
  out.insert(out.end(), rate.begin(), rate.end());
  found.add(std::any_of(out.begin(), out.end(), [](double x) { return std::isnan(x); }) ? 0 : 1, 0,
            model);
}

// The card accounts for the model, and the page says where it comes from.
void card_and_page_are_complete(const subject& about, dice&, verdict& found) {
  const any_model model = about.model();
  const auto card = model.describe();
  found.holds(!card.title.empty(), "the card has no title");
  found.holds(!card.source.empty(), "the card names no source");
  found.holds(about.entry->page.starts_with("---\ntitle: "), "its page lacks 'title:' on top");
  const std::string doubt = model.check();
  found.holds(doubt.empty(), "defaults should be beyond doubt: " + doubt);
  std::vector<std::string> names;
  for (const auto& p : card.parameters) {
    names.push_back(p.name);
    found.holds(!p.meaning.empty(), fmt::format("the parameter {} has no meaning", p.name));
    found.holds(allows(p.allowed, model.get(p.name).front()),
                fmt::format("the default of {} is not allowed", p.name));
  }
  std::sort(names.begin(), names.end());
  found.holds(std::adjacent_find(names.begin(), names.end()) == names.end(),
              "a name stands twice on the card");
  found.equal(static_cast<double>(model.state_names().size()), model.states(),
              {"states on the card"});
  found.holds(((card.claims & bounded) != 0) == model.has_bound(),
              "a bound is a claim: both 'bounded' and the bound must be there, or none");
}

// ---- which law binds whom -----------------------------------------------------------------------

// Bodies that cannot overlap have no force that follows from their gap.
bool is_rigid(const any_model& model) {
  double state[any_model::max_states] = {};
  return &model.at() == &ports::press && model.has_react() &&
         model.react(state, 1, 1).softness == 0;
}

// Models with rates that make the claim and have what the law asks for.
law bound(const char* name, unsigned claim, bool (*has)(const any_model&),
          void (*check)(const subject&, dice&, verdict&)) {
  return {name, claim,
          [claim, has](const subject& about) {
            const any_model model = about.model();
            const bool claims = claim == 0 || (model.describe().claims & claim) != 0;
            const bool has_rates = model.functions().in_double.is_ode() && !is_rigid(model);
            return has_rates && claims && has(model);
          },
          check};
}

std::vector<law> all_laws() {
  const auto everyone = [](const any_model&) { return true; };
  const auto one_direction_more = [](const any_model& m) { return !m.at().is_line(); };
  return {
      bound("OddSymmetry", odd, everyone, odd_symmetry),
      bound("CreatesNoEnergy", passive, everyone, creates_no_energy),
      bound("StaysWithinItsBounds", bounded, everyone, stays_within_its_bounds),
      bound("NeverPulls", never_pulls, everyone, never_pulls_at_all),
      bound(
          "SpeedDoesNotMatter", rate_independent,
          [](const any_model& m) { return m.states() == 0 && m.at().has_units(); },
          speed_does_not_matter),
      bound("ForceIsContinuous", continuous, everyone, force_is_continuous),
      bound("HoldsWithoutDrift", no_drift, one_direction_more, holds_without_drift),
      bound("UnitsAreThoseOfTheCard", 0, everyone, units_are_those_of_the_card),
      bound(
          "DerivativesAreRight", 0,
          [](const any_model& m) { return m.functions().in_dual.is_ode(); }, derivatives_are_right),
      bound(
          "FloatAgrees", 0, [](const any_model& m) { return m.functions().in_float.is_ode(); },
          float_agrees),
      bound(
          "StepIsBackwardEuler", 0, [](const any_model& m) { return m.has_step(); },
          step_is_backward_euler),
      bound("TakesAnyBits", 0, one_direction_more, takes_any_bits),
      bound("CardAndPageAreComplete", 0, one_direction_more, card_and_page_are_complete),
  };
}

}  // namespace

std::span<const law> port_laws() {
  static const std::vector<law> laws = all_laws();
  return laws;
}

}  // namespace asperity::laws
