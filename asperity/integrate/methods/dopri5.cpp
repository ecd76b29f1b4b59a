// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/method.hpp>

namespace asperity::detail {

extern const method_row dopri5_method{
    .name = "dopri5",
    .meaning = "Dormand-Prince 5(4), adaptive: smooth systems that are not stiff",
    .order = 5,
    .is_fixed = false,
    .needs = method_needs::rates,
    .stops_at_jumps = true,
    .run = run_adaptive<dopri5_stepper>};

}  // namespace asperity::detail
