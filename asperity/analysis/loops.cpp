// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/loops.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/run/measure.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace asperity {

namespace {

// The count of a record in whole counts of an encoder or digits of a text; 0 where it is none, and
// where its rows are hardly more than a count apart, which may be a motion in even steps.
double count_of(const std::vector<double>& u) {
  double least = std::numeric_limits<double>::infinity(), ways = 0;
  std::size_t moves = 0;
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    const double way = std::abs(u[i + 1] - u[i]);
    if (way == 0) continue;
    least = std::min(least, way);
    ways += way;
    ++moves;
  }
  if (moves < 8 || ways < 4 * least * static_cast<double>(moves)) return 0;
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    const double counts = (u[i + 1] - u[i]) / least;
    if (std::abs(counts - std::round(counts)) > 0.01) return 0;
  }
  return least;
}

// What is left in differences of higher and higher order, peak to peak.
double noise_in_differences(const std::vector<double>& u) {
  // Differences of order m make independent noise larger by sqrt(binomial(2m, m)), and anything
  // with more than a few rows to a cycle by less: relative to that factor they fall from order to
  // order until only noise is left, and then stay. The median of their size is robust against
  // jumps.
  constexpr int most_orders = 16;
  constexpr double stays = 0.85;
  const auto [low, high] = std::minmax_element(u.begin(), u.end());
  std::vector<double> differences = u, sizes;
  double growth = 1, before = 0;
  for (int order = 1; order <= most_orders && u.size() >= 8 + static_cast<std::size_t>(order);
       ++order) {
    for (std::size_t i = 0; i + 1 < differences.size(); ++i)
      differences[i] = differences[i + 1] - differences[i];
    differences.pop_back();
    sizes.resize(differences.size());
    std::transform(differences.begin(), differences.end(), sizes.begin(),
                   [](double d) { return std::abs(d); });
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    growth *= 2.0 * (2 * order - 1) / order;
    // The median of Gaussian noise of deviation s is 0.6745 s.
    const double deviation = *middle / (0.6745 * std::sqrt(growth));
    if (deviation <= 1e-12 * (*high - *low)) return 0;  // rounding, or more rests than motion
    // 8 deviations hold nearly all of it, peak to peak.
    if (order > 1 && deviation >= stays * before) return 8 * before;
    before = deviation;
  }
  return 0;
}

}  // namespace

double guess_noise(const std::vector<double>& u) {
  // A count up and a count down is what a resting encoder shows; the rest is rounding.
  return std::max(noise_in_differences(u), 2.001 * count_of(u));
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

loop_analysis analyse_loops(const std::vector<double>& u, const std::vector<double>& y,
                            const loop_options& options) {
  constexpr double equal_strokes = 0.9;  // as wide as this share of another, a stroke is like it
  if (u.size() != y.size())
    throw error(fmt::format("there are {} inputs and {} outputs, but their numbers must be equal",
                            u.size(), y.size()));
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

  // The turning points that are still open; the record itself begins and ends as one. The input turns
  // between its rows: by how much beyond the outermost of them a parabola tells, and strokes that
  // differ by less are equal.
  struct point {
    std::size_t row;
    double u, beyond;
  };
  std::vector<point> turns{{0, u.front(), 0}};
  for (const auto& r : result.reversals) {
    const double before = u[r.row - 1], after = u[r.row + 1], bend = before - 2 * r.u + after;
    const double beyond = bend != 0 ? -(after - before) * (after - before) / (8 * bend) : 0;
    const bool is_smooth = std::abs(beyond) <= std::abs(bend);
    turns.push_back({r.row, r.u, is_smooth ? std::abs(beyond) : 0});
  }
  turns.push_back({u.size() - 1, u.back(), 0});

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
      if (is_set(options.interrupt)) throw interruption();
      const point inner = open[open.size() - 1], outer = open[open.size() - 2];
      // Coming back short of the beginning by no more than the noise counts as closed.
      const double slack = result.noise + here.beyond + outer.beyond;
      if (std::abs(here.u - inner.u) + slack < std::abs(inner.u - outer.u)) break;
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
      if (options.find_crossings)
        closed.crossings = self_crossings(u, y, closed.first, closed.last);
      result.loops.push_back(std::move(closed));
      open.resize(open.size() - 2);
    }
    open.push_back(here);
  }
  // Loops close from the inside out. One beside which the loop around it is hardly wider is a cycle of
  // its own, and not part of that one's area; others are minor, and so is what is inside them.
  const std::size_t none = result.loops.size();
  std::vector<std::size_t> around(none, none), open_ones;
  std::vector<double> whole(none);  // areas with all that is inside
  for (std::size_t i = 0; i < none; ++i) {
    loop& outer = result.loops[i];
    whole[i] = outer.area;
    for (; !open_ones.empty() && result.loops[open_ones.back()].first >= outer.first;
         open_ones.pop_back()) {
      loop& inner = result.loops[open_ones.back()];
      around[open_ones.back()] = i;
      inner.is_minor = inner.u_high - inner.u_low < equal_strokes * (outer.u_high - outer.u_low);
      if (!inner.is_minor) outer.area -= whole[open_ones.back()];
    }
    open_ones.push_back(i);
  }
  for (std::size_t i = none; i-- > 0;)
    if (around[i] != none && result.loops[around[i]].is_minor) result.loops[i].is_minor = true;
  for (const auto& each : result.loops)
    if (!each.is_minor) result.area += each.area;
  return result;
}

