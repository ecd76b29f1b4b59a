// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/any_model.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/text.hpp>
#include <cctype>
#include <numeric>

namespace asperity {

namespace {

const catalogue_entry::variant& choose_variant(const catalogue_entry& entry,
                                               std::string_view curve) {
  if (curve.empty()) return entry.default_variant();
  if (const auto* found = entry.find(curve)) return *found;
  std::vector<std::string> names;
  for (const auto& v : entry.variants)
    if (!v.curve.empty()) names.push_back(v.curve);
  if (names.empty())
    throw error(fmt::format("model '{}' takes no Stribeck curve: leave out curve = '{}'", entry.key,
                            curve));
  throw error(fmt::format("model '{}' has no curve '{}': {}", entry.key, shortened(curve, 60),
                          nearest_names(curve, names)));
}

card<double>::parameter_entry find_parameter(const card<double>& the_card, const std::string& key,
                                             std::string_view name) {
  std::vector<std::string> names;
  for (const auto& p : the_card.parameters) {
    if (p.name == name) return p;
    names.push_back(p.name);
  }
  throw error(fmt::format("model '{}' has no parameter '{}': {}", key, shortened(name, 60),
                          nearest_names(name, names)));
}

std::string with_unit(double value, unit in) {
  return in == units::one ? fmt::format("{:g}", value)
                          : fmt::format("{:g} {}", value, to_string(in));
}

// "inf N is not allowed: it must be a finite number, above 0".
std::string not_allowed(double value, unit in, range allowed) {
  const bool has_bound = allowed.lower > -unbounded || allowed.upper < unbounded;
  return fmt::format("{} is not allowed: it must be {}{}", with_unit(value, in),
                     !std::isfinite(value) && has_bound ? "a finite number, " : "",
                     to_string(allowed));
}

void check_range(const card<double>::parameter_entry& p, const std::string& key, double value) {
  if (allows(p.allowed, value)) return;
  throw error(
      fmt::format("{}.{} = {} ({})", key, p.name, not_allowed(value, p.in, p.allowed), p.meaning));
}

int element_count(const card<double>& the_card) {
  for (const auto& p : the_card.parameters)
    if (p.count != nullptr) return *p.count;
  return 0;
}

}  // namespace

any_model::any_model(const catalogue_entry& entry, std::string_view curve)
    : entry_(&entry), port_(entry.at) {
  const auto& variant = choose_variant(entry, curve);
  functions_ = &variant.functions;
  curve_ = variant.curve;
  self_ = functions_->make();
  respond_ = functions_->in_double.respond;
  build();
}

any_model::any_model(const any_model& other)
    : entry_(other.entry_),
      port_(other.port_),
      functions_(other.functions_),
      curve_(other.curve_),
      self_(other.functions_->in_double.make(other.self_.get())),
      built_(other.built_),
      is_built_(other.is_built_),
      respond_(other.respond_),
      states_(other.states_),
      holds_side_(other.holds_side_) {}

any_model& any_model::operator=(const any_model& other) {
  any_model copy(other);
  *this = std::move(copy);
  return *this;
}

void any_model::hold_side() {
  if (holds_side_ || !has_side() || states_ == max_states) return;
  holds_side_ = true;
  respond_ = functions_->in_double.respond_on_side;
  ++states_;
}

const std::string& any_model::key() const { return entry_->key; }

void any_model::build() {
  if (functions_->build != nullptr) built_ = functions_->build(self_.get());
  is_built_ = true;
  states_ = functions_->active_states(law()) + (holds_side_ ? 1 : 0);
}

void any_model::set(std::string_view name, double value) {
  const auto the_card = describe();
  const auto p = find_parameter(the_card, key(), name);
  check_range(p, key(), value);
  for (int* target : {p.count, p.whole})
    if (target != nullptr) *target = static_cast<int>(value);
  for (double* target : p.value) *target = value;
  is_built_ = functions_->build == nullptr;
  if (is_built_ && p.count != nullptr) build();
}

void any_model::choose(std::string_view name, std::string_view word) {
  const auto p = find_parameter(describe(), key(), name);
  const auto found = std::find(p.words.begin(), p.words.end(), word);
  if (p.words.empty())
    throw error(fmt::format("{}.{} is a number, not a word such as '{}'", key(), name, word));
  if (found == p.words.end())
    throw error(fmt::format("{}.{} = '{}' is not allowed: {}", key(), name, word,
                            nearest_names(word, p.words)));
  set(name, static_cast<double>(found - p.words.begin()));
}

// NOLINTNEXTLINE(readability-make-member-function-const): it changes the model behind the pointer
void any_model::set(std::string_view name, const std::vector<double>& values) {
  const auto the_card = describe();
  const auto p = find_parameter(the_card, key(), name);
  if (!p.is_list) throw error(fmt::format("{}.{} is a single number, not a list", key(), name));
  const int elements = element_count(the_card);
  if (static_cast<int>(values.size()) != elements)
    throw error(fmt::format("{}.{} has {} values, but there are {} elements", key(), name,
                            values.size(), elements));
  for (const double value : values) check_range(p, key(), value);
  for (std::size_t i = 0; i < values.size(); ++i) *p.value[i] = values[i];
}

std::vector<double> any_model::get(std::string_view name) const {
  const auto the_card = describe();
  const auto p = find_parameter(the_card, key(), name);
  for (const int* each : {p.count, p.whole})
    if (each != nullptr) return {static_cast<double>(*each)};
  const std::size_t length =
      p.is_list ? static_cast<std::size_t>(element_count(the_card)) : std::size_t{1};
  std::vector<double> result;
  for (std::size_t i = 0; i < length; ++i) result.push_back(*p.value[i]);
  return result;
}

double any_model::advance(double* state, const drive<double>& from, const drive<double>& to,
                          double h) const {
  if (functions_->in_double.advance != nullptr)
    return functions_->in_double.advance(self_.get(), state, from, to, h);
  if (h > 0 && has_implicit_step() && states_ > 0) {
    const double u = port_->is_contact() ? to.x : to.v;
    return implicit_step(state, to.load, h, {u, u, 0.0}, from.x).f;
  }
  const int n = states_;
  if (n == 0) return respond(state, to.x, to.v, to.load, nullptr);
  double k1[max_states], k2[max_states], k3[max_states], k4[max_states], stage[max_states];
  const auto rates = [&](double share, const double* y, double* rate) {
    const double x = from.x + share * (to.x - from.x), v = from.v + share * (to.v - from.v);
    respond(y, x, v, from.load + share * (to.load - from.load), rate);
  };
  const auto shifted = [&](double length, const double* rate) {
    for (int i = 0; i < n; ++i) stage[i] = state[i] + length * rate[i];
    return stage;
  };
  rates(0.0, state, k1);
  rates(0.5, shifted(h / 2, k1), k2);
  rates(0.5, shifted(h / 2, k2), k3);
  rates(1.0, shifted(h, k3), k4);
  for (int i = 0; i < n; ++i) state[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
  return respond(state, to.x, to.v, to.load, k1);
}

double any_model::force(const double* state, const drive<double>& in) const {
  double scratch[max_states];
  if (is_ode()) return respond(state, in.x, in.v, in.load, scratch);
  std::copy_n(state, states_, scratch);
  return advance(scratch, in, in, 0.0);
}

namespace {

bool speaks_of(std::string_view text, std::string_view word) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])))
      return true;
  }
  return false;
}

}  // namespace

