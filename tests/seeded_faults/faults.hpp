// SPDX-License-Identifier: Apache-2.0
#pragma once

// Faults in the equations of a header, one at a time:
//
//   sign    + and - exchanged, a unary minus or an absolute value left out
//   term    a summand left out
//   factor  * and / exchanged, a factor left out, a constant doubled
//   bound   min and max exchanged, a limit of sat or clamp doubled, a comparison turned round
//
// Equations are the bodies of functions marked ASPERITY_FN, without the card, checks of parameters,
// scales and estimated bounds. Subscripts, loop headers and conditions on types are no equations, and
// what is compared with rounding or with `unbounded` is a tolerance. The tree is formatted, so an
// operator with spaces on both sides is binary and a < with spaces compares.

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace asperity::seeded {

struct fault {
  std::string kind;
  std::string line;  // of the source where it begins, without the spaces around
  std::string what;  // "+ -> -", "without sigma_1 * z_dot"; "(2)" for the second of a line
  std::size_t line_number = 0;
  std::size_t from = 0, to = 0;  // what is replaced, by `by`
  std::string by;
  std::size_t body_from = 0, body_to = 0;  // of the function, with its braces
};

namespace detail {

struct token {
  enum class type { word, number, sign, other };
  type is;
  std::string text;
  std::size_t from, to;
  bool spaced;            // on both sides
  std::size_t match = 0;  // of a bracket: its partner
};

inline std::vector<token> tokens_of(std::string_view text) {
  std::vector<token> all;
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0;
  const auto add = [&](token::type is, std::size_t end) {
    all.push_back({is, std::string(text.substr(i, end - i)), i, end,
                   i > 0 && is_space(text[i - 1]) && is_space(at(end))});
    i = end;
  };
  while (i < text.size()) {
    const char c = text[i];
    if (is_space(c)) {
      ++i;
    } else if (c == '#' || (c == '/' && at(i + 1) == '/')) {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (c == '/' && at(i + 1) == '*') {
      i = std::min(text.size(), text.find("*/", i) + 2);
    } else if (c == '"' || c == '\'') {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      add(token::type::other, std::min(text.size(), end + 1));
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      std::size_t end = i + 1;
      while (is_word(at(end)) || at(end) == '.' ||
             ((at(end) == '-' || at(end) == '+') && (at(end - 1) == 'e' || at(end - 1) == 'E')))
        ++end;
      add(token::type::number, end);
    } else if (is_word(c)) {
      std::size_t end = i + 1;
      while (is_word(at(end))) ++end;
      add(token::type::word, end);
    } else {
      static constexpr std::string_view pairs[] = {"::", "->", "==", "!=", "<=", ">=", "&&", "||",
                                                   "+=", "-=", "*=", "/=", "++", "--", "<<"};
      const bool is_pair =
          std::find(std::begin(pairs), std::end(pairs), text.substr(i, 2)) != std::end(pairs);
      add(token::type::sign, i + (is_pair ? 2 : 1));
    }
  }
  return all;
}

inline bool opens(const token& t) {
  return t.is == token::type::sign &&
         (t.text == "(" || t.text == "[" || t.text == "{" || (t.text == "<" && !t.spaced));
}
inline bool closes(const token& t) {
  return t.is == token::type::sign &&
         (t.text == ")" || t.text == "]" || t.text == "}" || (t.text == ">" && !t.spaced));
}

class finder {
 public:
  explicit finder(std::string_view text) : text_(text), t_(tokens_of(text)) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < t_.size(); ++i) {
      t_[i].match = i;
      if (opens(t_[i])) open.push_back(i);
      if (closes(t_[i]) && !open.empty()) {
        t_[i].match = open.back();
        t_[open.back()].match = i;
        open.pop_back();
      }
    }
  }

  std::vector<fault> find() {
    for (std::size_t i = 0; i < t_.size(); ++i) {
      if (t_[i].text != "ASPERITY_FN") continue;
      std::size_t name = i + 1;
      while (name < t_.size() && t_[name].text != "(" && t_[name].text != ";")
        name = (opens(t_[name]) ? t_[name].match : name) + 1;
      if (name >= t_.size() || t_[name].text == ";") continue;
      if (t_[name - 1].text == "operator") name += 2;  // its own brackets
      std::size_t body = t_[name].match + 1;
      while (body < t_.size() && t_[body].text != "{" && t_[body].text != ";")
        body = (opens(t_[body]) ? t_[body].match : body) + 1;
      if (body >= t_.size() || t_[body].text == ";") continue;
      static const std::set<std::string> no_equation = {
          "describe", "valid", "state_scale", "force_bound", "wrench_bound", "scale"};
      body_ = body;
      if (no_equation.count(t_[name - 1].text) == 0) group(body);
      i = t_[body].match;
    }
    number_repeats();
    return found_;
  }

 private:
  // What lies between brackets: pieces between separators, and the groups inside.
  void group(std::size_t open) {
    const std::size_t close = t_[open].match;
    std::size_t begin = open + 1;
    for (std::size_t i = open + 1; i <= close; ++i) {
      const bool is_block = t_[i].text == "{" && i > 0 &&
                            (t_[i - 1].text == ")" || t_[i - 1].text == ";" ||
                             t_[i - 1].text == "else" || t_[i - 1].text == "}");
      if (i == close || is_block || separates(t_[i])) {
        piece(begin, i);
        begin = i + 1;
        if (i < close) operator_fault(i);
      }
      if (i < close && opens(t_[i])) {
        if (has_equations(i)) group(i);
        i = t_[i].match;
        if (is_block) begin = i + 1;
      }
    }
  }

  static bool separates(const token& t) {
    static const std::set<std::string> signs = {
        ",", ";",  "=",  "?",  ":",  "<",  ">",  "<=", ">=", "==",     "!=",   "&&", "||",
        "!", "+=", "-=", "*=", "/=", "++", "--", "<<", "%",  "return", "else", "if", "case"};
    return t.text.size() < 7 && signs.count(t.text) != 0 && !opens(t) && !closes(t);
  }

  bool has_equations(std::size_t open) const {
    if (t_[open].text == "[" || t_[open].text == "<") return false;
    if (open == 0) return true;
    const std::string& before = t_[open - 1].text;
    return before != "for" && before != "constexpr" && before != "static_assert" &&
           before != "requires" && before != "decltype" && before != "sizeof" &&
           before != "__builtin_nan";
  }

  // Comparisons and assignments with an operation.
  void operator_fault(std::size_t i) {
    static constexpr std::array<std::string_view, 3> exchanges[] = {
        {"bound", "<", ">"},    {"bound", ">", "<"},   {"bound", "<=", ">="}, {"bound", ">=", "<="},
        {"bound", "==", "!="},  {"bound", "!=", "=="}, {"sign", "+=", "-="},  {"sign", "-=", "+="},
        {"factor", "*=", "/="}, {"factor", "/=", "*="}};
    if (!t_[i].spaced || is_tolerance(i)) return;
    for (const auto& [kind, from, to] : exchanges)
      if (t_[i].text == from)
        add(kind, t_[i].from, t_[i].to, std::string(to), t_[i].text + " -> " + std::string(to));
  }

  // Whether the statement or argument around a comparison asks for rounding.
  bool is_tolerance(std::size_t i) const {
    std::size_t from = i, to = i;
    while (from > 0 && t_[from].text != ";" && t_[from].text != "{" && t_[from].text != "}") --from;
    while (to < t_.size() && t_[to].text != ";" && t_[to].text != "{") ++to;
    return asks_for_rounding(from, to);
  }
  bool asks_for_rounding(std::size_t from, std::size_t to) const {
    return std::any_of(t_.begin() + static_cast<std::ptrdiff_t>(from),
                       t_.begin() + static_cast<std::ptrdiff_t>(to), [](const token& t) {
                         return t.text == "rounding" || t.text == "epsilon" ||
                                t.text == "unbounded" || t.text == "infinity" ||
                                t.text == "__builtin_nan" || t.text == "numeric_limits";
                       });
  }

  struct operand {
    std::size_t from, to;  // tokens
    std::size_t sign;      // the operator before it, or `from`
  };

  // The operands of top-level operators, if there are two or more.
  std::vector<operand> split(std::size_t from, std::size_t to, std::string_view a,
                             std::string_view b) const {
    std::vector<operand> parts;
    std::size_t begin = from, sign = from;
    for (std::size_t i = from; i < to; ++i) {
      if (opens(t_[i])) {
        i = t_[i].match;
      } else if (i > from && t_[i].spaced && (t_[i].text == a || t_[i].text == b)) {
        parts.push_back({begin, i, sign});
        begin = i + 1;
        sign = i;
      }
    }
    if (begin < to) parts.push_back({begin, to, sign});
    return parts;
  }

  void piece(std::size_t from, std::size_t to) {
    if (from >= to) return;
    calls(from, to);
    if (asks_for_rounding(from, to)) return;
    // A minus before all of it.
    if (t_[from].text == "-" && to - from > 1)
      add("sign", t_[from].from, t_[from].to, "", "without the minus of " + source(from, to));
    const auto summands = split(from, to, "+", "-");
    for (std::size_t k = 0; k < summands.size(); ++k) {
      const operand& s = summands[k];
      if (summands.size() > 1) {
        if (k > 0 && !is_zero(s)) {
          const std::string was = t_[s.sign].text, becomes = was == "+" ? "-" : "+";
          add("sign", t_[s.sign].from, t_[s.sign].to, becomes, was + " -> " + becomes);
        }
        leave_out("term", summands, k, "+", "");
      }
      const auto factors = split(s.from, s.to, "*", "/");
      for (std::size_t j = 0; j < factors.size() && factors.size() > 1; ++j) {
        const operand& f = factors[j];
        if (j > 0) {
          const std::string was = t_[f.sign].text, becomes = was == "*" ? "/" : "*";
          if (!is_one(f))
            add("factor", t_[f.sign].from, t_[f.sign].to, becomes, was + " -> " + becomes);
        }
        if (!is_one(f)) leave_out("factor", factors, j, "*", "lit<S>(1.0)");
      }
    }
  }

  // Without operand k. The first takes its operator along, or leaves `neutral` where that divides.
  void leave_out(std::string_view kind, const std::vector<operand>& parts, std::size_t k,
                 std::string_view plain, std::string neutral) {
    const operand& p = parts[k];
    const std::string what = "without " + source(p.from, p.to);
    const std::size_t end = t_[p.to - 1].to;
    if (k > 0) {
      add(kind, t_[p.sign].from, end, "", what);
    } else if (t_[parts[1].sign].text == plain) {
      add(kind, t_[p.from].from, t_[parts[1].from].from, "", what);
    } else {
      add(kind, t_[p.from].from, end, std::move(neutral), what);
    }
  }

  // Functions and constants by name.
  void calls(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (opens(t_[i])) {
        i = t_[i].match;
        continue;
      }
      const std::string& name = t_[i].text;
      std::size_t open = i + 1;
      if (open < to && t_[open].text == "<" && opens(t_[open])) open = t_[open].match + 1;
      if (open >= to || t_[open].text != "(") continue;
      const std::size_t close = t_[open].match;
      const bool is_math = i > 1 && t_[i - 1].text == "::";
      if (is_math && (name == "min" || name == "max") && !asks_for_rounding(open, close) &&
          !has_tiny(open, close)) {
        const std::string other = name == "min" ? "max" : "min";
        add("bound", t_[i].from, t_[i].to, other, name + " -> " + other);
      }
      if (is_math && name == "abs" && i > 2)
        add("sign", t_[i - 2].from, t_[open].from, "", "abs left out of " + source(i, close + 1));
      if (is_math && (name == "sat" || name == "clamp")) limits(open, close, name == "sat" ? 1 : 2);
      if ((name == "lit" || name == "S") && close == open + 2 &&
          t_[open + 1].is == token::type::number) {
        const double value = std::strtod(t_[open + 1].text.c_str(), nullptr);
        if (value >= 1e-9 && value <= 1e9)
          add("factor", t_[open + 1].from, t_[open + 1].to, "2 * " + t_[open + 1].text,
              t_[open + 1].text + " doubled");
      }
    }
  }

  void limits(std::size_t open, std::size_t close, int count) {
    std::size_t begin = open + 1;
    for (std::size_t i = begin; i < close && count > 0; ++i) {
      if (opens(t_[i])) {
        i = t_[i].match;
      } else if (t_[i].text == ",") {
        const std::string limit = source(begin, i);
        if (!is_zero({begin, i, begin}) && !asks_for_rounding(begin, i))
          add("bound", t_[begin].from, t_[i - 1].to, "lit<S>(2.0) * (" + limit + ")",
              "limit " + limit + " doubled");
        begin = i + 1;
        --count;
      }
    }
  }

  bool has_tiny(std::size_t from, std::size_t to) const {
    return std::any_of(t_.begin() + static_cast<std::ptrdiff_t>(from),
                       t_.begin() + static_cast<std::ptrdiff_t>(to), [](const token& t) {
                         const double value =
                             t.is == token::type::number ? std::strtod(t.text.c_str(), nullptr) : 1;
                         return value > 0 && value < 1e-9;
                       });
  }

  bool is_zero(const operand& p) const {
    const std::string text = source(p.from, p.to);
    return text == "zero" || text.find("S(0)") != std::string::npos || text == "lit<S>(0.0)" ||
           text == "0";
  }
  bool is_one(const operand& p) const {
    const std::string text = source(p.from, p.to);
    return text == "one" || text == "S(1)" || text == "lit<S>(1.0)" || text == "1";
  }

  // Tokens from ... to - 1 as they are written, on one line.
  std::string source(std::size_t from, std::size_t to) const {
    std::string result;
    for (const char c : text_.substr(t_[from].from, t_[to - 1].to - t_[from].from)) {
      const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (!is_space || (!result.empty() && result.back() != ' ')) result += is_space ? ' ' : c;
    }
    return result;
  }

  void add(std::string_view kind, std::size_t from, std::size_t to, std::string by,
           std::string what) {
    const std::size_t begin = from == 0 ? 0 : text_.rfind('\n', from - 1) + 1;
    std::string_view line = text_.substr(begin, text_.find('\n', from) - begin);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const auto number =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(from), '\n');
    found_.push_back({std::string(kind), std::string(line), std::move(what),
                      static_cast<std::size_t>(number) + 1, from, to, std::move(by), t_[body_].from,
                      t_[t_[body_].match].to});
  }

  // The same fault at another place of the same text is told apart by its number.
  void number_repeats() {
    std::multiset<std::string> seen;
    for (fault& f : found_) {
      const std::string name = f.line + '\t' + f.what;
      seen.insert(name);
      if (const auto n = seen.count(name); n > 1) f.what += " (" + std::to_string(n) + ")";
    }
  }

  std::string_view text_;
  std::vector<token> t_;
  std::vector<fault> found_;
  std::size_t body_ = 0;
};

}  // namespace detail

