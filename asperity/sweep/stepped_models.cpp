// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/integrate/sample_steps.hpp>
#include <asperity/sweep/stepped_models.hpp>

namespace asperity {

// Some models side by side.
class stepped_models::pack_of_models {
 public:
  pack_of_models() = default;
  pack_of_models(const pack_of_models&) = delete;
  pack_of_models& operator=(const pack_of_models&) = delete;
  virtual ~pack_of_models() = default;

  virtual void reset() = 0;
  virtual void get_state(int lane, double* to) const = 0;
  virtual void set_state(int lane, const double* from) = 0;
  // The force and the length of steps of a lane, which are carried on beside its state.
  virtual void get_rest(int lane, double* to) const = 0;
  virtual void set_rest(int lane, const double* from) = 0;
  // Forces of all lanes: those of the last call of one of these two, the second of which says how
  // the step of each lane ended.
  virtual const double* forces() const = 0;
  virtual void observe(const drive<double>& in) = 0;
  virtual void step(const drive<double>& from, const drive<double>& to, double h, outcome* how) = 0;
};

namespace {

constexpr std::size_t most_lanes_of_all = avx512_lanes::width;

drive<double> drive_of(const std::vector<double>& in) { return {in[0], in[1], in[2]}; }

// How stepped_model goes from one sample to the next.
enum class way { at_once, closed_form, pair };

template <class S>
struct lane_memory {
  const lane_functions<S>* functions;
  std::shared_ptr<void> self;
  way goes;
  int models;  // in use; the lanes behind them repeat the last
  std::vector<S> start, scale, state;
  pair_attempt<S> pair;
  sample_step lengths[S::width] = {};
};

template <class S>
inline drive<S> wide_drive(const drive<double>& in) {
  return {lit<S>(in.x), lit<S>(in.v), lit<S>(in.load)};
}

template <class S>
inline void observe_lanes(const lane_memory<S>& m, const drive<double>& in, double* f) {
  S force, rate[any_model::max_states];
  m.functions->respond(m.self.get(), m.state.data(), wide_drive<S>(in), &force, rate);
  force.store(f);
}

// port_steps::follow for each lane: with a length of its own, and at rest once it has arrived.
template <class S>
inline void follow_lanes(lane_memory<S>& m, const drive<double>& from, const drive<double>& to,
                         double end, outcome* how) {
  const S from_x = lit<S>(from.x), from_v = lit<S>(from.v), from_load = lit<S>(from.load);
  const S x = lit<S>(to.x - from.x), v = lit<S>(to.v - from.v), load = lit<S>(to.load - from.load);
  const S whole = lit<S>(end);
  const auto rates = [&](const S& t, const S* y, std::vector<S>& rate) {
    const S share = t / whole;
    S force;
    m.functions->respond(m.self.get(), y,
                         {from_x + share * x, from_v + share * v, from_load + share * load}, &force,
                         rate.data());
  };
  const auto allowed = [&](std::size_t i, const S& size) {
    return lit<S>(stepped_model::relative_tolerance) * (lit<S>(1e-3) * m.scale[i] + size);
  };
  double t[S::width] = {}, h[S::width], worst[S::width], is_taken[S::width];
  bool is_there[S::width];
  long steps = 0;  // of those that are not there yet
  int left = 0;
  for (int lane = 0; lane < S::width; ++lane) {
    is_there[lane] = lane >= m.models || how[lane] != outcome::completed;
    left += is_there[lane] ? 0 : 1;
  }
  rates(lit<S>(0.0), m.state.data(), m.pair.first_rates());
  while (left > 0) {
    for (int lane = 0; lane < S::width; ++lane)
      h[lane] = is_there[lane] ? 0.0 : m.lengths[lane].length(end - t[lane]);
    m.pair.take(rates, allowed, S::load(t), S::load(h), m.state.data()).store(worst);
    ++steps;
    for (int lane = 0; lane < S::width; ++lane) {
      is_taken[lane] = 0;
      if (is_there[lane]) continue;
      sample_step& length = m.lengths[lane];
      if (length.takes(worst[lane], h[lane])) {
        is_taken[lane] = 1;
        t[lane] = length.is_last() ? end : t[lane] + h[lane];
        is_there[lane] = !(t[lane] < end);
      } else {
        how[lane] = sample_step::gives_up(worst[lane], h[lane], std::abs(t[lane]) + end);
      }
      if (!is_there[lane] && how[lane] == outcome::completed &&
          steps >= stepped_model::most_steps_in_one)
        how[lane] = outcome::step_limit;
      is_there[lane] = is_there[lane] || how[lane] != outcome::completed;
      left -= is_there[lane] ? 1 : 0;
    }
    const auto taken = lit<S>(0.5) < S::load(is_taken);
    for (std::size_t i = 0; i < m.state.size(); ++i) {
      m.state[i] = select(taken, m.pair.next[i], m.state[i]);
      S& first = m.pair.first_rates()[i];
      first = select(taken, m.pair.last_rates()[i], first);
    }
  }
}

template <class S>
inline void step_lanes(lane_memory<S>& m, const drive<double>& from, const drive<double>& to,
                       double h, double* f, outcome* how) {
  if (m.goes == way::closed_form) {
    // As any_model::advance: the rate at the end is given.
    const S u = lit<S>(to.v);
    step_end<S> end;
    m.functions->implicit_step(m.self.get(), m.state.data(), lit<S>(to.load), lit<S>(h),
                               {u, u, lit<S>(0.0)}, lit<S>(0.0), m.pair.next.data(), &end);
    std::swap(m.state, m.pair.next);
    end.f.store(f);
  } else {
    if (m.goes == way::pair) follow_lanes(m, from, to, h, how);
    observe_lanes(m, to, f);
  }
  for (int lane = 0; lane < m.models; ++lane)
    if (how[lane] == outcome::completed && !std::isfinite(f[lane])) how[lane] = outcome::not_finite;
}

// Everything but the model is inlined into these; which of them runs is decided when the program runs.
#define ASPERITY_STEP_MODELS(lanes, ...)                                                         \
  __VA_ARGS__ void step_in(lane_memory<lanes>& m, const drive<double>& from,                     \
                           const drive<double>& to, double h, double* f, outcome* how) {         \
    step_lanes(m, from, to, h, f, how);                                                          \
  }                                                                                              \
  __VA_ARGS__ void observe_in(const lane_memory<lanes>& m, const drive<double>& in, double* f) { \
    observe_lanes(m, in, f);                                                                     \
  }
ASPERITY_STEP_MODELS(baseline_lanes, [[gnu::flatten]])
#if defined(__x86_64__)
ASPERITY_STEP_MODELS(avx2_lanes, [[gnu::target("avx2"), gnu::flatten]])
ASPERITY_STEP_MODELS(avx512_lanes, [[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten]])
#endif
#undef ASPERITY_STEP_MODELS

template <class S>
class pack_in final : public stepped_models::pack_of_models {
 public:
  explicit pack_in(lane_memory<S> memory) : m_(std::move(memory)) {}
  void reset() override {
    m_.state = m_.start;
    for (sample_step& each : m_.lengths) each.begin_with(1);
  }
  void get_state(int lane, double* to) const override {
    for (const S& each : m_.state) *to++ = each[lane];
  }
  void set_state(int lane, const double* from) override {
    for (S& each : m_.state) {
      double lanes[S::width];
      each.store(lanes);
      lanes[lane] = *from++;
      each = S::load(lanes);
    }
  }
  void get_rest(int lane, double* to) const override {
    to[0] = f_[lane];
    to[1] = m_.lengths[lane].begins_with();
  }
  void set_rest(int lane, const double* from) override {
    f_[lane] = from[0];
    m_.lengths[lane].begin_with(from[1]);
  }
  const double* forces() const override { return f_; }
  void observe(const drive<double>& in) override { observe_in(m_, in, f_); }
  void step(const drive<double>& from, const drive<double>& to, double h, outcome* how) override {
    step_in(m_, from, to, h, f_, how);
  }

