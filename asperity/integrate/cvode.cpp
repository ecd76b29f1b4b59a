// SPDX-License-Identifier: Apache-2.0
#include <asperity/error.hpp>
#include <asperity/integrate/cvode.hpp>

#ifdef ASPERITY_WITH_SUNDIALS

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

namespace asperity {

bool has_cvode() { return true; }

namespace detail {

struct cvode_core::solver {
  const void* system;
  rates_function rates;
  int stalled = 0;  // steps without progress, one after another
  int size;
  double longest, first;
  std::span<const event> events;
  double latest = 0;
  double t0 = 0, t1 = 0;
  bool failed = false;
  shortest_steps shortest;

  SUNContext context = nullptr;
  N_Vector y = nullptr, absolute = nullptr;
  SUNMatrix jacobian = nullptr;
  SUNLinearSolver linear = nullptr;
  void* memory = nullptr;
  double relative;

  solver(const void* the_system, rates_function the_rates, int the_size, const tolerances& wanted,
         double first_step, double longest_step, std::span<const event> the_events)
      : system(the_system),
        rates(the_rates),
        size(the_size),
        longest(longest_step),
        first(first_step),
        events(the_events),
        relative(wanted.relative) {
    SUNContext_Create(nullptr, &context);
    y = N_VNew_Serial(size, context);
    absolute = N_VNew_Serial(size, context);
    for (int i = 0; i < size; ++i)
      N_VGetArrayPointer(absolute)[i] = wanted.absolute[static_cast<std::size_t>(i)];
    jacobian = SUNDenseMatrix(size, size, context);
    linear = SUNLinSol_Dense(y, jacobian, context);
  }
  ~solver() {
    CVodeFree(&memory);
    SUNLinSolFree(linear);
    SUNMatDestroy(jacobian);
    N_VDestroy(absolute);
    N_VDestroy(y);
    SUNContext_Free(&context);
  }
  solver(const solver&) = delete;
  solver& operator=(const solver&) = delete;

  // One short step across a jump of the rates, and a new start behind it.
  bool pass_jump(double limit) {
    const double h = std::min(shortest_steps::length(t1), limit - t1);
    if (!shortest.may_take(t1, h)) return false;
    shortest.took(t1, h, false);
    std::vector<double> rate(static_cast<std::size_t>(size));
    double* now = N_VGetArrayPointer(y);
    rates(system, std::min(t1, latest), now, rate.data());
    for (std::size_t i = 0; i < rate.size(); ++i) now[i] += h * rate[i];
    t1 += h;
    return all_finite(now, size) && CVodeReInit(memory, t1, y) == CV_SUCCESS;
  }

