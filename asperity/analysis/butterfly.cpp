// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/butterfly.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <cmath>

namespace asperity {

namespace {

double span_of(const std::vector<double>& a, const std::vector<double>& b) {
  const auto [a_low, a_high] = std::minmax_element(a.begin(), a.end());
  const auto [b_low, b_high] = std::minmax_element(b.begin(), b.end());
  return std::max(*a_high, *b_high) - std::min(*a_low, *b_low);
}

double interpolate(const std::vector<double>& x, const std::vector<double>& y, double at) {
  if (at <= x.front()) return y.front();
  if (at >= x.back()) return y.back();
  const auto i = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), at) - x.begin());
  return y[i - 1] + (y[i] - y[i - 1]) * (at - x[i - 1]) / (x[i] - x[i - 1]);
}

// Samples [first, last], cyclic, as y over rising x.
void branch_of(const std::vector<double>& x, const std::vector<double>& y, std::size_t first,
               std::size_t last, std::vector<double>& u, std::vector<double>& v) {
  const std::size_t n = x.size();
  for (std::size_t i = first;; i = (i + 1) % n) {
    u.push_back(x[i]);
    v.push_back(y[i]);
    if (i == last) break;
  }
  if (u.front() > u.back()) {
    std::reverse(u.begin(), u.end());
    std::reverse(v.begin(), v.end());
  }
}

}  // namespace

lens lens_of(const std::vector<double>& x, const std::vector<double>& y, int points) {
  if (x.size() != y.size() || x.size() < 8)
    throw error(fmt::format("a loop has {} and {} samples: at least 8 of each are needed", x.size(),
                            y.size()));
  const auto low = static_cast<std::size_t>(std::min_element(x.begin(), x.end()) - x.begin());
  const auto high = static_cast<std::size_t>(std::max_element(x.begin(), x.end()) - x.begin());
  if (!(x[low] < x[high])) throw error("a loop needs an extent along its input");
  std::vector<double> up_u, up_v, down_u, down_v;
  branch_of(x, y, low, high, up_u, up_v);
  branch_of(x, y, high, low, down_u, down_v);
  const double size = x[high] - x[low];
  for (const auto* each : {&up_u, &down_u})
    for (std::size_t i = 1; i < each->size(); ++i)
      if ((*each)[i] < (*each)[i - 1] - 1e-9 * size)
        throw error("the input of the loop turns more than twice: give one cycle");
  lens result;
  for (int i = 0; i < points; ++i) {
    const double at = x[low] + size * i / (points - 1);
    const double a = interpolate(up_u, up_v, at), b = interpolate(down_u, down_v, at);
    result.x.push_back(at);
    result.lower.push_back(std::min(a, b));
    result.upper.push_back(std::max(a, b));
  }
  return result;
}

unimodal unimodal::quadratic(double a, double b) {
  const auto root = [a, b](double q) { return std::sqrt(std::max(0.0, (q - b) / a)); };
  return {[a, b](double y) { return a * y * y + b; }, [root](double q) { return -root(q); },
          [root](double q) { return root(q); }, 0, a > 0};
}

unimodal unimodal::lines(double y_c, double q_c, double left_slope, double right_slope) {
  if (!(left_slope * right_slope < 0))
    throw error(
        fmt::format("slopes {:g} and {:g} must have different signs", left_slope, right_slope));
  return {[=](double y) { return q_c + (y < y_c ? left_slope : right_slope) * (y - y_c); },
          [=](double q) { return std::min(y_c, y_c + (q - q_c) / left_slope); },
          [=](double q) { return std::max(y_c, y_c + (q - q_c) / right_slope); }, y_c,
          right_slope > 0};
}

const char* to_string(loop_kind kind) {
  switch (kind) {
    case loop_kind::degenerate:
      return "degenerate";
    case loop_kind::simple:
      return "simple";
    case loop_kind::same_orientation:
      return "loops of the same orientation";
    case loop_kind::butterfly:
      return "butterfly";
    case loop_kind::multibutterfly:
      return "multibutterfly";
  }
  return "";
}

mapped_loop apply(const unimodal& map, const lens& curve, double tolerance) {
  mapped_loop result;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    result.q_min.push_back(map.f(curve.lower[i]));
    result.q_max.push_back(map.f(curve.upper[i]));
  }
  const double limit = tolerance * span_of(result.q_min, result.q_max);
  int before = 0, touched = 0;
  std::size_t last = 0;
  bool touches = false, any = false;
  // The ends of x, where the branches meet, are no touching.
  for (std::size_t i = 1; i + 1 < curve.x.size(); ++i) {
    const double d = result.q_min[i] - result.q_max[i];
    const int sign = std::abs(d) <= limit ? 0 : d > 0 ? 1 : -1;
    if (sign == 0) {
      if (any) ++touched;
      continue;
    }
    if (any && sign != before) {
      const double d_last = result.q_min[last] - result.q_max[last];
      result.crossings.push_back(curve.x[last] +
                                 (curve.x[i] - curve.x[last]) * d_last / (d_last - d));
    } else if (any && touched > 0) {
      touches = true;
      result.crossings.push_back((curve.x[last] + curve.x[i]) / 2);
    }
    touched = 0;
    any = true;
    before = sign;
    last = i;
  }
  if (!any) {
    result.kind = loop_kind::degenerate;
  } else if (touches) {
    result.kind = loop_kind::same_orientation;
  } else if (result.crossings.empty()) {
    result.kind = loop_kind::simple;
  } else {
    result.kind = result.crossings.size() == 1 ? loop_kind::butterfly : loop_kind::multibutterfly;
  }
  return result;
}

