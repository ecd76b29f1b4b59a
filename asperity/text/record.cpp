// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/differentiator.hpp>
#include <asperity/text/pieces.hpp>
#include <asperity/text/record.hpp>
#include <cmath>

namespace asperity {

namespace {

// ---- units of columns ---------------------------------------------------------------------------

// Units as people write them, in the words of parse_quantity.
std::string usual_spelling(std::string_view text) {
  std::string result(trimmed(text));
  for (const auto& [old, with] :
       {std::pair{"\u03bc", "u"}, std::pair{"\u00b5", "u"}, std::pair{"\u00b2", "^2"},
        std::pair{"\u00b0", "deg"}, std::pair{"\u00b7", " "}, std::pair{"\u22c5", " "}})
    replace_all(result, old, with);
  if (result == "sec") return "s";
  if (result == "Nm") return "N m";
  if (result == "mNm") return "mN m";
  return result;
}

std::optional<quantity> known_unit(std::string_view text) {
  const std::string usual = usual_spelling(text);
  if (usual.empty() || usual.size() > 32) return {};
  try {
    return parse_quantity(fmt::format("1 {}", usual));
  } catch (const error&) {
    return {};
  }
}

// What the name of a column says of its unit: "position [mm]", "Force (N)", "speed_rad_s".
struct named_unit {
  std::string base;     // the name without it
  std::string text;     // empty where there is none
  bool is_sure = true;  // in brackets; the end of a name may mean something else
};
named_unit unit_in(const std::string& name) {
  const std::string_view all = trimmed(name);
  for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}}) {
    const std::size_t begin = all.rfind(open);
    if (!all.empty() && all.back() == close && begin != std::string_view::npos)
      return {std::string(trimmed(all.substr(0, begin))),
              std::string(trimmed(all.substr(begin + 1, all.size() - begin - 2)))};
  }
  const std::size_t last = all.rfind('_');
  if (last == std::string_view::npos || last == 0) return {std::string(all), ""};
  const std::string_view end = all.substr(last + 1), rest = all.substr(0, last);
  const auto is_one_of = [](std::string_view word, auto... words) {
    return ((word == words) || ...);
  };
  if (const std::size_t before = rest.rfind('_'); before != std::string_view::npos && before > 0) {
    const std::string_view first = rest.substr(before + 1);
    const std::string base(rest.substr(0, before));
    if (end == "s" && is_one_of(first, "m", "mm", "um", "cm", "rad", "mrad", "urad", "deg", "rev"))
      return {base, fmt::format("{}/s", first), false};
    if (is_one_of(end, "m", "mm") && is_one_of(first, "N", "mN", "kN"))
      return {base, fmt::format("{} {}", first, end), false};
  }
  if (is_one_of(end, "s", "ms", "us", "m", "mm", "um", "nm", "cm", "km", "N", "mN", "kN", "Nm",
                "mNm", "rad", "mrad", "urad", "deg", "rev", "rpm", "Hz", "Pa", "kPa", "MPa", "J",
                "W"))
    return {std::string(rest), std::string(end), false};
  return {std::string(all), ""};
}

// ---- expressions --------------------------------------------------------------------------------

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// A column of the table, what it is multiplied by, and in what the product is.
struct source {
  std::size_t place = 0;
  double scale = 1;
  std::optional<unit> in = {};
  std::string text;  // for people
  std::string note;
};

class columns_in {
 public:
  explicit columns_in(const measured_table& table) : table_(table) {
    for (const auto& each : table.columns()) {
      named_unit found = unit_in(each.name);
      if (!each.unit.empty()) {
        // Where the name says the same, it is not a part of it.
        const bool repeats = usual_spelling(found.text) == usual_spelling(each.unit);
        found = {repeats ? found.base : each.name, each.unit};
      }
      units_.push_back(std::move(found));
    }
  }

  // The column that an expression names.
  source find(const std::string& channel, const std::string& expression,
              const std::optional<unit>& in) const {
    try {
      return read(channel, expression, in);
    } catch (const error& problem) {
      throw error(fmt::format("{}: {}", table_.place_of_names(), problem.what()));
    }
  }

