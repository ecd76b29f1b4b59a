// SPDX-License-Identifier: Apache-2.0
// A sweep file that somebody sent, or that a disk has damaged: read, refused with a message, but
// never followed blindly.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <asperity/error.hpp>
#include <asperity/sweep/table.hpp>
#include <asperity/sweep/work.hpp>
#include <cmath>
#include <filesystem>
#include <random>

#include "tests/folder.hpp"

namespace asperity {
namespace {

namespace fs = std::filesystem;

class sweep_file : public testing::in_folder {
 protected:
  void SetUp() override {
    write("s.toml",
          "system = { kind = 'wall_spring_mass', mass = 1, stiffness = 4 }\n"
          "friction = { model = 'coulomb', F_c = 0.1 }\ninitial = { x = 1 }\n"
          "run = { duration = 4 }\n");
    make("both.sqlite");
    ASSERT_TRUE(read("both.sqlite").empty());
  }

  sweep_request wanted() const {
    sweep_request all;
    all.file = path("s.toml");
    all.axes = {"stiffness=2, 4", "mass=lin(1, 3, 3)"};
    all.measures = {"attractor(x), extrema(v, from=0)"};
    all.along = continuation::both;
    return all;
  }

  void make(const std::string& file) const {
    sweep_plan plan(wanted());
    sweep_store store(path(file), plan);
    ASSERT_TRUE(run_sweep(plan, store, {1, nullptr, {}}));
  }

  // What is said when the file is read and written out again; "" where all went well.
  std::string read(const std::string& file) const {
    try {
      const sweep_table table = read_sweep(path(file));
      static_cast<void>(sweep_csv(table));
      static_cast<void>(sweep_lists_csv(table));
      EXPECT_EQ(table.parameters.size(), 2U);
      return "";
    } catch (const error& problem) {
      return problem.what();
    }
  }

  // ... and when a sweep goes on with it.
  std::string resume(const std::string& file) const {
    try {
      sweep_plan plan(wanted());
      sweep_store store(path(file), plan);
      for (int i = 0; i < 3; ++i)
        if (const auto chunk = store.claim(1)) {
          EXPECT_GE(*chunk, 0);
          EXPECT_LT(*chunk, plan.chunks());
        }
      EXPECT_LE(store.finished_points(), plan.points());
      return "";
    } catch (const error& problem) {
      return problem.what();
    }
  }

