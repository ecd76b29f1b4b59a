// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

#include <fmt/format.h>

#include <asperity/card.hpp>
#include <asperity/error.hpp>
#include <asperity/text.hpp>
#include <cstring>
#include <optional>
#include <set>
#include <type_traits>

#include "sweeps.hpp"

namespace asperity::lammps {

namespace {

// ---- what the user wrote ------------------------------------------------------------------------

// Reads "name value" pairs into the parameters of a card, until another word.
class parameter_reader {
 public:
  parameter_reader(const std::string& place, std::string part, card<double> the_card,
                   std::set<std::string> given_by_others)
      : place_(place),
        part_(std::move(part)),
        card_(std::move(the_card)),
        by_others_(std::move(given_by_others)) {}

  bool read(const std::vector<std::string>& words, std::size_t& at) {
    auto* parameter = find(words[at]);
    if (parameter == nullptr) return false;
    const std::string name = part_ + "." + parameter->name;
    if (at + 1 == words.size()) throw error(fmt::format("{}: {} has no value", place_, name));
    if (!given_.insert(parameter->name).second)
      throw error(fmt::format("{}: {} is given twice", place_, name));
    *parameter->value[0] =
        read_value(words[at + 1], parameter->in, parameter->allowed, place_ + ": " + name);
    at += 2;
    return true;
  }

  void finish() const {
    for (const auto& p : card_.parameters)
      if (!by_others_.contains(p.name) && !given_.contains(p.name))
        throw error(fmt::format("{}: {}.{} is missing: {}, {} in {}", place_, part_, p.name,
                                p.meaning, to_string(p.allowed), to_string(p.in)));
  }

  std::string names() const {
    std::string result;
    for (const auto& p : card_.parameters)
      if (!by_others_.contains(p.name)) result += (result.empty() ? "" : ", ") + p.name;
    return result;
  }

 private:
  const std::string& place_;
  std::string part_;
  card<double> card_;
  std::set<std::string> by_others_, given_;

