// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/multiplay_map.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <cmath>
#include <numeric>

namespace asperity {

namespace {

void check(const branch& b, const char* name) {
  if (b.u.size() != b.y.size() || b.u.size() < 2)
    throw error(
        fmt::format("the {} branch has {} inputs and {} outputs: it needs at least two of each, "
                    "and equal numbers",
                    name, b.u.size(), b.y.size()));
  for (std::size_t i = 0; i < b.u.size(); ++i) {
    if (!std::isfinite(b.u[i]) || !std::isfinite(b.y[i]))
      throw error(fmt::format("point {} of the {} branch is not finite", i + 1, name));
    if (i > 0 && !(b.u[i] > b.u[i - 1]))
      throw error(fmt::format("point {} of the {} branch: u = {:g} must be above {:g}", i + 1, name,
                              b.u[i], b.u[i - 1]));
  }
}

double at(const branch& b, double u) {
  if (u <= b.u.front()) return b.y.front();
  if (u >= b.u.back()) return b.y.back();
  const auto above = std::upper_bound(b.u.begin(), b.u.end(), u);
  const auto i = static_cast<std::size_t>(above - b.u.begin());
  return b.y[i - 1] + (b.y[i] - b.y[i - 1]) * (u - b.u[i - 1]) / (b.u[i] - b.u[i - 1]);
}

}  // namespace

play_elements elements_from_map(const branch& rising) {
  check(rising, "rising");
  const std::size_t segments = rising.u.size() - 1;
  play_elements result;
  result.u_centre = (rising.u.front() + rising.u.back()) / 2;
  result.y_centre = (rising.y.front() + rising.y.back()) / 2;
  const auto slope = [&](std::size_t i) {
    return i < segments ? (rising.y[i + 1] - rising.y[i]) / (rising.u[i + 1] - rising.u[i]) : 0.0;
  };
  for (std::size_t i = 0; i < segments; ++i) {
    const double k = slope(i) - slope(i + 1);
    if (k == 0) continue;
    result.k.push_back(k);
    result.Delta.push_back((rising.u[i + 1] - rising.u.front()) / 2);
  }
  return result;
}

branch map_from_elements(const play_elements& elements, double u_min, double u_max) {
  if (elements.k.size() != elements.Delta.size())
    throw error(
        fmt::format("there are {} stiffnesses and {} widths, but their numbers must be equal",
                    elements.k.size(), elements.Delta.size()));
  if (!(u_min < u_max))
    throw error(
        fmt::format("the input must not be constant: it goes from {:g} to {:g}", u_min, u_max));
  std::vector<std::size_t> order(elements.k.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return elements.Delta[a] < elements.Delta[b];
  });
  const double half = (u_max - u_min) / 2;
  double slope = 0, y = elements.y_centre;
  for (const std::size_t i : order) {
    slope += elements.k[i];
    y -= elements.k[i] * std::min(elements.Delta[i], half);  // at u_min
  }
  branch result{{u_min}, {y}};
  const double end = u_max - 1e-12 * half;  // what slides from here on does so at the end
  for (const std::size_t i : order) {
    const double u = u_min + 2 * elements.Delta[i];
    if (end - u > 0) {
      const double way = u - result.u.back();
      y += slope * way;
      if (way > 0) {
        result.u.push_back(u);
        result.y.push_back(y);
      }
    }
    if (end - u > 0) slope -= elements.k[i];
  }
  if (result.u.back() < u_max) {
    result.y.push_back(y + slope * (u_max - result.u.back()));
    result.u.push_back(u_max);
  }
  return result;
}

double distance_from_symmetry(const branch& rising, const branch& falling) {
  check(rising, "rising");
  check(falling, "falling");
  const double u_centre = (rising.u.front() + rising.u.back()) / 2;
  const double y_centre = (rising.y.front() + rising.y.back()) / 2;
  double low = unbounded, high = -unbounded, farthest = 0;
  for (const branch* each : {&rising, &falling})
    for (const double y : each->y) {
      low = std::min(low, y);
      high = std::max(high, y);
    }
  // At the points of either branch.
  for (const double u : falling.u)
    farthest = std::max(farthest,
                        std::abs(at(falling, u) - (2 * y_centre - at(rising, 2 * u_centre - u))));
  for (const double u : rising.u)
    farthest = std::max(farthest,
                        std::abs(at(rising, u) - (2 * y_centre - at(falling, 2 * u_centre - u))));
  return high > low ? farthest / (high - low) : 0;
}

