// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/stepper.hpp>

namespace asperity::detail {

extern const method_row trbdf2_method{
    .name = "trbdf2",
    .meaning = "trapezoidal rule and backward differences in closed form, adaptive",
    .order = 2,
    .is_fixed = false,
    .needs = method_needs::stage,
    .stops_at_jumps = true,
    .holds_at_rest = true,
    .preference = 2,
    .run = run_adaptive<trbdf2_stepper>,
    .when_stiff = stiff_steps::long_ones,
    .stiff_advice = 3};

}  // namespace asperity::detail
