// SPDX-License-Identifier: Apache-2.0
#pragma once

// compute ID group asperity [disc]
// A vector of 11 numbers: kinetic energy of the centres and of the turning [J], energy stored in the
// contacts of all grains with each other and with walls [J], momentum [kg m/s], angular momentum
// about the origin [kg m^2/s], and the numbers of grain and wall contacts that are closed. Kinetic
// energy and momenta are those of the group; `disc` is for grains that fix nve/sphere moves as discs.

#include <lammps/compute.h>

namespace asperity::lammps {

class compute_asperity final : public LAMMPS_NS::Compute {
 public:
  compute_asperity(LAMMPS_NS::LAMMPS*, int count, char** words);
  ~compute_asperity() override;
  void init() override;
  void compute_vector() override;

 private:
  double shape_ = 0.4;  // moment of inertia over m R^2
};

}  // namespace asperity::lammps