  // The column of a channel's own name; that with a unit behind it only where it is of its kind.
  std::optional<source> find_named(const std::string& channel,
                                   const std::optional<unit>& in) const {
    std::optional<std::size_t> found = only([&](std::size_t i) { return name(i) == channel; });
    if (!found) {
      found = only([&](std::size_t i) {
        if (units_[i].base != channel || units_[i].text.empty()) return false;
        const auto its = known_unit(units_[i].text);
        return its && (!in || its->in == *in);
      });
    }
    if (!found) return {};
    return find(channel, fmt::format("#{}", *found + 1), in);
  }

  // The column of times, where none is named.
  std::optional<source> find_time() const {
    if (auto found = find_named("t", units::second)) return found;
    const auto place = only([&](std::size_t i) {
      const std::string base = lower(units_[i].base);
      const auto its = known_unit(units_[i].text);
      return (base == "time" || base == "t") &&
             (units_[i].text.empty() || (its && its->in == units::second));
    });
    if (!place) return {};
    return find("t", fmt::format("#{}", *place + 1), units::second);
  }

 private:
  const measured_table& table_;
  std::vector<named_unit> units_;

  const std::string& name(std::size_t i) const { return table_.columns()[i].name; }

  template <class Is>
  std::optional<std::size_t> only(const Is& is) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (!is(i)) continue;
      if (found) return {};
      found = i;
    }
    return found;
  }

  // Nothing where there is no such column; throws where there are several.
  std::optional<std::size_t> resolve(std::string_view wanted, bool exactly) const {
    wanted = trimmed(wanted);
    if (wanted.empty()) return {};
    const auto count_of = [&](const auto& is) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < units_.size(); ++i) count += is(i) ? 1U : 0U;
      return count;
    };
    const auto take = [&](const auto& is) -> std::optional<std::size_t> {
      if (const std::size_t count = count_of(is); count > 1)
        throw error(fmt::format(
            "column '{}' appears {}: give its number, such as #{}", shortened(wanted, 40),
            count == 2 ? "twice" : fmt::format("{} times", count), first(is) + 1));
      return only(is);
    };
    const auto is_named = [&](std::size_t i) { return name(i) == wanted; };
    if (auto found = take(is_named)) return found;
    if (wanted.front() == '#') return numbered(wanted.substr(1));
    if (exactly) return {};
    const auto is_based = [&](std::size_t i) {
      return units_[i].base == wanted || (wanted.front() == '/' && name(i) == wanted.substr(1)) ||
             name(i).ends_with(fmt::format("/{}", wanted));
    };
    return take(is_based);
  }
  template <class Is>
  std::size_t first(const Is& is) const {
    std::size_t i = 0;
    while (!is(i)) ++i;
    return i;
  }
  std::optional<std::size_t> numbered(std::string_view digits) const {
    std::size_t number = 0;
    if (digits.empty() || digits.size() > 6) return {};
    for (const char c : digits) {
      if (c < '0' || c > '9') return {};
      number = 10 * number + static_cast<std::size_t>(c - '0');
    }
    if (number < 1 || number > units_.size())
      throw error(
          fmt::format("column #{} does not exist: there are {} columns", number, units_.size()));
    return number - 1;
  }

  // -NAME*FACTOR:UNIT in its parts.
  struct parts {
    std::size_t place = 0;
    bool is_negative = false, divides = false, has_factor = false, has_unit = false;
    std::string factor, unit;
  };
  parts take_apart(const std::string& expression) const {
    const std::string_view all = trimmed(expression);
    if (all.empty()) throw error("the name of a column is missing");
    // Names may hold any of the signs: the longest that is a name is the name.
    for (const bool exactly : {true, false})
      for (const bool has_sign : {false, true}) {
        if (has_sign && all.front() != '-' && all.front() != '+') continue;
        parts result;
        result.is_negative = has_sign && all.front() == '-';
        const std::string_view text = has_sign ? trimmed(all.substr(1)) : all;
        if (with_name(text, exactly, result)) return result;
      }
    std::string_view wanted = all;
    if (wanted.front() == '-' || wanted.front() == '+') wanted.remove_prefix(1);
    wanted = trimmed(wanted.substr(0, wanted.find_last_of(':')));
    if (!wanted.empty() && (wanted.front() == '"' || wanted.front() == '\'')) {
      wanted = wanted.substr(1, wanted.find(wanted.front(), 1) - 1);
    } else if (const std::size_t at = wanted.find_last_of("*/");
               at != std::string_view::npos && is_quantity(wanted.substr(at + 1))) {
      wanted = trimmed(wanted.substr(0, at));
    }
    throw error(fmt::format("there is no column '{}'{}", shortened(wanted, 40),
                            known_columns(wanted, table_.names())));
  }
  static bool is_quantity(std::string_view text) {
    try {
      parse_quantity(trimmed(text));
      return true;
    } catch (const error&) {
      return false;
    }
  }
  bool with_name(std::string_view text, bool exactly, parts& result) const {
    const auto is_name = [&](std::string_view name) {
      const auto found = resolve(name, exactly);
      if (found) result.place = *found;
      return found.has_value();
    };
    if (is_name(text)) return true;
    if (text.size() > 2 && (text.front() == '"' || text.front() == '\'')) {
      const std::size_t end = text.find(text.front(), 1);
      const auto found =
          end == std::string_view::npos ? std::nullopt : resolve(text.substr(1, end - 1), exactly);
      if (!found) return false;
      result.place = *found;
      std::string_view rest = trimmed(text.substr(end + 1));
      if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
        result.has_unit = true;
        result.unit = trimmed(rest.substr(colon + 1));
        rest = trimmed(rest.substr(0, colon));
      }
      if (rest.empty()) return true;
      if (rest.front() != '*' && rest.front() != '/')
        throw error(
            fmt::format("'{}' cannot follow the name of a column: a factor begins with * or /",
                        shortened(rest, 40)));
      result.has_factor = true;
      result.divides = rest.front() == '/';
      result.factor = trimmed(rest.substr(1));
      return true;
    }
    const std::size_t colon = text.rfind(':');
    for (const bool has_unit : {false, true}) {
      if (has_unit && colon == std::string_view::npos) continue;
      const std::string_view left = has_unit ? text.substr(0, colon) : text;
      result.has_unit = has_unit;
      result.unit = has_unit ? std::string(trimmed(text.substr(colon + 1))) : "";
      result.factor.clear();
      if (has_unit && is_name(left)) return true;
      for (std::size_t at = left.find_last_of("*/"); at != std::string_view::npos && at > 0;
           at = left.find_last_of("*/", at - 1)) {
        if (left.find(':', at) != std::string_view::npos || !is_name(left.substr(0, at))) continue;
        result.has_factor = true;
        result.divides = left[at] == '/';
        result.factor = trimmed(left.substr(at + 1));
        return true;
      }
    }
    return false;
  }

  source read(const std::string& channel, const std::string& expression,
              const std::optional<unit>& in) const {
    const parts given = take_apart(expression);
    const named_unit& header = units_[given.place];
    const std::string column = shortened(
        name(given.place).empty() ? fmt::format("#{}", given.place + 1) : name(given.place), 40);
    source result;
    result.place = given.place;
    result.text = shortened(trimmed(expression), 60);
    if (result.text.starts_with('#') &&
        result.text.find_first_not_of("0123456789", 1) == std::string::npos)
      result.text = column;
    quantity factor{1, false, units::one};
    if (given.has_factor) {
      if (given.factor.empty())
        throw error(fmt::format("'{}': a number must follow * or /", result.text));
      factor = parse_quantity(given.factor);
      if (!std::isfinite(factor.value) || factor.value == 0)
        throw error(fmt::format("'{}': the factor must be a number other than 0", given.factor));
    }
    result.scale = given.divides ? 1 / factor.value : factor.value;
    if (given.is_negative) result.scale = -result.scale;
    if (!std::isfinite(result.scale))
      throw error(fmt::format("'{}': the factor overflows", given.factor));

    if (given.has_unit && given.unit.empty())
      throw error(fmt::format("'{}': a unit must follow ':'", result.text));
    if (given.has_unit) {
      const std::string usual = usual_spelling(given.unit);
      const quantity is = parse_quantity(fmt::format("1 {}", usual));
      if (factor.has_unit)
        throw error(fmt::format("'{}': give the unit either with the factor or after ':', not both",
                                result.text));
      if (in) in_si(fmt::format("1 {}", usual), *in);
      result.scale *= is.value;
      result.in = in ? *in : is.in;
      return result;
    }
    const auto its = known_unit(header.text);
    if (factor.has_unit) {
      if (!its && !header.text.empty())
        throw error(
            fmt::format("column '{}' is in '{}', which is not a known unit: give the factor "
                        "without a unit, or the unit of the product after ':'",
                        column, shortened(header.text, 40)));
      const unit left = its ? its->in : units::one;
      const unit product = given.divides ? left / factor.in : left * factor.in;
      if (in && !(product == *in))
        throw error(fmt::format("'{}' is in {}, but {} is in {}", result.text, to_string(product),
                                channel, to_string(*in)));
      result.scale *= its ? its->value : 1;
      result.in = product;
      return result;
    }
    result.in = in;
    if (header.text.empty()) return result;  // SI
    if (its && (!in || fits(header.text, *in))) {
      result.scale *= its->value;
      if (!in) result.in = its->in;
      if (its->value != 1) result.note = fmt::format("read in {}", usual_spelling(header.text));
      return result;
    }
    if (given.has_factor) {
      if (in)
        result.note = fmt::format("the factor converts {} to {}",
                                  its ? usual_spelling(header.text) : shortened(header.text, 20),
                                  to_string(*in));
      return result;
    }
    if (!in) return result;  // plain numbers in a unit that we do not know
    const std::string hint =
        is_plain(*in) && channel == "load"
            ? fmt::format(": divide it by the force that corresponds to load 1, such as {}/12.5",
                          column)
        : header.is_sure ? ": give a factor, such as " + column + "*2"
                         : fmt::format(": if '_{}' is part of its name, write {}:{}", header.text,
                                       column, to_string(*in));
    const std::string known =
        its ? usual_spelling(header.text)
            : fmt::format("'{}', which is not a known unit", shortened(header.text, 40));
    throw error(fmt::format("column '{}' is in {}, but {} is in {}{}", column, known, channel,
                            to_string(*in), hint));
  }
  static bool fits(const std::string& text, unit in) {
    try {
      in_si(fmt::format("1 {}", usual_spelling(text)), in);
      return true;
    } catch (const error&) {
      return false;
    }
  }
};

