// SPDX-License-Identifier: Apache-2.0
#include "cli/record_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asperity/mechanics/respond.hpp>
#include <asperity/quantity.hpp>
#include <asperity/run/stepped_model.hpp>
#include <asperity/text.hpp>
#include <cmath>

namespace asperity::cli {

namespace {

// A quantity of an option that must be above `least`; `otherwise` where it is not given.
double quantity_of(const std::string& option, const std::string& text, unit in, double least,
                   double otherwise) {
  if (text.empty()) return otherwise;
  return read_option(fmt::format("{} {}", option, text), [&] {
    const double value = in_si(text, in);
    if (!(value > least)) throw error(fmt::format("it must be above {:g}", least));
    return value;
  });
}

constexpr unit hertz = units::one / units::second;

}  // namespace

bool record_options::any() const {
  const auto is_given = [](const auto& each) { return !each.second.empty(); };
  const std::string* texts[] = {&time, &step, &rate, &from, &to, &gap, &bandwidth};
  const bool has_text =
      std::any_of(std::begin(texts), std::end(texts), [](auto each) { return !each->empty(); });
  return has_text || skip > 0 || bridge_gaps || !others.empty() || !detrend.empty() ||
         std::any_of(named.begin(), named.end(), is_given);
}

bool record_options::gives(const std::string& name) const {
  for (const auto& [channel, expression] : named)
    if (channel == name && !expression.empty()) return true;
  return std::any_of(others.begin(), others.end(), [&](const std::string& each) {
    return trimmed(std::string_view(each).substr(0, each.find('='))) == name;
  });
}

void add_record_options(CLI::App& command, record_options& given,
                        const std::vector<std::string>& channels) {
  const std::string group = "Measured data";
  const auto add = [&](const std::string& synopsis, auto& value, const std::string& description) {
    return add_option(command, synopsis, value, description)->group(group);
  };
  add("--t COLUMN", given.time,
      "Column of the times (default: t or time). A column is given as "
      "[-]NAME[*FACTOR|/FACTOR][:UNIT], such as -friction_N, normal_N/12.5, pos:mm or \"Force "
      "(N)\"; #3 is the third column. A unit in the name or in the line below it is recognised");
  for (const auto& name : channels) {
    given.named.emplace_back(name, "");
    // A user who knows the others looks for the force under its usual name.
    add(fmt::format("--{}{} COLUMN", name, name == "y" ? ",--f" : ""), given.named.back().second,
        fmt::format("Column of {} (default: the column of that name){}", name,
                    name == "y" ? "; --f is the same" : ""));
  }
  const bool moves = std::find(channels.begin(), channels.end(), "v") != channels.end();
  if (moves) {
    add_repeated(command, "--column NAME=COLUMN", given.others,
                 "Column of another input or output, such as slip_x=slip_mm; may be repeated");
    command.get_option("--column")->group(group);
  }
  add("--dt TIME", given.step, "Time between rows, for a file without times, such as \"5 ms\"");
  add("--rate FREQUENCY", given.rate, "Rows per second, instead of --dt, such as \"2 kHz\"");
  add("--skip LINES", given.skip, "Lines to skip before the names of the columns (default 0)");
  add("--from TIME", given.from, "Leave out the rows before this time");
  add("--to TIME", given.to, "Leave out the rows after this time");
  add("--gap TIMES", given.gap,
      "A step longer than this many median steps is a gap; none: no step is a gap (default: 10 if "
      "most steps are about equal, otherwise none). Rows without a number are gaps as well");
  command
      .add_flag("--bridge-gaps", given.bridge_gaps,
                "Interpolate across gaps (default: the record is split into pieces)")
      ->group(group);
  add_repeated(command, "--detrend CHANNEL=WHAT", given.detrend,
               "Remove an offset or drift from a channel: its mean, start (its first value), "
               "\"start 0.5 s\" (its mean over that time), line (a straight line), or a value such "
               "as \"0.3 N\"; may be repeated");
  command.get_option("--detrend")->group(group);
  if (moves)
    add("--bandwidth FREQUENCY", given.bandwidth,
        "If the file has no velocity, differentiate the position up to this frequency (-3 dB), "
        "such as \"20 Hz\", or auto for a twentieth of the sampling rate");
}

record_columns columns_of(const record_options& given,
                          const std::vector<record_channel>& channels) {
  record_columns result;
  result.time = given.time;
  result.skip = given.skip;
  result.bridge_gaps = given.bridge_gaps;
  result.detrend = given.detrend;
  if (given.skip < 0) throw error(fmt::format("--skip {}: it must be at least 0", given.skip));
  result.step = quantity_of("--dt", given.step, units::second, 0, 0);
  if (!given.rate.empty()) {
    if (result.step > 0) throw error("--rate cannot be combined with --dt: give only one of them");
    result.step = 1 / quantity_of("--rate", given.rate, hertz, 0, 1);
  }
  if (result.step > 0 && !given.time.empty())
    throw error(
        "--t cannot be combined with --dt or --rate: give either a column of times or a step");
  if (!std::isfinite(result.step))
    throw error(fmt::format("--rate {}: it must be above 0", given.rate));
  constexpr double infinite = std::numeric_limits<double>::infinity();
  result.from = quantity_of("--from", given.from, units::second, -infinite, -infinite);
  result.to = quantity_of("--to", given.to, units::second, -infinite, infinite);
  result.gap = given.gap == "none" ? infinite : quantity_of("--gap", given.gap, units::one, 1, 0);
  if (given.bandwidth != "auto")
    result.bandwidth = quantity_of("--bandwidth", given.bandwidth, hertz, 0, 0);

  for (const auto& each : channels) {
    result.columns.push_back({each.name, "", each.in, false, each.may_lack});
    for (const auto& [name, expression] : given.named)
      if (name == each.name) result.columns.back().expression = expression;
  }
  const auto find = [&](std::string_view name) {
    return std::find_if(result.columns.begin(), result.columns.end(),
                        [&](const auto& each) { return each.channel == name; });
  };
  std::vector<std::string> names;
  names.reserve(channels.size());
  for (const auto& each : channels) names.push_back(each.name);
  const auto refuse = [&](const std::string& option, std::string_view name) {
    throw error(fmt::format("{}: no channel is called '{}' (the channels are: {})", option,
                            shortened(name, 40), fmt::join(names, ", ")));
  };
  for (const auto& [name, expression] : given.named)
    if (!expression.empty() && find(name) == result.columns.end()) refuse("--" + name, name);
  for (const auto& each : given.others) {
    const std::size_t equals = each.find('=');
    const std::string option = fmt::format("--column {}", shortened(each, 60));
    if (equals == std::string::npos || trimmed(std::string_view(each).substr(equals + 1)).empty())
      throw error(fmt::format("{}: it must be NAME=COLUMN", option));
    const std::string_view name = trimmed(std::string_view(each).substr(0, equals));
    if (name == "t") {
      result.time = each.substr(equals + 1);
      continue;
    }
    const auto found = find(name);
    if (found == result.columns.end()) refuse(option, name);
    if (!found->expression.empty())
      throw error(fmt::format("{}: a column for '{}' is already given", option, name));
    found->expression = each.substr(equals + 1);
  }
  return result;
}

record_columns columns_of(const record_options& given, const port& at, bool with_slopes,
                          bool with_outputs) {
  std::vector<record_channel> channels;
  channels.reserve(at.inputs.size() + at.outputs.size());
  // Operators take plain numbers, whatever they stand for.
  const auto unit_of = [&](const channel& each) -> std::optional<unit> {
    if (at.has_units()) return each.in;
    return std::nullopt;
  };
  for (const channel& each : at.inputs) channels.push_back({each.name, unit_of(each)});
  for (const channel& each : at.outputs)
    if (with_outputs || given.gives(each.name))
      channels.push_back({each.name, unit_of(each), true});
  record_columns result = columns_of(given, channels);
  if (with_slopes || !given.bandwidth.empty())
    for (const channel& each : at.inputs)
      if (each.is == channel::place && each.rate_of >= 0)
        result.slopes.push_back(
            {at.inputs[static_cast<std::size_t>(each.rate_of)].name, each.name});
  return result;
}

void tell(const record& of, const record_options& given) {
  for (const auto& each : of.warnings) warn(fmt::format("{}: {}", of.name, each));
  if (!given.any()) return;
  for (const auto& each : of.notes)
    say(fmt::format("asperity: {}\n", shortened(fmt::format("{}: {}", of.name, each), 2000)));
}

void level_noise_of_loads(record& of, const any_model& model) {
  for (const channel& each : model.at().inputs)
    if (each.is == channel::load && allowed_input(model, each).lower == 0)
      take_noise_below_0_as_0(of, each.name);
}

void level_loads(record& of, std::span<const any_model> models) {
  double least = 0;
  std::string needs;
  for (const any_model& model : models) {
    level_noise_of_loads(of, model);
    if (const double its = model.at().is_line() ? least_load_of(model) : 0; its > least) {
      least = its;
      needs = model.key();
    }
  }
  for (auto& each : of.channels) {
    if (each.name != "load" || least == 0) continue;
    long count = 0;
    for (double& value : each.values)
      if (value >= 0 && value < least) {
        value = least;
        ++count;
      }
    if (count > 0)
      of.warnings.push_back(fmt::format(
          "load: {} of {} values are below {:g}, the least load with which models such as {} are "
          "moved; they are taken as {:g}",
          count, each.values.size(), least, needs, least));
  }
}

record read_measured(const std::string& file, const record_options& given,
                     const record_columns& columns, std::span<const any_model> models) {
  record result = read_record(input_name(file), columns);
  level_loads(result, models);
  tell(result, given);
  return result;
}

}  // namespace asperity::cli
