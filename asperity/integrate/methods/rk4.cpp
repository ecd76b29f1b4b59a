// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/stepper.hpp>

namespace asperity::detail {

extern const method_row rk4_method{
    .name = "rk4",
    .meaning = "the classical Runge-Kutta method, steps of fixed length",
    .order = 4,
    .is_fixed = true,
    .needs = method_needs::rates,
    .preference = 6,
    .run = run_fixed<rk4_stepper>,
    .amplifies = amplification_of_rk4};

}  // namespace asperity::detail