  card<double>::parameter_entry* find(const std::string& name) {
    for (auto& p : card_.parameters)
      if (p.name == name && !by_others_.contains(name)) return &p;
    return nullptr;
  }
};

template <class Law>
std::vector<std::string> read_law(Law& law, const char* model,
                                  const std::vector<std::string>& words, const std::string& place) {
  // The radii are those of the grains.
  parameter_reader normal(place, model, card_of<double>(law.normal), {"r_1", "r_2"});
  struct part {
    const char* keyword;
    resistance* of;
    std::optional<parameter_reader> reader;
  };
  part parts[] = {{"tangential", &law.sliding, {}},
                  {"rolling", &law.rolling, {}},
                  {"twisting", &law.twisting, {}}};
  parameter_reader* current = &normal;
  for (std::size_t at = 0; at < words.size();) {
    bool is_keyword = false;
    for (auto& each : parts) {
      if (words[at] != each.keyword) continue;
      if (each.reader) throw error(fmt::format("{}: '{}' is given twice", place, each.keyword));
      each.reader.emplace(place, each.keyword, card_of<double>(*each.of), std::set<std::string>{});
      current = &*each.reader;
      is_keyword = true;
      ++at;
    }
    if (is_keyword || current->read(words, at)) continue;
    throw error(
        fmt::format("{}: '{}' is not known here. Allowed: {}; then tangential, rolling, "
                    "twisting, each with K, beta, mu",
                    place, shortened(words[at]), current->names()));
  }
  normal.finish();
  for (const auto& each : parts)
    if (each.reader) each.reader->finish();
  std::vector<std::string> doubts;
  if constexpr (requires { law.normal.valid(); }) {
    const validity answer = law.normal.valid();
    if (answer.verdict == validity::refused)
      throw error(fmt::format("{}: {}: {}", place, model, answer.why));
    if (answer.verdict == validity::doubtful)
      doubts.push_back(fmt::format("{}: {}: {}", place, model, answer.why));
  }
  return doubts;
}

// ---- forces ---------------------------------------------------------------------------------------

ASPERITY_FN vector at(const double* x) { return {{x[0], x[1], x[2]}}; }
inline void add(double* to, const vector& what) {
  for (int k = 0; k < 3; ++k) to[k] += what[k];
}

// What the law needs to know of two bodies: a model that depends on their radii gets a copy.
template <class Law>
decltype(auto) of_radii(const Law& law, [[maybe_unused]] double R_1, [[maybe_unused]] double R_2) {
  if constexpr (requires { law.normal.r_1; }) {
    Law own = law;
    own.normal.r_1 = R_1;
    own.normal.r_2 = R_2;
    return own;
  } else {
    return (law);
  }
}
constexpr double radius_of_a_plane = 1e9;  // as the card of `hertz` says

// Written so that the two ranks that share a contact get the same bits, with the sign turned.
struct seen_pair {
  contact_motion in;
  double arm_first, arm_second;  // from the centres to where they touch
};
inline seen_pair look(const grain_arrays& all, int i, int j, const vector& apart, double r) {
  const double R_i = all.radius[i], R_j = all.radius[j];
  seen_pair seen;
  seen.in.n = (1 / r) * apart;
  seen.in.gap = r - (R_i + R_j);
  seen.arm_first = R_i + 0.5 * seen.in.gap;
  seen.arm_second = R_j + 0.5 * seen.in.gap;
  const vector omega_i = at(all.omega[i]), omega_j = at(all.omega[j]);
  const vector v = (at(all.v[j]) - at(all.v[i])) -
                   cross(seen.arm_first * omega_i + seen.arm_second * omega_j, seen.in.n);
  seen.in.gap_rate = dot(v, seen.in.n);
  seen.in.slip = v - seen.in.gap_rate * seen.in.n;
  seen.in.spin = omega_j - omega_i;
  seen.in.R = R_i * R_j / (R_i + R_j);
  return seen;
}

// The grain is the first body, the wall the second.
inline seen_pair look(const grain_arrays& all, int i, const wall& other) {
  seen_pair seen;
  seen.in.n = -1.0 * other.normal;
  seen.in.gap = dot(at(all.x[i]) - other.point, other.normal) - all.radius[i];
  seen.arm_first = all.radius[i] + seen.in.gap;
  seen.arm_second = 0;
  const vector omega = at(all.omega[i]);
  const vector v = (other.velocity - at(all.v[i])) - cross(seen.arm_first * omega, seen.in.n);
  seen.in.gap_rate = dot(v, seen.in.n);
  seen.in.slip = v - seen.in.gap_rate * seen.in.n;
  seen.in.spin = -1.0 * omega;
  seen.in.R = all.radius[i];
  return seen;
}

// Over the step, and forgotten once the bodies are apart and little is left.
template <class Law>
contact_effect go_on(const Law& law, contact_memory& m, unsigned char& touching,
                     const seen_pair& seen, double h, bool advance) {
  if (!advance) {
    contact_memory unchanged = m;
    return law.advance(unchanged, seen.in, 0.0);
  }
  const contact_effect effect = law.advance(m, seen.in, h);
  touching = 1;
  if (seen.in.gap >= 0 && law.has_faded(m, seen.in.R)) {
    m = {};
    touching = 0;
  }
  return effect;
}

// Whether a gap may be closed before the end of the step, or soon behind it.
inline bool may_close(const seen_pair& seen, double h) {
  return seen.in.gap + 2 * h * math::min<double>(0.0, seen.in.gap_rate) < 0.01 * seen.in.R;
}
inline swept_contact swept(const seen_pair& seen, int i, contact_memory& m,
                           unsigned char& touching) {
  swept_contact c;
  c.i = i;
  c.m = &m;
  c.touching = &touching;
  c.n = seen.in.n;
  c.gap = seen.in.gap;
  c.arm_i = seen.arm_first;
  c.arm_j = seen.arm_second;
  c.R = seen.in.R;
  return c;
}

template <class Normal>
class laws_of final : public contact_laws {
 public:
  using law = contact_law<Normal>;
  static_assert(std::is_trivially_copyable_v<law>);

  laws_of(const char* model, int types)
      : model_(model),
        side_(static_cast<std::size_t>(types) + 1),
        table_(side_ * side_),
        is_set_(side_ * side_) {}

  std::vector<std::string> set(int type_1, int type_2, const std::vector<std::string>& words,
                               const std::string& place) override {
    law read;
    auto doubts = read_law(read, model_, words, place);
    for (const auto& k : {index(type_1, type_2), index(type_2, type_1)}) {
      table_[k] = read;
      is_set_[k] = 1;
    }
    return doubts;
  }
  bool is_set(int type_1, int type_2) const override { return is_set_[index(type_1, type_2)] != 0; }

  std::string refuse_step([[maybe_unused]] double h) const override {
    if constexpr (requires(law l) { l.normal.gamma; })
      for (std::size_t k = 0; k < table_.size(); ++k)
        if (is_set_[k] != 0 && !(h * table_[k].normal.gamma < 1))
          return fmt::format(
              "a timestep of {:g} s is too long for {}.gamma = {:g} 1/s: it must be "
              "below 1/gamma = {:g} s",
              h, model_, table_[k].normal.gamma, 1 / table_[k].normal.gamma);
    return {};
  }

