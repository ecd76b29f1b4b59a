// SPDX-License-Identifier: Apache-2.0
// LAMMPS with the contacts of Asperity: the program `lmp`, which knows three styles more.

#include <dlfcn.h>
#include <lammps/force.h>
#include <lammps/input.h>
#include <lammps/lammps.h>
#include <lammps/modify.h>
#include <mpi.h>

#include <cstdio>
#include <string>

#include "compute_asperity.hpp"
#include "fix_sweeps.hpp"
#include "fix_wall_asperity.hpp"
#include "pair_asperity.hpp"

namespace {

using LAMMPS_NS::LAMMPS;

constexpr const char* help = R"(LAMMPS with the contacts of Asperity.

  asperity-lammps -in SCRIPT [options of lmp]
  mpirun -np 4 asperity-lammps -in SCRIPT

Scripts are those of LAMMPS, which know three styles more. All is in SI; a value may carry its
unit, in quotes: K "6 N/mm".

  pair_style asperity MODEL [sweeps N]
  pair_coeff I J NAME VALUE ... [tangential K V beta V mu V] [rolling K V beta V mu V]
                                [twisting K V beta V mu V]
  fix ID GROUP wall/asperity MODEL NAME VALUE ... [tangential ...] [rolling ...] [twisting ...]
      xplane|yplane|zplane LOW HIGH | plane X Y Z NX NY NZ ...
      [wiggle x|y|z AMPLITUDE PERIOD] [shear x|y|z SPEED]
  compute ID GROUP asperity [disc]
      [1] [2] kinetic energy of centres and of turning, [3] energy stored in contacts,
      [4-6] momentum, [7-9] angular momentum, [10] [11] closed contacts of grains, with walls

  MODEL                  parameters
  dai_contact            K [N/m], beta [s], alpha [s]
  dai_contact_nonlinear  K [N/m^1.5], lambda, gamma [1/s], beta_1 [s], beta_2 [s/m^1.5]
  hunt_crossley          K [N/m^1.5], lambda, b [s/m]
  hertz                  E_1, E_2 [Pa], nu_1, nu_2; radii are those of the grains

  tangential, rolling, twisting: DAI friction with stiffness K [N/m], damping over stiffness
  beta [s], and a limit of mu times the normal force.

  sweeps N: forces of all contacts at the end of the step, by N implicit sweeps over them, for
  stiff contacts and long steps (dai_contact only; no pressure of contacts in the output).

They need: units si, atom_style sphere, newton off, comm_modify vel yes.
`asperity show MODEL` explains a model; -help lists what LAMMPS itself knows.
)";

template <class Style>
LAMMPS_NS::Fix* new_fix(LAMMPS* lmp, int count, char** words) {
  return new Style(lmp, count, words);
}
LAMMPS_NS::Pair* new_pair(LAMMPS* lmp) { return new asperity::lammps::pair_asperity(lmp); }
LAMMPS_NS::Compute* new_compute(LAMMPS* lmp, int count, char** words) {
  return new asperity::lammps::compute_asperity(lmp, count, words);
}

void add_styles(LAMMPS& lmp) {
  using namespace asperity::lammps;
  (*lmp.force->pair_map)["asperity"] = &new_pair;
  (*lmp.modify->fix_map)["asperity/history"] = &new_fix<contact_history>;
  (*lmp.modify->fix_map)["asperity/sweeps"] = &new_fix<contact_sweeps>;
  (*lmp.modify->fix_map)["wall/asperity"] = &new_fix<fix_wall_asperity>;
  (*lmp.modify->compute_map)["asperity"] = &new_compute;
}

}  // namespace

// The command `clear` makes the lists of styles anew, and ends with this function of LAMMPS, as its
// constructor does. A program stands before the libraries that it links, so ours is called.
void LAMMPS::post_create() {
  using function = void (*)(LAMMPS*);
  static const auto theirs =
      reinterpret_cast<function>(dlsym(RTLD_NEXT, "_ZN9LAMMPS_NS6LAMMPS11post_createEv"));
  add_styles(*this);
  theirs(this);
}

int main(int count, char** words) {
  if (count == 2 && std::string(words[1]) == "--help") {
    std::fputs(help, stdout);
    return 0;
  }
  MPI_Init(&count, &words);
  {
    LAMMPS lmp(count, words, MPI_COMM_WORLD);
    lmp.input->file();
  }
  MPI_Finalize();
  return 0;
}
