// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/draw/gnuplot.hpp>
#include <asperity/quantity.hpp>
#include <asperity/sweep/statistics.hpp>
#include <asperity/sweep/table.hpp>
#include <cmath>
#include <iterator>
#include <map>

namespace asperity {

namespace {

constexpr std::size_t most_shapes_in_svg = 4000;
constexpr const char* colours[] = {"#1f5fa8", "#d1672a", "#3a8f4b", "#8a4fa0", "#7a7a7a",
                                   "#b8336a", "#2a9d9d", "#a08a1c", "#5b3a1e", "#6aa7e0"};

struct scale {
  std::string unit;
  double size = 1;
  std::string label(const std::string& name) const {
    return gnuplot_text(unit == "-" ? name : fmt::format("{} [{}]", name, unit));
  }
};

scale scale_for(unit in, const std::vector<double>& values, bool is_log = false) {
  if (is_log) return {to_string(in), 1};
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const auto [name, size] = handy_unit(in, largest);
  return {name, size};
}

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

// One panel: its data first, then the commands that draw them.
class painter {
 public:
  explicit painter(const sweep_table& table) : table_(table) {
    for (std::size_t i = 0; i < table.axes.size(); ++i)
      if (table.axes[i].values.size() > 1) along_.push_back(i);
  }

  // What can be drawn of this table, one panel each.
  void paint() {
    const auto kinds = find_attractors(table_);
    for (std::size_t m = 0; m < table_.measures.size(); ++m) {
      const auto& measure = table_.measures[m];
      const auto its = std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) {
        return m >= each.measure && m <= each.measure + 2;
      });
      if (its != kinds.end() && m != its->measure) continue;  // shown by their attractor
      std::vector<double> values = table_.values[m];
      unit in = measure.in;
      std::string name = measure.name;
      if (its != kinds.end()) {
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = its->of_row[i] == 0 ? std::nan("") : its->of_row[i];
        in = units::one;
        name = fmt::format("{}: number of the attractor", name);
      }
      if (measure.is_list && along_.size() == 1) {
        diagram(m);
      } else if (along_.size() == 2 && table_.draws.empty()) {
        for (const char* branch : {"up", "down"}) {
          if (table_.branch.empty() && branch[0] == 'd') break;
          heat_map(name, in, values, table_.branch.empty() ? "" : branch,
                   its != kinds.end() ? its->found.size() : 0);
        }
      } else if (along_.size() == 1 && !table_.draws.empty()) {
        bands(name, in, values);
      } else if (along_.size() == 1) {
        lines(name, in, values);
      } else if (along_.empty() && !table_.draws.empty()) {
        histogram(name, in, values);
      }
    }
  }

  int panels() const { return panels_; }
  std::string text() const { return fmt::to_string(script_); }

 private:
  const sweep_table& table_;
  std::vector<std::size_t> along_;  // axes with more than one value
  fmt::memory_buffer script_;
  int panels_ = 0;

  template <class... Values>
  void say(fmt::format_string<Values...> pattern, Values&&... values) {
    fmt::format_to(std::back_inserter(script_), pattern, std::forward<Values>(values)...);
    script_.push_back('\n');
  }

  void begin(const std::string& title, bool x_log, bool y_log) {
    ++panels_;
    say("reset\nset border lc rgb '#444444'\nset grid lc rgb '#dddddd' lw 1 lt 1\nset title {}",
        gnuplot_text(title));
    if (x_log) say("set logscale x\nset format x '%g'");
    if (y_log) say("set logscale y\nset format y '%g'");
    say("set key off");
  }