  std::size_t bytes() const override { return table_.size() * (sizeof(law) + 1); }
  void save(char* to) const override {
    std::memcpy(to, table_.data(), table_.size() * sizeof(law));
    std::memcpy(to + table_.size() * sizeof(law), is_set_.data(), is_set_.size());
  }
  void load(const char* from) override {
    std::memcpy(static_cast<void*>(table_.data()), from, table_.size() * sizeof(law));
    std::memcpy(is_set_.data(), from + table_.size() * sizeof(law), is_set_.size());
  }

  clash act(const grain_arrays& all, const contact_list& list, double h, bool advance,
            const contact_tally& tally) const override {
    clash found;
    for (int ii = 0; ii < list.count; ++ii) {
      const int i = list.which[ii];
      const vector x = at(all.x[i]);
      const double R = all.radius[i];
      const std::size_t row = static_cast<std::size_t>(all.type[i]) * side_;
      const int* others = list.others[i];
      contact_memory* memories = list.memories + list.place[i];
      unsigned char* touching = list.touching + list.place[i];
      vector f{}, torque{};
      for (int k = 0; k < list.number[i]; ++k) {
        const int j = others[k] & list.index_bits;
        const vector apart = at(all.x[j]) - x;
        const double squared = dot(apart, apart), near = R + all.radius[j];
        if (squared >= near * near && touching[k] == 0) continue;
        if (!(squared > 0)) {
          found = {i, j};
          continue;
        }
        const seen_pair seen = look(all, i, j, apart, std::sqrt(squared));
        const auto& chosen =
            of_radii(table_[row + static_cast<std::size_t>(all.type[j])], R, all.radius[j]);
        const contact_effect on_second = go_on(chosen, memories[k], touching[k], seen, h, advance);
        const vector turn = cross(seen.in.n, on_second.f);
        f = f - on_second.f;
        torque = torque - (seen.arm_first * turn + on_second.torque);
        if (j < all.owned) {
          add(all.f[j], on_second.f);
          add(all.torque[j], on_second.torque - seen.arm_second * turn);
        }
        if (tally.add != nullptr)
          tally.add(tally.to, i, j, chosen.stored(memories[k], seen.in), -1.0 * on_second.f,
                    -1.0 * apart);
      }
      add(all.f[i], f);
      add(all.torque[i], torque);
    }
    return found;
  }

  wall_sums act(const grain_arrays& all, const wall_list& list, double h,
                bool advance) const override {
    wall_sums sums;
    each_wall_contact(all, list,
                      [&](int i, contact_memory& m, unsigned char& touching, const seen_pair& seen,
                          const law& chosen) {
                        const contact_effect on_wall = go_on(chosen, m, touching, seen, h, advance);
                        const vector arm = seen.arm_first * seen.in.n;
                        add(all.f[i], -1.0 * on_wall.f);
                        add(all.torque[i], -1.0 * (cross(arm, on_wall.f) + on_wall.torque));
                        sums.f = sums.f + on_wall.f;
                        sums.torque =
                            sums.torque + cross(at(all.x[i]) + arm, on_wall.f) + on_wall.torque;
                      });
    return sums;
  }

  bool can_sweep() const override { return std::is_same_v<Normal, dai_contact<double>>; }

  clash collect([[maybe_unused]] const grain_arrays& all, [[maybe_unused]] const contact_list& list,
                [[maybe_unused]] double h,
                [[maybe_unused]] std::vector<swept_contact>& contacts) const override {
    clash found;
    if constexpr (std::is_same_v<Normal, dai_contact<double>>)
      for (int ii = 0; ii < list.count; ++ii) {
        const int i = list.which[ii];
        for (int k = 0; k < list.number[i]; ++k) {
          const int j = list.others[i][k] & list.index_bits;
          if (!list.is_ours(i, j, all.owned)) continue;
          const std::size_t place = list.place[i] + static_cast<std::size_t>(k);
          const vector apart = at(all.x[j]) - at(all.x[i]);
          const double squared = dot(apart, apart);
          if (!(squared > 0)) {
            found = {i, j};
            continue;
          }
          const seen_pair seen = look(all, i, j, apart, std::sqrt(squared));
          if (list.touching[place] == 0 && !may_close(seen, h)) continue;
          auto& c =
              contacts.emplace_back(swept(seen, i, list.memories[place], list.touching[place]));
          c.j = j;
          c.law = &table_[index(all.type[i], all.type[j])];
        }
      }
    return found;
  }

