// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/publish/html.hpp>
#include <asperity/publish/mathml.hpp>
#include <asperity/text.hpp>
#include <asperity/text/pieces.hpp>
#include <cctype>
#include <vector>

namespace asperity {

namespace {

// ---- words --------------------------------------------------------------------------------------

struct spelling {
  std::string_view word, sign;
};

constexpr std::array letters{
    spelling{"alpha", "α"}, spelling{"beta", "β"},   spelling{"gamma", "γ"},
    spelling{"delta", "δ"}, spelling{"eps", "ε"},    spelling{"epsilon", "ε"},
    spelling{"zeta", "ζ"},  spelling{"eta", "η"},    spelling{"theta", "θ"},
    spelling{"kappa", "κ"}, spelling{"lambda", "λ"}, spelling{"mu", "μ"},
    spelling{"nu", "ν"},    spelling{"xi", "ξ"},     spelling{"pi", "π"},
    spelling{"rho", "ρ"},   spelling{"sigma", "σ"},  spelling{"tau", "τ"},
    spelling{"phi", "φ"},   spelling{"chi", "χ"},    spelling{"psi", "ψ"},
    spelling{"omega", "ω"}, spelling{"Gamma", "Γ"},  spelling{"Delta", "Δ"},
    spelling{"Theta", "Θ"}, spelling{"Lambda", "Λ"}, spelling{"Sigma", "Σ"},
    spelling{"Phi", "Φ"},   spelling{"Psi", "Ψ"},    spelling{"Omega", "Ω"},
    spelling{"inf", "∞"},
};

// Functions and quantities of more than one letter that are no words of a sentence.
constexpr std::array<std::string_view, 29> known{
    "exp",   "log", "sin",  "cos",  "tan",  "sinh", "tanh",  "sech",   "atan",     "sgn",
    "Sgn",   "sat", "dio",  "Dio",  "max",  "min",  "clamp", "mod",    "diag",     "prox",
    "share", "int", "load", "pull", "slip", "turn", "dot",   "wrench", "velocity",
};

constexpr std::array accents{
    spelling{"dot", "˙"},
    spelling{"ddot", "¨"},
    spelling{"hat", "^"},
    spelling{"tilde", "~"},
};

template <class List>
std::string_view sign_of(const List& list, std::string_view word) {
  for (const auto& each : list)
    if (each.word == word) return each.sign;
  return {};
}

// "v1y": a letter with the index 1y.
bool is_numbered(std::string_view base) {
  return base.size() > 1 && std::isdigit(static_cast<unsigned char>(base[1])) != 0;
}

// A symbol of an equation, or else a word of a sentence.
bool is_symbol(std::string_view name) {
  const std::string_view base = name.substr(0, name.find('_'));
  return base.size() == 1 || is_numbered(base) || !sign_of(letters, base).empty() ||
         std::find(known.begin(), known.end(), base) != known.end();
}

std::string letter(std::string_view word) {
  const std::string_view sign = sign_of(letters, word);
  return fmt::format("<mi>{}</mi>", sign.empty() ? word : sign);
}

// "a_i_dot": the letter with its accent, then the index.
std::string symbol(std::string_view name, int primes) {
  const auto parts = split(name, '_');
  const bool numbered = is_numbered(parts[0]);
  std::string base = letter(numbered ? parts[0].substr(0, 1) : parts[0]), index;
  if (numbered) {
    const auto end = std::min(parts[0].find_first_not_of("0123456789", 1), parts[0].size());
    index = fmt::format("<mn>{}</mn>", parts[0].substr(1, end - 1));
    if (end < parts[0].size()) index += letter(parts[0].substr(end));
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    const std::string_view accent = sign_of(accents, parts[i]);
    if (!accent.empty()) {
      base = fmt::format("<mover accent=\"true\">{}<mo stretchy=\"false\">{}</mo></mover>", base,
                         accent);
      continue;
    }
    if (!index.empty()) index += "<mo>,</mo>";
    const bool number = std::all_of(parts[i].begin(), parts[i].end(),
                                    [](unsigned char c) { return std::isdigit(c) != 0; });
    const bool sign = parts[i] == "+" || parts[i] == "-";
    index += number ? fmt::format("<mn>{}</mn>", parts[i])
             : sign ? fmt::format("<mo>{}</mo>", parts[i] == "+" ? "+" : "−")
                    : letter(parts[i]);
  }
  std::string marks;
  for (int i = 0; i < primes; ++i) marks += "′";
  if (primes > 0 && index.empty()) return fmt::format("<msup>{}<mo>{}</mo></msup>", base, marks);
  if (primes > 0)
    return fmt::format("<msubsup>{}<mrow>{}</mrow><mo>{}</mo></msubsup>", base, index, marks);
  return index.empty() ? base : fmt::format("<msub>{}<mrow>{}</mrow></msub>", base, index);
}

// ---- tokens -------------------------------------------------------------------------------------

struct token {
  enum class kind { number, name, sign, end };
  kind is = kind::end;
  std::string text;
  bool after_space = false;
  int primes = 0;
  std::string with_primes() const {
    return text + std::string(static_cast<std::size_t>(primes), '\'');
  }
};

std::vector<token> tokens_of(std::string_view text) {
  constexpr std::array<std::string_view, 8> long_signs{
      "<=>", "...", "<=", ">=", "->", "==", "!=", "+-"};
  std::vector<token> result;
  bool space = false;
  std::size_t at = 0;
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (at < text.size()) {
    const std::size_t from = at;
    token next;
    if (text[at] == ' ') {
      space = true;
      ++at;
      continue;
    }
    if (is_digit(text[at])) {
      next.is = token::kind::number;
      while (at < text.size() && (is_digit(text[at]) || (text[at] == '.' && at + 1 < text.size() &&
                                                         is_digit(text[at + 1]))))
        ++at;
      if (at + 1 < text.size() && text[at] == 'e' &&
          (is_digit(text[at + 1]) || text[at + 1] == '-'))
        for (at += 2; at < text.size() && is_digit(text[at]);) ++at;
    } else if (is_letter(text[at])) {
      next.is = token::kind::name;
      while (at < text.size() && (is_letter(text[at]) || is_digit(text[at]) || text[at] == '_'))
        ++at;
      if (text[at - 1] == '_' && at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
      // "the body's" is a word, "f's" would be none.
      const bool owns =
          text.substr(at).starts_with("'s") && !is_symbol(text.substr(from, at - from));
      if (owns && (at + 2 == text.size() || !is_letter(text[at + 2]))) at += 2;
    } else {
      next.is = token::kind::sign;
      at += 1;
      for (const auto& each : long_signs)
        if (text.substr(from).starts_with(each)) {
          at = from + each.size();
          break;
        }
    }
    next.text = text.substr(from, at - from);
    next.after_space = space;
    while (next.is == token::kind::name && at < text.size() && text[at] == '\'') {
      ++next.primes;
      ++at;
    }
    result.push_back(std::move(next));
    space = false;
  }
  result.emplace_back();
  return result;
}

// ---- formulas -----------------------------------------------------------------------------------

struct unreadable {};

// Reads one formula; throws `unreadable` where it is none.
class formula_reader {
 public:
  // In a sentence a fraction has a stroke, and is as large as the words.
  formula_reader(std::vector<token> tokens, bool in_sentence)
      : tokens_(std::move(tokens)), raised_(in_sentence ? 1 : 0) {}

  // Pieces of a line at its outer level: formulas, and the words between them.
  struct piece {
    bool is_words;
    std::string text;
  };
  std::vector<piece> line() {
    std::vector<piece> pieces;
    while (here().is != token::kind::end) {
      if (is_word() || is_full_stop()) {
        pieces.push_back({true, words()});
        continue;
      }
      const std::size_t before = at_;
      std::string math = row();
      if (at_ == before) throw unreadable{};
      pieces.push_back({false, std::move(math)});
    }
    return pieces;
  }

 private:
  std::vector<token> tokens_;
  std::size_t at_ = 0;
  int brackets_ = 0, bars_ = 0, raised_;

  const token& here() const { return tokens_[at_]; }
  const token& after() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  const token& next() { return tokens_[at_++]; }
  bool sees(std::string_view sign) const {
    return here().is == token::kind::sign && here().text == sign;
  }
  bool sees_plus_or_minus() const { return sees("-") || sees("+") || sees("+-"); }
  bool accepts(std::string_view sign) {
    if (!sees(sign)) return false;
    ++at_;
    return true;
  }

  bool is_full_stop() const { return sees(".") && after().is == token::kind::end; }
  // "in" before a set is the sign of membership.
  bool is_membership() const {
    if (here().is != token::kind::name || here().text != "in") return false;
    return after().is == token::kind::name && is_symbol(after().text);
  }
  bool is_word() const {
    if (here().is != token::kind::name || is_membership()) return false;
    if (here().text == "sum" || here().text == "integral")
      return after().is == token::kind::name && !is_symbol(after().text);
    if (here().text == "sqrt") return false;
    const bool called =
        after().is == token::kind::sign && after().text == "(" && !after().after_space;
    return !is_symbol(here().text) && !called && here().text.find('_') == std::string::npos;
  }

  // Words with the marks behind them, "the body's"; "Theorem 1" is a name, its number no formula.
  std::string words() {
    std::string text;
    bool named = false;
    while (is_word() || is_full_stop() || (named && here().is == token::kind::number)) {
      if (!text.empty() && !is_full_stop() && here().after_space) text += ' ';
      const std::string word = next().with_primes();
      text += word;
      named = std::isupper(static_cast<unsigned char>(word[0])) != 0;
      for (const char* mark : {",", ";", ":"})
        if (accepts(mark)) text += mark;
    }
    return text;
  }

  static std::string sign_html(std::string_view sign) {
    constexpr std::array pretty{
        spelling{"<=>", "⇔"}, spelling{"<=", "≤"}, spelling{">=", "≥"}, spelling{"->", "→"},
        spelling{"!=", "≠"},  spelling{"+-", "±"}, spelling{"-", "−"},  spelling{"...", "…"},
        spelling{"*", "·"},   spelling{".", "·"},
    };
    const std::string_view found = sign_of(pretty, sign);
    return fmt::format("<mo>{}</mo>", found.empty() ? escaped(sign) : std::string(found));
  }

  // Sums joined by relations and commas, up to a closing bracket, a word or the end.
  std::string row() {
    constexpr std::array<std::string_view, 11> joints{"=",  "<=", ">=", "<", ">", "<=>",
                                                      "->", ",",  ";",  ":", "!="};
    std::string html;
    for (;;) {
      if (here().is == token::kind::end || is_full_stop()) return html;
      if (is_word()) {
        if (brackets_ == 0) return html;
        html += fmt::format("<mtext>&#160;{}&#160;</mtext>", escaped(next().with_primes()));
        continue;
      }
      if (is_membership()) {
        next();
        html += "<mo>∈</mo>";
        continue;
      }
      const auto joint =
          std::find_if(joints.begin(), joints.end(), [&](auto sign) { return sees(sign); });
      if (joint != joints.end()) {
        const bool separates = *joint == "," || *joint == ";" || *joint == ":";
        html +=
            separates ? fmt::format("<mo separator=\"true\">{}</mo>", *joint) : sign_html(*joint);
        next();
        continue;
      }
      if (sees(")") || sees("]") || (sees("|") && bars_ > 0)) {
        if (brackets_ == 0) throw unreadable{};
        return html;
      }
      html += sum();
    }
  }

  std::string sum() {
    std::string html;
    if (!sees_plus_or_minus()) html += product();
    while (sees_plus_or_minus()) {
      html += sign_html(next().text);
      if (is_word() && brackets_ > 0) return html;  // "- sum of all that ..."
      html += product();
    }
    return html;
  }

  bool starts_factor() const {
    if (here().is == token::kind::number) return true;
    if (here().is == token::kind::name) return !is_word() && !is_membership();
    return sees("(") || sees("[") || sees("...") || (sees("|") && bars_ == 0);
  }

  struct factor {
    std::string html;
    std::string inside;  // where it is a bracket: what stands in it
    const std::string& bare() const { return inside.empty() ? html : inside; }
  };

  std::string product() {
    if (!starts_factor()) throw unreadable{};
    constexpr const char* gap = "<mspace width=\"0.22em\"/>";
    std::string done;
    std::vector<factor> pending;
    const auto joined = [&](const std::vector<factor>& list) {
      std::string html;
      for (const auto& each : list) {
        if (!html.empty()) html += gap;
        html += each.html;
      }
      return html;
    };
    const auto put = [&](const std::string& html) {
      if (!done.empty() && !html.empty()) done += gap;
      done += html;
    };
    while (starts_factor() || (sees(".") && after().is == token::kind::name)) {
      if (accepts(".")) {
        pending.push_back({"<mo>·</mo>", ""});
        continue;
      }
      pending.push_back(raised());
      if (!accepts("/")) continue;
      if (!starts_factor()) throw unreadable{};
      const factor below = raised();
      if (raised_ > 0) {
        put(joined(pending) + "<mo>/</mo>" + below.html);
      } else {
        const std::string above = pending.size() == 1 ? pending[0].bare() : joined(pending);
        put(fmt::format("<mfrac><mrow>{}</mrow><mrow>{}</mrow></mfrac>", above, below.bare()));
      }
      pending.clear();
    }
    put(joined(pending));
    return done;
  }

  factor raised() {
    factor base = primary();
    if (!accepts("^")) return base;
    ++raised_;
    std::string exponent = sees("-") ? sign_html(next().text) : "";
    exponent += primary().bare();
    --raised_;
    return {fmt::format("<msup><mrow>{}</mrow><mrow>{}</mrow></msup>", base.html, exponent), ""};
  }

  factor primary() {
    if (here().is == token::kind::number) return {fmt::format("<mn>{}</mn>", next().text), ""};
    if (accepts("...")) return {"<mo>…</mo>", ""};
    if (accepts("(")) return bracket("(", ")");
    if (accepts("[")) return bracket("[", "]");
    if (sees("|") && bars_ == 0) {
      next();
      ++bars_;
      ++brackets_;
      const std::string inside = row();
      --bars_;
      --brackets_;
      if (!accepts("|")) throw unreadable{};
      const char* bar = stretch(inside);
      return {fmt::format("<mrow><mo stretchy=\"{0}\">|</mo>{1}<mo stretchy=\"{0}\">|</mo></mrow>",
                          bar, inside),
              ""};
    }
    if (here().is != token::kind::name || is_word()) throw unreadable{};
    const token name = next();
    const bool called = sees("(") && !here().after_space;
    if (name.text == "sqrt" && called) {
      next();
      return {fmt::format("<msqrt><mrow>{}</mrow></msqrt>", bracket("(", ")").inside), ""};
    }
    std::string html = symbol(name.text, name.primes);
    if (name.text == "sum") html = "<mo>∑</mo>";
    if (name.text == "int" || name.text == "integral") html = "<mo>∫</mo>";
    if (!called) return {html, ""};
    next();
    return {fmt::format("<mrow>{}{}</mrow>", html, bracket("(", ")").html), ""};
  }

  // Brackets grow around what is high. Around a single line they would, too, where no mathematical
  // font is installed.
  static const char* stretch(const std::string& inside) {
    const bool is_high =
        inside.find("<mfrac>") != std::string::npos || inside.find("<msqrt>") != std::string::npos;
    return is_high ? "true" : "false";
  }

  factor bracket(std::string_view open, std::string_view close) {
    const int bars = bars_;
    bars_ = 0;
    ++brackets_;
    const std::string inside = row();
    --brackets_;
    bars_ = bars;
    if (!accepts(close)) throw unreadable{};
    return {
        fmt::format("<mrow><mo stretchy=\"{0}\">{1}</mo>{2}<mo stretchy=\"{0}\">{3}</mo></mrow>",
                    stretch(inside), open, inside, close),
        inside};
  }
};

std::string math_element(const std::string& inside, bool displayed) {
  return fmt::format("<math{}><mrow>{}</mrow></math>", displayed ? " displaystyle=\"true\"" : "",
                     inside);
}

// A stretch of a line, between wide gaps.
std::string stretch_html(std::string_view text) {
  try {
    std::string html;
    for (const auto& piece : formula_reader(tokens_of(text), false).line()) {
      if (!html.empty()) html += ' ';
      html += piece.is_words ? escaped(piece.text) : math_element(piece.text, true);
    }
    return html;
  } catch (const unreadable&) {
    return fmt::format("<code>{}</code>", escaped(text));
  }
}

// ---- lines --------------------------------------------------------------------------------------

// Cuts where two blanks or more stand, but not in front of a relation: blanks there line up the
// signs of equality.
std::vector<std::string_view> stretches(std::string_view line) {
  constexpr std::array<std::string_view, 6> relations{"= ", "in ", "<= ", ">= ", "<=> ", "-> "};
  std::vector<std::string_view> parts;
  std::size_t from = 0, at = 0;
  while (at < line.size()) {
    const std::size_t gap = line.find("  ", at);
    if (gap == std::string_view::npos) break;
    const std::size_t resume = line.find_first_not_of(' ', gap);
    if (resume == std::string_view::npos) break;
    const std::string_view rest = line.substr(resume);
    at = resume;
    if (std::any_of(relations.begin(), relations.end(),
                    [&](auto sign) { return rest.starts_with(sign); }))
      continue;
    parts.push_back(trimmed(line.substr(from, gap - from)));
    from = resume;
  }
  parts.push_back(trimmed(line.substr(from)));
  // A unit is split off where only one blank stands before it.
  const std::string_view last = parts.back();
  const std::size_t open = last.rfind(" ["), close = last.find(']', std::min(open, last.size()));
  if (open != std::string_view::npos && close != std::string_view::npos &&
      last.substr(open, close - open).find(',') == std::string_view::npos) {
    parts.back() = trimmed(last.substr(0, open));
    parts.push_back(trimmed(last.substr(open, close + 1 - open)));
    if (const auto rest = trimmed(last.substr(close + 1)); !rest.empty()) parts.push_back(rest);
  }
  return parts;
}

// "[m/s]", "(2.17), corrected", "Xia (3.9)": what stands beside an equation.
bool is_remark(std::string_view part) {
  if (part.empty()) return false;
  if (part[0] == '[') {  // a unit, not an interval
    return part.find(',') == std::string_view::npos || part.find(',') > part.find(']');
  }
  if (part[0] == '(' && part.size() > 1 && std::isdigit(static_cast<unsigned char>(part[1])) != 0)
    return part.find('.') != std::string_view::npos;
  constexpr std::array<std::string_view, 5> relations{"=", "<=", ">=", "<", ">"};
  const auto tokens = tokens_of(part);
  const std::string& word = tokens.front().text;
  return tokens.front().is == token::kind::name && !is_symbol(word) && word.size() > 2 &&
         std::none_of(tokens.begin(), tokens.end(), [&](const token& each) {
           return each.is == token::kind::sign &&
                  std::find(relations.begin(), relations.end(), each.text) != relations.end();
         });
}

// ---- sentences ----------------------------------------------------------------------------------

bool is_part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// A word from `from` to `to` that stands for a quantity: with an index, a Greek letter, or one of the
// letters that are neither a word, nor the mark of a part of a figure, nor a unit behind its number.
bool is_symbol_of_prose(std::string_view text, std::size_t from, std::size_t to) {
  const std::string_view word = text.substr(from, to - from);
  const auto is_in = [](std::string_view all, char c) {
    return all.find(c) != std::string_view::npos;
  };
  const char before = from == 0 ? ' ' : text[from - 1], after = to == text.size() ? ' ' : text[to];
  if (std::isalpha(static_cast<unsigned char>(word[0])) == 0 || is_in(".`\"@#\\:", before))
    return false;
  // A name of a file or in code; the letter that is left out of a word.
  if (is_in(".:", after) && to + 1 < text.size() && is_part_of_word(text[to + 1])) return false;
  const std::size_t primes = std::min(text.find_first_not_of('\'', to), text.size());
  if (after == '\'' && primes < text.size() && is_part_of_word(text[primes])) return false;
  if (before == '\'') return false;
  if (word.find('_') != std::string_view::npos) return word.back() != '_';
  if (!sign_of(letters, word).empty()) return after != '-' && before != '-';
  if (word.size() != 1 || !is_in("efghiklnpqrtuvwxyz", word[0])) return false;
  if (!is_in(" \n(|=", before) || is_in("-_", after)) return false;
  if (before == '(' && after == ')' && (from < 2 || !is_part_of_word(text[from - 2]))) return false;
  // Not behind a number, which is followed by its unit; sigma_0 is none.
  const std::size_t last = text.substr(0, from).find_last_not_of(" \n");
  if (before == '(' || last == std::string_view::npos) return true;
  std::size_t begin = last + 1;
  while (begin > 0 && (is_part_of_word(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  return begin == last + 1 || std::isdigit(static_cast<unsigned char>(text[begin])) == 0;
}

}  // namespace

std::string equations_html(std::string_view block) {
  std::string html = "<div class=\"wide\"><table class=\"equations\">\n";
  for (const std::string_view line : split(block, '\n')) {
    if (trimmed(line).empty()) {
      html += "<tr class=\"gap\"><td></td><td></td></tr>\n";
      continue;
    }
    std::string left, right;
    const bool indented = line[0] == ' ';
    for (const std::string_view part : stretches(trimmed(line))) {
      if (!left.empty() && (is_remark(part) || !right.empty())) {
        right += fmt::format("<span>{}</span> ", escaped(part));
      } else {
        left += fmt::format("<span>{}</span> ", stretch_html(part));
      }
    }
    html += fmt::format("<tr><td{}>{}</td><td>{}</td></tr>\n",
                        indented ? " class=\"indented\"" : "", left, right);
  }
  return html + "</table></div>\n";
}

std::string formula_html(std::string_view text) {
  const auto tokens = tokens_of(text);
  for (const auto& each : tokens)
    if (each.is == token::kind::name && !is_symbol(each.text) && each.text != "sqrt") return "";
  if (text.find("()") != std::string_view::npos || text.find("::") != std::string_view::npos)
    return "";
  try {
    const auto pieces = formula_reader(tokens, true).line();
    if (pieces.size() != 1 || pieces[0].is_words) return "";
    return math_element(pieces[0].text, false);
  } catch (const unreadable&) {
    return "";
  }
}

std::string prose_html(std::string_view text) {
  std::string html;
  std::size_t written = 0, at = 0;
  while (at < text.size()) {
    const std::size_t from = at;
    while (at < text.size() && is_part_of_word(text[at])) ++at;
    if (at == from) {
      ++at;
      continue;
    }
    if (!is_symbol_of_prose(text, from, at)) continue;
    while (at < text.size() && text[at] == '\'') ++at;  // derivatives
    if (at + 1 < text.size() && text[at] == '^' && is_part_of_word(text[at + 1]))
      for (++at; at < text.size() && is_part_of_word(text[at]);) ++at;
    const std::string symbol = formula_html(text.substr(from, at - from));
    if (symbol.empty()) continue;
    html += with_unit_signs(text.substr(written, from - written)) + symbol;
    written = at;
  }
  return html + with_unit_signs(text.substr(written));
}

}  // namespace asperity
