// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/hysteresis/loops.hpp>
#include <asperity/scenario/measure.hpp>
#include <cmath>
#include <limits>

namespace asperity {

namespace {

using kind = measure::kind;

struct spelling {
  const char* word;
  kind what;
};
constexpr std::array spellings{
    spelling{"first", kind::first},
    spelling{"last", kind::last},
    spelling{"change", kind::change},
    spelling{"maximum", kind::maximum},
    spelling{"minimum", kind::minimum},
    spelling{"span", kind::span},
    spelling{"drift", kind::drift},
    spelling{"peak", kind::peak},
    spelling{"peaks", kind::peaks},
    spelling{"share_within", kind::share_within},
    spelling{"settling_time", kind::settling_time},
    spelling{"largest_jump", kind::largest_jump},
    spelling{"largest_rise", kind::largest_rise},
    spelling{"largest_fall", kind::largest_fall},
    spelling{"exponent", kind::exponent},
    spelling{"events", kind::events},
    spelling{"event_time", kind::event_time},
    spelling{"loop_area", kind::loop_area},
    spelling{"crossings", kind::crossings},
    spelling{"value_at", kind::value_at},
    spelling{"change_at", kind::change_at},
    spelling{"largest_gap", kind::largest_gap},
};

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

bool is_where_a_level_is_passed(kind k) { return k == kind::value_at || k == kind::change_at; }

bool needs_two_columns(kind k) {
  return k == kind::loop_area || k == kind::crossings || k == kind::largest_gap ||
         is_where_a_level_is_passed(k);
}

bool is_about_events(kind k) { return k == kind::events || k == kind::event_time; }

// Values of a column inside [from, to], with their times.
struct stretch {
  std::vector<double> t, y;
};

stretch cut(const run_data& run, const std::string& column, double from, double to) {
  const auto& t = run.columns.front().values;
  const auto& y = run[column];
  stretch result;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i] < from || t[i] > to) continue;
    result.t.push_back(t[i]);
    result.y.push_back(y[i]);
  }
  return result;
}

double middle(const stretch& s) {
  if (s.y.empty()) return nothing;
  const auto [low, high] = std::minmax_element(s.y.begin(), s.y.end());
  return 0.5 * (*low + *high);
}

// Local maxima that rise by at least `prominence` above the valleys on both sides.
std::vector<double> find_peaks(const std::vector<double>& y, double prominence) {
  std::vector<double> peaks;
  if (y.empty()) return peaks;
  double valley = y.front(), top = y.front();
  bool climbing = false;
  for (const double value : y) {
    if (climbing) {
      if (value > top) top = value;
      if (top - value > prominence) {
        peaks.push_back(top);
        climbing = false;
        valley = value;
      }
    } else {
      valley = std::min(valley, value);
      if (value - valley > prominence) {
        climbing = true;
        top = value;
      }
    }
  }
  return peaks;
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

// y where x passes `level` the n-th time, or nothing.
double value_at(const std::vector<double>& x, const std::vector<double>& y, double level,
                long long n) {
  long long passed = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double a = x[i - 1] - level, b = x[i] - level;
    if ((a < 0) == (b < 0) || ++passed < n) continue;
    return y[i - 1] + (y[i] - y[i - 1]) * a / (a - b);
  }
  return nothing;
}

// Of two columns: y over x.
double evaluate_pair(const measure& m, std::vector<double> x, std::vector<double> y) {
  if (m.last_cycle) keep_last_cycle(x, y);
  if (x.size() < 2 || x.size() != y.size()) return nothing;
  const std::size_t last = y.size() - 1;
  if (m.what == kind::loop_area) return signed_area(x, y, 0, last);
  if (m.what == kind::crossings) return static_cast<double>(self_crossings(x, y, 0, last).size());
  if (m.what == kind::value_at) return value_at(x, y, m.level, m.n);
  if (m.what == kind::change_at)
    return value_at(x, y, m.level, m.n + 1) - value_at(x, y, m.level, m.n);
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(y[i] - x[i]));
  return largest;
}

}  // namespace

measure read_measure(reader& table, unit axis) {
  std::vector<std::string> words;
  words.reserve(spellings.size());
  for (const auto& s : spellings) words.emplace_back(s.word);
  const std::string word = table.word("measure", words);
  measure m;
  for (const auto& s : spellings)
    if (word == s.word) m.what = s.what;
  m.column = table.text(is_about_events(m.what) ? "event" : "column");
  if (needs_two_columns(m.what)) {
    m.over = table.text("over");
    m.last_cycle = table.word("cycle", {"all", "last"}, "all") == "last";
  }
  if (is_where_a_level_is_passed(m.what)) {
    m.level = table.number("level", units::one, any_value);
    m.n = table.integer("n", {1, 1e9}, 1);
  }
  m.axis = axis;
  m.from = table.number("from", axis, any_value, 0.0);
  if (table.has("to")) m.to = table.number("to", axis, any_value);
  if (m.what == kind::drift) m.window = table.number("window", axis, positive);
  if (m.what == kind::peak || m.what == kind::peaks)
    m.prominence = table.number("prominence", units::one, non_negative, 0.0);
  if (m.what == kind::share_within || m.what == kind::settling_time)
    m.level = table.number("level", units::one, positive);
  if (m.what == kind::peak || m.what == kind::event_time) m.n = table.integer("n", {-1, 1e9}, 1);
  return m;
}

