// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the catalogue lists: the models of the library, and those that plug-ins have added.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/catalogue/traced.hpp>

namespace asperity::detail {

// Made by CMake from the files.
std::span<const catalogue_entry* const> built_in_entries();
const std::vector<model_tracer>& built_in_tracers();

// Entries must stay for ever. Lists that somebody has asked for before stay as they are.
void add_entries(const std::vector<const catalogue_entry*>& entries,
                 const std::vector<model_tracer>& tracers);

}  // namespace asperity::detail
