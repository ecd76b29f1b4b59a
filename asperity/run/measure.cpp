// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/run/measure_tools.hpp>
#include <asperity/text.hpp>

namespace asperity {

namespace detail {

stretch cut(const run_data& run, const std::string& column, double from, double to, double ewma) {
  const auto& t = run.columns.front().values;
  std::vector<double> y = run[column];
  for (std::size_t i = 1; i < y.size(); ++i) y[i] = ewma * y[i] + (1 - ewma) * y[i - 1];
  stretch result;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i] < from || t[i] > to) continue;
    result.t.push_back(t[i]);
    result.y.push_back(y[i]);
  }
  return result;
}

double largest_size(const std::vector<double>& y) {
  double largest = 0;
  for (const double value : y) largest = std::max(largest, std::abs(value));
  return largest;
}

passes find_passes(const std::vector<double>& t, const std::vector<double>& y, double level,
                   double confirmed) {
  passes found;
  double latest = nothing;
  for (std::size_t i = 1; i < t.size(); ++i) {
    if (y[i] <= level) latest = nothing;
    if (y[i - 1] <= level && y[i] > level)
      latest = t[i - 1] + (t[i] - t[i - 1]) * (level - y[i - 1]) / (y[i] - y[i - 1]);
    if (std::isnan(latest) || !(y[i] >= confirmed)) continue;
    found.last = latest;
    latest = nothing;
    if (found.count++ == 0) found.first = found.last;
  }
  return found;
}

}  // namespace detail

namespace {

using subject = measure_row::subject;
using level_key = measure_row::level_key;
using number_key = measure_row::number_key;

// Of one column, in its unit, without further keys.
bool is_plain(const measure_row& row) {
  const unit probe = units::newton;
  return row.of == subject::column && row.level == level_key::none && row.n == number_key::none &&
         !row.window && !row.prominence && !row.is_settled && row.unit_in(probe, probe) == probe;
}

std::string read_word(reader& table, const std::string& key, bool (*fits)(const measure_row&)) {
  std::vector<std::string> names;
  for (const measure_row* each : measures())
    if (fits(*each)) names.emplace_back(each->word);
  return table.word(key, names);
}

// The rows of the last full cycle of x: between its last two passes upwards through its middle.
void keep_last_cycle(std::vector<double>& x, std::vector<double>& y) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double half = (*low + *high) / 2;
  std::vector<std::size_t> passes;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (x[i - 1] < half && x[i] >= half) passes.push_back(i);
  if (passes.size() < 2) {
    x.clear();
    y.clear();
    return;
  }
  const auto from = static_cast<std::ptrdiff_t>(passes[passes.size() - 2]),
             to = static_cast<std::ptrdiff_t>(passes.back()) + 1;  // closed
  x = {x.begin() + from, x.begin() + to};
  y = {y.begin() + from, y.begin() + to};
}

// A body sticks to what it rubs on, which may move itself.
std::string slip_column(const run_data& run) {
  for (const char* slip : {"w", "slip"})
    if (run.find(slip) != nullptr) return slip;
  return "v";
}

}  // namespace

const measure_row* find_measure(std::string_view word) {
  for (const measure_row* each : measures())
    if (word == each->word) return each;
  return nullptr;
}

measure read_measure(reader& table, unit axis) {
  measure m;
  m.what = find_measure(read_word(table, "measure", [](const measure_row&) { return true; }));
  const measure_row& row = *m.what;
  if (row.of == subject::slip) {
    if (table.has("column")) m.column = table.text("column");
  } else if (row.of != subject::run) {
    m.column = table.text(row.of == subject::event ? "event" : "column");
  }
  if (row.of == subject::two_columns) {
    m.over = table.text("over");
    m.last_cycle = table.word("cycle", {"all", "last"}, "all") == "last";
  }
  if (row.level == level_key::any || row.level == level_key::positive ||
      (row.level == level_key::may_be_left_out && table.has("level")))
    m.level = table.number("level", units::one, row.level == level_key::any ? any_value : positive);
  if (row.of != subject::event) m.ewma = table.number("ewma", units::one, {0, 1, true}, 1.0);
  m.axis = axis;
  m.second_half = row.is_settled && !table.has("from");
  m.from = table.number("from", axis, any_value, 0.0);
  if (table.find("to") != nullptr) m.to = table.number("to", axis, any_value);
  if (m.to < m.from)
    table.fail("to", fmt::format("it must be at least from = {:g} {}", m.from, to_string(axis)));
  if (row.window) m.window = table.number("window", axis, positive);
  if (row.prominence) m.prominence = table.number("prominence", units::one, non_negative, 0.0);
  if (row.n != number_key::none)
    m.n = table.integer("n", {row.n == number_key::or_last ? -1.0 : 1.0, 1e9}, 1);
  if (m.n == 0) table.fail("n", "it must be at least 1, or -1 for the last");
  return m;
}

measure read_plain_measure(reader& table, const std::string& key, const measure& like,
                           const std::string& column) {
  measure m;
  m.what = find_measure(read_word(table, key, is_plain));
  m.column = column;
  m.from = like.from;
  m.to = like.to;
  m.axis = like.axis;
  return m;
}

