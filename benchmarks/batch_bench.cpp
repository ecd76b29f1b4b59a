// SPDX-License-Identifier: Apache-2.0
// Many stick-slip oscillators at once beside the plain loop over them: RK4 over LuGre and DAI
// friction in double and float, each instruction set of this machine, one thread and all; how the
// cost grows with the number of systems; and which part of the core's peak is reached.

#include <algorithm>
#include <asperity/batch/batch.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "ratio.hpp"
#include "timing.hpp"

namespace asperity {
namespace {

constexpr double h = 5e-5;

template <class S>
struct steady_pull : no_inputs<S> {
  S speed = lit<S>(0.1);
  ASPERITY_FN S anchor(const S& t) const { return speed * t; }
};

template <class S, template <class> class Model>
auto oscillator(const S& mass, const S& speed) {
  sliding_mass<S, Model<S>, steady_pull<S>> system;
  system.m = mass;
  system.k = lit<S>(1.0);
  system.inputs.speed = speed;
  return system;
}

template <class Real, template <class> class Model>
struct oscillators {
  std::vector<Real> mass, speed;
  explicit oscillators(std::size_t n) : mass(n), speed(n) {
    for (std::size_t i = 0; i < n; ++i) {
      mass[i] = static_cast<Real>(0.5 + static_cast<double>(i % 1000) / 1000);
      speed[i] = static_cast<Real>(0.05 + 0.1 * static_cast<double>(i % 777) / 777);
    }
  }
  std::size_t count() const { return mass.size(); }
  template <class S>
  auto at(const lane_reader<S>& read) const {
    return oscillator<S, Model>(read(mass), read(speed));
  }
};

template <class Real>
struct state_arrays {
  std::vector<Real> x, v, z;
  std::vector<Real*> places;
  explicit state_arrays(std::size_t n) : x(n), v(n), z(n), places{x.data(), v.data(), z.data()} {}
};

// One system after another, as a user would write it.
template <class Real, template <class> class Model>
double plain_loop(const oscillators<Real, Model>& all, long steps) {
  double sum = 0;
  for (std::size_t i = 0; i < all.count(); ++i) {
    const auto system = oscillator<Real, Model>(all.mass[i], all.speed[i]);
    Real y[3] = {0, 0, 0};
    for (long n = 0; n < steps; ++n)
      rk4_step(system, static_cast<Real>(static_cast<double>(n) * h), static_cast<Real>(h), y);
    sum += static_cast<double>(y[0]);
  }
  return sum;
}

const char* name_of(instruction_set which) {
  return which == instruction_set::avx512 ? "avx512"
         : which == instruction_set::avx2 ? "avx2"
                                          : "baseline";
}

// ---- the peak of a core -------------------------------------------------------------------------
// Additions and multiplications of independent packs, nothing else.

template <class Pack>
inline double turn(long rounds) {
  constexpr int independent = 12;
  Pack a[independent];
  for (int i = 0; i < independent; ++i) a[i] = Pack(typename Pack::value_type(1 + 0.01 * i));
  const Pack factor(typename Pack::value_type(0.9999)), step(typename Pack::value_type(1e-4));
  for (long n = 0; n < rounds; ++n)
    for (int i = 0; i < independent; ++i) a[i] = a[i] * factor + step;
  Pack sum = a[0];
  for (int i = 1; i < independent; ++i) sum = sum + a[i];
  return static_cast<double>(sum[0]);
}
template <class Real>
[[gnu::flatten]] double turn_baseline(long rounds) {
  return turn<pack<Real, 16 / sizeof(Real)>>(rounds);
}
#if defined(__x86_64__)
template <class Real>
[[gnu::target("avx2"), gnu::flatten]] double turn_avx2(long rounds) {
  return turn<pack<Real, 32 / sizeof(Real)>>(rounds);
}
template <class Real>
[[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten]] double turn_avx512(long rounds) {
  return turn<pack<Real, 64 / sizeof(Real)>>(rounds);
}
#endif

// Operations per second.
template <class Real>
double peak(instruction_set which) {
  auto* run = &turn_baseline<Real>;
  int bytes = 16;
#if defined(__x86_64__)
  if (which == instruction_set::avx2) {
    run = &turn_avx2<Real>;
    bytes = 32;
  } else if (which == instruction_set::avx512) {
    run = &turn_avx512<Real>;
    bytes = 64;
  }
#endif
  const long rounds = 200'000;
  volatile double kept = 0;
  const double seconds = best_of(20, thread_seconds, [&] { kept = run(rounds); });
  return 2.0 * 12 * bytes / static_cast<double>(sizeof(Real)) * static_cast<double>(rounds) /
         seconds;
}

// ---- operations of a step -----------------------------------------------------------------------
// A number that counts what is done with it. An exponential is the series of a pack.

struct counted {
  double x = 0;
  static inline long operations = 0;
  counted() = default;
  counted(double value) : x(value) {}  // NOLINT(google-explicit-constructor): a number is one

