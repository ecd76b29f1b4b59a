// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/portable.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text.hpp>
#include <asperity/text/measured_table.hpp>
#include <asperity/text/open_file.hpp>
#include <cmath>
#include <limits>
#include <optional>

namespace asperity {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_columns = 10'000;

std::string_view bare(std::string_view text) { return trimmed(text, " \t\r"); }

// The cells of a line one after another. A cell in quotes may hold separators; "" is a quote in it.
class cells_of {
 public:
  cells_of(std::string_view line, char separator) : left_(line), separator_(separator) {
    if (separator_ == ' ') left_ = bare(left_);
  }

  // Without quotes and blanks; false where there is no other.
  bool next(std::string_view& cell) {
    if (at_end_) return false;
    if (separator_ == ' ') return next_word(cell);
    const std::size_t begin = left_.find_first_not_of(separator_ == '\t' ? " " : " \t");
    std::size_t end = 0;
    if (begin != std::string_view::npos && left_[begin] == '"') {
      end = begin + 1;
      while (end < left_.size() && (left_[end] != '"' || left_.substr(end, 2) == "\"\""))
        end += left_[end] == '"' ? 2 : 1;
      end = std::min(end, left_.size());
    }
    end = std::min(left_.find(separator_, end), left_.size());
    cell = bare(left_.substr(0, end));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
      cell = bare(cell.substr(1, cell.size() - 2));
    at_end_ = end == left_.size();
    if (!at_end_) left_.remove_prefix(end + 1);
    return true;
  }

 private:
  bool next_word(std::string_view& cell) {
    const std::size_t end = std::min(left_.find_first_of(" \t"), left_.size());
    cell = left_.substr(0, end);
    left_.remove_prefix(end);
    left_ = bare(left_);
    at_end_ = left_.empty();
    return true;
  }

  std::string_view left_;
  char separator_;
  bool at_end_ = false;
};

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> result;
  cells_of cells(line, separator);
  for (std::string_view cell; cells.next(cell);) result.push_back(cell);
  return result;
}

std::string without_doubled_quotes(std::string_view name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    result += name[i];
    if (name.substr(i, 2) == "\"\"") ++i;
  }
  return result;
}

bool means_missing(std::string_view cell) {
  constexpr std::array words{"",     "nan",  "-nan", "na", "n/a", "#n/a",
                             "null", "none", "-",    "--", "?",   "nan(ind)"};
  if (cell.size() > 8) return false;
  std::string lower(cell);
  for (char& c : lower)
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::find(words.begin(), words.end(), lower) != words.end();
}

// The number in a cell, NaN where it is missing; nothing where it is something else.
std::optional<double> number_in(std::string_view cell, char separator) {
  if (means_missing(cell)) return missing;
  std::string with_point;
  if (separator != ',' && cell.find(',') != std::string_view::npos) {
    if (cell.size() > 64 || cell.find('.') != std::string_view::npos) return {};
    with_point = cell;
    *std::find(with_point.begin(), with_point.end(), ',') = '.';
    cell = with_point;
  }
  if (cell.front() == '+') cell.remove_prefix(1);
  double value = 0;
  const auto [end, code] = detail::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (code != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(value)) return {};
  return value;
}

// Whether these are numbers, at least one of them there.
bool are_numbers(const std::vector<std::string_view>& cells, char separator) {
  bool any = false;
  for (const auto cell : cells) {
    const auto value = number_in(cell, separator);
    if (!value) return false;
    any = any || !std::isnan(*value);
  }
  return any;
}

std::string_view without_brackets(std::string_view text) {
  text = bare(text);
  const bool is_in = text.size() >= 2 && ((text.front() == '[' && text.back() == ']') ||
                                          (text.front() == '(' && text.back() == ')'));
  return is_in ? bare(text.substr(1, text.size() - 2)) : text;
}

