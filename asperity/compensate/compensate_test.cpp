// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/analysis/inverse.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/compensate/feedforward.hpp>
#include <asperity/compensate/inverse_hysteresis.hpp>
#include <asperity/compensate/observer.hpp>
#include <asperity/models/friction/coulomb.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <asperity/models/hysteresis/play.hpp>
#include <asperity/models/hysteresis/prandtl_ishlinskii.hpp>
#include <cmath>

namespace asperity {
namespace {

// A model of known type and the same one by its name go the same way, bit by bit.
template <class Model>
void compare_with_name(const char* key, const Model& model) {
  friction_feedforward<Model> typed(model);
  friction_feedforward<any_model> named{any_model(find_entry(key))};
  for (int k = 1; k < 500; ++k) {
    const double t = 1e-3 * k;
    const drive<double> wanted{1e-3 * std::sin(20 * t), 2e-2 * std::cos(20 * t), 1};
    ASSERT_EQ(typed(wanted, 1e-3), named(wanted, 1e-3)) << key << " " << k;
  }
}
TEST(feedforward, IsTheSameByNameAndByType) {
  compare_with_name("coulomb", coulomb<double>{});
  compare_with_name("lugre", lugre<double>{});
  compare_with_name("dai", dai<double>{});
}

// Every friction model of the catalogue gives finite forces along a motion that turns, and begins
// again after a reset.
TEST(feedforward, FollowsEveryFrictionModel) {
  for (const catalogue_entry* entry : catalogue()) {
    if (entry->family != "friction") continue;
    friction_feedforward<any_model> f{any_model(*entry)};
    const auto go = [&] {
      double last = 0;
      for (int k = 1; k <= 200; ++k) {
        const double t = 1e-3 * k;
        last = f({1e-4 * std::sin(30 * t), 3e-3 * std::cos(30 * t), 1}, 1e-3);
        EXPECT_TRUE(std::isfinite(last)) << entry->key;
      }
      return last;
    };
    const double first = go();
    f.reset();
    EXPECT_EQ(go(), first) << entry->key;
  }
}

// Bristles that slide fast are stiff beside a period of 1 ms: the force stays that of the model, which steps
// of a thousandth of it show.
TEST(feedforward, StaysWithFastMotion) {
  for (const double amplitude : {1e-3, 1e-2, 1e-1}) {
    friction_feedforward ahead(lugre<double>{}), exact(lugre<double>{});
    const double h = 1e-3;
    const auto at = [&](double t) {
      return drive<double>{amplitude * std::sin(6 * t), 6 * amplitude * std::cos(6 * t), 1};
    };
    for (int k = 0; k < 400; ++k) {
      double f = 0;
      for (int i = 1; i <= 1000; ++i) f = exact(at((k + 1e-3 * i) * h), 1e-3 * h);
      const double found = ahead(at((k + 1) * h), h);
      if (k <= 20) continue;
      // Where it turns within a period the force is anywhere between its ends.
      const bool is_fast = std::abs(at((k + 1) * h).v) > amplitude;
      ASSERT_NEAR(found, f, is_fast ? 0.03 : 2) << amplitude << " " << k;
    }
  }
  for (const catalogue_entry* entry : catalogue()) {
    if (entry->family != "friction") continue;
    friction_feedforward<any_model> f{any_model(*entry)};
    for (int k = 1; k <= 2000; ++k) {
      const double t = 1e-3 * k;
      ASSERT_LT(std::abs(f({0.02 * std::sin(6 * t), 0.12 * std::cos(6 * t), 1}, 1e-3)), 30)
          << entry->key << " " << k;
    }
  }
}

// A sample that is no number does not spoil those that follow.
TEST(compensation, PassesOverWhatIsNoNumber) {
  friction_feedforward<lugre<double>> ahead(lugre<double>{});
  friction_observer<lugre<double>> observer(lugre<double>{}, 1, 50);
  double f = ahead({0, std::nan(""), 1}, 1e-3), d = observer(1, {0, std::nan(""), 1}, 1e-3);
  EXPECT_EQ(f, 0);
  EXPECT_EQ(d, 0);
  for (int k = 1; k < 100; ++k) {
    const drive<double> in{0, k % 10 == 0 ? std::nan("") : 0.01, k % 25 == 0 ? 0.0 : 1.0};
    const double before = f;
    f = ahead(in, 1e-3);
    d = observer(1, in, 1e-3);
    ASSERT_TRUE(std::isfinite(f)) << k;
    ASSERT_TRUE(std::isfinite(d)) << k;
    if (k % 10 == 0) {
      ASSERT_EQ(f, before) << k;
    }
  }
}

// Where the model is right the rest is 0; where it is wrong by a factor the rest is what it leaves,
// within a few times 1/bandwidth.
TEST(observer, FindsWhatTheModelLeaves) {
  for (const double share : {0.0, 0.5, 1.0, 2.0}) {
    const double m = 2, h = 1e-3, F = 3, a = 0.5;
    friction_observer<coulomb<double>> observer(
        coulomb<double>{.F_c = share > 0 ? share * F : 1e-9}, m, 100);
    // A body that F resists and that gains speed by a: the force on it is m a + F.
    double estimate = 0;
    for (int k = 1; k < 400; ++k) estimate = observer(m * a + F, {0, 0.1 + a * h * k, 1}, h);
    EXPECT_NEAR(estimate, F, 1e-6) << share;
    EXPECT_NEAR(observer.rest(), F - share * F, 1e-6) << share;
  }
}

// Its error falls by (1 + w h)^-1 twice for each period: no bandwidth makes it swing.
TEST(observer, IsStableForAnyBandwidth) {
  for (const double bandwidth : {1.0, 1e3, 1e6, 1e12}) {
    friction_observer<no_friction> observer(no_friction{}, 1, bandwidth);
    double highest = 0;
    for (int k = 1; k < 2000; ++k) highest = std::max(highest, observer(1, {0, 0, 1}, 1e-3));
    EXPECT_LE(highest, 1 + 1e-9) << bandwidth;
    EXPECT_GE(highest, 0.5) << bandwidth;
  }
}

// What it gives as input makes the operator give what was wanted, and the closed form agrees.
TEST(inverse_hysteresis, GivesTheWantedOutput) {
  prandtl_ishlinskii<double> model;
  inverse_hysteresis<prandtl_ishlinskii<double>> inverse(model, -1e3, 1e3);
  const auto closed = inverse_of(model);
  friction_feedforward<prandtl_ishlinskii<double>> by_form(closed.inverse);
  for (int k = 1; k < 2000; ++k) {
    const double t = 1e-3 * k, wanted = 2 * std::sin(7 * t) + std::sin(31 * t);
    const double x = inverse(wanted, 1e-3);
    ASSERT_NEAR(inverse.output(), wanted, 1e-9) << k;
    ASSERT_NEAR(x, by_form({wanted, 0, 1}, 1e-3), 1e-8) << k;
  }
}
TEST(inverse_hysteresis, StopsAtItsBounds) {
  inverse_hysteresis<prandtl_ishlinskii<double>> inverse({}, -1, 1);
  EXPECT_EQ(inverse(1e9, 1e-3), 1);
  EXPECT_EQ(inverse(-1e9, 1e-3), -1);
  inverse.reset();
  EXPECT_EQ(inverse.output(), 0);
  EXPECT_EQ(inverse(std::nan(""), 1e-3), 0);
}

// Every operator that has an advance of its own and rises with its input.
TEST(inverse_hysteresis, WorksOnEveryOperatorThatRises) {
  int tried = 0;
  for (const catalogue_entry* entry : catalogue()) {
    if (entry->family != "hysteresis") continue;
    const any_model model(*entry);
    if (model.is_ode()) continue;
    // What it gives along a known input is within reach.
    friction_feedforward<any_model> forward(model);
    inverse_hysteresis<any_model> inverse(model, -100, 100);
    bool rises = true;
    double last_x = 0, last_y = 0;
    for (int k = 1; k < 400; ++k) {
      const double x = std::sin(0.02 * k), y = forward({x, (x - last_x) / 1e-3, 1}, 1e-3);
      rises = rises && (y - last_y) * (x - last_x) >= 0;
      last_x = x;
      last_y = y;
      if (!rises) break;
      inverse(y, 1e-3);
      ASSERT_NEAR(inverse.output(), y, 1e-6) << entry->key << " " << k;
    }
    tried += rises ? 1 : 0;
  }
  EXPECT_GE(tried, 3);
}

}  // namespace
}  // namespace asperity
