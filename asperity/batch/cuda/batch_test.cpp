// SPDX-License-Identifier: Apache-2.0
// The kernels of the GPU on the processor: the same text, compiled here without nvcc.

#include <gtest/gtest.h>

#include <array>
#include <asperity/batch/batch.hpp>
#include <asperity/batch/cuda/batch.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <atomic>

namespace asperity {
namespace {

template <class S>
struct steady_pull : no_inputs<S> {
  S speed = lit<S>(0.1);
  ASPERITY_FN S anchor(const S& t) const { return speed * t; }
};

// One text for packs and devices: pulled masses that differ in mass and speed.
template <class Real, template <class> class Model>
struct pulled_masses {
  std::vector<Real> mass, speed;
  double k = 100;
  explicit pulled_masses(std::size_t n) : mass(n), speed(n) {
    for (std::size_t i = 0; i < n; ++i) {
      mass[i] = Real(0.5) + Real(0.01) * static_cast<Real>(i);
      speed[i] = Real(0.05) + Real(0.001) * static_cast<Real>(i % 50);
    }
  }
  std::size_t count() const { return mass.size(); }
  template <class S>
  ASPERITY_FN auto at(const lane_reader<S>& read) const {
    sliding_mass<S, Model<S>, steady_pull<S>> system;
    system.m = read(mass);
    system.k = lit<S>(k);
    system.inputs.speed = read(speed);
    return system;
  }
  template <class S>
  static ASPERITY_FN S event(const S&, const S* y) {
    return y[1] - lit<S>(0.01);
  }
  template <class System, class S>
  static ASPERITY_FN vec<S, 2> observe(const System&, const S&, const S* y) {
    return {{y[0], y[1]}};
  }
};
template <class S>
using exponential_lugre = lugre<S>;
template <class S>
struct frictionless {
  static constexpr int states = 1;
  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>&, const drive<S>&) const { return {}; }
};

template <class Real>
struct result {
  std::vector<std::vector<Real>> states;
  batch_events<Real> events;
  batch_measures<Real> measures;
  std::vector<Real*> places;
  explicit result(std::size_t n) : states(3, std::vector<Real>(n)), events(n), measures(n, 2) {
    for (auto& each : states) places.push_back(each.data());
  }
};

const on_device here{.where = device::cpu};
const batch_plan short_run{.from = 0, .step = 5e-5, .steps = 4000};

template <class S, class Systems>
auto run(const Systems& systems, const batch_plan& plan, const on_device& use = here,
         long skip = 0) {
  result<typename lane_reader<S>::real> r(systems.count());
  r.measures.skip = skip;
  EXPECT_EQ(run_batch<S>(use, systems, plan, r.places, &r.events, &r.measures), systems.count());
  return r;
}
template <class Real, class Systems>
result<Real> run_in_packs(const Systems& systems, const batch_plan& plan) {
  result<Real> r(systems.count());
  run_batch<Real>(systems, plan, r.places, &r.events);
  return r;
}

TEST(device_batch, TheKernelGivesTheBitsOfPacks) {
  const pulled_masses<double, dai> systems(101);
  for (const auto method : {batch_method::rk4, batch_method::euler, batch_method::backward_euler,
                            batch_method::sdirk2}) {
    batch_plan plan = short_run;
    plan.method = method;
    const auto packs = run_in_packs<double>(systems, plan);
    const auto kernel = run<double>(systems, plan);
    EXPECT_EQ(kernel.states, packs.states) << static_cast<int>(method);
    EXPECT_EQ(kernel.events.count, packs.events.count);
    EXPECT_EQ(kernel.events.first, packs.events.first);
    EXPECT_EQ(kernel.events.last, packs.events.last);
  }
}

TEST(device_batch, TheKernelGivesTheBitsOfPacksInFloat) {
  const pulled_masses<float, dai> systems(37);
  EXPECT_EQ(run<float>(systems, short_run).states, run_in_packs<float>(systems, short_run).states);
}

// exp of a pack is a series of its own.
TEST(device_batch, LugreDiffersFromPacksByTheRoundingOfExponentials) {
  const pulled_masses<double, exponential_lugre> systems(37);
  const auto packs = run_in_packs<double>(systems, short_run);
  const auto kernel = run<double>(systems, short_run);
  for (std::size_t i = 0; i < systems.count(); ++i)
    EXPECT_NEAR(kernel.states[0][i], packs.states[0][i], 1e-9 * std::abs(packs.states[0][i])) << i;
}

TEST(device_batch, ChunksLaunchesAndThreadsDoNotChangeBits) {
  const pulled_masses<double, exponential_lugre> systems(101);
  const auto whole = run<double>(systems, short_run, here, 1234);
  batch_plan plan = short_run;
  plan.threads = 3;
  // Two or three systems at a time.
  const auto pieces = run<double>(systems, plan, {.where = device::cpu, .memory = 500}, 1234);
  EXPECT_EQ(pieces.states, whole.states);
  EXPECT_EQ(pieces.events.count, whole.events.count);
  EXPECT_EQ(pieces.events.first, whole.events.first);
  EXPECT_EQ(pieces.events.last, whole.events.last);
  EXPECT_EQ(pieces.measures.maximum, whole.measures.maximum);
  EXPECT_EQ(pieces.measures.minimum, whole.measures.minimum);
  EXPECT_EQ(pieces.measures.mean, whole.measures.mean);
}

// m x'' = k (v t - x): x' = v (1 - cos(w t)). Over whole periods.
TEST(device_batch, MeasuresOfAnOscillationAreThoseOfItsFormula) {
  pulled_masses<double, frictionless> systems(5);
  systems.k = 4 * M_PI * M_PI;
  for (auto& m : systems.mass) m = 1;  // a period of 1 s
  const auto r = run<double>(systems, {.step = 1e-3, .steps = 4000}, here, 2000);
  for (std::size_t i = 0; i < systems.count(); ++i) {
    const double v = systems.speed[i];
    EXPECT_NEAR(r.measures.maximum[1][i], 2 * v, 1e-9);
    EXPECT_NEAR(r.measures.minimum[1][i], 0, 1e-9);
    EXPECT_NEAR(r.measures.mean[1][i], v, 1e-9);
    EXPECT_NEAR(r.measures.amplitude(1, i), v, 1e-9);
    EXPECT_EQ(r.measures.maximum[0][i], r.states[0][i]);    // x only rises
    EXPECT_TRUE(std::isnan(r.measures.stick_fraction[i]));  // no law that could tell
  }
}

// x only rises, so its least value is that of the first step that is measured.
TEST(device_batch, MeasuresBeginAfterTheStepsThatAreSkipped) {
  const pulled_masses<double, frictionless> systems(5);
  for (const long skip : {0L, 1L, 15L, 16L, 17L, 100L}) {
    const auto r = run<double>(systems, {.step = 1e-3, .steps = 300}, here, skip);
    const auto first = run<double>(systems, {.step = 1e-3, .steps = skip + 1});
    EXPECT_EQ(r.measures.minimum[0], first.states[0]) << skip;
  }
}

// The spring pulls with 100 N/m x speed x time; DAI holds up to 1 N.
TEST(device_batch, TheStickFractionIsTheTimeUntilTheSpringPullsHarderThanFriction) {
  const pulled_masses<double, dai> systems(20);
  const batch_plan plan{.step = 5e-5, .steps = 4000};  // 0.2 s
  const auto r = run<double>(systems, plan);
  for (std::size_t i = 0; i < systems.count(); ++i) {
    const double until = 1 / (100 * systems.speed[i]);
    EXPECT_NEAR(r.measures.stick_fraction[i], std::min(1.0, until / 0.2), 2e-3) << i;
  }
}

TEST(device_batch, TheMeanOfAMillionFloatsIsRightToTheLastBits) {
  detail::quantity_watch<float> watch;
  double sum = 0;
  float naive = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const float x = 0.1F + 1e-3F * static_cast<float>(i % 7);
    watch.look(x);
    naive += x;
    sum += static_cast<double>(x);
  }
  EXPECT_NEAR(watch.sum, sum, 1e-12 * sum);
  EXPECT_GT(std::abs(static_cast<double>(naive) - sum), 1e-5 * sum);  // what it is for
}

