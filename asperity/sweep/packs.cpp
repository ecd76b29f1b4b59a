// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/batch/lane_times.hpp>
#include <asperity/batch/side_steps.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/run.hpp>
#include <asperity/mechanics/planar_system.hpp>
#include <asperity/run/reduced.hpp>
#include <asperity/run/rows.hpp>
#include <asperity/sweep/packs.hpp>
#include <bit>
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

// What columns show, the time apart.
std::vector<system_card::column> shown_by(const system_card& card) {
  std::vector<system_card::column> columns;
  for (const auto& each : card.columns)
    if (each.of != system_card::column::kind::input ||
        !card.inputs[each.index].shape->is_constant())
      columns.push_back(each);
  return columns;
}

// Outputs of its laws must be finite, even where no measure looks at them.
bool has_outputs_of_laws(const system_card& card) {
  return std::any_of(card.models.begin(), card.models.end(),
                     [](const auto& each) { return !each.model->describe().outputs.empty(); });
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
    ++count_;
    const detail::grid_step next =
        detail::step_on_grid(t0_, origin_ + static_cast<double>(count_) * h_, limit, h_);
    t1_ = next.to;
    block_.step(t0_, next.length, latest, y1_.data());
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
constexpr double sure_growth = 1e6;
double scale_of(const scenario& s, std::size_t state) {
  return s.tolerance.absolute[state] / s.tolerance.relative;
}
double largest_sure(const pack_member& member, std::size_t state) {
  return sure_growth * std::max(std::abs(member.initial[state]), scale_of(*member.like, state));
}

// Whether samples lie at the ends of steps.
bool is_on_grid(const scenario& s) {
  const double steps = s.sample / s.step;
  return s.sample == 0 || std::abs(steps - std::round(steps)) <= 1e-9 * steps;
}

std::string laws_of(const system& which) {
  std::vector<std::string> laws;
  for (const auto& each : which.card().models) laws.push_back(each.model->key());
  return laws.empty() ? "no law" : fmt::format("'{}'", fmt::join(laws, "', '"));
}

}  // namespace

int widest_pack() { return most_lanes(); }