// ---- rows ---------------------------------------------------------------------------------------

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<double> steps_of(const std::vector<double>& t) {
  std::vector<double> steps;
  steps.reserve(t.size());
  for (std::size_t i = 1; i < t.size(); ++i) steps.push_back(t[i] - t[i - 1]);
  return steps;
}

// Above which a step is a gap; infinite where none is.
double longest_step(const std::vector<double>& t, double gap) {
  constexpr double none = std::numeric_limits<double>::infinity(), usual = 10;
  constexpr std::size_t few = 20;
  if (t.size() < 3 || !std::isfinite(gap)) return none;
  const auto steps = steps_of(t);
  const double middle = median(steps);
  if (gap > 0) return gap * middle;
  const auto alike = std::count_if(steps.begin(), steps.end(), [&](double each) {
    return 0.5 * middle <= each && each <= 2 * middle;
  });
  return steps.size() >= few && 10 * alike >= 9 * std::ssize(steps) ? usual * middle : none;
}

double first_number(const std::vector<double>& x) {
  return *std::find_if(x.begin(), x.end(), [](double each) { return !std::isnan(each); });
}

// Least squares of a line over time, about the mean time: level there, and slope.
std::pair<double, double> line_through(const std::vector<double>& t, const std::vector<double>& x,
                                       double& mean_time) {
  double n = 0, sum_t = 0, sum_x = 0;
  const double first = first_number(x);
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (std::isnan(x[i])) continue;
    sum_t += t[i] - t[0];
    sum_x += x[i] - first;
    ++n;
  }
  mean_time = t[0] + sum_t / n;
  const double level = first + sum_x / n;
  double tt = 0, tx = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (std::isnan(x[i])) continue;
    tt += (t[i] - mean_time) * (t[i] - mean_time);
    tx += (t[i] - mean_time) * (x[i] - level);
  }
  return {level, tt > 0 ? tx / tt : 0.0};
}