double evaluate(const measure& m, const run_data& run) {
  if (is_about_events(m.what)) {
    std::vector<double> times = run.times_of(m.column);
    std::erase_if(times, [&](double t) { return t < m.from || t > m.to; });
    if (m.what == kind::events) return static_cast<double>(times.size());
    if (times.empty() || m.n > static_cast<long long>(times.size()) || m.n == 0) return nothing;
    return m.n < 0 ? times.back() : times[static_cast<std::size_t>(m.n - 1)];
  }

  const stretch s = cut(run, m.column, m.from, m.to);
  if (s.y.empty()) return nothing;
  if (needs_two_columns(m.what)) return evaluate_pair(m, cut(run, m.over, m.from, m.to).y, s.y);
  const auto [low, high] = std::minmax_element(s.y.begin(), s.y.end());
  switch (m.what) {
    case kind::first:
      return s.y.front();
    case kind::last:
      return s.y.back();
    case kind::change:
      return s.y.back() - s.y.front();
    case kind::maximum:
      return *high;
    case kind::minimum:
      return *low;
    case kind::span:
      return *high - *low;
    case kind::drift: {
      const double start = s.t.front(), end = s.t.back();
      return middle(cut(run, m.column, end - m.window, end)) -
             middle(cut(run, m.column, start, start + m.window));
    }
    case kind::peak: {
      const auto peaks = find_peaks(s.y, m.prominence);
      if (peaks.empty() || m.n == 0 || m.n > static_cast<long long>(peaks.size())) return nothing;
      return m.n < 0 ? peaks.back() : peaks[static_cast<std::size_t>(m.n - 1)];
    }
    case kind::peaks:
      return static_cast<double>(find_peaks(s.y, m.prominence).size());
    case kind::share_within: {
      double inside = 0;
      for (std::size_t i = 1; i < s.t.size(); ++i)
        if (std::abs(s.y[i]) <= m.level) inside += s.t[i] - s.t[i - 1];
      return inside / (s.t.back() - s.t.front());
    }
    case kind::settling_time: {
      double last = s.t.front();
      for (std::size_t i = 0; i < s.t.size(); ++i)
        if (std::abs(s.y[i] - s.y.back()) > m.level) last = s.t[i];
      return last;
    }
    case kind::largest_jump: {
      double largest = 0;
      for (std::size_t i = 1; i < s.y.size(); ++i)
        largest = std::max(largest, std::abs(s.y[i] - s.y[i - 1]));
      return largest;
    }
    case kind::largest_rise:
    case kind::largest_fall: {
      const double sign = m.what == kind::largest_rise ? 1 : -1;
      double largest = s.y.size() > 1 ? -unbounded : nothing;
      for (std::size_t i = 1; i < s.y.size(); ++i) {
        const double rise = sign * (s.y[i] - s.y[i - 1]);
        if (!(rise <= largest)) largest = rise;  // a NaN stays
      }
      return largest;
    }
    case kind::exponent:
      return std::log(s.y.back() / s.y.front()) / std::log(s.t.back() / s.t.front());
    default:
      break;
  }
  return nothing;
}

unit unit_of(const measure& m, const run_data& run) {
  switch (m.what) {
    case kind::peaks:
    case kind::share_within:
    case kind::events:
    case kind::crossings:
    case kind::exponent:
      return units::one;
    case kind::settling_time:
    case kind::event_time:
      return units::second;
    default:
      break;
  }
  const column* c = run.find(m.column);
  const column* other = run.find(m.over);
  if (m.what == kind::loop_area && c != nullptr && other != nullptr) return c->in * other->in;
  return c != nullptr ? c->in : units::one;
}

std::string to_string(const measure& m) {
  std::string word;
  for (const auto& s : spellings)
    if (s.what == m.what) word = s.word;
  std::replace(word.begin(), word.end(), '_', ' ');
  if ((m.what == kind::peak || m.what == kind::event_time) && m.n != 1)
    word = fmt::format("{} {}", word, m.n < 0 ? std::string("(last)") : fmt::format("{}", m.n));
  std::string text = fmt::format("{} of {}", word, m.column);
  if (!m.over.empty()) text += fmt::format(" over {}", m.over);
  if (m.last_cycle) text += " in the last cycle";
  if (is_where_a_level_is_passed(m.what)) text += fmt::format(" = {:g}", m.level);
  if (m.from != 0 || m.to < unbounded)
    text += m.to < unbounded ? fmt::format(" from {} {} to {} {}", m.from, to_string(m.axis), m.to,
                                           to_string(m.axis))
                             : fmt::format(" from {} {} on", m.from, to_string(m.axis));
  return text;
}

}  // namespace asperity
