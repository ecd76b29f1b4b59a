// SPDX-License-Identifier: Apache-2.0
#include "pair_asperity.hpp"

#include <lammps/comm.h>
#include <lammps/error.h>
#include <lammps/force.h>
#include <lammps/memory.h>
#include <lammps/modify.h>
#include <lammps/neigh_list.h>
#include <lammps/neighbor.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <cstring>

#include "fix_sweeps.hpp"

namespace asperity::lammps {

using LAMMPS_NS::FixConst::POST_NEIGHBOR;
using LAMMPS_NS::FixConst::POST_RUN;
using LAMMPS_NS::FixConst::PRE_EXCHANGE;

// ---- pair style -----------------------------------------------------------------------------------

namespace {

// Fixes act in the order in which they were made. The history must be saved before any fix removes or
// adds grains, so its place is taken as soon as there is a pair style.
constexpr const char* placeholder_id = "ASPERITY_HISTORY_PLACE";

}  // namespace

pair_asperity::pair_asperity(LAMMPS_NS::LAMMPS* lmp) : Pair(lmp) {
  single_enable = 0;
  no_virial_fdotr_compute = 1;
  centroidstressflag = LAMMPS_NS::CENTROID_NOTAVAIL;
  finitecutflag = 1;
}

pair_asperity::~pair_asperity() {
  if (copymode != 0) return;
  for (const char* id : {placeholder_id, history_id, contact_sweeps::sweeps_id})
    if (modify->find_fix(id) >= 0) modify->delete_fix(id);
  if (allocated != 0) {
    memory->destroy(setflag);
    memory->destroy(cutsq);
  }
}

void pair_asperity::refuse(const std::string& why) { error->all(FLERR, why); }
void pair_asperity::need(bool given, const char* what) {
  if (!given) refuse(std::string("pair_style asperity needs ") + what);
}

void pair_asperity::use(const std::string& model, int sweeps) {
  try {
    laws_ = make_laws(model, atom->ntypes);
  } catch (const asperity::error& why) {
    refuse(std::string("pair_style asperity: ") + why.what());
  }
  model_ = model;
  sweeps_ = sweeps;
  if (sweeps > 0 && !laws_->can_sweep())
    refuse(
        "pair_style asperity: 'sweeps' needs a model with a closed-form step, dai_contact, not " +
        model);
  if (allocated != 0) {
    memory->destroy(setflag);
    memory->destroy(cutsq);
  }
  const int side = atom->ntypes + 1;
  memory->create(setflag, side, side, "pair:setflag");
  memory->create(cutsq, side, side, "pair:cutsq");
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) setflag[i][j] = 0;
  allocated = 1;
  if (modify->find_fix(history_id) < 0 && modify->find_fix(placeholder_id) < 0)
    modify->add_fix(std::string(placeholder_id) + " all DUMMY");
}

void pair_asperity::settings(int count, char** words) {
  if (count != 1 && count != 3)
    refuse(
        "pair_style asperity takes the model of contact and, if wanted, 'sweeps N', and was "
        "given " +
        std::to_string(count) +
        " words. Models: dai_contact, dai_contact_nonlinear, hertz, hunt_crossley");
  int sweeps = 0;
  if (count == 3) {
    if (std::strcmp(words[1], "sweeps") != 0)
      refuse(std::string("pair_style asperity: '") + words[1] +
             "' is not known here. Allowed: sweeps");
    try {
      sweeps = static_cast<int>(
          read_value(words[2], units::one, whole(1, 1000), "pair_style asperity: sweeps"));
    } catch (const asperity::error& why) {
      refuse(why.what());
    }
  }
  use(words[0], sweeps);
}

void pair_asperity::coeff(int count, char** words) {
  if (count < 2) refuse("pair_coeff takes two types and the parameters of " + model_);
  int i_first = 0, i_last = 0, j_first = 0, j_last = 0;
  LAMMPS_NS::utils::bounds(FLERR, words[0], 1, atom->ntypes, i_first, i_last, error);
  LAMMPS_NS::utils::bounds(FLERR, words[1], 1, atom->ntypes, j_first, j_last, error);
  const std::vector<std::string> rest(words + 2, words + count);
  const std::string place = std::string("pair_coeff ") + words[0] + " " + words[1];
  bool any = false;
  std::vector<std::string> doubts;
  for (int i = i_first; i <= i_last; ++i)
    for (int j = std::max(j_first, i); j <= j_last; ++j) {
      try {
        doubts = laws_->set(i, j, rest, place);
      } catch (const asperity::error& why) {
        refuse(why.what());
      }
      setflag[i][j] = 1;
      any = true;
    }
  if (!any) refuse(place + ": the first type must not be above the second");
  for (const auto& each : doubts)
    if (comm->me == 0) error->warning(FLERR, each);
}