inverse_map inverse_elements(const branch& rising) {
  check(rising, "rising");
  inverse_map result;
  branch turned{{rising.y.front()}, {rising.u.front()}};
  const double size = std::abs(rising.y.back() - rising.y.front());
  for (std::size_t i = 1; i < rising.u.size(); ++i) {
    const double rise = rising.y[i] - rising.y[i - 1], way = rising.u[i] - rising.u[i - 1];
    if (rise < -1e-12 * size)
      throw error(fmt::format("no inverse: the slope from u = {:g} to {:g} is {:g}, below 0",
                              rising.u[i - 1], rising.u[i], rise / way));
    if (rise <= 1e-12 * size) {
      result.lost += way;
      continue;
    }
    turned.u.push_back(turned.u.back() + rise);
    turned.y.push_back(turned.y.back() + way);
  }
  if (turned.u.size() < 2) throw error("no inverse: the output does not change at all");
  result.elements = elements_from_map(turned);
  return result;
}

std::vector<double> dynamic_inverse(const multiplay<double>& model,
                                    const std::vector<double>& times, const std::vector<double>& y,
                                    vec<double, multiplay<double>::states> state) {
  using states = vec<double, multiplay<double>::states>;
  const int n = model.elements;
  double stiffness = 0, size = 0, largest = 0;
  for (int i = 0; i < n; ++i) {
    stiffness += model.k[i];
    size += std::abs(model.k[i]);
  }
  if (std::abs(stiffness) <= 1e-12 * size) throw error("no inverse: the sum of k is 0");
  if (times.size() != y.size())
    throw error(fmt::format("there are {} times and {} outputs, but their numbers must be equal",
                            times.size(), y.size()));
  const auto input = [&](const states& at, double output) {
    double sum = output;
    for (int i = 0; i < n; ++i) sum += model.k[i] * at[i];
    return sum / stiffness;
  };
  const auto rate = [&](const states& at, double output) {
    return model(at, {input(at, output), 0.0, 1.0}).rate;
  };
  const auto shifted = [&](const states& at, double c, const states& by) {
    states result = at;
    for (int i = 0; i < 2 * n; ++i) result[i] += c * by[i];
    return result;
  };
  // One step from time t of the line through (t0, y0) with the slope given.
  const auto step = [&](const states& from, double output, double slope, double h) {
    const states k1 = rate(from, output),
                 k2 = rate(shifted(from, h / 2, k1), output + slope * h / 2),
                 k3 = rate(shifted(from, h / 2, k2), output + slope * h / 2),
                 k4 = rate(shifted(from, h, k3), output + slope * h);
    states end = from;
    for (int i = 0; i < 2 * n; ++i) end[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
    return end;
  };
  std::vector<double> u;
  u.reserve(y.size());
  double h = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    u.push_back(input(state, y[k]));
    largest = std::max(largest, std::abs(u.back()));
    if (k + 1 == y.size() || !std::isfinite(u.back())) continue;
    const double whole = times[k + 1] - times[k], slope = (y[k + 1] - y[k]) / whole;
    if (!(whole > 0))
      throw error(fmt::format("t = {:g} s must be above the time before", times[k + 1]));
    const double shortest = 1e-9 * whole;
    if (h == 0) h = 0.01 * whole;
    for (double done = 0; done < whole;) {
      const bool is_last = done + h >= whole - shortest;
      const double now = is_last ? whole - done : h, output = y[k] + slope * done;
      const states once = step(state, output, slope, now);
      const states half = step(state, output, slope, now / 2);
      const states twice = step(half, output + slope * now / 2, slope, now / 2);
      // Velocities count by the way they lead in a step.
      double error = 0;
      for (int i = 0; i < n; ++i)
        error = std::max(
            {error, std::abs(once[i] - twice[i]), now * std::abs(once[n + i] - twice[n + i])});
      const double allowed =
          1e-10 * std::max(largest, std::abs(input(twice, output + slope * now)));
      const bool is_good = error <= allowed || now <= shortest || !std::isfinite(error);
      const double change = error > 0 ? 0.9 * std::pow(allowed / error, 0.2) : 4.0;
      const double next = now * std::clamp(std::isfinite(change) ? change : 0.2, 0.2, 4.0);
      h = is_last && is_good ? std::max(h, next) : next;
      if (!is_good) continue;
      state = twice;
      done = is_last ? whole : done + now;
    }
  }
  return u;
}

}  // namespace asperity
