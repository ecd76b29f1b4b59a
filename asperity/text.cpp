// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/text.hpp>
#include <cctype>

namespace asperity {

namespace {

// One character of UTF-8, or one byte that is none.
struct character {
  char32_t code;
  std::string_view bytes;
  bool is_valid;
};

character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const char32_t lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  char32_t code = length < 2 ? lead : lead & (0x7fU >> length);
  bool valid = length > 0;
  for (std::size_t i = 1; i < length; ++i) {
    valid = valid && (byte(i) & 0xc0U) == 0x80;
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // shorter forms are not allowed
  valid = valid && code >= least[length] && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
  return valid ? character{code, text.substr(0, length), true}
               : character{lead, text.substr(0, 1), false};
}

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

// Marks that reorder the text around them, and line breaks that are not in ASCII.
bool reorders(char32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string written_out(std::string_view text, bool keeps_lines) {
  std::string result;
  const auto is_plain = [&](char c) {
    return (0x20 <= c && c < 0x7f) || (keeps_lines && (c == '\n' || c == '\t'));
  };
  // Whole tables go through here, and are plain.
  while (!text.empty()) {
    const auto special = std::find_if_not(text.begin(), text.end(), is_plain);
    result.append(text.begin(), special);
    text.remove_prefix(static_cast<std::size_t>(special - text.begin()));
    if (text.empty()) break;
    const character c = first_of(text);
    text.remove_prefix(c.bytes.size());
    if (c.code == '\n') {
      result += "\\n";
    } else if (c.code == '\t') {
      result += "\\t";
    } else if (!c.is_valid) {
      result += fmt::format("%{:02X}", static_cast<unsigned>(c.code));
    } else if (c.is_valid && (is_control(c.code) || reorders(c.code))) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c.code));
    } else {
      result += c.bytes;
    }
  }
  return result;
}

// The first `most` characters, the last of them `mark` where there are more.
std::string cut(std::string_view text, std::size_t most, std::string_view mark,
                std::size_t length_of_mark) {
  std::size_t count = 0, at = 0, end = 0;
  while (at < text.size() && count < most) {
    if (count + length_of_mark <= most) end = at;
    at += first_of(text.substr(at)).bytes.size();
    ++count;
  }
  if (at == text.size()) return std::string(text);
  return std::string(text.substr(0, end)).append(mark);
}

}  // namespace

std::size_t valid_bytes(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const character c = first_of(text.substr(at));
    if (!c.is_valid) break;
    at += c.bytes.size();
  }
  return at;
}

std::string as_utf8(std::string_view text) {
  std::string result;
  for (std::size_t good = valid_bytes(text); !text.empty(); good = valid_bytes(text)) {
    result += text.substr(0, good);
    if (good < text.size())
      result +=
          fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(text[good])));
    text.remove_prefix(std::min(good + 1, text.size()));
  }
  return result;
}

std::string printable(std::string_view text) { return written_out(text, true); }

std::string in_one_line(std::string_view text) { return written_out(text, false); }

std::string shortened(std::string_view text, std::size_t most) {
  // Of a huge text only what can be shown is looked at; a character has at most 4 bytes.
  return cut(written_out(text.substr(0, 4 * most + 4), false), most, "...", 3);
}

std::string drawable(std::string_view text) {
  constexpr std::size_t most = 200;
  std::string result;
  for (text = text.substr(0, 4 * most + 4); !text.empty();) {
    const character c = first_of(text);
    text.remove_prefix(c.bytes.size());
    if (c.code == '\n' || c.code == '\t' || c.code == '\r') {
      result += ' ';
    } else if (!c.is_valid || is_control(c.code) || c.code == 0xfffe || c.code == 0xffff) {
      result += "\xef\xbf\xbd";
    } else {
      // "]]>" is not allowed in the text of XML, and gnuplot does not mask it.
      if (c.code == '>' && result.ends_with("]]")) result += ' ';
      result += c.bytes;
    }
  }
  return cut(result, most, "\xe2\x80\xa6", 1);
}

std::string_view trimmed(std::string_view text, const char* blanks) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string without_blanks(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) == 0) result += c;
  return result;
}

}  // namespace asperity
