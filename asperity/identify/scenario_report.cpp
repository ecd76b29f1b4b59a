// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/identify/scenario_report.hpp>
#include <asperity/identify/stop_watch.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/quantity.hpp>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

namespace asperity {

namespace {

using verdict = estimate::verdict;

scenario_record with_settings(scenario_record of, const scenario_candidate& candidate) {
  for (const std::string& each : candidate.settings) apply_override(of.document, each);
  return of;
}

std::string file_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// One candidate: its problem, and what was found so far.
class candidate_fit {
 public:
  candidate_fit(const scenario_setup& setup, scenario_candidate candidate,
                const fit_options& options)
      : setup_(setup), options_(options), matches_(setup.matches), limit_(options.time_limit) {
    r.candidate = std::move(candidate);
    if (setup.records.empty()) throw error("there is no record to fit to");
    if (matches_.empty())
      throw error("nothing is compared: say which column of the run was measured");
    r.matches = matches_.size();
    set_weights(matches_, setup.records);
    const scenario_record first = record_at(0);
    r.scenario = first.name;
    r.unknowns = unknowns_of(first.document, first.name, first.folder, r.candidate.keys);
    apply_bounds();
    read_units(first);
  }

  // From the scenario's own values.
  void fit_first() {
    fit_and_judge();
    if (r.result.how != fit_result::ending::failed || !r.result.residual.empty()) return;
    for (const scenario_record& each : setup_.records)
      if (const std::string why = why_no_run(each, r.unknowns, matches_); !why.empty()) {
        r.result.detail += fmt::format(" ({}: {})", each.measured.name, why);
        return;
      }
  }
  void fit_and_judge() {
    {
      const fit_problem all_rows = problem_of(setup_.records);
      in_time(all_rows, [&] { find_sizes(all_rows, r.unknowns); });
    }
    if (!(setup_.hold_out > 0)) {
      r.result = timed(problem(), options_);
      return;
    }
    std::vector<scenario_record> parts;
    for (const auto& each : setup_.records)
      parts.push_back(without_end(each, matches_, setup_.hold_out));
    fit_options first = options_;
    first.intervals = false;
    first.progress = part_of_progress(0, 0.5);
    r.result = timed(problem_of(std::move(parts)), first);
    judge_held_out();
    if (!is_whole(r.result)) return;
    fit_options second = from_values(options_, r.result.values);
    second.progress = part_of_progress(0.5, 1);
    search(second);
  }
  // From other values; whether they led to a better end.
  bool fit_from(const std::vector<double>& values) {
    const double before = loss();
    fit_options again = from_values(options_, values);
    again.intervals = false;
    again.progress = nullptr;
    fit_result found = timed(problem(), again);
    if (found.residual.empty() || found.how == fit_result::ending::interrupted) return false;
    const double after = loss_of(found.residual, options_, noise());
    if (!(after < before)) return false;
    found.iterations += r.result.iterations;
    found.evaluations += r.result.evaluations;
    r.result = std::move(found);
    return after < before * (1 - 1e-4);
  }
  // With as much time again.
  void add_intervals(const std::function<void(double)>& progress) {
    fit_options last = from_values(options_, r.result.values);
    last.intervals = true;
    last.progress = progress;
    limit_ = options_.time_limit + seconds_;
    search(last);
  }
  // What the search makes small, with the noise of its own end.
  double loss() const { return loss_of(r.result.residual, options_, noise()); }
  double loss_with(double noise) const { return loss_of(r.result.residual, options_, noise); }
  double noise() const { return robust_noise(r.result.residual); }