  void collect([[maybe_unused]] const grain_arrays& all, [[maybe_unused]] const wall_list& list,
               [[maybe_unused]] double h,
               [[maybe_unused]] std::vector<swept_contact>& contacts) const override {
    if constexpr (std::is_same_v<Normal, dai_contact<double>>)
      for (int i = 0; i < all.owned; ++i) {
        if ((list.mask[i] & list.group) == 0) continue;
        for (std::size_t k = 0; k < list.walls->size(); ++k) {
          const std::size_t place = static_cast<std::size_t>(i) * list.walls->size() + k;
          const seen_pair seen = look(all, i, (*list.walls)[k]);
          if (list.touching[place] == 0 && !may_close(seen, h)) continue;
          auto& c =
              contacts.emplace_back(swept(seen, i, list.memories[place], list.touching[place]));
          c.other_v = (*list.walls)[k].velocity;
          c.law = &table_[index(1, 1)];
        }
      }
  }

  contact_sums sums(const grain_arrays& all, const contact_list& list) const override {
    contact_sums sum;
    for (int ii = 0; ii < list.count; ++ii) {
      const int i = list.which[ii];
      for (int k = 0; k < list.number[i]; ++k) {
        const std::size_t place = list.place[i] + static_cast<std::size_t>(k);
        if (list.touching[place] == 0) continue;
        const int j = list.others[i][k] & list.index_bits;
        const vector apart = at(all.x[j]) - at(all.x[i]);
        const seen_pair seen = look(all, i, j, apart, std::sqrt(dot(apart, apart)));
        const auto& chosen =
            of_radii(table_[index(all.type[i], all.type[j])], all.radius[i], all.radius[j]);
        if (!list.is_ours(i, j, all.owned)) continue;
        const double share = j < all.owned || list.ids != nullptr ? 1.0 : 0.5;
        sum.stored += share * chosen.stored(list.memories[place], seen.in);
        sum.touching += seen.in.gap < 0 ? share : 0;
      }
    }
    return sum;
  }

  contact_sums sums(const grain_arrays& all, const wall_list& list) const override {
    contact_sums sum;
    each_wall_contact(all, list,
                      [&](int, const contact_memory& m, unsigned char touching,
                          const seen_pair& seen, const law& chosen) {
                        if (touching == 0) return;
                        sum.stored += chosen.stored(m, seen.in);
                        sum.touching += seen.in.gap < 0 ? 1 : 0;
                      });
    return sum;
  }

 private:
  const char* model_;
  std::size_t side_;  // types count from 1
  std::vector<law> table_;
  std::vector<unsigned char> is_set_;

  std::size_t index(int type_1, int type_2) const {
    return static_cast<std::size_t>(type_1) * side_ + static_cast<std::size_t>(type_2);
  }

  // Walls have one law for all types, which is that of type 1.
  template <class Act>
  void each_wall_contact(const grain_arrays& all, const wall_list& list, const Act& act) const {
    const std::size_t walls = list.walls->size();
    for (int i = 0; i < all.owned; ++i) {
      if ((list.mask[i] & list.group) == 0) continue;
      for (std::size_t k = 0; k < walls; ++k) {
        const std::size_t place = static_cast<std::size_t>(i) * walls + k;
        const wall& other = (*list.walls)[k];
        const double away = dot(at(all.x[i]) - other.point, other.normal);
        if (away >= all.radius[i] && list.touching[place] == 0) continue;
        act(i, list.memories[place], list.touching[place], look(all, i, other),
            of_radii(table_[index(1, 1)], all.radius[i], radius_of_a_plane));
      }
    }
  }
};

}  // namespace

double read_value(const std::string& text, unit in, range allowed, const std::string& what) {
  double value = 0;
  try {
    value = in_si(text, in);
  } catch (const error& why) {
    throw error(fmt::format("{}: {}", what, why.what()));
  }
  if (!allows(allowed, value))
    throw error(fmt::format("{} = {:g}{}{} is not allowed: it must be {}", what, value,
                            is_plain(in) ? "" : " ", is_plain(in) ? "" : to_string(in),
                            to_string(allowed)));
  return value;
}

std::unique_ptr<contact_laws> make_laws(const std::string& model, int types) {
  if (model == "dai_contact")
    return std::make_unique<laws_of<dai_contact<double>>>("dai_contact", types);
  if (model == "dai_contact_nonlinear")
    return std::make_unique<laws_of<dai_contact_nonlinear<double>>>("dai_contact_nonlinear", types);
  if (model == "hunt_crossley")
    return std::make_unique<laws_of<hunt_crossley<double>>>("hunt_crossley", types);
  if (model == "hertz") return std::make_unique<laws_of<hertz<double>>>("hertz", types);
  throw error(
      fmt::format("there is no model of contact '{}' here. Allowed: dai_contact, "
                  "dai_contact_nonlinear, hertz, hunt_crossley",
                  shortened(model)));
}

}  // namespace asperity::lammps
