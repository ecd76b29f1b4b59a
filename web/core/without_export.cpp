// SPDX-License-Identifier: Apache-2.0

// The equations of models as graphs are for `asperity export`, which the page does not have.

#include <asperity/catalogue/all_entries.hpp>

namespace asperity::detail {

const std::vector<model_tracer>& built_in_tracers() {
  static const std::vector<model_tracer> none;
  return none;
}

}  // namespace asperity::detail
