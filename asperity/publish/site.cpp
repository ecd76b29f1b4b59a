// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/publish/figures.hpp>
#include <asperity/publish/html.hpp>
#include <asperity/publish/markdown.hpp>
#include <asperity/publish/mathml.hpp>
#include <asperity/publish/model_html.hpp>
#include <asperity/publish/page.hpp>
#include <asperity/publish/site.hpp>
#include <asperity/run/output.hpp>
#include <cmath>

namespace asperity {

namespace {

using kind = toml_value::kind;

// ---- addresses ----------------------------------------------------------------------------------

model_links links_from(const std::string& id) {
  return [up = way_up(id)](std::string_view key) {
    return find_page(key) == nullptr ? std::string() : fmt::format("{}models/{}.html", up, key);
  };
}

// A link into the lab, which opens a part of itself by what stands after #. An address that names its
// server is the same from everywhere.
std::string lab_link(const std::string& lab, const std::string& up, const std::string& part,
                     const char* words) {
  if (lab.empty()) return "";
  const bool is_whole = lab.find("://") != std::string::npos;
  return fmt::format("<a href=\"{}{}#{}\">{}</a>", is_whole ? "" : up, escaped(lab), part, words);
}

// `up` leads to the folder of the report.
std::string report_page(const std::string& title, const std::string& navigation,
                        const std::string& body, const std::string& up) {
  return page_html({title, navigation, body, up, "index.html", true, "errata.html"});
}

// ---- verdicts -----------------------------------------------------------------------------------

const char* class_of(verdict v) {
  if (is_failure(v)) return "failed";
  return v == verdict::met ? "met" : v == verdict::explained ? "explained" : "skipped";
}

std::string verdict_html(const judgement& j) {
  std::string text = to_string(j.answer);
  if (!j.about.erratum.empty())
    text += fmt::format(" ({}{})", j.about.erratum.starts_with("E-") ? "" : "erratum ",
                        j.about.erratum);
  if (!j.note.empty()) text += ": " + j.note;
  return fmt::format("<span class=\"{}\">{}</span>", class_of(j.answer), escaped(text));
}

std::string tally_html(const verdict_counts& n) {
  std::string html = "<ul class=\"tally\">";
  const auto item = [&](long count, const char* kind_of, const char* words) {
    if (count > 0) html += fmt::format("<li class=\"{}\"><b>{}</b>{}</li>", kind_of, count, words);
  };
  item(n.met, "met", "met");
  item(n.failed, "failed", "failed");
  item(n.explained, "explained", "not met, explained by an erratum");
  item(n.skipped, "skipped", "skipped");
  return html + "</ul>\n";
}

// A number such as 1e-09, which a narrow column would break at its minus, stays whole, together with
// its tolerance and unit.
std::string numbers_html(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view given = text.substr(0, end);
    const std::string word = given == "+-" ? "±" : escaped(given);
    const bool is_breakable =
        word.find("e-") != std::string::npos && word.find_first_of("0123456789") < 3;
    html += is_breakable ? fmt::format("<span class=\"whole\">{}</span>", word) : word;
    if (end < text.size()) html += given.ends_with(',') || given == "to" ? " " : "\u00a0";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return html;
}

// One row for each claim, its two executions side by side.
std::string claims_html(const experiment_result& r) {
  std::string rows;
  const auto& all = r.judgements;
  const auto any = [&](execution how) {
    return std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.how == how; });
  };
  const bool show_source = any(execution::source), show_converged = any(execution::converged);
  for (std::size_t i = 0; i < all.size();) {
    const judgement* in_source = nullptr;
    const judgement* converged = nullptr;
    const judgement& first = all[i];
    for (; i < all.size() && all[i].about.text == first.about.text; ++i) {
      auto& place = all[i].how == execution::source ? in_source : converged;
      if (place != nullptr) break;
      place = &all[i];
    }
    const auto ours = [](const char* column, const judgement* j) {
      return cell_html(column, j == nullptr ? "–" : numbers_html(ours_text(*j)));
    };
    std::string answer = verdict_html(first);
    if (in_source != nullptr && converged != nullptr && in_source->answer != converged->answer)
      answer = fmt::format("{}<br>{}", verdict_html(*in_source), verdict_html(*converged));
    rows += fmt::format(
        "<tr>{}{}{}{}{}{}{}</tr>\n", cell_html("", prose_html(first.about.text), "claim"),
        cell_html("The source says", prose_html(first.about.source_says), "says"),
        cell_html(
            "Measured",
            fmt::format("{}: {}", escaped(fmt::format("{}", fmt::join(first.about.runs, ", "))),
                        escaped(first.measured))),
        cell_html("Wanted", numbers_html(first.wanted)),
        show_source ? ours("Ours, source's step", in_source) : "",
        show_converged ? ours("Ours, converged", converged) : "", cell_html("Verdict", answer));
  }
  std::vector<std::string> heads{"Claim", "The source says", "Measured", "Wanted"};
  if (show_source) heads.emplace_back("Ours, source's step");
  if (show_converged) heads.emplace_back("Ours, converged");
  heads.emplace_back("Verdict");
  return table_html(heads, rows, "full stack");
}

