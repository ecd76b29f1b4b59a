// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/batch/lanes.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/run.hpp>
#include <asperity/run/rows.hpp>
#include <asperity/sweep/packs.hpp>
#include <cmath>

namespace asperity {

namespace detail {
extern const method_row euler_method;
}

namespace {

using subject = measure_row::subject;

std::optional<batch_method> method_of(const scenario& s) {
  if (s.method == &detail::rk4_method) return batch_method::rk4;
  if (s.method == &detail::euler_method) return batch_method::euler;
  if (s.method == &detail::backward_euler_method) return batch_method::backward_euler;
  return std::nullopt;
}

// Columns that measures look at, by their places in columns_of(); nothing where one of them looks at
// anything else.
std::optional<std::vector<std::size_t>> columns_for(const std::vector<column_header>& headers,
                                                    std::span<const sweep_measure> measures) {
  std::vector<std::size_t> wanted;
  const auto take = [&](const std::string& name) {
    const auto found = std::find_if(headers.begin(), headers.end(),
                                    [&](const column_header& each) { return each.name == name; });
    if (found == headers.end()) return false;
    wanted.push_back(static_cast<std::size_t>(found - headers.begin()));
    return true;
  };
  for (const auto& each : measures) {
    const measure& m = each.what;
    if (m.what->of == subject::event || m.what->of == subject::run) return std::nullopt;
    if (m.column.empty() ? !(take("w") || take("slip") || take("v")) : !take(m.column))
      return std::nullopt;
    if (!m.over.empty() && !take(m.over)) return std::nullopt;
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::erase(wanted, 0U);  // the time is always kept
  return wanted;
}

double rows_of(const scenario& s) { return s.duration / (s.sample > 0 ? s.sample : s.step) + 2; }

// Steps of fixed length of a whole block, on the grid of detail::grid_stepper. A system whose state
// is not finite any more stays so, and is found at the next sample.
class block_stepper {
 public:
  block_stepper(const lane_block& block, double h)
      : block_(block), h_(h), size_(static_cast<std::size_t>(block.states() * block.width())) {}

  void start(double t, const double* y) {
    origin_ = t0_ = t1_ = t;
    count_ = 0;
    y0_.assign(y, y + size_);
    y1_ = y0_;
  }
  outcome step(double limit, double latest) {
    t0_ = t1_;
    std::copy(y1_.begin(), y1_.end(), y0_.begin());
    latest_ = latest;
    const double planned = origin_ + static_cast<double>(count_ + 1) * h_;
    const bool whole = planned <= limit + 1e-6 * h_;
    t1_ = whole ? std::min(planned, limit) : limit;
    block_.step(t0_, whole ? h_ : t1_ - t0_, latest, y1_.data());
    ++count_;
    return outcome::completed;
  }
  double t() const { return t1_; }
  double before() const { return t0_; }
  const double* y() const { return y1_.data(); }
  void at(double t, double* out) const {
    const bool at_end = t >= t1_;
    std::copy_n((at_end ? y1_ : y0_).begin(), size_, out);
    if (!at_end && t > t0_) block_.step(t0_, t - t0_, latest_, out);
  }
  long evaluations() const { return 0; }
  long rejected() const { return 0; }

 private:
  const lane_block& block_;
  double h_;
  std::size_t size_;
  double origin_ = 0, t0_ = 0, t1_ = 0, latest_ = 0;
  long count_ = 0;
  std::vector<double> y0_, y1_;
};

// Beyond this a run of an explicit method may count as one that diverges: 1e9 times the size of a state
// (integrate/stability.cpp), of which only simulate() can tell. Sizes of members differ a little.
double largest_sure(const pack_member& member, std::size_t state) {
  const tolerances& of_states = member.like->tolerance;
  const double scale = of_states.absolute[state] / of_states.relative;
  return 1e6 * std::max(std::abs(member.initial[state]), scale);
}

// Whether samples lie at the ends of steps.
bool is_on_grid(const scenario& s) {
  const double steps = s.sample / s.step;
  return s.sample == 0 || std::abs(steps - std::round(steps)) <= 1e-9 * steps;
}

}  // namespace

int widest_pack() { return most_lanes(); }

std::optional<std::string> pack_of(const scenario& s, std::span<const sweep_measure> measures,
                                   const simulate_options& limits) {
  const system& which = *s.system;
  if (s.audit || s.time_limit < unbounded || which.march() != nullptr || !has_fixed_step(s) ||
      !method_of(s) || s.initial.size() != which.card().states.size())
    return std::nullopt;
  const auto headers = columns_of(s);
  const auto kept = columns_for(headers, measures);
  if (!kept) return std::nullopt;
  // What does not fit into memory simulate() refuses.
  constexpr double most_kept = 8e6;  // [bytes] of a run
  const double rows = rows_of(s), all = 64 * rows * static_cast<double>(headers.size());
  if (8 * rows * static_cast<double>(kept->size() + 1) > most_kept ||
      (s.memory_limit > 0 && all > s.memory_limit) ||
      (limits.memory_limit > 0 && all > limits.memory_limit))
    return std::nullopt;
  const auto shape = lane_shape(which);
  if (!shape || !has_lane_method(which, *method_of(s))) return std::nullopt;
  return fmt::format("{} {} {} {} {} {}", *shape, s.method->name, s.step, s.duration, s.sample,
                     s.initial.size());
}

pack_member as_pack_member(scenario s) {
  std::vector<double> numbers = lane_numbers(*s.system), initial = s.initial;
  return {std::make_shared<const scenario>(std::move(s)), std::move(numbers), std::move(initial)};
}

namespace {

// What a pack keeps of its runs.
class pack_recorder {
 public:
  pack_recorder(std::span<const pack_member> members, std::span<const sweep_measure> measures,
                const lane_block& block)
      : members_(members),
        block_(block),
        width_(static_cast<std::size_t>(block.width())),
        states_(static_cast<std::size_t>(block.states())),
        headers_(columns_of(*members.front().like)),
        kept_(*columns_for(headers_, measures)),
        values_(kept_.size()),
        largest_(states_ * width_),
        is_sure_(members.size(), 1) {
    const scenario& like = *members.front().like;
    const system_card& card = like.system->card();
    for (const auto& each : card.columns)
      if (each.of != system_card::column::kind::input ||
          !card.inputs[each.index].shape->is_constant())
        columns_.push_back(each);
    for (std::size_t lane = 0; lane < width_; ++lane)
      for (std::size_t k = 0; k < states_; ++k)
        largest_[k * width_ + lane] = largest_sure(of_lane(lane), k);
    latest_ = last_seen(like);
    by_lanes_ = has_lane_outputs(*like.system);
    // Where samples lie inside steps, no step shows whether the force there is finite.
    needs_outputs_ = !is_on_grid(like);
    for (const std::size_t each : kept_)
      needs_outputs_ = needs_outputs_ || shown_in(each).of != system_card::column::kind::state;
    for (const auto& each : card.models)
      needs_outputs_ = needs_outputs_ || !each.model->describe().outputs.empty();
    outputs_.resize(card.outputs.size() * width_);
    if (by_lanes_) return;
    for (const auto& each : members) {
      work_.push_back(each.like->system->new_workspace());
      work_.back()->setting = *each.like;
    }
  }

