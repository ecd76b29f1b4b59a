// SPDX-License-Identifier: Apache-2.0
#pragma once

// A number that writes down what is done with it. A model evaluated with it leaves its equations as
// a graph of operations, each once, from which source code can be written (asperity/export). Models
// select and never branch on a number, so one evaluation holds for all inputs.

#include <asperity/model.hpp>
#include <asperity/port.hpp>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

namespace asperity {

enum class traced_operation : std::uint8_t {
  number,
  symbol,
  add,
  subtract,
  multiply,
  divide,
  negate,
  less,    // the only comparison
  choose,  // between the second and the third argument, by the first
  power,   // math::power
  absolute,
  arctangent,
  cosine,
  hyperbolic_cosine,
  exponential,
  floor,
  logarithm,
  sine,
  square_root,
  hyperbolic_tangent
};

// What is given to a model: its parameters, and the arguments of its members.
enum class traced_symbol : std::uint8_t {
  parameter,
  state,
  input,       // at the end of a step
  last_input,  // at its start
  step,        // its length
  start,       // free_step::u_start
  free,        // what would be at the end without the force
  mobility
};

class trace_graph {
 public:
  struct node {
    traced_operation what = traced_operation::number;
    int argument[3] = {-1, -1, -1};
    double value = 0;  // of a number
    traced_symbol kind = traced_symbol::parameter;
    int slot = 0, element = 0;  // of a symbol: its place in the list of its kind, and in that list
  };

  // Arguments stand before what is made of them; what exists already is not made again.
  int number(double value);
  int symbol(traced_symbol kind, int slot, int element);
  int make(traced_operation what, int a, int b = -1, int c = -1);

  const node& operator[](int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(nodes_.size()); }

  // Whether the model asked for a value, which no symbol has: it counts loops by its parameters.
  bool was_asked() const { return was_asked_; }
  void ask() { was_asked_ = true; }

 private:
  using key = std::tuple<traced_operation, int, int, int, std::uint64_t>;
  int add(const key& is, const node& n);

  std::vector<node> nodes_;
  std::map<key, int> known_;
  bool was_asked_ = false;
};

// Without a graph it is a plain number, and what is computed of plain numbers is one.
class traced {
 public:
  struct mask {
    trace_graph* graph;
    int node;
    bool value;
  };

  constexpr traced() = default;
  constexpr explicit traced(double value) : value_(value) {}
  traced(trace_graph& graph, int node) : graph_(&graph), node_(node) {}

  // As a pack of one lane: its value, where it has one.
  static constexpr int width = 1;
  double operator[](int) const {
    if (graph_ != nullptr) graph_->ask();
    return value_;
  }

  // Its node, in a graph in which a plain number becomes one.
  int in(trace_graph& graph) const { return graph_ != nullptr ? node_ : graph.number(value_); }

  friend traced operator+(const traced& a, const traced& b);
  friend traced operator-(const traced& a, const traced& b);
  friend traced operator*(const traced& a, const traced& b);
  friend traced operator/(const traced& a, const traced& b);
  friend traced operator-(const traced& a);
  friend mask operator<(const traced& a, const traced& b);
  friend traced select(const mask& is, const traced& a, const traced& b);
  friend traced pow(const traced& base, const traced& exponent);
  friend traced abs(const traced& x);
  friend traced atan(const traced& x);
  friend traced cos(const traced& x);
  friend traced cosh(const traced& x);
  friend traced exp(const traced& x);
  friend traced floor(const traced& x);
  friend traced log(const traced& x);
  friend traced sin(const traced& x);
  friend traced sqrt(const traced& x);
  friend traced tanh(const traced& x);

 private:
  static traced of(traced_operation what, const traced& a, const traced& b);
  static traced of(traced_operation what, const traced& a);

  trace_graph* graph_ = nullptr;
  int node_ = -1;
  double value_ = 0;
};

// What a call of a model gives, as nodes.
struct traced_call {
  std::vector<int> out, state;  // state: its rates, or what it is at the end

  bool exists() const { return !out.empty(); }
};

// A model with symbols in place of its parameters. Empty calls: it has no such member.
struct model_trace {
  trace_graph graph;
  int states = 0;
  std::vector<int> initial;
  traced_call respond;  // force and rates
  traced_call advance;  // from the last inputs to the inputs, in a step
  traced_call hold;     // the force where it is, of a model that can only be advanced
  traced_call coupled;  // the implicit step; along a line `out` is the force and u at the end

  bool is_empty() const { return !respond.exists() && !advance.exists(); }
  traced given(traced_symbol kind, int slot, int element = 0) {
    return {graph, graph.symbol(kind, slot, element)};
  }
  void keep(std::vector<int>& to, const traced* from, int count);
};

// Writes the equations of a model down; the number of its elements is that of the model in double.
struct model_tracer {
  const char* key;
  const char* curve;
  void (*trace)(const void* double_model, const port& at, model_trace& into);
};

// That of a model; nullptr where it has none: it branches on its memory, or is built.
const model_tracer* find_tracer(std::string_view key, std::string_view curve);

// Takes the place of a card: each parameter becomes its symbol, and the number of elements is given.
struct symbol_card {
  model_trace& into;
  int elements_in_use;
  int next = 0;

  using text = std::string_view;
  void about(text, text, unsigned) {}
  void parameter(text, traced& value, unit, range, text) {
    value = into.given(traced_symbol::parameter, next++);
  }
  void exponent(text name, traced& value, range allowed, text meaning) {
    parameter(name, value, units::one, allowed, meaning);
  }
  template <int N>
  void list(text, vec<traced, N>& values, unit, range, text) {
    for (int i = 0; i < N; ++i) values[i] = into.given(traced_symbol::parameter, next, i);
    ++next;
  }
  template <int N>
  void shares(text name, vec<traced, N>& values, range allowed, text meaning) {
    list(name, values, units::one, allowed, meaning);
  }
  void elements(text, int& count, int, text) {
    count = elements_in_use;
    ++next;
  }
  void state(text, unit, text, range = any_value) {}
  void even_state(text, unit, text, range = any_value) {}
  void state_list(text, unit, text, range = any_value) {}
  void output(text, unit, text) {}
  template <class Part>
  void part(Part& component) {
    component.describe(*this);
  }
};

}  // namespace asperity