std::string in_unit(const record::channel& of, unit per = units::one) {
  if (!of.in) return "";
  const unit is = *of.in / per;
  return is_plain(is) ? "" : fmt::format(" {}", to_string(is));
}

void remove_drift(record& r, const std::string& wanted) {
  const std::size_t equals = wanted.find('=');
  const std::string name(trimmed(std::string_view(wanted).substr(0, equals)));
  const std::string how(
      equals == std::string::npos ? "mean" : trimmed(std::string_view(wanted).substr(equals + 1)));
  const auto fail = [&](const std::string& message) {
    throw error(fmt::format("detrend '{}': {}", shortened(wanted, 60), message));
  };
  record::channel* of = nullptr;
  std::string all;
  for (auto& each : r.channels) {
    if (each.name == name) of = &each;
    all += fmt::format("{}{}", all.empty() ? "" : ", ", each.name);
  }
  if (of == nullptr)
    fail(fmt::format("this record has no channel '{}' (its channels are: {})", shortened(name, 40),
                     all));
  const std::vector<double> before = of->values;
  const auto take_off = [&](double offset, const std::string& what) {
    for (double& value : of->values) value -= offset;
    r.notes.push_back(
        fmt::format("{}: {:.6g}{} was removed, {}", name, offset, in_unit(*of), what));
  };
  const auto mean_until = [&](double end) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < r.t.size() && r.t[i] <= end; ++i) {
      if (std::isnan(of->values[i])) continue;
      sum += of->values[i];
      ++count;
    }
    if (count == 0) fail("there is no number in this time");
    return std::pair{sum / static_cast<double>(count), count};
  };
  if (how == "mean") {
    const auto [mean, count] = mean_until(r.t.back());
    take_off(mean, "its mean");
  } else if (how == "start") {
    take_off(first_number(of->values), "its first value");
  } else if (how.starts_with("start ")) {
    const double length = in_si(how.substr(6), units::second);
    if (!(length > 0)) fail("the time after 'start' must be above 0");
    const auto [mean, count] = mean_until(r.t.front() + length);
    take_off(mean, fmt::format("the mean of its first {} rows, {:g} s", count, length));
  } else if (how == "line") {
    double middle = 0;
    const auto [level, slope] = line_through(r.t, of->values, middle);
    for (std::size_t i = 0; i < r.t.size(); ++i) of->values[i] -= level + slope * (r.t[i] - middle);
    r.notes.push_back(fmt::format(
        "{}: the line {:.6g}{} + {:.6g}{} (t - {:g} s) was removed, {:.6g}{} from end to end", name,
        level, in_unit(*of), slope, in_unit(*of, units::second), middle,
        slope * (r.t.back() - r.t.front()), in_unit(*of)));
  } else {
    double offset = 0;
    try {
      offset = of->in ? in_si(how, *of->in) : parse_quantity(how).value;
    } catch (const error& problem) {
      fail(fmt::format("{}; it must be mean, start, start TIME, line, or a value", problem.what()));
    }
    take_off(offset, "as given");
  }
  for (std::size_t i = 0; i < r.t.size(); ++i)
    if (!std::isfinite(of->values[i]) && !std::isnan(before[i]))
      r.fail(name, i, "the rest must be a finite number");
}

