// SPDX-License-Identifier: Apache-2.0
// Exported code computes what the models compute. Every model of the catalogue that can be exported
// is, in every language; one program per language follows random motions with all of them, and each
// number is compared with that of the library.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/catalogue/traced.hpp>
#include <asperity/error.hpp>
#include <asperity/export/export_model.hpp>
#include <cmath>
#include <cstring>
#include <iostream>
#include <random>
#include <sstream>

#include "tests/folder.hpp"

namespace asperity::testing {
namespace {

using strings = std::vector<std::string>;
using lang = exported_language;

struct subject {
  any_model model;
  std::string text;                         // of the exported file
  std::vector<std::vector<double>> motion;  // rows: kind, inputs, free, mobility, h
  std::vector<double> expected;             // what the driver shows, row by row

  std::size_t inputs() const { return model.at().inputs.size(); }
  std::size_t outputs() const { return model.at().outputs.size(); }
  bool has(const char* word) const { return text.find(word) != text.npos; }
  bool couples() const { return has("step_with_body("); }
  bool has_rates() const { return model.is_ode() && model.states() > 0; }
  bool has_load() const { return model.at().inputs.back().is == channel::load; }
  // States as a program names them: "z", "a[0]".
  strings states(const char* open = "[", const char* close = "]", int first = 0) const {
    strings result;
    const auto card = model.describe();
    int elements = 0;
    for (const auto& p : card.parameters)
      if (p.count != nullptr) elements = *p.count;
    for (const auto& s : card.states) {
      if (!s.is_list) result.push_back(s.name);
      for (int i = 0; s.is_list && i < elements; ++i)
        result.push_back(fmt::format("{}{}{}{}", s.name, open, i + first, close));
    }
    return result;
  }
};

// A Runge-Kutta step of a model of any port between straight lines, written a second time.
void runge_kutta(const any_model& model, double* y, const double* from, const double* to,
                 double h) {
  const auto n = static_cast<std::size_t>(model.states());
  const std::size_t inputs = model.at().inputs.size();
  std::vector<double> k[4], stage(n + 1), in(inputs), out(4);
  const double shares[] = {0, 0.5, 0.5, 1}, lengths[] = {0, h / 2, h / 2, h};
  for (int s = 0; s < 4; ++s) {
    k[s].resize(n + 1);
    for (std::size_t i = 0; i < inputs; ++i) in[i] = from[i] + shares[s] * (to[i] - from[i]);
    for (std::size_t i = 0; i < n; ++i) stage[i] = s == 0 ? y[i] : y[i] + lengths[s] * k[s - 1][i];
    model.respond(in.data(), stage.data(), out.data(), k[s].data());
  }
  for (std::size_t i = 0; i < n; ++i) y[i] += h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
}

// Follows a random motion with the library.
void follow(subject& s, unsigned seed, int steps) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double a, double b) {
    return a + (b - a) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  const port& at = s.model.at();
  const any_model& model = s.model;
  const bool is_explicit = s.has("Runge-Kutta");
  const std::size_t inputs = s.inputs(), outputs = s.outputs();
  std::vector<double> state(static_cast<std::size_t>(model.states()) + 1), last(inputs, 0.0);
  if (s.has_load()) last.back() = 1;
  model.initial(last.data(), state.data());
  std::vector<double> out(outputs), rate(state.size()), end(state.size());
  const auto show = [&](const double* values, std::size_t count) {
    s.expected.insert(s.expected.end(), values, values + count);
  };
  const auto drive_of = [&](const std::vector<double>& in) {
    return drive<double>{in[0], in[1], in.size() > 2 ? in[2] : 1.0};
  };
  const auto states = static_cast<std::size_t>(model.states());
  for (int step = 0; step < steps; ++step) {
    // Explicit steps have to be short for the stiffest of them.
    const double h =
        is_explicit ? std::pow(10.0, uniform(-7, -6)) : std::pow(10.0, uniform(-5, -2));
    const double fastest = std::pow(10.0, uniform(-5, -2)) * (at.has_units() ? 1 : 0.1 / h);
    std::vector<double> in(inputs);
    for (std::size_t i = 0; i < inputs; ++i)
      if (at.inputs[i].is == channel::load)
        in[i] = uniform(0.5, 1.5);
      else if (at.inputs[i].is == channel::rate)
        in[i] = uniform(-fastest, fastest);
    for (std::size_t i = 0; i < inputs; ++i)
      if (at.inputs[i].is == channel::place)
        in[i] = 0.9 * last[i] + h * in[static_cast<std::size_t>(at.inputs[i].rate_of)];
    const bool with_body = s.couples() && step % 2 == 1;
    std::vector<double> free(outputs), mobility(outputs);
    for (std::size_t k = 0; k < outputs; ++k) {
      const bool is_gap = at.outputs[k].sign < 0;
      free[k] = is_gap ? in[0] : in[static_cast<std::size_t>(at.outputs[k].rate_of)];
      // Contacts with friction have one mobility in the surface.
      mobility[k] = k == 2 ? mobility[1] : is_gap ? h * h * uniform(0.1, 10) : h * uniform(0.1, 10);
    }
    std::vector<double> row{with_body ? 1.0 : 0.0};
    for (const auto* part : {&in, &free, &mobility})
      row.insert(row.end(), part->begin(), part->end());
    row.push_back(h);
    s.motion.push_back(row);

    if (model.is_ode()) {
      model.respond(last.data(), state.data(), out.data(), rate.data());
    } else {
      out[0] = model.force(state.data(), drive_of(last));
    }
    show(out.data(), outputs);
    if (s.has_rates()) show(rate.data(), states);

    if (with_body && at.is_line()) {
      const std::size_t moved = at.is_contact() ? 0 : 1;
      const double load = s.has_load() ? in.back() : 1.0;
      const auto reached = model.implicit_step(
          state.data(), load, h, {last[moved], free[0], at.outputs[0].sign * mobility[0]}, last[0]);
      out[0] = reached.f;
      if (at.is_contact()) {
        last[1] = (reached.u - last[0]) / h;
        last[0] = reached.u;
      } else {
        last[1] = reached.u;
        last[0] = last[0] + h * reached.u;
      }
      if (s.has_load()) last.back() = load;
    } else if (with_body) {
      model.step(in.data(), state.data(), free.data(), mobility.data(), h, out.data(), end.data());
      std::copy_n(end.begin(), states, state.begin());
      const double gap = free[0] + mobility[0] * out[0];
      last[1] = (gap - last[0]) / h;
      last[0] = gap;
      for (std::size_t k = 1; k < 3; ++k) last[k + 1] = free[k] - mobility[k] * out[k];
    } else {
      if (is_explicit) {
        runge_kutta(model, state.data(), last.data(), in.data(), h);
        model.respond(in.data(), state.data(), out.data(), rate.data());
      } else if (at.is_line()) {
        out[0] = model.advance(state.data(), drive_of(last), drive_of(in), h);
      } else if (model.has_step()) {
        const std::vector<double> none(outputs, 0.0);
        model.step(in.data(), state.data(), free.data(), none.data(), h, out.data(), end.data());
        std::copy_n(end.begin(), states, state.begin());
      } else {
        model.respond(in.data(), state.data(), out.data(), rate.data());
      }
      last = in;
    }
    show(out.data(), outputs);
    show(state.data(), states);
    show(last.data(), inputs);
  }
}

// Every parameter a little off its default, where the rules between them allow it.
void perturb(any_model& model, unsigned seed) {
  std::mt19937_64 random(seed);
  for (const auto& p : model.describe().parameters) {
    if (p.count != nullptr || p.whole != nullptr || p.is_share) continue;
    const auto before = model.get(p.name);
    auto values = before;
    for (double& each : values) each *= 0.9 + 0.2 * static_cast<double>(random() >> 11) * 0x1p-53;
    const auto set = [&](const std::vector<double>& to) {
      if (p.is_list)
        model.set(p.name, to);
      else
        model.set(p.name, to[0]);
    };
    try {
      set(values);
      (void)model.check();
    } catch (const error&) {
      set(before);
    }
  }
}

// `round` 0: defaults; 1: other parameters and other curves.
std::vector<subject> subjects(lang in, int round, int steps) {
  std::vector<subject> result;
  for (const catalogue_entry* entry : catalogue()) {
    any_model model(*entry, round == 0 ? "" : entry->variants.back().curve);
    if (!why_not_exported(model).empty()) continue;
    if (round == 1) perturb(model, 7);
    subject s{model, export_model(model, in, "test"), {}, {}};
    follow(s, 11 + static_cast<unsigned>(result.size()), steps);
    result.push_back(std::move(s));
  }
  return result;
}

class export_test : public in_folder {
 protected:
  void write_motions(const std::vector<subject>& all) const {
    for (const auto& s : all) {
      std::string text;
      for (const auto& row : s.motion)
        for (const double x : row) text += fmt::format("{:.17g}\n", x);
      write(s.model.key() + ".motion", text);
    }
  }
  int shell(const std::string& line) const {
    const std::string whole = fmt::format("cd '{}' && {}", folder.string(), line);
    return std::system(whole.c_str());
  }
  static bool is_there(const char* program) {
    return std::system(fmt::format("command -v {} > /dev/null 2>&1", program).c_str()) == 0;
  }

