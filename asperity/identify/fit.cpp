// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/card.hpp>
#include <asperity/error.hpp>
#include <asperity/identify/fit.hpp>
#include <asperity/identify/least_squares.hpp>
#include <asperity/identify/stop_watch.hpp>
#include <asperity/integrate/watch.hpp>
#include <atomic>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <utility>

namespace asperity {

std::size_t fit_problem::residuals() const {
  return std::accumulate(rows.begin(), rows.end(), std::size_t{0});
}

int fit_problem::find(std::string_view name) const {
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    if (unknowns[i].name == name) return static_cast<int>(i);
  return -1;
}

std::vector<double> in_order(const std::vector<unknown>& unknowns,
                             const std::vector<double>& values) {
  std::vector<double> result = values;
  for (int set = 0;; ++set) {
    std::vector<std::pair<double, int>> elements;  // by what they are put in order
    bool exists = false;
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      if (unknowns[i].set != set) continue;
      exists = true;
      if (unknowns[i].order != 0)
        elements.emplace_back(unknowns[i].order * values[i], unknowns[i].element);
    }
    if (!exists) return result;
    std::stable_sort(elements.begin(), elements.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      for (std::size_t k = 0; k < unknowns.size(); ++k) {
        const unknown &to = unknowns[i], &from = unknowns[k];
        if (to.set == set && from.set == set && to.list == from.list &&
            elements[static_cast<std::size_t>(to.element)].second == from.element)
          result[i] = values[k];
      }
  }
}

const estimate* fit_result::find(std::string_view name) const {
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    if (unknowns[i].name == name) return &estimates[i];
  return nullptr;
}

const char* to_string(estimate::verdict is) {
  switch (is) {
    case estimate::verdict::determined:
      return "determined";
    case estimate::verdict::vague:
      return "vague";
    case estimate::verdict::no_influence:
      return "no influence";
    case estimate::verdict::at_bound:
      return "at its bound";
    case estimate::verdict::runs_off:
      return "runs off";
    case estimate::verdict::ambiguous:
      return "ambiguous";
    case estimate::verdict::misfit:
      return "misfit";
    case estimate::verdict::held:
      return "held";
  }
  return "";
}

const char* to_string(fit_result::ending how) {
  switch (how) {
    case fit_result::ending::converged:
      return "converged";
    case fit_result::ending::iteration_limit:
      return "stopped at the iteration limit";
    case fit_result::ending::interrupted:
      return "interrupted";
    case fit_result::ending::time_limit:
      return "stopped at the time limit";
    case fit_result::ending::failed:
      return "failed";
  }
  return "";
}

double effective_samples(std::span<const double> residual, std::span<const std::size_t> rows,
                         const std::atomic<bool>* interrupt) {
  const std::size_t count = residual.size();
  if (count < 4) return static_cast<double>(count);
  const auto correlation_at = [&](std::size_t lag) {
    double sum = 0;
    std::size_t begin = 0;
    for (const std::size_t length : rows) {
      if (length > lag) {
        const auto count = static_cast<Eigen::Index>(length - lag);
        const Eigen::Map<const Eigen::VectorXd> early(residual.data() + begin, count),
            late(residual.data() + begin + lag, count);
        sum += early.dot(late);
      }
      begin += length;
    }
    return sum;
  };
  const double power = correlation_at(0);
  if (!(power > 0)) return static_cast<double>(count);
  const double n = static_cast<double>(count);
  // Correlations of white residuals scatter about 0 by 1/sqrt(n).
  if (correlation_at(1) / power < 3 / std::sqrt(n)) return n;
  // Pairs of neighbouring lags, as long as they are positive (Geyer's initial sequence).
  double time = 1;
  const std::size_t longest = *std::max_element(rows.begin(), rows.end());
  std::size_t lag = 1;
  while (lag + 1 < longest) {
    const double pair = (correlation_at(lag) + correlation_at(lag + 1)) / power;
    if (is_set(interrupt)) return 0;
    if (!(pair > 0)) break;
    time += 2 * pair;
    lag += 2;
    if (lag > 4000) break;
  }
  return std::max(n / time, 1.0);
}

namespace {

// The robust loss as a residual: w s(r/w), half of whose square is the loss.
double shaped_residual(double r, fit_options::loss robust, double w, double* slope) {
  const double x = r / w;
  if (robust == fit_options::loss::squares || !(w > 0)) {
    *slope = 1;
    return r;
  }
  if (robust == fit_options::loss::cauchy) {
    const double s = std::sqrt(std::log1p(x * x));
    *slope = s > 1e-8 ? std::abs(x) / (s * (1 + x * x)) : 1;
    return std::copysign(w * s, r);
  }
  if (std::abs(x) <= 1) {
    *slope = 1;
    return r;
  }
  const double s = std::sqrt(2 * std::abs(x) - 1);
  *slope = 1 / s;
  return std::copysign(w * s, r);
}

}  // namespace

double loss_of(std::span<const double> residual, const fit_options& options, double noise) {
  double sum = 0, slope = 1;
  for (const double each : residual)
    sum += std::pow(shaped_residual(each, options.robust, options.loss_width * noise, &slope), 2);
  return sum / 2;
}

double robust_noise(std::span<const double> residual) {
  if (residual.empty()) return 0;
  std::vector<double> sizes;
  sizes.reserve(residual.size());
  for (const double each : residual) sizes.push_back(std::abs(each));
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return std::max(1.4826 * *middle, 1e-300);
}

double structure_of(std::span<const double> residual, std::span<const std::size_t> rows) {
  double squares = 0;
  for (const double each : residual) squares += each * each;
  if (!(squares > 0)) return 0;
  const double mean = squares / static_cast<double>(residual.size());
  double most = 0;
  for (std::size_t length = 4; length <= 64; length *= 2) {
    double sum_of_squares = 0, blocks = 0;
    std::size_t begin = 0;
    for (const std::size_t of_record : rows) {
      for (std::size_t at = begin; at + length <= begin + of_record; at += length) {
        const double sum =
            std::accumulate(residual.begin() + static_cast<std::ptrdiff_t>(at),
                            residual.begin() + static_cast<std::ptrdiff_t>(at + length), 0.0);
        sum_of_squares += sum * sum / static_cast<double>(length);
        ++blocks;
      }
      begin += of_record;
    }
    if (blocks < 8) break;
    most = std::max(most, (sum_of_squares / blocks / mean - 1) / std::sqrt(2 / blocks));
  }
  return most;
}

double structure_of(const fit_problem& p, std::span<const double> residual) {
  if (!(p.noise > 0)) return structure_of(residual, p.rows);
  double squares = 0;
  for (const double each : residual) squares += each * each;
  const double n = static_cast<double>(residual.size());
  // Correlated noise counts as fewer values, in the residuals and in what it is known from.
  const double share = effective_samples(residual, p.rows) / n;
  const double deviation = std::sqrt((2 / n + 2 / p.noise_samples) / share);
  return (squares / n / (p.noise * p.noise) - 1) / deviation;
}

namespace {

using verdict = estimate::verdict;

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// How an unknown moves inside: p = base + sign scale sinh(u), or scale exp(u).
struct coordinate {
  bool is_log = false;
  double base = 0, sign = 1, scale = 1, lower = -25, upper = 25;

  double value(double u, double above) const {
    return is_log ? scale * std::exp(u) : base + above + sign * scale * std::sinh(u);
  }
  double slope(double u) const {
    return is_log ? scale * std::exp(u) : sign * scale * std::cosh(u);
  }
  double inverse(double p, double above) const {
    const double u = is_log ? std::log(std::max(p, 1e-300) / scale)
                            : std::asinh((p - base - above) / (sign * scale));
    return std::clamp(u, lower, upper);
  }
};

constexpr double farthest = 18.5;  // of a logarithm: a factor of 1e8

coordinate coordinate_of(const unknown& x) {
  coordinate c;
  const double size = x.scale > 0 ? x.scale : (x.start != 0 ? std::abs(x.start) : 1.0);
  const bool has_lower = x.allowed.lower > -unbounded, has_upper = x.allowed.upper < unbounded;
  if (x.not_below >= 0) {
    c.scale = 0.1 * size;
    c.lower = 0;
  } else if (has_lower && x.allowed.lower == 0 && x.allowed.open_below && !has_upper) {
    c.is_log = true;
    c.scale = size;
    c.lower = -farthest;
    c.upper = farthest;
  } else if (has_lower) {
    c.base = x.allowed.lower;
    c.scale = 0.3 * size;
    if (has_upper) c.scale = std::min(c.scale, 0.3 * (x.allowed.upper - x.allowed.lower));
    c.lower = 0;
    if (has_upper) c.upper = std::asinh((x.allowed.upper - x.allowed.lower) / c.scale);
    // The end itself is not allowed.
    if (x.allowed.open_below) c.lower = 1e-9;
  } else if (has_upper) {
    c.base = x.allowed.upper;
    c.sign = -1;
    c.scale = 0.3 * size;
    c.lower = 0;
  } else {
    c.scale = size;
  }
  return c;
}

class fitter {
 public:
  fitter(const fit_problem& problem, const fit_options& options)
      : p_(problem), o_(options), n_(problem.unknowns.size()), rows_(problem.residuals()) {
    check();
    for (const unknown& each : p_.unknowns) {
      coordinates_.push_back(coordinate_of(each));
      jumps_.push_back(each.jumps);
    }
    lower_.resize(size());
    upper_.resize(size());
    for (std::size_t i = 0; i < n_; ++i) {
      lower_[at(i)] = coordinates_[i].lower;
      upper_[at(i)] = coordinates_[i].upper;
    }
    start_ = begin_ = inside(p_.unknowns);
    looked_at_.push_back(start_);
    if (!o_.begin.empty()) {
      if (o_.begin.size() != n_)
        throw error(
            fmt::format("there are {} starting values for {} unknowns", o_.begin.size(), n_));
      auto from = p_.unknowns;
      for (std::size_t i = 0; i < n_; ++i) from[i].start = o_.begin[i];
      begin_ = inside(from);
      if (o_.begin_on_bounds) given_ = scaled(o_.begin).cwiseMax(lower_).cwiseMin(upper_);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (p_.unknowns[i].prior_width > 0) ++penalties_;
      if (p_.unknowns[i].smooth_width > 0 && i > 0) ++penalties_;
    }
  }

  fit_result run() {
    began_ = now();
    if (p_.begin) p_.begin();
    // Tells long runs when to end.
    std::optional<stop_watch> watch;
    const bool may_be_stopped = o_.interrupt != nullptr || o_.time_limit < unbounded;
    if (p_.stop != nullptr && may_be_stopped)
      watch.emplace(p_.stop, [this] {
        return is_interrupted() ||
               now() - began_ > o_.time_limit + (is_closing_ ? closing_time : 0.0);
      });
    return search();
  }

