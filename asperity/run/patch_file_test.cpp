// SPDX-License-Identifier: Apache-2.0
#include <asperity/error.hpp>
#include <asperity/run/patch_file.hpp>

#include "tests/folder.hpp"

namespace asperity {
namespace {

class patch_file : public testing::in_folder {
 protected:
  // The complaint about a file, as a grid and as a table of pressures.
  std::vector<std::string> complaints(const std::string& csv) {
    write("p.csv", csv);
    std::vector<std::string> result;
    for (const std::string patch :
         {"shape = 'grid'\nfile = 'p.csv'\n",
          "shape = 'disc'\nradius = 1\npressure = 'table'\npressure_file = 'p.csv'\n"})
      result.push_back(complaint(patch));
    return result;
  }
  std::string complaint(const std::string& patch) {
    try {
      patch_of(parse_toml(patch, "box.toml"), folder.string());
    } catch (const error& problem) {
      return problem.what();
    }
    return "accepted";
  }
};

// Each names the scenario's line and key, and file, line, column, value and what is allowed.
TEST_F(patch_file, ComplaintsAboutPressuresSayWhereAndWhatIsAllowed) {
  const std::string start = "# by the sensor\n\nx,y,pressure\n0,0,1\n1,0,2\n";  // lines 1 to 5
  const std::pair<std::string, std::vector<std::string>> cases[] = {
      {start + "0,1,-3.5\n1,1,1\n", {"p.csv:6: column 'pressure' = '-3.5': it must be at least 0"}},
      {start + "0,1,-0x\n1,1,1\n", {"p.csv:6: column 'pressure' = '-0x'", "a finite number"}},
      {start + "0,1,nan\n1,1,1\n", {"p.csv:6: column 'pressure' = 'nan'", "a finite number"}},
      {start + "0,1,1\n1,,1\n", {"p.csv:7: column 'y' = ''", "a finite number"}},
      {start + "0,1\n", {"p.csv:6: this line has 2 values, but line 3 names 3 columns"}},
      {start + "0,1,1\n# again\n2.4,1,1\n",
       {"p.csv:8: column 'x' = '2.4'", "not on the regular grid from 0 in steps of 1"}},
      {start + "0,1,1\n0,2.3,1\n",
       {"p.csv:7: column 'y' = '2.3'", "not on the regular grid from 0 in steps of 1"}},
      {start + "0,1,1\n1,0,7\n",
       {"p.csv:7: column 'x' = '1'", "the point (1, 0) appears twice, first as point 2"}},
      {start,
       {"p.csv:4: column 'y' = '0'",
        "all values are 0: a grid needs at least two different values"}},
      {start + "1,1e-5,1\n1e5,1,1\n", {"p.csv:4: column 'x' = '0'", "at most 1e+07 are allowed"}},
      {"x,y,pressure\n0,0,0\n1,0,0\n0,1,0\n1,1,0\n",
       {"p.csv:2: column 'pressure' = '0'", "all values are 0: at least one must be above 0"}},
      {"# by hand\nx,y,presure\n0,0,1\n", {"p.csv:2: there is no column 'pressure'", "'presure'"}},
      {"# by hand\nx,pressure\n0,0\n", {"p.csv:2: there is no column 'y'", "x, pressure"}},
      {"# by hand\nx,y,pressure\n", {"p.csv:2: there are no rows"}},
      {"", {"p.csv:1: the file is empty", "name the columns"}}};
  for (const auto& [csv, words] : cases)
    for (const std::string& said : complaints(csv)) {
      EXPECT_EQ(said.rfind("box.toml:", 0), 0U) << said;
      EXPECT_NE(said.find("file = \"p.csv\": "), std::string::npos) << said;
      for (const auto& word : words) EXPECT_NE(said.find(word), std::string::npos) << said;
    }
}

TEST_F(patch_file, ATableBesideThePatchIsRefusedWithBothPlaces) {
  write("p.csv", "x,y,pressure\n5,0,1\n6,0,2\n5,1,1\n6,1,1\n");
  const auto said =
      complaint("shape = 'disc'\nradius = 2\npressure = 'table'\npressure_file = 'p.csv'\n");
  EXPECT_NE(
      said.find("within x = -2 to 2 m, y = -2 to 2 m; the table covers x = 5 to 6 m, y = 0 to 1 m"),
      std::string::npos)
      << said;
}

TEST_F(patch_file, AFileThatIsNotThereIsNamed) {
  const auto said = complaint("shape = 'grid'\nfile = 'absent.csv'\n");
  EXPECT_EQ(said.rfind("box.toml:2", 0), 0U) << said;
  EXPECT_NE(said.find("absent.csv': no such file"), std::string::npos) << said;
}

}  // namespace
}  // namespace asperity
