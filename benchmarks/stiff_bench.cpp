// SPDX-License-Identifier: Apache-2.0
// Time to solution at equal error on stiff friction, in one run beside what users would take
// instead: CVODE (BDF), Boost.odeint's dopri5, SciPy's LSODA and Octave's lsode where installed.
//
//   stick-slip   a mass pulled over LuGre friction; error: of the mean period of 120 s
//   shaken mass  a mass on a spring, forced over DAI friction; error: of x at 200 instants of 4 s,
//                relative to the largest |x|, against the exact flow in long double
//   ten elements the same over multistate DAI friction without Stribeck effect and lag
//   ball         falls 0.5 m on DAI contact and bounces until it rests
//
// `exact` has no setting; it is timed with each instant asked for by itself, and on a grid.
//
// Prints work and precision of each method, then the ratios that matter. `--csv FILE` writes the
// points of the work-precision diagram.

#include <algorithm>
#include <asperity/integrate/cvode.hpp>
#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/exact.hpp>
#include <asperity/integrate/rosenbrock.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "ratio.hpp"
#include "stiff_workloads.hpp"
#include "timing.hpp"

namespace asperity {
namespace {

// Best of several, for about a third of a second.
template <class Work>
double best_time(const Work& work) {
  double best = HUGE_VAL;
  const double until = processor_seconds() + 0.3;
  for (int repeat = 0; repeat < 5 || processor_seconds() < until; ++repeat) {
    const double start = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - start);
    if (repeat >= 400) break;
  }
  return best;
}

struct point {
  std::string workload, method;
  double setting, seconds, error;  // of processor time
  long steps;
};
std::vector<point> points;

void show(const point& p) {
  points.push_back(p);
  std::printf("%-22s %-14s %8.0e %12.1f us %9ld steps   error %9.2e\n", p.workload.c_str(),
              p.method.c_str(), p.setting, 1e6 * p.seconds, p.steps, p.error);
}

// Runs a stepper to the end; `look(stepper)` after each step.
template <class Stepper, class Look>
long to_the_end(Stepper& stepper, double end, const Look& look, double from = 0) {
  const double start[tolerances::most_states] = {from};
  stepper.start(0, start);
  long steps = 0;
  while (stepper.t() < end) {
    if (stepper.step(end, end) != outcome::completed) return -1;
    ++steps;
    look(stepper);
  }
  return steps;
}

// ---- stick-slip ---------------------------------------------------------------------------------

constexpr double true_period = 10.595926918;  // dopri5 at 1e-12, RK4 at 50 us and CVODE at 1e-11

// Slip begins where v rises through 5 cm/s: the mean period of all slips but the first.
struct onsets {
  double before = 0, first = 0, last = 0;
  int count = 0;
  template <class Stepper>
  void operator()(const Stepper& stepper) {
    const double now = stepper.y()[1];
    if (before < 0.05 && now >= 0.05) {
      double low = stepper.before(), high = stepper.t(), y[3];
      while (high - low > 1e-9) {
        const double middle = 0.5 * (low + high);
        stepper.at(middle, y);
        (y[1] < 0.05 ? low : high) = middle;
      }
      if (++count == 2) first = high;
      last = high;
    }
    before = now;
  }
  double period() const { return (last - first) / (count - 2); }
};

template <class Make>
void time_stick_slip(const char* name, double relative, const Make& make) {
  tolerances wanted;
  wanted.relative = relative;
  wanted.absolute = {0.1 * relative, 0.1 * relative, 1e-5 * relative};  // sizes of x, v and z
  // CPU time over 20 s, as one slip; the period over 120 s.
  const double seconds = best_time([&] {
    auto stepper = make(wanted);
    onsets seen;
    to_the_end(stepper, 20, [&](const auto& s) { seen(s); });
  });
  auto stepper = make(wanted);
  onsets seen;
  const long steps = to_the_end(stepper, 120, [&](const auto& s) { seen(s); });
  show({"stick-slip, 20 s", name, relative, seconds,
        seen.count > 2 ? std::abs(seen.period() - true_period) : HUGE_VAL, steps / 6});
}

// A peer that prints "seconds error" for a tolerance; nothing where it is not installed.
void time_peer(const char* name, const std::string& command, double relative) {
  FILE* out =
      popen((command + " " + std::to_string(std::log10(relative)) + " 2>/dev/null").c_str(), "r");
  double seconds = 0, period = 0;
  const bool answered = out != nullptr && std::fscanf(out, "%lf %lf", &seconds, &period) == 2;
  if (out != nullptr) pclose(out);
  if (answered)
    show({"stick-slip, 20 s", name, relative, seconds, std::abs(period - true_period), 0});
  else
    std::printf("%-22s %-14s not installed\n", "stick-slip, 20 s", name);
}

void compare_stick_slip() {
  const auto system = stiff_workloads::stick_slip();
  using plain = decltype(system.plain);
  for (const double relative : {1e-4, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7})
    time_stick_slip("rosenbrock", relative, [&](const tolerances& wanted) {
      return rosenbrock_stepper(system, wanted, 1e-4, 10.0);
    });
  if (has_cvode())
    for (const double relative : {1e-4, 1e-5, 1e-6, 3e-7, 1e-7})
      time_stick_slip("cvode", relative, [&](const tolerances& wanted) {
        return cvode_stepper<plain>(system.plain, wanted, 1e-4, 10.0);
      });
  time_stick_slip("odeint dopri5", 1e-5, [&](const tolerances& wanted) {
    return dopri5_stepper<plain>(system.plain, wanted, 1e-4, 10.0);
  });
  const std::string folder = ASPERITY_SOURCE_DIR "/benchmarks/peers/";
  for (const double relative : {1e-4, 1e-6, 1e-7})
    time_peer("scipy LSODA", "/usr/bin/python3 " + folder + "stick_slip_scipy.py", relative);
  time_peer("octave lsode", "octave --no-gui --quiet " + folder + "stick_slip_octave.m", 1e-6);
}

// ---- shaken mass --------------------------------------------------------------------------------

constexpr double end_of_shaking = 4;
constexpr int samples = 200;

// Both flows, from where the motion starts.
template <class R>
exact_flow<R> begun(const linear_mass& mass, R) {
  exact_flow<R> flow(mass);
  const R rest[element_list::most] = {};
  flow.start(0, 0, 0, rest);
  return flow;
}
template <class R>
contact_flow<R> begun(const linear_contact& ball, R) {
  contact_flow<R> flow(ball);
  flow.start(0, stiff_workloads::height_of_fall, 0);
  return flow;
}
exact_stepper stepper_of(const linear_mass& mass) {
  return {mass, 2 + mass.friction.first_state + mass.friction.count, HUGE_VAL, false};
}
contact_stepper stepper_of(const linear_contact& ball) { return {ball, 3, HUGE_VAL, false}; }
double start_of(const linear_mass&) { return 0; }
double start_of(const linear_contact&) { return stiff_workloads::height_of_fall; }

// The instants, by the exact flow in numbers with 11 bits more than those of what is timed.
template <class System>
std::vector<double> reference(const System& system) {
  std::vector<double> x;
  auto flow = begun(system, 0.0L);
  while (true) {
    const auto how = flow.find_end(end_of_shaking);
    while (static_cast<int>(x.size()) < samples) {
      const long double t = (static_cast<int>(x.size()) + 1) * end_of_shaking / samples;
      if (t > flow.end_time()) break;
      long double place = 0, speed = 0;
      flow.motion(std::min(flow.since_start(t), flow.end()), place, speed);
      x.push_back(static_cast<double>(place));
    }
    if (static_cast<int>(x.size()) == samples) return x;
    flow.take_end(how);
    flow.go_on();
  }
}

// On a grid: all instants of a phase in one go.
template <class System>
void on_grid(const System& system, std::vector<double>& x, std::vector<double>& v) {
  auto flow = begun(system, 0.0);
  constexpr double spacing = end_of_shaking / samples;
  for (int next = 0; next < samples;) {
    const auto how = flow.find_end(end_of_shaking);
    const bool is_last = how == phase_ending::at_limit;
    const int last = is_last ? samples : static_cast<int>(flow.end_time() / spacing);
    if (const int many = last - next; many > 0) {
      const auto at = static_cast<std::size_t>(next);
      flow.motion_on_grid(flow.since_start((next + 1) * spacing), spacing, many, &x[at], &v[at]);
      next = last;
    }
    if (is_last) return;
    flow.take_end(how);
    flow.go_on();
  }
}

double error_of(const std::vector<double>& x, const std::vector<double>& truth) {
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    error = std::max(error, std::abs(x[i] - truth[i]));
    largest = std::max(largest, std::abs(truth[i]));
  }
  return error / largest;
}

