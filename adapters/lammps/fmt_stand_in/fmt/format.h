// SPDX-License-Identifier: Apache-2.0
#pragma once

// The headers of LAMMPS name a few types of the fmt library that it was built with, which Debian does
// not install. They are declared here so that those headers compile; nothing of them may be called.
// Messages are given as std::string, and sources that include this do not use the real fmt.

namespace fmt {

struct string_view {
  template <class T>
  string_view(const T&) {}  // NOLINT: converts from whatever the headers give it
};
struct format_args {};

template <class... Args, class... T>
format_args make_args_checked(T&&...) = delete;

}  // namespace fmt
