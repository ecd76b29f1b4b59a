// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/catalogue/all_entries.hpp>
#include <asperity/catalogue/elements_of.hpp>

namespace asperity {

std::optional<element_list> elements_of(const any_model& model) {
  const auto own = detail::built_in_entries();
  if (std::find(own.begin(), own.end(), &model.entry()) == own.end()) return {};
  for (const auto& each : detail::element_rows())
    if (model.key() == each.key && model.curve() == each.curve) return each.made_of(model.self());
  return {};
}

}  // namespace asperity
