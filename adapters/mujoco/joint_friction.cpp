// SPDX-License-Identifier: Apache-2.0
#include "adapters/mujoco/joint_friction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <cmath>
#include <limits>

namespace asperity::mujoco {

namespace {

// A joint's degree of freedom, and its place in qpos.
struct axis {
  int dof, place;
};
axis find_axis(const mjModel* m, const std::string& joint) {
  const int id = mj_name2id(m, mjOBJ_JOINT, joint.c_str());
  if (id < 0) {
    std::string known;
    for (int i = 0; i < m->njnt; ++i)
      if (const char* name = mj_id2name(m, mjOBJ_JOINT, i); name != nullptr && *name != 0)
        known += (known.empty() ? "" : ", ") + std::string(name);
    throw error(fmt::format("the MuJoCo model has no joint '{}': it has {}", joint,
                            known.empty() ? "none with a name" : known));
  }
  if (m->jnt_type[id] != mjJNT_HINGE && m->jnt_type[id] != mjJNT_SLIDE)
    throw error(fmt::format(
        "joint '{}' is a ball or a free joint: a hinge or slide joint is needed", joint));
  return {m->jnt_dofadr[id], m->jnt_qposadr[id]};
}

bool is_damped(const mjModel* m) {
  return std::any_of(m->dof_damping, m->dof_damping + m->nv, [](double each) { return each > 0; });
}

}  // namespace

joint_friction::joint_friction(const mjModel* m)
    : m_(m),
      force_(static_cast<std::size_t>(m->nv)),
      free_(force_.size()),
      applied_(force_.size()),
      actuation_(force_.size()) {
  // With damping in its joints MuJoCo solves with M + h D, which it does not keep.
  if (is_damped(m)) dense_.resize(force_.size() * force_.size());
}

int joint_friction::push(element e) {
  e.state.resize(static_cast<std::size_t>(std::max(1, e.law.states())));
  e.end = e.state;
  e.law.initial(e.state.data());
  if (!e.law.has_implicit_step() && e.law.functions().in_double.advance == nullptr)
    e.steps.emplace(e.law, 1e-8);
  for (const auto& each : e.parts)
    if (std::find(touched_.begin(), touched_.end(), each.dof) == touched_.end())
      touched_.push_back(each.dof);
  elements_.push_back(std::move(e));
  const std::size_t n = elements_.size();
  solved_.resize(n * force_.size());
  mobility_.resize(n * n);
  together_.resize(n * (n + 1));
  return static_cast<int>(n) - 1;
}

int joint_friction::add(const std::string& joint, any_model law, gear_load press) {
  if (&law.at() != &ports::drive || law.entry().family == "curve")
    throw error(fmt::format("'{}' is a model of {}: a joint needs one of friction", law.key(),
                            law.entry().family));
  if (!(press.idle >= 0 && press.per_torque >= 0 && std::isfinite(press.idle + press.per_torque)))
    throw error(
        fmt::format("load of joint '{}': idle = {:g} and per_torque = {:g} must not be below 0",
                    joint, press.idle, press.per_torque));
  static_cast<void>(law.check());
  const axis found = find_axis(m_, joint);
  element e{.law = std::move(law), .parts = {{found.dof, found.place, 1.0}}, .press = press};
  return push(std::move(e));
}

int joint_friction::add_backlash(const std::string& driving, const std::string& driven,
                                 double ratio, double width, const any_model& contact) {
  if (&contact.at() != &ports::press || !contact.has_implicit_step())
    throw error(
        fmt::format("'{}' cannot be the flank of a tooth: a contact law with an implicit step is "
                    "needed, such as "
                    "dai_contact",
                    contact.key()));
  if (!(width >= 0 && std::isfinite(width)))
    throw error(fmt::format("the backlash is {:g}: it must not be below 0", width));
  if (!(ratio != 0 && std::isfinite(ratio)))
    throw error(
        fmt::format("the ratio of the gear is {:g}: it must be a number other than 0", ratio));
  static_cast<void>(contact.check());
  const axis a = find_axis(m_, driving), b = find_axis(m_, driven);
  int first = 0;
  for (const double side : {-1.0, 1.0}) {
    element e{.law = contact,
              .parts = {{a.dof, a.place, side}, {b.dof, b.place, -side * ratio}},
              .is_contact = true,
              .offset = 0.5 * width};
    const int added = push(std::move(e));
    if (side < 0) first = added;
  }
  return first;
}

void joint_friction::reset(const mjData*) {
  for (element& e : elements_) {
    e.law.initial(e.state.data());
    e.f = e.before = 0;
  }
}

// ---- the mechanics without our forces -----------------------------------------------------------

// What actuators without a state of their own will do in this step, from ctrl, gains and biases, as
// mj_fwdActuation computes it later; of others the force of the step before.
void joint_friction::add_actuators(const mjData* d) {
  std::fill(actuation_.begin(), actuation_.end(), 0.0);
  if ((m_->opt.disableflags & mjDSBL_ACTUATION) != 0) return;
  for (int i = 0; i < m_->nu; ++i) {
    double f = d->actuator_force[i];
    const mjtNum *gain = m_->actuator_gainprm + i * mjNGAIN,
                 *bias = m_->actuator_biasprm + i * mjNBIAS;
    const bool is_plain =
        m_->actuator_dyntype[i] == mjDYN_NONE && m_->actuator_gaintype[i] == mjGAIN_FIXED &&
        (m_->actuator_biastype[i] == mjBIAS_NONE || m_->actuator_biastype[i] == mjBIAS_AFFINE);
    if (is_plain) {
      double ctrl = d->ctrl[i];
      const bool is_clamped =
          m_->actuator_ctrllimited[i] != 0 && (m_->opt.disableflags & mjDSBL_CLAMPCTRL) == 0;
      if (is_clamped)
        ctrl = std::clamp(ctrl, m_->actuator_ctrlrange[2 * i], m_->actuator_ctrlrange[2 * i + 1]);
      f = gain[0] * ctrl;
      if (m_->actuator_biastype[i] == mjBIAS_AFFINE)
        f += bias[0] + bias[1] * d->actuator_length[i] + bias[2] * d->actuator_velocity[i];
      if (m_->actuator_forcelimited[i] != 0)
        f = std::clamp(f, m_->actuator_forcerange[2 * i], m_->actuator_forcerange[2 * i + 1]);
    }
    const mjtNum* moment = d->actuator_moment + i * m_->nv;
    for (int k = 0; k < m_->nv; ++k) actuation_[static_cast<std::size_t>(k)] += moment[k] * f;
  }
}

void joint_friction::gather_forces(const mjData* d) {
  add_actuators(d);
  for (int k = 0; k < m_->nv; ++k) {
    const auto i = static_cast<std::size_t>(k);
    force_[i] = d->qfrc_passive[k] + d->qfrc_applied[k] - d->qfrc_bias[k] + actuation_[i];
    if (with_last_constraints) force_[i] += d->qfrc_constraint[k];
  }
  for (int body = 1; body < m_->nbody; ++body) {
    const mjtNum* pushed = d->xfrc_applied + 6 * body;
    if (std::any_of(pushed, pushed + 6, [](double each) { return each != 0; }))
      mj_applyFT(m_, const_cast<mjData*>(d), pushed, pushed + 3, d->xipos + 3 * body, body,
                 force_.data());
  }
}

// Cholesky's factor of M + h D, where there is damping.
void joint_friction::factorise(const mjData* d) {
  if (dense_.empty()) return;
  const auto n = force_.size();
  mj_fullM(m_, dense_.data(), d->qM);
  const bool is_explicit = m_->opt.integrator == mjINT_RK4;
  for (std::size_t j = 0; j < n; ++j) {
    if (!is_explicit) dense_[j * n + j] += m_->opt.timestep * m_->dof_damping[j];
    for (std::size_t i = j; i < n; ++i) {
      double sum = dense_[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= dense_[i * n + k] * dense_[j * n + k];
      dense_[i * n + j] = i == j ? std::sqrt(sum) : sum / dense_[j * n + j];
    }
  }
}

void joint_friction::solve(mjData* d, double* x) const {
  if (dense_.empty()) return mj_solveM(m_, d, x, x, 1);
  const auto n = force_.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= dense_[i * n + k] * x[k];
    x[i] /= dense_[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= dense_[k * n + i] * x[k];
    x[i] /= dense_[i * n + i];
  }
}

// ---- the laws -----------------------------------------------------------------------------------

// The force of a law without a closed form where it has been taken to the rate u at the end.
double joint_friction::advanced(element& e, double u, double h) const {
  std::copy(e.state.begin(), e.state.end(), e.end.begin());
  const drive<double> from{e.place, e.rate, e.load}, to{e.place + h * u, u, e.load};
  if (!e.steps) return e.law.advance(e.end.data(), from, to, h);
  const auto inputs = [&](double t, double* in) {
    const double share = t / h;
    in[0] = e.place + share * (to.x - from.x);
    in[1] = e.rate + share * (u - e.rate);
    in[2] = e.load;
  };
  e.steps->begin_with(h);
  const outcome how = e.steps->follow(
      e.law, inputs, [](long) { return outcome::completed; }, 0, h, e.end.data());
  return how == outcome::completed ? e.law.force(e.end.data(), to)
                                   : std::numeric_limits<double>::quiet_NaN();
}

// The force of an element at the end of the step, where its rate would be free_rate without it.
double joint_friction::answer(element& e, double free_rate, double mobility, double h) const {
  if (e.law.has_implicit_step()) {
    std::copy(e.state.begin(), e.state.end(), e.end.begin());
    // Of a contact the gap is solved for, which its force opens.
    const free_step<double> body =
        e.is_contact ? free_step<double>{e.place, e.place + h * free_rate, -h * mobility}
                     : free_step<double>{e.rate, free_rate, mobility};
    return e.law.implicit_step(e.end.data(), e.load, h, body, e.place).f;
  }
  // f grows with the rate, and the rate falls with f: one zero, found by secants. The first has the slope
  // that the step before ended with, which is often the right one. A law that only grows has its zero
  // within |off| of f, and steps are no longer at first; a bracket is kept once there is one, and halved
  // every fourth time, which ends it in any case.
  const auto excess = [&](double f) { return advanced(e, free_rate - mobility * f, h) - f; };
  constexpr double unknown = std::numeric_limits<double>::infinity();
  double f = e.f, off = excess(f), low = -unknown, high = unknown, width = std::abs(off);
  const double close = 1e-12 * (std::abs(free_rate) / mobility + std::abs(f) + std::abs(off));
  for (int i = 0; i < 160 && std::abs(off) > close; ++i) {
    (off > 0 ? low : high) = f;
    const bool is_bracketed = low > -unknown && high < unknown;
    double next = f - std::clamp(off / e.fall, -width, width);
    if (is_bracketed && (i % 4 == 3 || !(low < next && next < high)))
      next = low + 0.5 * (high - low);
    if (!is_bracketed) width *= 2;
    if (next == f || next == low || next == high) break;
    const double last_f = f, last_off = off;
    f = next;
    off = excess(f);
    // Not where it jumps, as far as rounding lets one see.
    const double fall = (off - last_off) / (f - last_f);
    e.fall = fall < 0 ? fall : -1;
  }
  return f;
}

// ---- steps --------------------------------------------------------------------------------------

void joint_friction::look(const mjData* d) {
  for (element& e : elements_) {
    e.place = e.offset;
    for (const auto& each : e.parts) e.place += each.factor * d->qpos[each.place];
    e.rate = e.along(d->qvel);
    e.load = 1;
    if (!e.is_contact)
      e.load = e.press.idle +
               e.press.per_torque * std::abs(actuation_[static_cast<std::size_t>(e.parts[0].dof)]);
  }
}

// The forces on which all elements agree. Each answers in turn to what the others leave it, which comes
// to an end, but slowly where joints share much of their inertia. Turns tell how steep each law is there,
// as do those of the step before. With these slopes all of them are solved for at once, which is exact
// where laws are linear; after a few such attempts turns alone decide.
void joint_friction::settle(double h) {
  const auto n = elements_.size();
  constexpr int most_turns = 500, most_attempts = 20;
  for (int turn = 0, attempts = 0; turn < most_turns; ++turn) {
    double change = 0, largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      element& e = elements_[i];
      double left = e.free_rate;
      for (std::size_t j = 0; j < n; ++j)
        if (j != i) left += elements_[j].sense() * mobility_[j * n + i] * elements_[j].f;
      const double own = mobility_[i * n + i], f = answer(e, left, own, h);
      // What holds answers with all that is needed, and nothing with more.
      if (turn > 0 && left != e.left)
        e.steepness = std::clamp(-e.sense() * (f - e.answered) / (left - e.left), 0.0, 1 / own);
      e.left = left;
      e.answered = f;
      e.change = f - e.f;
      change = std::max(change, std::abs(e.change));
      largest = std::max(largest, std::abs(f));
      e.f = f;
    }
    if (n < 2 || !(change > 1e-15 * largest)) return;
    if (attempts++ < most_attempts) solve_together();
  }
}

// Laws as lines through what they answered last, with their slopes: the forces of all where these meet.
// It is solved for corrections, so that rounding is small beside them.
void joint_friction::solve_together() {
  const auto n = elements_.size(), width = n + 1;
  double* const rows = together_.data();
  for (std::size_t i = 0; i < n; ++i) {
    const double slope = -elements_[i].sense() * elements_[i].steepness;
    double* const row = rows + i * width;
    row[n] = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double share = slope * elements_[j].sense() * mobility_[j * n + i];
      row[j] = i == j ? 1.0 : -share;
      if (j > i) row[n] += share * elements_[j].change;  // it answered before that changed
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(rows[i * width + k]) > std::abs(rows[pivot * width + k])) pivot = i;
    if (pivot != k)
      std::swap_ranges(rows + k * width, rows + (k + 1) * width, rows + pivot * width);
    const double inverse = 1 / rows[k * width + k];
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = rows[i * width + k] * inverse;
      for (std::size_t j = k + 1; j < width; ++j)
        rows[i * width + j] -= factor * rows[k * width + j];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    double& x = rows[k * width + n];
    for (std::size_t j = k + 1; j < n; ++j) x -= rows[k * width + j] * rows[j * width + n];
    x /= rows[k * width + k];
    if (!std::isfinite(x)) return;
  }
  for (std::size_t i = 0; i < n; ++i) elements_[i].f += rows[i * width + n];
}

