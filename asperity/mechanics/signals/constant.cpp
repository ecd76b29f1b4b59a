// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/input_signal.hpp>

namespace asperity::detail {

extern const signal_row constant{
    .name = "constant", .meaning = "value", .read = [](key_builder& table, unit in) {
      double value = 0;
      table.required("value", value, in, any_value, "value at all times");
      return signal::constant(value);
    }};

}  // namespace asperity::detail