  // The file with a change; false where SQLite itself refuses to make it.
  bool change(const std::string& file, const std::string& statement) const {
    fs::copy_file(path("both.sqlite"), path(file), fs::copy_options::overwrite_existing);
    sqlite3* data = nullptr;
    sqlite3_open(path(file).c_str(), &data);
    const int code = sqlite3_exec(data, statement.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(data);
    return code == SQLITE_OK;
  }

  std::vector<std::string> ask(const std::string& question) const {
    std::vector<std::string> answers;
    sqlite3* data = nullptr;
    sqlite3_open(path("both.sqlite").c_str(), &data);
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(data, question.c_str(), -1, &statement, nullptr);
    while (sqlite3_step(statement) == SQLITE_ROW)
      answers.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
    sqlite3_finalize(statement);
    sqlite3_close(data);
    return answers;
  }
};

TEST_F(sweep_file, WithAnyCellReplacedIsReadOrRefused) {
  int changed = 0, refused = 0;
  for (const char* table : {"about", "parameters", "measures", "chunks", "lists", "results"}) {
    const auto columns = ask(fmt::format("SELECT name FROM pragma_table_info('{}')", table));
    ASSERT_FALSE(columns.empty());
    for (const auto& column : columns)
      for (const char* value : {"0", "-1", "1000000000", "9223372036854775807", "NULL", "'text'",
                                "''", "x'ff00fe'", "9e999", "-1e308", "1.5", "zeroblob(100000)"})
        for (const char* which : {"", "LIMIT 1"}) {  // all rows, or the first
          const std::string first =
              *which == '\0'
                  ? ""
                  : fmt::format("WHERE \"{0}\" = (SELECT \"{0}\" FROM {1} LIMIT 1)", column, table);
          if (!change("it.sqlite",
                      fmt::format("UPDATE {} SET \"{}\" = {} {}", table, column, value, first)))
            continue;
          ++changed;
          for (const std::string& told : {read("it.sqlite"), resume("it.sqlite")}) {
            if (told.empty()) continue;
            ++refused;
            EXPECT_NE(told.find("it.sqlite"), std::string::npos) << told;
            EXPECT_LT(told.size(), 600U) << told;
          }
        }
  }
  EXPECT_GT(changed, 300);
  EXPECT_GT(refused, 300);
}

TEST_F(sweep_file, SaysWhatIsWrong) {
  const std::vector<std::vector<std::string>> cases{
      {"UPDATE lists SET measure = 1000000000", "row 1 of 'lists'", "'1000000000' as measure",
       "from 0 to 3"},
      {"UPDATE lists SET point = point + 100", "as point", "from 0 to 11"},
      {"DELETE FROM results WHERE point = 3", "as point", "a point that has a result"},
      {"UPDATE lists SET measure = 0", "a measure with a list"},
      {"UPDATE results SET \"system.mass\" = 2.5 WHERE point = 1", "'2.5' as system.mass",
       "must be 2"},
      {"UPDATE results SET branch = 'up'", "must be down"},
      {"UPDATE results SET outcome = x'00'", "'1 bytes' as outcome", "must be text"},
      {"UPDATE parameters SET given = '1,2,3' WHERE position = 0", "make 18 points, not 12"},
      {"UPDATE parameters SET unit = 'parsec'", "must be a unit"},
      {"UPDATE parameters SET position = position + 10", "must be a whole number from 0 to 0"},
      {"UPDATE measures SET result_column = 'system.mass'", "the name of one column only"},
      {"UPDATE measures SET result_column = 'nothing' WHERE position = 0", "'results'"},
      {"UPDATE about SET value = '-1' WHERE key = 'points'", "'points' is '-1'"},
      {"DELETE FROM about WHERE key = 'samples'", "'samples' is missing"},
      {"UPDATE about SET value = 'sideways' WHERE key = 'continuation'", "continuation"},
      {"DROP TABLE lists", "'lists' is missing"},
      {"ALTER TABLE results ADD COLUMN more", "'results' is not the one"},
      {"PRAGMA user_version = 7", "format 7"},
      {"PRAGMA application_id = 7", "not a sweep file"},
      {"DROP TABLE about; CREATE VIEW about AS SELECT 'points' AS key, '1' AS value",
       "it has a view 'about'"},
  };
  for (const auto& each : cases) {
    ASSERT_TRUE(change("it.sqlite", each[0])) << each[0];
    const std::string told = read("it.sqlite");
    for (std::size_t i = 1; i < each.size(); ++i)
      EXPECT_NE(told.find(each[i]), std::string::npos) << each[0] << "\n" << told;
  }
}

// So many that several threads read them, and statements write many rows at once.
TEST_F(sweep_file, OfManyRowsIsTheSame) {
  sweep_request all;
  all.file = path("s.toml");
  all.axes = {"stiffness=lin(2, 4, 300)", "mass=lin(1, 3, 401)"};
  all.measures = {"maximum(x), minimum(x)"};
  all.chunk = 7001;
  const auto result_of = [](long long point) {
    const auto number = static_cast<double>(point);
    point_result made{"completed", "", {number, 1 / (1 + number)}, {}};
    if (point % 1000 == 7) made = {"diverged", fmt::format("at {}", point), {NAN, NAN}, {}};
    return made;
  };
  sweep_plan plan(all);
  {
    sweep_store store(path("many.sqlite"), plan);
    std::vector<sweep_store::finished_chunk> some;
    while (const auto chunk = store.claim(2)) {
      some.insert(some.begin(), {*chunk, {}});
      const long long first = *chunk * plan.chunk_size();
      for (long long i = first; i < std::min(first + plan.chunk_size(), plan.points()); ++i)
        some.front().results.push_back(result_of(i));
      if (some.size() < 3 && *chunk + 1 < plan.chunks()) continue;
      store.finish(some);
      some.clear();
    }
    ASSERT_TRUE(store.complete());
  }
  const sweep_table table = read_sweep(path("many.sqlite"));
  ASSERT_EQ(table.point.size(), 120'300U);
  for (std::size_t i = 0; i < table.point.size(); ++i) {
    const auto wanted = result_of(static_cast<long long>(i));
    const auto at = plan.parameters(static_cast<long long>(i));
    ASSERT_EQ(table.point[i], static_cast<long long>(i));
    ASSERT_EQ(table.outcome[i], wanted.outcome);
    ASSERT_EQ(table.detail[i], wanted.detail);
    for (std::size_t k = 0; k < 2; ++k) {
      ASSERT_EQ(table.parameters[k][i], at[k]);
      const double value = table.values[k][i];
      ASSERT_TRUE(value == wanted.values[k] || (std::isnan(value) && std::isnan(wanted.values[k])));
    }
  }
  // What is wrong in the middle is told as it is of a small table.
  fs::rename(path("many.sqlite"), path("both.sqlite"));
  ASSERT_TRUE(change("it.sqlite", "UPDATE results SET outcome = x'00' WHERE point = 70000"));
  EXPECT_NE(read("it.sqlite").find("row 70001 of 'results' has '1 bytes' as outcome"),
            std::string::npos)
      << read("it.sqlite");
  ASSERT_TRUE(change("it.sqlite", "DELETE FROM results WHERE point = 70000"));
  EXPECT_EQ(read_sweep(path("it.sqlite")).point[70'000], 70'001);
}

TEST_F(sweep_file, IsNotResumedWithoutItsChunks) {
  for (const char* each :
       {"DELETE FROM chunks", "DELETE FROM chunks WHERE chunk = 0",
        "INSERT INTO chunks (chunk) VALUES (4)", "UPDATE chunks SET done = 2 WHERE chunk = 0",
        "UPDATE chunks SET chunk = -1 WHERE chunk = 0",
        "UPDATE about SET value = '1' WHERE key = 'chunk_size'",
        "UPDATE about SET value = '0' WHERE key = 'chunk_size'",
        "UPDATE about SET value = '4000000000000000000' WHERE key = 'chunk_size'"}) {
    ASSERT_TRUE(change("it.sqlite", each));
    EXPECT_NE(resume("it.sqlite").find("is damaged"), std::string::npos) << each;
  }
  // Claims of anybody, even of a process with an odd name, end when that one is gone.
  ASSERT_TRUE(change("it.sqlite",
                     "UPDATE chunks SET done = 0, owner = 'x ../../../../../../etc y', claimed = "
                     "9e999"));
  EXPECT_EQ(resume("it.sqlite"), "");
}

// A trigger or a view that came with the file does nothing.
TEST_F(sweep_file, RunsNothingOfItsOwn) {
  ASSERT_TRUE(change("it.sqlite",
                     "UPDATE chunks SET done = 0; CREATE TRIGGER t AFTER UPDATE ON chunks BEGIN "
                     "DELETE FROM results; END"));
  sweep_plan plan(wanted());
  EXPECT_THROW(sweep_store(path("it.sqlite"), plan), error);
  EXPECT_NE(read("it.sqlite").find("it has a trigger 't'"), std::string::npos);
}

// Bytes that a disk or a carrier changed, anywhere: a fixed sequence, so that it can be repeated.
TEST_F(sweep_file, WithFlippedBytesIsReadOrRefused) {
  const std::string whole = content("both.sqlite");
  std::mt19937 engine(16);
  for (int trial = 0; trial < 400; ++trial) {
    std::string bytes = whole;
    const int flips = 1 + static_cast<int>(engine() % 8);
    for (int i = 0; i < flips; ++i)
      bytes[engine() % bytes.size()] = static_cast<char>(engine() % 256);
    if (trial % 10 == 0) bytes.resize(engine() % bytes.size());
    write("it.sqlite", bytes);
    static_cast<void>(read("it.sqlite"));
    write("it.sqlite", bytes);
    static_cast<void>(resume("it.sqlite"));
  }
}

}  // namespace
}  // namespace asperity
