// SPDX-License-Identifier: Apache-2.0
#include <asperity/hysteresis/loops.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <cmath>

namespace asperity {

double guess_noise(const std::vector<double>& u) {
  // Second differences of noise are large and change sign from row to row; those of a smooth record
  // do not. The median of their size is robust against jumps.
  std::vector<double> sizes;
  std::size_t alternating = 0;
  double before = 0;
  for (std::size_t i = 1; i + 1 < u.size(); ++i) {
    const double second = u[i + 1] - 2 * u[i] + u[i - 1];
    sizes.push_back(std::abs(second));
    if (second * before < 0) ++alternating;
    before = second;
  }
  if (sizes.size() < 8) return 0;
  // Of independent noise two in three alternate; of smooth records hardly any.
  if (static_cast<double>(alternating) < 0.5 * static_cast<double>(sizes.size())) return 0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  // For Gaussian noise of deviation s second differences have sqrt(6) s, their median 0.6745 of it;
  // 8 s holds nearly all of it, peak to peak.
  return 8 * *middle / (0.6745 * std::sqrt(6.0));
}

std::vector<reversal> find_reversals(const std::vector<double>& u, const std::vector<double>& y,
                                     double noise) {
  std::vector<reversal> found;
  if (u.empty()) return found;
  std::size_t lowest = 0, highest = 0;
  int direction = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    if (u[i] < u[lowest]) lowest = i;
    if (u[i] > u[highest]) highest = i;
    const bool fell = direction >= 0 && u[highest] - u[i] > noise;
    const bool rose = direction <= 0 && u[i] - u[lowest] > noise;
    if (fell) {
      if (direction > 0) found.push_back({highest, u[highest], y[highest], true});
      direction = -1;
      lowest = i;
    } else if (rose) {
      if (direction < 0) found.push_back({lowest, u[lowest], y[lowest], false});
      direction = 1;
      highest = i;
    }
    // While it is not known which way the record runs, both ends are kept from the first row on.
    if (direction > 0) lowest = i;
    if (direction < 0) highest = i;
    if (direction > 0 && u[i] > u[highest]) highest = i;
    if (direction < 0 && u[i] < u[lowest]) lowest = i;
  }
  return found;
}

double signed_area(const std::vector<double>& u, const std::vector<double>& y, std::size_t first,
                   std::size_t last) {
  double area = 0;
  for (std::size_t i = first; i < last; ++i) area += (y[i] + y[i + 1]) / 2 * (u[i + 1] - u[i]);
  return area + (y[last] + y[first]) / 2 * (u[first] - u[last]);
}

std::vector<crossing> self_crossings(const std::vector<double>& u, const std::vector<double>& y,
                                     std::size_t first, std::size_t last) {
  std::vector<crossing> found;
  if (last < first + 3) return found;
  const auto [u_low, u_high] = std::minmax_element(u.begin() + static_cast<std::ptrdiff_t>(first),
                                                   u.begin() + static_cast<std::ptrdiff_t>(last));
  const auto [y_low, y_high] = std::minmax_element(y.begin() + static_cast<std::ptrdiff_t>(first),
                                                   y.begin() + static_cast<std::ptrdiff_t>(last));
  const double u_size = std::max(*u_high - *u_low, 1e-300),
               y_size = std::max(*y_high - *y_low, 1e-300);
  const auto cross = [](double ax, double ay, double bx, double by) { return ax * by - ay * bx; };
  for (std::size_t i = first; i + 1 <= last; ++i) {
    const double ax = u[i], ay = y[i], bx = u[i + 1] - ax, by = y[i + 1] - ay;
    const double low = std::min(ax, ax + bx), high = std::max(ax, ax + bx);
    for (std::size_t k = i + 2; k + 1 <= last; ++k) {
      if (std::max(u[k], u[k + 1]) < low || std::min(u[k], u[k + 1]) > high) continue;
      const double cx = u[k] - ax, cy = y[k] - ay, dx = u[k + 1] - u[k], dy = y[k + 1] - y[k];
      const double parallel = cross(bx, by, dx, dy);
      if (std::abs(parallel) < 1e-14 * u_size * y_size * 1e-6) continue;
      const double s = cross(cx, cy, dx, dy) / parallel, t = cross(cx, cy, bx, by) / parallel;
      // Half open, so that a crossing at a row is found once.
      if (!(s >= 0 && s < 1 && t >= 0 && t < 1)) continue;
      if (k + 1 == last && i == first && t > 1 - 1e-9) continue;  // where the loop closes
      const crossing here{ax + s * bx, ay + s * by};
      // Where the curve begins or ends it closes, it does not cross.
      const auto is_near = [&](double pu, double py) {
        return std::abs(here.u - pu) < 1e-3 * u_size && std::abs(here.y - py) < 1e-3 * y_size;
      };
      if (is_near(u[first], y[first]) && is_near(u[last], y[last]) && i < first + 2 && k + 3 > last)
        continue;
      const bool known = std::any_of(found.begin(), found.end(),
                                     [&](const crossing& c) { return is_near(c.u, c.y); });
      if (!known) found.push_back(here);
    }
  }
  return found;
}

