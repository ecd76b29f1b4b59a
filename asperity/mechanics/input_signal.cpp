// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/input_signal.hpp>

namespace asperity {

const signal_row* find_signal(std::string_view name) {
  for (const signal_row* each : signals())
    if (name == each->name) return each;
  return nullptr;
}

std::vector<key_entry> keys_of(const signal_row& row, unit in) {
  std::vector<key_entry> keys;
  key_builder listing(keys, "", nullptr);
  row.read(listing, in);
  return keys;
}

signal read_signal_table(key_builder& table, unit in) {
  std::vector<std::string> names;
  for (const signal_row* each : signals()) names.emplace_back(each->name);
  const std::string kind = table.word("kind", names, "kind of the input", "constant");
  if (table.lists()) return {};  // `asperity signals` has the keys of each
  signal result = find_signal(kind)->read(table, in);
  table.finish();
  return result;
}

signal read_signal(key_source& parent, const std::string& key, unit in) {
  if (parent.has(key) && !parent.is_table(key))
    return signal::constant(parent.number(key, in, any_value, nullptr));
  std::vector<key_entry> ignored;
  key_builder table(ignored, key, parent.table(key));
  return read_signal_table(table, in);
}

}  // namespace asperity
