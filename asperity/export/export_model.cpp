// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/catalogue/traced.hpp>
#include <asperity/error.hpp>
#include <asperity/export/export_model.hpp>
#include <asperity/export/graph_writer.hpp>
#include <asperity/text.hpp>
#include <cctype>
#include <cmath>

namespace asperity {

namespace {

using strings = std::vector<std::string>;
using detail::graph_writer;
using detail::written_number;

constexpr const char* names_of[] = {"c", "cpp", "rust", "matlab"};
constexpr const char* suffixes[] = {".h", ".hpp", ".rs", ".m"};

std::size_t index_of(exported_language in) { return static_cast<std::size_t>(in); }

// A quantity in a struct, or a list of them.
struct field {
  std::string name;
  int count;  // 0: a number, not a list
  std::string about;
  std::vector<double> values;  // of a parameter
};

struct exported {
  std::string key, title, source, curve;
  const port* at;
  std::vector<field> parameters, states, inputs, outputs;
  std::vector<int> parameter_of;  // entry of the card to field; -1: a number of elements
  int elements = 0;
  bool iterates = false;  // its implicit step does: it is not one list of operations
  model_trace trace;

  bool couples() const { return trace.coupled.exists(); }
  bool is_ode() const { return trace.respond.exists(); }
  bool has_rates() const { return is_ode() && trace.states > 0; }
  // What an output works on: a velocity, or the gap itself.
  std::size_t driven(std::size_t output) const {
    const channel& c = at->outputs[output];
    return static_cast<std::size_t>(c.sign < 0 ? at->place_of(c.rate_of) : c.rate_of);
  }
  bool has_load() const { return at->inputs.back().is == channel::load; }
  std::string free_name(std::size_t output) const {
    return fmt::format("free_{}", inputs[driven(output)].name);
  }
  std::string mobility_name(std::size_t output) const {
    return at->is_line() ? "mobility" : fmt::format("mobility_{}", outputs[output].name);
  }
};

// Words that cannot name a field.
bool is_keyword(exported_language in, const std::string& name) {
  static const strings words[] = {
      {"auto",     "break",  "case",     "char",   "const",    "continue", "default",  "do",
       "double",   "else",   "enum",     "extern", "float",    "for",      "goto",     "if",
       "inline",   "int",    "long",     "return", "register", "restrict", "short",    "signed",
       "sizeof",   "static", "struct",   "switch", "typedef",  "union",    "unsigned", "void",
       "volatile", "while",  "INFINITY", "NAN",    "HUGE_VAL"},
      {"and",      "auto",     "bool",     "break",   "case",    "catch",  "char",     "class",
       "const",    "continue", "default",  "delete",  "do",      "double", "else",     "enum",
       "explicit", "export",   "extern",   "false",   "float",   "for",    "friend",   "goto",
       "if",       "inline",   "int",      "long",    "mutable", "new",    "not",      "operator",
       "or",       "private",  "public",   "return",  "short",   "signed", "sizeof",   "static",
       "struct",   "switch",   "template", "this",    "throw",   "true",   "try",      "typedef",
       "typename", "union",    "unsigned", "using",   "virtual", "void",   "volatile", "while",
       "xor",      "INFINITY", "NAN",      "HUGE_VAL"},
      {"as",  "async", "await",  "box",    "break",  "const",  "continue", "crate", "do",
       "dyn", "else",  "enum",   "extern", "false",  "fn",     "for",      "if",    "impl",
       "in",  "let",   "loop",   "macro",  "match",  "mod",    "move",     "mut",   "priv",
       "pub", "ref",   "return", "self",   "static", "struct", "super",    "trait", "true",
       "try", "type",  "unsafe", "use",    "where",  "while",  "yield"},
      {"break",      "case",   "catch",    "classdef", "continue", "else",      "elseif",
       "end",        "for",    "function", "global",   "if",       "otherwise", "parfor",
       "persistent", "return", "spmd",     "switch",   "try",      "while"}};
  const strings& all = words[index_of(in)];
  return std::find(all.begin(), all.end(), name) != all.end();
}

std::string field_name(exported_language in, std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  if (is_keyword(in, name)) name += '_';
  return name;
}

std::string about(unit in, const std::string& meaning, const std::string& allowed = {}) {
  const std::string shown = is_plain(in) ? "1" : to_string(in);
  return fmt::format("[{}]{}{}{}{}", shown, meaning.empty() ? "" : " ", meaning,
                     allowed.empty() ? "" : "; ", allowed);
}

exported describe(const any_model& model, exported_language in) {
  exported e;
  const auto card = model.describe();
  e.key = model.key();
  e.title = card.title;
  e.source = card.source;
  e.curve = model.curve();
  e.at = &model.at();
  e.iterates = model.functions().implicit_step != nullptr;
  for (const auto& p : card.parameters)
    if (p.count != nullptr) e.elements = *p.count;
  for (const auto& p : card.parameters) {
    e.parameter_of.push_back(p.count != nullptr ? -1 : static_cast<int>(e.parameters.size()));
    if (p.count != nullptr) continue;
    e.parameters.push_back({field_name(in, p.name), p.is_list ? e.elements : 0,
                            about(p.in, p.meaning, to_string(p.allowed)), model.get(p.name)});
  }
  int states = 0;
  for (const auto& s : card.states) {
    e.states.push_back(
        {field_name(in, s.name), s.is_list ? e.elements : 0, about(s.in, s.meaning), {}});
    states += s.is_list ? e.elements : 1;
  }
  for (const auto& c : e.at->inputs)
    e.inputs.push_back({field_name(in, c.name),
                        0,
                        about(c.in, c.is == channel::load
                                        ? "normal load over the one the parameters are stated for"
                                        : ""),
                        {}});
  for (const auto& c : e.at->outputs)
    e.outputs.push_back({field_name(in, c.name), 0, about(c.in, ""), {}});
  find_tracer(e.key, e.curve)->trace(model.self(), *e.at, e.trace);
  if (states != e.trace.states)
    throw error(fmt::format("model '{}': its card names {} states, its equations have {}", e.key,
                            states, e.trace.states));
  return e;
}

// ---- what stands in every file ------------------------------------------------------------------

enum class step_kind : std::uint8_t { none, advance, implicit, runge_kutta };

step_kind step_of(const exported& e) {
  if (e.trace.advance.exists()) return step_kind::advance;
  if (e.trace.states == 0) return step_kind::none;
  if (e.couples()) return step_kind::implicit;
  return step_kind::runge_kutta;
}

// Where the state and inputs of a function are said once.
strings head(const exported& e, exported_language in, const std::string& version,
             const std::string& left_out) {
  strings lines;
  lines.push_back(
      fmt::format("{}: the model '{}' of Asperity{}.", e.title, e.key,
                  e.curve.empty() ? "" : fmt::format(", with the curve '{}'", e.curve)));
  lines.push_back(fmt::format("Source: {}.", e.source));
  lines.push_back("");
  lines.push_back(fmt::format("Written by asperity {} (asperity export {} --lang {}) from the",
                              version, e.key, names_of[index_of(in)]));
  lines.push_back(
      "equations of the model itself: the same operations in the same order. It allocates");
  lines.push_back(
      "nothing, keeps nothing outside the state it is given, and needs no library of ours.");
  lines.push_back("Licence: Apache-2.0, that of Asperity; provided as it is, without warranty.");
  lines.push_back(
      e.at->has_units()
          ? "All quantities are in SI units."
          : "Inputs and outputs are plain numbers, in units of your own; times in seconds.");
  if (e.at->is_contact() && e.at->is_line())
    lines.push_back("x is the gap, below 0 where bodies overlap; f pushes them apart.");
  else if (e.at->is_sliding())
    lines.push_back("f has the sign of v in steady sliding: the body feels -f.");
  lines.push_back("What is not a number goes through: NaN in, NaN out.");
  if (e.elements > 0)
    lines.push_back(fmt::format("The number of elements, {}, is fixed in this file.", e.elements));
  lines.push_back("");
  lines.push_back("defaults        parameters as they were set when this file was written");
  lines.push_back("init            the state at rest, at the inputs given");
  lines.push_back(e.has_rates() ? "force           force and rates of the states at an instant"
                                : "force           force at an instant; the state stays as it is");
  switch (step_of(e)) {
    case step_kind::none:
      lines.push_back(
          "step            to the inputs at the end of h seconds: this law has no memory");
      break;
    case step_kind::advance:
      lines.push_back(
          "step            to the inputs at the end of h seconds, by the closed form of the");
      lines.push_back("                law over a motion that does not turn within the step");
      break;
    case step_kind::implicit:
      lines.push_back(
          "step            to the inputs at the end of h seconds, by the closed-form implicit");
      lines.push_back("                step of the law: stable at any h");
      break;
    case step_kind::runge_kutta:
      lines.push_back(
          "step            to the inputs at the end of h seconds, by one Runge-Kutta step of");
      lines.push_back(
          "                order 4 between straight lines. It is explicit: stable while h times");
      lines.push_back(
          "                the fastest rate, |d rate/d state| as `force` gives it, is below");
      lines.push_back(
          "                2.78. Divide h where it is not; that rate mostly grows with speed");
      lines.push_back("                and stiffness");
      break;
  }
  if (e.couples()) {
    lines.push_back(
        "step_with_body  the law and the body it acts on together, so that what sticks stays");
    lines.push_back(fmt::format(
        "                where it is: `free_...` is what {} would be at the end without",
        e.at->is_contact() && e.at->is_line() ? "the gap" : "the velocity"));
    lines.push_back(
        "                the force, `mobility` what each newton changes of it: h/m for a mass m");
    if (e.at->is_contact())
      lines.push_back(
          "                (of a gap h*h/m). Where it ends is in the `last` inputs of the state");
    else
      lines.push_back("                where it ends is in the `last` inputs of the state");
  }
  if (!left_out.empty()) {
    lines.push_back("");
    lines.push_back(left_out);
  }
  // A comment of one line each, whatever a title says.
  for (std::string& line : lines) {
    line = in_one_line(line);
    if (line.ends_with('\\')) line += '.';
  }
  return lines;
}

std::string commented(const strings& lines, const char* mark) {
  std::string text;
  for (const auto& line : lines)
    text += fmt::format("{}{}{}\n", mark, line.empty() ? "" : " ", line);
  return text;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])))
      return true;
  }
  return false;
}

