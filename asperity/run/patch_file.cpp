// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/planar_keys.hpp>
#include <asperity/run/input.hpp>
#include <asperity/run/patch_file.hpp>
#include <asperity/text/reader.hpp>
#include <memory>

namespace asperity {

contact_patch patch_of(const toml_value& table, const std::string& folder) {
  toml_value record;
  reader in(table, "patch", record);
  std::vector<std::string> warnings;
  std::vector<key_entry> keys;
  key_builder builder(keys, "patch",
                      std::make_shared<toml_keys>(in, input_files{folder, nullptr}, warnings));
  contact_patch patch = read_patch(builder);
  builder.finish();
  return patch;
}

}  // namespace asperity
