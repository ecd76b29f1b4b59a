// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/stepper.hpp>

namespace asperity::detail {

extern const method_row sdirk2_method{
    .name = "sdirk2",
    .meaning = "two implicit stages in closed form, steps of fixed length",
    .order = 2,
    .is_fixed = true,
    .needs = method_needs::stage,
    .holds_at_rest = true,
    .run = run_fixed<sdirk2_stepper>,
    .when_stiff = stiff_steps::long_ones};

}  // namespace asperity::detail
