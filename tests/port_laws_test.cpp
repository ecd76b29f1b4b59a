// SPDX-License-Identifier: Apache-2.0
// Every model of the catalogue, whatever its port, keeps the laws of asperity/laws/port_laws.cpp.
// Models that move along a line have finer laws beside these (laws_test.cpp). ASPERITY_SEED=...
// draws anew.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/laws/law.hpp>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>

namespace asperity {
namespace {

using laws::law, laws::subject;

std::string seed() {
  const char* given = std::getenv("ASPERITY_SEED");
  return given != nullptr ? given : "";
}

class law_test : public ::testing::Test {
 public:
  law_test(const law& the_law, subject about) : law_(the_law), about_(std::move(about)) {}
  void TestBody() override {
    const auto found = laws::check(law_, about_, seed());
    EXPECT_EQ(found.failed, 0) << found.failed << " of " << found.draws
                               << " draws: " << found.first;
  }

 private:
  const law& law_;
  subject about_;
};

std::vector<subject> subjects() {
  std::vector<subject> all;
  for (const catalogue_entry* entry : catalogue())
    for (const subject& each : laws::subjects_of(*entry))
      // Along a line laws_test.cpp tries every curve.
      if (each.name == entry->key || !entry->at->is_line()) all.push_back(each);
  return all;
}

bool register_laws() {
  for (const subject& about : subjects())
    for (const law& each : laws::port_laws())
      if (each.binds(about))
        ::testing::RegisterTest(
            "port_law", fmt::format("{}/{}", each.name, about.name).c_str(), nullptr, nullptr,
            __FILE__, __LINE__,
            [about, &each]() -> ::testing::Test* { return new law_test(each, about); });
  return true;
}
[[maybe_unused]] const bool registered = register_laws();

// "Claims, tested" on every page is true: no claim of any port is without a law.
TEST(ports, EveryClaimOfEveryModelHasALaw) {
  for (const subject& about : subjects()) {
    if (about.at().is_line()) continue;  // laws_test.cpp
    unsigned tested = 0;
    for (const law& each : laws::port_laws())
      if (each.binds(about)) tested |= each.claim;
    EXPECT_EQ(about.model().describe().claims & ~tested, 0U) << about.name;
  }
}

TEST(ports, AreThoseOfTheFolders) {
  std::map<std::string, std::string> found;
  for (const catalogue_entry* entry : catalogue()) {
    const auto [place, is_new] = found.try_emplace(entry->family, entry->at->name);
    EXPECT_EQ(place->second, entry->at->name) << entry->key;
  }
  const std::map<std::string, std::string> expected{
      {"contact", "press"},       {"curve", "drive"},
      {"friction", "drive"},      {"frictional_contact", "touch"},
      {"hysteresis", "operator"}, {"planar", "twist"}};
  EXPECT_EQ(found, expected);
}

// A table of channels is easily wrong in one entry.
TEST(ports, ChannelsFitTogether) {
  for (const port* at :
       {&ports::drive, &ports::press, &ports::hysteron, &ports::touch, &ports::twist}) {
    for (const channel& each : at->inputs) {
      if (each.is != channel::place) continue;
      const channel& rate = at->inputs[static_cast<std::size_t>(each.rate_of)];
      EXPECT_EQ(rate.is, channel::rate);
      EXPECT_TRUE(rate.in == each.in / units::second) << at->name << " " << each.name;
    }
    int covered = 0;
    for (const vector_output& each : at->vectors) {
      EXPECT_EQ(each.first, covered) << at->name;
      covered += each.count;
    }
    EXPECT_EQ(covered, static_cast<int>(at->outputs.size()));
    for (const channel& each : at->outputs) {
      const channel& moved = at->inputs[static_cast<std::size_t>(each.rate_of)];
      EXPECT_EQ(moved.is, channel::rate) << at->name << " " << each.name;
      EXPECT_EQ(moved.is_odd, each.is_odd) << "power must not change in a mirror";
      if (at->has_units()) {
        EXPECT_TRUE(each.in * moved.in == units::watt) << at->name << " " << each.name;
      }
    }
  }
}

// The span call and the call in registers are the same bits.
TEST(ports, SpansAndRegistersAgreeAlongALine) {
  for (const subject& about : subjects()) {
    const any_model model = about.model();
    if (!about.at().is_line() || !model.functions().in_double.is_ode()) continue;
    const double in[3] = {-1.3e-5, 2.1e-3, 1};
    double state[any_model::max_states] = {}, a[any_model::max_states], b[any_model::max_states];
    double out = 0;
    model.initial(state);
    model.respond(in, state, &out, a);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(out),
              std::bit_cast<std::uint64_t>(model.respond(state, in[0], in[1], in[2], b)))
        << about.name;
    for (int i = 0; i < model.states(); ++i) EXPECT_EQ(a[i], b[i]) << about.name;
  }
}

// ---- the laws can fail --------------------------------------------------------------------------

const model_functions* original = nullptr;
using respond_function = decltype(typed_functions<double>::respond_at_port);

template <class Spoil>
respond_function spoiled(Spoil) {
  return [](const void* self, const double* in, const double* state, double* out, double* rate) {
    original->in_double.respond_at_port(self, in, state, out, rate);
    Spoil{}(in, out);
  };
}

void expect_caught(const char* key, const char* law_name,
                   const std::function<void(model_functions&)>& spoil) {
  catalogue_entry wrong = find_entry(key);
  original = &find_entry(key).default_variant().functions;
  wrong.variants = {wrong.default_variant()};
  spoil(wrong.variants.front().functions);
  for (const law& each : laws::port_laws()) {
    if (std::string(each.name) != law_name) continue;
    const subject about{&wrong, wrong.variants.front().curve, key};
    EXPECT_GT(laws::check(each, about, seed()).failed, 0) << key << " " << law_name;
  }
}

TEST(port_mutants, TorqueOfTheWrongSignIsCaught) {
  for (const char* key : {"disc_coulomb", "limit_surface_ellipsoid", "patch_coulomb", "patch_dai"})
    expect_caught(key, "CreatesNoEnergy", [](model_functions& f) {
      f.in_double.respond_at_port = spoiled([](const double*, double* out) { out[2] *= -1; });
    });
}

TEST(port_mutants, MoreToOneSideIsCaught) {
  for (const char* key : {"disc_coulomb", "planar_lugre", "planar_elastoplastic", "patch_lugre",
                          "patch_dai", "dai_frictional_contact", "azad_featherstone_clutch"})
    expect_caught(key, "OddSymmetry", [](model_functions& f) {
      f.in_double.respond_at_port =
          spoiled([](const double* in, double* out) { out[1] *= in[3] > 0 ? 1.001 : 1; });
    });
}

TEST(port_mutants, ForcesAboveTheLimitAreCaught) {
  for (const char* key : {"disc_coulomb", "limit_surface_ellipsoid", "patch_coulomb", "patch_dai"})
    expect_caught(key, "StaysWithinItsBounds", [](model_functions& f) {
      f.in_double.respond_at_port = spoiled([](const double*, double* out) {
        for (int i = 0; i < 3; ++i) out[i] *= 1.001;
      });
    });
  // Friction alone: the cone is that of the normal force.
  expect_caught("dai_frictional_contact", "StaysWithinItsBounds", [](model_functions& f) {
    f.in_double.respond_at_port = spoiled([](const double*, double* out) {
      for (int i = 1; i < 3; ++i) out[i] *= 1.001;
    });
  });
}

TEST(port_mutants, StoredEnergyThatIsTooLargeIsCaught) {
  for (const char* key : {"patch_dai", "dai_frictional_contact"})
    expect_caught(key, "CreatesNoEnergy", [](model_functions& f) {
      f.at_port.stored_energy = [](const void* self, const double* in, const double* state) {
        return 1.2 * original->at_port.stored_energy(self, in, state);
      };
    });
}

TEST(port_mutants, AStepThatIsOffIsCaught) {
  for (const char* key : {"patch_dai", "dai_frictional_contact"})
    expect_caught(key, "StepIsBackwardEuler", [](model_functions& f) {
      f.at_port.step = [](const void* self, const double* in, const double* state,
                          const double* free, const double* mobility, double h, double* out,
                          double* end) {
        const bool done = original->at_port.step(self, in, state, free, mobility, h, out, end);
        out[1] *= 1.01;
        return done;
      };
    });
}

TEST(port_mutants, AWrongUnitOnTheCardIsCaught) {
  expect_caught("dai_frictional_contact", "UnitsAreThoseOfTheCard", [](model_functions& f) {
    f.in_double.describe = [](void* self) {
      auto card = original->in_double.describe(self);
      card.parameters.front().in = units::newton;
      return card;
    };
  });
  expect_caught("planar_lugre", "UnitsAreThoseOfTheCard", [](model_functions& f) {
    f.in_double.describe = [](void* self) {
      auto card = original->in_double.describe(self);
      card.states.front().in = units::one;
      return card;
    };
  });
}

TEST(port_mutants, AWrongDerivativeIsCaught) {
  expect_caught("disc_coulomb", "DerivativesAreRight", [](model_functions& f) {
    f.in_dual.respond_at_port = [](const void* self, const model_dual* in, const model_dual* state,
                                   model_dual* out, model_dual* rate) {
      original->in_dual.respond_at_port(self, in, state, out, rate);
      out[0].derivative[0] *= 1.01;
    };
  });
}

TEST(port_mutants, FrictionThatCreepsIsCaught) {
  expect_caught("patch_dai", "HoldsWithoutDrift", [](model_functions& f) {
    f.at_port.step = [](const void* self, const double* in, const double* state, const double* free,
                        const double* mobility, double h, double* out, double* end) {
      const bool done = original->at_port.step(self, in, state, free, mobility, h, out, end);
      for (int i = 0; i < 8; ++i) end[i] += 1e-3 * (out[0] > 0 ? 1 : -1) * 1e-5;
      return done;
    };
  });
}

TEST(port_mutants, AForceThatJumpsIsCaught) {
  expect_caught("patch_dai", "ForceIsContinuous", [](model_functions& f) {
    f.in_double.respond_at_port =
        spoiled([](const double* in, double* out) { out[1] *= in[3] > 0 ? 2 : 1; });
  });
  expect_caught("dai_frictional_contact", "ForceIsContinuous", [](model_functions& f) {
    f.in_double.respond_at_port =
        spoiled([](const double* in, double* out) { out[0] *= in[1] > 0 ? 2 : 1; });
  });
}

TEST(port_mutants, AForceThatGrowsWithTheSpeedIsCaught) {
  expect_caught("disc_coulomb", "SpeedDoesNotMatter", [](model_functions& f) {
    f.in_double.respond_at_port =
        spoiled([](const double* in, double* out) { out[0] *= 1 + 1e-3 * std::abs(in[3]); });
  });
}

TEST(port_mutants, AContactThatPullsIsCaught) {
  expect_caught("azad_featherstone_clutch", "NeverPulls", [](model_functions& f) {
    f.in_double.respond_at_port =
        spoiled([](const double* in, double* out) { out[0] -= in[1] > 0 ? 1e-3 : 0; });
  });
}

}  // namespace
}  // namespace asperity
