// SPDX-License-Identifier: Apache-2.0
// Any text as a document, and changes to it: the lines after a line "--set" are settings, as the
// command line takes them.

#include <asperity/text.hpp>
#include <asperity/text/toml.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

// Values that are no tables are written before tables, so the order of keys may change.
bool equal(const toml_value& a, const toml_value& b) {
  if (a.is != b.is || a.boolean != b.boolean || a.integer != b.integer || !same(a.real, b.real) ||
      a.text != b.text || a.items.size() != b.items.size())
    return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    const toml_value* other = a.is == toml_value::kind::table ? b.find(a.keys[i]) : &b.items[i];
    if (other == nullptr || !equal(a.items[i], *other)) return false;
  }
  return true;
}

// A document is UTF-8; settings may be any bytes, and those that are not are written as "%DF".
void make_utf8(toml_value& value) {
  value.text = as_utf8(value.text);
  for (auto& each : value.keys) each = as_utf8(each);
  for (auto& each : value.items) make_utf8(each);
}

void require_round_trip(toml_value document) {
  const std::string text = to_toml(document);
  make_utf8(document);
  try {
    require(equal(parse_toml(text, "again.toml"), document), "a document reads back:\n" + text);
  } catch (const error& problem) {
    require(false, std::string("what is written can be read: ") + problem.what() + "\n" + text);
  }
}

}  // namespace

void try_input(std::string_view input) {
  const auto cut = input.find("\n--set\n");
  toml_value document = parse_toml(input.substr(0, cut), "fuzz.toml");
  if (cut != std::string_view::npos)
    for (const auto line : lines_of(input.substr(cut + 7))) apply_override(document, line);
  toml_value merged = document;
  merge(merged, document);
  require_round_trip(document);
}

}  // namespace asperity::fuzz
