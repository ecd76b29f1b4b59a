// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/inclusion/choice.hpp>
#include <asperity/inclusion/emit.hpp>
#include <asperity/quantity.hpp>
#include <cmath>

namespace asperity {

const std::vector<std::string>& emitted_languages() {
  static const std::vector<std::string> names{"c", "cpp", "modelica", "octave", "latex"};
  return names;
}

language find_emitted_language(const std::string& name) {
  if (name == "c") return language::c;
  if (name == "cpp") return language::cpp;
  if (name == "modelica") return language::modelica;
  if (name == "octave") return language::octave;
  if (name == "latex") return language::latex;
  throw error(fmt::format("--emit {}: unknown language; allowed: {}", name,
                          fmt::join(emitted_languages(), ", ")));
}

double emitted_step(const regularised& system, const inclusion_setting& setting) {
  if (setting.method->is_explicit()) return setting.step;
  double step = std::min(
      {setting.duration / 1000, setting.shortest_period / 50, 0.5 * stable_steps(system).rk4});
  // Rounded down to 1, 2 or 5 times a power of ten.
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  return (step >= 5 * power ? 5 : step >= 2 * power ? 2 : 1) * power;
}

long emitted_stride(const inclusion_setting& setting, double step) {
  return std::max(1L, std::lround(setting.sample / step));
}

namespace {

// Equations of show(), for comments.
std::vector<std::string> comment_lines(const regularised& system, const inclusion_setting& setting,
                                       const notation& names, const emit_options& options) {
  std::vector<std::string> lines;
  lines.push_back(setting.title);
  lines.emplace_back();
  lines.push_back(fmt::format("Written by asperity {} from {}.", options.version, setting.origin));
  lines.emplace_back(
      "The inclusion is turned into an ODE by the procedure of Xiong 2013, section 3.2.4: every "
      "dio");
  lines.emplace_back("and every factor times sgn gets a state of its own.");
  for (const auto& section : show_equations(system)) {
    lines.emplace_back();
    lines.push_back(section.title + ":");
    std::size_t left = 0;
    for (const auto& each : section.rows) left = std::max(left, each[0].size());
    for (const auto& each : section.rows)
      lines.push_back(each.size() < 3
                          ? fmt::format("  {}", each[0])
                          : fmt::format("  {:<{}} {:<2} {}", each[0], left, each[1], each[2]));
  }
  if (!names.renamed().empty()) lines.emplace_back();
  for (const auto& each : names.renamed()) lines.push_back("Note: " + each + ".");
  return lines;
}

std::string commented(const std::vector<std::string>& lines, const std::string& mark) {
  std::string out;
  for (std::string each : lines) {
    std::replace_if(
        each.begin(), each.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    each.erase(each.find_last_not_of(' ') + 1);
    // Would swallow the next line; to a strict C compiler two question marks and a slash would,
    // too.
    if (each.ends_with('\\') || each.ends_with("?\?/")) each += '.';
    out += fmt::format("{}{}{}\n", mark, each.empty() ? "" : " ", each);
  }
  return out;
}

std::string in_unit(const std::optional<unit>& in) {
  return in && !is_plain(*in) ? to_string(*in) : "";
}

// A constant number of the system: parameters that are used, constant inputs, constants of terms.
struct constant_entry {
  std::string name;  // identifier
  double value;
  std::optional<unit> in;
  std::string about;  // where the name does not tell
};

std::optional<unit> stiffness_unit(const set_valued_term& t) {
  if (!t.force_in || !t.argument_in) return {};
  return *t.force_in / (t.is_contact ? *t.argument_in : *t.argument_in * units::second);
}
std::optional<unit> deflection_unit(const set_valued_term& t) {
  if (!t.argument_in || t.is_contact) return t.argument_in;
  return *t.argument_in * units::second;
}

std::vector<constant_entry> constants_of(const regularised& system, const notation& names) {
  const auto plain = [](const std::string& name) {
    return name.rfind("par.", 0) == 0 ? name.substr(4) : name;
  };
  std::vector<constant_entry> result;
  const auto& source = system.source;
  const symbols_in_use used = used_symbols(system);
  const auto is_used = [&](symbol_kind kind, std::size_t slot) {
    return used.count({kind, static_cast<int>(slot)}) != 0;
  };
  for (std::size_t i = 0; i < source.parameters.size(); ++i)
    if (is_used(symbol_kind::parameter, i))
      result.push_back(
          {plain(names.parameter(i)), source.parameters[i].value, source.parameters[i].in, ""});
  for (std::size_t i = 0; i < source.inputs.size(); ++i)
    if (source.inputs[i].shape.is_constant() && is_used(symbol_kind::input, i))
      result.push_back({plain(names.input(i)), source.inputs[i].shape.value(0), source.inputs[i].in,
                        "input, constant"});
  for (std::size_t i = 0; i < system.terms.size(); ++i) {
    const auto& t = system.terms[i];
    const auto& term = names.term(i);
    result.push_back({plain(term.K), t.K, stiffness_unit(t), fmt::format("of {}", t.text())});
    result.push_back({plain(term.beta), t.beta, units::second, ""});
    if (t.is_contact) result.push_back({plain(term.alpha), t.alpha, units::second, ""});
  }
  return result;
}

std::string note_of(const constant_entry& each) {
  const std::string in = in_unit(each.in);
  return in + (in.empty() || each.about.empty() ? "" : ", ") + each.about;
}

// Inputs that vary in time and are used.
std::vector<std::size_t> signals_of(const regularised& system) {
  std::vector<std::size_t> result;
  const symbols_in_use used = used_symbols(system);
  for (std::size_t i = 0; i < system.source.inputs.size(); ++i)
    if (!system.source.inputs[i].shape.is_constant() &&
        used.count({symbol_kind::input, static_cast<int>(i)}) != 0)
      result.push_back(i);
  return result;
}

const char* nodes_function(const signal& shape) {
  switch (shape.join()) {
    case signal::joint::hold:
      return "nodes_hold";
    case signal::joint::linear:
      return "nodes_linear";
    case signal::joint::half_cosine:
      return "nodes_half_cosine";
    case signal::joint::cubic:
    case signal::joint::spline:
      return "nodes_cubic";
  }
  return "";
}

// What a main prints first: names of the columns, as `asperity run` calls them.
std::string csv_header(const regularised& system) {
  std::vector<std::string> names{"t"};
  for (const auto& each : system.source.states) names.push_back(each.name);
  for (const auto& t : system.terms)
    for (int k = 0; k < t.dimension(); ++k) names.push_back(t.state_name(k));
  return fmt::format("{}", fmt::join(names, ","));
}

// Numbers in lines of at most 90 characters.
std::string number_list(const std::vector<double>& values, const std::string& indent) {
  std::string out, line = indent;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string next = fmt::format("{}{}", values[i], i + 1 < values.size() ? ", " : "");
    if (line.size() + next.size() > 90) {
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      line = indent;
    }
    line += next;
  }
  return out + line;
}

// ---- C and C++ ----------------------------------------------------------------------------------

class c_family {
 public:
  c_family(const regularised& system, const inclusion_setting& setting, language in,
           const emit_options& options)
      : system_(system),
        setting_(setting),
        options_(options),
        names_(in, system, setting.name),
        is_c_(in == language::c),
        S_(is_c_ ? "double" : "S") {}

