// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/draw/figure.hpp>
#include <asperity/publish/figures.hpp>
#include <asperity/publish/fit_page.hpp>
#include <asperity/publish/html.hpp>
#include <asperity/publish/page.hpp>
#include <asperity/quantity.hpp>
#include <filesystem>

namespace asperity {

namespace {

std::string sentences(const char* title, const std::vector<std::string>& list) {
  if (list.empty()) return "";
  std::string html = fmt::format("<h2>{}</h2><ul>", title);
  for (const auto& each : list) html += fmt::format("<li>{}</li>", escaped(each));
  return html + "</ul>";
}

std::string table_of(const fit_page::table& table) {
  const auto& heads = table.rows.front();
  const auto is_name = [&](std::size_t column) {
    return std::find(table.names.begin(), table.names.end(), heads[column]) != table.names.end();
  };
  std::string html =
      fmt::format("<h2>{}</h2><div class=\"wide\"><table><tr>", escaped(table.title));
  for (std::size_t k = 0; k < heads.size(); ++k)
    html += fmt::format("<th{}>{}</th>", is_name(k) ? "" : " class=\"number\"", escaped(heads[k]));
  html += "</tr>";
  for (std::size_t row = 1; row < table.rows.size(); ++row) {
    html += "<tr>";
    for (std::size_t k = 0; k < heads.size(); ++k)
      html += fmt::format("<td class=\"{}\">{}</td>", is_name(k) ? "name" : "number",
                          escaped(table.rows[row][k]));
    html += "</tr>";
  }
  return html + "</table></div>";
}

// How much two unknowns may stand in for each other.
std::string correlations_of(const fit_result& found) {
  constexpr std::size_t most = 30;
  const std::size_t n = found.correlation.size();
  if (n < 2 || n > most) return "";
  fit_page::table table{"Correlations", {{""}}, {""}};
  for (std::size_t i = 0; i < n; ++i) table.rows.front().push_back(found.unknowns[i].name);
  for (std::size_t i = 0; i < n; ++i) {
    table.rows.push_back({found.unknowns[i].name});
    for (std::size_t k = 0; k < n; ++k)
      table.rows.back().push_back(fmt::format("{:.2f}", found.correlation[i][k]));
  }
  return table_of(table);
}

std::string ending_sentence(const fit_result& found) {
  return fmt::format("The search {}{}.", found.how == fit_result::ending::interrupted ? "was " : "",
                     to_string(found.how));
}

std::string file_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

std::vector<std::string> write_fit_page(const pending_folder& folder, const fit_page& page,
                                        const std::atomic<bool>* interrupt) {
  std::vector<std::string> problems;
  const fit_report& report = *page.report;
  std::string html =
      fmt::format("<h1>{}</h1><p>{}</p>", escaped(page.title), escaped(page.summary));
  if (!page.verdict.empty()) html += fmt::format("<p><b>{}</b></p>", escaped(page.verdict));

  std::string rows;
  for (std::size_t i = 0; i < report.result.unknowns.size(); ++i) {
    const unknown& x = report.result.unknowns[i];
    const estimate& e = report.result.estimates[i];
    const bool is_found = e.is == estimate::verdict::determined;
    const auto number = [](const char* column, double value) {
      return cell_html(column, fmt::format("{:.6g}", value), "whole");
    };
    rows += fmt::format(
        "<tr>{}{}{}{}{}{}{}</tr>\n",
        cell_html("", fmt::format("<code>{}</code>", escaped(x.name)), "name"),
        number("Value", e.value), number("From", e.lower), number("To", e.upper),
        cell_html("Unit", escaped(to_string(x.in))),
        cell_html("Verdict", e.is_profile && is_found ? "determined (profile)" : to_string(e.is),
                  is_found ? "met" : "failed"),
        cell_html("Meaning", escaped(x.meaning), "says"));
  }
  html += "<h2>Parameters</h2>" +
          table_html({"Parameter", "Value", "From", "To", "Unit", "Verdict", "Meaning"}, rows,
                     "full stack");
  html += sentences("What the record shows", report.findings);
  html += sentences("Next experiment", report.next);

  html += "<h2>Record and model</h2><div class=\"figures\">";
  const auto add = [&](figure_panel wanted) {
    std::vector<figure_panel> looks{std::move(wanted)};
    choose_looks(looks);
    const figure_panel& panel = looks.front();
    const inline_picture picture = draw_inline(panel, interrupt);
    if (!picture.problem.empty()) {
      if (problems.empty()) problems.push_back(picture.problem);
      return;
    }
    html += figure_html(panel, picture);
  };
  for (const figure_panel& each : page.panels) add(each);
  for (const auto& each : report.bins) {
    if (each.centre.size() < 3 || each.against == "time") continue;
    figure_panel panel{fmt::format("Residual{} against {}: mean and standard deviation",
                                   each.of.empty() ? "" : " of " + each.of, each.against),
                       {each.against, each.in},
                       {"residual", each.of_unit}};
    std::vector<double> low, high;
    for (std::size_t i = 0; i < each.mean.size(); ++i) {
      low.push_back(each.mean[i] - each.deviation[i]);
      high.push_back(each.mean[i] + each.deviation[i]);
    }
    panel.series = {{"mean", each.centre, each.mean},
                    {"one standard deviation below", each.centre, low},
                    {"one above", each.centre, high}};
    add(panel);
  }
  html += "</div>";
  for (const auto& each : page.tables) html += table_of(each);
  html += correlations_of(report.result) + sentences("Notes", report.notes);
  const std::string name = "fit.html";
  folder.write(name, page_html({page.title, "", html, "", name, true, ""}));
  return problems;
}

fit_page page_of_fit(const model_report& r, const comparison* compared, const record& rec,
                     const std::vector<double>& shown) {
  fit_page page{.title = fmt::format("{} fitted to {}", r.model, file_of(rec.name)),
                .summary = {},
                .report = &r};
  page.summary = fmt::format(
      "Residual {:.4g} {} rms, {:.2f} % of the standard deviation of the measured values",
      r.result.rms, to_string(r.in), 100 * r.share());
  if (r.held_out_rms > 0)
    page.summary += fmt::format("; {:.2f} % on the part held out", 100 * r.held_out());
  page.summary += fmt::format(". {} rows, equivalent to {:.0f} independent ones. {}", r.samples,
                              r.result.effective_samples, ending_sentence(r.result));
  const port& at = r.fitted.at();
  const auto* f = rec.find(at.outputs[0].name);
  const auto* x = rec.find(at.inputs[0].name);
  if (f != nullptr && shown.size() == f->size()) {
    std::vector<double> residual(f->size());
    for (std::size_t i = 0; i < f->size(); ++i) residual[i] = shown[i] - (*f)[i];
    figure_panel over_time{
        "Force over time", {"t", units::second}, {at.outputs[0].name, at.outputs[0].in}};
    over_time.series = {{"measured", rec.t, *f}, {"model", rec.t, shown}};
    page.panels.push_back(over_time);
    if (x != nullptr) {
      figure_panel loops{"Force over position",
                         {at.inputs[0].name, at.inputs[0].in},
                         {at.outputs[0].name, at.outputs[0].in}};
      loops.series = {{"measured", *x, *f}, {"model", *x, shown}};
      page.panels.push_back(loops);
    }
    figure_panel left{"Residual over time", {"t", units::second}, {"residual", at.outputs[0].in}};
    left.series = {{"residual", rec.t, residual}};
    page.panels.push_back(left);
  }
  if (compared == nullptr) return page;
  page.verdict = compared->verdict;
  fit_page::table ranking{
      "Ranking", {{"", "model", "free", "residual", "held out", "BIC"}}, {"", "model"}};
  const double least = compared->ranking.empty() ? 0 : compared->ranking.front().result.bic;
  for (std::size_t k = 0; k < compared->ranking.size(); ++k) {
    const auto& each = compared->ranking[k];
    ranking.rows.push_back({fmt::format("{}", k + 1), each.model,
                            fmt::format("{}", each.result.unknowns.size()),
                            fmt::format("{:.2f} %", 100 * each.share()),
                            fmt::format("{:.2f} %", 100 * each.held_out()),
                            fmt::format("+{:.1f}", each.result.bic - least)});
  }
  page.tables.push_back(std::move(ranking));
  return page;
}

fit_page page_of_fit(const scenario_report& r, const scenario_comparison* compared) {
  std::vector<std::string> files;
  for (const auto& each : r.traces)
    if (each.is_fitted && std::find(files.begin(), files.end(), each.record) == files.end())
      files.push_back(each.record);
  const std::string name = r.candidate.name.empty()
                               ? r.scenario
                               : fmt::format("{}, candidate {},", r.scenario, r.candidate.name);
  fit_page page{.title = fmt::format(
                    "{} fitted to {}", name,
                    files.size() == 1 ? files.front() : fmt::format("{} records", files.size())),
                .summary = {},
                .report = &r};
  page.summary = fmt::format("Residual {} rms", number_with_unit(r.result.rms, r.in));
  page.summary += r.matches == 1
                      ? fmt::format(", {:.2f} % of the standard deviation of the measured values",
                                    100 * r.share())
                      : std::string(", in standard deviations of each channel");
  page.summary += fmt::format("; mean absolute error {}", number_with_unit(r.mean_absolute, r.in));
  if (r.held_out_rms > 0)
    page.summary += fmt::format("; {:.2f} % on the part held out", 100 * r.held_out());
  if (r.validated_rms > 0)
    page.summary += fmt::format("; on records that were not fitted, mean absolute error {}",
                                number_with_unit(r.validated_mean_absolute, r.in));
  page.summary += fmt::format(". {} rows, equivalent to {:.0f} independent ones. {}", r.samples,
                              r.result.effective_samples, ending_sentence(r.result));
  for (const auto& each : r.traces) {
    const std::string where =
        fmt::format("{} of {}{}", each.column, each.record, each.is_fitted ? "" : ", not fitted");
    figure_panel over_time{where, {"t", units::second}, {each.column, each.in}};
    over_time.series = {{"measured", each.t, each.measured}, {"simulated", each.t, each.simulated}};
    page.panels.push_back(std::move(over_time));
    std::vector<double> residual(each.t.size());
    for (std::size_t k = 0; k < residual.size(); ++k)
      residual[k] = each.simulated[k] - each.measured[k];
    figure_panel left{"Residual: " + where, {"t", units::second}, {"residual", each.in}};
    left.series = {{"residual", each.t, std::move(residual)}};
    page.panels.push_back(std::move(left));
  }
  if (compared != nullptr) {
    page.verdict = compared->verdict;
    page.tables.push_back({"Ranking", ranking_table(*compared), {"", "candidate", "undetermined"}});
  }
  if (!r.traces.empty())
    page.tables.push_back({"Errors", error_table(r), {"", "record", "column"}});
  return page;
}

}  // namespace asperity
