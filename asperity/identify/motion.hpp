// SPDX-License-Identifier: Apache-2.0
#pragma once

// A motion that tells all parameters of a model: strokes from a part of the sliding distance to many of
// them, at speeds from a tenth to ten times those on its card, with quick reversals. What to do in an
// experiment, and what tests of identification are made of.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/text/record.hpp>

namespace asperity {

// Columns of the inputs of the port; about eight times `rows_of_segment` rows, unevenly spaced.
record rich_motion(const any_model&, int rows_of_segment);

}  // namespace asperity