  // Compares lines of 16 hexadecimal digits with what is expected.
  void compare(const std::vector<subject>& all) const {
    std::size_t numbers = 0, same = 0;
    double worst = 0;
    std::string worst_model;
    for (const auto& s : all) {
      std::istringstream lines(content(s.model.key() + ".shown"));
      std::vector<double> shown;
      for (std::string line; std::getline(lines, line);) {
        const std::uint64_t bits = std::stoull(line, nullptr, 16);
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        shown.push_back(value);
      }
      ASSERT_EQ(shown.size(), s.expected.size()) << s.model.key();
      const std::size_t columns = s.expected.size() / s.motion.size();
      std::vector<double> scale(columns, 0.0);
      for (std::size_t i = 0; i < shown.size(); ++i)
        if (std::isfinite(s.expected[i]))
          scale[i % columns] = std::max(scale[i % columns], std::abs(s.expected[i]));
      for (std::size_t i = 0; i < shown.size(); ++i) {
        ++numbers;
        const double a = shown[i], b = s.expected[i];
        if (std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b))) {
          ++same;
          continue;
        }
        const double apart = a == b ? 0 : std::abs(a - b) / scale[i % columns];
        if (!(apart <= worst)) {
          worst = apart;
          worst_model = s.model.key();
        }
        ASSERT_LE(apart, 1e-12) << s.model.key() << ", row " << i / columns << ", column "
                                << i % columns << ": " << a << ", not " << b;
      }
    }
    std::cout << fmt::format(
        "{} models, {} numbers, {} of them with the same bits; worst {:.1e} ({})\n", all.size(),
        numbers, same, worst, worst_model);
    EXPECT_GT(all.size(), 40U);
  }
};