std::optional<std::string> pack_of(const scenario& s, std::span<const sweep_measure> measures,
                                   const simulate_options& limits, std::string* why) {
  const system& which = *s.system;
  const auto alone = [&](const std::string& reason) {
    if (why != nullptr) *why = reason;
    return std::nullopt;
  };
  if (s.audit) return alone("its energy balance is audited");
  if (s.time_limit < unbounded) return alone("run.time_limit is set");
  if (!has_fixed_step(s) || !method_of(s))
    return alone(fmt::format(
        "the method '{}' has no steps of fixed length that runs can share: set integrator.step, "
        "and integrator.method to rk4, euler or backward_euler",
        s.method->name));
  if (which.march() != nullptr || s.initial.size() != which.card().states.size())
    return alone(fmt::format("the system '{}' has its own stepper", which.card().kind));
  const auto headers = columns_of(s);
  const auto kept = columns_for(headers, measures);
  if (!kept) return alone("a measure needs events, or more than the columns of the run");
  // What does not fit into memory simulate() refuses.
  constexpr double most_kept = 8e6;  // [bytes] of a run
  const double rows = rows_of(s), all = 64 * rows * static_cast<double>(headers.size());
  if (8 * rows * static_cast<double>(kept->size() + 1) > most_kept ||
      (s.memory_limit > 0 && all > s.memory_limit) ||
      (limits.memory_limit > 0 && all > limits.memory_limit))
    return alone(fmt::format("it has {:.0f} rows, which are too many: set run.sample", rows));
  const auto shape = lane_shape(which);
  if (!shape && planar_setup_in(which) != nullptr)
    return alone(
        fmt::format("runs of the system '{}' are stepped side by side only with 'planar_lugre' and "
                    "'planar_elastoplastic', with the coupling 'ellipsoid' or 'disc' and a "
                    "constant load above 0",
                    which.card().kind));
  if (!shape)
    return alone(
        fmt::format("the system '{}' with {} supports single runs only (docs/sweeps.md lists those "
                    "that are stepped side by side)",
                    which.card().kind, laws_of(which)));
  if (!has_lane_method(which, *method_of(s)))
    return alone(
        fmt::format("the system '{}' with {} has no backward Euler step in closed form that runs "
                    "can share: use rk4 or euler",
                    which.card().kind, laws_of(which)));
  if (has_times_of_its_own(which)) {
    if (s.sample == 0)
      return alone(
          fmt::format("the force of {} jumps, so steps end at touchdown and each run has rows at "
                      "different times: set run.sample",
                      laws_of(which)));
    if (s.duration / s.step > 0.5 * static_cast<double>(s.max_steps))
      return alone("the number of its steps comes close to run.max_steps");
  }
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
    columns_ = shown_by(card);
    for (std::size_t lane = 0; lane < width_; ++lane)
      for (std::size_t k = 0; k < states_; ++k)
        largest_[k * width_ + lane] = largest_sure(of_lane(lane), k);
    latest_ = last_seen(like);
    by_lanes_ = has_lane_outputs(*like.system);
    // Where samples lie inside steps, no step shows whether the force there is finite.
    needs_outputs_ = !is_on_grid(like);
    for (const std::size_t each : kept_)
      needs_outputs_ = needs_outputs_ || shown_in(each).of != system_card::column::kind::state;
    needs_outputs_ = needs_outputs_ || has_outputs_of_laws(card);
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

// Rows of runs whose steps have times of their own, as run() shows them.
std::vector<double> own_row_times(const scenario& s) {
  std::vector<double> t{0};
  const double slack = 1e-9 * s.sample;
  for (long n = 1; static_cast<double>(n) * s.sample <= s.duration + slack; ++n)
    if (const double at = static_cast<double>(n) * s.sample; at < s.duration - slack)
      t.push_back(at);
    else
      t.push_back(s.duration);
  if (s.duration > t.back()) t.push_back(s.duration);
  return t;
}

struct block_from_times {
  const lane_block_of_times* block;
  double latest;
  void operator()(const double* t, const double* h, double* y) const {
    block->step_from(t, h, latest, y);
  }
};

// Contacts whose force jumps. Returns whether it was not interrupted.
template <int Width>
bool go_from_row_to_row(const lane_block_of_times& block, const scenario& like,
                        std::vector<double> y, const simulate_options& limits,
                        pack_recorder& recorder, std::vector<char>& is_stuck) {
  constexpr int capacity = 2 + any_model::max_states;
  const double tolerance = run_options{}.event_tolerance;
  using steps = side_steps<Width, capacity, block_from_times>;
  const auto body = std::make_unique<steps>(block_from_times{&block, like.duration}, block.states(),
                                            like.step, like.duration, tolerance);
  body->start(y.data());
  std::copy_n(body->y(), y.size(), y.begin());
  recorder.add(0, y.data());
  const auto times = own_row_times(like);
  for (std::size_t n = 1; n < times.size(); ++n) {
    if (limits.interrupt != nullptr && limits.interrupt->load()) return false;
    body->reach(times[n], 1e-9 * like.sample, y.data());
    recorder.add(times[n], y.data());
    if (limits.progress) limits.progress(times[n] / like.duration);
  }
  recorder.look_ahead(like.duration, like.step, y);
  for (int lane = 0; lane < Width; ++lane) is_stuck.push_back(body->is_stuck(lane) ? 1 : 0);
  return true;
}

}  // namespace

bool simulate_pack(std::span<const pack_member> members, std::span<const sweep_measure> measures,
                   const simulate_options& limits, const tell_of_run& tell) {
  const scenario& like = *members.front().like;
  std::vector<const double*> numbers;
  for (const auto& each : members) numbers.push_back(each.numbers.data());
  const auto block = make_lane_block(*like.system, numbers, *method_of(like));
  const auto width = static_cast<std::size_t>(block->width());
  pack_recorder recorder(members, measures, *block);
  std::vector<double> start(static_cast<std::size_t>(block->states()) * width);
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] = recorder.of_lane(i % width).initial[i / width];

  if (const auto* by_times = dynamic_cast<const lane_block_of_times*>(block.get())) {
    std::vector<char> is_stuck;
    const auto go = [&]<int Width>() {
      return go_from_row_to_row<Width>(*by_times, like, start, limits, recorder, is_stuck);
    };
    const bool is_done = width == avx512_lanes::width ? go.operator()<avx512_lanes::width>()
                         : width == avx2_lanes::width ? go.operator()<avx2_lanes::width>()
                                                      : go.operator()<baseline_lanes::width>();
    if (!is_done) return false;
    for (std::size_t i = 0; i < members.size(); ++i)
      tell(i, recorder.is_sure(i) && is_stuck[i] == 0 ? &recorder.data_of(i) : nullptr);
    return true;
  }

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

