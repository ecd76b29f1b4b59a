// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cards for people, in lined-up columns.

#include "cli/card_json.hpp"

namespace asperity::cli {

// Names and units.
template <class List>
std::vector<std::vector<std::string>> quantities(const List& list) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(std::size(list));
  for (const auto& each : list) rows.push_back({each.name, to_string(each.in)});
  return rows;
}

// A section of a page without the marks of its blocks of code, which are set in instead.
std::string section_text(std::string_view title, std::string_view text);

std::string keys_text(const std::vector<key_entry>&);
std::string system_text(const system_row&);

}  // namespace asperity::cli