// Calls visit(field, index, place) for each number of the fields: index is "" or "[2]".
template <class Visit>
void for_each_number(const std::vector<field>& fields, exported_language in, Visit visit) {
  for (const auto& f : fields)
    for (int i = 0; i < std::max(1, f.count); ++i)
      visit(f.count == 0 ? f.name : f.name + detail::element_text(in, i));
}

// What the languages of functions share: names of symbols in them.
class code {
 public:
  code(const exported& e, exported_language in) : e_(e), in_(in) {}

 protected:
  // Where parameters, state and inputs are found.
  struct prefixes {
    std::string p, s, in;
  };

  std::string number_of(const std::vector<field>& fields, int slot) const {
    for (const auto& f : fields) {
      const int count = std::max(1, f.count);
      if (slot < count) return f.count == 0 ? f.name : f.name + detail::element_text(in_, slot);
      slot -= count;
    }
    return "";
  }

  auto symbols(const prefixes& at, bool is_coupled) const {
    return [this, at, is_coupled](const trace_graph::node& n) -> std::string {
      const auto slot = static_cast<std::size_t>(n.slot);
      switch (n.kind) {
        case traced_symbol::parameter: {
          const field& f = e_.parameters[static_cast<std::size_t>(e_.parameter_of[slot])];
          return at.p + f.name + (f.count > 0 ? detail::element_text(in_, n.element) : "");
        }
        case traced_symbol::state:
          return at.s + number_of(e_.states, n.slot);
        case traced_symbol::input:
          return is_coupled ? e_.inputs[slot].name : at.in + e_.inputs[slot].name;
        case traced_symbol::last_input:
          return at.s + "last." + e_.inputs[slot].name;
        case traced_symbol::step:
          return "h";
        case traced_symbol::start:
          return "start";
        case traced_symbol::free:
          return e_.free_name(slot);
        case traced_symbol::mobility:
          return e_.mobility_name(slot);
      }
      return "";
    };
  }

