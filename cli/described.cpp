// SPDX-License-Identifier: Apache-2.0
#include "cli/described.hpp"

#include <sstream>

namespace asperity::cli {

namespace {

// "TEXT:{csv,h5}": the words in braces.
std::vector<std::string> words_in(const std::string& type) {
  std::vector<std::string> words;
  const auto begin = type.find('{'), end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return words;
  std::istringstream stream(type.substr(begin + 1, end - begin - 1));
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

described_option described(const CLI::Option& option) {
  described_option result;
  const bool has_name = option.nonpositional();
  result.name = has_name ? "--" + option.get_lnames().front() : option.get_name(true);
  if (has_name && !option.get_snames().empty()) result.brief = "-" + option.get_snames().front();
  const std::string type = option.get_type_name();
  result.words = words_in(type);
  if (option.get_items_expected_max() > 0) {
    result.value = type.substr(0, type.find(':'));
    if (result.value.empty()) result.value = "VALUE";
  }
  result.about = option.get_description();
  result.otherwise = option.get_default_str();
  result.is_required = option.get_required();
  result.is_repeated = option.get_expected_max() > 1 ||
                       option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  return result;
}

}  // namespace

described_command describe(const CLI::App& command) {
  described_command result{
      command.get_name(), command.get_description(), command.get_footer(), {}, {}};
  for (const CLI::Option* each : command.get_options()) {
    if (each->get_group().empty()) continue;  // hidden
    if (each->nonpositional() && each->get_lnames().empty()) continue;
    (each->nonpositional() ? result.options : result.arguments).push_back(described(*each));
  }
  return result;
}

std::vector<described_command> describe_commands(const CLI::App& app) {
  std::vector<described_command> result;
  for (const CLI::App* each : app.get_subcommands({}))
    if (!each->get_group().empty()) result.push_back(describe(*each));
  return result;
}

}  // namespace asperity::cli