void joint_friction::apply(mjData* d) {
  const auto n = elements_.size(), nv = force_.size();
  const double h = m_->opt.timestep;
  gather_forces(d);
  factorise(d);
  look(d);
  std::copy(force_.begin(), force_.end(), free_.begin());
  solve(d, free_.data());
  for (std::size_t k = 0; k < nv; ++k) free_[k] = d->qvel[k] + h * free_[k];
  for (std::size_t i = 0; i < n; ++i) {
    element& e = elements_[i];
    e.free_rate = e.along(free_.data());
    // Where it is searched for, the search begins where the last two steps point to.
    const double last = e.f;
    if (!e.law.has_implicit_step()) e.f += e.f - e.before;
    e.before = last;
    double* column = solved_.data() + i * nv;
    std::fill(column, column + nv, 0.0);
    for (const auto& each : e.parts) column[each.dof] += each.factor;
    solve(d, column);
    for (std::size_t j = 0; j < n; ++j) mobility_[i * n + j] = h * elements_[j].along(column);
  }
  settle(h);
  for (const int dof : touched_) applied_[static_cast<std::size_t>(dof)] = d->qfrc_applied[dof];
  for (const element& e : elements_)
    for (const auto& each : e.parts) d->qfrc_applied[each.dof] += e.sense() * each.factor * e.f;
}

void joint_friction::commit(mjData* d) {
  for (const int dof : touched_) d->qfrc_applied[dof] = applied_[static_cast<std::size_t>(dof)];
  for (element& e : elements_) e.state.swap(e.end);
}

void joint_friction::step(mjData* d) {
  // RK4 asks for forces four times in a step: they are those of its start, held.
  const bool is_split = m_->opt.integrator != mjINT_RK4;
  is_split ? mj_step1(m_, d) : mj_forward(m_, d);
  apply(d);
  is_split ? mj_step2(m_, d) : mj_step(m_, d);
  commit(d);
}

}  // namespace asperity::mujoco