 private:
  fit_result search() {
    fit_result found;
    found.unknowns = p_.unknowns;
    found.confidence = o_.confidence;
    found.has_exact_derivatives = p_.derivative && p_.derivative_is_exact;
    if (n_ == 0) return without_unknowns(std::move(found));

    std::vector<Eigen::VectorXd> candidates = best_starts();
    if (candidates.empty()) {
      found.how = is_stopped() ? ending_of_stop() : fit_result::ending::failed;
      found.detail = "the model could not be run at any of the starting values";
      return with_values(std::move(found), begin_);
    }
    Eigen::VectorXd best = candidates.front();
    double best_cost = unbounded;
    const std::size_t solved_first =
        std::min(candidates.size(),
                 static_cast<std::size_t>(1 + std::max(0, o_.starts > 0 ? o_.polished : 0)));
    const bool several = solved_first > 1;
    for (std::size_t k = 0; k < solved_first && !is_stopped(); ++k) {
      set_noise(candidates[k], 0.3);
      auto solved =
          solve(candidates[k], several ? std::min(o_.max_iterations, 12) : o_.max_iterations, 1e-4);
      found.iterations += solved.iterations;
      const double cost = plain_cost(solved.u);
      look_for_jumps(solved.u);
      if (cost < best_cost) {
        best_cost = cost;
        best = solved.u;
      }
      tell(0.25 + 0.35 * static_cast<double>(k + 1) / static_cast<double>(solved_first));
    }
    // With the noise that is left, and to the end: until a step changes the likelihood by nothing that
    // an interval would notice.
    const double end = std::clamp(1e-6 / static_cast<double>(rows_), 1e-12, 1e-10);
    least_squares_result last;
    for (int round = 0; round < 2 && !is_stopped(); ++round) {
      set_noise(best, 1.0);
      last = solve(best, o_.max_iterations, end);
      found.iterations += last.iterations;
      const bool moved = (last.u - best).norm() > 1e-6 * (1 + best.norm());
      if (last.how != least_squares_result::ending::failed) best = last.u;
      if (!moved || (penalties_ == 0 && o_.robust == fit_options::loss::squares)) break;
    }
    if (o_.searches_on > 0 && !is_stopped() && last.how != least_squares_result::ending::failed) {
      candidates.erase(candidates.begin(),
                       candidates.begin() + static_cast<std::ptrdiff_t>(solved_first));
      search_on(candidates, end, best, found);
    }
    if (o_.starts > 0 && !is_stopped() && last.how != least_squares_result::ending::failed) {
      look_for_jumps(best);
      comb_where_it_jumps(end, best, found);
      leave_kinks(end, best, found);
    }
    using how = least_squares_result::ending;
    found.how = is_stopped()                       ? ending_of_stop()
                : last.how == how::iteration_limit ? fit_result::ending::iteration_limit
                : last.how == how::failed          ? fit_result::ending::failed
                                                   : fit_result::ending::converged;
    if (found.how == fit_result::ending::failed) {
      found.detail =
          "the model could be run at the starting values, but its derivatives could not be "
          "computed there";
      return with_values(std::move(found), best);
    }
    tell(0.7);
    if (is_stopped() && best_u_.size() > 0) best = best_u_;
    best = in_order(best);
    // What is said of the best so far takes a run or two more.
    is_closing_ = true;
    if (p_.stop != nullptr && !is_interrupted()) *p_.stop = false;
    describe(found, best);
    if (is_interrupted()) {
      // Costs are infinite since then: what was made of them says nothing.
      found.how = fit_result::ending::interrupted;
      leave_without_intervals(found);
    }
    // Where it stood is not where it would have ended.
    if (found.how == fit_result::ending::interrupted || found.how == fit_result::ending::time_limit)
      for (std::size_t i = 0; i < n_; ++i) {
        if (found.estimates[i].is == verdict::determined) leave_undetermined(found.estimates[i], i);
      }
    tell(1.0);
    found.evaluations = evaluations_;
    found.seconds = now() - began_;
    return found;
  }

  // Residuals that are no noise may mean that the search ended beside the best place: it goes on, by
  // turns from points of the hypercube and from about the best, until they are noise, two searches came
  // back, or as many iterations were spent again.
  void search_on(const std::vector<Eigen::VectorXd>& more, double end, Eigen::VectorXd& best,
                 fit_result& found) {
    const int most = std::max(2 * found.iterations, 60);
    int spent = 0, returned = 0;
    std::size_t next = 0;
    std::mt19937_64 random(o_.seed + 101);
    Eigen::VectorXd r(all_rows());
    for (int k = 0; k < o_.searches_on && spent < most && returned < 2 && !is_stopped(); ++k) {
      if (!data(best, r.data())) return;
      const std::span<const double> residual(r.data(), rows_);
      if (structure_of(p_, residual) < perhaps_no_noise) return;
      const double cost = plain_cost(best),
                   worth = effective_samples(residual, p_.rows, o_.interrupt);
      const Eigen::VectorXd from =
          k % 2 == 1 && next < more.size() ? more[next++] : shifted(best, 1.0, random);
      if (!(plain_cost(from) < unbounded)) continue;
      const auto solved = solve(from, 30, 1e-4);
      spent += solved.iterations;
      if (solved.how == least_squares_result::ending::failed) continue;
      look_for_jumps(solved.u);
      const double gain = worth * std::log(seen(cost) / seen(plain_cost(solved.u)));
      if (gain > 0.5) {
        set_noise(solved.u, 1.0);
        const auto last = solve(solved.u, o_.max_iterations, end);
        spent += last.iterations;
        best = last.how == least_squares_result::ending::failed ? solved.u : last.u;
        returned = 0;
      } else if (gain > -1) {
        ++returned;
      }
    }
    found.iterations += spent;
  }

  static constexpr double perhaps_no_noise = 3.5;  // searching costs time, and no verdict

  // Jumps that a start does not show, since they are small there or pass no row, may show where searches
  // end. Nothing new is to be seen near a place that was looked at.
  void look_for_jumps(const Eigen::VectorXd& u) {
    if (!p_.jumps_at || o_.starts == 0 || n_ > most_combed || is_stopped()) return;
    for (const Eigen::VectorXd& each : looked_at_)
      if ((each - u).cwiseAbs().maxCoeff() < 0.1) return;
    looked_at_.push_back(u);
    const std::vector<bool> here = p_.jumps_at(values(u));
    for (std::size_t i = 0; i < here.size() && i < n_; ++i) jumps_[i] = jumps_[i] || here[i];
  }

  // A value of an unknown that was tried, the others following.
  struct tooth {
    double cost;
    Eigen::VectorXd u;
  };

  // Where residuals jump with an unknown, its whole range is combed, the others following by their slopes:
  // once about the best place, once about the start, which may end elsewhere. There are many peaks then,
  // and only one that is found more than once is trusted.
  void comb_where_it_jumps(double end, Eigen::VectorXd& best, fit_result& found) {
    std::vector<Eigen::VectorXd> ends;  // of searches that did not know of each other
    std::mt19937_64 random(o_.seed + 202);
    for (std::size_t i = 0; i < n_ && n_ <= most_combed; ++i) {
      if (!jumps_[i]) continue;
      for (const bool about_best : {true, false}) {
        const bool is_first = ends.size() < 2;
        Eigen::VectorXd there = combed(i,
                                       about_best ? best
                                       : is_first ? start_
                                                  : shifted(start_, 1.0, random),
                                       about_best ? 0.0 : 0.5);
        if (is_stopped()) return;
        set_noise(there, 1.0);
        const auto last = solve(there, o_.max_iterations, end);
        found.iterations += last.iterations;
        if (last.how != least_squares_result::ending::failed) there = last.u;
        if (is_first) try_fractions(end, there, found);
        const double cost = plain_cost(there);
        if (!about_best || ends.empty()) ends.push_back(there);
        if (cost < plain_cost(best)) best = there;
      }
    }
    if (ends.empty()) return;
    if (ends.size() > 2) try_fractions(end, best, found);
    const double cost = plain_cost(best);
    const auto is_best = [&](const Eigen::VectorXd& u) {
      for (std::size_t i = 0; i < n_; ++i)
        if (jumps_[i] && std::abs(u[at(i)] - best[at(i)]) > 0.01) return false;
      return static_cast<double>(rows_) * std::log(seen(plain_cost(u)) / seen(cost)) < 10;
    };
    found.came_back = std::count_if(ends.begin(), ends.end(), is_best) > 1 && !is_lucky(best, cost);
  }

  // Teeth of a spacing lie on teeth of its simple fractions: one of these is easily found twice, with residuals
  // that look like noise. From each of them a search leads to all others.
  void try_fractions(double end, Eigen::VectorXd& best, fit_result& found) {
    // Numerator or denominator. Several that jump share the work of one.
    const int largest = unknowns_that_jump() > 1 ? 3 : 8;
    for (int round = 0; round < 3; ++round) {
      tooth least{plain_cost(best), best};
      const double before = least.cost;
      for (std::size_t i = 0; i < n_; ++i)
        for (int up = 1; up <= largest; ++up)
          for (int down = 1; down <= largest; ++down) {
            if (!jumps_[i] || !coordinates_[i].is_log || up == down) continue;
            if (std::gcd(up, down) > 1 || is_stopped()) continue;
            Eigen::VectorXd u = best;
            u[at(i)] += std::log(static_cast<double>(up) / down);
            if (!(u[at(i)] > lower_[at(i)] && u[at(i)] < upper_[at(i)])) continue;
            const auto solved = solve(u, 3, 1e-3, i);
            found.iterations += solved.iterations;
            if (solved.how == least_squares_result::ending::failed) continue;
            teeth_.push_back({plain_cost(solved.u), solved.u});
            if (teeth_.back().cost < least.cost) least = teeth_.back();
          }
      if (!(least.cost < before)) return;
      // A fraction is known no better than what it was made of.
      for (std::size_t i = 0; i < n_; ++i)
        if (jumps_[i]) least = finest_of(i, least);
      const auto last = solve(least.u, o_.max_iterations, end);
      found.iterations += last.iterations;
      const bool is_solved = last.how != least_squares_result::ending::failed;
      best = is_solved && plain_cost(last.u) < least.cost ? last.u : least.u;
    }
  }
  int unknowns_that_jump() const {
    return static_cast<int>(std::count(jumps_.begin(), jumps_.end(), true));
  }
  tooth finest_of(std::size_t i, tooth least) {
    for (const double reach : {1e-3, 1e-4, 1e-5}) {
      const Eigen::VectorXd about = least.u;
      for (int k = -8; k <= 8 && !is_stopped(); ++k) {
        Eigen::VectorXd u = about;
        u[at(i)] = std::clamp(u[at(i)] + reach * k / 8, lower_[at(i)], upper_[at(i)]);
        const auto solved = solve(u, 3, 1e-3, i);
        if (solved.how == least_squares_result::ending::failed) continue;
        const double cost = plain_cost(solved.u);
        if (cost < least.cost) least = {cost, solved.u};
      }
    }
    return least;
  }

  // The squares of n residuals that have nothing to do with a record scatter by sqrt(2/n) of their sum, and
  // the least of many such sums lies a few times that below the others. A place that is no better than
  // that than another one far away may be the luckiest of them.
  bool is_lucky(const Eigen::VectorXd& best, double cost) {
    Eigen::VectorXd r(all_rows());
    if (!data(best, r.data())) return true;
    const double worth = effective_samples({r.data(), rows_}, p_.rows, o_.interrupt);
    if (!(worth > 0)) return true;
    const double luck = 4.5 * std::sqrt(2 / worth);
    // Elsewhere a wide valley is one place.
    const std::vector<bool> here = p_.jumps_at ? p_.jumps_at(values(best)) : jumps_;
    return std::any_of(teeth_.begin(), teeth_.end(), [&](const tooth& other) {
      bool is_far = false;
      for (std::size_t i = 0; i < n_; ++i)
        is_far = is_far || (here[i] && std::abs(other.u[at(i)] - best[at(i)]) > 0.1);
      return is_far && std::log(seen(other.cost) / seen(cost)) < luck;
    });
  }

