// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <asperity/publish/html.hpp>
#include <asperity/publish/markdown.hpp>
#include <asperity/publish/mathml.hpp>
#include <asperity/publish/page.hpp>
#include <exception>
#include <map>
#include <new>
#include <utility>

namespace asperity {

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

namespace {

// Blocks without a language are equations, unless they are typed into a shell.
bool is_typed(std::string_view code) {
  return code.starts_with("./") || code.starts_with("asperity ");
}

// What md4c reads, as HTML.
class html_writer {
 public:
  explicit html_writer(const model_links& link, const guide_links* guide = nullptr)
      : link_(link), guide_(guide) {}

  std::string text_of(std::string_view markdown) {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML;
    if (guide_ == nullptr) parser.flags |= MD_FLAG_NOINDENTEDCODEBLOCKS;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return guarded(self, [&](html_writer& to) { to.enter(type, detail); });
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return guarded(self, [&](html_writer& to) { to.leave(type, detail); });
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return guarded(self, [&](html_writer& to) { to.enter(type, detail); });
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
  const guide_links* guide_;
  std::string html_, plain_, code_;  // plain and code: not yet written
  bool in_code_ = false, in_cell_ = false;
  std::size_t heading_ = 0;              // where its text begins
  std::map<std::string, int> headings_;  // how often each name was taken
  std::vector<std::string> ends_;        // of the links that are open
  std::string picture_;                  // the address of one whose text is being read
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
    html_ += guide_ == nullptr ? prose_html(plain_) : with_unit_signs(plain_);
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
    if (type == MD_BLOCK_H) heading_ = html_.size();
    if (type == MD_BLOCK_UL || type == MD_BLOCK_OL || type == MD_BLOCK_TABLE) put("\n");
  }

  void leave(MD_BLOCKTYPE type, const void* detail) {
    if (type == MD_BLOCK_CODE) {
      if (code_.ends_with('\n')) code_.pop_back();
      const auto& block = *static_cast<const MD_BLOCK_CODE_DETAIL*>(detail);
      const std::string language(block.info.text, block.info.size);
      std::string instead;
      if (guide_ != nullptr && guide_->block) instead = guide_->block(language, code_);
      const bool equations = language.empty() && block.fence_char != 0 && !is_typed(code_);
      put(!instead.empty() ? instead
          : equations      ? equations_html(code_)
                      : fmt::format("<div class=\"wide\"><pre>{}</pre></div>\n", escaped(code_)));
      code_.clear();
      in_code_ = false;
      return;
    }
    const std::string name = name_of(type, detail);
    if (name.empty()) return;
    put("");
    if (type == MD_BLOCK_H && guide_ != nullptr) name_heading();
    put("</" + name + ">");
    if (type == MD_BLOCK_TABLE) put("</div>");
    if (type != MD_BLOCK_TH && type != MD_BLOCK_TD) put("\n");
  }

  void name_heading() {
    std::string text;
    bool in_tag = false;
    for (const char c : std::string_view(html_).substr(heading_)) {
      in_tag = in_tag || c == '<';
      if (!in_tag) text += c;
      in_tag = in_tag && c != '>';
    }
    std::string id = heading_name(plain_text(text));
    if (const int times = headings_[id]++; times > 0) id += fmt::format("-{}", times);
    html_.insert(heading_ - 1, fmt::format(" id=\"{}\"", escaped(id)));
  }

  // The address in a detail of md4c, its entities read.
  static std::string target_of(const MD_ATTRIBUTE& at) {
    std::string text(at.text, at.size);
    for (std::size_t found = text.find("&amp;"); found != std::string::npos;
         found = text.find("&amp;", found + 1))
      text.erase(found + 1, 4);
    return text;
  }

  void enter(MD_SPANTYPE type, const void* detail) {
    in_code_ = type == MD_SPAN_CODE;
    if (type == MD_SPAN_A) {
      const std::string target = target_of(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href);
      // Pages of models lead to other pages by the names of their files.
      const std::string address = guide_ != nullptr ? guide_->page(target)
                                  : link_ && target.ends_with(".md")
                                      ? link_(target.substr(target.rfind('/') + 1))
                                      : "";
      put(address.empty() ? "" : fmt::format("<a href=\"{}\">", escaped(address)));
      ends_.emplace_back(address.empty() ? "" : "</a>");
    }
    if (guide_ != nullptr && type == MD_SPAN_IMG) {
      put("");
      picture_ = guide_->page(target_of(static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src));
    }
    if (type == MD_SPAN_EM) put("<em>");
    if (type == MD_SPAN_STRONG) put("<strong>");
  }

  void leave(MD_SPANTYPE type) {
    if (type == MD_SPAN_EM) put("</em>");
    if (type == MD_SPAN_STRONG) put("</strong>");
    if (type == MD_SPAN_A) {
      put(ends_.back());
      ends_.pop_back();
    }
    if (!picture_.empty() && type == MD_SPAN_IMG) {
      const std::string text = std::exchange(plain_, "");
      put(fmt::format("<img class=\"on-white\" src=\"{}\" alt=\"{}\" loading=\"lazy\"/>",
                      escaped(picture_), escaped(text)));
      picture_.clear();
    }
    if (type != MD_SPAN_CODE) return;
    // md4c leaves \| in the code of a cell as it is.
    for (std::size_t at = 0; in_cell_ && (at = code_.find("\\|", at)) != std::string::npos;)
      code_.erase(at, 1);
    const bool is_open = !ends_.empty() && !ends_.back().empty();  // a link in a link is none
    const model_links link = is_open ? nullptr : link_;
    put(guide_ == nullptr ? code_html(code_, link) : plain_code_html(link));
    code_.clear();
    in_code_ = false;
  }

  std::string plain_code_html(const model_links& link) const {
    const std::string address = link ? link(code_) : "";
    // A short option does not break at its hyphens.
    const bool is_option =
        code_.starts_with('-') && code_.size() < 24 && code_.find(' ') == std::string::npos;
    const std::string code =
        fmt::format("<code{}>{}</code>", is_option ? " class=\"whole\"" : "", escaped(code_));
    return address.empty() ? code : fmt::format("<a href=\"{}\">{}</a>", address, code);
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
  for (const auto& line : split_lines(page)) {
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
  for (const auto& line : split_lines(head))
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

std::string guide_html(std::string_view text, const guide_links& links) {
  return html_writer(links.model, &links).text_of(text);
}

std::string heading_name(std::string_view heading) {
  std::string name;
  for (const char c : heading) {
    const bool is_upper = 'A' <= c && c <= 'Z';
    if (is_upper) {
      name += static_cast<char>(c - 'A' + 'a');
    } else if (('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '-' || c == '_' ||
               static_cast<unsigned char>(c) >= 0x80) {
      name += c;
    } else if (c == ' ') {
      name += '-';
    }
  }
  const auto begin = name.find_first_not_of('-'), end = name.find_last_not_of('-');
  return begin == std::string::npos ? "" : name.substr(begin, end - begin + 1);
}

}  // namespace asperity
