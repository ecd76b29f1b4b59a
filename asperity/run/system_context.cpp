// SPDX-License-Identifier: Apache-2.0
#include <asperity/run/system_context.hpp>

namespace asperity {

system_builder builder_of(std::vector<key_entry>& keys, const system_context& from) {
  return {keys, std::make_shared<toml_keys>(from.root, from.files, from.warnings),
          std::make_shared<toml_keys>(from.system, from.files, from.warnings)};
}

system_context context_of(const system_builder& b) {
  const auto& root = dynamic_cast<const toml_keys&>(*b.root.source());
  const auto& system = dynamic_cast<const toml_keys&>(*b.source());
  return {root.document(), system.document(), root.files(), root.warnings()};
}

any_model read_system_model(const system_context& from, const std::string&, const std::string&) {
  std::vector<key_entry> keys;
  return builder_of(keys, from).contact("");
}

void refuse_rigid(const system_context& from, const any_model& contact) {
  std::vector<key_entry> keys;
  builder_of(keys, from).refuse_rigid(contact);
}

void check_size(const system_context& from, std::size_t states) {
  std::vector<key_entry> keys;
  builder_of(keys, from).check_size(static_cast<int>(states));
}

}  // namespace asperity
