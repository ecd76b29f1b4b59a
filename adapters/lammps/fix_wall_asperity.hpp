// SPDX-License-Identifier: Apache-2.0
#pragma once

// fix ID group wall/asperity MODEL parameters... WALL ...
//   WALL: xplane|yplane|zplane LOW HIGH (NULL: none), plane X Y Z NX NY NZ; any number of them
//   then, for all of them: wiggle x|y|z AMPLITUDE PERIOD, shear x|y|z SPEED
// The scalar of the fix is the energy stored in its contacts, its vector the force and the torque
// (about the origin) on the walls.

#include <lammps/fix.h>

#include <memory>
#include <string>
#include <vector>

#include "kept_forces.hpp"
#include "laws.hpp"

namespace asperity::lammps {

class fix_wall_asperity final : public LAMMPS_NS::Fix {
 public:
  fix_wall_asperity(LAMMPS_NS::LAMMPS*, int count, char** words);
  ~fix_wall_asperity() override;

  contact_sums sums();  // of all ranks

  // For implicit sweeps, which then tell what the walls feel.
  void collect(double h, std::vector<swept_contact>&);
  wall_sums on_walls;

  int setmask() override;
  void init() override;
  void setup(int vflag) override { post_force(vflag); }
  void post_force(int vflag) override;
  void post_run() override;
  double compute_scalar() override { return sums().stored; }
  double compute_vector(int k) override;

  void grow_arrays(int grains) override;
  void copy_arrays(int from, int to, int) override;
  void set_arrays(int i) override;
  int pack_exchange(int i, double*) override;
  int unpack_exchange(int i, double*) override;
  void write_restart(FILE*) override;
  void restart(char*) override;
  int pack_restart(int i, double*) override;
  void unpack_restart(int i, int nth) override;
  int size_restart(int) override { return 1 + doubles_; }
  int maxsize_restart() override { return 1 + doubles_; }
  double memory_usage() override;

 private:
  std::unique_ptr<contact_laws> laws_;
  std::vector<wall> at_rest_, now_;
  double amplitude_ = 0, period_ = 0, speed_ = 0;
  int wiggles_along_ = -1, shears_along_ = -1;
  double start_ = 0;  // of the motion
  std::vector<contact_memory> memories_;
  std::vector<unsigned char> touching_;
  kept_forces forces_;
  bool is_swept_ = false;
  int doubles_ = 0;  // of one grain
  bool in_run_ = false;

  double time() const;
  void move_walls();
  grain_arrays grains();
  wall_list contacts();
  void read_walls(const std::vector<std::string>& words, const std::string& place);
};

}  // namespace asperity::lammps