// Pieces too short to have a slope are left out, where there are others.
void drop_short_pieces(record& r) {
  constexpr std::size_t least = 3;
  std::vector<record::piece> kept;
  std::vector<std::size_t> rows;
  std::size_t left_out = 0;
  for (const auto& each : r.pieces) {
    if (each.last - each.first < least) {
      left_out += each.last - each.first;
      continue;
    }
    kept.push_back({rows.size(), rows.size() + each.last - each.first});
    for (std::size_t i = each.first; i < each.last; ++i) rows.push_back(i);
  }
  if (left_out == 0 || kept.empty()) return;
  const auto keep = [&](auto& values) {
    if (values.empty()) return;
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = values[rows[i]];
    values.resize(rows.size());
  };
  keep(r.t);
  keep(r.lines);
  for (auto& each : r.channels) keep(each.values);
  r.pieces = std::move(kept);
  r.warnings.push_back(fmt::format(
      "{} rows are isolated between gaps and were left out, since they have no slope", left_out));
}

void add_slope(record& r, const record_columns::slope& wanted, double bandwidth) {
  const record::channel* place = r.find_channel(wanted.place);
  if (place == nullptr || r.find(wanted.rate) != nullptr || r.t.size() < 2) return;
  drop_short_pieces(r);
  place = r.find_channel(wanted.place);
  const double step = median(steps_of(r.t));
  constexpr double usual_share = 0.05;  // of the sampling rate
  const auto how =
      differentiator::of_bandwidth(bandwidth > 0 ? bandwidth : usual_share / step, step);
  double longest = 0;
  for (const auto& each : r.pieces)
    longest = std::max(longest, r.t[each.last - 1] - r.t[each.first]);
  if (how.half_width > longest && r.t.size() > 3)
    throw error(
        fmt::format("a bandwidth of {:g} Hz needs {:.3g} s on either side, but no piece of the "
                    "record is longer than {:.3g} s",
                    bandwidth, how.half_width, longest));
  record::channel rate{wanted.rate, {}, {}, fmt::format("slope of {}", wanted.place)};
  if (place->in) rate.in = *place->in / units::second;
  rate.values.reserve(r.t.size());
  std::size_t widened = 0;
  for (const auto& each : r.pieces) {
    const auto count = each.last - each.first;
    const auto slope = how.slope({r.t.data() + each.first, count},
                                 {place->values.data() + each.first, count}, &widened);
    rate.values.insert(rate.values.end(), slope.begin(), slope.end());
  }
  r.notes.push_back(fmt::format(
      "{}: slope of {} by local parabolas over {:.3g} s on either side; -3 dB at {:.4g} Hz, no "
      "delay; white noise of 1{} in {} becomes {:.3g}{} in {}",
      wanted.rate, wanted.place, how.half_width, how.bandwidth(step), in_unit(*place), wanted.place,
      how.noise_gain(step), in_unit(rate), wanted.rate));
  if (widened > 0)
    r.warnings.push_back(
        fmt::format("{}: for {} rows, fewer than three samples lie within {:.3g} s, so the "
                    "bandwidth is lower there",
                    wanted.rate, widened, how.half_width));
  r.channels.push_back(std::move(rate));
  const auto& values = r.channels.back().values;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) r.fail(wanted.rate, i, "the slope must be a finite number");
}

}  // namespace

