// SPDX-License-Identifier: Apache-2.0
#pragma once

// SUNDIALS CVODE (backward differentiation, dense Jacobian by differences) as a stepper: the
// general stiff solver, and an independent check of our own. Events are handed to its root finder,
// so a step ends at each of them. Optional: without SUNDIALS the constructor throws and says so.

#include <asperity/integrate/run.hpp>
#include <memory>
#include <span>

namespace asperity {

bool has_cvode();

namespace detail {

// CVODE behind plain functions, so that no SUNDIALS header reaches our users.
class cvode_core {
 public:
  using rates_function = void (*)(const void* system, double t, const double* y, double* rate);

  cvode_core(const void* system, rates_function rates, int size, const tolerances& wanted,
             double first_step, double longest_step, std::span<const event> events);
  ~cvode_core();
  cvode_core(cvode_core&&) noexcept;
  cvode_core& operator=(cvode_core&&) noexcept;
  cvode_core(const cvode_core&) = delete;
  cvode_core& operator=(const cvode_core&) = delete;

  void start(double t, const double* y);
  outcome step(double limit, double latest);
  double t() const;
  double before() const;
  const double* y() const;
  void at(double t, double* out) const;
  long evaluations() const;
  long rejected() const;

 private:
  struct solver;
  std::unique_ptr<solver> solver_;
};

}  // namespace detail

template <ode_system System>
class cvode_stepper : public detail::cvode_core {
 public:
  cvode_stepper(const System& system, const tolerances& wanted, double first_step,
                double longest_step, std::span<const event> events = {})
      : cvode_core(
            &system,
            [](const void* self, double t, const double* y, double* rate) {
              static_cast<const System*>(self)->rates(t, y, rate);
            },
            system.size(), wanted, first_step, longest_step, events) {}
};

}  // namespace asperity
