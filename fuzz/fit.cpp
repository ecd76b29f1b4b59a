// SPDX-License-Identifier: Apache-2.0
// Any small record fitted by any model of any port: the search ends with numbers that the model's
// card allows, or it says why it failed.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/identify/report.hpp>
#include <nlohmann/json.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

record a_record(bytes& from, const port& at) {
  record result;
  result.name = "any";
  const std::size_t rows = from.below(24);
  double t = from.finite_number();
  for (std::size_t i = 0; i < rows; ++i) {
    result.t.push_back(t);
    const double next = t + std::abs(from.finite_number());
    if (!(next > t) || !std::isfinite(next)) break;
    t = next;
  }
  const auto add = [&](const channel& each) {
    if (from.below(8) == 0) return;  // a column that is missing
    std::vector<double> values;
    for (std::size_t i = 0; i < result.t.size(); ++i) values.push_back(from.finite_number());
    result.channels.push_back({each.name, std::move(values)});
  };
  for (const channel& each : at.inputs) add(each);
  for (const channel& each : at.outputs) add(each);
  result.pieces = {{0, result.t.size()}};
  return result;
}

}  // namespace

void try_input(std::string_view input) {
  bytes from(input);
  const auto all = catalogue();
  const auto& entry = *all[from.below(all.size())];
  const any_model model(entry, entry.variants[from.below(entry.variants.size())].curve);
  model_fit_options of_model;
  const auto choices = from.take<std::uint8_t>();
  of_model.gain = (choices & 1) != 0;
  of_model.delay = (choices & 2) != 0;
  of_model.stiffness = (choices & 4) != 0;
  of_model.own_start = (choices & 8) != 0;
  of_model.drive = (choices & 16) != 0 ? "x" : "";
  fit_options of_fit;
  of_fit.starts = 1;
  of_fit.polished = 1;
  of_fit.max_iterations = 2;
  of_fit.intervals = (choices & 32) != 0;
  of_fit.time_limit = 0.5;
  const record measured = a_record(from, *entry.at);
  const model_report told = fit_model(model, {measured}, of_model, of_fit);
  (void)report_text(told);
  (void)report_json(told);
  if (told.result.how == fit_result::ending::failed) return;
  for (const double value : told.result.values)
    require(std::isfinite(value), "what was found is a number");
}

}  // namespace asperity::fuzz
