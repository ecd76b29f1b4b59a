// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/publish/html.hpp>
#include <asperity/publish/markdown.hpp>
#include <asperity/publish/reference.hpp>
#include <asperity/text.hpp>
#include <map>

namespace asperity {

namespace {

std::string bare(std::string_view text) { return std::string(trimmed(text, " \t\n")); }

bool is_letter(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_';
}

// ---- C and C++ ----------------------------------------------------------------------------------

// A piece of a header: a comment, or code up to the end of a declaration or of its head.
struct piece {
  enum class kind { comment, head, declaration, end } is;  // head: it is followed by {
  std::string text;
  bool is_apart = false;  // an empty line stands before it
};

class header_reader {
 public:
  explicit header_reader(std::string_view text) : text_(text) {}

 private:
  std::string_view text_;
  std::size_t at_ = 0;

  bool skip_blanks() {
    int line_ends = 0;
    for (; at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == ';');
         ++at_)
      line_ends += text_[at_] == '\n' ? 1 : 0;
    return line_ends > 1;
  }
  void skip_directive() {
    for (; at_ < text_.size(); ++at_)
      if (text_[at_] == '\n' && text_[at_ - 1] != '\\') return;
  }

  // Lines that follow each other are one comment.
  std::string comment() {
    std::string result;
    if (text_.substr(at_).starts_with("/*")) {
      const std::size_t end = std::min(text_.find("*/", at_), text_.size() - 2);
      for (auto line : split_lines(text_.substr(at_ + 2, end - at_ - 2))) {
        line = bare(line);
        if (line.starts_with("*")) line = line.substr(std::min<std::size_t>(2, line.size()));
        result += line + '\n';
      }
      at_ = end + 2;
      return result;
    }
    while (text_.substr(at_).starts_with("//")) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_ + 2, end - at_ - 2);
      if (line.starts_with(' ')) line.remove_prefix(1);
      result += std::string(line) + '\n';
      at_ = end;  // the end of the line counts where an empty one follows
      std::size_t next = std::min(end + 1, text_.size());
      while (next < text_.size() && text_[next] == ' ') ++next;
      if (text_.substr(next).starts_with("//")) at_ = next;
    }
    return result;
  }

  // Up to a ; or a { outside of brackets; of a { } that initialises a value it goes on.
  piece code() {
    const std::size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
        continue;
      }
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (depth > 0) continue;
      if (c == ';') {
        ++at_;
        return {piece::kind::declaration, bare(text_.substr(begin, at_ - 1 - begin))};
      }
      if (c != '{') continue;
      const std::string head = bare(text_.substr(begin, at_ - begin));
      const bool initialises = head.ends_with('=') || head.find(" = ") != std::string::npos ||
                               head.starts_with("inline constexpr");
      if (!initialises) {
        ++at_;
        return {piece::kind::head, head};
      }
      skip_braces();
    }
    return {piece::kind::declaration, bare(text_.substr(begin, at_ - begin))};
  }

 public:
  // From a { or just behind it to the } that belongs to it.
  void skip_braces(int depth = 0) {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '{') ++depth;
      if (text_[at_] == '}' && --depth == 0) return;
    }
  }
  // The text between the braces that were just opened; goes on behind them.
  std::string body() {
    const std::size_t begin = at_;
    skip_braces(1);
    std::string result(text_.substr(begin, at_ - begin));
    ++at_;
    return result;
  }
  // The name behind the body of a typedef.
  void skip_declaration() { at_ = std::min(text_.find(';', at_), text_.size()); }
  bool next(piece& to) {
    const bool is_apart = skip_blanks();
    if (at_ >= text_.size()) return false;
    if (text_[at_] == '#') {
      skip_directive();
      return next(to);
    }
    if (text_.substr(at_).starts_with("//") || text_.substr(at_).starts_with("/*")) {
      to = {piece::kind::comment, comment(), is_apart};
    } else if (text_[at_] == '}') {
      ++at_;
      to = {piece::kind::end, "", is_apart};
    } else {
      to = code();
      to.is_apart = is_apart;
    }
    return true;
  }
};

bool begins_with_word(const std::string& text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !is_letter(text[word.size()]));
}