  // Values for these keys, where `other` is contained: its end, and what its scenario says of the rest.
  std::vector<double> values_from(const candidate_fit& other) const {
    std::vector<std::string> keys;
    for (const auto& each : r.unknowns) keys.push_back(each.key);
    const scenario_record& first = setup_.records.front();
    const auto there =
        unknowns_of(fitted_document(first.document, other.r), first.name, first.folder, keys);
    std::vector<double> values;
    for (std::size_t i = 0; i < there.size(); ++i)
      values.push_back(
          std::clamp(there[i].start, r.unknowns[i].allowed.lower, r.unknowns[i].allowed.upper));
    return values;
  }
  // Whether it has all keys of the other, and nothing else is set that is not free here.
  bool contains(const candidate_fit& other) const {
    const auto is_free = [&](const std::string& key) {
      return std::find(r.candidate.keys.begin(), r.candidate.keys.end(), key) !=
             r.candidate.keys.end();
    };
    const auto& keys = other.r.candidate.keys;
    if (!std::all_of(keys.begin(), keys.end(), is_free)) return false;
    const auto binding = [&](const scenario_candidate& of) {
      std::vector<std::string> result;
      for (const std::string& each : of.settings)
        if (!is_free(each.substr(0, each.find('=')))) result.push_back(each);
      std::sort(result.begin(), result.end());
      return result;
    };
    return binding(r.candidate) == binding(other.r.candidate);
  }

  bool is_out_of_time() const { return seconds_ >= limit_; }
  // A fit that was stopped may have residuals of a part alone.
  bool has_all_rows() const {
    std::size_t rows = 0;
    for (const auto& each : setup_.records) rows += compared_rows(each, matches_).size();
    return r.result.residual.size() == rows * matches_.size();
  }
  void report_progress(std::function<void(double)> progress) {
    options_.progress = std::move(progress);
  }
  void release() { problem_.reset(); }  // of long records there is much in it
  void finish();

  scenario_report r;

 private:
  scenario_record record_at(std::size_t k) const {
    return with_settings(setup_.records[k], r.candidate);
  }
  fit_problem problem_of(std::vector<scenario_record> records) const {
    for (auto& each : records) each = with_settings(std::move(each), r.candidate);
    return make_scenario_problem(std::move(records), r.unknowns, matches_, options_.interrupt,
                                 setup_.threads);
  }
  const fit_problem& problem() {
    if (!problem_) problem_ = problem_of(setup_.records);
    return *problem_;
  }
  void apply_bounds() {
    for (const auto& each : setup_.bounds) {
      const auto x = std::find_if(r.unknowns.begin(), r.unknowns.end(),
                                  [&](const auto& u) { return u.key == each.key; });
      if (x == r.unknowns.end()) continue;
      x->allowed = {in_si(each.lower, x->in), in_si(each.upper, x->in)};
      if (!(x->allowed.lower < x->allowed.upper))
        throw error(fmt::format("--bound {}={}:{}: the lower end must be below the upper one",
                                each.key, each.lower, each.upper));
    }
  }
  void read_units(const scenario_record& first) {
    const auto columns = columns_of(read_scenario(first.document, first.name, first.folder));
    for (const auto& match : matches_) {
      const auto found = std::find_if(columns.begin(), columns.end(),
                                      [&](const auto& c) { return c.name == match.column; });
      if (found == columns.end()) {
        std::vector<std::string> names;
        names.reserve(columns.size());
        for (const auto& c : columns) names.push_back(c.name);
        throw error(fmt::format("--match {}={}: the run has no column '{}'; its columns are: {}",
                                match.column, match.channel, match.column, fmt::join(names, ", ")));
      }
      const auto* measured = first.measured.find_channel(match.channel);
      if (measured != nullptr && measured->in && !is_plain(found->in) &&
          !(*measured->in == found->in))
        throw error(fmt::format("--match {}={}: {} is in {}, but the measured column is in {}",
                                match.column, match.channel, match.column, to_string(found->in),
                                to_string(*measured->in)));
      units_.push_back(found->in);
    }
    r.in = matches_.size() == 1 ? units_.front() : units::one;
  }
  std::function<void(double)> part_of_progress(double from, double to) const {
    if (!options_.progress) return nullptr;
    return [=, tell = options_.progress](double share) { tell(from + (to - from) * share); };
  }
  static bool is_whole(const fit_result& found) {
    return found.how == fit_result::ending::converged ||
           found.how == fit_result::ending::iteration_limit;
  }
  fit_options from_values(fit_options options, const std::vector<double>& values) const {
    options.starts = options.searches_on = 0;
    options.begin = values;
    options.begin_on_bounds = true;
    return options;
  }
  // One limit for all fits of a candidate.
  fit_result timed(const fit_problem& problem, fit_options options) {
    options.time_limit = std::max(limit_ - seconds_, 0.0);
    fit_result found = fit(problem, options);
    seconds_ += found.seconds;
    return found;
  }
  // Runs outside of a fit: they end by the same limit, and at an interrupt.
  template <class Work>
  void in_time(const fit_problem& of, const Work& work) {
    const auto began = std::chrono::steady_clock::now();
    const auto gone = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    {
      const stop_watch watch(
          of.stop, [&] { return is_set(options_.interrupt) || seconds_ + gone() > limit_; });
      work();
    }
    seconds_ += gone();
  }
  // Further, from the result. Where that is stopped before it began, or interrupted, the result stays as it
  // is, unfinished.
  void search(const fit_options& options) {
    fit_result found = timed(problem(), options);
    const bool has_none = found.residual.empty() && found.how != fit_result::ending::failed;
    if (has_none || found.how == fit_result::ending::interrupted) {
      r.result.how = found.how;
      r.result.detail = "left out: the last fit to all rows, with its intervals";
      for (std::size_t i = 0; i < r.result.estimates.size(); ++i)
        if (estimate& e = r.result.estimates[i]; e.is == verdict::determined) {
          e.is = verdict::vague;
          e.words = fmt::format("the fit was stopped before {} was determined", r.unknowns[i].key);
        }
      return;
    }
    found.iterations += r.result.iterations;
    found.evaluations += r.result.evaluations;
    r.result = std::move(found);
  }
  void judge_held_out();
  void add_traces();
  void add_bins();
  void explain();
  void say_where_it_shows(const std::vector<std::size_t>& asked);