double left_right_asymmetry(const lens& c) {
  const std::size_t n = c.x.size();
  double farthest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double mirrored = c.x.front() + c.x.back() - c.x[i];
    farthest = std::max({farthest, std::abs(c.lower[i] - interpolate(c.x, c.lower, mirrored)),
                         std::abs(c.upper[i] - interpolate(c.x, c.upper, mirrored))});
  }
  return farthest / span_of(c.lower, c.upper);
}

double up_down_asymmetry(const lens& c) {
  const double low = *std::min_element(c.lower.begin(), c.lower.end());
  const double high = *std::max_element(c.upper.begin(), c.upper.end());
  double farthest = 0;
  for (std::size_t i = 0; i < c.x.size(); ++i)
    farthest = std::max(farthest, std::abs(c.lower[i] + c.upper[i] - low - high));
  return farthest / (high - low);
}

bool has_unique_ends(const lens& c, double tolerance) {
  const double size = span_of(c.lower, c.upper);
  return c.upper.front() - c.lower.front() <= tolerance * size &&
         c.upper.back() - c.lower.back() <= tolerance * size;
}

int monotone_direction(const lens& c) {
  if (!has_unique_ends(c)) return 0;
  bool rises = true, falls = true;
  for (std::size_t i = 1; i < c.x.size(); ++i)
    for (const auto* each : {&c.lower, &c.upper}) {
      rises = rises && (*each)[i] > (*each)[i - 1];
      falls = falls && (*each)[i] < (*each)[i - 1];
    }
  return rises ? 1 : falls ? -1 : 0;
}

std::string why_no_butterfly(const lens& c, double tolerance) {
  if (left_right_asymmetry(c) <= tolerance) return "it is left-right symmetric (Prop. 5.3.1)";
  if (up_down_asymmetry(c) <= tolerance && has_unique_ends(c))
    return "it is up-down symmetric with one point at either end (Prop. 5.3.2)";
  return "";
}

bool must_be_butterfly(const unimodal& map, const lens& c) {
  const double low = *std::min_element(c.lower.begin(), c.lower.end());
  const double high = *std::max_element(c.upper.begin(), c.upper.end());
  return monotone_direction(c) != 0 && low < map.y_c && map.y_c < high;
}

std::vector<double> equal_extrema(const unimodal& map, const lens& c) {
  std::vector<double> found;
  for (const auto* each : {&c.lower, &c.upper})
    for (std::size_t i = 1; i < c.x.size(); ++i) {
      const double a = (*each)[i - 1] - map.y_c, b = (*each)[i] - map.y_c;
      if ((a < 0) == (b < 0)) continue;
      found.push_back(c.x[i - 1] + (c.x[i] - c.x[i - 1]) * a / (a - b));
    }
  std::sort(found.begin(), found.end());
  return found;
}

unfolded unfold(const butterfly& b, const unimodal& on_rising, const unimodal& on_falling,
                bool rises) {
  if (on_rising.is_valley != on_falling.is_valley)
    throw error("both branches need a map of the same kind, valley or hill");
  if (b.x.size() < 3 || b.rising.size() != b.x.size() || b.falling.size() != b.x.size())
    throw error(fmt::format(
        "a butterfly has {}, {} and {} points: it needs at least 3, and as many of each",
        b.x.size(), b.rising.size(), b.falling.size()));
  unfolded result;
  const bool valley = on_rising.is_valley;
  const auto extremum = [&](const std::vector<double>& q) {
    return static_cast<std::size_t>(
        (valley ? std::min_element(q.begin(), q.end()) : std::max_element(q.begin(), q.end())) -
        q.begin());
  };
  const auto unfold_branch = [&](const std::vector<double>& q, const unimodal& map) {
    const std::size_t middle = extremum(q);
    std::vector<double> y;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const bool before = i < middle;
      y.push_back(before == rises ? map.left(q[i]) : map.right(q[i]));
    }
    return y;
  };
  result.rising = unfold_branch(b.rising, on_rising);
  result.falling = unfold_branch(b.falling, on_falling);
  const std::size_t i = extremum(b.rising), k = extremum(b.falling);
  result.jump = std::max(std::abs(b.rising[i] - on_rising.f(on_rising.y_c)),
                         std::abs(b.falling[k] - on_falling.f(on_falling.y_c)));
  return result;
}

}  // namespace asperity
