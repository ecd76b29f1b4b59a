// SPDX-License-Identifier: Apache-2.0
// The library from several threads at once: what each gets is what it would have got alone. In the
// preset `tsan` ThreadSanitizer looks on.

#include <asperity/batch/batch.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/report/site.hpp>
#include <asperity/scenario/output.hpp>
#include <asperity/systems/sliding_mass.hpp>
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

TEST_F(threads, ExperimentsAndTheirPagesDoNotDependOnTheNumberOfThreads) {
  const std::vector<std::string> ids{"drincic_2012/fig_5_2", "drincic_2012/fig_5_3",
                                     "drincic_2012/fig_5_4", "drincic_2012/fig_5_6"};
  const auto performed = [&](unsigned count, const std::string& to) {
    report_site site(path(to), ids);
    perform_options options;
    options.threads = count;
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