  // Kinks hold a search up beside the best place, with residuals that may look like noise. Other values of
  // each unknown that has some are tried, the others following by their slopes, and the best of them solved.
  void leave_kinks(double end, Eigen::VectorXd& best, fit_result& found) {
    struct tried {
      double cost;
      Eigen::VectorXd u;
    };
    for (int round = 0; round < 3 && n_ <= most_combed; ++round) {
      std::vector<tried> all;
      for (std::size_t i = 0; i < n_; ++i)
        for (const double step : {0.06, 0.12, 0.25, 0.4, 0.7})
          for (const double sign : {-1.0, 1.0}) {
            Eigen::VectorXd u = best;
            u[at(i)] += sign * step;
            const bool is_inside = u[at(i)] > lower_[at(i)] && u[at(i)] < upper_[at(i)];
            if (!p_.unknowns[i].kinks || !is_inside || is_stopped()) continue;
            const auto solved = solve(u, 3, 1e-3, i);
            found.iterations += solved.iterations;
            if (solved.how != least_squares_result::ending::failed)
              all.push_back({solved.cost, solved.u});
          }
      std::stable_sort(all.begin(), all.end(),
                       [](const tried& a, const tried& b) { return a.cost < b.cost; });
      const double before = plain_cost(best);
      double cost = before;
      for (std::size_t k = 0; k < std::min<std::size_t>(all.size(), 4) && !is_stopped(); ++k) {
        const auto solved = solve(all[k].u, 30, 1e-4);
        found.iterations += solved.iterations;
        if (solved.how == least_squares_result::ending::failed || !(solved.cost < cost)) continue;
        cost = solved.cost;
        best = solved.u;
      }
      if (!(cost < before) || is_stopped()) return;
      const auto last = solve(best, o_.max_iterations, end);
      found.iterations += last.iterations;
      if (last.how != least_squares_result::ending::failed) best = last.u;
      // Of twice the log-likelihood, 0.5.
      if (!(static_cast<double>(rows_) * std::log(seen(before) / seen(cost)) > 0.5)) return;
    }
  }

  // Costs of a record without noise differ by rounding: what is below that of the start by 1e-24 is
  // as good as nothing.
  double seen(double cost) {
    if (least_cost_ < 0) least_cost_ = 1e-24 * plain_cost(start_);
    return cost + least_cost_;
  }

  // The best of values of one unknown all over its range, then ever closer about the best few. `shift`, in
  // teeth, tells one comb from another.
  Eigen::VectorXd combed(std::size_t i, Eigen::VectorXd from, double shift) {
    const auto is_better = [](const tooth& a, const tooth& b) { return a.cost < b.cost; };
    const auto comb = [&](const Eigen::VectorXd& about, double reach, int teeth) {
      std::vector<tooth> all;
      for (int k = 0; k < teeth && !is_stopped(); ++k) {
        Eigen::VectorXd u = about;
        u[at(i)] = std::clamp(about[at(i)] + reach * (2.0 * k / (teeth - 1) - 1), lower_[at(i)],
                              upper_[at(i)]);
        const auto solved = solve(u, 3, 1e-3, i);
        if (solved.how == least_squares_result::ending::failed) continue;
        all.push_back({plain_cost(solved.u), solved.u});
      }
      std::stable_sort(all.begin(), all.end(), is_better);
      teeth_.insert(teeth_.end(), all.begin(), all.end());
      return all;
    };
    const int sharing = unknowns_that_jump();
    const int first = std::max(121 / sharing, 31), closer = std::max(61 / sharing, 15);
    const auto kept = static_cast<std::size_t>(std::max(6 / sharing, 2));
    double reach = coordinates_[i].is_log ? 6.9 : 3.0;  // a factor of 1000
    from[at(i)] = start_[at(i)] + shift * 2 * reach / (first - 1);
    std::vector<tooth> best = comb(from, reach, first);
    for (int round = 0; round < 3 && !best.empty(); ++round) {
      if (best.size() > kept) best.resize(kept);
      reach *= 2.0 / ((round == 0 ? first : closer) - 1);
      std::vector<tooth> all = best;
      for (const tooth& each : best)
        for (tooth& other : comb(each.u, reach, closer)) all.push_back(std::move(other));
      std::stable_sort(all.begin(), all.end(), is_better);
      best = std::move(all);
    }
    return best.empty() ? from : best.front().u;
  }

  // Each unknown moved at random, by up to `most`.
  Eigen::VectorXd shifted(Eigen::VectorXd u, double most, std::mt19937_64& random) const {
    for (Eigen::Index i = 0; i < size(); ++i) {
      const double share = static_cast<double>(random() >> 11) * 0x1p-53;
      u[i] = std::clamp(u[i] + most * (2 * share - 1), lower_[i], upper_[i]);
    }
    return u;
  }

  static Eigen::Index at(std::size_t i) { return static_cast<Eigen::Index>(i); }
  Eigen::Index size() const { return at(n_); }
  Eigen::Index data_rows() const { return at(rows_); }
  Eigen::Index all_rows() const { return at(rows_ + penalties_); }

  void check() const {
    if (rows_ == 0) throw error("nothing to fit: there are no residuals");
    if (rows_ < n_)
      throw error(
          fmt::format("{} residuals cannot determine {} unknowns: use a longer record, or hold "
                      "some of the unknowns",
                      rows_, n_));
    if (!(o_.confidence > 0 && o_.confidence < 1))
      throw error(fmt::format("confidence = {:g} is not allowed: it must be between 0 and 1",
                              o_.confidence));
    if (o_.starts < 0 || o_.starts > fit_options::most_starts)
      throw error(fmt::format("starts = {} is not allowed: it must be from 0 to {}", o_.starts,
                              fit_options::most_starts));
    for (std::size_t i = 0; i < n_; ++i) {
      const unknown& x = p_.unknowns[i];
      const bool is_inside =
          std::isfinite(x.start) && x.start >= x.allowed.lower && x.start <= x.allowed.upper;
      if (!is_inside)
        throw error(fmt::format("the starting value {} = {:g} {} is not allowed: it must be {}",
                                x.name, x.start, to_string(x.in), to_string(x.allowed)));
      if (x.not_below >= static_cast<int>(i))
        throw error(fmt::format("{}: not_below must name an earlier unknown", x.name));
    }
  }

  // Starts on a bound are moved inside: a twentieth of its size from it, where it can move.
  Eigen::VectorXd inside(const std::vector<unknown>& all) const {
    Eigen::VectorXd u(size());
    std::vector<double> values(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const coordinate& c = coordinates_[i];
      const double above =
          all[i].not_below >= 0 ? values[static_cast<std::size_t>(all[i].not_below)] : 0;
      double x = c.inverse(all[i].start, above);
      if (!c.is_log) {
        const double least = std::asinh(0.05 / 0.3);
        if (c.lower > -25) x = std::max(x, c.lower + least);
        if (c.upper < 25) x = std::min(x, c.upper - std::min(least, 0.2 * (c.upper - c.lower)));
      }
      u[at(i)] = x;
      values[i] = c.value(x, above);
    }
    return u;
  }

  std::vector<double> values(const Eigen::VectorXd& u) const {
    std::vector<double> result(n_);
    for (std::size_t i = 0; i < n_; ++i)
      result[i] = coordinates_[i].value(u[at(i)], above(result, i));
    return result;
  }
  double above(const std::vector<double>& of, std::size_t i) const {
    const int other = p_.unknowns[i].not_below;
    return other >= 0 ? of[static_cast<std::size_t>(other)] : 0.0;
  }
  // What an interval is made in: the scaled unknown, or the value of one that stands on another, as a
  // multiple of its size.
  bool stands(std::size_t i) const { return p_.unknowns[i].not_below >= 0; }
  double size_of(std::size_t i) const { return 10 * coordinates_[i].scale; }
  double reading(std::size_t i, const Eigen::VectorXd& u) const {
    return stands(i) ? values(u)[i] / size_of(i) : u[at(i)];
  }
  double value_of_reading(std::size_t i, double w) const {
    return stands(i) ? w * size_of(i) : coordinates_[i].value(w, 0);
  }
  Eigen::VectorXd slopes_of_reading(std::size_t i, const Eigen::VectorXd& u) const {
    if (!stands(i)) return Eigen::VectorXd::Unit(size(), at(i));
    Eigen::VectorXd slopes = Eigen::VectorXd::Zero(size());
    for (int k = static_cast<int>(i); k >= 0;
         k = p_.unknowns[static_cast<std::size_t>(k)].not_below)
      slopes[k] = coordinates_[static_cast<std::size_t>(k)].slope(u[k]) / size_of(i);
    return slopes;
  }
  // Moves unknown i so that its reading is w, where it can.
  void put_reading(std::size_t i, double w, Eigen::VectorXd& u) const {
    u[at(i)] = stands(i) ? coordinates_[i].inverse(w * size_of(i), above(values(u), i)) : w;
  }
  Eigen::VectorXd scaled(const std::vector<double>& of) const {
    Eigen::VectorXd u(size());
    for (std::size_t i = 0; i < n_; ++i) u[at(i)] = coordinates_[i].inverse(of[i], above(of, i));
    return u;
  }
  Eigen::VectorXd in_order(const Eigen::VectorXd& u) const {
    const auto before = values(u), after = asperity::in_order(p_.unknowns, before);
    return before == after ? u : scaled(after);
  }

  bool is_interrupted() const { return is_set(o_.interrupt); }
  bool is_stopped() const { return is_interrupted() || now() - began_ > o_.time_limit; }
  fit_result::ending ending_of_stop() const {
    return is_interrupted() ? fit_result::ending::interrupted : fit_result::ending::time_limit;
  }
  void tell(double fraction) const {
    if (o_.progress) o_.progress(fraction);
  }

  // ---- residuals in the scaled unknowns ------------------------------------------------------------

  bool data(const Eigen::VectorXd& u, double* residual) {
    ++evaluations_;
    const auto p = values(u);
    if (!p_.residual(p, {residual, rows_})) return false;
    if (!std::all_of(residual, residual + rows_, [](double x) { return std::isfinite(x); }))
      return false;
    remember(u, residual);
    return true;
  }
  // The best so far: what a fit that is stopped has to show.
  void remember(const Eigen::VectorXd& u, const double* residual) {
    const double squares = std::inner_product(residual, residual + rows_, residual, 0.0);
    if (squares < seen_below_) seen_.push_back({squares, u});
    if (!(squares < least_squares_)) return;
    least_squares_ = squares;
    best_u_ = u;
    best_residual_.assign(residual, residual + rows_);
  }

  // d value_i / d u_k, for k = i and what i stands on.
  void chain(const Eigen::VectorXd& u, row_matrix& j) const {
    std::vector<double> slopes(n_);
    for (std::size_t i = 0; i < n_; ++i) slopes[i] = coordinates_[i].slope(u[at(i)]);
    for (Eigen::Index row = 0; row < data_rows(); ++row) {
      double* line = &j(row, 0);
      // From the last to the first: what stands on i adds to the column of i before that is scaled.
      for (std::size_t i = n_; i-- > 0;)
        if (p_.unknowns[i].not_below >= 0) line[p_.unknowns[i].not_below] += line[i];
      for (std::size_t i = 0; i < n_; ++i) line[i] *= slopes[i];
    }
  }

