// SPDX-License-Identifier: Apache-2.0
// Every model of the catalogue with any bits: parameters that its card allows, any state, any
// drive, any step, through everything that it can be asked, in every number type. Nothing crashes,
// nothing is undefined, and what is not a number does not disappear.

#include <array>
#include <asperity/catalogue/catalogue.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

using states = std::array<double, any_model::max_states>;

struct situation {
  states state{};
  drive<double> from, to;
  double h = 0;
};

any_model a_model(bytes& from) {
  static const auto all = [] {
    std::vector<const catalogue_entry*> lines;
    for (const catalogue_entry* each : catalogue())
      if (each->at->is_line()) lines.push_back(each);
    return lines;
  }();
  const auto& entry = *all[from.below(all.size())];
  any_model model(entry, entry.variants[from.below(entry.variants.size())].curve);
  const auto parameters = model.describe().parameters;
  for (std::size_t left = from.below(8); left > 0 && !parameters.empty(); --left) {
    const auto& which = parameters[from.below(parameters.size())];
    std::vector<double> values(which.is_list ? model.get(which.name).size() : 1);
    for (double& each : values) each = from.number();
    try {
      if (which.is_list) {
        model.set(which.name, values);
      } else {
        model.set(which.name, values[0]);
      }
    } catch (const error&) {
      // Not allowed: it stays as it was.
    }
  }
  (void)model.check();
  return model;
}

situation a_situation(bytes& from, const any_model& model) {
  situation s;
  model.initial(s.state.data());
  for (std::size_t left = from.below(static_cast<std::size_t>(model.states()) + 1); left > 0;
       --left)
    s.state[from.below(static_cast<std::size_t>(model.states()))] = from.number();
  for (double* each : {&s.from.x, &s.from.v, &s.from.load, &s.to.x, &s.to.v, &s.to.load, &s.h})
    *each = from.number();
  return s;
}

template <class S>
void try_type(const typed_functions<S>& functions, const any_model& model, const situation& s) {
  if (functions.make == nullptr) return;
  const auto self = functions.make(model.self());
  S state[any_model::max_states] = {}, rate[any_model::max_states] = {};
  for (int i = 0; i < model.states(); ++i) state[i] = lit<S>(s.state[static_cast<std::size_t>(i)]);
  const drive<S> from{lit<S>(s.from.x), lit<S>(s.from.v), lit<S>(s.from.load)};
  const drive<S> to{lit<S>(s.to.x), lit<S>(s.to.v), lit<S>(s.to.load)};
  (void)functions.describe(self.get());
  if (functions.respond != nullptr)
    functions.respond(self.get(), state, from.x, from.v, from.load, rate);
  if (functions.side != nullptr) functions.side(self.get(), state, from, to.v, rate);
  if (functions.advance != nullptr) functions.advance(self.get(), state, from, to, lit<S>(s.h));
}

// The force and what becomes of the state: rates of an ODE, or the state after a step.
std::vector<double> answers(const any_model& model, situation s) {
  states rate{};
  std::vector<double> all;
  if (model.is_ode()) {
    all.push_back(model.respond(s.state.data(), s.from.x, s.from.v, s.from.load, rate.data()));
  } else {
    all.push_back(model.advance(s.state.data(), s.from, s.to, s.h));
    rate = s.state;
  }
  all.insert(all.end(), rate.begin(), rate.begin() + model.states());
  return all;
}

bool are_finite(const std::vector<double>& all) {
  return std::all_of(all.begin(), all.end(), [](double x) { return std::isfinite(x); });
}
bool has_nan(const std::vector<double>& all) {
  return std::any_of(all.begin(), all.end(), [](double x) { return std::isnan(x); });
}

void require_nan_to_stay(const any_model& model, const situation& s) {
  // Loads below 0 are refused before a model sees them.
  if (!model.load_is_weight() && (s.from.load < 0 || s.to.load < 0)) return;
  const auto usual = answers(model, s);
  if (!are_finite(usual)) return;
  for (int i = 0; i < model.states(); ++i) {
    const auto with = [&](double value) {
      situation other = s;
      other.state[static_cast<std::size_t>(i)] = value;
      return answers(model, other);
    };
    // A place in a list that is longer than what is remembered is written before it is read.
    const double here = s.state[static_cast<std::size_t>(i)];
    if (with(2 * here + 1) == usual && with(0.5 * here - 1) == usual) continue;
    require(has_nan(with(std::nan(""))), model.key() + ": a state that is not a number shows: " +
                                             model.state_names()[static_cast<std::size_t>(i)]);
  }
  // Of the drive, what the model reads: it answers otherwise when that is other.
  for (const auto member : {&drive<double>::x, &drive<double>::v, &drive<double>::load}) {
    const auto with = [&](double value) {
      situation other = s;
      other.from.*member = other.to.*member = value;
      return answers(model, other);
    };
    const double here = model.is_ode() ? s.from.*member : s.to.*member;
    const auto higher = with(2 * here + 1);
    if (!are_finite(higher) || higher == with(here)) continue;
    require(has_nan(with(std::nan(""))), model.key() + ": a drive that is not a number shows");
  }
}

void try_all(const any_model& model, const situation& s) {
  const auto& [x, v, load] = s.from;
  const double* at = s.state.data();
  states rate{}, scale{};
  double f = model.force(at, s.from);
  if (model.is_ode()) f = model.respond(at, x, v, load, rate.data());
  if (model.has_losses()) (void)model.lost(at, s.from, f, rate.data());
  if (model.has_energy()) (void)model.stored_energy(at, x, v, load);
  if (model.has_bound()) (void)model.force_bound(x, v, load);
  if (model.has_slip_margin()) (void)model.slip_margin(at, x, v, load);
  if (model.has_side()) (void)model.side(at, s.from, s.to.v, rate.data());
  (void)model.state_scale(scale.data());
  if (model.has_react()) {
    const auto held = model.react(at, load, s.h, x);
    (void)held.excess(s.to.v, s.to.x);
    states settled = s.state;
    model.settle(settled.data(), held.solve(s.to.v, s.to.x), s.h);
  }
  states advanced = s.state;
  for (int i = 0; i < 3; ++i) (void)model.advance(advanced.data(), s.from, s.to, s.h);
}

}  // namespace

void try_input(std::string_view input) {
  bytes from(input);
  const any_model model = a_model(from);
  const situation s = a_situation(from, model);
  try_all(model, s);
  try_type(model.functions().in_float, model, s);
  try_type(model.functions().in_dual, model, s);
  try_type(model.functions().in_pack, model, s);
  require_nan_to_stay(model, s);
  if (!model.has_side()) return;
  any_model sided = model;
  sided.hold_side();
  try_all(sided, s);
}

}  // namespace asperity::fuzz
