// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/publish/html.hpp>
#include <asperity/publish/markdown.hpp>
#include <asperity/publish/mathml.hpp>

namespace asperity {

namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string code_html(std::string_view text, const model_links& link) {
  const std::string address = link ? link(text) : "";
  if (!address.empty())
    return fmt::format("<a href=\"{}\"><code>{}</code></a>", address, escaped(text));
  const std::string formula = formula_html(text);
  return formula.empty() ? fmt::format("<code>{}</code>", escaped(text)) : formula;
}

// Cells of "| a | b |"; a bar behind a backslash is part of its cell.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cells.back() += line[++i];
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  cells.pop_back();  // behind the last bar
  return cells;
}

bool is_rule(std::string_view line) {
  return line.starts_with("|") && line.find_first_not_of("|-: ") == std::string_view::npos;
}

}  // namespace

std::vector<page_section> sections_of(std::string_view page) {
  std::vector<page_section> result(1);
  bool in_head = page.starts_with("---\n"), first = true;
  for (const auto& line : lines_of(page)) {
    if (in_head) {
      if (line == "---" && !first) in_head = false;
      first = false;
    } else if (line.starts_with("## ")) {
      result.push_back({line.substr(3), ""});
    } else {
      result.back().text += line + '\n';
    }
  }
  for (auto& each : result) {  // no empty lines around
    const auto begin = each.text.find_first_not_of('\n');
    const auto end = each.text.find_last_not_of('\n');
    each.text = begin == std::string::npos ? "" : each.text.substr(begin, end - begin + 1) + '\n';
  }
  return result;
}

std::string head_entry(std::string_view page, std::string_view key) {
  if (!page.starts_with("---\n")) return "";
  const std::string_view head = page.substr(4, page.find("\n---", 4) - 4);
  for (const auto& line : lines_of(head))
    if (line.starts_with(key) && line.compare(key.size(), 2, ": ") == 0)
      return line.substr(key.size() + 2);
  return "";
}

std::string sentence_html(std::string_view text, const model_links& link) {
  std::string html;
  std::size_t at = 0;
  bool bold = false;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (rest[0] == '`') {
      const std::size_t end = rest.find('`', 1);
      if (end != std::string_view::npos) {
        html += code_html(rest.substr(1, end - 1), link);
        at += end + 1;
        continue;
      }
    }
    if (rest.starts_with("**")) {
      html += bold ? "</strong>" : "<strong>";
      bold = !bold;
      at += 2;
      continue;
    }
    // Links lead to files of the repository, which a report does not have: their text remains.
    if (rest[0] == '[') {
      const std::size_t middle = rest.find("](");
      const std::size_t end = rest.find(')', std::min(middle, rest.size()));
      if (middle != std::string_view::npos && end != std::string_view::npos &&
          rest.substr(0, middle).find('\n') == std::string_view::npos) {
        html += sentence_html(rest.substr(1, middle - 1), link);
        at += end + 1;
        continue;
      }
    }
    const std::size_t plain = std::min(rest.find_first_of("`*[", 1), rest.size());
    html += with_unit_signs(rest.substr(0, plain));
    at += plain;
  }
  return bold ? html + "</strong>" : html;
}

std::string markdown_html(std::string_view text, const model_links& link) {
  const auto lines = lines_of(text);
  std::string html, paragraph;
  bool in_list = false;
  const auto finish = [&] {
    if (!paragraph.empty())
      html += fmt::format("<{0}>{1}</{0}>\n", in_list ? "li" : "p", sentence_html(paragraph, link));
    paragraph.clear();
  };
  const auto end_list = [&] {
    finish();
    if (in_list) html += "</ul>\n";
    in_list = false;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.starts_with("```")) {
      end_list();
      const bool equations = line.size() == 3;
      std::string block;
      for (++i; i < lines.size() && !lines[i].starts_with("```"); ++i) block += lines[i] + '\n';
      if (!block.empty()) block.pop_back();
      html += equations ? equations_html(block)
                        : fmt::format("<div class=\"wide\"><pre>{}</pre></div>\n", escaped(block));
    } else if (line.starts_with("|")) {
      end_list();
      html += "<div class=\"wide\"><table>\n";
      const bool headed = i + 1 < lines.size() && is_rule(lines[i + 1]);
      for (bool head = headed; i < lines.size() && lines[i].starts_with("|"); ++i) {
        if (is_rule(lines[i])) continue;
        html += "<tr>";
        for (const auto& cell : cells_of(lines[i]))
          html += fmt::format("<{0}>{1}</{0}>", head ? "th" : "td", sentence_html(cell, link));
        html += "</tr>\n";
        head = false;
      }
      --i;
      html += "</table></div>\n";
    } else if (line.starts_with("- ")) {
      finish();
      if (!in_list) html += "<ul>\n";
      in_list = true;
      paragraph = line.substr(2);
    } else if (line.starts_with("# ") || line.starts_with("### ")) {
      end_list();
      const bool top = line[1] == ' ';
      html += fmt::format("<{0}>{1}</{0}>\n", top ? "h1" : "h3",
                          sentence_html(line.substr(top ? 2 : 4), link));
    } else if (line.empty()) {
      end_list();
    } else {
      if (!paragraph.empty()) paragraph += '\n';
      paragraph += line.substr(std::min(line.find_first_not_of(' '), line.size()));
    }
  }
  end_list();
  return html;
}

}  // namespace asperity
