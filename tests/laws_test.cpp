// SPDX-License-Identifier: Apache-2.0
// Every model that moves along a line, each with every Stribeck curve it can take, keeps the laws of
// asperity/laws/line_laws.cpp. A claim on a card is a promise that is kept here. ASPERITY_SEED=...
// draws anew. `ctest -L law`, or `laws_test --gtest_filter='*/lugre'` for one model.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/laws/law.hpp>
#include <cstdlib>
#include <set>

namespace asperity {
namespace {

using laws::law, laws::subject;

class law_test : public ::testing::Test {
 public:
  law_test(const law& the_law, subject about) : law_(the_law), about_(std::move(about)) {}
  void TestBody() override {
    const char* seed = std::getenv("ASPERITY_SEED");
    const auto found = laws::check(law_, about_, seed != nullptr ? seed : "");
    EXPECT_EQ(found.failed, 0) << "after " << found.draws << " draws: " << found.first;
  }

 private:
  const law& law_;
  subject about_;
};

std::set<std::string>& laws_that_bind_nobody() {
  static std::set<std::string> names;
  return names;
}

// Tests are registered at run time, since the catalogue is known only then: law.OddSymmetry/lugre.
bool register_laws() {
  for (const law& each : laws::line_laws()) laws_that_bind_nobody().insert(each.name);
  for (const catalogue_entry* entry : catalogue()) {
    if (!entry->at->is_line()) continue;  // tests/port_laws_test.cpp
    for (const subject& about : laws::subjects_of(*entry))
      for (const law& each : laws::line_laws()) {
        if (!each.binds(about)) continue;
        laws_that_bind_nobody().erase(each.name);
        ::testing::RegisterTest(
            "law", fmt::format("{}/{}", each.name, about.name).c_str(), nullptr, nullptr, __FILE__,
            __LINE__, [&each, about]() -> ::testing::Test* { return new law_test(each, about); });
      }
  }
  return true;
}

[[maybe_unused]] const bool registered = register_laws();

TEST(law, EveryLawBindsSomeModel) {
  EXPECT_EQ(fmt::format("{}", fmt::join(laws_that_bind_nobody(), ", ")), "");
}

}  // namespace
}  // namespace asperity