  std::string go() {
    const std::string inputs = input_functions(), rates = rates_body();
    const std::string helpers = notation::helper_functions(names_.in(), inputs + rates);
    const std::string comment = commented(comment_lines(system_, setting_, names_, options_), "//");
    return is_c_ ? comment + c_file(helpers, inputs, rates)
                 : comment + cpp_file(helpers, inputs, rates);
  }

 private:
  static std::string indented(const std::string& text) {
    std::string out, line;
    for (const char c : text) {
      if (c != '\n') {
        line += c;
        continue;
      }
      out += line.empty() ? "\n" : "  " + line + "\n";
      line.clear();
    }
    return out;
  }

  std::string input_functions() {
    std::string out;
    for (const std::size_t i : signals_of(system_)) {
      const auto& each = system_.source.inputs[i];
      std::string tables;
      int count = 0;
      const auto table = [&](const signal& shape) {
        const std::string suffix = ++count == 1 ? "" : fmt::format("_{}", count);
        const std::string kind = is_c_ ? "static const double" : "static constexpr double";
        const auto array = [&](const char* what, const std::vector<double>& values) {
          tables += fmt::format("  {} {}{}[] = {{\n{}}};\n", kind, what, suffix,
                                number_list(values, "    "));
        };
        array("times", shape.node_times());
        array("values", shape.node_values());
        std::string slopes;
        if (!shape.node_slopes().empty()) {
          array("slopes", shape.node_slopes());
          slopes = fmt::format("slopes{}, ", suffix);
        }
        return fmt::format("{}({}, times{}, values{}, {}t)", nodes_function(shape),
                           shape.node_times().size(), suffix, suffix, slopes);
      };
      const std::string value = names_.signal_formula(each.shape, table);
      function_of_[i] = names_.fresh("input_" + each.name);
      const std::string in = in_unit(each.in);
      out += fmt::format("\n// Input '{}'{}.\nstatic {} {}({} t) {{\n{}{}  return {};\n}}\n",
                         each.name, in.empty() ? "" : fmt::format(" [{}]", in), S_, function_of_[i],
                         is_c_ ? "double" : "const S&", is_c_ ? "" : "  using std::sin;\n", tables,
                         value);
    }
    return out;
  }

