// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/identify/motion.hpp>
#include <asperity/identify/report.hpp>
#include <asperity/identify/stop_watch.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/patch/patch_shape.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text/toml.hpp>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

namespace asperity {

namespace {

using verdict = estimate::verdict;

// ---- what a record does not tell, and what would ------------------------------------------------------

// A part of a motion along a line: how far to either side, and how fast.
struct part_of_motion {
  double amplitude = 0, speed = 0;
};

// What a motion of many strokes and speeds tells of a parameter, with noise of the same share.
struct told_elsewhere {
  double alone = unbounded;  // standard error of its logarithm, were the others known
  double error = unbounded;  // with the others as they are: not known
  std::optional<part_of_motion> best = {};  // where it shows most
};
constexpr double no_effect = 10, told_well = 0.6;  // of such errors
constexpr int rows_of_part = 100, rows_of_stroke = rows_of_part / 4;

std::vector<part_of_motion> parts_of(const any_model& model, const record& motion) {
  std::vector<part_of_motion> result;
  if (!model.at().is_line()) return result;
  const auto* v = motion.find("v");
  const auto* x = motion.find("x");
  for (std::size_t begin = 0; begin + rows_of_part <= motion.t.size(); begin += rows_of_part) {
    double low = unbounded, high = -unbounded, place = 0, fastest = 0;
    for (std::size_t k = begin; k < begin + rows_of_part; ++k) {
      if (x != nullptr) place = (*x)[k];
      if (k > begin) {
        const double h = motion.t[k] - motion.t[k - 1];
        const double speed = v != nullptr ? (*v)[k] : ((*x)[k] - (*x)[k - 1]) / h;
        fastest = std::max(fastest, std::abs(speed));
        if (x == nullptr) place += h * ((*v)[k] + (*v)[k - 1]) / 2;
      }
      low = std::min(low, place);
      high = std::max(high, place);
    }
    result.push_back({(high - low) / 2, fastest});
  }
  return result;
}

// For each of the model's own unknowns, which come first. Throws asperity::interruption.
std::vector<told_elsewhere> along_test_motion(const model_report& r, const model_fit& used,
                                              const model_fit_options& given) {
  std::vector<double> values = r.result.values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const estimate& e = r.result.estimates[i];
    const double start = r.result.unknowns[i].start;
    constexpr double far = 1e3;
    const bool is_far = values[i] > far * start || values[i] * far < start;
    if (e.is != verdict::runs_off || !(e.lower > 0) || !(start > 0) || !is_far) continue;
    // From the end of its interval on all values fit as well: this one makes sense beside the others.
    const bool is_lower = std::abs(std::log(e.lower / start)) < std::abs(std::log(e.upper / start));
    values[i] = is_lower ? e.lower : e.upper;
  }
  const any_model model = used.with(values);
  record motion = rich_motion(model, rows_of_part);
  for (const channel& each : r.fitted.at().outputs)
    if (used.recorded(0).find(each.name) != nullptr)
      motion.channels.push_back({each.name, std::vector<double>(motion.t.size())});
  model_fit_options options = given;
  options.offset = options.gain = options.delay = options.stiffness = false;
  options.settle = options.hold_out = 0;
  options.drive.clear();
  options.own_start = true;
  options.device = nullptr;
  const model_fit of(model, {motion}, options);
  const fit_problem problem = of.problem();
  const std::size_t n = problem.unknowns.size(), rows = problem.residuals();
  for (std::size_t i = 0; i < n; ++i)
    if (i >= values.size() || problem.unknowns[i].name != r.result.unknowns[i].name) return {};
  values.resize(n);
  std::vector<double> force(rows), moved(rows);
  if (!problem.residual(values, force)) return {};
  Eigen::MatrixXd slopes(rows, n);
  for (std::size_t i = 0; i < n; ++i) {
    // What has no influence is a guess: it may well be far larger.
    constexpr double far = 30;
    const bool is_guess = r.result.estimates[i].is == verdict::no_influence &&
                          allows(problem.unknowns[i].allowed, (1 + far) * values[i]);
    const double step = is_guess ? far : 1e-3;
    auto there = values;
    const double typical = problem.unknowns[i].scale > 0 ? problem.unknowns[i].scale : 1;
    const double up = step * (values[i] != 0 ? std::abs(values[i]) : typical);
    const double by = allows(problem.unknowns[i].allowed, values[i] + up) ? up : -up;
    // What must not fall below it moves with it, as in the fit.
    std::vector<bool> moves(n);
    for (std::size_t k = i; k < n; ++k) {
      const int below = problem.unknowns[k].not_below;
      moves[k] = k == i || (below >= 0 && moves[static_cast<std::size_t>(below)]);
      if (moves[k]) there[k] += by;
    }
    if (!problem.residual(there, moved)) return {};
    for (std::size_t row = 0; row < rows; ++row)
      slopes(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(i)) =
          (moved[row] - force[row]) / std::copysign(is_guess ? std::log1p(step) : step, by);
  }
  if (!slopes.allFinite()) return {};
  constexpr double least_noise = 1e-3;
  const double size = rms_of(force);
  const double noise = std::max(r.fitted.at().outputs.size() == 1 ? r.result.rms : r.share() * size,
                                least_noise * size);
  const auto parts = parts_of(model, motion);
  std::vector<told_elsewhere> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Eigen::VectorXd own = slopes.col(static_cast<Eigen::Index>(i));
    result[i].alone = noise / own.norm();
    Eigen::MatrixXd others = slopes;
    others.col(static_cast<Eigen::Index>(i)).setZero();
    const Eigen::VectorXd rest = own - others * others.colPivHouseholderQr().solve(own);
    result[i].error = noise / std::max(rest.norm(), 1e-9 * own.norm());
    double most = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const double size =
          rest.segment(static_cast<Eigen::Index>(k) * rows_of_part, rows_of_part).norm();
      if (!(size > most)) continue;
      most = size;
      result[i].best = parts[k];
    }
  }
  return result;
}

