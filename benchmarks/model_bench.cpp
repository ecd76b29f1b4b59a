// SPDX-License-Identifier: Apache-2.0
// What each model of the catalogue costs, chosen by name: one evaluation, one advance along a
// motion, one step of a pulled mass (Runge-Kutta, or the system's own step where the model's memory
// is not an ODE; a bouncing mass for contacts). Prints one table and fails if anything allocates.

#include <benchmark/benchmark.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/systems/bouncing_mass.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>

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

constexpr int batch = 1000;
constexpr double h = 1e-5;

// Times batches of `once(n)` and notes what they allocate.
template <class Once>
void measure(benchmark::State& state, Once&& once) {
  long allocated = 0;
  for (auto _ : state) {
    const long before = allocations;
    for (int n = 0; n < batch; ++n) once(n);
    allocated += allocations - before;
  }
  if (allocated != 0) state.SkipWithError("it allocates memory");
  state.SetItemsProcessed(state.iterations() * batch);
}

// A motion to and fro that slides, sticks and turns within a batch: about 0.01 m each way. A
// contact is pressed and let go.
drive<double> motion(int n) {
  const double phase = 2 * 3.14159265358979323846 * n / batch;
  return {0.01 * std::sin(phase), 0.01 * 2 * 3.14159265358979323846 / (batch * h) * std::cos(phase),
          1.0};
}

struct path {
  drive<double> at[batch + 1];
  path() {
    for (int n = 0; n <= batch; ++n) at[n] = motion(n);
  }
};
const path& the_path() {
  static const path p;
  return p;
}

void respond_once(benchmark::State& state, const any_model& model) {
  double y[any_model::max_states] = {}, rate[any_model::max_states];
  model.initial(y);
  const path& along = the_path();
  measure(state, [&](int n) {
    const auto& in = along.at[n];
    benchmark::DoNotOptimize(model.respond(y, in.x, in.v, in.load, rate));
  });
}

void advance_once(benchmark::State& state, const any_model& model) {
  double y[any_model::max_states] = {};
  const path& along = the_path();
  measure(state, [&](int n) {
    if (n == 0) model.initial(y);
    benchmark::DoNotOptimize(model.advance(y, along.at[n], along.at[n + 1], h));
  });
}

struct pull : no_inputs<double> {
  double anchor(double t) const { return 0.1 * t; }
};
struct weight : no_inputs<double> {
  double force(double) const { return -9.81; }
};

template <class System>
void step_system(benchmark::State& state, const System& system, const any_model& model) {
  double y[System::capacity] = {};
  measure(state, [&](int n) {
    if (n == 0) {
      y[0] = y[1] = 0;
      model.initial(y + 2);
    }
    if constexpr (requires { system.advance(0.0, h, y); }) {
      if (!model.is_ode()) return system.advance(n * h, h, y);
    }
    rk4_step(system, n * h, h, y);
  });
  benchmark::DoNotOptimize(y);
}

void step_once(benchmark::State& state, const any_model& model) {
  if (model.at().is_contact())
    return step_system(state, bouncing_mass<double, any_model, weight>{.contact = model}, model);
  step_system(state, sliding_mass<double, any_model, pull>{.friction = model, .k = 1e4}, model);
}

// Keeps the times so that they can be printed as one table.
class table : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& reports) override {
    for (const Run& run : reports) {
      failed_ |= run.error_occurred;
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      const double ns =
          run.cpu_accumulated_time / static_cast<double>(run.iterations) * 1e9 / batch;
      auto& best = times_.try_emplace(run.run_name.function_name, ns).first->second;
      best = std::min(best, ns);
    }
    ConsoleReporter::ReportRuns(reports);
  }
  void print() const {
    std::printf("\n%-28s %7s %12s %12s %12s\n", "model", "states", "operator()", "advance",
                "step of mass");
    for (const catalogue_entry* entry : catalogue()) {
      if (!entry->at->is_line()) continue;
      std::printf("%-28s %7d", entry->key.c_str(), any_model(*entry).states());
      for (const char* what : {"/operator()", "/advance", "/step"}) {
        const auto found = times_.find(entry->key + what);
        if (found == times_.end()) {
          std::printf(" %12s", "-");
        } else {
          std::printf(" %9.1f ns", found->second);
        }
      }
      std::printf("\n");
    }
    std::printf("%s\n", failed_ ? "FAILED: something allocates memory" : "nothing allocates");
  }
  bool failed() const { return failed_; }

 private:
  std::map<std::string, double> times_;
  bool failed_ = false;
};

}  // namespace
}  // namespace asperity

int main(int argc, char** argv) {
  using namespace asperity;
  benchmark::Initialize(&argc, argv);
  const auto add = [](const std::string& name, auto run, const any_model& model) {
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& s) { run(s, model); })
        ->MinTime(0.02)
        ->Repetitions(3);
  };
  for (const catalogue_entry* entry : catalogue()) {
    if (!entry->at->is_line()) continue;
    const any_model model(*entry);
    if (model.is_ode()) add(entry->key + "/operator()", respond_once, model);
    add(entry->key + "/advance", advance_once, model);
    add(entry->key + "/step", step_once, model);
  }
  table reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print();
  return reporter.failed() ? 1 : 0;
}
