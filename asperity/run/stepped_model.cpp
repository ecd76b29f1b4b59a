// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/mechanics/load.hpp>
#include <asperity/run/stepped_model.hpp>

namespace asperity {

namespace {

any_model checked(any_model model) {
  model.build();
  (void)model.check();
  return model;
}

bool are_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

stepped_model::stepped_model(any_model model)
    : model_(checked(std::move(model))),
      steps_(model_, relative_tolerance),
      in_(model_.at().inputs.size()),
      out_(model_.at().outputs.size()),
      state_(static_cast<std::size_t>(model_.states())),
      end_(state_.size()),
      rate_(state_.size() + 1),
      last_in_(in_.size()),
      from_(in_.size()) {
  reset();
}

void stepped_model::reset() {
  std::vector<double> rest(in_.size());
  for (std::size_t i = 0; i < rest.size(); ++i)
    rest[i] = model_.at().inputs[i].is == channel::load ? 1.0 : 0.0;
  reset(rest);
}

void stepped_model::reset(std::span<const double> inputs) {
  if (inputs.size() != in_.size())
    throw error(fmt::format("model '{}' (port {}) has {} inputs, not {}", model_.key(),
                            model_.at().name, in_.size(), inputs.size()));
  if (const refusal no = asperity::refused(model_, inputs.data()); no.name != nullptr)
    throw error(fmt::format("model '{}': {}", model_.key(), to_string(no)));
  std::copy(inputs.begin(), inputs.end(), in_.begin());
  last_in_ = in_;
  model_.initial(in_.data(), state_.data());
  steps_.begin_with(1);  // nothing is left of what was before
  work_ = 0;
  observe();
}

void stepped_model::set_state(std::span<const double> state) {
  if (state.size() != state_.size())
    throw error(
        fmt::format("model '{}' has {} states, not {}", model_.key(), state_.size(), state.size()));
  model_.check_state(state.data());
  std::copy(state.begin(), state.end(), state_.begin());
  observe();
}

std::vector<double> stepped_model::memory() const {
  std::vector<double> result;
  for (const auto* part : {&in_, &out_, &state_})
    result.insert(result.end(), part->begin(), part->end());
  result.push_back(work_);
  result.push_back(steps_.begins_with());
  return result;
}

void stepped_model::recall(std::span<const double> memory) {
  const std::size_t length = in_.size() + out_.size() + state_.size() + 2;
  if (memory.size() != length)
    throw error(fmt::format("model '{}' has a memory of {} numbers, not {}", model_.key(), length,
                            memory.size()));
  const double* from = memory.data();
  for (auto* part : {&in_, &out_, &state_}) {
    std::copy_n(from, part->size(), part->begin());
    from += part->size();
  }
  work_ = from[0];
  steps_.begin_with(from[1]);
}

range allowed_input(const any_model& model, const channel& c) noexcept {
  return c.is == channel::load && !model.load_is_weight() ? non_negative : any_value;
}

refusal refused(const any_model& model, const double* inputs) noexcept {
  for (const channel& c : model.at().inputs) {
    const double value = *inputs++;
    if (!std::isfinite(value)) return {c.name, value, "a finite number"};
    if (value < allowed_input(model, c).lower) return {c.name, value, "at least 0"};
  }
  return {};
}

refusal stepped_model::refused(const double* inputs, double h) const noexcept {
  if (!(h > 0)) return {"h", h, "above 0", " s"};
  if (!std::isfinite(h)) return {"h", h, "a finite number", " s"};
  return asperity::refused(model_, inputs);
}

refusal stepped_model::refused(const double* inputs, const double* free, const double* mobility,
                               double h) const noexcept {
  for (std::size_t k = 0; k < out_.size(); ++k) {
    if (!std::isfinite(free[k])) return {"free", free[k], "a finite number"};
    if (!std::isfinite(mobility[k])) return {"mobility", mobility[k], "a finite number"};
    if (mobility[k] < 0) return {"mobility", mobility[k], "at least 0"};
  }
  return refused(inputs, h);
}

const char* advice(outcome how, const any_model& model, const double* inputs) noexcept {
  static_assert(stepped_model::most_steps_in_one == 100'000);
  bool lacks_load = false;
  for (const channel& c : model.at().inputs)
    if (const double value = *inputs++; c.is == channel::load && value == 0) lacks_load = true;
  // On the way to a load of 0 the steps become ever shorter before a number ceases to be finite.
  if (lacks_load && (how == outcome::not_finite || (model.at().is_line() && needs_load(model))))
    return "there is no finite force at load = 0, by which this law divides: give a load above 0";
  switch (how) {
    case outcome::step_limit:
      return "100000 short steps did not reach the end of the step: the law is too stiff, or the "
             "motion too fast; take shorter steps (samples that lie closer together), a less stiff "
             "parameter, or a law with a closed form";
    case outcome::step_too_small:
      return "no short step reaches the required accuracy: the force jumps or the numbers are "
             "extreme; take shorter steps (samples that lie closer together), or other parameters";
    case outcome::not_finite:
      return "the force or a state is not finite: the law is not defined there, or the numbers are "
             "too large for it";
    default:
      return to_string(how);
  }
}

std::string to_string(const refusal& no) {
  return fmt::format("{} = {:g}{}: it must be {}", no.name, no.value, no.unit, no.must_be);
}

void stepped_model::observe() {
  if (model_.at().is_line()) {
    out_[0] = model_.force(state_.data(), {in_[0], in_[1], in_.size() > 2 ? in_[2] : 1.0});
  } else {
    model_.respond(in_.data(), state_.data(), out_.data(), rate_.data());
  }
}

outcome stepped_model::step(const double* inputs, double h,
                            std::span<const std::size_t> slopes) noexcept {
  const port& at = model_.at();
  if (refused(inputs, h).name != nullptr) return outcome::not_finite;
  const double power_before = at.power(in_.data(), out_.data());
  std::copy(in_.begin(), in_.end(), last_in_.begin());
  std::copy(inputs, inputs + in_.size(), in_.begin());
  std::copy(state_.begin(), state_.end(), end_.begin());
  const bool has_closed_form =
      model_.functions().in_double.advance != nullptr || model_.has_implicit_step();
  if (at.is_line() && (state_.empty() || has_closed_form)) {
    const auto drive_of = [&](const std::vector<double>& in) {
      return drive<double>{in[0], in[1], in.size() > 2 ? in[2] : 1.0};
    };
    out_[0] = model_.advance(end_.data(), drive_of(last_in_), drive_of(in_), h);
  } else {
    std::copy(last_in_.begin(), last_in_.end(), from_.begin());
    for (const std::size_t i : slopes) from_[i] = in_[i];
    const auto line = [&](double t, double* in) {
      const double share = t / h;
      for (std::size_t i = 0; i < in_.size(); ++i) in[i] = from_[i] + share * (in_[i] - from_[i]);
    };
    const long first = steps_.steps();
    const auto goes_on = [&](long steps) {
      return steps - first < most_steps_in_one ? outcome::completed : outcome::step_limit;
    };
    const outcome how = steps_.follow(model_, line, goes_on, 0.0, h, end_.data());
    if (how != outcome::completed) {
      std::copy(last_in_.begin(), last_in_.end(), in_.begin());
      return how;
    }
    model_.respond(in_.data(), end_.data(), out_.data(), rate_.data());
  }
  take_over(h, power_before);
  return are_finite(out_) ? outcome::completed : outcome::not_finite;
}

outcome stepped_model::step_coupled(const double* inputs, const double* free,
                                    const double* mobility, double h) noexcept {
  const port& at = model_.at();
  const std::size_t outputs = out_.size();
  if (!can_couple() || refused(inputs, free, mobility, h).name != nullptr)
    return outcome::not_finite;
  const double power_before = at.power(in_.data(), out_.data());
  std::copy(in_.begin(), in_.end(), last_in_.begin());
  std::copy(inputs, inputs + in_.size(), in_.begin());
  std::copy(state_.begin(), state_.end(), end_.begin());
  // The body may have been put elsewhere since the last step.
  for (std::size_t i = 0; i < in_.size(); ++i)
    if (at.inputs[i].is == channel::place) last_in_[i] = in_[i];
  if (at.is_line()) {
    const std::size_t moved = at.is_contact() ? 0 : 1;
    const double load = in_.size() > 2 ? in_[2] : 1.0;
    // The law counts what a newton takes away.
    const double taken = at.outputs[0].sign * mobility[0];
    out_[0] =
        model_.implicit_step(end_.data(), load, h, {last_in_[moved], free[0], taken}, last_in_[0])
            .f;
  } else if (!model_.step(in_.data(), state_.data(), free, mobility, h, out_.data(), end_.data())) {
    return outcome::solver_failed;
  }
  // Where the inputs are at the end.
  for (std::size_t k = 0; k < outputs; ++k) {
    const auto rate = static_cast<std::size_t>(at.outputs[k].rate_of);
    const int place = at.place_of(static_cast<int>(rate));
    const double value = free[k] - at.outputs[k].sign * mobility[k] * out_[k];
    if (at.outputs[k].sign < 0) {
      in_[rate] = (value - last_in_[static_cast<std::size_t>(place)]) / h;
      in_[static_cast<std::size_t>(place)] = value;
    } else {
      in_[rate] = value;
      if (place >= 0)
        in_[static_cast<std::size_t>(place)] =
            last_in_[static_cast<std::size_t>(place)] + h * value;
    }
  }
  take_over(h, power_before);
  return are_finite(out_) ? outcome::completed : outcome::not_finite;
}

void stepped_model::take_over(double h, double power_before) {
  std::swap(state_, end_);
  work_ += h / 2 * (power_before + model_.at().power(in_.data(), out_.data()));
}

double stepped_model::stored_energy() const {
  return model_.has_energy() ? model_.stored_energy(in_.data(), state_.data()) : 0.0;
}

}  // namespace asperity
