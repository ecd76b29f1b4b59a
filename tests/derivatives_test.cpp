// SPDX-License-Identifier: Apache-2.0
// Exact derivatives of whole systems, whatever law stands in them, are those of their rates.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/every_system.hpp"

namespace asperity::testing {
namespace {

// Differences from both sides, which must agree with each other first: at a kink there is nothing to
// compare.
TEST(derivatives, AreThoseOfTheRates) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  int systems = 0, compared = 0, kinks = 0;
  for_each_system(
      "run = { duration = 1 }\n", [&](const scenario& s, const std::string& what, bool) {
        const derivatives* exact = s.system->exact();
        if (exact == nullptr) return;
        ++systems;
        const auto w = s.system->new_workspace();
        w->setting = s;
        const auto& states = s.system->card().states;
        const std::size_t n = states.size();
        std::vector<double> rate(n), rate_t(n), jacobian(n * n, 1e300), back(n), ahead(n), here(n);
        for (int trial = 0; trial < 12; ++trial) {
          std::vector<double> y = s.initial;
          for (std::size_t i = 0; i < n; ++i) {
            const double scale = states[i].scale > 0 ? states[i].scale : 0.03;
            if (states[i].allowed.whole) continue;
            y[i] += 0.5 * scale * unit(random);
            if (!allows(states[i].allowed, y[i])) y[i] = s.initial[i];
          }
          std::fill(jacobian.begin(), jacobian.end(), 1e300);  // so that what is not written shows
          exact->linearise(0.1, y.data(), rate.data(), rate_t.data(), jacobian.data(),
                           static_cast<int>(n));
          s.system->rates(0.1, y.data(), here.data(), *w);
          for (std::size_t j = 0; j < n; ++j) {
            if (states[j].allowed.whole) continue;
            const double scale = states[j].scale > 0 ? states[j].scale : 0.03, nudge = 1e-6 * scale;
            auto moved = y;
            moved[j] = y[j] + nudge;
            s.system->rates(0.1, moved.data(), ahead.data(), *w);
            moved[j] = y[j] - nudge;
            s.system->rates(0.1, moved.data(), back.data(), *w);
            for (std::size_t i = 0; i < n; ++i) {
              EXPECT_DOUBLE_EQ(rate[i], here[i]) << what << " " << states[i].name;
              const double right = (ahead[i] - here[i]) / nudge, left = (here[i] - back[i]) / nudge;
              const double size = std::abs(right) + std::abs(left);
              const double rounding = 1e-15 * std::abs(here[i]) / nudge;
              if (!std::isfinite(size) || std::abs(right - left) > 1e-3 * size + 10 * rounding) {
                ++kinks;
                continue;
              }
              const double found = jacobian[i * n + j];
              EXPECT_NEAR(found, 0.5 * (right + left), 2e-3 * size + 20 * rounding + 1e-9)
                  << what << ": rate of " << states[i].name << " by " << states[j].name;
              ++compared;
            }
          }
        }
      });
  EXPECT_GT(systems, 20);
  EXPECT_GT(compared, 10 * kinks);
}

}  // namespace
}  // namespace asperity::testing