// The strokes of records along a line, from turn to turn.
struct strokes_of_records {
  double longest = 0;                     // 0: nothing moves
  std::vector<std::vector<double>> ways;  // since each turn, of the rows that follow it

  explicit strokes_of_records(const model_fit& m, std::size_t records) {
    for (std::size_t which = 0; which < records; ++which) add(m.recorded(which));
  }
  double rows_within(double way) const {
    double rows = 0;
    for (const auto& each : ways)
      rows += static_cast<double>(
          std::find_if(each.begin(), each.end(), [&](double x) { return x > way; }) - each.begin());
    return ways.empty() ? 0 : rows / static_cast<double>(ways.size());
  }

 private:
  void add(const record& rec) {
    const auto* v = rec.find("v");
    std::vector<double> x(rec.t.size());
    if (const auto* places = rec.find("x"); places != nullptr) {
      x = *places;
    } else if (v != nullptr) {
      for (std::size_t k = 1; k < x.size(); ++k)
        x[k] = x[k - 1] + (rec.t[k] - rec.t[k - 1]) * ((*v)[k] + (*v)[k - 1]) / 2;
    }
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    const double back = 1e-3 * (*high - *low);  // less is noise
    double direction = 0;
    std::size_t extreme = 0, turn = 0;
    bool has_turn = false;
    const auto end_stroke = [&](std::size_t end) {
      longest = std::max(longest, std::abs(x[end] - x[turn]));
      if (!has_turn) return;
      auto& way = ways.emplace_back();
      for (std::size_t k = turn + 1; k <= end; ++k) way.push_back(std::abs(x[k] - x[turn]));
    };
    for (std::size_t k = 1; k < x.size(); ++k) {
      const double way = x[k] - x[extreme];
      if (direction == 0 ? std::abs(way) > back : way * direction > 0) {
        if (direction == 0) direction = way;
        extreme = k;
      } else if (direction != 0 && std::abs(way) > back) {
        end_stroke(extreme);
        turn = extreme;
        has_turn = true;
        extreme = k;
        direction = way;
      }
    }
    if (!x.empty()) end_stroke(x.size() - 1);
  }
};

// For what need not be exact.
std::string rounded(double x, unit in) {
  return is_plain(in) ? fmt::format("{:.2g}", x) : fmt::format("{:.2g} {}", x, to_string(in));
}

// What the record lacks of the part of a motion where a parameter shows most; empty where nothing.
std::string lack_of(const part_of_motion& wanted, const record_scales& scales,
                    const strokes_of_records& strokes, const port& at) {
  constexpr double few_rows = 5, much = 2;
  const auto length = [&](double x) { return rounded(x, at.inputs[0].in); };
  const auto speed = [&](double x) { return rounded(x, at.inputs[1].in); };
  const double stroke = 2 * wanted.amplitude;
  if (strokes.ways.empty()) return "the motion never reverses";
  if (wanted.speed > much * scales.fastest)
    return fmt::format("the motion is hardly ever faster than {}", speed(scales.fastest));
  if (const double rows = strokes.rows_within(stroke); rows < few_rows)
    return fmt::format("on average only {:.1f} rows follow a reversal within {}", rows,
                       length(stroke));
  if (much * wanted.speed < scales.slowest)
    return fmt::format("the motion is hardly ever slower than {}", speed(scales.slowest));
  if (stroke > much * strokes.longest)
    return fmt::format("no stroke is longer than {}", length(strokes.longest));
  return "";
}

// By another motion.
bool may_be_told(const estimate& e) {
  return e.is == verdict::no_influence || e.is == verdict::vague || e.is == verdict::runs_off;
}

// The motion that tells an unknown, where one is known.
void propose(model_report& r, std::size_t i, const told_elsewhere* elsewhere) {
  if (elsewhere == nullptr || !(elsewhere->error < told_well)) return;
  const port& at = r.fitted.at();
  r.next.push_back(
      elsewhere->best
          ? fmt::format("To determine {}: move to and fro in strokes of {} at up to {}, with at "
                        "least {} rows in each, in addition to this motion.",
                        r.result.unknowns[i].name,
                        rounded(2 * elsewhere->best->amplitude, at.inputs[0].in),
                        rounded(elsewhere->best->speed, at.inputs[1].in), rows_of_stroke)
          : fmt::format("To determine {}: move in all directions, with reversals, at different "
                        "speeds.",
                        r.result.unknowns[i].name));
}

// Others that move along a flat direction with it.
std::vector<std::string> partners_of(const fit_result& found, std::size_t i) {
  std::vector<std::string> result;
  for (const auto& direction : found.flat) {
    const bool has_it =
        std::any_of(direction.parts.begin(), direction.parts.end(),
                    [&](const auto& part) { return part.first == static_cast<int>(i); });
    if (!has_it || direction.parts.size() < 2) continue;
    for (const auto& part : direction.parts)
      if (part.first != static_cast<int>(i))
        add_once(result, found.unknowns[static_cast<std::size_t>(part.first)].name);
  }
  return result;
}

