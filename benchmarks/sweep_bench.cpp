// SPDX-License-Identifier: Apache-2.0
// A map of the onset of stick-slip: a sweep, with reading, measures and its file, beside run_batch for
// the same systems and steps, which only knows the last state; and beside the sweep point by point.
//
//   sweep_bench [POINTS]     2048 unless given

#include <asperity/batch/batch.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/dai_stribeck.hpp>
#include <asperity/sweep/packs.hpp>
#include <asperity/sweep/work.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "ratio.hpp"
#include "timing.hpp"

namespace asperity {
namespace {

constexpr double step = 1e-4;
constexpr long steps = 20'000;

template <class S>
struct steady_pull : no_inputs<S> {
  S speed = lit<S>(0.1);
  ASPERITY_FN S anchor(const S& t) const { return speed * t; }
};

// The systems of examples/sweeps/stick_slip_onset.toml.
struct pulled_masses {
  std::vector<double> damping, speed;

  explicit pulled_masses(const sweep_plan& plan) {
    for (long long i = 0; i < plan.points(); ++i) {
      const auto values = plan.parameters(i);
      damping.push_back(values[0]);
      speed.push_back(values[1]);
    }
  }
  std::size_t count() const { return damping.size(); }
  template <class S>
  auto at(const lane_reader<S>& read) const {
    sliding_mass<S, dai_stribeck<S>, steady_pull<S>> system;
    auto& law = system.friction;
    law.kappa = lit<S>(1e5);
    law.sigma = lit<S>(100.0);
    law.g = curve_from<stribeck_exponential<S>, S>({.F_c = 1.0, .F_s = 2.0, .v_s = 0.1});
    system.k = lit<S>(100.0);
    system.c = read(damping);
    system.inputs.speed = read(speed);
    return system;
  }
};

sweep_request request(long long points) {
  sweep_request wanted;
  wanted.file = std::string(ASPERITY_SOURCE_DIR) + "/examples/sweeps/stick_slip_onset.toml";
  wanted.settings = {"integrator.method=\"rk4\"", "integrator.step=1e-4", "run.duration=2"};
  wanted.axes = {"damping=lin(0, 10, 16)",
                 "speed=log(0.01, 0.3, " + std::to_string(points / 16) + ")"};
  wanted.measures = {"stick_slip_period, amplitude(v)"};
  return wanted;
}

struct cost {
  double processor, wall;  // [ns] of a step of a system
};
template <class Work>
cost cost_of(long long points, const Work& work) {
  const double processor = processor_seconds(), wall = wall_seconds();
  work();
  const double each = 1e9 / static_cast<double>(points * steps);
  return {each * (processor_seconds() - processor), each * (wall_seconds() - wall)};
}

cost sweep(long long points, int threads, bool in_packs) {
  const auto file = std::filesystem::temp_directory_path() / "asperity_sweep_bench.sqlite";
  std::filesystem::remove(file);
  const cost found = cost_of(points, [&] {
    sweep_plan plan(request(points));
    plan.set_chunk_size(fitting_chunk(plan));
    sweep_store store(file.string(), plan);
    if (!run_sweep(plan, store, {threads, nullptr, {}, in_packs})) std::exit(1);
  });
  std::filesystem::remove(file);
  return found;
}

cost batch(long long points, int threads) {
  const pulled_masses systems{sweep_plan(request(points))};
  std::vector<std::vector<double>> states(3, std::vector<double>(systems.count()));
  std::vector<double*> places;
  for (auto& each : states) places.push_back(each.data());
  return cost_of(points, [&] {
    run_batch<double>(systems, {.step = step, .steps = steps, .threads = threads}, places);
  });
}

}  // namespace
}  // namespace asperity

int main(int count, char** arguments) {
  using namespace asperity;
  const long long points = count > 1 ? std::atoll(arguments[1]) : 2048;
  const cost alone = sweep(64, 1, false);
  for (const int threads : {1, 2}) {
    // In turns, the least of three: others may use the machine.
    cost ours{HUGE_VAL, HUGE_VAL}, theirs = ours;
    for (int i = 0; i < 3; ++i) {
      const cost a = sweep(points, threads, true), b = batch(points, threads);
      ours = {std::min(ours.processor, a.processor), std::min(ours.wall, a.wall)};
      theirs = {std::min(theirs.processor, b.processor), std::min(theirs.wall, b.wall)};
    }
    std::printf(
        "%lld points, %d thread(s), ns of a step: sweep %.1f (wall %.1f), run_batch %.1f "
        "(wall %.1f); point by point %.1f\n",
        points, threads, ours.processor, ours.wall, theirs.processor, theirs.wall, alone.processor);
    const std::string what = "onset map, " + std::to_string(threads) + " thread(s)";
    print_ratio(what, "sweep", ours.processor, "run_batch", theirs.processor);
    print_ratio(what, "sweep", ours.processor, "point by point", alone.processor);
  }
}
