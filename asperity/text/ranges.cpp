// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/card.hpp>
#include <asperity/error.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text.hpp>
#include <asperity/text/pieces.hpp>
#include <asperity/text/ranges.hpp>
#include <cmath>

namespace asperity {

namespace {

constexpr double most_values_of_range = 1e6;

std::vector<std::string_view> items_of(std::string_view list) {
  auto parts = split(list, ',');
  for (auto& each : parts) each = trimmed(each);
  return parts;
}

}  // namespace

std::vector<double> parse_values(std::string_view text, unit in, range allowed) {
  const auto fail = [&](const std::string& why) -> double {
    throw error(fmt::format("'{}': {}", shortened(text, 60), why));
  };
  const auto number = [&](std::string_view part, unit expected) {
    try {
      return in_si(part, expected);
    } catch (const error& problem) {
      return fail(problem.what());
    }
  };
  const auto check = [&](double value) {
    if (!allows(allowed, value))
      fail(fmt::format("{:g} {} is not allowed: it must be {}", value, to_string(in),
                       to_string(allowed)));
    return value;
  };

  const std::string_view whole = trimmed(text);
  const bool is_lin = whole.starts_with("lin("), is_log = whole.starts_with("log(");
  if (!is_lin && !is_log) {
    if (const auto bracket = whole.find_first_of("()"); bracket != std::string_view::npos)
      fail("a range is lin(FROM, TO, COUNT) or log(FROM, TO, COUNT)");
    std::vector<double> values;
    const auto parts = items_of(whole);
    if (static_cast<double>(parts.size()) > most_values_of_range)
      fail(fmt::format("{} values are too many: at most {:g} are allowed", parts.size(),
                       most_values_of_range));
    values.reserve(parts.size());
    for (const auto part : parts) values.push_back(check(number(part, in)));
    return values;
  }

  const auto parts = items_of(whole.substr(4, whole.size() - 5));
  if (!whole.ends_with(")") || parts.size() != 3)
    fail(fmt::format("{0}(FROM, TO, COUNT) has three arguments", is_lin ? "lin" : "log"));
  const double from = check(number(parts[0], in)), to = check(number(parts[1], in));
  const double count = number(parts[2], units::one);
  if (!(count >= 2 && count <= most_values_of_range && count == std::floor(count)))
    fail(fmt::format("{} must be a whole number from 2 to {:g}", parts[2], most_values_of_range));
  if (is_log && (from == 0 || to == 0 || (from < 0) != (to < 0)))
    fail("a log range needs both ends positive, or both negative");
  // Ends so far apart that their difference or ratio is beyond all numbers are met half way.
  const double span = to - from, ratio = to / from;
  const auto value_at = [&](double share) {
    if (is_lin) return std::isfinite(span) ? from + share * span : (1 - share) * from + share * to;
    if (std::isfinite(ratio) && ratio > 0) return from * std::pow(ratio, share);
    return std::copysign(std::pow(std::abs(from), 1 - share) * std::pow(std::abs(to), share), to);
  };
  std::vector<double> values;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const double value = value_at(i / (count - 1));
    values.push_back(allowed.whole ? check(value) : value);
  }
  values.back() = to;  // to the last bit
  return values;
}

}  // namespace asperity
