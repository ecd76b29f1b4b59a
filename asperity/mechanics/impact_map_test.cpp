// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/analysis/restitution.hpp>
#include <asperity/error.hpp>
#include <asperity/mechanics/impact_map.hpp>
#include <cmath>
#include <numbers>
#include <random>

namespace asperity {
namespace {

double between(std::mt19937& random, double low, double high) {
  return low * std::pow(high / low, std::uniform_real_distribution<>()(random));
}

// A model of a law with a random shape, and where it is on the map.
struct sample {
  any_model model;
  impact_shape shape;
  double mass, speed, T, lambda;
};

sample random_sample(const impact_law& law, std::mt19937& random) {
  sample s{any_model(find_entry(law.key)), {},
           between(random, 1e-3, 1e3),     between(random, 0.01, 10),
           between(random, 1e-4, 1),       1};
  if (law.has_exponent) s.model.set("lambda", between(random, 1, 3));
  s.lambda = law.lambda(s.model);
  for (std::size_t i = 0; i < law.shape.size(); ++i) s.shape[i] = between(random, 0.02, 8);
  law.write(s.model, s.shape, s.mass, s.speed, s.T);
  return s;
}

// The maps know nothing of find_impact, and find_impact nothing of them.
TEST(impact_map, AgreesWithSimulatedImpacts) {
  for (const auto& law : impact_laws()) {
    std::mt19937 random(7);
    for (int i = 0; i < 60; ++i) {
      const sample s = random_sample(law, random);
      const impact_numbers n = law.without_weight(s.shape, s.lambda);
      const impact seen = find_impact(s.model, s.speed, {.mass = s.mass});
      const std::string where = fmt::format("{} {}", law.key, i);
      ASSERT_EQ(seen.how, impact::outcome::separated) << where << " " << seen.why;
      EXPECT_NEAR(n.restitution, seen.restitution, 1e-6) << where;
      EXPECT_NEAR(n.duration * s.T / seen.contact_time, 1, 1e-5) << where;
      EXPECT_NEAR(n.depth * s.speed * s.T / seen.deepest, 1, 1e-6) << where;
      EXPECT_NEAR(n.force * s.mass * s.speed / s.T / seen.peak_force, 1, 1e-6) << where;
    }
  }
}

TEST(impact_map, AgreesWithSimulatedDropsUnderWeight) {
  for (const auto& law : impact_laws()) {
    std::mt19937 random(8);
    for (int i = 0; i < 40; ++i) {
      const sample s = random_sample(law, random);
      const double g = between(random, 1e-3, 0.5) * s.speed / s.T;
      const followed_impact n = law.follow(s.shape, s.lambda, g * s.T / s.speed, true);
      ASSERT_TRUE(n.is_complete);
      const impact seen = find_impact(
          s.model, s.speed,
          {.mass = s.mass, .force = -s.mass * g, .ends_with = impact_options::end::gap});
      const std::string where = fmt::format("{} {}", law.key, i);
      ASSERT_NE(seen.how, impact::outcome::failed) << where << " " << seen.why;
      EXPECT_NEAR(n.numbers.restitution, seen.restitution, 1e-6) << where;
      EXPECT_NEAR(n.numbers.depth * s.speed * s.T / seen.deepest, 1, 1e-6) << where;
      EXPECT_NEAR(n.numbers.force * s.mass * s.speed / s.T / seen.peak_force, 1, 1e-6) << where;
      EXPECT_GT(n.fastest, 0) << where;
    }
  }
}

// What is read from a model is what was written, and at another speed it is the scaled shape.
TEST(impact_map, ShapesScaleWithTheSpeed) {
  for (const auto& law : impact_laws()) {
    std::mt19937 random(9);
    for (int i = 0; i < 20; ++i) {
      const sample s = random_sample(law, random);
      EXPECT_NEAR(law.time_scale(s.model, s.mass, s.speed) / s.T, 1, 1e-12);
      const double ratio = between(random, 0.1, 10), v = ratio * s.speed;
      const impact_shape scaled = law.at_speed(s.shape, ratio, s.lambda);
      const impact_shape read = law.read(s.model, s.mass, v, law.time_scale(s.model, s.mass, v));
      for (std::size_t k = 0; k < law.shape.size(); ++k)
        EXPECT_NEAR(read[k] / scaled[k], 1, 1e-9) << law.key << " " << k;
    }
  }
}

// Hertz 1881: contact lasts 2.9432 times depth over speed, the integral of 2/sqrt(1 - x^2.5).
TEST(impact_map, UndampedIsHertz) {
  const impact_numbers n = impact_on_hunt_crossley(0, 1.5);
  EXPECT_NEAR(n.restitution, 1, 1e-14);
  EXPECT_NEAR(n.depth, std::pow(1.25, 0.4), 1e-12);
  EXPECT_NEAR(n.duration / n.depth, 2.9432, 1e-4);
  EXPECT_NEAR(n.force, std::pow(n.depth, 1.5), 1e-12);
  const impact_numbers linear = impact_on_hunt_crossley(0, 1);
  EXPECT_NEAR(linear.duration, std::numbers::pi, 1e-9);
}

// Hunt and Crossley 1975: b v - ln(1 + b v) = -b r v - ln(1 - b r v), about 1 - 2 b v/3.
TEST(impact_map, HuntCrossleyRelation) {
  for (const double c : {1e-6, 1e-3, 0.1, 1.0, 10.0, 100.0}) {
    const double r = impact_on_hunt_crossley(c, 1.5).restitution;
    EXPECT_GT(r, 0);
    if (c < 1e-2) {
      EXPECT_NEAR((1 - r) / c, 2.0 / 3, c);
    } else if (c < 20) {
      EXPECT_NEAR(-c * r - std::log1p(-c * r), c - std::log1p(c), 1e-9 * c);
    } else {
      EXPECT_NEAR(r * c, 1, 1e-6);  // it leaves with 1/b at most
    }
  }
}

// With alpha to 0 the filter is gone and the clamped spring and damper are left.
TEST(impact_map, DaiContactTendsToKelvinVoigt) {
  for (const double zeta : {0.05, 0.4, 1.0, 2.0}) {
    const impact_numbers limit = impact_on_kelvin_voigt_clamped(zeta);
    const impact_numbers near = impact_on_dai_contact(1e-5, 2 * zeta);
    EXPECT_NEAR(near.restitution, limit.restitution, 1e-3) << zeta;
    EXPECT_NEAR(near.depth, limit.depth, 1e-3) << zeta;
    EXPECT_NEAR(near.duration, limit.duration, 2e-3 * limit.duration) << zeta;
  }
}

// alpha = 1/(3 sqrt 3), beta = sqrt 3 is a triple root, where closed forms like to break.
TEST(impact_map, DaiContactIsSmoothAtTheTripleRoot) {
  const double a = 1 / (3 * std::sqrt(3.0)), b = std::sqrt(3.0);
  const double middle = impact_on_dai_contact(a, b).restitution;
  for (const double by : {1e-9, 1e-6, 1e-4})
    for (const double sign : {-1.0, 1.0}) {
      EXPECT_NEAR(impact_on_dai_contact(a * (1 + sign * by), b).restitution, middle, 2 * by + 1e-6);
      EXPECT_NEAR(impact_on_dai_contact(a, b * (1 + sign * by)).restitution, middle, 2 * by + 1e-6);
    }
}

// As it is on the page of the model, and where the force is highest at touchdown.
TEST(impact_map, KelvinVoigtAtItsSpecialDampings) {
  EXPECT_NEAR(impact_on_kelvin_voigt_clamped(1).restitution, std::exp(-2.0), 1e-12);
  EXPECT_NEAR(impact_on_kelvin_voigt_clamped(1 + 1e-7).restitution, std::exp(-2.0), 1e-6);
  EXPECT_NEAR(impact_on_kelvin_voigt_clamped(0.5).force, 1, 1e-12);
  EXPECT_NEAR(impact_on_kelvin_voigt_clamped(0.5 - 1e-9).force, 1, 1e-7);
  EXPECT_NEAR(impact_on_kelvin_voigt_clamped(0).duration, std::numbers::pi, 1e-12);
}

TEST(impact_map, SetsTheRestitutionOfAModel) {
  std::mt19937 random(11);
  for (const auto& law : impact_laws())
    for (int i = 0; i < 20; ++i) {
      const double wanted = std::uniform_real_distribution<>(0.4, 1)(random);
      const double mass = between(random, 0.1, 10), speed = between(random, 0.1, 5);
      any_model model(find_entry(law.key));
      set_restitution(model, wanted, mass, speed, {"K"});
      EXPECT_NEAR(find_impact(model, speed, {.mass = mass}).restitution, wanted, 1e-5)
          << law.key << " " << i;
    }
}

TEST(impact_map, KeepsWhatIsGiven) {
  any_model model(find_entry("dai_contact"));
  model.set("alpha", 2e-3);
  set_restitution(model, 0.6, 1, {}, {"alpha"});
  EXPECT_EQ(model.get("alpha").front(), 2e-3);
  EXPECT_NEAR(find_impact(model, 3).restitution, 0.6, 1e-6);
  model.set("beta", 5e-3);
  set_restitution(model, 0.8, 1, {}, {"beta"});
  EXPECT_NEAR(model.get("beta").front(), 5e-3, 1e-12);
  EXPECT_NEAR(find_impact(model, 3).restitution, 0.8, 1e-6);
}

TEST(impact_map, RefusesWhatCannotBe) {
  const auto message = [](const char* key, double wanted, std::optional<double> speed,
                          const std::vector<std::string>& given) -> std::string {
    any_model model(find_entry(key));
    try {
      set_restitution(model, wanted, 1, speed, given);
    } catch (const error& problem) {
      return problem.what();
    }
    return "";
  };
  const auto says = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text << "\n" << words;
  };
  says(message("hertz", 0.5, 1, {}), "dai_contact");
  says(message("hunt_crossley", 0.5, {}, {}), "restitution_speed");
  says(message("hunt_crossley", 0.5, 1, {"b"}), "b is given as well");
  says(message("dai_contact", 0.5, 1, {"alpha", "beta"}), "leave one out");
  says(message("dai_contact", 0.01, 1, {"alpha"}), "the lowest restitution is");
  says(message("dai_contact_nonlinear", 0.9999, 1, {"beta_2"}), "damping can only lower it");
}

}  // namespace
}  // namespace asperity
