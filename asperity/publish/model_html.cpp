// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/publish/figures.hpp>
#include <asperity/publish/html.hpp>
#include <asperity/publish/mathml.hpp>
#include <asperity/publish/model_html.hpp>
#include <asperity/publish/page.hpp>

namespace asperity {

namespace {

std::string parameters_html(const model_page& page, const model_links& link) {
  std::string rows;
  for (const auto& p : page.parameters)
    rows += fmt::format(
        "<tr>{}{}{}{}{}</tr>\n",
        cell_html("", fmt::format("<code>{}</code>", escaped(p.name)), "name"),
        cell_html("", prose_html(p.meaning)), cell_html("Unit", escaped(p.in), "name"),
        cell_html("Default", escaped(p.usual)), cell_html("Allowed", escaped(p.allowed)));
  std::string html =
      "<h2 id=\"parameters\">Parameters</h2>\n" +
      table_html({"Parameter", "Meaning", "Unit", "Default", "Allowed"}, rows, "stack");
  if (!page.states.empty()) {
    html += "<p>States:</p>\n<ul>\n";
    for (const auto& s : page.states) {  // "z: mean bristle deflection [m]"
      const std::size_t end = std::min(s.find(':'), s.size());
      html += fmt::format("<li><code>{}</code>{}</li>\n", escaped(s.substr(0, end)),
                          prose_html(s.substr(end)));
    }
    html += "</ul>\n";
  }
  if (!page.claims.empty())
    html += fmt::format("<p>Claims, tested: {}.</p>\n",
                        escaped(fmt::format("{}", fmt::join(page.claims, ", "))));
  if (!page.curves.empty()) {
    html += "<p>Possible Stribeck curves:";
    for (const auto& curve : page.curves) html += fmt::format(" {}", code_html(curve, link));
    html += "</p>\n";
  }
  return html;
}

// The source with a link to its DOI, which stands in it or behind it.
std::string source_of(const model_page& page) {
  std::string html = escaped(page.source);
  const std::string link = doi_html(page.doi);
  const std::string written = "doi:" + escaped(page.doi);
  const std::size_t at = page.doi.empty() ? std::string::npos : html.find(written);
  if (link.empty() || at == std::string::npos) return html + link;
  return html.replace(at, written.size(), link.substr(link.find('<')));
}

std::string properties_html(const model_properties& p) {
  const auto item = [](const char* name, bool is) {
    return fmt::format("<li>{}: <span class=\"{}\">{}</span></li>", name, is ? "yes" : "no",
                       is ? "yes" : "no");
  };
  return "<p>Found by running it, with its default parameters:</p>\n<ul class=\"contents\">" +
         item("stiction", p.stiction) + item("drift under an oscillating load", p.drift) +
         item("presliding", p.presliding) + item("Stribeck effect", p.stribeck) +
         item("frictional lag", p.lag) + item("stick-slip", p.stick_slip) +
         item("depends on the rate", p.rate_dependent) +
         item("force continuous at a reversal", p.continuous) +
         fmt::format("<li>memory: {}</li>", to_string(p.memory)) + "</ul>\n";
}

}  // namespace

std::string code_html(const code_block& block) {
  return fmt::format(
      "<details class=\"code\" open><summary>{}</summary><div class=\"wide\"><pre><code "
      "class=\"language-{}\">{}</code></pre></div></details>\n",
      escaped(block.title), escaped(block.language), escaped(block.text));
}

model_extras extras_of(const model_page& page, const std::atomic<bool>* interrupt) {
  model_extras result;
  const system_row* row = page.family == "system" ? find_system(page.key) : nullptr;
  const model_study study =
      row != nullptr ? study_of(*row, interrupt) : study_of(find_entry(page.key), interrupt);
  result.properties = study.properties;
  for (const auto& each : study.plots) {
    const inline_picture picture = draw_inline(each.shown, interrupt);
    if (!picture.problem.empty()) result.problems.insert(picture.problem);
    result.plots += figure_html(each.shown, picture, escaped(each.below));
  }
  if (!study.plots.empty()) result.thumbnail = draw_thumbnail(study.plots[study.telling].shown);
  for (const auto& each : study.problems)
    result.problems.insert(fmt::format("{}: no plot: {}", page.key, each));
  for (const auto& each : row != nullptr ? code_of(*row, study.scenario)
                                         : code_of(find_entry(page.key), study.scenario))
    result.code += code_html(each);
  return result;
}

std::string model_body(const model_page& page, const model_links& link, const model_extras* extras,
                       const std::string& more) {
  std::string family = page.family;
  std::replace(family.begin(), family.end(), '_', ' ');
  std::string body =
      fmt::format("<h1>{}</h1>\n<p><code>{}</code> · {} · {}</p>\n", escaped(page.title),
                  escaped(page.key), escaped(family), source_of(page));
  if (extras != nullptr && !extras->plots.empty())
    body += fmt::format("<div class=\"figures three\">\n{}</div>\n", extras->plots);
  bool has_parameters = page.parameters.empty();
  const auto add_parameters = [&] {
    if (!has_parameters) body += parameters_html(page, link);
    has_parameters = true;
  };
  for (const auto& each : sections_of(page.text)) {
    // The scenario of a system is among the code.
    if (each.title == "Scenario" && extras != nullptr) continue;
    if (!each.title.empty())
      body += fmt::format("<h2 id=\"{}\">{}</h2>\n", escaped(heading_name(each.title)),
                          escaped(each.title));
    body += markdown_html(each.text, link);
    if (each.title == "What it does" && extras != nullptr && extras->properties)
      body += properties_html(*extras->properties);
    if (each.title == "Equations") add_parameters();
  }
  add_parameters();
  if (extras != nullptr) body += "<h2 id=\"code\">Code</h2>\n" + extras->code;
  return body + more;
}

}  // namespace asperity
