// SPDX-License-Identifier: Apache-2.0
// The C interface over the whole catalogue.

#include <asperity.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <asperity/mechanics/system_row.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/run/measure.hpp>
#include <asperity/text.hpp>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

namespace {

std::atomic<long> allocations{0};

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* place = std::malloc(size)) return place;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept { std::free(place); }

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct model {
  asperity_model* it = nullptr;
  explicit model(const char* name) {
    if (asperity_model_create(name, nullptr, &it) != ASPERITY_OK)
      ADD_FAILURE() << asperity_message();
  }
  model(const model&) = delete;
  model& operator=(const model&) = delete;
  ~model() { asperity_model_destroy(it); }
  operator asperity_model*() const { return it; }
};

// Small motions about a place, in the inputs of any port: places are the integrals of the rates.
void inputs_at(const asperity_model* m, double t, std::vector<double>& in) {
  in.assign(asperity_model_inputs(m), 0.0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::string name = asperity_model_input(m, i).name;
    const double size = 1e-4, omega = 6;
    if (name == "load") {
      in[i] = 1;
    } else if (name == "gap") {
      in[i] = -size * (1 - std::cos(omega * t));
    } else if (name == "gap_rate") {
      in[i] = -size * omega * std::sin(omega * t);
    } else if (name == "x" || name == "y" || name == "theta") {
      in[i] = size * std::sin(omega * t);
    } else {
      in[i] = size * omega * std::cos(omega * t);
    }
  }
}

TEST(c_interface, CountsWhatTheLibraryHas) {
  EXPECT_EQ(asperity_model_count(), asperity::catalogue().size());
  EXPECT_EQ(asperity_model_name(asperity_model_count()), nullptr);
  EXPECT_EQ(asperity_system_count(), asperity::systems().size());
  EXPECT_EQ(asperity_measure_count(), asperity::measures().size());
  EXPECT_EQ(asperity_check_abi(ASPERITY_ABI), ASPERITY_OK);
  EXPECT_EQ(asperity_check_abi(ASPERITY_ABI + 1), ASPERITY_BAD_INPUT);
  EXPECT_THAT(asperity_message(), HasSubstr("compile it again"));
}

// tests/cli_plugin_test.cpp builds one that is loaded.
TEST(c_interface, WhatIsNoPluginIsRefused) {
  const std::size_t before = asperity_model_count();
  for (const char* file : {"missing.so", "/", "", static_cast<const char*>(nullptr)})
    EXPECT_EQ(asperity_load_plugin(file), ASPERITY_BAD_INPUT);
  EXPECT_THAT(asperity_message(), HasSubstr("there is no such file"));
  EXPECT_EQ(asperity_model_count(), before);
}

// In steps ten times shorter the answer comes closer to itself by at least 3, for every model that is
// continuous there: the step is consistent. Steps take no memory.
TEST(c_interface, EveryModelCanBeSteppedWithoutMemory) {
  for (std::size_t k = 0; k < asperity_model_count(); ++k) {
    const model m(asperity_model_name(k));
    SCOPED_TRACE(asperity_model_name(k));
    std::vector<double> in, out(asperity_model_outputs(m));
    inputs_at(m, 0, in);
    ASSERT_EQ(asperity_model_reset(m, in.data()), ASPERITY_OK) << asperity_message();
    long taken = -1;
    for (int i = 1; i <= 200; ++i) {
      inputs_at(m, i * 1e-3, in);
      const long before = allocations;
      ASSERT_EQ(asperity_model_step(m, in.data(), 1e-3, out.data()), ASPERITY_OK)
          << asperity_message() << " at " << i;
      taken = std::max(taken, allocations - before);
      for (const double each : out) ASSERT_TRUE(std::isfinite(each));
    }
    EXPECT_EQ(taken, 0);
    EXPECT_TRUE(std::isfinite(asperity_model_stored_energy(m)));
    EXPECT_TRUE(std::isfinite(asperity_model_work(m)));
  }
}

