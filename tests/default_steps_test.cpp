// SPDX-License-Identifier: Apache-2.0
// Defaults give right answers: what a run at default settings shows does not change in finer steps.
// Every example, every published experiment that is run by default tolerances, and every model of
// the catalogue in three systems is run again with half the step, or a quarter of the relative
// tolerance and half the longest step. Whatever is compared in another way than the rest has its
// reason beside it, and what was measured in docs/reliability.md.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/publish/experiment.hpp>
#include <asperity/run/refine.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

namespace asperity {
namespace {

scenario parse(const std::string& text, const std::vector<std::string>& settings = {}) {
  toml_value document = parse_toml(text, "test.toml");
  for (const auto& each : settings) apply_override(document, each);
  return read_scenario(document, "test", ".");
}

// What may differ: values at the end and extremes, as a part of the range of their column; numbers
// of events, as a part of them.
struct allowed {
  double last = 1e-3, extremes = 1e-3;
  double counts = 0;
  std::set<std::string> but_for = {};        // columns
  std::set<std::string> means_of = {};       // columns that jump: their mean instead of their end
  std::map<std::string, double> scale = {};  // of columns whose own range is rounding
};

double range_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}
double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// How often an event happens. Turns of a swing narrower than a thousandth of the whole way are not
// counted: they go on until the velocity is below its tolerance, which is what is refined. Nor is a
// stick that ends at once, where a margin only touches zero.
double count_of(const run_data& data, const std::string& name) {
  const double duration = data["t"].back();
  const column* x = data.find("x");
  const double least = x != nullptr ? 1e-3 * range_of(x->values) : 0;
  std::vector<const run_event*> kept;
  const auto last_turn = [&] {
    return kept.empty() ? x != nullptr ? x->values.front() : 0 : kept.back()->state[0];
  };
  for (const run_event& each : data.events) {
    if (each.name != name && !(name == "slip" && each.name == "stick") &&
        !(name == "stick" && each.name == "slip"))
      continue;
    if (name == "reversal" && std::abs(each.state[0] - last_turn()) <= least) continue;
    const bool at_once = !kept.empty() && kept.back()->name == "stick" && each.name == "slip" &&
                         each.t - kept.back()->t <= 1e-3 * duration;
    if (at_once)
      kept.pop_back();
    else
      kept.push_back(&each);
  }
  return static_cast<double>(std::count_if(
      kept.begin(), kept.end(), [&](const run_event* each) { return each->name == name; }));
}

void expect_same(const run_data& usual, const run_data& fine, const allowed& differs) {
  ASSERT_EQ(usual.result.how, fine.result.how) << usual.hint << fine.hint;
  if (is_failure(usual.result.how)) {  // what cannot be, at the same instant
    EXPECT_FALSE(usual.hint.empty());
    EXPECT_NEAR(usual.result.t, fine.result.t, 0.02 * fine.result.t);
    return;
  }
  for (const auto& name : usual.event_names) {
    const double count = count_of(usual, name), expected = count_of(fine, name);
    EXPECT_LE(std::abs(count - expected), differs.counts * expected)
        << name << ": " << count << ", finer " << expected;
  }
  for (const auto& each : usual.columns) {
    // How a step was solved is no result of it.
    if (each.name.rfind("solver_", 0) == 0 || differs.but_for.count(each.name) != 0) continue;
    const auto& values = each.values;
    const auto& expected = fine[each.name];
    const auto scale = differs.scale.find(each.name);
    const double range =
        scale != differs.scale.end() ? scale->second : std::max(range_of(expected), 1e-12);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const auto [lowest, highest] = std::minmax_element(expected.begin(), expected.end());
    const bool jumps = differs.means_of.count(each.name) != 0;
    const double last = jumps ? mean_of(values) : values.back();
    const double last_expected = jumps ? mean_of(expected) : expected.back();
    EXPECT_LE(std::abs(last - last_expected), differs.last * range)
        << each.name << (jumps ? " on average: " : " at the end: ") << last << ", finer "
        << last_expected;
    EXPECT_LE(std::abs(*low - *lowest), differs.extremes * range)
        << each.name << " lowest: " << *low << ", finer " << *lowest;
    EXPECT_LE(std::abs(*high - *highest), differs.extremes * range)
        << each.name << " highest: " << *high << ", finer " << *highest;
  }
}

void expect_converged(const scenario& s, const allowed& differs = {}) {
  expect_same(simulate(s), simulate(in_finer_steps(s)), differs);
}

// ---- examples -----------------------------------------------------------------------------------

using cases = std::map<std::string, allowed>;
const allowed& of(const cases& special, const std::string& name) {
  static const allowed usual;
  const auto found = special.find(name);
  return found == special.end() ? usual : found->second;
}

const cases special_examples{
    // Grains that hit each other, where small differences grow.
    {"discs.toml", {.last = 2e-2, .extremes = 2e-2}},
    // The length of a quaternion differs from 1 by 1e-10.
    {"launched_sphere.toml", {.scale = {{"q_size", 1.0}}}},
    // eps is a ratio of speeds that both come to zero.
    {"pushed_box.toml", {.but_for = {"eps"}}},
    // Rows that fall on a short peak.
    {"rolling_sphere.toml", {.extremes = 5e-3}},
    // Rows 5 ms apart fall on impacts of 2 ms; how often bodies bounce on each other before rest.
    {"two_bodies.toml", {.extremes = 0.3, .counts = 0.2}}};

TEST(default_steps, ExamplesDoNotDependOnThem) {
  for (const auto& file : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(ASPERITY_SOURCE_DIR) / "examples")) {
    const auto& path = file.path();
    if (path.extension() != ".toml" || path.parent_path().filename() == "sweeps") continue;
    SCOPED_TRACE(path.filename().string());
    expect_converged(read_scenario(path.string()), of(special_examples, path.filename().string()));
  }
}