 private:
  lane_memory<S> m_;
  double f_[S::width] = {};
};

// What each model has of its own.
struct rows_of_models {
  std::vector<double> numbers, starts, scales;  // one model after another
  std::size_t width = 0, states = 0;            // of numbers; of the others
};

template <class S>
std::unique_ptr<stepped_models::pack_of_models> pack_from(const any_model& like,
                                                          const lane_model& lanes, way goes,
                                                          const rows_of_models& rows,
                                                          std::size_t first, std::size_t count) {
  const auto& functions = functions_in<S>(lanes);
  const double* numbers[most_lanes_of_all];
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = rows.numbers.data() + (first + i) * rows.width;
  const auto of_states = [&](const std::vector<double>& from) {
    std::vector<S> result(rows.states);
    for (std::size_t k = 0; k < rows.states; ++k) {
      double values[S::width];
      for (std::size_t lane = 0; lane < static_cast<std::size_t>(S::width); ++lane)
        values[lane] = from[(first + std::min(lane, count - 1)) * rows.states + k];
      result[k] = S::load(values);
    }
    return result;
  };
  return std::make_unique<pack_in<S>>(
      lane_memory<S>{&functions, functions.make(like, {numbers, count}, 0), goes,
                     static_cast<int>(count), of_states(rows.starts), of_states(rows.scales),
                     of_states(rows.starts), pair_attempt<S>(rows.states)});
}

// Null where models like this one cannot be asked for many at once, or not for the step that
// stepped_model takes.
const lane_model* lanes_for(const any_model& like, way& goes) {
  const bool has_closed_form = like.has_implicit_step();
  if (!like.at().is_sliding() || like.functions().in_double.advance != nullptr) return nullptr;
  const lane_model* lanes = find_lane_model(like);
  goes = like.states() == 0 ? way::at_once : has_closed_form ? way::closed_form : way::pair;
  if (lanes == nullptr) return nullptr;
  return goes == way::closed_form && lanes->in_baseline.implicit_step == nullptr ? nullptr : lanes;
}

instruction_set narrower(instruction_set use) {
  return use == instruction_set::avx512 ? instruction_set::avx2 : instruction_set::baseline;
}

[[noreturn]] void refuse(std::size_t model, std::size_t count, const error& e) {
  throw error(fmt::format("{} (model {} of {}, counted from 0)", e.what(), model, count));
}

}  // namespace

stepped_models::stepped_models(stepped_models&&) noexcept = default;
stepped_models& stepped_models::operator=(stepped_models&&) noexcept = default;
stepped_models::~stepped_models() = default;

stepped_models::stepped_models(std::vector<any_model> models)
    : like_(models.front()), count_(models.size()), in_(like_.at().inputs.size()) {
  alone_.reserve(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    try {
      alone_.emplace_back(std::move(models[i]));
    } catch (const error& e) {
      refuse(i, count_, e);
    }
  }
  in_.assign(alone_.front().inputs().begin(), alone_.front().inputs().end());
}

stepped_models::stepped_models(const any_model& like, std::span<const values> given,
                               std::size_t count, instruction_set use)
    : like_(like), count_(count), in_(like_.at().inputs.size()) {
  way goes{};
  const lane_model* lanes = lanes_for(like, goes);
  any_model one = like;
  const auto set_one = [&](std::size_t i) {
    for (const auto& each : given) one.set(each.name, each.of_models[i]);
  };
  if (lanes == nullptr) {
    alone_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      try {
        set_one(i);
        alone_.emplace_back(one);
      } catch (const error& e) {
        refuse(i, count, e);
      }
    }
    in_.assign(alone_.front().inputs().begin(), alone_.front().inputs().end());
    return;
  }

