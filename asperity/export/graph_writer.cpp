// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/export/graph_writer.hpp>
#include <cmath>

namespace asperity::detail {

namespace {

using op = traced_operation;

// A formula longer than this gets a name.
constexpr std::size_t longest = 64;

bool is_leaf(const trace_graph::node& n) { return n.what == op::number || n.what == op::symbol; }

}  // namespace

std::string written_number(double value, exported_language in) {
  const bool is_matlab = in == exported_language::matlab, is_rust = in == exported_language::rust;
  if (std::isnan(value)) return is_matlab ? "NaN" : is_rust ? "f64::NAN" : "(double)NAN";
  if (std::isinf(value)) {
    // C's INFINITY and NAN are floats, at which -Wdouble-promotion of firmware takes offence.
    const std::string infinite = is_matlab ? "Inf" : is_rust ? "f64::INFINITY" : "HUGE_VAL";
    return value < 0 ? fmt::format("-{}", infinite) : infinite;
  }
  std::string text = fmt::format("{}", value);
  if (!is_matlab && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string element_text(exported_language in, int i) {
  return in == exported_language::matlab ? fmt::format("({})", i + 1) : fmt::format("[{}]", i);
}

std::vector<int> graph_writer::uses(const trace_graph& graph, const std::vector<int>& nodes) {
  std::vector<int> count(static_cast<std::size_t>(graph.size()));
  for (const int each : nodes) ++count[static_cast<std::size_t>(each)];
  // Arguments stand before what is made of them.
  for (int i = graph.size() - 1; i >= 0; --i)
    for (const int each : graph[i].argument)
      if (each >= 0 && count[static_cast<std::size_t>(i)] > 0)
        ++count[static_cast<std::size_t>(each)];
  return count;
}

std::vector<std::string> graph_writer::write(const std::vector<int>& nodes, bool with_names) {
  const auto count = uses(graph_, nodes);
  terms_.assign(count.size(), {});
  int names = 0;
  for (int i = 0; i < graph_.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (count[at] == 0) continue;
    const auto& n = graph_[i];
    terms_[at] = formula(n);
    const bool is_number = n.what == op::number;
    const bool is_asked =
        with_names && !is_number && std::find(nodes.begin(), nodes.end(), i) != nodes.end();
    if (!is_asked && (is_leaf(n) || (count[at] == 1 && terms_[at].text.size() <= longest)))
      continue;
    const bool is_mask = n.what == op::less;
    const std::string name = fmt::format("{}{}", is_mask ? "is_" : "t", ++names);
    const char* start = "";
    switch (in_) {
      case exported_language::c:
        start = is_mask ? "const int " : "const double ";
        break;
      case exported_language::cpp:
        start = is_mask ? "const bool " : "const double ";
        break;
      case exported_language::rust:
        start = "let ";
        break;
      case exported_language::matlab:
        break;
    }
    text_ += fmt::format("  {}{} = {};\n", start, name, terms_[at].text);
    terms_[at] = {name, 4};
  }
  std::vector<std::string> result;
  result.reserve(nodes.size());
  for (const int each : nodes) result.push_back(terms_[static_cast<std::size_t>(each)].text);
  return result;
}

// In parentheses where it binds weaker than `least`.
std::string graph_writer::argument(const trace_graph::node& n, int which, int least) const {
  const term& t = terms_[static_cast<std::size_t>(n.argument[which])];
  return t.level < least ? fmt::format("({})", t.text) : t.text;
}

std::string graph_writer::call(const trace_graph::node& n, const char* in_c, const char* in_rust,
                               const char* in_matlab) const {
  switch (in_) {
    case exported_language::c:
      return fmt::format("{}({})", in_c, argument(n, 0, 0));
    case exported_language::cpp:
      return fmt::format("std::{}({})", in_c, argument(n, 0, 0));
    case exported_language::rust:
      return fmt::format("{}.{}()", argument(n, 0, 4), in_rust);
    case exported_language::matlab:
      return fmt::format("{}({})", in_matlab, argument(n, 0, 0));
  }
  return "";
}

graph_writer::term graph_writer::formula(const trace_graph::node& n) const {
  // What stands on the right is kept together: (a + b) + c is not a + (b + c).
  const auto binary = [&](const char* sign, int level) {
    return term{fmt::format("{} {} {}", argument(n, 0, level), sign, argument(n, 1, level + 1)),
                level};
  };
  const bool is_matlab = in_ == exported_language::matlab;
  switch (n.what) {
    case op::number: {
      std::string text = written_number(n.value, in_);
      const int level = text[0] == '-' ? 3 : 4;
      return {std::move(text), level};
    }
    case op::symbol:
      return {symbol_(n), 4};
    case op::add:
      return binary("+", 1);
    case op::subtract:
      return binary("-", 1);
    case op::multiply:
      return binary("*", 2);
    case op::divide:
      return binary("/", 2);
    case op::negate:
      return {fmt::format("-{}", argument(n, 0, 4)), 3};
    case op::less:
      return {fmt::format("{} < {}", argument(n, 0, 1), argument(n, 1, 1)), 0};
    case op::choose: {
      const std::string is = argument(n, 0, 0), yes = argument(n, 1, 1), no = argument(n, 2, 1);
      if (is_matlab) return {fmt::format("choose({}, {}, {})", is, yes, no), 4};
      if (in_ == exported_language::rust)
        return {
            fmt::format("if {} {{ {} }} else {{ {} }}", is, argument(n, 1, 0), argument(n, 2, 0)),
            0};
      return {fmt::format("{} ? {} : {}", is, yes, no), 0};
    }
    case op::power:
      return {fmt::format("{}({}, {})", is_matlab ? "raised" : prefix_ + "power", argument(n, 0, 0),
                          argument(n, 1, 0)),
              4};
    case op::absolute:
      return {call(n, "fabs", "abs", "abs"), 4};
    case op::arctangent:
      return {call(n, "atan", "atan", "atan"), 4};
    case op::cosine:
      return {call(n, "cos", "cos", "cos"), 4};
    case op::hyperbolic_cosine:
      return {call(n, "cosh", "cosh", "cosh"), 4};
    case op::exponential:
      return {call(n, "exp", "exp", "exp"), 4};
    case op::floor:
      return {call(n, "floor", "floor", "floor"), 4};
    case op::logarithm:
      return {call(n, "log", "ln", "log_of"), 4};
    case op::sine:
      return {call(n, "sin", "sin", "sin"), 4};
    case op::square_root:
      return {call(n, "sqrt", "sqrt", "root_of"), 4};
    case op::hyperbolic_tangent:
      return {call(n, "tanh", "tanh", "tanh"), 4};
  }
  return {"", 4};
}

}  // namespace asperity::detail