const record::channel* record::find_channel(std::string_view channel_name) const {
  for (const auto& each : channels)
    if (each.name == channel_name) return &each;
  return nullptr;
}

const std::vector<double>* record::find(std::string_view channel_name) const {
  const channel* found = find_channel(channel_name);
  return found == nullptr ? nullptr : &found->values;
}

void record::check_lengths() const {
  for (const channel& each : channels)
    if (each.values.size() != t.size())
      throw error(fmt::format("{}: channel '{}' has {} values for {} times", name, each.name,
                              each.values.size(), t.size()));
}

record record::part(const piece& of) const {
  const auto cut = [&](const auto& all) {
    using values = std::decay_t<decltype(all)>;
    if (all.empty()) return values{};
    return values(all.begin() + static_cast<std::ptrdiff_t>(of.first),
                  all.begin() + static_cast<std::ptrdiff_t>(of.last));
  };
  record result{name, cut(t), {}, {{0, of.last - of.first}}};
  result.lines = cut(lines);
  result.file_columns = file_columns;
  result.channels.reserve(channels.size());
  for (const auto& each : channels)
    result.channels.push_back({each.name, cut(each.values), each.in, each.from});
  return result;
}

void record::fail(std::string_view channel_name, std::size_t row,
                  const std::string& message) const {
  const std::vector<double>* values = channel_name == "t" ? &t : find(channel_name);
  throw error(fmt::format(
      "{}{}: column '{}' = '{}': {}", name,
      row < lines.size() ? fmt::format(":{}", lines[row]) : fmt::format(": row {}", row + 1),
      channel_name,
      values != nullptr && row < values->size() ? fmt::format("{}", (*values)[row]) : "", message));
}

void take_noise_below_0_as_0(record& r, std::string_view channel_name) {
  for (auto& each : r.channels) {
    if (each.name != channel_name || each.values.empty()) continue;
    const auto [low, high] = std::minmax_element(each.values.begin(), each.values.end());
    const double lowest = *low;
    if (!(lowest < 0) || !(-lowest <= 0.01 * *high)) continue;
    const auto count = std::count_if(each.values.begin(), each.values.end(),
                                     [](double value) { return value < 0; });
    for (double& value : each.values) value = std::max(value, 0.0);
    r.warnings.push_back(
        fmt::format("{}: {} of {} values are below 0, by at most {:.3g}{}; they are taken as 0, as "
                    "the noise of a "
                    "sensor without load",
                    each.name, count, each.values.size(), -lowest, in_unit(each)));
  }
}

