// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/stepper.hpp>

namespace asperity::detail {

extern const method_row euler_method{.name = "euler",
                                     .meaning = "explicit Euler, for comparison",
                                     .order = 1,
                                     .is_fixed = true,
                                     .needs = method_needs::rates,
                                     .run = run_fixed<euler_stepper>,
                                     .amplifies = amplification_of_euler};

}  // namespace asperity::detail
