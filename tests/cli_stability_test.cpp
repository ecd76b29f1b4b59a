// SPDX-License-Identifier: Apache-2.0
// What version 0.1 wrote and exported, kept in tests/golden/0.1, is read, run and exported still
// (docs/stability.md). Where a test here fails, the change needs another version number, not another
// golden file.

#include <fmt/format.h>

#include <asperity/text/csv.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;

const std::string golden = ASPERITY_SOURCE_DIR "/tests/golden/0.1";

class cli_stability : public program_test {
 protected:
  // All columns of the golden table are there, with values that agree to 1e-4 of their greatest.
  static void expect_as_golden(const std::string& made, const std::string& kept) {
    const auto now = csv_table::read(made), then = csv_table::read(kept);
    ASSERT_EQ(now.rows(), then.rows());
    for (const auto& name : then.names()) {
      const auto &a = now.column(name), &b = then.column(name);
      double greatest = 0;
      for (const double each : b) greatest = std::max(greatest, std::abs(each));
      for (std::size_t i = 0; i < b.size(); ++i)
        ASSERT_NEAR(a[i], b[i], 1e-4 * greatest) << name << " in row " << i;
    }
  }
};

TEST_F(cli_stability, ScenariosOf01Run) {
  for (const std::string file : {"creep.toml", "creep.resolved.toml"}) {
    ASSERT_EQ(run({"run", golden + "/" + file, "--plot", "none", "--out", file + ".run"}), 0);
    EXPECT_EQ(content("err"), "") << file;
    expect_as_golden(path(file + ".run/series.csv"), golden + "/creep.series.csv");
  }
}

// Programs that read the summary find every key where it was.
TEST_F(cli_stability, SummariesHaveTheKeysOf01) {
  ASSERT_EQ(run({"run", golden + "/creep.toml", "--plot", "none", "--out", "made"}), 0);
  const json now = json::parse(content("made/summary.json")),
             then = json::parse(content(golden + "/creep.summary.json"));
  for (const auto& [key, value] : then.items()) {
    ASSERT_TRUE(now.contains(key)) << key;
    EXPECT_EQ(now[key].type(), value.type()) << key;
  }
  EXPECT_EQ(now["columns"], then["columns"]);
}

TEST_F(cli_stability, SweepFilesOf01AreRead) {
  fs::copy_file(golden + "/creep.sweep.sqlite", folder / "creep.sweep.sqlite");
  ASSERT_EQ(run("sweep creep.sweep.sqlite --export made.csv --plot none"), 0);
  EXPECT_EQ(content("made.csv"), content(golden + "/creep.sweep.csv"));
}

TEST_F(cli_stability, ReportsOf01AreComparedWith) {
  const answer told =
      run({"reproduce", "xia_2012/table_4_1", "--compare", golden + "/table_4_1.json"});
  // 3: something changed, which may be; 2 would be a report that cannot be read.
  EXPECT_TRUE(told.code == 0 || told.code == 3) << told.text();
}

TEST_F(cli_stability, TheCLibraryHasTheFunctionsOf01) {
  const std::string library = ASPERITY_BINARY_DIR "/c/libasperity_c.so.1";
  if (!fs::exists(library)) GTEST_SKIP() << "the C library was not built";
  ASSERT_EQ(finish(launch({"nm", "-D", "--defined-only", library})), 0);
  const std::string now = content("out");
  std::istringstream then(content(golden + "/c_symbols.txt"));
  std::size_t count = 0;
  for (std::string name; std::getline(then, name); ++count)
    EXPECT_TRUE(now.find(" " + name + "\n") != std::string::npos ||
                now.find(" " + name + "@") != std::string::npos)
        << name;
  EXPECT_GT(count, 40U);
}

}  // namespace
}  // namespace asperity::testing
