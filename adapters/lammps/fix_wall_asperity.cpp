// SPDX-License-Identifier: Apache-2.0
#include "fix_wall_asperity.hpp"

#include <lammps/comm.h>
#include <lammps/error.h>
#include <lammps/force.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <cmath>
#include <cstring>

#include "pair_asperity.hpp"

namespace asperity::lammps {

using LAMMPS_NS::FixConst::POST_FORCE;
using LAMMPS_NS::FixConst::POST_RUN;

namespace {

constexpr const char* wall_words[] = {"xplane", "yplane", "zplane", "plane", "wiggle", "shear"};

bool is_wall_word(const std::string& word) {
  return std::find(std::begin(wall_words), std::end(wall_words), word) != std::end(wall_words);
}

int axis(const std::string& word, const std::string& place) {
  if (word == "x") return 0;
  if (word == "y") return 1;
  if (word == "z") return 2;
  throw asperity::error(place + ": '" + word + "' is not an axis: x, y or z");
}

}  // namespace

fix_wall_asperity::fix_wall_asperity(LAMMPS_NS::LAMMPS* lmp, int count, char** words)
    : Fix(lmp, count, words) {
  const std::string place = std::string("fix ") + id + " wall/asperity";
  const std::vector<std::string> all(words + std::min(count, 4), words + count);
  const auto walls = std::find_if(all.begin(), all.end(), is_wall_word);
  try {
    if (count < 4)
      throw asperity::error(place + " needs a model of contact, its parameters, walls");
    laws_ = make_laws(words[3], 1);
    const auto doubts = laws_->set(1, 1, {all.begin(), walls}, place);
    for (const auto& each : doubts)
      if (comm->me == 0) error->warning(FLERR, each);
    read_walls({walls, all.end()}, place);
  } catch (const asperity::error& why) {
    const std::string text = why.what();
    error->all(FLERR, text.rfind(place, 0) == 0 ? text : place + ": " + text);
  }
  start_ = time();
  doubles_ = kept_forces::doubles + memory_numbers * static_cast<int>(at_rest_.size());
  maxexchange = doubles_;
  restart_peratom = 1;
  restart_global = 1;
  create_attribute = 1;
  scalar_flag = 1;
  extscalar = 1;
  vector_flag = 1;
  size_vector = 6;
  extvector = 1;
  global_freq = 1;
  grow_arrays(atom->nmax);
  atom->add_callback(LAMMPS_NS::Atom::GROW);
  atom->add_callback(LAMMPS_NS::Atom::RESTART);
  for (int i = 0; i < atom->nlocal; ++i) set_arrays(i);
}

fix_wall_asperity::~fix_wall_asperity() {
  atom->delete_callback(id, LAMMPS_NS::Atom::GROW);
  atom->delete_callback(id, LAMMPS_NS::Atom::RESTART);
}

void fix_wall_asperity::read_walls(const std::vector<std::string>& words,
                                   const std::string& place) {
  std::size_t at = 0;
  const auto next = [&](const std::string& what) {
    if (at == words.size()) throw asperity::error(place + ": " + what + " is missing");
    return words[at++];
  };
  const auto length = [&](const std::string& what) {
    return read_value(next(what), units::metre, any_value, place + ": " + what);
  };
  while (at < words.size()) {
    const std::string word = words[at++];
    if (word == "plane") {
      wall one;
      for (int k = 0; k < 3; ++k) one.point[k] = length("a coordinate of 'plane'");
      for (int k = 0; k < 3; ++k)
        one.normal[k] = read_value(next("the normal of 'plane'"), units::one, any_value,
                                   place + ": the normal of 'plane'");
      const auto [size, direction] = to_polar(one.normal);
      if (!(size > 0)) throw asperity::error(place + ": the normal of 'plane' is 0 0 0");
      one.normal = direction;
      at_rest_.push_back(one);
    } else if (word == "wiggle") {
      wiggles_along_ = axis(next("the axis of 'wiggle'"), place);
      amplitude_ = length("the amplitude of 'wiggle'");
      period_ = read_value(next("the period of 'wiggle'"), units::second, positive,
                           place + ": the period of 'wiggle'");
    } else if (word == "shear") {
      shears_along_ = axis(next("the axis of 'shear'"), place);
      speed_ = read_value(next("the speed of 'shear'"), units::metre / units::second, any_value,
                          place + ": the speed of 'shear'");
    } else if (is_wall_word(word)) {
      const int along = word[0] - 'x';
      double ends[2] = {-unbounded, unbounded};
      for (int end = 0; end < 2; ++end) {
        const std::string what =
            (end == 0 ? "the lower end of '" : "the upper end of '") + word + "'";
        if (at < words.size() && words[at] == "NULL") {
          ++at;
          continue;
        }
        wall one;
        one.point[along] = ends[end] = length(what);
        one.normal[along] = end == 0 ? 1 : -1;
        at_rest_.push_back(one);
      }
      if (!(ends[0] < ends[1]))
        throw asperity::error(place + ": the lower end of '" + word + "' must be below the upper");
    } else {
      throw asperity::error(place + ": '" + word +
                            "' is not known here. Allowed: xplane, yplane, zplane, plane, wiggle, "
                            "shear");
    }
  }
  if (at_rest_.empty())
    throw asperity::error(place + " has no wall: give xplane, yplane, zplane or plane");
  now_ = at_rest_;
}

int fix_wall_asperity::setmask() { return POST_FORCE | POST_RUN; }

void fix_wall_asperity::init() {
  if (atom->radius_flag == 0 || atom->omega_flag == 0 || atom->torque_flag == 0)
    error->all(FLERR, std::string("fix ") + id +
                          " wall/asperity needs grains with radius: 'atom_style sphere'");
  if (std::strcmp(update->unit_style, "si") != 0)
    error->all(FLERR, std::string("fix ") + id +
                          " wall/asperity needs 'units si': its parameters are in SI");
  if (const std::string why = laws_->refuse_step(update->dt); !why.empty())
    error->all(FLERR, std::string("fix ") + id + " wall/asperity: " + why);
  const auto* pair = dynamic_cast<pair_asperity*>(force->pair_match("asperity", 1));
  is_swept_ = pair != nullptr && pair->sweeps() > 0;
  if (is_swept_ && !laws_->can_sweep())
    error->all(FLERR, std::string("fix ") + id +
                          " wall/asperity: with 'sweeps' its model must be dai_contact, too");
}

double fix_wall_asperity::time() const {
  return update->atime + static_cast<double>(update->ntimestep - update->atimestep) * update->dt;
}

void fix_wall_asperity::move_walls() {
  const double t = time() - start_;
  vector shift{}, velocity{};
  if (wiggles_along_ >= 0) {
    const double rate = 2 * std::acos(-1.0) / period_;
    shift[wiggles_along_] += amplitude_ * (1 - std::cos(rate * t));
    velocity[wiggles_along_] += amplitude_ * rate * std::sin(rate * t);
  }
  // A plane that slides in itself stays where it is.
  if (shears_along_ >= 0) velocity[shears_along_] += speed_;
  for (std::size_t k = 0; k < now_.size(); ++k) {
    now_[k].point = at_rest_[k].point + shift;
    now_[k].velocity = velocity;
  }
}

grain_arrays fix_wall_asperity::grains() {
  return {atom->x,      atom->v,      atom->omega, atom->f,
          atom->torque, atom->radius, atom->type,  atom->nlocal};
}
wall_list fix_wall_asperity::contacts() {
  return {&now_, atom->mask, groupbit, memories_.data(), touching_.data()};
}

void fix_wall_asperity::post_force(int) {
  const bool begins = update->setupflag != 0;
  const bool may_end = !begins && kept_forces::may_end(*update, *output);
  in_run_ = true;
  move_walls();
  if (is_swept_) return;
  if (begins || may_end) forces_.before(*atom);
  on_walls = laws_->act(grains(), contacts(), update->dt, !begins);
  if (begins) forces_.replay(*atom, *domain, update->ntimestep, world);
  if (may_end) forces_.keep(*atom, update->ntimestep);
}

void fix_wall_asperity::post_run() {
  in_run_ = false;
  forces_.note_motion(*atom, *domain);
}

void fix_wall_asperity::collect(double h, std::vector<swept_contact>& contacts) {
  laws_->collect(grains(), this->contacts(), h, contacts);
}

contact_sums fix_wall_asperity::sums() {
  const contact_sums own = laws_->sums(grains(), contacts());
  const double numbers[2] = {own.stored, own.touching};
  double all[2];
  MPI_Allreduce(numbers, all, 2, MPI_DOUBLE, MPI_SUM, world);
  return {all[0], all[1]};
}

double fix_wall_asperity::compute_vector(int k) {
  const double own = k < 3 ? on_walls.f[k] : on_walls.torque[k - 3];
  double all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, world);
  return all;
}

