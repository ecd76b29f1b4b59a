// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forces and torques that one style gave at the end of a run. LAMMPS computes forces anew when a run
// begins, with velocities half a step later than those that the last step had seen. A run in two
// parts, or from a restart file, would then not be the run in one. So the forces of the last step go
// along with the grains, and are used where the next run begins with grains that did not change.

#include <lammps/atom.h>
#include <lammps/domain.h>
#include <lammps/output.h>
#include <lammps/update.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace asperity::lammps {

class kept_forces {
 public:
  static constexpr int doubles = 16;

  void grow(int grains) { each_.resize(static_cast<std::size_t>(grains)); }
  void copy(int from, int to) { of(to) = of(from); }
  void clear(int i) { of(i) = {}; }
  void pack(int i, double* to) const {
    std::copy_n(each_[static_cast<std::size_t>(i)].number, doubles, to);
  }
  void unpack(int i, const double* from) { std::copy_n(from, doubles, of(i).number); }

  // Whether a step may be the last before a run ends or a file is written.
  static bool may_end(const LAMMPS_NS::Update& update, const LAMMPS_NS::Output& output) {
    return update.ntimestep == update.laststep ||
           (output.restart_flag != 0 && update.ntimestep == output.next_restart);
  }

  // Around the call that adds the forces.
  void before(const LAMMPS_NS::Atom& atom) {
    before_.resize(6 * static_cast<std::size_t>(atom.nlocal));
    for (int i = 0; i < atom.nlocal; ++i)
      for (int k = 0; k < 3; ++k) {
        before_[index(i, k)] = atom.f[i][k];
        before_[index(i, 3 + k)] = atom.torque[i][k];
      }
  }
  void keep(const LAMMPS_NS::Atom& atom, LAMMPS_NS::bigint step) {
    for (int i = 0; i < atom.nlocal; ++i) {
      for (int k = 0; k < 3; ++k) {
        of(i).number[k] = atom.f[i][k] - before_[index(i, k)];
        of(i).number[3 + k] = atom.torque[i][k] - before_[index(i, 3 + k)];
      }
      of(i).number[step_] = static_cast<double>(step);
    }
  }

  // The motion at the end of that step, to see whether anybody changes it.
  void note_motion(const LAMMPS_NS::Atom& atom, LAMMPS_NS::Domain& domain) {
    for (int i = 0; i < atom.nlocal; ++i) motion(atom, domain, i, of(i).number + 6);
  }

  // Puts the kept forces in place of those that were added, where all ranks can.
  void replay(const LAMMPS_NS::Atom& atom, LAMMPS_NS::Domain& domain, LAMMPS_NS::bigint step,
              MPI_Comm world) const {
    int same = 1;
    for (int i = 0; i < atom.nlocal && same != 0; ++i) {
      const double* kept = each_[static_cast<std::size_t>(i)].number;
      double now[9];
      motion(atom, domain, i, now);
      // Positions lose a bit where the box is periodic.
      for (int k = 0; k < 3; ++k)
        if (!(std::abs(now[k] - kept[6 + k]) <= 1e-9 * atom.radius[i])) same = 0;
      for (int k = 3; k < 9; ++k)
        if (now[k] != kept[6 + k]) same = 0;
      if (kept[step_] != static_cast<double>(step)) same = 0;
    }
    int everywhere = 0;
    MPI_Allreduce(&same, &everywhere, 1, MPI_INT, MPI_MIN, world);
    if (everywhere == 0) return;
    for (int i = 0; i < atom.nlocal; ++i)
      for (int k = 0; k < 3; ++k) {
        const double* kept = each_[static_cast<std::size_t>(i)].number;
        atom.f[i][k] = before_[index(i, k)] + kept[k];
        atom.torque[i][k] = before_[index(i, 3 + k)] + kept[3 + k];
      }
  }

 private:
  // Force, torque, place, velocity, angular velocity, step.
  struct one {
    double number[doubles] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1};
  };
  static constexpr int step_ = doubles - 1;
  std::vector<one> each_;
  std::vector<double> before_;

  one& of(int i) { return each_[static_cast<std::size_t>(i)]; }
  static std::size_t index(int i, int k) {
    return 6 * static_cast<std::size_t>(i) + static_cast<std::size_t>(k);
  }
  static void motion(const LAMMPS_NS::Atom& atom, LAMMPS_NS::Domain& domain, int i, double* out) {
    domain.unmap(atom.x[i], atom.image[i], out);
    for (int k = 0; k < 3; ++k) {
      out[3 + k] = atom.v[i][k];
      out[6 + k] = atom.omega[i][k];
    }
  }
};

}  // namespace asperity::lammps