  const scenario_setup& setup_;
  fit_options options_;
  std::vector<scenario_match> matches_;
  std::vector<unit> units_;  // of the matches
  std::optional<fit_problem> problem_;
  double limit_, seconds_ = 0;  // of time: allowed, and used
};

void candidate_fit::judge_held_out() {
  if (r.result.residual.empty() || is_set(options_.interrupt)) return;
  std::vector<double> left, measured;
  for (std::size_t which = 0; which < setup_.records.size(); ++which) {
    const scenario_record each = record_at(which);
    const auto rows = compared_rows(each, matches_);
    const std::size_t seen =
        compared_rows(without_end(each, matches_, setup_.hold_out), matches_).size();
    if (seen == rows.size()) continue;
    const auto run =
        simulate_along(each, r.unknowns, matches_, r.result.values, options_.interrupt);
    // Without one record the others may look better than they are.
    if (run.empty()) {
      if (!is_set(options_.interrupt))
        r.notes.push_back(fmt::format(
            "{}: it could not be simulated with the result of the first part, so that nothing is "
            "said of the part held out",
            file_of(each.measured.name)));
      return;
    }
    for (std::size_t m = 0; m < matches_.size(); ++m)
      for (std::size_t k = seen; k < rows.size(); ++k) {
        const double truth = (*each.measured.find(matches_[m].channel))[rows[k]];
        left.push_back(matches_[m].weight * (run[m * rows.size() + k] - truth));
        measured.push_back(matches_[m].weight * truth);
      }
  }
  r.held_out_rms = rms_of(left);
  r.held_out_share = setup_.hold_out;
  r.held_out_deviation = matches_.size() == 1 ? deviation_of(measured) : 1;
}

void candidate_fit::add_traces() {
  const auto add = [&](const scenario_record& of, const std::vector<std::size_t>& rows,
                       const std::vector<double>& run, bool is_fitted) {
    for (std::size_t m = 0; m < matches_.size(); ++m) {
      scenario_trace trace{.record = file_of(of.measured.name),
                           .column = matches_[m].column,
                           .channel = matches_[m].channel,
                           .in = units_[m],
                           .is_fitted = is_fitted};
      const auto& measured = *of.measured.find(matches_[m].channel);
      std::vector<double> off;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        trace.t.push_back(of.measured.t[rows[k]]);
        trace.measured.push_back(measured[rows[k]]);
        trace.simulated.push_back(run[m * rows.size() + k]);
        off.push_back(trace.simulated.back() - trace.measured.back());
        trace.mean_absolute += std::abs(off.back()) / static_cast<double>(rows.size());
      }
      trace.rms = rms_of(off);
      r.traces.push_back(std::move(trace));
    }
  };
  std::size_t next = 0;
  for (const auto& each : setup_.records) {
    const auto rows = compared_rows(each, matches_);
    std::vector<double> run;
    for (const auto& match : matches_)
      for (const std::size_t k : rows)
        run.push_back((*each.measured.find(match.channel))[k] +
                      r.result.residual[next++] / match.weight);
    add(each, rows, run, true);
  }
  std::vector<double> left, measured;
  std::size_t judged = 0;
  for (const auto& given : setup_.validation) {
    if (is_set(options_.interrupt)) break;
    const scenario_record each = with_settings(given, r.candidate);
    const auto run =
        simulate_along(each, r.unknowns, matches_, r.result.values, options_.interrupt);
    if (run.empty()) {
      if (!is_set(options_.interrupt))
        r.notes.push_back(fmt::format("{}: it could not be simulated with the result",
                                      file_of(each.measured.name)));
      continue;
    }
    const auto rows = compared_rows(each, matches_);
    add(each, rows, run, false);
    ++judged;
    for (std::size_t m = 0; m < matches_.size(); ++m)
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const double truth = (*each.measured.find(matches_[m].channel))[rows[k]];
        left.push_back(matches_[m].weight * (run[m * rows.size() + k] - truth));
        measured.push_back(matches_[m].weight * truth);
      }
  }
  // It is compared with that of others: without the record that is hardest it would look better.
  const bool has_all = judged == setup_.validation.size();
  r.validated_rms = has_all ? rms_of(left) : 0;
  r.validated_deviation = matches_.size() == 1 ? deviation_of(measured) : 1;
  // A match counts by its weight, and a record as much as another.
  for (const bool is_fitted : {true, false}) {
    double sum = 0, n = 0;
    for (const auto& trace : r.traces) {
      if (trace.is_fitted != is_fitted) continue;
      const auto match = std::find_if(matches_.begin(), matches_.end(), [&](const auto& m) {
        return m.column == trace.column && m.channel == trace.channel;
      });
      sum += match->weight * trace.mean_absolute;
      ++n;
    }
    (is_fitted ? r.mean_absolute : r.validated_mean_absolute) =
        n > 0 && (is_fitted || has_all) ? sum / n : 0;
  }
}

