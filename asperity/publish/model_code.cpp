// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/mechanics/respond.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/publish/model_code.hpp>

namespace asperity {

namespace {

std::string program(const std::string& includes, const std::string& body) {
  return fmt::format("{}\nint main() {{\n{}}}\n", includes, body);
}

// A parameter to show how one is set: the first that is a single number.
const card<double>::parameter_entry* first_number(const card<double>& card) {
  for (const auto& p : card.parameters)
    if (!p.is_list && p.words.empty() && p.count == nullptr && p.whole == nullptr) return &p;
  return nullptr;
}

std::string include(const std::string& file) { return fmt::format("#include <{}>\n", file); }

// Models are headers, but for laws over the cells of a patch, which are made of their parameters by
// the library.
std::string cpp_of(const any_model& model) {
  const catalogue_entry& entry = model.entry();
  const std::string& key = entry.key;
  const port& at = model.at();
  const std::string printed = include("cstdio");
  const std::string header = include(fmt::format("asperity/models/{}/{}.hpp", entry.family, key));
  const std::string made =
      fmt::format("  const asperity::{}<double> model;  // parameters are its fields\n", key);
  const bool is_template = model.functions().build == nullptr;
  if (!is_template || (!at.is_line() && !at.is_contact() && model.states() > 0)) {
    std::string inputs;
    for (const channel& each : at.inputs)
      inputs += fmt::format("{}{}", inputs.empty() ? "" : ", ",
                            each.is == channel::load                 ? "1"
                            : std::string_view(each.name) == "v_x"   ? "0.1"
                            : std::string_view(each.name) == "omega" ? "2"
                                                                     : "0");
    std::string names;
    for (const channel& each : at.inputs)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
    return program(
        include("asperity/asperity.hpp") + printed + include("vector"),
        fmt::format("  asperity::any_model model(asperity::find_entry(\"{}\"));\n"
                    "  model.build();                       // after parameters were set\n"
                    "  const double in[] = {{{}}};  // {}\n"
                    "  std::vector<double> state(model.states()), rate(model.states());\n"
                    "  double out[{}];                       // {}\n"
                    "  model.initial(in, state.data());\n"
                    "  model.respond(in, state.data(), out, rate.data());\n"
                    "  std::printf(\"%g N\\n\", out[0]);\n",
                    key, inputs, names, at.outputs.size(), "f_x, f_y, torque"));
  }
  if (!at.is_line() && at.is_contact())
    return program(
        header + printed,
        made + fmt::format("  const asperity::vec<double, asperity::{}<double>::states> state = "
                           "{{}};  // before any motion\n"
                           "  const auto answer = model(state, {{.gap = -1e-4, .slip = {{{{0.1, "
                           "0}}}}}});\n"
                           "  std::printf(\"%g N, friction %g N\\n\", answer.f_n, "
                           "answer.f_t[0]);\n",
                           key));
  if (!at.is_line())
    return program(
        header + printed,
        made +
            "  const auto wrench = model({{0.1, 0, 2}});  // v_x, v_y [m/s], omega [rad/s]\n"
            "  std::printf(\"%g N, %g N m\\n\", wrench[0], wrench[2]);\n");
  if (at.is_contact() || entry.family == "curve")
    return program(
        header + printed,
        made +
            fmt::format("  const asperity::vec<double, asperity::{}<double>::states> state = {{}};"
                        "  // before any motion\n"
                        "  const double f = model(state, {{{}}}).f;\n"
                        "  std::printf(\"%g N\\n\", f);\n",
                        key,
                        is_rigid(model)   ? ".x = 1e-4, .v = -0.1"
                        : at.is_contact() ? ".x = -1e-4, .v = -0.1"
                                          : ".v = 0.01"));
  return program(
      include("asperity/compensate/follow.hpp") + header + printed,
      made + fmt::format("  asperity::followed_state state(model);  // before any motion\n"
                         "  // Within a millisecond from rest to x and v; call it once per step.\n"
                         "  const double f = follow(model, state, {{}}, {{.x = 5e-6, .v = 0.01}}, "
                         "1e-3);\n"
                         "  std::printf(\"%g{}\\n\", f);\n",
                         at.has_units() ? " N" : ""));
}

// A rigid contact is touched, not pushed into.
std::string python_inputs(const any_model& model) {
  const port& at = model.at();
  if (!at.is_line() && at.is_contact()) return "gap=-1e-4, slip_x=0.01 * swing, slip_y=0.0";
  if (!at.is_line()) return "v_x=0.1 * swing, v_y=0.0, omega=2.0";
  if (is_rigid(model)) return "x=1e-4 * (1 + swing)";
  if (at.is_contact()) return "x=1e-4 * swing";
  return at.has_units() ? "v=0.01 * swing" : "x=swing";
}

std::string python_of(const any_model& model) {
  const auto card = model.describe();
  const auto* p = first_number(card);
  return fmt::format(
      "import numpy as np, asperity\n\n"
      "t = np.linspace(0, 2, 2001)\n"
      "swing = np.sin(2 * np.pi * t)\n"
      "model = asperity.models.{}({})\n"
      "f = model(t, {})\n"
      "print(f.shape, np.abs(f).max())\n",
      model.key(),
      p == nullptr ? "" : fmt::format("{}={:.10g}", p->name, model.get(p->name).front()),
      python_inputs(model));
}

std::string motion_csv(const any_model& model) {
  const port& at = model.at();
  if (!at.is_line() && at.is_contact())
    return "t,gap,slip_x,slip_y\\n0,-1e-4,0,0\\n1,-1e-4,0.01,0\\n2,-1e-4,-0.01,0\\n";
  if (!at.is_line()) return "t,v_x,v_y,omega\\n0,0.1,0,0\\n1,0.1,0,2\\n2,0,0,2\\n";
  if (is_rigid(model)) return "t,x\\n0,1e-4\\n1,0\\n2,1e-4\\n";
  if (at.is_contact()) return "t,x\\n0,1e-4\\n1,-1e-4\\n2,1e-4\\n";
  return at.has_units() ? "t,v\\n0,0\\n1,0.01\\n2,-0.01\\n" : "t,x\\n0,0\\n1,1\\n2,-1\\n";
}

std::string shell_of(const any_model& model) {
  const auto card = model.describe();
  const auto* p = first_number(card);
  const std::string setting =
      p == nullptr ? "" : fmt::format(" --set {}={:.10g}", p->name, model.get(p->name).front());
  return fmt::format(
      "asperity show {0}                # equations, parameters, units, ranges\n"
      "printf '{1}' > motion.csv\n"
      "asperity eval {0} --input motion.csv{2} --out force.csv\n"
      "asperity run {0}.toml            # the scenario below, saved as {0}.toml\n",
      model.key(), motion_csv(model), setting);
}

}  // namespace

std::vector<code_block> code_of(const catalogue_entry& entry, const std::string& scenario) {
  any_model model(entry);
  model.build();
  return {{"C++", "cpp", cpp_of(model)},
          {"Python", "python", python_of(model)},
          {"Command line", "sh", shell_of(model)},
          {"Scenario (TOML)", "toml", scenario}};
}

std::vector<code_block> code_of(const system_row& row, const std::string& scenario) {
  const std::string cpp = program(
      include("asperity/asperity.hpp") + include("cstdio"),
      fmt::format("  const asperity::run_data run = asperity::simulate(asperity::read_scenario("
                  "\"{}.toml\"));\n"
                  "  std::printf(\"%s after %ld steps\\n\", to_string(run.result.how), "
                  "run.result.steps);\n",
                  row.name));
  const std::string python = fmt::format(
      "import asperity\n\n"
      "run = asperity.run(\"{}.toml\")\n"
      "print(run.outcome, run[\"t\"][-1])\n",
      row.name);
  const std::string shell = fmt::format(
      "asperity show {0}                # keys, states, outputs, events, methods\n"
      "asperity run {0}.toml            # the scenario below, saved as {0}.toml\n",
      row.name);
  return {{"C++", "cpp", cpp},
          {"Python", "python", python},
          {"Command line", "sh", shell},
          {"Scenario (TOML)", "toml", scenario}};
}

}  // namespace asperity
