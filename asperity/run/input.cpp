// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/run/input.hpp>
#include <asperity/text/csv.hpp>
#include <cmath>
#include <filesystem>

namespace asperity {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr unit per_second = units::one / units::second;

signal::joint read_join(reader& table) {
  const std::string join = table.word("join", {"hold", "linear", "half_cosine", "cubic"}, "linear");
  if (join == "hold") return signal::joint::hold;
  if (join == "half_cosine") return signal::joint::half_cosine;
  if (join == "cubic") return signal::joint::cubic;
  return signal::joint::linear;
}

// amplitude sin(omega (t - start) + phase)
signal::tone read_tone(reader& table, unit in) {
  signal::tone tone;
  tone.amplitude = table.number("amplitude", in, any_value);
  if (table.has("frequency") && table.has("omega"))
    table.fail("omega", "give either frequency (Hz) or omega (rad/s)");
  if (table.has("frequency")) {
    tone.omega = 2 * pi * table.number("frequency", per_second, positive);
  } else if (table.has("omega")) {
    tone.omega = table.number("omega", per_second, positive);
  } else {
    table.find("frequency");
    table.fail_missing("omega", "a number in rad/s, above 0; or give frequency in Hz");
  }
  tone.phase = table.number("phase", units::one, any_value, 0);
  const double start = table.number("start", units::second, any_value, 0);
  tone.phase -= tone.omega * start;
  return tone;
}

input read_sines(reader& table, unit in, const std::string& kind) {
  std::vector<signal::tone> tones;
  if (kind == "multisine") {
    for (reader& each : table.tables("tone")) {
      tones.push_back(read_tone(each, in));
      each.finish();
    }
    if (tones.empty())
      table.fail_missing("tone", "a list of tables with amplitude, frequency or omega, and phase");
  } else {
    tones.push_back(read_tone(table, in));
    if (kind == "cosine") tones.back().phase += pi / 2;
  }
  double highest = 0;
  for (const auto& tone : tones) highest = std::max(highest, tone.omega);
  return {signal::sines(std::move(tones), table.number("offset", in, any_value, 0)),
          2 * pi / highest};
}

signal read_nodes(reader& table, unit in) {
  const std::vector<double> values = table.numbers("values", in, any_value);
  std::vector<double> times;
  if (table.has("interval")) {
    if (table.has("times")) table.fail("interval", "give either times or interval");
    const double interval = table.number("interval", units::second, positive);
    for (std::size_t i = 0; i < values.size(); ++i)
      times.push_back(static_cast<double>(i) * interval);
  } else {
    table.find("interval");
    times = table.numbers("times", units::second, any_value);
  }
  if (times.size() != values.size())
    table.fail("times",
               fmt::format("there are {} times, but {} values", times.size(), values.size()));
  const auto join = read_join(table);
  try {
    return signal::nodes(std::move(times), values, join);
  } catch (const error& problem) {
    table.fail("times", problem.what());
  }
}

signal read_csv_input(reader& table, const input_files& files) {
  const std::string file = table.text("file");
  std::string copy = table.full_name("csv");
  std::replace(copy.begin(), copy.end() - 4, '.', '_');
  const std::string time = table.text("time", "t");
  const std::string column = table.text("column");
  const auto join = read_join(table);
  const auto path = std::filesystem::path(files.folder) / file;
  try {
    const csv_table data = csv_table::read(path.string());
    signal result = signal::nodes(data.increasing_column(time), data.column(column), join);
    files.attachments->push_back({copy, data.text()});
    table.keep("file", toml_value::of(copy));
    return result;
  } catch (const error& problem) {
    table.fail("file", problem.what());
  }
}

input read_pieces(reader& table, unit in, const input_files& files) {
  std::vector<reader> parts = table.tables("piece");
  if (parts.empty())
    table.fail_missing("piece", "a list of tables, each an input with `until`; the last without");
  input result;
  std::vector<signal::piece> pieces;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    double until = 0;
    if (!last) {
      until = parts[i].number("until", units::second, any_value);
      if (i > 0 && until <= pieces.back().until)
        parts[i].fail("until", fmt::format("it must be above {}, the end of the piece before",
                                           pieces.back().until));
    } else if (parts[i].has("until")) {
      parts[i].fail("until", "the last piece has no end");
    }
    const input piece = read_input_table(parts[i], in, files);
    result.shortest_period = std::min(result.shortest_period, piece.shortest_period);
    pieces.push_back({until, piece.shape});
  }
  result.shape = signal::pieces(std::move(pieces));
  return result;
}

signal read_ramp(reader& table, unit in) {
  const double slope = table.number("slope", in / units::second, any_value);
  const double start = table.number("start", units::second, any_value, 0);
  const double offset = table.number("offset", in, any_value, 0);
  if (!table.has("limit")) {
    table.find("limit");
    return signal::ramp(slope, start, offset);
  }
  const double limit = table.number("limit", in, any_value);
  try {
    return signal::ramp_to(slope, limit, start, offset);
  } catch (const error& problem) {
    table.fail("limit", problem.what());
  }
}

}  // namespace

input read_input_table(reader& table, unit in, const input_files& files) {
  const std::string kind = table.word(
      "kind", {"constant", "ramp", "sine", "cosine", "multisine", "nodes", "piecewise", "csv"},
      "constant");
  input result;
  if (kind == "constant") {
    result.shape = signal::constant(table.number("value", in, any_value));
  } else if (kind == "ramp") {
    result.shape = read_ramp(table, in);
  } else if (kind == "nodes") {
    result.shape = read_nodes(table, in);
  } else if (kind == "csv") {
    result.shape = read_csv_input(table, files);
  } else if (kind == "piecewise") {
    result = read_pieces(table, in, files);
  } else {
    result = read_sines(table, in, kind);
  }
  table.finish();
  return result;
}

input read_input(reader& parent, const std::string& key, unit in, const input_files& files) {
  const toml_value* value = parent.find(key);
  if (value != nullptr && value->is != toml_value::kind::table)
    return {signal::constant(parent.number(key, in, any_value))};
  reader table = parent.table(key);
  return read_input_table(table, in, files);
}

}  // namespace asperity
