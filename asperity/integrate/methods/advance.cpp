// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/memory_stepper.hpp>
#include <asperity/integrate/method.hpp>

namespace asperity::detail {

method_report run_advance(const method_run& r) {
  const auto& s = r.setting;
  if (has_fixed_step(s)) return run_fixed<advance_stepper>(r);
  const auto stepper =
      std::make_unique<memory_stepper<system_view>>(r.view, s.tolerance, s.first_step, s.max_step);
  method_report report{run_to_end(*stepper, r)};
  report.damped = stepper->damped();
  return report;
}

extern const method_row advance_method{
    .name = "advance",
    .meaning = "for a memory that is not an ODE; adaptive, or in steps of fixed length",
    .order = 2,
    .is_fixed = true,
    .needs = method_needs::memory,
    .stops_at_jumps = true,
    .holds_at_rest = true,
    .preference = 1,
    .run = run_advance};

}  // namespace asperity::detail