  static std::vector<int> together(const traced_call& call) {
    auto all = call.out;
    all.insert(all.end(), call.state.begin(), call.state.end());
    return all;
  }

  // Where the inputs are after a step with the body, as statements.
  strings end_of_body(const std::string& last) const {
    strings result;
    for (std::size_t k = 0; k < e_.outputs.size(); ++k) {
      const channel& c = e_.at->outputs[k];
      const int place = e_.at->place_of(c.rate_of);
      const std::string rate = last + e_.inputs[static_cast<std::size_t>(c.rate_of)].name;
      const std::string at =
          place < 0 ? "" : last + e_.inputs[static_cast<std::size_t>(place)].name;
      // Along a line the law says where it ends, without a difference of almost equal numbers.
      const std::string value =
          e_.at->is_line()
              ? (in_ == exported_language::matlab ? "ending" : "end")
              : fmt::format("{} {} {} * out.{}", e_.free_name(k), c.sign < 0 ? "+" : "-",
                            e_.mobility_name(k), e_.outputs[k].name);
      if (c.sign < 0) {
        result.push_back(fmt::format("{} = ({} - {}) / h", rate, value, at));
        result.push_back(fmt::format("{} = {}", at, value));
      } else {
        result.push_back(fmt::format("{} = {}", rate, value));
        if (!at.empty()) result.push_back(fmt::format("{0} = {0} + h * {1}", at, rate));
      }
    }
    if (e_.has_load())
      result.push_back(
          fmt::format("{}{} = {}", last, e_.inputs.back().name, e_.inputs.back().name));
    return result;
  }

  graph_writer writer(const prefixes& at, bool is_coupled = false,
                      const std::string& helper_prefix = {}) const {
    return {e_.trace.graph, in_, helper_prefix, symbols(at, is_coupled)};
  }

  const exported& e_;
  exported_language in_;
};

// ---- C, C++ and Rust ----------------------------------------------------------------------------

class function_code : code {
 public:
  function_code(const exported& e, exported_language in)
      : code(e, in),
        is_c_(in == exported_language::c),
        is_rust_(in == exported_language::rust),
        prefix_(is_c_ ? e.key + "_" : ""),
        inputs_(is_rust_ ? "at" : "in"),
        access_{is_c_ ? "p->" : "p.", is_c_ ? "s->" : "s.", inputs_ + (is_c_ ? "->" : ".")} {}

  std::string file() const {
    std::string functions = init() + force();
    if (e_.couples()) functions += implicit();
    functions += step();
    if (e_.couples()) functions += step_with_body();
    const std::string body = structs() + defaults() + helpers(functions) + functions;
    if (is_rust_)
      return fmt::format(
          "\n#[allow(dead_code, non_snake_case, clippy::all)]\npub mod {} {{\n{}{}}}\n", e_.key,
          body, methods());
    std::string guard = fmt::format("ASPERITY_EXPORT_{}_{}", e_.key, is_c_ ? "H" : "HPP");
    for (char& c : guard) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return fmt::format("\n#ifndef {0}\n#define {0}\n\n#include <{1}>\n{2}{3}{4}\n#endif\n", guard,
                       is_c_ ? "math.h" : "cmath",
                       is_c_ ? "" : fmt::format("\nnamespace {} {{\n", e_.key), body,
                       is_c_ ? "" : fmt::format("\n}}  // namespace {}\n", e_.key));
  }

 private:
  struct argument {
    const char* type;  // "": a number
    std::string name;
    bool is_changed = false;
  };