// Why the record does not tell an unknown, and what would.
void explain_unknown(model_report& r, std::size_t i, const told_elsewhere* elsewhere,
                     const strokes_of_records* strokes, std::vector<std::string>& hopeless) {
  const unknown& x = r.result.unknowns[i];
  const estimate& e = r.result.estimates[i];
  const port& at = r.fitted.at();
  const bool has_none = e.is == verdict::no_influence;
  const std::string opening =
      has_none ? fmt::format("This record does not determine {}", x.name)
               : fmt::format("This record hardly determines {} ({:.3g} to {:.3g}{}{})", x.name,
                             e.lower, e.upper, is_plain(x.in) ? "" : " ", to_string(x.in));
  const std::string closing = has_none ? fmt::format(" ({})", e.words) : "";
  const auto say = [&](const std::string& reason) {
    r.findings.push_back(fmt::format("{}: {}.{}", opening, reason, closing));
  };
  const bool is_told = elsewhere != nullptr && elsewhere->error < told_well;
  if (elsewhere != nullptr && !is_told) hopeless.push_back(x.name);
  const auto partners = partners_of(r.result, i);
  std::string lack;
  if (is_told && elsewhere->best && strokes != nullptr)
    lack = lack_of(*elsewhere->best, r.scales, *strokes, at);
  if (has_none && strokes != nullptr && !(strokes->longest > 0)) {
    say("nothing moves in this record");
  } else if (elsewhere != nullptr && elsewhere->alone > no_effect) {
    say("the force hardly depends on it at these values of the others, neither here nor along a "
        "test motion of slow and fast strokes of many lengths");
  } else if (!has_none && !partners.empty()) {
    say(fmt::format("a change of it can be made up for by {}", fmt::join(partners, ", ")));
  } else if (!lack.empty()) {
    say(fmt::format("it shows most in strokes of {} at up to {}, but {}",
                    rounded(2 * elsewhere->best->amplitude, at.inputs[0].in),
                    rounded(elsewhere->best->speed, at.inputs[1].in), lack));
  } else if (has_none) {
    say("nothing in this motion depends on it");
  } else {
    say("its effect is small beside the residuals");
  }
}

// `elsewhere` is empty where nothing is known of other motions.
void explain(model_report& r, const model_fit& used, const std::vector<told_elsewhere>& elsewhere) {
  std::optional<strokes_of_records> strokes;
  if (r.fitted.at().is_line()) strokes.emplace(used, used.problem().rows.size());
  std::vector<std::string> hopeless;
  const auto& found = r.result;
  say_whether_it_is_whole(r);
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < found.unknowns.size(); ++i) {
    const unknown& x = found.unknowns[i];
    const estimate& e = found.estimates[i];
    if (e.is == verdict::determined || e.is == verdict::held) continue;
    if (was_stopped(found) && e.is == verdict::vague) continue;  // as all are
    if (e.is == verdict::misfit) continue;                       // said once
    if (x.prior_width > 0 && e.is != verdict::at_bound) {
      elements.push_back(x.name);
      continue;
    }
    if (e.is == verdict::vague && e.words.rfind("the record hardly determines", 0) != 0) {
      add_once(r.findings, fmt::format("{}.", e.words));  // for another reason than its motion
      continue;
    }
    // Where nothing moves, the sizes of another motion would be a guess.
    const bool is_known = i < elsewhere.size() && (!strokes || strokes->longest > 0);
    const told_elsewhere* other = is_known ? &elsewhere[i] : nullptr;
    if (e.is == verdict::no_influence || e.is == verdict::vague)
      explain_unknown(r, i, other, strokes ? &*strokes : nullptr, hopeless);
    else
      r.findings.push_back(fmt::format("{}.", e.words));
    if (may_be_told(e)) propose(r, i, other);
  }
  if (!hopeless.empty())
    r.next.push_back(
        fmt::format("No motion that was tried determines {}: hold {} (--hold), or fit a model that "
                    "does without.",
                    fmt::join(hopeless, ", "), hopeless.size() == 1 ? "it" : "them"));
  if (!elements.empty()) {
    r.findings.push_back(
        fmt::format("This record does not determine these elements individually: {}. Other values "
                    "give the same force: trust their sum, not the single values.",
                    fmt::join(elements, ", ")));
    r.next.emplace_back(
        "To determine single elements: fit fewer of them, to a record with reversals after strokes "
        "of many lengths, sampled finely after each.");
  }
  say_what_goes_together(r);
  say_of_residuals(r, "compare richer models (--compare all)");
}

void bin_residuals(model_report& r, const model_fit& m) {
  std::vector<double> t, x, v;
  const auto& residual = r.result.residual;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const auto place = m.place_of(i);
    const record& rec = m.recorded(place.record);
    const auto* xs = rec.find("x");
    const auto* vs = rec.find("v");
    t.push_back(rec.t[place.row]);
    x.push_back(xs != nullptr ? (*xs)[place.row] : std::nan(""));
    double speed = std::nan("");
    if (vs != nullptr) {
      speed = (*vs)[place.row];
    } else if (xs != nullptr && place.row + 3 < rec.t.size() && place.row >= 3) {
      speed = ((*xs)[place.row + 3] - (*xs)[place.row - 3]) /
              (rec.t[place.row + 3] - rec.t[place.row - 3]);
    }
    v.push_back(speed);
  }
  const port& at = m.model().at();
  r.bins.push_back(bins_against("time", units::second, t, residual));
  r.bins.back().of_unit = r.in;
  if (!at.is_line()) return;
  r.bins.push_back(bins_against("speed", at.inputs[1].in, v, residual));
  r.bins.push_back(bins_against("position", at.inputs[0].in, x, residual));
  for (residual_bins& each : r.bins) each.of_unit = r.in;
}

