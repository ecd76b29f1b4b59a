// SPDX-License-Identifier: Apache-2.0
// The force loop of `spheres`: a bed of 2000 grains at rest in a box, cost per grain and evaluation
// of the forces, all of it (search of neighbours, method, energy balance). Where LAMMPS is
// installed (`lmp`) it goes on with the same bed, in turns with us, with its own law of grains
// (`granular`: Hertz and Mindlin with history), which it evaluates once in a step; so does
// `asperity-lammps`, where build/lammps has it, with our law.

#include <unistd.h>

#include <algorithm>
#include <asperity/mechanics/grains.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "ratio.hpp"
#include "timing.hpp"

namespace {

using namespace asperity;

constexpr double R = 0.0048, m = 2000 * 4.18879 * R * R * R, spacing = 0.0099, side = 0.1, h = 1e-4;
constexpr int columns = 10, rows = 20, turns = 5, steps = 250;

grains bed() {
  grains all;
  all.law = {.K_1 = 6000, .beta_1 = 2e-4, .alpha = 1.4e-4, .K_2 = 6000, .beta_2 = 2e-4, .mu = 0.5};
  std::mt19937 random(4711);
  std::uniform_real_distribution<double> any(-1e-4, 1e-4);
  for (int k = 0; k < rows; ++k)
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < columns; ++i) {
        const auto place = [&](int n) { return (n + 0.5) * spacing + any(random); };
        all.bodies.push_back({{{place(i), place(j), place(k)}}, {}, {}, R, m, 0.4 * m * R * R});
      }
  all.planes = {{{}, {{0, 0, 1}}},
                {{}, {{1, 0, 0}}},
                {{{side, 0, 0}}, {{-1, 0, 0}}},
                {{}, {{0, 1, 0}}},
                {{{0, side, 0}}, {{0, -1, 0}}}};
  return all;
}

// The bed as LAMMPS reads it.
void write_data(const grains& all, const std::filesystem::path& to) {
  std::ofstream out(to);
  out.precision(17);
  out << "grains\n\n"
      << all.bodies.size() << " atoms\n1 atom types\n\n"
      << "-0.001 " << side + 0.001 << " xlo xhi\n-0.001 " << side + 0.001 << " ylo yhi\n"
      << "-0.001 0.3 zlo zhi\n\nAtoms # sphere\n\n";
  const double density = m / (4.18879020478639 * R * R * R);
  for (std::size_t i = 0; i < all.bodies.size(); ++i) {
    const auto& x = all.bodies[i].x;
    out << i + 1 << " 1 " << 2 * R << ' ' << density << ' ' << x[0] << ' ' << x[1] << ' ' << x[2]
        << '\n';
  }
  out << "\nVelocities\n\n";
  for (std::size_t i = 0; i < all.bodies.size(); ++i) {
    const auto &v = all.bodies[i].v, &w = all.bodies[i].omega;
    out << i + 1 << ' ' << v[0] << ' ' << v[1] << ' ' << v[2] << ' ' << w[0] << ' ' << w[1] << ' '
        << w[2] << '\n';
  }
}

void write_script(bool ours, const std::filesystem::path& to) {
  std::ofstream out(to);
  out << "units si\natom_style sphere\nnewton off\ncomm_modify vel yes\nboundary f f f\n"
         "read_data bed.data\nfix weight all gravity 9.81 vector 0 0 -1\n"
         "fix move all nve/sphere\ntimestep 2e-5\n";
  if (ours) {
    const std::string law = "K 6000 beta 2e-4 alpha 1.4e-4 tangential K 6000 beta 2e-4 mu 0.5";
    out << "pair_style asperity dai_contact\npair_coeff * * " << law
        << "\nfix walls all wall/asperity dai_contact " << law
        << " zplane 0 NULL xplane 0 0.1 yplane 0 0.1\n";
  } else {
    const std::string law = "hertz/material 1e7 0.5 0.3 tangential mindlin NULL 1.0 0.5";
    out << "pair_style granular\npair_coeff * * " << law << "\nfix a all wall/gran granular " << law
        << " zplane 0 NULL\nfix b all wall/gran granular " << law
        << " xplane 0 0.1\nfix c all wall/gran granular " << law << " yplane 0 0.1\n";
  }
  out << "thermo_style custom step ke\nthermo 1000000\nrun 500 post no\nrun 2000\n";
}

// ns per grain and step, of the last run of a script; 0 where the program is not there.
double lammps_cost(const std::string& program, const std::string& folder, const char* script) {
  const std::string command = "cd '" + folder + "' && OMP_NUM_THREADS=1 '" + program + "' -in " +
                              script + " -log none 2>/dev/null";
  FILE* const out = popen(command.c_str(), "r");
  if (out == nullptr) return 0;
  char line[1000];
  double seconds = 0, share = 100, grain_steps = 0;
  while (std::fgets(line, sizeof line, out) != nullptr) {
    double time = 0;
    long long ranks = 0, count = 0, of = 0;
    if (std::sscanf(line, "Loop time of %lf on %lld procs for %lld steps with %lld", &time, &ranks,
                    &count, &of) == 4) {
      seconds = time;
      grain_steps = static_cast<double>(count * of);
    }
    double percent = 0;
    if (std::sscanf(line, "%lf%% CPU use", &percent) == 1) share = percent;
  }
  return pclose(out) == 0 && grain_steps > 0 ? seconds * share / 100 / grain_steps * 1e9 : 0;
}

}  // namespace

int main() {
  grains all = bed();
  for (int i = 0; i < 4000; ++i) all.step(h);
  std::printf("bed of %zu grains: %zu contacts with force, %zu near, fastest %.1e m/s\n",
              all.bodies.size(), all.touching(), all.near_pairs(), all.fastest());

  char name[] = "/tmp/asperity-bench-XXXXXX";
  const char* const folder = mkdtemp(name);
  if (folder == nullptr) return 1;
  const std::filesystem::path place = folder;
  write_data(all, place / "bed.data");
  write_script(false, place / "theirs.in");
  write_script(true, place / "ours.in");
  const std::string own = ASPERITY_SOURCE_DIR "/build/lammps/asperity-lammps";

  double us = HUGE_VAL, lammps = HUGE_VAL, adapter = HUGE_VAL;
  const auto keep = [](double& best, double value) {
    if (value > 0) best = std::min(best, value);
  };
  for (int turn = 0; turn < turns; ++turn) {
    const long before = all.evaluations();
    const double seconds = best_of(1, processor_seconds, [&] {
      for (int i = 0; i < steps; ++i) all.step(h);
    });
    keep(us, seconds / static_cast<double>(all.evaluations() - before) /
                 static_cast<double>(all.bodies.size()) * 1e9);
    keep(lammps, lammps_cost("lmp", place, "theirs.in"));
    if (access(own.c_str(), X_OK) == 0) keep(adapter, lammps_cost(own, place, "ours.in"));
  }
  std::filesystem::remove_all(place);
  std::printf("ours: %.1f ns per grain and evaluation\n", us);
  const std::string what = "spheres, grain and evaluation";
  if (std::isfinite(lammps))
    print_ratio(what, "spheres, RK4", us, "LAMMPS, granular", lammps);
  else
    std::printf("(LAMMPS is not installed: no peer in this run)\n");
  if (std::isfinite(adapter)) print_ratio(what, "spheres, RK4", us, "asperity-lammps", adapter);
}
