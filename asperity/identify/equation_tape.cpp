// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/identify/equation_tape.hpp>
#include <cmath>

namespace asperity {

namespace {

using op = traced_operation;

// Which arguments a result can change with.
bool passes(op what, int argument) {
  if (what == op::less || what == op::floor || what == op::number || what == op::symbol)
    return false;
  return what != op::choose || argument > 0;
}

}  // namespace

std::optional<equation_tape> equation_tape::of(const any_model& model,
                                               std::span<const free_parameter> free) {
  const model_tracer* tracer = find_tracer(model.key(), model.curve());
  if (!model.at().is_line() || model.holds_side() || model.functions().build != nullptr ||
      tracer == nullptr)
    return std::nullopt;
  model_trace trace;
  tracer->trace(model.self(), model.at(), trace);
  if (trace.graph.was_asked() || !trace.respond.exists() || trace.states != model.states() ||
      static_cast<int>(trace.initial.size()) != trace.states)
    return std::nullopt;

  equation_tape tape;
  tape.states_ = trace.states;
  std::vector<int> targets = trace.respond.out;
  targets.insert(targets.end(), trace.respond.state.begin(), trace.respond.state.end());
  targets.insert(targets.end(), trace.initial.begin(), trace.initial.end());
  std::vector<bool> is_used(static_cast<std::size_t>(trace.graph.size()));
  const auto used = [&](int node) { return is_used[static_cast<std::size_t>(node)]; };
  for (const int node : targets) is_used[static_cast<std::size_t>(node)] = true;
  for (int node = trace.graph.size(); node-- > 0;)
    if (used(node))
      for (const int argument : trace.graph[node].argument)
        if (argument >= 0) is_used[static_cast<std::size_t>(argument)] = true;

  std::vector<int> place(is_used.size(), -1);
  for (int node = 0; node < trace.graph.size(); ++node) {
    if (!used(node)) continue;
    const trace_graph::node& from = trace.graph[node];
    operation o{from.what, {-1, -1, -1}, from.value, from.kind, from.slot, from.element};
    for (int a = 0; a < 3; ++a) {
      if (from.argument[a] < 0) continue;
      o.argument[a] = place[static_cast<std::size_t>(from.argument[a])];
      const operation& x = tape.operations_[static_cast<std::size_t>(o.argument[a])];
      o.is_fixed = o.is_fixed && x.is_fixed;
      o.varies = o.varies || (passes(o.what, a) && x.varies);
    }
    if (o.what == op::symbol) {
      if (o.kind == traced_symbol::state) {
        o.variable = o.slot;
      } else if (o.kind == traced_symbol::parameter) {
        for (std::size_t i = 0; i < free.size(); ++i)
          if (static_cast<int>(free[i].entry) == o.slot &&
              static_cast<int>(free[i].element) == o.element)
            o.variable = tape.states_ + static_cast<int>(i);
      } else if (o.kind != traced_symbol::input) {
        return std::nullopt;
      }
      o.is_fixed = o.kind == traced_symbol::parameter;
      o.varies = o.variable >= 0;
    }
    place[static_cast<std::size_t>(node)] = static_cast<int>(tape.operations_.size());
    if (!o.is_fixed)
      (o.what == op::symbol ? tape.given_ : tape.moving_)
          .push_back(place[static_cast<std::size_t>(node)]);
    tape.operations_.push_back(o);
  }

  for (const int target : targets) {
    const int node = place[static_cast<std::size_t>(target)];
    result r{node, {}, {}};
    way_back way;
    std::vector<bool> is_on_it(tape.operations_.size());
    is_on_it[static_cast<std::size_t>(node)] =
        tape.operations_[static_cast<std::size_t>(node)].varies;
    for (int k = node; k >= 0; --k) {
      if (!is_on_it[static_cast<std::size_t>(k)]) continue;
      way.nodes.push_back(k);
      const operation& o = tape.operations_[static_cast<std::size_t>(k)];
      for (int a = 0; a < 3; ++a)
        if (o.argument[a] >= 0 && passes(o.what, a) &&
            tape.operations_[static_cast<std::size_t>(o.argument[a])].varies)
          is_on_it[static_cast<std::size_t>(o.argument[a])] = true;
      if (o.variable < 0) continue;
      way.gathers.emplace_back(k, tape.slopes_);
      const bool is_state = o.variable < tape.states_;
      (is_state ? r.by_state : r.by_parameter)
          .push_back({is_state ? o.variable : o.variable - tape.states_, tape.slopes_++});
    }
    tape.results_.push_back(std::move(r));
    tape.ways_.push_back(std::move(way));
  }

  // Those first that depend on nothing that is not in the order yet.
  std::vector<bool> is_in(static_cast<std::size_t>(tape.states_));
  while (tape.order_.size() < is_in.size()) {
    const std::size_t before = tape.order_.size();
    for (int i = 0; i < tape.states_; ++i) {
      if (is_in[static_cast<std::size_t>(i)]) continue;
      const auto& needs = tape.rate(i).by_state;
      if (!std::all_of(needs.begin(), needs.end(), [&](const partial& p) {
            return p.variable == i || is_in[static_cast<std::size_t>(p.variable)];
          }))
        continue;
      tape.order_.push_back(i);
      is_in[static_cast<std::size_t>(i)] = true;
    }
    if (tape.order_.size() == before) return std::nullopt;
  }
  return tape;
}

equation_tape::workspace::workspace(const equation_tape& of, const any_model& model)
    : of_(of),
      values_(of.operations_.size() * as(points)),
      adjoints_(values_.size()),
      slopes_(as(of.slopes_) * as(points)) {
  const auto about = model.describe();
  for (std::size_t k = 0; k < of.operations_.size(); ++k) {
    const operation& o = of.operations_[k];
    if (!o.is_fixed) continue;
    if (o.what == op::number || o.what == op::symbol) {
      const double value =
          o.what == op::number ? o.value : *about.parameters[as(o.slot)].value[as(o.element)];
      std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(k * as(points)), points, value);
    } else {
      compute(static_cast<int>(k));
    }
  }
  for (int i = 0; i < of.states_; ++i) follow_back(as(1 + of.states_ + i));
}