  const pack_member& of_lane(std::size_t lane) const {
    return members_[std::min(lane, members_.size() - 1)];
  }

  void add(double t, const double* y) {
    times_.push_back(t);
    for (std::size_t k = 0; k < states_; ++k)
      for (std::size_t lane = 0; lane < members_.size(); ++lane)
        if (!(std::abs(y[k * width_ + lane]) <= largest_[k * width_ + lane])) is_sure_[lane] = 0;
    if (needs_outputs_) observe(std::min(t, latest_), y);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const auto [of, index] = shown_in(kept_[i]);
      using enum system_card::column::kind;
      if (of == input) {
        for (std::size_t lane = 0; lane < width_; ++lane)
          values_[i].push_back(
              of_lane(lane).like->system->card().inputs[index].shape->value(std::min(t, latest_)));
      } else {
        const double* from = (of == state ? y : outputs_.data()) + index * width_;
        values_[i].insert(values_[i].end(), from, from + width_);
      }
    }
  }

  // At the end: a force that is not finite shows in the step that would come next.
  void look_ahead(double t, double h, std::vector<double> y) {
    block_.step(t, h, latest_, y.data());
    for (std::size_t k = 0; k < states_; ++k)
      for (std::size_t lane = 0; lane < members_.size(); ++lane)
        if (!std::isfinite(y[k * width_ + lane])) is_sure_[lane] = 0;
  }

