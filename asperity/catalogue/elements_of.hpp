// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a model chosen by name is made of, where its header says so (asperity/elements.hpp), or where
// asperity/models/contact_elements.hpp does.

#include <asperity/catalogue/any_model.hpp>
#include <asperity/contact_element.hpp>
#include <asperity/elements.hpp>
#include <optional>
#include <string>
#include <vector>

namespace asperity {

// None where the law does not state it, and for models of plug-ins.
std::optional<element_list> elements_of(const any_model&);
// What keeps it from being linear between stick and slip; empty where it is.
std::string why_not_elements(const any_model&);
// The same of a law of contact, while bodies touch.
std::optional<contact_element> contact_element_of(const any_model&);
std::string why_no_contact_element(const any_model&);

namespace detail {

struct element_row {
  const char* key;
  const char* curve;  // empty for a model that takes none
  element_list (*made_of)(const void* self);
};
// Made by CMake from the files.
const std::vector<element_row>& element_rows();

}  // namespace detail

}  // namespace asperity
