// SPDX-License-Identifier: Apache-2.0
#include <asperity/error.hpp>
#include <asperity/mechanics/input_signal.hpp>

namespace asperity {

namespace {

signal read_ramp(key_builder& table, unit in) {
  double slope = 0, start = 0, offset = 0, limit = 0;
  table.required("slope", slope, in / units::second, any_value, "rise per second");
  table.optional("start", start, units::second, any_value, "time at which it begins");
  table.optional("offset", offset, in, any_value, "value before that");
  const bool is_cut = table.has("limit");
  if (!is_cut) return signal::ramp(slope, start, offset);
  table.optional("limit", limit, in, any_value, "value at which it is limited", "none");
  try {
    return signal::ramp_to(slope, limit, start, offset);
  } catch (const error& problem) {
    table.refuse("limit", problem.what());
  }
  return {};
}

}  // namespace

namespace detail {

extern const signal_row ramp{
    .name = "ramp",
    .meaning = "offset + slope (t - start) from start on, limited at `limit` if given",
    .read = read_ramp};

}  // namespace detail

}  // namespace asperity
