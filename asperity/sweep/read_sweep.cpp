// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/quantity.hpp>
#include <asperity/sweep/store.hpp>
#include <asperity/sweep/sweep_file.hpp>
#include <asperity/text.hpp>
#include <asperity/text/open_file.hpp>
#include <asperity/text/ranges.hpp>
#include <atomic>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <system_error>
#include <thread>

namespace asperity {

namespace {

using namespace sweep_file;

constexpr long long most_points_in_file = 1'000'000'000, most_columns = 1000;

std::string fact(const facts& about, const std::string& key) {
  const auto found = about.find(key);
  return found == about.end() ? "" : found->second;
}

unit unit_at(const rows& from, int column) {
  const std::string text = from.text(column);
  if (text == "-") return units::one;
  try {
    return parse_quantity("1 " + text).in;
  } catch (const error&) {
    from.fail(column, "a unit");
  }
}

std::string name_at(const rows& from, int column) {
  std::string name = from.text(column);
  if (name.empty() || name.size() > 1000 || name.find('\0') != std::string::npos)
    from.fail(column, "a name");
  return name;
}

class sweep_reader {
 public:
  sweep_reader(SQLite::Database& data, const std::string& file) : data_(data), file_(file) {}

  sweep_table go() {
    check_pages(data_, file_);
    check_kind(data_, file_);
    check_tables(data_, file_, fixed_tables());
    read_about();
    read_parameters();
    read_measures();
    check_count();
    check_tables(data_, file_, {results_table(parameter_columns_, measure_columns_)});
    read_results();
    read_lists();
    return std::move(table_);
  }

 private:
  void read_about() {
    const facts about = read_facts(data_, file_);
    table_.title = printable(fact(about, "title"));
    table_.version = printable(fact(about, "asperity"));
    table_.scenario = fact(about, "scenario");
    const std::string along = fact(about, "continuation");
    bool known = false;
    for (const auto each :
         {continuation::none, continuation::up, continuation::down, continuation::both})
      if (along == to_string(each)) {
        table_.along = each;
        known = true;
      }
    if (!known) damaged(file_, "its continuation is not none, up, down or both");
    const std::string seed = fact(about, "seed");
    const char* end = seed.data() + seed.size();
    if (std::from_chars(seed.data(), end, table_.seed).ptr != end || seed.empty())
      damaged(file_, "its seed is not a number");
    table_.points = whole_fact(about, "points", file_, 1, most_points_in_file);
    table_.samples = whole_fact(about, "samples", file_, 1, most_points_in_file);
  }

  void read_parameters() {
    rows each(data_, file_, "parameters",
              "SELECT position, name, unit, given, drawn, result_column FROM parameters ORDER BY "
              "position");
    for (long long i = 0; each.next(); ++i) {
      each.whole(0, i, std::min(i, most_columns - 1));
      sweep_axis axis{printable(name_at(each, 1)), unit_at(each, 2), each.text(3), {}, false};
      const bool is_drawn = each.whole(4, 0, 1) == 1;
      add_column(each, 5, parameter_columns_);
      if (is_drawn) {
        table_.draws.push_back(std::move(axis));
        continue;
      }
      if (!table_.draws.empty()) each.fail(4, "0 before the parameters that are drawn");
      try {
        axis.values = parse_values(axis.text, axis.in);
      } catch (const error&) {
        each.fail(3, "the values of a parameter");
      }
      axis.is_log = axis.text.find("log(") != std::string::npos;
      table_.axes.push_back(std::move(axis));
    }
  }

  void read_measures() {
    rows each(data_, file_, "measures",
              "SELECT position, name, unit, is_list, result_column FROM measures ORDER BY "
              "position");
    for (long long i = 0; each.next(); ++i) {
      each.whole(0, i, std::min(i, most_columns - 1));
      sweep_measure measure;
      measure.name = printable(name_at(each, 1));
      measure.in = unit_at(each, 2);
      measure.is_list = each.whole(3, 0, 1) == 1;
      table_.measures.push_back(std::move(measure));
      add_column(each, 4, measure_columns_);
    }
  }

