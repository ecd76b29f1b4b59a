// SPDX-License-Identifier: Apache-2.0
#pragma once

// The document that a system is read from, for those that read it themselves: an inclusion, whose
// keys are the user's, and systems with contacts that are not in the catalogue.

#include <asperity/card.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/run/input.hpp>

namespace asperity {

struct system_context {
  reader& root;    // the document: inputs and models in tables of their own
  reader& system;  // [system]
  input_files files;
  std::vector<std::string>& warnings;
};

// A builder that reads a document.
system_builder builder_of(std::vector<key_entry>& keys, const system_context&);
// The document that such a builder reads.
system_context context_of(const system_builder&);

std::shared_ptr<system> read_sphere_on_plane(const system_context&);

// What a builder does, for a reader.
any_model read_system_model(const system_context& from, const std::string& key,
                            const std::string& family);
void refuse_rigid(const system_context& from, const any_model& contact);
void check_size(const system_context& from, std::size_t states);
template <class Contact>
Contact read_touch_model(reader& table, const system_context& from) {
  std::vector<key_entry> keys;
  key_builder builder(keys, "", std::make_shared<toml_keys>(table, from.files, from.warnings));
  return read_touch_model<Contact>(builder);
}

}  // namespace asperity
