// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/run/rows.hpp>
#include <cmath>

namespace asperity {

std::vector<double> jumps_of(const system_card& card, double to) {
  std::vector<double> jumps;
  for (const auto& each : card.inputs) {
    const auto its = each.shape->breakpoints(0, to);
    jumps.insert(jumps.end(), its.begin(), its.end());
  }
  std::sort(jumps.begin(), jumps.end());
  jumps.erase(std::unique(jumps.begin(), jumps.end()), jumps.end());
  return jumps;
}

double last_seen(const scenario& s) {
  for (const double jump : jumps_of(s.system->card(), 2 * s.duration))
    if (jump == s.duration) return std::nextafter(s.duration, 0.0);
  return s.duration;
}

row_writer::row_writer(const scenario& s, workspace& work)
    : system_(*s.system),
      work_(work),
      latest_(last_seen(s)),
      outputs_(system_.card().outputs.size()) {
  for (const auto& each : system_.card().columns)
    if (each.of != system_card::column::kind::input ||
        !system_.card().inputs[each.index].shape->is_constant())
      columns_.push_back(each);
}

void row_writer::fill(double t, const double* y, double* row) {
  const double seen = std::min(t, latest_);
  system_.observe(seen, y, outputs_.data(), work_);
  row[0] = t;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    using enum system_card::column::kind;
    const auto [of, index] = columns_[i];
    row[i + 1] = of == state    ? y[index]
                 : of == output ? outputs_[index]
                                : system_.card().inputs[index].shape->value(seen);
  }
}

std::optional<std::size_t> row_writer::state_in(std::size_t column) const {
  if (column == 0 || columns_[column - 1].of != system_card::column::kind::state)
    return std::nullopt;
  return columns_[column - 1].index;
}

bool end_where_not_finite(run_data& data) {
  const std::size_t rows = data.columns.empty() ? 0 : data.columns.front().values.size();
  for (std::size_t row = 0; row < rows; ++row)
    for (const auto& each : data.columns) {
      if (std::isfinite(each.values[row])) continue;
      data.result.how = outcome::not_finite;
      data.result.t = data.columns.front().values[row];
      data.result.detail = fmt::format("{} = {:g} in row {}", each.name, each.values[row], row + 1);
      data.hint = hint_for_motion(outcome::not_finite);
      for (auto* list : {&data.columns, &data.audit_columns})
        for (auto& column : *list)
          if (column.values.size() > row) column.values.resize(row);
      std::erase_if(data.events, [&](const run_event& e) { return e.t > data.result.t; });
      return true;
    }
  return false;
}

const char* hint_for_motion(outcome how) {
  switch (how) {
    case outcome::not_finite:
      return "the output of the model is not finite there: check its parameters and the inputs";
    case outcome::step_too_small:
      return "no step is short enough for this motion: check the parameters of the model and the "
             "speed of the input";
    default:
      return "the model is too stiff for this motion: check its parameters, or shorten the input";
  }
}

std::string blame_memory(const any_model& model, const run_data& data) {
  // Where fewer turns are asked for than there is room for, the smallest are forgotten: no failure.
  const auto forgets_beyond = [parameters = model.describe().parameters, &model](double most) {
    return std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) {
      return p.count != nullptr && model.get(p.name).front() == most && p.allowed.upper > most;
    });
  };
  const auto names = model.state_names();
  const auto allowed = model.state_ranges();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double most = allowed[i].upper;
    // What may be below 0 counts nothing: it is a direction.
    if (!allowed[i].whole || !std::isfinite(most) || most < 2 || allowed[i].lower < 0) continue;
    if (forgets_beyond(most)) return "";
    const column* counted = data.find(names[i]);
    const bool is_full =
        counted != nullptr && !counted->values.empty() && counted->values.back() >= most;
    return fmt::format(
        "{} remembers at most {:g} nested reversals ({}), and {} more: leave out reversals that "
        "are too small to matter",
        model.key(), most, names[i], is_full ? "there were" : "there may have been");
  }
  return "";
}

}  // namespace asperity