void pair_asperity::init_style() {
  need(std::strcmp(update->unit_style, "si") == 0, "'units si': its parameters are in SI");
  need(atom->radius_flag != 0 && atom->rmass_flag != 0 && atom->omega_flag != 0 &&
           atom->torque_flag != 0,
       "grains with radius and mass: 'atom_style sphere'");
  need(atom->tag_enable != 0, "grains with ids: do not say 'atom_modify id no'");
  need(force->newton_pair == 0, "'newton off', before the box is made");
  need(comm->ghost_velocity != 0, "'comm_modify vel yes'");
  if (const std::string why = laws_->refuse_step(update->dt); !why.empty())
    refuse("pair_style asperity: " + why);

  int found = modify->find_fix(history_id);
  if (found < 0) {
    modify->replace_fix(placeholder_id, std::string(history_id) + " all asperity/history");
    found = modify->find_fix(history_id);
  }
  history_ = dynamic_cast<contact_history*>(modify->fix[found]);
  need(history_ != nullptr, "that no fix of yours is named ASPERITY_HISTORY");
  history_->follow(this, sweeps_ > 0);
  // It must be the last fix.
  if (modify->find_fix(contact_sweeps::sweeps_id) >= 0)
    modify->delete_fix(contact_sweeps::sweeps_id);
  if (sweeps_ > 0)
    dynamic_cast<contact_sweeps&>(
        *modify->add_fix(std::string(contact_sweeps::sweeps_id) + " all asperity/sweeps"))
        .follow(this);
  neighbor->request(this, instance_me);

  // Grains that are yet to come count, too.
  std::vector<double> largest(static_cast<std::size_t>(atom->ntypes) + 1, 0.0);
  for (int k = 0; k < modify->nfix; ++k) {
    const std::string style = modify->fix[k]->style;
    if (style != "pour" && style != "deposit") continue;
    for (int type = 1; type <= atom->ntypes; ++type) {
      int asked = type;
      if (const auto* radius = static_cast<double*>(modify->fix[k]->extract("radius", asked)))
        largest[static_cast<std::size_t>(type)] =
            std::max(largest[static_cast<std::size_t>(type)], *radius);
    }
  }
  for (int i = 0; i < atom->nlocal; ++i) {
    auto& of_type = largest[static_cast<std::size_t>(atom->type[i])];
    of_type = std::max(of_type, atom->radius[i]);
  }
  largest_.resize(largest.size());
  MPI_Allreduce(largest.data(), largest_.data(), static_cast<int>(largest.size()), MPI_DOUBLE,
                MPI_MAX, world);
}

double pair_asperity::init_one(int i, int j) {
  if (!laws_->is_set(i, j))
    refuse("pair_style asperity: the contact of types " + std::to_string(i) + " and " +
           std::to_string(j) + " has no parameters: give 'pair_coeff " + std::to_string(i) + " " +
           std::to_string(j) + " ...'; nothing is mixed");
  return largest_[static_cast<std::size_t>(i)] + largest_[static_cast<std::size_t>(j)];
}

grain_arrays pair_asperity::grains() {
  return {atom->x,      atom->v,      atom->omega, atom->f,
          atom->torque, atom->radius, atom->type,  atom->nlocal};
}

void pair_asperity::tally(void* to, int i, int j, double energy, const vector& f,
                          const vector& apart) {
  auto* self = static_cast<pair_asperity*>(to);
  self->ev_tally_xyz(i, j, self->atom->nlocal, 0, energy, 0.0, f[0], f[1], f[2], apart[0], apart[1],
                     apart[2]);
}

void pair_asperity::compute(int eflag, int vflag) {
  ev_init(eflag, vflag);
  if (sweeps_ > 0) return;  // contact_sweeps does it
  const bool begins = update->setupflag != 0;
  const bool may_end = !begins && kept_forces::may_end(*update, *output);
  if (begins || may_end) history_->forces.before(*atom);
  const auto clash = laws_->act(grains(), history_->open(*list), update->dt, !begins,
                                evflag != 0 ? contact_tally{this, &tally} : contact_tally{});
  if (clash.i >= 0)
    error->one(FLERR, "grains " + std::to_string(atom->tag[clash.i]) + " and " +
                          std::to_string(atom->tag[clash.j]) +
                          " have the same centre: their contact has no direction");
  if (begins) history_->forces.replay(*atom, *domain, update->ntimestep, world);
  if (may_end) history_->forces.keep(*atom, update->ntimestep);
}

contact_laws::clash pair_asperity::collect(double h, std::vector<swept_contact>& contacts) {
  return laws_->collect(grains(), history_->open(*list), h, contacts);
}
kept_forces& pair_asperity::forces() { return history_->forces; }

