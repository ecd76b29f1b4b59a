// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/quantity.hpp>
#include <asperity/sweep/distribution.hpp>
#include <asperity/text.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

namespace asperity {

double distribution::quantile(double share) const {
  if (what == kind::uniform) return a + share * (b - a);
  const double deviations = -std::numbers::sqrt2 * boost::math::erfc_inv(2 * share);
  return what == kind::normal ? a + b * deviations : a * std::exp(b * deviations);
}

distribution parse_distribution(std::string_view text, unit in) {
  const std::string_view whole = trimmed(text);
  const auto open = whole.find('('), comma = whole.find(',');
  const std::string_view word = trimmed(whole.substr(0, open));
  distribution result;
  if (word == "uniform") {
    result.what = distribution::kind::uniform;
  } else if (word == "lognormal") {
    result.what = distribution::kind::lognormal;
  } else if (word != "normal") {
    throw error(
        fmt::format("'{}': write normal(MEAN, DEVIATION), uniform(FROM, TO) or "
                    "lognormal(MEDIAN, DEVIATION OF THE LOGARITHM)",
                    text));
  }
  const bool complete = open != std::string_view::npos && whole.ends_with(')') &&
                        comma != std::string_view::npos &&
                        whole.find(',', comma + 1) == std::string_view::npos;
  if (!complete) throw error(fmt::format("'{}': {} needs two arguments in brackets", text, word));
  try {
    result.a = in_si(trimmed(whole.substr(open + 1, comma - open - 1)), in);
    result.b = in_si(trimmed(whole.substr(comma + 1, whole.size() - comma - 2)),
                     result.what == distribution::kind::lognormal ? units::one : in);
  } catch (const error& problem) {
    throw error(fmt::format("'{}': {}", text, problem.what()));
  }
  if (!std::isfinite(result.a) || !std::isfinite(result.b))
    throw error(fmt::format("'{}': both must be finite", text));
  if (result.what == distribution::kind::uniform && !(result.a < result.b))
    throw error(fmt::format("'{}': the first must be below the second", text));
  if (result.what != distribution::kind::uniform && !(result.b > 0))
    throw error(fmt::format("'{}': the deviation must be above 0", text));
  if (result.what == distribution::kind::lognormal && !(result.a > 0))
    throw error(fmt::format("'{}': the median must be above 0", text));
  return result;
}

}  // namespace asperity
