// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/publish/report.hpp>
#include <asperity/run/output.hpp>
#include <asperity/text/open_file.hpp>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

namespace asperity {

namespace {

using json = nlohmann::ordered_json;

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

// Words in lines of at most `width`; a longer word has a line of its own.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
      lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    at = end + 1;
  }
  return lines;
}

// Cells of several lines beside each other.
std::string row_text(const std::vector<std::vector<std::string>>& cells,
                     const std::vector<std::size_t>& widths) {
  std::size_t height = 0;
  for (const auto& cell : cells) height = std::max(height, cell.size());
  std::string text;
  for (std::size_t k = 0; k < height; ++k) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
      line += fmt::format("{:<{}}  ", k < cells[i].size() ? cells[i][k] : "", widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace

std::vector<experiment_result> perform_all(const std::string& folder,
                                           const std::vector<std::string>& ids,
                                           const perform_options& wanted) {
  // All files are read before anything runs, so that a mistake in the last one is told at once.
  std::vector<experiment> experiments;
  experiments.reserve(ids.size());
  const auto interrupted = [&] { return is_set(wanted.limits.interrupt); };
  for (const auto& id : ids) {
    if (interrupted()) return {};
    experiments.push_back(read_experiment(folder, id));
  }

  std::vector<experiment_result> results(ids.size());
  std::size_t finished = 0;
  std::atomic<bool> stopped = false;
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&](std::size_t i) {
    if (stopped || interrupted() || !results[i].what.id.empty()) return;
    try {
      experiment_result result = perform(std::move(experiments[i]), wanted.limits, wanted.audits);
      if (wanted.digest) wanted.digest(result);
      const std::lock_guard lock(guard);
      results[i] = std::move(result);
      ++finished;
      if (wanted.done) wanted.done(finished);
    } catch (const interruption&) {
      stopped = true;
    } catch (...) {
      const std::lock_guard lock(guard);
      failure = std::current_exception();
      stopped = true;  // nobody need go on
    }
  };
  const auto threads =
      std::clamp<std::size_t>(wanted.threads, 1, std::max(ids.size(), std::size_t{1}));
  try {
    const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, threads);
    tbb::task_arena(static_cast<int>(threads)).execute([&] {
      tbb::parallel_for(std::size_t{0}, results.size(), work, tbb::simple_partitioner());
    });
  } catch (const std::exception&) {
    // There are no more threads to be had: this one does what is left.
    for (std::size_t i = 0; i < results.size(); ++i) work(i);
  }
  const std::lock_guard lock(guard);  // what the threads wrote is seen, also by ThreadSanitizer
  if (failure) std::rethrow_exception(failure);
  std::erase_if(results, [](const auto& each) { return each.what.id.empty(); });
  return results;
}

std::string ours_text(const judgement& j) {
  if (j.ours.empty()) return "-";
  std::string text;
  for (const double value : j.ours) {
    if (!text.empty()) text += ", ";
    text += std::isfinite(value) ? fmt::format("{:.6g}", value) : "nothing to measure";
  }
  return is_plain(j.in) ? text : text + " " + to_string(j.in);
}

std::string table_text(const std::vector<experiment_result>& results) {
  const std::vector<std::size_t> widths{24, 46, 20, 34, 11};
  std::string text =
      row_text({{"id"}, {"claim"}, {"source"}, {"ours"}, {"verdict"}}, widths) +
      std::string(widths[0] + widths[1] + widths[2] + widths[3] + widths[4] + 8, '-') + '\n';
  for (const auto& r : results)
    for (std::size_t i = 0; i < r.judgements.size();) {
      const judgement& first = r.judgements[i];
      std::vector<std::string> ours, answers;
      // Both executions of a claim stand in one row.
      do {
        const judgement& j = r.judgements[i];
        auto lines = wrapped(
            fmt::format("{}{}", ours_text(j), j.how == execution::converged ? " (converged)" : ""),
            widths[3]);
        auto answer = wrapped(to_string(j.answer), widths[4]);
        answer.resize(std::max(lines.size(), answer.size()));
        lines.resize(answer.size());
        ours.insert(ours.end(), lines.begin(), lines.end());
        answers.insert(answers.end(), answer.begin(), answer.end());
        ++i;
      } while (i < r.judgements.size() && r.judgements[i].how == execution::converged &&
               first.how == execution::source && r.judgements[i].about.text == first.about.text);
      std::string claim = first.about.text;
      if (!first.note.empty()) claim += fmt::format(" [{}]", first.note);
      if (!first.about.erratum.empty()) claim += fmt::format(" [{}]", first.about.erratum);
      text += row_text(
          {{r.what.id}, wrapped(claim, widths[1]), wrapped(first.wanted, widths[2]), ours, answers},
          widths);
    }
  return text;
}

