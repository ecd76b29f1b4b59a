// SPDX-License-Identifier: Apache-2.0
#pragma once

// `pair_style asperity MODEL [sweeps N]` and the fix that keeps what its contacts remember.

#include <lammps/fix.h>
#include <lammps/pair.h>

#include <memory>
#include <string>
#include <vector>

#include "kept_forces.hpp"
#include "laws.hpp"

namespace asperity::lammps {

class contact_history;

class pair_asperity final : public LAMMPS_NS::Pair {
 public:
  explicit pair_asperity(LAMMPS_NS::LAMMPS*);
  ~pair_asperity() override;

  void settings(int count, char** words) override;
  void coeff(int count, char** words) override;
  void init_style() override;
  double init_one(int i, int j) override;
  void compute(int eflag, int vflag) override;

  void write_restart(FILE*) override;
  void read_restart(FILE*) override;

  // Of all ranks.
  contact_sums sums();

  // How often implicit sweeps go over all contacts in a step; 0: forces are explicit.
  int sweeps() const { return sweeps_; }
  contact_laws::clash collect(double h, std::vector<swept_contact>&);
  kept_forces& forces();

  static constexpr const char* history_id = "ASPERITY_HISTORY";

 private:
  std::string model_;
  int sweeps_ = 0;
  std::unique_ptr<contact_laws> laws_;
  contact_history* history_ = nullptr;
  std::vector<double> largest_;  // radius of each type

  void use(const std::string& model, int sweeps);
  void need(bool given, const char* what);
  [[noreturn]] void refuse(const std::string& why);
  grain_arrays grains();
  static void tally(void* to, int i, int j, double energy, const vector& f, const vector& apart);
};

// Between runs and while grains go to another rank or into a restart file, memories lie with the
// grains; in a run, in the order of the list of neighbours.
class contact_history final : public LAMMPS_NS::Fix {
 public:
  contact_history(LAMMPS_NS::LAMMPS*, int count, char** words);
  ~contact_history() override;

  // For the pair style: the memories of a list, which are the valid ones from now on.
  contact_list open(const LAMMPS_NS::NeighList&);
  // With `one_rank` a contact belongs to the rank of the lower id.
  void follow(const LAMMPS_NS::Pair* pair, bool one_rank) {
    pair_ = pair;
    one_rank_ = one_rank;
  }
  kept_forces forces;

  int setmask() override;
  void setup_post_neighbor() override { post_neighbor(); }
  void post_neighbor() override;
  void pre_exchange() override;
  void post_run() override;

  void grow_arrays(int grains) override;
  void copy_arrays(int from, int to, int) override;
  void set_arrays(int i) override;
  int pack_exchange(int i, double*) override;
  int unpack_exchange(int i, double*) override;
  void write_restart(FILE*) override;
  void restart(char*) override {}
  int pack_restart(int i, double*) override;
  void unpack_restart(int i, int nth) override;
  int size_restart(int i) override { return 1 + doubles_of(i); }
  int maxsize_restart() override;
  double memory_usage() override;

 private:
  struct record {
    LAMMPS_NS::tagint with;
    contact_memory m;
  };
  static constexpr int doubles_of_record = 1 + memory_numbers;

  const LAMMPS_NS::Pair* pair_ = nullptr;
  bool one_rank_ = false;
  std::vector<std::vector<record>> records_;
  bool in_list_ = false;  // else in the records
  std::vector<std::size_t> place_;
  std::vector<contact_memory> memories_;
  std::vector<unsigned char> touching_;

  const record* find(int i, LAMMPS_NS::tagint with) const;
  int doubles_of(int i) const;
  int pack(int i, double*) const;
  int unpack(int i, const double*);
};

}  // namespace asperity::lammps
