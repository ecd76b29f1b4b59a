// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/hysteresis/loops.hpp>
#include <asperity/scenario/measure.hpp>
#include <cmath>
#include <limits>

namespace asperity {

namespace {

using kind = measure::kind;

constexpr std::array words{
    measure_word{"first", kind::first, "value at `from`", "of the column"},
    measure_word{"last", kind::last, "value at `to`", "of the column"},
    measure_word{"change", kind::change, "last - first", "of the column"},
    measure_word{"maximum", kind::maximum, "highest value", "of the column"},
    measure_word{"minimum", kind::minimum, "lowest value", "of the column"},
    measure_word{"span", kind::span, "maximum - minimum", "of the column"},
    measure_word{"mean", kind::mean, "over time", "of the column"},
    measure_word{"drift", kind::drift,
                 "how far the middle of the extremes moves, from the first `window` to the last",
                 "of the column"},
    measure_word{"peak", kind::peak, "the n-th local maximum that stands out by `prominence`",
                 "of the column"},
    measure_word{"peaks", kind::peaks, "how many there are", "-"},
    measure_word{"share_within", kind::share_within, "part of the time with |value| <= level", "-"},
    measure_word{"settling_time", kind::settling_time,
                 "last time at which the value is further than `level` from its last value", "s"},
    measure_word{"largest_jump", kind::largest_jump, "between neighbouring samples",
                 "of the column"},
    measure_word{"largest_rise", kind::largest_rise, "from a sample to the next", "of the column"},
    measure_word{"largest_fall", kind::largest_fall, "from a sample to the next", "of the column"},
    measure_word{"exponent", kind::exponent, "of the power law through the first and last point",
                 "-"},
    measure_word{"events", kind::events, "how often an event happens", "-"},
    measure_word{"event_time", kind::event_time, "of the n-th event; n = -1 is the last", "s"},
    measure_word{"loop_area", kind::loop_area, "integral of the column d(over)",
                 "of column times over"},
    measure_word{"crossings", kind::crossings, "how often the curve crosses itself", "-"},
    measure_word{"crossing_place", kind::crossing_place,
                 "where in `over` it does, the n-th from the left", "of over"},
    measure_word{"value_at", kind::value_at, "where `over` passes `level`, the n-th time",
                 "of the column"},
    measure_word{"change_at", kind::change_at,
                 "value_at the next time `over` passes `level` less the n-th", "of the column"},
    measure_word{"largest_gap", kind::largest_gap, "largest difference of the column and `over`",
                 "of the column"},
    measure_word{"amplitude", kind::amplitude, "half of the span, settled", "of the column"},
    measure_word{"period", kind::period,
                 "mean time between passes upwards through the middle, settled", "s"},
    measure_word{"stick_slip_period", kind::stick_slip_period,
                 "mean time from slip to slip, settled; sticking is |v| <= level (1 % of the "
                 "highest), slip ten times that",
                 "s"},
    measure_word{"stick_fraction", kind::stick_fraction,
                 "part of the time in which the body sticks, settled", "-"},
    measure_word{"restitution", kind::restitution, "speed after over speed before the n-th impact",
                 "-"},
};

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

bool is_where_a_level_is_passed(kind k) { return k == kind::value_at || k == kind::change_at; }

bool needs_two_columns(kind k) {
  return k == kind::loop_area || k == kind::crossings || k == kind::crossing_place ||
         k == kind::largest_gap || is_where_a_level_is_passed(k);
}

bool is_about_events(kind k) { return k == kind::events || k == kind::event_time; }

bool is_about_sticking(kind k) { return k == kind::stick_slip_period || k == kind::stick_fraction; }

// Of motions that repeat: transients do not belong to them.
bool is_settled(kind k) {
  return k == kind::amplitude || k == kind::period || is_about_sticking(k);
}

// Values of a column inside [from, to], with their times.
struct stretch {
  std::vector<double> t, y;
};

stretch cut(const run_data& run, const std::string& column, double from, double to,
            double ewma = 1) {
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
  if (m.what == kind::crossings || m.what == kind::crossing_place) {
    auto found = self_crossings(x, y, 0, last);
    if (m.what == kind::crossings) return static_cast<double>(found.size());
    if (m.n > static_cast<long long>(found.size())) return nothing;
    std::sort(found.begin(), found.end(),
              [](const crossing& a, const crossing& b) { return a.u < b.u; });
    return found[static_cast<std::size_t>(m.n - 1)].u;
  }
  if (m.what == kind::value_at) return value_at(x, y, m.level, m.n);
  if (m.what == kind::change_at)
    return value_at(x, y, m.level, m.n + 1) - value_at(x, y, m.level, m.n);
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(y[i] - x[i]));
  return largest;
}

// Smaller than this share of the values, a motion is rounding.
constexpr double rest = 1e-6;
constexpr double slowest = 1e-12;  // [m/s] that counts as motion

double largest_size(const std::vector<double>& y) {
  double largest = 0;
  for (const double value : y) largest = std::max(largest, std::abs(value));
  return largest;
}

// Passes upwards through `level` that go on to `confirmed` before they come back.
struct passes {
  int count = 0;
  double first = 0, last = 0;

