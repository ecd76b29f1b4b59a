// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/draw/axis_name.hpp>
#include <asperity/portable.hpp>
#include <asperity/publish/figures.hpp>
#include <asperity/publish/html.hpp>
#include <asperity/publish/report.hpp>
#include <cmath>
#include <set>

namespace asperity {

namespace {

// Among the colours that its neighbours leave the first in the palette is taken, so that panels with
// other lines begin with the same ones.
void choose_colours(std::vector<figure_panel>& panels) {
  std::map<std::string, int> chosen;
  for (const auto& panel : panels)
    for (const auto& line : panel.series) {
      if (chosen.count(line.label) > 0) continue;
      std::set<int> taken;
      for (const auto& other : panels) {
        const bool shared = std::any_of(other.series.begin(), other.series.end(),
                                        [&](const auto& l) { return l.label == line.label; });
        if (!shared) continue;
        for (const auto& each : other.series)
          if (const auto found = chosen.find(each.label); found != chosen.end())
            taken.insert(found->second);
      }
      int colour = 0;
      while (taken.count(colour) > 0) ++colour;
      chosen[line.label] = colour;
    }
  for (auto& panel : panels)
    for (auto& line : panel.series) line.colour = chosen[line.label] % palette_size;
}

// The squares of a coarse raster that a line passes through.
std::set<std::pair<int, int>> raster_of(const figure_series& line, double x_low, double x_size,
                                        double y_low, double y_size) {
  constexpr double columns = 120, rows = 80;
  std::set<std::pair<int, int>> squares;
  for (std::size_t k = 0; k < line.y.size(); ++k) {
    if (!std::isfinite(line.x[k]) || !std::isfinite(line.y[k])) continue;
    squares.emplace(static_cast<int>(columns * (line.x[k] - x_low) / x_size),
                    static_cast<int>(rows * (line.y[k] - y_low) / y_size));
  }
  return squares;
}

// Whether most of the squares of one are, or touch, squares of the other.
bool lies_on(const std::set<std::pair<int, int>>& upper,
             const std::set<std::pair<int, int>>& lower) {
  std::size_t covered = 0;
  for (const auto& [x, y] : upper) {
    bool is_near = false;
    for (int i = -1; i <= 1 && !is_near; ++i)
      for (int k = -1; k <= 1 && !is_near; ++k) is_near = lower.count({x + i, y + k}) > 0;
    covered += is_near ? 1 : 0;
  }
  return !upper.empty() && 3 * covered > 2 * upper.size();
}

void dash_what_hides(figure_panel& panel) {
  double x_low = unbounded, x_high = -unbounded, y_low = unbounded, y_high = -unbounded;
  for (const auto& line : panel.series)
    for (std::size_t k = 0; k < line.y.size(); ++k) {
      if (!std::isfinite(line.x[k]) || !std::isfinite(line.y[k])) continue;
      x_low = std::min(x_low, line.x[k]), x_high = std::max(x_high, line.x[k]);
      y_low = std::min(y_low, line.y[k]), y_high = std::max(y_high, line.y[k]);
    }
  if (!(x_low < x_high) || !(y_low < y_high)) return;
  std::vector<std::set<std::pair<int, int>>> rasters;
  for (auto& line : panel.series) {
    rasters.push_back(raster_of(line, x_low, x_high - x_low, y_low, y_high - y_low));
    for (std::size_t i = 0; i + 1 < rasters.size() && !line.is_dashed; ++i)
      line.is_dashed = lies_on(rasters.back(), rasters[i]);
  }
}

// Whether a text has this number, in SI or in thousandths of it, to three digits.
bool prints(const std::string& text, double number) {
  if (number == 0) return false;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins =
        '0' <= text[at] && text[at] <= '9' &&
        (at == 0 || std::string_view(" =-(").find(text[at - 1]) != std::string_view::npos);
    if (!begins) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() &&
           (('0' <= text[end] && text[end] <= '9') || text[end] == '.' ||
            (text[end] == 'e' && end > at) || (text[end] == '-' && text[end - 1] == 'e')))
      ++end;
    double found = 0;
    const auto read = detail::from_chars(text.data() + at, text.data() + end, found);
    for (const double size : {1.0, 1e-3, 1e-6})
      if (read.ec == std::errc() &&
          std::abs(found * size - std::abs(number)) <= 5e-4 * std::abs(number))
        return true;
    at = end;
  }
  return false;
}

// The rows that a panel shows, with the signs of the source.
std::vector<double> part_of(const std::vector<double>& values, const experiment_panel& panel,
                            double times) {
  const auto rows = static_cast<double>(values.size());
  const auto place = [&](double share) {
    return values.begin() + static_cast<std::ptrdiff_t>(std::round(share * rows));
  };
  std::vector<double> result(place(panel.part_from), place(panel.part_to));
  for (double& each : result) each *= times;
  return result;
}

}  // namespace

void choose_looks(std::vector<figure_panel>& panels) {
  choose_colours(panels);
  for (auto& panel : panels) dash_what_hides(panel);
}

