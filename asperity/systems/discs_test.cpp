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

// Sums of what is recorded of each grain are the sums that are always recorded; discs fall straight down.
TEST(discs, PlacesOfGrainsAreRecordedOnDemand) {
  const std::string text =
      "contact = { model = 'dai_frictional_contact' }\nrun = { duration = 0.05 }\n"
      "system = { kind = 'discs', columns = 3, rows = 2, radius = 0.1, mass = 0.5, spacing = 0.4, "
      "speed = 0";
  const auto data = simulate(read(text + ", places = true }\n"));
  for (std::size_t row = 0; row < data["t"].size(); ++row) {
    double sum = 0;
    for (int i = 1; i <= 6; ++i) {
      sum += data["z_" + std::to_string(i)][row];
      const auto& x = data["x_" + std::to_string(i)];
      EXPECT_EQ(x[row], x.front());
    }
    EXPECT_NEAR(sum / 6, data["mean_height"][row], 1e-12);
  }
  EXPECT_LT(data["x_1"].front(), data["x_2"].front());
  EXPECT_LT(data["z_1"].front(), data["z_4"].front());
  const auto plain = simulate(read(text + " }\n"));
  EXPECT_EQ(data["kinetic_energy"], plain["kinetic_energy"]);
  EXPECT_THROW(plain["x_1"], error);
  EXPECT_THROW(read("system = { kind = 'discs', columns = 50, rows = 50, radius = 0.1, mass = 1, "
                    "places = true }\ncontact = {}\nrun = { duration = 1 }\n"),
               error);
}

TEST(discs, AGrainMayNotOverlapAtTheStart) {
  EXPECT_THROW(read("system = { kind = 'discs', radius = 0.1, mass = 1, spacing = 0.19 }\n"
                    "contact = {}\nrun = { duration = 1 }\n"),
               error);
}

}  // namespace
}  // namespace asperity
