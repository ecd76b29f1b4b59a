// SPDX-License-Identifier: Apache-2.0
#pragma once

// The frame that all pages have in common, those of the report and those of the documentation: head,
// logo, links, tables. Addresses are relative, so that pages can be read from a disc.

#include <string>
#include <string_view>
#include <vector>

namespace asperity {

// "../" for each folder that a page's own address has.
std::string way_up(std::string_view address);

// Two rough surfaces that meet. It has the colours of the page.
std::string logo_svg();

struct page_parts {
  std::string title;       // plain text
  std::string navigation;  // links, as HTML
  std::string body;        // as HTML
  std::string up;          // leads to the folder that holds all pages
  std::string home;        // address of what the logo leads to, from that folder
  // A page that stands alone has its style inside; others have style.css and search.js beside them.
  bool stands_alone = true;
  std::string errata;  // address of the errata, from that folder; empty: numbers are not linked
};
std::string page_html(const page_parts&);

// A table in a frame that can be moved sideways, if need be. With the class "stack" each row becomes a
// block on a narrow screen, each cell with the name of its column in front: see cell_html().
std::string table_html(const std::vector<std::string>& heads, const std::string& rows,
                       const std::string& classes = "");
// A cell that knows the name of its column; `html` stands as it is.
std::string cell_html(std::string_view column, const std::string& html,
                      std::string_view classes = "");

// Text between tags, for search: without tags, scripts, pictures and formulas.
std::string plain_text(std::string_view html);

}  // namespace asperity