TEST(device_batch, PreparedNumbersDifferByRounding) {
  const pulled_masses<double, dai> systems(50);
  const auto plain = run<double>(systems, short_run);
  const auto fast = run<prepared<double>>(systems, short_run);
  EXPECT_NE(fast.states, plain.states);
  for (std::size_t i = 0; i < systems.count(); ++i)
    EXPECT_NEAR(fast.states[0][i], plain.states[0][i], 1e-11 * std::abs(plain.states[0][i])) << i;
}

TEST(device_batch, NanStaysWithItsSystem) {
  pulled_masses<double, exponential_lugre> systems(9);
  const auto fine = run<double>(systems, short_run);
  systems.mass[4] = std::nan("");
  const auto r = run<double>(systems, short_run);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(std::isnan(r.states[0][i]), i == 4);
    EXPECT_EQ(std::isnan(r.measures.mean[1][i]), i == 4);
    EXPECT_EQ(std::isnan(r.measures.maximum[1][i]), i == 4);
    if (i != 4) {
      EXPECT_EQ(r.states[0][i], fine.states[0][i]);
    }
  }
}

TEST(device_batch, ProgressRisesToOneAndStopsWhereItIsTold) {
  const pulled_masses<double, dai> systems(40);
  on_device use{.where = device::cpu, .memory = 3000};
  double last = 0;
  std::size_t calls = 0;
  use.progress = [&](const batch_progress& p) {
    EXPECT_GE(p.fraction(), last);
    last = p.fraction();
    ++calls;
    return true;
  };
  const auto whole = run<double>(systems, short_run, use);
  EXPECT_EQ(last, 1.0);
  EXPECT_GT(calls, 4U);

  // Stopped in the middle: what is finished is whole, the rest is as it was.
  use.progress = [&](const batch_progress& p) { return p.fraction() < 0.5; };
  result<double> r(systems.count());
  for (auto& each : r.states[0]) each = 0.0;
  for (auto& each : r.events.count) each = -1;
  const auto finished =
      run_batch<double>(use, systems, short_run, r.places, &r.events, &r.measures);
  EXPECT_GT(finished, 0U);
  EXPECT_LT(finished, systems.count());
  for (std::size_t i = 0; i < systems.count(); ++i) {
    EXPECT_EQ(r.states[0][i], i < finished ? whole.states[0][i] : 0.0) << i;
    EXPECT_EQ(r.events.count[i], i < finished ? whole.events.count[i] : -1) << i;
  }
}

