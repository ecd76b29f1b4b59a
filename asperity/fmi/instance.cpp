// SPDX-License-Identifier: Apache-2.0
#include <asperity/fmi/instance.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/quantity.hpp>
#include <asperity/run/jumps.hpp>
#include <cmath>

namespace asperity::fmi {

namespace {

// Two times that an importer means to be one: some add up their steps, and drift by rounding.
bool same_time(double a, double b, double step) {
  return std::abs(a - b) <= 1e-7 * step + 4e-16 * std::abs(b);
}

integration_result ended(outcome how, double t) {
  integration_result result;
  result.how = how;
  result.t = t;
  return result;
}

}  // namespace

instance::instance(std::shared_ptr<const description> about) : about_(std::move(about)) {}

const variable& instance::at(reference which) const {
  if (which < about_->variables.size()) return about_->variables[which];
  throw error(fmt::format(
      "there is no variable with the value reference {}: value references go from 0 to {}", which,
      about_->variables.size() - 1));
}

// ---- before the start ---------------------------------------------------------------------------

void instance::set_experiment(double start, std::optional<double> stop,
                              std::optional<double> tolerance) {
  if (!std::isfinite(start))
    throw error(fmt::format("startTime = {}: it must be a finite number", start));
  if (stop && !(*stop >= start && std::isfinite(*stop)))
    throw error(fmt::format("stopTime = {}: it must be a finite number, at least startTime = {}",
                            *stop, start));
  if (tolerance && !(*tolerance > 0 && *tolerance <= 1))
    throw error(fmt::format("tolerance = {}: it must be above 0, at most 1", *tolerance));
  start_ = t_ = start;
  stop_ = stop;
  tolerance_ = tolerance;
  is_built_ = false;
}

std::vector<std::string> instance::build() {
  paced_.reset();
  is_built_ = false;
  toml_value document = about_->document;
  for (const auto& [which, value] : settings_) {
    const variable& v = about_->variables[which];
    if (v.is == variable::kind::parameter) {
      set_value(document, about_->resolved, about_->parameters[v.index], v.in, value);
    } else if (v.is == variable::kind::state) {
      toml_value& table = document.at("initial");
      toml_value start = toml_value::of(value);
      start.place = fmt::format("{} = {}", v.name, value);
      table.at(v.name) = std::move(start);
    }
  }
  if (tolerance_ && about_->tolerance > 0)
    assign(document, "integrator.relative_tolerance", toml_value::of(*tolerance_));
  external_inputs listening;
  scenario next = read_scenario(document, about_->name, about_->folder);
  if (next.initial.size() != about_->states)
    throw error(
        fmt::format("the system would have {} states instead of {}: such a parameter cannot be "
                    "changed in an FMU",
                    next.initial.size(), about_->states));
  s_ = std::move(next);
  inputs_ = inputs_of(s_, listening);
  for (const auto& [which, value] : settings_)
    if (const variable& v = about_->variables[which]; v.is == variable::kind::input)
      inputs_[v.index]->now = value;
  y_ = s_.initial;
  t_ = start_;
  latest_ = last_seen(s_.system->card(), s_.duration);
  last_length_ = 0;
  planned_ = 0;
  next_jump_.reset();
  before_.clear();
  renew_workspace();
  is_built_ = true;
  return s_.warnings;
}

void instance::renew_workspace() {
  paced_.reset();
  events_.clear();
  changes_.clear();
  work_ = s_.system->new_workspace();
  work_->setting = s_;
  events_ = s_.system->events(*work_);
  for (const event& each : events_)
    if (each.change || each.prepare) {
      changes_.push_back(each);
      changes_.back().name.clear();  // nobody reads a list of them
    }
  outputs_.assign(s_.system->card().outputs.size(), 0.0);
  are_outputs_known_ = false;
}

void instance::reset() {
  paced_.reset();
  settings_.clear();
  start_ = t_ = 0;
  stop_.reset();
  tolerance_.reset();
  is_built_ = false;
}

// ---- variables ----------------------------------------------------------------------------------

void instance::set(reference which, double value, phase now) {
  const variable& v = at(which);
  const bool is_known = v.is == variable::kind::parameter || v.is == variable::kind::input ||
                        v.is == variable::kind::state;
  if (!is_known) throw error(fmt::format("'{}' is computed and cannot be set", v.name));
  if (v.is == variable::kind::state && !v.given_by.empty())
    throw error(fmt::format("'{}' is given by [{}] and cannot be set", v.name, v.given_by));
  if (now == phase::running && v.is != variable::kind::input)
    throw error(fmt::format("'{}' can be set only before the simulation starts", v.name));
  if (!std::isfinite(value))
    throw error(fmt::format("{} = {}: it must be a finite number", v.name, value));
  // The card knows more than FMI can say: bounds that are not allowed themselves, whole numbers.
  if (!allows(v.allowed, value))
    throw error(fmt::format("{} = {:g}{}: it must be {}", v.name, value,
                            is_plain(v.in) ? "" : " " + to_string(v.in), to_string(v.allowed)));
  settings_[which] = value;
  if (v.is == variable::kind::input && is_built_) {
    inputs_[v.index]->now = value;
    are_outputs_known_ = false;
  } else {
    is_built_ = false;
  }
}

double instance::get(reference which) {
  const variable& v = at(which);
  if (v.is == variable::kind::time) return t_;
  if (v.is == variable::kind::input || v.is == variable::kind::parameter) {
    if (const auto set = settings_.find(which); set != settings_.end()) return set->second;
    if (v.is == variable::kind::input || !is_built_) return v.start;
    return value_of(s_.resolved, about_->parameters[v.index]);
  }
  ensure_built();
  return value_now(v);
}

double instance::value_now(const variable& v) {
  using enum variable::kind;
  switch (v.is) {
    case state:
      return y_[v.index];
    case output:
      observe();
      return outputs_[v.index];
    case given:
      return s_.system->card().inputs[v.index].shape->value(seen());
    case derivative: {
      std::vector<double> rate(y_.size());
      s_.system->rates(seen(), y_.data(), rate.data(), *work_);
      return rate[v.index];
    }
    case indicator:
      return events_[v.index].value(seen(), y_.data());
    default:
      return t_;
  }
}

// Once for each time: some outputs are the worst since they were last asked for.
void instance::observe() {
  if (are_outputs_known_) return;
  s_.system->observe(seen(), y_.empty() ? nullptr : y_.data(), outputs_.data(), *work_);
  are_outputs_known_ = true;
}

double instance::seen() const {
  if (next_jump_) return std::min(t_, std::nextafter(*next_jump_, start_));
  return t_ == s_.duration ? latest_ : t_;
}

// ---- co-simulation ------------------------------------------------------------------------------

void instance::fail(const integration_result& result) {
  std::string words = fmt::format("{} at t = {:g} s", to_string(result.how), result.t);
  if (!result.detail.empty()) words += ": " + result.detail;
  if (!work_->complaint.empty()) words += ": " + work_->complaint;
  const std::string blamed =
      s_.system->explain_failure(std::max(0.0, result.t - s_.max_step), result.t + s_.max_step);
  if (!blamed.empty()) words += "; " + blamed;
  paced_.reset();
  throw error(words);
}

void instance::check_step(double from, double length) const {
  if (!(length > 0) || !std::isfinite(length))
    throw error(fmt::format("communicationStepSize = {}: it must be above 0 and finite", length));
  if (!same_time(from, t_, length))
    throw error(fmt::format("currentCommunicationPoint = {}: the FMU is at t = {}", from, t_));
  const double to = from + length;
  if (stop_ && to > *stop_ && !same_time(to, *stop_, length))
    throw error(fmt::format("the step ends at {}, after stopTime = {}", to, *stop_));
}

void instance::step(double from, double length) {
  ensure_built();
  const double to = from + length;
  const bool is_regular = last_length_ == 0 || same_time(length, last_length_, length);
  const bool has_inputs =
      std::any_of(inputs_.begin(), inputs_.end(), [](const auto& each) { return each != nullptr; });
  are_outputs_known_ = false;
  if (s_.system->march() != nullptr) {
    march_to(to);
  } else if (has_inputs || !is_regular) {
    go_at_once(to);
  } else {
    go_by_pace(to);
  }
  last_length_ = length;
  t_ = to;
}

// Nobody gives it anything on the way: one run, as far as the scenario or the importer says.
void instance::go_by_pace(double to) {
  const double length = to - t_;
  if (paced_ &&
      !(same_time(paced_->due(), to, length) && paced_->due() <= paced_->end() + length / 2))
    paced_.reset();
  if (!paced_) {
    double end = stop_.value_or(start_ + s_.duration);
    if (end < to || same_time(t_, end, length)) end = t_ + std::max(s_.duration, length);
    // A length that was computed from two times is not that of the scenario to the last bit.
    const double every = same_time(length, s_.sample, length) ? s_.sample : length;
    paced_ = std::make_unique<paced_run>(s_, *work_, changes_, stretch{t_, end, every}, y_);
  }
  if (!paced_->next()) {
    const integration_result result = paced_->result();
    if (result.how != outcome::completed) fail(result);
    // It ended a rounding error before.
    paced_.reset();
    return go_at_once(to);
  }
  y_ = paced_->y();
}

void instance::go_at_once(double to) {
  paced_.reset();
  std::vector<double> last = y_;
  const integration_result result =
      run_stretch(s_, *work_, changes_, {t_, to, to - t_, std::min(planned_, to - t_)}, y_, nullptr,
                  [&](double, const double* y) { last.assign(y, y + last.size()); });
  if (result.how != outcome::completed) fail(result);
  if (!detail::all_finite(last.data(), static_cast<int>(last.size())))
    fail(ended(outcome::not_finite, to));
  y_ = std::move(last);
  planned_ = std::min(s_.max_step, (to - t_) / static_cast<double>(std::max(1L, result.steps)));
}

void instance::march_to(double to) {
  // In pieces as long as those of a run, where they fit.
  const double wanted = s_.method->is_fixed ? s_.step : s_.sample > 0 ? s_.sample : s_.max_step;
  const double own = s_.duration / std::max(1.0, std::round(s_.duration / wanted));
  const double length = to - t_, pieces = std::max(1.0, std::round(length / own));
  const double piece = same_time(pieces * own, length, length) ? own : length / pieces;
  const marching& march = *s_.system->march();
  for (long n = 0; static_cast<double>(n) < pieces; ++n) {
    const auto [how, done] = march.onward(
        piece,
        [&](double) {
          return march.count(*work_).steps >= s_.max_steps ? outcome::step_limit
                                                           : outcome::completed;
        },
        *work_);
    if (how != outcome::completed) fail(ended(how, t_ + n * piece + done));
  }
}

// ---- model exchange -----------------------------------------------------------------------------

void instance::start_solver() {
  ensure_built();
  handled_ = t_;
  plan_jumps();
  for (const event& each : events_)
    if (each.prepare) each.prepare(t_, y_.data());
  before_.clear();
  for (const event& each : events_) before_.push_back(each.value(seen(), y_.data()));
}

void instance::plan_jumps() {
  const double horizon = stop_.value_or(start_ + s_.duration);
  const auto jumps =
      jumps_of(s_.system->card(), handled_, std::max(horizon, handled_) + s_.duration);
  next_jump_ = jumps.empty() ? std::nullopt : std::optional(jumps.front());
}

void instance::set_time(double t) {
  if (!std::isfinite(t)) throw error(fmt::format("time = {}: it must be a finite number", t));
  t_ = t;
  are_outputs_known_ = false;
}

void instance::set_states(const double* y) {
  y_.assign(y, y + y_.size());
  are_outputs_known_ = false;
}

bool instance::rates(double* out) {
  s_.system->rates(seen(), y_.data(), out, *work_);
  return detail::all_finite(out, static_cast<int>(y_.size()));
}

void instance::indicators(double* out) {
  for (const std::size_t which : about_->indicators)
    *out++ = events_[which].value(seen(), y_.data());
}

void instance::nominals(double* out) const {
  const auto& states = s_.system->card().states;
  for (std::size_t i = 0; i < states.size(); ++i)
    out[i] = states[i].scale > 0 ? states[i].scale : 1;
}

instance::event_outcome instance::handle_events() {
  if (next_jump_ && t_ >= *next_jump_) {
    handled_ = *next_jump_;
    plan_jumps();
    are_outputs_known_ = false;
  }
  bool is_changed = false;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const double now = events_[i].value(seen(), y_.data());
    if (events_[i].change && detail::happens(events_[i], before_[i], now)) {
      events_[i].change(seen(), y_.data());
      is_changed = true;
    }
  }
  for (std::size_t i = 0; i < events_.size(); ++i) before_[i] = events_[i].value(seen(), y_.data());
  if (is_changed) are_outputs_known_ = false;
  return {is_changed, next_jump_};
}