// A program in C or C++ that follows the motions of all subjects.
std::string c_driver(const std::vector<subject>& all, bool is_c) {
  std::string text =
      "#include <stdio.h>\n#include <string.h>\n#include <stdint.h>\n#include <inttypes.h>\n";
  for (const auto& s : all)
    text += fmt::format("#include \"{}{}\"\n", s.model.key(), is_c ? ".h" : ".hpp");
  text +=
      "static void show(FILE *to, double x) {\n  uint64_t bits;\n  memcpy(&bits, &x, sizeof "
      "bits);\n"
      "  fprintf(to, \"%016\" PRIx64 \"\\n\", bits);\n}\n"
      "static int row(FILE *from, double *c, int count) {\n  int i;\n"
      "  for (i = 0; i < count; ++i)\n    if (fscanf(from, \"%lf\", &c[i]) != 1) return 0;\n"
      "  return 1;\n}\n";
  std::string calls;
  for (const auto& s : all) {
    const std::string key = s.model.key(), scope = is_c ? key + "_" : key + "::";
    const char* ref = is_c ? "&" : "";
    const std::size_t inputs = s.inputs(), outputs = s.outputs();
    const auto& at = s.model.at();
    text += fmt::format("static void run_{0}(FILE *from, FILE *to) {{\n  double c[40];\n", key);
    text += fmt::format(
        "  const {0}parameters p = {0}defaults();\n  {0}inputs in;\n  {0}state s;\n", scope);
    for (const auto& each : at.inputs)
      text += fmt::format("  in.{} = {};\n", each.name, each.is == channel::load ? "1.0" : "0.0");
    text += fmt::format("  s = {0}init({1}p, {1}in);\n", scope, ref);
    text += fmt::format("  while (row(from, c, {})) {{\n", 2 + inputs + 2 * outputs);
    if (s.has_rates()) text += fmt::format("    {}rates rate;\n", scope);
    text += fmt::format("    {0}outputs out = {0}force({1}p, {1}s, {1}s.last{2});\n", scope, ref,
                        s.has_rates() ? fmt::format(", {}rate", ref) : "");
    for (const auto& each : at.outputs) text += fmt::format("    show(to, out.{});\n", each.name);
    if (s.has_rates())
      for (const auto& each : s.states()) text += fmt::format("    show(to, rate.{});\n", each);
    std::string body;
    if (s.has_load()) body += fmt::format("c[{}], ", inputs);
    for (std::size_t k = 0; k < 2 * outputs; ++k) body += fmt::format("c[{}], ", 1 + inputs + k);
    for (std::size_t i = 0; i < inputs; ++i)
      text += fmt::format("    in.{} = c[{}];\n", at.inputs[i].name, 1 + i);
    const std::size_t h = 1 + inputs + 2 * outputs;
    if (s.couples())
      text += fmt::format(
          "    if (c[0] > 0.0)\n      out = {}step_with_body({}p, {}s, {}c[{}]);\n    else\n",
          scope, ref, ref, body, h);
    text += fmt::format("    out = {0}step({1}p, {1}s, {1}in, c[{2}]);\n", scope, ref, h);
    for (const auto& each : at.outputs) text += fmt::format("    show(to, out.{});\n", each.name);
    for (const auto& each : s.states()) text += fmt::format("    show(to, s.{});\n", each);
    for (const auto& each : at.inputs) text += fmt::format("    show(to, s.last.{});\n", each.name);
    text += "  }\n}\n";
    calls += fmt::format(
        "  from = fopen(\"{0}.motion\", \"r\");\n  to = fopen(\"{0}.shown\", \"w\");\n"
        "  run_{0}(from, to);\n  fclose(from);\n  fclose(to);\n",
        key);
  }
  return text + "int main(void) {\n  FILE *from, *to;\n" + calls + "  return 0;\n}\n";
}

