// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/run/simulate.hpp>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// Until they touch anything they all fall alike, and what they lose in height they have in speed.
TEST(discs, FallFreelyUntilTheyTouch) {
  const auto data = simulate(read(
      "system = { kind = 'discs', columns = 3, rows = 2, radius = 0.1, mass = 0.5, spacing = 0.4, "
      "speed = 0 }\ncontact = { model = 'dai_frictional_contact' }\nrun = { duration = 0.05 }\n"));
  const double grains = 6, fallen = 0.5 * 9.81 * 0.05 * 0.05;
  EXPECT_EQ(data["touching"].back(), 0);
  EXPECT_NEAR(data["mean_height"].front() - data["mean_height"].back(), fallen, 1e-9);
  EXPECT_NEAR(data["kinetic_energy"].back(), grains * 0.5 * 9.81 * fallen, 1e-9);
}

TEST(discs, AGrainMayNotOverlapAtTheStart) {
  EXPECT_THROW(read("system = { kind = 'discs', radius = 0.1, mass = 1, spacing = 0.19 }\n"
                    "contact = {}\nrun = { duration = 1 }\n"),
               error);
}

}  // namespace
}  // namespace asperity