void candidate_fit::add_bins() {
  for (std::size_t m = 0; m < matches_.size(); ++m) {
    std::vector<double> t, measured, residual;
    for (const auto& trace : r.traces) {
      if (!trace.is_fitted || trace.column != matches_[m].column ||
          trace.channel != matches_[m].channel)
        continue;
      for (std::size_t k = 0; k < trace.t.size(); ++k) {
        t.push_back(trace.t[k]);
        measured.push_back(trace.measured[k]);
        residual.push_back(trace.simulated[k] - trace.measured[k]);
      }
    }
    const auto add = [&](const std::string& against, unit in, const std::vector<double>& at) {
      residual_bins bins = bins_against(against, in, at, residual);
      if (matches_.size() > 1) bins.of = matches_[m].column;
      bins.of_unit = units_[m];
      r.bins.push_back(std::move(bins));
    };
    add("time", units::second, t);
    add(matches_[m].channel, units_[m], measured);
  }
}

// The part of the records where a change of each of these, which the others cannot make up for, shows most.
void candidate_fit::say_where_it_shows(const std::vector<std::size_t>& asked) {
  const std::size_t n = r.unknowns.size(), rows = problem().residuals();
  std::vector<double> residual(rows), slopes(rows * n);
  bool has_slopes = false;
  in_time(problem(), [&] {
    has_slopes = problem().derivative(r.result.values, residual, {slopes.data(), rows, n});
  });
  if (!has_slopes) return;
  using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd all = Eigen::Map<matrix>(slopes.data(), static_cast<Eigen::Index>(rows),
                                                 static_cast<Eigen::Index>(n));
  if (!all.allFinite()) return;
  for (const std::size_t i : asked) {
    const Eigen::VectorXd own = all.col(static_cast<Eigen::Index>(i));
    Eigen::MatrixXd others = all;
    others.col(static_cast<Eigen::Index>(i)).setZero();
    const Eigen::VectorXd rest = own - others * others.colPivHouseholderQr().solve(own);
    if (!(rest.norm() > 1e-6 * own.norm())) continue;
    double most = 0;
    std::string where;
    Eigen::Index begin = 0;
    for (const auto& trace : r.traces) {
      if (!trace.is_fitted) continue;
      constexpr std::size_t parts = 12;
      for (std::size_t k = 0; k < parts; ++k) {
        const std::size_t from = k * trace.t.size() / parts, to = (k + 1) * trace.t.size() / parts;
        if (from == to) continue;
        const double size = rest.segment(begin + static_cast<Eigen::Index>(from),
                                         static_cast<Eigen::Index>(to - from))
                                .norm();
        if (!(size > most)) continue;
        most = size;
        where = fmt::format("{} of {} from {:.3g} s to {:.3g} s", trace.column, trace.record,
                            trace.t[from], trace.t[to - 1]);
      }
      begin += static_cast<Eigen::Index>(trace.t.size());
    }
    if (most > 0)
      r.next.push_back(
          fmt::format("To determine {}: it shows most in {}. Record more of such motion, at other "
                      "amplitudes and speeds.",
                      r.unknowns[i].key, where));
  }
}