record read_record(const std::string& path, const record_columns& wanted) {
  return read_record(measured_table::read(path, wanted.skip), wanted);
}

record read_record(const measured_table& table, const record_columns& wanted) {
  const columns_in named(table);
  record result;
  result.name = table.file();
  result.file_columns = table.names();

  // Which columns.
  std::optional<source> time;
  if (!wanted.time.empty()) {
    if (wanted.step > 0) throw error("give either a column of times or the step between rows");
    time = named.find("t", wanted.time, units::second);
  } else if (!(wanted.step > 0) && (wanted.needs_time || std::isfinite(wanted.from) ||
                                    std::isfinite(wanted.to) || wanted.gap > 0)) {
    time = named.find_time();
    if (!time && wanted.needs_time)
      throw error(fmt::format("{}: there is no column 't' of times{}", table.place_of_names(),
                              known_columns("t", table.names())));
  }
  std::vector<source> sources;
  std::vector<bool> may_lack;
  for (const auto& each : wanted.columns) {
    std::optional<source> found = each.expression.empty()
                                      ? named.find_named(each.channel, each.in)
                                      : named.find(each.channel, each.expression, each.in);
    if (!found) {
      const auto copies =
          std::count(result.file_columns.begin(), result.file_columns.end(), each.channel);
      if (copies > 1)
        result.warnings.push_back(fmt::format(
            "column '{}' appears {} times and was not read: name the one to read by "
            "its number, such as #{}",
            each.channel, copies,
            std::find(result.file_columns.begin(), result.file_columns.end(), each.channel) -
                result.file_columns.begin() + 1));
      if (!each.is_required) continue;
      throw error(fmt::format("{}: there is no column '{}'{}", table.place_of_names(), each.channel,
                              known_columns(each.channel, table.names())));
    }
    result.channels.push_back({each.channel, {}, found->in, found->text});
    sources.push_back(std::move(*found));
    may_lack.push_back(each.may_lack);
  }