// The same motion through `evaluate`, which integrates with error control.
TEST(c_interface, StepsConvergeToWhatEvaluateSays) {
  int compared = 0;
  for (std::size_t k = 0; k < asperity_model_count(); ++k) {
    const std::string name = asperity_model_name(k);
    SCOPED_TRACE(name);
    const model m(name.c_str());
    const asperity::any_model law(asperity::find_entry(name));
    // Forces that jump at rest, and bristles that let go, converge in the mean only.
    const bool jumps = law.has_side() || name.find("bristle") != name.npos ||
                       name.find("drbm") != name.npos || name == "rigid";
    if (jumps) continue;
    const double h = 2e-5;
    const int steps = 10000;
    std::vector<double> in, out(asperity_model_outputs(m)), t;
    std::vector<std::vector<double>> columns(asperity_model_inputs(m));
    inputs_at(m, 0, in);
    ASSERT_EQ(asperity_model_reset(m, in.data()), ASPERITY_OK);
    double largest = 0;
    for (int i = 0; i <= steps; ++i) {
      inputs_at(m, i * h, in);
      if (i > 0) {
        ASSERT_EQ(asperity_model_step(m, in.data(), h, out.data()), ASPERITY_OK);
      }
      largest = std::max(largest, std::abs(out[0]));
      if (i % 20 != 0) continue;
      t.push_back(i * h);
      for (std::size_t j = 0; j < in.size(); ++j) columns[j].push_back(in[j]);
    }
    std::vector<asperity::csv_column> table{{"t", &t}};
    std::vector<std::string> names;
    for (std::size_t j = 0; j < in.size(); ++j) names.push_back(asperity_model_input(m, j).name);
    for (std::size_t j = 0; j < in.size(); ++j) table.push_back({names[j], &columns[j]});
    const auto data =
        asperity::evaluate(law, asperity::csv_table::parse(asperity::to_csv(table), "motion"), {});
    ASSERT_EQ(data.result.how, asperity::outcome::completed) << data.hint;
    const auto& expected = data[asperity_model_output(m, 0).name];
    EXPECT_NEAR(out[0], expected.back(), 0.01 * largest + 1e-9);
    ++compared;
  }
  EXPECT_GE(compared, 40);
}

TEST(c_interface, ParametersAreCheckedWithTheirUnits) {
  const model m("lugre");
  EXPECT_EQ(asperity_model_set_text(m, "sigma_0", "5 N/um"), ASPERITY_OK);
  double value = 0;
  std::size_t count = 0;
  EXPECT_EQ(asperity_model_get(m, "sigma_0", &value, 1, &count), ASPERITY_OK);
  EXPECT_DOUBLE_EQ(value, 5e6);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(asperity_model_set_text(m, "sigma_0", "5 kg"), ASPERITY_BAD_INPUT);
  EXPECT_THAT(asperity_message(), HasSubstr("kg"));
  EXPECT_EQ(asperity_model_set(m, "sigma_0", -1), ASPERITY_BAD_INPUT);
  EXPECT_THAT(asperity_message(), HasSubstr("sigma_0"));
  EXPECT_EQ(asperity_model_set(m, "sigma_9", 1), ASPERITY_BAD_INPUT);
  EXPECT_EQ(asperity_model_set_text(m, "sigma_9", "1"), ASPERITY_BAD_INPUT);
  EXPECT_THAT(asperity_message(), HasSubstr("sigma_9"));
  EXPECT_EQ(asperity_model_set(m, "F_s", 0.1), ASPERITY_OK);
  EXPECT_EQ(asperity_model_reset(m, nullptr), ASPERITY_BAD_INPUT);  // below F_c
  asperity_model* none = nullptr;
  EXPECT_EQ(asperity_model_create("lugr", nullptr, &none), ASPERITY_BAD_INPUT);
  EXPECT_EQ(none, nullptr);
  EXPECT_THAT(asperity_message(), HasSubstr("lugre"));
  EXPECT_EQ(asperity_model_create(nullptr, nullptr, &none), ASPERITY_BAD_INPUT);
  asperity_model_destroy(nullptr);
}