  static int call_rates(double t, N_Vector y, N_Vector rate, void* self) {
    const auto& s = *static_cast<const solver*>(self);
    s.rates(s.system, std::min(t, s.latest), N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
    return all_finite(N_VGetArrayPointer(rate), s.size) ? 0 : 1;  // 1: try a shorter step
  }
  static int call_events(double t, N_Vector y, double* value, void* self) {
    const auto& s = *static_cast<const solver*>(self);
    for (std::size_t i = 0; i < s.events.size(); ++i)
      value[i] = s.events[i].value(t, N_VGetArrayPointer(y));
    return 0;
  }
};

cvode_core::cvode_core(const void* system, rates_function rates, int size, const tolerances& wanted,
                       double first_step, double longest_step, std::span<const event> events)
    : solver_(std::make_unique<solver>(system, rates, size, wanted, first_step, longest_step,
                                       events)) {}

void cvode_core::start(double t, const double* y) {
  solver& s = *solver_;
  std::copy_n(y, s.size, N_VGetArrayPointer(s.y));
  s.t0 = s.t1 = t;
  if (s.memory != nullptr) {
    s.failed = CVodeReInit(s.memory, t, s.y) != CV_SUCCESS;
    return;
  }
  s.memory = CVodeCreate(CV_BDF, s.context);
  s.failed = s.memory == nullptr || CVodeInit(s.memory, solver::call_rates, t, s.y) != CV_SUCCESS ||
             CVodeSetUserData(s.memory, &s) != CV_SUCCESS ||
             CVodeSVtolerances(s.memory, s.relative, s.absolute) != CV_SUCCESS ||
             CVodeSetLinearSolver(s.memory, s.linear, s.jacobian) != CV_SUCCESS ||
             CVodeSetInitStep(s.memory, s.first) != CV_SUCCESS ||
             CVodeSetMaxStep(s.memory, s.longest) != CV_SUCCESS ||
             CVodeSetMaxErrTestFails(s.memory, 60) != CV_SUCCESS ||
             CVodeSetErrFile(s.memory, nullptr) != CV_SUCCESS;
  if (!s.failed && !s.events.empty())
    s.failed = CVodeRootInit(s.memory, static_cast<int>(s.events.size()), solver::call_events) !=
               CV_SUCCESS;
}

outcome cvode_core::step(double limit, double latest) {
  solver& s = *solver_;
  if (s.failed) return outcome::solver_failed;
  s.latest = latest;
  s.t0 = s.t1;
  CVodeSetStopTime(s.memory, limit);
  int code = CVode(s.memory, limit, s.y, &s.t1, CV_ONE_STEP);
  if (code == CV_ILL_INPUT && !s.events.empty()) {
    // Events that stay at 0 for a while, or come together, are too much for CVODE's own search.
    // From here on they are looked for after each step alone, as with every other method.
    CVodeRootInit(s.memory, 0, nullptr);
    code = CVode(s.memory, limit, s.y, &s.t1, CV_ONE_STEP);
  }
  if (!all_finite(N_VGetArrayPointer(s.y), s.size)) return outcome::not_finite;
  if (code == CV_ERR_FAILURE && s.pass_jump(limit)) return outcome::completed;
  if (code >= 0) s.shortest.took(s.t0, s.t1 - s.t0, true);
  // Before a place that rates cannot be computed at, steps shrink to nothing but do not end.
  const bool stands = s.t1 - s.t0 <= 1e-15 * std::abs(s.t1);
  s.stalled = stands ? s.stalled + 1 : 0;
  if (s.stalled > 100) return outcome::step_too_small;
  if (code >= 0) return outcome::completed;
  if (code == CV_ERR_FAILURE || code == CV_CONV_FAILURE || code == CV_TOO_MUCH_ACC)
    return outcome::step_too_small;
  return code == CV_REPTD_RHSFUNC_ERR || code == CV_FIRST_RHSFUNC_ERR ? outcome::not_finite
                                                                      : outcome::solver_failed;
}

double cvode_core::t() const { return solver_->t1; }
double cvode_core::before() const { return solver_->t0; }
const double* cvode_core::y() const { return N_VGetArrayPointer(solver_->y); }

void cvode_core::at(double t, double* out) const {
  const solver& s = *solver_;
  N_Vector shown = N_VMake_Serial(s.size, out, s.context);
  if (CVodeGetDky(s.memory, t, 0, shown) != CV_SUCCESS) std::copy_n(y(), s.size, out);
  N_VDestroy(shown);
}

long cvode_core::evaluations() const {
  long direct = 0, for_jacobian = 0;
  CVodeGetNumRhsEvals(solver_->memory, &direct);
  CVodeGetNumLinRhsEvals(solver_->memory, &for_jacobian);
  return direct + for_jacobian;
}

long cvode_core::rejected() const {
  long failures = 0;
  CVodeGetNumErrTestFails(solver_->memory, &failures);
  return failures;
}

}  // namespace detail
}  // namespace asperity

#else

namespace asperity {

bool has_cvode() { return false; }

namespace detail {

struct cvode_core::solver {};

cvode_core::cvode_core(const void*, rates_function, int, const tolerances&, double, double,
                       std::span<const event>) {
  throw error(
      "method 'cvode' is not in this build: install SUNDIALS (libsundials-dev) and build again, or "
      "choose trbdf2 or dopri5");
}
void cvode_core::start(double, const double*) {}
outcome cvode_core::step(double, double) { return outcome::solver_failed; }
double cvode_core::t() const { return 0; }
double cvode_core::before() const { return 0; }
const double* cvode_core::y() const { return nullptr; }
void cvode_core::at(double, double*) const {}
long cvode_core::evaluations() const { return 0; }
long cvode_core::rejected() const { return 0; }

}  // namespace detail
}  // namespace asperity

#endif

namespace asperity::detail {
cvode_core::~cvode_core() = default;
cvode_core::cvode_core(cvode_core&&) noexcept = default;
cvode_core& cvode_core::operator=(cvode_core&&) noexcept = default;
}  // namespace asperity::detail
