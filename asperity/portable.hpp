// SPDX-License-Identifier: Apache-2.0
#pragma once

// What some standard libraries and systems do not have yet: libc++ 14 and emscripten's libc++ 13 read
// no floating-point numbers, the latter has no bit_cast, and only Linux exchanges two folders at once.
// Use these instead of their namesakes of the standard.

#include <charconv>

namespace asperity::detail {

// std::bit_cast.
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

// std::from_chars: the nearest number, whatever the locale.
std::from_chars_result from_chars(const char* first, const char* last, double& value);

// Two files or folders change places in one instant. False where that cannot be done.
bool exchange_paths(const char* one, const char* other);

// What from_chars is where the standard library has none.
std::from_chars_result from_chars_by_strtod(const char* first, const char* last, double& value);

}  // namespace asperity::detail