// Names of any bytes and any length: the message can be shown, and says what was given.
TEST(c_interface, MessagesAreTextWhateverIsGiven) {
  const model m("gms");
  asperity_model* none = nullptr;
  const std::string long_name(100'000, 'x');
  const auto is_text = [](asperity_status status) {
    EXPECT_EQ(status, ASPERITY_BAD_INPUT) << asperity_message();
    EXPECT_TRUE(asperity::is_utf8(asperity_message())) << asperity_message();
    EXPECT_LT(std::strlen(asperity_message()), 1000U);
    EXPECT_THAT(asperity_message(), Not(HasSubstr("--set")));
  };
  for (const std::string& bad : {std::string("\xff"), std::string("caf\xe9"), long_name}) {
    is_text(asperity_model_create(bad.c_str(), nullptr, &none));
    is_text(asperity_model_create("lugre", bad.c_str(), &none));
    is_text(asperity_model_set(m, bad.c_str(), 1));
    is_text(asperity_model_set_text(m, bad.c_str(), "1"));
    is_text(asperity_model_get(m, bad.c_str(), nullptr, 0, nullptr));
    is_text(asperity_model_set_text(m, "F_s", bad.c_str()));
    EXPECT_THAT(asperity_message(), HasSubstr("gms.F_s"));
    const char* setting = bad.c_str();
    asperity_run* run = nullptr;
    is_text(asperity_run_text("", nullptr, &setting, 1, &run));
    EXPECT_THAT(asperity_message(), StartsWith("setting "));
  }
  const double value = 1;
  is_text(asperity_model_set_list(m, "kappa", &value, static_cast<std::size_t>(-1)));
  is_text(asperity_model_set(m, "F_s", INFINITY));
  EXPECT_THAT(asperity_message(), HasSubstr("finite"));
}

TEST(c_interface, NumbersThatAreNoneAreRefused) {
  const model m("dai");
  double in[3] = {0, 0, 1}, out = 0;
  EXPECT_EQ(asperity_model_step(m, in, 0, &out), ASPERITY_BAD_INPUT);
  EXPECT_STREQ(asperity_message(), "h = 0 s: it must be above 0");
  EXPECT_EQ(asperity_model_step(m, in, NAN, &out), ASPERITY_NOT_FINITE);
  EXPECT_EQ(asperity_model_step(m, in, INFINITY, &out), ASPERITY_NOT_FINITE);
  in[1] = INFINITY;
  EXPECT_EQ(asperity_model_step(m, in, 1e-3, &out), ASPERITY_NOT_FINITE);
  EXPECT_STREQ(asperity_message(), "v = inf: it must be a finite number");
  EXPECT_EQ(asperity_model_reset(m, in), ASPERITY_BAD_INPUT);
  in[1] = 0;
  for (const double bad : {-1.0, -1e-300, -static_cast<double>(INFINITY)}) {
    const double free_end = bad, mobility = 1e-3;
    EXPECT_NE(asperity_model_step_coupled(m, in, &mobility, &free_end, 1e-3, &out), ASPERITY_OK);
    EXPECT_THAT(asperity_message(), HasSubstr("mobility = "));
  }
  const double state = NAN;
  EXPECT_EQ(asperity_model_set_state(m, &state, 1), ASPERITY_BAD_INPUT);
  EXPECT_EQ(asperity_model_set_state(m, &state, 2), ASPERITY_BAD_INPUT);
}

// Some laws answer to a load below 0 with a number; no call takes one, unless it is the weight of the
// law's own mass, and what was refused leaves the model as it was.
TEST(c_interface, LoadsBelowZeroAreRefused) {
  int refused = 0;
  std::vector<double> in, out;
  for (std::size_t k = 0; k < asperity_model_count(); ++k) {
    const model m(asperity_model_name(k)), untouched(asperity_model_name(k));
    SCOPED_TRACE(asperity_model_name(k));
    inputs_at(m, 0, in);
    out.assign(asperity_model_outputs(m), 0.0);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (std::string(asperity_model_input(m, i).name) != "load") continue;
      if (asperity_model_input(m, i).lower < 0) continue;  // the next test
      EXPECT_EQ(asperity_model_input(m, i).lower, 0);
      in[i] = -1;
      EXPECT_EQ(asperity_model_reset(m, in.data()), ASPERITY_BAD_INPUT);
      EXPECT_THAT(asperity_message(), HasSubstr("load = -1: it must be at least 0"));
      EXPECT_EQ(asperity_model_step(m, in.data(), 1e-3, out.data()), ASPERITY_BAD_INPUT);
      EXPECT_STREQ(asperity_message(), "load = -1: it must be at least 0");
      if (asperity_model_can_couple(m) != 0) {
        const std::vector<double> zeros(out.size(), 0.0);
        EXPECT_EQ(
            asperity_model_step_coupled(m, in.data(), zeros.data(), zeros.data(), 1e-3, out.data()),
            ASPERITY_BAD_INPUT);
      }
      EXPECT_EQ(asperity_model_inputs_now(m)[i], 1);
      ++refused;
    }
    for (std::size_t i = 0; i < asperity_model_states(m); ++i)
      EXPECT_EQ(asperity_model_state(m)[i], asperity_model_state(untouched)[i]);
  }
  EXPECT_GT(refused, 30);
}

