// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <asperity/run/crossings.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace asperity {

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

}  // namespace asperity