  std::string type(const std::string& name) const {
    if (!is_rust_) return prefix_ + name;
    std::string upper = name;
    upper[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(upper[0])));
    return upper;
  }
  std::string call(const char* name) const { return prefix_ + name; }
  std::string of(const char* variable) const { return variable + std::string(is_c_ ? "->" : "."); }
  // A variable given to a function, and what stands behind one that was given.
  std::string given(const std::string& variable, bool is_changed = false) const {
    return fmt::format("{}{}", is_c_ ? "&" : !is_rust_ ? "" : is_changed ? "&mut " : "&", variable);
  }
  std::string behind(const std::string& name) const {
    return fmt::format("{}{}", is_c_ || is_rust_ ? "*" : "", name);
  }
  std::string constant(const char* of_type, const char* name, const std::string& value) const {
    return is_rust_ ? fmt::format("  let {} = {};\n", name, value)
                    : fmt::format("  const {} {} = {};\n",
                                  of_type[0] == 0 ? "double" : type(of_type), name, value);
  }
  std::string variable(const char* of_type, const char* name) const {
    if (is_rust_)
      return fmt::format("  let mut {} = {};\n", name,
                         of_type[0] == 0 ? "0.0" : type(of_type) + "::default()");
    return fmt::format("  {} {};\n", of_type[0] == 0 ? "double" : type(of_type), name);
  }
  std::string written(const argument& a) const {
    if (is_rust_)
      return fmt::format("{}: {}{}", a.name,
                         a.is_changed        ? "&mut "
                         : a.type[0] == '\0' ? ""
                                             : "&",
                         a.type[0] == 0 ? "f64" : type(a.type));
    if (a.type[0] == 0)
      return fmt::format("double {}{}", !a.is_changed ? "" : is_c_ ? "*" : "&", a.name);
    return fmt::format("{}{} {}{}", a.is_changed ? "" : "const ", type(a.type), is_c_ ? "*" : "&",
                       a.name);
  }
  std::string function(const char* returns, const char* name,
                       const std::vector<argument>& arguments, const std::string& body) const {
    std::string unused;
    strings list;
    for (const auto& each : arguments) {
      list.push_back(written(each));
      if (!has_word(body, each.name))
        unused += is_rust_ ? fmt::format("  let _ = {};\n", each.name)
                           : fmt::format("  (void){};\n", each.name);
    }
    const std::string gives = returns[0] != 0 ? type(returns) : is_rust_ ? "f64" : "double";
    if (is_rust_)
      return fmt::format("\npub fn {}({}) -> {} {{\n{}{}}}\n", name, fmt::join(list, ", "), gives,
                         unused, body);
    return fmt::format("\n{}inline {} {}({}) {{\n{}{}}}\n", is_c_ ? "static " : "", gives,
                       call(name), fmt::join(list, ", "), unused, body);
  }

  std::string structure(const char* name, const char* what, const std::vector<field>& fields,
                        const std::string& more = {}) const {
    std::string text = fmt::format("\n// {}\n", what);
    if (is_rust_) {
      const bool has_own = name == std::string_view("parameters");
      text += fmt::format("#[derive(Clone, Copy, Debug{})]\npub struct {} {{\n",
                          has_own ? "" : ", Default", type(name));
      for (const auto& f : fields)
        text += fmt::format("  pub {}: {},  // {}\n", f.name,
                            f.count > 0 ? fmt::format("[f64; {}]", f.count) : "f64", f.about);
      return text + more + "}\n";
    }
    text += is_c_ ? "typedef struct {\n" : fmt::format("struct {} {{\n", type(name));
    for (const auto& f : fields) {
      std::string start;
      if (!is_c_)
        start = fmt::format(" = {}", !f.values.empty()  ? values(f)
                                     : f.count > 0      ? "{}"
                                     : f.name == "load" ? "1.0"
                                                        : "0.0");
      text += fmt::format("  double {}{}{};  // {}\n", f.name,
                          f.count > 0 ? fmt::format("[{}]", f.count) : "", start, f.about);
    }
    return text + more + (is_c_ ? fmt::format("}} {};\n", type(name)) : "};\n");
  }
  std::string values(const field& f) const {
    strings all;
    for (const double each : f.values) all.push_back(written_number(each, in_));
    const char* form = is_rust_ ? "[{}]" : "{{{}}}";
    return f.count > 0 ? fmt::format(fmt::runtime(form), fmt::join(all, ", ")) : all[0];
  }

  std::string structs() const {
    auto parameters = e_.parameters;
    if (parameters.empty() && is_c_)  // C knows no empty struct
      parameters.push_back({"none", 0, "[1] this law has no parameters", {0.0}});
    std::string text = structure("parameters", "Parameters.", parameters);
    text += structure("inputs", "What goes in.", e_.inputs);
    text += structure("outputs", "What comes out.", e_.outputs);
    if (e_.has_rates()) text += structure("rates", "Rates of the states, per second.", e_.states);
    return text +
           structure("state", "The state.", e_.states,
                     fmt::format("  {}  // inputs at the end of the last step\n",
                                 is_rust_ ? "pub last: Inputs," : type("inputs") + " last;"));
  }

  std::string defaults() const {
    std::string body;
    if (is_rust_) {
      for (const auto& f : e_.parameters) body += fmt::format("    {}: {},\n", f.name, values(f));
      return fmt::format(
          "\nimpl Default for Parameters {{\n  fn default() -> Parameters {{\n    Parameters "
          "{{\n{}    "
          "}}\n  }}\n}}\n\npub fn defaults() -> Parameters {{\n  Parameters::default()\n}}\n",
          body);
    }
    body = variable("parameters", "p");
    for (const auto& f : e_.parameters)
      for (std::size_t i = 0; i < f.values.size(); ++i)
        body += fmt::format("  p.{}{} = {};\n", f.name, f.count > 0 ? fmt::format("[{}]", i) : "",
                            written_number(f.values[i], in_));
    if (e_.parameters.empty()) body += "  p.none = 0.0;\n";
    if (!is_c_)
      return fmt::format("\ninline {0} defaults() {{ return {0}(); }}\n", type("parameters"));
    return fmt::format("\nstatic inline {} {}defaults(void) {{\n{}  return p;\n}}\n",
                       type("parameters"), prefix_, body);
  }

  std::string helpers(const std::string& functions) const {
    std::string text;
    if (has_word(functions, call("power"))) {
      const std::string root = is_rust_ ? "base.sqrt()" : is_c_ ? "sqrt(base)" : "std::sqrt(base)";
      const std::string raised = is_rust_ ? "base.powf(exponent)"
                                 : is_c_  ? "pow(base, exponent)"
                                          : "std::pow(base, exponent)";
      std::string body;
      const std::pair<const char*, std::string> cases[] = {
          {"2.0", "base * base"},
          {"1.0", "base"},
          {"1.5", fmt::format("base * {}", root)},
          {"4.0", "(base * base) * (base * base)"}};
      for (const auto& [exponent, value] : cases)
        body += fmt::format(fmt::runtime(is_rust_ ? "  if exponent == {} {{\n    return {};\n  }}\n"
                                                  : "  if (exponent == {}) return {};\n"),
                            exponent, value);
      text += function("", "power", {{"", "base"}, {"", "exponent"}},
                       body + fmt::format("  return {};\n", raised));
    }
    if (step_of(e_) != step_kind::runge_kutta) return text;
    std::string body = variable("inputs", "between_them");
    for (const auto& f : e_.inputs)
      body += fmt::format("  between_them.{0} = {1}{0} + share * ({2}{0} - {1}{0});\n", f.name,
                          of("from"), of("to"));
    text += function("inputs", "between", {{"inputs", "from"}, {"inputs", "to"}, {"", "share"}},
                     body + "  return between_them;\n");
    body = is_rust_ ? "  let mut to = *s;\n"
                    : fmt::format("  {} to = {};\n", type("state"), behind("s"));
    for (const auto& f : e_.states)
      body += each_of(f, [&](const std::string& n) {
        return fmt::format("to.{0} = {1}{0} + length * {2}{0};", n, access_.s, of("rate"));
      });
    return text + function("state", "moved", {{"state", "s"}, {"", "length"}, {"rates", "rate"}},
                           body + "  return to;\n");
  }
  // A statement for a number, or a loop over a list.
  template <class Statement>
  std::string each_of(const field& f, const Statement& statement) const {
    if (f.count == 0) return fmt::format("  {}\n", statement(f.name));
    return fmt::format(fmt::runtime(is_rust_ ? "  for i in 0..{} {{\n    {}\n  }}\n"
                                             : "  for (int i = 0; i < {}; ++i) {}\n"),
                       f.count, statement(f.name + "[i]"));
  }

  std::string init() const {
    auto w = writer({access_.p, "s.", ""}, false, prefix_);
    const auto start = w.write(e_.trace.initial, false);
    std::string body = variable("state", "s") + w.text();
    std::size_t i = 0;
    for_each_number(e_.states, in_, [&](const std::string& n) {
      body += fmt::format("  s.{} = {};\n", n, start[i++]);
    });
    body += fmt::format("  s.last = {};\n  return s;\n", behind("start"));
    return function("state", "init", {{"parameters", "p"}, {"inputs", "start"}}, body);
  }

  std::string outputs(const strings& values) const {
    std::string text = variable("outputs", "out");
    for (std::size_t i = 0; i < e_.outputs.size(); ++i)
      text += fmt::format("  out.{} = {};\n", e_.outputs[i].name, values[i]);
    return text;
  }
  std::string put(const std::string& into, const strings& values, std::size_t first) const {
    std::string text;
    for_each_number(e_.states, in_, [&](const std::string& n) {
      text += fmt::format("  {}{} = {};\n", into, n, values[first++]);
    });
    return text;
  }

  std::string force() const {
    auto w = writer(access_, false, prefix_);
    std::vector<argument> arguments{{"parameters", "p"}, {"state", "s"}, {"inputs", inputs_}};
    const auto values =
        w.write(e_.is_ode() ? together(e_.trace.respond) : e_.trace.hold.out, false);
    std::string body = w.text();
    if (e_.has_rates()) {
      arguments.push_back({"rates", "rate", true});
      body += put(of("rate"), values, e_.outputs.size());
    }
    return function("outputs", "force", arguments, body + outputs(values) + "  return out;\n");
  }

  std::vector<argument> with_body() const {
    std::vector<argument> result{{"parameters", "p"}, {"state", "s", true}};
    if (e_.has_load()) result.push_back({"", e_.inputs.back().name});
    for (std::size_t k = 0; k < e_.outputs.size(); ++k) result.push_back({"", e_.free_name(k)});
    for (std::size_t k = 0; k < e_.outputs.size(); ++k) result.push_back({"", e_.mobility_name(k)});
    result.push_back({"", "h"});
    return result;
  }

  std::string implicit() const {
    auto w = writer(access_, true, prefix_);
    auto arguments = with_body();
    const auto values = w.write(together(e_.trace.coupled), true);
    std::string body =
        w.text() + outputs(values) + put(access_.s, values, e_.trace.coupled.out.size());
    if (e_.at->is_line()) {
      arguments.push_back({"", "start"});
      arguments.push_back({"", "end", true});
      body += fmt::format("  {} = {};\n", behind("end"), values[1]);
    }
    return function("outputs", "implicit", arguments, body + "  return out;\n");
  }
  // Calls it, from a velocity or gap at the start.
  std::string call_implicit(const std::string& arguments, const std::string& start) const {
    if (!e_.at->is_line())
      return constant("outputs", "out", fmt::format("{}(p, s, {}h)", call("implicit"), arguments));
    return variable("", "end") + constant("outputs", "out",
                                          fmt::format("{}(p, s, {}h, {}, {})", call("implicit"),
                                                      arguments, start, given("end", true)));
  }

  std::string step() const {
    const std::vector<argument> arguments{
        {"parameters", "p"}, {"state", "s", true}, {"inputs", inputs_}, {"", "h"}};
    const std::string keep = fmt::format("  {}last = {};\n", access_.s, behind(inputs_));
    std::string body;
    switch (step_of(e_)) {
      case step_kind::none:
        body = fmt::format("{}  return {}(p, s, {});\n", keep, call("force"), inputs_);
        break;
      case step_kind::advance: {
        auto w = writer(access_, false, prefix_);
        const auto values = w.write(together(e_.trace.advance), true);
        body = w.text() + outputs(values) + put(access_.s, values, e_.outputs.size()) + keep +
               "  return out;\n";
        break;
      }
      case step_kind::implicit: {
        std::string at_end;
        if (e_.has_load()) at_end += fmt::format("{}{}, ", access_.in, e_.inputs.back().name);
        for (std::size_t k = 0; k < e_.outputs.size(); ++k)
          at_end += fmt::format("{}{}, ", access_.in, e_.inputs[e_.driven(k)].name);
        for (std::size_t k = 0; k < e_.outputs.size(); ++k) at_end += "0.0, ";
        body = call_implicit(at_end, access_.in + e_.inputs[e_.driven(0)].name) + keep +
               "  return out;\n";
        break;
      }
      case step_kind::runge_kutta: {
        body = constant("inputs", "from", access_.s + "last");
        const std::pair<const char*, const char*> shares[] = {
            {"first", "0.0"}, {"half", "0.5"}, {"whole", "1.0"}};
        for (const auto& [name, share] : shares)
          body += constant(
              "inputs", name,
              fmt::format("{}({}, {}, {})", call("between"), given("from"), inputs_, share));
        for (const char* k : {"k1", "k2", "k3", "k4"}) body += variable("rates", k);
        body +=
            fmt::format("  {}(p, s, {}, {});\n", call("force"), given("first"), given("k1", true));
        const char* const stages[3][5] = {{"second", "h / 2.0", "k1", "half", "k2"},
                                          {"third", "h / 2.0", "k2", "half", "k3"},
                                          {"fourth", "h", "k3", "whole", "k4"}};
        for (const auto& each : stages)
          body += constant("state", each[0],
                           fmt::format("{}(s, {}, {})", call("moved"), each[1], given(each[2]))) +
                  fmt::format("  {}(p, {}, {}, {});\n", call("force"), given(each[0]),
                              given(each[3]), given(each[4], true));
        for (const auto& f : e_.states)
          body += each_of(f, [&](const std::string& n) {
            return fmt::format("{0}{1} += h / 6.0 * (k1.{1} + 2.0 * (k2.{1} + k3.{1}) + k4.{1});",
                               access_.s, n);
          });
        body += fmt::format("{}  return {}(p, s, {}, {});\n", keep, call("force"), inputs_,
                            given("k1", true));
        break;
      }
    }
    return function("outputs", "step", arguments, body);
  }

  std::string step_with_body() const {
    const bool is_line = e_.at->is_line();
    const std::string last = access_.s + "last.";
    std::string at_end;
    if (e_.has_load()) at_end += e_.inputs.back().name + ", ";
    for (std::size_t k = 0; k < e_.outputs.size(); ++k) at_end += e_.free_name(k) + ", ";
    for (std::size_t k = 0; k < e_.outputs.size();
         ++k)  // along a line the law counts what is taken
      at_end += fmt::format("{}{}, ", is_line && e_.at->outputs[k].sign < 0 ? "-" : "",
                            e_.mobility_name(k));
    std::string body = call_implicit(at_end, last + e_.inputs[e_.driven(0)].name);
    for (const auto& each : end_of_body(last)) body += fmt::format("  {};\n", each);
    return function("outputs", "step_with_body", with_body(), body + "  return out;\n");
  }

  std::string methods() const {
    std::string text =
        "\nimpl State {\n"
        "  pub fn new(p: &Parameters, start: &Inputs) -> State {\n    init(p, start)\n  }\n"
        "  pub fn step(&mut self, p: &Parameters, at: &Inputs, h: f64) -> Outputs {\n"
        "    step(p, self, at, h)\n  }\n";
    if (e_.couples()) {
      strings declared, names;
      const auto arguments = with_body();
      for (std::size_t i = 2; i < arguments.size(); ++i) {
        declared.push_back(arguments[i].name + ": f64");
        names.push_back(arguments[i].name);
      }
      text += fmt::format(
          "  pub fn step_with_body(&mut self, p: &Parameters, {}) -> Outputs {{\n"
          "    step_with_body(p, self, {})\n  }}\n",
          fmt::join(declared, ", "), fmt::join(names, ", "));
    }
    return text + "}\n";
  }

  bool is_c_, is_rust_;
  std::string prefix_, inputs_;
  prefixes access_;
};