  void heat_map(const std::string& name, unit in, const std::vector<double>& values,
                const std::string& branch, std::size_t kinds) {
    const auto &slow = table_.axes[along_[0]], &fast = table_.axes[along_[1]];
    const auto &y = table_.parameters[along_[0]], &x = table_.parameters[along_[1]];
    const auto x_cells = cells_of(fast), y_cells = cells_of(slow);
    const scale x_scale = scale_for(fast.in, x, fast.is_log),
                y_scale = scale_for(slow.in, y, slow.is_log), of = scale_for(in, values);
    begin(branch.empty() ? name : fmt::format("{}, {}", name, branch), fast.is_log, slow.is_log);
    say("set grid noxtics noytics\nset object 1 rect from graph 0,0 to graph 1,1 behind fc rgb "
        "'#e4e4e4' fs noborder");
    say("$cells{} << end_of_data", panels_);
    bool any = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]) || (!branch.empty() && table_.branch[i] != branch)) continue;
      const auto &a = x_cells.at(x[i]), &b = y_cells.at(y[i]);
      say("{:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}", x[i] / x_scale.size,
          y[i] / y_scale.size, a.low / x_scale.size, a.high / x_scale.size, b.low / y_scale.size,
          b.high / y_scale.size, values[i] / of.size);
      any = true;
    }
    say("end_of_data");
    const auto ends = [](const auto& cells, double size) {
      return fmt::format("[{:.9g}:{:.9g}]", cells.begin()->second.low / size,
                         cells.rbegin()->second.high / size);
    };
    say("set xrange {}\nset yrange {}", ends(x_cells, x_scale.size), ends(y_cells, y_scale.size));
    say("set xlabel {}\nset ylabel {}\nset cblabel {}", x_scale.label(fast.name),
        y_scale.label(slow.name), of.label(name));
    say("set palette defined (0 '#12324f', 0.25 '#1f5fa8', 0.5 '#5fb0a5', 0.75 '#f0c95a', 1 "
        "'#c8321e')\nset style fill solid 1.0 noborder");
    if (!any) {
      say("set label 1 'nothing to show: no run has a value' at graph 0.5,0.5 center\nplot NaN");
      return;
    }
    if (kinds > 0) {  // a colour each
      std::vector<std::string> steps;
      for (std::size_t k = 0; k < kinds; ++k)
        steps.push_back(fmt::format("{}.5 '{}', {}.5 '{}'", k, colours[k % std::size(colours)],
                                    k + 1, colours[k % std::size(colours)]));
      say("set palette defined ({})\nset cbrange [0.5:{}.5]\nset cbtics 1", fmt::join(steps, ", "),
          kinds);
    }
    say("plot $cells{} using 1:2:3:4:5:6:7 with boxxyerror lc palette", panels_);
  }

  // A panel over the one axis: data of several lines, and how each is drawn.
  struct series {
    std::string label, style;
    std::vector<double> x, y;
  };
  void over_axis(const std::string& name, unit in, const std::vector<series>& all) {
    const auto& axis = table_.axes[along_[0]];
    std::vector<double> values;
    for (const auto& each : all) values.insert(values.end(), each.y.begin(), each.y.end());
    const scale x_scale = scale_for(axis.in, axis.values, axis.is_log), of = scale_for(in, values);
    begin(name, axis.is_log, false);
    say("set xlabel {}\nset ylabel {}\nset offsets 0, 0, graph 0.06, graph 0.06",
        x_scale.label(axis.name), of.label(name));
    if (all.size() > 1) say("set key outside top right horizontal noenhanced");
    std::vector<std::string> parts;
    bool any = false;
    for (std::size_t s = 0; s < all.size(); ++s) {
      say("$series{}_{} << end_of_data", panels_, s);
      for (std::size_t i = 0; i < all[s].x.size(); ++i) {
        if (std::isfinite(all[s].y[i])) {
          say("{:.9g} {:.9g}", all[s].x[i] / x_scale.size, all[s].y[i] / of.size);
          any = true;
        } else {
          say("");  // a gap in the line
        }
      }
      say("end_of_data");
      parts.push_back(fmt::format("$series{}_{} using 1:2 {} lc rgb '{}' title {}", panels_, s,
                                  all[s].style, colours[s % std::size(colours)],
                                  gnuplot_text(all[s].label)));
    }
    const auto [low, high] = std::minmax_element(axis.values.begin(), axis.values.end());
    say("set xrange [{:.9g}:{:.9g}]", *low / x_scale.size, *high / x_scale.size);
    if (!any) {
      say("set yrange [0:1]\nset label 1 'nothing to show: no run has a value' at graph 0.5,0.5 "
          "center\nplot NaN");
      return;
    }
    say("plot {}", fmt::join(parts, ", "));
  }

  std::vector<std::string> branches() const {
    if (table_.branch.empty()) return {""};
    if (table_.along == continuation::both) return {"up", "down"};
    return {to_string(table_.along)};
  }

  void lines(const std::string& name, unit in, const std::vector<double>& values) {
    std::vector<series> all;
    for (const auto& branch : branches()) {
      series one{branch,
                 values.size() <= 60 ? "with linespoints lw 2 pt 7 ps 0.4" : "with lines lw 2",
                 {},
                 {}};
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (!branch.empty() && table_.branch[i] != branch) continue;
        one.x.push_back(table_.parameters[along_[0]][i]);
        one.y.push_back(values[i]);
      }
      all.push_back(std::move(one));
    }
    over_axis(name, in, all);
  }

  void diagram(std::size_t measure) {
    std::vector<series> all;
    for (const auto& branch : branches()) {
      series one{branch,
                 branch == "down" ? "with points pt 7 ps 0.3" : "with points pt 7 ps 0.55",
                 {},
                 {}};
      for (const auto& each : table_.lists) {
        if (each.measure != measure) continue;
        if (!branch.empty() && table_.branch[each.row] != branch) continue;
        one.x.push_back(table_.parameters[along_[0]][each.row]);
        one.y.push_back(each.value);
      }
      all.push_back(std::move(one));
    }
    over_axis(table_.measures[measure].name, table_.measures[measure].in, all);
  }

  void bands(const std::string& name, unit in, const std::vector<double>& values) {
    std::map<double, std::vector<double>> at;
    for (std::size_t i = 0; i < values.size(); ++i)
      at[table_.parameters[along_[0]][i]].push_back(values[i]);
    std::vector<series> all{{"median", "with lines lw 3", {}, {}},
                            {"5 %", "with lines lw 1", {}, {}},
                            {"95 %", "with lines lw 1", {}, {}}};
    constexpr double shares[] = {0.5, 0.05, 0.95};
    for (const auto& [x, drawn] : at)
      for (std::size_t s = 0; s < 3; ++s) {
        all[s].x.push_back(x);
        all[s].y.push_back(quantile(drawn, shares[s]));
      }
    over_axis(name, in, all);
  }

  void histogram(const std::string& name, unit in, std::vector<double> values) {
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    const scale of = scale_for(in, values);
    begin(name, false, false);
    say("set xlabel {}\nset ylabel 'samples'\nset style fill solid 0.8 noborder\nset yrange [0:*]",
        of.label(name));
    if (values.empty()) {
      say("set yrange [0:1]\nset xrange [0:1]\nset label 1 'nothing to show: no run has a value' "
          "at "
          "graph 0.5,0.5 center\nplot NaN");
      return;
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double width = *high - *low;
    const int bins =
        width == 0 ? 1 : std::clamp(static_cast<int>(std::sqrt(double(values.size()))), 1, 60);
    std::vector<long> counts(static_cast<std::size_t>(bins), 0);
    for (const double value : values)
      ++counts[static_cast<std::size_t>(
          width == 0 ? 0 : std::min(bins - 1, static_cast<int>((value - *low) / width * bins)))];
    const double bin = width == 0 ? 1 : width / bins;
    say("$bins{} << end_of_data", panels_);
    for (int i = 0; i < bins; ++i)
      say("{:.9g} {}", (*low + (i + 0.5) * bin) / of.size, counts[static_cast<std::size_t>(i)]);
    say("end_of_data\nplot $bins{} using 1:2:({:.9g}) with boxes lc rgb '{}'", panels_,
        bin / of.size, colours[0]);
  }
};

}  // namespace

