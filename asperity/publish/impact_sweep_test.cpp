// SPDX-License-Identifier: Apache-2.0
// Sweeps of impacts in experiment files, and the measures made for them.

#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/publish/experiment.hpp>
#include <cmath>

#include "tests/folder.hpp"

namespace asperity {
namespace {

class impact_sweep_test : public testing::in_folder {
 protected:
  experiment read(const std::string& text) const {
    write("it.toml", "title = \"t\"\nsource = \"s\"\n" + text);
    return read_experiment(folder.string(), "it");
  }
  std::string complaint(const std::string& text) const {
    try {
      read(text);
    } catch (const error& problem) {
      return problem.what();
    }
    return "";
  }
};

const std::string claim =
    "[[claim]]\ntext = \"c\"\nsource_says = \"w\"\nrun = \"a\"\nmeasure = \"last\"\n"
    "column = \"restitution\"\nat_most = 2\n";

// Over speeds, with the source's step and converged; the measures read the speed as their axis.
TEST_F(impact_sweep_test, OverSpeeds) {
  const auto result = perform(read(R"toml(
[impacts]
speed = "log(0.01, 1, 3)"
step = 1e-4
[[analysis]]
kind = "impacts"
name = "a"
contact = { model = "hunt_crossley", K = 1e4, b = 0.2 }
[[claim]]
text = "falls"
source_says = "w"
run = "a"
measure = "largest_rise"
column = "restitution"
at_most = 0
[[claim]]
text = "rises"
source_says = "w"
run = "a"
measure = "largest_fall"
column = "restitution"
at_most = 0
[[claim]]
text = "in proportion with the speed"
source_says = "w"
run = "a"
measure = "exponent"
column = "loss"
to = "0.11 m/s"
equals = 1
tolerance = 0.02
)toml"));
  const auto& data = result.data.at({"a", execution::converged});
  EXPECT_EQ(data["speed"].size(), 3U);
  EXPECT_NEAR(data["speed"][1], 0.1, 1e-12);
  EXPECT_TRUE(result.data.contains({"a", execution::source}));
  ASSERT_EQ(result.judgements.size(), 6U);
  EXPECT_EQ(result.judgements[1].answer, verdict::met);
  EXPECT_EQ(result.judgements[3].answer, verdict::not_met);
  EXPECT_EQ(result.judgements[5].answer, verdict::met);
  EXPECT_NE(result.judgements[5].measured.find("0.11 m/s"), std::string::npos);
}

// Over a parameter, without a step of the source: only converged. Kelvin-Voigt by its closed form.
TEST_F(impact_sweep_test, OverAParameter) {
  const auto result = perform(read(R"toml(
[[analysis]]
kind = "impacts"
name = "a"
contact = { model = "kelvin_voigt", K = 1e4 }
speed = 2
over = "B"
values = [20, 40]
end = "gap"
)toml" + claim));
  EXPECT_FALSE(result.data.contains({"a", execution::source}));
  ASSERT_EQ(result.judgements.size(), 1U);
  const auto& data = result.data.at({"a", execution::converged});
  EXPECT_EQ(data["B"], (std::vector<double>{20, 40}));
  for (std::size_t i = 0; i < 2; ++i) {
    const double zeta = data["B"][i] / 200;
    EXPECT_NEAR(data["restitution"][i],
                std::exp(-std::acos(-1.0) * zeta / std::sqrt(1 - zeta * zeta)), 1e-8);
  }
}

TEST_F(impact_sweep_test, ComplaintsNameTheKey) {
  const auto with = [&](const std::string& keys) {
    return complaint(
        "[[analysis]]\nkind = \"impacts\"\nname = \"a\"\ncontact = { model = \"kelvin_voigt\" }\n" +
        keys + "\n" + claim);
  };
  EXPECT_EQ(with("speed = 1"), "");
  EXPECT_NE(with("").find("speed"), std::string::npos);
  EXPECT_NE(with("speed = -1").find("speed"), std::string::npos);
  EXPECT_NE(with("speed = \"log(1, 2)\"").find("three arguments"), std::string::npos);
  EXPECT_NE(with("speed = 1\nover = \"beta\"\nvalues = 1").find("no parameter 'beta'"),
            std::string::npos);
  EXPECT_NE(with("speed = [1, 2]\nover = \"B\"\nvalues = 1").find("one speed"), std::string::npos);
  EXPECT_NE(with("speed = 1\nend = \"later\"").find("end"), std::string::npos);
  EXPECT_NE(with("speed = 1\ncolour = \"red\"").find("colour"), std::string::npos);
}

}  // namespace
}  // namespace asperity