// ---- MATLAB and Octave --------------------------------------------------------------------------

class matlab_code : code {
 public:
  matlab_code(const exported& e, exported_language in) : code(e, in) {}

  std::string first_line() const {
    return fmt::format("function varargout = {}(what, varargin)\n", e_.key);
  }

  std::string file() const {
    std::string functions = defaults() + init() + force();
    if (e_.couples()) functions += implicit();
    functions += step();
    if (e_.couples()) functions += step_with_body();
    std::string text = "\n  switch what\n";
    strings members{"defaults", "init", "force", "step"};
    if (e_.couples()) members.emplace_back("step_with_body");
    for (const auto& each : members)
      text += fmt::format(
          "    case '{0}'\n      [varargout{{1:max(1, nargout)}}] = {0}_of(varargin{{:}});\n",
          each);
    text +=
        fmt::format("    otherwise\n      error('{}: unknown word; allowed: {}');\n  end\nend\n",
                    e_.key, fmt::join(members, ", "));
    return text + functions + helpers(functions);
  }

 private:
  static std::string function(const std::string& returns, const std::string& name,
                              const std::string& arguments, const std::string& body) {
    return fmt::format("\nfunction {} = {}({})\n{}end\n", returns, name, arguments, body);
  }

  std::string defaults() const {
    std::string body = "  p = struct();\n";
    for (const auto& f : e_.parameters) {
      strings all;
      for (const double each : f.values) all.push_back(written_number(each, in_));
      body += fmt::format("  p.{} = {}{}{};  % {}\n", f.name, f.count > 0 ? "[" : "",
                          fmt::join(all, ", "), f.count > 0 ? "]" : "", f.about);
    }
    return function("p", "defaults_of", "", body);
  }
  std::string empty_state() const {
    std::string body = "  s = struct();\n";
    for (const auto& f : e_.states)
      body += fmt::format("  s.{} = zeros(1, {});  % {}\n", f.name, std::max(1, f.count), f.about);
    return body;
  }
  std::string put(const std::string& into, const strings& values, std::size_t first) const {
    std::string text;
    for_each_number(e_.states, in_, [&](const std::string& n) {
      text += fmt::format("  {}{} = {};\n", into, n, values[first++]);
    });
    return text;
  }
  std::string outputs(const strings& values) const {
    std::string text;
    for (std::size_t i = 0; i < e_.outputs.size(); ++i)
      text +=
          fmt::format("  out.{} = {};  % {}\n", e_.outputs[i].name, values[i], e_.outputs[i].about);
    return text;
  }
  std::string init() const {
    auto w = writer(access_);
    const auto values = w.write(e_.trace.initial, false);
    std::string body = empty_state() + w.text() + put("s.", values, 0);
    body += "  s.last = start;  % inputs at the end of the last step:";
    for (const auto& f : e_.inputs) body += fmt::format(" {} {}", f.name, f.about);
    return function("s", "init_of", "p, start", body + "\n");
  }
  std::string force() const {
    auto w = writer(access_);
    const auto values =
        w.write(e_.is_ode() ? together(e_.trace.respond) : e_.trace.hold.out, false);
    std::string body = w.text() + outputs(values);
    if (e_.has_rates())
      body += fmt::format("  rate = struct();\n{}", put("rate.", values, e_.outputs.size()));
    return function(e_.has_rates() ? "[out, rate]" : "out", "force_of", "p, s, in", body);
  }
  std::string body_arguments() const {
    strings all;
    if (e_.has_load()) all.push_back(e_.inputs.back().name);
    for (std::size_t k = 0; k < e_.outputs.size(); ++k) all.push_back(e_.free_name(k));
    for (std::size_t k = 0; k < e_.outputs.size(); ++k) all.push_back(e_.mobility_name(k));
    return fmt::format("p, s, {}, h", fmt::join(all, ", "));
  }
  std::string implicit() const {
    auto w = writer(access_, true);
    const auto values = w.write(together(e_.trace.coupled), true);
    std::string body = w.text() + outputs(values) + put("s.", values, e_.trace.coupled.out.size());
    if (!e_.at->is_line()) return function("[out, s]", "implicit_of", body_arguments(), body);
    body += fmt::format("  ending = {};\n", values[1]);
    return function("[out, s, ending]", "implicit_of", body_arguments() + ", start", body);
  }
  std::string step() const {
    std::string body;
    switch (step_of(e_)) {
      case step_kind::none:
        body = "  out = force_of(p, s, in);\n";
        break;
      case step_kind::advance: {
        auto w = writer(access_);
        const auto values = w.write(together(e_.trace.advance), true);
        body = w.text() + outputs(values) + put("s.", values, e_.outputs.size());
        break;
      }
      case step_kind::implicit: {
        std::string at_end = e_.has_load() ? fmt::format("in.{}, ", e_.inputs.back().name) : "";
        for (std::size_t k = 0; k < e_.outputs.size(); ++k)
          at_end += fmt::format("in.{}, ", e_.inputs[e_.driven(k)].name);
        for (std::size_t k = 0; k < e_.outputs.size(); ++k) at_end += "0, ";
        body = fmt::format(
            "  [out, s] = implicit_of(p, s, {}h{});\n", at_end,
            e_.at->is_line() ? fmt::format(", in.{}", e_.inputs[e_.driven(0)].name) : "");
        break;
      }
      case step_kind::runge_kutta:
        body =
            "  from = s.last;\n"
            "  half = between(from, in, 0.5);\n"
            "  whole = between(from, in, 1);\n"
            "  [~, k1] = force_of(p, s, between(from, in, 0));\n"
            "  [~, k2] = force_of(p, moved(s, h / 2, k1), half);\n"
            "  [~, k3] = force_of(p, moved(s, h / 2, k2), half);\n"
            "  [~, k4] = force_of(p, moved(s, h, k3), whole);\n";
        for (const auto& f : e_.states)
          body += fmt::format(
              "  s.{0} = s.{0} + h / 6 * (k1.{0} + 2 * (k2.{0} + k3.{0}) + k4.{0});\n", f.name);
        body += "  out = force_of(p, s, in);\n";
        break;
    }
    return function("[out, s]", "step_of", "p, s, in, h", body + "  s.last = in;\n");
  }
  std::string step_with_body() const {
    const bool is_line = e_.at->is_line();
    std::string at_end = e_.has_load() ? e_.inputs.back().name + ", " : "";
    for (std::size_t k = 0; k < e_.outputs.size(); ++k) at_end += e_.free_name(k) + ", ";
    for (std::size_t k = 0; k < e_.outputs.size(); ++k)
      at_end += fmt::format("{}{}, ", is_line && e_.at->outputs[k].sign < 0 ? "-" : "",
                            e_.mobility_name(k));
    std::string body =
        fmt::format("  [out, s{}] = implicit_of(p, s, {}h{});\n", is_line ? ", ending" : "", at_end,
                    is_line ? fmt::format(", s.last.{}", e_.inputs[e_.driven(0)].name) : "");
    for (const auto& each : end_of_body("s.last.")) body += fmt::format("  {};\n", each);
    return function("[out, s]", "step_with_body_of", body_arguments(), body);
  }

