// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/sweep/statistics.hpp>
#include <asperity/sweep/table.hpp>
#include <cmath>
#include <map>

namespace asperity {

namespace {

constexpr std::size_t most_shapes_in_svg = 4000;
constexpr std::size_t most_marked_points = 60;  // on a line

// Where each value of an axis begins and ends, half-way to its neighbours.
struct cell_ends {
  double low, high;
};
std::map<double, cell_ends> cells_of(const sweep_axis& axis) {
  std::vector<double> values = axis.values;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const auto between = [&](double a, double b) {
    return axis.is_log ? std::copysign(std::sqrt(a * b), a) : 0.5 * (a + b);
  };
  // Beyond the ends as far as within.
  const auto beyond = [&](double end, double inner) {
    return axis.is_log ? end * (end / inner) : 2 * end - inner;
  };
  std::map<double, cell_ends> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool has_before = i > 0, has_after = i + 1 < values.size();
    const double after = has_after ? between(values[i], values[i + 1]) : 0;
    const double before = has_before ? between(values[i - 1], values[i]) : 0;
    result[values[i]] = {has_before ? before : beyond(values[i], after),
                         has_after ? after : beyond(values[i], before)};
  }
  return result;
}

// What can be drawn of a table, a panel for each measure.
class table_figure {
 public:
  explicit table_figure(const sweep_table& table) : table_(table) {
    for (std::size_t i = 0; i < table.axes.size(); ++i)
      if (table.axes[i].values.size() > 1) along_.push_back(i);
  }

