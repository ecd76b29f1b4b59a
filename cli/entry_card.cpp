// SPDX-License-Identifier: Apache-2.0
#include "cli/entry_card.hpp"

#include <fmt/format.h>

#include <asperity/publish/markdown.hpp>
#include <sstream>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

using kind = key_entry::kind;

std::string allowed_text(const key_entry& key) {
  if (key.is == kind::word) return fmt::format("{}", fmt::join(key.words, ", "));
  if (key.is == kind::model) return fmt::format("{}", fmt::join(key.words, " or "));
  if (key.is == kind::whole) return "whole, " + to_string(key.allowed);
  if (key.is == kind::number || key.is == kind::numbers) return to_string(key.allowed);
  return word_for(key.is);
}

std::string full_name(const key_entry& key) {
  const bool is_table = key.is == kind::table || key.is == kind::model;
  const std::string name = key.table.empty() ? key.name : key.table + "." + key.name;
  if (key.is == kind::tables) return "[[" + name + "]]";
  return is_table ? "[" + name + "]" : name;
}

}  // namespace

std::string section_text(std::string_view title, std::string_view text) {
  std::string out = fmt::format("\n{}\n\n", title);
  bool in_code = false;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      in_code = !in_code;
    } else {
      out += fmt::format("{}{}\n", in_code && !line.empty() ? "  " : "", line);
    }
  }
  return out;
}

std::string keys_text(const std::vector<key_entry>& keys) {
  std::vector<std::vector<std::string>> rows{{"key", "unit", "default", "allowed", "meaning"}};
  for (const key_entry& key : keys)
    rows.push_back({full_name(key), has_unit(key) ? to_string(key.in) : "",
                    key.required ? "required" : key.otherwise, allowed_text(key), key.meaning});
  return lined_up(rows, "  ");
}

std::string system_text(const system_row& row) {
  const shown_system shown(row);
  std::string out = fmt::format("{}: {}\n", row.name, row.what);
  const auto sections = sections_of(page_of(row));
  const auto add_sections = [&](bool first) {
    for (const auto& each : sections)
      if (!each.title.empty() && (each.title == "What it is" || each.title == "Equations") == first)
        out += section_text(each.title, each.text);
  };
  add_sections(true);
  out += "\nKeys\n\n" + keys_text(keys_of(row));
  const auto add = [&](const char* title, const std::vector<std::vector<std::string>>& rows) {
    if (!rows.empty()) out += fmt::format("\n{}\n\n{}", title, lined_up(rows, "  "));
  };
  add("States, with the models of the scenario below", quantities(shown.card().states));
  add("Outputs", quantities(shown.card().outputs));
  add("Inputs", quantities(shown.card().inputs));
  if (!shown.events.empty())
    out += fmt::format("\nEvents, with the same models: {}\n", fmt::join(shown.events, ", "));
  std::vector<std::vector<std::string>> methods_of;
  for (const method_row* each : methods()) {
    const std::string why = why_not(*shown.s.system, *each);
    const bool is_default = each == &default_method(*shown.s.system);
    methods_of.push_back({each->name, !why.empty() ? "no: " + why
                                      : is_default ? "default"
                                                   : "yes"});
  }
  add("Methods, with the same models", methods_of);
  add_sections(false);
  return out;
}

}  // namespace asperity::cli