// The best so far of a fit that goes no further.
fit_result stopped(fit_result found, fit_result::ending how) {
  found.how = how;
  found.detail = fmt::format("{}: this is the result of an earlier stage of the fit",
                             how == fit_result::ending::interrupted
                                 ? "left out, since it was interrupted: the fit to all rows with "
                                   "its intervals"
                                 : "no intervals: there was no time for them");
  for (std::size_t i = 0; i < found.estimates.size(); ++i)
    if (found.estimates[i].is == verdict::determined) {
      found.estimates[i].is = verdict::vague;
      found.estimates[i].words =
          fmt::format("the fit was stopped before {} was determined", found.unknowns[i].name);
    }
  return found;
}

// Steps along the record that stay too long beside the noise: they move the parameters, by how much is unknown.
void mark_rough_steps(model_report& r) {
  constexpr double most = 0.1;  // of the residuals
  if (!(r.step_error > most * r.result.rms)) return;
  for (estimate& e : r.result.estimates)
    if (e.is == estimate::verdict::determined) {
      e.is = estimate::verdict::misfit;
      e.words = "the steps of the model along the record are too rough for an interval";
    }
  r.findings.push_back(fmt::format(
      "The steps of {} along the record have an error of {:.0f} % of the residuals: no "
      "parameter is determined. Rows that are closer together, or slower motion, make it "
      "smaller.",
      r.model, 100 * r.step_error / r.result.rms));
}

}  // namespace

