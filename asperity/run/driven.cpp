// SPDX-License-Identifier: Apache-2.0
#include <asperity/run/driven.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/systems/prescribed_motion.hpp>
#include <asperity/text/reader.hpp>

namespace asperity {

namespace {

toml_value word(const char* text) { return toml_value::of(std::string(text)); }

toml_value table_of(const signal& shape) {
  toml_value table;
  switch (shape.made_of()) {
    case signal::kind::constant:
      assign(table, "kind", word("constant"));
      assign(table, "value", toml_value::of(shape.offset()));
      return table;
    case signal::kind::sines:
      if (shape.tones().size() != 1) break;
      assign(table, "kind", word("sine"));
      assign(table, "amplitude", toml_value::of(shape.tones()[0].amplitude));
      assign(table, "omega", toml_value::of(shape.tones()[0].omega));
      assign(table, "phase", toml_value::of(shape.tones()[0].phase));
      assign(table, "offset", toml_value::of(shape.offset()));
      return table;
    case signal::kind::pieces: {
      toml_value pieces;
      pieces.is = toml_value::kind::list;
      for (const auto& each : shape.list()) {
        pieces.items.push_back(table_of(each.shape));
        if (&each != &shape.list().back())
          assign(pieces.items.back(), "until", toml_value::of(each.until));
      }
      assign(table, "kind", word("piecewise"));
      assign(table, "piece", std::move(pieces));
      return table;
    }
    case signal::kind::ramp:
    case signal::kind::nodes:
    case signal::kind::other:
      break;
  }
  throw error(
      "an input that is chosen for a system must be a constant, a sine, or pieces of these");
}

// A written scenario with its input and its run replaced.
struct written_system {
  toml_value document;
  std::string name, folder, input;

  scenario under(const signal& shape, double duration, double sample) const {
    toml_value changed = document, table = table_of(shape);
    if (input == "motion") assign(table, "of", word("position"));
    changed.take(input);
    assign(changed, input, std::move(table));
    changed.take("run");
    assign(changed, "run.duration", toml_value::of(duration));
    assign(changed, "run.sample", toml_value::of(sample));
    assign(changed, "run.events", toml_value::of(false));
    const toml_value* integrator = document.find("integrator");
    const auto gives = [&](const char* key) {
      return integrator != nullptr && integrator->find(key) != nullptr;
    };
    if (!gives("relative_tolerance"))
      assign(changed, "integrator.relative_tolerance", toml_value::of(1e-7));
    const auto in_steps = [&] {
      assign(changed, "integrator.step", toml_value::of(sample));
      return read_scenario(changed, name, folder);
    };
    if (gives("step")) return in_steps();
    try {
      return read_scenario(changed, name, folder);
    } catch (const error&) {
      // The default method may be one that needs a step.
      if (gives("method")) throw;
      return in_steps();
    }
  }
};

void take_over(io_system& which, toml_value document, const std::string& folder) {
  which.under = [written = written_system{std::move(document), which.name, folder, which.input}](
                    const signal& input, double duration, double sample) {
    return written.under(input, duration, sample);
  };
}

void note_slowest_speed(io_system& which, const any_model& model) {
  for (const auto& p : model.describe().parameters) {
    if (!(p.in == units::metre / units::second)) continue;
    for (const double value : model.get(p.name)) {
      if (!(value > 0) || (which.speed > 0 && value >= which.speed)) continue;
      which.speed = value;
      which.speed_name = p.name;
    }
  }
}

}  // namespace

io_system io_of(const any_model& model) {
  io_system result;
  result.name = model.key();
  const std::string& family = model.entry().family;
  const std::string table = family == "curve" ? "friction" : family;
  toml_value document;
  assign(document, "system.kind", word("prescribed_motion"));
  assign(document, table + ".model", toml_value::of(model.key()));
  if (!model.curve().empty() && family != "curve")
    assign(document, table + ".curve", toml_value::of(model.curve()));
  for (const auto& p : model.describe().parameters) {
    const auto values = model.get(p.name);
    toml_value value = p.count != nullptr ? toml_value::of(static_cast<long long>(values.front()))
                       : p.is_list        ? toml_value::of(values)
                                          : toml_value::of(values.front());
    assign(document, table + "." + p.name, std::move(value));
  }
  result.input = "motion";
  // Twice the largest deflection that the model speaks of; operators have inputs of about 1.
  std::array<double, any_model::max_states> scale{};
  double largest = 0;
  const auto in = model.state_units();
  if (model.state_scale(scale.data()))
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i] == units::metre || !model.at().has_units()) largest = std::max(largest, scale[i]);
  if (largest > 0) result.amplitude = 2 * largest;
  note_slowest_speed(result, model);
  take_over(result, std::move(document), "");
  return result;
}

io_system io_of(toml_value document, const std::string& name, const std::string& folder,
                const std::string& input, const std::string& output) {
  if (document.find(input) == nullptr)
    throw error(fmt::format("{}: the scenario has no input [{}] to replace", name, input));
  io_system result;
  result.name = name;
  result.input = input;
  result.y = output;
  result.u = input == "motion" ? "x" : input;
  take_over(result, std::move(document), folder);
  // Read once with our input, so that a wrong name is told before anything runs.
  const scenario probe = result.under(signal::sines({{1, 1, 0}}), 1, 0.01);
  if (const prescribed_motion* moved = prescribed_motion_in(*probe.system); moved != nullptr)
    note_slowest_speed(result, moved->model);
  std::vector<std::string> names;
  for (const auto& each : columns_of(probe)) names.push_back(each.name);
  for (const std::string& wanted : {result.u, result.y})
    if (std::find(names.begin(), names.end(), wanted) == names.end())
      throw error(fmt::format("{}: no column is called '{}': {}", name, wanted,
                              nearest_names(wanted, names)));
  return result;
}

}  // namespace asperity
