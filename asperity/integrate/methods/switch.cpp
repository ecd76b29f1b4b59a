// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/switch_model.hpp>

namespace asperity::detail {

method_report run_switch(const method_run& r) {
  const auto& s = r.setting;
  switch_stepper<system_view> stepper(r.view, s.tolerance, s.first_step, s.max_step,
                                      {s.switch_eta, s.switch_tau});
  return {run_to_end(stepper, r)};
}

extern const method_row switch_method{
    .name = "switch",
    .meaning = "the Switch Model of Leine and Nijmeijer: friction that jumps at rest, adaptive",
    .order = 5,
    .is_fixed = false,
    .needs = method_needs::sides,
    .stops_at_jumps = true,
    .holds_at_rest = true,
    .run = run_switch};

}  // namespace asperity::detail