std::string report_json(const std::vector<experiment_result>& results) {
  json report = json::object();
  report["asperity"] = version();
  for (const auto& [key, wanted] :
       {std::pair{"counts", whose::all}, std::pair{"published", whose::published},
        std::pair{"our_own", whose::own}}) {
    const verdict_counts n = count(results, wanted);
    report[key] = {{"experiments", n.experiments}, {"claims", n.claims},
                   {"verdicts", n.verdicts()},     {"met", n.met},
                   {"failed", n.failed},           {"explained", n.explained},
                   {"skipped", n.skipped}};
  }
  report["claims"] = json::array();
  for (const auto& r : results)
    for (const auto& j : r.judgements) {
      json entry = json::object();
      entry["id"] = j.experiment;
      entry["figures"] = r.what.figures;
      entry["source"] = r.what.source;
      entry["claim"] = j.about.text;
      entry["source_says"] = j.about.source_says;
      entry["execution"] = j.how == execution::source ? "source" : "converged";
      entry["runs"] = j.about.runs;
      entry["measure"] = j.measured;
      entry["wanted"] = j.wanted;
      if (j.about.at_least) entry["at_least"] = *j.about.at_least;
      if (j.about.at_most) entry["at_most"] = *j.about.at_most;
      if (j.about.equals) {
        entry["source_value"] = *j.about.equals;
        entry["tolerance"] = j.about.tolerance;
      }
      entry["ours"] = json::array();
      for (const double value : j.ours) entry["ours"].push_back(number_or_null(value));
      entry["unit"] = to_string(j.in);
      if (!j.about.erratum.empty()) entry["erratum"] = j.about.erratum;
      if (!j.note.empty()) entry["note"] = j.note;
      entry["verdict"] = to_string(j.answer);
      entry["failed"] = is_failure(j.answer);
      report["claims"].push_back(std::move(entry));
    }
  return json_text(report);
}

verdict_counts count(const std::vector<experiment_result>& results, whose wanted) {
  verdict_counts n;
  for (const auto& r : results) {
    if (wanted != whose::all && is_published(r.what.id) != (wanted == whose::published)) continue;
    ++n.experiments;
    n.figures += static_cast<long>(r.what.figures.size());
    n.claims += static_cast<long>(r.what.claims.size());
    for (const auto& j : r.judgements) {
      if (is_failure(j.answer)) ++n.failed;
      if (j.answer == verdict::met) ++n.met;
      if (j.answer == verdict::explained) ++n.explained;
      if (j.answer == verdict::skipped) ++n.skipped;
    }
  }
  return n;
}

std::string summary_text(const std::vector<experiment_result>& results) {
  std::string text;
  for (const auto wanted : {whose::published, whose::own}) {
    const verdict_counts n = count(results, wanted);
    if (n.experiments == 0) continue;
    const bool ours = wanted == whose::own;
    text += fmt::format(
        "{} {}experiment{}{} with {}{} claims, {} verdicts: {} met, {} failed, {} explained by an "
        "erratum, {} skipped\n",
        n.experiments, ours ? "" : "published ", n.experiments == 1 ? "" : "s",
        ours ? " of our own" : "", ours ? "" : fmt::format("{} figures and tables, ", n.figures),
        n.claims, n.verdicts(), n.met, n.failed, n.explained, n.skipped);
  }
  return text;
}

namespace {

// What a comparison needs of a claim: as it stands in a report, and as it is now.
struct recorded_claim {
  std::string id, text, execution, answer, in;
  std::vector<double> ours;
  double scale = 0;  // of the bounds it is judged by
  bool operator==(const recorded_claim&) const = default;