void equation_tape::workspace::put(int point, const double* in, const double* state) {
  for (const int node : of_.given_) {
    const operation& o = of_.operations_[as(node)];
    values_[at(node) + as(point)] = o.kind == traced_symbol::state ? state[o.slot] : in[o.slot];
  }
}

void equation_tape::workspace::evaluate() {
  for (const int node : of_.moving_) compute(node);
  for (int r = 0; r <= of_.states_; ++r) follow_back(as(r));
}

void equation_tape::workspace::compute(int node) {
  const operation& o = of_.operations_[as(node)];
  double* const r = values_.data() + at(node);
  const double* const a = o.argument[0] < 0 ? nullptr : values_.data() + at(o.argument[0]);
  const double* const b = o.argument[1] < 0 ? nullptr : values_.data() + at(o.argument[1]);
  const double* const c = o.argument[2] < 0 ? nullptr : values_.data() + at(o.argument[2]);
  const auto each = [&](auto f) {
    for (int k = 0; k < points; ++k) r[k] = f(k);
  };
  switch (o.what) {
    case op::number:
    case op::symbol:
      break;
    case op::add:
      return each([&](int k) { return a[k] + b[k]; });
    case op::subtract:
      return each([&](int k) { return a[k] - b[k]; });
    case op::multiply:
      return each([&](int k) { return a[k] * b[k]; });
    case op::divide:
      return each([&](int k) { return a[k] / b[k]; });
    case op::negate:
      return each([&](int k) { return -a[k]; });
    case op::less:
      return each([&](int k) { return a[k] < b[k] ? 1.0 : 0.0; });
    case op::choose:
      return each([&](int k) { return a[k] != 0 ? b[k] : c[k]; });
    case op::power:
      return each([&](int k) { return math::power(a[k], b[k]); });
    case op::absolute:
      return each([&](int k) { return std::abs(a[k]); });
    case op::arctangent:
      return each([&](int k) { return math::atan(a[k]); });
    case op::cosine:
      return each([&](int k) { return math::cos(a[k]); });
    case op::hyperbolic_cosine:
      return each([&](int k) { return math::cosh(a[k]); });
    case op::exponential:
      return each([&](int k) { return math::exp(a[k]); });
    case op::floor:
      return each([&](int k) { return math::floor(a[k]); });
    case op::logarithm:
      return each([&](int k) { return math::log(a[k]); });
    case op::sine:
      return each([&](int k) { return math::sin(a[k]); });
    case op::square_root:
      return each([&](int k) { return math::sqrt(a[k]); });
    case op::hyperbolic_tangent:
      return each([&](int k) { return math::tanh(a[k]); });
  }
}

