// SPDX-License-Identifier: Apache-2.0
#pragma once

// The pages of the models as HTML: headings, paragraphs, lists, tables, blocks of equations and
// formulas in sentences. Only what those pages use of Markdown is known.

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

// The text of a section. Blocks between ``` are equations unless a language is named.
std::string markdown_html(std::string_view text, const model_links& link);
// A sentence: `code`, **bold**, names of models.
std::string sentence_html(std::string_view text, const model_links& link);

}  // namespace asperity
