// SPDX-License-Identifier: Apache-2.0
// Any text as a scenario file.

#include "fuzz/short_run.hpp"

namespace asperity::fuzz {

void try_input(std::string_view input) {
  static const std::string data =
      scratch_file("in.csv", "t,v,x,y,pressure\n0,0,0,0,1\n1,1,1,0,1\n");
  const toml_value document = parse_toml(input, "fuzz.toml");
  const scenario s = read_scenario(document, "fuzz", scratch_folder().string());
  try_resolved(s);
  try_run(s, 100);
}

}  // namespace asperity::fuzz