  bool data_with_slopes(const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix& j) {
    if (p_.derivative) {
      evaluations_ += 1;
      const auto p = values(u);
      if (!p_.derivative(p, {r.data(), rows_}, {j.data(), rows_, n_})) return false;
      if (!r.head(data_rows()).allFinite() || !j.topRows(data_rows()).allFinite()) return false;
      remember(u, r.data());
      chain(u, j);
      return true;
    }
    if (!data(u, r.data())) return false;
    Eigen::VectorXd other(all_rows());
    for (std::size_t i = 0; i < n_; ++i) {
      Eigen::VectorXd moved = u;
      double h = o_.difference * std::max(1.0, std::abs(u[at(i)]));
      if (u[at(i)] + h > upper_[at(i)]) h = -h;
      moved[at(i)] += h;
      if (!data(moved, other.data())) {
        moved[at(i)] = u[at(i)] - h;
        h = -h;
        if (!data(moved, other.data())) return false;
      }
      j.col(at(i)).head(data_rows()) = (other.head(data_rows()) - r.head(data_rows())) / h;
      if (is_stopped()) return false;
    }
    return true;
  }

  double shaped(double r, double* slope) const {
    return shaped_residual(r, o_.robust, o_.loss_width * noise_, slope);
  }

  bool evaluate(const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix* j) {
    if (j != nullptr ? !data_with_slopes(u, r, *j) : !data(u, r.data())) return false;
    if (o_.robust != fit_options::loss::squares)
      for (Eigen::Index i = 0; i < data_rows(); ++i) {
        double slope = 1;
        r[i] = shaped(r[i], &slope);
        if (j != nullptr) j->row(i) *= slope;
      }
    Eigen::Index row = data_rows();
    const auto add = [&](double distance, double width) {
      r[row] = noise_ * distance / width;
      if (j != nullptr) j->row(row).setZero();
      return row++;
    };
    for (std::size_t i = 0; i < n_; ++i) {
      const unknown& x = p_.unknowns[i];
      const double shift = u[at(i)] - start_[at(i)];
      const bool has_prior = x.prior_width > 0, is_smooth = x.smooth_width > 0 && i > 0;
      if (is_free_) {
        // Without a prior nothing but this holds the sum of shares.
        const bool is_first_share = x.is_share && (i == 0 || !p_.unknowns[i - 1].is_share);
        if (has_prior) add_sum_of_shares(u, is_first_share, add, j);
        if (is_smooth) add(0, 1);
        continue;
      }
      if (has_prior) {
        const Eigen::Index here = add(shift, x.prior_width);
        if (j != nullptr) (*j)(here, at(i)) = noise_ / x.prior_width;
      }
      if (is_smooth) {
        const Eigen::Index here = add(shift - (u[at(i) - 1] - start_[at(i) - 1]), x.smooth_width);
        if (j != nullptr) {
          (*j)(here, at(i)) = noise_ / x.smooth_width;
          (*j)(here, at(i) - 1) = -noise_ / x.smooth_width;
        }
      }
    }
    return true;
  }

  template <class Add>
  void add_sum_of_shares(const Eigen::VectorXd& u, bool is_first, const Add& add, row_matrix* j) {
    if (!is_first) {
      add(0, 1);
      return;
    }
    const double width = 0.01;
    double sum = 0;
    const auto p = values(u);
    for (std::size_t i = 0; i < n_; ++i)
      if (p_.unknowns[i].is_share) sum += p[i];
    const Eigen::Index here = add(std::log(sum / sum_of_shares_), width);
    for (std::size_t i = 0; i < n_ && j != nullptr; ++i)
      if (p_.unknowns[i].is_share)
        (*j)(here, at(i)) = noise_ / width * coordinates_[i].slope(u[at(i)]) / sum;
  }

  double plain_cost(const Eigen::VectorXd& u) {
    Eigen::VectorXd r(all_rows());
    return evaluate(u, r, nullptr) ? r.squaredNorm() / 2 : unbounded;
  }

  // The size of the residuals, without those that stand out.
  void set_noise(const Eigen::VectorXd& u, double share) {
    Eigen::VectorXd r(all_rows());
    if (!data(u, r.data())) return;
    if (o_.robust == fit_options::loss::squares) {
      noise_ = share * std::sqrt(r.head(data_rows()).squaredNorm() / static_cast<double>(rows_));
      return;
    }
    noise_ = robust_noise({r.data(), rows_});
  }

  // ---- solving -------------------------------------------------------------------------------------

  // With all unknowns, or with the reading of one of them held. `slopes` are those nearby, with a column for
  // each unknown that is not held: then few derivatives are taken, as where they are differences.
  least_squares_result solve(const Eigen::VectorXd& from, int iterations, double tolerance,
                             std::optional<std::size_t> held = {}, row_matrix* slopes = nullptr) {
    row_matrix unknown_slopes;
    const auto solve_inner = [&](const least_squares_problem& inner, const Eigen::VectorXd& u) {
      if (slopes == nullptr && has_derivatives()) return solve_least_squares(inner, u);
      return solve_by_secants(inner, u, slopes != nullptr ? *slopes : unknown_slopes);
    };
    least_squares_problem inner;
    inner.residuals = all_rows();
    inner.max_iterations = iterations;
    inner.tolerance = tolerance;
    // Of twice the log-likelihood, of which an interval is 4, 0.02.
    inner.negligible = 0.02 / static_cast<double>(rows_);
    inner.stops = [this] { return is_stopped(); };
    if (!held) {
      inner.lower = lower_;
      inner.upper = upper_;
      inner.evaluate = [this](const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix* j) {
        return !is_stopped() && evaluate(u, r, j);
      };
      return solve_inner(inner, from);
    }
    const Eigen::Index without = at(*held);
    const double reading_held = reading(*held, from);
    const auto reduced = [&](const Eigen::VectorXd& full) {
      Eigen::VectorXd some(size() - 1);
      some << full.head(without), full.tail(size() - 1 - without);
      return some;
    };
    const auto whole = [&](const Eigen::VectorXd& some) {
      Eigen::VectorXd full(size());
      full << some.head(without), from[without], some.tail(size() - 1 - without);
      if (stands(*held)) put_reading(*held, reading_held, full);
      return full;
    };
    if (n_ == 1) {
      least_squares_result alone;
      alone.u = from;
      alone.cost = plain_cost(from);
      alone.how = least_squares_result::ending::converged;
      return alone;
    }
    inner.lower = reduced(lower_);
    inner.upper = reduced(upper_);
    row_matrix all(all_rows(), size());
    inner.evaluate = [&](const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix* j) {
      const Eigen::VectorXd full = whole(u);
      if (is_stopped() || !evaluate(full, r, j != nullptr ? &all : nullptr)) return false;
      if (j != nullptr) *j = slopes_without(*held, full, all);
      return true;
    };
    auto solved = solve_inner(inner, reduced(from));
    solved.u = whole(solved.u);
    return solved;
  }

  bool has_derivatives() const { return p_.derivative && p_.derivative_is_exact; }
  // Of all unknowns but one, whose reading is held: what it stands on moves it, unless it lies on that.
  row_matrix slopes_without(std::size_t held, const Eigen::VectorXd& u, row_matrix all) const {
    const Eigen::Index without = at(held);
    if (stands(held) && u[without] > lower_[without]) {
      const Eigen::VectorXd by = slopes_of_reading(held, u);
      for (Eigen::Index k = 0; k < without; ++k)
        if (by[k] != 0) all.col(k) -= by[k] / by[without] * all.col(without);
    }
    row_matrix result(all.rows(), size() - 1);
    result << all.leftCols(without), all.rightCols(size() - 1 - without);
    return result;
  }

  // Costs before anything is known of the noise: half the squares of the residuals. Points are put
  // into groups in their order, whatever the threads; those not reached when stopped cost infinity.
  std::vector<double> costs_of(const std::vector<Eigen::VectorXd>& points) {
    std::vector<double> costs(points.size(), unbounded);
    const auto share_done = [&](std::size_t done) {
      tell(0.25 * static_cast<double>(done) / static_cast<double>(points.size()));
    };
    if (!p_.squares) {
      for (std::size_t k = 0; k < points.size() && !is_stopped(); ++k) {
        costs[k] = plain_cost(points[k]);
        share_done(k + 1);
      }
      return costs;
    }
    evaluations_ += static_cast<long>(points.size());
    const std::size_t at_once = std::max<std::size_t>(p_.side_by_side, 1);
    std::atomic<std::size_t> next{0};
    std::exception_ptr problem;
    std::mutex guard;
    const auto work = [&](bool tells) {
      try {
        for (std::size_t begin = next.fetch_add(at_once); begin < points.size() && !is_stopped();
             begin = next.fetch_add(at_once)) {
          const std::size_t end = std::min(begin + at_once, points.size());
          std::vector<std::vector<double>> group;
          for (std::size_t k = begin; k < end; ++k) group.push_back(values(points[k]));
          const auto squares = p_.squares(group);
          for (std::size_t k = begin; k < end; ++k)
            if (std::isfinite(squares[k - begin])) costs[k] = squares[k - begin] / 2;
          if (tells) share_done(end);
        }
      } catch (...) {
        const std::lock_guard lock(guard);
        problem = std::current_exception();
      }
    };
    const std::size_t cores = o_.threads > 0 ? static_cast<std::size_t>(o_.threads)
                                             : std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> others;
    for (std::size_t k = 1; k < cores && k * at_once < points.size(); ++k)
      others.emplace_back(work, false);
    work(true);
    for (auto& each : others) each.join();
    if (problem) std::rethrow_exception(problem);
    return costs;
  }

  // The start, and the points of a Latin hypercube about it, the best first. Elements of a list move
  // together.
  std::vector<Eigen::VectorXd> best_starts() {
    struct tried {
      double cost;
      Eigen::VectorXd u;
    };
    std::vector<tried> all;
    double first = plain_cost(begin_);
    if (given_.size() > 0 && given_ != begin_)
      if (const double there = plain_cost(given_); there < first) {
        first = there;
        begin_ = given_;
      }
    if (first < unbounded) all.push_back({first, begin_});
    std::mt19937_64 random(o_.seed);
    const auto count = static_cast<std::size_t>(o_.starts);
    std::vector<std::vector<std::size_t>> places(n_, std::vector<std::size_t>(count));
    for (auto& column : places) {
      std::iota(column.begin(), column.end(), std::size_t{0});
      // Not std::shuffle, whose order differs between libraries.
      for (std::size_t k = count; k > 1; --k) std::swap(column[k - 1], column[random() % k]);
    }
    const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    std::vector<Eigen::VectorXd> cube;
    for (std::size_t k = 0; k < count; ++k) {
      Eigen::VectorXd u = start_;
      double shift = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        const coordinate& c = coordinates_[i];
        const double reach = std::log(o_.spread) * (c.is_log ? 1.0 : 0.6);
        const bool moves_along = p_.unknowns[i].smooth_width > 0 && i > 0;
        const double place =
            (static_cast<double>(places[i][k]) + uniform()) / static_cast<double>(count);
        // Every other point stays nearer: of many unknowns hardly one is right far away.
        if (!moves_along) shift = (k % 2 == 0 ? 1 : 0.35) * reach * (2 * place - 1);
        const double margin = 1e-3 * (c.upper - c.lower);
        u[at(i)] = std::clamp(start_[at(i)] + shift, c.lower + margin, c.upper - margin);
      }
      cube.push_back(std::move(u));
    }
    if (p_.more_starts && count > 0)
      for (const std::vector<double>& each : p_.more_starts()) cube.push_back(scaled(each));
    const std::vector<double> costs = costs_of(cube);
    for (std::size_t k = 0; k < cube.size(); ++k)
      if (costs[k] < unbounded) all.push_back({costs[k], cube[k]});
    std::stable_sort(all.begin() + (first < unbounded ? 1 : 0), all.end(),
                     [](const tried& a, const tried& b) { return a.cost < b.cost; });
    std::vector<Eigen::VectorXd> result;
    result.reserve(all.size());
    for (tried& each : all) result.push_back(std::move(each.u));
    return result;
  }