loop_analysis analyse_loops(const std::vector<double>& u, const std::vector<double>& y,
                            const loop_options& options) {
  if (u.size() != y.size())
    throw error(fmt::format("{} inputs and {} outputs must be as many", u.size(), y.size()));
  if (u.size() < 3) throw error(fmt::format("{} rows are too few for a loop", u.size()));
  loop_analysis result;
  result.noise = options.noise < 0 ? guess_noise(u) : options.noise;
  result.reversals = find_reversals(u, y, result.noise);
  const auto [u_low, u_high] = std::minmax_element(u.begin(), u.end());
  const auto [y_low, y_high] = std::minmax_element(y.begin(), y.end());
  result.u_low = *u_low;
  result.u_high = *u_high;
  result.y_low = *y_low;
  result.y_high = *y_high;
  for (std::size_t i = 0; i + 1 < u.size(); ++i)
    result.work += (y[i] + y[i + 1]) / 2 * (u[i + 1] - u[i]);

  // The turning points that are still open; the record itself begins and ends as one.
  struct point {
    std::size_t row;
    double u;
  };
  std::vector<point> turns{{0, u.front()}};
  for (const auto& r : result.reversals) turns.push_back({r.row, r.u});
  turns.push_back({u.size() - 1, u.back()});

  // Rows from the branch that begins at `turn` in which the input comes back to `level`.
  const auto row_at = [&](std::size_t from, std::size_t to, double level) {
    const bool rises = u[to] > u[from];
    for (std::size_t i = from; i < to; ++i)
      if (rises ? u[i + 1] >= level : u[i + 1] <= level) return i + 1;
    return to;
  };
  std::vector<point> open;
  for (const point& here : turns) {
    // The branch from the last open turn to here closes every excursion it passes.
    while (open.size() >= 2) {
      const point inner = open[open.size() - 1], outer = open[open.size() - 2];
      // Coming back short of the beginning by no more than the noise counts as closed.
      if (std::abs(here.u - inner.u) + result.noise < std::abs(inner.u - outer.u)) break;
      if (outer.row == 0) {  // where the record begins is no turn
        open.erase(open.begin());
        break;
      }
      loop closed;
      closed.first = outer.row;
      closed.last = row_at(inner.row, here.row, outer.u);
      closed.u_low = std::min(inner.u, outer.u);
      closed.u_high = std::max(inner.u, outer.u);
      closed.area = signed_area(u, y, closed.first, closed.last);
      closed.gap = y[closed.last] - y[closed.first];
      closed.crossings_known = closed.last - closed.first <= options.rows_for_crossings;
      if (closed.crossings_known)
        closed.crossings = self_crossings(u, y, closed.first, closed.last);
      result.loops.push_back(std::move(closed));
      open.resize(open.size() - 2);
    }
    open.push_back(here);
  }
  // A loop inside another that closes later is minor; one that nothing encloses is not.
  for (auto& inner : result.loops) {
    inner.is_minor = std::any_of(result.loops.begin(), result.loops.end(), [&](const loop& outer) {
      return &outer != &inner && outer.first <= inner.first && inner.last <= outer.last &&
             outer.last - outer.first > inner.last - inner.first;
    });
  }
  for (const auto& each : result.loops)
    if (!each.is_minor) result.area += each.area;
  return result;
}

}  // namespace asperity
