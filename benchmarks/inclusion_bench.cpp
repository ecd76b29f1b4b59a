// SPDX-License-Identifier: Apache-2.0
// Systems stated as text beside the same systems written by hand: cost of one evaluation of the
// rates, alone and in packs, in one run; and what an implicit step of several coupled set-valued
// terms costs beside RK4 and CVODE at equal error.

#include <algorithm>
#include <asperity/inclusion/inclusion_system.hpp>
#include <asperity/integrate/cvode.hpp>
#include <asperity/integrate/run.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/scalar/pack.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>

#include "ratio.hpp"
#include "timing.hpp"

namespace {
long allocations = 0;
}
void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
// Not inlined: the compiler would take the pair of new and free for a mistake.
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace asperity {
namespace {

double sat(double limit, double x) { return std::max(-limit, std::min(limit, x)); }

// Xiong 2013 (3.35) as one would type it.
struct two_bodies {
  static constexpr int capacity = 14;
  static int size() { return 14; }
  double mu = 0.5, M1 = 0.5, M2 = 1, Ks = 100, u = 1, g = 9.8, K = 5e5, beta = 2e-3, alpha = 1.6e-3;
  void rates(double, const double* y, double* r) const {
    const double *p = y, *v = y + 4, *e = y + 8, *a = y + 11;
    const double gap[3] = {p[0], p[2] - p[0], p[3]};
    const double slip[3] = {v[1], v[1] - v[3], v[2] + u};
    double psi[3], theta[3];
    for (int i = 0; i < 3; ++i) {
      psi[i] = K * std::max(0.0, e[i] - beta * (gap[i] + e[i]) / alpha);
      theta[i] = sat(mu * psi[i], K * (a[i] + beta * slip[i]));
      r[8 + i] = std::max(-e[i] / beta, -(gap[i] + e[i]) / alpha);
      r[11 + i] = (theta[i] / K - a[i]) / beta;
    }
    for (int i = 0; i < 4; ++i) r[i] = v[i];
    r[4] = (psi[0] - psi[1]) / M1;
    r[5] = (-theta[0] - theta[1] - Ks * p[1]) / M1;
    r[6] = (-theta[2] + psi[1]) / M2;
    r[7] = (theta[1] + psi[2]) / M2 - g;
  }
};

// (3.40)
struct belt_oscillator {
  static constexpr int capacity = 3;
  static int size() { return 3; }
  double M = 1, k1 = 1, k2 = 1, F = 0.5, V = 1, u = 1, K = 1e5, beta = 0.5;
  void rates(double, const double* y, double* r) const {
    const double p = y[0], w = y[1], a = y[2];
    const double f = sat(F * V / (V + std::abs(w)), K * (a + beta * w));
    r[0] = u - w;
    r[1] = (k2 * (p * p * p) - k1 * p - f) / M;
    r[2] = (f / K - a) / beta;
  }
};

struct drill_string {
  static constexpr int capacity = 4;
  static int size() { return 4; }
  double J1 = 2122, J2 = 374, k = 473, c = 23.2, drive = 425, wanted = 5, Tc = 2000, Ts = 3500,
         ws = 1.5, K = 3.5e8, beta = 1e-3;
  void rates(double, const double* y, double* r) const {
    const double shaft = k * y[0] + c * (y[1] - y[2]);
    const double limit = Tc + (Ts - Tc) * std::exp(-std::abs(y[2]) / ws);
    const double f = sat(limit, K * (y[3] + beta * y[2]));
    r[0] = y[1] - y[2];
    r[1] = (drive * (wanted - y[1]) - shaft) / J1;
    r[2] = (shaft - f) / J2;
    r[3] = (f / K - y[3]) / beta;
  }
};

double once(long calls, const std::function<void(long)>& work) {
  const double start = processor_seconds();
  work(calls);
  return (processor_seconds() - start) / static_cast<double>(calls);
}

// Best of several, in seconds per call.
double time_of(long calls, const std::function<void(long)>& work) {
  double best = HUGE_VAL;
  for (int repeat = 0; repeat < 25; ++repeat) best = std::min(best, once(calls, work));
  return best;
}

// Of two that are compared, in turns and often: what else the stated does hits both alike.
std::pair<double, double> times_of(long calls, const std::function<void(long)>& first,
                                   const std::function<void(long)>& second) {
  std::pair best(HUGE_VAL, HUGE_VAL);
  for (int repeat = 0; repeat < 300; ++repeat) {
    best.first = std::min(best.first, once(calls, first));
    best.second = std::min(best.second, once(calls, second));
  }
  return best;
}

scenario read(const char* name) {
  return read_scenario(std::string(ASPERITY_SOURCE_DIR) + "/examples/inclusions/" + name + ".toml");
}

template <class Hand>
void compare_rates(const char* name, const Hand& hand) {
  const scenario s = read(name);
  const auto& stated = dynamic_cast<const inclusion_system&>(*s.system);
  const std::size_t n = s.initial.size();
  // RK4 steps of the same length from the same start: the whole cost a user sees.
  const double h = 1e-6;
  std::vector<double> y(system_view::capacity);
  const auto work = stated.new_workspace();
  work->setting = s;
  const system_view view(stated, *work, static_cast<int>(n), false);
  double end_formula = 0, end_by_hand = 0;
  const auto steps = [&](const auto& system, long calls) {
    std::copy(s.initial.begin(), s.initial.end(), y.begin());
    for (long i = 0; i < calls; ++i) rk4_step(system, 0.0, h, y.data());
    return y[1];
  };
  const long before = allocations;
  const auto [formula, by_hand] = times_of(
      20'000, [&](long calls) { end_formula = steps(view, calls); },
      [&](long calls) { end_by_hand = steps(hand, calls); });
  const bool allocates = allocations - before > 20;  // std::function itself takes a few

  using wide = pack<double>;
  const program& p = stated.rate_program();
  std::vector<wide> r(static_cast<std::size_t>(p.registers), wide(0.0));
  p.prepare(r.data());
  for (std::size_t i = 0; i < n; ++i) r[1 + i] = wide(s.initial[i]);
  const double packed = time_of(50'000, [&](long calls) {
    for (long i = 0; i < calls; ++i) {
      p.run(r.data());
      r[1] = r[1] + wide(1e-18) * r[p.outputs[0]];
    }
  });
  std::vector<double> rate(n);
  const double one = time_of(50'000, [&](long calls) {
    for (long i = 0; i < calls; ++i) {
      stated.rates(0, s.initial.data(), rate.data(), *work);
      y[0] = y[0] + 1e-18 * rate[0];
    }
  });
  std::printf("%-18s %8.1f %8.1f %6.2f   %8.1f %8.1f   %.12g %.12g%s\n", name, 1e9 * by_hand,
              1e9 * formula, formula / by_hand, 1e9 * one, 1e9 * packed / wide::width, end_by_hand,
              end_formula, allocates ? "   ALLOCATES" : "");
  print_ratio(std::string("RK4 step of ") + name, "formulas", 1e9 * formula, "C++ by hand",
              1e9 * by_hand);
}