  double last_time() const { return times_.back(); }
  bool is_sure(std::size_t lane) const { return is_sure_[lane] != 0; }
  // Everything kept of a lane; the places of the one before are used again.
  const run_data& data_of(std::size_t lane) {
    if (data_.columns.empty()) {
      data_.columns.push_back({headers_.front().name, headers_.front().in, times_});
      for (const std::size_t each : kept_)
        data_.columns.push_back(
            {headers_[each].name, headers_[each].in, std::vector<double>(times_.size())});
    }
    for (std::size_t i = 0; i < kept_.size(); ++i)
      for (std::size_t n = 0; n < times_.size(); ++n)
        data_.columns[i + 1].values[n] = values_[i][n * width_ + lane];
    return data_;
  }

 private:
  std::span<const pack_member> members_;
  const lane_block& block_;
  std::size_t width_, states_;
  std::vector<column_header> headers_;
  std::vector<std::size_t> kept_;
  std::vector<system_card::column> columns_;
  std::vector<double> times_, outputs_, own_, out_;
  std::vector<std::vector<double>> values_;  // of the columns kept, [sample * width + lane]
  std::vector<double> largest_;
  std::vector<char> is_sure_;
  std::vector<std::unique_ptr<workspace>> work_;
  double latest_ = 0;
  bool by_lanes_ = false, needs_outputs_ = false;
  run_data data_;

  system_card::column shown_in(std::size_t column) const { return columns_[column - 1]; }

  void observe(double t, const double* y) {
    if (by_lanes_) {
      block_.observe(t, y, outputs_.data());
    } else {
      own_.resize(states_);
      out_.resize(outputs_.size() / width_);
      for (std::size_t lane = 0; lane < members_.size(); ++lane) {
        for (std::size_t k = 0; k < states_; ++k) own_[k] = y[k * width_ + lane];
        members_[lane].like->system->observe(t, own_.data(), out_.data(), *work_[lane]);
        for (std::size_t k = 0; k < out_.size(); ++k) outputs_[k * width_ + lane] = out_[k];
      }
    }
    for (std::size_t k = 0; k < outputs_.size() / width_; ++k)
      for (std::size_t lane = 0; lane < members_.size(); ++lane)
        if (!std::isfinite(outputs_[k * width_ + lane])) is_sure_[lane] = 0;
  }
};

}  // namespace

bool simulate_pack(std::span<const pack_member> members, std::span<const sweep_measure> measures,
                   const simulate_options& limits,
                   const std::function<void(std::size_t member, const run_data*)>& tell) {
  const scenario& like = *members.front().like;
  std::vector<const double*> numbers;
  for (const auto& each : members) numbers.push_back(each.numbers.data());
  const auto block = make_lane_block(*like.system, numbers, *method_of(like));
  const auto width = static_cast<std::size_t>(block->width());
  pack_recorder recorder(members, measures, *block);
  std::vector<double> start(static_cast<std::size_t>(block->states()) * width);
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] = recorder.of_lane(i % width).initial[i / width];

  run_options options;
  options.to = like.duration;
  options.sample_every = like.sample;
  options.max_steps = like.max_steps;
  options.limits.interrupt = limits.interrupt;
  if (limits.progress) options.progress = [&](double t) { limits.progress(t / like.duration); };
  block_stepper stepper(*block, like.step);
  std::vector<event_record> no_events;
  const auto result =
      run(stepper, start.data(), static_cast<int>(start.size()), options, std::span<const event>(),
          no_events, [&](double t, const double* y) { recorder.add(t, y); });
  if (result.how == outcome::interrupted) return false;
  // The end is shown even where it is not on the grid of samples.
  if (result.t > recorder.last_time()) recorder.add(result.t, stepper.y());
  recorder.look_ahead(result.t, like.step, {stepper.y(), stepper.y() + start.size()});
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool is_sure = result.how == outcome::completed && recorder.is_sure(i);
    tell(i, is_sure ? &recorder.data_of(i) : nullptr);
  }
  return true;
}

