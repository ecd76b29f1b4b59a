// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/impact_comparison.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/text/ranges.hpp>
#include <cmath>

namespace asperity {

namespace {

bool is_for(const impact_setting& setting, const any_model& model) {
  if (!setting.model.empty()) return setting.model == model.key();
  const auto all = model.describe().parameters;
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& p) { return p.name == setting.parameter; });
}

std::string in_words(const impact_setting& setting) {
  return fmt::format("{}{}{}={}", setting.model, setting.model.empty() ? "" : ".",
                     setting.parameter, setting.value);
}

// Friction and hysteresis models are refused by find_impact, which says what they are.
void check_name(const std::string& key, const std::vector<std::string>& contacts) {
  for (const catalogue_entry* entry : catalogue())
    if (entry->key == key && entry->at == &ports::touch)
      throw error(
          fmt::format("'{}' is a contact with friction, but `asperity restitution` takes normal "
                      "contacts only ({}), with the parameters of its normal force; a scenario of "
                      "kind sphere_on_plane drops a sphere on it",
                      key, fmt::join(contacts, ", ")));
  const auto all = catalogue();
  if (std::none_of(all.begin(), all.end(), [&](const auto* entry) { return entry->key == key; }))
    throw error(fmt::format("unknown contact model '{}': {}", key, nearest_names(key, contacts)));
}

std::vector<std::string> models_to_compare(const std::vector<std::string>& named) {
  std::vector<std::string> contacts;
  for (const catalogue_entry* entry : catalogue())
    if (entry->at == &ports::press) contacts.push_back(entry->key);
  for (const auto& key : named) check_name(key, contacts);
  return named.empty() ? contacts : named;
}

}  // namespace

impact_setting parse_impact_setting(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw error(fmt::format("'{}' is not PARAMETER=VALUE", text));
  impact_setting result{"", text.substr(0, equals), text.substr(equals + 1)};
  if (const auto dot = result.parameter.find('.'); dot != std::string::npos) {
    result.model = result.parameter.substr(0, dot);
    result.parameter = result.parameter.substr(dot + 1);
  }
  return result;
}

std::vector<impact_curve> plan_impacts(const impact_comparison& wanted,
                                       std::vector<std::string>& warnings) {
  std::vector<impact_curve> curves;
  std::vector<bool> is_used(wanted.settings.size());
  bool over_is_used = false;
  for (const auto& key : models_to_compare(wanted.models)) {
    const any_model plain(find_model(key));
    std::vector<std::string> own;
    for (std::size_t i = 0; i < wanted.settings.size(); ++i) {
      if (!is_for(wanted.settings[i], plain)) continue;
      own.push_back(wanted.settings[i].parameter + "=" + wanted.settings[i].value);
      is_used[i] = true;
    }
    impact_curve next{{make_model(key, "", own, warnings), wanted.speeds, "", {}, wanted.options}};
    if (wanted.over && (wanted.over->parameter == "mass" || is_for(*wanted.over, plain))) {
      over_is_used = true;
      next.sweep.parameter = wanted.over->parameter;
      try {
        next.sweep.values =
            parse_values(wanted.over->value, unit_of_parameter(plain, next.sweep.parameter),
                         range_of_parameter(plain, next.sweep.parameter));
      } catch (const error& problem) {
        throw error(fmt::format("{}: {}", in_words(*wanted.over), problem.what()));
      }
    }
    curves.push_back(std::move(next));
  }
  const auto refuse = [](const impact_setting& unused) {
    throw error(fmt::format("{}: none of these models has such a parameter", in_words(unused)));
  };
  for (std::size_t i = 0; i < is_used.size(); ++i)
    if (!is_used[i]) refuse(wanted.settings[i]);
  if (wanted.over && !over_is_used) refuse(*wanted.over);
  return curves;
}

void find_impacts(std::vector<impact_curve>& curves, const std::atomic<bool>* interrupt,
                  const std::function<void(double)>& progress) {
  for (std::size_t i = 0; i < curves.size() && !is_set(interrupt); ++i)
    curves[i].rows = find_impacts(curves[i].sweep, interrupt, [&](double share) {
      if (progress) progress((static_cast<double>(i) + share) / static_cast<double>(curves.size()));
    });
}

std::string impact_curve::label(double value) const {
  if (sweep.parameter.empty()) return sweep.model.key();
  const unit in = unit_of_parameter(sweep.model, sweep.parameter);
  const std::string text = fmt::format("{} {} = {:g}", sweep.model.key(), sweep.parameter, value);
  return is_plain(in) ? text : fmt::format("{} {}", text, to_string(in));
}

std::vector<std::string> impact_curve::doubts() const {
  std::vector<std::string> result;
  // What settings made doubtful was said when they were read.
  if (sweep.parameter.empty() || sweep.parameter == "mass") return result;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].doubt.empty() && (i == 0 || rows[i - 1].value != rows[i].value))
      result.push_back(fmt::format("{}: {}", label(rows[i].value), rows[i].doubt));
  return result;
}

figure figure_of(const std::vector<impact_curve>& curves) {
  figure result{"Restitution"};
  if (curves.empty()) return result;
  const impact_sweep& first = curves.front().sweep;
  const bool over_speed = first.speeds.size() > 1;
  if (!over_speed && first.values.size() < 2) return result;
  for (const auto& column : impact_columns()) {
    if (column.is_derived || std::string_view(column.name) == "time_to_deepest") continue;
    figure_panel panel{
        column.title, {"speed of impact", units::metre / units::second}, {column.name, column.in}};
    if (!over_speed) panel.x = {first.parameter, unit_of_parameter(first.model, first.parameter)};
    double least = unbounded, most = 0;
    for (const auto& curve : curves) {
      std::vector<figure_series> lines;
      for (const auto& row : curve.rows) {
        const double y = column.value(row.what), x = over_speed ? row.speed : row.value;
        const std::string label = over_speed ? curve.label(row.value) : curve.sweep.model.key();
        if (lines.empty() || lines.back().label != label) lines.push_back({label, {}, {}});
        if (!std::isfinite(y)) continue;
        lines.back().x.push_back(x);
        lines.back().y.push_back(y);
        least = std::min(least, x);
        most = std::max(most, x);
      }
      for (auto& line : lines)
        if (!line.x.empty()) panel.series.push_back(std::move(line));
    }
    panel.x.log = least > 0 && most >= 100 * least;
    panel.y.log = panel.x.log && !(column.in == units::one) &&
                  std::all_of(panel.series.begin(), panel.series.end(), [](const auto& line) {
                    return *std::min_element(line.y.begin(), line.y.end()) > 0;
                  });
    if (!panel.series.empty()) result.panels.push_back(std::move(panel));
  }
  return result;
}

}  // namespace asperity
