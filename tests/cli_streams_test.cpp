// SPDX-License-Identifier: Apache-2.0
// Standard streams that are full or that nobody reads: never an abort, never a lost result.

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

class cli_streams : public program_test {
 protected:
  // Of a command that a shell runs; $asperity is the program.
  int shell(const std::string& line) const {
    surroundings around;
    around.environment = {{"asperity", program}, {"examples", examples}};
    return finish(launch({"/bin/bash", "-c", line}, around));
  }
};

const std::vector<std::string> printing{
    "models",
    "models --json",
    "show lugre",
    "show lugre --json",
    "experiments",
    "--help",
    "run --help",
    "--version",
    "equilibria coulomb --stiffness 1 --from -1 --to 1",
    "restitution kelvin_voigt",
    "measures",
    "limit-surface --set shape=disc --set radius=0.02",
    "run $examples/stick_slip.toml --set run.duration=0.1 --plot none --out run",
    "inclusion $examples/inclusions/two_bodies.toml",
    "fmu $examples/stick_slip.toml --no-sources --out -"};

TEST_F(cli_streams, AFullDiskIsSaid) {
  for (const auto& each : printing) {
    SCOPED_TRACE(each);
    EXPECT_EQ(shell("$asperity " + each + " >/dev/full"), 2);
    EXPECT_EQ(content("err"),
              "asperity: error: cannot write to standard output: No space left on device\n");
  }
  EXPECT_TRUE(fs::exists(folder / "run/series.csv"));
}

TEST_F(cli_streams, AReaderWhoHasEnoughEndsItQuietly) {
  for (const auto& each : printing) {
    SCOPED_TRACE(each);
    // `true` reads nothing, and is gone before anything is printed.
    EXPECT_EQ(shell("(sleep 0.3; $asperity " + each + ") | true; exit ${PIPESTATUS[0]}"), 141);
    EXPECT_EQ(content("err"), "");
  }
  EXPECT_TRUE(fs::exists(folder / "run/series.csv"));
  EXPECT_EQ(shell("$asperity models --json | head -n 1"), 0);
  EXPECT_EQ(content("out"), "[\n");
}

// A report is complete even if nobody reads the table to the end.
TEST_F(cli_streams, AReportIsWrittenWhoeverReadsTheTable) {
  EXPECT_EQ(shell("$asperity reproduce xia_2012/table_4_1 --out report --json claims.json | true; "
                  "exit ${PIPESTATUS[0]}"),
            141);
  EXPECT_TRUE(fs::exists(folder / "report/index.html"));
  EXPECT_TRUE(fs::exists(folder / "claims.json"));
}

TEST_F(cli_streams, StandardErrorThatIsFullChangesNothing) {
  EXPECT_EQ(shell("$asperity run nope.toml 2>/dev/full"), 2);
  EXPECT_EQ(shell("$asperity nonsense 2>/dev/full"), 2);
  EXPECT_EQ(shell("$asperity run nope.toml 2> >(true)"), 2);
  // A warning that nobody sees.
  EXPECT_EQ(shell("$asperity run $examples/stick_slip.toml --set run.duration=0.1 --set "
                  "'friction={model=\"coulomb\"}' --set integrator.method=dopri5 "
                  "--time-limit 0.2 --plot none --out run 2>/dev/full; test $? -le 1"),
            0);
  EXPECT_TRUE(fs::exists(folder / "run/series.csv"));
  EXPECT_EQ(shell("$asperity models >/dev/full 2>/dev/full"), 2);
}

}  // namespace
}  // namespace asperity::testing