model_report fit_model(const any_model& model, const std::vector<record>& records,
                       const model_fit_options& of_model, const fit_options& of_fit) {
  // Intervals are made at the end, once the steps are short enough.
  fit_options first = of_fit;
  first.intervals = false;
  first.searches_on = 0;  // until steps are short: their error is no noise, either
  const auto part_of_progress = [&](double from, double to) -> std::function<void(double)> {
    if (!of_fit.progress) return nullptr;
    return [=](double share) { of_fit.progress(from + (to - from) * share); };
  };
  const bool has_second = of_model.hold_out > 0 || of_fit.intervals;
  first.progress = part_of_progress(0, has_second ? 0.5 : 1);
  // One limit for all the fits it takes.
  const auto began = std::chrono::steady_clock::now();
  const auto gone = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const auto left = [&] { return std::max(of_fit.time_limit - gone(), 0.0); };
  const auto after = [](const fit_result& before, fit_result now) {
    // Stopped before its first evaluation: what there was stays, and is not determined.
    if (now.residual.empty() && now.how != fit_result::ending::failed && !before.residual.empty())
      return stopped(before, now.how);
    now.iterations += before.iterations;
    now.evaluations += before.evaluations;
    now.seconds += before.seconds;
    if (!now.came_back) now.came_back = before.came_back;
    return now;
  };
  model_fit_options of_trained = of_model;
  if (of_trained.interrupt == nullptr) of_trained.interrupt = of_fit.interrupt;
  if (of_trained.stop == nullptr) of_trained.stop = std::make_shared<std::atomic<bool>>(false);
  // What goes along the records outside of a fit ends by the same limit, and by `longer` after it.
  const auto in_time = [&](const auto& work, double longer = 0) {
    std::optional<stop_watch> watch;
    if (of_fit.time_limit < unbounded)
      watch.emplace(of_trained.stop, [&, longer] { return gone() > of_fit.time_limit + longer; });
    return work();
  };
  const auto ending_of_stop = [&] {
    return is_set(of_trained.interrupt) ? fit_result::ending::interrupted
                                        : fit_result::ending::time_limit;
  };
  const auto nothing_to_show = [&]() -> model_fit {
    if (is_set(of_trained.interrupt)) throw interruption();
    throw error(
        fmt::format("{}: the time limit of {:g} s is too short: the model was not compared with "
                    "the record once",
                    model.key(), of_fit.time_limit));
  };
  model_fit trained = in_time([&] {
    try {
      return model_fit(model, records, of_trained);
    } catch (const interruption&) {
      return nothing_to_show();
    }
  });
  fit_problem problem = trained.problem();
  first.time_limit = left();
  fit_result found = fit(problem, first);
  if (was_stopped(found) && found.residual.empty()) nothing_to_show();
  model_report r(model);
  r.in = model.at().outputs[0].in;
  // Steps so short that their error does not count beside what is left: were it the same in every row, it
  // would move no parameter by more than half of its standard error.
  const auto fit_on = [&](int searches) {
    fit_options again = first;
    if (searches == 0) again.starts = 0;
    again.polished = 0;
    again.searches_on = searches;
    again.begin = found.values;
    again.time_limit = left();
    found = after(found, fit(problem, again));
  };
  int finer = 0;
  const auto shorten_steps = [&] {
    for (; finer < 5 && found.how == fit_result::ending::converged; ++finer) {
      r.step_error = in_time([&] { return trained.step_error(found.values); });
      const double share = std::min(0.02, 0.15 / std::sqrt(std::max(found.effective_samples, 1.0)));
      const double wanted = std::max(share * found.rms, 1e-7 * trained.measured_deviation());
      if (!(r.step_error > wanted)) break;
      in_time([&] { trained.refine(found.values, r.step_error, 0.4 * wanted); });
      problem = trained.problem();
      fit_on(0);
    }
  };
  try {
    shorten_steps();
    if (found.how == fit_result::ending::converged &&
        structure_of(found.residual, problem.rows) > no_noise) {
      const double before = found.rms;
      fit_on(of_fit.searches_on);
      if (found.rms < 0.99 * before) shorten_steps();
    }
  } catch (const interruption&) {
    found = stopped(std::move(found), ending_of_stop());
  }
  const auto is_done = [&] {
    return found.how == fit_result::ending::converged ||
           found.how == fit_result::ending::iteration_limit;
  };
  if (of_model.hold_out <= 0 && of_fit.intervals && is_done()) {
    fit_options last = of_fit;
    last.starts = 0;
    last.searches_on = 0;
    last.begin = found.values;
    last.progress = part_of_progress(0.5, 1);
    last.time_limit = left();
    found = after(found, fit(problem, last));
  }
  std::optional<model_fit> whole;
  if (of_model.hold_out > 0 && found.how != fit_result::ending::failed) {
    // None where it was stopped.
    const auto unseen = in_time([&] { return trained.held_out(found.values); }, closing_time);
    r.held_out_rms = rms_of(unseen);
    r.held_out_share = of_model.hold_out;
    std::vector<double> measured;
    for (const record& each : records) {
      const auto* f = each.find(model.at().outputs[0].name);
      if (f == nullptr) continue;
      const auto begin =
          static_cast<std::size_t>((1 - of_model.hold_out) * static_cast<double>(f->size()));
      measured.insert(measured.end(), f->begin() + static_cast<std::ptrdiff_t>(begin), f->end());
    }
    r.held_out_deviation = deviation_of(measured);
    if (is_done()) {
      model_fit_options all = of_trained;
      all.hold_out = 0;
      fit_options last = of_fit;
      last.starts = 0;
      last.searches_on = 0;
      last.begin = found.values;
      last.progress = part_of_progress(0.5, 1);
      try {
        in_time([&] {
          whole.emplace(model, records, all);
          whole->take_steps_of(trained);
        });
        last.time_limit = left();
        const fit_problem again = whole->problem();
        found = after(found, fit(again, last));
        if (found.residual.size() != again.residuals()) whole.reset();
      } catch (const interruption&) {
        found = stopped(std::move(found), ending_of_stop());
        whole.reset();
      }
    }
  }
  const model_fit& used = whole ? *whole : trained;
  r.result = std::move(found);
  r.samples = r.result.residual.size();
  r.deviation = used.measured_deviation();
  r.scales = used.scales();
  r.notes = used.notes();
  if (!r.result.values.empty()) r.fitted = used.with(r.result.values);
  // Shares are stated as they add up to 1.
  const auto about = r.fitted.describe();
  for (const auto& p : about.parameters) {
    if (!p.is_share) continue;
    for (std::size_t i = 0; i < r.result.unknowns.size(); ++i)
      for (std::size_t k = 0; k < p.value.size(); ++k)
        if (r.result.unknowns[i].name == fmt::format("{}[{}]", p.name, k + 1)) {
          estimate& e = r.result.estimates[i];
          const double factor = *p.value[k] / e.value;
          e.lower *= factor;
          e.upper *= factor;
          e.standard_error *= factor;
          e.value = r.result.values[i] = *p.value[k];
        }
  }
  // Whatever noise is, it does not know of the motion. Where residuals do, values stand in for what the model
  // lacks, or the search has ended beside the best place: then intervals promise too much.
  // Of a record without noise what is left is rounding, or the error of the steps.
  if (r.share() > 1e-4) r.structure = structure_of(r.result.residual, used.problem().rows);
  mark_misfit(r);
  if (is_done() && used.has_rough_steps()) try {
      constexpr int times = 4;  // a sixteenth of the steps
      r.step_error = in_time([&] { return used.step_error(r.result.values, times); });
      mark_rough_steps(r);
    } catch (const interruption&) {
      r.result = stopped(std::move(r.result), ending_of_stop());
    }
  // A force that never changes is one number, whatever moves.
  double largest = 0;
  for (const record& each : records)
    if (const auto* f = each.find(model.at().outputs[0].name); f != nullptr)
      for (const double x : *f) largest = std::max(largest, std::abs(x));
  if (model.at().outputs.size() == 1 && !(r.deviation > 1e-12 * largest) &&
      r.result.unknowns.size() > 1)
    for (estimate& e : r.result.estimates)
      if (e.is == verdict::determined) {
        e.is = verdict::vague;
        e.words = "the measured force is constant, which determines one number at most";
      }
  if (!r.result.came_back.value_or(true))
    for (std::size_t i = 0; i < r.result.estimates.size(); ++i)
      if (estimate& e = r.result.estimates[i]; e.is == verdict::determined) {
        e.is = verdict::ambiguous;
        e.words = fmt::format(
            "{} is ambiguous: the force jumps as the unknowns change, and either no second search "
            "ended at these values, or values far from them fit nearly as well",
            r.result.unknowns[i].name);
      }
  if (!r.result.has_exact_derivatives)
    r.notes.push_back(
        fmt::format("{}: derivatives are finite differences, since its memory branches", r.model));
  if (r.result.how != fit_result::ending::failed && !r.result.residual.empty()) {
    if (r.result.how != fit_result::ending::interrupted) bin_residuals(r, used);
    const bool has_question =
        std::any_of(r.result.estimates.begin(), r.result.estimates.end(), may_be_told);
    std::vector<told_elsewhere> elsewhere;
    if (has_question && r.result.how == fit_result::ending::converged) try {
        in_time([&] { elsewhere = along_test_motion(r, used, of_trained); });
      } catch (const interruption&) {
        elsewhere.clear();
      } catch (const error&) {
        elsewhere.clear();  // values along which it cannot be moved
      }
    explain(r, used, elsewhere);
  }
  return r;
}