void candidate_fit::explain() {
  say_whether_it_is_whole(r);
  const fit_result& found = r.result;
  std::vector<std::size_t> asked;
  std::vector<std::string> without;
  for (std::size_t i = 0; i < found.estimates.size(); ++i) {
    const estimate& e = found.estimates[i];
    if (e.is == verdict::determined || e.is == verdict::held || e.is == verdict::misfit) continue;
    if (was_stopped(found) && e.is == verdict::vague) continue;  // as all are
    add_once(r.findings, fmt::format("{}.", e.words));
    if (e.is == verdict::vague || e.is == verdict::runs_off || e.is == verdict::ambiguous)
      asked.push_back(i);
    else
      without.push_back(r.unknowns[i].key);
  }
  if (!asked.empty() && found.how == fit_result::ending::converged && !r.traces.empty())
    say_where_it_shows(asked);
  if (!without.empty())
    r.next.push_back(fmt::format(
        "These records do not need {}: leave {} out of --free, or record a motion that depends on "
        "{}.",
        fmt::join(without, ", "), without.size() == 1 ? "it" : "them",
        without.size() == 1 ? "it" : "them"));
  say_what_goes_together(r);
  say_of_residuals(r, "compare richer candidates (--compare NAME=KEYS)");
}

void candidate_fit::finish() {
  r.samples = r.result.residual.size();
  r.result.seconds = seconds_;
  if (r.result.how == fit_result::ending::failed || r.result.residual.empty()) return;
  std::vector<double> measured;
  for (const auto& each : setup_.records)
    for (const double x : *each.measured.find(matches_.front().channel)) measured.push_back(x);
  r.deviation = matches_.size() == 1 ? deviation_of(measured) : 1;
  const bool has_all = has_all_rows();
  if (r.share() > 1e-4 && has_all) {
    const fit_problem& p = problem();
    r.structure = structure_of(p, r.result.residual);
    r.noise = p.noise;
  }
  r.traces.clear();
  r.bins.clear();
  r.findings.clear();
  r.next.clear();
  mark_misfit(r);
  if (has_all) {
    add_traces();
    add_bins();
  }
  explain();
}

// What is wrong with a record that the result is judged on is said before the first fit.
void check_validation(const scenario_setup& setup) {
  if (setup.validation.empty() || setup.matches.empty()) return;
  static_cast<void>(make_scenario_problem(setup.validation, {}, setup.matches));
}

}  // namespace

scenario_report fit_scenario(const scenario_setup& setup, const scenario_candidate& candidate,
                             const fit_options& options) {
  check_validation(setup);
  candidate_fit of(setup, candidate, options);
  of.fit_first();
  of.finish();
  return std::move(of.r);
}

