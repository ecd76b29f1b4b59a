// SPDX-License-Identifier: Apache-2.0
#pragma once

// The sources of experiments: sources.bib beside them, entries of BibTeX by the names of the folders.
//
//   @article{xiong_2013_jam,
//     author = {...}, title = {...}, where = {...}, year = {2013}, doi = {10.1155/2013/320276}
//   }

#include <map>
#include <string>
#include <string_view>

namespace asperity {

struct source_entry {
  std::string author, title, kind, where, year, doi;  // empty where they are not known
};

// Throws asperity::error with file and line.
std::map<std::string, source_entry> parse_sources(std::string_view text, const std::string& file);
// Those of a folder of experiments; none where it has no sources.bib.
std::map<std::string, source_entry> read_sources(const std::string& folder);

// "Iris Rögner: Friction modelling ... Master's thesis, Chalmers, 2017 · doi:..." as HTML.
std::string source_html(const source_entry&);

}  // namespace asperity
