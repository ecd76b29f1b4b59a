// SPDX-License-Identifier: Apache-2.0
// The conformance programs of simulators whose laws are published: what they measure is known. Simbody
// takes more than ten minutes.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using nlohmann::json;

json rows_of(const std::string& command) {
  std::FILE* const from = popen(command.c_str(), "r");
  if (from == nullptr) return {};
  std::string text;
  std::array<char, 4096> some;
  for (std::size_t n; (n = std::fread(some.data(), 1, some.size(), from)) > 0;)
    text.append(some.data(), n);
  EXPECT_EQ(pclose(from), 0) << command;
  return json::parse(text);
}

std::string reason(const json& card) { return card.value("does_not_apply", ""); }

#ifdef LAMMPS_CONFORMANCE
const std::string lammps =
    "ASPERITY_LAMMPS= PATH=/usr/bin:/bin '" LAMMPS_CONFORMANCE "' --steps 2 ";

// Mindlin friction of LAMMPS is a spring that slips at mu times the load. Loops of such an element
// close (Madelung's rules), and it has one coefficient. Steps are twice the usual ones.
TEST(programs, LoopsOfMindlinFrictionClose) {
  const json all = rows_of(lammps + "presliding_memory");
  ASSERT_EQ(all.size(), 1);
  const json& card = all[0]["cards"]["presliding_memory"];
  EXPECT_LT(card["closure"], 1e-3);
  EXPECT_LT(card["wiping_out"], 1e-3);
}
TEST(programs, MindlinFrictionSlidesSteadily) {
  const json all = rows_of(lammps + "stick_slip_cycle");
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(reason(all[0]["cards"]["stick_slip_cycle"]).substr(0, 14), "steady sliding");
}
#endif

#ifdef SIMBODY_CONFORMANCE
// Friction of both of its contacts depends on the speed, not on the way.
TEST(programs, SimbodyHasNoPresliding) {
  int seen = 0;
  for (const json& row : rows_of("'" SIMBODY_CONFORMANCE "' presliding_memory")) {
    if (!row["cards"].contains("presliding_memory")) continue;
    ++seen;
    EXPECT_EQ(reason(row["cards"]["presliding_memory"]).substr(0, 13), "no presliding");
  }
  EXPECT_EQ(seen, 4);
}
#endif

}  // namespace
