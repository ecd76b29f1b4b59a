// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/quantity.hpp>
#include <asperity/run/overlay.hpp>
#include <asperity/text/csv.hpp>
#include <cmath>
#include <filesystem>
#include <limits>

namespace asperity {

std::optional<figure_series> measured_series(const record& of, const std::string& x,
                                             const std::string& y) {
  const std::vector<double>* over = x == "t" ? &of.t : of.find(x);
  const std::vector<double>* values = y == "t" ? &of.t : of.find(y);
  if (over == nullptr || values == nullptr) return {};
  constexpr std::size_t few = 400;
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  figure_series result{fmt::format("{} measured", y), {}, {}};
  if (over->size() <= few) {
    result.as = figure_series::style::points;
    result.size = 0.5;
  }
  const std::vector<record::piece> whole{{0, of.t.size()}},
      &pieces = of.pieces.empty() ? whole : of.pieces;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) {
      result.x.push_back(nothing);
      result.y.push_back(nothing);
    }
    const auto take = [&](const std::vector<double>& all, std::vector<double>& part) {
      part.insert(part.end(), all.begin() + static_cast<std::ptrdiff_t>(pieces[i].first),
                  all.begin() + static_cast<std::ptrdiff_t>(pieces[i].last));
    };
    take(*over, result.x);
    take(*values, result.y);
  }
  return result;
}

void add_measured(figure_panel& panel, const record& measured, const std::string& x,
                  const std::vector<std::string>& y) {
  std::vector<figure_series> below;
  const auto simulated = static_cast<int>(panel.series.size());
  for (int i = 0; i < std::ssize(y); ++i)
    if (auto series = measured_series(measured, x, y[static_cast<std::size_t>(i)])) {
      series->colour = simulated + i;
      series->size = series->as == figure_series::style::line ? 3 : series->size;
      below.push_back(std::move(*series));
    }
  if (below.empty()) return;
  for (int i = 0; i < simulated; ++i) {
    auto& each = panel.series[static_cast<std::size_t>(i)];
    if (each.colour < 0) each.colour = i;
    each.label += " simulated";
  }
  panel.series.insert(panel.series.begin(), below.begin(), below.end());
}

figure figure_of(const any_model& model, const run_data& data, const record& measured) {
  const port& at = model.at();
  figure result{fmt::format("{} along {}", model.key(),
                            std::filesystem::path(measured.name).filename().string())};
  // The rows between which the record has a gap.
  const auto simulated = [&](const std::string& x, const std::string& y) {
    record rows{measured.name, data["t"], {{y, data[y]}}};
    if (x != "t") rows.channels.push_back({x, data[x]});
    for (const auto& each : measured.pieces)
      if (each.first < rows.t.size())
        rows.pieces.push_back({each.first, std::min(each.last, rows.t.size())});
    figure_series series = *measured_series(rows, x, y);
    series.label = y;
    series.as = figure_series::style::line;
    series.size = 1.5;
    return series;
  };
  const auto add = [&](const std::string& x, const std::string& y) {
    figure_panel panel{
        fmt::format("{} over {}", y, x), {x, data.find(x)->in}, {y, data.find(y)->in}};
    panel.series.push_back(simulated(x, y));
    add_measured(panel, measured, x, {y});
    result.panels.push_back(std::move(panel));
  };
  for (const channel& each : at.outputs) add("t", each.name);
  if (at.is_line()) add("x", at.outputs[0].name);
  return result;
}

std::vector<difference> differences(const run_data& data, const record& measured,
                                    const std::vector<std::string>& names) {
  std::vector<difference> result;
  const auto& times = data["t"];
  for (const auto& name : names) {
    const column* simulated = data.find(name);
    const std::vector<double>* values = measured.find(name);
    if (simulated == nullptr || values == nullptr || times.empty()) continue;
    difference found{name, simulated->in};
    double squares = 0, mean = 0, spread = 0;
    for (std::size_t i = 0; i < measured.t.size(); ++i) {
      const double t = measured.t[i];
      if (t < times.front() || t > times.back() || std::isnan((*values)[i])) continue;
      const auto after =
          static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), t) - times.begin());
      double y = simulated->values[after];
      if (times[after] > t) {
        const double share = (t - times[after - 1]) / (times[after] - times[after - 1]);
        y = (1 - share) * simulated->values[after - 1] + share * y;
      }
      const double error = y - (*values)[i];
      squares += error * error;
      found.largest = std::max(found.largest, std::abs(error));
      // Welford's mean and spread.
      ++found.rows;
      const double from_mean = (*values)[i] - mean;
      mean += from_mean / static_cast<double>(found.rows);
      spread += from_mean * ((*values)[i] - mean);
    }
    if (found.rows == 0) continue;
    found.rms = std::sqrt(squares / static_cast<double>(found.rows));
    found.spread = std::sqrt(spread / static_cast<double>(found.rows));
    result.push_back(found);
  }
  return result;
}

std::string to_string(const difference& of) {
  const std::string in = is_plain(of.in) ? "" : fmt::format(" {}", to_string(of.in));
  std::string text = fmt::format(
      "{}: measured and simulated values differ by {:.4g}{} rms and at most {:.4g}{} in {} rows",
      of.name, of.rms, in, of.largest, in, of.rows);
  if (of.spread > 0)
    text +=
        fmt::format("; this is {:.3g} % of the standard deviation of the measured values, {:.4g}{}",
                    100 * of.rms / of.spread, of.spread, in);
  return text;
}

std::string record_csv(const record& of) {
  std::vector<csv_column> columns{{"t", &of.t}};
  columns.reserve(of.channels.size() + 1);
  for (const auto& each : of.channels) columns.push_back({each.name, &each.values});
  return to_csv(columns);
}

}  // namespace asperity
