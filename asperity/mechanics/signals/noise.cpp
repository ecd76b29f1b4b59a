// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/mechanics/input_signal.hpp>
#include <asperity/mechanics/periodic_signal.hpp>
#include <cmath>
#include <numbers>
#include <random>

namespace asperity {

namespace {

signal read_noise(key_builder& table, unit in) {
  constexpr unit per_second = units::one / units::second;
  double rms = 1, from = 0, to = 1, period = 1, offset = 0;
  long long seed = 1;
  table.required("rms", rms, in, non_negative,
                 "root mean square over a period, without the offset");
  table.required("to", to, per_second, positive, "highest frequency, in Hz");
  table.optional("from", from, per_second, non_negative, "lowest frequency, in Hz");
  table.required("period", period, units::second, positive,
                 "time after which the noise repeats; its spectral lines are 1/period apart");
  table.optional("seed", seed, whole(0, 9e15),
                 "seed of the random phases: the same seed gives the same noise on every machine");
  table.optional("offset", offset, in, any_value, "constant added to the noise");

  const double slack = 1e-9;  // an edge of the band is part of it
  const double first = std::max(1.0, std::ceil(from * period * (1 - slack)));
  const double last = std::floor(to * period * (1 + slack));
  if (!(first <= last))
    table.refuse("to",
                 fmt::format("no multiple of 1/period = {:g} Hz is from {:g} to {:g} Hz: take a "
                             "longer period or a wider band",
                             1 / period, from, to));
  if (last > static_cast<double>(most_harmonics))
    table.refuse("period", fmt::format("up to {:g} Hz it has {:g} lines, more than {}: take a "
                                       "shorter period",
                                       to, last, most_harmonics));
  if (table.lists()) return {};
  // The generator, unlike the distributions of the standard library, is the same everywhere.
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::vector<std::complex<double>> lines(static_cast<std::size_t>(last) + 1);
  lines[0] = offset;
  const double amplitude = rms * std::sqrt(2 / (last - first + 1));
  for (auto k = static_cast<std::size_t>(first); k < lines.size(); ++k)
    lines[k] = std::polar(
        amplitude, std::ldexp(static_cast<double>(random() >> 11), -53) * 2 * std::numbers::pi);
  return periodic(lines, period, 0);
}

}  // namespace

namespace detail {

extern const signal_row noise{
    .name = "noise",
    .meaning =
        "offset + sines of equal size and random phase, at all multiples of 1/period in a band",
    .read = read_noise};

}  // namespace detail

}  // namespace asperity
