// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <asperity/batch/cuda/lane_device.hpp>
#include <asperity/error.hpp>
#include <asperity/identify/equation_tape.hpp>
#include <asperity/identify/model_fit.hpp>
#include <asperity/integrate/record_step.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/mechanics/load.hpp>
#include <asperity/mechanics/signal.hpp>
#include <asperity/run/port_steps.hpp>
#include <asperity/run/stepped_model.hpp>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

namespace asperity {

namespace {

constexpr int lanes = 8;  // derivatives that a dual number of the catalogue carries
constexpr std::size_t most_inputs = 7, most_outputs = 3;
constexpr double too_large = 1e150;  // of a record: sums of squares overflow

// ---- the motion ----------------------------------------------------------------------------------

// The inputs of a port over time, from the channels of a record.
class recorded_motion {
 public:
  recorded_motion(const port& at, const record& from, const std::string& drive)
      : port_(at),
        times_(from.t),
        shapes_(at.inputs.size()),
        is_(at.inputs.size(), source::nothing) {
    for (std::size_t i = 0; i < at.inputs.size(); ++i) {
      if (at.inputs[i].is == channel::load && from.find(at.inputs[i].name) != nullptr)
        join(i, *from.find(at.inputs[i].name), signal::joint::linear);
      if (at.inputs[i].is == channel::rate) take(from, i, drive);
    }
  }

  // The values at t, with rates of the side of `before` where they jump.
  void at(double t, double before, double* in) const {
    for (std::size_t i = 0; i < port_.inputs.size(); ++i) {
      const auto rate = static_cast<std::size_t>(std::max(port_.inputs[i].rate_of, 0));
      switch (is_[i]) {
        case source::column:
          in[i] = shapes_[i].value(t);
          break;
        case source::slope:
          in[i] = shapes_[i].slope(before < t ? std::nextafter(t, before) : t);
          break;
        case source::integral:
          in[i] = integral_at(i, rate, t);
          break;
        case source::nothing:
          in[i] = 1;
          break;
      }
    }
  }
  bool has_linear_rates() const {
    return std::none_of(is_.begin(), is_.end(), [](source s) { return s == source::slope; });
  }

 private:
  enum class source { column, slope, integral, nothing };

  void join(std::size_t i, std::vector<double> values, signal::joint how) {
    shapes_[i] = signal::nodes(times_, std::move(values), how);
    is_[i] = source::column;
  }
  void take(const record& from, std::size_t i, const std::string& drive) {
    const int place = port_.place_of(static_cast<int>(i));
    const char* rate_name = port_.inputs[i].name;
    const char* place_name = place < 0 ? "" : port_.inputs[static_cast<std::size_t>(place)].name;
    const auto* rates = from.find(rate_name);
    const auto* places = place < 0 ? nullptr : from.find(place_name);
    if (rates == nullptr && places == nullptr)
      throw error(fmt::format(
          "{}: the record has no channel '{}'{}: name its column, such as --column {}=COLUMN",
          from.name, rate_name, place < 0 ? "" : fmt::format(" or '{}'", place_name),
          place < 0 ? rate_name : place_name));
    bool by_place =
        places != nullptr && (rates == nullptr || port_.is_contact() || !port_.has_units());
    if (drive == rate_name && rates != nullptr) by_place = false;
    if (!drive.empty() && drive == place_name && places != nullptr) by_place = true;
    if (by_place) {
      const auto p = static_cast<std::size_t>(place);
      join(p, *places, signal::joint::cubic);
      shapes_[i] = shapes_[p];
      is_[i] = source::slope;
      return;
    }
    join(i, *rates, signal::joint::linear);
    if (place < 0) return;
    const auto p = static_cast<std::size_t>(place);
    is_[p] = source::integral;
    if (sums_.size() < port_.inputs.size()) sums_.resize(port_.inputs.size());
    auto& sum = sums_[p];
    sum.resize(times_.size());
    sum[0] = places != nullptr ? places->front() : 0;
    for (std::size_t k = 1; k < times_.size(); ++k)
      sum[k] = sum[k - 1] + (times_[k] - times_[k - 1]) * ((*rates)[k] + (*rates)[k - 1]) / 2;
  }
  double integral_at(std::size_t i, std::size_t rate, double t) const {
    const auto after = std::upper_bound(times_.begin(), times_.end(), t);
    const std::size_t k =
        static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - times_.begin() - 1, 0));
    return sums_[i][k] +
           (t - times_[k]) * (shapes_[rate].value(times_[k]) + shapes_[rate].value(t)) / 2;
  }

  const port& port_;
  const std::vector<double>& times_;
  std::vector<signal> shapes_;
  std::vector<source> is_;
  std::vector<std::vector<double>> sums_;
};

// One step of the states: inputs at the start, at the inner stage and at the end.
struct motion_step {
  double h;
  std::array<double, most_inputs> start, stage, end;
  long row;  // that ends with it; -1 where none does
};

using detail::stage_carry;
using detail::stage_share;

struct motion_plan {
  std::array<double, most_inputs> first{};
  std::vector<motion_step> steps;
};

// Rows are cut where a velocity along a line turns, and about the turn so that no step spans more
// than a factor of two in velocity down to a part of the row: curves are seen where they are steep.
// `parts_of_row` says into how many steps each piece of a row is cut besides.
motion_plan plan_of(const port& at, const record& from, const recorded_motion& motion,
                    bool has_states, const std::vector<int>& parts_of_row,
                    const std::function<void()>& heed_interrupt) {
  motion_plan plan;
  plan.steps.reserve(from.t.size());
  motion.at(from.t[0], from.t[0], plan.first.data());
  const auto rate_at = [&](double t, double before) {
    std::array<double, most_inputs> in{};
    motion.at(t, before, in.data());
    return in[1];
  };
  const auto add = [&](double t0, double t1, long row, double sign) {
    motion_step step{t1 - t0, {}, {}, {}, row};
    motion.at(t0, t1, step.start.data());
    motion.at(t0 + stage_share * (t1 - t0), t1, step.stage.data());
    motion.at(t1, t0, step.end.data());
    // At a turn the velocity is 0, and the law is asked on the side the step is on.
    if (sign != 0 && at.is_line()) {
      const double least = 1e-12 * std::max(std::abs(step.start[1]), std::abs(step.end[1]));
      if (step.start[1] * sign < least) step.start[1] = sign * least;
      if (step.end[1] * sign < least && row < 0) step.end[1] = sign * least;
    }
    plan.steps.push_back(step);
  };
  for (std::size_t k = 1; k < from.t.size(); ++k) {
    heed_interrupt();
    const double t0 = from.t[k - 1], t1 = from.t[k];
    std::vector<double> cuts{t0};
    double v0 = 0, v1 = 0;
    if (has_states && at.is_line()) {
      v0 = rate_at(t0, t0);
      v1 = rate_at(t1, t0);
      double turn = t0;
      if (v0 * v1 < 0) turn = t0 + (t1 - t0) * v0 / (v0 - v1);
      const bool turns = t0 < turn && turn < t1;
      const double slow = turns ? 0 : std::min(std::abs(v0), std::abs(v1));
      const double fast = std::max(std::abs(v0), std::abs(v1));
      if (slow < 0.4 * fast) {
        const auto halve_towards = [&](double from_t, double to_t, bool is_forward) {
          // Geometric cuts: ... 1/8, 1/4, 1/2 of the way from the turn.
          const int depth = 5;
          for (int d = 0; d < depth; ++d) {
            const int power = is_forward ? d + 1 : depth - d;
            const double share = std::pow(0.5, power);
            cuts.push_back(is_forward ? to_t - share * (to_t - from_t)
                                      : from_t + share * (to_t - from_t));
          }
        };
        if (turns) {
          halve_towards(t0, turn, true);
          cuts.push_back(turn);
          halve_towards(turn, t1, false);
        } else {
          halve_towards(t0, t1, std::abs(v1) < std::abs(v0));
        }
      }
    }
    cuts.push_back(t1);
    for (std::size_t c = 1; c < cuts.size(); ++c) {
      const bool is_last = c + 1 == cuts.size();
      const double middle = rate_at((cuts[c - 1] + cuts[c]) / 2, cuts[c - 1]);
      const double sign = middle > 0 ? 1 : middle < 0 ? -1 : 0;
      const int parts = has_states ? parts_of_row[k] : 1;
      for (int m = 0; m < parts; ++m) {
        const double a = cuts[c - 1] + (cuts[c] - cuts[c - 1]) * m / parts;
        const double b =
            m + 1 == parts ? cuts[c] : cuts[c - 1] + (cuts[c] - cuts[c - 1]) * (m + 1) / parts;
        add(a, b, is_last && m + 1 == parts ? static_cast<long>(k) : -1, sign);
      }
    }
  }
  return plan;
}

// ---- the model in dual numbers --------------------------------------------------------------------

struct dual_self {
  std::shared_ptr<void> self;
  card<model_dual> about;
};

// A parameter of the card that is free: one number of it.
struct free_number {
  std::size_t entry, element;
  bool is_share;
};

// `follow`: by explicit steps of any length, for states as many as the cells of a patch.
enum class way { integrate, integrate_plainly, follow, advance_in_duals, advance };

}  // namespace

struct model_fit::parts {
  any_model model;
  std::vector<record> records;
  model_fit_options options;
  std::vector<unknown> unknowns;
  std::vector<free_number> numbers;  // of the model; those of the sensor follow
  int offset = -1, gain = -1, delay = -1, stiffness = -1;
  std::vector<int> outputs;  // of the port, that are compared
  std::vector<double> weights;
  std::vector<std::vector<const std::vector<double>*>> measured;  // [record][output]
  std::vector<std::size_t> first_row, end_row;  // of each record, between which it is compared
  std::vector<std::vector<std::size_t>> rows_compared;  // those where all outputs were measured
  std::vector<recorded_motion> motions;
  std::vector<motion_plan> plans;
  std::vector<std::string> notes;
  bool keeps_rules = true;
  way how = way::advance;
  bool has_derivative = false;
  std::vector<std::vector<int>> parts_of_rows;  // of each record: steps in each piece of a row
  record_scales scales;
  std::optional<equation_tape> tape;  // where it is faster than dual numbers
  // By which numbers each state changes, of a model on the tape.
  std::vector<std::vector<std::size_t>> felt;

  parts(any_model m, std::vector<record> r, model_fit_options o)
      : model(std::move(m)), records(std::move(r)), options(std::move(o)) {
    if (options.stop == nullptr) options.stop = std::make_shared<std::atomic<bool>>(false);
  }

  const port& at() const { return model.at(); }
  std::size_t compared(std::size_t which) const {
    return rows_compared[which].size() * outputs.size();
  }
  std::vector<std::size_t> measured_rows(std::size_t which, std::size_t first,
                                         std::size_t end) const {
    std::vector<std::size_t> result;
    for (std::size_t row = first; row < end; ++row)
      if (std::all_of(measured[which].begin(), measured[which].end(),
                      [&](const auto* values) { return !std::isnan((*values)[row]); }))
        result.push_back(row);
    return result;
  }

  // Records may be long: whatever goes along one asks for every row. Residuals end without a value,
  // what has nothing to show without them throws.
  bool is_interrupted() const { return is_set(options.interrupt) || is_set(options.stop.get()); }
  void heed_interrupt() const {
    if (is_interrupted()) throw interruption();
  }

  // All of them, or, where it is interrupted, none: what has walked along the old ones still can.
  void make_plans(std::vector<std::vector<int>> parts_of) {
    std::vector<motion_plan> made;
    for (std::size_t k = 0; k < records.size(); ++k)
      made.push_back(plan_of(at(), records[k], motions[k], model.states() > 0, parts_of[k],
                             [this] { heed_interrupt(); }));
    plans = std::move(made);
    parts_of_rows = std::move(parts_of);
  }
  std::vector<std::vector<int>> halved_steps() const {
    auto result = parts_of_rows;
    for (auto& of_record : result)
      for (int& each : of_record) each *= 2;
    return result;
  }