// ---- packs on a GPU -----------------------------------------------------------------------------

namespace {

// Counts the steps of a run without taking them.
class step_counter final : public lane_block {
 public:
  explicit step_counter(double h) : h_(h) {}
  int width() const override { return 1; }
  int states() const override { return 0; }
  void step(double, double h, double, double*) const override {
    is_even_ = is_even_ && last_ == h_;
    last_ = h;
    ++count_;
  }
  void observe(double, const double*, double*) const override {}
  long count() const { return count_; }
  double last() const { return last_; }
  bool is_even() const { return is_even_; }  // whether all but the last had this length

 private:
  double h_;
  mutable double last_ = h_;
  mutable long count_ = 0;
  mutable bool is_even_ = true;
};

// When a run of a pack keeps its rows, and how many steps it has taken until then.
struct row_times {
  std::vector<double> t;
  long steps = 0, every = 1;  // rows lie so many steps apart; the last may be closer
  double last_step = 0;
};
// Nothing where rows lie inside steps, or the run does not reach its end.
std::optional<row_times> row_times_of(const scenario& s) {
  if (has_times_of_its_own(*s.system)) {
    row_times rows;
    rows.t = own_row_times(s);
    if (rows.t.size() < 2) return std::nullopt;
    rows.steps = static_cast<long>(rows.t.size()) - 1;
    return rows;
  }
  step_counter counter(s.step);
  block_stepper stepper(counter, s.step);
  run_options options;
  options.to = s.duration;
  options.sample_every = s.sample;
  options.max_steps = s.max_steps;
  row_times rows;
  std::vector<long> steps;
  const auto add = [&](double t) {
    rows.t.push_back(t);
    steps.push_back(counter.count());
  };
  std::vector<event_record> no_events;
  const double nothing = 0;
  const auto result = run(stepper, &nothing, 0, options, std::span<const event>(), no_events,
                          [&](double t, const double*) { add(t); });
  if (result.how != outcome::completed || counter.count() != result.steps || !counter.is_even())
    return std::nullopt;
  if (result.t > rows.t.back()) add(result.t);
  if (steps.size() < 2) return std::nullopt;
  rows.steps = result.steps;
  rows.last_step = counter.last();
  rows.every = steps[1];
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i] != std::min(static_cast<long>(i) * rows.every, rows.steps)) return std::nullopt;
  if (steps.back() != rows.steps) return std::nullopt;
  return rows;
}

// Rows of all members of a pack, as a device gives them.
class rows_of_members {
 public:
  rows_of_members(const scenario& like, std::span<const sweep_measure> measures, std::size_t count)
      : headers_(columns_of(like)), kept_(*columns_for(headers_, measures)), count_(count) {
    const auto columns = shown_by(like.system->card());
    for (const std::size_t each : kept_) {
      shown_.push_back(columns[each - 1]);
      const auto [of, index] = shown_.back();
      using enum system_card::column::kind;
      if (of == state) states |= bit(index);
      if (of == output) outputs |= bit(index);
    }
  }

  std::uint64_t states = 0, outputs = 0;  // bits of those that are kept
  bool has_inputs() const {
    return std::any_of(shown_.begin(), shown_.end(), [](const auto& each) {
      return each.of == system_card::column::kind::input;
    });
  }
  std::size_t columns() const { return kept_.size(); }

  void make_room(std::vector<double> times) {
    times_ = std::move(times);
    values_.resize(count_ * kept_.size() * times_.size());
    data_.columns.push_back({headers_.front().name, headers_.front().in, times_});
    for (const std::size_t each : kept_)
      data_.columns.push_back(
          {headers_[each].name, headers_[each].in, std::vector<double>(times_.size())});
  }
  // values[(row * columns + column) * members + member]; states come first, then outputs.
  void take(std::size_t first, std::size_t rows, const double* values) {
    constexpr std::size_t together = 8;  // a line of the cache
    for (std::size_t c = 0; c < kept_.size(); ++c)
      for (std::size_t i = 0; i < count_; i += together)
        for (std::size_t row = 0; row < rows; ++row) {
          const double* from = values + (row * kept_.size() + c) * count_;
          for (std::size_t k = i; k < std::min(count_, i + together); ++k)
            values_[(k * kept_.size() + c) * times_.size() + first + row] = from[k];
        }
  }
  const run_data& data_of(std::size_t member) {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const double* from =
          values_.data() + (member * kept_.size() + place_of(shown_[i])) * times_.size();
      std::copy_n(from, times_.size(), data_.columns[i + 1].values.begin());
    }
    return data_;
  }

 private:
  std::vector<column_header> headers_;
  std::vector<std::size_t> kept_;
  std::size_t count_;
  std::vector<system_card::column> shown_;
  std::vector<double> times_, values_;
  run_data data_;

  static std::uint64_t bit(std::size_t index) { return std::uint64_t{1} << index; }

  // Among the columns that the device gives.
  std::size_t place_of(const system_card::column& shown) const {
    const bool is_state = shown.of == system_card::column::kind::state;
    const std::uint64_t before = (is_state ? states : outputs) & (bit(shown.index) - 1);
    return static_cast<std::size_t>((is_state ? 0 : std::popcount(states)) + std::popcount(before));
  }
};

