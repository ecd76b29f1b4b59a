// SPDX-License-Identifier: Apache-2.0
// Impacts over speeds or a parameter:
//
//   contact = {...}                   the model
//   speed                             [m/s], a number, a list or "log(0.1, 5, 7)"
//   over, values                      a parameter of the model, or "mass", and its values
//   mass, force, end                  1 kg, 0 N, "force" or "gap"; see analysis/restitution.hpp
//   step                              [s] of the source's Runge-Kutta method; without it there is
//                                     only the converged execution
//
// Columns: speed or the parameter, then restitution, loss, contact_time, time_to_peak, peak_force,
// time_to_deepest, deepest, lead, residual.

#include <fmt/format.h>

#include <asperity/analysis/restitution.hpp>
#include <asperity/error.hpp>
#include <asperity/publish/analysis.hpp>
#include <asperity/run/input.hpp>
#include <asperity/text/ranges.hpp>

namespace asperity::detail {

namespace {

class impacts_table final : public analysis {
 public:
  explicit impacts_table(impact_sweep sweep) : sweep_(std::move(sweep)) {}

  bool has(execution how) const override {
    return how == execution::converged || sweep_.options.step > 0;
  }
  std::string method(execution how) const override {
    if (how == execution::converged) return "adaptive";
    return fmt::format("rk4, step {:g} s", sweep_.options.step);
  }
  column_header axis() const override {
    if (sweep_.parameter.empty()) return {"speed", units::metre / units::second};
    return {sweep_.parameter, unit_of_parameter(sweep_.model, sweep_.parameter)};
  }
  run_data tabulate(execution how, const std::atomic<bool>* interrupt) const override {
    impact_sweep sweep = sweep_;
    if (how == execution::converged) sweep.options.step = 0;
    run_data data;
    data.columns.push_back({axis().name, axis().in, {}});
    for (const auto& each : impact_columns()) data.columns.push_back({each.name, each.in, {}});
    for (const auto& row : find_impacts(sweep, interrupt)) {
      data.columns[0].values.push_back(sweep.parameter.empty() ? row.speed : row.value);
      std::size_t next = 1;
      for (const auto& each : impact_columns())
        data.columns[next++].values.push_back(each.value(row.what));
    }
    return data;
  }

 private:
  impact_sweep sweep_;
};

// A list, a single number, or text such as "log(0.1, 5, 7)".
std::vector<double> read_values(reader& table, const std::string& key, unit in, range allowed) {
  const toml_value* given = table.find(key);
  if (given == nullptr) table.fail_missing(key, "a number, a list or a range");
  if (given->is != toml_value::kind::text) return table.numbers(key, in, allowed, true);
  try {
    auto values = parse_values(table.text(key), in, allowed);
    table.keep(key, toml_value::of(values, in));
    return values;
  } catch (const error& problem) {
    table.fail(key, problem.what());
  }
}

std::unique_ptr<analysis> read_impacts(reader& table) {
  std::vector<std::string> doubts;  // experiments may show where a model fails
  reader contact = table.table("contact");
  impact_sweep sweep{read_model(contact, "contact", doubts), {}, "", {}, {}};
  sweep.speeds = read_values(table, "speed", units::metre / units::second, positive);
  if (table.has("over")) {
    sweep.parameter = table.text("over");
    try {
      sweep.values = read_values(table, "values", unit_of_parameter(sweep.model, sweep.parameter),
                                 range_of_parameter(sweep.model, sweep.parameter));
    } catch (const error& problem) {
      table.fail("over", problem.what());
    }
    if (sweep.speeds.size() != 1) table.fail("speed", "with `over` give only one speed");
  }
  sweep.options.mass = table.number("mass", units::kilogram, positive, 1.0);
  sweep.options.force = table.number("force", units::newton, any_value, 0.0);
  sweep.options.ends_with = table.word("end", {"force", "gap"}, "force") == "gap"
                                ? impact_options::end::gap
                                : impact_options::end::force;
  sweep.options.step = table.number("step", units::second, non_negative, 0.0);
  return std::make_unique<impacts_table>(std::move(sweep));
}

}  // namespace

extern const analysis_row impacts_analysis{
    .name = "impacts",
    .what = "impacts on a contact, over the speed or a parameter",
    .read = read_impacts,
};

}  // namespace asperity::detail