// ---- what goes along with a grain -----------------------------------------------------------------

void fix_wall_asperity::grow_arrays(int grains) {
  const std::size_t size = static_cast<std::size_t>(grains) * at_rest_.size();
  memories_.resize(size);
  touching_.resize(size);
  forces_.grow(grains);
}
void fix_wall_asperity::copy_arrays(int from, int to, int) {
  const std::size_t walls = at_rest_.size();
  for (std::size_t k = 0; k < walls; ++k) {
    memories_[static_cast<std::size_t>(to) * walls + k] =
        memories_[static_cast<std::size_t>(from) * walls + k];
    touching_[static_cast<std::size_t>(to) * walls + k] =
        touching_[static_cast<std::size_t>(from) * walls + k];
  }
  forces_.copy(from, to);
}
void fix_wall_asperity::set_arrays(int i) {
  const std::size_t walls = at_rest_.size();
  for (std::size_t k = 0; k < walls; ++k) {
    memories_[static_cast<std::size_t>(i) * walls + k] = {};
    touching_[static_cast<std::size_t>(i) * walls + k] = 0;
  }
  forces_.clear(i);
}
int fix_wall_asperity::pack_exchange(int i, double* to) {
  const std::size_t walls = at_rest_.size(), first = static_cast<std::size_t>(i) * walls;
  forces_.pack(i, to);
  for (std::size_t k = 0; k < walls; ++k)
    write_memory(memories_[first + k], to + kept_forces::doubles + k * memory_numbers);
  return doubles_;
}
int fix_wall_asperity::unpack_exchange(int i, double* from) {
  const std::size_t walls = at_rest_.size(), first = static_cast<std::size_t>(i) * walls;
  forces_.unpack(i, from);
  for (std::size_t k = 0; k < walls; ++k) {
    const double* numbers = from + kept_forces::doubles + k * memory_numbers;
    memories_[first + k] = read_memory(numbers);
    const auto is_set = [](double x) { return x != 0; };
    touching_[first + k] = std::any_of(numbers, numbers + memory_numbers, is_set) ? 1 : 0;
  }
  return doubles_;
}

// All ranks call it, before any grain is packed.
void fix_wall_asperity::write_restart(FILE* file) {
  if (in_run_) forces_.note_motion(*atom, *domain);
  const int bytes = sizeof(double);
  if (comm->me != 0) return;
  std::fwrite(&bytes, sizeof(int), 1, file);
  std::fwrite(&start_, sizeof(double), 1, file);
}
void fix_wall_asperity::restart(char* from) { std::memcpy(&start_, from, sizeof(double)); }
int fix_wall_asperity::pack_restart(int i, double* to) {
  to[0] = 1 + pack_exchange(i, to + 1);
  return static_cast<int>(to[0]);
}
void fix_wall_asperity::unpack_restart(int i, int nth) {
  double* at = atom->extra[i];
  for (int k = 0; k < nth; ++k) at += static_cast<int>(*at);
  if (static_cast<int>(*at) != 1 + doubles_)
    error->one(FLERR, std::string("fix ") + id +
                          " wall/asperity: the restart file has another number of walls");
  unpack_exchange(i, at + 1);
}

double fix_wall_asperity::memory_usage() {
  return static_cast<double>(memories_.size() * (sizeof(contact_memory) + 1));
}

}  // namespace asperity::lammps
