// SPDX-License-Identifier: Apache-2.0
// A user's own system: the first line of the input is the acceleration, the second the energy, each
// further one a definition d_1, d_2 ... that they may use.

#include <fmt/format.h>

#include <asperity/inclusion/emit.hpp>
#include <asperity/run/inclusion/inclusion.hpp>

#include "fuzz/short_run.hpp"

namespace asperity::fuzz {

namespace {

std::string document_of(std::string_view input) {
  const auto lines = lines_of(input);
  const auto quoted = [&](std::size_t i) {
    return to_inline_toml(toml_value::of(i < lines.size() ? std::string(lines[i]) : "0"));
  };
  std::string text = fmt::format(
      "[system]\nkind = \"inclusion\"\n"
      "[states]\np = {{rate = \"v\", unit = \"m\"}}\nv = {{rate = {}, unit = \"m/s\"}}\n"
      "w = {{rate = \"p\", initial = 1}}\n"
      "[parameters]\nM = \"1 kg\"\nF = \"0.5 N\"\nmu = 0.3\n[inputs]\n"
      "u = {{kind = \"sine\", unit = \"N\"}}\n",
      quoted(0));
  if (lines.size() > 1 && !lines[1].empty()) text += fmt::format("[energy]\nE = {}\n", quoted(1));
  if (lines.size() > 2) text += "[definitions]\n";
  for (std::size_t i = 2; i < lines.size(); ++i)
    text += fmt::format("d_{} = {}\n", i - 1, quoted(i));
  return text + "[run]\nduration = 0.1\n";
}

}  // namespace

void try_input(std::string_view input) {
  const std::string file = scratch_file("own.toml", document_of(input));
  const stated_inclusion stated = read_stated_inclusion(file);
  require(!show(stated.system, stated.setting).empty(), "it can be shown");
  (void)show_json(stated.system, stated.setting);
  for (const auto& name : emitted_languages())
    require(!emit(stated.system, stated.setting, find_emitted_language(name)).empty(),
            "it can be written in " + name);
  const scenario s = read_scenario(file);
  try_resolved(s);
  try_run(s, 50);
}

}  // namespace asperity::fuzz
