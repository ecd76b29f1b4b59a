// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <asperity/error.hpp>
#include <asperity/portable.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text.hpp>
#include <cmath>
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

constexpr std::array known_units{
    named_unit{"N", 1, newton},
    named_unit{"kN", 1e3, newton},
    named_unit{"mN", 1e-3, newton},
    named_unit{"m", 1, metre},
    named_unit{"km", 1e3, metre},
    named_unit{"cm", 1e-2, metre},
    named_unit{"mm", 1e-3, metre},
    named_unit{"um", 1e-6, metre},
    named_unit{"µm", 1e-6, metre},
    named_unit{"nm", 1e-9, metre},
    named_unit{"s", 1, second},
    named_unit{"ms", 1e-3, second},
    named_unit{"us", 1e-6, second},
    named_unit{"min", 60, second},
    named_unit{"h", 3600, second},
    named_unit{"kg", 1, units::kilogram},
    named_unit{"g", 1e-3, units::kilogram},
    named_unit{"J", 1, units::joule},
    named_unit{"W", 1, units::watt},
    named_unit{"Hz", 1, hertz},
    named_unit{"kHz", 1e3, hertz},
    named_unit{"Pa", 1, pascal},
    named_unit{"kPa", 1e3, pascal},
    named_unit{"MPa", 1e6, pascal},
    named_unit{"GPa", 1e9, pascal},
    named_unit{"rad", 1, units::radian},
    named_unit{"deg", pi / 180, units::radian},
    named_unit{"rev", 2 * pi, units::radian},
    named_unit{"rpm", pi / 30, units::radian / units::second},
    named_unit{"%", 1e-2, units::one},
    named_unit{"1", 1, units::one},
    named_unit{"-", 1, units::one},
};

// A number at the start of `text`, removed from it.
bool take_number(std::string_view& text, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, code] = detail::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '*')) text.remove_prefix(1);
}

}  // namespace

quantity parse_quantity(std::string_view given) {
  std::string_view text = given;
  const auto fail = [&](const std::string& what) {
    throw error(fmt::format("'{}'{}", shortened(given, 60), what));
  };
  quantity result;
  skip_blanks(text);
  if (!take_number(text, result.value))
    fail(" is not a number, nor a number with a unit such as '5 N/um'");
  bool below = false;
  unit before;  // the factor before this one
  for (skip_blanks(text); !text.empty(); skip_blanks(text)) {
    if (text.front() == '/') {
      below = true;
      text.remove_prefix(1);
      skip_blanks(text);
    }
    const std::string_view name = text.substr(0, text.find_first_of(" */^"));
    text.remove_prefix(name.size());
    double power_of = 1;
    if (!text.empty() && text.front() == '^') {
      text.remove_prefix(1);
      if (!take_number(text, power_of)) fail(": a number must follow '^'");
      if (!(std::abs(power_of) <= 100)) fail(": a power of a unit is a number from -100 to 100");
    }
    const named_unit* found = nullptr;
    for (const auto& candidate : known_units)
      if (candidate.name == name) found = &candidate;
    if (found == nullptr)
      fail(
          fmt::format(": unknown unit '{}' (known: N kN mN m km cm mm um nm s ms us min h kg g J W "
                      "Hz kHz Pa kPa MPa GPa rad deg rev rpm % 1)",
                      shortened(name, 40)));
    if (std::exchange(below, false)) power_of = -power_of;
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
  if (!std::isfinite(result.value)) fail(" is not a finite number");
  return result;
}

double in_si(std::string_view text, unit expected) {
  const quantity q = parse_quantity(text);
  // Turns a second and radians a second differ by 2 pi, though both are 1/s.
  const bool turns_a_second = text.find("Hz") != std::string_view::npos;
  const bool mixed = q.in == hertz && (turns_a_second ? expected.radian == 1
                                                      : q.in.radian == 1 && expected.radian == 0);
  if (q.has_unit && (mixed || !(q.in == expected)))
    throw error(fmt::format("'{}' is in {}, but {} is wanted", shortened(text, 60),
                            mixed && turns_a_second ? "Hz" : to_string(q.in), to_string(expected)));
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