std::string report_text(const model_report& r) {
  const auto& found = r.result;
  std::string text =
      fmt::format("{}{}: {} after {} iterations, {} evaluations, {:.2f} s\n", r.model,
                  r.curve.empty() ? "" : fmt::format(" with {}", r.curve), to_string(found.how),
                  found.iterations, found.evaluations, found.seconds);
  if (!found.detail.empty()) text += fmt::format("{}\n", found.detail);
  if (found.how == fit_result::ending::failed) return text;
  text += fmt::format(
      "residual: {} rms, {:.2f} % of the standard deviation of the measured values ({})\n",
      number_with_unit(found.rms, r.in), 100 * r.share(), number_with_unit(r.deviation, r.in));
  if (r.held_out_rms > 0)
    text += fmt::format(
        "held out: {} rms, {:.2f} %, on the last {:.0f} % of each record, after a fit to the "
        "rest\n",
        number_with_unit(r.held_out_rms, r.in), 100 * r.held_out(), 100 * r.held_out_share);
  text += samples_text(found);
  if (found.effective_samples > 0) text += fmt::format("; BIC {:.1f}", found.bic);
  text += "\n\n" + fit_table(found);
  return text + findings_text(r);
}

nlohmann::ordered_json report_json(const model_report& r) {
  using json = nlohmann::ordered_json;
  const auto& found = r.result;
  json out{{"model", r.model}};
  if (!r.curve.empty()) out["curve"] = r.curve;
  out["ending"] = to_string(found.how);
  if (!found.detail.empty()) out["detail"] = found.detail;
  out["rms"] = found.rms;
  out["unit"] = to_string(r.in);
  out["deviation"] = r.deviation;
  out["rms_over_deviation"] = r.share();
  if (r.held_out_rms > 0)
    out["held_out"] = {{"share_of_rows", r.held_out_share},
                       {"rms", r.held_out_rms},
                       {"rms_over_deviation", r.held_out()}};
  out["samples"] = r.samples;
  const bool is_known = found.effective_samples > 0;
  out["effective_samples"] = is_known ? json(found.effective_samples) : json();
  out["correlation_of_neighbours"] = found.whiteness;
  out["bic"] = is_known ? json(found.bic) : json();
  out["exact_derivatives"] = found.has_exact_derivatives;
  out["step_error"] = r.step_error;
  out.update(fit_json(found));
  out["residuals"] = bins_json(r);
  out["findings"] = r.findings;
  out["next_experiments"] = r.next;
  out["notes"] = r.notes;
  return out;
}

namespace {

// Keys of a contact patch, which a scenario has in a table of its own.
std::vector<std::string> keys_of_patch() {
  std::vector<std::string> names;
  patch_shape on;
  on.pressure = patch_shape::linear;
  for (const int shape : {patch_shape::disc, patch_shape::ring, patch_shape::ellipse,
                          patch_shape::rectangle, patch_shape::line}) {
    on.shape = shape;
    card<double> about;
    on.describe(about);
    for (const auto& each : about.parameters) names.push_back(each.name);
  }
  return names;
}

// A step that a fixed-step method can take along the record where every cell of a patch has a rate of its own:
// half of the shortest time in which the state of one falls by a factor of e. It is that when all cells are
// stretched so far that those with sliders slip.
double step_for_cells(const any_model& model, const record& rec) {
  const port& at = model.at();
  const auto n = static_cast<std::size_t>(model.states());
  std::vector<double> in(at.inputs.size(), 0.0), out(at.outputs.size()), start(n), there(n),
      scale(n, 1.0), before(n), after(n);
  model.state_scale(scale.data());
  double steepest = 0;
  for (std::size_t row = 0; row < rec.t.size(); ++row) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto* values = rec.find(at.inputs[i].name);
      in[i] = values != nullptr ? (*values)[row] : at.inputs[i].is == channel::load ? 1 : 0;
    }
    model.initial(in.data(), start.data());
    model.respond(in.data(), start.data(), out.data(), before.data());
    for (std::size_t k = 0; k < n; ++k) there[k] = start[k] + 100 * scale[k];
    model.respond(in.data(), there.data(), out.data(), after.data());
    for (std::size_t k = 0; k < n; ++k)
      steepest = std::max(steepest, std::abs(after[k] - before[k]) / (100 * scale[k]));
  }
  const double sample = (rec.t.back() - rec.t.front()) / static_cast<double>(rec.t.size() - 1);
  return steepest > 0 ? std::min(sample, 0.5 / steepest) : sample;
}

// What the sensor adds to the force of a run, as a comment.
std::string sensor_comment(const fit_result& found) {
  const auto value = [&](const char* name, double otherwise) {
    const estimate* e = found.find(name);
    return e != nullptr ? e->value : otherwise;
  };
  if (std::none_of(found.unknowns.begin(), found.unknowns.end(),
                   [](const unknown& x) { return x.name.rfind("sensor_", 0) == 0; }))
    return "";
  return fmt::format(
      "# The force f of this run is that of the model. The sensor as it was fitted shows\n"
      "# {:.17g} f(t - {:.17g} s) + {:.17g} + {:.17g} x, in SI units.\n\n",
      value("sensor_gain", 1), value("sensor_delay", 0), value("sensor_offset", 0),
      value("sensor_stiffness", 0));
}

}  // namespace

std::string why_no_scenario(const any_model& model, const record& rec) {
  const port& at = model.at();
  if (at.is_line()) return "";
  if (&at != &ports::twist)
    return fmt::format(
        "no system prescribes the motion of '{}' ({}): read the parameters from fit.json",
        model.key(), at.meaning);
  if (model.curve() != any_model(model.entry()).curve())
    return fmt::format("planar friction with the curve '{}' exists outside of scenarios only",
                       model.curve());
  for (const channel& c : at.inputs) {
    if (c.is != channel::place || rec.find(c.name) == nullptr) continue;
    const char* rate = at.inputs[static_cast<std::size_t>(c.rate_of)].name;
    if (rec.find(rate) == nullptr)
      return fmt::format("a scenario moves a contact by '{}', and the record has '{}' alone", rate,
                         c.name);
  }
  return "";
}

