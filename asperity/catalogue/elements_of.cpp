// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/all_entries.hpp>
#include <asperity/catalogue/elements_of.hpp>
#include <asperity/models/contact_elements.hpp>

namespace asperity {

namespace {

bool is_built_in(const any_model& model) {
  const auto own = detail::built_in_entries();
  return std::find(own.begin(), own.end(), &model.entry()) != own.end();
}

struct contact_row {
  const char* key;
  contact_element (*element)(const void* self);
};
template <template <class> class Model>
contact_row row_of(const char* key) {
  return {key,
          [](const void* self) { return pressed_as(*static_cast<const Model<double>*>(self)); }};
}

}  // namespace

std::optional<element_list> elements_of(const any_model& model) {
  if (!is_built_in(model)) return {};
  for (const auto& each : detail::element_rows())
    if (model.key() == each.key && model.curve() == each.curve) return each.made_of(model.self());
  return {};
}

std::string why_not_elements(const any_model& model) {
  const auto elements = elements_of(model);
  if (!elements)
    return fmt::format("model '{}' does not state that it is linear between stick and slip",
                       model.key());
  if (*elements->not_linear == 0) return "";
  return fmt::format("model '{}' is not linear between stick and slip: {}", model.key(),
                     elements->not_linear);
}

std::optional<contact_element> contact_element_of(const any_model& model) {
  if (!is_built_in(model)) return {};
  static const contact_row rows[] = {row_of<dai_contact>("dai_contact"),
                                     row_of<kelvin_voigt>("kelvin_voigt"),
                                     row_of<kelvin_voigt_clamped>("kelvin_voigt_clamped")};
  for (const auto& each : rows)
    if (model.key() == each.key) return each.element(model.self());
  return {};
}

std::string why_no_contact_element(const any_model& model) {
  const auto element = contact_element_of(model);
  if (!element)
    return fmt::format("model '{}' does not state that it is linear while bodies touch",
                       model.key());
  if (*element->not_linear == 0) return "";
  return fmt::format("model '{}' has no closed form with these parameters: {}", model.key(),
                     element->not_linear);
}

}  // namespace asperity