std::vector<figure_panel> panels_of(const experiment_result& result,
                                    std::vector<std::size_t>* which) {
  std::vector<figure_panel> panels;
  for (const auto& each : result.what.panels) {
    figure_panel drawn{each.shown.title,
                       {each.shown.x, {}, each.shown.x_unit, each.x_log, each.x_from, each.x_to},
                       {axis_name(each.shown.y), {}, each.shown.y_unit, each.y_log}};
    for (const auto& run : result.what.runs) {
      const bool wanted = each.runs.empty() || std::find(each.runs.begin(), each.runs.end(),
                                                         run.name) != each.runs.end();
      if (!wanted || !run.missing_model.empty()) continue;
      const run_data& data = result.data.at({run.name, run.shown()});
      for (const auto& name : each.shown.y) {
        const column* y = data.find(name);
        const column* x = data.find(each.shown.x);
        if (x == nullptr || y == nullptr) continue;
        drawn.x.in = x->in;
        drawn.y.in = y->in;
        const std::string label =
            each.shown.y.size() > 1 ? fmt::format("{}, {}", run.label, name) : run.label;
        drawn.series.push_back({label, part_of(x->values, each, each.x_times),
                                part_of(y->values, each, each.y_times)});
      }
    }
    if (drawn.series.empty()) continue;
    panels.push_back(std::move(drawn));
    if (which != nullptr)
      which->push_back(static_cast<std::size_t>(&each - result.what.panels.data()));
  }
  choose_looks(panels);
  return panels;
}

std::string printed_numbers(const experiment_result& result, const experiment_panel& panel) {
  constexpr std::size_t most = 4;
  struct printed {
    std::string quote;
    std::vector<std::pair<std::string, std::vector<std::string>>> runs;  // label, ours
  };
  std::vector<printed> all;
  const auto is_shown = [&](const std::string& column) {
    return column == panel.shown.x ||
           std::find(panel.shown.y.begin(), panel.shown.y.end(), column) != panel.shown.y.end();
  };
  for (const auto& j : result.judgements) {
    const published_claim& about = j.about;
    const bool is_plain_number = about.equals && j.ours.size() == 1 &&
                                 about.divided_by == std::nullopt && about.relative_to.empty() &&
                                 about.erratum.empty();
    const bool is_drawn = panel.runs.empty() || std::find(panel.runs.begin(), panel.runs.end(),
                                                          about.runs.front()) != panel.runs.end();
    const auto run =
        std::find_if(result.what.runs.begin(), result.what.runs.end(),
                     [&](const auto& each) { return each.name == about.runs.front(); });
    if (!is_plain_number || !is_drawn || run == result.what.runs.end() || j.how != run->shown())
      continue;
    // The number itself, not only what follows from the source's equations.
    if (!is_shown(about.what.column) && !is_shown(about.what.over)) continue;
    if (!prints(about.source_says, *about.equals)) continue;
    // One quotation may have several numbers, and hold for several runs.
    const std::string quote = with_unit_signs(about.source_says);
    const std::string label = with_unit_signs(run->label), ours = escaped(ours_text(j));
    auto at =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.quote == quote; });
    if (at == all.end()) {
      if (all.size() == most) continue;
      all.push_back({quote, {}});
      at = all.end() - 1;
    }
    auto its = std::find_if(at->runs.begin(), at->runs.end(),
                            [&](const auto& each) { return each.first == label; });
    if (its == at->runs.end()) its = at->runs.insert(its, {label, {}});
    if (std::find(its->second.begin(), its->second.end(), ours) == its->second.end())
      its->second.push_back(ours);
  }
  std::vector<std::string> lines;
  lines.reserve(all.size());
  for (const auto& [quote, runs] : all) {
    std::vector<std::string> told;
    told.reserve(runs.size());
    for (const auto& [label, ours] : runs)
      told.push_back(fmt::format("{} {}", label, fmt::join(ours, ", ")));
    lines.push_back(
        fmt::format("The source prints \u201c{}\u201d; ours: {}", quote, fmt::join(told, "; ")));
  }
  return fmt::format("{}", fmt::join(lines, "<br>"));
}

std::string figure_html(const figure_panel& panel, const inline_picture& picture,
                        const std::string& below) {
  std::string legend;
  if (panel.series.size() > 1) {
    for (const auto& line : panel.series)
      legend += fmt::format("<li><i class=\"series-{}{}\"></i>{}</li>", line.colour % palette_size,
                            line.is_dashed ? " dashed" : "", with_unit_signs(line.label));
    legend = fmt::format("<ul class=\"legend\">{}</ul>", legend);
  }
  return fmt::format(
      "<figure>{}{}{}{}</figure>\n",
      panel.title.empty()
          ? ""
          : fmt::format("<figcaption>{}</figcaption>", with_unit_signs(panel.title)),
      picture.problem.empty() ? picture.svg : fmt::format("<p>{}</p>", escaped(picture.problem)),
      legend, below.empty() ? "" : fmt::format("<p class=\"quiet\">{}</p>", below));
}

}  // namespace asperity