  double mean_time() const { return (last - first) / (count - 1); }
};
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

// Mean time between them; NaN with fewer than three, or where the last is more than two such times
// before the end: it does not go on.
double time_between(const passes& found, double end) {
  if (found.count < 3 || end - found.last > 2 * found.mean_time()) return nothing;
  return found.mean_time();
}

// A body sticks to what it rubs on, which may move itself.
std::string slip_column(const run_data& run) {
  for (const char* slip : {"w", "slip"})
    if (run.find(slip) != nullptr) return slip;
  return "v";
}

// A body sticks while |v| <= level; it slips once |v| exceeds ten times that, so that it may ring
// when it stops. In rounding there is neither.
double evaluate_sticking(const measure& m, stretch s, double fastest_ever) {
  for (double& value : s.y) value = std::abs(value);
  const double fastest = largest_size(s.y);
  const double level = m.level > 0 ? m.level : 0.01 * fastest;
  const bool is_at_rest = fastest <= std::max(rest * fastest_ever, slowest);
  const passes slips = find_passes(s.t, s.y, level, 10 * level);
  if (m.what == kind::stick_slip_period)
    return is_at_rest ? nothing : time_between(slips, s.t.back());
  if (is_at_rest) return 1;
  // Over whole cycles, where there are some.
  const double from = slips.count > 1 ? slips.first : s.t.front();
  const double to = slips.count > 1 ? slips.last : s.t.back();
  double stuck = 0;
  for (std::size_t i = 1; i < s.t.size(); ++i)
    if (std::max(s.y[i - 1], s.y[i]) <= level)
      stuck += std::max(0.0, std::min(s.t[i], to) - std::max(s.t[i - 1], from));
  return to > from ? stuck / (to - from) : nothing;
}

// Speeds are those of the events themselves, not of the samples around them. Columns of states
// follow that of the time.
double evaluate_restitution(const measure& m, const run_data& run) {
  const column* v = run.find("v");
  if (v == nullptr) return nothing;
  const auto state = static_cast<std::size_t>(v - run.columns.data()) - 1;
  long long impacts = 0;
  double before = nothing;
  for (const auto& each : run.events) {
    if (each.t < m.from || each.t > m.to || state >= each.state.size()) continue;
    if (each.name == "touchdown") before = each.state[state];
    if (each.name != "liftoff" || std::isnan(before)) continue;
    if (++impacts == m.n) return -each.state[state] / before;
    before = nothing;
  }
  return nothing;
}

}  // namespace

std::span<const measure_word> measure_words() { return words; }

