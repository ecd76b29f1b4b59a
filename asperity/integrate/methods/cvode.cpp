// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/cvode.hpp>
#include <asperity/integrate/method.hpp>

namespace asperity::detail {

method_report run_cvode(const method_run& r) {
  const auto& s = r.setting;
  tolerances wanted = s.tolerance;
  // Flows of an audit do not steer the step.
  for (int i = r.view.states; i < r.view.size(); ++i)
    wanted.absolute[static_cast<std::size_t>(i)] = 1e100;
  cvode_stepper<system_view> stepper(r.view, wanted, s.first_step, s.max_step, r.events);
  return {run_to_end(stepper, r)};
}

const char* why_no_cvode() { return has_cvode() ? nullptr : "this build has no SUNDIALS"; }

extern const method_row cvode_method{
    .name = "cvode",
    .meaning = "SUNDIALS CVODE, backward differentiation, adaptive: an independent check",
    .order = 5,
    .is_fixed = false,
    .needs = method_needs::rates,
    .stops_at_jumps = true,
    .run = run_cvode,
    .why_absent = why_no_cvode,
    .when_stiff = stiff_steps::long_ones};

}  // namespace asperity::detail