  // The card is asked once; any_model has the words where a value is refused.
  const auto card = one.describe();
  struct target {
    double* value;
    range allowed;
    const double* of_models;
  };
  std::vector<target> targets;
  for (const auto& each : given) {
    const auto p = std::find_if(card.parameters.begin(), card.parameters.end(),
                                [&](const auto& entry) { return entry.name == each.name; });
    if (p == card.parameters.end() || p->value.size() != 1)
      one.set(each.name, std::vector<double>{});
    targets.push_back({p->value.front(), p->allowed, each.of_models});
  }
  rows_of_models rows;
  rows.states = static_cast<std::size_t>(like.states());
  rows.starts.resize(count * rows.states);
  rows.scales.resize(count * rows.states, 1.0);
  for (std::size_t i = 0; i < count; ++i) {
    try {
      bool is_allowed = true;
      for (const target& each : targets) {
        is_allowed = is_allowed && allows(each.allowed, each.of_models[i]);
        *each.value = each.of_models[i];
      }
      if (!is_allowed) set_one(i);
      (void)one.check();
    } catch (const error& e) {
      refuse(i, count, e);
    }
    if (i == 0) like_ = one;
    lanes->read(one, rows.numbers);
    one.initial(rows.starts.data() + i * rows.states);
    one.state_scale(rows.scales.data() + i * rows.states);
  }
  rows.width = rows.numbers.size() / std::max<std::size_t>(count, 1);
  // No wider than there are models.
  while (use != instruction_set::baseline &&
         count <= static_cast<std::size_t>(most_lanes(narrower(use))))
    use = narrower(use);
  width_ = static_cast<std::size_t>(most_lanes(use));
  for (std::size_t first = 0; first < count; first += width_) {
    const std::size_t some = std::min(width_, count - first);
    auto* make = &pack_from<baseline_lanes>;
#if defined(__x86_64__)
    if (use == instruction_set::avx512)
      make = &pack_from<avx512_lanes>;
    else if (use == instruction_set::avx2)
      make = &pack_from<avx2_lanes>;
#endif
    packs_.push_back(make(like, *lanes, goes, rows, first, some));
  }
  const double rest[] = {0.0, 0.0, 1.0};
  reset(rest);
}