std::size_t loop_analysis::majors() const {
  return static_cast<std::size_t>(
      std::count_if(loops.begin(), loops.end(), [](const loop& each) { return !each.is_minor; }));
}

double loop_analysis::area_per_cycle() const {
  return majors() > 0 ? area / static_cast<double>(majors()) : 0;
}

std::vector<std::size_t> loop_analysis::largest(std::size_t most) const {
  std::vector<std::size_t> order(loops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size_of = [&](std::size_t i) { return std::abs(loops[i].area); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size_of(a) > size_of(b); });
  // Where the rows happen to lie makes cycles of one motion differ by less than this: in the order of
  // their beginnings.
  constexpr double equal = 1e-3;
  for (auto first = order.begin(); first != order.end();) {
    const auto smaller = std::find_if(first, order.end(), [&](std::size_t i) {
      return size_of(i) < (1 - equal) * size_of(*first);
    });
    std::stable_sort(first, smaller, [&](std::size_t a, std::size_t b) {
      return std::pair(loops[a].first, loops[a].last) < std::pair(loops[b].first, loops[b].last);
    });
    first = smaller;
  }
  if (order.size() > most) order.resize(most);
  return order;
}

loop_analysis analyse_loops(const std::vector<double>& u, const std::vector<double>& y,
                            const std::vector<record::piece>& pieces, const loop_options& options) {
  if (pieces.size() == 1) return analyse_loops(u, y, options);
  loop_options alike = options;
  if (alike.noise < 0) alike.noise = guess_noise(u);
  loop_analysis all;
  bool is_first = true;
  for (const auto& [first, last] : pieces) {
    if (last - first < 3) continue;
    const auto part = [&, from = first, to = last](const std::vector<double>& of) {
      return std::vector<double>(of.begin() + static_cast<std::ptrdiff_t>(from),
                                 of.begin() + static_cast<std::ptrdiff_t>(to));
    };
    loop_analysis found = analyse_loops(part(u), part(y), alike);
    for (auto& each : found.reversals) each.row += first;
    for (auto& each : found.loops) {
      each.first += first;
      each.last += first;
    }
    if (is_first) {
      all = std::move(found);
      is_first = false;
      continue;
    }
    all.reversals.insert(all.reversals.end(), found.reversals.begin(), found.reversals.end());
    all.loops.insert(all.loops.end(), found.loops.begin(), found.loops.end());
    all.area += found.area;
    all.work += found.work;
    all.u_low = std::min(all.u_low, found.u_low);
    all.u_high = std::max(all.u_high, found.u_high);
    all.y_low = std::min(all.y_low, found.y_low);
    all.y_high = std::max(all.y_high, found.y_high);
  }
  if (is_first) throw error("no piece of the record has the 3 rows that a loop needs");
  return all;
}

}  // namespace asperity
