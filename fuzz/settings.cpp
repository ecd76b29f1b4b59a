// SPDX-License-Identifier: Apache-2.0
// Scenarios with changed settings. The first line of the input names one of corpus/scenario, each
// further line is a setting as the command line takes it: "friction.F_s=2". Mutations know the keys
// that the scenario has and values at the ends of what is allowed.

#include <fmt/format.h>

#include <asperity/catalogue/catalogue.hpp>
#include <random>

#include "fuzz/short_run.hpp"

namespace asperity::fuzz {

namespace {

struct base {
  std::string name;
  toml_value document;
  std::vector<std::string> paths;  // of everything in it, resolved
};

void add_paths(const toml_value& at, const std::string& before, std::vector<std::string>& paths) {
  for (std::size_t i = 0; i < at.items.size(); ++i) {
    const std::string own = at.is == toml_value::kind::list ? fmt::format("{}", i + 1) : at.keys[i];
    const std::string path = before.empty() ? own : before + "." + own;
    paths.push_back(path);
    add_paths(at.items[i], path, paths);
  }
}

const std::vector<base>& bases() {
  static const std::vector<base> all = [] {
    std::vector<base> found;
    const auto folder = std::filesystem::path(ASPERITY_SOURCE_DIR) / "fuzz/corpus/scenario";
    for (const auto& each : std::filesystem::directory_iterator(folder)) {
      if (each.path().extension() != ".toml") continue;
      base b{each.path().stem().string(), read_toml(each.path().string()), {}};
      const scenario s = read_scenario(b.document, b.name, folder_of_inputs());
      add_paths(s.resolved, "", b.paths);
      found.push_back(std::move(b));
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return found;
  }();
  return all;
}

const base* find_base(std::string_view name) {
  for (const auto& each : bases())
    if (each.name == name) return &each;
  return nullptr;
}

}  // namespace

void try_input(std::string_view input) {
  const auto lines = lines_of(input);
  const base* wanted = lines.empty() ? nullptr : find_base(lines[0]);
  if (wanted == nullptr) return;
  toml_value document = wanted->document;
  for (std::size_t i = 1; i < lines.size(); ++i) apply_override(document, lines[i]);
  const scenario s = read_scenario(document, wanted->name, folder_of_inputs());
  try_resolved(s);
  try_run(s, 60);
}

}  // namespace asperity::fuzz

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

#ifndef ASPERITY_FUZZ_REPLAY
// Names another scenario, adds, changes or drops a setting, or leaves it to libFuzzer.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace asperity;
  using namespace asperity::fuzz;
  std::minstd_rand random(seed);
  const auto any = [&](const auto& list) { return list[random() % std::size(list)]; };
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> lines;
  for (const auto line : lines_of(text)) lines.emplace_back(line);
  const base* wanted = lines.empty() ? nullptr : find_base(lines[0]);
  if (wanted == nullptr) {
    lines = {any(bases()).name};
    wanted = find_base(lines[0]);
  }
  const auto a_value = [&]() -> std::string {
    constexpr const char* values[] = {
        "0",    "-0.0",   "1",     "-1",    "2",        "0.5",   "1e-3",  "1e3",       "1e-9",
        "1e9",  "1e-300", "1e300", "1e308", "5e-324",   "nan",   "inf",   "-inf",      "1e-16",
        "1000", "100000", "true",  "false", "[]",       "[1,2]", "{}",    "[1,1,1]",   "\"1 mm\"",
        "\"\"", "\"x\"",  "\"v\"", "-5",    "0.333333", "30",    "1e999", "\"2 m/s\"", "[-1,0,1]"};
    constexpr const char* methods[] = {"euler",  "rk4",        "dopri5",     "backward_euler",
                                       "sdirk2", "trbdf2",     "rosenbrock", "advance",
                                       "switch", "moreau_jean"};
    switch (random() % 4) {
      case 0:
        return catalogue()[random() % catalogue().size()]->key;
      case 1:
        return any(methods);
      default:
        return any(values);
    }
  };
  switch (random() % 8) {
    case 0:
      lines[0] = any(bases()).name;
      break;
    case 1:
      if (lines.size() > 1) lines.erase(lines.begin() + 1 + random() % (lines.size() - 1));
      break;
    case 2:
      return LLVMFuzzerMutate(data, size, most);
    case 3:
      lines.push_back("integrator.method=" + a_value());
      break;
    default: {
      const std::string path = any(wanted->paths);
      const auto dot = path.find('.');
      // A model of another name takes the place of its whole table.
      if (random() % 8 == 0 && dot != path.npos)
        lines.push_back(fmt::format("{}={{model=\"{}\"}}", path.substr(0, dot), a_value()));
      else
        lines.push_back(path + "=" + a_value());
    }
  }
  if (lines.size() > 8) lines.erase(lines.begin() + 1);
  std::string changed = fmt::format("{}", fmt::join(lines, "\n"));
  changed.resize(std::min(changed.size(), most));
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
#endif
