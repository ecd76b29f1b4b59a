// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fix that pair_style asperity makes for `sweeps N`: it solves the forces of all contacts, with
// grains and walls, after all other fixes gave theirs.

#include <lammps/fix.h>

#include <vector>

#include "sweeps.hpp"

namespace asperity::lammps {

class pair_asperity;
class fix_wall_asperity;

class contact_sweeps final : public LAMMPS_NS::Fix {
 public:
  contact_sweeps(LAMMPS_NS::LAMMPS*, int count, char** words);

  static constexpr const char* sweeps_id = "ASPERITY_SWEEPS";
  void follow(pair_asperity* pair) { pair_ = pair; }

  int setmask() override;
  void init() override;
  void setup(int vflag) override { post_force(vflag); }
  void post_force(int vflag) override;

  int pack_forward_comm(int count, int* which, double* to, int, int*) override;
  void unpack_forward_comm(int count, int first, double* from) override;
  int pack_reverse_comm(int count, int first, double* to) override;
  void unpack_reverse_comm(int count, int* which, double* from) override;

 private:
  struct change {
    vector v = {}, omega = {};
  };
  pair_asperity* pair_ = nullptr;
  std::vector<fix_wall_asperity*> walls_;
  std::vector<swept_contact> contacts_;
  std::vector<swept_grain> grains_;
  std::vector<change> free_, given_;  // velocities without contacts; what ghosts were given

  void solve_all(double h, bool advance);
  void share();
};

}  // namespace asperity::lammps
