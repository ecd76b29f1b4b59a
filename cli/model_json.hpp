// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asperity/catalogue/catalogue.hpp>
#include <nlohmann/json.hpp>

namespace asperity::cli {

// A model's card for programs. Bounds that do not exist are null.
nlohmann::ordered_json model_json(const catalogue_entry& entry, bool with_page,
                                  std::string_view curve = {});

}  // namespace asperity::cli