  // ---- what was found, and how well ----------------------------------------------------------------

  // Nothing counts as determined until it has an interval.
  fit_result with_values(fit_result found, const Eigen::VectorXd& u) const {
    found.values = values(u);
    for (std::size_t i = 0; i < n_; ++i) {
      estimate e;
      e.value = found.values[i];
      e.lower = p_.unknowns[i].allowed.lower;
      e.upper = p_.unknowns[i].allowed.upper;
      found.estimates.push_back(e);
      leave_undetermined(found.estimates.back(), i);
    }
    return found;
  }
  void leave_undetermined(estimate& e, std::size_t i) const {
    e.is = verdict::vague;
    e.words = fmt::format("the fit was stopped before {} was determined", p_.unknowns[i].name);
  }

  fit_result without_unknowns(fit_result found) {
    found.residual.resize(rows_);
    if (!data(Eigen::VectorXd(), found.residual.data())) {
      found.detail = "the model could not be run";
      return found;
    }
    finish_residuals(found, 0);
    found.how = fit_result::ending::converged;
    found.evaluations = evaluations_;
    return found;
  }

  void finish_residuals(fit_result& found, double parameters) const {
    double squares = 0, neighbours = 0;
    for (const double each : found.residual) squares += each * each;
    std::size_t begin = 0;
    for (const std::size_t length : p_.rows) {
      for (std::size_t i = begin; i + 1 < begin + length; ++i)
        neighbours += found.residual[i] * found.residual[i + 1];
      begin += length;
    }
    const double n = static_cast<double>(rows_);
    found.rms = std::sqrt(squares / n);
    found.whiteness = squares > 0 ? neighbours / squares : 0;
    found.effective_samples = effective_samples(found.residual, p_.rows, o_.interrupt);
    if (is_interrupted()) found.effective_samples = 0;
    set_bic(found, parameters);
  }
  static void set_bic(fit_result& found, double parameters) {
    found.bic = found.effective_samples * std::log(std::max(found.rms * found.rms, 1e-300)) +
                parameters * std::log(std::max(found.effective_samples, 2.0));
  }

  struct information_at {
    Eigen::MatrixXd of_data, of_all;
    Eigen::VectorXd spread;  // inverses of the eigenvalues of `of_all`
    Eigen::MatrixXd vectors, covariance;
  };
  information_at information_of(const row_matrix& j) const {
    information_at result;
    result.of_data = j.topRows(data_rows()).transpose() * j.topRows(data_rows()) / variance_;
    result.of_all = result.of_data;
    if (penalties_ > 0 && noise_ > 0)
      result.of_all += j.bottomRows(at(penalties_)).transpose() * j.bottomRows(at(penalties_)) /
                       (noise_ * noise_);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(result.of_all);
    result.spread = parts.eigenvalues();
    for (Eigen::Index k = 0; k < size(); ++k)
      result.spread[k] = 1 / std::max(result.spread[k], 1e-16);
    result.vectors = parts.eigenvectors();
    result.covariance = result.vectors * result.spread.asDiagonal() * result.vectors.transpose();
    return result;
  }

  // Parameters that the data tells: where a prior tells one there are fewer, and none along a direction
  // that nothing depends on, of which rounding is all there is.
  double parameters_told(const information_at& here) const {
    const double least = std::max(no_information, 1e-13 / here.spread.minCoeff());
    double told = 0;
    for (Eigen::Index k = 0; k < size(); ++k) {
      const double by_data = here.vectors.col(k).dot(here.of_data * here.vectors.col(k));
      if (1 / here.spread[k] > least) told += std::clamp(by_data * here.spread[k], 0.0, 1.0);
    }
    return told;
  }
  static constexpr double no_information = 1e-6;  // of an unknown that has no influence

  // Stopped: the best values stand.
  void leave_without_intervals(fit_result& found) const {
    if (best_u_.size() > 0) {
      found.estimates.clear();
      found = with_values(std::move(found), in_order(best_u_));
      found.residual = best_residual_;
      finish_residuals(found, static_cast<double>(n_));
    }
    found.flat.clear();
    found.correlation.clear();
    found.detail = is_interrupted() ? "left out, since it was interrupted: intervals, "
                                      "correlations, and the number of independent samples"
                                    : "no intervals: the derivatives could not be completed";
  }

  void describe(fit_result& found, Eigen::VectorXd& best) {
    Eigen::VectorXd r(all_rows());
    row_matrix j(all_rows(), size());
    constexpr int most = 8;
    for (int again = 0; again < most; ++again) {
      is_free_ = false;
      found.estimates.clear();
      found.flat.clear();
      found = with_values(std::move(found), best);
      const bool is_quick = p_.derivative && p_.derivative_is_exact && !is_interrupted();
      if ((is_stopped() && !is_quick) || !evaluate(best, r, &j))
        return leave_without_intervals(found);
      std::vector<double> residual(rows_);
      if (!data(best, residual.data())) return leave_without_intervals(found);
      found.residual = std::move(residual);
      finish_residuals(found, static_cast<double>(n_));
      if (is_interrupted()) return;
      // What a residual is worth: the noise, and how many of them tell the same.
      const double n = static_cast<double>(rows_);
      const double freedom = std::max(n - static_cast<double>(n_), 1.0);
      const auto set_variance = [&](double worth) {
        const double squares = r.head(data_rows()).squaredNorm();
        // A record without noise is still rounded; what is known no better than that is not known.
        const double rounding = std::numeric_limits<double>::epsilon() *
                                j.topRows(data_rows()).colwise().norm().maxCoeff() / std::sqrt(n);
        variance_ = std::max({squares / freedom * n / worth, rounding * rounding, 1e-300});
      };
      set_variance(found.effective_samples);
      information_at here = information_of(j);
      slopes_here_ = j;
      const bool is_last = again + 1 == most;
      set_bic(found, parameters_told(here));
      name_flat_directions(found, here.vectors, here.spread, here.of_data);
      correlate(found, here.covariance);
      if (o_.intervals && o_.robust == fit_options::loss::squares)
        seen_below_ = r.head(data_rows()).squaredNorm() + quantile() * quantile() * variance_;
      if (o_.intervals && !is_stopped()) {
        const Eigen::VectorXd better = look_elsewhere(best, here);
        if (better.size() > 0 && !is_last) {
          best = better;
          continue;
        }
      }
      // A prior is no information: intervals are those without it, about the place where the fit would
      // be then.
      Eigen::VectorXd centre = best;
      if (penalties_ > 0) {
        is_free_ = true;
        sum_of_shares_ = 0;
        for (std::size_t i = 0; i < n_; ++i)
          if (p_.unknowns[i].is_share) sum_of_shares_ += found.values[i];
        if (o_.intervals && !is_stopped()) {
          const auto solved = solve(best, o_.max_iterations, 1e-7);
          if (solved.how != least_squares_result::ending::failed) centre = solved.u;
        }
        if (!evaluate(centre, r, &j)) return;
        set_variance(effective_samples({r.data(), rows_}, p_.rows, o_.interrupt));
        if (is_interrupted()) return;
        here = information_of(j);
        slopes_here_ = j;
      }
      const bool is_better = make_intervals(found, best, centre, here.covariance, here.of_data);
      is_free_ = false;
      if (!is_better) return;
      // A profile found a better place: from there once more.
      if (is_stopped() || is_last) return;
      const auto solved = solve(centre, o_.max_iterations, 1e-12);
      if (solved.how == least_squares_result::ending::failed) return;
      best = in_order(solved.u);
    }
  }

  // The same shares with the sum that they have in `other`.
  Eigen::VectorXd with_shares_of(const Eigen::VectorXd& other, Eigen::VectorXd u) const {
    auto p = values(u);
    const auto wanted = values(other);
    double sum = 0, sum_wanted = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      sum += p_.unknowns[i].is_share ? p[i] : 0;
      sum_wanted += p_.unknowns[i].is_share ? wanted[i] : 0;
    }
    if (!(sum > 0)) return u;
    for (std::size_t i = 0; i < n_; ++i)
      if (p_.unknowns[i].is_share) p[i] *= sum_wanted / sum;
    return scaled(p);
  }

