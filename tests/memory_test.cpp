// SPDX-License-Identifier: Apache-2.0
// Nonlocal memory, compared over models: inner loops that close and are forgotten. Tolerances are
// shares of the friction limit.

#include <gtest/gtest.h>

#include <asperity/models/friction/dahl.hpp>
#include <asperity/models/friction/dai_multistate.hpp>
#include <asperity/models/friction/gms.hpp>
#include <asperity/models/friction/leuven.hpp>
#include <asperity/models/friction/leuven_modified.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <asperity/models/friction/maxwell_slip.hpp>
#include <asperity/models/friction/multiplay.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

// How well a model remembers: a way through turning points in lengths of its own, at its own slow
// speed, and with steps that are short enough for it.
template <class Model>
class memory_of {
 public:
  memory_of(const Model& model, double limit, double length, double speed, double step)
      : model_(model), limit_(limit), length_(length), speed_(speed), step_(step) {}

  double after(const std::vector<double>& nodes) const {
    testing::companion body{model_};
    for (const double x : nodes) body.to(x * length_, speed_, step_);
    return body.f / limit_;
  }
  // Distance by which inner loops fail to close: where they began, and later on.
  double gap() const {
    const double where_it_began = std::abs(after({1, -.5, .4, -.5}) - after({1, -.5}));
    const double later =
        std::abs(after({1, -.5, .4, -.3, .2, -.3, .4, -.5, -.8}) - after({1, -.8}));
    return std::max(where_it_began, later);
  }
  // Inner loops must be worth the name.
  double width() const { return std::abs(after({1, -.5, 0}) - after({1, -.5, .4, 0})); }

 private:
  Model model_;
  double limit_, length_, speed_, step_;
};

constexpr double um = 1e-6;

TEST(memory, MaxwellSlipClosesExactly) {
  const memory_of memory(maxwell_slip<double>{}, 31.47, 1, 1, 1);
  EXPECT_GT(memory.width(), 0.02);
  EXPECT_LT(memory.gap(), 1e-14);
}

// With a step of a hundredth of the way, to rounding: it is elements that move, not time.
TEST(memory, GmsClosesToRounding) {
  gms<double> model{};
  for (int i = 0; i < model.elements; ++i) model.sigma[i] = 0;
  const memory_of memory(model, model.g.F_s, 0.4 * um, 1e-3 * um, 4);
  EXPECT_GT(memory.width(), 0.02);
  EXPECT_LT(memory.gap(), 1e-6);
}

// Its dampers cost a little: 2e-3 at a speed of 0.01 um/s.
TEST(memory, MultistateDaiClosesUpToItsDamping) {
  const dai_multistate<double> model{};
  const memory_of memory(model, model.g.F_s, 0.4 * um, 1e-2 * um, 2e-3);
  EXPECT_GT(memory.width(), 0.02);
  EXPECT_LT(memory.gap(), 2e-3);
}

// In proportion to the speed.
TEST(memory, MultiplayClosesAsItSlowsDown) {
  const multiplay<double> model{};
  const memory_of slow(model, 1.0, 1, 1e-3, 0.2), slower(model, 1.0, 1, 1e-4, 0.2);
  EXPECT_GT(slow.width(), 0.05);
  EXPECT_LT(slow.gap(), 5e-3);
  EXPECT_LT(slower.gap(), 5e-4);
}

// Deflection is displacement only well below the limit: here the way takes half of it.
TEST(memory, LeuvenModelsCloseWellBelowTheLimit) {
  leuven<double> original{};
  original.n = 50;
  original.sigma_1 = original.g.sigma_2 = 0;
  const memory_of memory(original, original.g.F_s, 10 * um, 1e-6, 1e-2);
  EXPECT_GT(memory.width(), 0.02);
  EXPECT_LT(memory.gap(), 1e-6);
  leuven_modified<double> modified{.elements = 32};
  for (int i = 0; i < modified.elements; ++i) {
    modified.k[i] = 4e3;
    modified.Delta[i] = um * (i + 1);
  }
  modified.n = 50;
  modified.sigma_1 = modified.g.sigma_2 = 0;
  const memory_of elements(modified, modified.g.F_s, 9 * um, 1e-6, 1e-2);
  EXPECT_GT(elements.width(), 0.02);
  EXPECT_LT(elements.gap(), 1e-6);
}

// For comparison: one state cannot remember where a loop began ...
TEST(memory, LugreForgets) {
  const lugre<double> model{};
  const memory_of memory(model, model.g.F_s, 30 * um, 1e-5, 1e-3);
  EXPECT_GT(memory.gap(), 0.02);
}

TEST(memory, DahlForgets) {
  const dahl<double> model{};
  const memory_of memory(model, model.F_c, 30 * um, 1e-5, 1e-3);
  EXPECT_GT(memory.gap(), 0.02);
}

// ... since all that it knows is the force: histories that meet at the same place with the same
// force go on together, however they came there. Those of a model with nonlocal memory part again.
template <class Model>
double parting(const Model& model, double limit, double length, double speed, double step) {
  const auto run_to = [&](const std::vector<double>& nodes) {
    testing::companion body{model};
    for (const double x : nodes) body.to(x * length, speed, step);
    return body;
  };
  // One comes straight from below, the other after a loop; where the first has to come from to meet
  // the second is found by bisection.
  const double wanted = run_to({2, -1, 0.5, -0.2, 0.1}).f;
  double low = -3, high = 0.1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (run_to({2, middle, 0.1}).f > wanted ? low : high) = middle;
  }
  auto straight = run_to({2, low, 0.1}), looped = run_to({2, -1, 0.5, -0.2, 0.1});
  EXPECT_NEAR(straight.f, looped.f, 1e-6 * limit);
  double largest = 0;
  for (double x = 0.2; x < 1.5; x += 0.1)
    largest = std::max(largest, std::abs(straight.to(x * length, speed, step) -
                                         looped.to(x * length, speed, step)));
  return largest / limit;
}

TEST(memory, OfDahlAndLugreIsLocal) {
  const dahl<double> one{};
  EXPECT_LT(parting(one, one.F_c, 10 * um, 1e-5, 1e-3), 1e-5);
  const lugre<double> two{};
  EXPECT_LT(parting(two, two.g.F_s, 10 * um, 1e-5, 1e-3), 1e-5);
}

TEST(memory, OfMaxwellSlipIsNonlocal) {
  EXPECT_GT(parting(maxwell_slip<double>{}, 31.47, 0.8, 1, 1e-2), 0.005);
}

}  // namespace
}  // namespace asperity