  // ---- where steps are too long ----------------------------------------------------------------------

  // By how much the force changes, in the row itself and the two behind it, where the steps of one row
  // are halved and all others are halved already. Nothing where the model cannot be run.
  std::vector<double> errors_of_rows(const any_model& m, std::size_t which,
                                     const motion_plan& halved) const {
    constexpr std::size_t ahead = 2;
    const std::size_t length = records[which].t.size(), outs = outputs.size();
    const auto ends_of_rows = [](const motion_plan& of) {
      std::vector<std::size_t> result{0};
      for (std::size_t k = 0; k < of.steps.size(); ++k)
        if (of.steps[k].row >= 0) result.push_back(k + 1);
      return result;
    };
    const motion_plan& plan = plans[which];
    const auto ends = ends_of_rows(plan), ends_of_halved = ends_of_rows(halved);
    const auto go = [&](walk& along, bool in_halves, std::size_t row) {
      const motion_plan& of = in_halves ? halved : plan;
      const auto& end = in_halves ? ends_of_halved : ends;
      for (std::size_t k = end[row - 1]; k < end[row]; ++k)
        if (!along.step(of.steps[k])) return false;
      return !is_interrupted();
    };
    std::vector<double> force(length * outs), result(length);
    walk fine(*this, m, which);
    const walk start = fine;
    for (std::size_t row = 1; row < length; ++row) {
      if (!go(fine, true, row)) return {};
      for (std::size_t o = 0; o < outs; ++o) force[row * outs + o] = fine.out(o);
    }
    fine = start;
    for (std::size_t row = 1; row < length; ++row) {
      walk other = fine;
      for (std::size_t k = row; k <= std::min(row + ahead, length - 1); ++k) {
        if (!go(other, k > row, k)) return {};
        for (std::size_t o = 0; o < outs; ++o)
          result[row] =
              std::max(result[row], weights[o] * std::abs(other.out(o) - force[k * outs + o]));
      }
      if (!go(fine, true, row)) return {};
    }
    return result;
  }

  // Steps so much shorter in the rows that make the error that it should come to `wanted`, rms, where
  // halved steps say that it is `error`. In all rows where it cannot be said which.
  std::vector<std::vector<int>> shorter_steps(std::span<const double> values, double error,
                                              double wanted) const {
    auto halved = halved_steps();
    any_model m = model;
    if (how == way::follow || !set(m, values)) return halved;
    std::vector<std::vector<double>> errors;
    double squares = 0, count = 0;
    for (std::size_t which = 0; which < records.size(); ++which) {
      const motion_plan fine = plan_of(at(), records[which], motions[which], true, halved[which],
                                       [this] { heed_interrupt(); });
      errors.push_back(errors_of_rows(m, which, fine));
      heed_interrupt();
      if (errors.back().empty()) return halved;
      count += static_cast<double>(compared(which));
      for (std::size_t row = 0; row < end_row[which]; ++row)
        squares += std::pow(errors.back()[row], 2);
    }
    if (!(squares > 0 && std::isfinite(squares))) return halved;
    // Errors of rows add up, or are forgotten.
    const double together = std::clamp(error * error * count / squares, 0.3, 300.0);
    const double most = 0.5 * wanted * wanted * count / together;
    const auto left_with = [&](double limit) {
      double sum = 0;
      for (std::size_t which = 0; which < records.size(); ++which)
        for (std::size_t row = 0; row < end_row[which]; ++row)
          sum += std::pow(std::min(errors[which][row], limit), 2);
      return sum;
    };
    double limit = std::sqrt(squares);
    while (left_with(limit) > most) limit *= 0.8;
    // Two of order 2 make a fourth of the error.
    auto result = parts_of_rows;
    bool has_changed = false;
    for (std::size_t which = 0; which < records.size(); ++which)
      for (std::size_t row = 1; row < result[which].size(); ++row) {
        double left = errors[which][row];
        for (int k = 0; k < 3 && left > limit; ++k, left /= 4) {
          result[which][row] = std::min(2 * result[which][row], most_parts);
          has_changed = true;
        }
      }
    return has_changed ? result : halved;
  }
  static constexpr int most_parts = 256;  // of a piece of a row

  // ---- parameters ------------------------------------------------------------------------------------

