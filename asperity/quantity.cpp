// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <asperity/error.hpp>
#include <asperity/portable.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace asperity {

namespace {

struct named_unit {
  std::string_view name;
  double scale;
  unit in;
};

constexpr double pi = 3.14159265358979323846;
constexpr unit newton = units::newton, metre = units::metre, second = units::second;
constexpr unit hertz = units::one / units::second;
constexpr unit pascal = newton / (metre * metre);

// Those that take prefixes: mN, km, urad ...
constexpr std::array prefixed_units{named_unit{"N", 1, newton},
                                    named_unit{"m", 1, metre},
                                    named_unit{"s", 1, second},
                                    named_unit{"g", 1e-3, units::kilogram},
                                    named_unit{"J", 1, units::joule},
                                    named_unit{"W", 1, units::watt},
                                    named_unit{"Hz", 1, hertz},
                                    named_unit{"Pa", 1, pascal},
                                    named_unit{"bar", 1e5, pascal},
                                    named_unit{"rad", 1, units::radian},
                                    named_unit{"deg", pi / 180, units::radian},
                                    named_unit{"Nm", 1, units::torque},
                                    named_unit{"Ncm", 1e-2, units::torque},
                                    named_unit{"Nmm", 1e-3, units::torque}};

constexpr std::array plain_units{named_unit{"min", 60, second},
                                 named_unit{"h", 3600, second},
                                 named_unit{"t", 1e3, units::kilogram},
                                 named_unit{"°", pi / 180, units::radian},
                                 named_unit{"arcmin", pi / 10800, units::radian},
                                 named_unit{"arcsec", pi / 648000, units::radian},
                                 named_unit{"rev", 2 * pi, units::radian},
                                 named_unit{"rpm", pi / 30, units::radian / units::second},
                                 named_unit{"%", 1e-2, units::one},
                                 named_unit{"‰", 1e-3, units::one},
                                 named_unit{"1", 1, units::one},
                                 named_unit{"-", 1, units::one}};

struct prefix {
  std::string_view name;
  double scale;
};
constexpr std::array prefixes{
    prefix{"p", 1e-12}, prefix{"n", 1e-9}, prefix{"u", 1e-6}, prefix{"µ", 1e-6},
    prefix{"μ", 1e-6},  // the Greek letter, not the micro sign before it
    prefix{"m", 1e-3},  prefix{"c", 1e-2}, prefix{"d", 1e-1}, prefix{"h", 1e2},
    prefix{"k", 1e3},   prefix{"M", 1e6},  prefix{"G", 1e9},  prefix{"T", 1e12}};

std::optional<named_unit> find_unit(std::string_view name) {
  for (const auto& each : plain_units)
    if (each.name == name) return each;
  for (const auto& each : prefixed_units) {
    if (each.name == name) return each;
    if (!name.ends_with(each.name)) continue;
    const std::string_view before = name.substr(0, name.size() - each.name.size());
    for (const auto& [text, scale] : prefixes)
      if (text == before) return named_unit{name, scale * each.scale, each.in};
  }
  return {};
}

std::string names_of_units() {
  std::string result;
  for (const auto& each : prefixed_units) result += fmt::format("{} ", each.name);
  result += "with prefixes";
  for (const auto& each : prefixes)
    if (each.name.size() == 1) result += fmt::format(" {}", each.name);
  result += ", and";
  for (const auto& each : plain_units)
    if (each.name != "-") result += fmt::format(" {}", each.name);
  return result;
}

// A number at the start of `text`, removed from it; no error, or why there is none.
std::errc take_number(std::string_view& text, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, code] = detail::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc{}) text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return code;
}

std::string told_sizes() {
  using limits = std::numeric_limits<double>;
  return fmt::format(
      " is too large or too close to 0: other than 0, a number is between {:.1e} and {:.1e} in "
      "size",
      limits::denorm_min(), limits::max());
}

// What stands for nothing but a product.
void skip_blanks(std::string_view& text) {
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view blank : {" ", "*", "·", "⋅"})
      if (text.starts_with(blank)) {
        text.remove_prefix(blank.size());
        more = true;
      }
  }
}

// A power at the start of `text`, removed from it: 1 where there is none.
double take_power(std::string_view& text, const std::function<void(const char*)>& fail) {
  for (const auto& [sign, value] : {std::pair("²", 2.0), std::pair("³", 3.0)})
    if (text.starts_with(sign)) {
      text.remove_prefix(std::string_view(sign).size());
      return value;
    }
  if (text.empty() || text.front() != '^') return 1;
  text.remove_prefix(1);
  double value = 0;
  if (take_number(text, value) != std::errc{}) fail(": a number must follow '^'");
  if (!(std::abs(value) <= 100)) fail(": a power of a unit is a number from -100 to 100");
  return value;
}

