// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/mechanics/input_signal.hpp>

namespace asperity {

namespace {

signal read_pieces(key_builder& table, unit in) {
  std::vector<key_builder> parts =
      table.tables("piece", "tables, each an input with `until`; the last has no `until`",
                   "a list of tables, each an input with `until`; the last has no `until`");
  std::vector<signal::piece> pieces;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size() && !table.lists();
    double until = 0;
    if (!last) {
      parts[i].required("until", until, units::second, any_value,
                        "end of the piece; time continues through all of them");
      if (i > 0 && until <= pieces.back().until)
        parts[i].refuse("until", fmt::format("it must be above {}, the end of the previous piece",
                                             pieces.back().until));
    } else if (parts[i].has("until")) {
      parts[i].refuse("until", "the last piece must have no end");
    }
    pieces.push_back({until, read_signal_table(parts[i], in)});
  }
  return signal::pieces(std::move(pieces));
}

}  // namespace

namespace detail {

extern const signal_row piecewise{
    .name = "piecewise", .meaning = "inputs one after another", .read = read_pieces};

}  // namespace detail

}  // namespace asperity
