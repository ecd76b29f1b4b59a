// SPDX-License-Identifier: Apache-2.0
// Any text as a scenario file.

#include "fuzz/short_run.hpp"

namespace asperity::fuzz {

void try_input(std::string_view input) {
  const toml_value document = parse_toml(input, "fuzz.toml");
  const scenario s = read_scenario(document, "fuzz", folder_of_inputs());
  try_resolved(s);
  try_run(s, 100);
}

}  // namespace asperity::fuzz
