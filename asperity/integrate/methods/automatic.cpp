// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/automatic.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/rosenbrock.hpp>
#include <asperity/integrate/switch_model.hpp>

namespace asperity::detail {

// Work of a step in steps of dopri5, as measured: for a Jacobian of n states and its factors.
double work_of_rosenbrock(int n) { return 2 + 0.25 * n; }

template <class Stepper>
method_report run_pair(Stepper& stepper, const method_run& r, const char* explicit_one,
                       const char* stiff_one) {
  method_report report{run_to_end(stepper, r)};
  const auto& both = [&]() -> const auto& {
    if constexpr (requires { stepper.inner(); }) {
      return stepper.inner();
    } else {
      return stepper;
    }
  }
  ();
  report.damped = both.damped();
  report.shares = {{explicit_one, both.explicit_steps()}, {stiff_one, both.stiff_steps()}};
  return report;
}

std::vector<int> velocities_of(const system_card& card) {
  std::vector<int> found;
  for (std::size_t i = 0; i < card.states.size(); ++i)
    if (card.states[i].in == units::metre / units::second) found.push_back(static_cast<int>(i));
  return found;
}

// The pair of methods that suits the system, one explicit and one for stiff problems. Friction that
// jumps at rest goes by the Switch Model, with both inside it or as the explicit one.
method_report run_automatic(const method_run& r) {
  const auto& s = r.setting;
  const system_view& view = r.view;
  const int n = view.size();
  const switch_parameters held{s.switch_eta, s.switch_tau};
  const system_card& card = view.of->card();
  const auto suit = [&](auto& both) {
    if (card.begins_explicit) both.begin_explicit();
    if (card.damped_body > 0) both.may_damp(velocities_of(card), card.damped_body, view.states);
  };
  const auto pair = [&](auto one, auto other, double stiff_work) {
    auto both = std::make_unique<automatic_stepper<decltype(one), decltype(other)>>(
        std::move(one), std::move(other), n, stiff_work, s.max_step);
    suit(*both);
    return both;
  };
  using switched = switch_stepper<system_view>;
  using explicit_one = dopri5_stepper<system_view>;
  using stiff_one = trbdf2_stepper<system_view>;
  if (view.stage != nullptr) {
    const double work = card.stage_work;
    stiff_one stiff(view, s.tolerance, s.first_step, s.max_step);
    if (view.both_sides != nullptr) {
      const auto both =
          pair(switched(view, s.tolerance, s.first_step, s.max_step, held), std::move(stiff), work);
      return run_pair(*both, r, "switch", "trbdf2");
    }
    const auto both =
        pair(explicit_one(view, s.tolerance, s.first_step, s.max_step), std::move(stiff), work);
    return run_pair(*both, r, "dopri5", "trbdf2");
  }
  if (view.both_sides != nullptr) {
    using field = mode_field<system_view>;
    using derived = differenced<field>;
    using inner = automatic_stepper<dopri5_stepper<field>, rosenbrock_stepper<derived>>;
    std::unique_ptr<derived> smooth;
    switch_stepper<system_view, inner> stepper(view, held, [&](const field& mode) {
      smooth = std::make_unique<derived>(derived{mode, {}, view.states});
      for (std::size_t i = 0; i < static_cast<std::size_t>(view.states); ++i)
        smooth->scale[i] = s.tolerance.absolute[i] / s.tolerance.relative;
      inner both(dopri5_stepper<field>(mode, s.tolerance, s.first_step, s.max_step),
                 rosenbrock_stepper<derived>(*smooth, s.tolerance, s.first_step, s.max_step), n,
                 work_of_rosenbrock(view.states), s.max_step);
      suit(both);
      return both;
    });
    return run_pair(stepper, r, "dopri5", "rosenbrock");
  }
  const auto both =
      pair(explicit_one(view, s.tolerance, s.first_step, s.max_step),
           rosenbrock_stepper<system_view>(view, s.tolerance, s.first_step, s.max_step),
           work_of_rosenbrock(view.states));
  return run_pair(*both, r, "dopri5", "rosenbrock");
}

extern const method_row automatic_method{
    .name = "automatic",
    .meaning = "switches between an explicit method and one for stiff problems, adaptive",
    .order = 5,
    .is_fixed = false,
    .needs = method_needs::rates,
    .stops_at_jumps = true,
    .holds_at_rest = true,
    .preference = 3,
    .run = run_automatic,
    .when_stiff = stiff_steps::both};

}  // namespace asperity::detail