std::string rust_driver(const std::vector<subject>& all) {
  std::string text =
      "use std::fmt::Write as _;\n"
      "fn show(to: &mut String, x: f64) { writeln!(to, \"{:016x}\", x.to_bits()).unwrap(); }\n"
      "fn numbers(file: &str) -> Vec<f64> {\n"
      "  std::fs::read_to_string(file).unwrap().lines().map(|x| x.parse().unwrap()).collect()\n}\n";
  std::string calls;
  for (const auto& s : all) {
    const std::string key = s.model.key();
    const std::size_t inputs = s.inputs(), outputs = s.outputs();
    const auto& at = s.model.at();
    text += fmt::format("include!(\"{}.rs\");\n", key);
    text += fmt::format(
        "fn run_{0}() {{\n  let p = {0}::defaults();\n"
        "  let mut to = String::new();\n  let mut at = {0}::Inputs::default();\n",
        key);
    if (s.has_load()) text += "  at.load = 1.0;\n";
    const std::size_t columns = 2 + inputs + 2 * outputs;
    text += fmt::format(
        "  let mut s = {0}::State::new(&p, &at);\n  for c in numbers(\"{0}.motion\").chunks({1}) "
        "{{\n",
        key, columns);
    if (s.has_rates()) text += fmt::format("    let mut rate = {}::Rates::default();\n", key);
    text += fmt::format("    let out = {0}::force(&p, &s, &s.last{1});\n", key,
                        s.has_rates() ? ", &mut rate" : "");
    for (const auto& each : at.outputs)
      text += fmt::format("    show(&mut to, out.{});\n", each.name);
    if (s.has_rates())
      for (const auto& each : s.states())
        text += fmt::format("    show(&mut to, rate.{});\n", each);
    for (std::size_t i = 0; i < inputs; ++i)
      text += fmt::format("    at.{} = c[{}];\n", at.inputs[i].name, 1 + i);
    std::string body;
    if (s.has_load()) body += fmt::format("c[{}], ", inputs);
    for (std::size_t k = 0; k < 2 * outputs; ++k) body += fmt::format("c[{}], ", 1 + inputs + k);
    const std::string plain = fmt::format("s.step(&p, &at, c[{}])", columns - 1);
    text += s.couples() ? fmt::format(
                              "    let out = if c[0] > 0.0 {{ s.step_with_body(&p, {}c[{}]) }} "
                              "else {{ {} }};\n",
                              body, columns - 1, plain)
                        : fmt::format("    let out = {};\n", plain);
    for (const auto& each : at.outputs)
      text += fmt::format("    show(&mut to, out.{});\n", each.name);
    for (const auto& each : s.states()) text += fmt::format("    show(&mut to, s.{});\n", each);
    for (const auto& each : at.inputs)
      text += fmt::format("    show(&mut to, s.last.{});\n", each.name);
    text += fmt::format("  }}\n  std::fs::write(\"{}.shown\", to).unwrap();\n}}\n", key);
    calls += fmt::format("  run_{}();\n", key);
  }
  return text + "fn main() {\n" + calls + "}\n";
}

