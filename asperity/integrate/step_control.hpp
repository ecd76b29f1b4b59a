// SPDX-License-Identifier: Apache-2.0
#pragma once

// How long steps are, once for all adaptive methods: from the error of a step, as a part of what is
// allowed, follows whether it is taken and how long the next one is tried.

#include <algorithm>
#include <cmath>
#include <limits>

namespace asperity {

namespace detail {

// Where rates jump inside a step, its error falls with its length alone, and nothing is found
// closer in time than rounding: a step of that length is taken whatever its error. Many of them on
// the spot are no way through a jump.
class shortest_steps {
 public:
  static double length(double t) { return 1e-15 * std::max(1.0, std::abs(t)); }
  bool may_take(double t, double h) const { return h <= length(t) && taken_ < 10; }
  void took(double t, double h, bool within_tolerance) {
    if (!within_tolerance)
      ++taken_;
    else if (h > 1000 * length(t))
      taken_ = 0;
  }

 private:
  int taken_ = 0;
};

// How the next length follows from the error: 0.9 of the one at which the error would be the allowed
// one, within bounds.
struct step_rule {
  int order;       // of the estimate of the error: 3, 4 or 5
  double growth;   // the most
  double refused;  // the most, after a step that was not taken
  double failed;   // after one that led to no number

  double factor(double error) const {
    if (!std::isfinite(error)) return failed;
    const double least = order == 3 ? 1e-12 : 1e-10, e = std::max(error, least);
    const double wanted = order == 3   ? 0.9 / std::cbrt(e)
                          : order == 4 ? 0.9 / std::sqrt(std::sqrt(e))
                                       : 0.9 * std::pow(e, -0.2);
    return std::clamp(wanted, 0.2, growth);
  }
};

class step_control {
 public:
  step_control(const step_rule& rule, double first, double longest)
      : rule_(rule), h_(first), longest_(longest) {}

  struct attempt {
    double h;
    bool is_last;  // it ends at the limit
  };
  // The next step from t: to the limit, where that is not farther than planned; never more than half
  // of the way elsewhere, so that no short one is left over.
  attempt next(double t, double limit,
               double bound = std::numeric_limits<double>::infinity()) const {
    const double remaining = limit - t, least = shortest_steps::length(t);
    const double free = std::max(least, std::min(h_, longest_));
    if (std::min(free, bound) >= remaining * (1 - 1e-9)) return {remaining, true};
    return {std::max(least, std::min({bound, free, 0.5 * remaining})), false};
  }

  // Whether a step of length h from t is taken. One that something else than its error cut short
  // says nothing about longer ones.
  bool take(double t, double h, double error, bool was_cut) {
    const double factor = rule_.factor(error);
    if (error <= 1 || (std::isfinite(error) && shortest_.may_take(t, h))) {
      shortest_.took(t, h, error <= 1);
      if (!was_cut || factor < 1) h_ = std::min(longest_, h * factor);
      return true;
    }
    h_ = h * std::min(factor, rule_.refused);
    ++rejected_;
    return false;
  }
  static bool is_shortest(double t, double h) { return h <= shortest_steps::length(t); }
  void reject() { ++rejected_; }  // for a reason of the method's own

  double planned() const { return h_; }
  void plan(double h) { h_ = h; }
  double longest() const { return longest_; }
  long rejected() const { return rejected_; }

 private:
  step_rule rule_;
  double h_, longest_;
  shortest_steps shortest_;
  long rejected_ = 0;
};

}  // namespace detail

}  // namespace asperity
