// SPDX-License-Identifier: Apache-2.0
// The library from several threads at once: what each gets is what it would have got alone. In the
// preset `tsan` ThreadSanitizer looks on.

#include <asperity/batch/batch.hpp>
#include <asperity/fmi/instance.hpp>
#include <asperity/identify/scenario_fit.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/publish/conformance.hpp>
#include <asperity/publish/experiment.hpp>
#include <asperity/publish/site.hpp>
#include <asperity/run/output.hpp>
#include <thread>

#include "tests/folder.hpp"

namespace asperity {
namespace {

using threads = testing::in_folder;

const std::string source = ASPERITY_SOURCE_DIR;

// A system of every sort of machinery: closed form, adaptive, switched, with memory, with events,
// planar, stated by formulas, with its own steps.
const std::vector<std::string> scenarios{"pulled_mass",   "mass_under_force",  "wall_spring_mass",
                                         "bouncing_mass", "prescribed_motion", "rolling_disc",
                                         "mass_on_belt",  "planar_body",       "inclusion",
                                         "discs",         "hysteresis"};

std::string results_of(const std::string& name) {
  scenario s = read_scenario(source + "/fuzz/corpus/scenario/" + name + ".toml");
  s.max_steps = std::min(s.max_steps, 300L);
  if (s.step > 0) s.duration = std::min(s.duration, 300 * s.step);
  const run_data data = simulate(s);
  return series_csv(data) + summary_json(s, data) + to_toml(s.resolved);
}

TEST_F(threads, ScenariosAtOnceGiveWhatTheyGiveOneAfterAnother) {
  constexpr std::size_t crowd = 4;
  std::vector<std::vector<std::string>> found(crowd);
  {
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < crowd; ++i)
      all.emplace_back([&, i] {
        for (std::size_t k = 0; k < scenarios.size(); ++k)
          found[i].push_back(results_of(scenarios[(k + i) % scenarios.size()]));
      });
  }
  for (std::size_t k = 0; k < scenarios.size(); ++k) {
    const std::string alone = results_of(scenarios[k]);
    EXPECT_GT(alone.size(), 1000U);
    for (std::size_t i = 0; i < crowd; ++i)
      EXPECT_EQ(found[i][(k + scenarios.size() - i) % scenarios.size()], alone) << scenarios[k];
  }
}

// A scenario is only read by its runs: one serves any number of them, one after another or at once.
void expect_the_same_from_all(scenario s, const std::string& what) {
  s.max_steps = std::min(s.max_steps, 100L);
  if (s.step > 0) s.duration = std::min(s.duration, 100 * s.step);
  const auto told = [&] {
    const run_data data = simulate(s);
    return series_csv(data) + summary_json(s, data);
  };
  const std::string first = told();
  EXPECT_EQ(told(), first) << what << ", called again";
  std::vector<std::string> found(8);
  {
    std::vector<std::jthread> all;
    for (auto& each : found) all.emplace_back([&] { each = told(); });
  }
  for (const auto& each : found) EXPECT_EQ(each, first) << what << ", from eight threads";
}

TEST_F(threads, AScenarioServesEightRunsAtOnce) {
  int count = 0;
  for (const char* folder : {"/examples", "/examples/inclusions", "/fuzz/corpus/scenario"})
    for (const auto& each : std::filesystem::directory_iterator(source + folder)) {
      if (each.path().extension() != ".toml") continue;
      if (each.path().stem() == "from_file") continue;  // the fuzzer makes that file
      expect_the_same_from_all(read_scenario(each.path()), each.path());
      ++count;
    }
  EXPECT_GT(count, 30);
}

#if defined(__SANITIZE_THREAD__)
constexpr int every = 8;  // it is some ten times slower
#else
constexpr int every = 1;
#endif

TEST_F(threads, AScenarioOfAnExperimentServesEightRunsAtOnce) {
  const std::string folder = source + "/experiments";
  int count = 0;
  for (const auto& id : list_experiments(folder)) {
    if (++count % every != 0) continue;
    for (const auto& run : read_experiment(folder, id).runs)
      for (const auto& each : {run.as_in_source, run.converged})
        if (each) expect_the_same_from_all(*each, id + " " + run.name);
  }
}

TEST_F(threads, ExperimentsAndTheirPagesDoNotDependOnTheNumberOfThreads) {
  const std::vector<std::string> ids{"drincic_2012/fig_5_2", "drincic_2012/fig_5_3",
                                     "drincic_2012/fig_5_4", "drincic_2012/fig_5_6"};
  const auto performed = [&](unsigned count, const std::string& to) {
    report_site site(path(to), ids);
    perform_options options;
    options.threads = count;
    options.audits = true;
    options.digest = [&](experiment_result& each) {
      site.add(each);
      each.data.clear();
    };
    const auto results = perform_all(source + "/experiments", ids, options);
    site.finish(results);
    return report_json(results) + content(to + "/index.html");
  };
  EXPECT_EQ(performed(3, "together"), performed(1, "alone"));
}

// A method runs in a thread of its own inside each instance.
TEST_F(threads, InstancesOfAnFmuDoNotMeetEachOther) {
  const auto about = std::make_shared<const fmi::description>(fmi::describe(
      read_toml(source + "/examples/stick_slip.toml"), "stick_slip", source + "/examples"));
  const auto stepped = [&](double length) {
    std::vector<double> seen;
    fmi::instance one(about);
    one.set_experiment(0, {}, {});
    one.build();
    for (int i = 0; i < 40; ++i) {
      one.step(one.time(), length);
      for (fmi::reference k = 0; k < about->variables.size(); ++k) seen.push_back(one.get(k));
    }
    return seen;
  };
  // Samples of the scenario, and steps that cut across them.
  const std::vector<double> lengths{about->sample, 1.5 * about->sample};
  std::vector<std::vector<double>> found(4);
  {
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < found.size(); ++i)
      all.emplace_back([&, i] { found[i] = stepped(lengths[i % 2]); });
  }
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], stepped(lengths[i % 2]));
}