  // Their numbers.
  std::vector<std::size_t> places;
  places.reserve(sources.size() + 1);
  if (time) places.push_back(time->place);
  for (const auto& each : sources) places.push_back(each.place);
  if (places.empty()) places.push_back(0);  // to count the rows
  auto values = table.values(places);
  const std::size_t rows = values.front().size(), first = time ? 1 : 0;
  std::size_t without_number = 0, not_measured = 0;
  bool after_missing = false, has_row = false;
  double before = 0, cell_before = 0;
  std::vector<std::size_t> cuts;  // rows of the result that follow something missing
  const auto keep_row = [&](std::size_t row, double t) {
    if (has_row && after_missing) cuts.push_back(result.t.size());
    after_missing = false;
    has_row = true;
    result.t.push_back(t);
    if (!table.lines().empty()) result.lines.push_back(table.lines()[row]);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const double value = values[first + i][row] * sources[i].scale + 0.0;  // never -0
      if (!std::isfinite(value) && !(may_lack[i] && std::isnan(values[first + i][row])))
        throw error(
            fmt::format("{}: column '{}' = '{}': it must be a finite number in {}",
                        table.place_of(row), shortened(table.columns()[sources[i].place].name, 40),
                        values[first + i][row], sources[i].in ? to_string(*sources[i].in) : "SI"));
      result.channels[i].values.push_back(value);
    }
  };
  result.t.reserve(rows);
  for (auto& each : result.channels) each.values.reserve(rows);
  bool any_time = false;
  for (std::size_t row = 0; row < rows; ++row) {
    double t = static_cast<double>(row) * (wanted.step > 0 ? wanted.step : 1.0);
    if (time) {
      t = values[0][row] * time->scale;
      if (!std::isnan(t)) {
        if (any_time && !(t > before))
          throw error(fmt::format(
              "{}: column '{}' = '{}': it must be above {}, the row before", table.place_of(row),
              shortened(table.columns()[time->place].name, 40), values[0][row], cell_before));
        before = t;
        cell_before = values[0][row];
        any_time = true;
      }
    }
    bool is_whole = std::isfinite(t), lacks_one = false;
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (std::isnan(values[first + i][row])) {
        lacks_one = lacks_one || may_lack[i];
        is_whole = is_whole && may_lack[i];
      }
    if (t < wanted.from || t > wanted.to) continue;
    if (is_whole) {
      keep_row(row, t);
      if (lacks_one) ++not_measured;
    } else {
      ++without_number;
      after_missing = true;
    }
  }
  values.clear();
  const bool has_numbers =
      std::all_of(result.channels.begin(), result.channels.end(), [](const auto& each) {
        return std::any_of(each.values.begin(), each.values.end(),
                           [](double value) { return !std::isnan(value); });
      });
  if (result.t.empty() || !has_numbers)
    throw error(
        without_number + not_measured > 0
            ? fmt::format("{}: no row has a number in every column that is read", table.file())
            : fmt::format("{}: there are no rows from {:g} s to {:g} s", table.file(), wanted.from,
                          wanted.to));

  // Gaps.
  const double longest =
      time ? longest_step(result.t, wanted.gap) : std::numeric_limits<double>::infinity();
  std::size_t jumps = 0, widest = 0;
  std::vector<std::size_t> all_cuts = cuts;
  for (std::size_t i = 1; i < result.t.size(); ++i) {
    if (!(result.t[i] - result.t[i - 1] > longest)) continue;
    if (jumps++ == 0 || result.t[i] - result.t[i - 1] > result.t[widest] - result.t[widest - 1])
      widest = i;
    all_cuts.push_back(i);
  }
  std::sort(all_cuts.begin(), all_cuts.end());
  all_cuts.erase(std::unique(all_cuts.begin(), all_cuts.end()), all_cuts.end());
  if (without_number > 0)
    result.warnings.push_back(fmt::format(
        "{} of {} rows lack a number in one of the columns that are read: {}", without_number, rows,
        wanted.bridge_gaps ? "they were left out" : "they are gaps"));
  if (not_measured > 0)
    result.warnings.push_back(
        fmt::format("{} of {} rows lack a number that is only compared: a model moves on through "
                    "them, and they are not compared",
                    not_measured, rows));
  if (jumps > 0)
    result.warnings.push_back(
        fmt::format("{} {} of more than {:.3g} s, the widest of {:.3g} s at t = {:g} s{}", jumps,
                    jumps == 1 ? "gap" : "gaps", longest, result.t[widest] - result.t[widest - 1],
                    result.t[widest - 1], wanted.bridge_gaps ? ": bridged" : ""));
  if (wanted.bridge_gaps) all_cuts.clear();
  std::size_t begin = 0;
  all_cuts.push_back(result.t.size());
  for (const std::size_t cut : all_cuts) {
    result.pieces.push_back({begin, cut});
    begin = cut;
  }
  if (result.pieces.size() > 1)
    result.warnings.push_back(fmt::format(
        "the record is split into {} pieces; nothing is interpolated across the gaps, and a model "
        "starts anew after each (--bridge-gaps continues across them)",
        result.pieces.size()));

  // What was read.
  std::string read = time ? fmt::format("t = {}", time->text)
                          : fmt::format("rows {:g} s apart", wanted.step > 0 ? wanted.step : 1);
  if (!time && !(wanted.step > 0)) read = "rows in order";
  for (std::size_t i = 0; i < sources.size(); ++i)
    read += fmt::format(", {} = {}{}{}", result.channels[i].name, sources[i].text,
                        sources[i].in && !is_plain(*sources[i].in)
                            ? fmt::format(" [{}]", to_string(*sources[i].in))
                            : "",
                        sources[i].note.empty() ? "" : fmt::format(" ({})", sources[i].note));
  std::string sampled;
  if (result.t.size() > 1 && (time || wanted.step > 0)) {
    auto steps = steps_of(result.t);
    const auto [low, high] = std::minmax_element(steps.begin(), steps.end());
    const double lowest = *low, highest = *high, middle = median(std::move(steps));
    sampled = fmt::format(" from {:g} s to {:g} s, {:.4g} s apart", result.t.front(),
                          result.t.back(), middle);
    if (highest > 1.01 * middle || lowest < 0.99 * middle)
      sampled += fmt::format(" (median; {:.3g} s to {:.3g} s)", lowest, highest);
  }
  result.notes.push_back(fmt::format("{} rows{}: {}", result.t.size(), sampled, read));

  for (const auto& each : wanted.detrend) remove_drift(result, each);
  for (const auto& each : wanted.slopes) add_slope(result, each, wanted.bandwidth);
  return result;
}

}  // namespace asperity