  void add_column(const rows& each, int column, std::vector<std::string>& to) {
    to.push_back(name_at(each, column));
    if (!columns_.insert(to.back()).second) each.fail(column, "the name of one column only");
  }

  // As many points as the values of the parameters make.
  void check_count() const {
    double count = table_.along == continuation::both ? 2 : 1;
    for (const auto& axis : table_.axes) count *= static_cast<double>(axis.values.size());
    if (!table_.draws.empty()) count *= static_cast<double>(table_.samples);
    if (count != static_cast<double>(table_.points) ||
        (table_.draws.empty() && table_.samples != 1))
      damaged(file_, fmt::format("its parameters make {:g} points, not {}", count, table_.points));
    if (table_.along != continuation::none && table_.axes.empty())
      damaged(file_, "it has no parameter to follow");
  }

  // What the axes say of a point, as sweep_plan::parameters() does, and how it was reached.
  struct place {
    std::vector<std::size_t> index;
    bool goes_up = true;
  };
  void find_place(long long point, place& result) const {
    result.index.resize(table_.axes.size());
    result.goes_up = true;
    long long rest = point / table_.samples;
    for (std::size_t i = table_.axes.size(); i-- > 0;) {
      const auto size = static_cast<long long>(table_.axes[i].values.size());
      result.index[i] = static_cast<std::size_t>(rest % size);
      rest /= size;
      if (i + 1 < table_.axes.size() || table_.along != continuation::both) continue;
      result.goes_up = rest % 2 == 0;
      rest /= 2;
    }
    if (table_.along == continuation::down) result.goes_up = false;
  }

  std::string query_of_results(const char* which) const {
    std::string columns;
    for (const auto* list : {&parameter_columns_, &measure_columns_})
      for (const auto& each : *list) columns += ", " + sql_name(each);
    return fmt::format("SELECT point, branch, outcome, detail{} FROM results {} ORDER BY point",
                       columns, which);
  }

  void read_results() {
    rows all(data_, file_, "results", "SELECT count(*) FROM results");
    all.next();
    const auto count = static_cast<std::size_t>(all.whole(0, 0, most_points_in_file));
    table_.point.resize(count);
    table_.outcome.resize(count);
    table_.detail.resize(count);
    if (table_.along != continuation::none) table_.branch.resize(count);
    table_.parameters.assign(parameter_columns_.size(), std::vector<double>(count));
    table_.values.assign(table_.measures.size(), std::vector<double>(count));
    if (read_in_parts(count)) return;
    rows each(data_, file_, "results", query_of_results(""));
    place at;
    long long before = -1;
    for (std::size_t row = 0; row < count; ++row) {
      if (!each.next()) damaged(file_, "it has fewer results than it states");
      take_row(each, row, before + 1, at);
      before = table_.point[row];
    }
  }

  // A large table that is complete, by several threads. Nobody writes meanwhile, since this connection
  // reads; where another process is about to, none of them may begin. Returns false where anything is
  // amiss: row after row will tell what.
  bool read_in_parts(std::size_t count) {
    constexpr std::size_t enough = 50'000;  // rows
    if (table_.points != static_cast<long long>(count)) return false;
    const std::size_t parts =
        std::min<std::size_t>(count / enough, std::max(1U, std::thread::hardware_concurrency()));
    if (parts < 2) return false;
    std::atomic<bool> is_fine{true};
    const auto read = [&](std::size_t part) {
      try {
        SQLite::Database own = open_database(file_, SQLite::OPEN_READWRITE);
        own.setBusyTimeout(0);
        const std::size_t end = count * (part + 1) / parts;
        std::size_t row = count * part / parts;
        rows each(
            own, file_, "results",
            query_of_results(fmt::format("WHERE point >= {} AND point < {}", row, end).c_str()));
        place at;
        for (; row < end && is_fine && each.next(); ++row) {
          take_row(each, row, static_cast<long long>(row), at);
          if (table_.point[row] != static_cast<long long>(row)) is_fine = false;
        }
        if (row < end) is_fine = false;
      } catch (const std::exception&) {
        is_fine = false;
      }
    };
    std::vector<std::thread> threads;
    try {
      for (std::size_t part = 1; part < parts; ++part) threads.emplace_back(read, part);
      read(0);
    } catch (const std::system_error&) {
      is_fine = false;  // no more threads
    }
    for (auto& each : threads) each.join();
    return is_fine;
  }

