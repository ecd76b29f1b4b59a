// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/identify/fit_report.hpp>
#include <asperity/quantity.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace asperity {

using verdict = estimate::verdict;

double rms_of(std::span<const double> values) {
  double squares = 0;
  for (const double x : values) squares += x * x;
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

double deviation_of(std::span<const double> values) {
  double sum = 0, squares = 0, n = 0;
  for (const double x : values) {
    if (std::isnan(x)) continue;
    sum += x;
    squares += x * x;
    ++n;
  }
  return n > 0 ? std::sqrt(std::max(squares / n - sum / n * sum / n, 0.0)) : 0;
}

std::string number_with_unit(double x, unit in) {
  const std::string of = to_string(in);
  return is_plain(in) ? fmt::format("{:.5g}", x) : fmt::format("{:.5g} {}", x, of);
}

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

residual_bins bins_against(const std::string& name, unit in, const std::vector<double>& at,
                           const std::vector<double>& residual) {
  residual_bins result{name, in, {}, {}, {}};
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (std::isfinite(at[i])) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return at[a] < at[b]; });
  constexpr std::size_t bins = 24;
  double total = 0, of_means = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    const std::size_t begin = b * order.size() / bins, end = (b + 1) * order.size() / bins;
    if (begin == end) continue;
    double sum = 0, squares = 0, place = 0;
    for (std::size_t k = begin; k < end; ++k) {
      sum += residual[order[k]];
      squares += residual[order[k]] * residual[order[k]];
      place += at[order[k]];
    }
    const double n = static_cast<double>(end - begin), mean = sum / n;
    result.centre.push_back(place / n);
    result.mean.push_back(mean);
    result.deviation.push_back(std::sqrt(std::max(squares / n - mean * mean, 0.0)));
    total += squares;
    of_means += n * mean * mean;
  }
  result.explained = total > 0 ? of_means / total : 0;
  if (!order.empty()) {
    const double n = static_cast<double>(order.size());
    const double share = static_cast<double>(result.centre.size()) / n;
    result.by_chance = share + 2.5 * std::sqrt(2 * share * (1 - share) / n);
  }
  return result;
}

// ---- findings -----------------------------------------------------------------------------------------

void mark_misfit(fit_report& r) {
  if (!(r.structure > no_noise)) return;
  for (estimate& e : r.result.estimates)
    if (e.is == verdict::determined) {
      e.is = verdict::misfit;
      e.words = "the residuals are not noise: the interval holds for this model only, if at all";
    }
}

bool was_stopped(const fit_result& found) {
  return found.how == fit_result::ending::interrupted ||
         found.how == fit_result::ending::time_limit;
}

void say_whether_it_is_whole(fit_report& r) {
  if (was_stopped(r.result)) {
    r.findings.emplace_back(
        "The fit was stopped early: the values are the best so far, and none is determined.");
    r.next.emplace_back("To determine the parameters: let the fit run to its end.");
  }
  const std::string beside = fmt::format("{} against {}", number_with_unit(r.result.rms, r.in),
                                         number_with_unit(r.noise, r.in));
  if (r.noise > 0 && r.structure > no_noise)
    r.findings.push_back(fmt::format(
        "The residuals are larger than the noise that repeated periods show ({}; {:.0f} standard "
        "deviations): the model lacks something, or the search missed the best fit. No parameter "
        "is "
        "determined; the intervals hold for this model only, if at all.",
        beside, r.structure));
  else if (r.noise > 0)
    r.findings.push_back(fmt::format(
        "The residuals are no larger than the noise that repeated periods show ({}): the "
        "model explains all that repeats.",
        beside));
  else if (r.structure > no_noise)
    r.findings.push_back(fmt::format(
        "The residuals are not noise (means over rows are {:.0f} standard deviations too large): "
        "the model lacks something, the noise is correlated, or the search missed the best fit. No "
        "parameter is determined; the intervals hold for this model only, if at all.",
        r.structure));
}