scenario_comparison compare_scenarios(const scenario_setup& setup,
                                      const std::vector<scenario_candidate>& candidates,
                                      const fit_options& given) {
  check_validation(setup);
  scenario_comparison result;
  fit_options options = given;
  options.intervals = false;
  const bool has_last = given.intervals;
  const double parts = static_cast<double>(candidates.size()) + (has_last ? 1 : 0);
  // What is wrong with a candidate is said before the first is fitted.
  std::vector<std::unique_ptr<candidate_fit>> all, fits;
  for (const auto& each : candidates) try {
      all.push_back(std::make_unique<candidate_fit>(setup, each, options));
    } catch (const error& problem) {
      throw error(fmt::format("--compare {}: {}", each.name, problem.what()));
    }
  const auto is_interrupted = [&] { return is_set(given.interrupt); };
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (given.progress)
      all[k]->report_progress([=, tell = given.progress](double share) {
        tell((static_cast<double>(k) + share) / parts);
      });
    const auto fails = [&](const std::string& why) {
      result.failures.push_back({candidates[k].name, why});
    };
    if (is_interrupted()) {
      fails("interrupted");
      continue;
    }
    try {
      all[k]->fit_first();
      all[k]->release();
      const fit_result& found = all[k]->r.result;
      // Half of a fit is nothing to compare, unless there is no other.
      if (found.how == fit_result::ending::interrupted && (!fits.empty() || found.residual.empty()))
        fails("interrupted");
      else if (found.how == fit_result::ending::failed || !std::isfinite(found.rms) ||
               found.residual.empty())
        fails(found.detail.empty() ? "the time limit is too short" : found.detail);
      else if (found.how == fit_result::ending::time_limit && !all[k]->has_all_rows())
        fails("the time limit ended it before the fit to all rows");
      else
        fits.push_back(std::move(all[k]));
    } catch (const error& problem) {
      fails(problem.what());
    }
  }
  // Searches from the ends of others, until nothing changes: first of the richer ones from those that they
  // contain, then the other way round.
  std::map<std::pair<std::size_t, std::size_t>, double> tried;  // to, from: its loss
  const auto improve = [&](std::size_t to, bool is_from_contained) {
    std::optional<std::size_t> best;
    const double noise = fits[to]->noise();
    for (std::size_t k = 0; k < fits.size(); ++k) {
      const bool is_related =
          is_from_contained ? fits[to]->contains(*fits[k]) : fits[k]->contains(*fits[to]);
      if (k == to || !is_related) continue;
      if (!best || fits[k]->loss_with(noise) < fits[*best]->loss_with(noise)) best = k;
    }
    if (!best || is_interrupted() || fits[to]->is_out_of_time()) return false;
    const double loss = fits[*best]->loss();
    const auto [at, is_new] = tried.insert({{to, *best}, loss});
    if (!is_new && !(loss < at->second)) return false;
    at->second = loss;
    const bool is_better = fits[to]->fit_from(fits[to]->values_from(*fits[*best]));
    fits[to]->release();
    return is_better;
  };
  std::vector<std::size_t> by_keys(fits.size());
  std::iota(by_keys.begin(), by_keys.end(), std::size_t{0});
  std::stable_sort(by_keys.begin(), by_keys.end(), [&](std::size_t a, std::size_t b) {
    return fits[a]->r.unknowns.size() < fits[b]->r.unknowns.size();
  });
  constexpr int most_rounds = 4;
  bool is_better = true;
  for (int round = 0; round < most_rounds && is_better; ++round) {
    is_better = false;
    for (const std::size_t k : by_keys) is_better = improve(k, true) || is_better;
    for (std::size_t left = by_keys.size(); left > 0; --left)
      is_better = improve(by_keys[left - 1], false) || is_better;
  }
  std::vector<fit_result*> results;
  results.reserve(fits.size());
  for (auto& each : fits) results.push_back(&each->r.result);
  const double samples = set_common_bic(results);
  std::stable_sort(fits.begin(), fits.end(),
                   [](const auto& a, const auto& b) { return a->r.result.bic < b->r.result.bic; });
  if (has_last && !fits.empty() && !is_interrupted()) {
    candidate_fit& best = *fits.front();
    const double bic = best.r.result.bic;
    best.add_intervals(given.progress ? [=, tell = given.progress](
                                            double share) { tell((parts - 1 + share) / parts); }
                                      : std::function<void(double)>());
    const bool is_done = best.r.result.how != fit_result::ending::interrupted;
    best.r.result.bic = is_done ? bic_with(best.r.result, samples) : bic;
  }
  for (auto& each : fits) {
    each->finish();
    each->release();
    result.ranking.push_back(std::move(each->r));
  }
  std::vector<ranked_fit> ranked;
  for (const auto& each : result.ranking)
    ranked.push_back({each.candidate.name, &each, each.validated()});
  result.verdict = ranking_verdict(ranked, "candidate");
  return result;
}