// Three shares of 0.1 do not sum to 1: the reset is refused, and the ten elements go on.
TEST(c_interface, AResetThatIsRefusedLeavesTheModelAsItWas) {
  const model m("dai_multistate"), untouched("dai_multistate");
  const std::vector<double> in{1e-6, 1e-3, 1};
  double f = 0, expected = 0;
  ASSERT_EQ(asperity_model_step(m, in.data(), 1e-3, &f), ASPERITY_OK);
  ASSERT_EQ(asperity_model_step(untouched, in.data(), 1e-3, &expected), ASPERITY_OK);
  EXPECT_EQ(asperity_model_set(m, "elements", 2.5), ASPERITY_BAD_INPUT);
  EXPECT_THAT(asperity_message(), HasSubstr("elements = 2.5 is not allowed"));
  ASSERT_EQ(asperity_model_set(m, "elements", 3), ASPERITY_OK);
  ASSERT_EQ(asperity_model_reset(m, nullptr), ASPERITY_BAD_INPUT);
  EXPECT_THAT(asperity_message(), HasSubstr("lambda must sum to 1"));
  ASSERT_EQ(asperity_model_states(m), asperity_model_states(untouched));
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> noise(64, 1e300);  // takes memory that was given back
    ASSERT_EQ(asperity_model_step(m, in.data(), 1e-3, &f), ASPERITY_OK);
    ASSERT_EQ(asperity_model_step(untouched, in.data(), 1e-3, &expected), ASPERITY_OK);
    ASSERT_EQ(f, expected);
  }
  EXPECT_EQ(asperity_model_work(m), asperity_model_work(untouched));
}

// What was read of a card is there after resets that change it, and after those of a copy.
TEST(c_interface, TextsLiveAsLongAsTheirModel) {
  const model m("dai_multistate");
  std::vector<asperity_quantity> read;
  std::vector<std::string> texts;
  const auto keep = [&](const asperity_quantity& q) {
    read.push_back(q);
    texts.push_back(std::string(q.name) + q.unit + q.meaning);
  };
  for (std::size_t i = 0; i < asperity_model_parameters(m); ++i)
    keep(asperity_model_parameter(m, i));
  for (std::size_t i = 0; i < asperity_model_states(m); ++i) keep(asperity_model_state_info(m, i));
  ASSERT_EQ(asperity_model_set(m, "elements", 1), ASPERITY_OK);
  ASSERT_EQ(asperity_model_set(m, "lambda", 1), ASPERITY_OK);
  ASSERT_EQ(asperity_model_reset(m, nullptr), ASPERITY_OK) << asperity_message();
  ASSERT_LT(asperity_model_states(m), 11U);
  asperity_model* copy = nullptr;
  ASSERT_EQ(asperity_model_copy(m, &copy), ASPERITY_OK);
  EXPECT_STREQ(asperity_model_title(copy), asperity_model_title(m));
  EXPECT_STREQ(asperity_model_parameter(copy, 0).meaning, asperity_model_parameter(m, 0).meaning);
  asperity_model_destroy(copy);
  std::vector<std::string> noise;
  for (int i = 0; i < 1000; ++i) noise.emplace_back(16 + i % 64, 'x');
  for (std::size_t i = 0; i < read.size(); ++i)
    EXPECT_EQ(std::string(read[i].name) + read[i].unit + read[i].meaning, texts[i]);
}