void stepped_models::reset(std::span<const double> inputs) {
  for (stepped_model& each : alone_) each.reset(inputs);
  if (!packs_.empty()) {
    if (inputs.size() != in_.size())
      throw error(fmt::format("model '{}' (port {}) has {} inputs, not {}", like_.key(),
                              like_.at().name, in_.size(), inputs.size()));
    if (const refusal no = refused(like_, inputs.data()); no.name != nullptr)
      throw error(fmt::format("model '{}': {}", like_.key(), to_string(no)));
    for (const auto& each : packs_) {
      each->reset();
      each->observe({inputs[0], inputs[1], inputs[2]});
    }
  }
  in_.assign(inputs.begin(), inputs.end());
}

std::vector<double> stepped_models::state(std::size_t model) const {
  if (packs_.empty()) return {alone_.at(model).state().begin(), alone_.at(model).state().end()};
  std::vector<double> result(static_cast<std::size_t>(like_.states()));
  packs_.at(model / width_)->get_state(static_cast<int>(model % width_), result.data());
  return result;
}

void stepped_models::set_state(std::size_t model, std::span<const double> state) {
  if (packs_.empty()) return alone_.at(model).set_state(state);
  if (state.size() != static_cast<std::size_t>(like_.states()))
    throw error(
        fmt::format("model '{}' has {} states, not {}", like_.key(), like_.states(), state.size()));
  like_.check_state(state.data());
  pack_of_models& pack = *packs_.at(model / width_);
  pack.set_state(static_cast<int>(model % width_), state.data());
  pack.observe(drive_of(in_));
}

std::vector<double> stepped_models::memory(std::size_t model) const {
  if (packs_.empty()) return alone_.at(model).memory();
  std::vector<double> result = in_;
  const std::vector<double> states = state(model);
  result.insert(result.end(), states.begin(), states.end());
  result.resize(result.size() + 2);
  packs_.at(model / width_)
      ->get_rest(static_cast<int>(model % width_), result.data() + result.size() - 2);
  return result;
}

