// SPDX-License-Identifier: Apache-2.0
// What laws store, lose and leave unbalanced, in the energy balance of whole runs.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/mechanics/mass_energy.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

run_data run(const std::string& text) {
  return simulate(read_scenario(parse_toml(text, "test"), "test", ""));
}

void expect_closed(const run_data& data, double allowed) {
  ASSERT_FALSE(is_failure(data.result.how)) << data.hint;
  EXPECT_LE(data.audit->relative_residual(), allowed) << data.audit->residual_in;
  for (const auto& each : data.audit->findings)
    ADD_FAILURE() << each.where << " " << each.what << " at t = " << each.t;
}

TEST(stores, EveryLawSaysWhatItStoresOrWhyItHasNoEnergy) {
  std::vector<std::string> without;
  for (const auto* entry : catalogue()) {
    if (!entry->at->is_line() || !entry->at->has_units()) continue;  // plain numbers
    const any_model model(*entry);
    if (element_with_losses("", model).has_store) continue;
    without.push_back(entry->key);
    EXPECT_NE(std::string(model.no_energy()), "") << entry->key;
  }
  EXPECT_EQ(without, std::vector<std::string>{"rotating_bristle_literal"});
}

TEST(stores, ThePrintedRotatingBristlesSayWhyTheyHaveNoEnergy) {
  const auto data =
      run("system = { kind = 'mass_under_force', mass = 0.1 }\nforce = 0\n"
          "friction = { model = 'rotating_bristle_literal' }\ninitial = { v = 0.1 }\n"
          "integrator = { method = 'advance', step = 1e-4 }\n"
          "run = { duration = 0.1, audit = true }\n");
  ASSERT_EQ(data.audit->notes.size(), 1U);
  EXPECT_EQ(data.audit->notes.front(),
            "friction (model 'rotating_bristle_literal'): at a reversal the printed tables bend "
            "bristles over with energy from nowhere, so only its work is counted");
}

// Through sliding, spinning and coming to rest: bristles that are not damped never give what they
// never got, and what is in them at the end is what the states say.
TEST(stores, PlanarBristlesStoreAndNeverGiveMore) {
  const std::string system =
      "force_y = { kind = 'sine', amplitude = 0.8, frequency = 4 }\n"
      "torque = { kind = 'sine', amplitude = 0.01, frequency = 3 }\n"
      "initial = { v_x = 0.05, omega = 2 }\n"
      "integrator = { method = 'dopri5', relative_tolerance = 1e-12 }\n"
      "run = { duration = 0.3, audit = true, audit_tolerance = 1e-9 }\n";
  const std::string patch =
      "patch = { shape = 'rectangle', width = 0.1, height = 0.04, cells = 3 }\n";
  const std::string numbers =
      "sigma_0 = 1e4, sigma_1 = 0, F_c = 1, F_s = 1.2, v_s = 0.01, sigma_2 = 0.4";
  for (const char* kind : {"planar_body', mass = 0.5, inertia = 4.8e-4",
                           "gripped_object', mass = 0.5, inertia = 1e-3, gravity = 0"})
    for (const char* law :
         {"'planar_lugre', R = 0.05", "'planar_lugre', coupling = 'disc', R = 0.05",
          "'planar_lugre', coupling = 'patch'", "'planar_elastoplastic', R = 0.05, z_ba = 2e-5",
          "'patch_lugre'", "'patch_lugre', z_ba = 2e-5"}) {
      SCOPED_TRACE(std::string(kind) + " " + law);
      const auto data =
          run(fmt::format("system = {{ kind = '{} }}\nfriction = {{ model = {}, {} }}\n", kind, law,
                          numbers) +
              system + (std::string(law).find("patch") == std::string::npos ? "" : patch));
      expect_closed(data, 1e-9);
      EXPECT_TRUE(data.audit->notes.empty());
      const auto stored = data["stored_friction"];
      EXPECT_EQ(stored.front(), 0);
      EXPECT_GE(*std::min_element(stored.begin(), stored.end()), 0);
      EXPECT_GT(*std::max_element(stored.begin(), stored.end()), 1e-5);
      EXPECT_GT(data["dissipated_friction"].back(), 5e-4);
      if (std::string(law).find("planar") == std::string::npos) continue;
      const double z[] = {data["z_x"].back(), data["z_y"].back(), data["z_theta"].back()};
      EXPECT_NEAR(stored.back(), 1e4 * (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]) / 2,
                  1e-12 * stored.back());
    }
}