  std::string rates_body() {
    std::string out;
    const auto local = [&](const std::string& name, const std::string& value) {
      out += fmt::format("  const {} {} = {};\n", S_, name, value);
    };
    const symbols_in_use used = used_symbols(system_);
    for (int i = 0; i < system_.states; ++i) {
      const bool own = i >= system_.user_states();
      if (own || used.count({symbol_kind::state, i}) != 0)
        local(names_.state(i), fmt::format("y[{}]", i));
    }
    for (const std::size_t i : signals_of(system_))
      local(names_.input(i), fmt::format("{}(t)", function_of_[i]));
    for (const auto& each : in_order(system_)) {
      if (each.named) {
        local(names_.definition((*each.named)->name), names_.formula(each.named->argument(0)));
      } else {
        const auto which = static_cast<std::size_t>(each.term);
        out += fmt::format("  const {} {} = {};\n",
                           system_.terms[which].dimension() == 1 ? "scalar_law" : "planar_law",
                           names_.term(which).law, names_.law_call(which));
      }
    }
    out += "\n";
    const char* to = is_c_ ? "dydt" : "rate";
    const auto rate = [&](int i, const std::string& value) {
      out += fmt::format("  {}[{}] = {};  // {}'\n", to, i, value, names_.state(i));
    };
    for (int i = 0; i < system_.user_states(); ++i)
      rate(i, names_.formula(system_.rates[static_cast<std::size_t>(i)]));
    for (std::size_t i = 0; i < system_.terms.size(); ++i)
      for (int k = 0; k < system_.terms[i].dimension(); ++k)
        rate(system_.terms[i].first_state + k, names_.term(i).rate[k]);
    return out;
  }

  bool uses_time() const {
    return used_symbols(system_).count({symbol_kind::time, 0}) != 0 || !signals_of(system_).empty();
  }
  bool has_planar() const {
    return std::any_of(system_.terms.begin(), system_.terms.end(),
                       [](const auto& t) { return t.dimension() == 2; });
  }
  bool has_scalar() const {
    return std::any_of(system_.terms.begin(), system_.terms.end(),
                       [](const auto& t) { return t.dimension() == 1; });
  }

  std::string c_file(const std::string& helpers, const std::string& inputs,
                     const std::string& rates) const {
    const std::string& name = names_.system_name();
    std::string out = fmt::format(
        "\n#include <math.h>\n{}\nenum {{ {}_states = {} }};\n\n"
        "void {}_initial(double *y);\n"
        "void {}_rates(double t, const double *y, double *dydt);\n",
        options_.with_main ? "#include <stdio.h>\n" : "", name, system_.states, name, name);
    const auto constants = constants_of(system_, names_);
    if (!constants.empty()) {
      out += "\nstatic const struct {\n";
      for (const auto& each : constants) out += fmt::format("  double {};\n", each.name);
      out += "} par = {\n";
      for (const auto& each : constants) {
        const std::string note = note_of(each);
        out += fmt::format("  .{} = {},{}\n", each.name, names_.number(each.value),
                           note.empty() ? "" : "  // " + note);
      }
      out += "};\n";
    }
    // A function of its own, and only where it is called.
    if (helpers.find("choose(") != std::string::npos)
      out += "\nstatic double choose(int yes, double a, double b) { return yes ? a : b; }\n";
    if (has_scalar()) out += "\ntypedef struct {\n  double f, rate;\n} scalar_law;\n";
    if (has_planar())
      out += "\ntypedef struct {\n  double f_x, f_y, rate_x, rate_y;\n} planar_law;\n";
    if (!helpers.empty() && helpers.front() != '\n') out += "\n";
    out += helpers + inputs;
    out += fmt::format("\nvoid {}_initial(double *y) {{\n", name);
    for (int i = 0; i < system_.states; ++i)
      out += fmt::format("  y[{}] = {};  // {}\n", i,
                         names_.number(setting_.initial[static_cast<std::size_t>(i)]),
                         names_.state(i));
    out += fmt::format("}}\n\nvoid {}_rates(double t, const double *y, double *dydt) {{\n", name);
    if (!uses_time()) out += "  (void)t;\n";
    out += rates + "}\n";
    if (options_.with_main) out += main_function();
    return out;
  }

