// SPDX-License-Identifier: Apache-2.0
// Defaults give right answers: what a run at default settings shows does not change in finer steps.
// Every example, every published experiment that is run by default tolerances, and every model of
// the catalogue in three systems is run again with half the step, or a quarter of the relative
// tolerance and half the longest step.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/scenario/experiment.hpp>
#include <asperity/scenario/simulate.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

namespace asperity {
namespace {

scenario parse(const std::string& text, const std::vector<std::string>& settings = {}) {
  toml_value document = parse_toml(text, "test.toml");
  for (const auto& each : settings) apply_override(document, each);
  return read_scenario(document, "test", ".");
}

scenario finer(scenario s) {
  if (has_fixed_step(s)) {
    s.step /= 2;
    return s;
  }
  s.tolerance.relative /= 4;
  for (double& each : s.tolerance.absolute) each /= 4;
  s.max_step /= 2;
  s.first_step /= 2;
  return s;
}

// What may differ: values at the end and extremes, as a part of the range of their column; numbers
// of events, as a part of them and at least `events`.
struct allowed {
  double last = 1e-3, extremes = 1e-3;
  double counts = 0;
  std::set<std::string> but_for = {};  // columns
};

double range_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

void expect_same(const run_data& usual, const run_data& fine, const allowed& differs) {
  ASSERT_EQ(usual.result.how, outcome::completed) << usual.hint;
  ASSERT_EQ(fine.result.how, outcome::completed) << fine.hint;
  for (const auto& name : usual.event_names) {
    const auto count = static_cast<double>(usual.times_of(name).size());
    const auto expected = static_cast<double>(fine.times_of(name).size());
    EXPECT_LE(std::abs(count - expected), differs.counts * expected)
        << name << ": " << count << ", finer " << expected;
  }
  for (const auto& each : usual.columns) {
    if (differs.but_for.count(each.name) != 0) continue;
    const auto& values = each.values;
    const auto& expected = fine[each.name];
    const double range = std::max(range_of(expected), 1e-12);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const auto [lowest, highest] = std::minmax_element(expected.begin(), expected.end());
    EXPECT_LE(std::abs(values.back() - expected.back()), differs.last * range)
        << each.name << " at the end: " << values.back() << ", finer " << expected.back();
    EXPECT_LE(std::abs(*low - *lowest), differs.extremes * range)
        << each.name << " lowest: " << *low << ", finer " << *lowest;
    EXPECT_LE(std::abs(*high - *highest), differs.extremes * range)
        << each.name << " highest: " << *high << ", finer " << *highest;
  }
}

void expect_converged(const scenario& s, const allowed& differs = {}) {
  expect_same(simulate(s), simulate(finer(s)), differs);
}

// ---- examples -----------------------------------------------------------------------------------

// Not converged to a thousandth of their ranges, and listed in docs/reliability.md: grains and
// bodies that hit each other, where small differences grow, and steps that the file itself fixes.
const std::set<std::string> sensitive_examples{
    "belt_oscillator.toml", "conveyor_pendulum.toml", "discs.toml",
    "drill_string.toml",    "gripped_object.toml",    "launched_sphere.toml",
    "pushed_box.toml",      "rolling_sphere.toml",    "two_bodies.toml"};

TEST(default_steps, ExamplesDoNotDependOnThem) {
  for (const auto& file : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(ASPERITY_SOURCE_DIR) / "examples")) {
    const auto& path = file.path();
    if (path.extension() != ".toml" || path.parent_path().filename() == "sweeps") continue;
    SCOPED_TRACE(path.filename().string());
    if (sensitive_examples.count(path.filename().string()) == 0)
      expect_converged(read_scenario(path.string()));
  }
}

// ---- published experiments ----------------------------------------------------------------------

TEST(default_steps, ExperimentsByDefaultTolerancesDoNotDependOnThem) {
  const std::string folder = ASPERITY_SOURCE_DIR "/experiments";
  int compared = 0;
  for (const auto& id : list_experiments(folder)) {
    for (const auto& run : read_experiment(folder, id).runs) {
      const auto& s = run.converged ? run.converged : run.as_in_source;
      if (!s || has_fixed_step(*s) || s->tolerance.relative != 1e-6) continue;
      SCOPED_TRACE(id + " " + run.name);
      expect_converged(*s);
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

// ---- every model --------------------------------------------------------------------------------

const std::string pulled = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 2
speed = 0.1
[run]
duration = 20
)";
const std::string held = R"(
[system]
kind = "mass_under_force"
mass = 1
[force]
kind = "ramp"
slope = 0.1
limit = 1
[run]
duration = 30
)";
const std::string moved = R"(
[system]
kind = "prescribed_motion"
[motion]
of = "position"
kind = "sine"
amplitude = 1e-3
frequency = 1
[run]
duration = 2.2
)";

std::string table_of(const std::string& family) { return family == "curve" ? "friction" : family; }
std::string with(const std::string& system, const catalogue_entry& model) {
  return fmt::format("[{}]\nmodel = \"{}\"\n{}", table_of(model.family), model.key, system);
}

// What a model can hold at rest.
double limit_of(const any_model& model) {
  return model.has_bound() ? model.force_bound(0, 0, 1) : 1;
}

// `sensitive` models are left out here and listed in docs/reliability.md.
void every_model(const std::string& system, const std::vector<std::string>& settings,
                 const std::set<std::string>& sensitive) {
  for (const catalogue_entry* model : catalogue()) {
    if (model->family == "contact" && system != moved) continue;
    if (sensitive.count(model->key) != 0) continue;
    SCOPED_TRACE(model->key);
    const auto began = std::chrono::steady_clock::now();
    auto own = settings;
    if (system == held) {
      const double limit = limit_of(any_model(*model));
      own.push_back("force.limit=" + std::to_string(0.96 * limit));
      own.push_back("force.slope=" + std::to_string(0.096 * limit));
    }
    expect_converged(parse(with(system, *model), own));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (took.count() > 1) std::cout << model->key << ": " << took.count() << " s\n";
  }
}

TEST(default_steps, EveryModelInStickSlip) {
  every_model(pulled, {},
              {"compressed_bristle", "compressed_bristle_literal", "drbm", "drbm_sawtooth",
               "regularised_coulomb", "rotating_bristle", "rotating_bristle_literal", "scbm"});
}
TEST(default_steps, EveryModelHeldBelowItsLimit) {
  every_model(held, {},
              {"dahl", "dai", "dai_stribeck", "drbm", "drbm_sawtooth", "elastoplastic", "gms",
               "leuven", "leuven_modified", "lugre", "mpabm", "rotating_bristle",
               "rotating_bristle_literal", "scbm"});
}
// A force that jumps, and margins that only touch zero where the motion turns.
TEST(default_steps, EveryModelMoved) {
  every_model(moved, {}, {"gms", "leuven_modified", "rigid", "smoothed_rational"});
}

}  // namespace
}  // namespace asperity
