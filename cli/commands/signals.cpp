// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/card.hpp>
#include <asperity/mechanics/input_signal.hpp>

#include "cli/commands.hpp"
#include "cli/entry_card.hpp"

namespace asperity::cli {

namespace {

// Units for an input without one; what changes with the unit of the input says so in its meaning.
std::vector<key_entry> described(const signal_row& row) {
  std::vector<key_entry> keys = keys_of(row, units::one);
  const std::vector<key_entry> in_metres = keys_of(row, units::metre);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (!(keys[i].in == in_metres[i].in))
      keys[i].meaning += keys[i].in == units::one
                             ? " (unit of the input)"
                             : fmt::format(" (unit of the input times {})", to_string(keys[i].in));
  return keys;
}

listing list_signals() {
  listing result{{{"signal", "value at the time t"}}};
  std::string text;
  for (const signal_row* each : signals()) {
    const auto keys = described(*each);
    result.rows.push_back({each->name, each->meaning});
    text += fmt::format("\nKeys of {}\n\n{}", each->name, keys_text(keys));
    result.list.push_back(
        {{"signal", each->name}, {"meaning", each->meaning}, {"keys", keys_json(keys)}});
  }
  result.note = text +
                "\nAn input is a number, or a table with `kind`, one of these names, and its keys: "
                "force = { kind = \"sine\", amplitude = 2,\nfrequency = 1 }. Times count from the "
                "start of the run, also inside pieces.\n";
  return result;
}

}  // namespace

void add_signals(CLI::App& app, action& run) {
  add_list(app, run, "signals", "List the kinds of input signals and their keys", R"(Examples:
  asperity signals
  asperity run examples/creep.toml --set 'force={kind="chirp",amplitude=1,from=1,to=20,duration=5}')",
           list_signals);
}

}  // namespace asperity::cli