// The name of a unit at the start of `text`, removed from it.
std::string_view take_name(std::string_view& text) {
  std::size_t end = std::min(text.find_first_of(" */^()"), text.size());
  for (const std::string_view sign : {"²", "³", "·", "⋅"}) end = std::min(end, text.find(sign));
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  return name;
}

}  // namespace

quantity parse_quantity(std::string_view whole) {
  std::string_view text = whole;
  const auto fail = [&](std::string_view what) {
    throw error(fmt::format("'{}'{}", shortened(whole, 60), what));
  };
  quantity result;
  skip_blanks(text);
  const std::errc code = take_number(text, result.value);
  if (code == std::errc::result_out_of_range) fail(told_sizes());
  if (code != std::errc{}) fail(" is not a number, nor a number with a unit such as '5 N/um'");
  if (text.size() > 1 && text[0] == ',' && '0' <= text[1] && text[1] <= '9')
    fail(": a decimal point is wanted, not a comma");
  const bool was_finite = std::isfinite(result.value);
  bool below = false, in_brackets = false, below_brackets = false;
  unit before;  // the factor before this one
  for (skip_blanks(text); !text.empty(); skip_blanks(text)) {
    if (text.front() == '/') {
      below = true;
      text.remove_prefix(1);
      skip_blanks(text);
    }
    // "N/(m/s)"
    if (text.starts_with('(') && !in_brackets) {
      in_brackets = true;
      below_brackets = std::exchange(below, false);
      text.remove_prefix(1);
      skip_blanks(text);
    } else if (text.starts_with(')') && in_brackets && !below) {
      in_brackets = below_brackets = false;
      before = {};
      text.remove_prefix(1);
      continue;
    }
    const std::string_view name = take_name(text);
    if (name.empty()) fail(": the name of a unit is missing");
    double power_of = take_power(text, fail);
    const auto found = find_unit(name);
    if (!found)
      fail(fmt::format(": unknown unit '{}' (known: {})", shortened(name, 40), names_of_units()));
    if (std::exchange(below, false) != below_brackets) power_of = -power_of;
    result.value *= std::pow(found->scale, power_of);
    const unit factor = power(found->in, power_of);
    result.in = result.in * factor;
    // "N m" is a torque, "kg m^2" an inertia; an energy is written in J.
    for (const unit of : {newton, units::kilogram})
      if (same_text(before, of) && of * factor == rotary(of))
        result.in = result.in * rotary(of) / (of * factor);
    before = factor;
    result.has_unit = true;
  }
  if (in_brackets) fail(": ')' is missing");
  if (!was_finite) fail(" is not a finite number");
  if (!std::isfinite(result.value)) fail(told_sizes());  // by its unit
  return result;
}

double in_si(std::string_view text, unit expected) {
  const quantity q = parse_quantity(text);
  // Turns a second and radians a second differ by 2 pi, though both are 1/s; 1/min is turns, too.
  const char* turns = text.find("Hz") != std::string_view::npos                        ? "Hz"
                      : q.in.radian == 0 && text.find("min") != std::string_view::npos ? "1/min"
                                                                                       : nullptr;
  const bool turns_a_second = turns != nullptr;
  const bool mixed = turns_a_second ? q.in.radian == 0 && expected.radian == 1 && q.in == expected
                                    : q.in == hertz && q.in.radian == 1 && expected.radian == 0;
  if (q.has_unit && (mixed || !(q.in == expected)))
    throw error(fmt::format("'{}' is in {}, but {} is wanted", shortened(text, 60),
                            mixed && turns_a_second && q.in == hertz ? turns : to_string(q.in),
                            to_string(expected)));
  return q.value;
}

std::string to_string(unit u) {
  // Quantities of a motion about an axis are written as those along a line are, in other words.
  const bool turns = u.metre == 2 * u.kilogram && u.radian != 0 && u.kilogram * u.radian <= 0;
  if (turns) u.metre += u.radian;
  if (!turns && u == units::one) return "-";
  if (!turns && u == units::joule) return "J";
  if (!turns && u == units::watt) return "W";
  std::string above, below;
  const auto add = [&](std::string_view name, double p) {
    if (p == 0) return;
    std::string& side = p > 0 ? above : below;
    if (!side.empty() && p > 0) side += ' ';
    if (p < 0) side += '/';
    side += name;
    if (std::abs(p) != 1) side += fmt::format("^{:g}", std::abs(p));
  };
  const double mass = u.kilogram;
  if (std::abs(mass) == 1 && u.second != 0) {  // what has mass in it reads best in N
    add("N", mass);
    if (turns) add("m", mass);
    u = u / power(units::newton, mass);
  } else {
    add("kg", mass);
    if (turns) add("m", 2 * mass);
  }
  add(turns ? "rad" : "m", u.metre);
  add("s", u.second);
  return (above.empty() ? "1" : above) + below;
}

}  // namespace asperity
