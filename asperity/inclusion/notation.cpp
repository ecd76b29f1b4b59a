// SPDX-License-Identifier: Apache-2.0
#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/inclusion/notation.hpp>
#include <asperity/text/pieces.hpp>
#include <cctype>
#include <cmath>
#include <unordered_set>

namespace asperity {

using enum operation;

namespace {

// ---- words that a name must not be --------------------------------------------------------------

std::set<std::string> words(const char* text) {
  std::set<std::string> result;
  std::string word;
  for (const char* at = text;; ++at) {
    if (*at != ' ' && *at != '\0') {
      word += *at;
      continue;
    }
    if (!word.empty()) result.insert(word);
    word.clear();
    if (*at == '\0') return result;
  }
}

// Keywords and macros of the language, and what emitted code calls its own.
const std::set<std::string>& reserved(language in) {
  static const std::set<std::string> none;
  static const std::set<std::string> c = words(
      "auto break case char const continue default do double else enum extern float for goto if "
      "inline int long register restrict return short signed sizeof static struct switch typedef "
      "union unsigned void volatile while bool true false asm fortran typeof unix linux i386 "
      "NAN INFINITY HUGE_VAL NULL EOF BUFSIZ FILENAME_MAX FOPEN_MAX L_tmpnam TMP_MAX stdin stdout "
      "stderr errno I complex imaginary math_errhandling MATH_ERRNO FP_NAN FP_ZERO FP_NORMAL "
      "FP_INFINITE FP_SUBNORMAL M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI "
      "M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 fabs pow isfinite printf fprintf main y dydt par n h "
      "choose maximum minimum sat whole_power contact friction planar_friction scalar_law "
      "planar_law nodes_hold nodes_linear nodes_half_cosine nodes_cubic interval");
  static const std::set<std::string> cpp = words(
      "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
      "char16_t char32_t class compl concept const consteval constexpr constinit const_cast "
      "continue co_await co_return co_yield decltype default delete do double dynamic_cast else "
      "enum explicit export extern false float for friend goto if inline int long mutable "
      "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
      "register reinterpret_cast requires return short signed sizeof static static_assert "
      "static_cast struct switch template this thread_local throw true try typedef typeid "
      "typename union unsigned using virtual void volatile wchar_t while xor xor_eq unix linux "
      "i386 NAN INFINITY HUGE_VAL NULL EOF stdin stdout stderr errno M_E M_LOG2E M_LOG10E M_LN2 "
      "M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 pow std S y rate "
      "capacity size rates initial number select choose maximum minimum sat whole_power contact "
      "friction planar_friction scalar_law planar_law along nodes_hold nodes_linear "
      "nodes_half_cosine nodes_cubic main");
  static const std::set<std::string> octave = words(
      "break case catch continue do else elseif end end_try_catch end_unwind_protect endfor "
      "endfunction endif endparfor endswitch endwhile enumeration events for function global if "
      "methods otherwise parfor persistent properties return switch try until unwind_protect "
      "unwind_protect_cleanup while classdef endclassdef endenumeration endevents endmethods "
      "endproperties arguments endarguments spmd endspmd parfor NaN numel find zeros printf error "
      "isfinite all any realpow realsqrt reallog y dydt choose maximum minimum sat contact "
      "friction planar_friction nodes_hold nodes_linear nodes_half_cosine nodes_cubic interval "
      "rk4_step ans");
  static const std::set<std::string> modelica = words(
      "algorithm and annotation assert block break class connect connector constant constrainedby "
      "der discrete each else elseif elsewhen encapsulated end enumeration equation expandable "
      "extends external false final flow for function if import impure in initial inner input "
      "loop model not operator or outer output package parameter partial protected public pure "
      "record redeclare replaceable return stream then true type when while within time Real "
      "Integer Boolean String noEvent smooth sample pre edge change reinit terminate homotopy "
      "delay cardinality inStream actualStream size ndims fill zeros ones sum product scalar "
      "vector matrix transpose identity diagonal linspace cross skew mod rem div ceil floor "
      "integer sign asin acos atan2 sinh log10 StateSelect AssertionLevel ExternalObject "
      "nodes_hold nodes_linear nodes_half_cosine nodes_cubic");
  switch (in) {
    case language::c:
      return c;
    case language::cpp:
      return cpp;
    case language::octave:
      return octave;
    case language::modelica:
      return modelica;
    default:
      return none;
  }
}

const char* name_of(language in) {
  switch (in) {
    case language::c:
      return "C";
    case language::cpp:
      return "C++";
    case language::octave:
      return "Octave";
    case language::modelica:
      return "Modelica";
    case language::latex:
      return "LaTeX";
    default:
      return "text";
  }
}

// ---- LaTeX names --------------------------------------------------------------------------------

bool is_greek(const std::string& word) {
  static const std::set<std::string> greek = words(
      "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau "
      "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega");
  return greek.count(word) != 0;
}

// mu_1 -> \mu_{1}, p1x -> p_{1x}, push -> \mathit{push}, e_N_1 -> e_{N_{1}}
std::string latex_name(const std::string& name) {
  const auto bar = name.find('_');
  const std::string head = name.substr(0, bar);
  std::string rest = bar == std::string::npos ? "" : name.substr(bar + 1);
  while (!rest.empty() && rest.front() == '_') rest.erase(0, 1);
  std::string symbol, below;
  const bool numbered = head.size() > 1 && std::isdigit(static_cast<unsigned char>(head[1])) != 0;
  if (is_greek(head)) {
    symbol = "\\" + head;
  } else if (head.size() == 1) {
    symbol = head;
  } else if (numbered && std::isalpha(static_cast<unsigned char>(head[0])) != 0) {
    symbol = head.substr(0, 1);
    below = head.substr(1);
  } else if (std::all_of(head.begin(), head.end(),
                         [](unsigned char c) { return std::isdigit(c) != 0; })) {
    symbol = head;
  } else {
    symbol = fmt::format("\\mathit{{{}}}", head);
  }
  if (!rest.empty()) below += fmt::format("{}{}", below.empty() ? "" : ",", latex_name(rest));
  return below.empty() ? symbol : fmt::format("{}_{{{}}}", symbol, below);
}

// ---- the laws -----------------------------------------------------------------------------------
// Closed forms of `dai_contact` (Xiong 2013, (3.14)) and `dai` (3.9), and the inclusions that they
// solve. s: the state, f: the force, u: the argument, chi: the factor. Arguments come ready for
// their places: {sum} may stand beside a plus, {factor} beside a times.

struct law_forms {
  const char *viscoelastic, *contact_inclusion, *friction_inclusion;
  const char *contact_force, *contact_rate, *friction_force, *friction_rate;
};

const law_forms& forms(language in) {
  static const law_forms text{"{K}*({s} + {beta}*{s}')",
                              "dio({sum} + {s} + {alpha}*{s}')",
                              "{chi_product}*Sgn({sum} - {s}')",
                              "{K}*max(0, {s} - {beta}*({sum} + {s})/{alpha})",
                              "max(-{s}/{beta}, -({sum} + {s})/{alpha})",
                              "sat({chi}, {K}*({s} + {beta}*{factor}))",
                              "({f}/{K} - {s})/{beta}"};
  static const law_forms latex{
      R"({K} \left( {s} + {beta} \dot{{{s}}} \right))",
      R"(\operatorname{{dio}}\left( {sum} + {s} + {alpha} \dot{{{s}}} \right))",
      R"({chi_product} \, \operatorname{{Sgn}}\left( {sum} - \dot{{{s}}} \right))",
      R"({K} \max\left( 0, {s} - \frac{{{beta}}}{{{alpha}}} \left( {sum} + {s} \right) \right))",
      R"(\max\left( -\frac{{{s}}}{{{beta}}}, -\frac{{{sum} + {s}}}{{{alpha}}} \right))",
      R"(\operatorname{{sat}}\left( {chi}, {K} \left( {s} + {beta} {factor} \right) \right))",
      R"(\frac{{1}}{{{beta}}} \left( \frac{{{f}}}{{{K}}} - {s} \right))"};
  // Stuck, the deflection moves with the argument: chosen, not computed, as in the model.
  static const law_forms modelica{"",
                                  "",
                                  "",
                                  "{K}*noEvent(max(0, {s} - {beta}*({sum} + {s})/{alpha}))",
                                  "noEvent(max(-{s}/{beta}, -({sum} + {s})/{alpha}))",
                                  "noEvent(max(-({chi}), min({chi}, {K}*({s} + {beta}*{factor}))))",
                                  "noEvent(if abs({K}*({s} + {beta}*{factor})) < {chi} then {sum} "
                                  "else ({f}/{K} - {s})/{beta})"};
  return in == language::latex ? latex : in == language::modelica ? modelica : text;
}

struct helper {
  const char *name, *text;
};

// C and C++ alike: @S is the number type, @in how it is handed over, @(1) a number, @T what an
// answer is called.
const helper c_like[] = {
    {"maximum", R"(@static@S maximum(@in bound, @in x) { return choose(x < bound, bound, x); }
)"},
    {"minimum", R"(@static@S minimum(@in bound, @in x) { return choose(bound < x, bound, x); }
)"},
    {"sat", R"(
// The point of [-Z, Z] nearest to x.
@static@S sat(@in Z, @in x) { return minimum(Z, maximum(-Z, x)); }
)"},
    {"whole_power", R"(
@static@S whole_power(@in x, int n) {
  if (n == 0) return @(1);
  if (n < 0) return @(1)/whole_power(x, -n);
  if (n == 1) return x;
  const @S half = whole_power(x, n/2);
  return n % 2 == 0 ? half*half : half*half*x;
}
)"},
    {"contact", R"(
// A gap p that cannot close: f = K (e + beta e'), f in dio(p + e + alpha e').
@static@scalar_law contact(@in K, @in beta, @in alpha, @in p, @in e) {
  const @S closing = -(p + e)/alpha;
  @scalar_law law;
  law.f = K*maximum(@(0), e + beta*closing);
  law.rate = maximum(-e/beta, closing);
  return law;
}
)"},
    {"friction", R"(
// Friction up to chi against v: f = K (a + beta a'), f in chi Sgn(v - a').
// Not a number where chi is below zero.
@static@scalar_law friction(@in K, @in beta, @in chi, @in v, @in a) {
  const @S limit = choose(chi < @(0), @nan, chi);
  const @S trial = K*(a + beta*v);
  @scalar_law law;
  law.f = sat(limit, trial);
  // Stuck, a' is v: chosen, not computed, so that rounding cannot make it drift.
  law.rate = choose(@abs(trial) < limit, v, (law.f/K - a)/beta);
  law.f = law.f + (limit - limit);
  return law;
}
)"},
    {"planar_friction", R"(
// Friction in the plane: f = K (a + beta a'), f in chi Sgn(v - a') as vectors, so that f is the
// point of a disk of radius chi that is nearest to K (a + beta v).
@static@planar_law planar_friction(@in K, @in beta, @in chi, @in v_x, @in v_y,
                                   @in a_x, @in a_y) {
  const @S limit = choose(chi < @(0), @nan, chi);
  const @S x = K*(a_x + beta*v_x), y = K*(a_y + beta*v_y);
  // Length and direction, scaled so that squares neither overflow nor vanish.
  const @S largest = maximum(@abs(x), @abs(y));
  const @S divisor = choose(@(0) < largest, largest, @(1));
  const @S s_x = x/divisor, s_y = y/divisor;
  const @S sum = s_x*s_x + s_y*s_y;
  const @S root = sqrt(choose(@(0) < sum, sum, @(1)));
  const @S length = choose(@(0) < sum, largest*root, sum);
  @planar_law law;
  law.f_x = choose(limit < length, limit*(s_x/root), x);
  law.f_y = choose(limit < length, limit*(s_y/root), y);
  law.rate_x = choose(length < limit, v_x, (law.f_x/K - a_x)/beta);
  law.rate_y = choose(length < limit, v_y, (law.f_y/K - a_y)/beta);
  law.f_x = law.f_x + (limit - limit);
  law.f_y = law.f_y + (limit - limit);
  return law;
}
)"}};

const helper c_nodes[] = {{"interval", R"(
// Index of the node at or before t, where times[0] <= t < times[n - 1].
static int interval(int n, const double *times, double t) {
  int low = 0, high = n - 1;
  while (high - low > 1) {
    const int middle = (low + high)/2;
    if (times[middle] <= t) low = middle; else high = middle;
  }
  return low;
}
)"},
                          {"nodes_hold", R"(
static double nodes_hold(int n, const double *times, const double *values, double t) {
  if (t <= times[0]) return values[0];
  if (t >= times[n - 1]) return values[n - 1];
  return values[interval(n, times, t)];
}
)"},
                          {"nodes_linear", R"(
static double nodes_linear(int n, const double *times, const double *values, double t) {
  int i;
  if (t <= times[0]) return values[0];
  if (t >= times[n - 1]) return values[n - 1];
  i = interval(n, times, t);
  return values[i] + (values[i + 1] - values[i])*((t - times[i])/(times[i + 1] - times[i]));
}
)"},
                          {"nodes_half_cosine", R"(
static double nodes_half_cosine(int n, const double *times, const double *values, double t) {
  int i;
  if (t <= times[0]) return values[0];
  if (t >= times[n - 1]) return values[n - 1];
  i = interval(n, times, t);
  return values[i] + (values[i + 1] - values[i])*0.5*
      (1 - cos(3.14159265358979323846*((t - times[i])/(times[i + 1] - times[i]))));
}
)"},
                          {"nodes_cubic", R"(
// A monotone cubic with given slopes at the nodes.
static double nodes_cubic(int n, const double *times, const double *values, const double *slopes,
                          double t) {
  int i;
  double width, u, a, b, m0, m1;
  if (t <= times[0]) return values[0];
  if (t >= times[n - 1]) return values[n - 1];
  i = interval(n, times, t);
  width = times[i + 1] - times[i];
  u = (t - times[i])/width;
  a = values[i];
  b = values[i + 1];
  m0 = slopes[i]*width;
  m1 = slopes[i + 1]*width;
  return a + u*(m0 + u*((3*(b - a) - 2*m0 - m1) + u*(2*(a - b) + m0 + m1)));
}
)"}};

const helper cpp_nodes[] = {{"along", R"(
// piece(i) is the signal from node i to the next; before and after all it is constant.
template <class Piece>
static S along(int n, const double* times, const double* values, const S& t, Piece piece) {
  if constexpr (std::is_floating_point_v<S>) {
    if (t <= times[0]) return number(values[0]);
    if (t >= times[n - 1]) return number(values[n - 1]);
    return piece(static_cast<int>(std::upper_bound(times, times + n, t) - times) - 1);
  } else {
    S result = number(values[0]);
    for (int i = 0; i + 1 < n; ++i) result = choose(t < number(times[i]), result, piece(i));
    return choose(t < number(times[n - 1]), result, number(values[n - 1]));
  }
}
)"},
                            {"nodes_hold", R"(
static S nodes_hold(int n, const double* times, const double* values, const S& t) {
  return along(n, times, values, t, [&](int i) { return number(values[i]); });
}
)"},
                            {"nodes_linear", R"(
static S nodes_linear(int n, const double* times, const double* values, const S& t) {
  return along(n, times, values, t, [&](int i) {
    const S u = (t - number(times[i]))/number(times[i + 1] - times[i]);
    return number(values[i]) + number(values[i + 1] - values[i])*u;
  });
}
)"},
                            {"nodes_half_cosine", R"(
static S nodes_half_cosine(int n, const double* times, const double* values, const S& t) {
  using std::cos;
  return along(n, times, values, t, [&](int i) {
    const S u = (t - number(times[i]))/number(times[i + 1] - times[i]);
    return number(values[i]) + number((values[i + 1] - values[i])*0.5)*
        (number(1.0) - cos(number(3.14159265358979323846)*u));
  });
}
)"},
                            {"nodes_cubic", R"(
// A monotone cubic with given slopes at the nodes.
static S nodes_cubic(int n, const double* times, const double* values, const double* slopes,
                     const S& t) {
  return along(n, times, values, t, [&](int i) {
    const double width = times[i + 1] - times[i], a = values[i], b = values[i + 1];
    const double m0 = slopes[i]*width, m1 = slopes[i + 1]*width;
    const S u = (t - number(times[i]))/number(width);
    return number(a) + u*(number(m0) + u*(number(3*(b - a) - 2*m0 - m1) +
                                          u*number(2*(a - b) + m0 + m1)));
  });
}
)"}};

const helper octave_helpers[] = {{"choose", R"(
function r = choose(yes, a, b)
  if yes
    r = a;
  else
    r = b;
  end
end
)"},
                                 {"maximum", R"(
function r = maximum(bound, x)  % unlike max, it does not hide NaN in x
  if x < bound
    r = bound;
  else
    r = x;
  end
end
)"},
                                 {"minimum", R"(
function r = minimum(bound, x)
  if bound < x
    r = bound;
  else
    r = x;
  end
end
)"},
                                 {"sat", R"(
function r = sat(Z, x)  % the point of [-Z, Z] nearest to x
  r = minimum(Z, maximum(-Z, x));
end
)"},
                                 {"contact", R"(
% A gap p that cannot close: f = K (e + beta e'), f in dio(p + e + alpha e').
function [f, rate] = contact(K, beta, alpha, p, e)
  closing = -(p + e)/alpha;
  f = K*maximum(0, e + beta*closing);
  rate = maximum(-e/beta, closing);
end
)"},
                                 {"friction", R"(
% Friction up to chi against v: f = K (a + beta a'), f in chi Sgn(v - a').
function [f, rate] = friction(K, beta, chi, v, a)
  if ~(chi >= 0)  % no friction has a limit below zero
    f = NaN;
    rate = NaN;
    return
  end
  trial = K*(a + beta*v);
  f = sat(chi, trial);
  if abs(trial) < chi  % stuck: chosen, not computed, so that rounding cannot make it drift
    rate = v;
  else
    rate = (f/K - a)/beta;
  end
end
)"},
                                 {"planar_friction", R"(
% Friction in the plane: f = K (a + beta a'), f in chi Sgn(v - a') as vectors, so that f is the
% point of a disk of radius chi that is nearest to K (a + beta v).
function [f_x, f_y, rate_x, rate_y] = planar_friction(K, beta, chi, v_x, v_y, a_x, a_y)
  f_x = K*(a_x + beta*v_x);
  f_y = K*(a_y + beta*v_y);
  if ~(chi >= 0)
    f_x = NaN;
    f_y = NaN;
    rate_x = NaN;
    rate_y = NaN;
    return
  end
  largest = maximum(abs(f_x), abs(f_y));
  if largest == 0
    pull = 0;
  else
    s_x = f_x/largest;
    s_y = f_y/largest;
    root = sqrt(s_x*s_x + s_y*s_y);
    pull = largest*root;
    if chi < pull
      f_x = chi*(s_x/root);
      f_y = chi*(s_y/root);
    end
  end
  if pull < chi
    rate_x = v_x;
    rate_y = v_y;
  else
    rate_x = (f_x/K - a_x)/beta;
    rate_y = (f_y/K - a_y)/beta;
  end
end
)"},
                                 {"nodes_hold", R"(
function r = nodes_hold(times, values, t)
  i = find([-Inf, times] <= t, 1, "last") - 1;
  r = values(maximum(1, i));
end
)"},
                                 {"nodes_linear", R"(
function r = nodes_linear(times, values, t)
  i = find([-Inf, times] <= t, 1, "last") - 1;
  if i < 1
    r = values(1);
  elseif i >= numel(times)
    r = values(end);
  else
    u = (t - times(i))/(times(i + 1) - times(i));
    r = values(i) + (values(i + 1) - values(i))*u;
  end
end
)"},
                                 {"nodes_half_cosine", R"(
function r = nodes_half_cosine(times, values, t)
  i = find([-Inf, times] <= t, 1, "last") - 1;
  if i < 1
    r = values(1);
  elseif i >= numel(times)
    r = values(end);
  else
    u = (t - times(i))/(times(i + 1) - times(i));
    r = values(i) + (values(i + 1) - values(i))*0.5*(1 - cos(3.14159265358979323846*u));
  end
end
)"},
                                 {"nodes_cubic", R"(
function r = nodes_cubic(times, values, slopes, t)
  i = find([-Inf, times] <= t, 1, "last") - 1;
  if i < 1
    r = values(1);
  elseif i >= numel(times)
    r = values(end);
  else
    width = times(i + 1) - times(i);
    u = (t - times(i))/width;
    a = values(i);
    b = values(i + 1);
    m0 = slopes(i)*width;
    m1 = slopes(i + 1)*width;
    r = a + u*(m0 + u*((3*(b - a) - 2*m0 - m1) + u*(2*(a - b) + m0 + m1)));
  end
end
)"}};

// Functions of a model are free of events: each instant gets its value.
const helper modelica_helpers[] = {{"nodes_hold", R"(
function nodes_hold "Values held from node to node"
  input Real times[:];
  input Real values[size(times, 1)];
  input Real t;
  output Real r;
protected
  Integer i = 1;
algorithm
  while i < size(times, 1) and t >= times[min(i + 1, size(times, 1))] loop
    i := i + 1;
  end while;
  r := values[i];
end nodes_hold;
)"},
                                   {"nodes_linear", R"(
function nodes_linear "Straight lines from node to node"
  input Real times[:];
  input Real values[size(times, 1)];
  input Real t;
  output Real r;
protected
  Integer n = size(times, 1);
  Integer i = 1;
algorithm
  while i < n and t >= times[min(i + 1, n)] loop
    i := i + 1;
  end while;
  if i >= n or t <= times[1] then
    r := values[i];
  else
    r := values[i] + (values[i + 1] - values[i])*(t - times[i])/(times[i + 1] - times[i]);
  end if;
end nodes_linear;
)"},
                                   {"nodes_half_cosine", R"(
function nodes_half_cosine "Half cosines from node to node"
  input Real times[:];
  input Real values[size(times, 1)];
  input Real t;
  output Real r;
protected
  Integer n = size(times, 1);
  Integer i = 1;
algorithm
  while i < n and t >= times[min(i + 1, n)] loop
    i := i + 1;
  end while;
  if i >= n or t <= times[1] then
    r := values[i];
  else
    r := values[i] + (values[i + 1] - values[i])*0.5*(1 -
      cos(3.14159265358979323846*(t - times[i])/(times[i + 1] - times[i])));
  end if;
end nodes_half_cosine;
)"},
                                   {"nodes_cubic", R"(
function nodes_cubic "Monotone cubics from node to node"
  input Real times[:];
  input Real values[size(times, 1)];
  input Real slopes[size(times, 1)];
  input Real t;
  output Real r;
protected
  Integer n = size(times, 1);
  Integer i = 1;
  Real width;
  Real u;
  Real m0;
  Real m1;
algorithm
  while i < n and t >= times[min(i + 1, n)] loop
    i := i + 1;
  end while;
  if i >= n or t <= times[1] then
    r := values[i];
  else
    width := times[i + 1] - times[i];
    u := (t - times[i])/width;
    m0 := slopes[i]*width;
    m1 := slopes[i + 1]*width;
    r := values[i] + u*(m0 + u*((3*(values[i + 1] - values[i]) - 2*m0 - m1) +
      u*(2*(values[i] - values[i + 1]) + m0 + m1)));
  end if;
end nodes_cubic;
)"}};

std::string for_language(language in, std::string text) {
  const bool is_c = in == language::c;
  const std::pair<const char*, const char*> marks[] = {
      {"@static", "static "},
      {"@S", is_c ? "double" : "S"},
      {"@in", is_c ? "double" : "const S&"},
      {"@scalar_law", "scalar_law"},
      {"@planar_law", "planar_law"},
      {"@nan", is_c ? "NAN" : "number(std::numeric_limits<double>::quiet_NaN())"},
      {"@abs", is_c ? "fabs" : "abs"},
      {"@(0)", is_c ? "0.0" : "number(0.0)"},
      {"@(1)", is_c ? "1.0" : "number(1.0)"},
  };
  for (const auto& [mark, written] : marks) replace_all(text, mark, written);
  return text;
}

// "sat(" but not "my_sat(".
bool calls(const std::string& code, const std::string& name) {
  const std::string call = name + "(";
  for (std::size_t at = code.find(call); at != std::string::npos; at = code.find(call, at + 1)) {
    if (at == 0) return true;
    const auto before = static_cast<unsigned char>(code[at - 1]);
    if (std::isalnum(before) == 0 && before != '_') return true;
  }
  return false;
}

int level(const expression& e) {
  switch (e->what) {
    case add:
    case subtract:
      return 1;
    case negate:
      return 2;
    case multiply:
    case divide:
      return 3;
    case raise:
      return 4;
    case operation::number:
      return std::signbit(e->value) ? 2 : 5;
    default:
      return 5;
  }
}

bool is_alias(const expression& e) { return e.is(named) && e.argument(0).is(force); }

bool is_whole_exponent(const expression& e) {
  return e.is(operation::number) && e->value == std::floor(e->value) && std::abs(e->value) <= 16;
}

}  // namespace

std::string notation::helper_functions(language in, const std::string& code) {
  std::vector<helper> all;
  const auto take = [&](const auto& list) {
    all.insert(all.end(), std::begin(list), std::end(list));
  };
  switch (in) {
    case language::c:
      take(c_like);
      take(c_nodes);
      break;
    case language::cpp:
      take(c_like);
      take(cpp_nodes);
      break;
    case language::octave:
      take(octave_helpers);
      break;
    case language::modelica:
      take(modelica_helpers);
      break;
    default:
      break;
  }
  // Helpers call only those before them.
  std::string needed = code, result;
  for (std::size_t i = all.size(); i-- > 0;) {
    if (!calls(needed, all[i].name)) continue;
    needed += all[i].text;
    result.insert(0, for_language(in, all[i].text));
  }
  return result;
}

// ---- names --------------------------------------------------------------------------------------

std::string notation::fresh(const std::string& wanted) {
  std::string name = wanted;
  const auto is_taken = [&] { return reserved(in_).count(name) != 0 || taken_.count(name) != 0; };
  while (is_taken()) name += '_';
  taken_.insert(name);
  return name;
}

std::string notation::identifier(const std::string& what, const std::string& wanted) {
  std::string plain = wanted;
  std::replace(plain.begin(), plain.end(), '.', '_');
  if (in_ == language::text) return wanted;
  if (in_ == language::latex) {
    const auto dot = wanted.find('.');
    if (dot == std::string::npos) return latex_name(wanted);
    return fmt::format("{{{}}}_{{{}}}", latex_name(wanted.substr(0, dot)), wanted.substr(dot + 1));
  }
  std::string name = fresh(plain);
  if (name != plain)
    renamed_.push_back(fmt::format("{} '{}' is written as {}: in {}, '{}' has another meaning",
                                   what, wanted, name, name_of(in_), plain));
  return name;
}

notation::notation(language in, const regularised& system, const std::string& system_name)
    : in_(in), system_(&system) {
  std::string plain;
  for (const char c : system_name)
    plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (plain.empty() || std::isalpha(static_cast<unsigned char>(plain[0])) == 0)
    plain = "system_" + plain;
  system_name_ = in == language::text || in == language::latex ? system_name : fresh(plain);

  const auto& source = system.source;
  for (const auto& each : source.states) states_.push_back(identifier("state", each.name));
  for (const auto& each : source.parameters) {
    const std::string name = identifier("parameter", each.name);
    parameters_.push_back(in == language::c ? "par." + name : name);
  }
  for (const auto& each : source.inputs) {
    const std::string name = identifier("input", each.name);
    inputs_.push_back(in == language::c && each.shape.is_constant() ? "par." + name : name);
  }
  for (const auto& each : system.definitions)
    for (const auto& part : each.components)
      if (!is_alias(part)) definitions_[part->name] = identifier("definition", part->name);
  for (const auto& t : system.terms) {
    term_names names;
    const std::string prefix = in == language::c ? "par." : "";
    names.K = prefix + identifier("constant", "K_" + t.name);
    names.beta = prefix + identifier("constant", "beta_" + t.name);
    if (t.is_contact) names.alpha = prefix + identifier("constant", "alpha_" + t.name);
    for (int k = 0; k < t.dimension(); ++k) states_.push_back(identifier("state", t.state_name(k)));
    const bool planar = t.dimension() == 2;
    if (in == language::c || in == language::cpp) {
      names.law = identifier("term", t.name);
      for (int k = 0; k < 2; ++k) {
        const char* suffix = !planar ? "" : k == 0 ? "_x" : "_y";
        names.force[k] = fmt::format("{}.f{}", names.law, suffix);
        names.rate[k] = fmt::format("{}.rate{}", names.law, suffix);
      }
    } else {
      for (int k = 0; k < t.dimension(); ++k) {
        const char* suffix = !planar ? "" : k == 0 ? ".x" : ".y";
        names.force[k] = identifier("term", t.name + suffix);
        if (in == language::octave) names.rate[k] = fresh("rate_of_" + t.state_name(k));
      }
    }
    terms_.push_back(std::move(names));
  }
}

std::string notation::state(int i) const { return states_[static_cast<std::size_t>(i)]; }
std::string notation::time() const { return in_ == language::modelica ? "time" : "t"; }
std::string notation::definition(const std::string& name) const { return definitions_.at(name); }

// ---- formulas -----------------------------------------------------------------------------------

std::string notation::number(double value) const {
  std::string text = fmt::format("{}", value);
  const bool whole = text.find_first_of(".e") == std::string::npos;
  switch (in_) {
    case language::c:
      return whole ? text + ".0" : text;
    case language::cpp:
      return fmt::format("number({})", whole ? text + ".0" : text);
    case language::latex: {
      const auto e = text.find('e');
      if (e == std::string::npos) return text;
      const std::string mantissa = text.substr(0, e);
      const int exponent = std::stoi(text.substr(e + 1));
      if (mantissa == "1") return fmt::format("10^{{{}}}", exponent);
      return fmt::format("{} \\cdot 10^{{{}}}", mantissa, exponent);
    }
    default:
      return text;
  }
}

std::string notation::formula(const expression& e, int least) const {
  return in_ == language::latex ? latex_formula(e, least) : code_formula(e, least);
}

std::string notation::code_formula(const expression& e, int least) const {
  const auto part = [&](std::size_t i, int at_least) { return formula(e.argument(i), at_least); };
  const auto bracketed = [&](const std::string& text) {
    return level(e) < least ? fmt::format("({})", text) : text;
  };
  const bool functions = in_ == language::c || in_ == language::cpp || in_ == language::octave;
  switch (e->what) {
    case operation::number:
      // The sign of a number is part of it, but must not meet another one.
      return in_ == language::cpp ? number(e->value) : bracketed(number(e->value));
    case symbol:
      switch (e->kind) {
        case symbol_kind::time:
          return time();
        case symbol_kind::state:
          return state(e->slot);
        case symbol_kind::parameter:
          return parameter(static_cast<std::size_t>(e->slot));
        case symbol_kind::input:
          return input(static_cast<std::size_t>(e->slot));
      }
      break;
    case force:
      return terms_[static_cast<std::size_t>(e->slot)].force[e->index];
    case named: {
      if (is_alias(e)) return formula(e.argument(0), least);
      const auto known = definitions_.find(e->name);
      return known == definitions_.end() ? e->name : known->second;
    }
    // Operations stay in the order in which they were stated: rounding is the same everywhere.
    case add:
      return bracketed(part(0, 1) + " + " + part(1, 3));
    case subtract:
      return bracketed(part(0, 1) + " - " + part(1, 3));
    case multiply:
      return bracketed(part(0, 3) + "*" + part(1, 4));
    case divide:
      return bracketed(part(0, 3) + "/" + part(1, 4));
    case negate:
      return bracketed(fmt::format("-{}", part(0, 3)));
    case raise: {
      const expression& exponent = e.argument(1);
      if (in_ == language::c || in_ == language::cpp) {
        if (is_whole_exponent(exponent))
          return fmt::format("whole_power({}, {})", part(0, 0), static_cast<int>(exponent->value));
        if (exponent.is_number(0.5)) return fmt::format("sqrt({})", part(0, 0));
        return fmt::format("pow({}, {})", part(0, 0), part(1, 0));
      }
      if (in_ == language::octave && !is_whole_exponent(exponent))
        return fmt::format("realpow({}, {})", part(0, 0), part(1, 0));
      return bracketed(part(0, 5) + "^" + part(1, 5));
    }
    case minimum:
    case maximum: {
      const char* name = e->what == minimum ? "min" : "max";
      if (functions) name = e->what == minimum ? "minimum" : "maximum";
      const std::string text = fmt::format("{}({}, {})", name, part(0, 0), part(1, 0));
      return in_ == language::modelica ? fmt::format("noEvent({})", text) : text;
    }
    case absolute:
      if (in_ == language::modelica) return fmt::format("noEvent(abs({}))", part(0, 0));
      return fmt::format("{}({})", in_ == language::c ? "fabs" : "abs", part(0, 0));
    case square_root:
    case logarithm:
      // Octave would go on with complex numbers.
      return fmt::format("{}{}({})", in_ == language::octave ? "real" : "", function_name(e->what),
                         part(0, 0));
    case set_sgn:
      if (e->arguments.size() == 2)
        return fmt::format("sgn([{}, {}]).{}", part(0, 0), part(1, 0), e->index == 0 ? "x" : "y");
      break;
    default:
      break;
  }
  return fmt::format("{}({})", function_name(e->what), part(0, 0));
}

std::string notation::latex_formula(const expression& e, int least) const {
  const auto part = [&](std::size_t i, int at_least) { return formula(e.argument(i), at_least); };
  const auto in_parentheses = [](const std::string& text) {
    return fmt::format("\\left( {} \\right)", text);
  };
  const auto bracketed = [&](const std::string& text) {
    return level(e) < least ? in_parentheses(text) : text;
  };
  switch (e->what) {
    case operation::number: {
      const std::string text = number(e->value);
      return least >= 5 && text.find('^') != std::string::npos ? in_parentheses(text)
                                                               : bracketed(text);
    }
    case multiply: {
      const std::string right = part(1, 3);
      const bool digit = std::isdigit(static_cast<unsigned char>(right[0])) != 0;
      return bracketed(fmt::format("{} {} {}", part(0, 3), digit ? "\\cdot" : "\\,", right));
    }
    case divide:
      return bracketed(fmt::format("\\frac{{{}}}{{{}}}", part(0, 0), part(1, 0)));
    case raise:
      return bracketed(fmt::format("{{{}}}^{{{}}}", part(0, 5), part(1, 0)));
    case minimum:
    case maximum:
      return fmt::format("\\{}\\left( {}, {} \\right)", e->what == minimum ? "min" : "max",
                         part(0, 0), part(1, 0));
    case absolute:
      return fmt::format("\\left| {} \\right|", part(0, 0));
    case square_root:
      return fmt::format("\\sqrt{{{}}}", part(0, 0));
    case exponential:
    case logarithm:
    case sine:
    case cosine:
    case arctangent:
    case hyperbolic_tangent:
    case hyperbolic_cosine:
      return fmt::format("\\{}{}", e->what == arctangent ? "arctan" : function_name(e->what),
                         in_parentheses(part(0, 0)));
    case set_sgn:
      if (e->arguments.size() == 2)
        return fmt::format("{{\\operatorname{{sgn}}\\left( {} \\right)}}_{{{}}}",
                           vector_of(part(0, 0), part(1, 0)), e->index == 0 ? "x" : "y");
      return fmt::format("\\operatorname{{sgn}}{}", in_parentheses(part(0, 0)));
    case set_dio:
      return fmt::format("\\operatorname{{dio}}{}", in_parentheses(part(0, 0)));
    case named:
      if (!is_alias(e)) {
        const auto known = definitions_.find(e->name);
        if (known != definitions_.end()) return known->second;
        const auto dot = e->name.find('.');
        if (dot == std::string::npos) return latex_name(e->name);
        return fmt::format("{{{}}}_{{{}}}", latex_name(e->name.substr(0, dot)),
                           e->name.substr(dot + 1));
      }
      break;
    case negate:
      return bracketed(fmt::format("-{}", part(0, 3)));
    case add:
    case subtract:
      return bracketed(fmt::format("{} {} {}", part(0, 1), e->what == add ? "+" : "-", part(1, 3)));
    default:
      break;
  }
  return code_formula(e, least);
}

std::string notation::vector_of(const std::string& x, const std::string& y) const {
  if (in_ == language::latex)
    return fmt::format("\\begin{{bmatrix}} {} \\\\ {} \\end{{bmatrix}}", x, y);
  return fmt::format("[{}, {}]", x, y);
}

// ---- laws ---------------------------------------------------------------------------------------

notation::written_law notation::law(std::size_t which) const {
  const set_valued_term& t = system_->terms[which];
  const term_names& names = terms_[which];
  const auto both = [&](const auto& part) {
    return t.dimension() == 1 ? part(0) : vector_of(part(0), part(1));
  };
  const auto argument = [&](int least) {
    if (t.dimension() == 1) return formula(t.argument[0], least);
    return vector_of(formula(t.argument[0]), formula(t.argument[1]));
  };
  const std::string state_name = both([&](int k) { return state(t.first_state + k); });
  written_law result;
  result.force = both([&](int k) { return names.force[k]; });
  const law_forms& form = forms(in_);
  fmt::dynamic_format_arg_store<fmt::format_context> values;
  values.push_back(fmt::arg("K", std::cref(names.K)));
  values.push_back(fmt::arg("beta", std::cref(names.beta)));
  values.push_back(fmt::arg("alpha", std::cref(names.alpha)));
  const std::string chi = t.is_contact ? "" : formula(t.factor),
                    chi_product = t.is_contact ? "" : formula(t.factor, 3), sum = argument(1),
                    factor = argument(in_ == language::latex ? 3 : 4);
  values.push_back(fmt::arg("s", std::cref(state_name)));
  values.push_back(fmt::arg("f", std::cref(result.force)));
  values.push_back(fmt::arg("chi", std::cref(chi)));
  values.push_back(fmt::arg("chi_product", std::cref(chi_product)));
  values.push_back(fmt::arg("sum", std::cref(sum)));
  values.push_back(fmt::arg("factor", std::cref(factor)));
  const auto filled = [&](const char* text) { return fmt::vformat(text, values); };
  result.rate = in_ == language::latex      ? fmt::format("\\dot{{{}}}", state_name)
                : in_ == language::modelica ? fmt::format("der({})", state_name)
                                            : state_name + "'";
  result.viscoelastic = filled(form.viscoelastic);
  result.inclusion = filled(t.is_contact ? form.contact_inclusion : form.friction_inclusion);
  result.force_is = filled(t.is_contact ? form.contact_force : form.friction_force);
  result.rate_is = filled(t.is_contact ? form.contact_rate : form.friction_rate);
  return result;
}

std::vector<notation::equation> notation::planar_law_equations(std::size_t which) {
  const set_valued_term& t = system_->terms[which];
  const term_names& names = terms_[which];
  const std::string pull = fresh("pull_" + t.name), limit = fresh("limit_" + t.name);
  const std::string trial[] = {fresh("trial_" + t.name + "_x"), fresh("trial_" + t.name + "_y")};
  std::vector<equation> out;
  for (std::size_t k = 0; k < 2; ++k)
    out.push_back(
        {trial[k],
         fmt::format("{}*({} + {}*{})", names.K, state(t.first_state + static_cast<int>(k)),
                     names.beta, formula(t.argument[k], 4)),
         true});
  out.push_back({pull, fmt::format("sqrt({0}*{0} + {1}*{1})", trial[0], trial[1]), true});
  out.push_back({limit, formula(t.factor), true});
  for (int k = 0; k < 2; ++k)
    out.push_back(
        {names.force[k],
         fmt::format("noEvent(if {0} > {1} then {1}*{2}/{0} else {2})", pull, limit, trial[k]),
         false});
  for (int k = 0; k < 2; ++k) {
    const std::string a = state(t.first_state + k);
    out.push_back({fmt::format("der({})", a),
                   fmt::format("noEvent(if {} < {} then {} else ({}/{} - {})/{})", pull, limit,
                               formula(t.argument[static_cast<std::size_t>(k)]), names.force[k],
                               names.K, a, names.beta),
                   false});
  }
  return out;
}

std::string notation::law_call(std::size_t which) const {
  const set_valued_term& t = system_->terms[which];
  const term_names& names = terms_[which];
  std::vector<std::string> given{names.K, names.beta};
  given.push_back(t.is_contact ? names.alpha : formula(t.factor));
  for (const auto& each : t.argument) given.push_back(formula(each));
  for (int k = 0; k < t.dimension(); ++k) given.push_back(state(t.first_state + k));
  const char* function = t.is_contact         ? "contact"
                         : t.dimension() == 1 ? "friction"
                                              : "planar_friction";
  return fmt::format("{}({})", function, fmt::join(given, ", "));
}

// ---- signals ------------------------------------------------------------------------------------

std::string notation::choose(const std::string& a, const std::string& b, const std::string& yes,
                             const std::string& no) const {
  switch (in_) {
    case language::c:
      return fmt::format("({} < {} ? {} : {})", a, b, yes, no);
    case language::cpp:
    case language::octave:
      return fmt::format("choose({} < {}, {}, {})", a, b, yes, no);
    case language::latex:
      return fmt::format(
          "\\begin{{cases}} {} & {} < {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}", yes, a, b,
          no);
    default:
      return fmt::format("(if {} < {} then {} else {})", a, b, yes, no);
  }
}

std::string notation::signal_formula(const signal& shape,
                                     const std::function<std::string(const signal&)>& table) const {
  const std::string t = time();
  const auto in_sum = [&](double value) {
    return std::signbit(value) && in_ != language::cpp ? fmt::format("({})", number(value))
                                                       : number(value);
  };
  const std::string times = in_ == language::latex ? " \\, " : "*";
  switch (shape.made_of()) {
    case signal::kind::constant:
      return number(shape.offset());
    case signal::kind::ramp: {
      const std::string passed =
          shape.ramp_start() == 0 ? t : fmt::format("({} - {})", t, in_sum(shape.ramp_start()));
      std::string line = in_sum(shape.ramp_slope()) + times + passed;
      if (shape.offset() != 0) line = fmt::format("{} + {}", number(shape.offset()), line);
      line = choose(t, number(shape.ramp_start()), number(shape.offset()), line);
      const double* limit = shape.ramp_limit();
      if (limit == nullptr) return line;
      const bool below = shape.ramp_slope() > 0;
      const char* cut = below ? "min" : "max";
      if (in_ == language::c || in_ == language::cpp || in_ == language::octave)
        cut = below ? "minimum" : "maximum";
      return fmt::format("{}{}({}, {})", in_ == language::latex ? "\\" : "", cut, number(*limit),
                         line);
    }
    case signal::kind::sines: {
      std::string sum = shape.offset() != 0 ? number(shape.offset()) : "";
      for (const auto& tone : shape.tones()) {
        std::string angle = fmt::format("{}{}{}", in_sum(tone.omega), times, t);
        if (tone.phase != 0) angle += fmt::format(" + {}", in_sum(tone.phase));
        const char* sine = in_ == language::latex ? "\\sin" : "sin";
        const std::string wave =
            fmt::format("{}{}{}({})", in_sum(tone.amplitude), times, sine, angle);
        sum += (sum.empty() ? "" : " + ") + wave;
      }
      return sum.empty() ? number(0) : sum;
    }
    case signal::kind::nodes:
      return table(shape);
    case signal::kind::pieces: {
      const auto& list = shape.list();
      std::string text = signal_formula(list.back().shape, table);
      for (std::size_t i = list.size() - 1; i-- > 0;)
        text = choose(t, number(list[i].until), signal_formula(list[i].shape, table), text);
      return text;
    }
    case signal::kind::other:
      throw error("an input of this kind has no formula here: give it as nodes, or as a csv file");
  }
  return number(0);
}

// ---- order --------------------------------------------------------------------------------------

namespace {

class walker {
 public:
  explicit walker(const regularised& system) : system_(system), done_(system.terms.size(), false) {}

  void visit(const expression& whole) {
    const auto known = [&](const expression::node& n) { return seen_.count(&n) != 0; };
    arguments_first(whole, known, [&](const expression& e) {
      seen_.insert(&*e);
      if (e.is(force)) visit_term(static_cast<std::size_t>(e->slot));
      if (e.is(symbol)) symbols.insert({e->kind, e->slot});
      if (e.is(named) && !is_alias(e) && names_.insert(e->name).second) order.push_back({-1, e});
    });
  }
  void visit_term(std::size_t i) {
    if (done_[i]) return;
    done_[i] = true;
    const auto& t = system_.terms[i];
    for (const auto& each : t.argument) visit(each);
    if (!t.is_contact) visit(t.factor);
    order.push_back({static_cast<int>(i), {}});
  }
  void visit_all() {
    for (const auto& each : system_.rates) visit(each);
    for (std::size_t i = 0; i < system_.terms.size(); ++i) visit_term(i);
  }

  std::vector<computed> order;
  std::set<std::pair<symbol_kind, int>> symbols;

 private:
  const regularised& system_;
  std::vector<bool> done_;
  std::unordered_set<const expression::node*> seen_;
  std::set<std::string> names_;
};

}  // namespace

std::vector<computed> in_order(const regularised& system) {
  walker w(system);
  w.visit_all();
  return std::move(w.order);
}

symbols_in_use used_symbols(const regularised& system) {
  walker w(system);
  w.visit_all();
  return std::move(w.symbols);
}

}  // namespace asperity
