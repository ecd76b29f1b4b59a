// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/run/rows.hpp>
#include <cmath>

namespace asperity {

bool end_where_not_finite(run_data& data) {
  const std::size_t rows = data.columns.empty() ? 0 : data.columns.front().values.size();
  for (std::size_t row = 0; row < rows; ++row)
    for (const auto& each : data.columns) {
      if (std::isfinite(each.values[row])) continue;
      data.result.how = outcome::not_finite;
      data.result.t = data.columns.front().values[row];
      data.result.detail = fmt::format("{} = {:g} in row {}", each.name, each.values[row], row + 1);
      data.hint = "the model has no finite answer there: check its parameters and the inputs";
      for (auto* list : {&data.columns, &data.audit_columns})
        for (auto& column : *list)
          if (column.values.size() > row) column.values.resize(row);
      std::erase_if(data.events, [&](const run_event& e) { return e.t > data.result.t; });
      return true;
    }
  return false;
}

std::string blame_memory(const any_model& model, const run_data& data) {
  const auto names = model.state_names();
  const auto allowed = model.state_ranges();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double most = allowed[i].upper;
    if (!allowed[i].whole || !std::isfinite(most) || most < 2) continue;
    const column* counted = data.find(names[i]);
    const bool is_full =
        counted != nullptr && !counted->values.empty() && counted->values.back() >= most;
    std::string remedy = "leave out turns that are too small to matter";
    for (const auto& p : model.describe().parameters)
      if (p.count != nullptr && model.get(p.name).front() == most && p.allowed.upper > most)
        remedy = fmt::format("raise {} (at most {:g}), or {}", p.name, p.allowed.upper, remedy);
    return fmt::format(
        "{} remembers at most {:g} turns that lie inside one another ({}), and {} more: {}",
        model.key(), most, names[i], is_full ? "there were" : "there may have been", remedy);
  }
  return "";
}

}  // namespace asperity
