// SPDX-License-Identifier: Apache-2.0
// The faults that ./dev mutants seeds: of which kinds, where, and where not.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/seeded_faults/faults.hpp"

namespace asperity::seeded {
namespace {

std::string in_function(const std::string& body, const std::string& name = "force") {
  return "template <class S>\nstruct law {\n  ASPERITY_FN S " + name +
         "(const S& v) const {\n    " + body + "\n  }\n};\n";
}

// The lines that faults of a kind make of a statement.
std::set<std::string> made_of(const std::string& statement, const std::string& kind) {
  const std::string header = in_function(statement);
  std::set<std::string> all;
  for (const fault& f : faults_of(header))
    if (f.kind == kind) {
      const std::string wrong = with_fault(header, f);
      const std::size_t begin = header.find(statement);
      all.insert(wrong.substr(begin, wrong.size() - header.size() + statement.size()));
    }
  return all;
}

using lines = std::set<std::string>;

TEST(seeded_faults, Signs) {
  EXPECT_EQ(made_of("return a - b * c;", "sign"), lines{"return a + b * c;"});
  EXPECT_EQ(made_of("return -a;", "sign"), lines{"return a;"});
  EXPECT_EQ(made_of("return math::abs<S>(v);", "sign"), lines{"return (v);"});
  EXPECT_EQ(made_of("sum += a;", "sign"), lines{"sum -= a;"});
  EXPECT_EQ(made_of("return f(-a, 1e-3);", "sign"), lines{"return f(a, 1e-3);"});
}

TEST(seeded_faults, Terms) {
  EXPECT_EQ(made_of("return a + b * c - d;", "term"),
            (lines{"return a + b * c ;", "return a  - d;", "return b * c - d;"}));
  EXPECT_EQ(made_of("return a - b;", "term"), (lines{"return  - b;", "return a ;"}));
  EXPECT_EQ(made_of("return a * b;", "term"), lines{});
}

TEST(seeded_faults, Factors) {
  EXPECT_EQ(made_of("return a * b;", "factor"),
            (lines{"return a ;", "return a / b;", "return b;"}));
  EXPECT_EQ(made_of("return a / b;", "factor"),
            (lines{"return a ;", "return a * b;", "return lit<S>(1.0) / b;"}));
  EXPECT_EQ(made_of("const S half = lit<S>(0.5);", "factor"),
            lines{"const S half = lit<S>(2 * 0.5);"});
  EXPECT_EQ(made_of("return S(2);", "factor"), lines{"return S(2 * 2);"});
}

TEST(seeded_faults, Bounds) {
  EXPECT_EQ(made_of("return math::max<S>(a, b);", "bound"), lines{"return math::min<S>(a, b);"});
  EXPECT_EQ(made_of("return math::sat<S>(F, v);", "bound"),
            lines{"return math::sat<S>(lit<S>(2.0) * (F), v);"});
  EXPECT_EQ(made_of("return math::select(a < b, c, d);", "bound"),
            lines{"return math::select(a > b, c, d);"});
}

// Neither the card nor checks, scales and estimates; no comment, subscript, loop or tolerance.
TEST(seeded_faults, OnlyInEquations) {
  for (const char* name : {"describe", "valid", "state_scale", "force_bound"})
    EXPECT_TRUE(faults_of(in_function("return a + b;", name)).empty()) << name;
  for (const char* body :
       {"// a + b * c", "return \"a + b\";", "return state[i + 1];",
        "for (int i = 1; i < n + 1; ++i) use(i);", "static_assert(a + b < c);",
        "if constexpr (a < b) return;", "if (x < rounding<S> * y) break;", "return zero;",
        "return vec<S, N>();", "return a->b;", "const S* x = y;", "++i;", "return lit<S>(1e-36);"})
    EXPECT_TRUE(faults_of(in_function(body)).empty()) << body;
  EXPECT_TRUE(
      faults_of("struct law {\n  S a = b + c;\n  S plain() { return a * b; }\n};\n").empty());
}

// Names of faults tell them apart, and the first four are one of each kind.
TEST(seeded_faults, EachHasItsName) {
  const auto all = faults_of(in_function("return math::max<S>(a * a + b * b - c * c, -d);"));
  std::set<std::string> names;
  for (const fault& f : all) EXPECT_TRUE(names.insert(f.line + f.what).second) << f.what;
  ASSERT_GT(all.size(), 8U);
  EXPECT_EQ((std::set<std::string>{all[0].kind, all[1].kind, all[2].kind, all[3].kind}).size(), 4U);
}

// All of them in one header: a body for each, and the right one.
TEST(seeded_faults, AllInOneHeader) {
  const std::string header = "#pragma once\n" + in_function("return a + b;");
  const auto all = faults_of(header);
  ASSERT_EQ(all.size(), 3U);
  const std::string seeded = with_faults(header, all, {1, 3});
  for (const char* part : {"seeded::is(1)", "seeded::is(3)", "return a + b;", "seeded_fault_3"})
    EXPECT_NE(seeded.find(part), std::string::npos) << part;
  EXPECT_EQ(seeded.find("seeded::is(2)"), std::string::npos);
}

// Every header with equations has faults, each changes it, and brackets still match.
TEST(seeded_faults, InEveryModel) {
  long headers = 0, without = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(ASPERITY_SOURCE_DIR "/asperity/models")) {
    if (entry.path().extension() != ".hpp") continue;
    ++headers;
    std::ifstream file(entry.path());
    const std::string header{std::istreambuf_iterator<char>(file), {}};
    const auto all = faults_of(header);
    if (all.empty()) ++without;
    for (const fault& f : all) {
      const std::string wrong = with_fault(header, f);
      EXPECT_NE(wrong, header) << entry.path() << ": " << f.what;
      for (const char* pair : {"()", "[]", "{}"})
        EXPECT_EQ(std::count(wrong.begin(), wrong.end(), pair[0]),
                  std::count(wrong.begin(), wrong.end(), pair[1]))
            << entry.path() << ": " << f.what;
    }
  }
  EXPECT_GT(headers, 50);
  EXPECT_LE(without, 4);  // those whose equations lie in detail/, and the list of parts of contacts
}

}  // namespace
}  // namespace asperity::seeded