void stepped_models::recall(std::size_t model, std::span<const double> memory) {
  if (packs_.empty()) {
    alone_.at(model).recall(memory);
    in_.assign(alone_.front().inputs().begin(), alone_.front().inputs().end());
    return;
  }
  const std::size_t length = in_.size() + static_cast<std::size_t>(like_.states()) + 2;
  if (memory.size() != length)
    throw error(fmt::format("model '{}' has a memory of {} numbers, not {}", like_.key(), length,
                            memory.size()));
  std::copy_n(memory.begin(), in_.size(), in_.begin());
  pack_of_models& pack = *packs_.at(model / width_);
  const int lane = static_cast<int>(model % width_);
  pack.set_state(lane, memory.data() + in_.size());
  pack.set_rest(lane, memory.data() + length - 2);
}

stepped_models::ending stepped_models::sample(const sampled_inputs& given, bool resets, double* out,
                                              const std::function<bool()>& goes_on) {
  ending result;
  std::vector<double> in = in_;
  if (packs_.empty()) {
    const std::size_t length = given.rows() * like_.at().outputs.size();
    for (std::size_t i = 0; i < count_ && result.how == outcome::completed; ++i) {
      const auto [how, row] = asperity::sample(alone_[i], given, resets, out + i * length, goes_on);
      result = {how, i, row};
    }
    in.assign(alone_.front().inputs().begin(), alone_.front().inputs().end());
  } else {
    for (std::size_t p = 0; p < packs_.size() && result.how == outcome::completed; ++p)
      result = sample_pack(p, given, resets, out + p * width_ * given.rows(), in, goes_on);
  }
  in_ = in;
  return result;
}

stepped_models::ending stepped_models::sample_pack(std::size_t pack, const sampled_inputs& given,
                                                   bool resets, double* out,
                                                   std::vector<double>& in,
                                                   const std::function<bool()>& goes_on) {
  pack_of_models& now = *packs_[pack];
  const std::size_t first = pack * width_, models = std::min(width_, count_ - first);
  const std::size_t rows = given.rows();
  // Some rows of all lanes, so that each model's are written in one go.
  constexpr std::size_t most_kept = 32;
  double kept[most_kept][most_lanes_of_all];
  std::size_t held = 0;
  outcome how[most_lanes_of_all] = {};
  std::size_t failed_at[most_lanes_of_all] = {};
  std::vector<double> before = in_;
  in = in_;
  for (std::size_t row = 0; row < rows; ++row) {
    if (row % rows_between_questions == 0 && !goes_on()) return {outcome::interrupted, first, row};
    given.at(row, before.data(), in.data());
    const double h = given.step(row);
    if (refused(like_, in.data()).name != nullptr || (row > 0 && !(h > 0 && std::isfinite(h))))
      return {outcome::not_finite, first, row};
    if (row > 0) {
      for (const std::size_t i : given.slopes()) before[i] = in[i];
      now.step(drive_of(before), drive_of(in), h, how);
    } else if (resets) {
      now.reset();
      now.observe(drive_of(in));
    } else {
      in = before;
    }
    std::copy_n(now.forces(), width_, kept[held]);
    for (std::size_t i = 0; i < models; ++i)
      if (how[i] != outcome::completed && failed_at[i] == 0) failed_at[i] = row;
    if (++held == most_kept || row + 1 == rows) {
      for (std::size_t i = 0; i < models; ++i)
        for (std::size_t k = 0; k < held; ++k) out[i * rows + row + 1 - held + k] = kept[k][i];
      held = 0;
    }
    std::swap(before, in);
  }
  in = before;
  for (std::size_t i = 0; i < models; ++i)
    if (failed_at[i] != 0) return {how[i], first + i, failed_at[i]};
  return {};
}

}  // namespace asperity