std::string report_scenario(const model_report& r, const std::string& motion_file,
                            const record& rec, const std::string& drive) {
  if (const std::string why = why_no_scenario(r.fitted, rec); !why.empty()) throw error(why);
  const bool is_planar = !r.fitted.at().is_line();
  const bool by_velocity =
      drive == "v" || (drive.empty() && rec.find("v") != nullptr && r.fitted.at().is_sliding()) ||
      rec.find("x") == nullptr;
  toml_value root;
  const auto put = [&](const std::string& key, const std::string& text) {
    assign(root, key, toml_value::of(text));
  };
  const auto put_column = [&](const std::string& input, const std::string& column) {
    put(input + ".kind", "csv");
    put(input + ".file", motion_file);
    put(input + ".column", column);
  };
  put("title",
      fmt::format("{} as fitted to {}", r.model, rec.name.substr(rec.name.find_last_of('/') + 1)));
  put("system.kind", is_planar ? "planar_motion" : "prescribed_motion");
  const std::string table = is_planar ? "friction" : r.fitted.entry().family;
  put(table + ".model", r.model);
  // Planar friction of a scenario has its own curve.
  if (!r.curve.empty() && !is_planar) put(table + ".curve", r.curve);
  const bool has_patch = r.fitted.functions().build != nullptr;
  const auto of_patch = has_patch ? keys_of_patch() : std::vector<std::string>();
  for (const auto& p : r.fitted.describe().parameters) {
    const auto values = r.fitted.get(p.name);
    const bool is_of_patch = std::find(of_patch.begin(), of_patch.end(), p.name) != of_patch.end();
    const std::string key = fmt::format("{}.{}", is_of_patch ? "patch" : table, p.name);
    if (!p.words.empty())
      put(key, p.words[static_cast<std::size_t>(*p.whole)]);
    else if (p.count != nullptr || p.whole != nullptr)
      assign(root, key, toml_value::of(static_cast<long long>(values.front())));
    else if (p.is_list)
      assign(root, key, toml_value::of(values));
    else
      assign(root, key, toml_value::of(values.front()));
  }
  if (is_planar) {
    const std::pair<const char*, const char*> rates[] = {
        {"velocity_x", "v_x"}, {"velocity_y", "v_y"}, {"spin", "omega"}};
    for (const auto& [input, column] : rates)
      if (rec.find(column) != nullptr) put_column(input, column);
  } else {
    put("motion.of", by_velocity ? "velocity" : "position");
    put_column("motion", by_velocity ? "v" : "x");
    put("motion.join", by_velocity ? "linear" : "cubic");
  }
  if (rec.find("load") != nullptr) put_column("load", "load");
  const double duration = rec.t.back() - rec.t.front();
  assign(root, "run.duration", toml_value::of(duration));
  assign(root, "run.sample", toml_value::of(duration / static_cast<double>(rec.t.size() - 1)));
  if (r.fitted.states() > most_states_of_adaptive_steps)
    assign(root, "integrator.step", toml_value::of(step_for_cells(r.fitted, rec)));
  else if (r.fitted.states() > 0 && r.fitted.functions().in_double.advance == nullptr &&
           (is_planar || !r.fitted.has_implicit_step()))
    put("integrator.method", "rosenbrock");  // fitted bristles may be as stiff as any
  return sensor_comment(r.result) + to_toml(root);
}

// ---- comparison ---------------------------------------------------------------------------------------

comparison compare_models(const std::vector<any_model>& models, const std::vector<record>& records,
                          const compare_options& options) {
  comparison result;
  for (std::size_t k = 0; k < models.size(); ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(models.size());
    if (options.progress) options.progress(share, models[k].key());
    try {
      if (is_set(options.of_fit.interrupt)) throw interruption();
      model_report r = fit_model(models[k], records, options.of_model, options.of_fit);
      // Half of a fit is nothing to compare.
      if (r.result.how == fit_result::ending::interrupted) throw interruption();
      if (r.result.how == fit_result::ending::failed || !std::isfinite(r.result.rms) ||
          r.result.residual.empty())
        result.failures.push_back({models[k].key(), r.result.detail});
      else
        result.ranking.push_back(std::move(r));
    } catch (const interruption&) {
      result.failures.push_back({models[k].key(), "interrupted"});
    } catch (const error& problem) {
      result.failures.push_back({models[k].key(), problem.what()});
    }
  }
  std::vector<fit_result*> fits;
  for (auto& each : result.ranking) fits.push_back(&each.result);
  set_common_bic(fits);
  std::stable_sort(
      result.ranking.begin(), result.ranking.end(),
      [](const model_report& a, const model_report& b) { return a.result.bic < b.result.bic; });
  std::vector<ranked_fit> ranked;
  for (const auto& each : result.ranking) ranked.push_back({each.model, &each});
  result.verdict = ranking_verdict(ranked, "model");
  return result;
}