  static counted done(double value, long cost = 1) {
    operations += cost;
    return {value};
  }
  friend counted operator+(counted a, counted b) { return done(a.x + b.x); }
  friend counted operator-(counted a, counted b) { return done(a.x - b.x); }
  friend counted operator*(counted a, counted b) { return done(a.x * b.x); }
  friend counted operator/(counted a, counted b) { return done(a.x / b.x); }
  friend counted operator-(counted a) { return done(-a.x); }
  friend bool operator<(counted a, counted b) {
    ++operations;
    return a.x < b.x;
  }
  friend counted abs(counted a) { return done(std::abs(a.x)); }
  friend counted exp(counted a) { return done(std::exp(a.x), 49); }
  friend counted pow(counted a, counted b) { return done(std::pow(a.x, b.x)); }
  friend counted sqrt(counted a) { return done(std::sqrt(a.x)); }
};

template <template <class> class Model>
long operations_per_step() {
  const auto system = oscillator<counted, Model>(1.0, 0.1);
  counted y[3] = {0.0, 0.0, 0.0};
  counted::operations = 0;
  rk4_step(system, counted(0.0), counted(h), y);
  return counted::operations;
}

// ---- the table ----------------------------------------------------------------------------------

template <class Real, template <class> class Model>
void table(const char* model, const char* real, double plain_double) {
  const std::size_t n = 4096;
  const long steps = 100;
  const oscillators<Real, Model> all(n);
  const double per = 1e9 / static_cast<double>(n) / static_cast<double>(steps);
  volatile double kept = 0;
  const oscillators<Real, Model> some(n / 8);
  const double plain =
      8 * per * best_of(30, thread_seconds, [&] { kept = plain_loop<Real, Model>(some, steps); });
  std::printf("%-6s %-7s plain loop %7.1f ns\n", model, real, plain);
  for (const auto use :
       {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512}) {
    if (use > widest_instructions()) continue;
    state_arrays<Real> states(n);
    const batch_plan plan{.from = 0, .step = h, .steps = steps, .threads = 1};
    const double ns = per * best_of(100, thread_seconds, [&] {
                        run_batch<Real>(all, plan, states.places, nullptr, use);
                      });
    const double reached =
        static_cast<double>(operations_per_step<Model>()) / (1e-9 * ns) / peak<Real>(use);
    std::printf("%-6s %-7s %-9s  %7.2f ns   %5.1f times the plain loop", model, real, name_of(use),
                ns, plain / ns);
    if (plain_double > 0) std::printf(", %5.1f times that in double", plain_double / ns);
    std::printf("; %.0f %% of the core's peak\n", 100 * reached);
    print_ratio(std::string("RK4 step of ") + model + ", " + real,
                std::string("batch, ") + name_of(use), ns, "plain loop", plain);
  }
}

template <template <class> class Model>
double plain_in_double() {
  const oscillators<double, Model> all(512);
  volatile double kept = 0;
  return 1e9 / 512 / 100 *
         best_of(30, thread_seconds, [&] { kept = plain_loop<double, Model>(all, 100); });
}

// Linear in the number of systems, and faster with more threads.
template <class Real, template <class> class Model>
void scaling(const char* model, const char* real) {
  for (const std::size_t n : {1'000UL, 10'000UL, 100'000UL, 1'000'000UL}) {
    const oscillators<Real, Model> all(n);
    state_arrays<Real> states(n);
    const long steps = n > 100'000 ? 20 : 100;
    std::printf("%-6s %-7s %8zu systems:", model, real, n);
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    double alone = 0;
    for (int threads = 1; threads <= cores; threads *= 2) {
      const batch_plan plan{.from = 0, .step = h, .steps = steps, .threads = threads};
      const double ns =
          1e9 / static_cast<double>(n) / static_cast<double>(steps) *
          best_of(20, wall_seconds, [&] { run_batch<Real>(all, plan, states.places); });
      if (threads == 1) alone = ns;
      std::printf("  %d thread%s %6.2f ns per step", threads, threads == 1 ? "" : "s", ns);
      if (threads > 1) std::printf(" (%.2f times)", alone / ns);
    }
    std::printf("\n");
  }
}

template <class S>
using exponential_lugre = lugre<S>;

}  // namespace
}  // namespace asperity

int main() {
  using namespace asperity;
  std::printf("One RK4 step of one oscillator, per core; exp is %d of the operations of LuGre\n",
              4 * 49);
  table<double, exponential_lugre>("lugre", "double", 0);
  table<float, exponential_lugre>("lugre", "float", plain_in_double<exponential_lugre>());
  table<double, dai>("dai", "double", 0);
  table<float, dai>("dai", "float", plain_in_double<dai>());
  std::printf("\nWall time per system and step, widest instructions\n");
  scaling<double, exponential_lugre>("lugre", "double");
  scaling<double, dai>("dai", "double");
}