toml_value fitted_document(toml_value document, const scenario_report& r) {
  for (const std::string& each : r.candidate.settings) apply_override(document, each);
  return with_values(std::move(document), r.unknowns, r.result.values);
}

// ---- text and data ------------------------------------------------------------------------------------

std::vector<std::vector<std::string>> error_table(const scenario_report& r) {
  std::vector<std::vector<std::string>> rows{
      {"record", "", "column", "rows", "rms", "mean absolute error"}};
  for (const auto& each : r.traces)
    rows.push_back({each.record, each.is_fitted ? "fitted" : "not fitted", each.column,
                    fmt::format("{}", each.t.size()), number_with_unit(each.rms, each.in),
                    number_with_unit(each.mean_absolute, each.in)});
  return rows;
}

std::string report_text(const scenario_report& r) {
  const fit_result& found = r.result;
  std::string text =
      fmt::format("{}{}: {} after {} iterations, {} evaluations, {:.2f} s\n", r.scenario,
                  r.candidate.name.empty() ? "" : ", candidate " + r.candidate.name,
                  to_string(found.how), found.iterations, found.evaluations, found.seconds);
  if (!found.detail.empty()) text += fmt::format("{}\n", found.detail);
  if (found.how == fit_result::ending::failed) return text;
  const bool is_one = r.matches == 1;
  const std::string other = is_one ? "" : " (in standard deviations of each channel)";
  text += fmt::format("residual: {} rms{}\n", number_with_unit(found.rms, r.in),
                      is_one ? fmt::format(", {:.3f} % of the standard deviation of the measured "
                                           "values ({}), {:.1f} dB re {}",
                                           100 * r.share(), number_with_unit(r.deviation, r.in),
                                           20 * std::log10(found.rms), number_with_unit(1, r.in))
                             : other);
  if (r.mean_absolute > 0)
    text += fmt::format("mean absolute error: {}{}\n", number_with_unit(r.mean_absolute, r.in),
                        r.traces.size() > 1 ? ", the mean over the records" : "");
  if (r.held_out_rms > 0)
    text += fmt::format(
        "held out: {} rms, {:.2f} %, on the last {:.0f} % of each record, after a fit to the "
        "rest\n",
        number_with_unit(r.held_out_rms, r.in), 100 * r.held_out(), 100 * r.held_out_share);
  if (r.validated_rms > 0)
    text += fmt::format("not fitted: {} rms, {:.2f} %; mean absolute error {}\n",
                        number_with_unit(r.validated_rms, r.in), 100 * r.validated(),
                        number_with_unit(r.validated_mean_absolute, r.in));
  text += samples_text(found);
  if (found.effective_samples > 0) text += fmt::format("; BIC {:.1f}", found.bic);
  text += "\n\n" + fit_table(found);
  if (!r.traces.empty()) text += "\n" + lined_up_text(error_table(r));
  return text + findings_text(r);
}

