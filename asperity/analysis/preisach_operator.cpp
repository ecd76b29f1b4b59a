// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/preisach_operator.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/scalar/root.hpp>
#include <cmath>

namespace asperity {

preisach_operator::preisach_operator(double x_low, double x_high, std::vector<double> everett)
    : x_low_(x_low), x_high_(x_high), input_(x_low), everett_(std::move(everett)) {
  n_ = static_cast<int>(std::sqrt(2.0 * static_cast<double>(everett_.size()) + 0.25));
  const auto wanted = static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_ + 1) / 2;
  if (n_ < 1 || everett_.size() != wanted)
    throw error(
        fmt::format("{} values of the Everett function: a mesh of n cells a side has "
                    "n (n + 1)/2",
                    everett_.size()));
  if (!std::isfinite(x_low) || !std::isfinite(x_high) || !(x_low < x_high))
    throw error(
        fmt::format("the mesh must not be empty: it goes from {:g} to {:g}", x_low, x_high));
  for (std::size_t i = 0; i < everett_.size(); ++i)
    if (!std::isfinite(everett_[i]))
      throw error(fmt::format("value {} of the Everett function is {:g}", i + 1, everett_[i]));
}

preisach_operator preisach_operator::with_density(
    double x_low, double x_high, int n, const std::function<double(double a, double b)>& density) {
  if (n < 1 || n > 10000) throw error(fmt::format("{} cells a side: it must be 1 to 10000", n));
  const auto side = static_cast<std::size_t>(n);
  const double h = (x_high - x_low) / n;
  // E_ij from its neighbours: E_(i+1)j = E_ij + E_(i+1)(j+1) - E_i(j+1) + weight of cell (i, j).
  std::vector<double> everett(side * (side + 1) / 2);
  const auto at = [&](int i, int j) -> double {
    return i > j ? everett[static_cast<std::size_t>(detail::everett_index(i, j))] : 0.0;
  };
  for (int i = 0; i < n; ++i)
    for (int j = i; j >= 0; --j) {
      // The triangle at the diagonal has its middle a third of the way in.
      const bool corner = i == j;
      const double a = x_low + (i + (corner ? 2.0 / 3 : 0.5)) * h;
      const double b = x_low + (j + (corner ? 1.0 / 3 : 0.5)) * h;
      const double weight = density(a, b) * h * h * (corner ? 0.5 : 1.0);
      everett[static_cast<std::size_t>(detail::everett_index(i + 1, j))] =
          at(i, j) + at(i + 1, j + 1) - at(i, j + 1) + weight;
    }
  return {x_low, x_high, std::move(everett)};
}

double preisach_operator::position(double x) const {
  return std::clamp((x - x_low_) / (x_high_ - x_low_) * n_, 0.0, static_cast<double>(n_));
}

double preisach_operator::to(double x) {
  if (std::isnan(x)) return x;
  extrema_.push_back(0.0);  // room for one more
  const int most = static_cast<int>(extrema_.size());
  const int depth = detail::remember(extrema_.data(), most - 1, most, position(x));
  extrema_.resize(static_cast<std::size_t>(depth));
  input_ = x;
  const auto nodes = [this](int i, int j) { return node(i, j); };
  return detail::preisach_output<double>(nodes, n_, extrema_.data(), depth);
}

double preisach_operator::peek(double x) const {
  scratch_ = extrema_;
  scratch_.push_back(0.0);
  const int most = static_cast<int>(scratch_.size());
  const int depth = detail::remember(scratch_.data(), most - 1, most, position(x));
  const auto nodes = [this](int i, int j) { return node(i, j); };
  return detail::preisach_output<double>(nodes, n_, scratch_.data(), depth);
}

bool preisach_operator::is_monotone() const {
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j) {
      const double weight = node(i + 1, j) - node(i, j) - node(i + 1, j + 1) + node(i, j + 1);
      if (weight < -1e-12 * std::abs(node(n_, 0))) return false;
    }
  return true;
}

double preisach_operator::inverse(double y) const {
  const double here = output();
  if (y == here) return input_;
  const double end = y > here ? x_high_ : x_low_;
  const double start = std::clamp(input_, x_low_, x_high_);
  if (y > here ? peek(end) <= y : peek(end) >= y) return end;
  return root_between([&](double x) { return peek(x) - y; }, start, end);
}

void preisach_operator::stream(std::span<const double> x, std::span<double> out) {
  if (x.size() != out.size())
    throw error(fmt::format("{} input and {} output samples: their numbers must be equal", x.size(),
                            out.size()));
  for (std::size_t k = 0; k < x.size(); ++k) out[k] = to(x[k]);
}

}  // namespace asperity
