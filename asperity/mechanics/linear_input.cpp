// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/integrate/exact_flow.hpp>
#include <asperity/mechanics/linear_input.hpp>
#include <asperity/scalar/math.hpp>
#include <cmath>
#include <numbers>

namespace asperity {

namespace {

// What is not linear about a signal; empty where all of it is.
std::string reason(const signal& s) {
  switch (s.made_of()) {
    case signal::kind::constant:
    case signal::kind::ramp:
    case signal::kind::sines:
      return "";
    case signal::kind::nodes:
      return s.join() == signal::joint::cubic    ? "nodes joined by cubics"
             : s.join() == signal::joint::spline ? "nodes joined by a spline"
                                                 : "";
    case signal::kind::pieces:
      for (const auto& each : s.list())
        if (std::string why = reason(each.shape); !why.empty()) return why;
      return "";
    case signal::kind::other:
      return "a wave of another form, such as a chirp or noise";
  }
  return "";
}

bool jumps_only(const signal& s) {
  switch (s.made_of()) {
    case signal::kind::constant:
      return true;
    case signal::kind::nodes:
      return s.join() == signal::joint::hold || s.node_times().size() == 1;
    case signal::kind::pieces:
      return std::all_of(s.list().begin(), s.list().end(),
                         [](const auto& each) { return jumps_only(each.shape); });
    default:
      return false;
  }
}

// A signal between two of its breakpoints.
struct stretch {
  double offset = 0, slope = 0;  // at its begin
  std::vector<linear_mass::tone> tones = {};
};

// The stretch that holds from `from` until the next breakpoint.
stretch stretch_from(const signal& s, double from) {
  switch (s.made_of()) {
    case signal::kind::sines: {
      stretch result{s.offset()};
      for (const auto& each : s.tones()) {
        if (each.omega == 0) {
          result.offset += each.amplitude * std::sin(each.phase);
        } else if (each.amplitude != 0) {
          result.tones.push_back({each.amplitude, each.omega, each.phase});
        }
      }
      return result;
    }
    case signal::kind::nodes: {
      const auto &times = s.node_times(), &values = s.node_values();
      const auto after = std::upper_bound(times.begin(), times.end(), from);
      if (s.join() != signal::joint::half_cosine || after == times.begin() || after == times.end())
        return {s.value(from), s.slope(from)};
      const auto i = static_cast<std::size_t>(after - times.begin());
      const double half = 0.5 * (values[i] - values[i - 1]);
      const double omega = std::numbers::pi / (times[i] - times[i - 1]);
      return {
          values[i - 1] + half, 0, {{-half, omega, std::numbers::pi / 2 - omega * times[i - 1]}}};
    }
    case signal::kind::pieces:
      for (const auto& each : s.list())
        if (&each == &s.list().back() || from < each.until) return stretch_from(each.shape, from);
      return {};
    default:
      return {s.value(from), s.slope(from)};
  }
}

std::size_t tones_at_once(const signal& s) {
  std::size_t most = s.made_of() == signal::kind::sines   ? s.tones().size()
                     : s.made_of() == signal::kind::nodes ? 1
                                                          : 0;
  for (const auto& each : s.list()) most = std::max(most, tones_at_once(each.shape));
  return most;
}

}  // namespace

std::string why_not_linear(const signal_inputs& in, bool has_load) {
  const struct {
    const char* name;
    const signal& shape;
  } pushes[] = {{"force", in.push}, {"anchor", in.end_of_spring}};
  std::size_t tones = 0;
  for (const auto& [name, shape] : pushes) {
    if (const std::string why = reason(shape); !why.empty())
      return fmt::format(
          "the {} is {}: only constants, ramps, sines and nodes joined by steps, "
          "lines or half cosines have a closed form",
          name, why);
    tones += tones_at_once(shape);
  }
  if (tones > exact_flow<double>::most_tones)
    return fmt::format("its inputs have {} sines at once, but at most {} are possible", tones,
                       exact_flow<double>::most_tones);
  if (has_load && !jumps_only(in.relative_load))
    return "the load, and with it the friction limit, varies otherwise than in steps";
  return "";
}

void set_linear_inputs(const signal_inputs& in, double stiffness, linear_mass& to) {
  std::vector<double> begins{0};
  for (const signal* each : {&in.push, &in.end_of_spring, &in.relative_load}) {
    const auto breaks = each->breakpoints(0, unbounded);
    begins.insert(begins.end(), breaks.begin(), breaks.end());
  }
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  to.pieces.clear();
  to.tones.clear();
  for (const double from : begins) {
    const stretch push = stretch_from(in.push, from), end = stretch_from(in.end_of_spring, from);
    linear_mass::piece piece{.from = from,
                             .offset = push.offset + stiffness * end.offset,
                             .slope = push.slope + stiffness * end.slope,
                             .load = in.load(from),
                             .first_tone = static_cast<int>(to.tones.size())};
    to.tones.insert(to.tones.end(), push.tones.begin(), push.tones.end());
    for (auto tone : end.tones) {
      tone.amplitude *= stiffness;
      to.tones.push_back(tone);
    }
    piece.tones = static_cast<int>(to.tones.size()) - piece.first_tone;
    to.pieces.push_back(piece);
  }
}

}  // namespace asperity
