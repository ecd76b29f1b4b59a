// SPDX-License-Identifier: Apache-2.0
#include <asperity/text.hpp>
#include <asperity/text/markup.hpp>

namespace asperity {

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : as_utf8(text)) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace asperity