  // Searches from other places. A better one, if there is any; where they ended otherwise is in
  // `elsewhere_`. Those for the elements of lists go on until two of them came back, or three did not.
  Eigen::VectorXd look_elsewhere(const Eigen::VectorXd& best, const information_at& here) {
    const Eigen::MatrixXd& of_data = here.of_data;
    elsewhere_.clear();
    returned_ = 0;
    const double best_cost = plain_cost(best), z = quantile();
    Eigen::VectorXd better;
    const auto search = [&](const Eigen::VectorXd& from, bool is_pair, bool is_near = false) {
      if (!(plain_cost(from) < unbounded)) return;
      row_matrix slopes = slopes_here_;
      const auto solved = solve(from, is_pair ? 20 : 30, 1e-6, {}, is_near ? &slopes : nullptr);
      if (solved.how == least_squares_result::ending::failed) return;
      const Eigen::VectorXd end = in_order(with_shares_of(best, solved.u));
      const double below = drop(plain_cost(end), best_cost);
      if (below < 1) ++returned_;
      if (below < -0.5) {
        const auto last = solve(end, o_.max_iterations, 1e-12);
        better = last.how == least_squares_result::ending::failed ? end : in_order(last.u);
      }
      // One that fits less well by far says nothing.
      if (below < 3 * z * z) elsewhere_.push_back(end);
    };
    // From a few standard errors away. Where slopes have kinks a search ends short of the best place:
    // then the place is felt for without them.
    std::mt19937_64 near(o_.seed + 57);
    bool is_rough = false;
    came_back_ = 0;
    for (int k = 0; k < o_.nearby && nearby_left_ > 0 && !is_stopped(); ++k) {
      --nearby_left_;
      Eigen::VectorXd u = best;
      for (Eigen::Index d = 0; d < size(); ++d) {
        const double share = 2 * (static_cast<double>(near() >> 11) * 0x1p-53) - 1;
        u += std::copysign(1 + std::abs(share), share) * std::min(std::sqrt(here.spread[d]), 0.5) *
             here.vectors.col(d);
      }
      const int before = returned_;
      search(u.cwiseMax(lower_).cwiseMin(upper_), true, true);
      came_back_ += returned_ - before;
      is_rough = is_rough || returned_ == before || better.size() > 0;
      if (better.size() > 0) break;
    }
    if (is_rough && !is_stopped()) {
      const Eigen::VectorXd from = better.size() > 0 ? better : best;
      const Eigen::VectorXd felt = in_order(feel(from, here));
      if (drop(plain_cost(felt), plain_cost(from)) < -0.5) better = felt;
    }
    if (better.size() > 0 || is_stopped()) return better;
    // Pairs of one unit that may have taken each other's place.
    const auto p = values(best);
    int pairs = 0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = i + 1; k < n_ && pairs < 12; ++k) {
        const unknown &a = p_.unknowns[i], &b = p_.unknowns[k];
        const bool are_alike = a.in == b.in && a.set < 0 && b.set < 0 && a.prior_width == 0 &&
                               b.prior_width == 0 && a.not_below == b.not_below;
        if (!are_alike || !allows(a.allowed, p[k]) || !allows(b.allowed, p[i])) continue;
        if (!(std::abs(p[i] - p[k]) > 0.05 * std::max(std::abs(p[i]), std::abs(p[k])))) continue;
        auto other = p;
        std::swap(other[i], other[k]);
        ++pairs;
        search(scaled(other), true);
        if (better.size() > 0 || is_stopped()) return better;
      }
    // From where an unknown that has no influence begins to have some.
    for (std::size_t i = 0; i < n_; ++i) {
      if (!coordinates_[i].is_log || of_data(at(i), at(i)) >= 1e-6) continue;
      for (const double step : {-0.5, 0.5}) {
        Eigen::VectorXd u = best;
        double change = 0;
        while (std::abs(change) < 0.1 && u[at(i)] + step > lower_[at(i)] &&
               u[at(i)] + step < upper_[at(i)]) {
          u[at(i)] += step;
          change = drop(plain_cost(u), best_cost);
        }
        if (std::abs(change) < 0.1) continue;
        search(u, true);
        if (better.size() > 0 || is_stopped()) return better;
      }
    }
    has_elements_ = std::any_of(p_.unknowns.begin(), p_.unknowns.end(),
                                [](const unknown& x) { return x.prior_width > 0; });
    if (!has_elements_) return better;
    returned_ = 0;
    std::mt19937_64 random(o_.seed + static_cast<unsigned>(searches_left_));
    for (int k = 0; k < (returned_ > 0 ? 4 : 3) && returned_ < 2; ++k) {
      if (searches_left_-- <= 0 || is_stopped()) break;
      Eigen::VectorXd u = best;
      for (std::size_t i = 0; i < n_; ++i) {
        if (p_.unknowns[i].prior_width <= 0) continue;
        const double share = static_cast<double>(random() >> 11) * 0x1p-53;
        u[at(i)] = std::clamp(u[at(i)] + 0.8 * (2 * share - 1), lower_[at(i)], upper_[at(i)]);
      }
      search(u, false);
      if (better.size() > 0) return better;
    }
    return better;
  }

  // Steps along the axes of the covariance, one after the other and ever shorter, which need no slopes.
  Eigen::VectorXd feel(Eigen::VectorXd u, const information_at& here) {
    double cost = plain_cost(u);
    for (const double share : {1.0, 0.5, 0.25, 0.12})
      for (Eigen::Index d = 0; d < size() && !is_stopped(); ++d) {
        const Eigen::VectorXd step =
            share * std::min(std::sqrt(here.spread[d]), 0.5) * here.vectors.col(d);
        bool moved = false;
        for (const double sign : {1.0, -1.0})
          for (int k = 0; k < 8 && !(moved && k == 0); ++k) {
            const Eigen::VectorXd trial = (u + sign * step).cwiseMax(lower_).cwiseMin(upper_);
            const double cost_there = plain_cost(trial);
            if (!(cost_there < cost)) break;
            u = trial;
            cost = cost_there;
            moved = true;
          }
      }
    return u;
  }

  // Elements that may change places, two by two as they lie side by side in their order: their unknowns, list
  // by list.
  using twins = std::vector<std::pair<std::size_t, std::size_t>>;
  std::vector<twins> neighbours() const {
    std::vector<twins> result;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < n_; ++k) {
        const unknown &a = p_.unknowns[i], &b = p_.unknowns[k];
        if (a.set < 0 || a.set != b.set || a.list != b.list || a.prior_width <= 0) continue;
        if (b.element != a.element + 1) continue;
        const auto place = static_cast<std::size_t>(a.element);
        if (result.size() <= place) result.resize(place + 1);
        result[place].emplace_back(i, k);
      }
    return result;
  }

  // Two elements that are alike are one. If that fits, too, one fewer would do, and the likelihood has no
  // summit but a ridge of sets with one element to spare: no interval about its highest place is of 95 %.
  bool one_fewer_fits(const Eigen::VectorXd& best) {
    const double best_cost = plain_cost(best);
    const double least = least_that_tells();
    for (const twins& pair : neighbours())
      for (const double share : {0.5, 0.0, 1.0}) {
        if (is_stopped()) return false;
        const Eigen::VectorXd end = solve_with_twins(best, pair, share);
        if (!(drop(plain_cost(end), best_cost) < least)) continue;
        elsewhere_.push_back(end);
        return true;
      }
    return false;
  }
  static constexpr double confidence_that_all_are_needed = 0.99;

  // Where the likelihood falls little towards a limit, some value fits the noise better than that does.
  // An interval that is longer on one side shows where this may be; a value a thousand times farther
  // there must fit clearly worse.
  void look_at_limits(fit_result& found, const Eigen::VectorXd& best, double best_cost) {
    if (!o_.intervals || o_.robust != fit_options::loss::squares) return;
    for (std::size_t i = 0; i < n_; ++i) {
      estimate& e = found.estimates[i];
      if (e.is != verdict::determined || !coordinates_[i].is_log || is_stopped()) continue;
      const double up = std::log(e.upper / e.value), down = std::log(e.value / e.lower);
      const double side = up > 2 * down ? 1 : down > 2 * up ? -1 : 0;
      if (side == 0) continue;
      Eigen::VectorXd from = best;
      from[at(i)] = std::clamp(best[at(i)] + side * std::log(1000.0), lower_[at(i)], upper_[at(i)]);
      const auto solved = solve(from, 60, 0.01 / static_cast<double>(rows_), i);
      if (solved.how == least_squares_result::ending::failed || is_stopped() ||
          !(drop(solved.cost, best_cost) < least_above_a_limit))
        continue;
      e.is = verdict::runs_off;
      e.words = fmt::format("{} runs off: any value {} {:.4g} {} fits nearly as well",
                            p_.unknowns[i].name, side > 0 ? "above" : "below",
                            side > 0 ? e.lower : e.upper, to_string(p_.unknowns[i].in));
    }
  }
  static constexpr double least_above_a_limit = 10.8;  // of one unknown: 1 record in 1000
  // By how much twice the log-likelihood must fall where something is left out that is told.
  double least_that_tells() const {
    return boost::math::quantile(boost::math::chi_squared(static_cast<double>(n_)),
                                 confidence_that_all_are_needed);
  }
  // What stands on another is not told where it might as well lie on that, as F_s on F_c; nor is what has
  // an influence only above that, as v_s, whose best value then follows the noise. Why not, of each.
  // What belongs together, as F_s and v_s, is in `groups`; the fits without what is not needed are `simpler`.
  // Where a bump that the search did not come across fits better, that place is `better`.
  struct simpler_fit {
    Eigen::VectorXd u;
    Eigen::MatrixXd covariance;
    std::vector<std::size_t> without;
  };
  std::vector<std::string> what_is_not_needed(const Eigen::VectorXd& best,
                                              std::vector<std::vector<std::size_t>>& groups,
                                              std::vector<simpler_fit>& simpler,
                                              Eigen::VectorXd& better) {
    std::vector<std::string> why(n_);
    if (!o_.intervals) return why;
    const double best_cost = plain_cost(best);
    const double least = least_that_tells();
    Eigen::VectorXd r(all_rows());
    row_matrix j(all_rows(), size());
    for (std::size_t i = 0; i < n_; ++i) {
      if (!stands(i) || is_stopped()) continue;
      const std::string& name = p_.unknowns[i].name;
      const std::string& below =
          p_.unknowns[static_cast<std::size_t>(p_.unknowns[i].not_below)].name;
      Eigen::VectorXd from = best;
      from[at(i)] = lower_[at(i)];
      // Ceres wants a box that is not empty.
      const double kept = std::exchange(upper_[at(i)], lower_[at(i)] + 1e-9);
      const auto solved = solve(from, o_.max_iterations, 1e-6);
      upper_[at(i)] = kept;
      if (solved.how == least_squares_result::ending::failed || is_stopped()) continue;
      const bool is_needed = !(drop(solved.cost, best_cost) < least);
      if (!is_needed)
        why[i] = fmt::format("{} is ambiguous: with {} equal to {} the fit is nearly as good", name,
                             name, below);
      if (!evaluate(from, r, &j)) continue;
      groups.push_back({i});
      for (std::size_t k = 0; k < n_; ++k) {
        if (k == i || !(j.col(at(k)).norm() <= 1e-9 * slopes_here_.col(at(k)).norm())) continue;
        groups.back().push_back(k);
        if (!is_needed && why[k].empty())
          why[k] = fmt::format(
              "{} is ambiguous: it matters only where {} is above {}, and without that the fit is "
              "nearly as good",
              p_.unknowns[k].name, name, below);
      }
      if (is_needed) continue;
      better = bump_elsewhere(i, groups.back(), solved.u, best_cost);
      if (better.size() > 0) return why;
      if (!evaluate(solved.u, r, &j)) continue;
      for (const std::size_t k : groups.back()) j.col(at(k)).setZero();
      simpler.push_back({solved.u, information_of(j).covariance, groups.back()});
    }
    return why;
  }

  // Without a bump nothing shows where one would lie: it is tried at several places. Empty where none fits
  // better than the best.
  Eigen::VectorXd bump_elsewhere(std::size_t i, const std::vector<std::size_t>& group,
                                 const Eigen::VectorXd& without, double best_cost) {
    const auto below = static_cast<std::size_t>(p_.unknowns[i].not_below);
    const double base = values(without)[below];
    for (const std::size_t k : group) {
      if (k == i || !coordinates_[k].is_log) continue;
      for (const double times : {0.03, 0.1, 0.3, 1.0, 3.0, 10.0}) {
        if (is_stopped()) return {};
        Eigen::VectorXd from = without;
        from[at(k)] = std::clamp(start_[at(k)] + std::log(times), lower_[at(k)], upper_[at(k)]);
        from[at(i)] = coordinates_[i].inverse(1.3 * base, base);
        const auto solved = solve(from, 20, 1e-4);
        if (solved.how != least_squares_result::ending::failed && drop(solved.cost, best_cost) < -1)
          return solved.u;
      }
    }
    return {};
  }

  // From the mean of what both are, or in what they are put in order by, from one of them.
  Eigen::VectorXd solve_with_twins(const Eigen::VectorXd& best, const twins& pair, double share) {
    const auto whole = [&](Eigen::VectorXd u) {
      for (const auto& [one, other] : pair)
        u[at(other)] = coordinates_[other].inverse(coordinates_[one].value(u[at(one)], 0), 0);
      return u;
    };
    auto p = values(best);
    for (const auto& [one, other] : pair) {
      const double to = p_.unknowns[one].order != 0 ? share : 0.5;
      p[one] = p[other] = (1 - to) * p[one] + to * p[other];
    }
    least_squares_problem inner;
    inner.residuals = all_rows();
    inner.max_iterations = 30;
    inner.tolerance = 1e-6;
    inner.negligible = 0.02 / static_cast<double>(rows_);
    inner.stops = [this] { return is_stopped(); };
    inner.lower = lower_;
    inner.upper = upper_;
    inner.evaluate = [&](const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix* j) {
      const Eigen::VectorXd full = whole(u);
      if (is_stopped() || !evaluate(full, r, j)) return false;
      if (j != nullptr)
        for (const auto& [one, other] : pair) {
          const double ratio =
              coordinates_[one].slope(full[at(one)]) / coordinates_[other].slope(full[at(other)]);
          j->col(at(one)) += ratio * j->col(at(other));
          j->col(at(other)).setZero();
        }
      return true;
    };
    return whole(solve_least_squares(inner, scaled(p)).u);
  }

  // Whether a search from elsewhere came to another value of this unknown that fits about as well.
  bool is_ambiguous(std::size_t i, const Eigen::VectorXd& best, double error, double z) const {
    return std::any_of(elsewhere_.begin(), elsewhere_.end(), [&](const Eigen::VectorXd& u) {
      return std::abs(u[at(i)] - best[at(i)]) > 1.5 * z * error + 1e-3;
    });
  }

  // Which unknowns are ambiguous, or elements that are vague at once. Where no search came back to the
  // elements, or most of them are so, none is determined: not even which of the others is which.
  std::vector<bool> undetermined(const Eigen::VectorXd& best, const Eigen::MatrixXd& covariance,
                                 double z) const {
    std::vector<bool> result(n_);
    std::size_t elements = 0, of_them = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double error = std::sqrt(covariance(at(i), at(i)));
      const bool is_element = p_.unknowns[i].prior_width > 0;
      result[i] = is_ambiguous(i, best, error, z) || (is_element && error > vague_element);
      elements += is_element ? 1 : 0;
      of_them += is_element && result[i] ? 1 : 0;
    }
    if (has_elements_ && (returned_ == 0 || 2 * of_them > elements))
      for (std::size_t i = 0; i < n_; ++i)
        if (p_.unknowns[i].prior_width > 0) result[i] = true;
    return result;
  }
  static constexpr double vague_element = 0.6;  // an interval of a factor of ten

  double quantile() const { return std::sqrt(2.0) * boost::math::erf_inv(o_.confidence); }

  void name_flat_directions(fit_result& found, const Eigen::MatrixXd& vectors,
                            const Eigen::VectorXd& spread, const Eigen::MatrixXd& of_data) const {
    for (Eigen::Index k = 0; k < size(); ++k) {
      const double width = std::sqrt(spread[k]);
      if (width < 1) continue;
      fit_result::flat_direction direction{width, {}, {}};
      std::vector<std::string> names;
      for (std::size_t i = 0; i < n_; ++i) {
        const double share = vectors(at(i), k);
        if (std::abs(share) < 0.25 || of_data(at(i), at(i)) < no_information) continue;
        direction.parts.emplace_back(static_cast<int>(i), share);
        names.push_back(p_.unknowns[i].name);
      }
      if (names.empty()) continue;
      if (names.size() == 1) {
        direction.words =
            fmt::format("{} alone can change by a factor without any effect on the fit", names[0]);
      } else {
        std::vector<std::string> with, against;
        const double sign = direction.parts[0].second;
        for (std::size_t m = 0; m < names.size(); ++m)
          (direction.parts[m].second * sign > 0 ? with : against).push_back(names[m]);
        direction.words =
            against.empty()
                ? fmt::format("{} can grow together without any effect on the fit",
                              fmt::join(with, ", "))
                : fmt::format("{} can grow while {} fall{} without any effect on the fit",
                              fmt::join(with, ", "), fmt::join(against, ", "),
                              against.size() == 1 ? "s" : "");
      }
      found.flat.push_back(std::move(direction));
    }
  }

  void correlate(fit_result& found, const Eigen::MatrixXd& covariance) const {
    found.correlation.assign(n_, std::vector<double>(n_));
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < n_; ++k)
        // Root by root: without noise their product is too small for a number.
        found.correlation[i][k] = covariance(at(i), at(k)) / std::sqrt(covariance(at(i), at(i))) /
                                  std::sqrt(covariance(at(k), at(k)));
  }

  // Twice the log-likelihood below the best, but for its constant. The penalties count as they are.
  double drop(double cost, double best_cost) const { return 2 * (cost - best_cost) / variance_; }

  // About `best`, where the values found are those of `values_at`. Returns whether a better place was
  // found, which is then in `best`.
  bool make_intervals(fit_result& found, const Eigen::VectorXd& values_at, Eigen::VectorXd& best,
                      const Eigen::MatrixXd& covariance, const Eigen::MatrixXd& of_data) {
    const double z = quantile();
    const double best_cost = plain_cost(best);
    const auto centre = values(best);
    std::vector<bool> is_other = undetermined(values_at, covariance, z);
    const auto is_determined_element = [&](std::size_t i) {
      return p_.unknowns[i].prior_width > 0 && !is_other[i];
    };
    bool has_determined = false;
    for (std::size_t i = 0; i < n_; ++i)
      has_determined = has_determined || is_determined_element(i);
    if (has_determined && o_.intervals && !is_stopped() && one_fewer_fits(best))
      for (std::size_t i = 0; i < n_; ++i)
        if (is_determined_element(i)) is_other[i] = true;
    std::vector<std::vector<std::size_t>> groups;
    std::vector<simpler_fit> simpler;
    Eigen::VectorXd better;
    const std::vector<std::string> not_needed = what_is_not_needed(best, groups, simpler, better);
    if (better.size() > 0) {
      best = better;
      return true;
    }
    for (std::size_t i = 0; i < n_; ++i) {
      const unknown& x = p_.unknowns[i];
      const coordinate& c = coordinates_[i];
      estimate& e = found.estimates[i];
      e.is = verdict::determined;
      e.words.clear();
      const double scaled_here = best[at(i)], here = reading(i, best);
      const Eigen::VectorXd slopes = slopes_of_reading(i, best);
      const double error = std::sqrt(slopes.dot(covariance * slopes));
      e.standard_error = (stands(i) ? size_of(i) : std::abs(c.slope(scaled_here))) * error;
      double low = here - z * error, high = here + z * error;
      if (of_data(at(i), at(i)) < no_information && !is_stopped()) {
        // It may have had some where it came from: then it ran off to where it has none.
        const double back = start_[at(i)] - scaled_here;
        Eigen::VectorXd from = best;
        from[at(i)] = start_[at(i)];
        if (std::abs(back) > 0.5 && drop(plain_cost(from), best_cost) > z * z) {
          const Eigen::VectorXd alone = Eigen::VectorXd::Zero(size());
          const side_of_profile side =
              profile(i, best, alone, std::copysign(1.0, back), z, best_cost);
          const double other = c.value(back < 0 ? c.upper : c.lower, above(centre, i));
          e.lower = std::min(value_of_reading(i, side.u), other);
          e.upper = std::max(value_of_reading(i, side.u), other);
          e.is_profile = true;
          judge(e, x, c, scaled_here, 0, back > 0, back < 0, 0, 0);
          continue;
        }
      }
      if (of_data(at(i), at(i)) < no_information) {
        e.is = verdict::no_influence;
        e.words = fmt::format(
            "{} has no influence: the residuals do not depend on it; its value is the starting "
            "value",
            x.name);
        e.lower = c.value(c.lower, above(centre, i));
        e.upper = c.value(c.upper, above(centre, i));
        if (e.lower > e.upper) std::swap(e.lower, e.upper);
        continue;
      }
      bool open_low = false, open_high = false;
      double far_low = 0, far_high = 0;
      if (o_.intervals && !is_other[i] && not_needed[i].empty() && !is_stopped()) {
        const Eigen::VectorXd along = covariance * slopes / (error * error);
        if (!is_quadratic(at(i), best, along, error, z, best_cost)) {
          e.is_profile = true;
          const side_of_profile below = profile(i, best, along, -error, z, best_cost);
          const side_of_profile over = profile(i, best, along, error, z, best_cost);
          if (below.better.size() > 0 || over.better.size() > 0) {
            best = below.better.size() > 0 ? below.better : over.better;
            return true;
          }
          low = below.u;
          high = over.u;
          open_low = below.is_open;
          open_high = over.is_open;
          far_low = below.drop;
          far_high = over.drop;
        }
      }
      // A bump that is not needed follows the noise, and moves the others with it: what they are without it
      // is in their intervals, too.
      for (const simpler_fit& each : simpler) {
        if (stands(i) || std::count(each.without.begin(), each.without.end(), i) > 0) continue;
        const double there = each.u[at(i)], width = z * std::sqrt(each.covariance(at(i), at(i)));
        low = std::min(low, there - width);
        high = std::max(high, there + width);
      }
      if (stands(i)) {
        low = std::max(low, x.allowed.lower / size_of(i));
      } else {
        low = std::clamp(low, c.lower, c.upper);
        high = std::clamp(high, c.lower, c.upper);
      }
      e.lower = value_of_reading(i, low);
      e.upper = value_of_reading(i, high);
      if (e.lower > e.upper) std::swap(e.lower, e.upper);
      e.lower = std::min(e.lower, e.value);
      e.upper = std::max(e.upper, e.value);
      judge(e, x, c, scaled_here, high - low, open_low, open_high, far_low, far_high);
      // What others make up for does not run off: any value fits, with theirs.
      if (e.is == verdict::runs_off && e.is_profile && is_made_up_for(found, i)) leave_vague(e, x);
      // Along a direction that is flat altogether a profile ends where its search does.
      if (e.is == verdict::determined && c.is_log && error > flat_altogether) leave_vague(e, x);
      if (is_other[i] && e.is == verdict::determined) {
        for (const Eigen::VectorXd& each : elsewhere_) {
          const double value = values(each)[i];
          e.lower = std::min(e.lower, value);
          e.upper = std::max(e.upper, value);
        }
        e.is = verdict::ambiguous;
        e.words = fmt::format(
            "{} is ambiguous: other values of the unknowns fit equally well, with {} from {:.4g} "
            "to {:.4g} {}",
            x.name, x.name, e.lower, e.upper, to_string(x.in));
      }
      if (!not_needed[i].empty() && e.is == verdict::determined) {
        e.is = verdict::ambiguous;
        e.words = not_needed[i];
      }
      if (o_.intervals && is_stopped() && e.is == verdict::determined) leave_undetermined(e, i);
      tell(0.7 + 0.3 * static_cast<double>(i + 1) / static_cast<double>(n_));
    }
    look_beyond(found, best);
    look_at_limits(found, best, best_cost);
    for (const auto& group : groups) tie_group(found, group);
    tie(found, covariance);
    return false;
  }

  // Every place that fits nearly as well as the best belongs into the intervals, wherever it was seen. Few
  // more are looked at beyond their ends: a likelihood with steps may rise again there.
  void look_beyond(fit_result& found, const Eigen::VectorXd& best) {
    if (!o_.intervals || o_.robust != fit_options::loss::squares) return;
    Eigen::VectorXd r(all_rows());
    const auto centre = values(best);
    for (std::size_t i = 0; i < n_; ++i) {
      const estimate& e = found.estimates[i];
      if (e.is != verdict::determined || stands(i)) continue;
      const coordinate& c = coordinates_[i];
      const double here = best[at(i)];
      const auto look = [&](double wanted) {
        if (is_stopped() || !(wanted > c.lower && wanted < c.upper)) return;
        Eigen::VectorXd u = best;
        u[at(i)] = wanted;
        data(u, r.data());
      };
      for (const double end : {e.lower, e.upper})
        for (const double times : {1.5, 3.0, 10.0})
          look(here + times * (c.inverse(end, above(centre, i)) - here));
      // Of a logarithm: factors of 3, 20 and 1000.
      for (const double step : {1.1, 3.0, 6.9})
        for (const double sign : {-1.0, 1.0})
          if (c.is_log) look(here + sign * step);
    }
    if (!data(best, r.data())) return;
    const double limit = r.head(data_rows()).squaredNorm() + quantile() * quantile() * variance_;
    for (const place& each : seen_) {
      if (!(each.squares < limit)) continue;
      const auto p = values(in_order(with_shares_of(best, each.u)));
      for (std::size_t i = 0; i < n_; ++i) {
        estimate& e = found.estimates[i];
        if (e.is != verdict::determined) continue;
        e.lower = std::min(e.lower, p[i]);
        e.upper = std::max(e.upper, p[i]);
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      estimate& e = found.estimates[i];
      if (e.is == verdict::determined && coordinates_[i].is_log && e.upper > 10 * e.lower)
        leave_vague(e, p_.unknowns[i]);
    }
  }
  static bool is_made_up_for(const fit_result& found, std::size_t i) {
    return std::any_of(found.flat.begin(), found.flat.end(), [&](const auto& direction) {
      const auto& parts = direction.parts;
      return direction.standard_error > flat_altogether && parts.size() > 1 &&
             std::any_of(parts.begin(), parts.end(),
                         [&](const auto& part) { return part.first == static_cast<int>(i); });
    });
  }
  static constexpr double flat_altogether = 5;      // a standard error of a factor of 150
  static constexpr double flat_enough_to_bend = 2;  // of a factor of 7
  static void leave_vague(estimate& e, const unknown& x) {
    e.is = verdict::vague;
    e.words = fmt::format("the record hardly determines {}: anything from {:.3g} to {:.3g} {} fits",
                          x.name, e.lower, e.upper, to_string(x.in));
  }

  static bool is_loose(const estimate& e) {
    return e.is == verdict::vague || e.is == verdict::runs_off || e.is == verdict::ambiguous;
  }
  // F_s says nothing without v_s, nor v_s without it.
  void tie_group(fit_result& found, const std::vector<std::size_t>& group) const {
    const auto loose = std::find_if(group.begin(), group.end(),
                                    [&](std::size_t i) { return is_loose(found.estimates[i]); });
    if (loose == group.end()) return;
    for (const std::size_t i : group)
      if (found.estimates[i].is == verdict::determined) leave_tied(found.estimates[i], i, *loose);
  }
  void leave_tied(estimate& e, std::size_t i, std::size_t to) const {
    e.is = verdict::vague;
    e.words = fmt::format("{} is known only in combination with {}, which is not determined",
                          p_.unknowns[i].name, p_.unknowns[to].name);
  }
  // Where the likelihood is no parabola, an unknown that is known only together with one that is not
  // determined is not determined either.
  void tie(fit_result& found, const Eigen::MatrixXd& covariance) const {
    // Along a flat direction that bends, a profile ends where its search lost the valley.
    for (const auto& direction : found.flat) {
      if (direction.standard_error < flat_enough_to_bend) continue;
      for (const auto& part : direction.parts) {
        const auto i = static_cast<std::size_t>(part.first);
        estimate& e = found.estimates[i];
        if (e.is == verdict::determined && e.is_profile && p_.unknowns[i].prior_width == 0)
          leave_vague(e, p_.unknowns[i]);
      }
    }
    std::vector<std::size_t> loose;
    for (std::size_t k = 0; k < n_; ++k) {
      if (is_loose(found.estimates[k])) loose.push_back(k);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      estimate& e = found.estimates[i];
      if (e.is != verdict::determined || !e.is_profile) continue;
      for (const std::size_t k : loose) {
        const double both =
            std::sqrt(covariance(at(i), at(i))) * std::sqrt(covariance(at(k), at(k)));
        if (!(std::abs(covariance(at(i), at(k))) > 0.95 * both)) continue;
        leave_tied(e, i, k);
        break;
      }
    }
  }

  void judge(estimate& e, const unknown& x, const coordinate& c, double u, double width,
             bool open_low, bool open_high, double far_low, double far_high) const {
    const std::string in = to_string(x.in);
    // Beside its own interval: its size may be little against that of its start.
    const double on_bound = width > 0 ? std::min(1e-3, 0.02 * width) : 1e-3;
    if (!c.is_log && (u - c.lower < on_bound || c.upper - u < on_bound) &&
        (c.lower > -25 || c.upper < 25)) {
      e.is = verdict::at_bound;
      e.words = x.not_below >= 0
                    ? fmt::format("{} is at its bound: the record favours a value below {}", x.name,
                                  p_.unknowns[static_cast<std::size_t>(x.not_below)].name)
                    : fmt::format(
                          "{} is at its bound ({:.4g} {}): the record favours a value beyond it, "
                          "or does not need this parameter",
                          x.name, e.value, in);
      return;
    }
    const bool is_at_end = c.is_log && (u - c.lower < 0.5 || c.upper - u < 0.5);
    if (is_at_end || (open_high && far_high < 1) || (open_low && far_low < 1 && c.is_log)) {
      e.is = verdict::runs_off;
      const bool is_low = is_at_end && u - c.lower < 0.5;
      const bool up = !is_low && ((open_high && far_high < 1) || is_at_end);
      e.words =
          up ? fmt::format(
                   "{} runs off: any value above {:.4g} {} fits as well; the record favours the "
                   "limit of very large values",
                   x.name, e.lower, in)
             : fmt::format(
                   "{} runs off: any value below {:.4g} {} fits as well; the record favours 0",
                   x.name, e.upper, in);
      return;
    }
    if (open_low || open_high || (c.is_log ? width > std::log(10.0) : width > 4)) {
      leave_vague(e, x);
    }
  }

  // Whether the cost at the ends of the quadratic interval is what a parabola says.
  bool is_quadratic(Eigen::Index i, const Eigen::VectorXd& best, const Eigen::VectorXd& along,
                    double error, double z, double best_cost) {
    if (!(error < 1)) return false;
    for (const double sign : {-1.0, 1.0}) {
      const Eigen::VectorXd wanted = best + sign * z * error * along;
      if (wanted[i] < lower_[i] || wanted[i] > upper_[i]) return false;
      const Eigen::VectorXd u = wanted.cwiseMax(lower_).cwiseMin(upper_);
      const double root = std::sqrt(std::max(drop(plain_cost(u), best_cost), 0.0));
      if (!(std::abs(root - z) < 0.12 * z)) return false;
    }
    return true;
  }

  struct side_of_profile {
    double u, drop;
    bool is_open = false;
    Eigen::VectorXd better = {};
  };
  // Where the best cost with this unknown held has fallen by z^2, on the side of `error`.
  side_of_profile profile(std::size_t i, const Eigen::VectorXd& best, const Eigen::VectorXd& along,
                          double error, double z, double best_cost) {
    const double sign = error < 0 ? -1 : 1, here = reading(i, best);
    const double end = stands(i)
                           ? (sign < 0 ? p_.unknowns[i].allowed.lower / size_of(i) : unbounded)
                       : sign < 0 ? lower_[at(i)]
                                  : upper_[at(i)];
    // Of a logarithm the whole range, which is 16 decades.
    const double most = std::min(std::abs(end - here), coordinates_[i].is_log ? 40.0 : 10.0);
    double reach = std::min({std::abs(error) * z, 1.0, most});
    double inner = 0, inner_root = 0, outer = -1, outer_root = 0, last_drop = 0;
    Eigen::VectorXd from = best;
    if (!(most > 1e-9)) return {here, 0, false};
    row_matrix slopes = slopes_without(i, best, slopes_here_);
    // What the others followed with so far: places, the nearest last.
    std::vector<std::pair<double, Eigen::VectorXd>> followed{{0.0, best}};
    for (int k = 0; k < 10 && !is_stopped(); ++k) {
      Eigen::VectorXd u =
          k == 0 && std::abs(error) < 1 ? Eigen::VectorXd(best + sign * reach * along) : from;
      const auto put = [&](Eigen::VectorXd& to) {
        to = to.cwiseMax(lower_).cwiseMin(upper_);
        put_reading(i, here + sign * reach, to);
      };
      put(u);
      // Onwards as they went last, where that is better.
      if (followed.size() > 1) {
        const auto& [a, u_a] = followed[followed.size() - 2];
        const auto& [b, u_b] = followed.back();
        Eigen::VectorXd onwards = u_b + std::clamp((reach - b) / (b - a), -4.0, 4.0) * (u_b - u_a);
        put(onwards);
        if (plain_cost(onwards) < plain_cost(u)) u = onwards;
      }
      // To a hundredth of what an interval's end is known to.
      auto solved = solve(u, 60, 0.01 / static_cast<double>(rows_), i, &slopes);
      // An end stands only where the others have followed altogether, also along a flat valley.
      if (solved.how != least_squares_result::ending::failed && !is_stopped() &&
          reach < flat_altogether && drop(solved.cost, best_cost) > 0.8 * z * z) {
        const auto again = solve(solved.u, 25, 1e-6, i);
        if (again.how != least_squares_result::ending::failed && again.cost < solved.cost)
          solved = again;
      }
      if (solved.how != least_squares_result::ending::failed)
        followed.emplace_back(reach, solved.u);
      double cost = unbounded;
      if (solved.how != least_squares_result::ending::failed) cost = solved.cost;
      last_drop = drop(cost, best_cost);
      if (last_drop < -2) return {here, last_drop, false, solved.u};
      const double root = std::sqrt(std::max(last_drop, 0.0));
      if (std::abs(root - z) < 0.03 * z) return {here + sign * reach, last_drop, false};
      if (root < z) {
        inner = reach;
        inner_root = root;
        from = solved.u;
        if (reach >= most)
          return {here + sign * reach, last_drop, most >= 10.0 || coordinates_[i].is_log};
        reach = outer > 0 ? between(inner, inner_root, outer, outer_root, z)
                          : std::min(most, reach * std::clamp(z / std::max(root, 1e-3), 1.3, 4.0));
      } else {
        outer = reach;
        outer_root = std::min(root, 1e3);
        reach = between(inner, inner_root, outer, outer_root, z);
      }
      if (outer > 0 && outer - inner < 0.01 * outer) break;
    }
    return {here + sign * (outer > 0 ? outer : reach), last_drop, false};
  }
  static double between(double a, double root_a, double b, double root_b, double z) {
    const double share = std::clamp((z - root_a) / (root_b - root_a), 0.1, 0.9);
    return a + share * (b - a);
  }

  const fit_problem& p_;
  const fit_options& o_;
  std::size_t n_, rows_, penalties_ = 0;
  std::vector<coordinate> coordinates_;
  Eigen::VectorXd lower_, upper_, start_, begin_;
  Eigen::VectorXd given_;   // where to begin, on bounds as well; empty where that is not asked for
  row_matrix slopes_here_;  // where intervals are made about
  double noise_ = 0, variance_ = 1, began_ = 0, sum_of_shares_ = 1;
  long evaluations_ = 0;
  bool is_free_ = false;  // of the prior
  std::atomic<bool> is_closing_{false};
  std::vector<bool> jumps_;                 // of each unknown
  std::vector<Eigen::VectorXd> looked_at_;  // for jumps
  std::vector<tooth> teeth_;                // of all combs
  double least_squares_ = unbounded, least_cost_ = -1;
  Eigen::VectorXd best_u_;
  std::vector<double> best_residual_;
  // Places that were seen while intervals are made, with their squares, if they are within the reach of an
  // interval.
  struct place {
    double squares;
    Eigen::VectorXd u;
  };
  std::vector<place> seen_;
  double seen_below_ = -unbounded;
  // Of the searches from elsewhere.
  std::vector<Eigen::VectorXd> elsewhere_;
  int searches_left_ = 6, nearby_left_ = 12, returned_ = 0, came_back_ = 0;
  bool has_elements_ = false;
};

}  // namespace

fit_result fit(const fit_problem& problem, const fit_options& options) {
  return fitter(problem, options).run();
}

}  // namespace asperity