bool are_units(const std::vector<std::string_view>& cells) {
  bool any = false;
  for (const auto cell : cells) {
    const std::string_view text = without_brackets(cell);
    if (text.size() > 20 || text.find_first_of("0123456789.") == 0) return false;
    any = any || text != cell;
    try {
      parse_quantity(fmt::format("1 {}", text));
      any = any || !text.empty();
    } catch (const error&) {
      // One that we do not know may be one all the same, beside one that we do.
    }
  }
  return any;
}

// The separator that the first two lines agree on.
char separator_of(std::string_view first, std::string_view second) {
  const auto count = [](std::string_view line, char separator) {
    return split(line, separator).size();
  };
  for (const char each : {';', '\t', ','}) {
    const std::size_t here = count(first, each);
    if (here > 1 && (second.empty() || count(second, each) > 1)) return each;
  }
  const auto last = split(second.empty() ? first : second, ' ');
  const bool blanks = last.size() > 1 && are_numbers(last, ' ') && count(first, ' ') == last.size();
  return blanks ? ' ' : ',';
}

}  // namespace

std::vector<std::string> measured_table::names() const {
  std::vector<std::string> result;
  result.reserve(columns_.size());
  for (const column& each : columns_) result.push_back(each.name);
  return result;
}

std::string measured_table::place_of_names() const {
  return datasets_.empty() ? fmt::format("{}:{}", file_, std::max(names_line_, 1L)) : file_;
}

std::string measured_table::place_of(std::size_t row) const {
  return datasets_.empty() && row < numbers_.size() ? fmt::format("{}:{}", file_, numbers_[row])
                                                    : fmt::format("{}: row {}", file_, row + 1);
}

measured_table measured_table::read(const std::string& path, long skip) {
  for (const char* ending : {".h5:/", ".hdf5:/", ".hdf:/"})
    if (const std::size_t at = path.rfind(ending); at != std::string::npos) {
      const std::size_t colon = path.find(':', at);
      measured_table table;
      table.file_ = path;
      table.group_ = path.substr(colon + 1);
      table.bytes_ = read_input_file(path.substr(0, colon), largest_table);
      table.find_datasets();
      return table;
    }
  return parse(read_input_file(path, largest_table), path, skip);
}

measured_table measured_table::parse(std::string bytes, const std::string& file, long skip) {
  measured_table table;
  table.file_ = file;
  table.bytes_ = std::move(bytes);
  if (std::string_view(table.bytes_).starts_with("\x89HDF\r\n\x1a\n"))
    table.find_datasets();
  else
    table.read_text(skip);
  return table;
}