TEST_F(threads, RecordsOfAFitAreSimulatedAsTheyAreAlone) {
  const toml_value document = read_toml(source + "/examples/stick_slip.toml");
  std::vector<scenario_record> records(4);
  for (std::size_t i = 0; i < records.size(); ++i) {
    auto& each = records[i];
    each.document = document;
    each.name = "stick_slip";
    each.folder = source + "/examples";
    record::channel x{.name = "x", .values = {}, .in = units::metre};
    for (int k = 0; k <= 20; ++k) {
      each.measured.t.push_back(0.02 * k);
      x.values.push_back(0.001 * k * static_cast<double>(i));
    }
    each.measured.channels.push_back(x);
    each.measured.pieces.push_back({0, each.measured.t.size()});
  }
  const auto unknowns = unknowns_of(document, "stick_slip", source + "/examples", {"system.mass"});
  const std::vector<scenario_match> matches{{.column = "x", .channel = "x", .weight = 1}};
  const auto residual = [&](const std::vector<scenario_record>& of) {
    const fit_problem p = make_scenario_problem(of, unknowns, matches);
    std::vector<double> values{1.1}, out(p.residuals());
    EXPECT_TRUE(p.residual(values, out));
    return out;
  };
  const auto together = residual(records);
  std::vector<double> alone;
  for (const auto& each : records) {
    const auto one = residual({each});
    alone.insert(alone.end(), one.begin(), one.end());
  }
  EXPECT_EQ(together, alone);
}

TEST_F(threads, CardsDoNotDependOnTheNumberOfThreads) {
  const auto cards =
      read_conformance_cards(source + "/conformance", {"touchdown", "restitution_against_speed"});
  const auto performed = [&](unsigned count) {
    return conformance_json(
        cards, run_conformance(cards, {"dai_contact", "hunt_crossley"}, {.threads = count}));
  };
  EXPECT_EQ(performed(3), performed(1));
}

struct released_masses {
  std::vector<double> mass;

  std::size_t count() const { return mass.size(); }
  template <class S>
  auto at(const lane_reader<S>& read) const {
    sliding_mass<S, dai<S>> system;
    system.m = read(mass);
    system.k = lit<S>(100.0);
    return system;
  }
};

TEST_F(threads, BatchesDoNotDependOnTheNumberOfThreads) {
  const auto stepped = [](int count) {
    released_masses systems;
    for (int i = 0; i < 300; ++i) systems.mass.push_back(1 + 0.01 * i);
    std::vector<std::vector<double>> states(3, std::vector<double>(systems.count(), 0.1));
    std::vector<double*> places;
    for (auto& each : states) places.push_back(each.data());
    batch_plan plan{.from = 0, .step = 1e-4, .steps = 100};
    plan.threads = count;
    run_batch<double>(systems, plan, places);
    return states;
  };
  EXPECT_EQ(stepped(3), stepped(1));
}

}  // namespace
}  // namespace asperity