// ---- parameters ---------------------------------------------------------------------------------

std::string value_text(const toml_value& value) {
  switch (value.is) {
    case kind::boolean:
      return value.boolean ? "yes" : "no";
    case kind::integer:
      return fmt::format("{}", value.integer);
    case kind::real:
      return fmt::format("{:.10g}", value.real);
    case kind::text:
      return value.text;
    case kind::list: {
      std::vector<std::string> each;
      for (const auto& item : value.items) each.push_back(value_text(item));
      if (each.size() > 1 && std::all_of(each.begin(), each.end(),
                                         [&](const auto& one) { return one == each.front(); }))
        return fmt::format("{} ({} times)", each.front(), each.size());
      return fmt::format("{}", fmt::join(each, ", "));
    }
    case kind::table:
      return to_inline_toml(value);
  }
  return "";
}

struct parameter_row {
  std::string name, meaning, in;
  std::map<std::string, std::string> values;  // by run
};

// A table of parameters: one for what belongs to no model, one for each model.
struct parameter_table {
  std::string title, model;
  std::vector<parameter_row> rows;
  std::vector<std::string> runs;

  parameter_row& row(const std::string& name) {
    for (auto& each : rows)
      if (each.name == name) return each;
    rows.push_back({name, "", "", {}});
    return rows.back();
  }
};

class parameter_tables {
 public:
  parameter_table& table(const std::string& title, const std::string& model,
                         const std::string& run) {
    for (auto& each : tables_)
      if (each.title == title) return with_run(each, run);
    tables_.push_back({title, model, {}, {}});
    return with_run(tables_.back(), run);
  }

  void put(parameter_table& into, const std::string& run, const std::string& name,
           const toml_value& value) {
    parameter_row& row = into.row(name);
    row.values[run] = value_text(value);
    if (value.in && !is_plain(*value.in)) row.in = to_string(*value.in);
    if (const model_page* page = into.model.empty() ? nullptr : find_page(into.model))
      for (const auto& each : page->parameters)
        if (each.name == name) row.meaning = each.meaning;
  }

  // All of a resolved scenario but what it does not need to be understood.
  void add(const std::string& run, const toml_value& resolved) {
    for (std::size_t i = 0; i < resolved.keys.size(); ++i) {
      const std::string& key = resolved.keys[i];
      if (key == "name" || key == "title" || key == "run" || key == "integrator" || key == "panel")
        continue;
      walk(run, key, resolved.items[i]);
    }
  }

  std::string html(const std::vector<experiment_run>& runs) const {
    std::string text;
    for (const auto& each : tables_) text += html_of(each, runs);
    return text;
  }

 private:
  std::vector<parameter_table> tables_;

  static parameter_table& with_run(parameter_table& each, const std::string& run) {
    if (each.runs.empty() || each.runs.back() != run) each.runs.push_back(run);
    return each;
  }

