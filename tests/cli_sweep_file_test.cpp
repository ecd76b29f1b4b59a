// SPDX-License-Identifier: Apache-2.0
// `asperity sweep` on files that came from somebody else, or are damaged: exported and drawn, or
// refused with a message. asperity/sweep/sweep_file_test.cpp tries many more.

#include <fmt/format.h>
#include <sqlite3.h>

#include <random>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

class cli_sweep_file : public program_test {
 protected:
  void SetUp() override {
    write("s.toml",
          "system = { kind = 'wall_spring_mass', mass = 1, stiffness = 4 }\n"
          "friction = { model = 'coulomb', F_c = 0.1 }\ninitial = { x = 1 }\n"
          "run = { duration = 4 }\n");
    ASSERT_EQ(run(sweep("whole.sqlite")), 0);
  }

  std::vector<std::string> sweep(const std::string& file) const {
    return {"sweep",     "s.toml",
            "--over",    "stiffness=2,4",
            "--over",    "mass=log(1,3,3)",
            "--measure", "attractor(x), extrema(v)",
            "--out",     file,
            "--plot",    "none"};
  }

  void change(const std::string& file, const std::string& statement) const {
    fs::copy_file(folder / "whole.sqlite", folder / file, fs::copy_options::overwrite_existing);
    sqlite3* data = nullptr;
    sqlite3_open(path(file).c_str(), &data);
    EXPECT_EQ(sqlite3_exec(data, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << statement;
    sqlite3_close(data);
  }

  void is_fine_or_told(const command& line) const {
    const answer told = run(line);
    EXPECT_TRUE(told == 0 || told == 1 || told == 2) << told.code << told.err;
    EXPECT_EQ(told.err.find("unexpected"), std::string::npos) << told.err;
    if (told.code != 0) {
      EXPECT_EQ(told.err.rfind("asperity: ", 0), 0U) << told.err;
    }
  }
};

TEST_F(cli_sweep_file, ThatIsCraftedIsRefused) {
  change("it.sqlite", "UPDATE lists SET measure = 1000000000");
  refuses("sweep it.sqlite --export it.csv",
          {"it.sqlite", "is damaged", "'1000000000' as measure"});
  refuses("sweep it.sqlite --plot svg", {"is damaged"});
  change("it.sqlite", "UPDATE results SET \"system.mass\" = \"system.mass\" + 1");
  refuses("sweep it.sqlite --export it.csv", {"is damaged", "as system.mass"});
  change("it.sqlite", "UPDATE chunks SET done = 0, chunk = chunk + 1000000000000");
  refuses(sweep("it.sqlite"), {"is damaged"});
  change("it.sqlite", "UPDATE measures SET name = '\x1b[2J' || name");
  const answer told = run("sweep it.sqlite --export it.csv");
  EXPECT_EQ(told, 0);
  EXPECT_EQ(told.text().find('\x1b'), std::string::npos);
  EXPECT_EQ(content("it.svg").find('\x1b'), std::string::npos);
}

TEST_F(cli_sweep_file, WithAnyChangeIsExportedDrawnAndResumedOrRefused) {
  for (const char* each :
       {"UPDATE results SET \"attractor(x)\" = 'a'", "UPDATE results SET detail = x'00'",
        "UPDATE results SET \"attractor(x).minimum\" = 9e999", "DELETE FROM results",
        "DELETE FROM lists", "UPDATE lists SET value = 9e999", "UPDATE lists SET value = NULL",
        "DELETE FROM measures", "DELETE FROM parameters", "DELETE FROM about",
        "UPDATE about SET value = zeroblob(1000)", "UPDATE parameters SET given = '1,1'",
        "UPDATE measures SET is_list = 1", "UPDATE results SET outcome = ''",
        "UPDATE results SET \"attractor(x)\" = -1e308, \"attractor(x).minimum\" = -1e308, "
        "\"attractor(x).maximum\" = 1e308",
        "DROP TABLE chunks", "VACUUM", "PRAGMA journal_mode = WAL"}) {
    change("it.sqlite", each);
    is_fine_or_told("sweep it.sqlite --export it.csv --export it.h5");
    change("it.sqlite", each);
    is_fine_or_told(sweep("it.sqlite"));
  }
}

TEST_F(cli_sweep_file, WithFlippedBytesIsExportedOrRefused) {
  const std::string whole = content("whole.sqlite");
  std::mt19937 engine(17);
  for (int trial = 0; trial < 40; ++trial) {
    std::string bytes = whole;
    for (int i = 0; i < 20; ++i) bytes[engine() % bytes.size()] = static_cast<char>(engine());
    write("it.sqlite", bytes);
    is_fine_or_told("sweep it.sqlite --export it.csv");
    write("it.sqlite", bytes);
    is_fine_or_told(sweep("it.sqlite"));
  }
}

// What `reproduce --compare` is given may be anything, too.
TEST_F(cli_sweep_file, AReportToCompareWithIsRefusedWhereItIsNone) {
  const std::string experiment = "reproduce xiong_2013/fig_3_4 --compare it.json";
  std::string deep;
  for (int i = 0; i < 200000; ++i) deep += '[';
  for (const std::string& text :
       {std::string(), std::string("x"), std::string("{}"), std::string("[]"), std::string("null"),
        std::string("{\"claims\": 1}"), std::string("{\"claims\": [1]}"),
        std::string("{\"claims\": [{}]}"), std::string("{\"claims\": [{\"id\": 1}]}"),
        std::string("{\"claims\": [{\"id\": \"caf\xe9\"}]}"), std::string("\0\0", 2),
        std::string("{\"claims\": [{\"id\":\"a\",\"claim\":\"b\",\"execution\":\"c\",\"verdict\":"
                    "\"d\",\"unit\":\"e\",\"ours\":[\"f\"]}]}"),
        std::string("{\"claims\": [{\"id\":\"a\",\"claim\":\"b\",\"execution\":\"c\",\"verdict\":"
                    "\"d\",\"unit\":\"e\",\"ours\":[1e999]}]}"),
        deep}) {
    write("it.json", text);
    const answer told = run(experiment);
    EXPECT_EQ(told, 2) << text.substr(0, 100);
    EXPECT_NE(told.err.find("it.json"), std::string::npos) << told.err;
    EXPECT_EQ(told.err.find("unexpected"), std::string::npos) << told.err;
  }
}

}  // namespace
}  // namespace asperity::testing