// "simulate" of "run_data simulate(const scenario&, const simulate_options& = {})", "scenario" of
// "struct scenario : run_setting".
std::string name_in(std::string declaration) {
  for (std::size_t at; (at = declaration.find("template <")) == 0;) {
    int depth = 0;
    std::size_t end = at + 9;
    for (; end < declaration.size(); ++end) {
      if (declaration[end] == '<') ++depth;
      if (declaration[end] == '>' && --depth == 0) break;
    }
    declaration = bare(declaration.substr(std::min(end + 1, declaration.size())));
  }
  for (const char* word : {"typedef ", "enum class ", "enum ", "struct ", "class ", "using "})
    if (declaration.starts_with(word)) {
      declaration = declaration.substr(std::string_view(word).size());
      if (std::string_view(word) == "typedef ") return name_in(declaration);
      std::size_t end = 0;
      while (end < declaration.size() && is_letter(declaration[end])) ++end;
      return declaration.substr(0, end);
    }
  std::size_t end = std::min(
      {declaration.find('('), declaration.find('='), declaration.find('{'), declaration.size()});
  while (end > 0 && !is_letter(declaration[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_letter(declaration[begin - 1])) --begin;
  return declaration.substr(begin, end - begin);
}

// ---- Python -------------------------------------------------------------------------------------

std::size_t indent_of(const std::string& line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at == std::string::npos ? line.size() : at;
}

// The docstring that begins at a line, without its indent; empty where there is none.
std::string docstring(const std::vector<std::string>& lines, std::size_t at) {
  if (at >= lines.size()) return "";
  const std::string first = bare(lines[at]);
  if (!first.starts_with("\"\"\"")) return "";
  const std::size_t indent = indent_of(lines[at]);
  std::string text = first.substr(3);
  if (const auto end = text.find("\"\"\""); end != std::string::npos) return text.substr(0, end);
  text += '\n';
  for (++at; at < lines.size(); ++at) {
    const std::string line =
        lines[at].size() > indent ? lines[at].substr(std::min(indent, indent_of(lines[at]))) : "";
    const auto end = line.find("\"\"\"");
    text += line.substr(0, end) + '\n';
    if (end != std::string::npos) break;
  }
  return bare(text);
}

}  // namespace

documented_file read_header(std::string_view text) {
  documented_file result;
  header_reader reader(text);
  std::string comment;
  bool is_first = true;
  piece now;
  while (reader.next(now)) {
    if (now.is == piece::kind::comment) {
      // The licence, and the lines that divide a file.
      const bool is_rule = now.text.starts_with("----");
      if (now.text.find("SPDX") != std::string::npos && now.text.find('\n') + 1 == now.text.size())
        continue;
      if (is_first && !is_rule) result.about = now.text;
      is_first = false;
      comment = is_rule ? "" : now.text;
      continue;
    }
    if (now.is == piece::kind::end) {
      comment.clear();
      continue;
    }
    is_first = false;
    const bool opens = now.is == piece::kind::head;
    std::string declaration = now.text;
    if (opens && (begins_with_word(declaration, "namespace") || declaration == "extern \"C\"")) {
      const std::string name =
          bare(declaration.substr(std::min<std::size_t>(9, declaration.size())));
      const bool is_ours = name == "asperity" || declaration == "extern \"C\"";
      if (!is_ours) (void)reader.body();
      comment.clear();
      continue;
    }
    if (opens) {
      // Types are shown whole, as long as they are short; functions without their body.
      const std::string body = reader.body();
      if (declaration.starts_with("typedef")) reader.skip_declaration();
      const bool is_type = declaration.find("struct ") != std::string::npos ||
                           declaration.find("class ") != std::string::npos ||
                           declaration.starts_with("enum") || declaration.starts_with("typedef");
      const bool is_function = declaration.find('(') != std::string::npos;
      constexpr std::size_t longest_type = 4000;
      if (is_type && !is_function && body.size() < longest_type) declaration += " {" + body + "}";
    }
    // What a comment stands directly above belongs to it.
    const std::string about = now.is_apart ? "" : comment;
    if (declaration.starts_with("ASPERITY_API ")) declaration = declaration.substr(13);
    if (const std::string name = name_in(declaration); !name.empty())
      result.names.push_back({name, declaration, about});
    comment.clear();
  }
  return result;
}

documented_file read_module(std::string_view text) {
  documented_file result;
  const auto lines = split_lines(text);
  std::string in_class;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line = bare(lines[i]);
    const std::size_t indent = indent_of(lines[i]);
    if (result.about.empty() && indent == 0 && line.starts_with("\"\"\"")) {
      result.about = docstring(lines, i);
      continue;
    }
    if (indent == 0 && !line.empty() && !line.starts_with("class ") && !line.starts_with(")"))
      in_class = line.starts_with("def ") || line.starts_with("@") ? "" : in_class;
    const bool is_class = line.starts_with("class ") && indent == 0;
    const bool is_method = line.starts_with("def ") && indent == 4 && !in_class.empty();
    const bool is_function = line.starts_with("def ") && indent == 0;
    if (!is_class && !is_method && !is_function) continue;
    std::size_t end = i;
    std::string head = line;
    while (!head.ends_with(':') && end + 1 < lines.size()) head += ' ' + bare(lines[++end]);
    head.pop_back();
    const std::size_t begin = head.find(' ') + 1;
    std::size_t stop = begin;
    while (stop < head.size() && is_letter(head[stop])) ++stop;
    std::string name = head.substr(begin, stop - begin);
    if (is_class) in_class = name.starts_with("_") ? "" : name;
    if (is_function) in_class.clear();
    const std::string about = docstring(lines, end + 1);
    if ((name.starts_with("_") && name != "__call__") || about.empty()) continue;
    if (is_method && name == "__call__") head = head.substr(4 + name.size());
    const bool is_property = i > 0 && bare(lines[i - 1]) == "@property";
    if (is_property) head = name;
    if (head.starts_with("def ")) head = head.substr(4);
    for (const char* self : {"(self, ", "(self)"})
      if (const auto at = head.find(self); at != std::string::npos)
        head.replace(at, std::string_view(self).size(),
                     std::string_view(self) == "(self)" ? "()" : "(");
    if (is_method) {
      head.insert(0, in_class + (head.starts_with("(") ? " object" : "."));
      name = fmt::format("{}.{}", in_class, name);
    }
    result.names.push_back({name, head, about});
  }
  return result;
}