  std::string cpp_file(const std::string& helpers, const std::string& inputs,
                       const std::string& rates) const {
    const std::string& name = names_.system_name();
    std::string out = "\n";
    if (helpers.find("std::upper_bound") != std::string::npos) out += "#include <algorithm>\n";
    out += "#include <cmath>\n";
    if (options_.with_main) out += "#include <cstdio>\n";
    out += "#include <limits>\n#include <type_traits>\n\n";
    out +=
        "// S: the number type, such as double; or packs and dual numbers that have arithmetic, "
        "<,\n"
        "// the functions of <cmath> by argument-dependent lookup, and select(mask, a, b).\n";
    out += fmt::format("template <class S = double>\nstruct {} {{\n", name);
    out += fmt::format(
        "  static constexpr int capacity = {};\n"
        "  static constexpr int size() {{ return capacity; }}\n\n",
        system_.states);
    out +=
        "  static S number(double x) {\n"
        "    if constexpr (requires { requires std::is_floating_point_v<typename S::value_type>; "
        "})\n"
        "      return S(static_cast<typename S::value_type>(x));\n"
        "    else\n"
        "      return S(x);\n"
        "  }\n\n";
    for (const auto& each : constants_of(system_, names_)) {
      const std::string note = note_of(each);
      out += fmt::format("  S {} = {};{}\n", each.name, names_.number(each.value),
                         note.empty() ? "" : "  // " + note);
    }
    out += "\n  static void initial(S* y) {\n";
    for (int i = 0; i < system_.states; ++i)
      out += fmt::format("    y[{}] = {};  // {}\n", i,
                         names_.number(setting_.initial[static_cast<std::size_t>(i)]),
                         names_.state(i));
    out += fmt::format("  }}\n\n  void rates(const S&{}, const S* y, S* rate) const {{\n",
                       uses_time() ? " t" : "");
    out +=
        "    using std::abs, std::atan, std::cos, std::cosh, std::exp, std::log, std::pow,\n"
        "        std::sin, std::sqrt, std::tanh;\n";
    out += indented(rates) + "  }\n\n private:\n";
    out +=
        "  template <class Mask>\n"
        "  static S choose(const Mask& mask, const S& yes, const S& no) {\n"
        "    if constexpr (std::is_same_v<Mask, bool>)\n"
        "      return mask ? yes : no;\n"
        "    else\n"
        "      return select(mask, yes, no);\n"
        "  }\n";
    if (has_scalar()) out += "\n  struct scalar_law {\n    S f, rate;\n  };\n";
    if (has_planar()) out += "\n  struct planar_law {\n    S f_x, f_y, rate_x, rate_y;\n  };\n";
    std::string laws = helpers;
    // The functions of <cmath> that the laws call.
    for (const char* call : {"friction(const", "planar_friction(const"}) {
      const auto at = laws.find(std::string(" ") + call);
      if (at != std::string::npos)
        laws.insert(laws.find("{\n", at) + 2, "  using std::abs, std::sqrt;\n");
    }
    if (!laws.empty() && laws.front() != '\n') out += "\n";
    out += indented(laws) + indented(inputs);
    out += "};\n";
    if (options_.with_main) out += main_function();
    return out;
  }

  // The classical method of Runge and Kutta on a grid, operations in the order of our own.
  std::string main_function() const {
    const std::string& name = names_.system_name();
    const double h = emitted_step(system_, setting_);
    const long stride = emitted_stride(setting_, h);
    const std::string n = is_c_ ? name + "_states" : "n";
    const char* std_prefix = is_c_ ? "" : "std::";
    const auto rates = [&](const char* t, const char* y, const char* k) {
      return is_c_ ? fmt::format("{}_rates({}, {}, {})", name, t, y, k)
                   : fmt::format("system.rates({}, {}, {})", t, y, k);
    };
    const std::string header = csv_header(system_);
    std::string out =
        "\n// Nothing is asked for later than `end`: what an input does there is over.\n";
    out += is_c_ ? "" : fmt::format("static constexpr int n = {}<>::capacity;\n", name);
    out += fmt::format("static void rk4_step({}double t, double h, double end, double *y) {{\n",
                       is_c_ ? "" : fmt::format("const {}<>& system, ", name));
    out += "  int i;\n";
    out += fmt::format("  double k1[{0}], k2[{0}], k3[{0}], k4[{0}], stage[{0}];\n", n);
    out +=
        "  const double half = h*0.5;\n"
        "  const double middle = t + half < end ? t + half : end, last = t + h < end ? t + h : "
        "end;\n";
    const auto stage = [&](const char* by, const char* k) {
      return fmt::format("  for (i = 0; i < {}; ++i) stage[i] = y[i] + {}*{}[i];\n", n, by, k);
    };
    out += fmt::format("  {};\n{}", rates("t", "y", "k1"), stage("half", "k1"));
    out += fmt::format("  {};\n{}", rates("middle", "stage", "k2"), stage("half", "k2"));
    out += fmt::format("  {};\n{}", rates("middle", "stage", "k3"), stage("h", "k3"));
    out += fmt::format("  {};\n", rates("last", "stage", "k4"));
    out += fmt::format(
        "  for (i = 0; i < {}; ++i) y[i] = y[i] + h/6.0*(k1[i] + 2.0*(k2[i] + k3[i]) + k4[i]);\n"
        "}}\n",
        n);
    out += fmt::format(
        "\nstatic void print_row(double t, const double *y) {{\n"
        "  int i;\n"
        "  {0}printf(\"%.17g\", t);\n"
        "  for (i = 0; i < {1}; ++i) {0}printf(\",%.17g\", y[i]);\n"
        "  {0}printf(\"\\n\");\n"
        "}}\n",
        std_prefix, n);
    out += fmt::format("\nint main({}) {{\n", is_c_ ? "void" : "");
    if (!is_c_) out += fmt::format("  const {}<> system;\n", name);
    out += fmt::format("  const double h = {}, end = {};  // s\n", fmt::format("{}", h),
                       fmt::format("{}", setting_.duration));
    out += fmt::format("  const long stride = {};  // steps from row to row\n", stride);
    out += fmt::format("  double y[{}], t = 0;\n  long count = 0;\n  int i;\n", n);
    out += is_c_ ? fmt::format("  {}_initial(y);\n", name) : "  system.initial(y);\n";
    out += fmt::format("  {}printf(\"{}\\n\");\n  print_row(t, y);\n", std_prefix, header);
    out += fmt::format(
        "  while (t < end) {{\n"
        "    const double planned = (double)(count + 1)*h;\n"
        "    const int whole = planned <= end + 1e-6*h;\n"
        "    const double next = whole && planned < end ? planned : end;\n"
        "    rk4_step({}t, whole ? h : next - t, end, y);\n"
        "    t = next;\n"
        "    ++count;\n"
        "    for (i = 0; i < {}; ++i)\n"
        "      if (!({}isfinite(y[i]))) {{\n"
        "        {}fprintf(stderr, \"state %d is not finite at t = %g s\\n\", i, t);\n"
        "        return 1;\n"
        "      }}\n"
        "    if (count % stride == 0 || t >= end) print_row(t, y);\n"
        "  }}\n"
        "  return 0;\n"
        "}}\n",
        is_c_ ? "" : "system, ", n, std_prefix, std_prefix);
    return out;
  }