  std::string helpers(const std::string& functions) const {
    std::string text;
    if (step_of(e_) == step_kind::runge_kutta) {
      std::string body;
      for (const auto& f : e_.inputs)
        body += fmt::format("  in.{0} = from.{0} + share * (to.{0} - from.{0});\n", f.name);
      text += function("in", "between", "from, to, share", body);
      body.clear();
      for (const auto& f : e_.states)
        body += fmt::format("  s.{0} = s.{0} + length_ * rate.{0};\n", f.name);
      text += function("s", "moved", "s, length_, rate", body);
    }
    if (has_word(functions, "raised"))
      text += function("y", "raised", "base, exponent",
                       "  if exponent == 2\n    y = base * base;\n"
                       "  elseif exponent == 1\n    y = base;\n"
                       "  elseif exponent == 1.5\n    y = base * root_of(base);\n"
                       "  elseif exponent == 4\n    y = (base * base) * (base * base);\n"
                       "  elseif base < 0 && exponent ~= floor(exponent)\n    y = NaN;\n"
                       "  else\n    y = base ^ exponent;\n  end\n");
    // Roots and logarithms of numbers below 0 would be complex.
    if (has_word(functions + text, "root_of"))
      text += function("y", "root_of", "x",
                       "  if x < 0\n    y = NaN;\n  else\n    y = sqrt(x);\n  end\n");
    if (has_word(functions, "log_of"))
      text += function("y", "log_of", "x",
                       "  if x < 0\n    y = NaN;\n  else\n    y = log(x);\n  end\n");
    if (has_word(functions, "choose"))
      text += function("y", "choose", "is_so, yes, no",
                       "  if is_so\n    y = yes;\n  else\n    y = no;\n  end\n");
    return text;
  }