  // The point must be `lowest` or a later one.
  void take_row(const rows& each, std::size_t row, long long lowest, place& at) {
    const long long point = each.whole(0, lowest, table_.points - 1);
    table_.point[row] = point;
    find_place(point, at);
    if (table_.along == continuation::none) {
      if (!each.is_null(1)) each.fail(1, "empty");
    } else {
      const char* wanted = at.goes_up ? "up" : "down";
      if (each.text_at(1) != wanted) each.fail(1, wanted);
      table_.branch[row] = wanted;
    }
    table_.outcome[row] = each.text_at(2);
    if (each.is_null(3)) {
      table_.detail[row].clear();
    } else {
      table_.detail[row] = each.text_at(3);
    }
    const std::size_t inputs = parameter_columns_.size();
    for (std::size_t i = 0; i < inputs; ++i) {
      const int column = static_cast<int>(4 + i);
      double value = each.number(column);
      if (i < table_.axes.size()) {
        // To the last bit as this machine computes it, so that equal ones are found equal.
        const double wanted = table_.axes[i].values[at.index[i]];
        if (!(std::abs(value - wanted) <= 1e-9 * std::abs(wanted)))
          each.fail(column, fmt::format("{:g}", wanted));
        value = wanted;
      } else if (!std::isfinite(value)) {
        each.fail(column, "a finite number");
      }
      table_.parameters[i][row] = value;
    }
    for (std::size_t i = 0; i < table_.measures.size(); ++i) {
      const int column = static_cast<int>(4 + inputs + i);
      table_.values[i][row] =
          each.is_null(column) ? std::numeric_limits<double>::quiet_NaN() : each.number(column);
    }
  }

  void read_lists() {
    rows each(data_, file_, "lists",
              "SELECT point, measure, value FROM lists ORDER BY point, measure, position");
    while (each.next()) {
      const long long point = each.whole(0, 0, table_.points - 1);
      const auto row = std::lower_bound(table_.point.begin(), table_.point.end(), point);
      if (row == table_.point.end() || *row != point) each.fail(0, "a point that has a result");
      const auto measure = static_cast<std::size_t>(
          each.whole(1, 0, static_cast<long long>(table_.measures.size()) - 1));
      if (!table_.measures[measure].is_list) each.fail(1, "a measure with a list of values");
      table_.lists.push_back(
          {static_cast<std::size_t>(row - table_.point.begin()), measure, each.number(2)});
    }
  }

  SQLite::Database& data_;
  const std::string& file_;
  sweep_table table_;
  std::vector<std::string> parameter_columns_, measure_columns_;
  std::set<std::string> columns_;
};

}  // namespace

bool is_sweep_file(const std::string& file) {
  try {
    const open_file opened = open_input_file(file, largest_sweep);
    char start[16] = "";
    return pread(opened.descriptor(), start, sizeof start, 0) == sizeof start &&
           std::string_view(start, 15) == "SQLite format 3";
  } catch (const error&) {
    return false;  // whoever reads it as something else says why it cannot be read
  }
}

sweep_table read_sweep(const std::string& file) {
  return guarded(file, [&] {
    // A journal that a killed process left must be played back, so reading may write.
    SQLite::Database data = open_database(file, SQLite::OPEN_READWRITE);
    const SQLite::Transaction whole(data);  // one view of the file, whoever writes
    return sweep_reader(data, file).go();
  });
}

}  // namespace asperity
