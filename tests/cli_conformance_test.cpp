// SPDX-License-Identifier: Apache-2.0
// `asperity conformance`: what it prints, writes and refuses.

#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;

class cli_conformance : public program_test {
 protected:
  static bool has(const answer& a, const std::string& words) {
    return a.text().find(words) != std::string::npos;
  }
};

TEST_F(cli_conformance, PrintsAMatrixWithReasons) {
  const answer a =
      run("conformance touchdown presliding_memory --model hertz --model kelvin_voigt "
          "--model lugre --model coulomb");
  EXPECT_EQ(a, 0);
  for (const char* words : {"touchdown", "presliding_memory", "kelvin_voigt", "NOT MET", "met ",
                            "no presliding: friction does not grow with the displacement"})
    EXPECT_TRUE(has(a, words)) << words << "\n" << a.text();
}

TEST_F(cli_conformance, PrintsJson) {
  const answer a = run("conformance touchdown --model hertz --model lugre --json");
  EXPECT_EQ(a, 0);
  const json all = json::parse(a.out);
  EXPECT_EQ(all["cards"][0]["name"], "touchdown");
  EXPECT_EQ(all["results"][0]["cards"]["touchdown"]["verdict"], "met");
  EXPECT_GT(all["results"][0]["cards"]["touchdown"]["values"]["jump"].get<double>(), 0);
  EXPECT_EQ(all["results"][1]["cards"]["touchdown"]["verdict"], "does_not_apply");
}

TEST_F(cli_conformance, WritesAPageWithPlots) {
  EXPECT_EQ(run("conformance touchdown --model hertz --model kelvin_voigt --out page --quiet"), 0);
  for (const char* file : {"index.html", "conformance.json", "matrix.md", "touchdown.svg"})
    EXPECT_TRUE(fs::exists(folder / "page" / file)) << file;
  const std::string page = content("page/index.html");
  EXPECT_NE(page.find("kelvin_voigt"), std::string::npos);
  EXPECT_NE(page.find("touchdown.svg"), std::string::npos);
}

TEST_F(cli_conformance, JudgesWhatOthersMeasured) {
  std::ofstream(folder / "other.json")
      << R"({"simulator": "An <engine>", "settings": "1 ms", "cards": {"touchdown": {"jump": 0.5, "pull": 0}}})";
  const answer a = run("conformance --only-measured --measured other.json touchdown --out page");
  EXPECT_EQ(a, 0);
  EXPECT_TRUE(has(a, "NOT MET 0.5, 0")) << a.text();
  EXPECT_EQ(content("page/index.html").find("<engine>"), std::string::npos);
}

TEST_F(cli_conformance, RefusesBadInput) {
  EXPECT_EQ(run("conformance touchdwn"), 2);
  EXPECT_EQ(run("conformance touchdown --model hrtz"), 2);
  EXPECT_EQ(run("conformance --only-measured"), 2);
  EXPECT_EQ(run("conformance --measured nothing.json"), 2);
  EXPECT_EQ(run("conformance --cards nowhere"), 2);
  EXPECT_EQ(run("conformance --jobs 0"), 2);
}

}  // namespace
}  // namespace asperity::testing
