// SPDX-License-Identifier: Apache-2.0
#include <asperity/run/read_inclusion.hpp>

namespace asperity {

namespace {

// Names and units are the user's: the card has the tables.
std::shared_ptr<system> build(system_builder& b) {
  if (!b.lists()) return read_inclusion_system(context_of(b));
  b.root.table("states", "[states.NAME]: `rate`, a formula; `unit`; `initial`");
  b.root.table("parameters", "NAME = number, with its unit", is_optional);
  b.root.table("inputs", "NAME = number, or an input with its `unit`", is_optional);
  b.root.table("definitions", "NAME = formula", is_optional);
  b.root.table("energy", "NAME = formula, what the bodies hold", is_optional);
  b.root.table("terms", "[terms.NAME]: K, beta, alpha, deflection or restitution of sgn or dio",
               is_optional);
  return nullptr;
}

}  // namespace

namespace detail {

extern const system_row inclusion{
    .name = "inclusion", .what = "a system of your own, stated with sgn and dio", .build = build};

}  // namespace detail

}  // namespace asperity