// Clear of its bristles, a body of weight -m g rises with the acceleration g.
TEST(c_interface, ALoadThatIsTheWeightOfTheLawsOwnMassMayLiftIt) {
  const model m("compressed_bristle");
  EXPECT_EQ(asperity_model_input(m, 2).lower, -INFINITY);
  double g = 0, above[] = {100, 0}, in[] = {0, 0, -1}, out = -1;
  ASSERT_EQ(asperity_model_get(m, "g", &g, 1, nullptr), ASPERITY_OK);
  ASSERT_EQ(asperity_model_reset(m, in), ASPERITY_OK) << asperity_message();
  ASSERT_EQ(asperity_model_set_state(m, above, 2), ASPERITY_OK) << asperity_message();
  ASSERT_EQ(asperity_model_step(m, in, 0.5, &out), ASPERITY_OK) << asperity_message();
  EXPECT_NEAR(asperity_model_state(m)[0], 100 + g * 0.5 * 0.5 / 2, 1e-9);
  EXPECT_NEAR(asperity_model_state(m)[1], g * 0.5, 1e-9);
  EXPECT_EQ(out, 0);
}

// A bristle of 1e14 N/m moves within nanoseconds: no second of it can be followed in explicit steps.
TEST(c_interface, AStepThatIsTooLongSaysWhatToDo) {
  const model m("lugre");
  ASSERT_EQ(asperity_model_set(m, "sigma_0", 1e14), ASPERITY_OK);
  ASSERT_EQ(asperity_model_reset(m, nullptr), ASPERITY_OK);
  const double in[3] = {0.1, 0.1, 1};
  double f = 0;
  EXPECT_EQ(asperity_model_step(m, in, 1, &f), ASPERITY_TOO_STIFF);
  EXPECT_THAT(asperity_message(), HasSubstr("take shorter steps"));
}

// What a mass of 1 kg does that hits a spring-like contact with and against its weight: it never is
// pulled, and the work of the force is what its speed lost.
TEST(c_interface, AContactCoupledToABodyKeepsTheEnergy) {
  const model m("dai_contact");
  const double h = 1e-6, mass = 1;
  double x = 0, v = -1, f = 0, mobility = h * h / mass;
  ASSERT_EQ(asperity_model_reset(m, nullptr), ASPERITY_OK);
  int inside = 0;
  for (int i = 0; i < 200000 && !(inside > 0 && f == 0 && v > 0); ++i) {
    const double in[3] = {x, v, 1}, free_gap = x + h * v;
    ASSERT_EQ(asperity_model_step_coupled(m, in, &free_gap, &mobility, h, &f), ASPERITY_OK);
    ASSERT_GE(f, 0);
    x = asperity_model_inputs_now(m)[0];
    v = asperity_model_inputs_now(m)[1];
    inside += f > 0;
  }
  EXPECT_GT(inside, 100);
  EXPECT_GT(v, 0);
  EXPECT_LT(v, 1);
  EXPECT_NEAR(asperity_model_work(m), 0.5 * mass * (1 - v * v), 2e-3);
}

// A body may be put elsewhere between two steps: its rate is that from where it is said to start.
TEST(c_interface, ACoupledStepStartsWhereItIsTold) {
  const double h = 1e-3, mass = 1, mobility = h * h / mass, depth = 1e-5;
  for (const char* name : {"dai_contact", "kelvin_voigt_clamped", "rigid", "dai"}) {
    SCOPED_TRACE(name);
    const model there(name), elsewhere(name);
    const bool is_contact = std::string(name) != "dai";
    const double start = is_contact ? 5 * depth : 0.3;
    const double free_end = is_contact ? -depth : 1e-3;
    const double at[3] = {start, 0, 1};
    double f[2] = {};
    ASSERT_EQ(asperity_model_reset(there, at), ASPERITY_OK);
    for (int i = 0; i < 2; ++i) {
      asperity_model* m = i == 0 ? there.it : elsewhere.it;
      ASSERT_EQ(asperity_model_step_coupled(m, at, &free_end, &mobility, h, &f[i]), ASPERITY_OK);
      const double* now = asperity_model_inputs_now(m);
      EXPECT_NEAR(now[1], (now[0] - start) / h, 1e-12);
    }
    EXPECT_EQ(f[0], f[1]);
  }
}