std::string octave_driver(const std::vector<subject>& all) {
  std::string text = "1;\n";
  for (const auto& s : all) {
    const std::string key = s.model.key();
    const std::size_t inputs = s.inputs(), outputs = s.outputs();
    const auto& at = s.model.at();
    const std::size_t columns = 2 + inputs + 2 * outputs;
    text += fmt::format(
        "from = fopen('{0}.motion'); all = fscanf(from, '%f'); fclose(from);\n"
        "p = {0}('defaults'); in = struct(); shown = [];\n",
        key);
    for (const auto& each : at.inputs)
      text += fmt::format("in.{} = {};\n", each.name, each.is == channel::load ? 1 : 0);
    text += fmt::format("s = {0}('init', p, in);\nfor k = 0:{1}\n  c = all(k * {2} + (1:{2}));\n",
                        key, s.motion.size() - 1, columns);
    text += fmt::format("  [{}] = {}('force', p, s, s.last);\n",
                        s.has_rates() ? "out, rate" : "out", key);
    strings row;
    for (const auto& each : at.outputs) row.push_back(fmt::format("out.{}", each.name));
    if (s.has_rates())
      for (const auto& each : s.states("(", ")", 1)) row.push_back("rate." + each);
    text += fmt::format("  shown = [shown, {}];\n", fmt::join(row, ", "));
    for (std::size_t i = 0; i < inputs; ++i)
      text += fmt::format("  in.{} = c({});\n", at.inputs[i].name, 2 + i);
    std::string body;
    if (s.has_load()) body += fmt::format("c({}), ", inputs + 1);
    for (std::size_t k = 0; k < 2 * outputs; ++k) body += fmt::format("c({}), ", 2 + inputs + k);
    if (s.couples())
      text += fmt::format(
          "  if c(1) > 0\n    [out, s] = {}('step_with_body', p, s, {}c({}));\n  else\n", key, body,
          columns);
    text += fmt::format("  [out, s] = {}('step', p, s, in, c({}));\n", key, columns);
    if (s.couples()) text += "  end\n";
    row.clear();
    for (const auto& each : at.outputs) row.push_back(fmt::format("out.{}", each.name));
    for (const auto& each : s.states("(", ")", 1)) row.push_back("s." + each);
    for (const auto& each : at.inputs) row.push_back(fmt::format("s.last.{}", each.name));
    text += fmt::format("  shown = [shown, {}];\nend\n", fmt::join(row, ", "));
    text += fmt::format(
        "to = fopen('{}.shown', 'w'); bits = cellstr(num2hex(shown(:))); "
        "fprintf(to, '%s\\n', bits{{:}}); fclose(to);\n",
        key);
  }
  return text;
}

