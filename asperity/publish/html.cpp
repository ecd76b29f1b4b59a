// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/publish/html.hpp>

namespace asperity {

namespace {

bool is_digit(std::string_view text, std::size_t i) {
  return i < text.size() && '0' <= text[i] && text[i] <= '9';
}

bool is_letter(std::string_view text, std::size_t i) {
  return i < text.size() && (('a' <= text[i] && text[i] <= 'z') ||
                             ('A' <= text[i] && text[i] <= 'Z') || text[i] == '_');
}

}  // namespace

std::string address_of(std::string_view path) {
  constexpr const char* digits = "0123456789ABCDEF";
  std::string result;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') ||
                          ('0' <= c && c <= '9') ||
                          std::string_view("-._~/").find(c) != std::string_view::npos;
    if (is_plain) {
      result += c;
    } else {
      result += '%';
      result += digits[byte / 16];
      result += digits[byte % 16];
    }
  }
  return result;
}

std::string with_unit_signs(std::string_view text) {
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = text.find("um"); at != std::string_view::npos;
       at = text.find("um", at + 2)) {
    if ((at > 0 && is_letter(text, at - 1)) || is_letter(text, at + 2)) continue;
    result += escaped(text.substr(from, at - from)) + "µm";
    from = at + 2;
  }
  return result + escaped(text.substr(from));
}

std::string doi_html(std::string_view doi) {
  if (doi.empty() || doi == "none") return "";
  return fmt::format(" · <a href=\"https://doi.org/{}\">doi:{}</a>", address_of(doi), escaped(doi));
}

std::string with_errata_linked(std::string_view html, std::string_view address) {
  // Inside of these nothing is a link.
  constexpr std::array<std::string_view, 5> closed{"a", "code", "pre", "svg", "math"};
  std::string result;
  std::size_t at = 0;
  int depth = 0;
  while (at < html.size()) {
    if (html[at] == '<') {
      const std::size_t end = std::min(html.find('>', at), html.size() - 1) + 1;
      const std::string_view tag = html.substr(at, end - at);
      const bool closing = tag.starts_with("</");
      std::string_view name = tag.substr(closing ? 2 : 1);
      name = name.substr(0, name.find_first_of(" />\n"));
      if (std::find(closed.begin(), closed.end(), name) != closed.end())
        depth += closing ? -1 : tag.ends_with("/>") ? 0 : 1;
      result += tag;
      at = end;
      continue;
    }
    const bool begins =
        depth == 0 && (at == 0 || (!is_letter(html, at - 1) && !is_digit(html, at - 1)));
    const std::string_view rest = html.substr(at);
    const std::size_t mark = rest.starts_with("E-")         ? 2
                             : rest.starts_with("erratum ") ? 8
                             : rest.starts_with("Erratum ") ? 8
                                                            : 0;
    if (begins && mark > 0 && is_digit(html, at + mark)) {
      std::size_t end = at + mark;
      while (is_digit(html, end)) ++end;
      const std::string number(html.substr(at + mark, end - at - mark));
      result.append("<a href=\"").append(address).append("#E-").append(number).append("\">");
      result.append(html.substr(at, end - at)).append("</a>");
      at = end;
      continue;
    }
    result += html[at++];
  }
  return result;
}

}  // namespace asperity
