// SPDX-License-Identifier: Apache-2.0
#pragma once

// Input signals describe themselves: a row in asperity/mechanics/signals/<file>.cpp, which the build
// lists. An input is a number, or a table with `kind` and the keys of that row.

#include <asperity/mechanics/keys.hpp>
#include <span>

namespace asperity {

struct signal_row {
  const char* name;     // the word after `kind`
  const char* meaning;  // its value at the time t, in a line
  // Reads the keys of its table; `in` is the unit of the input.
  signal (*read)(key_builder& table, unit in);
};

std::span<const signal_row* const> signals();          // as the build lists them
const signal_row* find_signal(std::string_view name);  // null where there is none
std::vector<key_entry> keys_of(const signal_row&, unit in);

// The input at `key`; required.
signal read_signal(key_source& parent, const std::string& key, unit in);
// The input whose keys stand in this table itself.
signal read_signal_table(key_builder& table, unit in);

}  // namespace asperity