// ---- work and precision -------------------------------------------------------------------------

double worst(const std::vector<double>& y, const std::vector<double>& reference) {
  double result = 0;
  for (std::size_t i = 0; i < 4; ++i) result = std::max(result, std::abs(y[i] - reference[i]));
  return result;
}

void work_and_precision() {
  const scenario s = read("two_bodies");
  const auto& stated = dynamic_cast<const inclusion_system&>(*s.system);
  const int n = static_cast<int>(s.initial.size());
  const auto work = stated.new_workspace();
  work->setting = s;
  const system_view view(stated, *work, n, false);
  const double end = 0.3;  // bounces and slips; later small errors decide whether a bounce happens
  std::vector<double> reference(system_view::capacity);
  std::copy(s.initial.begin(), s.initial.end(), reference.begin());
  const long fine = 600'000;
  for (long i = 0; i < fine; ++i) rk4_step(view, 0.0, end / fine, reference.data());

  std::printf("\ntwo_bodies to t = %g s: positions against RK4 at %g s\n", end, end / fine);
  std::printf("%-16s %12s %10s %12s %12s\n", "method", "step/rtol", "steps", "ns per step",
              "error [m]");
  const auto fixed = [&](const char* name, double h, auto&& step) {
    std::vector<double> y(system_view::capacity), rate(system_view::capacity);
    const long steps = std::lround(end / h);
    const double t = time_of(1, [&](long) {
      std::copy(s.initial.begin(), s.initial.end(), y.begin());
      for (long i = 0; i < steps; ++i) step(h, y.data(), rate.data());
    });
    std::printf("%-16s %12g %10ld %12.0f %12.2e   %.0f us\n", name, h, steps,
                1e9 * t / static_cast<double>(steps), worst(y, reference), 1e6 * t);
  };
  for (const double h : {5e-4, 2e-4, 1e-4, 5e-5})
    fixed("rk4", h, [&](double d, double* y, double*) { rk4_step(view, 0.0, d, y); });
  for (const double h : {1e-2, 1e-3, 1e-4})
    fixed("backward_euler", h,
          [&](double d, double* y, double* rate) { backward_euler_step(view, 0.0, d, y, rate); });
  for (const double h : {1e-2, 1e-3, 2e-4, 1e-4})
    fixed("sdirk2", h,
          [&](double d, double* y, double* rate) { sdirk2_step(view, 0.0, d, y, rate); });

  const auto adaptive = [&](const char* name, double relative, auto make) {
    tolerances wanted = default_tolerances(stated.card(), relative);
    std::vector<double> y(system_view::capacity);
    long steps = 0;
    std::string how;
    const double t = time_of(1, [&](long) {
      auto stepper = make(wanted);
      run_options options;
      options.to = end;
      options.sample_every = end;
      std::vector<event_record> found;
      const auto result = run(stepper, s.initial.data(), n, options, {}, found,
                              [&](double, const double* now) { std::copy_n(now, n, y.begin()); });
      steps = result.steps;
      how = to_string(result.how);
    });
    std::printf("%-16s %12g %10ld %12.0f %12.2e   %.0f us, %s\n", name, relative, steps,
                1e9 * t / static_cast<double>(steps), worst(y, reference), 1e6 * t, how.c_str());
  };
  for (const double relative : {1e-3, 1e-5, 1e-7})
    adaptive("trbdf2", relative, [&](const tolerances& wanted) {
      return trbdf2_stepper<system_view>(view, wanted, 1e-6, 1e-2);
    });
  if (has_cvode())
    for (const double relative : {1e-3, 1e-5, 1e-7})
      adaptive("cvode", relative, [&](const tolerances& wanted) {
        return cvode_stepper<system_view>(view, wanted, 1e-6, 1e-2);
      });
}

}  // namespace
}  // namespace asperity

int main() {
  using namespace asperity;
  std::printf("%-18s %8s %8s %6s   %8s %8s\n", "RK4 step [ns]", "by hand", "formula", "ratio",
              "rates", "in packs");
  compare_rates("two_bodies", two_bodies{});
  compare_rates("belt_oscillator", belt_oscillator{});
  compare_rates("drill_string", drill_string{});
  work_and_precision();
}