  const regularised& system_;
  const inclusion_setting& setting_;
  const emit_options& options_;
  notation names_;
  bool is_c_;
  std::string S_;
  std::map<std::size_t, std::string> function_of_;
};

// ---- Octave -------------------------------------------------------------------------------------

std::string emit_octave(const regularised& system, const inclusion_setting& setting,
                        const emit_options& options) {
  notation names(language::octave, system, setting.name);
  const std::string function = names.fresh(names.system_name() + "_rates");

  std::string body;
  const auto local = [&](const std::string& name, const std::string& value,
                         const std::string& note = "") {
    body += fmt::format("  {} = {};{}\n", name, value, note.empty() ? "" : "  % " + note);
  };
  for (const auto& each : constants_of(system, names))
    local(each.name, names.number(each.value), note_of(each));
  const symbols_in_use used = used_symbols(system);
  for (int i = 0; i < system.states; ++i)
    if (i >= system.user_states() || used.count({symbol_kind::state, i}) != 0)
      local(names.state(i), fmt::format("y({})", i + 1));
  for (const std::size_t i : signals_of(system)) {
    const auto table = [&](const signal& shape) {
      const auto list = [&](const std::vector<double>& values) {
        return fmt::format("[{}]", fmt::join(values, ", "));
      };
      std::string given = list(shape.node_times()) + ", " + list(shape.node_values());
      if (!shape.node_slopes().empty()) given += fmt::format(", {}", list(shape.node_slopes()));
      return fmt::format("{}({}, t)", nodes_function(shape), given);
    };
    local(names.input(i), names.signal_formula(system.source.inputs[i].shape, table),
          in_unit(system.source.inputs[i].in));
  }
  for (const auto& each : in_order(system)) {
    if (each.named) {
      local(names.definition((*each.named)->name), names.formula(each.named->argument(0)));
      continue;
    }
    const auto which = static_cast<std::size_t>(each.term);
    const auto& term = names.term(which);
    const bool planar = system.terms[which].dimension() == 2;
    body += planar ? fmt::format("  [{}, {}, {}, {}] = {};\n", term.force[0], term.force[1],
                                 term.rate[0], term.rate[1], names.law_call(which))
                   : fmt::format("  [{}, {}] = {};\n", term.force[0], term.rate[0],
                                 names.law_call(which));
  }
  body += fmt::format("  dydt = zeros({}, 1);\n", system.states);
  for (int i = 0; i < system.user_states(); ++i)
    body += fmt::format("  dydt({}) = {};  % {}'\n", i + 1,
                        names.formula(system.rates[static_cast<std::size_t>(i)]), names.state(i));
  for (std::size_t i = 0; i < system.terms.size(); ++i)
    for (int k = 0; k < system.terms[i].dimension(); ++k) {
      const int state = system.terms[i].first_state + k;
      body += fmt::format("  dydt({}) = {};  % {}'\n", state + 1, names.term(i).rate[k],
                          names.state(state));
    }

  std::vector<std::string> lines = comment_lines(system, setting, names, options);
  std::string initial;
  for (std::size_t i = 0; i < setting.initial.size(); ++i)
    initial += fmt::format("{}{}", i == 0 ? "" : "; ", names.number(setting.initial[i]));
  if (!options.with_main) {
    lines.emplace_back();
    lines.push_back(fmt::format("Keep it as {}.m. For instance:", function));
    lines.push_back(fmt::format("  y0 = [{}];", initial));
    lines.push_back(fmt::format("  t = linspace(0, {}, 1001);", setting.duration));
    lines.push_back(fmt::format("  y = lsode(@(y, t) {}(t, y), y0, t);", function));
  }
  std::string out = commented(lines, "%") + "\n";
  if (options.with_main) out += "1;  % a script, not a function file\n\n";
  out += fmt::format("function dydt = {}(t, y)\n{}end\n", function, body);
  out += notation::helper_functions(language::octave, body);
  if (!options.with_main) return out;

  const double h = emitted_step(system, setting);
  const std::string header = csv_header(system);
  std::string format = "%.17g";
  for (int i = 0; i < system.states; ++i) format += ",%.17g";
  out += fmt::format(R"(
% The classical method of Runge and Kutta. Nothing is asked for later than `last`.
function y = rk4_step(t, h, last, y)
  half = h*0.5;
  k1 = {0}(t, y);
  k2 = {0}(min(t + half, last), y + half*k1);
  k3 = {0}(min(t + half, last), y + half*k2);
  k4 = {0}(min(t + h, last), y + h*k3);
  y = y + h/6*(k1 + 2*(k2 + k3) + k4);
end

h = {1};  % s
last = {2};  % s
stride = {3};  % steps from row to row
y = [{4}];
t = 0;
count = 0;
printf("{5}\n");
printf("{6}\n", t, y);
while t < last
  planned = (count + 1)*h;
  if planned <= last + 1e-6*h
    next = min(planned, last);
    y = rk4_step(t, h, last, y);
  else
    next = last;
    y = rk4_step(t, next - t, last, y);
  end
  t = next;
  count = count + 1;
  if any(~isfinite(y))
    error("a state is not finite at t = %g s", t);
  end
  if mod(count, stride) == 0 || t >= last
    printf("{6}\n", t, y);
  end
end
% The same with Octave's own stiff integrator:
%   lsode(@(y, t) {0}(t, y), y, linspace(0, last, 1001))
)",
                     function, h, setting.duration, emitted_stride(setting, h), initial, header,
                     format);
  return out;
}

// ---- Modelica -----------------------------------------------------------------------------------

// "N.s/m2"; empty for plain numbers and for powers that are not whole.
std::string modelica_unit(const std::optional<unit>& in) {
  if (!in || is_plain(*in)) return "";
  std::string text = to_string(*in);  // "N s/m^2/..."
  for (const double power : {in->kilogram, in->metre, in->second})
    if (power != std::floor(power)) return "";
  std::string above, part;
  std::vector<std::string> below;
  bool is_below = false;
  const auto finish = [&] {
    if (part.empty()) return;
    if (is_below)
      below.push_back(part);
    else
      above += (above.empty() ? "" : ".") + part;
    part.clear();
  };
  for (const char c : text) {
    if (c == '/' || c == ' ') {
      finish();
      is_below = c == '/' || is_below;
    } else if (c != '^') {
      part += c;
    }
  }
  finish();
  if (below.empty()) return above;
  if (below.size() == 1) return above + "/" + below[0];
  return fmt::format("{}/({})", above, fmt::join(below, "."));
}

std::string emit_modelica(const regularised& system, const inclusion_setting& setting,
                          const emit_options& options) {
  notation names(language::modelica, system, setting.name);
  const auto with_unit = [](const std::optional<unit>& in, const std::string& more = "") {
    const std::string text = modelica_unit(in);
    std::vector<std::string> parts;
    if (!more.empty()) parts.push_back(more);
    if (!text.empty()) parts.push_back(fmt::format("unit=\"{}\"", text));
    return parts.empty() ? "" : fmt::format("({})", fmt::join(parts, ", "));
  };
  unit_finder find_unit;
  const auto unit_of = [&](const expression& e) { return find_unit(e).shown(); };
  std::string declared, equations;
  const auto quoted = [](const std::string& text) {
    std::string out;
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return fmt::format("\"{}\"", out);
  };
  for (const auto& each : constants_of(system, names))
    declared += fmt::format("  parameter Real {}{} = {}{};\n", each.name, with_unit(each.in),
                            names.number(each.value),
                            each.about.empty() ? "" : fmt::format(" {}", quoted(each.about)));
  const auto start = [&](int i) {
    return fmt::format("start={}, fixed=true",
                       names.number(setting.initial[static_cast<std::size_t>(i)]));
  };
  for (int i = 0; i < system.user_states(); ++i)
    declared +=
        fmt::format("  Real {}{};\n", names.state(i),
                    with_unit(system.source.states[static_cast<std::size_t>(i)].in, start(i)));
  for (const auto& t : system.terms)
    for (int k = 0; k < t.dimension(); ++k)
      declared += fmt::format("  Real {}{} {};\n", names.state(t.first_state + k),
                              with_unit(deflection_unit(t), start(t.first_state + k)),
                              quoted(fmt::format("state of {}", t.text())));
  const auto equation = [&](const std::string& left, const std::string& right) {
    equations += fmt::format("  {} = {};\n", left, right);
  };
  for (const std::size_t i : signals_of(system)) {
    const auto table = [&](const signal& shape) {
      const auto list = [&](const std::vector<double>& values) {
        return fmt::format("{{{}}}", fmt::join(values, ", "));
      };
      std::string given = list(shape.node_times()) + ", " + list(shape.node_values());
      if (!shape.node_slopes().empty()) given += fmt::format(", {}", list(shape.node_slopes()));
      return fmt::format("{}({}, time)", nodes_function(shape), given);
    };
    const auto& each = system.source.inputs[i];
    declared += fmt::format("  Real {}{} \"input\";\n", names.input(i), with_unit(each.in));
    equation(names.input(i), names.signal_formula(each.shape, table));
  }
  for (const auto& each : in_order(system)) {
    if (each.named) {
      const std::string name = names.definition((*each.named)->name);
      declared += fmt::format("  Real {}{};\n", name, with_unit(unit_of(*each.named)));
      equation(name, names.formula(each.named->argument(0)));
      continue;
    }
    const auto which = static_cast<std::size_t>(each.term);
    const auto& t = system.terms[which];
    const auto& term = names.term(which);
    for (int k = 0; k < t.dimension(); ++k)
      declared +=
          fmt::format("  Real {}{} {};\n", term.force[k], with_unit(t.force_in), quoted(t.text()));
    if (t.dimension() == 1) {
      equation(term.force[0], names.law(which).force_is);
      continue;
    }
    for (const auto& line : names.planar_law_equations(which)) {
      if (line.is_helper)
        declared += fmt::format("  Real {}{};\n", line.left, with_unit(t.force_in));
      equation(line.left, line.right);
    }
  }
  for (int i = 0; i < system.user_states(); ++i)
    equation(fmt::format("der({})", names.state(i)),
             names.formula(system.rates[static_cast<std::size_t>(i)]));
  for (std::size_t i = 0; i < system.terms.size(); ++i)
    if (system.terms[i].dimension() == 1) equation(names.law(i).rate, names.law(i).rate_is);

  const std::string& name = names.system_name();
  std::string helpers = notation::helper_functions(language::modelica, equations), inner, line;
  for (const char c : helpers) {
    line += c;
    if (c != '\n') continue;
    inner += line == "\n" ? line : "  " + line;
    line.clear();
  }
  // Friction needs a factor of at least 0, as everywhere.
  std::string checks;
  for (const auto& t : system.terms)
    if (!t.is_contact && !is_constant(t.factor))
      checks += fmt::format("  assert(noEvent({} >= 0), {});\n", names.formula(t.factor, 2),
                            quoted(fmt::format("the factor of {} became negative", t.text())));
  return commented(comment_lines(system, setting, names, options), "//") +
         fmt::format(
             "\nmodel {} {}\n{}{}equation\n{}{}  annotation(experiment(StartTime=0, StopTime={}, "
             "Interval={}, Tolerance=1e-6));\nend {};\n",
             name, quoted(setting.title), inner, declared, equations, checks, setting.duration,
             setting.sample > 0 ? setting.sample : setting.duration / 1000, name);
}

// ---- LaTeX --------------------------------------------------------------------------------------

std::string latex_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\textbackslash{}";
    } else if (c == '~' || c == '^') {
      out += fmt::format("\\{}{{}}", c);
    } else {
      if (std::string("#$%&_{}").find(c) != std::string::npos) out += '\\';
      out += c == '\n' || c == '\r' ? ' ' : c;
    }
  }
  return out;
}

