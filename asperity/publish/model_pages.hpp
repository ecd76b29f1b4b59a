// SPDX-License-Identifier: Apache-2.0
#pragma once

// All that has a page (*.md): models of the catalogue, contacts with friction, planar friction, and
// systems, behind one description.

#include <asperity/catalogue/catalogue.hpp>
#include <string>
#include <vector>

namespace asperity {

// docs/errata.md: what is wrong in the sources, by the numbers that experiments cite.
const std::string& errata_page();

struct model_page {
  std::string key, family;
  std::string title, source, doi;
  std::string text;  // of its .md file
  struct parameter {
    std::string name, meaning, in, usual, allowed;
  };
  std::vector<parameter> parameters;
  std::vector<std::string> states;  // "z: mean bristle deflection [m]"
  std::vector<std::string> claims, curves;
};

// Sorted by family and key.
const std::vector<model_page>& model_pages();
const model_page* find_page(std::string_view key);

}  // namespace asperity
