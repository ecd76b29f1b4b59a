// SPDX-License-Identifier: Apache-2.0
#include "fix_sweeps.hpp"

#include <lammps/atom.h>
#include <lammps/comm.h>
#include <lammps/error.h>
#include <lammps/modify.h>
#include <lammps/update.h>

#include <cstring>
#include <string>

#include "fix_wall_asperity.hpp"
#include "pair_asperity.hpp"

namespace asperity::lammps {

namespace {

constexpr double sphere = 0.4;  // moment of inertia over m R^2

void put(const vector& what, double*& to) {
  for (int k = 0; k < 3; ++k) *to++ = what[k];
}
vector take(const double*& from) {
  const vector result{{from[0], from[1], from[2]}};
  from += 3;
  return result;
}
std::size_t size(int n) { return static_cast<std::size_t>(n); }

}  // namespace

contact_sweeps::contact_sweeps(LAMMPS_NS::LAMMPS* lmp, int count, char** words)
    : Fix(lmp, count, words) {
  if (std::strcmp(id, sweeps_id) != 0)
    error->all(FLERR,
               std::string("fix asperity/sweeps is made by pair_style asperity, not by scripts"));
  comm_forward = comm_reverse = 6;
}

int contact_sweeps::setmask() { return LAMMPS_NS::FixConst::POST_FORCE; }

void contact_sweeps::init() {
  walls_.clear();
  for (int k = 0; k < modify->nfix; ++k)
    if (auto* fix = dynamic_cast<fix_wall_asperity*>(modify->fix[k])) walls_.push_back(fix);
}

// LAMMPS goes half a step with the forces of the beginning, and whole ones with all others.
void contact_sweeps::post_force(int) {
  const bool begins = update->setupflag != 0;
  const bool may_end = !begins && kept_forces::may_end(*update, *output);
  kept_forces& forces = pair_->forces();
  if (begins || may_end) forces.before(*atom);
  solve_all(begins ? 0.5 * update->dt : update->dt, !begins);
  if (begins) forces.replay(*atom, *domain, update->ntimestep, world);
  if (may_end) forces.keep(*atom, update->ntimestep);
}

void contact_sweeps::solve_all(double h, bool advance) {
  const int owned = atom->nlocal, all = atom->nlocal + atom->nghost;
  grains_.resize(size(all));
  free_.resize(size(all));
  given_.assign(size(all), {});
  for (int i = 0; i < all; ++i) {
    const double m = atom->rmass[i], I = sphere * m * atom->radius[i] * atom->radius[i];
    swept_grain& g = grains_[size(i)];
    g.inverse_m = 1 / m;
    g.inverse_I = 1 / I;
    if (i >= owned) continue;
    for (int k = 0; k < 3; ++k) {
      g.v[k] = atom->v[i][k] + h * g.inverse_m * atom->f[i][k];
      g.omega[k] = atom->omega[i][k] + h * g.inverse_I * atom->torque[i][k];
    }
    free_[size(i)] = {g.v, g.omega};
  }
  comm->forward_comm_fix(this);
  for (int i = owned; i < all; ++i) free_[size(i)] = {grains_[size(i)].v, grains_[size(i)].omega};

  contacts_.clear();
  const auto clash = pair_->collect(h, contacts_);
  if (clash.i >= 0)
    error->one(FLERR, "grains " + std::to_string(atom->tag[clash.i]) + " and " +
                          std::to_string(atom->tag[clash.j]) +
                          " have the same centre: their contact has no direction");
  for (std::size_t k = 0; k < walls_.size(); ++k) {
    const std::size_t first = contacts_.size();
    walls_[k]->collect(h, contacts_);
    for (std::size_t c = first; c < contacts_.size(); ++c) contacts_[c].wall = k;
  }

  for (auto& c : contacts_) begin(c, grains_, h);
  share();
  for (int sweep = 0; sweep < pair_->sweeps(); ++sweep) {
    // To and fro, so that no direction is preferred.
    if (sweep % 2 == 0)
      for (auto& c : contacts_) solve(c, grains_, h);
    else
      for (auto c = contacts_.rbegin(); c != contacts_.rend(); ++c) solve(*c, grains_, h);
    share();
  }

  for (int i = 0; i < owned; ++i) {
    const swept_grain& g = grains_[size(i)];
    for (int k = 0; k < 3; ++k) {
      atom->f[i][k] += (g.v[k] - free_[size(i)].v[k]) / (h * g.inverse_m);
      atom->torque[i][k] += (g.omega[k] - free_[size(i)].omega[k]) / (h * g.inverse_I);
    }
  }
  for (auto* each : walls_) each->on_walls = {};
  for (const auto& c : contacts_) {
    if (advance) settle(c, h);
    if (c.j >= 0) continue;
    const vector f = c.f_n * c.n - c.f_t;
    const vector torque = -c.R * cross(c.n, c.f_r) - (c.R * c.f_s) * c.n;
    const vector x{{atom->x[c.i][0], atom->x[c.i][1], atom->x[c.i][2]}};
    wall_sums& on_walls = walls_[c.wall]->on_walls;
    on_walls.f = on_walls.f + f;
    on_walls.torque = on_walls.torque + cross(x + c.arm_i * c.n, f) + torque;
  }
}

// What ghosts were given goes to the ranks that own the grains, and their velocities come back.
void contact_sweeps::share() {
  const int owned = atom->nlocal, all = atom->nlocal + atom->nghost;
  for (int i = owned; i < all; ++i)
    given_[size(i)] = {grains_[size(i)].v - free_[size(i)].v,
                       grains_[size(i)].omega - free_[size(i)].omega};
  comm->reverse_comm_fix(this);
  for (int i = 0; i < owned; ++i) {
    grains_[size(i)].v = grains_[size(i)].v + given_[size(i)].v;
    grains_[size(i)].omega = grains_[size(i)].omega + given_[size(i)].omega;
    given_[size(i)] = {};
  }
  comm->forward_comm_fix(this);
  for (int i = owned; i < all; ++i) free_[size(i)] = {grains_[size(i)].v, grains_[size(i)].omega};
}

int contact_sweeps::pack_forward_comm(int count, int* which, double* to, int, int*) {
  for (int k = 0; k < count; ++k) {
    put(grains_[size(which[k])].v, to);
    put(grains_[size(which[k])].omega, to);
  }
  return 6 * count;
}
void contact_sweeps::unpack_forward_comm(int count, int first, double* from) {
  const double* at = from;
  for (int i = first; i < first + count; ++i) {
    grains_[size(i)].v = take(at);
    grains_[size(i)].omega = take(at);
  }
}
int contact_sweeps::pack_reverse_comm(int count, int first, double* to) {
  for (int i = first; i < first + count; ++i) {
    put(given_[size(i)].v, to);
    put(given_[size(i)].omega, to);
  }
  return 6 * count;
}
void contact_sweeps::unpack_reverse_comm(int count, int* which, double* from) {
  const double* at = from;
  for (int k = 0; k < count; ++k) {
    change& given = given_[size(which[k])];
    given.v = given.v + take(at);
    given.omega = given.omega + take(at);
  }
}

}  // namespace asperity::lammps