// ---- published experiments ----------------------------------------------------------------------

TEST(default_steps, ExperimentsByDefaultTolerancesDoNotDependOnThem) {
  const std::string folder = ASPERITY_SOURCE_DIR "/experiments";
  for (const auto& id : list_experiments(folder)) {
    for (const auto& run : read_experiment(folder, id).runs) {
      const auto& s = run.converged ? run.converged : run.as_in_source;
      if (!s || has_fixed_step(*s) || s->tolerance.relative != 1e-6) continue;
      SCOPED_TRACE(id + " " + run.name);
      expect_converged(*s);
    }
  }
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

void every_model(const std::string& system, const cases& special) {
  for (const catalogue_entry* model : catalogue()) {
    if (!model->at->is_line() || (model->at->is_contact() && system != moved)) continue;
    SCOPED_TRACE(model->key);
    std::vector<std::string> settings;
    if (system == held) {
      const double limit = limit_of(any_model(*model));
      settings.push_back("force.limit=" + std::to_string(0.96 * limit));
      settings.push_back("force.slope=" + std::to_string(0.096 * limit));
    }
    expect_converged(parse(with(system, *model), settings), of(special, model->key));
  }
}

// The force of single bristles jumps at each of their releases: its mean and extremes.
const allowed of_bristles{.last = 5e-3, .means_of = {"f", "theta"}};
// It creates energy: 1e-7 m at the start become 0.1 m at the end. The run warns.
const allowed of_literal_bristles{.last = 2e-2, .extremes = 5e-2, .means_of = {"f"}};

TEST(default_steps, EveryModelInStickSlip) {
  every_model(pulled, {{"drbm", of_bristles},
                       {"drbm_sawtooth", of_bristles},
                       {"rotating_bristle", of_bristles},
                       {"rotating_bristle_literal", of_literal_bristles}});
}
TEST(default_steps, EveryModelHeldBelowItsLimit) {
  // How many turns a memory lists depends on how long it swings before it is at rest.
  allowed of_memory;
  for (int i = 1; i <= 38; ++i)
    of_memory.but_for.insert(std::string("z_").append(std::to_string(i)));
  of_memory.but_for.insert("depth");
  every_model(held, {{"drbm", of_bristles},
                     {"drbm_sawtooth", of_bristles},
                     // What is left of its creep slips or sticks by rounding.
                     {"elastoplastic", {.counts = 1}},
                     // A swing of 1.5e-7 m/s, beside which the tolerance of 1e-9 m/s shows.
                     {"gms", {.extremes = 5e-2}},
                     {"leuven", of_memory},
                     {"rotating_bristle", {.last = 5e-3, .extremes = 2e-2, .means_of = {"f"}}},
                     {"rotating_bristle_literal", of_literal_bristles}});
}
TEST(default_steps, EveryModelMoved) {
  // Its fourth element moves by 4e-7 m, beside which the tolerance of the others' size shows.
  every_model(moved, {{"leuven_modified", {.last = 5e-3, .extremes = 5e-3}}});
}

}  // namespace
}  // namespace asperity
