// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/rosenbrock.hpp>

namespace asperity::detail {

extern const method_row rosenbrock_method{
    .name = "rosenbrock",
    .meaning = "Rosenbrock method RODAS (Hairer, Wanner), adaptive: stiff systems",
    .order = 4,
    .is_fixed = false,
    .needs = method_needs::rates,
    .stops_at_jumps = true,
    .run = run_adaptive<rosenbrock_stepper>,
    .when_stiff = stiff_steps::long_ones,
    .stiff_advice = 1};

}  // namespace asperity::detail