  std::string name() const { return fmt::format("{}: {} ({})", id, text, execution); }
};

// `done` counts the claims, for who must say which of them cannot be read.
std::vector<recorded_claim> claims_of(const json& report, std::size_t* done = nullptr) {
  std::vector<recorded_claim> result;
  for (const auto& entry : report.at("claims")) {
    if (done != nullptr) ++*done;
    recorded_claim c;
    c.id = entry.at("id").get<std::string>();
    c.text = entry.at("claim").get<std::string>();
    c.execution = entry.at("execution").get<std::string>();
    c.answer = entry.at("verdict").get<std::string>();
    c.in = entry.at("unit").get<std::string>();
    for (const auto& value : entry.at("ours"))
      c.ours.push_back(value.is_null() ? std::nan("") : value.get<double>());
    for (const char* bound : {"at_least", "at_most", "source_value", "tolerance"})
      if (entry.contains(bound))
        c.scale = std::max(c.scale, std::abs(entry.at(bound).get<double>()));
    result.push_back(std::move(c));
  }
  return result;
}

json read_report(const std::string& file) {
  const std::string text = read_input_file(file, largest_report);
  const auto not_ours = [&](const std::string& why) {
    return error(fmt::format(
        "'{}' is not a report: {}; expected the JSON that `asperity reproduce --json {}` "
        "writes, or the report.json of a report",
        file, why, file));
  };
  std::size_t claim = 0;
  try {
    json report = json::parse(text);
    if (!report.is_object() || !report.contains("claims") || !report["claims"].is_array())
      throw not_ours("it is not an object with a list 'claims'");
    (void)claims_of(report, &claim);
    return report;
  } catch (const json::parse_error& problem) {
    throw not_ours(fmt::format("it is not JSON (byte {})", problem.byte));
  } catch (const json::exception&) {  // its text is for programmers
    throw not_ours(fmt::format(
        "claim {} of its list lacks an entry, or has an entry of the wrong type", claim));
  }
}

bool differ(const recorded_claim& a, const recorded_claim& b) {
  if (a.ours.size() != b.ours.size() || a.in != b.in) return true;
  for (std::size_t i = 0; i < a.ours.size(); ++i) {
    const double x = a.ours[i], y = b.ours[i];
    if (std::isnan(x) != std::isnan(y)) return true;
    if (std::abs(x - y) > 1e-6 * std::max({std::abs(x), std::abs(y), a.scale, b.scale}))
      return true;
  }
  return false;
}

std::string values_text(const recorded_claim& c) {
  std::string text;
  for (const double value : c.ours)
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        std::isnan(value) ? "nothing to measure" : fmt::format("{:.9g}", value));
  if (text.empty()) text = "nothing";
  return c.in == to_string(units::one) ? text : fmt::format("{} {}", text, c.in);
}

}  // namespace

report_changes compare_with(const std::string& file, const std::vector<std::string>& ids,
                            const std::vector<experiment_result>& results) {
  const auto earlier = claims_of(read_report(file));
  const auto now = claims_of(json::parse(report_json(results)));
  // The n-th claim of a name matches the n-th of that name.
  struct known_claims {
    std::map<std::string, std::vector<const recorded_claim*>> by_name;
    std::set<std::string> ids;
    std::map<std::string, std::size_t> asked;  // how often for each name
    explicit known_claims(const std::vector<recorded_claim>& list) {
      for (const auto& each : list) {
        by_name[each.name()].push_back(&each);
        ids.insert(each.id);
      }
    }
    const recorded_claim* next(const std::string& name) {
      const auto found = by_name.find(name);
      const std::size_t n = asked[name]++;
      return found == by_name.end() || n >= found->second.size() ? nullptr : found->second[n];
    }
  };
  known_claims of_now(now), of_earlier(earlier);
  report_changes changes;
  std::set<std::string> told;  // one is either lost or new
  const auto once = [&](std::vector<std::string>& list, const std::string& id) {
    if (told.insert(id).second) list.push_back(id);
  };
  for (const auto& old : earlier) {
    const bool asked = ids.empty() || std::find(ids.begin(), ids.end(), old.id) != ids.end();
    if (of_now.ids.count(old.id) == 0) {
      if (asked) once(changes.lost, old.id);
      continue;
    }
    const recorded_claim* ours = of_now.next(old.name());
    if (ours == nullptr) {
      changes.claims.push_back(fmt::format("{}: lost (was {})", old.name(), old.answer));
    } else if (ours->answer != old.answer) {
      changes.claims.push_back(fmt::format("{}: {} -> {}, {} -> {}", old.name(), old.answer,
                                           ours->answer, values_text(old), values_text(*ours)));
    } else if (differ(old, *ours)) {
      changes.values.push_back(
          fmt::format("{}: {} -> {}", old.name(), values_text(old), values_text(*ours)));
    }
  }
  for (const auto& ours : now) {
    const bool is_known = of_earlier.next(ours.name()) != nullptr;
    if (of_earlier.ids.count(ours.id) == 0) {
      once(changes.found, ours.id);
    } else if (!is_known) {
      changes.claims.push_back(fmt::format("{}: new ({})", ours.name(), ours.answer));
    }
  }
  return changes;
}

std::string to_string(const report_changes& changes, const std::string& file) {
  if (changes.empty()) return fmt::format("Nothing changed compared with {}\n", file);
  std::string text = fmt::format("Changes compared with {}\n", file);
  const auto list = [&](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    text += fmt::format("{} ({})\n", title, lines.size());
    for (const auto& each : lines) text += fmt::format("  {}\n", each);
  };
  list("Experiments lost", changes.lost);
  list("Experiments new", changes.found);
  list("Verdicts changed", changes.claims);
  list("Values changed", changes.values);
  return text;
}

}  // namespace asperity
