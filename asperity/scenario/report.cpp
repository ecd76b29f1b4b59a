// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/scenario/output.hpp>
#include <asperity/scenario/pending_folder.hpp>
#include <asperity/scenario/report.hpp>
#include <cmath>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

namespace asperity {

namespace {

using json = nlohmann::ordered_json;

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// The published figure: each panel with the lines of its runs, the converged ones where there are.
std::vector<plot_panel> panels_of(const experiment_result& result) {
  std::vector<plot_panel> panels;
  for (const auto& each : result.what.panels) {
    plot_panel drawn;
    drawn.title = each.shown.title;
    drawn.x_name = each.shown.x;
    drawn.y_name = fmt::format("{}", fmt::join(each.shown.y, ", "));
    drawn.x_unit = each.shown.x_unit;
    drawn.y_unit = each.shown.y_unit;
    drawn.x_log = each.x_log;
    drawn.y_log = each.y_log;
    for (const auto& run : result.what.runs) {
      const bool wanted = each.runs.empty() || std::find(each.runs.begin(), each.runs.end(),
                                                         run.name) != each.runs.end();
      if (!wanted || !run.missing_model.empty()) continue;
      const auto how = run.has(execution::converged) ? execution::converged : execution::source;
      const run_data& data = result.data.at({run.name, how});
      for (const auto& name : each.shown.y) {
        const column* y = data.find(name);
        const column* x = data.find(each.shown.x);
        if (x == nullptr || y == nullptr) continue;
        drawn.x_in = x->in;
        drawn.y_in = y->in;
        const std::string label =
            each.shown.y.size() > 1 ? fmt::format("{}, {}", run.label, name) : run.label;
        drawn.lines.push_back({label, x->values, y->values});
      }
    }
    if (!drawn.lines.empty()) panels.push_back(std::move(drawn));
  }
  return panels;
}

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

constexpr const char* style = R"(
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem; color: #222; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-top: 1px solid #ddd; padding-top: 1rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; } .wide { overflow-x: auto; }
th, td { text-align: left; padding: 0.3rem 0.6rem; border-bottom: 1px solid #e5e5e5; vertical-align: top; }
.met { color: #17692f; } .failed { color: #b00020; font-weight: bold; } .explained { color: #8a5a00; }
.skipped { color: #777; } img { max-width: 100%; height: auto; } code { background: #f4f4f4; padding: 0 0.25em; }
)";

const char* css_class(verdict v) {
  if (is_failure(v)) return "failed";
  return v == verdict::met ? "met" : v == verdict::explained ? "explained" : "skipped";
}

std::string verdict_text(const judgement& j) {
  std::string text = to_string(j.answer);
  if (!j.about.erratum.empty()) text += fmt::format(" ({})", j.about.erratum);
  if (!j.note.empty()) text += ": " + j.note;
  return text;
}

std::string page(const std::vector<experiment_result>& results) {
  const verdict_counts n = count(results);
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Asperity: published experiments</title>\n<style>{}</style></head><body>\n"
      "<h1>Published experiments, run again</h1>\n"
      "<p>{} claims met, {} failed, {} not met as an erratum of the source explains, {} skipped. "
      "Each run is judged with the source's own step and, beside it, converged; plots show the "
      "converged runs.</p>\n<ul>\n",
      style, n.met, n.failed, n.explained, n.skipped);
  for (const auto& r : results)
    html += fmt::format("<li><a href=\"#{0}\">{0}</a>: {1}</li>\n", escaped(r.what.id),
                        escaped(r.what.title));
  html += "</ul>\n";
  for (const auto& r : results) {
    html += fmt::format("<h2 id=\"{0}\">{1}</h2>\n<p><code>{0}</code>. {2}.</p>\n",
                        escaped(r.what.id), escaped(r.what.title), escaped(r.what.source));
    if (!r.what.about.empty()) html += fmt::format("<p>{}</p>\n", escaped(r.what.about));
    if (!r.what.panels.empty())
      html += fmt::format("<p><img src=\"{0}/plot.svg\" alt=\"Plots of {0}\"></p>\n",
                          escaped(r.what.id));
    html +=
        "<div class=\"wide\"><table><tr><th>Claim</th><th>The source says</th><th>Run</th>"
        "<th>Measured</th><th>Wanted</th><th>Ours</th><th>Verdict</th></tr>\n";
    for (const auto& j : r.judgements)
      html += fmt::format(
          "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
          "<td class=\"{}\">{}</td></tr>\n",
          escaped(j.about.text), escaped(j.about.source_says), to_string(j.how),
          escaped(j.measured), escaped(j.wanted), escaped(ours_text(j)), css_class(j.answer),
          escaped(verdict_text(j)));
    html += fmt::format("</table></div>\n<p>Run it again: <code>asperity reproduce {}</code></p>\n",
                        escaped(r.what.id));
  }
  return html + "</body></html>\n";
}

}  // namespace

std::vector<experiment_result> perform_all(
    const std::string& folder, const std::vector<std::string>& ids, unsigned threads,
    const std::atomic<bool>* interrupt,
    const std::function<void(const experiment_result&, std::size_t)>& done) {
  // All files are read before anything runs, so that a mistake in the last one is told at once.
  std::vector<experiment> experiments;
  for (const auto& id : ids) experiments.push_back(read_experiment(folder, id));

  std::vector<experiment_result> results(ids.size());
  std::atomic<std::size_t> next = 0;
  std::size_t finished = 0;
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&] {
    for (std::size_t i = next++; i < experiments.size(); i = next++) {
      if (interrupt != nullptr && interrupt->load()) return;
      try {
        simulate_options options;
        options.interrupt = interrupt;
        experiment_result result = perform(std::move(experiments[i]), options);
        if (interrupt != nullptr && interrupt->load()) return;  // it may not be whole
        const std::lock_guard lock(guard);
        results[i] = std::move(result);
        done(results[i], ++finished);
      } catch (...) {
        const std::lock_guard lock(guard);
        failure = std::current_exception();
        return;
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    for (unsigned i = 1; i < threads; ++i) pool.emplace_back(work);
    work();
  }
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
  return j.in == units::one ? text : text + " " + to_string(j.in);
}

std::string table_text(const std::vector<experiment_result>& results) {
  std::string text;
  for (const auto& r : results) {
    text += fmt::format("{}  {} ({})\n", r.what.id, r.what.title, r.what.source);
    for (const auto& j : r.judgements)
      text += fmt::format("  {:<11} {}\n  {:<11} {}: {}; wanted {}; source: \"{}\"{}\n",
                          to_string(j.answer), j.about.text, "", to_string(j.how), ours_text(j),
                          j.wanted, j.about.source_says,
                          j.note.empty() && j.about.erratum.empty() ? ""
                          : j.note.empty()                          ? "; " + j.about.erratum
                                                                    : "; " + j.note);
  }
  return text;
}

std::string report_json(const std::vector<experiment_result>& results) {
  json report;
  report["asperity"] = version();
  const verdict_counts n = count(results);
  report["counts"] = {
      {"met", n.met}, {"failed", n.failed}, {"explained", n.explained}, {"skipped", n.skipped}};
  report["claims"] = json::array();
  for (const auto& r : results)
    for (const auto& j : r.judgements) {
      json entry;
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
  return report.dump(2) + "\n";
}

verdict_counts count(const std::vector<experiment_result>& results) {
  verdict_counts n;
  for (const auto& r : results)
    for (const auto& j : r.judgements) {
      if (is_failure(j.answer)) ++n.failed;
      if (j.answer == verdict::met) ++n.met;
      if (j.answer == verdict::explained) ++n.explained;
      if (j.answer == verdict::skipped) ++n.skipped;
    }
  return n;
}

std::vector<std::string> write_report(const std::vector<experiment_result>& results,
                                      const std::string& folder) {
  std::vector<std::string> warnings;
  pending_folder report(folder);
  report.write("index.html", page(results));
  report.write("report.json", report_json(results));
  for (const auto& r : results) {
    std::filesystem::create_directories(report.path() / r.what.id);
    for (const auto& [key, data] : r.data)
      report.write(fmt::format("{}/{}{}.csv", r.what.id, key.first,
                               key.second == execution::converged ? ".converged" : ""),
                   series_csv(data));
    const auto panels = panels_of(r);
    if (panels.empty()) continue;
    const std::string problem = draw(r.what.title, panels, plot_format::svg,
                                     (report.path() / r.what.id / "plot.svg").string());
    if (!problem.empty() && warnings.empty()) warnings.push_back(problem);
  }
  report.commit();
  return warnings;
}

}  // namespace asperity
