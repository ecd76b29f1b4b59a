// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a regularised inclusion is written down: plain text, LaTeX and the languages of emit.hpp.
// Names that mean something else in a language are changed and remembered. The regularised laws
// stand in notation.cpp once per way of writing; tests compare what they compute with the models
// `dai` and `dai_contact`, where their equations belong.

#include <asperity/inclusion/inclusion.hpp>
#include <functional>
#include <set>

namespace asperity {

enum class language : std::uint8_t { text, latex, c, cpp, octave, modelica };

class notation {
 public:
  // `system_name` becomes an identifier, too.
  notation(language in, const regularised& system, const std::string& system_name);

  language in() const { return in_; }
  const std::string& system_name() const { return system_name_; }
  // "state 'y' is written y_": names that had to change.
  const std::vector<std::string>& renamed() const { return renamed_; }

  std::string number(double value) const;
  // A formula. `least`: what binds weaker than this stands in parentheses (0: never, 1: sums are
  // bare, 3: products, 4: powers, 5: only names and calls).
  std::string formula(const expression& e, int least = 0) const;

  // Identifiers.
  std::string state(int i) const;  // the user's and the appended ones
  std::string parameter(std::size_t i) const { return parameters_[i]; }
  std::string input(std::size_t i) const { return inputs_[i]; }
  std::string time() const;
  std::string definition(const std::string& name) const;  // "friction", "friction.x"
  // Constants of a term and its force; in C and C++ the force is a member of what the law returns.
  struct term_names {
    std::string K, beta, alpha, law;
    std::string force[2], rate[2];
  };
  const term_names& term(std::size_t i) const { return terms_[i]; }
  // A new identifier that clashes with nothing.
  std::string fresh(const std::string& wanted);

  // The laws as formulas, in text, LaTeX and Modelica.
  struct written_law {
    std::string force, rate;        // their names; vectors of planar friction as [x, y]
    std::string viscoelastic;       // f = K (s + beta s')
    std::string inclusion;          // f in ...
    std::string force_is, rate_is;  // closed forms
  };
  written_law law(std::size_t which) const;

  // Planar friction in Modelica, with the helper variables that it needs.
  struct equation {
    std::string left, right;
    bool is_helper;
  };
  std::vector<equation> planar_law_equations(std::size_t which);

  // In the languages of functions: the call of a law, and the text of all helper functions.
  std::string law_call(std::size_t which) const;
  // Those that `code` calls, and what they call.
  static std::string helper_functions(language in, const std::string& code);

  // A signal as a formula of time; `table` names the nodes of a signal of nodes.
  std::string signal_formula(const signal& shape,
                             const std::function<std::string(const signal&)>& table) const;

 private:
  std::string identifier(const std::string& what, const std::string& wanted);
  std::string code_formula(const expression& e, int least) const;
  std::string latex_formula(const expression& e, int least) const;
  std::string vector_of(const std::string& x, const std::string& y) const;
  std::string choose(const std::string& a, const std::string& b, const std::string& yes,
                     const std::string& no) const;

  language in_;
  const regularised* system_;
  std::string system_name_;
  std::set<std::string> taken_;
  std::vector<std::string> renamed_;
  std::vector<std::string> states_, parameters_, inputs_;
  std::map<std::string, std::string> definitions_;
  std::vector<term_names> terms_;
};

// What has to be computed before the rates, in an order that works: terms and named formulas.
struct computed {
  int term = -1;                    // a set-valued force,
  std::optional<expression> named;  // or a definition that is not such a force alone
};
std::vector<computed> in_order(const regularised& system);

// The symbols that occur in what in_order computes, or in a rate.
using symbols_in_use = std::set<std::pair<symbol_kind, int>>;
symbols_in_use used_symbols(const regularised& system);

}  // namespace asperity
