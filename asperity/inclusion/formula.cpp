// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/inclusion/formula.hpp>
#include <asperity/portable.hpp>
#include <asperity/text.hpp>
#include <asperity/text/reader.hpp>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>

namespace asperity {

std::string shifted(const std::string& place, std::size_t columns) {
  const auto colon = place.rfind(':');
  std::size_t column = 0;
  const char* end = place.data() + place.size();
  if (colon == std::string::npos ||
      std::from_chars(place.data() + colon + 1, end, column).ptr != end)
    return place;
  return fmt::format("{}:{}", place.substr(0, colon), column + columns);
}

namespace {

constexpr std::size_t longest_formula = 20'000;
constexpr int deepest = 200;
// Levels of operations in one formula: a sum of so many terms has as many.
constexpr int most_levels = 1000;

const std::map<std::string, expression (*)(const expression&)>& functions() {
  static const std::map<std::string, expression (*)(const expression&)> all{
      {"abs", [](const expression& x) { return abs(x); }},
      {"sqrt", [](const expression& x) { return sqrt(x); }},
      {"exp", [](const expression& x) { return exp(x); }},
      {"log", [](const expression& x) { return log(x); }},
      {"sin", [](const expression& x) { return sin(x); }},
      {"cos", [](const expression& x) { return cos(x); }},
      {"tan", [](const expression& x) { return sin(x) / cos(x); }},
      {"atan", [](const expression& x) { return atan(x); }},
      {"tanh", [](const expression& x) { return tanh(x); }},
      {"cosh", [](const expression& x) { return cosh(x); }},
      {"dio", [](const expression& x) { return dio(x); }},
  };
  return all;
}

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result{"min", "max", "sgn", "norm"};
    for (const auto& each : functions()) result.push_back(each.first);
    return result;
  }();
  return names;
}

class parser {
 public:
  parser(std::string_view text, const formula_names& names, std::string place)
      : text_(text), names_(names), place_(std::move(place)) {}

  formula whole() {
    if (text_.size() > longest_formula)
      fail(0, fmt::format("the formula has {} characters, but at most {} are allowed", text_.size(),
                          longest_formula));
    if (at_end()) fail(0, "the formula is empty: write one, or 0");
    formula result = sum();
    if (at_end()) return result;
    if (next() == ')' || next() == ']')
      fail(at_, fmt::format("'{}' closes nothing: a '{}' is missing before it", next(),
                            next() == ')' ? '(' : '['));
    if (next() == ',')
      fail(at_, "',' separates arguments and components only; decimals take a '.'");
    if (next() == '=') fail(at_, "a formula has no '=': it is only the right-hand side");
    fail(at_, fmt::format("'{}' is not expected here: is an operator missing?", rest()));
  }