// Of many runs at a time: a single one is shorter than the clock can be trusted with.
template <class System>
void time_exact(const std::string& workload, const System& mass, const std::vector<double>& truth) {
  constexpr int batch = 100;
  std::vector<double> x(samples), v(samples);
  long steps = 0;
  const auto one_by_one = [&] {
    auto stepper = stepper_of(mass);
    double y[exact_stepper::most_states] = {start_of(mass)};
    stepper.start(0, y);
    int next = 0;
    for (steps = 0; stepper.t() < end_of_shaking; ++steps) {
      if (stepper.step(end_of_shaking, end_of_shaking) != outcome::completed) return;
      for (; next < samples && (next + 1) * end_of_shaking / samples <= stepper.t() + 1e-12;
           ++next) {
        stepper.at((next + 1) * end_of_shaking / samples, y);
        x[static_cast<std::size_t>(next)] = y[0];
      }
    }
  };
  const double by_one = best_time([&] {
                          for (int i = 0; i < batch; ++i) one_by_one();
                        }) /
                        batch;
  show({workload, "exact", 0, by_one, error_of(x, truth), steps});
  const double by_grid = best_time([&] {
                           for (int i = 0; i < batch; ++i) on_grid(mass, x, v);
                         }) /
                         batch;
  show({workload, "exact on a grid", 0, by_grid, error_of(x, truth), steps});
}