void say_what_goes_together(fit_report& r) {
  const auto& found = r.result;
  for (const auto& direction : found.flat)
    if (direction.parts.size() > 1)
      r.findings.push_back(fmt::format("Not determined separately: {}.", direction.words));
  const auto is_told = [&](std::size_t i) {
    return found.unknowns[i].prior_width == 0 && found.estimates[i].is == verdict::determined;
  };
  for (std::size_t i = 0; i < found.correlation.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (std::abs(found.correlation[i][k]) > 0.95 && is_told(i) &&
          found.estimates[k].is == verdict::determined)
        r.findings.push_back(
            fmt::format("{} and {} are known only in combination (correlation {:.3f}).",
                        found.unknowns[k].name, found.unknowns[i].name, found.correlation[i][k]));
}

void say_of_residuals(fit_report& r, const std::string& richer) {
  const auto& found = r.result;
  // Noise that is known may be correlated.
  const bool is_noise = r.noise > 0 && !(r.structure > no_noise);
  if (found.whiteness > 0.5 && found.effective_samples > 0 &&
      found.effective_samples < 0.2 * static_cast<double>(r.samples))
    r.findings.push_back(fmt::format(
        "Neighbouring residuals are correlated ({:.2f}): {} rows count as {:.0f}, and "
        "the intervals are correspondingly wider.{}",
        found.whiteness, r.samples, found.effective_samples,
        is_noise ? "" : " The residuals are structure that the model lacks, not noise."));
  for (const auto& each : r.bins)
    if (each.explained > std::max(0.15, each.by_chance) &&
        r.share() > 1e-9)  // below that nobody asks
      r.findings.push_back(
          fmt::format("The residuals{} depend on the {}, which explains {:.0f} % of their "
                      "variance.",
                      each.of.empty() ? "" : " of " + each.of, each.against, 100 * each.explained));
  if (r.held_out_rms > 0 && r.held_out() > 1.5 * r.share() + 0.002)
    r.findings.push_back(fmt::format(
        "The residuals are larger on the part held out ({:.1f} % of the standard deviation, "
        "against {:.1f} %): the parameters drift, or the model is overfitted.",
        100 * r.held_out(), 100 * r.share()));
  if (!r.next.empty()) return;
  if ((found.whiteness > 0.5 && !is_noise) || r.structure > no_noise)
    r.next.push_back(
        fmt::format("The residuals are not noise. Repeat the same motion, and another one of the "
                    "same range, to see whether the residuals repeat; {}.",
                    richer));
  else if (std::all_of(found.estimates.begin(), found.estimates.end(), [](const estimate& e) {
             return e.is == verdict::determined || e.is == verdict::held;
           }))
    r.next.push_back(
        fmt::format("All parameters are determined and the residuals are {}: record another motion "
                    "to test the model.",
                    found.whiteness > 0.5 ? "noise" : "white"));
}

// ---- text and data ------------------------------------------------------------------------------------

std::string lined_up_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string fit_table(const fit_result& found) {
  std::vector<std::vector<std::string>> rows{
      {"parameter", "value", fmt::format("{:g} % interval", 100 * found.confidence), "", "unit", "",
       "meaning"}};
  for (std::size_t i = 0; i < found.unknowns.size(); ++i) {
    const unknown& x = found.unknowns[i];
    const estimate& e = found.estimates[i];
    rows.push_back({x.name, fmt::format("{:.6g}", e.value), fmt::format("{:.6g}", e.lower),
                    fmt::format("{:.6g}", e.upper), to_string(x.in),
                    e.is == verdict::determined ? (e.is_profile ? "profile" : "") : to_string(e.is),
                    x.meaning});
  }
  return lined_up_text(rows);
}

std::string samples_text(const fit_result& found) {
  return fmt::format(
      "samples: {}{}; correlation of neighbours {:.3f}", found.residual.size(),
      found.effective_samples > 0
          ? fmt::format(", equivalent to {:.0f} independent ones", found.effective_samples)
          : "",
      found.whiteness);
}

std::string findings_text(const fit_report& r) {
  std::string text;
  const auto list = [&](const char* title, const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    text += fmt::format("\n{}\n", title);
    for (const auto& each : sentences) text += fmt::format("- {}\n", each);
  };
  list("What the record shows", r.findings);
  list("Next experiment", r.next);
  list("Notes", r.notes);
  return text;
}

nlohmann::ordered_json fit_json(const fit_result& found) {
  using json = nlohmann::ordered_json;
  json out = json::object();
  json parameters = json::array();
  for (std::size_t i = 0; i < found.unknowns.size(); ++i) {
    const unknown& x = found.unknowns[i];
    const estimate& e = found.estimates[i];
    json one{{"name", x.name},
             {"value", e.value},
             {"unit", to_string(x.in)},
             {"lower", e.lower},
             {"upper", e.upper},
             {"standard_error", e.standard_error},
             {"interval", e.is_profile ? "profile" : "quadratic"},
             {"verdict", to_string(e.is)}};
    if (!e.words.empty()) one["words"] = e.words;
    one["meaning"] = x.meaning;
    parameters.push_back(std::move(one));
  }
  out["parameters"] = std::move(parameters);
  out["confidence"] = found.confidence;
  out["correlations"] = found.correlation;
  json flat = json::array();
  for (const auto& each : found.flat)
    flat.push_back({{"standard_error", each.standard_error}, {"words", each.words}});
  out["flat_directions"] = std::move(flat);
  return out;
}

nlohmann::ordered_json bins_json(const fit_report& r) {
  using json = nlohmann::ordered_json;
  json bins = json::array();
  for (const auto& each : r.bins) {
    json one = json::object();
    if (!each.of.empty()) one["of"] = each.of;
    one.update(json{{"against", each.against},
                    {"unit", to_string(each.in)},
                    {"centre", each.centre},
                    {"mean", each.mean},
                    {"deviation", each.deviation},
                    {"explained", each.explained}});
    bins.push_back(std::move(one));
  }
  return bins;
}

// ---- one among others -----------------------------------------------------------------------------

double bic_with(const fit_result& f, double samples) {
  const double of_residuals = std::log(std::max(f.rms * f.rms, 1e-300));
  const double penalty = f.bic - f.effective_samples * of_residuals;
  const double parameters = penalty / std::log(std::max(f.effective_samples, 2.0));
  return samples * of_residuals + parameters * std::log(std::max(samples, 2.0));
}

double set_common_bic(const std::vector<fit_result*>& fits) {
  double samples = 0, least = unbounded;
  for (const fit_result* each : fits)
    if (each->rms < least) {
      least = each->rms;
      samples = each->effective_samples;
    }
  for (fit_result* each : fits) each->bic = bic_with(*each, samples);
  return samples;
}

bool is_unfinished(const fit_result& found) { return found.how == fit_result::ending::time_limit; }

std::string ranking_verdict(const std::vector<ranked_fit>& ranking, const std::string& kind) {
  if (ranking.empty()) return fmt::format("No {} could be fitted.", kind);
  const ranked_fit& best = ranking.front();
  const fit_result& found = best.report->result;
  std::string text = fmt::format(
      "The best {} is {}: its residual is {:.2f} % of the standard deviation, with {} "
      "parameter{}",
      kind, best.name, 100 * best.report->share(), found.unknowns.size(),
      found.unknowns.size() == 1 ? "" : "s");
  if (best.report->held_out_rms > 0)
    text += fmt::format(", {:.2f} % on the part held out", 100 * best.report->held_out());
  if (best.validated > 0)
    text += fmt::format(", {:.2f} % on the records that were not fitted", 100 * best.validated);
  if (ranking.size() > 1) {
    const ranked_fit& second = ranking[1];
    const double gap = second.report->result.bic - found.bic;
    text += gap > 10 ? fmt::format("; clearly better than {} (BIC {:.0f} higher)", second.name, gap)
            : gap > 2 ? fmt::format("; better than {} (BIC {:.1f} higher)", second.name, gap)
                      : fmt::format("; {} explains the record as well (BIC {:.1f} higher)",
                                    second.name, gap);
  }
  text += ".";
  constexpr double much = 0.8;
  if (best.report->held_out_rms > 0)
    for (const ranked_fit& each : ranking)
      if (each.report->held_out_rms > 0 &&
          each.report->held_out() < much * best.report->held_out()) {
        text += fmt::format(" On the part held out, {} is better ({:.2f} %): prefer it.", each.name,
                            100 * each.report->held_out());
        break;
      }
  if (best.validated > 0)
    for (const ranked_fit& each : ranking)
      if (each.validated > 0 && each.validated < much * best.validated) {
        text +=
            fmt::format(" On the records that were not fitted, {} is better ({:.2f} %): prefer it.",
                        each.name, 100 * each.validated);
        break;
      }
  std::vector<std::string> unfinished;
  for (const ranked_fit& each : ranking)
    if (is_unfinished(each.report->result)) unfinished.push_back(each.name);
  if (!unfinished.empty())
    text += fmt::format(" Stopped at the time limit, and perhaps better with more time: {}.",
                        fmt::join(unfinished, ", "));
  return text;
}

std::string undetermined_text(const fit_result& found) {
  std::vector<std::string> names;
  bool has_misfit = false;
  for (std::size_t i = 0; i < found.estimates.size(); ++i)
    if (found.estimates[i].is == verdict::misfit)
      has_misfit = true;
    else if (found.estimates[i].is != verdict::determined)
      names.push_back(found.unknowns[i].name);
  if (names.size() > 4) {
    const std::size_t more = names.size() - 3;
    names.resize(3);
    names.emplace_back(fmt::format("and {} more", more));
  }
  if (has_misfit) names.emplace_back(names.empty() ? "all: misfit" : "the others: misfit");
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace asperity