// "N/m^2" -> \mathrm{N/m^{2}}
std::string latex_unit(const std::optional<unit>& in) {
  if (!in) return "";
  if (is_plain(*in)) return "1";
  std::string out;
  const std::string text = to_string(*in);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') {
      out += "\\,";
    } else if (text[i] == '^') {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != ' ' && text[end] != '/') ++end;
      out += fmt::format("^{{{}}}", text.substr(i + 1, end - i - 1));
      i = end - 1;
    } else {
      out += text[i];
    }
  }
  return fmt::format("\\mathrm{{{}}}", out);
}

std::string emit_latex(const regularised& system, const inclusion_setting& setting,
                       const emit_options& options) {
  const notation names(language::latex, system, setting.name);
  const auto dot = [](const std::string& name) { return fmt::format("\\dot{{{}}}", name); };
  const auto aligned = [](const std::vector<std::string>& rows) {
    return fmt::format("\\begin{{align*}}\n{}\n\\end{{align*}}\n", fmt::join(rows, " \\\\\n"));
  };
  const auto is_set_valued = [](const expression& e) {
    return contains(e, operation::set_sgn) || contains(e, operation::set_dio);
  };
  const auto relation = [&](const expression& e) { return is_set_valued(e) ? "\\in" : "="; };

  std::string out = commented({setting.title, fmt::format("Written by asperity {} from {}.",
                                                          options.version, setting.origin)},
                              "%");
  out += "\\documentclass{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n";
  out += fmt::format("\\title{{{}}}\n\\author{{}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n",
                     latex_text(setting.title));

  out += "\\section*{Inclusion}\n";
  std::vector<std::string> rows;
  for (int i = 0; i < system.user_states(); ++i) {
    const expression& rate = *system.source.states[static_cast<std::size_t>(i)].rate;
    rows.push_back(
        fmt::format("{} &{} {}", dot(names.state(i)), relation(rate), names.formula(rate)));
  }
  out += aligned(rows);
  rows.clear();
  for (const auto& each : system.source.definitions)
    for (const auto& part : each.components)
      rows.push_back(fmt::format("{} &{} {}", names.formula(part), relation(part),
                                 names.formula(part.argument(0))));
  if (!rows.empty()) out += fmt::format("with\n{}", aligned(rows));

  if (!system.terms.empty()) {
    out += "\\section*{Differential-algebraic inclusion}\nEach set-valued term gets a state:\n";
    rows.clear();
    for (std::size_t i = 0; i < system.terms.size(); ++i) {
      const auto law = names.law(i);
      rows.push_back(fmt::format("{} &= {}", law.force, law.viscoelastic));
      rows.push_back(fmt::format("{} &\\in {}", law.force, law.inclusion));
    }
    out += aligned(rows);
  }

  out += "\\section*{Ordinary differential equation}\n";
  rows.clear();
  for (int i = 0; i < system.user_states(); ++i)
    rows.push_back(fmt::format("{} &= {}", dot(names.state(i)),
                               names.formula(system.rates[static_cast<std::size_t>(i)])));
  for (std::size_t i = 0; i < system.terms.size(); ++i)
    rows.push_back(fmt::format("{} &= {}", names.law(i).rate, names.law(i).rate_is));
  out += aligned(rows);
  rows.clear();
  for (const auto& each : in_order(system)) {
    if (each.named) {
      rows.push_back(fmt::format("{} &= {}", names.formula(*each.named),
                                 names.formula(each.named->argument(0))));
    } else {
      const auto law = names.law(static_cast<std::size_t>(each.term));
      rows.push_back(fmt::format("{} &= {}", law.force, law.force_is));
    }
  }
  if (!rows.empty()) out += fmt::format("with\n{}", aligned(rows));
  rows.clear();
  for (const std::size_t i : signals_of(system)) {
    const auto table = [](const signal& shape) {
      return fmt::format("\\text{{{} nodes}}", shape.node_times().size());
    };
    rows.push_back(fmt::format("{} &= {}", names.input(i),
                               names.signal_formula(system.source.inputs[i].shape, table)));
  }
  if (!rows.empty()) out += fmt::format("and inputs\n{}", aligned(rows));

  const auto constants = constants_of(system, names);
  if (!constants.empty()) {
    out += "\\section*{Constants}\n";
    rows.clear();
    for (const auto& each : constants)
      rows.push_back(
          fmt::format("{} &= {} \\; {}", each.name, names.number(each.value), latex_unit(each.in)));
    out += aligned(rows);
  }
  out += "\\section*{Initial state}\n";
  rows.clear();
  for (int i = 0; i < system.states; ++i)
    rows.push_back(fmt::format("{}(0) &= {}", names.state(i),
                               names.number(setting.initial[static_cast<std::size_t>(i)])));
  out += aligned(rows) + "\\end{document}\n";
  return out;
}

}  // namespace

std::string emit(const regularised& system, const inclusion_setting& setting, language in,
                 const emit_options& options) {
  switch (in) {
    case language::c:
    case language::cpp:
      return c_family(system, setting, in, options).go();
    case language::octave:
      return emit_octave(system, setting, options);
    case language::modelica:
      return emit_modelica(system, setting, options);
    case language::latex:
      return emit_latex(system, setting, options);
    case language::text:
      break;
  }
  throw error("plain text is shown, not emitted");
}

}  // namespace asperity