std::string comparison_text(const comparison& c) {
  std::vector<std::vector<std::string>> rows{
      {"", "model", "curve", "free", "residual", "held out", "BIC", "undetermined", "time"}};
  double least = c.ranking.empty() ? 0 : c.ranking.front().result.bic;
  for (std::size_t k = 0; k < c.ranking.size(); ++k) {
    const auto& r = c.ranking[k];
    rows.push_back(
        {fmt::format("{}", k + 1), r.model, r.curve, fmt::format("{}", r.result.unknowns.size()),
         fmt::format("{:.2f} %", 100 * r.share()),
         r.held_out_rms > 0 ? fmt::format("{:.2f} %", 100 * r.held_out()) : "-",
         fmt::format("+{:.1f}", r.result.bic - least), undetermined_text(r.result),
         fmt::format("{:.1f} s{}", r.result.seconds, is_unfinished(r.result) ? ", stopped" : "")});
  }
  std::string text = lined_up_text(rows);
  for (const auto& each : c.failures)
    text += fmt::format("not fitted: {}: {}\n", each.model, each.why);
  return text + '\n' + c.verdict + '\n';
}

nlohmann::ordered_json comparison_json(const comparison& c) {
  nlohmann::ordered_json out{{"verdict", c.verdict}, {"ranking", nlohmann::ordered_json::array()}};
  for (const auto& each : c.ranking) out["ranking"].push_back(report_json(each));
  out["not_fitted"] = nlohmann::ordered_json::array();
  for (const auto& each : c.failures)
    out["not_fitted"].push_back({{"model", each.model}, {"why", each.why}});
  return out;
}

work_of_record work_of(const record& rec) {
  work_of_record result;
  const auto* x = rec.find("x");
  const auto* v = rec.find("v");
  const auto* f = rec.find("f");
  if ((x == nullptr && v == nullptr) || f == nullptr) return result;
  const auto mean = [](const std::vector<double>& of, std::size_t k) {
    return 0.5 * (of[k - 1] + of[k]);
  };
  std::vector<double> forth, back;  // forces of either direction
  const auto over_rows = [&](const auto& take) {
    for (const auto& piece : rec.pieces)
      for (std::size_t k = piece.first + 1; k < piece.last; ++k) {
        const double way =
            x != nullptr ? (*x)[k] - (*x)[k - 1] : mean(*v, k) * (rec.t[k] - rec.t[k - 1]);
        if (const double force = mean(*f, k); std::isfinite(force * way)) take(force, way);
      }
  };
  const auto work_without = [&](double offset) {
    work_of_record work;
    over_rows([&](double force, double way) {
      work.taken += (force - offset) * way;
      work.sizes += std::abs((force - offset) * way);
    });
    return work;
  };
  const auto median = [](std::vector<double>& of) {
    const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    std::nth_element(of.begin(), middle, of.end());
    return *middle;
  };
  over_rows([&](double force, double way) {
    if (way != 0) (way > 0 ? forth : back).push_back(force);
  });
  const work_of_record as_it_is = work_without(0);
  // The zero of a sensor shows in a motion that goes both ways: half of what both directions share.
  if (forth.empty() || back.empty()) return as_it_is;
  const work_of_record without_zero = work_without(0.5 * (median(forth) + median(back)));
  return as_it_is.drives() ? without_zero : as_it_is;
}

// ---- repeatability ------------------------------------------------------------------------------------

repeatability repeatability_of(const record& rec, double deviation) {
  repeatability result;
  const auto* xs = rec.find("x");
  const auto* fs = rec.find("f");
  if (xs == nullptr || fs == nullptr) return result;
  const auto& x = *xs;
  const auto& f = *fs;
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double range = *high - *low;
  if (!(range > 0)) return result;
  // Strokes: from a turn to the next, a turn being a way back of a twentieth of the range.
  struct stroke {
    std::size_t first, last;
    bool is_up;
  };
  std::vector<stroke> strokes;
  std::size_t extreme = 0, begin = 0;
  int direction = 0;
  for (std::size_t k = 1; k < x.size(); ++k) {
    if (direction == 0) {
      if (std::abs(x[k] - x[0]) > range / 20) direction = x[k] > x[0] ? 1 : -1;
      extreme = k;
      continue;
    }
    if ((x[k] - x[extreme]) * direction > 0) extreme = k;
    if ((x[extreme] - x[k]) * direction > range / 20) {
      if (std::abs(x[extreme] - x[begin]) > range / 2)
        strokes.push_back({begin, extreme, direction > 0});
      begin = extreme;
      direction = -direction;
      extreme = k;
    }
  }
  // Force at equal distances from the turn, rows that move backwards left out. The first stroke
  // begins elsewhere.
  constexpr int places = 200;
  for (const bool up : {true, false}) {
    std::vector<std::vector<double>> curves;
    for (std::size_t s = 1; s < strokes.size(); ++s) {
      if (strokes[s].is_up != up) continue;
      std::vector<double> sums(places), counts(places);
      for (std::size_t k = strokes[s].first; k <= strokes[s].last; ++k) {
        if (std::isnan(f[k])) continue;
        const double way = std::abs(x[k] - x[strokes[s].first]) / range;
        const auto place = static_cast<std::size_t>(std::clamp(way * places, 0.0, places - 1.0));
        sums[place] += f[k];
        counts[place] += 1;
      }
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] = counts[i] > 0 ? sums[i] / counts[i] : std::nan("");
      curves.push_back(std::move(sums));
    }
    result.strokes += static_cast<int>(curves.size());
    double squares = 0, n = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(places); ++i) {
      double sum = 0, of_squares = 0, m = 0;
      for (const auto& curve : curves)
        if (std::isfinite(curve[i])) {
          sum += curve[i];
          of_squares += curve[i] * curve[i];
          ++m;
        }
      if (m < 3) continue;
      squares += (of_squares - sum * sum / m) * m / (m - 1);
      n += m;
    }
    if (n > 0) result.rms += squares / n / 2;
  }
  result.rms = std::sqrt(result.rms);
  result.share = deviation > 0 ? result.rms / deviation : 0;
  return result;
}

}  // namespace asperity
