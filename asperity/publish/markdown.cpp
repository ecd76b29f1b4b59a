// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <asperity/publish/html.hpp>
#include <asperity/publish/markdown.hpp>
#include <asperity/publish/mathml.hpp>
#include <exception>
#include <new>
#include <utility>

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

// What md4c reads, as HTML. No tag and no address comes from the text: HTML in it is shown as it is
// written, and of links, which lead to files that a report does not have, the text remains.
class html_writer {
 public:
  explicit html_writer(const model_links& link) : link_(link) {}

  std::string text_of(std::string_view markdown) {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return guarded(self, [&](html_writer& to) { to.enter(type, detail); });
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return guarded(self, [&](html_writer& to) { to.leave(type, detail); });
    };
    parser.enter_span = [](MD_SPANTYPE type, void*, void* self) {
      return guarded(self, [&](html_writer& to) { to.enter(type); });
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
      return guarded(self, [&](html_writer& to) { to.leave(type); });
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* begin, MD_SIZE size, void* self) {
      return guarded(self, [&](html_writer& to) { to.add(type, {begin, size}); });
    };
    const int code =
        md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, this);
    if (problem_) std::rethrow_exception(problem_);
    if (code != 0) throw std::bad_alloc();  // the only thing that fails in md4c itself
    return std::move(html_);
  }

 private:
  const model_links& link_;
  std::string html_, plain_, code_;  // plain and code: not yet written
  bool in_code_ = false, in_cell_ = false;
  std::exception_ptr problem_;

  // md4c is C: no exception may pass through it.
  template <class Action>
  static int guarded(void* self, const Action& action) {
    auto& to = *static_cast<html_writer*>(self);
    try {
      action(to);
      return 0;
    } catch (...) {
      to.problem_ = std::current_exception();
      return 1;
    }
  }

  void put(std::string_view tag) {
    html_ += with_unit_signs(plain_);
    plain_.clear();
    html_ += tag;
  }

  static std::string name_of(MD_BLOCKTYPE type, const void* detail) {
    if (type == MD_BLOCK_H)
      return fmt::format("h{}", static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level);
    constexpr std::pair<MD_BLOCKTYPE, const char*> names[] = {
        {MD_BLOCK_P, "p"},   {MD_BLOCK_UL, "ul"},       {MD_BLOCK_OL, "ol"},
        {MD_BLOCK_LI, "li"}, {MD_BLOCK_TABLE, "table"}, {MD_BLOCK_TR, "tr"},
        {MD_BLOCK_TH, "th"}, {MD_BLOCK_TD, "td"},       {MD_BLOCK_QUOTE, "blockquote"}};
    for (const auto& [each, name] : names)
      if (each == type) return name;
    return "";
  }

  void enter(MD_BLOCKTYPE type, const void* detail) {
    in_code_ = type == MD_BLOCK_CODE;
    in_cell_ = type == MD_BLOCK_TH || type == MD_BLOCK_TD;
    if (type == MD_BLOCK_HR) put("<hr/>\n");
    if (type == MD_BLOCK_TABLE) put("<div class=\"wide\">");
    if (const std::string name = name_of(type, detail); !name.empty()) put("<" + name + ">");
    if (type == MD_BLOCK_UL || type == MD_BLOCK_OL || type == MD_BLOCK_TABLE) put("\n");
  }

  void leave(MD_BLOCKTYPE type, const void* detail) {
    if (type == MD_BLOCK_CODE) {
      if (code_.ends_with('\n')) code_.pop_back();
      const bool equations = static_cast<const MD_BLOCK_CODE_DETAIL*>(detail)->info.size == 0;
      put(equations ? equations_html(code_)
                    : fmt::format("<div class=\"wide\"><pre>{}</pre></div>\n", escaped(code_)));
      code_.clear();
      in_code_ = false;
      return;
    }
    const std::string name = name_of(type, detail);
    if (name.empty()) return;
    put("</" + name + ">");
    if (type == MD_BLOCK_TABLE) put("</div>");
    if (type != MD_BLOCK_TH && type != MD_BLOCK_TD) put("\n");
  }

  void enter(MD_SPANTYPE type) {
    in_code_ = type == MD_SPAN_CODE;
    if (type == MD_SPAN_EM) put("<em>");
    if (type == MD_SPAN_STRONG) put("<strong>");
  }

  void leave(MD_SPANTYPE type) {
    if (type == MD_SPAN_EM) put("</em>");
    if (type == MD_SPAN_STRONG) put("</strong>");
    if (type != MD_SPAN_CODE) return;
    // md4c leaves \| in the code of a cell as it is.
    for (std::size_t at = 0; in_cell_ && (at = code_.find("\\|", at)) != std::string::npos;)
      code_.erase(at, 1);
    put(code_html(code_, link_));
    code_.clear();
    in_code_ = false;
  }

  void add(MD_TEXTTYPE type, std::string_view text) {
    switch (type) {
      case MD_TEXT_CODE:
        code_ += text;
        break;
      case MD_TEXT_ENTITY:  // a letter such as &alpha;, never a tag
        put(text);
        break;
      case MD_TEXT_BR:
        put("<br/>\n");
        break;
      case MD_TEXT_SOFTBR:
        plain_ += '\n';
        break;
      case MD_TEXT_NULLCHAR:
        (in_code_ ? code_ : plain_) += "\uFFFD";
        break;
      default:
        plain_ += text;
    }
  }
};

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

std::string code_html(std::string_view text, const model_links& link) {
  const std::string address = link ? link(text) : "";
  if (!address.empty())
    return fmt::format("<a href=\"{}\"><code>{}</code></a>", address, escaped(text));
  const std::string formula = formula_html(text);
  return formula.empty() ? fmt::format("<code>{}</code>", escaped(text)) : formula;
}

std::string markdown_html(std::string_view text, const model_links& link) {
  return html_writer(link).text_of(text);
}

}  // namespace asperity