 private:
  [[noreturn]] void fail(std::size_t where, const std::string& message) const {
    // Of a long formula the part around the column.
    constexpr std::size_t around = 40;
    const std::size_t from = text_.size() <= 2 * around || where < around ? 0 : where - around;
    const std::string shown = printable(text_.substr(from));
    throw error(fmt::format("{}: in \"{}{}\", column {}: {}", shifted(place_, where),
                            from > 0 ? "..." : "", shortened(shown, 2 * around + 3), where + 1,
                            message));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ >= text_.size();
  }
  char next() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }
  std::string rest() const {
    const std::string_view left = text_.substr(at_);
    return std::string(left.substr(0, 20)) + (left.size() > 20 ? "..." : "");
  }
  void expect(char wanted, const char* why) {
    if (take(wanted)) return;
    const bool over = at_end();
    fail(at_, fmt::format("'{}' is missing{}: {}", wanted,
                          over ? " at the end" : fmt::format(" before '{}'", rest()), why));
  }

  // Keeps where a tree was written, for messages about it later.
  formula placed(formula f, std::size_t where) const {
    if (f.x->depth > most_levels || (f.y && (*f.y)->depth > most_levels))
      fail(where, fmt::format("it has more than {} nested operations, as a sum of so many terms "
                              "has: name parts of it in [definitions]",
                              most_levels));
    const std::string place = shifted(place_, where);
    f.x = f.x.at_place(place);
    if (f.y) f.y = f.y->at_place(place);
    return f;
  }

  void need_scalar(const formula& f, std::size_t where, const std::string& what) const {
    if (f.is_vector())
      fail(where,
           fmt::format("dimension mismatch: {} must be a number, but '[{}, {}]' is a vector: "
                       "take a component with .x or .y",
                       what, to_text(f.x), to_text(*f.y)));
  }

  formula sum() {
    if (++depth_ > deepest)
      fail(at_, fmt::format("parentheses are nested more than {} deep", deepest));
    const std::size_t start = (skip_blanks(), at_);
    formula left = product();
    for (;;) {
      const char sign = next();
      if (sign != '+' && sign != '-') break;
      const std::size_t where = at_++;
      const formula right = product();
      if (left.is_vector() != right.is_vector())
        fail(where, fmt::format("dimension mismatch: '{}' joins a vector and a number; both sides "
                                "must be of one kind",
                                sign));
      formula joined{sign == '+' ? left.x + right.x : left.x - right.x, {}};
      if (left.is_vector()) joined.y = sign == '+' ? *left.y + *right.y : *left.y - *right.y;
      left = placed(joined, start);
    }
    --depth_;
    return left;
  }

  formula product() {
    const std::size_t start = (skip_blanks(), at_);
    formula left = signed_power();
    for (;;) {
      const char sign = next();
      if (sign != '*' && sign != '/') break;
      const std::size_t where = at_++;
      if (sign == '*' && next() == '*') fail(where, "'**' is not known: write a power as a^b");
      const formula right = signed_power();
      if (sign == '/') need_scalar(right, where, "the divisor");
      if (left.is_vector() && right.is_vector())
        fail(where, "dimension mismatch: two vectors cannot be multiplied; use their components");
      formula joined{0.0, {}};
      if (sign == '/') {
        joined.x = left.x / right.x;
        if (left.is_vector()) joined.y = *left.y / right.x;
      } else {
        joined.x = left.x * right.x;
        if (left.is_vector()) joined.y = *left.y * right.x;
        if (right.is_vector()) joined.y = left.x * *right.y;
      }
      left = placed(joined, start);
    }
    return left;
  }

  formula signed_power() {
    const std::size_t where = (skip_blanks(), at_);
    if (take('+')) return signed_power_deeper();
    if (take('-')) {
      formula f = signed_power_deeper();
      f.x = -f.x;
      if (f.y) f.y = -*f.y;
      return placed(f, where);
    }
    formula base = component();
    if (next() != '^') return base;
    const std::size_t sign = at_++;
    need_scalar(base, where, "the base of '^'");
    const formula exponent = signed_power_deeper();
    need_scalar(exponent, sign, "the exponent of '^'");
    return placed({pow(base.x, exponent.x), {}}, where);
  }
  formula signed_power_deeper() {
    if (++depth_ > deepest) fail(at_, fmt::format("signs are nested more than {} deep", deepest));
    formula result = signed_power();
    --depth_;
    return result;
  }

  formula component() {
    const std::size_t where = (skip_blanks(), at_);
    formula f = simple();
    while (at_ < text_.size() && text_[at_] == '.') {
      const std::size_t dot = at_++;
      const char which = at_ < text_.size() ? text_[at_] : '\0';
      if (which != 'x' && which != 'y')
        fail(dot, "after '.' comes x or y, a component of a vector");
      ++at_;
      if (!f.is_vector())
        fail(dot, fmt::format("dimension mismatch: '{}' is a number and has no component .{}",
                              to_text(f.x), which));
      f = placed({which == 'x' ? f.x : *f.y, {}}, where);
    }
    return f;
  }

  formula simple() {
    const std::size_t where = (skip_blanks(), at_);
    const char c = next();
    if (c == '\0') fail(at_, "a number, name or '(' is missing at the end");
    if (take('(')) {
      formula f = sum();
      expect(')', fmt::format("close the '(' of column {}", where + 1).c_str());
      return f;
    }
    if (take('[')) {
      const formula first = sum();
      need_scalar(first, where, "a component of a vector");
      expect(',', "a vector has two components: [a, b]");
      const formula second = sum();
      need_scalar(second, where, "a component of a vector");
      if (next() == ',') fail(at_, "a vector has two components, not more: [a, b]");
      expect(']', fmt::format("close the '[' of column {}", where + 1).c_str());
      return placed({first.x, second.x}, where);
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.')
      return placed(number(), where);
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') return name();
    if (std::string_view("*/^+-),]=").find(c) != std::string_view::npos)
      fail(at_, fmt::format("a number, name or '(' is missing before '{}'", c));
    // The whole of a character that takes several bytes.
    std::size_t end = at_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0U) == 0x80U) ++end;
    fail(at_, fmt::format("'{}' is not known in formulas: use letters, digits, _ and + - * / ^ ( )",
                          text_.substr(at_, end - at_)));
  }

  formula number() {
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    double value = 0;
    const auto [stop, problem] = detail::from_chars(begin, end, value);
    if (problem == std::errc::result_out_of_range)
      fail(at_, fmt::format("the number '{}' is too large or too small", std::string(begin, stop)));
    if (problem != std::errc{}) fail(at_, fmt::format("'{}' is not a number", rest()));
    const std::size_t where = at_;
    at_ += static_cast<std::size_t>(stop - begin);
    if (at_ < text_.size() &&
        (std::isalpha(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      fail(where, fmt::format("'{}' follows a number directly: write 2*x, not 2x; units belong to "
                              "parameters, not into formulas",
                              rest()));
    return {expression(value), {}};
  }

  std::string word() {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  formula name() {
    const std::size_t where = at_;
    const std::string called = word();
    if (next() == '(') return call(called, where);
    if (called == "pi") return placed({expression(std::numbers::pi), {}}, where);
    if (auto found = names_.find(called)) return placed(*found, where);
    const auto& functions = function_names();
    if (std::find(functions.begin(), functions.end(), called) != functions.end())
      fail(where, fmt::format("'{}' is a function: write {}(...)", called, called));
    fail(where, fmt::format("unknown name '{}': {}", called, suggest(called, names_.known())));
  }

  formula call(const std::string& called, std::size_t where) {
    const auto& known = function_names();
    if (std::find(known.begin(), known.end(), called) == known.end()) {
      if (names_.find(called))
        fail(where, fmt::format("'{}' is not a function: is a '*' missing before '('?", called));
      fail(where, fmt::format("unknown function '{}': {}", called, suggest(called, known)));
    }
    take('(');
    std::vector<formula> given;
    if (next() == ')') fail(at_, fmt::format("{} needs an argument", called));
    do given.push_back(sum());
    while (take(','));
    expect(')', fmt::format("close the '(' of {}", called).c_str());

    const bool takes_two = called == "min" || called == "max";
    const std::size_t wanted = takes_two ? 2 : 1;
    if (given.size() != wanted)
      fail(where, fmt::format("{} takes {} argument{}, but there are {}{}", called, wanted,
                              wanted == 1 ? "" : "s", given.size(),
                              called == "sgn" && given.size() == 2 ? ": write a vector as [a, b]"
                              : called == "sgn" || called == "norm"
                                  ? ": vectors have one or two components"
                                  : ""));
    if (called == "sgn") {
      if (!given[0].is_vector()) return placed({sgn(given[0].x), {}}, where);
      const plane_vector signs = sgn(plane_vector{given[0].x, *given[0].y});
      return placed({signs.x, signs.y}, where);
    }
    if (called == "norm") {
      if (!given[0].is_vector())
        fail(where, "norm takes a vector [a, b]; for the absolute value of a number use abs");
      return placed({norm(plane_vector{given[0].x, *given[0].y}), {}}, where);
    }
    for (const auto& each : given) need_scalar(each, where, "the argument of " + called);
    if (called == "min") return placed({min(given[0].x, given[1].x), {}}, where);
    if (called == "max") return placed({max(given[0].x, given[1].x), {}}, where);
    return placed({functions().at(called)(given[0].x), {}}, where);
  }

  std::string_view text_;
  const formula_names& names_;
  std::string place_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<std::string> names_in(std::string_view text) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const auto& functions = function_names();
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_part(text[end])) ++end;
    const bool is_component = at > 0 && text[at - 1] == '.';
    const bool is_name =
        end > at && !is_component && std::isdigit(static_cast<unsigned char>(text[at])) == 0;
    std::string word(text.substr(at, end - at));
    if (is_name && std::find(functions.begin(), functions.end(), word) == functions.end())
      result.push_back(std::move(word));
    at = end + (end == at ? 1 : 0);
  }
  return result;
}

formula parse_formula(std::string_view text, const formula_names& names, const std::string& place) {
  return parser(text, names, place).whole();
}

}  // namespace asperity