  void walk(const std::string& run, const std::string& path, const toml_value& value) {
    if (value.is == kind::table) {
      const toml_value* model = value.find("model");
      const bool is_model = model != nullptr && model->is == kind::text;
      const std::string title =
          is_model ? fmt::format("{}: {}", path, model->text) : std::string("System and inputs");
      for (std::size_t i = 0; i < value.keys.size(); ++i) {
        if (is_model && value.items[i].is != kind::table) {
          if (value.keys[i] != "model")
            put(table(title, model->text, run), run, value.keys[i], value.items[i]);
        } else {
          walk(run, path + "." + value.keys[i], value.items[i]);
        }
      }
      return;
    }
    const bool has_tables =
        value.is == kind::list && !value.items.empty() && value.items.front().is == kind::table;
    if (has_tables) {
      for (std::size_t i = 0; i < value.items.size(); ++i)
        walk(run, fmt::format("{}.{}", path, i + 1), value.items[i]);
      return;
    }
    const bool idle = path.starts_with("initial.") && value.is == kind::real && value.real == 0;
    if (!idle) put(table("System and inputs", "", run), run, path, value);
  }

  static std::string html_of(const parameter_table& t, const std::vector<experiment_run>& runs) {
    const auto same = [&](const parameter_row& row) {
      return row.values.size() == t.runs.size() &&
             std::all_of(row.values.begin(), row.values.end(), [&](const auto& each) {
               return each.second == row.values.begin()->second;
             });
    };
    const bool one_column = std::all_of(t.rows.begin(), t.rows.end(), same);
    const bool meanings = std::any_of(t.rows.begin(), t.rows.end(),
                                      [](const auto& row) { return !row.meaning.empty(); });
    std::vector<std::string> heads{"Parameter"};
    if (meanings) heads.emplace_back("Meaning");
    heads.emplace_back("Unit");
    if (one_column) {
      heads.emplace_back("Value");
    } else {
      for (const auto& name : t.runs)
        for (const auto& run : runs)
          if (run.name == name) heads.push_back(run.label);
    }
    std::string rows;
    for (const auto& row : t.rows) {
      rows += "<tr>" + cell_html("", escaped(row.name), "name");
      if (meanings) rows += cell_html("", prose_html(row.meaning), "quiet");
      rows += cell_html("Unit", escaped(row.in), "name");
      if (same(row)) {
        rows += fmt::format("<td data-column=\"Value\"{}>{}</td>",
                            one_column ? "" : fmt::format(" colspan=\"{}\"", t.runs.size()),
                            escaped(row.values.begin()->second));
      } else {
        for (std::size_t i = 0; i < t.runs.size(); ++i) {
          const auto found = row.values.find(t.runs[i]);
          rows += cell_html(heads[heads.size() - t.runs.size() + i],
                            found == row.values.end() ? "–" : escaped(found->second));
        }
      }
      rows += "</tr>\n";
    }
    return fmt::format("<h3>{}</h3>\n{}", escaped(t.title), table_html(heads, rows, "stack"));
  }
};

std::string parameters_html(const experiment& what) {
  parameter_tables tables;
  for (const auto& run : what.runs) {
    if (run.as_in_source) tables.add(run.name, run.as_in_source->resolved);
    if (run.analysis) tables.add(run.name, run.resolved);
  }
  return tables.html(what.runs);
}

// ---- executions and energy ----------------------------------------------------------------------

std::string method_text(const scenario& s) {
  std::string text = s.method->name;
  if (has_fixed_step(s)) return fmt::format("{}, step {:g} s", text, s.step);
  return fmt::format("{}, relative tolerance {:g}", text, s.tolerance.relative);
}

std::string executions_html(const experiment_result& r) {
  std::string rows;
  for (const auto& run : r.what.runs) {
    if (!run.missing_model.empty()) {
      rows += fmt::format("<tr><td>{}</td><td colspan=\"4\">waits for model {}</td></tr>\n",
                          with_unit_signs(run.label), escaped(run.missing_model));
      continue;
    }
    for (const auto how : {execution::source, execution::converged}) {
      const auto found = r.data.find({run.name, how});
      if (found == r.data.end()) continue;
      const auto& s = how == execution::source ? run.as_in_source : run.converged;
      const std::string method = s ? method_text(*s) : run.analysis->method(how);
      const auto& result = found->second.result;
      rows += fmt::format(
          "<tr>{}{}{}{}{}</tr>\n", cell_html("", with_unit_signs(run.label)),
          cell_html("", to_string(how)), cell_html("Method", escaped(method)),
          cell_html("Steps", result.steps > 0 ? fmt::format("{}", result.steps) : "–", "number"),
          cell_html("Outcome", run.analysis ? "completed" : to_string(result.how)));
    }
  }
  return table_html({"Run", "Execution", "Method", "Steps", "Outcome"}, rows, "stack");
}