void measured_table::read_text(long skip) {
  const std::string_view all = bytes_;
  if (all.starts_with("\xff\xfe") || all.starts_with("\xfe\xff"))
    throw error(fmt::format("{}:1: the file is in UTF-16: save the table as UTF-8", file_));
  std::size_t at = all.starts_with("\xef\xbb\xbf") ? 3 : 0;  // byte order mark
  const char line_end =
      all.find('\n') == std::string_view::npos && all.find('\r') != std::string_view::npos ? '\r'
                                                                                           : '\n';
  std::string_view comment;  // the last before the first line
  for (long number = 1; at < all.size(); ++number) {
    const std::size_t end = std::min(all.find(line_end, at), all.size());
    const std::string_view text = bare(all.substr(at, end - at));
    if (number > skip && !text.empty() && text != "\"\"") {
      if (text.front() != '#' && text.front() != '%') {
        rows_.push_back({at, end - at});
        numbers_.push_back(number);
      } else if (rows_.empty()) {
        comment = bare(text.substr(text.find_first_not_of("#%") == std::string_view::npos
                                       ? text.size()
                                       : text.find_first_not_of("#%")));
      }
    }
    at = end + 1;
  }
  if (rows_.empty())
    throw error(
        fmt::format("{}:1: the file is empty: the first line must name the columns", file_));

  const auto text_of = [&](std::size_t row) {
    return row < rows_.size() ? all.substr(rows_[row].begin, rows_[row].length)
                              : std::string_view();
  };
  separator_ = separator_of(text_of(0), text_of(1));
  const auto first = split(text_of(0), separator_);
  if (first.size() > most_columns)
    throw error(fmt::format("{}:{}: there are {} columns, but at most {} are allowed", file_,
                            numbers_[0], first.size(), most_columns));
  columns_.resize(first.size());
  std::size_t above = 0;  // lines above the numbers
  if (are_numbers(first, separator_)) {
    // Names may stand in a comment, as numpy writes them.
    const auto names =
        split(comment, comment.find(separator_) == std::string_view::npos ? ' ' : separator_);
    if (names.size() == first.size() && names.size() > 1)
      for (std::size_t i = 0; i < names.size(); ++i) columns_[i].name = names[i];
  } else {
    names_line_ = numbers_[0];
    above = 1;
    for (std::size_t i = 0; i < first.size(); ++i)
      columns_[i].name = without_doubled_quotes(first[i]);
    if (columns_.size() > 1 && columns_.back().name.empty()) columns_.pop_back();
    const auto second = split(text_of(1), separator_);
    if (rows_.size() > 1 && !are_numbers(second, separator_) && second.size() >= columns_.size() &&
        are_units(second)) {
      above = 2;
      for (std::size_t i = 0; i < columns_.size(); ++i)
        columns_[i].unit = without_brackets(second[i]);
    }
  }
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(above));
  numbers_.erase(numbers_.begin(), numbers_.begin() + static_cast<std::ptrdiff_t>(above));
  if (rows_.empty())
    throw error(fmt::format("{}:{}: there are no rows of numbers below the names of columns", file_,
                            names_line_));
}

std::vector<std::vector<double>> measured_table::values(
    const std::vector<std::size_t>& places) const {
  return datasets_.empty() ? text_values(places) : dataset_values(places);
}

std::vector<std::vector<double>> measured_table::text_values(
    const std::vector<std::size_t>& places) const {
  const std::string_view all = bytes_;
  std::vector<std::vector<double>> result(places.size(), std::vector<double>(rows_.size()));
  struct decimal {
    long point = 0, comma = 0;  // the first line that has one
  };
  std::vector<decimal> seen(places.size());
  std::vector<std::string_view> cells;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    cells.clear();
    cells_of next(all.substr(rows_[row].begin, rows_[row].length), separator_);
    for (std::string_view cell; next.next(cell);) cells.push_back(cell);
    const bool ends_in_separator = cells.size() == columns_.size() + 1 && cells.back().empty();
    if (cells.size() != columns_.size() && !ends_in_separator)
      throw error(fmt::format(
          "{}:{}: this line has {} values, but {}", file_, numbers_[row], cells.size(),
          names_line_ > 0 ? fmt::format("line {} names {} columns", names_line_, columns_.size())
                          : fmt::format("line {} has {}", numbers_[0], columns_.size())));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::string_view cell = cells[places[i]];
      const auto fail = [&](const std::string& message) {
        const std::string& name = columns_[places[i]].name;
        throw error(
            fmt::format("{}:{}: column '{}' = '{}': {}", file_, numbers_[row],
                        name.empty() ? fmt::format("#{}", places[i] + 1) : shortened(name, 40),
                        shortened(cell, 40), message));
      };
      const auto value = number_in(cell, separator_);
      if (!value) fail("it must be a finite number");
      result[i][row] = *value;
      if (separator_ == ',' || std::isnan(*value)) continue;
      if (cell.find('.') != std::string_view::npos && seen[i].point == 0)
        seen[i].point = numbers_[row];
      if (cell.find(',') != std::string_view::npos && seen[i].comma == 0)
        seen[i].comma = numbers_[row];
      if (seen[i].point != 0 && seen[i].comma != 0)
        fail(fmt::format("this column has decimal points (line {}) and decimal commas (line {})",
                         seen[i].point, seen[i].comma));
    }
  }
  return result;
}

}  // namespace asperity
