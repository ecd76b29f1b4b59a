// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the rows of a table show.

#include <asperity/run/simulate.hpp>

namespace asperity {

// A table holds finite numbers only: the first row in which one is not, and all after it, are taken
// off, and the run has failed there. Says whether it did.
bool end_where_not_finite(run_data&);

// After a failure: what to do where a model counts what it remembers, and may have had to remember
// more. Empty for other models.
std::string blame_memory(const any_model&, const run_data&);

}  // namespace asperity
