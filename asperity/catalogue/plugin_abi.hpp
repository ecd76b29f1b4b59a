// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a plug-in and the program that loads it must have in common. A model goes from one to the
// other as a catalogue_entry, which holds strings, vectors and tables of functions: compiler,
// standard library, version and the layout of these must be the same. A plug-in carries them as a
// text, and is refused where one word of it differs, before anything of it runs.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/catalogue/traced.hpp>
#include <asperity/generated/plugin_build.hpp>

namespace asperity {

// A text that is made when it is compiled, and lies in the file as it is.
struct plugin_abi_text {
  static constexpr std::size_t capacity = 320;
  char text[capacity] = {};
  std::size_t length = 0;

  constexpr plugin_abi_text& add(std::string_view words) {
    for (const char c : words) text[length++] = c;  // beyond the end: it does not compile
    text[length] = 0;
    return *this;
  }
  constexpr plugin_abi_text& add(unsigned long long number) {
    char digits[24] = {};
    int count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    while (count > 0) text[length++] = digits[--count];
    text[length] = 0;
    return *this;
  }
  constexpr operator std::string_view() const { return {text, length}; }  // NOLINT
};

// The loader looks for it in the bytes of a file.
inline constexpr std::string_view plugin_mark = "asperity-plugin-abi: ";

namespace detail {

consteval plugin_abi_text make_plugin_abi() {
  plugin_abi_text abi;
  abi.add(plugin_mark).add("asperity ").add(generated::plugin_version);
#if defined(__clang__)
  abi.add(", clang ").add(__clang_major__);
#elif defined(__GNUC__)
  abi.add(", g++ ").add(__GNUC__);
#endif
#if defined(_LIBCPP_VERSION)
  abi.add(", libc++ ").add(_LIBCPP_VERSION);
#elif defined(_GLIBCXX_RELEASE)
  abi.add(", libstdc++ ").add(_GLIBCXX_RELEASE);
  abi.add(_GLIBCXX_USE_CXX11_ABI != 0 ? "" : " with the strings of before C++11");
#endif
#if defined(__GXX_ABI_VERSION)
  abi.add(", C++ ABI ").add(__GXX_ABI_VERSION);
#endif
  // Strings and vectors in debug mode, registers of another width and the like show in the sizes.
  abi.add(", layout");
  for (const std::size_t size :
       {sizeof(void*), sizeof(std::string), sizeof(std::vector<double>), sizeof(card<double>),
        sizeof(card<double>::parameter_entry), sizeof(model_functions), sizeof(catalogue_entry),
        sizeof(model_trace), sizeof(model_dual), sizeof(model_pack), sizeof(validity),
        sizeof(drive<double>)})
    abi.add(" ").add(size);
  return abi.add(", headers ").add(generated::plugin_headers);
}

}  // namespace detail

inline constexpr plugin_abi_text plugin_abi = detail::make_plugin_abi();

// What a plug-in exports, by names of C: its text, its models as a list that ends with null, and
// what writes their equations down.
using plugin_models_function = const catalogue_entry* const* (*)();
using plugin_tracers_function = void (*)(std::vector<model_tracer>& to);
inline constexpr const char* plugin_abi_symbol = "asperity_plugin_abi";
inline constexpr const char* plugin_models_symbol = "asperity_plugin_models";
inline constexpr const char* plugin_tracers_symbol = "asperity_plugin_tracers";

}  // namespace asperity
