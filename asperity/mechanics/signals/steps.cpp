// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/mechanics/input_signal.hpp>

namespace asperity {

namespace {

signal read_steps(key_builder& table, unit in) {
  double from = 0, to = 1, hold = 1, rise = 0, start = 0;
  long long count = 10;
  bool back = false;
  table.optional("from", from, in, any_value, "first level");
  table.required("to", to, in, any_value, "last level");
  table.optional("count", count, whole(1, 1e5), "number of steps, all of the same height");
  table.required("hold", hold, units::second, positive, "time from one step to the next");
  table.optional(
      "rise", rise, units::second, non_negative,
      "rise time of each step, a half cosine that begins when the previous level ends; 0 jumps");
  table.optional("start", start, units::second, any_value, "time at which the first level begins");
  table.optional("back", back, "return to the first level in the same number of steps");
  if (!(rise < hold)) table.refuse("rise", fmt::format("it must be below hold = {:g} s", hold));
  if (table.lists()) return {};

  std::vector<double> times{start}, levels{from};
  const long long all = back ? 2 * count : count;
  for (long long k = 1; k <= all; ++k) {
    const auto done = static_cast<double>(k <= count ? k : all - k);
    const auto of = static_cast<double>(count);
    const double at = start + static_cast<double>(k) * hold;
    if (rise > 0) {
      times.push_back(at);
      levels.push_back(levels.back());
    }
    times.push_back(at + rise);
    levels.push_back((from * (of - done) + to * done) / of);
  }
  return signal::nodes(std::move(times), std::move(levels),
                       rise > 0 ? signal::joint::half_cosine : signal::joint::hold);
}

}  // namespace

namespace detail {

extern const signal_row steps{
    .name = "steps",
    .meaning = "a staircase of `count` equal steps from `from` to `to`, each level held",
    .read = read_steps};

}  // namespace detail

}  // namespace asperity