// ---- points that need not be read ---------------------------------------------------------------

namespace {

// All that a run of a pack depends on.
struct pack_record {
  std::string key;
  std::vector<double> values;  // numbers, then initial
};
std::optional<pack_record> record_of(const scenario& s, std::span<const sweep_measure> measures) {
  const auto key = pack_of(s, measures, {});
  if (!key) return std::nullopt;
  pack_record record{*key, lane_numbers(*s.system)};
  record.values.insert(record.values.end(), s.initial.begin(), s.initial.end());
  return record;
}

// The lowest and the highest other value that a parameter has among the points.
std::vector<double> other_values(const sweep_plan& plan, std::size_t parameter, double base) {
  std::vector<double> values;
  if (parameter < plan.axes().size()) {
    values = plan.axes()[parameter].values;
  } else {
    constexpr long long enough = 1000;
    for (long long i = 0; i < std::min(enough, plan.samples()); ++i)
      values.push_back(plan.parameters(i)[parameter]);
  }
  std::erase(values, base);
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low == *high ? std::vector{*low} : std::vector{*low, *high};
}

}  // namespace

std::shared_ptr<const quick_points> quick_points::of(const sweep_plan& plan) {
  if (plan.along() != continuation::none) return nullptr;
  const auto& measures = plan.measures();
  try {
    auto made = std::make_shared<quick_points>();
    const std::vector<double> base = plan.parameters(0);
    made->like_ = std::make_shared<const scenario>(plan.with(base, 0));
    const auto here = record_of(*made->like_, measures);
    // Outputs that only the system itself knows need a system for each point.
    if (!here || !has_lane_outputs(*made->like_->system)) return nullptr;
    // So do columns of inputs, which differ from point to point.
    for (const auto& each : made->like_->system->card().inputs)
      for (const auto& one : measures)
        if (each.name == one.what.column || each.name == one.what.over) return nullptr;
    made->key_ = here->key;
    made->places_.resize(base.size());
    std::vector<char> is_taken(here->values.size(), 0);
    for (std::size_t p = 0; p < base.size(); ++p) {
      const auto others = other_values(plan, p, base[p]);
      for (const double value : others) {
        auto values = base;
        values[p] = value;
        const auto there = record_of(plan.with(values, 0), measures);
        if (!there || there->key != here->key) return nullptr;
        std::vector<std::size_t> moved;
        for (std::size_t i = 0; i < here->values.size(); ++i) {
          if (there->values[i] == here->values[i]) continue;
          if (there->values[i] != value || here->values[i] != base[p]) return nullptr;
          moved.push_back(i);
        }
        if (value != others.front() && moved != made->places_[p]) return nullptr;
        made->places_[p] = moved;
      }
      for (const std::size_t i : made->places_[p]) {
        if (is_taken[i] != 0) return nullptr;
        is_taken[i] = 1;
      }
    }
    const auto states = static_cast<std::ptrdiff_t>(made->like_->initial.size());
    made->numbers_ = {here->values.begin(), here->values.end() - states};
    made->initial_ = {here->values.end() - states, here->values.end()};
    // Where several change at once.
    for (const long long point : {plan.points() / 3, plan.points() / 2, plan.points() - 1}) {
      const auto quick = made->at(plan, point);
      if (!quick) continue;
      const auto there = record_of(plan.at(point), measures);
      auto values = quick->numbers;
      values.insert(values.end(), quick->initial.begin(), quick->initial.end());
      if (!there || there->key != here->key || there->values != values) return nullptr;
    }
    return made;
  } catch (const error&) {
    return nullptr;  // a point that is refused says so when it is read
  }
}

std::optional<pack_member> quick_points::at(const sweep_plan& plan, long long point) const {
  pack_member member{like_, numbers_, initial_};
  const auto values = plan.parameters(point);
  for (std::size_t p = 0; p < values.size(); ++p)
    for (const std::size_t i : places_[p])
      (i < numbers_.size() ? member.numbers[i] : member.initial[i - numbers_.size()]) = values[p];
  if (!lane_numbers_are_allowed(*like_->system, member.numbers.data())) return std::nullopt;
  return member;
}

}  // namespace asperity
