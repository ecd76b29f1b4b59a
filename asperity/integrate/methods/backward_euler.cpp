// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/stepper.hpp>

namespace asperity::detail {

extern const method_row backward_euler_method{
    .name = "backward_euler",
    .meaning =
        "backward Euler in closed form, steps of fixed length; resolves impacts on rigid contacts",
    .order = 1,
    .is_fixed = true,
    .needs = method_needs::stage,
    .follows_impacts = true,
    .holds_at_rest = true,
    .preference = 5,
    .run = run_fixed<backward_euler_stepper>,
    .when_stiff = stiff_steps::long_ones,
    .stiff_advice = 2};

}  // namespace asperity::detail
