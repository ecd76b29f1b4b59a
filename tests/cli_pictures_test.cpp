// SPDX-License-Identifier: Apache-2.0
// The pictures of docs/sweeps.md come from the commands that stand under them: each is typed here, with
// few points.

#include <regex>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

class cli_pictures : public program_test {
 protected:
  // The first command behind a heading, on one line.
  static std::string command_under(const std::string& heading) {
    std::ifstream page(ASPERITY_SOURCE_DIR "/docs/sweeps.md");
    std::string command;
    bool is_there = false;
    for (std::string line; std::getline(page, line);) {
      if (line == "### " + heading) is_there = true;
      if (!is_there) continue;
      if (line.starts_with("    ")) command += line.substr(4);
      if (!line.starts_with("    ") && !command.empty()) break;
      if (command.ends_with("\\")) command.back() = ' ';
    }
    return command;
  }

  // Draws it with three values of each parameter, and gives back what is drawn.
  std::string drawn_by(const std::string& heading) const {
    std::string command = command_under(heading);
    EXPECT_TRUE(command.starts_with("asperity sweep examples/")) << heading << ": " << command;
    command = std::regex_replace(command, std::regex(R"(^asperity )"), "");
    command = std::regex_replace(command, std::regex("examples/"), examples + "/");
    command = std::regex_replace(command, std::regex(R"((lin|log)\(([^,]*),([^,]*),[^)]*\))"),
                                 "$1($2,$3, 3)");
    EXPECT_EQ(run(command + " --plot svg"), 0);
    std::string all;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".svg") all += content(entry.path().filename().string());
    return all;
  }
};

TEST_F(cli_pictures, OnsetOfStickSlip) {
  const std::string picture = drawn_by("Where does stick-slip begin?");
  EXPECT_NE(picture.find("damping"), std::string::npos);
  EXPECT_NE(picture.find("speed"), std::string::npos);
}

TEST_F(cli_pictures, BifurcationDiagram) {
  EXPECT_NE(drawn_by("Bifurcation diagram").find("speed"), std::string::npos);
}

TEST_F(cli_pictures, MapOfRestitution) {
  const std::string picture = drawn_by("Coefficient of restitution");
  EXPECT_NE(picture.find("alpha"), std::string::npos);
  EXPECT_NE(picture.find("restitution"), std::string::npos);
}

}  // namespace
}  // namespace asperity::testing
