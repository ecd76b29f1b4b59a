// SPDX-License-Identifier: Apache-2.0
// `asperity design`: what it prints, writes and refuses.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;

class cli_design : public program_test {
 protected:
  answer design(const std::string& arguments) const { return run("design " + arguments); }
  static bool has(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
  }
};

TEST_F(cli_design, PrintsParametersWithUnitsAndErrors) {
  const answer a = design("contact --mass '200 g' --restitution 0.7@2m/s --time 2ms");
  EXPECT_EQ(a, 0) << a.err;
  for (const char* words :
       {"dai_contact: the simulation meets", "hunt_crossley: the simulation meets", "N s/m",
        "N/m^1.5", "simulated", "lambda = 1.5", "RK4 up to"})
    EXPECT_TRUE(has(a.out, words)) << words << "\n" << a.out;
}

// Closed form: e = exp(-2 zeta acos(zeta)/sqrt(1 - zeta^2)), t = 2 acos(zeta)/sqrt(1 - zeta^2) T.
TEST_F(cli_design, JsonHasTheNumbers) {
  const answer a =
      design("contact kelvin_voigt_clamped --mass 2 --restitution 0.5 --time 10ms --json");
  EXPECT_EQ(a, 0) << a.err;
  const json found = json::parse(a.out)[0];
  const double K = found["parameters"]["K"], B = found["parameters"]["B"];
  const double zeta = B / (2 * std::sqrt(2 * K)), root = std::sqrt(1 - zeta * zeta);
  EXPECT_NEAR(std::exp(-2 * zeta * std::acos(zeta) / root), 0.5, 1e-5);
  EXPECT_NEAR(2 * std::acos(zeta) / root * std::sqrt(2 / K), 0.01, 1e-7);
  EXPECT_LT(found["worst_error"].get<double>(), 1e-5);
}

TEST_F(cli_design, RefusalsSayWhichWishesAndWhatIsNearest) {
  const answer a = design("contact dai_contact --mass 1 --restitution '0.5@1m/s, 0.9@2m/s'");
  EXPECT_EQ(a, 2);
  EXPECT_TRUE(has(a.out, "exclude each other with dai_contact")) << a.out;
  EXPECT_TRUE(has(a.out, "the nearest value of the second is 0.5")) << a.out;
  EXPECT_TRUE(has(a.err, "no contact law can meet these wishes")) << a.err;
}

TEST_F(cli_design, WritesAFolderAndATableForScenarios) {
  const answer a =
      design("contact --mass 0.2 --restitution 0.6@1m/s --penetration 1mm --out ball --quiet");
  EXPECT_EQ(a, 0) << a.err;
  EXPECT_EQ(a.out, "");
  for (const char* file : {"design.json", "dai_contact.toml", "hunt_crossley.toml", "plot.svg"})
    EXPECT_TRUE(fs::exists(folder / "ball" / file)) << file;
  const answer toml = design("contact hunt_crossley --mass 0.2 --restitution 0.6@1m/s --toml");
  EXPECT_EQ(toml, 0);
  write("ball.toml", toml.out +
                         "[system]\nkind = 'bouncing_mass'\nmass = 0.2\n[initial]\nx = 0.01\n"
                         "v = -1\n[run]\nduration = 0.1\n");
  EXPECT_EQ(run("run ball.toml --plot none --quiet"), 0);
}

// The damping of a scenario by its restitution; the speed of impact is known.
TEST_F(cli_design, RestitutionInAScenario) {
  const auto ball = [&](const std::string& contact) {
    write("e.toml",
          fmt::format("[system]\nkind = 'bouncing_mass'\nmass = 0.2\n[initial]\nx = 0.01\nv = -2\n"
                      "[integrator]\nrelative_tolerance = 1e-9\n[run]\nduration = 0.2\n"
                      "[contact]\n{}",
                      contact));
    return run("run e.toml --plot none --force --out e");
  };
  for (const char* model :
       {"dai_contact", "dai_contact_nonlinear", "hunt_crossley", "kelvin_voigt_clamped"}) {
    const answer a = ball(fmt::format("model = '{}'\nK = 1e4\nrestitution = 0.7\n", model));
    EXPECT_EQ(a, 0) << a.err;
    const std::string series = content("e/series.csv");
    // t,x,v,...: the last velocity.
    const std::string last = series.substr(series.rfind('\n', series.size() - 2) + 1);
    const std::string v = last.substr(last.find(',', last.find(',') + 1) + 1);
    EXPECT_NEAR(std::stod(v), 1.4, 1e-3) << model;
  }
  const auto refused = [&](const std::string& contact, const std::string& words) {
    const answer a = ball(contact);
    EXPECT_EQ(a, 2);
    EXPECT_TRUE(has(a.err, words)) << a.err;
  };
  refused("model = 'hunt_crossley'\nrestitution = 0.7\nb = 1\n", "b is given as well");
  refused("model = 'dai_contact'\nrestitution = 0.7\nalpha = 1e-3\nbeta = 1e-3\n", "leave one out");
  refused("model = 'hertz'\nrestitution = 0.7\n", "hunt_crossley");
  refused("model = 'dai_contact'\nrestitution = 1.7\n", "contact.restitution = 1.7");
  refused("model = 'dai_contact'\nrestitution_speed = 1\n", "only together with restitution");
}

TEST_F(cli_design, Regularisation) {
  const answer a =
      design("regularisation --mass 2 --friction-limit '6 N' --creep 5um --penetration 5um --json");
  EXPECT_EQ(a, 0) << a.err;
  const json found = json::parse(a.out);
  EXPECT_NEAR(found["contact"]["K"].get<double>(), 2 * 9.81 / 5e-6, 1);
  EXPECT_NEAR(found["friction"]["K"].get<double>(), 6 / 5e-6, 1e-3);
  EXPECT_NEAR(found["friction"]["creep"].get<double>(), 5e-6, 1e-8);
  EXPECT_EQ(design("regularisation --mass 2 --step 1ms --penetration 5um"), 2);
}

TEST_F(cli_design, RefusesBadInput) {
  const auto refuses = [&](const std::string& arguments, const std::string& words) {
    const answer a = design(arguments);
    EXPECT_EQ(a, 2) << arguments;
    EXPECT_TRUE(has(a.err, words)) << arguments << "\n" << a.err;
  };
  refuses("contact --restitution 0.5", "--mass");
  refuses("contact --mass 1", "there is no target to design for");
  refuses("contact --mass 1 --restitution 1.5", "--restitution");
  refuses("contact --mass 1 --restitution 0.5@1kg", "--restitution");
  refuses("contact --mass 1 --time -1ms", "--time");
  refuses("contact --mass nan --time 1ms", "--mass");
  refuses("contact hertz --mass 1 --time 1ms", "hertz");
  refuses("contact --mass 1 --time 1ms --creep 1mm", "design regularisation");
  refuses("regularisation --mass 1 --time 1ms", "design contact");
  refuses("regularisation --mass 1 --creep 1um", "--friction-limit");
  refuses("nothing --mass 1", "nothing");
}

}  // namespace
}  // namespace asperity::testing