std::string audits_html(const experiment_result& r) {
  std::string rows, findings;
  std::set<std::string> refusals, notes;
  for (const auto& run : r.what.runs) {
    if (!run.as_in_source && !run.converged) continue;
    const auto found = r.data.find({run.name, run.shown()});
    if (found == r.data.end()) continue;
    const auto& balance = found->second.audit;
    if (!balance) {
      const auto& s = run.shown() == execution::converged ? run.converged : run.as_in_source;
      if (const std::string why = why_no_audit(*s); !why.empty()) refusals.insert(why);
      continue;
    }
    std::vector<std::string> flows;
    for (const auto& each : balance->columns)
      if (!each.values.empty())
        flows.push_back(fmt::format("{} {:.4g} J", each.name, each.values.back()));
    rows += fmt::format(
        "<tr>{}{}{}{}{}</tr>\n", cell_html("", with_unit_signs(run.label)),
        cell_html("Energy exchanged", fmt::format("{:.4g} J", balance->exchanged), "number"),
        cell_html("Greatest gap", fmt::format("{:.2g} J", balance->residual), "number"),
        cell_html("Relative", fmt::format("{:.1e}", balance->relative_residual()), "number"),
        cell_html("At the end", escaped(fmt::format("{}", fmt::join(flows, ", "))), "quiet"));
    for (const auto& each : balance->findings)
      findings +=
          fmt::format("<li>{}: {}: {} (t = {:g} s, {:.3g} J)</li>\n", with_unit_signs(run.label),
                      escaped(each.where), escaped(each.what), each.t, each.size);
    for (const auto& each : balance->notes) notes.insert(each);
  }
  std::string html;
  if (!rows.empty())
    html +=
        "<p>Every power is integrated with the trajectory, in the converged execution; the gap is "
        "the greatest difference in any balance.</p>\n" +
        table_html({"Run", "Energy exchanged", "Greatest gap", "Relative", "At the end"}, rows,
                   "stack");
  if (!findings.empty())
    html += fmt::format("<p>Balances that do not close:</p>\n<ul>\n{}</ul>\n", findings);
  for (const auto& each : notes) html += fmt::format("<p class=\"quiet\">{}</p>\n", escaped(each));
  for (const auto& each : refusals)
    html += fmt::format("<p class=\"quiet\">Without an energy balance: {}.</p>\n", escaped(each));
  return html.empty() ? "" : "<h2>Energy audit</h2>\n" + html;
}

// ---- pages --------------------------------------------------------------------------------------

std::string equations_of(const model_page& page, const model_links& link) {
  for (const auto& each : sections_of(page.text))
    if (each.title == "Equations") return markdown_html(each.text, link);
  return "";
}

