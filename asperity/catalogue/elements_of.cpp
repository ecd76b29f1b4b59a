// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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

std::string why_not_elements(const any_model& model) {
  const auto elements = elements_of(model);
  if (!elements)
    return fmt::format("model '{}' is not known to be linear between stick and slip", model.key());
  if (*elements->not_linear == 0) return "";
  return fmt::format("model '{}' is not linear between stick and slip: {}", model.key(),
                     elements->not_linear);
}

}  // namespace asperity
