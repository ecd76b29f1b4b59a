// SPDX-License-Identifier: Apache-2.0
// Values to go through, "log(1 mm/s, 10 m/s, 50)", and distributions to draw from.

#include <asperity/sweep/distribution.hpp>
#include <asperity/text/ranges.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

void try_values(std::string_view text) {
  const auto values = parse_values(text, units::metre);
  require(!values.empty() && values.size() <= std::max<std::size_t>(1'000'000, text.size()),
          "there are values, and not too many");
  for (const double each : values) require(std::isfinite(each), "every value is finite");
  if (text.find('(') == std::string_view::npos) return;
  const bool rises = values.front() <= values.back();
  for (std::size_t i = 1; i < values.size(); ++i)
    require(rises ? values[i - 1] <= values[i] : values[i - 1] >= values[i],
            "a range goes one way");
}

void try_distribution(std::string_view text) {
  const distribution d = parse_distribution(text, units::metre);
  double last = d.quantile(1e-12);
  for (const double share : {1e-3, 0.5, 0.999, 1 - 1e-12}) {
    const double now = d.quantile(share);
    require(!std::isnan(now) && last <= now, "quantiles rise with the share");
    last = now;
  }
}

}  // namespace

void try_input(std::string_view input) {
  try {
    try_values(input);
  } catch (const error&) {
    try_distribution(input);
  }
}

}  // namespace asperity::fuzz
