// SPDX-License-Identifier: Apache-2.0
// What Drincic (2012), sections 3.3.4 and 3.3.5, says of the sawtooth.

#include <gtest/gtest.h>

#include <asperity/integrate/switch_model.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/drbm.hpp>
#include <asperity/models/friction/drbm_sawtooth.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const drbm_sawtooth<double> fig_3_10{0.5, 1.0, 0.033};
const drbm_sawtooth<double> fig_3_11{};  // the defaults are its parameters

double force(const drbm_sawtooth<double>& model, double x, double v) { return model({}, {x, v}).f; }

// It rises in the direction of motion, on either side of the origin, and drops at the teeth.
TEST(drbm_sawtooth, RisesInTheDirectionOfMotion) {
  const double Delta = fig_3_10.Delta, e = 1e-9;
  for (const double tooth : {-5.0, -1.0, 0.0, 1.0, 7.0}) {
    const double x = tooth * Delta;
    EXPECT_NEAR(force(fig_3_10, x + e, 1), 0.5, 1e-6);
    EXPECT_NEAR(force(fig_3_10, x - e, 1), 1.0, 1e-6);
    EXPECT_NEAR(force(fig_3_10, x - e, -1), -0.5, 1e-6);
    EXPECT_NEAR(force(fig_3_10, x + e, -1), -1.0, 1e-6);
    EXPECT_NEAR(force(fig_3_10, x + Delta / 2, 1), 0.75, 1e-12);
    EXPECT_NEAR(force(fig_3_10, x - Delta / 2, -1), -0.75, 1e-12);
  }
  EXPECT_EQ(force(fig_3_10, 0.01, 0.0), 0.0);
}

TEST(drbm_sawtooth, TheSameAMillionTeethAway) {
  for (const double x : testing::lin_space(0.01, 0.99, 50)) {
    const double here = x * fig_3_10.Delta;
    for (const double v : {1.0, -1.0})
      EXPECT_NEAR(force(fig_3_10, here + 1e6 * fig_3_10.Delta, v), force(fig_3_10, here, v), 1e-9);
  }
}

// (3.48) stands for (3.13): with its valleys and peaks, and the tooth shifted to where a bristle
// slips below the body, it stays within one part in fifty of the bristles.
TEST(drbm_sawtooth, ApproximatesTheBristles) {
  const drbm<double> bristles{};
  const auto& row = bristles.row;
  double least = 1, most = 0;
  for (const double x : testing::lin_space(0, row.Delta, 10001)) {
    const double f = bristles.side({}, {x, 0.0}, 1.0).f;
    least = std::min(least, f);
    most = std::max(most, f);
  }
  const drbm_sawtooth<double> teeth{least, most, row.Delta};
  const double shift = row.d / 2 - row.d_0();
  double worst = 0;
  for (const double x : testing::lin_space(-0.0173, 0.0191, 1000))
    worst = std::max(worst, std::abs(bristles.side({}, {x, 0.0}, 1.0).f -
                                     teeth.side({}, {x + shift, 0.0}, 1.0).f));
  EXPECT_LT(worst, 0.02 * most);
}

// (3.56): with a constant push u the body rests exactly where -K x + u lies between both limits of
// the force. Pushed slowly, it is never seen at rest elsewhere (Fig. 3.11).
TEST(drbm_sawtooth, RestsOnlyInItsEquilibriaSet) {
  struct slow : no_inputs<double> {
    double force(double t) const { return 2 * std::sin(0.01 * t); }
  };
  const sliding_mass<double, drbm_sawtooth<double>, slow> system{fig_3_11, 1.0, 1.0, 0.0, {}};
  switch_stepper<sliding_mass<double, drbm_sawtooth<double>, slow>> stepper(system, {}, 1e-4, 1.0);
  std::vector<event_record> none;
  run_options options;
  options.to = 1300;
  const double start[2] = {0, 0};
  int rests = 0, on_the_border = 0;
  const auto result = run(stepper, start, 2, options, {}, none, [&](double t, const double* y) {
    if (y[1] != 0) return;
    ++rests;
    const double needed = system.inputs.force(t) - y[0];
    const double ahead = fig_3_11.side({}, {y[0], 0.0}, 1.0).f;
    const double back = fig_3_11.side({}, {y[0], 0.0}, -1.0).f;
    EXPECT_LE(needed, ahead + 1e-6);
    EXPECT_GE(needed, back - 1e-6);
    on_the_border += needed > ahead - 1e-6 || needed < back + 1e-6 ? 1 : 0;
  });
  EXPECT_EQ(result.how, outcome::completed);
  EXPECT_GT(rests, 500);
  EXPECT_GT(on_the_border, 20) << "where it breaks away";
}

TEST(drbm_sawtooth, RefusesValleysAbovePeaks) {
  EXPECT_EQ((drbm_sawtooth<double>{2.0, 1.0, 0.1}.valid().verdict), validity::refused);
  EXPECT_EQ((drbm_sawtooth<double>{1.0, 1.0, 0.1}.valid().verdict), validity::fine);
}

// Nothing gives way before it slides: every motion is slip, either way.
TEST(drbm_sawtooth, EveryMotionIsSlip) {
  const auto margin = [](double v) { return drbm_sawtooth<double>{}.slip_margin({}, {0, v, 1}); };
  for (const double v : {1e-9, 0.3}) {
    EXPECT_GT(margin(v), 0);
    EXPECT_EQ(margin(-v), margin(v));
  }
  EXPECT_EQ(margin(0), 0);
}

TEST(drbm_sawtooth, LoadScalesTheForce) {
  for (const double x : {0.01, -0.07})
    for (const double v : {-1.0, 1.0}) {
      EXPECT_NEAR(fig_3_10({}, {x, v, 2.5}).f, 2.5 * fig_3_10({}, {x, v, 1}).f, 1e-15);
      EXPECT_EQ(fig_3_10.side({}, {x, 0, 2.5}, v).f, fig_3_10({}, {x, v, 2.5}).f);
    }
}

}  // namespace
}  // namespace asperity
