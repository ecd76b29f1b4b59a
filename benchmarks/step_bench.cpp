// SPDX-License-Identifier: Apache-2.0
// What our abstraction costs: one Runge-Kutta step of a pulled mass over LuGre and DAI friction, as
// plain C, through the C++ templates, and through run-time names. Prints the ratios, checks that
// all three give the same trajectory and that stepping allocates nothing.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/mechanics/signal.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>

#include "ratio.hpp"
extern "C" {
#include "hand_written.h"
}

namespace {
long allocations = 0;
}
void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace asperity {
namespace {

constexpr oscillator plain{.m = 1,
                           .k = 1,
                           .speed = 0.1,
                           .sigma_0 = 1e5,
                           .sigma_1 = 316.2277660168379,
                           .sigma_2 = 0.4,
                           .F_c = 1,
                           .F_s = 1.5,
                           .v_s = 1e-3,
                           .K = 1e5,
                           .F = 1,
                           .beta = 1e-3};
constexpr double h = 5e-5;
constexpr long steps = 20'000;

struct steady_pull : no_inputs<double> {
  double speed = 0.1;
  double anchor(double t) const { return speed * t; }
};

lugre<double> typed_lugre() {
  lugre<double> model{.sigma_0 = plain.sigma_0, .sigma_1 = plain.sigma_1};
  model.g = {.F_c = plain.F_c, .F_s = plain.F_s, .v_s = plain.v_s, .sigma_2 = plain.sigma_2};
  return model;
}
dai<double> typed_dai() { return {.K = plain.K, .F = plain.F, .beta = plain.beta}; }

any_model named(const char* key) {
  any_model model(find_model(key));
  if (model.key() == "lugre") {
    model.set("sigma_0", plain.sigma_0);
    model.set("sigma_1", plain.sigma_1);
    model.set("sigma_2", plain.sigma_2);
    model.set("F_c", plain.F_c);
    model.set("F_s", plain.F_s);
    model.set("v_s", plain.v_s);
  } else {
    model.set("K", plain.K);
    model.set("F", plain.F);
    model.set("beta", plain.beta);
  }
  return model;
}

template <class System>
void step_through(const System& system, double* y) {
  for (long n = 0; n < steps; ++n) rk4_step(system, static_cast<double>(n) * h, h, y);
}

template <class Run>
void measure(benchmark::State& state, Run&& once) {
  double y[3] = {0, 0, 0};
  long before = 0;
  for (auto _ : state) {
    y[0] = y[1] = y[2] = 0;
    before = allocations;
    once(y);
    if (allocations != before) state.SkipWithError("stepping allocates memory");
    benchmark::DoNotOptimize(y);
  }
  state.counters["x"] = y[0];
  state.counters["ns_per_step"] = benchmark::Counter(
      static_cast<double>(steps) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void plain_c(benchmark::State& state, decltype(hand_written_lugre)* run) {
  measure(state, [&](double* y) { run(&plain, h, 0, steps, y); });
}

template <class Model>
void templates(benchmark::State& state, Model model) {
  const sliding_mass<double, Model, steady_pull> system{.friction = model, .k = plain.k};
  measure(state, [&](double* y) { step_through(system, y); });
}

struct named_pull : no_inputs<double> {
  signal pull = signal::ramp(plain.speed);
  double anchor(double t) const { return pull.value(t); }
};

void names(benchmark::State& state, const char* key) {
  const sliding_mass<double, any_model, named_pull> system{.friction = named(key), .k = plain.k};
  measure(state, [&](double* y) {
    double padded[decltype(system)::capacity] = {y[0], y[1], y[2]};
    step_through(system, padded);
    std::copy_n(padded, 3, y);
  });
}

// Keeps the results so that ratios within one run can be printed.
class ratios : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& reports) override {
    for (const Run& run : reports)
      if (run.run_type == Run::RT_Iteration && !run.error_occurred) {
        auto& best =
            times_.try_emplace(run.run_name.function_name, run.GetAdjustedCPUTime()).first->second;
        best = std::min(best, run.GetAdjustedCPUTime());
        ends_[run.run_name.function_name] = run.counters.at("x").value;
      }
    ConsoleReporter::ReportRuns(reports);
  }
  void print() const {
    for (const char* model : {"lugre", "dai"}) {
      const std::string key = model;
      const double c = times_.at(key + "/plain_c");
      std::printf(
          "%-6s templates / plain C = %.2f   run-time names / plain C = %.2f   ends at x = "
          "%.17g %.17g %.17g\n",
          model, times_.at(key + "/templates") / c, times_.at(key + "/names") / c,
          ends_.at(key + "/plain_c"), ends_.at(key + "/templates"), ends_.at(key + "/names"));
      const double ns = 1e6 / static_cast<double>(steps);  // from milliseconds of a run
      for (const char* ours : {"templates", "names"})
        print_ratio("RK4 step of " + key, ours, ns * times_.at(key + "/" + ours), "plain C",
                    ns * c);
    }
  }

 private:
  std::map<std::string, double> times_, ends_;
};

}  // namespace
}  // namespace asperity

int main(int argc, char** argv) {
  using namespace asperity;
  benchmark::Initialize(&argc, argv);
  const auto add = [](const char* name, auto&&... rest) {
    benchmark::RegisterBenchmark(name, rest...)->Repetitions(5)->Unit(benchmark::kMillisecond);
  };
  add("lugre/plain_c", plain_c, hand_written_lugre);
  add("lugre/templates", templates<lugre<double>>, typed_lugre());
  add("lugre/names", names, "lugre");
  add("dai/plain_c", plain_c, hand_written_dai);
  add("dai/templates", templates<dai<double>>, typed_dai());
  add("dai/names", names, "dai");
  ratios reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print();
}
