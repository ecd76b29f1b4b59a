// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/batch/batch.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <cmath>
#include <cstring>

namespace asperity {
namespace {

template <class S>
struct steady_pull : no_inputs<S> {
  S speed = lit<S>(0.1);
  S anchor(const S& t) const { return speed * t; }
};

// Pulled masses that differ in mass and speed.
template <class Real, template <class> class Model>
struct pulled_masses {
  std::vector<Real> mass, speed;
  explicit pulled_masses(std::size_t n) : mass(n), speed(n) {
    for (std::size_t i = 0; i < n; ++i) {
      mass[i] = Real(0.5) + Real(0.01) * static_cast<Real>(i);
      speed[i] = Real(0.05) + Real(0.001) * static_cast<Real>(i % 50);
    }
  }

  std::size_t count() const { return mass.size(); }
  template <class S>
  auto at(const lane_reader<S>& read) const {
    return made<S>(read(mass), read(speed));
  }
  template <class S>
  static auto made(const S& m, const S& v) {
    sliding_mass<S, Model<S>, steady_pull<S>> system;
    system.m = m;
    system.k = lit<S>(100.0);
    system.inputs.speed = v;
    return system;
  }
  // The body starts to move faster than 1 cm/s.
  template <class S>
  static S event(const S&, const S* y) {
    return y[1] - lit<S>(0.01);
  }
};
template <class S>
using exponential_lugre = lugre<S>;

template <class Real>
struct result {
  std::vector<std::vector<Real>> states;
  batch_events<Real> events;
};
template <class Real, class Systems>
result<Real> run(const Systems& systems, batch_plan plan, instruction_set use) {
  result<Real> r{std::vector(3, std::vector<Real>(systems.count())),
                 batch_events<Real>(systems.count())};
  std::vector<Real*> places;
  for (auto& each : r.states) places.push_back(each.data());
  run_batch<Real>(systems, plan, places, &r.events, use);
  return r;
}

std::vector<instruction_set> sets() {
  std::vector<instruction_set> all{instruction_set::baseline};
  if (widest_instructions() >= instruction_set::avx2) all.push_back(instruction_set::avx2);
  if (widest_instructions() >= instruction_set::avx512) all.push_back(instruction_set::avx512);
  return all;
}

const batch_plan short_run{.from = 0, .step = 5e-5, .steps = 4000};

template <class Real, template <class> class Model>
void expect_same_bits() {
  const pulled_masses<Real, Model> systems(101);  // no multiple of any width
  const auto first = run<Real>(systems, short_run, instruction_set::baseline);
  for (const auto use : sets())
    for (const int threads : {1, 2, 3}) {
      batch_plan plan = short_run;
      plan.threads = threads;
      const auto again = run<Real>(systems, plan, use);
      EXPECT_EQ(again.states, first.states) << static_cast<int>(use) << " " << threads;
      EXPECT_EQ(again.events.count, first.events.count);
      EXPECT_EQ(again.events.first, first.events.first);
      EXPECT_EQ(again.events.last, first.events.last);
    }
  // Nor do the neighbours matter.
  pulled_masses<Real, Model> some = systems;
  some.mass.erase(some.mass.begin(), some.mass.begin() + 7);
  some.speed.erase(some.speed.begin(), some.speed.begin() + 7);
  const auto shifted = run<Real>(some, short_run, widest_instructions());
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < some.count(); ++i)
      ASSERT_EQ(shifted.states[k][i], first.states[k][i + 7]);
}

TEST(batch, BitsDependOnNoThreadWidthOrNeighbour) {
  expect_same_bits<double, dai>();
  expect_same_bits<double, exponential_lugre>();
  expect_same_bits<float, dai>();
  expect_same_bits<float, exponential_lugre>();
}

// Plain numbers, one system at a time, through the same equations.
template <template <class> class Model>
std::vector<std::array<double, 3>> one_by_one(const pulled_masses<double, Model>& systems,
                                              const batch_plan& plan) {
  std::vector<std::array<double, 3>> all;
  for (std::size_t i = 0; i < systems.count(); ++i) {
    const auto system = systems.template made<double>(systems.mass[i], systems.speed[i]);
    std::array<double, 3> y{}, rate{};
    for (long n = 0; n < plan.steps; ++n) {
      const double t = static_cast<double>(n) * plan.step;
      if (plan.method == batch_method::rk4) rk4_step(system, t, plan.step, y.data());
      if (plan.method == batch_method::euler) euler_step(system, t, plan.step, y.data());
      if constexpr (closed_form_system<decltype(system)>)
        if (plan.method == batch_method::backward_euler)
          backward_euler_step(system, t, plan.step, y.data(), rate.data());
    }
    all.push_back(y);
  }
  return all;
}

TEST(batch, GivesTheBitsOfPlainNumbersWhereNoLibraryFunctionIsInvolved) {
  const pulled_masses<double, dai> systems(37);
  for (const auto method : {batch_method::rk4, batch_method::euler, batch_method::backward_euler}) {
    batch_plan plan = short_run;
    plan.method = method;
    const auto alone = one_by_one<dai>(systems, plan);
    const auto together = run<double>(systems, plan, widest_instructions());
    for (std::size_t i = 0; i < systems.count(); ++i)
      for (std::size_t k = 0; k < 3; ++k)
        ASSERT_EQ(together.states[k][i], alone[i][k]) << static_cast<int>(method) << " " << i;
  }
}

TEST(batch, ExponentialsOfPacksDifferInTheLastBitAtMost) {
  const pulled_masses<double, exponential_lugre> systems(37);
  const auto alone = one_by_one<exponential_lugre>(systems, short_run);
  const auto together = run<double>(systems, short_run, widest_instructions());
  for (std::size_t i = 0; i < systems.count(); ++i)
    EXPECT_NEAR(together.states[0][i], alone[i][0], 1e-9 * std::abs(alone[i][0])) << i;
}

// m x'' = 100 (v t - x) without friction: x = v t - v/w sin(w t), so x' = v (1 - cos(w t)) rises
// through 1 cm/s once a period.
template <class S>
struct frictionless {
  static constexpr int states = 1;
  response<S, 1> operator()(const vec<S, 1>&, const drive<S>&) const { return {}; }
};
TEST(batch, EventsAreCountedAndTimed) {
  const pulled_masses<double, frictionless> systems(50);
  batch_plan plan{.from = 0, .step = 1e-4, .steps = 60'000};
  const auto r = run<double>(systems, plan, widest_instructions());
  for (std::size_t i = 0; i < systems.count(); ++i) {
    const double w = std::sqrt(100 / systems.mass[i]), v = systems.speed[i];
    const double first = std::acos(1 - 0.01 / v) / w;
    const double times = std::floor((6 - first) * w / (2 * M_PI)) + 1;
    EXPECT_EQ(r.events.count[i], times) << i;
    EXPECT_NEAR(r.events.first[i], first, 1e-6) << i;
    EXPECT_NEAR(r.events.last[i], first + (times - 1) * 2 * M_PI / w, 1e-6) << i;
  }
}

TEST(batch, AStepThatASystemDoesNotHaveIsRefused) {
  batch_plan plan = short_run;
  plan.method = batch_method::backward_euler;
  EXPECT_THROW(
      run<double>(pulled_masses<double, exponential_lugre>(3), plan, widest_instructions()), error);
}

TEST(batch, NoSystemsAreNoWork) {
  const pulled_masses<double, dai> none(0);
  run<double>(none, short_run, widest_instructions());
}

}  // namespace
}  // namespace asperity
