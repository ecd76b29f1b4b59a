// SPDX-License-Identifier: Apache-2.0
#pragma once

// Models of a user's own at run time: a shared object that asperity_add_plugin (cmake/Plugin.cmake)
// made of headers like those of asperity/models. docs/plugins.md goes through it.

#include <asperity/catalogue/catalogue.hpp>

namespace asperity {

// Loads the models of a file into the catalogue, where they stay until the program ends, and
// returns them. A file that is loaded already is not loaded again. Throws asperity::error, and
// leaves the catalogue as it was, where the file is missing or no plain file, is no plug-in, was
// built for another asperity, or brings a key that is taken. The check comes before any code of the
// file runs. Other threads may use the catalogue meanwhile.
std::vector<const catalogue_entry*> load_plugin(const std::string& file);

// The same for files with a colon between them, as in ASPERITY_PLUGINS. Empty names are left out.
std::vector<const catalogue_entry*> load_plugins(std::string_view files);

// What a model can be called: letters, digits and _, a letter first.
inline constexpr std::size_t longest_model_name = 60;
bool is_model_name(std::string_view name);

// The file that a model came from; empty for those of the library.
std::string plugin_of(const catalogue_entry& entry);

}  // namespace asperity