TEST(device_batch, NoSystemsAndNoStepsAreNoWork) {
  run<double>(pulled_masses<double, dai>(0), short_run);
  const pulled_masses<double, dai> systems(3);
  result<double> r(3);
  r.states[0] = {1, 2, 3};
  EXPECT_EQ(run_batch<double>(here, systems, {.steps = 0}, r.places, &r.events), 3U);
  EXPECT_EQ(r.states[0], (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(r.events.count, (std::vector<double>{0, 0, 0}));
}

// ---- what is refused ----------------------------------------------------------------------------

template <class Action>
std::string complaint(const Action& action) {
  try {
    action();
  } catch (const error& problem) {
    return problem.what();
  }
  return "";
}

TEST(device_batch, AGpuThatIsNotThereIsRefusedInWords) {
  const pulled_masses<double, dai> systems(3);
  result<double> r(3);
  const auto said = complaint(
      [&] { run_batch<double>(on_device{.where = device::cuda}, systems, short_run, r.places); });
  EXPECT_NE(said.find("no GPU can be used here (this program was built without nvcc)"),
            std::string::npos)
      << said;
  // `automatic` runs all the same.
  EXPECT_EQ(run_batch<double>(on_device{}, systems, short_run, r.places), 3U);
}

TEST(device_batch, WrongSizesAreRefusedInWords) {
  pulled_masses<double, dai> systems(3);
  const auto said = [&](const batch_plan& plan, auto change) {
    result<double> r(3);
    change(r);
    return complaint(
        [&] { run_batch<double>(here, systems, plan, r.places, &r.events, &r.measures); });
  };
  EXPECT_EQ(said(short_run, [](auto&) {}), "");
  EXPECT_NE(said(short_run, [](auto& r) { r.places.pop_back(); }).find("2 arrays"),
            std::string::npos);
  EXPECT_NE(said(short_run, [](auto& r) { r.events = batch_events<double>(2); }).find("2 systems"),
            std::string::npos);
  EXPECT_NE(said(short_run,
                 [](auto& r) {
                   r.measures = {3, 1};
                 })
                .find("observe 2"),
            std::string::npos);
  EXPECT_NE(said(short_run,
                 [](auto& r) {
                   r.measures = {4, 2};
                 })
                .find("room for 4"),
            std::string::npos);
  EXPECT_NE(said(short_run, [](auto& r) { r.measures.skip = 4000; }).find("skip = 4000"),
            std::string::npos);
  EXPECT_NE(said({.step = std::nan(""), .steps = 1}, [](auto&) {}).find("step must be finite"),
            std::string::npos);
  EXPECT_NE(said({.steps = -1}, [](auto&) {}).find("steps = -1"), std::string::npos);
  systems.speed.pop_back();
  EXPECT_NE(said(short_run, [](auto&) {}).find("number 2 has 2 values for 3 systems"),
            std::string::npos);
  result<double> r(3);
  systems.speed.push_back(1);
  EXPECT_NE(complaint([&] {
              run_batch<double>({.where = device::cpu, .memory = 8}, systems, short_run, r.places);
            }).find("8 bytes are too few"),
            std::string::npos);
}

TEST(device_batch, AStepThatASystemDoesNotHaveIsRefused) {
  const pulled_masses<double, exponential_lugre> systems(3);
  result<double> r(3);
  for (const auto method : {batch_method::backward_euler, batch_method::sdirk2})
    EXPECT_THROW(run_batch<double>(here, systems, {.method = method}, r.places), error);
  const auto one_method = [&] {
    run_batch<double, batch_method::rk4>(here, systems, {.method = batch_method::euler}, r.places);
  };
  EXPECT_NE(complaint(one_method).find("not among those that were compiled"), std::string::npos);
}

}  // namespace
}  // namespace asperity
