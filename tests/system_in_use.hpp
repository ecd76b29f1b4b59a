// SPDX-License-Identifier: Apache-2.0
#pragma once

// A system with a workspace of its own, for tests that ask it directly.

#include <asperity/inclusion/inclusion_system.hpp>
#include <asperity/integrate/method.hpp>
#include <utility>

namespace asperity::testing {

class system_in_use {
 public:
  explicit system_in_use(std::shared_ptr<const system> of)
      : of_(std::move(of)), work_(of_->new_workspace()) {}

  const system& operator*() const { return *of_; }
  std::vector<double> initial() const { return of_->initial(); }
  const std::vector<system_quantity>& outputs() const { return of_->card().outputs; }
  void rates(double t, const double* y, double* rate) const { of_->rates(t, y, rate, *work_); }
  void solve_stage(double t, double h, const double* start, double* y) const {
    of_->implicit()->solve_stage(t, h, start, y, *work_);
  }
  void own_step(double t, double h, double* y) const { of_->own()->step(t, h, y, *work_); }
  void observe(double t, const double* y, double* out) const { of_->observe(t, y, out, *work_); }
  const std::string& complaint() const { return work_->complaint; }
  system_view view() const {
    return {*of_, *work_, static_cast<int>(of_->initial().size()), false};
  }

 private:
  std::shared_ptr<const system> of_;
  std::unique_ptr<workspace> work_;
};

class inclusion_in_use : public system_in_use {
 public:
  explicit inclusion_in_use(const inclusion& source, const inclusion_system::plan& plan = {})
      : inclusion_in_use(std::make_shared<inclusion_system>(source, plan)) {}
  const regularised& equations() const { return stated_->equations(); }
  const program& rate_program() const { return stated_->rate_program(); }

 private:
  explicit inclusion_in_use(const std::shared_ptr<const inclusion_system>& stated)
      : system_in_use(stated), stated_(stated) {}
  std::shared_ptr<const inclusion_system> stated_;
};

}  // namespace asperity::testing
