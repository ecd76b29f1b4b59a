// SPDX-License-Identifier: Apache-2.0
// Text to HTML: whatever it says, tags stay closed and nothing of it becomes one.

#include <asperity/publish/html.hpp>
#include <asperity/publish/markdown.hpp>
#include <asperity/publish/mathml.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

// Tags are closed in the order in which they were opened, and none is one that runs anything.
void require_sound(const std::string& html, const char* from) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at)) {
    const auto end = html.find('>', at);
    require(end != std::string::npos, std::string(from) + ": a tag ends: " + html);
    const std::string tag = html.substr(at + 1, end - at - 1);
    at = end;
    const bool closes = tag.starts_with("/"), is_empty = tag.ends_with("/");
    const std::string name =
        tag.substr(closes ? 1 : 0, tag.find_first_of(" /", 1) - (closes ? 1 : 0));
    require(!name.empty() &&
                name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == std::string::npos,
            std::string(from) + ": '" + name + "' is a tag: " + html);
    require(name != "script" && name != "iframe" && tag.find(" on") == std::string::npos,
            std::string(from) + ": nothing runs: " + html);
    if (is_empty) continue;
    if (!closes) {
      open.push_back(name);
      continue;
    }
    require(!open.empty() && open.back() == name,
            std::string(from) + ": </" + name + "> closes what is open: " + html);
    open.pop_back();
  }
  require(open.empty(), std::string(from) + ": all tags are closed: " + html);
}

}  // namespace

void try_input(std::string_view input) {
  const auto link = [](std::string_view key) { return key == "lugre" ? "lugre.html" : ""; };
  const std::string plain = escaped(input);
  require(plain.find_first_of("<>\"") == std::string::npos, "escaped text has no tags");
  require_sound(with_unit_signs(input), "with_unit_signs");
  require_sound(with_errata_linked(plain, "errata.html"), "errata");
  require_sound(equations_html(input), "equations");
  require_sound(formula_html(input), "formula");
  require_sound(code_html(input, link), "code");
  require_sound(markdown_html(input, link), "markdown");
  for (const auto& section : sections_of(input))
    require_sound(markdown_html(section.text, link), "section");
  (void)head_entry(input, "doi");
}

}  // namespace asperity::fuzz
