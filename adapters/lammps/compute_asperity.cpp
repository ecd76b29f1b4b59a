// SPDX-License-Identifier: Apache-2.0
#include "compute_asperity.hpp"

#include <lammps/atom.h>
#include <lammps/domain.h>
#include <lammps/error.h>
#include <lammps/force.h>
#include <lammps/modify.h>
#include <lammps/update.h>

#include <string>

#include "fix_wall_asperity.hpp"
#include "pair_asperity.hpp"

namespace asperity::lammps {

namespace {

constexpr int numbers = 11;

}  // namespace

compute_asperity::compute_asperity(LAMMPS_NS::LAMMPS* lmp, int count, char** words)
    : Compute(lmp, count, words) {
  if (count > 4 || (count == 4 && std::string(words[3]) != "disc"))
    error->all(FLERR, std::string("compute ") + id +
                          " asperity takes one word at most, 'disc', not '" + words[3] + "'");
  if (count == 4) shape_ = 0.5;
  vector_flag = 1;
  size_vector = numbers;
  extvector = 1;
  vector = new double[numbers];
}
compute_asperity::~compute_asperity() { delete[] vector; }

void compute_asperity::init() {
  if (atom->radius_flag == 0 || atom->rmass_flag == 0 || atom->omega_flag == 0)
    error->all(FLERR, std::string("compute ") + id +
                          " asperity needs grains with radius and mass: 'atom_style sphere'");
}

void compute_asperity::compute_vector() {
  invoked_vector = update->ntimestep;
  double own[numbers] = {};
  for (int i = 0; i < atom->nlocal; ++i) {
    if ((atom->mask[i] & groupbit) == 0) continue;
    const double m = atom->rmass[i], I = shape_ * m * atom->radius[i] * atom->radius[i];
    const double *v = atom->v[i], *omega = atom->omega[i];
    double x[3];
    domain->unmap(atom->x[i], atom->image[i], x);
    for (int k = 0; k < 3; ++k) {
      const int next = (k + 1) % 3, after = (k + 2) % 3;
      own[0] += 0.5 * m * v[k] * v[k];
      own[1] += 0.5 * I * omega[k] * omega[k];
      own[3 + k] += m * v[k];
      own[6 + k] += m * (x[next] * v[after] - x[after] * v[next]) + I * omega[k];
    }
  }
  MPI_Allreduce(own, vector, numbers, MPI_DOUBLE, MPI_SUM, world);
  contact_sums pairs, walls;
  if (auto* pair = dynamic_cast<pair_asperity*>(force->pair_match("asperity", 1)))
    pairs = pair->sums();
  for (int k = 0; k < modify->nfix; ++k)
    if (auto* fix = dynamic_cast<fix_wall_asperity*>(modify->fix[k])) {
      const contact_sums some = fix->sums();
      walls.stored += some.stored;
      walls.touching += some.touching;
    }
  vector[2] = pairs.stored + walls.stored;
  vector[9] = pairs.touching;
  vector[10] = walls.touching;
}

}  // namespace asperity::lammps