// Measures that need no rows, and what a device is asked for in their place.
class reduced_members {
 public:
  // Nothing where a measure needs rows, or they are too many.
  static std::optional<reduced_members> of(const scenario& like,
                                           std::span<const sweep_measure> measures,
                                           const std::vector<double>& times) {
    const auto headers = columns_of(like);
    const auto columns = shown_by(like.system->card());
    reduced_members made;
    for (const auto& each : measures) {
      measure m = each.what;
      if (each.is_list || !is_reducible(m)) return std::nullopt;
      if (m.second_half) m.from = times.back() / 2;
      const auto from = std::lower_bound(times.begin(), times.end(), m.from);
      const auto to = std::upper_bound(times.begin(), times.end(), m.to);
      const auto header =
          std::find_if(headers.begin(), headers.end(),
                       [&](const column_header& one) { return one.name == m.column; });
      if (header == headers.begin() || header == headers.end()) return std::nullopt;
      const auto shown = columns[static_cast<std::size_t>(header - headers.begin()) - 1];
      using enum system_card::column::kind;
      if (shown.of == input) return std::nullopt;
      lane_reduction wanted{.first = from - times.begin(), .last = to - times.begin() - 1};
      (shown.of == state ? wanted.state : wanted.output) = static_cast<int>(shown.index);
      made.measures_.push_back({m, -1, {}});
      if (wanted.last < wanted.first) continue;  // no row lies there
      made.measures_.back().whole = {times[static_cast<std::size_t>(wanted.first)],
                                     times[static_cast<std::size_t>(wanted.last)]};
      auto& all = made.reductions;
      made.measures_.back().reduction = std::find(all.begin(), all.end(), wanted) - all.begin();
      if (made.measures_.back().reduction == std::ssize(all)) all.push_back(wanted);
    }
    if (made.reductions.size() > lane_job::most_reductions) return std::nullopt;
    return made;
  }

  std::vector<lane_reduction> reductions;

  void take(const double* values, std::size_t members) {
    members_ = members;
    values_.assign(values, values + reductions.size() * lane_reduced_numbers * members);
  }
  void values_of(std::size_t member, std::vector<double>& to) const {
    to.clear();
    for (const auto& each : measures_) {
      if (each.reduction < 0) {
        to.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      const auto number = [&](lane_reduced which) {
        const auto place = static_cast<std::size_t>(each.reduction * lane_reduced_numbers + which);
        return values_[place * members_ + member];
      };
      reduced_column rows = each.whole;
      rows.first = number(at_first);
      rows.last = number(at_last);
      rows.lowest = number(at_lowest);
      rows.highest = number(at_highest);
      rows.integral = number(as_integral);
      to.push_back(evaluate(each.what, rows));
    }
  }

 private:
  struct reduced_measure {
    measure what;
    std::ptrdiff_t reduction;  // -1: there is nothing to measure
    reduced_column whole;      // the times alone
  };
  std::vector<reduced_measure> measures_;
  std::vector<double> values_;
  std::size_t members_ = 0;
};

}  // namespace

namespace {

// Where a float leaves too few digits.
std::string why_not_in_float(const scenario& s, const lane_kernel_name& kernel) {
  if (kernel.body == lane_body::sphere || kernel.body == lane_body::uneven_sphere)
    return fmt::format(
        "float has too few digits for '{}': its gap is the height of the centre minus the radius",
        s.system->card().kind);
  // Each step is rounded by up to 6e-8 of the state.
  constexpr double most_steps = 1 << 24;
  if (s.duration / s.step > most_steps)
    return fmt::format(
        "in float the rounding errors of its {:.0f} steps may be as large as its states: at most "
        "{:.0f} steps are possible",
        s.duration / s.step, most_steps);
  return "";
}

void choose_kernel(const pack_device& device, const scenario& s, lane_kernel_name& kernel) {
  kernel.method = *method_of(s);
  kernel.is_fast = device.is_fast;
  kernel.is_float = device.is_float;
}

}  // namespace