template <class Make>
void time_shaken(const std::string& workload, const char* name, double setting, double K,
                 const std::vector<double>& truth, const Make& make, double from = 0) {
  tolerances wanted;
  wanted.relative = setting;
  wanted.absolute.fill(10 * setting / K);
  wanted.absolute[0] = 1e-2 * setting;
  wanted.absolute[1] = 1e-1 * setting;
  double error = 0, largest = 0;
  for (const double each : truth) largest = std::max(largest, std::abs(each));
  long steps = 0;
  const auto once = [&] {
    auto stepper = make(wanted);
    int next = 1;
    error = 0;
    double y[tolerances::most_states];
    steps = to_the_end(
        stepper, end_of_shaking,
        [&](const auto& s) {
          for (; next <= samples && next * end_of_shaking / samples <= s.t() + 1e-12; ++next) {
            s.at(next * end_of_shaking / samples, y);
            const double off = y[0] - truth[static_cast<std::size_t>(next - 1)];
            error = std::max(error, std::abs(off) / largest);
          }
        },
        from);
  };
  const double seconds = best_time(once);
  show({workload, name, setting, seconds, steps < 0 ? HUGE_VAL : error, steps});
}

void compare_shaken(double K, double beta) {
  const auto system = stiff_workloads::shaken_mass(K, beta);
  using plain = decltype(system.plain);
  const linear_mass mass = stiff_workloads::as_linear_mass(system.plain);
  const auto truth = reference(mass);
  char workload[40];
  std::snprintf(workload, sizeof workload, "shaken mass, K = %.0e", K);
  time_exact(workload, mass, truth);
  for (const double h : {0.02, 0.01, 0.005, 0.0025, 0.001})
    time_shaken(workload, "sdirk2", h, K, truth,
                [&](const tolerances&) { return sdirk2_stepper<plain>(system.plain, h); });
  for (const double relative : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
    time_shaken(workload, "trbdf2", relative, K, truth, [&](const tolerances& wanted) {
      return trbdf2_stepper<plain>(system.plain, wanted, 1e-4, 0.1);
    });
  for (const double relative : {1e-1, 3e-2, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
    time_shaken(workload, "rosenbrock", relative, K, truth, [&](const tolerances& wanted) {
      return rosenbrock_stepper(system, wanted, 1e-4, 0.1);
    });
  if (has_cvode())
    for (const double relative : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8})
      time_shaken(workload, "cvode", relative, K, truth, [&](const tolerances& wanted) {
        return cvode_stepper<plain>(system.plain, wanted, 1e-4, 0.1);
      });
}

void compare_ten_elements(double K, double beta) {
  const auto system = stiff_workloads::ten_elements(K, beta);
  using plain = decltype(system);
  const linear_mass mass = stiff_workloads::as_linear_mass(system);
  const auto truth = reference(mass);
  char workload[40];
  std::snprintf(workload, sizeof workload, "ten elements, K = %.0e", K);
  time_exact(workload, mass, truth);
  if (has_cvode())
    for (const double relative : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7})
      time_shaken(workload, "cvode", relative, K, truth, [&](const tolerances& wanted) {
        return cvode_stepper<plain>(system, wanted, 1e-4, 0.1);
      });
}

void compare_ball(double K, double beta) {
  const auto system = stiff_workloads::bouncing_ball(K, beta);
  using plain = decltype(system);
  const linear_contact ball = stiff_workloads::as_linear_contact(system);
  const auto truth = reference(ball);
  char workload[40];
  std::snprintf(workload, sizeof workload, "ball, K = %.0e", K);
  time_exact(workload, ball, truth);
  if (has_cvode())
    for (const double relative : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8})
      time_shaken(
          workload, "cvode", relative, K, truth,
          [&](const tolerances& wanted) { return cvode_stepper<plain>(system, wanted, 1e-4, 0.1); },
          start_of(ball));
}

