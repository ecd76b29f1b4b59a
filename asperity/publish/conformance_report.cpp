// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/json_text.hpp>
#include <asperity/publish/conformance.hpp>
#include <asperity/publish/html.hpp>
#include <asperity/publish/page.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text/pending_folder.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

namespace asperity {

namespace {

using cards = std::vector<conformance_card>;
using subjects = std::vector<conformance_subject>;

bool is_run(const conformance_result& r) {
  return r.verdict == conformance_verdict::met || r.verdict == conformance_verdict::not_met;
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.3g}", value) : std::string("none");
}

// "3.1e-07 m", or "1, 0.98" where a card measures more than one thing.
std::string values_text(const conformance_card& card, const conformance_result& result) {
  std::string text;
  for (std::size_t i = 0; i < card.measures.size(); ++i) {
    if (i > 0) text += ", ";
    text += number(result.outcome.values[i]);
    if (!is_plain(card.measures[i].in)) text += fmt::format(" {}", to_string(card.measures[i].in));
  }
  return text;
}

std::string cell_text(const conformance_card& card, const conformance_result& result) {
  if (result.verdict == conformance_verdict::does_not_apply) return "-";
  if (!is_run(result)) return to_string(result.verdict);
  return fmt::format("{} {}", to_string(result.verdict), values_text(card, result));
}

// One table for the cards of each port, and the subjects that are asked any of them.
struct matrix {
  const port* at;
  std::vector<std::size_t> columns;  // cards
  std::vector<const conformance_subject*> rows;
};
std::vector<matrix> matrices(const cards& all, const subjects& of) {
  std::vector<matrix> result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto found = std::find_if(result.begin(), result.end(),
                              [&](const matrix& m) { return m.at == all[i].row->at; });
    if (found == result.end()) found = result.insert(found, {all[i].row->at, {}, {}});
    found->columns.push_back(i);
  }
  for (matrix& m : result)
    for (const auto& each : of) {
      const bool is_asked = std::any_of(m.columns.begin(), m.columns.end(), [&](std::size_t i) {
        const auto& r = each.results[i];
        return r.verdict != conformance_verdict::does_not_apply && (is_run(r) || !r.why.empty());
      });
      if (is_asked) m.rows.push_back(&each);
    }
  std::erase_if(result, [](const matrix& m) { return m.rows.empty(); });
  return result;
}

// Why there is no result on a card of this port; those of other ports go without saying. One for
// all of whom the same is said.
struct remark {
  std::string card, subject, text;
};
std::vector<remark> remarks(const cards& all, const subjects& of) {
  std::vector<remark> list;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const auto& each : of) {
      const auto& r = each.results[i];
      if (r.why.empty() || (each.at != nullptr && each.at != all[i].row->at)) continue;
      const std::string text = r.verdict == conformance_verdict::does_not_apply
                                   ? r.why
                                   : fmt::format("{}: {}", to_string(r.verdict), r.why);
      const auto same = std::find_if(list.begin(), list.end(), [&](const remark& other) {
        return other.card == r.card && other.text == text;
      });
      if (same == list.end()) {
        list.push_back({r.card, each.name, text});
      } else {
        same->subject += ", " + each.name;
      }
    }
  return list;
}

std::string limits_text(const conformance_measure& m) {
  const std::string in = is_plain(m.in) ? std::string() : fmt::format(" {}", to_string(m.in));
  if (m.at_least == -unbounded) return fmt::format("at most {:g}{}", m.at_most, in);
  if (m.at_most == unbounded) return fmt::format("at least {:g}{}", m.at_least, in);
  return fmt::format("{:g} to {:g}{}", m.at_least, m.at_most, in);
}

}  // namespace