std::string why_not_on_device(const pack_device& device, const scenario& s,
                              std::span<const sweep_measure> measures) {
  const system& which = *s.system;
  auto job = lane_job_for(which);
  if (!job)
    return "an input is not a constant, a ramp or a sine, the only inputs that the kernels support";
  choose_kernel(device, s, job->kernel);
  if (device.is_float)
    if (std::string why = why_not_in_float(s, job->kernel); !why.empty()) return why;
  const std::string_view curve = job->kernel.curve;
  if (!device.kernels->has(job->kernel))
    return fmt::format(
        "there is no kernel for {}{} in '{}' by {}: kernels exist for laws that do not branch on "
        "their memory, with any curve if they have up to four states, otherwise with their default "
        "curve",
        laws_of(which),
        curve.empty() || has_times_of_its_own(which) ? ""
                                                     : fmt::format(" with the curve '{}'", curve),
        which.card().kind, s.method->name);
  if (!row_times_of(s))
    return "rows of the run lie inside steps: make run.sample a multiple of integrator.step";
  const rows_of_members rows(s, measures, 1);
  if (rows.has_inputs()) return "a measure uses an input";
  if (has_outputs_of_laws(which.card()))
    return fmt::format("{} has further outputs", laws_of(which));
  if (rows.outputs != 0 && !has_lane_outputs(which))
    return fmt::format("a measure uses a force that {} does not determine while it holds the body",
                       laws_of(which));
  return "";
}

int widest_pack_on_device(const scenario& s, std::span<const sweep_measure> measures,
                          const simulate_options& limits) {
  constexpr double enough = 65536, without_limit = 1e9;
  const double memory = limits.memory_limit > 0 ? limits.memory_limit : without_limit;
  const double columns = static_cast<double>(rows_of_members(s, measures, 1).columns());
  return static_cast<int>(std::clamp(memory / 4 / (8 * rows_of(s) * columns), 1.0, enough));
}

bool simulate_pack(const pack_device& device, std::span<const pack_member> members,
                   std::span<const sweep_measure> measures, const simulate_options& limits,
                   const tell_of_run& tell, const tell_of_values& tell_values) {
  const scenario& like = *members.front().like;
  row_times times = *row_times_of(like);
  rows_of_members rows(like, measures, members.size());
  lane_job job = *lane_job_for(*like.system);
  choose_kernel(device, like, job.kernel);
  for (const auto& each : members) {
    job.numbers.push_back(each.numbers.data());
    job.initial.push_back(each.initial.data());
  }
  job.step = like.step;
  job.last_step = times.last_step;
  job.steps = times.steps;
  job.every = times.every;
  job.latest = like.duration;
  job.last_seen = last_seen(like);
  job.asks_for_outputs = rows.outputs != 0;
  auto reduced = reduced_members::of(like, measures, times.t);
  if (reduced) {
    job.reductions = reduced->reductions;
    job.times = std::move(times.t);
    job.take_reduced = [&](const double* values) { reduced->take(values, members.size()); };
  } else {
    job.keeps_states = rows.states;
    job.keeps_outputs = rows.outputs;
    if (has_times_of_its_own(*like.system)) job.times = times.t;
    rows.make_room(std::move(times.t));
  }
  job.sure = sure_growth;
  for (std::size_t k = 0; k < like.initial.size(); ++k) job.scales.push_back(scale_of(like, k));
  job.take = [&](long first, long count, const double* values) {
    rows.take(static_cast<std::size_t>(first), static_cast<std::size_t>(count), values);
  };
  job.goes_on = [&] { return limits.interrupt == nullptr || !limits.interrupt->load(); };

  std::vector<char> is_sure;
  std::string problem;
  const lane_outcome how = device.kernels->run(job, is_sure, problem);
  if (how == lane_outcome::failed) throw error(fmt::format("device 'cuda': {}", problem));
  if (how == lane_outcome::interrupted) return false;
  std::vector<double> values;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (is_sure[i] == 0 || !reduced) {
      tell(i, is_sure[i] != 0 ? &rows.data_of(i) : nullptr);
    } else {
      reduced->values_of(i, values);
      tell_values(i, values);
    }
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
