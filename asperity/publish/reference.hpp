// SPDX-License-Identifier: Apache-2.0
#pragma once

// The reference of the interfaces, made from the sources themselves: what a header or a module says of
// itself, and each of its names with the comment or docstring that stands with it.

#include <string>
#include <string_view>
#include <vector>

namespace asperity {

struct documented_name {
  std::string name;         // "simulate"
  std::string declaration;  // as it is written, without a body
  std::string text;         // what is said of it
};

struct documented_file {
  std::string about;  // the comment it begins with
  std::vector<documented_name> names;
};

// A header of C or C++: what is declared at the level of the file or of the namespace asperity. What
// stands in another namespace, such as detail, is left out.
documented_file read_header(std::string_view text);

// A module of Python: functions, classes and their methods; names that begin with _ are left out.
documented_file read_module(std::string_view text);

// What a package of Python gives to its users: the names of __all__.
std::vector<std::string> exported_names(std::string_view text);

// A comment with its `code`, ``code`` and :class:`code`.
std::string comment_html(std::string_view text);

std::string reference_html(const documented_file&, const std::string& prefix);

}  // namespace asperity
