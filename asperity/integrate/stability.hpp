// SPDX-License-Identifier: Apache-2.0
#pragma once

// How long a step an explicit method may take. A step of length h multiplies a mode of the system,
// an eigenvalue s of its Jacobian, by R(h s). Where |R| > 1 for a mode that decays, the method is
// unstable, whatever the accuracy that is wanted.

#include <complex>
#include <span>
#include <string>
#include <vector>

namespace asperity {

struct run_setting;
struct system_view;
class system;

using amplification = std::complex<double> (*)(std::complex<double> z);
std::complex<double> amplification_of_euler(std::complex<double> z);
std::complex<double> amplification_of_rk4(std::complex<double> z);

// Longest h that amplifies no decaying mode; infinite where no mode decays. Swings without damping
// are left out: what a method does to them is accuracy, not stability.
double longest_stable_step(std::span<const std::complex<double>> modes, amplification);

// The eigenvalues of a Jacobian, given row by row; none where it has a number that is not finite.
std::vector<std::complex<double>> modes_of(std::span<const double> jacobian);

// At this instant; none where the system has too many states, or friction that jumps at rest
// without saying how.
std::vector<std::complex<double>> modes_of(const system_view&, double t, const double* y);

struct stability_report {
  double limit = __builtin_huge_val();  // of the step [s], the lowest on the way
  double t = 0;                         // when it was that low [s]
  bool diverges = false;                // grew beyond every physical size
};

// Looks at the modes along a run of an explicit method: regularly, and where steps change fast.
class stability_watch {
 public:
  // The run has about `steps` steps of length h. `view` must not be the run's own.
  stability_watch(const system_view& view, amplification, double h, double steps);

  void start(double t, const double* y);
  // After a step; false where the run diverges.
  bool goes_on(double t, const double* y);
  const stability_report& report() const { return report_; }

 private:
  const system_view& view_;
  amplification method_;
  double h_;
  std::size_t n_;
  long block_;  // steps, with at most two looks in each
  long count_ = 0, next_ = 0, next_fast_ = 0;
  bool amplifies_ = false;
  std::vector<double> last_, change_, largest_;
  std::vector<double> mark_;  // when half as many steps were done, or more
  stability_report report_;

  void look(double t, const double* y);
};

// What to do about the step, so that the answer is right: never a step of ours, which may be wrong.
std::string advice_on_steps(const system&);
// What to say where a step is beyond this limit, that of the state `where`.
std::string describe_instability(const system&, const run_setting&, double limit,
                                 const std::string& where);
std::string describe_instability(const system&, const run_setting&, const stability_report&);
// The same for the start of a run; empty where it is stable, or its method always is.
std::string instability_at_start(const system&, const run_setting&, const double* start);

}  // namespace asperity
