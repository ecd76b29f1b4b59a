// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes a graph of operations as statements of a language: what is used more than once gets a name.

#include <asperity/catalogue/traced.hpp>
#include <asperity/export/export_model.hpp>
#include <functional>

namespace asperity::detail {

// The number with all its bits, and so that the language takes it for one of double precision.
std::string written_number(double value, exported_language in);
// "[2]": element 2, counted from 0, of a list.
std::string element_text(exported_language in, int i);

class graph_writer {
 public:
  graph_writer(const trace_graph& graph, exported_language in, std::string helper_prefix,
               std::function<std::string(const trace_graph::node&)> symbol)
      : graph_(graph), in_(in), prefix_(std::move(helper_prefix)), symbol_(std::move(symbol)) {}

  // Formulas of these nodes; statements that have to stand before them are in text(). With names
  // for all: where what they are made of is about to be overwritten.
  std::vector<std::string> write(const std::vector<int>& nodes, bool with_names);
  const std::string& text() const { return text_; }

 private:
  struct term {
    std::string text;
    int level;  // how it binds: 0 a choice, 1 sums, 2 products, 3 a sign, 4 names and calls
  };
  static std::vector<int> uses(const trace_graph& graph, const std::vector<int>& nodes);
  term formula(const trace_graph::node& n) const;
  std::string argument(const trace_graph::node& n, int which, int least) const;
  std::string call(const trace_graph::node& n, const char* in_c, const char* in_rust,
                   const char* in_matlab) const;

  const trace_graph& graph_;
  exported_language in_;
  std::string prefix_;
  std::function<std::string(const trace_graph::node&)> symbol_;
  std::vector<term> terms_;
  std::string text_;
};

}  // namespace asperity::detail
