// SPDX-License-Identifier: Apache-2.0
// Extreme masses, springs and speeds: every friction model and every curve runs to the end in few
// steps at default settings, or says why it cannot. Bounded by the work of the run, not by time.

#include <gtest/gtest.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

struct extreme {
  std::string name;
  std::string mass = "1", stiffness = "2", speed = "0.1";
};

const std::vector<extreme> extremes{
    {.name = "light mass", .mass = "1e-9"},
    {.name = "stiff spring", .stiffness = "1e12"},
    {.name = "light mass on a stiff spring", .mass = "1e-9", .stiffness = "1e12"},
    {.name = "heavy mass", .mass = "1e9"},
    {.name = "tiny speed", .speed = "1e-9"},
    {.name = "large speed", .speed = "1e3"}};

scenario read(const catalogue_entry& model, const std::string& system, const std::string& more) {
  return read_scenario(parse_toml("system = { " + system + " }\nfriction = { model = '" +
                                      model.key + "' }\nrun = { duration = 5 }\n" + more,
                                  "test.toml"),
                       "test", ".");
}
scenario pulled(const catalogue_entry& model, const extreme& how, long most_steps) {
  return read(model,
              "kind = 'pulled_mass', mass = " + how.mass + ", stiffness = " + how.stiffness +
                  ", speed = " + how.speed,
              "integrator = { max_steps = " + std::to_string(most_steps) + " }\n");
}
// Steps are bounded: this system begins with an explicit method, which says where it is too slow.
scenario on_belt(const catalogue_entry& model, const extreme& how) {
  return read(model,
              "kind = 'mass_on_belt', mass = " + how.mass + ", k_1 = -" + how.stiffness +
                  ", k_2 = 0, speed = " + how.speed,
              "integrator = { max_steps = 100000 }\n");
}

bool is_friction(const catalogue_entry& model) { return model.at->is_sliding(); }

class extreme_runs : public ::testing::TestWithParam<const catalogue_entry*> {};

constexpr long most_evaluations = 30'000'000;  // a few seconds

// Those that need more steps than that, and say so; docs/reliability.md has the causes.
bool is_too_slow(const catalogue_entry& model, const extreme& how) {
  if (model.key == "ffbm") return how.name == "large speed";
  return model.key == "rotating_bristle_literal" && how.name == "light mass";
}

void expect_numbers(const run_data& data) {
  for (const auto& each : data.columns)
    for (const double value : each.values) ASSERT_TRUE(std::isfinite(value)) << each.name;
}

// Dampers of bristles add to the bound while a swing at the start lasts: the second half of the
// run.
void expect_bounded(const any_model& law, const run_data& data) {
  if (!law.has_bound()) return;
  const auto &x = data["x"], &v = data["v"], &f = data["f"];
  for (std::size_t i = f.size() / 2; i < f.size(); ++i) {
    const double bound = law.force_bound(x[i], v[i], 1);
    ASSERT_LE(std::abs(f[i]), 1.05 * bound + 1e-6) << "row " << i;
  }
}

TEST_P(extreme_runs, OfAPulledMass) {
  for (const extreme& each : extremes) {
    SCOPED_TRACE(each.name);
    const bool may_be_slow = is_too_slow(*GetParam(), each);
    const run_data data = simulate(pulled(*GetParam(), each, may_be_slow ? 5000 : 4'000'000));
    if (may_be_slow && data.result.how == outcome::step_limit) {
      EXPECT_FALSE(data.hint.empty());
    } else {
      EXPECT_EQ(data.result.how, outcome::completed)
          << "at t = " << data.result.t << " s: " << data.result.detail << " " << data.hint;
    }
    EXPECT_LT(data.result.evaluations, most_evaluations);
    expect_numbers(data);
    if (data.result.how == outcome::completed) expect_bounded(any_model(*GetParam()), data);
  }
}

TEST_P(extreme_runs, OfAMassOnABelt) {
  for (const extreme& each : extremes) {
    SCOPED_TRACE(each.name);
    const run_data data = simulate(on_belt(*GetParam(), each));
    if (data.result.how != outcome::completed) {
      EXPECT_FALSE(data.hint.empty()) << "at t = " << data.result.t;
    }
    expect_numbers(data);
  }
}

// A step far too long, whose end lies beyond the kink by chance, must not cut the next one short for
// ever: at some of these tolerances a slide that stops took millions of steps.
TEST(kinks_of_elastoplastic, AreNotWaitedForAtAnyTolerance) {
  for (double absolute = 1e-8; absolute > 1e-12; absolute *= 0.7) {
    const run_data data = simulate(read_scenario(
        parse_toml("system = { kind = 'pulled_mass', mass = 1, stiffness = 2, speed = 0.1 }\n"
                   "friction = { model = 'elastoplastic' }\nrun = { duration = 20 }\n"
                   "integrator = { method = 'rosenbrock', max_steps = 3000, absolute_tolerance = "
                   "{ v = " +
                       std::to_string(absolute * 1e12) + "e-12 } }\n",
                   "test.toml"),
        "test", "."));
    EXPECT_EQ(data.result.how, outcome::completed) << absolute << " at t = " << data.result.t;
  }
}

std::vector<const catalogue_entry*> all_friction() {
  std::vector<const catalogue_entry*> found;
  for (const catalogue_entry* each : catalogue())
    if (is_friction(*each)) found.push_back(each);
  return found;
}

INSTANTIATE_TEST_SUITE_P(laws, extreme_runs, ::testing::ValuesIn(all_friction()),
                         [](const auto& info) { return info.param->key; });

}  // namespace
}  // namespace asperity
