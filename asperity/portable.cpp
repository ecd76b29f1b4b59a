// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <algorithm>
#include <asperity/portable.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace asperity::detail {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Moves past the word, in whatever case.
bool skip_word(const char*& at, const char* last, std::string_view word) {
  if (static_cast<std::size_t>(last - at) < word.size()) return false;
  if (!std::equal(word.begin(), word.end(), at, [](char a, char b) { return a == lower(b); }))
    return false;
  at += word.size();
  return true;
}

// nan may say which one it is in brackets, which nobody asks.
void skip_payload(const char*& at, const char* last) {
  if (at == last || *at != '(') return;
  const char* end = at + 1;
  while (end != last &&
         (is_digit(*end) || (lower(*end) >= 'a' && lower(*end) <= 'z') || *end == '_'))
    ++end;
  if (end != last && *end == ')') at = end + 1;
}

}  // namespace

std::from_chars_result from_chars_by_strtod(const char* first, const char* last, double& value) {
  const char* at = first;
  const bool negative = at != last && *at == '-';
  if (negative) ++at;
  const double sign = negative ? -1.0 : 1.0;
  if (skip_word(at, last, "inf")) {
    skip_word(at, last, "inity");
    value = sign * std::numeric_limits<double>::infinity();
    return {at, {}};
  }
  if (skip_word(at, last, "nan")) {
    skip_payload(at, last);
    value = std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    return {at, {}};
  }

  // strtod expects the point of the locale, so it gets none: 1.25e3 is read as 125e1.
  std::string digits;
  long long exponent = 0;
  bool any = false;
  const auto take_digits = [&](int shift) {
    for (; at != last && is_digit(*at); ++at) {
      any = true;
      if (!digits.empty() || *at != '0') digits += *at;
      exponent += shift;
    }
  };
  take_digits(0);
  if (at != last && *at == '.') {
    ++at;
    take_digits(-1);
  }
  if (!any) return {first, std::errc::invalid_argument};
  if (at != last && lower(*at) == 'e') {
    const char* power = at + 1;
    const bool down = power != last && *power == '-';
    if (power != last && (*power == '-' || *power == '+')) ++power;
    if (power != last && is_digit(*power)) {
      constexpr long long most = 1'000'000'000'000'000;  // more digits than fit into any memory
      long long written = 0;
      for (; power != last && is_digit(*power); ++power)
        written = std::min(most, 10 * written + (*power - '0'));
      exponent += down ? -written : written;
      at = power;
    }
  }
  if (digits.empty()) {
    value = sign * 0.0;
    return {at, {}};
  }
  const double size = std::strtod((digits + 'e' + std::to_string(exponent)).c_str(), nullptr);
  if (size == 0 || std::isinf(size)) return {at, std::errc::result_out_of_range};
  value = sign * size;
  return {at, {}};
}

std::from_chars_result from_chars(const char* first, const char* last, double& value) {
#if defined(__cpp_lib_to_chars)
  return std::from_chars(first, last, value);
#else
  return from_chars_by_strtod(first, last, value);
#endif
}

bool exchange_paths(const char* one, const char* other) {
#if defined(RENAME_EXCHANGE)
  return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0;
#else
  static_cast<void>(one);
  static_cast<void>(other);
  return false;
#endif
}

}  // namespace asperity::detail
