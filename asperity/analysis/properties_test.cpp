// SPDX-License-Identifier: Apache-2.0
// What we compute against what the literature says of the same models.
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/analysis/properties.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <cmath>

namespace asperity {
namespace {

any_model named(const char* key) { return any_model(find_model(key)); }

// How the right-hand side of a model depends on its first state, at constant speed: the largest
// change over 2 delta, for smaller and smaller delta, at many states and at the limit itself.
enum class smoothness { jumps, continuous, lipschitz };
template <class Rate>
smoothness smoothness_of(const Rate& rate, double limit) {
  const auto change = [&](double delta) {
    double largest = 0;
    for (int i = -16; i <= 16; ++i) {
      const double at = i / 8.0;
      largest =
          std::max(largest, std::abs(rate((at + delta) * limit) - rate((at - delta) * limit)));
    }
    return largest;
  };
  if (change(1e-8) > 0.5 * change(1e-4)) return smoothness::jumps;
  return change(1e-8) / 1e-8 > 10 * change(1e-4) / 1e-4 ? smoothness::continuous
                                                        : smoothness::lipschitz;
}

// Drincic 2012, Table 1.2, row by row: rate dependence, and continuity, which there is that of the
// right-hand side in the state (section 1.3.3). Ours is that of the force through a reversal: the
// force of Maxwell slip and of Dahl with exponent 0 is the integral of what jumps.
TEST(properties, AreThoseOfDrincicTable12) {
  struct row {
    const char* key;
    double exponent;  // of Dahl, otherwise negative
    bool rate_dependent;
    smoothness there;
    bool continuous_force;
  };
  for (const row& r : {row{"coulomb", -1, false, smoothness::jumps, false},
                       row{"maxwell_slip", -1, false, smoothness::jumps, true},
                       row{"dahl", 0, false, smoothness::jumps, true},
                       row{"dahl", 0.5, false, smoothness::continuous, true},
                       row{"dahl", 1, false, smoothness::lipschitz, true},
                       row{"dahl", 1.5, false, smoothness::lipschitz, true},
                       row{"lugre", -1, true, smoothness::lipschitz, true}}) {
    SCOPED_TRACE(r.key);
    any_model model = named(r.key);
    if (r.exponent >= 0) model.set("i", r.exponent);
    const auto p = properties_of(model);
    EXPECT_EQ(p.rate_dependent, r.rate_dependent);
    EXPECT_EQ(p.continuous, r.continuous_force);
    const double limit = model.force_bound(0, 0, 1);
    if (model.states() == 0) {  // the force itself, of v
      const auto force = [&](double v) { return model.respond(nullptr, 0, v, 1, nullptr); };
      EXPECT_EQ(smoothness_of(force, 1.0), r.there);
    } else if (model.is_ode()) {
      const double size = r.exponent >= 0 ? limit : limit / model.get("sigma_0").front();
      const auto rate = [&](double state) {
        double result = 0;
        model.respond(&state, 0, 1e-3, 1, &result);
        return result;
      };
      EXPECT_EQ(smoothness_of(rate, size), r.there);
    } else {  // how fast the first slider follows the body
      const auto speed = [&](double stretch) {
        double sliders[any_model::max_states] = {}, x = stretch, dx = 1e-9;
        model.advance(sliders, {0, 1, 1}, {x, 1, 1}, 1);
        const double before = sliders[0];
        model.advance(sliders, {x, 1, 1}, {x + dx, 1, 1}, dx);
        return (sliders[0] - before) / dx;
      };
      EXPECT_EQ(smoothness_of(speed, model.get("Delta").front()), r.there);
    }
  }
}

// The text around that table: section 1.3.
TEST(properties, MemoryIsThatOfDrincicSection13) {
  EXPECT_EQ(properties_of(named("maxwell_slip")).memory, memory_kind::nonlocal);
  EXPECT_EQ(properties_of(named("dahl")).memory, memory_kind::local);
  EXPECT_EQ(properties_of(named("lugre")).memory, memory_kind::local);
}

// Drincic 2012, Table 1.3, and what its chapters 3 and 4 show of their models. "Quasi-stick-slip"
// of the rotating bristle model is stick-slip here: the body does come to rest, on its way back.
TEST(properties, AreThoseOfDrincicTable13) {
  EXPECT_EQ(properties_of(named("multiplay")).memory, memory_kind::nonlocal);
  const auto lugre = properties_of(named("lugre"));
  EXPECT_TRUE(lugre.stick_slip && lugre.stribeck);
  EXPECT_TRUE(properties_of(named("rotating_bristle_literal")).stick_slip);
  EXPECT_TRUE(properties_of(named("drbm")).stick_slip);  // Fig. 3.7
  EXPECT_TRUE(properties_of(named("ffbm")).stick_slip);  // Fig. 3.12
  EXPECT_TRUE(properties_of(named("mpabm")).stick_slip);
  EXPECT_TRUE(properties_of(named("scbm")).stick_slip);  // Fig. 4.12
  const auto compressed = properties_of(named("compressed_bristle"));
  EXPECT_TRUE(compressed.stick_slip && compressed.stribeck);  // Fig. 4.4
}

// Rogner 2017, Table 2.1, row by row. Two of its entries are wrong:
// - LuGre, stiction: the table says yes. It creeps under every load that swings (E-42): no.
// - Enhanced Coulomb (2.6), stick-slip: the table says no. See the next test: yes.
TEST(properties, AreThoseOfRognerTable21) {
  struct row {
    const char* key;
    int states;
    bool stiction, viscous, stribeck, presliding, stick_slip;
  };
  for (const row& r :
       {row{"coulomb", 0, true, false, false, false, false},
        row{"coulomb_viscous", 0, true, true, false, false, false},
        row{"stribeck_exponential", 0, true, true, true, false, true},  // table: ..., false
        row{"dahl", 1, false, false, false, true, false},
        row{"lugre", 1, false, true, true, true, true},  // table: true, ...
        row{"elastoplastic", 1, true, true, true, true, true}}) {
    SCOPED_TRACE(r.key);
    any_model model = named(r.key);
    const auto the_card = model.describe();
    const bool viscous = std::any_of(the_card.parameters.begin(), the_card.parameters.end(),
                                     [](const auto& p) { return p.name == "sigma_2"; });
    if (viscous) model.set("sigma_2", 0.4);
    const auto p = properties_of(model);
    EXPECT_EQ(model.states(), r.states);
    EXPECT_EQ(viscous, r.viscous);
    EXPECT_EQ(p.stiction, r.stiction);
    EXPECT_EQ(p.stribeck, r.stribeck);
    EXPECT_EQ(p.presliding, r.presliding);
    EXPECT_EQ(p.stick_slip, r.stick_slip);
  }
}

// Enhanced Coulomb friction, Rogner (2.4) with (2.6), typed anew and pulled by a spring: at rest up
// to f_max, in motion along the curve, in short steps that know nothing of our models. Sliding
// along with the pull is tried first, with a small disturbance. Where the curve falls more steeply
// than the viscous term rises this is unstable: the mass comes to rest for long and breaks away at
// f_max, again and again. Where the curve rises again the disturbance dies out.
TEST(properties, EnhancedCoulombFrictionSticksAndSlipsOnASpring) {
  constexpr double f_C = 1, f_max = 1.5, v_s = 0.1, sigma_2 = 0.4, m = 1, k = 1;
  const auto friction = [](double v) {
    return f_C + (f_max - f_C) * std::exp(-v * v / (v_s * v_s)) + sigma_2 * v;
  };
  struct stops {
    int breaks = 0;
    double longest = 0;
  };
  const auto pulled_at = [&](double pull) {
    double x = -friction(pull) / k, v = 1.01 * pull, at_rest = 0;
    stops seen;
    constexpr double h = 1e-4, duration = 400;
    for (int i = 0; i < static_cast<int>(duration / h); ++i) {
      const double t = i * h, spring = k * (pull * t - x);
      if (v == 0) {
        at_rest += h;
        if (spring <= f_max) continue;
        if (t > duration / 2) {
          ++seen.breaks;
          seen.longest = std::max(seen.longest, at_rest);
          EXPECT_NEAR(spring, f_max, 2 * k * pull * h);
        }
        at_rest = 0;
      }
      v = std::max(0.0, v + h / m * (spring - friction(v)));
      x += h * v;
    }
    return seen;
  };
  const auto slope = [&](double v) { return (friction(v + 1e-6) - friction(v - 1e-6)) / 2e-6; };
  ASSERT_LT(slope(0.02), 0);
  const stops slow = pulled_at(0.02);
  EXPECT_GE(slow.breaks, 3);
  EXPECT_GT(slow.longest, 10.0);
  ASSERT_GT(slope(0.4), 0);
  EXPECT_EQ(pulled_at(0.4).breaks, 0);
}

// Whoever promises something on its card is seen to keep it; LuGre and Dahl drift. And no answer
// hangs on what counts as an effect: half of it or twice of it give the same table.
TEST(properties, AgreeWithTheClaimsWhateverCounts) {
  for (const catalogue_entry* entry : catalogue()) {
    if (entry->family != "friction") continue;
    const any_model model(*entry);
    SCOPED_TRACE(entry->key);
    const auto p = properties_of(model, 0.02), q = properties_of(model, 0.005);
    EXPECT_EQ(p, q);
    const unsigned claims = model.describe().claims;
    if ((claims & no_drift) != 0) {
      EXPECT_FALSE(p.drift);
    }
    if ((claims & rate_independent) != 0) {
      EXPECT_FALSE(p.rate_dependent);
    }
    if ((claims & continuous) != 0) {
      EXPECT_TRUE(p.continuous);
    }
    if (entry->key == "lugre" || entry->key == "dahl") {
      EXPECT_TRUE(p.drift);
    }
  }
}

// The answers follow the parameters, not the name: without a fall LuGre has no Stribeck effect and
// no stick-slip, and units do not matter.
TEST(properties, FollowTheParameters) {
  any_model flat = named("lugre");
  flat.set("F_s", flat.get("F_c").front());
  EXPECT_FALSE(properties_of(flat).stribeck);
  EXPECT_FALSE(properties_of(flat).stick_slip);
  any_model large = named("lugre");
  for (const char* name : {"F_c", "F_s", "sigma_0", "sigma_1", "sigma_2"})
    large.set(name, 1000 * large.get(name).front());
  const auto p = properties_of(large);
  EXPECT_TRUE(p.stribeck && p.stick_slip && p.drift && p.presliding && p.lag);
}

TEST(properties, AreNotAskedOfContacts) {
  EXPECT_THROW(properties_of(named("hunt_crossley")), error);
}

}  // namespace
}  // namespace asperity