nlohmann::ordered_json report_json(const scenario_report& r) {
  using json = nlohmann::ordered_json;
  const fit_result& found = r.result;
  json out{{"scenario", r.scenario}};
  if (!r.candidate.name.empty()) {
    out["candidate"] = r.candidate.name;
    out["free"] = r.candidate.keys;
    out["settings"] = r.candidate.settings;
  }
  out["ending"] = to_string(found.how);
  if (!found.detail.empty()) out["detail"] = found.detail;
  out["rms"] = found.rms;
  out["unit"] = to_string(r.in);
  out["mean_absolute"] = r.mean_absolute;
  if (r.matches == 1) {
    out["deviation"] = r.deviation;
    out["rms_over_deviation"] = r.share();
  }
  if (r.held_out_rms > 0)
    out["held_out"] = {{"share_of_rows", r.held_out_share},
                       {"rms", r.held_out_rms},
                       {"rms_over_deviation", r.held_out()}};
  if (r.validated_rms > 0)
    out["not_fitted"] = {{"rms", r.validated_rms},
                         {"rms_over_deviation", r.validated()},
                         {"mean_absolute", r.validated_mean_absolute}};
  out["samples"] = r.samples;
  const bool is_known = found.effective_samples > 0;
  out["effective_samples"] = is_known ? json(found.effective_samples) : json();
  out["correlation_of_neighbours"] = found.whiteness;
  out["bic"] = is_known ? json(found.bic) : json();
  out["structure"] = r.structure;
  if (r.noise > 0) out["noise_of_repetitions"] = r.noise;
  out["seconds"] = found.seconds;
  out.update(fit_json(found));
  json records = json::array();
  for (const auto& each : r.traces)
    records.push_back({{"record", each.record},
                       {"fitted", each.is_fitted},
                       {"column", each.column},
                       {"channel", each.channel},
                       {"unit", to_string(each.in)},
                       {"rows", each.t.size()},
                       {"rms", each.rms},
                       {"mean_absolute", each.mean_absolute}});
  out["records"] = std::move(records);
  out["residuals"] = bins_json(r);
  out["findings"] = r.findings;
  out["next_experiments"] = r.next;
  out["notes"] = r.notes;
  return out;
}

std::vector<std::vector<std::string>> ranking_table(const scenario_comparison& c) {
  std::vector<std::vector<std::string>> rows{{"", "candidate", "free", "residual",
                                              "mean absolute error", "held out", "not fitted",
                                              "BIC", "undetermined", "time"}};
  const double least = c.ranking.empty() ? 0 : c.ranking.front().result.bic;
  for (std::size_t k = 0; k < c.ranking.size(); ++k) {
    const scenario_report& r = c.ranking[k];
    rows.push_back(
        {fmt::format("{}", k + 1), r.candidate.name, fmt::format("{}", r.result.unknowns.size()),
         fmt::format("{:.2f} %", 100 * r.share()), number_with_unit(r.mean_absolute, r.in),
         r.held_out_rms > 0 ? fmt::format("{:.2f} %", 100 * r.held_out()) : "-",
         r.validated_rms > 0 ? number_with_unit(r.validated_mean_absolute, r.in) : "-",
         fmt::format("+{:.1f}", r.result.bic - least), undetermined_text(r.result),
         fmt::format("{:.1f} s{}", r.result.seconds, is_unfinished(r.result) ? ", stopped" : "")});
  }
  // Columns of which nothing is known are left out.
  for (const std::size_t column : {6, 5})
    if (std::all_of(rows.begin() + 1, rows.end(),
                    [&](const auto& row) { return row[column] == "-"; }))
      for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  return rows;
}

std::string comparison_text(const scenario_comparison& c) {
  std::string text = lined_up_text(ranking_table(c));
  for (const auto& each : c.failures)
    text += fmt::format("not fitted: {}: {}\n", each.candidate, each.why);
  return text + '\n' + c.verdict + '\n';
}

nlohmann::ordered_json comparison_json(const scenario_comparison& c) {
  nlohmann::ordered_json out{{"verdict", c.verdict}, {"ranking", nlohmann::ordered_json::array()}};
  for (const auto& each : c.ranking) out["ranking"].push_back(report_json(each));
  out["not_fitted"] = nlohmann::ordered_json::array();
  for (const auto& each : c.failures)
    out["not_fitted"].push_back({{"candidate", each.candidate}, {"why", each.why}});
  return out;
}

}  // namespace asperity