measure read_measure(reader& table, unit axis) {
  std::vector<std::string> names;
  names.reserve(words.size());
  for (const auto& w : words) names.emplace_back(w.word);
  const std::string word = table.word("measure", names);
  measure m;
  for (const auto& w : words)
    if (word == w.word) m.what = w.what;
  if (is_about_sticking(m.what)) {
    if (table.has("column")) m.column = table.text("column");
    if (table.has("level")) m.level = table.number("level", units::one, positive);
  } else if (m.what != kind::restitution) {
    m.column = table.text(is_about_events(m.what) ? "event" : "column");
  }
  if (needs_two_columns(m.what)) {
    m.over = table.text("over");
    m.last_cycle = table.word("cycle", {"all", "last"}, "all") == "last";
  }
  if (is_where_a_level_is_passed(m.what)) m.level = table.number("level", units::one, any_value);
  if (is_where_a_level_is_passed(m.what) || m.what == kind::crossing_place)
    m.n = table.integer("n", {1, 1e9}, 1);
  if (!is_about_events(m.what)) m.ewma = table.number("ewma", units::one, {0, 1, true}, 1.0);
  m.axis = axis;
  m.second_half = is_settled(m.what) && !table.has("from");
  m.from = table.number("from", axis, any_value, 0.0);
  if (table.find("to") != nullptr) m.to = table.number("to", axis, any_value);
  if (m.to < m.from)
    table.fail("to", fmt::format("it must be at least from = {:g} {}", m.from, to_string(axis)));
  if (m.what == kind::drift) m.window = table.number("window", axis, positive);
  if (m.what == kind::peak || m.what == kind::peaks)
    m.prominence = table.number("prominence", units::one, non_negative, 0.0);
  if (m.what == kind::share_within || m.what == kind::settling_time)
    m.level = table.number("level", units::one, positive);
  if (m.what == kind::peak || m.what == kind::event_time) m.n = table.integer("n", {-1, 1e9}, 1);
  if (m.n == 0) table.fail("n", "it must be at least 1, or -1 for the last");
  if (m.what == kind::restitution) m.n = table.integer("n", {1, 1e9}, 1);
  return m;
}

measure read_plain_measure(reader& table, const std::string& key, const measure& like,
                           const std::string& column) {
  measure m;
  const std::string word = table.word(
      key, {"first", "last", "change", "maximum", "minimum", "span", "mean", "largest_jump"});
  for (const auto& w : words)
    if (word == w.word) m.what = w.what;
  m.column = column;
  m.from = like.from;
  m.to = like.to;
  m.axis = like.axis;
  return m;
}