std::string experiment_html(const experiment_result& r, const std::vector<std::string>& ids,
                            const std::string& figures, const std::string& audits, bool series,
                            const std::string& lab) {
  const std::string& id = r.what.id;
  const std::string up = way_up(id);
  const auto link = links_from(id);
  std::string nav = fmt::format(
      "<a href=\"{0}index.html\">All experiments</a><a href=\"{0}errata.html\">Errata</a>", up);
  nav += lab_link(lab, up, "experiment/" + address_of(id), "Open in the lab");
  const auto here = std::find(ids.begin(), ids.end(), id);
  if (here != ids.end() && here != ids.begin())
    nav += fmt::format("<a href=\"{}{}.html\" rel=\"prev\">← {}</a>", up, address_of(*(here - 1)),
                       escaped(*(here - 1)));
  if (here != ids.end() && here + 1 != ids.end())
    nav += fmt::format("<a href=\"{}{}.html\" rel=\"next\">{} →</a>", up, address_of(*(here + 1)),
                       escaped(*(here + 1)));

  std::string body =
      fmt::format("<h1>{}</h1>\n<p><code>{}</code> · {}</p>\n", with_unit_signs(r.what.title),
                  escaped(id), escaped(r.what.source));
  if (r.what.figures.size() > 1)
    body += fmt::format("<p class=\"quiet\">Reproduces {}.</p>\n",
                        escaped(fmt::format("{}", fmt::join(r.what.figures, ", "))));
  if (const std::string where = source_html(r.what.published); !where.empty())
    body += fmt::format("<p class=\"quiet\">{}</p>\n", where);
  body += tally_html(count({r}));
  if (r.what.about.find_first_not_of(" \n") != std::string::npos)
    body += markdown_html(r.what.about, link);
  if (!figures.empty())
    body += fmt::format("<h2>Plots</h2>\n<div class=\"figures\">\n{}</div>\n", figures);
  body += "<h2>Claims</h2>\n" + claims_html(r);

  const auto models = models_of(r.what);
  if (!models.empty()) body += "<h2>System and models</h2>\n";
  for (const auto& key : models) {
    const model_page& page = *find_page(key);
    body += fmt::format("<h3><a href=\"{}\">{}</a></h3>\n{}", link(key), escaped(page.title),
                        equations_of(page, link));
  }
  body += "<h2>Parameters</h2>\n" + parameters_html(r.what);
  body +=
      "<h2>Both executions</h2>\n<p>Each run is judged with the step of the source and also "
      "converged. Plots show the converged execution.</p>\n" +
      executions_html(r);
  body += audits;
  body += fmt::format(
      "<h2>Run it again</h2>\n<div class=\"wide\"><pre>asperity reproduce {0} --out "
      "report</pre></div>\n"
      "<p class=\"quiet\">The file is <code>experiments/{0}.toml</code>.</p>\n",
      escaped(id));
  if (series) {
    body += "<p>Series:";
    for (const auto& [key, data] : r.data) {
      const std::string file = fmt::format("{}{}.csv", key.first,
                                           key.second == execution::converged ? ".converged" : "");
      body += fmt::format(" <a href=\"{}/{}\">{}</a>", address_of(id.substr(id.rfind('/') + 1)),
                          address_of(file), escaped(file));
    }
    body += "</p>\n";
  }
  return report_page(fmt::format("{}: {}", id, r.what.title), nav, body, up);
}

std::string model_html(const model_page& page, const std::set<std::string>& users,
                       const std::vector<experiment_result>& results, const model_extras* extras) {
  const auto link = [](std::string_view key) {
    return find_page(key) == nullptr ? std::string() : fmt::format("{}.html", key);
  };
  std::string more = "<h2>Experiments that use it</h2>\n", list;
  for (const auto& r : results)
    if (users.count(r.what.id) > 0)
      list += fmt::format("<li><a href=\"../{}.html\">{}</a>: {}</li>\n", address_of(r.what.id),
                          escaped(r.what.id), with_unit_signs(r.what.title));
  more += list.empty() ? "<p>None in this report.</p>\n" : fmt::format("<ul>\n{}</ul>\n", list);
  return report_page(fmt::format("{}: {}", page.key, page.title),
                     "<a href=\"../index.html\">All experiments</a>"
                     "<a href=\"../index.html#models\">All models</a>"
                     "<a href=\"../errata.html\">Errata</a>",
                     model_body(page, link, extras, more), "../");
}

// "Xiong 2013, dissertation" of "Xiong 2013, dissertation, Fig. 5.3".
std::string work_of(const std::string& source) {
  std::size_t end = source.size();
  for (const char* mark : {", Fig", ", Table", ", (", ", Sec", ", chapter"})
    end = std::min(end, source.find(mark));
  return source.substr(0, end);
}

