// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tests of advice share: scenarios are run, all that they say is gathered, and what is advised
// is taken out of it.

#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>
#include <regex>

namespace asperity::testing {

inline scenario parse(const std::string& text, const std::vector<std::string>& settings = {}) {
  toml_value document = parse_toml(text, "test.toml");
  for (const auto& each : settings) apply_override(document, each);
  return read_scenario(document, "test", ".");
}

struct told {
  run_data data;
  std::string words;  // all that it says, before the run and after
};
inline told run_and_listen(const std::string& text, const std::vector<std::string>& settings = {},
                           double time_limit = HUGE_VAL) {
  const scenario s = parse(text, settings);
  simulate_options options;
  options.time_limit = time_limit;
  told result{simulate(s, options), ""};
  result.words = result.data.hint;
  for (const auto& each : s.warnings) result.words += " " + each;
  for (const auto& each : result.data.doubts) result.words += " " + each;
  return result;
}

inline std::vector<std::string> with(std::vector<std::string> settings,
                                     const std::vector<std::string>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

// What stands in the brackets of a pattern.
inline std::string found_in(const std::string& words, const char* pattern) {
  std::smatch match;
  const bool found = std::regex_search(words, match, std::regex(pattern));
  EXPECT_TRUE(found) << "no " << pattern << " in: " << words;
  return found ? match[1].str() : "";
}

template <class Action>
std::string refusal_by(const Action& action) {
  try {
    action();
  } catch (const error& problem) {
    return problem.what();
  }
  ADD_FAILURE() << "not refused";
  return "";
}
inline std::string refusal_of(const std::string& text,
                              const std::vector<std::string>& settings = {}) {
  return refusal_by([&] { parse(text, settings); });
}

}  // namespace asperity::testing
