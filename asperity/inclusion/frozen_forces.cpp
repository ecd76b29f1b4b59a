// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/inclusion/frozen_forces.hpp>
#include <cmath>
#include <unordered_map>

namespace asperity {

frozen_forces::frozen_forces(const regularised& of)
    : of_(&of), n_(of.user_states()), m_(of.forces), k_(0) {
  layout_.states = n_;
  layout_.inputs = static_cast<int>(of.source.inputs.size());
  layout_.parameters = of.parameter_values();
  layout_.given_forces = m_;
  std::vector<expression> wanted = of.rates;
  for (const auto& t : of.terms)
    for (const auto& each : t.argument) wanted.push_back(each);
  for (const auto& t : of.terms)
    if (!t.is_contact) {
      wanted.push_back(t.factor);
      ++k_;
    }
  affine_ = std::all_of(of.rates.begin(), of.rates.end(),
                        [](const expression& e) { return degree_in_forces(e) <= 1; });
  linear_ = std::all_of(wanted.begin(), wanted.end(),
                        [](const expression& e) { return degree_with_time(e) <= 1; });
  if (n_ > most_states || m_ > most_states)
    throw error(
        fmt::format("the system has {} states and {} set-valued forces; at most {} of each "
                    "are possible",
                    n_, m_, most_states));
  none_.assign(static_cast<std::size_t>(m_) + 1, 0.0);
  program_ = compile(wanted, of.to_compile(), layout_);
  const auto count = static_cast<std::size_t>(program_.registers);
  plain_.resize(count);
  dual_.resize(count);
  moving_.resize(count);
  program_.prepare(plain_.data());
  program_.prepare(dual_.data());
  program_.prepare(moving_.data());
}

template <class S>
void frozen_forces::fill(double t, const double* x, const double* lambda, S* r) const {
  r[0] = lit<S>(t);
  for (int i = 0; i < n_; ++i) r[layout_.state_register(i)] = lit<S>(x[i]);
  for (int i = 0; i < layout_.inputs; ++i)
    r[layout_.input_register(i)] =
        lit<S>(of_->source.inputs[static_cast<std::size_t>(i)].shape.value(t));
  for (int i = 0; i < m_; ++i) r[layout_.force_register(i)] = lit<S>(lambda[i]);
}

void frozen_forces::evaluate(double t, const double* x, const double* lambda, values& out) {
  fill(t, x, lambda, plain_.data());
  program_.run(plain_.data());
  out.phi.resize(n_);
  out.u.resize(m_);
  out.chi.resize(k_);
  const auto at = [&](int i) { return plain_[program_.outputs[static_cast<std::size_t>(i)]]; };
  for (int i = 0; i < n_; ++i) out.phi[i] = at(i);
  for (int i = 0; i < m_; ++i) out.u[i] = at(n_ + i);
  for (int i = 0; i < k_; ++i) out.chi[i] = at(n_ + m_ + i);
}

void frozen_forces::differentiate(double t, const double* x, const double* lambda, values& out,
                                  derivatives& by) {
  out.phi.resize(n_);
  out.u.resize(m_);
  out.chi.resize(k_);
  by.phi_x.resize(n_, n_);
  by.phi_l.resize(n_, m_);
  by.u_x.resize(m_, n_);
  by.chi_x.resize(k_, n_);
  by.chi_l.resize(k_, m_);
  using number = dual<double, width>;
  const auto at = [&](int i) -> const number& {
    return dual_[program_.outputs[static_cast<std::size_t>(i)]];
  };
  // Variables are the states, then the forces; `width` of them in each pass.
  for (int first = 0; first < n_ + m_; first += width) {
    fill(t, x, lambda, dual_.data());
    const int last = std::min(first + width, n_ + m_);
    for (int v = first; v < last; ++v) {
      const bool is_state = v < n_;
      const int r = is_state ? layout_.state_register(v) : layout_.force_register(v - n_);
      dual_[static_cast<std::size_t>(r)] =
          number::variable(is_state ? x[v] : lambda[v - n_], v - first);
    }
    program_.run(dual_.data());
    for (int v = first; v < last; ++v) {
      const int d = v - first;
      for (int i = 0; i < n_; ++i)
        (v < n_ ? by.phi_x(i, v) : by.phi_l(i, v - n_)) = at(i).derivative[d];
      for (int i = 0; i < m_ && v < n_; ++i) by.u_x(i, v) = at(n_ + i).derivative[d];
      for (int i = 0; i < k_; ++i)
        (v < n_ ? by.chi_x(i, v) : by.chi_l(i, v - n_)) = at(n_ + m_ + i).derivative[d];
    }
  }
  for (int i = 0; i < n_; ++i) out.phi[i] = at(i).value;
  for (int i = 0; i < m_; ++i) out.u[i] = at(n_ + i).value;
  for (int i = 0; i < k_; ++i) out.chi[i] = at(n_ + m_ + i).value;
}

void frozen_forces::differentiate_motion(double t, const double* x, motion& out) {
  using inner = dual<double, width>;
  using number = dual<inner, 1>;
  out.u_rate.resize(m_);
  out.u_rate_x.resize(m_, n_);
  for (int first = 0; first < n_; first += width) {
    const int last = std::min(first + width, n_);
    // phi with its derivatives by these states ...
    fill(t, x, none_.data(), dual_.data());
    for (int v = first; v < last; ++v)
      dual_[static_cast<std::size_t>(layout_.state_register(v))] = inner::variable(x[v], v - first);
    program_.run(dual_.data());
    // ... is the direction in which the arguments are differentiated.
    fill(t, x, none_.data(), moving_.data());
    moving_[0].derivative[0] = inner(1.0);
    for (int i = 0; i < layout_.inputs; ++i)
      moving_[static_cast<std::size_t>(layout_.input_register(i))].derivative[0] =
          inner(of_->source.inputs[static_cast<std::size_t>(i)].shape.slope(t));
    for (int i = 0; i < n_; ++i) {
      number& to = moving_[static_cast<std::size_t>(layout_.state_register(i))];
      to.value = i >= first && i < last ? inner::variable(x[i], i - first) : inner(x[i]);
      to.derivative[0] = dual_[program_.outputs[static_cast<std::size_t>(i)]];
    }
    program_.run(moving_.data());
    for (int i = 0; i < m_; ++i) {
      const inner& rate = moving_[program_.outputs[static_cast<std::size_t>(n_ + i)]].derivative[0];
      out.u_rate[i] = rate.value;
      for (int v = first; v < last; ++v) out.u_rate_x(i, v) = rate.derivative[v - first];
    }
  }
}

namespace {

// Whether the forces of a term stand in a formula with constant factors only, or not at all.
bool has_constant_factors(const expression& e, std::size_t term) {
  enum class share : std::uint8_t { none, constant, varying };
  std::unordered_map<const expression::node*, share> found;
  const auto known = [&](const expression::node& n) { return found.count(&n) != 0; };
  arguments_first(e, known, [&](const expression& each) {
    const auto of = [&](std::size_t i) { return found.at(&*each.argument(i)); };
    const auto share_in = [&] {
      share most = each.is(operation::force) && each->slot == static_cast<int>(term)
                       ? share::constant
                       : share::none;
      for (std::size_t i = 0; i < each->arguments.size(); ++i) most = std::max(most, of(i));
      if (most != share::constant || each->arguments.empty()) return most;
      switch (each->what) {
        case operation::named:
        case operation::negate:
        case operation::add:
        case operation::subtract:
          return most;
        case operation::multiply:
          return is_constant(each.argument(0)) || is_constant(each.argument(1)) ? most
                                                                                : share::varying;
        case operation::divide:
          return is_constant(each.argument(1)) ? most : share::varying;
        default:
          return share::varying;
      }
    };
    found[&*each] = share_in();
  });
  return found.at(&*e) != share::varying;
}

}  // namespace

bool frozen_forces::mobility_may_change(std::size_t which) const {
  const auto& term = of_->terms[which];
  for (const auto& rate : of_->rates)
    if (!has_constant_factors(rate, which)) return true;
  for (const auto& part : term.argument) {
    if (degree_with_time(part) > 1) return true;
    if (!term.is_contact) continue;
    // The gap moves with rates of other states.
    for (std::size_t i = 0; i < of_->rates.size(); ++i) {
      const auto is_it = [i](const expression::node& n) {
        return n.what == operation::symbol && n.kind == symbol_kind::state &&
               n.slot == static_cast<int>(i);
      };
      if (contains(part, is_it) && degree_with_time(of_->rates[i]) > 1) return true;
    }
  }
  return false;
}

void frozen_forces::find_mobilities(double t, const double* x, const double* lambda,
                                    std::vector<mobility>& out) {
  differentiate(t, x, lambda, values_, by_);
  if (std::any_of(of_->terms.begin(), of_->terms.end(),
                  [](const auto& each) { return each.is_contact; }))
    differentiate_motion(t, x, motion_);
  out.clear();
  int factor = 0;
  for (const auto& term : of_->terms) {
    mobility found;
    found.acts = term.is_contact ? values_.u[term.first_force] <= 0 || lambda[term.first_force] != 0
                                 : values_.chi[factor++] > 0;
    const auto& by_state = term.is_contact ? motion_.u_rate_x : by_.u_x;
    const auto along = [&](int i, int k) {
      found.size =
          std::max(found.size, by_state.row(i).cwiseAbs().dot(by_.phi_l.col(k).cwiseAbs()));
      return (term.is_contact ? 1 : -1) * by_state.row(i).dot(by_.phi_l.col(k));
    };
    const int i = term.first_force;
    found.largest = found.least = along(i, i);
    if (term.dimension() == 2) {
      // The extremes over all directions, whichever axes the file has chosen.
      const double other = along(i + 1, i + 1), skew = (along(i, i + 1) + along(i + 1, i)) / 2;
      const double mean = (found.largest + other) / 2;
      const double half = std::hypot((found.largest - other) / 2, skew);
      found.largest = skew == 0 ? std::max(found.largest, other) : mean + half;
      found.least = skew == 0 ? std::min(found.least, other) : mean - half;
    }
    out.push_back(found);
  }
}

}  // namespace asperity
