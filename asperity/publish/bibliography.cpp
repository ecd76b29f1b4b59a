// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/publish/bibliography.hpp>
#include <asperity/publish/html.hpp>
#include <asperity/text.hpp>
#include <asperity/text/open_file.hpp>
#include <filesystem>

namespace asperity {

namespace {

constexpr std::uintmax_t largest_bibliography = 1'000'000;  // [bytes]

class bibliography_reader {
 public:
  bibliography_reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::map<std::string, source_entry> entries() {
    std::map<std::string, source_entry> result;
    while (skip_to_entry()) {
      (void)word("the kind of an entry");
      expect('{');
      const std::string key = word("the name of an entry");
      if (result.count(key) > 0) fail(fmt::format("the entry '{}' appears twice", key));
      source_entry& entry = result[key];
      for (skip_blanks(); peek() == ','; skip_blanks()) {
        ++at_;
        skip_blanks();
        if (peek() == '}') break;
        const std::string name = word("the name of a field");
        expect('=');
        set(entry, name, braced());
      }
      expect('}');
    }
    return result;
  }

 private:
  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;

  [[noreturn]] void fail(const std::string& message) const {
    const auto line =
        1 + std::count(text_.begin(),
                       text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())),
                       '\n');
    throw error(fmt::format("{}:{}: {}", file_, line, message));
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  // Lines of comment begin with %.
  bool skip_to_entry() {
    for (;;) {
      skip_blanks();
      if (at_ >= text_.size()) return false;
      if (peek() == '%') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (peek() == '@') {
        ++at_;
        return true;
      } else {
        fail("expected an entry, which begins with @");
      }
    }
  }
  void expect(char sign) {
    skip_blanks();
    if (peek() != sign) fail(fmt::format("expected '{}'", sign));
    ++at_;
  }
  std::string word(const char* what) {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (('a' <= text_[at_] && text_[at_] <= 'z') || ('A' <= text_[at_] && text_[at_] <= 'Z') ||
            ('0' <= text_[at_] && text_[at_] <= '9') || text_[at_] == '_'))
      ++at_;
    if (at_ == begin) fail(fmt::format("expected {}", what));
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string braced() {
    expect('{');
    const std::size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) fail("a { has no }");
    const std::string value = as_utf8(text_.substr(at_, end - at_));
    at_ = end + 1;
    return value;
  }
  void set(source_entry& entry, const std::string& name, const std::string& value) const {
    const std::pair<const char*, std::string source_entry::*> fields[] = {
        {"author", &source_entry::author}, {"title", &source_entry::title},
        {"kind", &source_entry::kind},     {"where", &source_entry::where},
        {"year", &source_entry::year},     {"doi", &source_entry::doi}};
    for (const auto& [field, place] : fields)
      if (name == field) {
        entry.*place = value;
        return;
      }
    fail(
        fmt::format("unknown field '{}': allowed are author, title, kind, where, year, doi", name));
  }
};

}  // namespace

std::map<std::string, source_entry> parse_sources(std::string_view text, const std::string& file) {
  return bibliography_reader(text, file).entries();
}

std::map<std::string, source_entry> read_sources(const std::string& folder) {
  const std::string file = (std::filesystem::path(folder) / "sources.bib").string();
  if (!std::filesystem::exists(file)) return {};
  return parse_sources(read_input_file(file, largest_bibliography), file);
}

std::string source_html(const source_entry& entry) {
  std::string html = escaped(entry.author);
  if (!entry.title.empty())
    html += fmt::format("{}<cite>{}</cite>.", html.empty() ? "" : ": ", escaped(entry.title));
  std::string where;
  for (const auto& each : {entry.kind, entry.where, entry.year})
    if (!each.empty()) where += fmt::format("{}{}", where.empty() ? "" : ", ", escaped(each));
  if (!where.empty()) html += " " + where + ".";
  return html + doi_html(entry.doi);
}

}  // namespace asperity
