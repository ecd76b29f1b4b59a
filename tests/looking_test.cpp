// SPDX-License-Identifier: Apache-2.0
// What is looked at never changes a run: its events, its samples and its energy are looked at beside
// it, and the steps and what they lead to stay the same to the last bit.

#include <gtest/gtest.h>

#include <asperity/run/simulate.hpp>
#include <cstring>
#include <filesystem>

namespace asperity {
namespace {

std::vector<std::string> all_scenarios() {
  const std::string source = ASPERITY_SOURCE_DIR;
  std::vector<std::string> result;
  for (const char* folder : {"/examples", "/examples/inclusions", "/fuzz/corpus/scenario"})
    for (const auto& each : std::filesystem::directory_iterator(source + folder))
      // The fuzzer makes the file that one of them reads.
      if (each.path().extension() == ".toml" && each.path().stem() != "from_file")
        result.push_back(each.path());
  return result;
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// An operator that is taken from row to row, and has no other steps.
bool steps_by_rows(const scenario& s) {
  return s.system->march() != nullptr && !(s.step > 0) && s.method->is_fixed;
}

// At the end, where every run has a row. What a solver says of itself is since the row before.
void expect_same_end(const scenario& s, const run_data& plain, const run_data& looked_at,
                     const std::string& what) {
  EXPECT_EQ(looked_at.result.steps, plain.result.steps) << what;
  EXPECT_EQ(looked_at.result.how, plain.result.how) << what;
  for (const auto& state : s.system->card().states)
    if (plain.find(state.name) != nullptr) {
      ASSERT_FALSE(looked_at[state.name].empty()) << what;
      EXPECT_TRUE(same_bits(plain[state.name].back(), looked_at[state.name].back()))
          << what << ": " << state.name << " " << plain[state.name].back() << " "
          << looked_at[state.name].back();
    }
  if (s.system->march() == nullptr) return;  // what it has in place of states is what it shows
  for (const auto& out : s.system->card().outputs)
    EXPECT_TRUE(same_bits(plain[out.name].back(), looked_at[out.name].back()))
        << what << ": " << out.name << " " << plain[out.name].back() << " "
        << looked_at[out.name].back();
}

TEST(looking, NeverChangesARun) {
  int audited = 0;
  for (const auto& file : all_scenarios()) {
    SCOPED_TRACE(file);
    scenario s = read_scenario(file);
    s.max_steps = std::min(s.max_steps, 3000L);
    s.audit = false;
    s.sample = s.duration / 50;
    if (s.system->march() != nullptr && s.step > 0) s.duration = std::min(s.duration, 200 * s.step);
    const run_data plain = simulate(s);

    scenario other = s;
    other.events = false;
    bool events_act = false;  // an impact or a clutch changes the state
    const auto work = s.system->new_workspace();
    work->setting = s;
    for (const auto& each : s.system->events(*work)) events_act = events_act || each.change;
    if (!events_act) expect_same_end(s, plain, simulate(other), "without events");

    other = s;
    other.sample = s.duration / 7;
    if (!steps_by_rows(s)) expect_same_end(s, plain, simulate(other), "other samples");

    if (s.system->energy() == nullptr || !s.system->energy()->terms().refusal.empty()) continue;
    other = s;
    other.audit = true;
    other.audit_tolerance = 1e-3;
    expect_same_end(s, plain, simulate(other), "audited");
    ++audited;
  }
  EXPECT_GT(audited, 15);
}

}  // namespace
}  // namespace asperity
