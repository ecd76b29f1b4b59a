// SPDX-License-Identifier: Apache-2.0
#pragma once

// The pages of the models and the texts of experiments, in Markdown, as HTML with their equations and
// formulas as MathML. md4c reads them.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace asperity {

// The address of the page of a model of this name; empty where it is none.
using model_links = std::function<std::string(std::string_view key)>;

struct page_section {
  std::string title, text;
};

// A page without its head (--- ... ---), cut at its "## " headings.
std::vector<page_section> sections_of(std::string_view page);
// What the head says, such as "doi"; empty where it says nothing.
std::string head_entry(std::string_view page, std::string_view key);

// A text; symbols in its sentences are shown as such. Blocks between ``` are equations unless a
// language is named. No tag and no address comes
// from the text: HTML in it is shown as it is written, and of links the text remains.
std::string markdown_html(std::string_view text, const model_links& link);

// A guide: a text that is a page of its own. Its headings can be linked to as on GitHub, blocks that
// are set in are code, and what stands between ` is a formula nowhere.
struct guide_links {
  model_links model;
  // The address of what a link or a picture leads to; empty: the text remains.
  std::function<std::string(std::string_view target)> page;
  // What stands in place of a block of code in this language ("toml plot"); empty: the code.
  std::function<std::string(std::string_view language, const std::string& code)> block;
};
std::string guide_html(std::string_view text, const guide_links&);

// "what-it-does" of "What it does", as GitHub names headings.
std::string heading_name(std::string_view heading);
// What stands between ` in a text: the name of a model leads to its page, a formula is one.
std::string code_html(std::string_view text, const model_links& link);

// Without their line breaks; what follows the last one is a line where it is not empty.
std::vector<std::string> split_lines(std::string_view text);

}  // namespace asperity
