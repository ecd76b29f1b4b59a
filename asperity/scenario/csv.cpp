// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/scenario/csv.hpp>
#include <asperity/scenario/reader.hpp>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>

namespace asperity {

namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return text;
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
      table.names_line_ = line;
      for (const cell& c : row) {
        const std::string name{trim(all.substr(c.begin, c.length))};
        if (name.empty())
          throw error(fmt::format("{}:{}: column {} has no name in the first line", file, line,
                                  table.names_.size() + 1));
        if (table.has(name))
          throw error(fmt::format("{}:{}: column '{}' is there twice", file, line, name));
        table.names_.push_back(name);
      }
      continue;
    }
    if (row.size() != table.names_.size())
      throw error(fmt::format("{}:{}: there are {} values '{}', but {} columns: {}", file, line,
                              row.size(), trim(whole), table.names_.size(),
                              fmt::join(table.names_, ", ")));
    table.cells_.insert(table.cells_.end(), row.begin(), row.end());
    table.lines_.push_back(line);
  }
  if (table.names_.empty())
    throw error(fmt::format("{}:1: the file is empty: the first line must name the columns", file));
  if (table.rows() == 0)
    throw error(fmt::format("{}:{}: there are no rows of numbers below the names {}", file,
                            table.names_line_, fmt::join(table.names_, ", ")));
  return table;
}

csv_table csv_table::read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw error(fmt::format("cannot read '{}': no such file, or not allowed", file));
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) throw error(fmt::format("cannot read '{}'", file));
  return parse(std::move(text), file);
}

bool csv_table::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::string_view csv_table::cell_text(std::size_t row, std::size_t column) const {
  const cell& c = cells_[row * names_.size() + column];
  return trim(std::string_view(text_).substr(c.begin, c.length));
}

void csv_table::fail(std::string_view name, std::size_t row, const std::string& message) const {
  const auto index =
      static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  throw error(fmt::format("{}:{}: column '{}' = '{}': {}", file_, lines_[row], name,
                          cell_text(row, index), message));
}

std::vector<double> csv_table::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end())
    throw error(fmt::format("{}:{}: there is no column '{}': {}", file_, names_line_, name,
                            suggest(name, names_)));
  const auto index = static_cast<std::size_t>(found - names_.begin());
  std::vector<double> result(rows());
  for (std::size_t row = 0; row < rows(); ++row) {
    std::string_view text = cell_text(row, index);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), result[row]);
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

std::string to_csv(const std::vector<csv_column>& columns) {
  fmt::memory_buffer out;
  const auto rows = columns.empty() ? std::size_t{0} : columns.front().values->size();
  for (std::size_t i = 0; i < columns.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ",", columns[i].name);
  out.push_back('\n');
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i != 0) out.push_back(',');
      fmt::format_to(std::back_inserter(out), "{}", (*columns[i].values)[row]);
    }
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

}  // namespace asperity