void instance::differentiate(const reference* unknown, std::size_t unknowns, const reference* known,
                             std::size_t knowns, const double* seed, double* sensitivity) {
  ensure_built();
  std::vector<double> dy(y_.size(), 0.0);
  std::vector<double> du(inputs_.size(), 0.0);
  for (std::size_t k = 0; k < knowns; ++k) {
    const variable& v = at(known[k]);
    if (v.is == variable::kind::state) {
      dy[v.index] += seed[k];
    } else if (v.is == variable::kind::input) {
      du[v.index] += seed[k];
    } else {
      throw error(
          fmt::format("derivatives with respect to '{}' are not available: only those with respect "
                      "to states and inputs are",
                      v.name));
    }
  }
  // A step of the difference that is small beside every state it moves.
  double reach = std::numeric_limits<double>::infinity();
  const auto& states = s_.system->card().states;
  for (std::size_t i = 0; i < states.size(); ++i)
    if (dy[i] != 0)
      reach =
          std::min(reach, std::max(std::abs(y_[i]), states[i].scale > 0 ? states[i].scale : 1e-3) /
                              std::abs(dy[i]));
  for (std::size_t j = 0; j < du.size(); ++j)
    if (du[j] != 0)
      reach = std::min(reach, std::max(std::abs(inputs_[j]->now), 1.0) / std::abs(du[j]));
  if (!std::isfinite(reach)) {
    std::fill_n(sensitivity, unknowns, 0.0);
    for (std::size_t k = 0; k < unknowns; ++k) static_cast<void>(at(unknown[k]));
    return;
  }
  const double step = 6e-6 * reach;

  const auto n = static_cast<int>(y_.size());
  std::vector<double> rate_change(y_.size());
  const std::vector<double> here = y_;
  std::vector<double> given(inputs_.size(), 0.0);
  for (std::size_t j = 0; j < inputs_.size(); ++j) given[j] = inputs_[j] ? inputs_[j]->now : 0;
  const auto move = [&](double by) {
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = here[i] + by * dy[i];
    for (std::size_t j = 0; j < inputs_.size(); ++j)
      if (inputs_[j]) inputs_[j]->now = given[j] + by * du[j];
    are_outputs_known_ = false;
  };
  if (const derivatives* exact = s_.system->exact()) {
    // The rate in time of an input is a direction, too: what it adds is the part of the inputs.
    std::vector<double> rate(y_.size()), in_time(y_.size()), in_direction(y_.size()),
        jacobian(y_.size() * y_.size());
    exact->linearise(seen(), here.data(), rate.data(), in_time.data(), jacobian.data(), n);
    for (std::size_t j = 0; j < inputs_.size(); ++j)
      if (inputs_[j]) inputs_[j]->rate = du[j];
    exact->linearise(seen(), here.data(), rate.data(), in_direction.data(), jacobian.data(), n);
    for (const auto& each : inputs_)
      if (each) each->rate = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      rate_change[i] = in_direction[i] - in_time[i];
      for (std::size_t k = 0; k < y_.size(); ++k)
        rate_change[i] += jacobian[i * y_.size() + k] * dy[k];
    }
  } else {
    std::vector<double> behind(y_.size());
    move(step);
    s_.system->rates(seen(), y_.data(), rate_change.data(), *work_);
    move(-step);
    s_.system->rates(seen(), y_.data(), behind.data(), *work_);
    for (std::size_t i = 0; i < y_.size(); ++i)
      rate_change[i] = (rate_change[i] - behind[i]) / (2 * step);
    move(0);
  }
  for (std::size_t k = 0; k < unknowns; ++k) {
    const variable& v = at(unknown[k]);
    if (v.is == variable::kind::derivative) {
      sensitivity[k] = rate_change[v.index];
    } else if (v.is == variable::kind::state) {
      sensitivity[k] = dy[v.index];
    } else if (v.is == variable::kind::output || v.is == variable::kind::indicator) {
      move(step);
      const double ahead = value_now(v);
      move(-step);
      sensitivity[k] = (ahead - value_now(v)) / (2 * step);
      move(0);
    } else if (v.is == variable::kind::given) {
      sensitivity[k] = 0;
    } else {
      throw error(fmt::format("'{}' is not computed: it has no derivative", v.name));
    }
  }
}

