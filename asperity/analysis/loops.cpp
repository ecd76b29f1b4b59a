// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/loops.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/run/measure.hpp>
#include <cmath>
#include <numeric>
#include <cstdint>
#include <limits>
#include <map>

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

namespace {

// Pieces of a curve that cross: boxes are cut into four until few pieces are left in each, so that
// only neighbours are compared.
class crossing_search {
 public:
  crossing_search(const std::vector<double>& u, const std::vector<double>& y, std::size_t first,
                  std::size_t last)
      : u_(u), y_(y), first_(first), last_(last) {
    const auto at = [](const std::vector<double>& of, std::size_t row) {
      return of.begin() + static_cast<std::ptrdiff_t>(row);
    };
    const auto [u_low, u_high] = std::minmax_element(at(u, first), at(u, last) + 1);
    const auto [y_low, y_high] = std::minmax_element(at(y, first), at(y, last) + 1);
    u_size_ = std::max(*u_high - *u_low, 1e-300);
    y_size_ = std::max(*y_high - *y_low, 1e-300);
    std::vector<std::size_t> pieces;
    for (std::size_t i = first; i < last; ++i)
      if (u[i] != u[i + 1] || y[i] != y[i + 1]) pieces.push_back(i);
    search({*u_low, *u_high, *y_low, *y_high}, pieces, 0);
    std::sort(found_.begin(), found_.end(),
              [](const located& a, const located& b) { return a.along < b.along; });
  }

  std::vector<crossing> result() const {
    std::vector<crossing> places;
    places.reserve(found_.size());
    for (const auto& each : found_) places.push_back(each.place);
    return places;
  }

 private:
  struct box {
    double u_low, u_high, y_low, y_high;
  };
  struct located {
    crossing place;
    double along;  // row of the first piece, and how far along it
  };
  static constexpr std::size_t few = 8;
  static constexpr int deepest = 24;
  static constexpr double same = 1e-3;  // of the box around the curve: one crossing

  static double cross(double ax, double ay, double bx, double by) { return ax * by - ay * bx; }

  bool touches(std::size_t i, const box& b) const {
    if (std::max(u_[i], u_[i + 1]) < b.u_low || std::min(u_[i], u_[i + 1]) > b.u_high ||
        std::max(y_[i], y_[i + 1]) < b.y_low || std::min(y_[i], y_[i + 1]) > b.y_high)
      return false;
    // All corners on one side of the line: beside it.
    const double du = u_[i + 1] - u_[i], dy = y_[i + 1] - y_[i];
    int above = 0, below = 0;
    for (const double u : {b.u_low, b.u_high})
      for (const double y : {b.y_low, b.y_high}) {
        const double side = cross(du, dy, u - u_[i], y - y_[i]);
        above += side > 0 ? 1 : 0;
        below += side < 0 ? 1 : 0;
      }
    return above < 4 && below < 4;
  }

  void search(const box& b, const std::vector<std::size_t>& pieces, int depth) {
    const double u_half = (b.u_low + b.u_high) / 2, y_half = (b.y_low + b.y_high) / 2;
    if (pieces.size() > few && depth < deepest) {
      std::array<std::vector<std::size_t>, 4> quarters;
      const std::array<box, 4> boxes{
          box{b.u_low, u_half, b.y_low, y_half}, box{u_half, b.u_high, b.y_low, y_half},
          box{b.u_low, u_half, y_half, b.y_high}, box{u_half, b.u_high, y_half, b.y_high}};
      std::size_t most = 0;
      for (std::size_t q = 0; q < 4; ++q) {
        for (const std::size_t i : pieces)
          if (touches(i, boxes[q])) quarters[q].push_back(i);
        most = std::max(most, quarters[q].size());
      }
      // Where they all meet in a point, cutting does not help.
      if (most < pieces.size()) {
        for (std::size_t q = 0; q < 4; ++q) search(boxes[q], quarters[q], depth + 1);
        return;
      }
    }
    for (std::size_t a = 0; a < pieces.size(); ++a)
      for (std::size_t c = a + 1; c < pieces.size(); ++c) compare(pieces[a], pieces[c]);
  }

  void compare(std::size_t i, std::size_t k) {
    if (k < i + 2) return;
    const double ax = u_[i], ay = y_[i], bx = u_[i + 1] - ax, by = y_[i + 1] - ay;
    const double cx = u_[k] - ax, cy = y_[k] - ay, dx = u_[k + 1] - u_[k], dy = y_[k + 1] - y_[k];
    const double parallel = cross(bx, by, dx, dy);
    if (std::abs(parallel) < 1e-20 * u_size_ * y_size_) return;
    const double s = cross(cx, cy, dx, dy) / parallel, t = cross(cx, cy, bx, by) / parallel;
    // Half open, so that a crossing at a row is found once.
    if (!(s >= 0 && s < 1 && t >= 0 && t < 1)) return;
    const crossing here{ax + s * bx, ay + s * by};
    // Where the curve begins or ends it closes, it does not cross.
    if (is_near(here, {u_[first_], y_[first_]}) && is_near(here, {u_[last_], y_[last_]}) &&
        i < first_ + 2 && k + 3 > last_)
      return;
    // Places are kept by cells of the size that counts as one.
    const auto cell_of = [](double way, double size) {
      return static_cast<std::int64_t>(std::floor(way / (same * size)));
    };
    const std::int64_t column = cell_of(here.u - u_[first_], u_size_),
                       row = cell_of(here.y - y_[first_], y_size_);
    for (std::int64_t du = -1; du <= 1; ++du)
      for (std::int64_t dy_cell = -1; dy_cell <= 1; ++dy_cell) {
        const auto cell = cells_.find({column + du, row + dy_cell});
        if (cell != cells_.end() && is_near(here, found_[cell->second].place)) return;
      }
    cells_[{column, row}] = found_.size();
    found_.push_back({here, static_cast<double>(i) + s});
  }

  bool is_near(const crossing& a, const crossing& b) const {
    return std::abs(a.u - b.u) < same * u_size_ && std::abs(a.y - b.y) < same * y_size_;
  }

  const std::vector<double>&u_, &y_;
  std::size_t first_, last_;
  double u_size_ = 1, y_size_ = 1;
  std::vector<located> found_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> cells_;
};

}  // namespace

std::vector<crossing> self_crossings(const std::vector<double>& u, const std::vector<double>& y,
                                     std::size_t first, std::size_t last) {
  if (last < first + 3) return {};
  return crossing_search(u, y, first, last).result();
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
      if (options.find_crossings)
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
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(loops[a].area) > std::abs(loops[b].area);
  });
  if (order.size() > most) order.resize(most);
  return order;
}

}  // namespace asperity