  template <class S, class Value>
  void put(card<S>& about, const Value& value) const {
    std::vector<std::pair<std::size_t, S>> sums;  // of shares, by entry
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const free_number& n = numbers[i];
      *about.parameters[n.entry].value[n.element] = value(i);
      if (!n.is_share) continue;
      if (sums.empty() || sums.back().first != n.entry) sums.emplace_back(n.entry, lit<S>(0.0));
      sums.back().second = sums.back().second + value(i);
    }
    for (const free_number& n : numbers) {
      if (!n.is_share) continue;
      for (const auto& [entry, sum] : sums)
        if (entry == n.entry) {
          S& x = *about.parameters[n.entry].value[n.element];
          x = x / sum;
        }
    }
  }

  // The model with these values; false where its rules refuse them.
  bool set(any_model& into, std::span<const double> values) const {
    auto about = into.describe();
    put<double>(about, [&](std::size_t i) { return values[i]; });
    if (into.functions().build != nullptr) {
      try {
        into.build();
      } catch (const error&) {
        return false;
      }
    }
    return !keeps_rules || into.functions().valid(into.self()).verdict != validity::refused;
  }

  // The numbers from `block` on are variables, the first of them in the lane `first`.
  dual_self dual_of(const any_model& from, std::span<const double> values, std::size_t block,
                    std::size_t first = 0) const {
    const auto& f = from.functions().in_dual;
    dual_self result{f.make(from.self()), {}};
    result.about = f.describe(result.self.get());
    put<model_dual>(result.about, [&](std::size_t i) {
      const std::size_t lane = first + i - std::min(i, block);
      return i >= block && lane < lanes ? model_dual::variable(values[i], static_cast<int>(lane))
                                        : model_dual(values[i]);
    });
    return result;
  }

  // ---- the run of one record ------------------------------------------------------------------------

  struct rows_of_run {
    // [row][output], and [row][output][number]: of the model, before the sensor.
    std::vector<double> out, slope;
  };

  bool run(const any_model& m, std::span<const double> values, std::size_t which, rows_of_run& rows,
           bool with_slopes) const {
    const std::size_t length = records[which].t.size(), per_row = at().outputs.size();
    rows.out.assign(length * per_row, 0.0);
    rows.slope.assign(with_slopes ? length * per_row * numbers.size() : 0, 0.0);
    if (how == way::integrate) return integrate(m, values, which, rows, with_slopes);
    if (how == way::integrate_plainly) return integrate_plainly(m, which, rows);
    if (how == way::follow) return follow(m, which, rows);
    if (how == way::advance_in_duals && with_slopes) return advance_duals(m, values, which, rows);
    return advance(m, which, rows);
  }

  static drive<double> drive_of(const std::array<double, most_inputs>& in, bool has_load) {
    return {in[0], in[1], has_load ? in[2] : 1.0};
  }

  bool advance(const any_model& m, std::size_t which, rows_of_run& rows) const {
    const motion_plan& plan = plans[which];
    const bool has_load = at().inputs.size() > 2;
    double state[any_model::max_states];
    m.initial(state);
    drive<double> from = drive_of(plan.first, has_load);
    rows.out[0] = m.advance(state, from, from, 0.0);
    for (const motion_step& step : plan.steps) {
      const drive<double> to = drive_of(step.end, has_load);
      from = drive_of(step.start, has_load);
      const double f = m.advance(state, from, to, step.h);
      if (!std::isfinite(f) || is_interrupted()) return false;
      if (step.row >= 0) rows.out[static_cast<std::size_t>(step.row)] = f;
    }
    return true;
  }

  bool advance_duals(const any_model& m, std::span<const double> values, std::size_t which,
                     rows_of_run& rows) const {
    const motion_plan& plan = plans[which];
    const bool has_load = at().inputs.size() > 2;
    const auto in_duals = [&](const std::array<double, most_inputs>& in) {
      return drive<model_dual>{model_dual(in[0]), model_dual(in[1]),
                               model_dual(has_load ? in[2] : 1.0)};
    };
    const auto& f = m.functions().in_dual;
    for (std::size_t block = 0; block == 0 || block < numbers.size(); block += lanes) {
      const dual_self self = dual_of(m, values, block);
      model_dual state[any_model::max_states];
      start_in_duals(m, values, which, block, state);
      const auto keep = [&](std::size_t row, const model_dual& out) {
        rows.out[row] = out.value;
        for (std::size_t i = 0; i < lanes && block + i < numbers.size(); ++i)
          rows.slope[row * numbers.size() + block + i] = out.derivative[i];
      };
      drive<model_dual> from = in_duals(plan.first);
      keep(0, f.advance(self.self.get(), state, from, from, model_dual(0.0)));
      for (const motion_step& step : plan.steps) {
        const model_dual out = f.advance(self.self.get(), state, in_duals(step.start),
                                         in_duals(step.end), model_dual(step.h));
        if (!std::isfinite(out.value) || is_interrupted()) return false;
        if (step.row >= 0) keep(static_cast<std::size_t>(step.row), out);
      }
    }
    return true;
  }

  void start_state(const any_model& m, std::size_t which, double* state) const {
    if (at().is_line())
      m.initial(state);
    else
      m.initial(plans[which].first.data(), state);
  }

  // The start depends on parameters, too: by differences, once.
  void start_in_duals(const any_model& m, std::span<const double> values, std::size_t which,
                      std::size_t block, model_dual* state) const {
    const int n = m.states();
    std::vector<double> here(static_cast<std::size_t>(n) + 1), there(here.size());
    start_state(m, which, here.data());
    for (int i = 0; i < n; ++i) state[i] = model_dual(here[static_cast<std::size_t>(i)]);
    any_model moved = m;
    std::vector<double> changed(values.begin(), values.end());
    for (std::size_t lane = 0; lane < lanes && block + lane < numbers.size(); ++lane) {
      const std::size_t i = block + lane;
      const double h = 1e-7 * std::max(std::abs(values[i]), 1e-12);
      changed[i] = values[i] + h;
      set(moved, changed);
      changed[i] = values[i];
      start_state(moved, which, there.data());
      for (int k = 0; k < n; ++k)
        state[k].derivative[lane] =
            (there[static_cast<std::size_t>(k)] - here[static_cast<std::size_t>(k)]) / h;
    }
  }

  // Stages in plain numbers (integrate/record_step.hpp). Where states depend on each other secants of each do
  // not settle: then for all of them at once.
  class plain_stages {
   public:
    std::array<double, most_outputs> out{};  // at the stage
    int unsettled = 0;                       // stages

    // Where a contact slips in a plane secants may settle on a kink.
    plain_stages(const any_model& m, bool always_together)
        : m_(&m),
          n_(m.states()),
          always_together_(always_together || (m.at().is_contact() && !m.at().is_line())) {
      if (!m.state_scale(by_.scale)) std::fill(std::begin(by_.scale), std::end(by_.scale), 0.0);
    }
    // stage = base + a F(stage), from what is in `stage`.
    bool settle(double a, const double* in, const double* base, double* stage) {
      const law at{*this, in};
      if (n_ == 0) {
        at(stage, by_.rate);
        return true;
      }
      // Not where they failed before, more often than now and then.
      if (!always_together_ && (failed_ < 3 || 20 * failed_ < tried_)) {
        std::array<double, any_model::max_states> guess;
        std::copy_n(stage, n_, guess.begin());
        ++tried_;
        if (by_.settle(n_, a, base, stage, at)) return true;
        ++failed_;
        std::copy_n(guess.begin(), n_, stage);
      }
      return settle_together(a, at, base, stage);
    }
    bool step(const motion_step& step, double* y) {
      if (n_ == 0) return settle(step.h, step.end.data(), y, y);
      const double a = stage_share * step.h;
      std::array<double, any_model::max_states> stage, base;
      std::copy_n(y, n_, stage.begin());
      if (!settle(a, step.stage.data(), y, stage.data())) return false;
      for (std::size_t i = 0; i < static_cast<std::size_t>(n_); ++i)
        base[i] = y[i] + stage_carry * (stage[i] - y[i]);
      if (!settle(a, step.end.data(), base.data(), stage.data())) return false;
      std::copy_n(stage.begin(), n_, y);
      return true;
    }

   private:
    struct law {
      plain_stages& of;
      const double* in;
      void operator()(const double* stage, double* rate) const {
        of.m_->respond(in, stage, of.out.data(), rate);
      }
    };
    // By Newton's method. Slopes are kept from stage to stage, and follow what the steps show (Broyden's
    // update); where that is slow they are found again, by differences. Where rates jump nothing may
    // settle: along a line the place with the least miss is taken then, which halved steps show to be wrong.
    bool settle_together(double a, const law& at, const double* from, double* to) {
      const Eigen::Map<const Eigen::VectorXd> base(from, n_);
      Eigen::Map<Eigen::VectorXd> stage(to, n_);
      vector rate(n_), moved(n_), step(n_), weight(n_), miss(n_), best(n_);
      at(to, rate.data());
      double length = unbounded, least = unbounded;
      for (int k = 0; k < 30 && length > (k < 12 ? 1e-14 : 1e-7); ++k) {
        for (Eigen::Index i = 0; i < n_; ++i)
          weight[i] = 1 / (std::abs(by_.scale[i]) + std::abs(stage[i]) + 1e-300);
        miss = stage - base - a * rate;
        const double size = miss.cwiseProduct(weight).cwiseAbs().maxCoeff();
        if (size < least) {
          least = size;
          best = stage;
        }
        if (slopes_.size() == 0) {
          slopes_.resize(n_, n_);
          for (Eigen::Index i = 0; i < n_; ++i) {
            const double h = 1e-7 * (std::abs(by_.scale[i]) + std::abs(stage[i]) + 1e-12);
            const double before = stage[i];
            stage[i] = before + h;
            at(to, moved.data());
            stage[i] = before;
            slopes_.col(i) = (moved - rate) / h;
          }
        }
        // Kinks can make the steps cycle: half of one leaves the cycle.
        step = -(k > 8 ? 0.5 : 1.0) *
               (square::Identity(n_, n_) - a * slopes_).partialPivLu().solve(miss);
        if (!step.allFinite()) {
          slopes_.resize(0, 0);
          return false;
        }
        stage += step;
        at(to, moved.data());
        const double last = length;
        length = step.cwiseProduct(weight).cwiseAbs().maxCoeff() / (k > 8 ? 0.5 : 1.0);
        if (length > 0.2 * last && length > 1e-12) {
          slopes_.resize(0, 0);
        } else if (length > 1e-9) {  // steps of rounding tell no slope
          const vector weighed = step.cwiseProduct(weight).cwiseProduct(weight);
          slopes_ += (moved - rate - slopes_ * step) * (weighed / weighed.dot(step)).transpose();
        }
        rate.swap(moved);
      }
      if (length < 1e-6) return true;  // on a kink it may swing a little
      ++unsettled;
      if (!m_->at().is_line()) return false;
      stage = best;
      at(to, rate.data());
      return rate.allFinite();
    }

    using vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, any_model::max_states, 1>;
    using square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, any_model::max_states,
                                 any_model::max_states>;
    const any_model* m_;
    int n_;
    bool always_together_;
    int tried_ = 0, failed_ = 0;  // of secants
    square slopes_;               // of the rates by the states; empty where they are to be found
    detail::record_stages<any_model::max_states> by_;
  };

  // Along the steps of a record in plain numbers.
  class walk {
   public:
    walk(const parts& of, const any_model& m, std::size_t which)
        : of_(&of), m_(&m), stages_(m, of.how == way::integrate_plainly) {
      if (of.how == way::advance || of.how == way::advance_in_duals)
        m.initial(state_.data());
      else
        of.start_state(m, which, state_.data());
    }
    // False where the model has no value.
    bool step(const motion_step& step) {
      if (of_->how == way::advance || of_->how == way::advance_in_duals) {
        const bool has_load = of_->at().inputs.size() > 2;
        force_ = m_->advance(state_.data(), drive_of(step.start, has_load),
                             drive_of(step.end, has_load), step.h);
        return std::isfinite(force_);
      }
      if (!stages_.step(step, state_.data())) return false;
      m_->remember(step.end.data(), state_.data());
      return true;
    }
    int unsettled() const { return stages_.unsettled; }
    double out(std::size_t output) const {
      const bool advances = of_->how == way::advance || of_->how == way::advance_in_duals;
      return advances ? force_ : stages_.out[static_cast<std::size_t>(of_->outputs[output])];
    }

   private:
    const parts* of_;
    const any_model* m_;
    plain_stages stages_;
    std::array<double, any_model::max_states> state_{};
    double force_ = 0;
  };

  // Without derivatives: the steps of `integrate_as`. False where its stages are needed.
  bool integrate_plainly(const any_model& m, std::size_t which, rows_of_run& rows) const {
    const motion_plan& plan = plans[which];
    const std::size_t outs = at().outputs.size(), n = static_cast<std::size_t>(m.states());
    std::vector<double> y(n + 1), rate(n + 1);
    plain_stages stages(m, how == way::integrate_plainly);
    start_state(m, which, y.data());
    const auto keep = [&](std::size_t row) {
      for (std::size_t o = 0; o < outs; ++o) rows.out[row * outs + o] = stages.out[o];
    };
    m.respond(plan.first.data(), y.data(), stages.out.data(), rate.data());
    keep(0);
    const bool remembers = m.functions().at_port.remember != nullptr;
    for (const motion_step& step : plan.steps) {
      if (!stages.step(step, y.data()) || is_interrupted()) return false;
      if (step.row >= 0) keep(static_cast<std::size_t>(step.row));
      if (remembers) m.remember(step.end.data(), y.data());
    }
    return true;
  }

  // A row is followed in steps whose error is bounded. Where rows are to be halved it is the bound that is
  // made smaller, as it would be by a method of order 2.
  bool follow(const any_model& m, std::size_t which, rows_of_run& rows) const {
    const recorded_motion& motion = motions[which];
    const auto& t = records[which].t;
    const std::size_t outs = at().outputs.size(), n = static_cast<std::size_t>(m.states());
    const double parts_of_row = parts_of_rows[which].back();
    port_steps steps(m, 1e-3 / (parts_of_row * parts_of_row));
    std::vector<double> y(n + 1), rate(n + 1), out(outs);
    std::array<double, most_inputs> in{};
    start_state(m, which, y.data());
    const auto keep = [&](std::size_t row) {
      motion.at(t[row], t[row - std::min<std::size_t>(row, 1)], in.data());
      m.respond(in.data(), y.data(), out.data(), rate.data());
      std::copy(out.begin(), out.end(), rows.out.begin() + static_cast<std::ptrdiff_t>(row * outs));
    };
    keep(0);
    for (std::size_t row = 1; row < t.size(); ++row) {
      const double t0 = t[row - 1], t1 = t[row], middle = t0 + (t1 - t0) / 2;
      const auto inputs = [&](double at_time, double* to) {
        motion.at(at_time, at_time < middle ? t1 : t0, to);
      };
      const long last = steps.steps() + most_steps_in_a_row;
      const auto goes_on = [&](long taken) {
        if (taken >= last) return outcome::step_limit;
        return is_interrupted() ? outcome::interrupted : outcome::completed;
      };
      if (row == 1) steps.begin_with(t1 - t0);
      if (steps.follow(m, inputs, goes_on, t0, t1, y.data()) != outcome::completed) return false;
      keep(row);
    }
    return true;
  }
  static constexpr long most_steps_in_a_row = 100'000;

  bool integrate(const any_model& m, std::span<const double> values, std::size_t which,
                 rows_of_run& rows, bool with_slopes) const {
    if (!with_slopes && integrate_plainly(m, which, rows)) return true;
    if (with_slopes && tape && integrate_on_tape(m, values, which, rows)) return true;
    return m.states() == 1 ? integrate_as<1>(m, values, which, rows, with_slopes)
                           : integrate_as<Eigen::Dynamic>(m, values, which, rows, with_slopes);
  }

  // Of each set of values the sum of the squares of its residuals.
  std::vector<double> squares_of(std::span<const std::vector<double>> points) const {
    std::size_t count = 0;
    for (std::size_t r = 0; r < records.size(); ++r) count += compared(r);
    std::vector<double> result(points.size(), unbounded), residual(count);
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!all_residuals(points[k], residual, nullptr)) continue;
      const double sum =
          std::inner_product(residual.begin(), residual.end(), residual.begin(), 0.0);
      if (std::isfinite(sum)) result[k] = sum;
    }
    return result;
  }

  // ---- many sets of values at once -------------------------------------------------------------------

  // The same on a GPU, which takes the steps of `integrate_plainly`.
  std::vector<double> squares_on_device(std::span<const std::vector<double>> points) const {
    record_job job;
    static_cast<lane_law_shape&>(job) = shape_of(model);
    const bool has_load = at().inputs.size() > 2;
    for (std::size_t which = 0; which < records.size(); ++which) {
      const motion_plan& plan = plans[which];
      const auto* x = records[which].find(at().inputs[0].name);
      const auto row_of = [&](long row) {
        const auto r = static_cast<std::size_t>(row);
        const auto& wanted = rows_compared[which];
        if (row < 0 || !std::binary_search(wanted.begin(), wanted.end(), r)) return -1.0;
        job.rows.push_back({(*measured[which][0])[r], x != nullptr ? (*x)[r] : 0.0});
        return static_cast<double>(job.rows.size() - 1);
      };
      const auto add = [&](double h, const auto& stage, const auto& end, long row) {
        const drive<double> a = drive_of(stage, has_load), b = drive_of(end, has_load);
        job.steps.push_back({h, a.x, a.v, a.load, b.x, b.v, b.load, row_of(row)});
      };
      add(-1, plan.first, plan.first, 0);
      for (const motion_step& step : plan.steps) add(step.h, step.stage, step.end, step.row);
    }

    std::vector<double> result(points.size(), unbounded), squares;
    std::vector<std::size_t> place;
    any_model m = model;
    const auto n = static_cast<std::size_t>(m.states());
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!set(m, points[k])) continue;
      place.push_back(k);
      auto& numbers_of = job.numbers.emplace_back();
      for (const auto& each : m.describe().parameters)
        for (const double* value : each.value) numbers_of.push_back(*value);
      double state[any_model::max_states] = {}, scale[any_model::max_states] = {};
      m.initial(state);
      if (!m.state_scale(scale)) std::fill(std::begin(scale), std::end(scale), 0.0);
      job.initial.emplace_back(state, state + n);
      job.scales.emplace_back(scale, scale + n);
      job.sensor.push_back({value_or(points[k], offset, 0), value_or(points[k], gain, 1),
                            value_or(points[k], stiffness, 0)});
    }
    if (place.empty()) return result;
    std::string problem;
    if (options.device->run(job, squares, problem) != lane_outcome::completed)
      throw error(fmt::format("device 'cuda': {}", problem));
    for (std::size_t i = 0; i < place.size(); ++i)
      result[place[i]] =
          std::isnan(squares[i]) ? squares_of(points.subspan(place[i], 1))[0] : squares[i];
    return result;
  }

  static lane_law_shape shape_of(const any_model& m) {
    lane_law_shape shape;
    shape.kernel.key = m.key();
    shape.kernel.curve = m.curve();
    for (const auto& each : m.describe().parameters) {
      if (each.count != nullptr) shape.kernel.elements = *each.count;
      if (each.count != nullptr || each.whole != nullptr)
        shape.counts.push_back(each.count != nullptr ? *each.count : *each.whole);
      shape.law += each.value.size();
    }
    return shape;
  }

  // Along a line a model's own `advance` in place of stages where these do not settle, since its rates jump,
  // or where it makes less than a tenth of their error, as one in closed form does.
  void choose_way() {
    if (how != way::integrate || !at().is_line() || model.states() == 0 ||
        model.functions().in_double.advance == nullptr)
      return;
    std::vector<double> start;
    for (const unknown& x : unknowns) start.push_back(x.start);
    any_model m = model;
    if (!set(m, start)) return;
    const bool has_duals = model.functions().in_dual.advance != nullptr;
    const way other = has_duals ? way::advance_in_duals : way::advance;
    std::size_t steps = 0;
    int unsettled = 0;
    std::vector<motion_plan> halved;
    const auto in_halves = halved_steps();
    for (std::size_t which = 0; which < records.size(); ++which) {
      walk along(*this, m, which);
      for (const motion_step& step : plans[which].steps)
        if (is_interrupted() || !along.step(step)) return;
      steps += plans[which].steps.size();
      unsettled += along.unsettled();
      halved.push_back(plan_of(at(), records[which], motions[which], true, in_halves[which],
                               [this] { heed_interrupt(); }));
    }
    if (200 * static_cast<std::size_t>(unsettled) > steps) {
      how = other;
      return;
    }
    const auto error = [&] {
      double squares = 0;
      for (std::size_t which = 0; which < records.size(); ++which) {
        rows_of_run coarse, fine;
        if (!run(m, start, which, coarse, false)) return unbounded;
        std::swap(plans[which], halved[which]);
        const bool has_run = run(m, start, which, fine, false);
        std::swap(plans[which], halved[which]);
        if (!has_run) return unbounded;
        for (std::size_t k = 0; k < coarse.out.size(); ++k)
          squares += std::pow(coarse.out[k] - fine.out[k], 2);
      }
      return std::sqrt(squares);
    };
    if (!has_duals) return;
    const double of_stages = error();
    how = other;
    if (!(error() < 0.1 * of_stages)) how = way::integrate;
  }

  // ---- derivatives on the tape ----------------------------------------------------------------------

  // Few numbers fit into one dual number, which is as fast.
  void make_tape() {
    const int n = model.states();
    if (n == 0 || static_cast<std::size_t>(n) + numbers.size() <= lanes ||
        model.functions().at_port.remember != nullptr)
      return;
    std::vector<equation_tape::free_parameter> free;
    for (const free_number& each : numbers) free.push_back({each.entry, each.element});
    tape = equation_tape::of(model, free);
    if (!tape) return;
    felt.resize(static_cast<std::size_t>(n));
    for (const int i : tape->order()) {
      std::vector<bool> feels(numbers.size());
      for (const auto& each : tape->rate(i).by_parameter)
        feels[static_cast<std::size_t>(each.variable)] = true;
      for (const auto& each : tape->start(i).by_parameter)
        feels[static_cast<std::size_t>(each.variable)] = true;
      for (const auto& each : tape->rate(i).by_state)
        for (const std::size_t p : felt[static_cast<std::size_t>(each.variable)]) feels[p] = true;
      for (std::size_t p = 0; p < feels.size(); ++p)
        if (feels[p]) felt[static_cast<std::size_t>(i)].push_back(p);
    }
  }

  // The steps of `integrate_plainly`; what a state changes by follows from that of the states its
  // rate depends on, one after the other. False where `integrate_as` is needed.
  bool integrate_on_tape(const any_model& m, std::span<const double> values, std::size_t which,
                         rows_of_run& rows) const {
    const motion_plan& plan = plans[which];
    const std::size_t n = static_cast<std::size_t>(m.states()), count = numbers.size();
    equation_tape::workspace at_points(*tape, m);
    plain_stages stages(m, false);
    std::vector<double> y(n), stage(n), base(n), rate(n);
    // Changes of the states by the numbers, at the start of a step and at its first stage.
    std::vector<double> sens(n * count), first(n * count), line(count);
    const auto change = [&](std::vector<double>& of, int state) {
      return of.data() + static_cast<std::size_t>(state) * count;
    };
    // From the changes `before` in the base of a stage to those at the stage.
    const auto pass_stage = [&](double a, int point, auto before, std::vector<double>& to) {
      for (const int i : tape->order()) {
        const auto& columns = felt[static_cast<std::size_t>(i)];
        const auto& of = tape->rate(i);
        for (const std::size_t p : columns)
          line[p] = before(static_cast<std::size_t>(i) * count + p);
        for (const auto& by : of.by_parameter)
          line[static_cast<std::size_t>(by.variable)] += a * at_points.slope(by, point);
        double steepness = 1;
        for (const auto& by : of.by_state) {
          const double slope = a * at_points.slope(by, point);
          if (by.variable == i) {
            steepness -= slope;
            continue;
          }
          const double* other = change(to, by.variable);
          for (const std::size_t p : felt[static_cast<std::size_t>(by.variable)])
            line[p] += slope * other[p];
        }
        double* here = change(to, i);
        for (const std::size_t p : columns) here[p] = line[p] / steepness;
      }
    };
    const auto keep_slopes = [&](std::size_t row, int point) {
      double* slopes = rows.slope.data() + row * count;
      for (const auto& by : tape->force().by_parameter)
        slopes[by.variable] += at_points.slope(by, point);
      for (const auto& by : tape->force().by_state) {
        const double slope = at_points.slope(by, point), *of = change(sens, by.variable);
        for (const std::size_t p : felt[static_cast<std::size_t>(by.variable)])
          slopes[p] += slope * of[p];
      }
      share_out(values, slopes);
    };

    start_state(m, which, y.data());
    m.respond(plan.first.data(), y.data(), stages.out.data(), rate.data());
    rows.out[0] = stages.out[0];
    for (int i = 0; i < m.states(); ++i)
      for (const auto& by : tape->start(i).by_parameter)
        change(sens, i)[by.variable] = at_points.slope_of_start(by);
    for (int point = 0; point < equation_tape::points; ++point)
      at_points.put(point, plan.first.data(), y.data());
    at_points.evaluate();
    keep_slopes(0, 0);
    constexpr std::size_t at_once = equation_tape::points / 2;
    for (std::size_t begin = 0; begin < plan.steps.size(); begin += at_once) {
      const std::size_t end = std::min(begin + at_once, plan.steps.size());
      for (std::size_t k = begin; k < end; ++k) {
        if (is_interrupted()) return false;
        const motion_step& step = plan.steps[k];
        const double a = stage_share * step.h;
        const int point = 2 * static_cast<int>(k - begin);
        stage = y;
        if (!stages.settle(a, step.stage.data(), y.data(), stage.data())) return false;
        at_points.put(point, step.stage.data(), stage.data());
        for (std::size_t i = 0; i < n; ++i) base[i] = y[i] + stage_carry * (stage[i] - y[i]);
        if (!stages.settle(a, step.end.data(), base.data(), stage.data())) return false;
        at_points.put(point + 1, step.end.data(), stage.data());
        y = stage;
        if (step.row >= 0) rows.out[static_cast<std::size_t>(step.row)] = stages.out[0];
      }
      at_points.evaluate();
      for (std::size_t k = begin; k < end; ++k) {
        const motion_step& step = plan.steps[k];
        const double a = stage_share * step.h;
        const int point = 2 * static_cast<int>(k - begin);
        pass_stage(
            a, point, [&](std::size_t i) { return sens[i]; }, first);
        pass_stage(
            a, point + 1,
            [&](std::size_t i) { return sens[i] + stage_carry * (first[i] - sens[i]); }, sens);
        if (step.row >= 0) keep_slopes(static_cast<std::size_t>(step.row), point + 1);
      }
    }
    return true;
  }

  // From slopes by shares that add up to 1 to slopes by the numbers they are made of.
  void share_out(std::span<const double> values, double* slopes) const {
    for (std::size_t begin = 0; begin < numbers.size();) {
      std::size_t end = begin + 1;
      while (end < numbers.size() && numbers[end].entry == numbers[begin].entry) ++end;
      if (numbers[begin].is_share) {
        double sum = 0, mean = 0;
        for (std::size_t i = begin; i < end; ++i) sum += values[i];
        for (std::size_t i = begin; i < end; ++i) mean += values[i] / sum * slopes[i];
        for (std::size_t i = begin; i < end; ++i) slopes[i] = (slopes[i] - mean) / sum;
      }
      begin = end;
    }
  }

  // N states; matrices lie on the stack.
  template <int N>
  bool integrate_as(const any_model& m, std::span<const double> values, std::size_t which,
                    rows_of_run& rows, bool with_slopes) const {
    constexpr int most = N == 1 ? 1 : any_model::max_states;
    using vector = Eigen::Matrix<double, N, 1, 0, most, 1>;
    using square = Eigen::Matrix<double, N, N, 0, most, most>;
    using wide = Eigen::Matrix<double, N, Eigen::Dynamic, N == 1 ? Eigen::RowMajor : 0, most>;
    using outputs_by = Eigen::Matrix<double, Eigen::Dynamic, N, N == 1 ? 0 : Eigen::RowMajor,
                                     static_cast<int>(most_outputs), most>;
    const motion_plan& plan = plans[which];
    const port& p = at();
    const auto& f = m.functions().in_dual;
    const std::size_t outs = p.outputs.size(), count = numbers.size();
    const int n = m.states();
    const auto nn = static_cast<Eigen::Index>(n);
    // Few states and numbers share the lanes of one call.
    const auto states = static_cast<std::size_t>(n);
    const bool together = with_slopes && states + count <= lanes;
    const dual_self plain = together ? dual_of(m, values, 0, states) : dual_of(m, values, count);
    std::vector<dual_self> seeded;
    for (std::size_t b = 0; with_slopes && !together && b < count; b += lanes)
      seeded.push_back(dual_of(m, values, b));

    vector y(nn), rate(nn), stage(nn), base(nn), miss(nn), step_of_stage(nn),
        scale = vector::Zero(nn);
    std::vector<double> sizes(static_cast<std::size_t>(n) + 1, 1.0);
    if (m.state_scale(sizes.data()))
      for (int i = 0; i < n; ++i) scale[i] = std::abs(sizes[static_cast<std::size_t>(i)]);
    start_state(m, which, sizes.data());
    for (int i = 0; i < n; ++i) y[i] = sizes[static_cast<std::size_t>(i)];
    square slope_y(nn, nn), system(nn, nn);
    outputs_by out_y(static_cast<Eigen::Index>(outs), nn);
    // Derivatives of the states by the numbers, and of what a stage adds.
    wide sens = wide::Zero(nn, static_cast<Eigen::Index>(count)), stage_sens = sens, by_p = sens,
         right = sens;
    Eigen::MatrixXd out_p(static_cast<Eigen::Index>(outs), static_cast<Eigen::Index>(count));
    std::array<double, most_outputs> out{};
    std::vector<model_dual> state(static_cast<std::size_t>(n) + 1), d_rate(state.size());
    model_dual in[most_inputs], d_out[most_outputs];
    if (with_slopes && n > 0)
      for (std::size_t b = 0; b < count; b += lanes) {
        start_in_duals(m, values, which, b, state.data());
        for (std::size_t lane = 0; lane < lanes && b + lane < count; ++lane)
          for (int i = 0; i < n; ++i)
            sens(i, static_cast<Eigen::Index>(b + lane)) =
                state[static_cast<std::size_t>(i)].derivative[lane];
      }

    plain_stages stages(m, false);
    const double* now = nullptr;
    const auto put_inputs = [&](const std::array<double, most_inputs>& values_in) {
      now = values_in.data();
      for (std::size_t i = 0; i < p.inputs.size(); ++i) in[i] = model_dual(values_in[i]);
    };
    // Rates and outputs at a state, with their derivatives by the states.
    const auto by_states = [&](const vector& at_state) {
      for (int first = 0; first == 0 || first < n; first += lanes) {
        for (int i = 0; i < n; ++i)
          state[static_cast<std::size_t>(i)] = i >= first && i < first + lanes
                                                   ? model_dual::variable(at_state[i], i - first)
                                                   : model_dual(at_state[i]);
        f(p, plain.self.get(), in, state.data(), d_out, d_rate.data());
        for (int k = 0; k < lanes && first + k < n; ++k) {
          for (int i = 0; i < n; ++i)
            slope_y(i, first + k) = d_rate[static_cast<std::size_t>(i)].derivative[k];
          for (std::size_t o = 0; o < outs; ++o)
            out_y(static_cast<Eigen::Index>(o), first + k) = d_out[o].derivative[k];
        }
      }
      for (int i = 0; i < n; ++i) rate[i] = d_rate[static_cast<std::size_t>(i)].value;
      for (std::size_t o = 0; o < outs; ++o) out[o] = d_out[o].value;
    };
    // The same by the numbers, the state held. Follows `by_states` at the same state.
    const auto by_numbers = [&](const vector& at_state) {
      for (std::size_t k = 0; together && k < count; ++k) {
        const auto column = static_cast<Eigen::Index>(k);
        for (int i = 0; i < n; ++i)
          by_p(i, column) = d_rate[static_cast<std::size_t>(i)].derivative[states + k];
        for (std::size_t o = 0; o < outs; ++o)
          out_p(static_cast<Eigen::Index>(o), column) = d_out[o].derivative[states + k];
      }
      if (together) return;
      for (int i = 0; i < n; ++i) state[static_cast<std::size_t>(i)] = model_dual(at_state[i]);
      for (std::size_t b = 0; b < seeded.size(); ++b) {
        f(p, seeded[b].self.get(), in, state.data(), d_out, d_rate.data());
        for (std::size_t lane = 0; lane < lanes && b * lanes + lane < count; ++lane) {
          const auto column = static_cast<Eigen::Index>(b * lanes + lane);
          for (int i = 0; i < n; ++i)
            by_p(i, column) = d_rate[static_cast<std::size_t>(i)].derivative[lane];
          for (std::size_t o = 0; o < outs; ++o)
            out_p(static_cast<Eigen::Index>(o), column) = d_out[o].derivative[lane];
        }
      }
    };
    // stage = base + a F(stage), in plain numbers, or else by Newton's method from where the state is. Ends with
    // rates, outputs and their derivatives at a state that differs from the stage by rounding.
    const auto solve_stage = [&](double a, const vector& guess) {
      stage = guess;
      if (n > 0 && !stages.settle(a, now, base.data(), stage.data())) {
        stage = guess;
      } else if (p.is_line()) {
        by_states(stage);
        return true;
      }
      for (int k = 0; k < 25; ++k) {
        by_states(stage);
        miss = stage - base - a * rate;
        if (!miss.allFinite()) return false;
        system = square::Identity(nn, nn) - a * slope_y;
        if constexpr (N == 1)
          step_of_stage[0] = miss[0] / system(0, 0);
        else
          step_of_stage = system.partialPivLu().solve(miss);
        if (!step_of_stage.allFinite()) return false;
        const double length =
            (step_of_stage.array() / (scale.array() + stage.array().abs() + 1e-300))
                .abs()
                .maxCoeff();
        // Kinks can make Newton's steps cycle: half of one leaves the cycle.
        stage -= (k > 8 ? 0.5 : 1.0) * step_of_stage;
        if (length < 1e-13) return true;
        if (length < 1e-9) break;  // the next would be of rounding
      }
      by_states(stage);
      return true;
    };
    const auto stage_slopes = [&](double a, const wide& of_base) {
      by_numbers(stage);
      right = of_base + a * by_p;
      if constexpr (N == 1)
        stage_sens = right / (1 - a * slope_y(0, 0));
      else
        stage_sens = (square::Identity(nn, nn) - a * slope_y).eval().partialPivLu().solve(right);
    };
    const auto keep = [&](std::size_t row) {
      for (std::size_t o = 0; o < outs; ++o) rows.out[row * outs + o] = out[o];
      if (!with_slopes) return;
      for (std::size_t o = 0; o < outs; ++o)
        for (std::size_t i = 0; i < count; ++i) {
          const auto oo = static_cast<Eigen::Index>(o), ii = static_cast<Eigen::Index>(i);
          double sum = out_p(oo, ii);
          for (int k = 0; k < n; ++k) sum += out_y(oo, k) * sens(k, ii);
          rows.slope[(row * outs + o) * count + i] = sum;
        }
    };

    put_inputs(plan.first);
    by_states(y);
    if (with_slopes) by_numbers(y);
    keep(0);
    if (n == 0) {
      for (const motion_step& step : plan.steps) {
        put_inputs(step.end);
        by_states(y);
        if (!std::isfinite(out[0]) || is_interrupted()) return false;
        if (with_slopes) by_numbers(y);
        keep(static_cast<std::size_t>(step.row));
      }
      return true;
    }
    wide first_sens = sens, of_base = sens;
    std::vector<double> remembered(static_cast<std::size_t>(n));
    vector first;
    for (const motion_step& step : plan.steps) {
      const double a = stage_share * step.h;
      put_inputs(step.stage);
      base = y;
      if (!solve_stage(a, y)) return false;
      first = stage;
      if (with_slopes) {
        stage_slopes(a, sens);
        first_sens = stage_sens;
      }
      // y + (1 - share) h k_1, with k_1 = (Y_1 - y)/a.
      base = y + stage_carry * (first - y);
      put_inputs(step.end);
      if (!solve_stage(a, first) || is_interrupted()) return false;
      if (with_slopes) {
        of_base = sens + stage_carry * (first_sens - sens);
        stage_slopes(a, of_base);
        sens = stage_sens;
      }
      y = stage;
      if (step.row >= 0) keep(static_cast<std::size_t>(step.row));
      if (m.functions().at_port.remember != nullptr) {
        for (int i = 0; i < n; ++i) remembered[static_cast<std::size_t>(i)] = y[i];
        m.remember(step.end.data(), remembered.data());
        for (int i = 0; i < n; ++i) y[i] = remembered[static_cast<std::size_t>(i)];
      }
    }
    return true;
  }

  // ---- residuals ------------------------------------------------------------------------------------

  double value_or(std::span<const double> values, int index, double otherwise) const {
    return index >= 0 ? values[static_cast<std::size_t>(index)] : otherwise;
  }

  // Where between rows the time t lies: the row before it, and the share of the way to the next.
  static std::pair<std::size_t, double> between_rows(const std::vector<double>& t, std::size_t near,
                                                     double at) {
    std::size_t k = near;
    while (k > 0 && t[k] > at) --k;
    while (k + 2 < t.size() && t[k + 1] < at) ++k;
    if (k + 1 >= t.size()) return {t.size() - 2, 1.0};
    return {k, std::clamp((at - t[k]) / (t[k + 1] - t[k]), 0.0, 1.0)};
  }

  bool residual_of(std::size_t which, const any_model& m, std::span<const double> values,
                   double* residual, double* jacobian) const {
    return residual_of(which, m, values, rows_compared[which], residual, jacobian);
  }
  bool residual_of(std::size_t which, const any_model& m, std::span<const double> values,
                   std::span<const std::size_t> of, double* residual, double* jacobian) const {
    rows_of_run rows;
    if (!run(m, values, which, rows, jacobian != nullptr)) return false;
    compare(which, m, values, rows, of, residual, jacobian);
    return true;
  }
  // The rows of a run with what was measured, or with 0 where nothing was.
  void compare(std::size_t which, const any_model& m, std::span<const double> values,
               const rows_of_run& rows, std::span<const std::size_t> of_record, double* residual,
               double* jacobian) const {
    const bool with_slopes = jacobian != nullptr;
    const record& rec = records[which];
    const std::size_t per_row = at().outputs.size(), count = numbers.size(), all = unknowns.size();
    const double b = value_or(values, offset, 0), g = value_or(values, gain, 1);
    const double late = value_or(values, delay, 0), k = value_or(values, stiffness, 0);
    const detail::force_sensor sensor{b, g, k}, without_offset{0, g, 0};
    const auto* x = rec.find(at().inputs[0].name);
    std::size_t next = 0;
    for (const std::size_t row : of_record) {
      const auto [before, share] = between_rows(rec.t, row, rec.t[row] - late);
      const bool is_late = delay >= 0;
      for (std::size_t o = 0; o < outputs.size(); ++o, ++next) {
        const auto of = static_cast<std::size_t>(outputs[o]);
        const std::size_t here = row * per_row + of;
        const std::size_t p0 = before * per_row + of, p1 = (before + 1) * per_row + of;
        const double f =
            is_late ? (1 - share) * rows.out[p0] + share * rows.out[p1] : rows.out[here];
        const double measured_f = measured_or_0(which, o, row), w = weights[o];
        const bool is_first = outputs[o] == 0;
        double shown = (is_first ? sensor : without_offset).shows(f, x != nullptr ? (*x)[row] : 0);
        // At rest a law that jumps holds any force between its sides.
        const bool held =
            set_valued_ && rests(which, row) && holds(m, which, row, shown, measured_f);
        if (held) shown = measured_f;
        residual[next] = w * (shown - measured_f);
        if (!with_slopes) continue;
        double* line = jacobian + next * all;
        std::fill_n(line, all, 0.0);
        if (held) continue;
        for (std::size_t i = 0; i < count; ++i)
          line[i] = w * g *
                    (is_late ? (1 - share) * rows.slope[p0 * count + i] +
                                   share * rows.slope[p1 * count + i]
                             : rows.slope[here * count + i]);
        if (gain >= 0) line[gain] = w * f;
        if (delay >= 0)
          line[delay] =
              -w * g * (rows.out[p1] - rows.out[p0]) / (rec.t[before + 1] - rec.t[before]);
        if (!is_first) continue;
        if (offset >= 0) line[offset] = w;
        if (stiffness >= 0) line[stiffness] = x != nullptr ? w * (*x)[row] : 0;
      }
    }
  }

  double measured_or_0(std::size_t which, std::size_t o, std::size_t row) const {
    const double f = (*measured[which][o])[row];
    return std::isnan(f) ? 0 : f;
  }

  bool set_valued_ = false;
  bool rests(std::size_t which, std::size_t row) const {
    if (row == 0 || row > plans[which].steps.size()) return false;
    const auto* v = records[which].find("v");
    if (v != nullptr) return (*v)[row] == 0;
    const auto* x = records[which].find("x");
    return x != nullptr && row + 1 < x->size() && (*x)[row] == (*x)[row - 1] &&
           (*x)[row] == (*x)[row + 1];
  }
  static bool holds(const any_model& m, std::size_t, std::size_t, double, double measured_f) {
    double rate[any_model::max_states], state[any_model::max_states];
    m.initial(state);
    const double back = m.side(state, {0, 0, 1}, -1, rate),
                 ahead = m.side(state, {0, 0, 1}, 1, rate);
    return measured_f >= std::min(back, ahead) && measured_f <= std::max(back, ahead);
  }

  bool all_residuals(std::span<const double> values, std::span<double> residual,
                     double* jacobian) const {
    any_model m = model;
    if (!set(m, values)) return false;
    std::size_t begin = 0;
    for (std::size_t k = 0; k < records.size(); ++k) {
      double* slopes = jacobian == nullptr ? nullptr : jacobian + begin * unknowns.size();
      if (!residual_of(k, m, values, residual.data() + begin, slopes)) return false;
      begin += compared(k);
    }
    return true;
  }

  // Whether the derivatives in dual numbers are those of the residuals at these values: where a
  // memory branches, or stages lie on kinks, they are not.
  bool derivatives_agree(const std::vector<double>& values) const {
    std::size_t rows = 0, wrong = 0;
    for (std::size_t k = 0; k < records.size(); ++k) rows += compared(k);
    const std::size_t all = unknowns.size();
    std::vector<double> here(rows), there(rows), slopes(rows * all), moved(all);
    if (!all_residuals(values, here, slopes.data())) return true;  // nothing to compare
    for (std::size_t i = 0; i < all; ++i) {
      const double size = std::max(std::abs(values[i]), 1e-3 * unknowns[i].scale);
      moved[i] = values[i] + 1e-6 * (i % 2 == 0 ? 1.0 : 0.7) * size;
      if (moved[i] > unknowns[i].allowed.upper) moved[i] = 2 * values[i] - moved[i];
    }
    if (!all_residuals(moved, there, nullptr)) return true;
    double largest = 0, force = 0;
    std::vector<double> difference(rows), expected(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < all; ++i)
        expected[row] += slopes[row * all + i] * (moved[i] - values[i]);
      difference[row] = there[row] - here[row];
      largest = std::max({largest, std::abs(expected[row]), std::abs(difference[row])});
      force = std::max(force, std::abs(here[row]));
    }
    for (std::size_t row = 0; row < rows; ++row)
      if (std::abs(difference[row] - expected[row]) > 0.01 * largest + 1e-13 * force) ++wrong;
    return wrong <= rows / 10;
  }

  // Unknowns with which the force of some rows jumps, or its slope does, found by moving each: the largest
  // change of a row is then as large for an eighth of the way, or that of its slope an eighth, which would be
  // an eighth and a 64th where it is smooth.
  struct roughness {
    bool jumps = false, kinks = false;
  };
  std::vector<roughness> roughness_at(std::span<const double> values, bool with_kinks) const {
    std::vector<roughness> result(unknowns.size());
    if (unknowns.size() > most_combed) return result;
    std::size_t rows = 0;
    for (std::size_t k = 0; k < records.size(); ++k) rows += compared(k);
    std::vector<double> here(rows), ahead(rows), behind(rows);
    if (!all_residuals(values, here, nullptr)) return result;
    const double size = std::abs(*std::max_element(
        here.begin(), here.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
    struct largest {
      double change = 0, bend = 0;
    };
    const auto moved_by = [&](std::size_t i, double step) {
      largest most;
      std::vector<double> moved(values.begin(), values.end());
      moved[i] = values[i] * (1 + step);
      if (!all_residuals(moved, ahead, nullptr)) return most;
      moved[i] = values[i] * (1 - step);
      const bool has_both = with_kinks && all_residuals(moved, behind, nullptr);
      for (std::size_t row = 0; row < rows; ++row) {
        most.change = std::max(most.change, std::abs(ahead[row] - here[row]));
        if (has_both)
          most.bend = std::max(most.bend, std::abs(ahead[row] - 2 * here[row] + behind[row]));
      }
      return most;
    };
    for (std::size_t i = 0; i < numbers.size() && !is_interrupted(); ++i) {
      const largest near = moved_by(i, 5e-4), far = moved_by(i, 4e-3);
      result[i].jumps = near.change > 0.5 * far.change && far.change > 0.01 * size;
      result[i].kinks = with_kinks && near.bend > far.bend / 24 && far.bend > 0.05 * far.change &&
                        far.change > 1e-6 * size;
    }
    return result;
  }

  // ---- what the record shows ------------------------------------------------------------------------

  static double quantile(std::vector<double>& values, double share) {
    if (values.empty()) return 0;
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
  }

  void look() {
    std::vector<double> forces, speeds, stiff, steps;
    double x_low = unbounded, x_high = -unbounded;
    for (std::size_t r = 0; r < records.size(); ++r) {
      const auto& t = records[r].t;
      const auto& f = *measured[r][0];
      double sign = 0;
      std::vector<double> x(t.size());
      for (std::size_t k = 0; k < t.size(); ++k) {
        heed_interrupt();
        std::array<double, most_inputs> in{};
        motions[r].at(t[k], k > 0 ? t[k - 1] : t[k], in.data());
        const std::size_t rate =
            at().outputs[static_cast<std::size_t>(outputs[0])].rate_of >= 0
                ? static_cast<std::size_t>(
                      at().outputs[static_cast<std::size_t>(outputs[0])].rate_of)
                : 1;
        const double v = in[rate];
        x[k] = at().is_line() || at().is_contact() ? in[0]
                                                   : (k > 0 ? x[k - 1] + v * (t[k] - t[k - 1]) : 0);
        x_low = std::min(x_low, x[k]);
        x_high = std::max(x_high, x[k]);
        if (!std::isnan(f[k])) forces.push_back(std::abs(f[k]));
        if (v != 0) speeds.push_back(std::abs(v));
        if (k > 0) steps.push_back(t[k] - t[k - 1]);
        if (v * sign < 0) ++scales.reversals;
        if (v != 0) sign = v;
      }
      // Slopes over stretches of a fiftieth of the way.
      const double stretch = (x_high - x_low) / 50;
      for (std::size_t k = 0, from = 0; k < x.size() && stretch > 0; ++k)
        if (std::abs(x[k] - x[from]) > stretch) {
          const double slope = std::abs((f[k] - f[from]) / (x[k] - x[from]));
          if (!std::isnan(slope)) stiff.push_back(slope);
          from = k;
        }
    }
    const auto above_0 = [](double value, double otherwise) {
      return value > 0 ? value : otherwise;
    };
    scales.highest = above_0(quantile(forces, 0.995), 1);
    scales.force =
        above_0(at().is_contact() ? scales.highest : quantile(forces, 0.7), scales.highest);
    scales.fastest = above_0(quantile(speeds, 0.99), 1);
    scales.speed = above_0(quantile(speeds, 0.5), scales.fastest);
    scales.slowest = above_0(quantile(speeds, 0.1), scales.speed);
    scales.step = above_0(quantile(steps, 0.5), 1);
    scales.stiffness = above_0(quantile(stiff, 0.9), scales.force / above_0(x_high - x_low, 1));
    look_after_reversals();
    scales.length = scales.force / scales.stiffness;
    if (at().is_contact()) scales.length = above_0(-x_low, above_0(x_high - x_low, 1));
  }

  // Presliding is short beside the strokes of most records: its stiffness is that over which the force has
  // changed by its size in sliding since a reversal.
  void look_after_reversals() {
    if (!at().is_sliding()) return;
    std::vector<double> stiff;
    for (std::size_t r = 0; r < records.size(); ++r) {
      const auto& t = records[r].t;
      const auto& f = *measured[r][0];
      double sign = 0, x_before = 0, f_turn = 0, x_turn = 0;
      bool is_behind_turn = false;
      for (std::size_t k = 0; k < t.size(); ++k) {
        heed_interrupt();
        std::array<double, most_inputs> in{};
        motions[r].at(t[k], k > 0 ? t[k - 1] : t[k], in.data());
        if (in[1] * sign < 0) {
          is_behind_turn = true;
          x_turn = x_before;
          f_turn = f[k - 1];
        }
        if (in[1] != 0) sign = in[1];
        x_before = in[0];
        const double way = std::abs(in[0] - x_turn), change = std::abs(f[k] - f_turn);
        if (!is_behind_turn || !(change >= scales.force) || !(way > 0)) continue;
        stiff.push_back(change / way);
        is_behind_turn = false;
      }
    }
    if (stiff.size() > 1) scales.stiffness = std::max(scales.stiffness, quantile(stiff, 0.5));
  }

  // What a quantity of this unit is about: newtons, metres and seconds of the record.
  double typical(unit in) const {
    const double time = in == units::second
                            ? std::max(2 * scales.step, scales.length / scales.speed)
                            : scales.length / scales.speed;
    if (in == units::metre / units::second) return 0.3 * scales.speed;
    return std::pow(scales.force, in.kilogram) * std::pow(scales.length, in.metre - in.kilogram) *
           std::pow(time, in.second + 2 * in.kilogram);
  }

  double start_of(const card<double>::parameter_entry& p, std::size_t element,
                  std::size_t elements) const {
    const double own = *p.value[element];
    if (options.own_start || p.is_exponent || !at().has_units()) return own;
    if (p.is_share) return 1.0 / static_cast<double>(elements);
    if (p.in == units::one) return own;
    const double n = static_cast<double>(elements);
    // Elements that let go one after the other, from a small deflection to twice the usual one.
    const double place = (static_cast<double>(element) + 0.5) / n;
    const double let_go = scales.length * (0.15 + 1.85 * place);
    double result = typical(p.in);
    const bool is_damping = p.in == units::newton * units::second / units::metre;
    if (is_damping)
      result = p.meaning.find("viscous") != std::string::npos ? 0.05 * scales.force / scales.fastest
                                                              : 0.1 * result;
    if (p.is_list) {
      if (p.in == units::metre) result = let_go;
      if (p.in == units::newton / units::metre) result = scales.force / (n * let_go);
      if (is_damping) result = 0.1 * scales.force / (n * let_go) * scales.length / scales.speed;
      if (p.in == units::newton) result = scales.force / n;
      if (p.in == units::kilogram) result = 1e-3 * typical(p.in) / n;
    }
    const double least = p.allowed.lower > -unbounded ? p.allowed.lower : -unbounded;
    return std::clamp(result, least, p.allowed.upper);
  }

  // The values that the model has, in other units of force, length and time: what its parameters are to each
  // other is then that of a model that makes sense, and three numbers are looked for in place of all. Lengths
  // and times about those of the record; the force follows, since it is proportional to its unit.
  std::vector<std::vector<double>> in_other_units() const {
    std::vector<std::vector<double>> result;
    if (options.own_start || !at().has_units() || numbers.size() < 4) return result;
    const auto about = model.describe();
    const auto row_of = [](unit in) {
      return Eigen::RowVector3d(in.kilogram, in.metre - in.kilogram, in.second + 2 * in.kilogram);
    };
    Eigen::MatrixXd units_of(numbers.size(), 3);
    Eigen::VectorXd to_start = Eigen::VectorXd::Zero(units_of.rows());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const double ratio = unknowns[i].start / on_card(about, i);
      const bool counts = std::isfinite(ratio) && ratio > 0;
      units_of.row(row) = counts ? row_of(unknowns[i].in) : Eigen::RowVector3d::Zero();
      if (counts) to_start[row] = std::log(ratio);
    }
    const Eigen::Vector3d middle =
        units_of.completeOrthogonalDecomposition().solve(to_start).eval();
    const auto values_in = [&](const Eigen::Vector3d& logarithms) {
      std::vector<double> values;
      for (const unknown& x : unknowns) values.push_back(x.start);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        values[i] = on_card(about, i) * std::exp(row_of(unknowns[i].in).dot(logarithms));
      return values;
    };
    std::size_t rows = 0;
    for (std::size_t k = 0; k < records.size(); ++k) rows += compared(k);
    std::vector<double> once(rows), twice(rows);
    const int lengths = units_of.col(1).isZero() ? 0 : 4, times = units_of.col(2).isZero() ? 0 : 2;
    for (int l = -lengths; l <= lengths; ++l)
      for (int t = -times; t <= times && !is_interrupted(); ++t) {
        Eigen::Vector3d here = middle + Eigen::Vector3d(0, 0.85 * l, 1.7 * t);  // a factor of 30
        Eigen::Vector3d stronger = here;
        stronger[0] += std::log(2.0);
        if (!all_residuals(values_in(here), once, nullptr)) continue;
        if (!all_residuals(values_in(stronger), twice, nullptr)) continue;
        double product = 0, squares = 0;
        for (std::size_t k = 0; k < rows; ++k) {
          product -= once[k] * (twice[k] - once[k]);
          squares += (twice[k] - once[k]) * (twice[k] - once[k]);
        }
        const double factor = 1 + product / squares;
        if (!(std::isfinite(factor) && factor > 0)) continue;
        here[0] += std::log(factor);
        std::vector<double> values = values_in(here);
        bool are_allowed = true;
        for (std::size_t i = 0; i < unknowns.size(); ++i)
          are_allowed = are_allowed && allows(unknowns[i].allowed, values[i]);
        if (are_allowed) result.push_back(std::move(values));
      }
    return result;
  }

  // Whether elements may change places is found by trying: those of lists in the opposite order, and
  // parameters of which there are two of a kind each in the place of the other.
  void find_sets() {
    std::vector<std::vector<std::size_t>> lists, pairs;  // numbers of unknowns
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (unknowns[i].prior_width > 0) {
        if (unknowns[i].element == 0) lists.emplace_back();
        lists.back().push_back(i);
        continue;
      }
      std::vector<std::size_t> kind;
      for (std::size_t k = 0; k < numbers.size(); ++k)
        if (unknowns[k].prior_width == 0 && unknowns[k].in == unknowns[i].in &&
            unknowns[k].not_below == unknowns[i].not_below)
          kind.push_back(k);
      if (kind.size() == 2 && kind[0] == i) pairs.push_back(kind);
    }
    int set = 0;
    if (may_be_reversed(lists)) make_set(lists, set++, true);
    if (may_be_reversed(pairs)) make_set(pairs, set++, false);
  }
  bool may_be_reversed(const std::vector<std::vector<std::size_t>>& lists) const {
    if (lists.empty()) return false;
    std::vector<double> here, reversed;
    for (const unknown& x : unknowns) here.push_back(x.start);
    for (const auto& list : lists)
      for (std::size_t k = 0; k < list.size(); ++k)
        here[list[k]] *= 1 + 0.03 * static_cast<double>(k) / static_cast<double>(list.size());
    reversed = here;
    for (const auto& list : lists)
      for (std::size_t k = 0; k < list.size(); ++k)
        reversed[list[k]] = here[list[list.size() - 1 - k]];
    std::size_t rows = 0;
    for (std::size_t k = 0; k < records.size(); ++k) rows += compared(k);
    std::vector<double> a(rows), b(rows);
    if (!all_residuals(here, a, nullptr) || !all_residuals(reversed, b, nullptr)) return false;
    double largest = 0, difference = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      largest = std::max(largest, std::abs(a[row]));
      difference = std::max(difference, std::abs(a[row] - b[row]));
    }
    return difference <= 1e-7 * largest;
  }
  // In the order of lengths, or of the list whose elements differ most on the card.
  void make_set(const std::vector<std::vector<std::size_t>>& lists, int set, bool by_length) {
    const auto about = model.describe();
    std::size_t by = 0;
    double widest = -1, rising = 1;
    for (std::size_t k = 0; k < lists.size(); ++k) {
      double low = unbounded, high = -unbounded;
      for (std::size_t e = 0; e < lists[k].size(); ++e) {
        unknown& x = unknowns[lists[k][e]];
        x.set = set;
        x.list = static_cast<int>(k);
        x.element = static_cast<int>(e);
        low = std::min(low, on_card(about, lists[k][e]));
        high = std::max(high, on_card(about, lists[k][e]));
      }
      const bool is_length = by_length && unknowns[lists[k][0]].in == units::metre;
      const double width = is_length    ? 2
                           : high > low ? (high - low) / std::max(std::abs(high), std::abs(low))
                                        : 0;
      if (!(width > widest)) continue;
      widest = width;
      by = k;
      rising = on_card(about, lists[k].back()) < on_card(about, lists[k].front()) ? -1 : 1;
    }
    for (const std::size_t i : lists[by]) unknowns[i].order = static_cast<int>(rising);
  }
  double on_card(const card<double>& about, std::size_t i) const {
    return *about.parameters[numbers[i].entry].value[numbers[i].element];
  }

  // A start that the rules of the model refuse, such as elements that cannot carry F_s together: all starts
  // of one unit are moved by a factor, the least that is enough.
  void obey(std::vector<double>& start) {
    any_model trial = model;
    for (const double factor : {0.7, 1.5, 0.5, 2.0, 0.3, 3.0, 0.15, 6.0})
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        auto moved = start;
        bool are_allowed = true;
        for (std::size_t k = 0; k < numbers.size(); ++k) {
          if (!(unknowns[k].in == unknowns[i].in) || unknowns[k].is_share) continue;
          moved[k] *= factor;
          are_allowed = are_allowed && allows(unknowns[k].allowed, moved[k]);
        }
        if (!are_allowed || !set(trial, moved)) continue;
        for (std::size_t k = 0; k < numbers.size(); ++k) unknowns[k].start = moved[k];
        start = moved;
        return;
      }
  }

  // Rules of the kind "F_s must be at least F_c" are found by trying.
  bool is_rule(std::size_t upper, std::size_t lower) const {
    any_model trial = model;
    auto about = trial.describe();
    double& high = *about.parameters[upper].value[0];
    double& low = *about.parameters[lower].value[0];
    const auto refused = [&] {
      return trial.functions().valid(trial.self()).verdict == validity::refused;
    };
    const double size = std::abs(low) > 0 ? std::abs(low) : std::abs(high);
    if (!(size > 0)) return false;
    low = size;
    high = 1.5 * size;
    if (refused()) return false;
    high = 0.6 * size;
    if (!refused()) return false;
    // A third parameter may be what refuses it: then it does so whatever this one is.
    low = 0.5 * size;
    return !refused();
  }
};