measure parse_measure(std::string_view text) {
  const auto trim = [](std::string_view part) {
    const auto first = part.find_first_not_of(' ');
    if (first == std::string_view::npos) return std::string_view{};
    return part.substr(first, part.find_last_not_of(' ') - first + 1);
  };
  text = trim(text);
  const std::string place = fmt::format("--measure {}", text);
  const auto open = text.find('(');
  if (open != std::string_view::npos && !text.ends_with(')'))
    throw error(fmt::format("{}: the bracket is not closed", place));
  const std::string word{trim(text.substr(0, open))};
  toml_value table;
  table.place = place;
  assign(table, "measure", toml_value::of(word));
  table.items.back().place = place;
  std::string_view left;
  if (open != std::string_view::npos) left = trim(text.substr(open + 1, text.size() - open - 2));
  bool events = false;
  for (const auto& w : words)
    if (word == w.word) events = is_about_events(w.what);
  for (bool is_first = true; !left.empty(); is_first = false) {
    const auto comma = left.find(',');
    const std::string_view part = trim(left.substr(0, comma));
    left = comma == std::string_view::npos ? std::string_view{} : trim(left.substr(comma + 1));
    std::string setting(part);
    if (part.find('=') == std::string_view::npos) {
      if (!is_first)
        throw error(fmt::format("{}: '{}': after the column write KEY=VALUE", place, part));
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
  const stretch s = cut(run, m.column, m.second_half ? end / 2 : m.from, m.to);
  if (s.y.empty()) return {};
  const auto [low, high] = std::minmax_element(s.y.begin(), s.y.end());
  if (*high - *low <= rest * largest_size(run[m.column])) return {s.y.back()};
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
  if (m.what == kind::restitution) return evaluate_restitution(m, run);
  if (is_about_events(m.what)) {
    std::vector<double> times = run.times_of(m.column);
    std::erase_if(times, [&](double t) { return t < m.from || t > m.to; });
    if (m.what == kind::events) return static_cast<double>(times.size());
    if (times.empty() || m.n > static_cast<long long>(times.size()) || m.n == 0) return nothing;
    return m.n < 0 ? times.back() : times[static_cast<std::size_t>(m.n - 1)];
  }

  if (is_about_sticking(m.what) && m.column.empty()) m.column = slip_column(run);
  const stretch s = cut(run, m.column, m.from, m.to, m.ewma);
  if (s.y.empty()) return nothing;
  if (is_about_sticking(m.what)) return evaluate_sticking(m, s, largest_size(run[m.column]));
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
    case kind::amplitude:
      return 0.5 * (*high - *low);
    case kind::period:
      if (*high - *low <= rest * largest_size(run[m.column])) return nothing;
      return time_between(find_passes(s.t, s.y, 0.5 * (*high + *low), 0.6 * *high + 0.4 * *low),
                          s.t.back());
    case kind::mean: {
      double sum = 0;
      for (std::size_t i = 1; i < s.t.size(); ++i)
        sum += (s.y[i] + s.y[i - 1]) / 2 * (s.t[i] - s.t[i - 1]);
      return sum / (s.t.back() - s.t.front());
    }
    case kind::drift: {
      const double start = s.t.front(), end = s.t.back();
      return middle(cut(run, m.column, end - m.window, end, m.ewma)) -
             middle(cut(run, m.column, start, start + m.window, m.ewma));
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
    case kind::stick_fraction:
    case kind::restitution:
      return units::one;
    case kind::settling_time:
    case kind::event_time:
    case kind::period:
    case kind::stick_slip_period:
      return units::second;
    default:
      break;
  }
  const column* c = run.find(m.column);
  const column* other = run.find(m.over);
  if (m.what == kind::loop_area && c != nullptr && other != nullptr) return c->in * other->in;
  if (m.what == kind::crossing_place) return other != nullptr ? other->in : units::one;
  return c != nullptr ? c->in : units::one;
}

std::string to_string(const measure& m) {
  std::string word;
  for (const auto& w : words)
    if (w.what == m.what) word = w.word;
  std::replace(word.begin(), word.end(), '_', ' ');
  if ((m.what == kind::peak || m.what == kind::event_time || m.what == kind::crossing_place) &&
      m.n != 1)
    word = fmt::format("{} {}", word, m.n < 0 ? std::string("(last)") : fmt::format("{}", m.n));
  std::string text = m.column.empty() ? word : fmt::format("{} of {}", word, m.column);
  if (m.ewma < 1) text += fmt::format(", averaged with {:g},", m.ewma);
  if (!m.over.empty()) text += fmt::format(" over {}", m.over);
  if (m.last_cycle) text += " in the last cycle";
  if (is_where_a_level_is_passed(m.what)) text += fmt::format(" = {:g}", m.level);
  if (m.second_half) text += " in the second half";
  if (!m.second_half && (m.from != 0 || m.to < unbounded))
    text += m.to < unbounded ? fmt::format(" from {} {} to {} {}", m.from, to_string(m.axis), m.to,
                                           to_string(m.axis))
                             : fmt::format(" from {} {} on", m.from, to_string(m.axis));
  return text;
}

}  // namespace asperity