std::string index_html(const std::vector<experiment_result>& results,
                       const std::map<std::string, std::set<std::string>>& users,
                       const std::map<std::string, std::string>& thumbnails,
                       const std::string& lab) {
  const verdict_counts published = count(results, whose::published),
                       ours = count(results, whose::own);
  std::string body = fmt::format(
      "<h1>Published experiments, reproduced</h1>\n<p>{} experiments from the literature, {} "
      "figures and tables, with {} claims. Every claim is judged with the step of the source and "
      "also converged: {} verdicts. A claim that the parameters of the source cannot meet names "
      "the erratum and must fail; its corrected variant must hold.</p>\n{}",
      published.experiments, published.figures, published.claims, published.verdicts(),
      tally_html(published));
  if (ours.experiments > 0)
    body += fmt::format("<p>{} experiment{} of our own with {} claims, {} verdicts:</p>\n{}",
                        ours.experiments, ours.experiments == 1 ? "" : "s", ours.claims,
                        ours.verdicts(), tally_html(ours));
  body += "<h2 id=\"sources\">By source</h2>\n";
  std::vector<std::string> sources;
  for (const auto& r : results) {
    const std::string source = r.what.id.substr(0, r.what.id.find('/'));
    if (std::find(sources.begin(), sources.end(), source) == sources.end())
      sources.push_back(source);
  }
  std::stable_partition(sources.begin(), sources.end(),
                        [](const std::string& each) { return is_published(each + "/"); });
  for (const auto& source : sources) {
    std::string rows, work, where;
    for (const auto& r : results) {
      if (r.what.id.substr(0, r.what.id.find('/')) != source) continue;
      if (work.empty()) work = is_published(r.what.id) ? work_of(r.what.source) : "Our own";
      if (where.empty()) where = source_html(r.what.published);
      const verdict_counts n = count({r});
      std::string answers;
      const auto part = [&](long number, const char* kind_of, const char* word) {
        if (number > 0)
          answers += fmt::format("{}<span class=\"{}\">{} {}</span>", answers.empty() ? "" : ", ",
                                 kind_of, number, word);
      };
      part(n.failed, "failed", "failed");
      part(n.met, "met", "met");
      part(n.explained, "explained", "explained");
      part(n.skipped, "skipped", "skipped");
      const auto thumbnail = thumbnails.find(r.what.id);
      const std::string address = address_of(r.what.id);
      rows += fmt::format(
          "<tr>{}{}{}{}</tr>\n",
          cell_html("", thumbnail == thumbnails.end()
                            ? ""
                            : fmt::format("<a href=\"{}.html\" tabindex=\"-1\">{}</a>", address,
                                          thumbnail->second)),
          cell_html("",
                    fmt::format("<a href=\"{}.html\">{}</a>", address,
                                escaped(r.what.id.substr(r.what.id.find('/') + 1))),
                    "name"),
          cell_html("", with_unit_signs(r.what.title), "claim"), cell_html("", answers));
    }
    body += fmt::format(
        "<h3 id=\"{}\">{}</h3>\n{}{}", escaped(source), escaped(work),
        where.empty() ? "" : fmt::format("<p class=\"quiet\">{}</p>\n", where),
        table_html({"", "Figure", "What it shows", "Verdicts"}, rows, "full stack index"));
  }
  body += "<h2 id=\"models\">By model and system</h2>\n";
  std::string family;
  for (const auto& page : model_pages()) {
    if (page.family != family) {
      if (!family.empty()) body += "</ul>\n";
      family = page.family;
      std::string name = family;
      std::replace(name.begin(), name.end(), '_', ' ');
      body += fmt::format("<h3>{}</h3>\n<ul class=\"models\">\n", escaped(name));
    }
    const auto found = users.find(page.key);
    const std::size_t number = found == users.end() ? 0 : found->second.size();
    body += fmt::format(
        "<li><a href=\"models/{}.html\">{}</a>{}</li>\n", escaped(page.key), escaped(page.title),
        number == 0 ? ""
                    : fmt::format(" <span class=\"quiet\">in {} experiment{}</span>", number,
                                  number == 1 ? "" : "s"));
  }
  return report_page("Asperity: published experiments",
                     "<a href=\"#sources\">By source</a><a href=\"#models\">By model</a>"
                     "<a href=\"errata.html\">Errata of the sources</a>"
                     "<a href=\"report.json\">All claims as JSON</a>" +
                         lab_link(lab, "", "gallery", "The lab"),
                     body + "</ul>\n", "");
}

// Each row of its tables can be linked to.
std::string errata_html() {
  std::string body;
  for (const auto& each : sections_of(errata_page())) {
    if (!each.title.empty()) body += fmt::format("<h2>{}</h2>\n", escaped(each.title));
    body += markdown_html(each.text, nullptr);
  }
  constexpr std::string_view cell = "<td>E-";
  for (std::size_t at = body.find(cell); at != std::string::npos; at = body.find(cell, at)) {
    const std::size_t from = at + 4, to = body.find('<', from);
    const std::string number = body.substr(from, to - from);
    const std::string named =
        fmt::format("<td class=\"name\" id=\"{0}\"><a href=\"#{0}\">{0}</a>", number);
    body.replace(at, to - at, named);
    at += named.size();
  }
  return report_page("Errata of the sources", "<a href=\"index.html\">All experiments</a>", body,
                     "");
}

