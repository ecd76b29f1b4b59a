// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/portable.hpp>
#include <asperity/text.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/open_file.hpp>
#include <asperity/text/reader.hpp>
#include <cmath>
#include <iterator>

namespace asperity {

namespace {

std::string_view trim(std::string_view text) {
  text = trimmed(text, " \t\r");
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return text;
}

// Names as people give them to columns: "v", "position_mm", "f_x [N]". Sentences are not: a file that
// is no table shows nothing of what it says.
bool is_plain_word(std::string_view name) {
  const auto is_letter = [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_';
  };
  const std::size_t space = name.find(' ');
  if (space != std::string_view::npos &&
      (name.find(' ', space + 1) != std::string_view::npos ||
       std::string_view("([").find(name[std::min(space + 1, name.size() - 1)]) ==
           std::string_view::npos))
    return false;
  return !name.empty() && name.size() <= 32 && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return is_letter(c) || ('0' <= c && c <= '9') ||
                  std::string_view(" .-^*/%()[]").find(c) != std::string_view::npos;
         });
}

}  // namespace

csv_table csv_table::parse(std::string text, const std::string& file) {
  csv_table table;
  table.file_ = file;
  table.text_ = std::move(text);
  const std::string_view all = table.text_;
  std::size_t at = all.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0;  // byte order mark
  for (long line = 1; at < all.size(); ++line) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string_view whole = all.substr(at, end - at);
    const std::size_t begin = at;
    at = end + 1;
    if (trim(whole).empty() || trim(whole).front() == '#') continue;

    std::vector<cell> row;
    for (std::size_t from = 0; from <= whole.size();) {
      const std::size_t comma = std::min(whole.find(',', from), whole.size());
      row.push_back({begin + from, comma - from});
      from = comma + 1;
    }
    if (table.names_.empty()) {
      constexpr std::size_t most_columns = 10'000;
      if (row.size() > most_columns)
        throw error(fmt::format("{}:{}: there are {} columns, but at most {} are allowed", file,
                                line, row.size(), most_columns));
      table.names_line_ = line;
      for (const cell& c : row) {
        const std::string name{trim(all.substr(c.begin, c.length))};
        if (name.empty())
          throw error(fmt::format("{}:{}: column {} has no name in the first line", file, line,
                                  table.names_.size() + 1));
        if (table.has(name))
          throw error(
              fmt::format("{}:{}: column '{}' appears twice", file, line, shortened(name, 40)));
        table.names_.push_back(name);
      }
      continue;
    }
    if (row.size() != table.names_.size())
      throw error(fmt::format("{}:{}: this line has {} values, but line {} names {} columns", file,
                              line, row.size(), table.names_line_, table.names_.size()));
    table.cells_.insert(table.cells_.end(), row.begin(), row.end());
    table.lines_.push_back(line);
  }
  if (table.names_.empty())
    throw error(fmt::format("{}:1: the file is empty: the first line must name the columns", file));
  if (table.rows() == 0)
    throw error(fmt::format("{}:{}: there are no rows of numbers below the names of columns", file,
                            table.names_line_));
  return table;
}

csv_table csv_table::read(const std::string& file) {
  return parse(read_input_file(file, largest_table), file);
}

bool csv_table::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::string_view csv_table::cell_text(std::size_t row, std::size_t column) const {
  const cell& c = cells_[row * names_.size() + column];
  return trim(std::string_view(text_).substr(c.begin, c.length));
}

std::string csv_table::known_columns(std::string_view wanted) const {
  return asperity::known_columns(wanted, names_);
}

std::string known_columns(std::string_view wanted, const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const auto& each : names)
    if (is_plain_word(each)) words.push_back(each);
  const std::size_t others = names.size() - words.size();
  if (words.empty()) return "; the names in this line are not plain words";
  const std::string more =
      others == 0 ? "" : fmt::format(" (and {} whose names are not plain words)", others);
  std::string told = suggest(wanted, words);
  const std::string_view allowed = "allowed: ";  // nothing is, in a file: it is what it has
  if (const auto at = told.find(allowed); at != std::string::npos)
    told.replace(at, allowed.size(), "the columns are ");
  return fmt::format(": {}{}", told, more);
}

void csv_table::fail(std::string_view name, std::size_t row, const std::string& message) const {
  const auto index =
      static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  throw error(fmt::format("{}:{}: column '{}' = '{}': {}", file_, lines_[row], name,
                          shortened(cell_text(row, index), 40), message));
}

std::vector<double> csv_table::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end())
    throw error(fmt::format("{}:{}: there is no column '{}'{}", file_, names_line_, name,
                            known_columns(name)));
  const auto index = static_cast<std::size_t>(found - names_.begin());
  std::vector<double> result(rows());
  for (std::size_t row = 0; row < rows(); ++row) {
    std::string_view text = cell_text(row, index);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    const auto [end, code] =
        detail::from_chars(text.data(), text.data() + text.size(), result[row]);
    if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(result[row]))
      fail(name, row, "it must be a finite number");
  }
  return result;
}

std::vector<double> csv_table::increasing_column(std::string_view name) const {
  std::vector<double> result = column(name);
  for (std::size_t row = 1; row < result.size(); ++row)
    if (result[row] <= result[row - 1])
      fail(name, row, fmt::format("it must be above {}, the row before", result[row - 1]));
  return result;
}

std::string csv_cell(std::string_view text) {
  const bool is_formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  if (!is_formula && text.find_first_of(",\"\n\r") == std::string_view::npos)
    return std::string(text);
  std::string result = is_formula ? "\"'" : "\"";
  for (const char c : text) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

std::string to_csv(const std::vector<csv_column>& columns) {
  std::string out;
  std::size_t rows = columns.empty() ? 0 : columns.front().values->size();
  for (const auto& each : columns) rows = std::min(rows, each.values->size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ",",
                   csv_cell(as_utf8(columns[i].name)));
  out.push_back('\n');
  for (std::size_t row = 0; row < rows; ++row) {
    // The first rows tell how much is to come: text that doubled would take thrice its memory.
    constexpr std::size_t first_rows = 1000;
    if (row == first_rows) out.reserve(out.size() / first_rows * rows / 10 * 11);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i != 0) out.push_back(',');
      fmt::format_to(std::back_inserter(out), "{}", (*columns[i].values)[row]);
    }
    out.push_back('\n');
  }
  return out;
}

}  // namespace asperity