plot_format fitting_format(const sweep_table& table) {
  const std::size_t shapes =
      std::max(table.point.size() * table.measures.size(), table.lists.size());
  return shapes <= most_shapes_in_svg ? plot_format::svg : plot_format::png;
}

std::string draw_sweep(const sweep_table& table, plot_format format, const std::string& file,
                       const std::atomic<bool>* interrupt) {
  painter paint(table);
  paint.paint();
  if (paint.panels() == 0)
    return "no plot: there are plots of one or two parameters, or of samples";
  const int columns = paint.panels() > 2 ? 2 : 1;
  const int rows = (paint.panels() + columns - 1) / columns;
  const int width = 900 * columns - (columns - 1) * 200, height = 60 + 420 * rows;
  const std::string terminal =
      format == plot_format::svg
          ? fmt::format("svg size {},{} font 'Helvetica,14' background 'white' noenhanced", width,
                        height)
          : fmt::format("pngcairo size {},{} font 'Helvetica,12' noenhanced", width, height);
  return draw_script(fmt::format("set terminal {}\nset encoding utf8\nset multiplot layout {},{} "
                                 "title {} font ',16'\n{}unset multiplot\n",
                                 terminal, rows, columns, gnuplot_text(table.title), paint.text()),
                     file, interrupt);
}

}  // namespace asperity
