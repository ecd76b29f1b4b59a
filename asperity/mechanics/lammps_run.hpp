// SPDX-License-Identifier: Apache-2.0
#pragma once

// `grains` in `asperity-lammps` (docs/lammps.md), which runs beside us as a program of its own: it
// reads commands from a pipe, writes where the grains are into a temporary folder, and ends when the
// pipe does. Its script is made of numbers and words of ours alone.

#include <asperity/integrate/outcome.hpp>
#include <asperity/mechanics/grains.hpp>
#include <functional>
#include <memory>
#include <string>

namespace asperity {

struct lammps_setting {
  int ranks = 1;
  double longest_step = 0;  // [s]; 0: short enough for the law
};

class lammps_run {
 public:
  // `all` are the grains at the start. Nothing runs before the first step.
  lammps_run(const grains& all, lammps_setting);
  ~lammps_run();
  lammps_run(const lammps_run&) = delete;
  lammps_run& operator=(const lammps_run&) = delete;

  // Onward by `length`; grains are then where LAMMPS has them. While it computes, `watch` is asked
  // some hundred times a second, and another answer than completed ends it, for good.
  outcome onward(double length, grains& all, const std::function<outcome()>& watch);

  long steps() const { return steps_; }
  double stored() const { return stored_; }      // in contacts [J]
  double touching() const { return touching_; }  // grains and walls that overlap

  // A step at which the law is followed well by LAMMPS' explicit method.
  static double good_step(const grains&);

 private:
  class process;
  lammps_setting setting_;
  double h_ = 0;
  long steps_ = 0;
  double stored_ = 0, touching_ = 0;
  std::unique_ptr<process> process_;

  void start(const grains&);
};

}  // namespace asperity