// A body that rides on its bristles through slip and stick, upwards and downwards: the balance closes
// with what is lost and what is unbalanced.
TEST(stores, CompressedBristlesBookWhatTheyLoseAndWhatIsNobodys) {
  const auto ride = [](const char* model, const char* more) {
    return run(
        fmt::format("system = {{ kind = 'wall_spring_mass', mass = 1, stiffness = 20 }}\n"
                    "force = {{ kind = 'sine', amplitude = 12, frequency = 0.4 }}\n"
                    "friction = {{ model = '{}'{} }}\ninitial = {{ v = 0.5 }}\n"
                    "integrator = {{ method = 'switch', relative_tolerance = 1e-12 }}\n"
                    "run = {{ duration = 4, audit = true, audit_tolerance = 1e-6 }}\n",
                    model, more));
  };
  for (const char* model : {"compressed_bristle", "compressed_bristle_literal"}) {
    SCOPED_TRACE(model);
    const auto data = ride(model, "");
    expect_closed(data, 1e-6);  // thousands of bristles let go, each inside a step
    EXPECT_TRUE(data.audit->notes.empty());
    EXPECT_GT(data["friction_lost"].back(), 0.1);
    EXPECT_GE(data["stored_friction"].front(), 0);
    // With the defaults all bristles are met compressed.
    EXPECT_LT(data["friction_unbalanced"].back(), -0.1);
  }
  // A light body on many bristles meets none compressed: nothing is left but their ripple, which
  // falls with their distance. (k N, the stiffness of the ground, is the same.)
  const auto ripple = [&](double fineness) {
    const auto data = ride(
        "compressed_bristle",
        fmt::format(", g = 3, k = {}, Delta = {}", 0.01 / fineness, 0.003471 / fineness).c_str());
    expect_closed(data, 1e-6);
    double most = 0;
    for (const double each : data["friction_unbalanced"]) most = std::max(most, std::abs(each));
    return most / data["friction_lost"].back();
  };
  const double coarse = ripple(1), fine = ripple(8);
  EXPECT_LT(coarse, 0.01);
  EXPECT_LT(fine, coarse / 4);
}

// The balance of what bristles lose closes in systems of several parts, too.
TEST(stores, CompressedBristlesUnderABelt) {
  for (const char* key : {"compressed_bristle", "compressed_bristle_literal"}) {
    const auto data = run(fmt::format(
        "system = {{ kind = 'mass_on_belt', mass = 1, k_1 = 20, k_2 = 20, speed = 0.5 }}\n"
        "friction = {{ model = '{}' }}\n"
        "integrator = {{ method = 'switch', relative_tolerance = 1e-11 }}\n"
        "run = {{ duration = 0.5, audit = true, audit_tolerance = 1e-8 }}\n",
        key));
    expect_closed(data, 1e-8);
    EXPECT_GT(data["friction_lost"].back(), 0.01) << key;
  }
}

// A system that does not count their losses says so.
TEST(stores, ASystemOfSeveralPartsSaysThatItBooksTheWorkAlone) {
  const auto data = run(
      "system = { kind = 'two_bodies_wall_conveyor', mass_1 = 1, mass_2 = 1, stiffness = 10, "
      "speed = 0.5, reference_load = 10 }\ncontact = { model = 'dai_contact' }\n"
      "friction = { model = 'compressed_bristle' }\ninitial = { p_1x = 0.01, p_2x = 0.02 }\n"
      "integrator = { method = 'rk4', step = 1e-4 }\nrun = { duration = 0.05, audit = true }\n");
  ASSERT_EQ(data.audit->notes.size(), 3U);  // one for each place
  EXPECT_NE(data.audit->notes.front().find("does not count what the law loses"), std::string::npos);
}

}  // namespace
}  // namespace asperity
