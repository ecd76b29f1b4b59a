// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/publish/html.hpp>
#include <asperity/publish/page.hpp>
#include <asperity/publish/style.hpp>

namespace asperity {

namespace {

constexpr std::string_view upper_body = "M2 3H30V12L26 16L22 11L17 16L13 11L8 16L5 12L2 14Z";
constexpr std::string_view lower_body = "M2 29H30V18L26 22L21 17L17 22L12 17L8 22L5 19L2 21Z";

// The logo as the sign of a tab, with colours of its own: a tab does not know the page's.
std::string icon_address() {
  const std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><path fill='#d55e00' d='{}'/>"
      "<path fill='#0a66a8' d='{}'/></svg>",
      upper_body, lower_body);
  std::string result = "data:image/svg+xml,";
  for (const char c : svg) {
    if (c == '<') {
      result += "%3C";
    } else if (c == '>') {
      result += "%3E";
    } else if (c == '#') {
      result += "%23";
    } else if (c == ' ') {
      result += "%20";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string way_up(std::string_view address) {
  std::string way;
  for (const char c : address)
    if (c == '/') way += "../";
  return way;
}

std::string logo_svg() {
  return fmt::format(
      "<svg class=\"logo\" viewBox=\"0 0 32 32\" aria-hidden=\"true\"><path fill=\"var(--s1)\" "
      "d=\"{}\"/><path fill=\"var(--s0)\" d=\"{}\"/></svg>",
      upper_body, lower_body);
}

std::string page_html(const page_parts& page) {
  const std::string style =
      page.stands_alone ? fmt::format("<style>{}</style>\n", page_style)
                        : fmt::format(
                              "<link rel=\"stylesheet\" href=\"{0}style.css\">\n"
                              "<script defer src=\"{0}search.js\" data-up=\"{0}\"></script>\n",
                              page.up);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<link rel=\"icon\" href=\"{}\">\n{}</head>\n<body>\n"
      "<header><a class=\"home\" href=\"{}{}\">{}Asperity</a><nav>{}</nav></header>\n"
      "<main>\n{}</main>\n</body>\n</html>\n",
      escaped(page.title), icon_address(), style, page.up, page.home, logo_svg(), page.navigation,
      page.errata.empty() ? page.body : with_errata_linked(page.body, page.up + page.errata));
}

std::string table_html(const std::vector<std::string>& heads, const std::string& rows,
                       const std::string& classes) {
  std::string html = fmt::format("<div class=\"wide\"><table class=\"{}\">\n", classes);
  if (!heads.empty()) {
    html += "<tr>";
    for (const auto& each : heads) html += fmt::format("<th>{}</th>", escaped(each));
    html += "</tr>\n";
  }
  return html + rows + "</table></div>\n";
}

std::string cell_html(std::string_view column, const std::string& html, std::string_view classes) {
  return fmt::format("<td{} data-column=\"{}\">{}</td>",
                     classes.empty() ? "" : fmt::format(" class=\"{}\"", classes), escaped(column),
                     html);
}

std::string plain_text(std::string_view html) {
  constexpr std::string_view left_out[] = {"svg", "math", "script", "style"};
  std::string text;
  std::size_t at = 0;
  while (at < html.size()) {
    if (html[at] != '<') {
      text += html[at++];
      continue;
    }
    const auto is_left_out =
        std::find_if(std::begin(left_out), std::end(left_out), [&](std::string_view name) {
          const std::string_view rest = html.substr(at + 1);
          return rest.starts_with(name) && rest.size() > name.size() &&
                 (rest[name.size()] == ' ' || rest[name.size()] == '>');
        });
    if (is_left_out != std::end(left_out)) {
      const std::size_t end = html.find(fmt::format("</{}>", *is_left_out), at);
      if (end == std::string_view::npos) return text;
      at = end;
    }
    at = std::min(html.find('>', at), html.size() - 1) + 1;
    text += ' ';
  }
  for (const auto& [sign, letter] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
    for (std::size_t found = text.find(sign); found != std::string::npos;
         found = text.find(sign, found + 1))
      text.replace(found, std::string_view(sign).size(), letter);
  return text;
}

}  // namespace asperity