// Slopes are those of the branch taken, as of dual numbers: 0 times anything is 0, so that neither a
// branch that is not taken nor a steep root of what does not change leaves its mark.
void equation_tape::workspace::follow_back(std::size_t result) {
  const way_back& way = of_.ways_[result];
  if (way.nodes.empty()) return;
  for (const int node : way.nodes) std::fill_n(adjoints_.data() + at(node), points, 0.0);
  std::fill_n(adjoints_.data() + at(way.nodes.front()), points, 1.0);
  for (const int node : way.nodes) {
    const operation& o = of_.operations_[as(node)];
    const double* const from = adjoints_.data() + at(node);
    const double* const r = values_.data() + at(node);
    const auto value = [&](int which) { return values_.data() + at(o.argument[which]); };
    // Adds to the adjoint of an argument that varies: what comes, times the slope.
    const auto pass = [&](int which, auto slope) {
      if (o.argument[which] < 0 || !of_.operations_[as(o.argument[which])].varies) return;
      double* const to = adjoints_.data() + at(o.argument[which]);
      for (int k = 0; k < points; ++k) {
        const double s = slope(k), product = from[k] * s;
        to[k] += ((from[k] == 0) | (s == 0)) ? 0.0 : product;
      }
    };
    const auto hand_on = [&](int which, double sign) {
      if (!of_.operations_[as(o.argument[which])].varies) return;
      double* const to = adjoints_.data() + at(o.argument[which]);
      for (int k = 0; k < points; ++k) to[k] += sign * from[k];
    };
    switch (o.what) {
      case op::number:
      case op::symbol:
      case op::less:
      case op::floor:
        break;
      case op::add:
        hand_on(0, 1);
        hand_on(1, 1);
        break;
      case op::subtract:
        hand_on(0, 1);
        hand_on(1, -1);
        break;
      case op::multiply: {
        const double *a = value(0), *b = value(1);
        pass(0, [&](int k) { return b[k]; });
        pass(1, [&](int k) { return a[k]; });
        break;
      }
      case op::divide: {
        const double* b = value(1);
        pass(0, [&](int k) { return 1 / b[k]; });
        pass(1, [&](int k) { return -r[k] / b[k]; });
        break;
      }
      case op::negate:
        hand_on(0, -1);
        break;
      case op::choose: {
        const double* is = value(0);
        pass(1, [&](int k) { return is[k]; });
        pass(2, [&](int k) { return 1 - is[k]; });
        break;
      }
      case op::power: {
        const double *a = value(0), *b = value(1);
        pass(0, [&](int k) { return b[k] * math::power(a[k], b[k] - 1); });
        pass(1, [&](int k) { return a[k] > 0 ? r[k] * math::log(a[k]) : 0.0; });
        break;
      }
      case op::absolute: {
        const double* a = value(0);
        pass(0, [&](int k) { return a[k] < 0 ? -1.0 : 1.0; });
        break;
      }
      case op::arctangent: {
        const double* a = value(0);
        pass(0, [&](int k) { return 1 / (1 + a[k] * a[k]); });
        break;
      }
      case op::cosine: {
        const double* a = value(0);
        pass(0, [&](int k) { return -math::sin(a[k]); });
        break;
      }
      case op::hyperbolic_cosine: {
        const double* a = value(0);
        pass(0, [&](int k) { return math::tanh(a[k]) * r[k]; });
        break;
      }
      case op::exponential:
        pass(0, [&](int k) { return r[k]; });
        break;
      case op::logarithm: {
        const double* a = value(0);
        pass(0, [&](int k) { return 1 / a[k]; });
        break;
      }
      case op::sine: {
        const double* a = value(0);
        pass(0, [&](int k) { return math::cos(a[k]); });
        break;
      }
      case op::square_root:
        pass(0, [&](int k) { return 0.5 / r[k]; });
        break;
      case op::hyperbolic_tangent:
        pass(0, [&](int k) { return 1 - r[k] * r[k]; });
        break;
    }
  }
  for (const auto& [node, slope] : way.gathers)
    std::copy_n(adjoints_.data() + at(node), points, slopes_.data() + at(slope));
}

}  // namespace asperity