// C99 without a warning, all models in one program: names do not clash.
class export_c : public export_test {
 protected:
  void follow_all(int round) {
    const auto all = subjects(lang::c, round, 1000);
    for (const auto& s : all) write(s.model.key() + ".h", s.text);
    write("driver.c", c_driver(all, true));
    write_motions(all);
    ASSERT_EQ(shell("cc -std=c99 -O1 -Wall -Wextra -Wpedantic -Wdouble-promotion -Werror driver.c "
                    "-lm -o driver"),
              0);
    ASSERT_EQ(shell("./driver"), 0);
    compare(all);
  }
};

TEST_F(export_c, ComputesWhatTheLibraryComputes) { follow_all(0); }
TEST_F(export_c, DoesSoWithOtherParametersAndCurves) { follow_all(1); }

TEST_F(export_test, CppComputesWhatTheLibraryComputes) {
  const auto all = subjects(lang::cpp, 0, 1000);
  for (const auto& s : all) write(s.model.key() + ".hpp", s.text);
  write("driver.cpp", c_driver(all, false));
  write_motions(all);
  ASSERT_EQ(shell("g++ -std=c++11 -O1 -Wall -Wextra -Wpedantic -Wshadow -Wdouble-promotion -Werror "
                  "driver.cpp -o driver"),
            0);
  ASSERT_EQ(shell("./driver"), 0);
  compare(all);
}

TEST_F(export_test, RustComputesWhatTheLibraryComputes) {
  if (!is_there("rustc")) GTEST_SKIP() << "rustc is not installed";
  const auto all = subjects(lang::rust, 0, 1000);
  for (const auto& s : all) write(s.model.key() + ".rs", s.text);
  write("driver.rs", rust_driver(all));
  write_motions(all);
  ASSERT_EQ(shell("rustc --edition 2021 -D warnings -O driver.rs -o driver"), 0);
  ASSERT_EQ(shell("./driver"), 0);
  compare(all);
}

TEST_F(export_test, MatlabComputesWhatTheLibraryComputes) {
  if (!is_there("octave-cli")) GTEST_SKIP() << "octave is not installed";
  const auto all = subjects(lang::matlab, 0, 60);  // an interpreter is slow
  for (const auto& s : all) write(s.model.key() + ".m", s.text);
  write("driver.m", octave_driver(all));
  write_motions(all);
  ASSERT_EQ(shell("octave-cli --norc --quiet driver.m"), 0);
  compare(all);
}

// What cannot be exported says why, and what to take instead.
TEST(export_model, RefusesWhatIsNotOneListOfOperations) {
  int refused = 0;
  for (const catalogue_entry* entry : catalogue()) {
    const any_model model(*entry);
    const std::string why = why_not_exported(model);
    if (why.empty()) continue;
    ++refused;
    EXPECT_NE(why.find(entry->key), why.npos);
    EXPECT_NE(why.find("C interface"), why.npos);
    for (int i = 0; i < 4; ++i) {
      EXPECT_THROW((void)export_model(model, static_cast<lang>(i), "test"), error) << entry->key;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LE(refused, 10);
}

// A rule between parameters holds for exported ones, too.
TEST(export_model, RefusesParametersThatDoNotFit) {
  any_model model(find_entry("lugre"));
  model.set("F_s", 0.5);
  model.set("F_c", 1.0);
  EXPECT_THROW((void)export_model(model, lang::c, "test"), error);
}

// A number that writes down what is done with it: shared where it is the same, never reordered.
TEST(traced, KeepsEachOperationOnceAndPlainNumbersPlain) {
  trace_graph graph;
  const traced x(graph, graph.symbol(traced_symbol::input, 0, 0));
  const traced two(2.0), product = two * x;
  const int size = graph.size();
  EXPECT_EQ((traced(2.0) * x).in(graph), product.in(graph));
  EXPECT_EQ(graph.size(), size);
  EXPECT_NE((x * two).in(graph), product.in(graph));
  const traced plain = two / traced(4.0);
  EXPECT_EQ(graph[plain.in(graph)].value, 0.5);
  EXPECT_EQ(select(traced(1.0) < two, x, product).in(graph), x.in(graph));
  EXPECT_NE(graph.number(0.0), graph.number(-0.0));
}

}  // namespace
}  // namespace asperity::testing
