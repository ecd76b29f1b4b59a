// SPDX-License-Identifier: Apache-2.0
// How the cost grows with the elements of a multistate model and with the ranks of a sweep, and one
// step with hard constraints beside that of Siconos. (Systems and threads: batch_bench; cells of a
// patch: planar_bench.)

#include <algorithm>
#include <array>
#include <asperity/inclusion/inclusion_system.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/dai_multistate.hpp>
#include <asperity/run/scenario.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "ratio.hpp"
#include "timing.hpp"

namespace asperity {
namespace {

struct steady_pull : no_inputs<double> {
  double anchor(double t) const { return 1e-4 * t; }
};

void elements() {
  std::printf("RK4 step of a mass over dai_multistate\n");
  for (const int n : {1, 2, 4, 8, 16, 32}) {
    sliding_mass<double, dai_multistate<double>, steady_pull> system;
    system.k = 1e4;
    system.friction.elements = n;
    for (int i = 0; i < n; ++i) system.friction.lambda[i] = 1.0 / n;
    std::array<double, decltype(system)::capacity> y{};
    const long steps = 2000;
    const double seconds = best_of(50, processor_seconds, [&] {
      if (system.size() < 3) __builtin_unreachable();  // said, lest stages be thought empty
      y.fill(0);
      y[2] = system.friction.initial()[0];
      for (long i = 0; i < steps; ++i)
        rk4_step(system, 1e-6 * static_cast<double>(i), 1e-6, y.data());
    });
    const double ns = 1e9 * seconds / static_cast<double>(steps);
    std::printf("  %2d elements %8.1f ns, %6.2f ns per element\n", n, ns, ns / n);
  }
}

// The time of a command, or nothing where it fails.
double time_of(const std::string& command) {
  const double start = wall_seconds();
  if (std::system((command + " >/dev/null 2>&1").c_str()) != 0) return HUGE_VAL;
  return wall_seconds() - start;
}

void ranks() {
#ifdef ASPERITY_TOOL
  const auto folder = std::filesystem::temp_directory_path() / "asperity_scaling_bench";
  double alone = 0;
  std::printf("Wall time of a sweep of 2000 points under mpirun\n");
  for (const int n : {1, 2, 4}) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    const std::string command =
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
        "OMPI_MCA_rmaps_base_oversubscribe=1 mpirun -n " +
        std::to_string(n) +
        " " ASPERITY_TOOL " sweep " ASPERITY_SOURCE_DIR
        "/examples/sweeps/stick_slip_onset.toml --over 'damping=lin(0, 10, 40)' --over "
        "'speed=log(0.01, 0.3, 50)' --measure 'amplitude(v)' --threads 1 --plot none --out " +
        (folder / "sweep.sqlite").string();
    const double seconds = time_of(command);
    if (!std::isfinite(seconds)) {
      std::printf("  %d ranks: not run (no mpirun, or built without MPI)\n", n);
      break;
    }
    if (n == 1) alone = seconds;
    std::printf("  %d rank%s %6.2f s, %.2f times\n", n, n == 1 ? " " : "s", seconds,
                alone / seconds);
  }
  std::filesystem::remove_all(folder);
#else
  std::printf("Ranks: the command-line tool was not built\n");
#endif
}

void hard_constraints() {
  scenario s = read_scenario(ASPERITY_SOURCE_DIR "/tests/siconos/bouncing_ball.toml");
  const system& ball = *s.system;
  const auto work = ball.new_workspace();
  work->setting = s;
  std::array<double, system_view::capacity> y{};
  const long steps = 3000;
  const double seconds = best_of(20, processor_seconds, [&] {
    std::copy(s.initial.begin(), s.initial.end(), y.begin());
    for (long i = 0; i < steps; ++i)
      ball.own()->step(1e-3 * static_cast<double>(i), 1e-3, y.data(), *work);
  });
  double theirs = 0;
  FILE* out = popen("/usr/bin/python3 " ASPERITY_SOURCE_DIR
                    "/benchmarks/peers/bouncing_ball_siconos.py 2>/dev/null",
                    "r");
  const bool answered = out != nullptr && std::fscanf(out, "%lf", &theirs) == 1;
  if (out != nullptr) pclose(out);
  if (answered)
    print_ratio("Moreau-Jean step of a bouncing ball", "moreau_jean",
                1e9 * seconds / static_cast<double>(steps), "Siconos", 1e9 * theirs);
  else
    std::printf("Moreau-Jean step of a bouncing ball %.0f ns; Siconos is not installed\n",
                1e9 * seconds / static_cast<double>(steps));
}

}  // namespace
}  // namespace asperity

int main() {
  asperity::elements();
  asperity::ranks();
  asperity::hard_constraints();
}
