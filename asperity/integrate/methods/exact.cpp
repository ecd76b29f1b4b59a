// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/exact.hpp>
#include <asperity/integrate/linear_motion.hpp>
#include <asperity/integrate/method.hpp>

namespace asperity::detail {

namespace {

// The stepper with the flows of an audit behind its states: integrals of the powers along the motion,
// which is known everywhere.
template <class Stepper>
class audited_stepper {
 public:
  audited_stepper(const system_view& view, Stepper inner)
      : view_(view),
        part_(dynamic_cast<const linear_motion&>(*view.of)),
        inner_(std::move(inner)) {}

  void start(double t, const double* y) {
    inner_.start(t, y);
    latest_ = t;
    std::copy_n(y, view_.size(), y1_.begin());
  }
  outcome step(double limit, double latest) {
    const outcome how = inner_.step(limit, latest);
    if (how != outcome::completed) return how;
    latest_ = latest;
    std::copy_n(y1_.begin() + view_.states, view_.flows, flows_.begin());
    at(inner_.t(), y1_.data());
    return how;
  }
  double t() const { return inner_.t(); }
  double before() const { return inner_.before(); }
  const double* y() const { return y1_.data(); }
  void at(double t, double* out) const {
    std::copy_n(flows_.begin(), view_.flows, out + view_.states);
    add_flows(inner_.before(), t, out + view_.states, 0);
    inner_.at(t, out);
  }
  long evaluations() const { return inner_.evaluations(); }
  long rejected() const { return 0; }

 private:
  static constexpr int points = 5, deepest = 16;
  using numbers = std::array<double, energy_terms::most_flows>;

  const system_view& view_;
  const linear_motion& part_;
  Stepper inner_;
  double latest_ = 0;
  numbers flows_{};
  std::array<double, system_view::capacity> y1_{};

  // Of the powers, by Gauss; `size` grows to the most that they could be.
  void integrate(double a, double b, numbers& sum, double& size) const {
    constexpr double place[points] = {-0.9061798459386640, -0.5384693101056831, 0,
                                      0.5384693101056831, 0.9061798459386640};
    constexpr double weight[points] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                       0.4786286704993665, 0.2369268850561891};
    double y[system_view::capacity], power[energy_terms::most_flows];
    sum.fill(0);
    for (int i = 0; i < points; ++i) {
      const double t = 0.5 * (a + b) + 0.5 * (b - a) * place[i];
      inner_.at(t, y);
      part_.powers_under(std::min(t, latest_), y, inner_.force(t), power);
      for (int k = 0; k < view_.flows; ++k) {
        sum[static_cast<std::size_t>(k)] += 0.5 * (b - a) * weight[i] * power[k];
        size = std::max(size, std::abs(power[k]) * (b - a));
      }
    }
  }
  // In halves until these agree with the whole, as far as it matters to the sums so far: what is only
  // rounding of a rest would never agree.
  void add_flows(double a, double b, double* to, int depth) const {
    numbers whole, left, right;
    double size = 0, off = 0, sums = 0;
    integrate(a, b, whole, size);
    integrate(a, 0.5 * (a + b), left, size);
    integrate(0.5 * (a + b), b, right, size);
    for (int k = 0; k < view_.flows; ++k) {
      const auto at = static_cast<std::size_t>(k);
      off = std::max(off, std::abs(left[at] + right[at] - whole[at]));
      sums = std::max(sums, std::abs(to[k]));
    }
    if (off > 1e-11 * size && off > 1e-15 * sums && depth < deepest) {
      add_flows(a, 0.5 * (a + b), to, depth + 1);
      add_flows(0.5 * (a + b), b, to, depth + 1);
      return;
    }
    for (int k = 0; k < view_.flows; ++k)
      to[k] += left[static_cast<std::size_t>(k)] + right[static_cast<std::size_t>(k)];
  }
};

template <class Stepper, class System>
method_report run_flow(const System& system, const char* complaint, const method_run& r) {
  Stepper stepper(system, r.view.states, r.setting.max_step, !r.events.empty());
  method_report report{r.view.energy == nullptr ? run_to_end(stepper, r) : [&] {
    audited_stepper audited(r.view, std::move(stepper));
    return run_to_end(audited, r);
  }()};
  if (report.result.how == outcome::step_too_small) r.view.work->complaint = complaint;
  return report;
}

method_report run_exact(const method_run& r) {
  if (const linear_contact* contact = linear_contact_in(*r.view.of); contact != nullptr)
    return run_flow<contact_stepper>(
        *contact,
        "the bodies touch and separate endlessly while no time passes: the start or the inputs lie "
        "exactly on the border between the two",
        r);
  return run_flow<exact_stepper>(
      *linear_mass_in(*r.view.of),
      "elements of the friction change endlessly while no time passes: the start or the inputs lie "
      "exactly on a border between stick and slip",
      r);
}

}  // namespace

extern const method_row exact_method{
    .name = "exact",
    .meaning =
        "closed-form flow from event to event, no step error: linear between stick and slip, or in "
        "contact",
    .order = 0,
    .is_fixed = false,
    .needs = method_needs::linear,
    .stops_at_jumps = true,
    .holds_at_rest = true,
    .run = run_exact,
    .when_stiff = stiff_steps::long_ones};

}  // namespace asperity::detail