// ---- ratios -------------------------------------------------------------------------------------

bool has_steps(const std::string& method) {
  return method == "rosenbrock" || method == "trbdf2" || method == "sdirk2";
}

// The least time for an error of at most `wanted`: by one method, or by ours that take steps.
constexpr const char* our_steps = "ours with steps";
const point* cheapest(const std::string& workload, double wanted, const std::string& method) {
  const point* best = nullptr;
  for (const auto& p : points) {
    if (p.workload != workload || p.error > wanted) continue;
    if (method == our_steps ? !has_steps(p.method) : p.method != method) continue;
    if (best == nullptr || p.seconds < best->seconds) best = &p;
  }
  return best;
}

void ratio(const std::string& workload, double wanted, const std::string& ours,
           const std::string& peer) {
  const point* own = cheapest(workload, wanted, ours);
  const point* theirs = cheapest(workload, wanted, peer);
  if (own == nullptr || theirs == nullptr) return;
  char what[60];
  std::snprintf(what, sizeof what, "%s, error %.0e", workload.c_str(), wanted);
  print_ratio(what, own->method, 1e9 * own->seconds, peer, 1e9 * theirs->seconds);
}

void write_csv(const char* file) {
  FILE* out = std::fopen(file, "w");
  if (out == nullptr) {
    std::fprintf(stderr, "stiff_bench: cannot write %s\n", file);
    std::exit(1);
  }
  std::fprintf(out, "workload,method,setting,seconds,error\n");
  for (const auto& p : points)
    std::fprintf(out, "\"%s\",%s,%g,%g,%g\n", p.workload.c_str(), p.method.c_str(), p.setting,
                 p.seconds, p.error);
  std::fclose(out);
}

}  // namespace
}  // namespace asperity

int main(int count, char** arguments) {
  using namespace asperity;
  compare_stick_slip();
  compare_shaken(1e5, 1e-3);
  compare_shaken(1e8, 1e-4);
  compare_ten_elements(1e5, 1e-3);
  compare_ten_elements(1e8, 1e-4);
  compare_ball(1e5, 1e-2);
  compare_ball(1e8, 3e-4);
  std::printf("\nLeast processor time for an error, ours against theirs:\n");
  for (const char* peer : {"cvode", "scipy LSODA", "octave lsode", "odeint dopri5"})
    ratio("stick-slip, 20 s", 1e-4, our_steps, peer);
  for (const char* workload :
       {"shaken mass, K = 1e+05", "shaken mass, K = 1e+08", "ten elements, K = 1e+05",
        "ten elements, K = 1e+08", "ball, K = 1e+05", "ball, K = 1e+08"})
    for (const double wanted : {1e-2, 1e-3, 1e-4, 1e-5}) {
      for (const char* ours : {"exact on a grid", "exact", our_steps})
        ratio(workload, wanted, ours, "cvode");
    }
  if (count == 3 && std::strcmp(arguments[1], "--csv") == 0) write_csv(arguments[2]);
}