contact_sums pair_asperity::sums() {
  if (history_ == nullptr || list == nullptr) return {};
  const contact_sums own = laws_->sums(grains(), history_->open(*list));
  const double numbers[2] = {own.stored, own.touching};
  double all[2];
  MPI_Allreduce(numbers, all, 2, MPI_DOUBLE, MPI_SUM, world);
  return {all[0], all[1]};
}

// Rank 0 calls it.
void pair_asperity::write_restart(FILE* file) {
  const int length = static_cast<int>(model_.size());
  std::vector<char> bytes(laws_->bytes());
  laws_->save(bytes.data());
  const int size = static_cast<int>(bytes.size());
  std::fwrite(&sweeps_, sizeof(int), 1, file);
  std::fwrite(&length, sizeof(int), 1, file);
  std::fwrite(model_.data(), 1, model_.size(), file);
  std::fwrite(&size, sizeof(int), 1, file);
  std::fwrite(bytes.data(), 1, bytes.size(), file);
}

void pair_asperity::read_restart(FILE* file) {
  const auto read = [&](void* to, int bytes) {
    if (comm->me == 0 &&
        std::fread(to, 1, static_cast<std::size_t>(bytes), file) != static_cast<std::size_t>(bytes))
      error->one(FLERR, std::string("the restart file ends within pair_style asperity"));
    MPI_Bcast(to, bytes, MPI_BYTE, 0, world);
  };
  int sweeps = 0, length = 0, size = 0;
  read(&sweeps, sizeof(int));
  read(&length, sizeof(int));
  if (length < 1 || length > 100) refuse("the restart file is damaged at pair_style asperity");
  std::string model(static_cast<std::size_t>(length), ' ');
  read(model.data(), length);
  use(model, sweeps);
  read(&size, sizeof(int));
  if (size != static_cast<int>(laws_->bytes()))
    refuse("the restart file was written by another version of pair_style asperity");
  std::vector<char> bytes(laws_->bytes());
  read(bytes.data(), size);
  laws_->load(bytes.data());
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j) setflag[i][j] = laws_->is_set(i, j) ? 1 : 0;
}

// ---- history --------------------------------------------------------------------------------------

contact_history::contact_history(LAMMPS_NS::LAMMPS* lmp, int count, char** words)
    : Fix(lmp, count, words) {
  if (std::strcmp(id, pair_asperity::history_id) != 0)
    error->all(FLERR,
               std::string("fix asperity/history is made by pair_style asperity, not by scripts"));
  restart_peratom = 1;
  restart_global = 1;
  create_attribute = 1;
  maxexchange_dynamic = 1;
  maxexchange = 1 + kept_forces::doubles;
  grow_arrays(atom->nmax);
  atom->add_callback(LAMMPS_NS::Atom::GROW);
  atom->add_callback(LAMMPS_NS::Atom::RESTART);
}

contact_history::~contact_history() {
  atom->delete_callback(id, LAMMPS_NS::Atom::GROW);
  atom->delete_callback(id, LAMMPS_NS::Atom::RESTART);
}

int contact_history::setmask() { return PRE_EXCHANGE | POST_NEIGHBOR | POST_RUN; }

contact_list contact_history::open(const LAMMPS_NS::NeighList& list) {
  in_list_ = true;
  return {list.inum,        list.ilist,       list.numneigh,
          list.firstneigh,  NEIGHMASK,        place_.data(),
          memories_.data(), touching_.data(), one_rank_ ? atom->tag : nullptr};
}

const contact_history::record* contact_history::find(int i, LAMMPS_NS::tagint with) const {
  for (const record& each : records_[static_cast<std::size_t>(i)])
    if (each.with == with) return &each;
  return nullptr;
}

void contact_history::post_neighbor() {
  const LAMMPS_NS::NeighList& list = *pair_->list;
  place_.resize(static_cast<std::size_t>(atom->nlocal));
  std::size_t total = 0;
  for (int ii = 0; ii < list.inum; ++ii) {
    place_[static_cast<std::size_t>(list.ilist[ii])] = total;
    total += static_cast<std::size_t>(list.numneigh[list.ilist[ii]]);
  }
  memories_.assign(total, {});
  touching_.assign(total, 0);
  for (int ii = 0; ii < list.inum; ++ii) {
    const int i = list.ilist[ii];
    for (int k = 0; k < list.numneigh[i]; ++k) {
      const int j = list.firstneigh[i][k] & NEIGHMASK;
      const record* known = find(i, atom->tag[j]);
      const record* seen_from_there =
          known == nullptr && j < atom->nlocal ? find(j, atom->tag[i]) : nullptr;
      if (known == nullptr && seen_from_there == nullptr) continue;
      const std::size_t at = place_[static_cast<std::size_t>(i)] + static_cast<std::size_t>(k);
      memories_[at] = known != nullptr ? known->m : mirrored(seen_from_there->m);
      touching_[at] = 1;
    }
  }
  in_list_ = true;
}

