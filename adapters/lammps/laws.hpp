// SPDX-License-Identifier: Apache-2.0
#pragma once

// The laws of all contacts between grains, or of grains and walls, as the LAMMPS side sees them:
// plain numbers and arrays. This header knows neither LAMMPS nor fmt, so that either side can
// include it.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "contact.hpp"

namespace asperity::lammps {

// Arrays of LAMMPS; ghosts follow the grains that this rank owns.
struct grain_arrays {
  double *const *x, *const *v, *const *omega;
  double **f, **torque;
  const double* radius;
  const int* type;
  int owned;
};

// A half list of neighbours, with a memory for each entry: those of grain i begin at place[i].
struct contact_list {
  int count;
  const int *which, *number;
  int* const* others;
  int index_bits;  // of an entry that are the index of the other grain
  const std::size_t* place;
  contact_memory* memories;
  unsigned char* touching;  // 1 where something is remembered
  // Where each contact belongs to one rank, that of the lower id; else nothing, and the contact of a
  // grain with a ghost is computed by both ranks alike.
  const int* ids;

  bool is_ours(int i, int j, int owned) const {
    return ids == nullptr || j < owned || ids[i] < ids[j];
  }
};

// All x with normal (x - point) > 0 are free.
struct wall {
  vector point = {}, normal = {}, velocity = {};
};
// Grain i and wall k share the memory i * (number of walls) + k.
struct wall_list {
  const std::vector<wall>* walls;
  const int* mask;
  int group;
  contact_memory* memories;
  unsigned char* touching;
};

// Called for each contact with a force: energy stored in it, force on `i`, and x_i - x_j.
struct contact_tally {
  void* to = nullptr;
  void (*add)(void* to, int i, int j, double energy, const vector& f,
              const vector& apart) = nullptr;
};

// Sums over contacts.
struct wall_sums {
  vector f = {}, torque = {};  // on the walls, about the origin
};
struct contact_sums {
  double stored = 0, touching = 0;
};

// A contact in implicit sweeps (sweeps.hpp); j is -1 for a wall.
struct swept_contact;

class contact_laws {
 public:
  virtual ~contact_laws() = default;

  // Parameters of the contacts of two types, as words: "K 6000 beta 2e-4 ... tangential K ...".
  // Returns what is doubtful about them; throws asperity::error, which begins with `place`.
  virtual std::vector<std::string> set(int type_1, int type_2,
                                       const std::vector<std::string>& words,
                                       const std::string& place) = 0;
  virtual bool is_set(int type_1, int type_2) const = 0;
  // Why steps of this length cannot be, or nothing.
  virtual std::string refuse_step(double h) const = 0;

  // All that `set` was told, for restart files.
  virtual std::size_t bytes() const = 0;
  virtual void save(char* to) const = 0;
  virtual void load(const char* from) = 0;

  // Adds forces and torques. Memories go on by h; with `advance` false they stay as they are, and
  // the forces are those of this instant. Returns the indices of two grains with the same centre, or
  // -1.
  struct clash {
    int i = -1, j = -1;
  };
  virtual clash act(const grain_arrays&, const contact_list&, double h, bool advance,
                    const contact_tally&) const = 0;
  virtual wall_sums act(const grain_arrays&, const wall_list&, double h, bool advance) const = 0;

  // Whether the model has the closed-form step that sweeps need; then the contacts that may be closed
  // within a step of length h, added to a list.
  virtual bool can_sweep() const = 0;
  virtual clash collect(const grain_arrays&, const contact_list&, double h,
                        std::vector<swept_contact>&) const = 0;
  virtual void collect(const grain_arrays&, const wall_list&, double h,
                       std::vector<swept_contact>&) const = 0;

  // A contact with a ghost counts one half: the rank of the other grain has the rest.
  virtual contact_sums sums(const grain_arrays&, const contact_list&) const = 0;
  virtual contact_sums sums(const grain_arrays&, const wall_list&) const = 0;
};

// "0.1" or "10 cm" in SI. Throws asperity::error, which begins with `what`.
double read_value(const std::string& text, unit in, range allowed, const std::string& what);

// For contacts of so many types. Throws asperity::error where there is no such model.
std::unique_ptr<contact_laws> make_laws(const std::string& model, int types);

}  // namespace asperity::lammps
