// SPDX-License-Identifier: Apache-2.0
// Every figure and table of the five sources that simulates or tabulates something is served by a
// file of experiments/. The list is typed here, so that a file that is lost is missed.

#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/publish/experiment.hpp>
#include <map>
#include <set>

namespace asperity {
namespace {

struct published {
  const char* source;
  std::vector<const char*> figures;
};

const std::vector<published> all_published{
    {"xiong_2013", {"fig_3_4", "fig_3_6", "fig_3_8", "fig_3_10", "fig_3_12", "fig_4_4", "fig_4_6",
                    "fig_4_7", "fig_4_8", "fig_4_9", "fig_4_10", "fig_4_11", "fig_5_1", "fig_5_2",
                    "fig_5_3", "fig_5_4", "fig_5_5", "fig_5_6",  "fig_5_7",  "fig_5_8"}},
    {"xiong_2013_jam", {"fig_3"}},
    {"drincic_2012",
     {"fig_1_1",  "fig_1_2",  "fig_1_3",  "fig_1_5",  "fig_1_7",  "fig_1_8",  "fig_1_9",
      "fig_1_10", "fig_1_11", "fig_2_4",  "fig_2_5",  "fig_2_6",  "fig_2_7",  "fig_2_8",
      "fig_2_9",  "fig_2_10", "fig_2_11", "fig_3_3",  "fig_3_5",  "fig_3_6",  "fig_3_7",
      "fig_3_9",  "fig_3_10", "fig_3_11", "fig_3_12", "fig_3_13", "fig_3_14", "fig_3_15",
      "fig_4_4",  "fig_4_5",  "fig_4_6",  "fig_4_7",  "fig_4_8",  "fig_4_9",  "fig_4_10",
      "fig_4_11", "fig_4_12", "fig_5_1",  "fig_5_2",  "fig_5_3",  "fig_5_4",  "fig_5_5",
      "fig_5_6",  "fig_5_7",  "fig_5_8",  "fig_5_11", "fig_5_12", "fig_5_13", "fig_5_14",
      "fig_5_15", "fig_5_16", "fig_5_17", "fig_5_18", "fig_5_19", "table_5_1"}},
    {"rogner_2017",
     {"fig_2_3",   "fig_2_4",  "fig_2_5",  "fig_2_6",  "fig_2_7",  "fig_2_8",  "fig_2_9",
      "table_2_1", "fig_3_3",  "fig_3_4",  "fig_3_5",  "fig_4_2",  "fig_5_1",  "fig_5_2",
      "fig_5_3",   "fig_5_4",  "fig_5_5",  "fig_5_6",  "fig_5_8",  "fig_5_9",  "fig_5_10",
      "fig_5_11",  "fig_5_12", "fig_5_13", "fig_5_14", "fig_5_15", "free_disc"}},
    {"xia_2012",
     {"fig_2_5",  "fig_2_6",  "fig_2_7",  "fig_2_8",  "fig_2_9",  "fig_2_10", "fig_2_11",
      "fig_2_12", "fig_2_13", "fig_3_4",  "fig_3_5",  "fig_3_6",  "fig_3_7",  "fig_3_8",
      "fig_3_9",  "fig_3_10", "fig_3_11", "fig_3_12", "fig_3_13", "fig_3_14", "fig_3_15",
      "fig_3_16", "fig_3_17", "fig_3_18", "table_4_1"}},
};

std::map<std::string, experiment> read_all() {
  std::map<std::string, experiment> result;
  const std::string folder = std::string(ASPERITY_SOURCE_DIR) + "/experiments";
  for (const auto& id : list_experiments(folder)) result.emplace(id, read_experiment(folder, id));
  return result;
}

TEST(experiments, EveryPublishedOneIsServed) {
  std::set<std::string> served;
  for (const auto& [id, each] : read_all()) served.insert(each.figures.begin(), each.figures.end());
  for (const auto& source : all_published)
    for (const char* figure : source.figures) {
      const std::string id = std::string(source.source) + "/" + figure;
      EXPECT_EQ(served.count(id), 1U) << id << " is served by no file";
    }
}

// All 127, and the free disc, are names that `reproduce` and `experiments` accept, and each leads to the file that serves it.
TEST(experiments, EveryFigureIsAName) {
  const std::string folder = std::string(ASPERITY_SOURCE_DIR) + "/experiments";
  const auto all = read_all();
  std::size_t number = 0;
  for (const auto& source : all_published)
    for (const char* figure : source.figures) {
      const std::string id = std::string(source.source) + "/" + figure;
      const auto chosen = choose_experiments(folder, {id});
      ASSERT_EQ(chosen.size(), 1U) << id;
      const auto& figures = all.at(chosen[0]).figures;
      EXPECT_NE(std::find(figures.begin(), figures.end(), id), figures.end()) << id;
      ++number;
    }
  EXPECT_EQ(number, 128U);
}

// A figure belongs to one file, and that file lies in the folder of its source.
TEST(experiments, EveryFigureHasOneFile) {
  std::map<std::string, std::string> owner;
  for (const auto& [id, each] : read_all())
    for (const auto& figure : each.figures) {
      EXPECT_EQ(figure.substr(0, figure.find('/')), id.substr(0, id.find('/'))) << id;
      const auto [place, is_first] = owner.emplace(figure, id);
      EXPECT_TRUE(is_first) << figure << " is served by " << place->second << " and by " << id;
    }
}

// What cannot be met names its erratum, by number.
TEST(experiments, ErrataAreNamedByNumber) {
  for (const auto& [id, each] : read_all())
    for (const auto& claim : each.claims) {
      if (claim.erratum.empty()) continue;
      EXPECT_NE(claim.erratum.find_first_of("0123456789"), std::string::npos)
          << id << ": " << claim.text;
    }
}

}  // namespace
}  // namespace asperity
