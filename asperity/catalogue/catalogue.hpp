// SPDX-License-Identifier: Apache-2.0
#pragma once

// The catalogue: every model of asperity/models and every law over cells of asperity/patch by name,
// whatever its port. CMake makes the list from the files.

#include <asperity/catalogue/any_model.hpp>
#include <span>

namespace asperity {

struct catalogue_entry {
  // A model that contains a Stribeck curve has one variant per curve; the others have one, "".
  struct variant {
    std::string curve;
    model_functions functions;
  };

  std::string key;
  std::string family;  // its folder: curve, friction, contact ...
  const port* at;      // what goes in and what comes out
  std::string page;    // the text of its .md file
  std::vector<variant> variants;
  std::string usual_curve;  // the one the model's header names; empty where it takes none

  const variant* find(std::string_view curve) const;
  const variant& default_variant() const;
};

// All entries, sorted by family and key.
std::span<const catalogue_entry* const> catalogue();

// The entry named `key`; throws asperity::error with the nearest names otherwise.
const catalogue_entry& find_entry(std::string_view key);
// The same for those that move a body along a line: other ports are refused in words.
const catalogue_entry& find_model(std::string_view key);

// The names that differ least from `wanted`, for messages.
std::string nearest_names(std::string_view wanted, const std::vector<std::string>& names);

// "odd, passive": the claims as words, in the order of enum claim.
std::vector<std::string> claim_names(unsigned claims);

// Used by the generated sources.
template <class... Models>
struct model_list {};

}  // namespace asperity