void contact_history::pre_exchange() {
  if (in_list_) {
    for (int i = 0; i < atom->nlocal; ++i) records_[static_cast<std::size_t>(i)].clear();
    const LAMMPS_NS::NeighList& list = *pair_->list;
    for (int ii = 0; ii < list.inum; ++ii) {
      const int i = list.ilist[ii];
      for (int k = 0; k < list.numneigh[i]; ++k) {
        const std::size_t at = place_[static_cast<std::size_t>(i)] + static_cast<std::size_t>(k);
        if (touching_[at] == 0) continue;
        const int j = list.firstneigh[i][k] & NEIGHMASK;
        if (one_rank_ && j >= atom->nlocal && atom->tag[i] > atom->tag[j]) continue;
        records_[static_cast<std::size_t>(i)].push_back({atom->tag[j], memories_[at]});
        if (j < atom->nlocal)
          records_[static_cast<std::size_t>(j)].push_back({atom->tag[i], mirrored(memories_[at])});
      }
    }
  }
  // A grain may pass through several ranks, so the largest of all counts.
  int largest = 0;
  for (int i = 0; i < atom->nlocal; ++i) largest = std::max(largest, doubles_of(i));
  MPI_Allreduce(&largest, &maxexchange, 1, MPI_INT, MPI_MAX, world);
}

void contact_history::post_run() {
  pre_exchange();
  in_list_ = false;
  forces.note_motion(*atom, *domain);
}

void contact_history::grow_arrays(int grains) {
  records_.resize(static_cast<std::size_t>(grains));
  forces.grow(grains);
}
void contact_history::copy_arrays(int from, int to, int) {
  records_[static_cast<std::size_t>(to)] = records_[static_cast<std::size_t>(from)];
  forces.copy(from, to);
}
void contact_history::set_arrays(int i) {
  records_[static_cast<std::size_t>(i)].clear();
  forces.clear(i);
}

int contact_history::doubles_of(int i) const {
  return 1 + kept_forces::doubles +
         doubles_of_record * static_cast<int>(records_[static_cast<std::size_t>(i)].size());
}
int contact_history::pack(int i, double* to) const {
  const auto& known = records_[static_cast<std::size_t>(i)];
  double* at = to;
  *at++ = static_cast<double>(known.size());
  forces.pack(i, at);
  at += kept_forces::doubles;
  for (const record& each : known) {
    *at++ = static_cast<double>(each.with);
    write_memory(each.m, at);
    at += memory_numbers;
  }
  return static_cast<int>(at - to);
}
int contact_history::unpack(int i, const double* from) {
  auto& known = records_[static_cast<std::size_t>(i)];
  const double* at = from;
  known.resize(static_cast<std::size_t>(*at++));
  forces.unpack(i, at);
  at += kept_forces::doubles;
  for (record& each : known) {
    each.with = static_cast<LAMMPS_NS::tagint>(*at++);
    each.m = read_memory(at);
    at += memory_numbers;
  }
  return static_cast<int>(at - from);
}

int contact_history::pack_exchange(int i, double* to) { return pack(i, to); }
int contact_history::unpack_exchange(int i, double* from) { return unpack(i, from); }

// All ranks call it, before any grain is packed. It writes nothing of its own.
void contact_history::write_restart(FILE* file) {
  if (in_list_) {
    pre_exchange();
    forces.note_motion(*atom, *domain);
  }
  const int nothing = 0;
  if (comm->me == 0) std::fwrite(&nothing, sizeof(int), 1, file);
}
int contact_history::pack_restart(int i, double* to) {
  to[0] = 1 + pack(i, to + 1);
  return static_cast<int>(to[0]);
}
void contact_history::unpack_restart(int i, int nth) {
  const double* at = atom->extra[i];
  for (int k = 0; k < nth; ++k) at += static_cast<int>(*at);
  unpack(i, at + 1);
}
int contact_history::maxsize_restart() {
  int largest = 0;
  for (int i = 0; i < atom->nlocal; ++i) largest = std::max(largest, size_restart(i));
  return largest;
}

double contact_history::memory_usage() {
  double bytes = static_cast<double>(memories_.size() * (sizeof(contact_memory) + 1));
  for (const auto& each : records_) bytes += static_cast<double>(each.capacity() * sizeof(record));
  return bytes;
}

}  // namespace asperity::lammps