  const prefixes access_{"p.", "s.", "in."};
};

}  // namespace

const std::vector<std::string>& exported_languages() {
  static const strings names(std::begin(names_of), std::end(names_of));
  return names;
}

exported_language find_exported_language(const std::string& name) {
  for (std::size_t i = 0; i < std::size(names_of); ++i)
    if (name == names_of[i]) return static_cast<exported_language>(i);
  throw error(fmt::format("--lang {}: unknown language: {}", shortened(name),
                          nearest_names(name, exported_languages())));
}

std::string exported_file(const any_model& model, exported_language in) {
  return model.key() + suffixes[index_of(in)];
}

namespace {

std::string refusal(const any_model& model, const char* why) {
  return fmt::format(
      "model '{}' cannot be exported: {}; use the C interface instead (c/asperity.h: "
      "asperity_model_create, asperity_model_step)",
      model.key(), why);
}

}  // namespace

std::string why_not_exported(const any_model& model) {
  if (model.functions().build != nullptr)
    return refusal(model, "it is a law over cells, which are built in memory from its parameters");
  const model_tracer* tracer = find_tracer(model.key(), model.curve());
  if (tracer == nullptr)
    return refusal(
        model, "it branches on its memory, so that its equations are not one list of operations");
  model_trace trace;
  tracer->trace(model.self(), model.at(), trace);
  if (trace.graph.was_asked())
    return refusal(model, "the number of its operations depends on its parameters");
  return "";
}

std::string export_model(const any_model& model, exported_language in, const std::string& version) {
  if (const std::string why = why_not_exported(model); !why.empty()) throw error(why);
  (void)model.check();
  exported e = describe(model, in);
  std::string left_out;
  if (e.couples() && e.iterates) {
    e.trace.coupled = {};
    left_out =
        "Left out: step_with_body, for which this law iterates; the C interface of Asperity has "
        "it.";
  }
  const strings about = head(e, in, version, left_out);
  if (in != exported_language::matlab) return commented(about, "//") + function_code(e, in).file();
  const matlab_code code(e, in);
  return code.first_line() + commented(about, "%") + code.file();
}

}  // namespace asperity
