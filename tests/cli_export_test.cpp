// SPDX-License-Identifier: Apache-2.0
// `asperity export`: what it writes, where, and what it refuses.

#include <map>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

class cli_export : public program_test {};

TEST_F(cli_export, WritesAFileNamedAfterTheModel) {
  ASSERT_EQ(run({"export", "lugre", "--lang", "c", "--set", "F_s=2.25"}), 0);
  const std::string text = content("lugre.h");
  EXPECT_NE(text.find("p.F_s = 2.25;"), text.npos);
  EXPECT_NE(text.find("doi:10.1109/9.376053"), text.npos);
  EXPECT_NE(text.find("2.78"), text.npos);  // it steps explicitly, and says how far
  for (const auto& [language, file] : std::map<std::string, std::string>{
           {"cpp", "lugre.hpp"}, {"rust", "lugre.rs"}, {"matlab", "lugre.m"}}) {
    ASSERT_EQ(run({"export", "lugre", "--lang", language}), 0);
    EXPECT_FALSE(content(file).empty()) << file;
  }
}

TEST_F(cli_export, WritesToStandardOutputOrReplacesAFileAsAWhole) {
  const answer shown = run({"export", "dai", "--lang", "c", "--out", "-"});
  ASSERT_EQ(shown, 0);
  EXPECT_FALSE(fs::exists(folder / "-"));
  write("mine.h", std::string(1'000'000, 'x'));
  ASSERT_EQ(run({"export", "dai", "--lang", "c", "--force", "--out", "mine.h"}), 0);
  EXPECT_EQ(content("mine.h"), shown.out);
}

TEST_F(cli_export, TakesUnitsAndCurves) {
  ASSERT_EQ(run({"export", "lugre", "--lang", "c", "--set", "sigma_0=0.25 N/um", "--curve",
                 "stribeck_lorentzian"}),
            0);
  const std::string text = content("lugre.h");
  EXPECT_NE(text.find("p.sigma_0 = 250000.0;"), text.npos);
  EXPECT_NE(text.find("stribeck_lorentzian"), text.npos);
}

TEST_F(cli_export, RefusesWhatItCannotDoAndWritesNothing) {
  refuses({"export", "lugre", "--lang", "fortran"},
          {"fortran", "allowed: ", "c, cpp", "rust", "matlab"});
  refuses({"export", "lugre", "--lang", "rus"}, {"rus", "did you mean 'rust'?"});
  refuses({"export", "lugr", "--lang", "c"}, {"lugr", "lugre"});
  refuses({"export", "../lugre", "--lang", "c"}, {"../lugre"});
  refuses({"export", "lugre", "--lang", "c", "--set", "F_s=-1"}, {"F_s", "-1"});
  refuses({"export", "lugre", "--lang", "c", "--set", "F_s=0.5"}, {"F_s"});
  refuses({"export", "lugre", "--lang", "c", "--set", "nothing=1"}, {"nothing"});
  refuses({"export", "dai", "--lang", "c", "--curve", "stribeck_sech"},
          {"takes no Stribeck curve"});
  refuses({"export", "gms", "--lang", "c"}, {"gms", "branches on its memory", "C interface"});
  refuses({"export", "patch_dai", "--lang", "c"}, {"patch_dai", "cells", "C interface"});
  refuses({"export", "dai", "--lang", "c", "--out", "nowhere/dai.h"}, {"nowhere"});
  refuses({"export", "dai", "--lang", "c", "--out", "."}, {"."});
  for (const auto& each : fs::directory_iterator(folder))
    EXPECT_TRUE(each.path().filename() == "out" || each.path().filename() == "err") << each.path();
}

// A disk that is full leaves what was there.
TEST_F(cli_export, AFileIsWrittenWholeOrNotAtAll) {
  write("dai.h", "mine");
  surroundings small;
  small.largest_file = 512;
  EXPECT_EQ(run({"export", "dai", "--lang", "c", "--out", "dai.h"}, small), 2);
  EXPECT_EQ(content("dai.h"), "mine");
}

// The example of docs/command-line.md: friction that takes 1 N holds 0.5 N in its place.
TEST_F(cli_export, FirmwareHoldsABodyAtRest) {
  ASSERT_EQ(run({"export", "dai", "--lang", "c"}), 0);
  write("main.c",
        "#include <stdio.h>\n#include \"dai.h\"\n"
        "int main(void) {\n"
        "  const double m = 2, h = 1e-3;\n"
        "  dai_parameters p = dai_defaults();\n"
        "  const dai_inputs rest = {0, 0, 1};\n"
        "  dai_state s = dai_init(&p, &rest);\n"
        "  double least = 0;\n"
        "  int i;\n"
        "  p.F = 1;\n"
        "  for (i = 0; i < 20000; ++i)\n"
        "    dai_step_with_body(&p, &s, 1.0, s.last.v + h / m * 0.5, h / m, h);\n"
        "  least = s.last.x;\n"
        "  for (i = 0; i < 20000; ++i)\n"
        "    dai_step_with_body(&p, &s, 1.0, s.last.v + h / m * 0.5, h / m, h);\n"
        "  printf(\"%d\\n\", s.last.x - least < 1e-12 && least - s.last.x < 1e-12);\n"
        "  return 0;\n}\n");
  ASSERT_EQ(finish(launch({"cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "main.c",
                           "-lm", "-o", "firmware"})),
            0)
      << content("err");
  ASSERT_EQ(finish(launch({path("firmware")})), 0);
  EXPECT_EQ(content("out"), "1\n");
}

}  // namespace
}  // namespace asperity::testing