  std::vector<figure_panel> panels() {
    const auto kinds = find_attractors(table_);
    for (std::size_t m = 0; m < table_.measures.size(); ++m) {
      const auto& measure = table_.measures[m];
      const auto its = std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) {
        return m >= each.measure && m <= each.measure + 2;
      });
      if (its != kinds.end() && m != its->measure) continue;  // shown by their attractor
      std::vector<double> values = table_.values[m];
      figure_axis of{measure.name, measure.in};
      if (its != kinds.end()) {
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = its->of_row[i] == 0 ? std::nan("") : its->of_row[i];
        of = {measure.name + ": number of the attractor"};
      }
      if (measure.is_list && along_.size() == 1) {
        over_axis(of, diagram(m));
      } else if (along_.size() == 2 && table_.draws.empty()) {
        for (const auto& branch : branches())
          heat_map(of, values, branch,
                   its != kinds.end() ? static_cast<int>(its->found.size()) : 0);
      } else if (along_.size() == 1 && !table_.draws.empty()) {
        over_axis(of, bands(values));
      } else if (along_.size() == 1) {
        over_axis(of, lines(values));
      } else if (along_.empty() && !table_.draws.empty()) {
        histogram(of, values);
      }
    }
    return std::move(panels_);
  }

 private:
  using style = figure_series::style;
  const sweep_table& table_;
  std::vector<std::size_t> along_;  // axes with more than one value
  std::vector<figure_panel> panels_;

  std::vector<std::string> branches() const {
    if (table_.branch.empty()) return {""};
    if (table_.along == continuation::both) return {"up", "down"};
    return {to_string(table_.along)};
  }
  bool is_on(const std::string& branch, std::size_t row) const {
    return branch.empty() || table_.branch[row] == branch;
  }
  static figure_axis axis_of(const sweep_axis& axis) {
    return {axis.name, axis.in, "", axis.is_log};
  }

  void heat_map(const figure_axis& of, const std::vector<double>& values, const std::string& branch,
                int kinds) {
    const auto &slow = table_.axes[along_[0]], &fast = table_.axes[along_[1]];
    const auto &y = table_.parameters[along_[0]], &x = table_.parameters[along_[1]];
    const auto x_cells = cells_of(fast), y_cells = cells_of(slow);
    figure_panel panel{branch.empty() ? of.name : of.name + ", " + branch, axis_of(fast),
                       axis_of(slow), of};
    // The whole grid, whether or not its points have values.
    panel.x.from = x_cells.begin()->second.low;
    panel.x.to = x_cells.rbegin()->second.high;
    panel.y.from = y_cells.begin()->second.low;
    panel.y.to = y_cells.rbegin()->second.high;
    if (kinds > 0) {
      panel.map.as = figure_map::palette::kinds;
      panel.map.kinds = kinds;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]) || !is_on(branch, i)) continue;
      const auto &a = x_cells.at(x[i]), &b = y_cells.at(y[i]);
      panel.map.x_low.push_back(a.low);
      panel.map.x_high.push_back(a.high);
      panel.map.y_low.push_back(b.low);
      panel.map.y_high.push_back(b.high);
      panel.map.value.push_back(values[i]);
    }
    panels_.push_back(std::move(panel));
  }

  void over_axis(const figure_axis& of, std::vector<figure_series> series) {
    const auto& axis = table_.axes[along_[0]];
    figure_panel panel{of.name, axis_of(axis), of};
    const auto [low, high] = std::minmax_element(axis.values.begin(), axis.values.end());
    panel.x.from = *low;
    panel.x.to = *high;
    panel.series = std::move(series);
    panels_.push_back(std::move(panel));
  }

  std::vector<figure_series> lines(const std::vector<double>& values) const {
    std::vector<figure_series> all;
    for (const auto& branch : branches()) {
      figure_series one{branch,
                        {},
                        {},
                        values.size() <= most_marked_points ? style::line_and_points : style::line};
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (!is_on(branch, i)) continue;
        one.x.push_back(table_.parameters[along_[0]][i]);
        one.y.push_back(values[i]);
      }
      all.push_back(std::move(one));
    }
    return all;
  }

  std::vector<figure_series> diagram(std::size_t measure) const {
    std::vector<figure_series> all;
    for (const auto& branch : branches()) {
      figure_series one{branch, {}, {}, style::points, branch == "down" ? 0.3 : 0.55};
      for (const auto& each : table_.lists) {
        if (each.measure != measure || !is_on(branch, each.row)) continue;
        one.x.push_back(table_.parameters[along_[0]][each.row]);
        one.y.push_back(each.value);
      }
      all.push_back(std::move(one));
    }
    return all;
  }

  std::vector<figure_series> bands(const std::vector<double>& values) const {
    std::map<double, std::vector<double>> at;
    for (std::size_t i = 0; i < values.size(); ++i)
      at[table_.parameters[along_[0]][i]].push_back(values[i]);
    std::vector<figure_series> all{{"median", {}, {}, style::line, 3},
                                   {"5 %", {}, {}, style::line, 1},
                                   {"95 %", {}, {}, style::line, 1}};
    constexpr double shares[] = {0.5, 0.05, 0.95};
    for (const auto& [x, drawn] : at)
      for (std::size_t s = 0; s < 3; ++s) {
        all[s].x.push_back(x);
        all[s].y.push_back(quantile(drawn, shares[s]));
      }
    return all;
  }

  void histogram(const figure_axis& of, std::vector<double> values) {
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    figure_panel panel{of.name, of, {"samples"}};
    if (!values.empty()) {
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      const double width = *high - *low;
      const int bins =
          width == 0 ? 1 : std::clamp(static_cast<int>(std::sqrt(double(values.size()))), 1, 60);
      const double bin = width == 0 ? 1 : width / bins;
      figure_series boxes{
          "", {}, std::vector<double>(static_cast<std::size_t>(bins), 0), style::boxes, bin};
      for (int i = 0; i < bins; ++i) boxes.x.push_back(*low + (i + 0.5) * bin);
      for (const double value : values)
        ++boxes.y[static_cast<std::size_t>(
            width == 0 ? 0 : std::min(bins - 1, static_cast<int>((value - *low) / width * bins)))];
      panel.series = {std::move(boxes)};
    }
    panels_.push_back(std::move(panel));
  }
};

}  // namespace

plot_format fitting_format(const sweep_table& table) {
  const std::size_t shapes =
      std::max(table.point.size() * table.measures.size(), table.lists.size());
  return shapes <= most_shapes_in_svg ? plot_format::svg : plot_format::png;
}

figure figure_of(const sweep_table& table) {
  figure result{table.title};
  result.panels = table_figure(table).panels();
  result.panel_height = 420;
  result.most_in_one_column = 2;
  return result;
}

std::string draw_sweep(const sweep_table& table, plot_format format, const std::string& file,
                       const std::atomic<bool>* interrupt) {
  const figure drawn = figure_of(table);
  if (drawn.panels.empty())
    return "no plot: only sweeps of one or two parameters that take several values, or of samples, "
           "can be drawn";
  return draw(drawn, format, file, interrupt);
}

}  // namespace asperity
