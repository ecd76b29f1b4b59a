// SPDX-License-Identifier: Apache-2.0
// Stiction that holds: every friction law that claims no_drift holds a mass at 96 % of its limit for
// one simulated hour at default settings.

#include <gtest/gtest.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/scenario/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

constexpr double hour = 3600, share = 0.96;

std::vector<const catalogue_entry*> laws_without_drift() {
  std::vector<const catalogue_entry*> found;
  for (const catalogue_entry* each : catalogue())
    if (each->family == "friction" && (any_model(*each).describe().claims & no_drift) != 0)
      found.push_back(each);
  return found;
}

// The force that the law holds at most, at rest and under its own load.
double limit_of(const any_model& law) { return law.force_bound(0, 0, 1); }

// Pulled in ten seconds, slowly beside every bristle, then held.
run_data hold(const catalogue_entry& which, const std::string& force) {
  const std::string text = "system = { kind = 'mass_under_force', mass = 1 }\nforce = " + force +
                           "\nfriction = { model = '" + which.key +
                           "' }\nrun = { duration = 3600, sample = 1 }\n";
  return simulate(read_scenario(parse_toml(text, "test.toml"), "test", "."));
}

class hold_for_an_hour : public ::testing::TestWithParam<const catalogue_entry*> {};

TEST_P(hold_for_an_hour, UnderAConstantPull) {
  const any_model law(*GetParam());
  ASSERT_TRUE(law.has_bound());
  const double pull = share * limit_of(law);
  const run_data data = hold(*GetParam(), "{ kind = 'ramp', slope = " + std::to_string(pull / 10) +
                                              ", limit = " + std::to_string(pull) + " }");
  ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
  EXPECT_LT(data.result.steps, 100'000);
  const auto& x = data["x"];
  const auto& v = data["v"];
  const std::size_t half = x.size() / 2;
  const double deflection = std::abs(x[half]);
  // A law with dampers comes to rest: what is left is rounding. One of springs alone goes on
  // swinging as the end of the ramp left it: at most with the speed at which the ramp stretched its
  // springs, at their own frequency.
  const double speed = law.is_ode() ? 0 : deflection / 10;
  const double swing = deflection > 0 ? speed / std::sqrt(pull / deflection) : 0;
  for (std::size_t i = half; i < x.size(); ++i) {
    EXPECT_LE(std::abs(x[i] - x[half]), 2 * swing + 1e-12 * deflection) << "at row " << i;
    EXPECT_LE(std::abs(v[i]), 2 * speed + 1e-12 * deflection) << "at row " << i;
  }
  // No way is lost: a creep of a nanometre in an hour would show.
  EXPECT_LE(std::abs(x.back() - x[half]), 2 * swing + 1e-12 * deflection);
}

INSTANTIATE_TEST_SUITE_P(laws, hold_for_an_hour, ::testing::ValuesIn(laws_without_drift()),
                         [](const auto& info) { return info.param->key; });

}  // namespace
}  // namespace asperity