TEST(c_interface, NullIsRefused) {
  const model m("lugre"), coupled("dai");
  double in[3] = {0, 0.01, 1}, out = 0;
  std::size_t count = 0;
  asperity_model* made = nullptr;
  asperity_run* run = nullptr;
  const char* settings[] = {nullptr};
  asperity_model* const none = nullptr;
  const asperity_status all[] = {
      asperity_model_create("lugre", nullptr, nullptr),
      asperity_model_copy(nullptr, &made),
      asperity_model_copy(m, nullptr),
      asperity_model_set(none, "F_s", 1),
      asperity_model_set(m, nullptr, 1),
      asperity_model_set_text(m, nullptr, "1 N"),
      asperity_model_set_text(m, "F_s", nullptr),
      asperity_model_set_list(m, "F_s", nullptr, 1),
      asperity_model_get(m, nullptr, in, 3, &count),
      asperity_model_get(m, "F_s", nullptr, 1, &count),
      asperity_model_reset(none, nullptr),
      asperity_model_step(none, in, 1e-3, &out),
      asperity_model_step(m, nullptr, 1e-3, &out),
      asperity_model_step(m, in, 1e-3, nullptr),
      asperity_model_step_coupled(none, in, in, in, 1e-3, &out),
      asperity_model_step_coupled(coupled, in, nullptr, in, 1e-3, &out),
      asperity_model_step_coupled(coupled, in, in, nullptr, 1e-3, &out),
      asperity_model_set_state(m, nullptr, 1),
      asperity_run_text(nullptr, nullptr, nullptr, 0, &run),
      asperity_run_text("", nullptr, nullptr, 0, nullptr),
      asperity_run_text("", nullptr, nullptr, 1, &run),
      asperity_run_text("", nullptr, settings, 1, &run),
      asperity_run_file(nullptr, nullptr, 0, &run),
      asperity_run_file("x.toml", nullptr, 0, nullptr),
  };
  for (const asperity_status each : all) EXPECT_EQ(each, ASPERITY_BAD_INPUT);
  EXPECT_THAT(asperity_message(), HasSubstr("run is NULL"));
  EXPECT_EQ(asperity_model_parameter(none, 0).name, nullptr);
  EXPECT_EQ(asperity_model_states(none) + asperity_model_inputs(none), 0U);
  EXPECT_EQ(asperity_model_title(none), nullptr);
  EXPECT_EQ(asperity_model_state(none), nullptr);
  EXPECT_EQ(asperity_model_can_couple(none), 0);
  EXPECT_TRUE(std::isnan(asperity_model_work(none)));
  EXPECT_EQ(asperity_run_rows(nullptr), 0U);
  EXPECT_EQ(asperity_run_outcome(nullptr), nullptr);
  EXPECT_EQ(asperity_run_find(nullptr, "x"), nullptr);
  EXPECT_EQ(asperity_model_step(m, in, 1e-3, &out), ASPERITY_OK);  // none of this harmed it
}

TEST(c_interface, CopiesAreIndependent) {
  const model m("dai_multistate");
  double in[3] = {0, 1e-3, 1}, out = 0, other = 0;
  for (int i = 1; i <= 100; ++i) {
    in[0] = i * 1e-6;
    ASSERT_EQ(asperity_model_step(m, in, 1e-3, &out), ASPERITY_OK);
  }
  asperity_model* copy = nullptr;
  ASSERT_EQ(asperity_model_copy(m, &copy), ASPERITY_OK);
  in[0] = 101e-6;
  ASSERT_EQ(asperity_model_step(m, in, 1e-3, &out), ASPERITY_OK);
  ASSERT_EQ(asperity_model_step(copy, in, 1e-3, &other), ASPERITY_OK);
  EXPECT_EQ(out, other);
  asperity_model_destroy(copy);
  ASSERT_EQ(asperity_model_step(m, in, 1e-3, &out), ASPERITY_OK);
}

