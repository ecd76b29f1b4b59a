// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/stepper.hpp>

namespace asperity::detail {

extern const method_row moreau_jean_method{
    .name = "moreau_jean",
    .meaning = "hard constraints and impulses of an inclusion, steps of fixed length",
    .order = 1,
    .is_fixed = true,
    .needs = method_needs::impulses,
    .follows_impacts = true,
    .holds_at_rest = true,
    .run = run_fixed<advance_stepper>,
    .when_stiff = stiff_steps::long_ones};

}  // namespace asperity::detail
