// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/draw/figure.hpp>
#include <asperity/publish/figures.hpp>
#include <asperity/publish/fit_page.hpp>
#include <asperity/publish/html.hpp>
#include <asperity/publish/page.hpp>
#include <asperity/publish/style.hpp>
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

}  // namespace

std::vector<std::string> write_fit_page(const pending_folder& folder, const model_report& r,
                                        const comparison* compared, const record& rec,
                                        const std::vector<double>& shown,
                                        const std::atomic<bool>* interrupt) {
  std::vector<std::string> problems;
  std::string html = fmt::format(
      "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><title>{0} fitted to "
      "{1}</title><style>{2}</style></head>"
      "<body><h1>{0} fitted to {1}</h1>",
      escaped(r.model), escaped(std::filesystem::path(rec.name).filename().string()), page_style);
  html += fmt::format(
      "<p>Residual {:.4g} {} rms, <b>{:.2f} %</b> of the standard deviation of the measured values",
      r.result.rms, to_string(r.in), 100 * r.share());
  if (r.held_out_rms > 0)
    html += fmt::format("; {:.2f} % on the part held out", 100 * r.held_out());
  html += fmt::format(". {} rows, equivalent to {:.0f} independent ones. The search {}{}.</p>",
                      r.samples, r.result.effective_samples,
                      r.result.how == fit_result::ending::interrupted ? "was " : "",
                      to_string(r.result.how));
  if (compared != nullptr) html += fmt::format("<p><b>{}</b></p>", escaped(compared->verdict));

  std::string rows;
  for (std::size_t i = 0; i < r.result.unknowns.size(); ++i) {
    const unknown& x = r.result.unknowns[i];
    const estimate& e = r.result.estimates[i];
    const bool is_found = e.is == estimate::verdict::determined;
    const auto number = [](const char* column, double value) {
      return cell_html(column, fmt::format("{:.6g}", value), "whole");
    };
    rows += fmt::format(
        "<tr>{}{}{}{}{}{}{}</tr>\n", cell_html("", escaped(x.name), "name"),
        number("Value", e.value), number("From", e.lower), number("To", e.upper),
        cell_html("Unit", escaped(to_string(x.in))),
        cell_html("Verdict", e.is_profile && is_found ? "determined (profile)" : to_string(e.is),
                  is_found ? "met" : "failed"),
        cell_html("Meaning", escaped(x.meaning), "says"));
  }
  html += "<h2>Parameters</h2>" +
          table_html({"Parameter", "Value", "From", "To", "Unit", "Verdict", "Meaning"}, rows,
                     "full stack");
  html += sentences("What the record shows", r.findings);
  html += sentences("Next experiment", r.next);

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
  const port& at = r.fitted.at();
  const auto* f = rec.find(at.outputs[0].name);
  const auto* x = rec.find(at.inputs[0].name);
  if (f != nullptr && shown.size() == f->size()) {
    std::vector<double> residual(f->size());
    for (std::size_t i = 0; i < f->size(); ++i) residual[i] = shown[i] - (*f)[i];
    figure_panel over_time{
        "Force over time", {"t", units::second}, {at.outputs[0].name, at.outputs[0].in}};
    over_time.series = {{"measured", rec.t, *f}, {"model", rec.t, shown}};
    add(over_time);
    if (x != nullptr) {
      figure_panel loops{"Force over position",
                         {at.inputs[0].name, at.inputs[0].in},
                         {at.outputs[0].name, at.outputs[0].in}};
      loops.series = {{"measured", *x, *f}, {"model", *x, shown}};
      add(loops);
    }
    figure_panel left{"Residual over time", {"t", units::second}, {"residual", at.outputs[0].in}};
    left.series = {{"residual", rec.t, residual}};
    add(left);
  }
  for (const auto& each : r.bins) {
    if (each.centre.size() < 3 || each.against == "time") continue;
    figure_panel panel{
        fmt::format("Residual against {}: mean and standard deviation", each.against),
        {each.against, each.in},
        {"residual", r.in}};
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
  if (compared != nullptr) {
    html +=
        "<h2>Ranking</h2><div class=\"wide\"><table><tr><th></th><th>model</th><th "
        "class=\"number\">free</th><th "
        "class=\"number\">residual</th><th class=\"number\">held out</th><th "
        "class=\"number\">BIC</th></tr>";
    const double least = compared->ranking.empty() ? 0 : compared->ranking.front().result.bic;
    for (std::size_t k = 0; k < compared->ranking.size(); ++k) {
      const auto& each = compared->ranking[k];
      html += fmt::format(
          "<tr><td>{}</td><td class=\"name\">{}</td><td class=\"number\">{}</td><td "
          "class=\"number\">{:.2f} %</td><td "
          "class=\"number\">{:.2f} %</td><td class=\"number\">+{:.1f}</td></tr>",
          k + 1, escaped(each.model), each.result.unknowns.size(), 100 * each.share(),
          100 * each.held_out(), each.result.bic - least);
    }
    html += "</table></div>";
  }
  html += "</body></html>\n";
  folder.write("fit.html", html);
  return problems;
}

}  // namespace asperity