std::string conformance_table(const cards& all, const subjects& of) {
  std::string text;
  const auto tables = matrices(all, of);
  for (const matrix& m : tables) {
    std::vector<std::vector<std::string>> rows{{""}};
    for (const std::size_t i : m.columns) rows[0].push_back(all[i].name);
    for (const auto* each : m.rows) {
      rows.push_back({each->name});
      for (const std::size_t i : m.columns)
        rows.back().push_back(cell_text(all[i], each->results[i]));
    }
    std::vector<std::size_t> width(rows[0].size(), 0);
    for (const auto& row : rows)
      for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
    if (!text.empty()) text += "\n";
    for (const auto& row : rows) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i)
        line += fmt::format("{:<{}}", row[i], width[i] + 2);
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
  }
  std::string why;
  for (const auto& each : remarks(all, of))
    why += fmt::format("  {}: {}: {}\n", each.card, each.subject, each.text);
  return why.empty() ? text : text + "\n-: does not apply\n" + why;
}

std::string conformance_markdown(const cards& all, const subjects& of) {
  std::string text;
  const auto tables = matrices(all, of);
  for (const matrix& m : tables) {
    std::string head = "| |", line = "|---|";
    for (const std::size_t i : m.columns) {
      head += fmt::format(" {} |", all[i].name);
      line += "---|";
    }
    text += (text.empty() ? "" : "\n") + head + "\n" + line + "\n";
    for (const auto* each : m.rows) {
      text += fmt::format("| {} |", each->name);
      for (const std::size_t i : m.columns) {
        std::string cell = cell_text(all[i], each->results[i]);
        if (each->results[i].verdict == conformance_verdict::not_met)
          cell = "**not met**" + cell.substr(7);
        text += fmt::format(" {} |", cell);
      }
      text += "\n";
    }
  }
  return text;
}

std::string conformance_json(const cards& all, const subjects& of) {
  using json = nlohmann::ordered_json;
  const auto finite = [](double value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
  };
  json result = json::object();
  result["cards"] = json::array();
  for (const auto& card : all) {
    json entry{{"name", card.name}, {"title", card.title}, {"port", card.row->at->name}};
    entry["measures"] = json::array();
    for (const auto& m : card.measures) {
      json measure{{"name", m.name}, {"unit", to_string(m.in)}, {"meaning", m.meaning}};
      measure["reference"] = m.reference;
      measure["error"] = m.error;
      measure["at_least"] = finite(m.at_least);
      measure["at_most"] = finite(m.at_most);
      entry["measures"].push_back(std::move(measure));
    }
    result["cards"].push_back(std::move(entry));
  }
  result["results"] = json::array();
  for (const auto& subject : of) {
    json entry{{"name", subject.name}};
    entry[subject.at != nullptr ? "port" : "settings"] =
        subject.at != nullptr ? std::string(subject.at->name) : subject.settings;
    entry["cards"] = json::object();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& r = subject.results[i];
      json cell = json::object();
      cell["verdict"] = json_key(r.verdict);
      if (is_run(r)) {
        cell["values"] = json::object();
        for (std::size_t k = 0; k < all[i].measures.size(); ++k)
          cell["values"][all[i].measures[k].name] = finite(r.outcome.values[k]);
      }
      if (!r.why.empty()) cell["why"] = r.why;
      entry["cards"][all[i].name] = std::move(cell);
    }
    result["results"].push_back(std::move(entry));
  }
  return json_text(result);
}

// ---- page ---------------------------------------------------------------------------------------

