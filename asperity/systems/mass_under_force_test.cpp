// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/run/simulate.hpp>
#include <asperity/systems/mass_under_force.hpp>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// m v' = force - F_c once the force is above F_c, and rest below it.
TEST(mass_under_force, TakesWhatFrictionLeavesOfTheForce) {
  const std::string with =
      "system = { kind = 'mass_under_force', mass = 0.5 }\n"
      "friction = { model = 'coulomb', F_c = 1 }\nrun = { duration = 1 }\n";
  const auto moving = simulate(read("force = 2\n" + with));
  EXPECT_NEAR(moving["v"].back(), 2, 1e-9);
  EXPECT_NEAR(moving["x"].back(), 1, 1e-6);
  const auto held = simulate(read("force = 0.9\n" + with));
  EXPECT_EQ(held["x"].back(), 0);
  EXPECT_NEAR(held["f"].back(), 0.9, 1e-9);
}

TEST(mass_under_force, IsMadeWithALawByHand) {
  const auto made = make_mass_under_force({any_model(find_model("dai"))});
  EXPECT_EQ(made->card().kind, "mass_under_force");
  ASSERT_NE(sliding_mass_in(*made), nullptr);
  EXPECT_EQ(sliding_mass_in(*made)->k, 0);
}

}  // namespace
}  // namespace asperity