std::string any_model::check(bool is_rotary) const {
  if (!is_built_)
    throw error(
        fmt::format("model '{}': parameters were set, but the model was not rebuilt", key()));
  const validity answer = functions_->valid(self_.get());
  if (answer.verdict == validity::refused) {
    std::vector<std::string> values;  // of the parameters that the rule names
    for (const auto& p : describe().parameters) {
      if (!speaks_of(answer.why, p.name)) continue;
      const auto found = get(p.name);
      const unit shown = is_rotary ? rotary(p.in) : p.in;
      const std::string in = is_plain(shown) ? "" : fmt::format(" {}", to_string(shown));
      values.push_back(p.is_share
                           ? fmt::format("{} = {:g}, together {:g}", p.name, fmt::join(found, ", "),
                                         std::accumulate(found.begin(), found.end(), 0.0))
                           : fmt::format("{} = {:g}{}", p.name, fmt::join(found, ", "), in));
    }
    throw error(fmt::format("model '{}': {}{}", key(), answer.why,
                            values.empty() ? "" : fmt::format(" ({})", fmt::join(values, ", "))));
  }
  return answer.why;
}

namespace {

// Calls visit(entry, name) for each active state, lists spelt out: a_1, a_2 ... Laws over cells
// keep idle states behind those of their cells; they have no name.
template <class Visit>
void for_each_state(const any_model& model, Visit visit) {
  const auto the_card = model.describe();
  int (*const cells)(const void*) = model.functions().at_port.cells;
  const auto lists = std::count_if(the_card.states.begin(), the_card.states.end(),
                                   [](const auto& s) { return s.is_list; });
  const int used = cells != nullptr ? cells(model.law()) : element_count(the_card);
  const int elements =
      cells != nullptr && lists > 0 ? model.states() / static_cast<int>(lists) : used;
  for (const auto& s : the_card.states) {
    if (!s.is_list) visit(s, s.name);
    for (int i = 1; s.is_list && i <= elements; ++i)
      visit(s, i <= used ? fmt::format("{}_{}", s.name, i) : "");
  }
}

}  // namespace

void any_model::mirror(const double* in, double* state) const {
  if (functions_->at_port.mirror != nullptr) return functions_->at_port.mirror(law(), in, state);
  std::size_t i = 0;
  for_each_state(*this, [&](const auto& s, const std::string&) {
    if (!s.is_even) state[i] = -state[i];
    ++i;
  });
}

std::vector<std::string> any_model::state_names() const {
  std::vector<std::string> names;
  for_each_state(*this, [&](const auto&, const std::string& name) { names.push_back(name); });
  names.resize(static_cast<std::size_t>(states()));
  if (holds_side_) names.back() = "side";
  return names;
}

std::vector<unit> any_model::state_units() const {
  std::vector<unit> result;
  for_each_state(*this, [&](const auto& s, const std::string&) { result.push_back(s.in); });
  result.resize(static_cast<std::size_t>(states()));
  if (holds_side_) result.back() = units::one;
  return result;
}

std::vector<range> any_model::state_ranges() const {
  std::vector<range> result;
  for_each_state(*this, [&](const auto& s, const std::string&) { result.push_back(s.allowed); });
  result.resize(static_cast<std::size_t>(states()), any_value);
  if (holds_side_) result.back() = whole(-1, 1);
  return result;
}

void any_model::check_state(const double* state) const {
  const auto names = state_names();
  const auto in = state_units();
  const auto allowed = state_ranges();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!allows(allowed[i], state[i]))
      throw error(fmt::format("state {}.{} = {}", key(), names[i],
                              not_allowed(state[i], in[i], allowed[i])));
}

}  // namespace asperity
