// SPDX-License-Identifier: Apache-2.0
#pragma once

// A scenario as far as it can be taken in a moment: read, written, read again, run for some steps,
// and all that a run leaves behind but its plot.

#include <asperity/run/output.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

// A folder with the file that inputs may name.
inline std::string folder_of_inputs() {
  static const std::string data =
      scratch_file("in.csv", "t,v,x,y,pressure\n0,0,0,0,1\n1,1,1,0,1\n");
  return scratch_folder().string();
}

// The resolved document says all: read again, it resolves to itself.
inline void try_resolved(const scenario& s) {
  const auto folder = scratch_folder() / "resolved";
  std::filesystem::create_directories(folder);
  for (const auto& each : s.attachments) scratch_file("resolved/" + each.file, each.text);
  const std::string text = to_toml(s.resolved);
  std::string again;
  try {
    again =
        to_toml(read_scenario(parse_toml(text, "resolved.toml"), s.name, folder.string()).resolved);
  } catch (const error& problem) {
    require(false, std::string("resolved.toml can be read: ") + problem.what() + "\n" + text);
  }
  require(again == text, "resolved.toml resolves to itself:\n" + text + "\n" + again);
}

inline long long grains_of(const scenario& s) {
  const toml_value* system = s.resolved.find("system");
  long long count = 1;
  for (const char* key : {"columns", "rows", "layers"})
    if (const toml_value* found = system == nullptr ? nullptr : system->find(key))
      count *= found->integer;
  return count;
}

inline void try_run(scenario s, long steps) {
  if (grains_of(s) > 30 || s.initial.size() > 500) return;
  s.max_steps = std::min(s.max_steps, steps);
  if (s.step > 0) s.duration = std::min(s.duration, static_cast<double>(steps) * s.step);
  const run_data data = simulate(s);
  for (const auto& column : data.columns) {
    require(column.values.size() == data.columns.front().values.size(), "columns are as long");
    for (const double each : column.values)
      require(std::isfinite(each), "every number of a table is finite: " + column.name);
  }
  (void)series_csv(data);
  (void)summary_json(s, data);
  if (data.audit) (void)audit_csv(data);
}

}  // namespace asperity::fuzz