void collect_models(const toml_value& value, std::vector<std::string>& found) {
  const auto add = [&](const std::string& key) {
    if (find_page(key) != nullptr && std::find(found.begin(), found.end(), key) == found.end())
      found.push_back(key);
  };
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const toml_value& item = value.items[i];
    const bool names_one = value.is == kind::table && item.is == kind::text;
    if (names_one && (value.keys[i] == "model" || value.keys[i] == "curve" ||
                      value.keys[i] == "kind" || value.keys[i] == "coupling"))
      add(item.text);
    collect_models(item, found);
  }
}

}  // namespace

std::vector<std::string> models_of(const experiment& what) {
  std::vector<std::string> found;
  for (const auto& run : what.runs) {
    if (run.as_in_source) collect_models(run.as_in_source->resolved, found);
    if (run.analysis) collect_models(run.resolved, found);
  }
  return found;
}

report_site::report_site(const std::string& folder, std::vector<std::string> ids, bool series,
                         const std::atomic<bool>* interrupt, std::string lab)
    : ids_(std::move(ids)),
      series_(series),
      interrupt_(interrupt),
      lab_(std::move(lab)),
      folder_(folder) {
  for (const auto& id : ids_)
    if (id == "index" || id == "errata" || id.starts_with("models/"))
      throw error(fmt::format(
          "experiment '{}': this name is used by another page of the report: rename the experiment",
          id));
}

void report_site::add(const experiment_result& r) {
  const std::filesystem::path place = folder_.path() / r.what.id;
  std::filesystem::create_directories(series_ ? place : place.parent_path());
  std::string figures, problem, thumbnail;
  std::vector<std::size_t> which;
  const auto panels = panels_of(r, &which);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const figure_panel& panel = panels[i];
    if (thumbnail.empty()) thumbnail = draw_thumbnail(panel);
    const auto picture = draw_inline(panel, interrupt_);
    if (!picture.problem.empty()) problem = picture.problem;
    figures += figure_html(panel, picture, printed_numbers(r, r.what.panels[which[i]]));
  }
  const std::string page = experiment_html(r, ids_, figures, audits_html(r), series_, lab_);
  if (is_set(interrupt_)) throw interruption();
  folder_.write(r.what.id + ".html", page);
  if (series_)
    for (const auto& [key, data] : r.data)
      folder_.write(fmt::format("{}/{}{}.csv", r.what.id, key.first,
                                key.second == execution::converged ? ".converged" : ""),
                    series_csv(data));
  const std::lock_guard lock(guard_);
  for (const auto& key : models_of(r.what)) users_[key].insert(r.what.id);
  if (!thumbnail.empty()) thumbnails_[r.what.id] = thumbnail;
  if (!problem.empty()) warnings_.insert(problem);
}

std::vector<std::string> report_site::finish(const std::vector<experiment_result>& results) {
  std::filesystem::create_directories(folder_.path() / "models");
  // Models that the report uses are shown at work; the others are only described, so that the report of
  // one experiment stays quick. After Ctrl-C all are: what was finished must be written soon.
  const auto study_unless_interrupted = [&](const model_page& page) -> std::optional<model_extras> {
    if (users_[page.key].empty() || is_set(interrupt_)) return std::nullopt;
    try {
      return extras_of(page, interrupt_);
    } catch (const interruption&) {
      return std::nullopt;
    }
  };
  for (const auto& page : model_pages()) {
    const auto extras = study_unless_interrupted(page);
    if (extras) warnings_.insert(extras->problems.begin(), extras->problems.end());
    folder_.write(fmt::format("models/{}.html", page.key),
                  model_html(page, users_[page.key], results, extras ? &*extras : nullptr));
  }
  folder_.write("index.html", index_html(results, users_, thumbnails_, lab_));
  folder_.write("errata.html", errata_html());
  folder_.write("report.json", report_json(results));
  folder_.commit();
  return {warnings_.begin(), warnings_.end()};
}

}  // namespace asperity