// State, work and forces of a copy are those of the original, to the last bit, whatever the law carries
// on from one step to the next.
TEST(c_interface, CopiesGoOnAsTheOriginal) {
  std::vector<double> in, first, second;
  for (std::size_t k = 0; k < asperity_model_count(); ++k) {
    const model m(asperity_model_name(k));
    SCOPED_TRACE(asperity_model_name(k));
    if (std::string(asperity_model_name(k)) == "rigid") continue;  // it cannot be pushed into
    first.assign(asperity_model_outputs(m), 0.0);
    second = first;
    int i = 1;
    for (; i <= 57; ++i) {
      inputs_at(m, 3e-3 * i, in);
      ASSERT_EQ(asperity_model_step(m, in.data(), 3e-3, first.data()), ASPERITY_OK);
    }
    asperity_model* copy = nullptr;
    ASSERT_EQ(asperity_model_copy(m, &copy), ASPERITY_OK);
    EXPECT_EQ(asperity_model_work(copy), asperity_model_work(m));
    for (; i <= 157; ++i) {
      inputs_at(m, 3e-3 * i, in);
      ASSERT_EQ(asperity_model_step(m, in.data(), 3e-3, first.data()), ASPERITY_OK);
      ASSERT_EQ(asperity_model_step(copy, in.data(), 3e-3, second.data()), ASPERITY_OK);
      ASSERT_EQ(first, second);
      ASSERT_EQ(asperity_model_work(copy), asperity_model_work(m));
    }
    for (std::size_t s = 0; s < asperity_model_states(m); ++s)
      EXPECT_EQ(asperity_model_state(copy)[s], asperity_model_state(m)[s]);
    asperity_model_destroy(copy);
  }
}

constexpr const char* scenario = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 2
speed = 0.1
[friction]
model = "lugre"
[run]
duration = 1
)";

TEST(c_interface, RunsAScenarioFromText) {
  asperity_run* run = nullptr;
  const char* settings[] = {"run.duration=2"};
  ASSERT_EQ(asperity_run_text(scenario, nullptr, settings, 1, &run), ASPERITY_OK)
      << asperity_message();
  EXPECT_STREQ(asperity_run_outcome(run), "completed");
  const double* t = asperity_run_find(run, "t");
  ASSERT_NE(t, nullptr);
  EXPECT_DOUBLE_EQ(t[asperity_run_rows(run) - 1], 2);
  EXPECT_STREQ(asperity_run_column_name(run, 0), "t");
  EXPECT_STREQ(asperity_run_column_unit(run, 0), "s");
  EXPECT_EQ(asperity_run_find(run, "nothing"), nullptr);
  EXPECT_EQ(asperity_run_column(run, 1000), nullptr);
  asperity_run_destroy(run);
  EXPECT_EQ(asperity_run_text("[system]\nkind = 'pulled_mas'", nullptr, nullptr, 0, &run),
            ASPERITY_BAD_INPUT);
  EXPECT_EQ(run, nullptr);
  EXPECT_THAT(asperity_message(), HasSubstr("pulled_mass"));
}

TEST(c_interface, ThreadsHaveTheirOwnObjectsAndMessages) {
  std::vector<std::thread> threads;
  std::vector<double> ends(8);
  for (std::size_t k = 0; k < ends.size(); ++k)
    threads.emplace_back([&ends, k] {
      asperity_run* run = nullptr;
      const char* settings[] = {k % 2 == 0 ? "friction.F_s=2" : "friction.F_s=abc"};
      const asperity_status status = asperity_run_text(scenario, nullptr, settings, 1, &run);
      EXPECT_EQ(status, k % 2 == 0 ? ASPERITY_OK : ASPERITY_BAD_INPUT);
      EXPECT_EQ(std::string(asperity_message()).empty(), k % 2 == 0);
      if (run != nullptr) ends[k] = asperity_run_column(run, 1)[asperity_run_rows(run) - 1];
      asperity_run_destroy(run);
    });
  for (auto& each : threads) each.join();
  for (std::size_t k = 2; k < ends.size(); k += 2) EXPECT_EQ(ends[k], ends[0]);
}

}  // namespace