measure parse_measure(std::string_view text) {
  text = trimmed(text);
  const std::string place = fmt::format("--measure {}", text);
  const auto open = text.find('(');
  if (open != std::string_view::npos && !text.ends_with(')'))
    throw error(fmt::format("{}: the bracket is not closed", place));
  const std::string word{trimmed(text.substr(0, open))};
  toml_value table;
  table.place = place;
  assign(table, "measure", toml_value::of(word));
  table.items.back().place = place;
  std::string_view left;
  if (open != std::string_view::npos) left = trimmed(text.substr(open + 1, text.size() - open - 2));
  const measure_row* known = find_measure(word);
  const bool events = known != nullptr && known->of == subject::event;
  for (bool is_first = true; !left.empty(); is_first = false) {
    const auto comma = left.find(',');
    const std::string_view part = trimmed(left.substr(0, comma));
    left = comma == std::string_view::npos ? std::string_view{} : trimmed(left.substr(comma + 1));
    std::string setting(part);
    if (part.find('=') == std::string_view::npos) {
      if (!is_first)
        throw error(fmt::format("{}: '{}': only KEY=VALUE can follow the column", place, part));
      setting = fmt::format("{}={}", events ? "event" : "column", part);
    }
    try {
      apply_override(table, setting);
    } catch (const error&) {
      throw error(fmt::format("{}: '{}': write KEY=VALUE, such as n=2", place, setting));
    }
    for (auto& item : table.items) item.place = place;
  }
  toml_value record;
  reader checked(table, "", record);
  measure result = read_measure(checked);
  checked.finish();
  return result;
}

std::vector<double> find_extrema(const measure& m, const run_data& run) {
  const double end = run.columns.front().values.empty() ? 0 : run.columns.front().values.back();
  const detail::stretch s = detail::cut(run, m.column, m.second_half ? end / 2 : m.from, m.to);
  if (s.y.empty()) return {};
  const auto [low, high] = std::minmax_element(s.y.begin(), s.y.end());
  if (*high - *low <= detail::rest * detail::largest_size(run[m.column])) return {s.y.back()};
  std::vector<double> found;
  for (std::size_t i = 1; i + 1 < s.y.size(); ++i) {
    const double before = s.y[i] - s.y[i - 1], after = s.y[i + 1] - s.y[i];
    const bool turns = (before > 0 && after <= 0) || (before < 0 && after >= 0);
    if (!turns) continue;
    // The top of the parabola through three samples, which lie at equal distances but for the end.
    const double bend = after - before, slope = 0.5 * (after + before);
    found.push_back(bend == 0 ? s.y[i] : s.y[i] - 0.5 * slope * slope / bend);
  }
  return found;
}

double evaluate(const measure& wanted, const run_data& run) {
  measure m = wanted;
  if (m.second_half && !run.columns.front().values.empty())
    m.from = run.columns.front().values.back() / 2;
  const measure_row& row = *m.what;
  if (row.of == subject::slip && m.column.empty()) m.column = slip_column(run);
  measured_stretch s{m, run};
  if (row.of == subject::event || row.of == subject::run) return row.value(s);
  detail::stretch part = detail::cut(run, m.column, m.from, m.to, m.ewma);
  if (part.y.empty()) return detail::nothing;
  s.t = std::move(part.t);
  s.y = std::move(part.y);
  if (row.of == subject::two_columns) {
    s.x = detail::cut(run, m.over, m.from, m.to).y;
    if (m.last_cycle) keep_last_cycle(s.x, s.y);
    if (s.x.size() < 2 || s.x.size() != s.y.size()) return detail::nothing;
  }
  return row.value(s);
}

unit unit_of(const measure& m, const run_data& run) {
  const auto unit_of_column = [&](const std::string& name) {
    const column* found = run.find(name);
    return found != nullptr ? found->in : units::one;
  };
  return m.what->unit_in(unit_of_column(m.column), unit_of_column(m.over));
}

std::string to_string(const measure& m) {
  std::string word = m.what->word;
  // The value of x at t = 2, but the loop area of f over x.
  const bool is_at = word.ends_with("_at");
  if (is_at) word.resize(word.size() - 3);
  std::replace(word.begin(), word.end(), '_', ' ');
  if (m.n != 1) word += m.n < 0 ? std::string(" (last)") : fmt::format(" {}", m.n);
  std::string text = m.column.empty() ? word : fmt::format("{} of {}", word, m.column);
  if (m.ewma < 1) text += fmt::format(", averaged with {:g},", m.ewma);
  if (!m.over.empty()) text += fmt::format(" {} {}", is_at ? "at" : "over", m.over);
  if (m.last_cycle) text += " in the last cycle";
  if (m.what->level == level_key::any) text += fmt::format(" = {:g}", m.level);
  if (m.second_half) text += " in the second half";
  if (!m.second_half && (m.from != 0 || m.to < unbounded))
    text += m.to < unbounded ? fmt::format(" from {} {} to {} {}", m.from, to_string(m.axis), m.to,
                                           to_string(m.axis))
                             : fmt::format(" from {} {} on", m.from, to_string(m.axis));
  return text;
}

double signed_area(const std::vector<double>& u, const std::vector<double>& y, std::size_t first,
                   std::size_t last) {
  double area = 0;
  for (std::size_t i = first; i < last; ++i) area += (y[i] + y[i + 1]) / 2 * (u[i + 1] - u[i]);
  return area + (y[last] + y[first]) / 2 * (u[first] - u[last]);
}

}  // namespace asperity