namespace {

bool is_named(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

model_fit::model_fit(any_model model, std::vector<record> records, model_fit_options options)
    : p_(std::make_shared<parts>(std::move(model), std::move(records), std::move(options))) {
  parts& p = *p_;
  const port& at = p.at();
  if (p.records.empty()) throw error("there is no record to fit to");
  // Gaps part a record: nothing is known of the memory behind one.
  std::vector<record> whole;
  for (record& each : p.records) {
    each.check_lengths();
    for (const channel& c : at.inputs) {
      const std::vector<double>* values = each.find(c.name);
      if (values == nullptr) continue;
      for (std::size_t row = 0; row < values->size(); ++row)
        if (!(std::abs((*values)[row]) < too_large)) {
          each.fail(c.name, row, "it must be a finite number that can be squared");
        } else if ((*values)[row] < allowed_input(p.model, c).lower) {
          each.fail(c.name, row, "it must be at least 0");
        } else if (c.is == channel::load && !((*values)[row] > 0) && at.is_line() &&
                   needs_load(p.model)) {
          each.fail(c.name, row, fmt::format("{} needs a load above 0", p.model.key()));
        }
    }
    for (const channel& c : at.outputs)
      if (const std::vector<double>* values = each.find(c.name); values != nullptr)
        for (std::size_t row = 0; row < values->size(); ++row)
          if (std::abs((*values)[row]) >= too_large)
            each.fail(c.name, row, "it must be a finite number that can be squared");
    if (each.pieces.size() < 2) {
      whole.push_back(std::move(each));
      continue;
    }
    for (const auto& piece : each.pieces)
      if (piece.last - piece.first > 10 &&
          each.t[piece.last - 3] >= each.t[piece.first] + p.options.settle)
        whole.push_back(each.part(piece));
  }
  if (whole.empty())
    throw error(fmt::format(
        "{}: no piece between its gaps is long enough to fit to (--bridge-gaps continues across "
        "them)",
        p.records[0].name));
  p.records = std::move(whole);
  for (const record& each : p.records)
    if (each.t.size() < 3)
      throw error(
          fmt::format("{}: a record of {} rows is too short to fit to", each.name, each.t.size()));

  for (std::size_t o = 0; o < at.outputs.size(); ++o) {
    const bool in_all = std::all_of(p.records.begin(), p.records.end(), [&](const record& r) {
      return r.find(at.outputs[o].name) != nullptr;
    });
    if (in_all) p.outputs.push_back(static_cast<int>(o));
  }
  if (p.outputs.empty())
    throw error(
        fmt::format("{}: the record has no channel '{}': name the column of the measured values, "
                    "such as --column {}=COLUMN",
                    p.records[0].name, at.outputs[0].name, at.outputs[0].name));
  for (const record& each : p.records) {
    auto& columns = p.measured.emplace_back();
    for (const int o : p.outputs)
      columns.push_back(each.find(at.outputs[static_cast<std::size_t>(o)].name));
    const double begin = each.t.front() + p.options.settle;
    const auto first = std::lower_bound(each.t.begin(), each.t.end(), begin - 1e-12);
    if (each.t.end() - first < 3)
      throw error(fmt::format("{}: settling takes {:g} s, but the record lasts {:g} s", each.name,
                              p.options.settle, each.t.back() - each.t.front()));
    p.first_row.push_back(static_cast<std::size_t>(first - each.t.begin()));
    const auto left = static_cast<double>(each.t.end() - first);
    const auto kept =
        std::max<std::size_t>(3, static_cast<std::size_t>(left * (1 - p.options.hold_out)));
    p.end_row.push_back(p.first_row.back() + kept);
    const std::size_t which = p.rows_compared.size();
    p.rows_compared.push_back(p.measured_rows(which, p.first_row.back(), p.end_row.back()));
    p.motions.emplace_back(at, each, p.options.drive);
  }
  std::size_t compared = 0;
  for (const auto& rows : p.rows_compared) compared += rows.size();
  if (compared < 3)
    throw error(fmt::format("{}: the measured values of {} rows are too few to fit to",
                            p.records[0].name, compared));
  // Several outputs are weighed by their sizes; one stays in its unit.
  p.weights.assign(p.outputs.size(), 1.0);
  if (p.outputs.size() > 1)
    for (std::size_t o = 0; o < p.outputs.size(); ++o) {
      double squares = 0, mean = 0, n = 0;
      for (std::size_t r = 0; r < p.records.size(); ++r)
        for (const double f : *p.measured[r][o]) {
          if (std::isnan(f)) continue;
          squares += f * f;
          mean += f;
          ++n;
        }
      const double variance = squares / n - mean / n * mean / n;
      p.weights[o] = variance > 0 ? 1 / std::sqrt(variance) : 1;
    }
  p.look();

  const auto& f = p.model.functions();
  if (f.in_dual.is_ode() && p.model.is_ode() && (p.model.states() <= any_model::max_states))
    p.how = way::integrate;
  else if (f.in_dual.advance != nullptr)
    p.how = way::advance_in_duals;
  else if (at.is_line())
    p.how = way::advance;
  else if (f.at_port.cells == nullptr && p.model.states() <= any_model::max_states)
    p.how = way::integrate_plainly;
  else
    p.how = way::follow;
  p.set_valued_ = at.is_line() && p.model.has_side() && p.model.states() == 0;

  // The unknowns, in the order of the card.
  const auto about = p.model.describe();
  std::size_t elements = 1;
  for (const auto& each : about.parameters)
    if (each.count != nullptr) elements = static_cast<std::size_t>(*each.count);
  for (const auto* names : {&p.options.free, &p.options.held})
    for (const std::string& name : *names) {
      std::vector<std::string> known;
      for (const auto& each : about.parameters) known.push_back(each.name);
      if (!is_named(known, name))
        throw error(fmt::format("model '{}' has no parameter '{}': {}", p.model.key(), name,
                                nearest_names(name, known)));
    }
  for (const std::string& name : p.options.free)
    if (is_named(p.options.held, name))
      throw error(fmt::format("parameter '{}' cannot be both free and held", name));
  const auto is_free = [&](const card<double>::parameter_entry& each) {
    if (each.count != nullptr || each.whole != nullptr || is_named(p.options.held, each.name))
      return false;
    if (!p.options.free.empty()) return is_named(p.options.free, each.name);
    // Exponents of curves are chosen, not measured, unless they are asked for; and so is a 0 that stands for
    // another parameter, for what follows from others, or for an effect that is left out.
    const auto says = [&](const char* words) {
      return each.meaning.find(words) != std::string::npos;
    };
    const bool is_choice =
        *each.value[0] == 0 && (says("; 0: that of ") || says("; 0: (") || says("; 0: none"));
    return !each.is_exponent && each.meaning.rfind("exponent", 0) != 0 && !is_choice;
  };
  std::vector<std::size_t> order;
  for (std::size_t e = 0; e < about.parameters.size(); ++e)
    if (is_free(about.parameters[e])) order.push_back(e);
  // What a rule bounds from below stands behind what bounds it.
  std::vector<std::pair<std::size_t, std::size_t>> rules;
  for (const std::size_t upper : order)
    for (const std::size_t lower : order) {
      const auto &a = about.parameters[upper], &b = about.parameters[lower];
      if (upper == lower || a.is_list || b.is_list || !(a.in == b.in)) continue;
      if (p.is_rule(upper, lower)) rules.emplace_back(upper, lower);
    }
  for (const auto& [upper, lower] : rules) {
    const auto u = std::find(order.begin(), order.end(), upper),
               l = std::find(order.begin(), order.end(), lower);
    if (u < l) std::rotate(u, u + 1, l + 1);
  }
  std::vector<int> number_of(about.parameters.size(), -1);
  for (const std::size_t e : order) {
    const auto& each = about.parameters[e];
    const std::size_t length = each.is_list ? elements : 1;
    for (std::size_t i = 0; i < length; ++i) {
      unknown x;
      x.name = each.is_list ? fmt::format("{}[{}]", each.name, i + 1) : each.name;
      x.in = each.in;
      x.allowed = each.allowed;
      x.meaning = each.meaning;
      x.start = p.start_of(each, i, elements);
      if (each.is_share) x.allowed = positive;
      x.is_share = each.is_share;
      if (each.is_list && length > 1) {
        x.element = static_cast<int>(i);
        x.prior_width = p.options.prior_width;
        if (i > 0) x.smooth_width = p.options.smooth_width;
      }
      for (const auto& [upper, lower] : rules)
        if (upper == e && number_of[lower] >= 0) {
          x.not_below = number_of[lower];
          const double below = p.unknowns[static_cast<std::size_t>(x.not_below)].start;
          x.start = std::max(x.start, 1.15 * below);
          x.scale = below;
        }
      number_of[e] = static_cast<int>(p.unknowns.size());
      p.unknowns.push_back(std::move(x));
      p.numbers.push_back({e, i, each.is_share});
    }
  }
  const auto add_sensor = [&](bool wanted, int& index, unknown x) {
    if (!wanted) return;
    index = static_cast<int>(p.unknowns.size());
    p.unknowns.push_back(std::move(x));
  };
  const unit in_f = at.outputs[static_cast<std::size_t>(p.outputs[0])].in;
  const bool first_output = p.outputs[0] == 0;
  add_sensor(
      p.options.offset && first_output, p.offset,
      {"sensor_offset", in_f, any_value, 0, 0.1 * p.scales.force, "offset of the measured force"});
  add_sensor(p.options.gain && first_output, p.gain,
             {"sensor_gain", units::one, positive, 1, 1, "gain of the force sensor"});
  add_sensor(p.options.delay, p.delay,
             {"sensor_delay",
              units::second,
              {-20 * p.scales.step, 20 * p.scales.step},
              0,
              p.scales.step,
              "delay of the force sensor"});
  add_sensor(p.options.stiffness && first_output, p.stiffness,
             {"sensor_stiffness", in_f / at.inputs[0].in, any_value, 0, 0.1 * p.scales.stiffness,
              "force proportional to the position, in addition to the model"});
  std::vector<std::vector<int>> whole_rows;
  for (const record& each : p.records) whole_rows.emplace_back(each.t.size(), 1);
  p.make_plans(std::move(whole_rows));
  p.choose_way();
  if (p.how == way::integrate) p.make_tape();

  // Rules that the fit cannot keep would refuse every step.
  std::vector<double> start;
  for (const unknown& x : p.unknowns) start.push_back(x.start);
  any_model trial = p.model;
  if (!p.set(trial, start)) p.obey(start);
  if (!p.set(trial, start)) {
    p.keeps_rules = false;
    p.notes.push_back(fmt::format(
        "{}: the fit does not enforce the rule '{}'; a result that breaks it cannot be run",
        p.model.key(), trial.functions().valid(trial.self()).why));
  }
  p.find_sets();
  // What is remembered of a turn jumps there: such a memory has no derivative.
  p.has_derivative = p.how != way::advance && p.how != way::follow &&
                     f.at_port.remember == nullptr && p.derivatives_agree(start);
  p.heed_interrupt();
  // Jumps of single rows are there also where the slopes between them are right.
  const auto rough = p.roughness_at(start, !p.has_derivative);
  for (std::size_t i = 0; i < rough.size(); ++i) {
    p.unknowns[i].jumps = rough[i].jumps;
    p.unknowns[i].kinks = rough[i].kinks;
  }
}

fit_problem model_fit::problem() const {
  fit_problem result;
  result.unknowns = p_->unknowns;
  for (std::size_t k = 0; k < p_->records.size(); ++k) result.rows.push_back(p_->compared(k));
  const auto parts_of = p_;
  result.residual = [parts_of](std::span<const double> values, std::span<double> residual) {
    return parts_of->all_residuals(values, residual, nullptr);
  };
  result.stop = p_->options.stop;
  result.jumps_at = [parts_of](std::span<const double> values) {
    std::vector<bool> jumps;
    for (const auto& each : parts_of->roughness_at(values, false)) jumps.push_back(each.jumps);
    return jumps;
  };
  result.more_starts = [parts_of] { return parts_of->in_other_units(); };
  const bool on_device = p_->options.device != nullptr &&
                         why_not_on_device(*p_->options.device, p_->model, p_->options).empty();
  if (on_device) result.side_by_side = 1024;  // those that are left over share the threads
  result.squares = [parts_of, on_device](std::span<const std::vector<double>> points) {
    return on_device ? parts_of->squares_on_device(points) : parts_of->squares_of(points);
  };
  if (has_exact_derivatives())
    result.derivative = [parts_of](std::span<const double> values, std::span<double> residual,
                                   jacobian_view slopes) {
      return parts_of->all_residuals(values, residual, slopes.values);
    };
  return result;
}

std::string why_not_on_device(const lane_device& device, const any_model& model,
                              const model_fit_options& options) {
  const auto because = [&](const std::string& reason) {
    return fmt::format("the model '{}' {}", model.key(), reason);
  };
  if (!model.at().is_line() || !model.is_ode() || model.functions().build != nullptr ||
      model.functions().at_port.remember != nullptr)
    return because("does not have a memory along a line that is an ODE");
  if (model.states() == 0) return because("has no memory: its equations are evaluated row by row");
  if (options.delay) return "a sensor with a delay needs values between rows";
  lane_kernel_name name;
  name.key = model.key();
  name.curve = model.curve();
  if (!device.has_for_records(name))
    return because(
        fmt::format("{}has no kernel: kernels exist for friction laws that do not branch on their "
                    "memory, and with more than four states only for their default curve",
                    name.curve.empty() ? "" : fmt::format("with '{}' ", name.curve)));
  if (!equation_tape::of(model, {}))
    return because(
        "has states that depend on each other mutually, so that a step must solve for all of them "
        "at once");
  return "";
}

any_model model_fit::with(std::span<const double> values) const {
  any_model result = p_->model;
  p_->set(result, values);
  return result;
}

std::vector<double> model_fit::predicted(std::span<const double> values, std::size_t which) const {
  const std::size_t outs = p_->outputs.size(), first = p_->first_row[which];
  std::vector<std::size_t> rows(p_->records[which].t.size() - first);
  std::iota(rows.begin(), rows.end(), first);
  std::vector<double> residual(rows.size() * outs), result;
  const any_model m = with(values);
  if (!p_->residual_of(which, m, values, rows, residual.data(), nullptr)) return {};
  result.assign(first, std::nan(""));
  for (const std::size_t row : rows)
    result.push_back(p_->measured_or_0(which, 0, row) +
                     residual[(row - first) * outs] / p_->weights[0]);
  return result;
}

std::vector<double> model_fit::held_out(std::span<const double> values) const {
  const any_model m = with(values);
  std::vector<double> result;
  for (std::size_t k = 0; k < p_->records.size(); ++k) {
    const auto rows = p_->measured_rows(k, p_->end_row[k], p_->records[k].t.size());
    if (rows.empty()) continue;
    std::vector<double> residual(rows.size() * p_->outputs.size());
    if (!p_->residual_of(k, m, values, rows, residual.data(), nullptr)) return {};
    result.insert(result.end(), residual.begin(), residual.end());
  }
  return result;
}

model_fit::place model_fit::place_of(std::size_t residual) const {
  std::size_t which = 0;
  while (which + 1 < p_->records.size() && residual >= p_->compared(which))
    residual -= p_->compared(which++);
  const std::size_t outs = p_->outputs.size();
  return {which, p_->rows_compared[which][residual / outs], p_->outputs[residual % outs]};
}

const record& model_fit::recorded(std::size_t which) const { return p_->records[which]; }
const any_model& model_fit::model() const { return p_->model; }
record_scales model_fit::scales() const { return p_->scales; }
bool model_fit::has_exact_derivatives() const { return p_->has_derivative; }
const std::vector<std::string>& model_fit::notes() const { return p_->notes; }

double model_fit::measured_deviation() const {
  double sum = 0, squares = 0, n = 0;
  for (std::size_t r = 0; r < p_->records.size(); ++r)
    for (std::size_t o = 0; o < p_->outputs.size(); ++o)
      for (const std::size_t row : p_->rows_compared[r]) {
        const double f = p_->weights[o] * (*p_->measured[r][o])[row];
        sum += f;
        squares += f * f;
        ++n;
      }
  return std::sqrt(std::max(squares / n - sum / n * sum / n, 0.0));
}

bool model_fit::has_rough_steps() const {
  return p_->how == way::advance && (p_->model.describe().claims & rate_independent) == 0;
}

double model_fit::step_error(std::span<const double> values, int times) const {
  std::size_t count = 0;
  for (std::size_t k = 0; k < p_->records.size(); ++k) count += p_->compared(k);
  std::vector<double> coarse(count), fine(count);
  if (!p_->all_residuals(values, coarse, nullptr)) {
    p_->heed_interrupt();
    return unbounded;
  }
  model_fit finer = *this;
  finer.p_ = std::make_shared<parts>(*p_);
  for (int k = 0; k < times; ++k) finer.p_->make_plans(finer.p_->halved_steps());
  if (!finer.p_->all_residuals(values, fine, nullptr)) {
    p_->heed_interrupt();
    return unbounded;
  }
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) squares += (coarse[i] - fine[i]) * (coarse[i] - fine[i]);
  return std::sqrt(squares / static_cast<double>(count));
}

void model_fit::refine(std::span<const double> values, double error, double wanted) {
  p_->make_plans(p_->shorter_steps(values, error, wanted));
}

void model_fit::refine() { p_->make_plans(p_->halved_steps()); }

void model_fit::take_steps_of(const model_fit& other) { p_->make_plans(other.p_->parts_of_rows); }

std::size_t model_fit::steps() const {
  std::size_t result = 0;
  for (const motion_plan& each : p_->plans) result += each.steps.size();
  return result;
}

}  // namespace asperity
