// SPDX-License-Identifier: Apache-2.0
#include <asperity/catalogue/traced.hpp>
#include <cmath>
#include <cstring>

namespace asperity {

namespace {

using op = traced_operation;

// Bits, not values: 0 and -0 are two numbers, and every NaN is itself.
std::uint64_t bits_of(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

double value_of(op what, double a, double b) {
  switch (what) {
    case op::add:
      return a + b;
    case op::subtract:
      return a - b;
    case op::multiply:
      return a * b;
    case op::divide:
      return a / b;
    case op::power:
      return math::power(a, b);
    case op::negate:
      return -a;
    case op::absolute:
      return std::abs(a);
    case op::arctangent:
      return std::atan(a);
    case op::cosine:
      return std::cos(a);
    case op::hyperbolic_cosine:
      return std::cosh(a);
    case op::exponential:
      return std::exp(a);
    case op::floor:
      return std::floor(a);
    case op::logarithm:
      return std::log(a);
    case op::sine:
      return std::sin(a);
    case op::square_root:
      return std::sqrt(a);
    case op::hyperbolic_tangent:
      return std::tanh(a);
    default:
      return __builtin_nan("");
  }
}

}  // namespace

int trace_graph::add(const key& is, const node& n) {
  const auto [place, is_new] = known_.try_emplace(is, size());
  if (is_new) nodes_.push_back(n);
  return place->second;
}

int trace_graph::number(double value) {
  node n;
  n.value = value;
  return add({op::number, 0, 0, 0, bits_of(value)}, n);
}

int trace_graph::symbol(traced_symbol kind, int slot, int element) {
  node n;
  n.what = op::symbol;
  n.kind = kind;
  n.slot = slot;
  n.element = element;
  return add({op::symbol, static_cast<int>(kind), slot, element, 0}, n);
}

int trace_graph::make(op what, int a, int b, int c) {
  node n;
  n.what = what;
  n.argument[0] = a;
  n.argument[1] = b;
  n.argument[2] = c;
  return add({what, a, b, c, 0}, n);
}

traced traced::of(op what, const traced& a, const traced& b) {
  trace_graph* graph = a.graph_ != nullptr ? a.graph_ : b.graph_;
  if (graph == nullptr) return traced(value_of(what, a.value_, b.value_));
  return {*graph, graph->make(what, a.in(*graph), b.in(*graph))};
}

traced traced::of(op what, const traced& a) {
  if (a.graph_ == nullptr) return traced(value_of(what, a.value_, 0));
  return {*a.graph_, a.graph_->make(what, a.node_)};
}

traced operator+(const traced& a, const traced& b) { return traced::of(op::add, a, b); }
traced operator-(const traced& a, const traced& b) { return traced::of(op::subtract, a, b); }
traced operator*(const traced& a, const traced& b) { return traced::of(op::multiply, a, b); }
traced operator/(const traced& a, const traced& b) { return traced::of(op::divide, a, b); }
traced operator-(const traced& a) { return traced::of(op::negate, a); }
traced abs(const traced& x) { return traced::of(op::absolute, x); }
traced atan(const traced& x) { return traced::of(op::arctangent, x); }
traced cos(const traced& x) { return traced::of(op::cosine, x); }
traced cosh(const traced& x) { return traced::of(op::hyperbolic_cosine, x); }
traced exp(const traced& x) { return traced::of(op::exponential, x); }
traced floor(const traced& x) { return traced::of(op::floor, x); }
traced log(const traced& x) { return traced::of(op::logarithm, x); }
traced sin(const traced& x) { return traced::of(op::sine, x); }
traced sqrt(const traced& x) { return traced::of(op::square_root, x); }
traced tanh(const traced& x) { return traced::of(op::hyperbolic_tangent, x); }

// As math::power treats numbers, so that a known exponent costs no logarithm.
traced pow(const traced& base, const traced& exponent) {
  if (exponent.graph_ == nullptr) {
    if (exponent.value_ == 2) return base * base;
    if (exponent.value_ == 1) return base;
    if (exponent.value_ == 1.5) return base * sqrt(base);
    if (exponent.value_ == 4) return (base * base) * (base * base);
  }
  return traced::of(op::power, base, exponent);
}

traced::mask operator<(const traced& a, const traced& b) {
  trace_graph* graph = a.graph_ != nullptr ? a.graph_ : b.graph_;
  if (graph == nullptr) return {nullptr, -1, a.value_ < b.value_};
  return {graph, graph->make(op::less, a.in(*graph), b.in(*graph)), false};
}

traced select(const traced::mask& is, const traced& a, const traced& b) {
  if (is.graph == nullptr) return is.value ? a : b;
  const int yes = a.in(*is.graph), no = b.in(*is.graph);
  return {*is.graph, yes == no ? yes : is.graph->make(op::choose, is.node, yes, no)};
}

void model_trace::keep(std::vector<int>& to, const traced* from, int count) {
  for (int i = 0; i < count; ++i) to.push_back(from[i].in(graph));
}

}  // namespace asperity
