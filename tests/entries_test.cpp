// SPDX-License-Identifier: Apache-2.0
// What the cards of systems and input signals say of their keys is what reading a scenario does:
// required keys are missed, ranges are kept, and others are refused with a suggestion.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/card.hpp>
#include <asperity/error.hpp>
#include <asperity/mechanics/input_signal.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>
#include <optional>

namespace asperity {
namespace {

using kind = key_entry::kind;

// What is said against a document; empty where it is read.
std::string complaint(const toml_value& document) {
  try {
    static_cast<void>(read_scenario(document, "test", ""));
    return "";
  } catch (const error& problem) {
    return problem.what();
  }
}

toml_value parsed(const std::string& text) { return parse_toml(text, "test"); }

std::string path_of(const std::string& table, const std::string& name) {
  return table.empty() ? name : table + "." + name;
}

const toml_value* find(const toml_value& document, const std::string& path) {
  const auto dot = path.find('.');
  const toml_value* first = document.find(path.substr(0, dot));
  if (dot == std::string::npos || first == nullptr) return first;
  return find(*first, path.substr(dot + 1));
}

toml_value without(toml_value document, const std::string& table, const std::string& name) {
  (table.empty() ? document : document.at(table)).take(name);
  return document;
}

toml_value with(toml_value document, const std::string& path, toml_value value) {
  value.place = "here";
  assign(document, path, std::move(value));
  return document;
}

// A number that is not allowed; none where all are.
std::optional<double> outside(range allowed) {
  if (std::isfinite(allowed.lower)) return allowed.open_below ? allowed.lower : allowed.lower - 1;
  if (std::isfinite(allowed.upper)) return allowed.upper + 1;
  return {};
}

// Checks one key of a document in which its table stands.
void check_key(const toml_value& document, const key_entry& key, const std::string& path) {
  SCOPED_TRACE(path);
  const auto says = [&](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << "'" << message << "' without " << part;
  };
  const std::string table = path.substr(0, path.size() - key.name.size());
  if (key.required) {
    ASSERT_NE(find(document, path), nullptr) << "the scenario lacks it";
    const std::string of = table.empty() ? "" : table.substr(0, table.size() - 1);
    const std::string message = complaint(without(document, of, key.name));
    says(message, key.name);
    says(message, "is missing");
  }
  switch (key.is) {
    case kind::number:
    case kind::numbers:
    case kind::whole: {
      const auto wrong = outside(key.allowed);
      const auto value = key.is == kind::whole && wrong
                             ? toml_value::of(static_cast<long long>(*wrong))
                         : wrong && key.is == kind::numbers ? toml_value::of(std::vector{*wrong})
                         : wrong                            ? toml_value::of(*wrong)
                                                            : toml_value::of(std::string("many"));
      const std::string message = complaint(with(document, path, value));
      says(message, key.name);
      if (wrong) says(message, to_string(key.allowed));
      break;
    }
    case kind::word: {
      const std::string message =
          complaint(with(document, path, toml_value::of(std::string("nonsense"))));
      says(message, "unknown word");
      says(message, key.words.back());
      break;
    }
    case kind::flag:
      says(complaint(with(document, path, toml_value::of(3.0))), "true or false");
      break;
    case kind::signal:
      says(complaint(with(document, path, toml_value::of(std::string("nonsense")))), key.name);
      break;
    case kind::model:
      says(complaint(with(document, path + ".model", toml_value::of(std::string("nonsense")))),
           "unknown word");
      break;
    default:
      break;
  }
  if (key.is == kind::number || key.is == kind::whole || key.is == kind::signal) {
    const std::string message = complaint(with(document, path + "y", toml_value::of(1.0)));
    says(message, "unknown key");
    says(message, "'" + key.name + "'");
  }
}

TEST(systems, ScenariosOnTheirPagesRun) {
  EXPECT_GE(systems().size(), 20U);
  for (const system_row* row : systems()) {
    SCOPED_TRACE(row->name);
    ASSERT_EQ(find_system(row->name), row);
    const scenario s = read_scenario(parsed(example_of(*row)), row->name, "");
    EXPECT_EQ(s.system->card().kind, row->name);
    for (const auto& each : s.warnings) ADD_FAILURE() << each;
    const run_data data = simulate(s);
    EXPECT_EQ(data.result.how, outcome::completed) << data.hint;
  }
}

TEST(systems, PagesHaveASketchEquationsEventsAndEnergy) {
  for (const system_row* row : systems())
    for (const char* part :
         {"\ntitle: ", "\nsource: ", "## What it is\n", "\n```text\n", "## Equations\n",
          "## Events\n", "## Energy\n", "## Scenario\n\n```toml\n"})
      EXPECT_NE(page_of(*row).find(part), std::string_view::npos) << row->name << part;
}

TEST(systems, CardsSayWhatReadingDoes) {
  int checked = 0;
  for (const system_row* row : systems()) {
    SCOPED_TRACE(row->name);
    const toml_value document = parsed(example_of(*row));
    const auto keys = keys_of(*row);
    EXPECT_FALSE(keys.empty());
    for (const key_entry& key : keys) {
      EXPECT_FALSE(key.meaning.empty()) << key.name;
      if (!key.table.empty() && find(document, key.table) == nullptr) continue;
      check_key(document, key, path_of(key.table, key.name));
      ++checked;
    }
  }
  EXPECT_GE(checked, 120);
}

TEST(systems, ReadNoKeyThatTheirCardLeavesOut) {
  for (const system_row* row : systems()) {
    SCOPED_TRACE(row->name);
    const scenario s = read_scenario(parsed(example_of(*row)), row->name, "");
    const auto keys = keys_of(*row);
    const toml_value* table = s.resolved.find("system");
    ASSERT_NE(table, nullptr);
    for (const std::string& name : table->keys) {
      const auto listed = std::find_if(keys.begin(), keys.end(), [&](const key_entry& key) {
        return key.table == "system" && key.name == name;
      });
      EXPECT_TRUE(name == "kind" || listed != keys.end()) << name;
    }
  }
}

// The keys of an input as a table: numbers that are allowed.
std::optional<std::string> table_of(const signal_row& row) {
  std::string text = fmt::format("kind = '{}'", row.name);
  for (const key_entry& key : keys_of(row, units::newton)) {
    if (!key.required) continue;
    if (key.is == kind::number)
      text += fmt::format(", {} = {}", key.name, allows(key.allowed, 1) ? 1.0 : 2.0);
    else if (key.is == kind::numbers)
      text += fmt::format(", {} = [1, 2]", key.name);
    else
      return {};  // files and lists of tables
  }
  return text;
}

TEST(signals, CardsSayWhatReadingDoes) {
  int checked = 0;
  for (const signal_row* row : signals()) {
    SCOPED_TRACE(row->name);
    ASSERT_EQ(find_signal(row->name), row);
    const auto keys = table_of(*row);
    if (!keys) continue;
    const toml_value document = parsed(fmt::format(
        "system = {{ kind = 'mass_under_force', mass = 1 }}\nfriction = {{ model = 'dai' }}\n"
        "run = {{ duration = 1 }}\nforce = {{ {} }}\n",
        *keys));
    EXPECT_EQ(complaint(document), "");
    for (const key_entry& key : keys_of(*row, units::newton)) {
      if (key.otherwise == "none" && key.name != "limit") continue;  // instead of a required one
      check_key(document, key, "force." + key.name);
      ++checked;
    }
  }
  EXPECT_GE(checked, 20);
}

}  // namespace
}  // namespace asperity