std::string instance::input_with_slope() {
  ensure_built();
  if (s_.system->march() != nullptr) return "";
  std::vector<double> rate(y_.size());
  for (const auto& each : inputs_)
    if (each) each->is_slope_asked = false;
  s_.system->rates(t_, y_.data(), rate.data(), *work_);
  s_.system->observe(t_, y_.data(), outputs_.data(), *work_);
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i] && inputs_[i]->is_slope_asked) return s_.system->card().inputs[i].name;
  return "";
}

// ---- going back ---------------------------------------------------------------------------------

instance::saved instance::save() const {
  if (!about_->can_save)
    throw error(fmt::format("the state of a {} cannot be saved: it is not a list of numbers",
                            about_->kind));
  saved now{settings_, y_, {}, before_, is_built_, t_, start_, handled_, stop_, tolerance_};
  for (const auto& each : inputs_) now.given.push_back(each ? each->now : 0);
  return now;
}

void instance::restore(const saved& then) {
  const bool is_known =
      std::all_of(then.settings.begin(), then.settings.end(),
                  [&](const auto& each) { return each.first < about_->variables.size(); });
  if (!is_known || (then.is_built && then.y.size() != about_->states))
    throw error("the state belongs to another FMU");
  const auto without_inputs = [this](std::map<reference, double> settings) {
    std::erase_if(settings, [this](const auto& each) {
      return about_->variables[each.first].is == variable::kind::input;
    });
    return settings;
  };
  const bool is_same = is_built_ && tolerance_ == then.tolerance &&
                       without_inputs(settings_) == without_inputs(then.settings);
  settings_ = then.settings;
  start_ = then.start;
  stop_ = then.stop;
  tolerance_ = then.tolerance;
  if (then.is_built && !is_same) build();
  is_built_ = then.is_built;
  t_ = then.t;
  if (!is_built_) return;
  renew_workspace();
  y_ = then.y;
  before_ = then.before;
  handled_ = then.handled;
  for (std::size_t j = 0; j < inputs_.size() && j < then.given.size(); ++j)
    if (inputs_[j]) inputs_[j]->now = then.given[j];
  last_length_ = 0;
  if (!before_.empty()) plan_jumps();
}

}  // namespace asperity::fmi