std::vector<std::string> exported_names(std::string_view text) {
  std::vector<std::string> names;
  const std::size_t begin = text.find("__all__ = ["), end = text.find(']', begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return names;
  std::size_t at = begin;
  while ((at = text.find('"', at)) < end) {
    const std::size_t close = text.find('"', at + 1);
    if (close >= end) break;
    names.emplace_back(text.substr(at + 1, close - at - 1));
    at = close + 1;
  }
  return names;
}

std::string comment_html(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const std::size_t mark = text.find('`');
    const std::size_t width = text.substr(std::min(mark, text.size())).starts_with("``") ? 2 : 1;
    const std::size_t begin = mark + width;
    const std::size_t end =
        mark == std::string_view::npos ? mark : text.find(text.substr(mark, width), begin);
    if (end == std::string_view::npos || end == begin) {
      const std::size_t shown = end == begin && end != std::string_view::npos ? end : text.size();
      html += escaped(text.substr(0, shown));
      text.remove_prefix(shown);
      continue;
    }
    // :class:`Model`
    std::string_view before = text.substr(0, mark);
    if (before.ends_with(':')) {
      const std::size_t role = before.rfind(':', before.size() - 2);
      if (before.size() > 2 && role != std::string_view::npos &&
          std::all_of(before.begin() + static_cast<std::ptrdiff_t>(role) + 1, before.end() - 1,
                      [](char c) { return 'a' <= c && c <= 'z'; }))
        before = before.substr(0, role);
    }
    html +=
        fmt::format("{}<code>{}</code>", escaped(before), escaped(text.substr(begin, end - begin)));
    text.remove_prefix(end + width);
  }
  return html;
}

std::string reference_html(const documented_file& file, const std::string& prefix) {
  std::string html = "<dl class=\"reference\">\n";
  std::map<std::string, int> taken;  // functions of one name
  for (const auto& each : file.names) {
    std::string id = heading_name(prefix + each.name);
    if (const int times = taken[id]++; times > 0) id += fmt::format("-{}", times);
    html += fmt::format("<dt id=\"{}\"><div class=\"wide\"><pre>{}</pre></div></dt>\n", escaped(id),
                        escaped(each.declaration));
    if (!each.text.empty())
      html += fmt::format("<dd><p>{}</p></dd>\n", comment_html(bare(each.text)));
  }
  return html + "</dl>\n";
}

}  // namespace asperity