namespace {

// Curves of those that meet the card in one panel, of those that do not in another.
figure figure_of(const conformance_card& card, std::size_t column, const subjects& of) {
  figure drawn{.title = card.title};
  for (const auto wanted : {conformance_verdict::met, conformance_verdict::not_met}) {
    figure_panel panel{.title = wanted == conformance_verdict::met ? "met" : "not met",
                       .x = card.row->x,
                       .y = card.row->y};
    for (const auto& each : of) {
      const auto& r = each.results[column];
      if (r.verdict != wanted || r.outcome.x.empty()) continue;
      const auto style = r.outcome.x.size() < 50 ? figure_series::style::line_and_points
                                                 : figure_series::style::line;
      panel.series.push_back({each.name, r.outcome.x, r.outcome.y, style});
    }
    if (!panel.series.empty()) drawn.panels.push_back(std::move(panel));
  }
  return drawn;
}

std::string verdict_class(conformance_verdict of) {
  if (of == conformance_verdict::does_not_apply || of == conformance_verdict::not_run)
    return "skipped";
  return of == conformance_verdict::met ? "met" : "failed";
}

std::string matrix_html(const cards& all, const matrix& m) {
  std::string html = "<div class=\"wide\"><table>\n<tr><th></th>";
  for (const std::size_t i : m.columns)
    html += fmt::format("<th><a href=\"#{}\">{}</a></th>", all[i].name, escaped(all[i].title));
  html += "</tr>\n";
  for (const auto* each : m.rows) {
    html += fmt::format("<tr><td class=\"name\">{}</td>", escaped(each->name));
    for (const std::size_t i : m.columns) {
      const auto& r = each->results[i];
      html += fmt::format("<td class=\"{}\" title=\"{}\">{}</td>", verdict_class(r.verdict),
                          escaped(r.why), escaped(cell_text(all[i], r)));
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string card_html(const conformance_card& card, bool has_picture) {
  std::string html = fmt::format(
      "<h2 id=\"{}\">{}</h2>\n<p>{}</p>\n<p>{}</p>\n<p>{}</p>\n<p class=\"quiet\">{}</p>\n",
      card.name, escaped(card.title), escaped(card.definition), escaped(card.procedure),
      escaped(card.reason), escaped(card.source));
  html +=
      "<div class=\"wide\"><table>\n<tr><th>measure</th><th>meaning</th><th>met</th>"
      "<th>reference</th><th>how it is known</th></tr>\n";
  for (const auto& m : card.measures) {
    std::string ways;
    for (const auto& way : m.ways)
      ways +=
          fmt::format("{}{}: {:.7g}", ways.empty() ? "" : "<br>", escaped(way.method), way.value);
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:g} &plusmn; {:g} {}</td><td>{}</td></tr>\n",
        escaped(m.name), escaped(m.meaning), escaped(limits_text(m)), m.reference, m.error,
        is_plain(m.in) ? "" : escaped(to_string(m.in)), ways);
  }
  html += "</table></div>\n";
  if (has_picture)
    html += fmt::format("<p><img src=\"{0}.svg\" alt=\"Curves of {0}\"></p>\n", card.name);
  return html;
}

}  // namespace

std::vector<std::string> write_conformance_page(const std::string& folder, const cards& all,
                                                const subjects& of,
                                                const std::atomic<bool>* interrupt) {
  std::vector<std::string> warnings;
  pending_folder pending(folder);
  const auto tables = matrices(all, of);
  std::string body = "<h1>Conformance of friction and contact</h1>\n";
  for (const matrix& m : tables)
    body += fmt::format("<h2>{}</h2>\n", escaped(m.at->meaning)) + matrix_html(all, m);
  std::string simulators;
  for (const auto& each : of)
    if (!each.settings.empty())
      simulators += fmt::format("<li>{}: {}</li>\n", escaped(each.name), escaped(each.settings));
  if (!simulators.empty()) body += "<h2>Simulators</h2>\n<ul>\n" + simulators + "</ul>\n";
  const auto why = remarks(all, of);
  if (!why.empty()) {
    body += "<h2>Cards without a result</h2>\n<ul>\n";
    for (const auto& each : why)
      body += fmt::format("<li>{}: {}: {}</li>\n", escaped(each.card), escaped(each.subject),
                          escaped(each.text));
    body += "</ul>\n";
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const figure drawn = figure_of(all[i], i, of);
    std::string problem;
    if (!drawn.panels.empty())
      problem = draw(drawn, plot_format::svg, (pending.path() / (all[i].name + ".svg")).string(),
                     interrupt);
    if (!problem.empty()) warnings.push_back(fmt::format("{}: {}", all[i].name, problem));
    body += card_html(all[i], !drawn.panels.empty() && problem.empty());
  }
  page_parts page;
  page.title = "Conformance";
  page.body = body;
  page.home = "index.html";
  pending.write("index.html", page_html(page));
  pending.write("conformance.json", conformance_json(all, of));
  pending.write("matrix.md", conformance_markdown(all, of));
  pending.commit();
  return warnings;
}

}  // namespace asperity