// In an order of their own, one of each kind after the other, so that the first N are a fair sample.
inline std::vector<fault> faults_of(std::string_view header) {
  auto found = detail::finder(header).find();
  const auto drawn = [](const fault& f) {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : f.line + f.what)
      hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return hash ^ (hash >> 29U);
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const fault& a, const fault& b) { return drawn(a) < drawn(b); });
  std::vector<fault> result;
  result.reserve(found.size());
  while (result.size() < found.size())
    for (const std::string_view kind : {"sign", "term", "factor", "bound"}) {
      const auto next =
          std::find_if(found.begin(), found.end(), [&](const fault& f) { return f.kind == kind; });
      if (next == found.end()) continue;
      result.push_back(*next);
      next->kind.clear();
    }
  return result;
}

inline std::string with_fault(std::string_view header, const fault& f) {
  return std::string(header.substr(0, f.from)) + f.by + std::string(header.substr(f.to));
}

// The header with several faults, of which the environment variable SEEDED_FAULT chooses one by its
// number: each function has a body for each of its faults, and the right one. So all are compiled at
// once. What the compiler says about a body that it does not take, it says about the file
// seeded_fault_NUMBER.
inline std::string with_faults(std::string_view header, const std::vector<fault>& all,
                               const std::vector<std::size_t>& numbers) {
  std::map<std::size_t, std::vector<std::size_t>> by_body;
  for (const std::size_t n : numbers) by_body[all[n - 1].body_from].push_back(n);
  const std::size_t start = header.find("#pragma once") + std::string_view("#pragma once").size();
  std::string result(header.substr(0, start));
  result += R"(
#ifndef ASPERITY_SEEDED_FAULT
#define ASPERITY_SEEDED_FAULT
#include <asperity/scalar/math.hpp>
#include <cstdlib>
namespace asperity {
// The scalars of the library compare by < alone; a comparison that is turned round needs the other.
template <scalar S>
  requires(!std::is_arithmetic_v<S>)
constexpr auto operator>(const S& a, const S& b) {
  return b < a;
}
}  // namespace asperity
namespace asperity::seeded {
inline int chosen = std::getenv("SEEDED_FAULT") != nullptr ? std::atoi(std::getenv("SEEDED_FAULT")) : 0;
// What the compiler computes has no fault.
constexpr bool is(int number) { return !__builtin_is_constant_evaluated() && chosen == number; }
}  // namespace asperity::seeded
#endif
)";
  std::size_t at = start;
  for (const auto& [from, here] : by_body) {
    const std::size_t to = all[here.front() - 1].body_to;
    result += header.substr(at, from - at);
    result += "{";
    for (const std::size_t n : here) {
      const fault& f = all[n - 1];
      const std::string number = std::to_string(n);
      result +=
          "\n#line 1 \"seeded_fault_" + number + "\"\nif (asperity::seeded::is(" + number + ")) ";
      result += header.substr(from, f.from - from);
      result += f.by;
      result += header.substr(f.to, to - f.to);
      result += " else";
    }
    result += "\n#line 1 \"no_fault\"\n";
    result += header.substr(from, to - from);
    result += "}";
    at = to;
  }
  result += header.substr(at);
  return result;
}

}  // namespace asperity::seeded
