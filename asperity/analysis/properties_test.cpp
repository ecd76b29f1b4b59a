// SPDX-License-Identifier: Apache-2.0
// What we compute against what the literature says of the same models.
#include <gtest/gtest.h>

#include <asperity/analysis/properties.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>

namespace asperity {
namespace {

any_model named(const char* key) { return any_model(find_model(key)); }

// Drincic 2012, Table 1.2: rate dependence and continuity. The source's continuity is that of the
// right-hand side in the state; ours is that of the force through a reversal. They agree but for
// Maxwell slip and Dahl with exponent 0, whose right-hand sides jump, while the force is the
// integral of them and does not.
TEST(properties, AreThoseOfDrincicTable12) {
  struct row {
    const char* key;
    double exponent;  // of Dahl, otherwise negative
    bool rate_dependent, continuous_there, continuous_force;
  };
  for (const row& r :
       {row{"coulomb", -1, false, false, false}, row{"maxwell_slip", -1, false, false, true},
        row{"dahl", 0, false, false, true}, row{"dahl", 0.5, false, true, true},
        row{"dahl", 1, false, true, true}, row{"dahl", 1.5, false, true, true},
        row{"lugre", -1, true, true, true}}) {
    SCOPED_TRACE(r.key);
    any_model model = named(r.key);
    if (r.exponent >= 0) model.set("i", r.exponent);
    const auto p = properties_of(model);
    EXPECT_EQ(p.rate_dependent, r.rate_dependent);
    EXPECT_EQ(p.continuous, r.continuous_force);
    if (r.continuous_there) {
      EXPECT_TRUE(p.continuous);
    }
  }
}

// The text around that table: section 1.3.
TEST(properties, MemoryIsThatOfDrincicSection13) {
  EXPECT_EQ(properties_of(named("maxwell_slip")).memory, memory_kind::nonlocal);
  EXPECT_EQ(properties_of(named("dahl")).memory, memory_kind::local);
  EXPECT_EQ(properties_of(named("lugre")).memory, memory_kind::local);
}

// Rogner 2017, Table 2.1, but for its column of viscous friction, which is a parameter.
// - LuGre: the table says stiction; it creeps under every load (E-42), so we expect none.
// - Enhanced Coulomb (2.6), a jump at rest and a falling curve: the table says no stick-slip. But a
//   falling curve makes steady sliding on a soft spring unstable, and the jump holds the mass at
//   each stop. The source asks whether the equation describes the transition, we watch the mass.
TEST(properties, AreThoseOfRognerTable21) {
  struct row {
    const char* key;
    double sigma_2;  // negative: as it is
    bool stiction, stribeck, presliding, stick_slip;
  };
  for (const row& r :
       {row{"coulomb", -1, true, false, false, false},
        row{"coulomb_viscous", -1, true, false, false, false},
        row{"stribeck_exponential", 0.4, true, true, false, true},
        row{"dahl", -1, false, false, true, false}, row{"lugre", -1, false, true, true, true},
        row{"elastoplastic", -1, true, true, true, true}}) {
    SCOPED_TRACE(r.key);
    any_model model = named(r.key);
    if (r.sigma_2 >= 0) model.set("sigma_2", r.sigma_2);
    const auto p = properties_of(model);
    EXPECT_EQ(p.stiction, r.stiction);
    EXPECT_EQ(p.stribeck, r.stribeck);
    EXPECT_EQ(p.presliding, r.presliding);
    EXPECT_EQ(p.stick_slip, r.stick_slip);
  }
}

// Whoever promises something on its card is seen to keep it; LuGre and Dahl drift.
TEST(properties, AgreeWithTheClaims) {
  for (const catalogue_entry* entry : catalogue()) {
    if (entry->family != "friction") continue;
    const any_model model(*entry);
    SCOPED_TRACE(entry->key);
    const auto p = properties_of(model);
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
