// SPDX-License-Identifier: Apache-2.0
#include "cli/examples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/publish/experiment.hpp>
#include <asperity/text.hpp>
#include <asperity/text/toml.hpp>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

namespace fs = std::filesystem;

const std::string scenario_ending = ".toml";

std::string without(const std::string& text, const std::string& front) {
  return text.starts_with(front) ? text.substr(front.size()) : text;
}

// In any case: STICK_SLIP.TOML is misspelt as a whole.
bool ends_as_scenario(const std::string& name) {
  return name.size() > scenario_ending.size() &&
         std::equal(
             scenario_ending.rbegin(), scenario_ending.rend(), name.rbegin(),
             [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

// What else has this name: another command takes it. Empty where nothing has.
std::string taken_elsewhere(const std::string& name) {
  const auto& all = catalogue();
  if (std::any_of(all.begin(), all.end(), [&](const auto* each) { return each->key == name; }))
    return fmt::format("'{0}' is a model, which a scenario names: `asperity show {0}`", name);
  if (find_system(name) != nullptr)
    return fmt::format("'{0}' is a system, which a scenario names: `asperity show {0}`", name);
  try {
    const auto ids = list_experiments(experiments_folder(""));
    if (std::find(ids.begin(), ids.end(), name) != ids.end())
      return fmt::format("'{0}' is an experiment: `asperity reproduce {0}`", name);
  } catch (const std::exception&) {  // not installed
  }
  return "";
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('/') + 1); }

std::vector<std::string> names_of(const std::vector<example>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& each : all) names.push_back(each.name);
  return names;
}

// With the other names by which they may be called.
std::vector<std::string> names_and_last_parts(const std::vector<example>& all) {
  auto names = names_of(all);
  for (const auto& each : all)
    if (each.name.find('/') != std::string::npos) names.push_back(last_part(each.name));
  return names;
}

}  // namespace

std::string examples_folder() {
  std::vector<std::string> places;
  if (const char* named = std::getenv("ASPERITY_EXAMPLES")) places.emplace_back(named);
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty())
    places.push_back(
        (program.parent_path() / ASPERITY_DATA_FROM_BIN / "examples").lexically_normal().string());
  places.emplace_back(ASPERITY_EXAMPLES_FOLDER);
  for (const auto& place : places)
    if (fs::is_directory(place, ignored)) return place;
  throw error(fmt::format("cannot find the folder of examples; these were searched: {}",
                          fmt::join(places, ", ")));
}

std::vector<example> list_examples() {
  const fs::path folder = examples_folder();
  std::vector<example> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string ending = entry.path().extension().string();
    const bool is_scenario = ending == scenario_ending;
    if (!is_scenario && ending != ".cpp" && ending != ".c" && ending != ".py") continue;
    std::string name = entry.path().lexically_relative(folder).generic_string();
    if (is_scenario) name.resize(name.size() - scenario_ending.size());
    found.push_back({name, entry.path().string(), is_scenario});
  }
  // Scenarios before programs, and those that lie at the top first.
  std::sort(found.begin(), found.end(), [](const example& a, const example& b) {
    const auto rank = [](const example& e) {
      return std::tuple(!e.is_scenario, e.name.find('/') != std::string::npos, e.name);
    };
    return rank(a) < rank(b);
  });
  return found;
}

std::optional<example> find_example(const std::string& name) {
  const auto all = list_examples();
  std::string wanted = without(name, "examples/");
  if (wanted.ends_with(scenario_ending)) wanted.resize(wanted.size() - scenario_ending.size());
  const auto is = [&](const auto& name_of) {
    return std::find_if(all.begin(), all.end(),
                        [&](const example& each) { return name_of(each) == wanted; });
  };
  auto found = is([](const example& each) { return each.name; });
  if (found == all.end()) found = is([](const example& each) { return last_part(each.name); });
  if (found == all.end()) return std::nullopt;
  return *found;
}

example get_example(const std::string& name) {
  if (auto found = find_example(name)) return *found;
  throw error(fmt::format("unknown example '{}': {}{}", shortened(name, 60),
                          nearest_names(name, names_and_last_parts(list_examples())),
                          " (`asperity examples` lists them)"));
}

std::string what_it_shows(const example& which) {
  if (which.is_scenario) {
    const toml_value whole = read_toml(which.file);
    const toml_value* title = whole.find("title");
    if (title != nullptr && title->is == toml_value::kind::text) return title->text;
  }
  // The first line of words: signs of comments, quotes and the line of the licence left out.
  std::ifstream stream(which.file);
  for (std::string line; std::getline(stream, line);) {
    const auto first = line.find_first_not_of("#/*\" ");
    if (first == std::string::npos || line.find("SPDX") != std::string::npos) continue;
    const std::string text = line.substr(first);
    if (first == 0 || text.starts_with("include")) break;
    return text.substr(0, text.find(". ") == std::string::npos ? text.size() : text.find(". ") + 1);
  }
  return "";
}

std::string scenario_file(const std::string& given) {
  if (given == "-") return input_name(given);
  std::error_code ignored;
  const bool is_folder = fs::is_directory(given, ignored);
  if (given.empty() || (!is_folder && fs::exists(fs::symlink_status(given, ignored)))) return given;
  std::optional<example> found;
  std::vector<std::string> names;
  try {
    found = find_example(given);
    names = names_and_last_parts(list_examples());
  } catch (const std::exception&) {
    return given;  // no folder of examples that can be read: it is a file, then
  }
  const bool has_ending = ends_as_scenario(given);
  if (is_folder && (!found || !found->is_scenario || has_ending)) {
    // `asperity new scenario my_run` makes my_run/my_run.toml.
    const fs::path made = fs::path(given) / fs::path(given + '/').parent_path().filename();
    const std::string inside = made.lexically_normal().string() + std::string(scenario_ending);
    if (fs::is_regular_file(inside, ignored))
      throw error(fmt::format("cannot read '{}': it is a folder; the scenario in it is '{}'",
                              in_one_line(given), in_one_line(inside)));
    return given;
  }
  const std::string start = fmt::format("cannot read '{}': no such file", in_one_line(given));
  if (found && found->is_scenario) {
    if (!has_ending || given.starts_with("examples/")) return found->file;
    throw error(fmt::format("{}; use '{}' for the example of that name", start, found->name));
  }
  if (const std::string other = taken_elsewhere(given); !other.empty())
    throw error(fmt::format("{}; {}", start, other));
  if (given.find('/') != std::string::npos) return given;
  const std::string nearest = nearest_names(
      has_ending ? given.substr(0, given.size() - scenario_ending.size()) : given, names);
  if (nearest.starts_with("did you mean"))
    throw error(fmt::format("{}, and no example has that name: {}", start, nearest));
  if (has_ending) return given;
  throw error(
      fmt::format("{}, and no example has that name (`asperity examples` lists them)", start));
}

}  // namespace asperity::cli
