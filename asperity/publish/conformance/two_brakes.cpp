// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/publish/conformance_tools.hpp>
#include <cmath>

namespace asperity::detail {

namespace {

// Ground, brake A, carriage, brake B, body, pull: m_1 v_1' = f_B - f_A, m_2 v_2' = pull - f_B. The
// slip of A is v_1, that of B is v_2 - v_1.
class pair_of_brakes {
 public:
  pair_of_brakes(const any_model& law, double mass, double weaker)
      : law_(&law), m_(mass), load_{1, weaker} {
    for (auto& each : state_) law.initial(each.data());
  }

  double x(int brake) const { return x_[brake]; }  // how far it has slipped

  // Backward Euler. Each brake answers in closed form to the force of the other, in turn, until both
  // agree: with equal masses every round halves what is left.
  void implicit(double pull, double h) {
    const double m[] = {m_, 0.5 * m_};  // what a newton moves: the carriage; carriage and body
    std::array<states, 2> end;
    double u[2] = {v_[0], v_[1]};
    for (int round = 0; round < 200; ++round) {
      double change = 0;
      for (int i : {1, 0}) {
        const double other = f_[1 - i];
        const double push = i == 0 ? other / m_ : (pull + other) / m_;
        const free_step<double> body{v_[i], v_[i] + h * push, h / m[i]};
        end[i] = state_[i];
        const auto answer = law_->implicit_step(end[i].data(), load_[i], h, body);
        change = std::max(change, std::abs(answer.f - f_[i]));
        f_[i] = answer.f;
        u[i] = answer.u;
      }
      if (!(change > 1e-15 * std::abs(pull))) break;
    }
    for (int i = 0; i < 2; ++i) {
      state_[i] = end[i];
      v_[i] = u[i];
      x_[i] += h * u[i];
    }
  }

  // The velocity Verlet method.
  void verlet(double pull, double h) {
    drive<double> from[2], to[2];
    double a[2];
    for (int i = 0; i < 2; ++i) {
      from[i] = {x_[i], v_[i], load_[i]};
      f_[i] = law_->force(state_[i].data(), from[i]);
    }
    accelerations(pull, a);
    for (int i = 0; i < 2; ++i) {
      to[i] = {x_[i] + h * (v_[i] + 0.5 * h * a[i]), v_[i] + h * a[i], load_[i]};
      f_[i] = law_->advance(state_[i].data(), from[i], to[i], h);
      v_[i] += 0.5 * h * a[i];
      x_[i] = to[i].x;
    }
    accelerations(pull, a);
    for (int i = 0; i < 2; ++i) v_[i] += 0.5 * h * a[i];
  }

 private:
  using states = std::array<double, any_model::max_states>;
  const any_model* law_;
  double m_;
  double load_[2];
  std::array<states, 2> state_{};
  double x_[2] = {0, 0}, v_[2] = {0, 0}, f_[2] = {0, 0};  // of each brake

  // Of the slips.
  void accelerations(double pull, double* a) const {
    a[0] = (f_[1] - f_[0]) / m_;
    a[1] = (pull - f_[1]) / m_ - a[0];
  }
};

class two_brakes_test final : public conformance_test {
 public:
  explicit two_brakes_test(reader& in)
      : mass_(in.number("mass", units::kilogram, positive)),
        weaker_(in.number("weaker", units::one, {0, 1})),
        share_(in.number("share", units::one, {0, 1})),
        beyond_(in.number("beyond", units::one, {0, 1})),
        ramp_(in.number("ramp", units::second, positive)),
        hold_(in.number("hold", units::second, positive)),
        slip_(in.number("slip", units::second, positive)) {}

  std::string why_not(const any_model& model) const override {
    if (auto why = why_no_friction_limit(model); !why.empty()) return why;
    if (!model.has_implicit_step() && model.has_side())
      return "the law jumps at rest and has no implicit step, so two in series cannot be "
             "integrated";
    return {};
  }

  conformance_outcome run(const any_model& model,
                          const std::atomic<bool>* interrupt) const override {
    constexpr double rise = 1;  // [s] of the stronger pull
    const double pi = std::acos(-1.0);
    const bool implicit = model.has_implicit_step();
    const double h = implicit ? 1e-3 : 1e-5, limit = friction_limit(model);
    const double ends = ramp_ + hold_ + rise + slip_;
    const double gentle = share_ * model.force_bound(0, 0, weaker_), strong = beyond_ * limit;
    pair_of_brakes pair(model, mass_, weaker_);
    conformance_outcome found;
    std::vector<double> seen[2];  // slips while both hold
    double before[2] = {0, 0};
    const auto at = [&](double t) { return static_cast<std::size_t>(std::lround(t / h)); };
    const std::size_t count = at(ends);
    const std::size_t tenth = at(hold_ / 10), middle = at(ramp_ + hold_ / 2),
                      held = at(ramp_ + hold_);
    for (std::size_t n = 1; n <= count; ++n) {
      if (n % 10'000 == 0 && is_set(interrupt)) throw interruption();
      const double t = static_cast<double>(n) * h;
      const double pull =
          n <= held ? gentle * (t < ramp_ ? 0.5 * (1 - std::cos(pi * t / ramp_)) : 1.0)
                    : gentle + (strong - gentle) * std::min(1.0, (t - ramp_ - hold_) / rise);
      implicit ? pair.implicit(pull, h) : pair.verlet(pull, h);
      for (int i = 0; i < 2; ++i) {
        if (!std::isfinite(pair.x(i)))
          throw error(fmt::format("the motion is not finite at t = {:g} s", t));
        if (n <= held) seen[i].push_back(pair.x(i));
        if (n == held) before[i] = pair.x(i);
      }
      if (n % (count / 1000) == 0) {
        found.x.push_back(t);
        found.y.push_back(pair.x(0));
      }
    }
    const double slip = std::abs(pair.x(1) - before[1]);
    const auto creep = [&](const std::vector<double>& x) {
      return drift_between(x, middle, held - tenth, tenth);
    };
    found.values = {std::max(creep(seen[0]), creep(seen[1])),
                    std::abs(pair.x(0) - before[0]) / slip};
    return found;
  }

 private:
  double mass_, weaker_, share_, beyond_, ramp_, hold_, slip_;
};

}  // namespace

extern const conformance_row two_brakes{
    .name = "two_brakes",
    .at = &ports::drive,
    .measures = {"creep", "wrong_brake"},
    .x = {"time", units::second},
    .y = {"slip of the stronger brake", units::metre},
    .read = [](reader& in) -> std::unique_ptr<conformance_test> {
      return std::make_unique<two_brakes_test>(in);
    }};

}  // namespace asperity::detail
