// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/run/output.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <nlohmann/json.hpp>

#include "tests/folder.hpp"

namespace asperity {
namespace {

namespace fs = std::filesystem;

class output : public testing::in_folder {
 protected:
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  output_options into(const std::string& name, plot_format plot = plot_format::none) const {
    return {path(name), series_format::csv, plot};
  }
};

scenario sample() {
  return read_scenario(parse_toml(R"(
title = "A \"quoted\" title"
[system]
kind = "mass_under_force"
mass = 1
[friction]
model = "dai"
[force]
kind = "sine"
amplitude = 1.2
frequency = 1
[run]
duration = 2
sample = 0.01
)",
                                  "sample.toml"),
                       "sample", ".");
}

TEST_F(output, HoldsSeriesSummaryAndScenario) {
  const scenario s = sample();
  const run_data data = simulate(s);
  EXPECT_TRUE(write_run(s, data, into("run")).warnings.empty());
  const auto series = csv_table::read(path("run/series.csv"));
  EXPECT_EQ(series.names(), (std::vector<std::string>{"t", "x", "v", "f", "force", "a"}));
  EXPECT_EQ(series.column("x"), data["x"]) << "exact to the last bit";
  EXPECT_EQ(series.column("a"), data["a"]);

  const auto summary = nlohmann::json::parse(content("run/summary.json"));
  EXPECT_EQ(summary["outcome"], "completed");
  EXPECT_EQ(summary["scalars"]["x_last"]["value"], data["x"].back());
  EXPECT_EQ(summary["scalars"]["x_last"]["unit"], "m");
  EXPECT_EQ(summary["columns"][3]["unit"], "N");
  EXPECT_EQ(summary["events"]["slip"]["count"], data.times_of("slip").size());
  EXPECT_EQ(content("run/resolved.toml"), to_toml(s.resolved));
  EXPECT_EQ(entries(), 1U) << "nothing else is left";
}

TEST_F(output, TheSameRunGivesTheSameBytes) {
  const scenario s = sample();
  static_cast<void>(write_run(s, simulate(s), into("one")));
  const scenario again = read_scenario(path("one/resolved.toml"));
  static_cast<void>(write_run(again, simulate(again), into("two")));
  for (const auto* file : {"series.csv", "summary.json", "resolved.toml"})
    EXPECT_EQ(content(folder / "one" / file), content(folder / "two" / file)) << file;
}

TEST_F(output, InputFilesTravelWithTheResult) {
  write("push.csv", "t,f\n0,0\n1,2\n2,0\n");
  write("in.toml", R"(
[system]
kind = "mass_under_force"
mass = 1
[friction]
model = "dai"
[force]
kind = "piecewise"
[[force.piece]]
until = 1.5
kind = "csv"
file = "push.csv"
column = "f"
[[force.piece]]
value = 0
[run]
duration = 2
)");
  const scenario s = read_scenario(path("in.toml"));
  static_cast<void>(write_run(s, simulate(s), into("one")));
  EXPECT_EQ(content("one/force_piece_1.csv"), content("push.csv"));
  fs::remove(folder / "push.csv");
  const scenario again = read_scenario(path("one/resolved.toml"));
  static_cast<void>(write_run(again, simulate(again), into("two")));
  for (const auto* file : {"series.csv", "summary.json", "resolved.toml", "force_piece_1.csv"})
    EXPECT_EQ(content(folder / "one" / file), content(folder / "two" / file)) << file;
}

TEST_F(output, ReplacesItsOwnFolderAndNoOther) {
  const scenario s = sample();
  const run_data data = simulate(s);
  static_cast<void>(write_run(s, data, into("run")));
  write("run/stale.txt", "old");
  static_cast<void>(write_run(s, data, into("run")));
  EXPECT_FALSE(fs::exists(folder / "run/stale.txt"));

  fs::create_directory(folder / "thesis");
  write("thesis/chapter.tex", "precious");
  EXPECT_THROW(write_run(s, data, into("thesis")), error);
  EXPECT_EQ(content("thesis/chapter.tex"), "precious");

  write("file", "precious");
  EXPECT_THROW(check_output(into("file")), error);
  EXPECT_EQ(entries(), 3U);
}

TEST_F(output, WhatIsNotCommittedLeavesNoTrace) {
  const std::string target = path("run");
  {
    pending_folder first(target);
    first.write("series.csv", "complete");
    first.commit();
  }
  {
    pending_folder second(target);
    second.write("series.csv", "half");
  }  // as after an exception
  EXPECT_EQ(content("run/series.csv"), "complete");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(output, DrawsAPlotOrSaysWhyNot) {
  const scenario s = sample();
  const auto warnings = write_run(s, simulate(s), into("run", plot_format::svg)).warnings;
  const bool drawn = fs::exists(folder / "run/plot.svg");
  EXPECT_EQ(drawn, warnings.empty());
  if (drawn) {
    EXPECT_NE(content("run/plot.svg").find("</svg>"), std::string::npos);
  }
}

TEST_F(output, WritesHdf5WhereItWasBuiltWithIt) {
  const scenario s = sample();
  output_options options = into("run");
  options.series = series_format::h5;
  if (!has_hdf5()) {
    EXPECT_THROW(check_output(options), error);
    return;
  }
  static_cast<void>(write_run(s, simulate(s), options));
  EXPECT_EQ(content("run/series.h5").substr(1, 3), "HDF");
  EXPECT_FALSE(fs::exists(folder / "run/series.csv"));
  const std::string first = content("run/series.h5");
  static_cast<void>(write_run(s, simulate(s), options));
  EXPECT_EQ(content("run/series.h5"), first) << "no time stamps";
}

TEST(plot, UnitsAreHandy) {
  EXPECT_EQ(handy_unit(units::metre, 3e-6).first, "um");
  EXPECT_EQ(handy_unit(units::metre, 2.0).first, "m");
  EXPECT_EQ(handy_unit(units::metre, 0.0).first, "m");
  EXPECT_EQ(handy_unit(units::newton, 1e5).first, "kN");
  EXPECT_EQ(handy_unit(units::one, 1e5).first, "-");
}

}  // namespace
}  // namespace asperity
