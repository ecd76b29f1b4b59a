// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/identify/motion.hpp>
#include <asperity/identify/report.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/run/scenario.hpp>
#include <cmath>
#include <random>

namespace asperity {
namespace {

// A record of the model along its rich motion, made by `evaluate`, not by the fit's own integration.
record record_of(const any_model& model, double noise, unsigned seed, int rows = 150) {
  record motion = rich_motion(any_model(model.entry(), model.curve()), rows);
  std::vector<csv_column> columns{{"t", &motion.t}};
  for (const auto& each : motion.channels) columns.push_back({each.name, &each.values});
  const run_data run = evaluate(model, csv_table::parse(to_csv(columns), "motion"));
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (const channel& each : model.at().outputs) {
    auto f = run[each.name];
    double largest = 0;
    for (const double x : f) largest = std::max(largest, std::abs(x));
    for (double& x : f) x += noise * largest * normal(random);
    motion.channels.push_back({each.name, std::move(f)});
  }
  return motion;
}

any_model model_with(const char* key, const std::vector<std::string>& settings) {
  std::vector<std::string> warnings;
  return make_any_model(key, "", settings, warnings);
}

std::vector<double> starts_of(const fit_problem& p) {
  std::vector<double> result;
  for (const auto& each : p.unknowns) result.push_back(each.start);
  return result;
}

// Every model of the catalogue that can be moved gives a problem, whose derivatives are those of its
// residuals.
TEST(model_fit, DerivativesOfEveryModelAreThoseOfItsResiduals) {
  int tried = 0;
  for (const catalogue_entry* entry : catalogue()) {
    const any_model model(*entry);
    if (model.functions().at_port.cells != nullptr || model.describe().parameters.empty()) continue;
    record rec = rich_motion(model, 40);
    for (const channel& each : model.at().outputs)
      rec.channels.push_back({each.name, std::vector<double>(rec.t.size(), 0.0)});
    model_fit_options options;
    options.own_start = true;
    options.delay = options.gain = true;
    if (!model.functions().in_dual.is_ode() && !model.at().is_line()) continue;
    const model_fit fit_of(model, {rec}, options);
    const fit_problem p = fit_of.problem();
    if (!p.derivative) continue;
    ++tried;
    auto values = starts_of(p);
    const std::size_t n = p.residuals(), m = values.size();
    std::vector<double> r(n), slopes(n * m), above(n), below(n);
    // Not on an end of the range, from which there is one side only, if other rules allow it.
    for (std::size_t i = 0; i < m; ++i) {
      if (values[i] != p.unknowns[i].allowed.lower) continue;
      const double before = values[i];
      values[i] += 0.1 * std::max(std::abs(before), 0.01);
      if (!p.residual(values, r)) values[i] = before;
    }
    values[static_cast<std::size_t>(p.find("sensor_delay"))] = 0.2871 * fit_of.scales().step;
    ASSERT_TRUE(p.derivative(values, r, {slopes.data(), n, m})) << entry->key;
    ASSERT_TRUE(p.residual(values, above)) << entry->key;
    for (std::size_t k = 0; k < n; ++k)
      ASSERT_NEAR(r[k], above[k], 1e-9 * (1 + std::abs(above[k]))) << entry->key;
    // Of long lists every other element and fewer; a delay moves along straight lines.
    for (std::size_t i = 0; i < m; i += i + 3 < m ? 1 + m / 12 : 1) {
      const unknown& x = p.unknowns[i];
      // Thousands of bristles pass: one slips between values that are further apart, and the height of the body,
      // which nothing damps, keeps its kick.
      const bool many_slip = x.name == "Delta" && entry->key == "compressed_bristle_literal";
      const double h = x.name == "sensor_delay" ? 1e-3 * values[i]
                       : values[i] != 0         ? (many_slip ? 1e-8 : 1e-6) * std::abs(values[i])
                                                : 1e-3 * (x.scale > 0 ? x.scale : 1);
      auto moved = values;
      moved[i] = values[i] + h;
      if (!p.residual(moved, above)) continue;
      moved[i] = values[i] - h;
      if (!p.residual(moved, below)) continue;
      // Kinks lie between two differences here and there: most rows must agree.
      double size = 0, largest = 0;
      std::size_t wrong = 0;
      for (std::size_t k = 0; k < n; ++k) {
        size = std::max(size, std::abs(slopes[k * m + i]));
        largest = std::max(largest, std::abs(above[k]));
      }
      const double rounding = 1e-14 * largest / h;
      // A law with two branches has its slope from one side where they meet.
      for (std::size_t k = 0; k < n; ++k) {
        const double slope = slopes[k * m + i];
        const double up = std::abs((above[k] - r[k]) / h - slope);
        const double down = std::abs((r[k] - below[k]) / h - slope);
        const double middle = std::abs((above[k] - below[k]) / (2 * h) - slope);
        if (std::min({up, down, middle}) > 1e-3 * size + rounding + 1e-9) ++wrong;
      }
      EXPECT_LE(wrong, n / 10) << entry->key << " " << p.unknowns[i].name;
    }
  }
  EXPECT_GT(tried, 30);
}

// Shares are numbers over their sum; the numbers themselves may add up to anything.
TEST(model_fit, DerivativesByNumbersOfShares) {
  const any_model model(find_entry("dai_multistate"));
  const model_fit fit_of(model, {record_of(model, 0, 1, 30)}, {});
  const fit_problem p = fit_of.problem();
  ASSERT_TRUE(p.derivative);
  auto values = starts_of(p);
  const std::size_t first = static_cast<std::size_t>(p.find("lambda[1]"));
  for (std::size_t i = 0; i < 10; ++i) values[first + i] = 0.05 * static_cast<double>(i + 1);
  const std::size_t n = p.residuals(), m = values.size();
  std::vector<double> r(n), slopes(n * m), above(n), below(n);
  ASSERT_TRUE(p.derivative(values, r, {slopes.data(), n, m}));
  for (const std::size_t i : {first, first + 6, first + 9}) {
    const double h = 1e-6 * values[i];
    auto moved = values;
    moved[i] = values[i] + h;
    ASSERT_TRUE(p.residual(moved, above));
    moved[i] = values[i] - h;
    ASSERT_TRUE(p.residual(moved, below));
    double size = 0;
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < n; ++k) size = std::max(size, std::abs(slopes[k * m + i]));
    EXPECT_GT(size, 0);
    for (std::size_t k = 0; k < n; ++k)
      if (std::abs((above[k] - below[k]) / (2 * h) - slopes[k * m + i]) > 1e-3 * size) ++wrong;
    EXPECT_LE(wrong, n / 20) << p.unknowns[i].name;
  }
}

TEST(model_fit, TheResultDoesNotDependOnThreads) {
  const any_model truth = model_with("lugre", {"sigma_0=6e4", "F_c=1.4", "F_s=1.9"});
  const record rec = record_of(truth, 0.005, 3, 60);
  fit_options options;
  options.starts = 100;
  options.intervals = false;
  options.threads = 1;
  const fit_problem p = model_fit(any_model(find_entry("lugre")), {rec}, {}).problem();
  const fit_result one = fit(p, options);
  for (const int threads : {2, 5}) {
    options.threads = threads;
    EXPECT_EQ(fit(p, options).values, one.values) << threads;
  }
}

// Parameters are found again from a record with noise, starting from what the record shows.
TEST(model_fit, FindsLugreAgain) {
  const any_model truth =
      model_with("lugre", {"sigma_0=6e4", "sigma_1=200", "F_c=1.4", "F_s=1.9", "sigma_2=20"});
  model_fit_options options;
  options.offset = false;
  const model_report r =
      fit_model(any_model(find_entry("lugre")), {record_of(truth, 0.005, 3, 300)}, options, {});
  ASSERT_EQ(r.result.how, fit_result::ending::converged);
  EXPECT_TRUE(r.result.has_exact_derivatives);
  for (const char* name : {"sigma_0", "F_c", "F_s", "sigma_2"}) {
    const estimate* e = r.result.find(name);
    ASSERT_NE(e, nullptr);
    EXPECT_EQ(e->is, estimate::verdict::determined) << name << ' ' << e->words;
    EXPECT_NEAR(e->value, truth.get(name).front(), 0.05 * truth.get(name).front()) << name;
  }
}

// What the sensor does is told apart from what the model does.
TEST(model_fit, FindsDelayAndOffsetOfTheSensor) {
  const any_model truth = model_with("dai", {"K=2e5", "F=3", "beta=1e-4"});
  record rec = rich_motion(truth, 400);
  // Even rows, so that a delay is a shift by rows.
  rec.t.clear();
  auto& v = rec.channels[0].values;
  for (std::size_t k = 0; k < v.size(); ++k) {
    rec.t.push_back(1e-3 * static_cast<double>(k));
    v[k] = 2e-4 * std::cos(9 * rec.t[k]) + 1e-4 * std::cos(31 * rec.t[k]);
  }
  std::vector<csv_column> columns{{"t", &rec.t}, {"v", &v}};
  const run_data run = evaluate(truth, csv_table::parse(to_csv(columns), "motion"));
  std::vector<double> f = run["f"];
  for (std::size_t k = f.size(); k-- > 0;) f[k] = f[k < 4 ? 0 : k - 4] + 0.25;
  rec.channels.push_back({"f", f});
  model_fit_options options;
  options.delay = true;
  // f = K (a + beta a_dot) leads the deflection by beta: only what is left of a delay can be told.
  options.held = {"beta"};
  const model_report r = fit_model(model_with("dai", {"beta=1e-4"}), {rec}, options, {});
  EXPECT_NEAR(r.result.find("sensor_delay")->value, 4e-3, 2e-4);
  EXPECT_NEAR(r.result.find("sensor_offset")->value, 0.25, 0.01);
  EXPECT_NEAR(r.result.find("F")->value, 3, 0.02);
}

// A record that slides in one direction cannot tell what bristles do at a reversal.
TEST(model_fit, ARecordWithoutReversalsSaysWhatItCannotTell) {
  const any_model truth(find_entry("lugre"));
  record rec;
  rec.name = "one way";
  std::vector<double> v;
  for (int k = 0; k < 2000; ++k) {
    rec.t.push_back(1.0 * k);
    v.push_back(0.02 + 0.019 * std::sin(0.05 * k));
  }
  std::vector<csv_column> columns{{"t", &rec.t}, {"v", &v}};
  const run_data run = evaluate(truth, csv_table::parse(to_csv(columns), "motion"));
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<double> f = run["f"];
  for (double& x : f) x += noise(random);
  rec.channels = {{"v", v}, {"f", f}};
  model_fit_options options;
  options.settle = 10;
  const model_report r = fit_model(truth, {rec}, options, {});
  const estimate* e = r.result.find("sigma_1");
  ASSERT_NE(e, nullptr);
  EXPECT_NE(e->is, estimate::verdict::determined);
  bool is_said = false;
  for (const auto& each : r.findings)
    is_said = is_said || each.find("sigma_1") != std::string::npos;
  EXPECT_TRUE(is_said);
  EXPECT_FALSE(r.next.empty());
}

TEST(model_fit, SeveralRecordsShareOneVector) {
  const any_model truth = model_with("coulomb_viscous", {"F_c=2", "sigma_2=30"});
  record slow = record_of(truth, 0.01, 1), fast = record_of(truth, 0.01, 2);
  const model_report r = fit_model(any_model(find_entry("coulomb_viscous")), {slow, fast}, {}, {});
  EXPECT_EQ(r.samples, slow.t.size() + fast.t.size());
  EXPECT_NEAR(r.result.find("F_c")->value, 2, 0.02);
}

TEST(model_fit, BadRecordsAreRefusedInWords) {
  const any_model model(find_entry("dai"));
  EXPECT_THROW(model_fit(model, {}, {}), error);
  record none;
  none.name = "none";
  EXPECT_THROW(model_fit(model, {none}, {}), error);
  record rec = record_of(model, 0, 1, 20);
  model_fit_options options;
  options.free = {"no_such_parameter"};
  EXPECT_THROW(model_fit(model, {rec}, options), error);
  options = {};
  options.free = {"K", "F"};
  options.held = {"K"};
  EXPECT_THROW(model_fit(model, {rec}, options), error);
  options = {};
  options.settle = 1e9;
  EXPECT_THROW(model_fit(model, {rec}, options), error);
  rec.channels.pop_back();
  EXPECT_THROW(model_fit(model, {rec}, {}), error);
}

// As by `eval`: what no call takes as an input is nothing to fit to.
TEST(model_fit, LoadsBelowZeroAreRefused) {
  const any_model model(find_entry("coulomb"));
  record rec = record_of(model, 0, 1, 20);
  rec.name = "rig.csv";
  rec.channels.push_back({"load", std::vector<double>(rec.t.size(), -0.5)});
  std::string said;
  try {
    const model_fit of(model, {rec}, {});
  } catch (const error& problem) {
    said = problem.what();
  }
  EXPECT_EQ(said, "rig.csv: row 1: column 'load' = '-0.5': it must be at least 0");
  // Nor is a load of 0 for equations that divide by it.
  rec.channels.back().values.assign(rec.t.size(), 0);
  EXPECT_NO_THROW(model_fit(model, {rec}, {}));
  try {
    const model_fit of(any_model(find_entry("lugre")), {rec}, {});
    ADD_FAILURE();
  } catch (const error& problem) {
    EXPECT_STREQ(problem.what(), "rig.csv: row 1: column 'load' = '0': lugre needs a load above 0");
  }
}

// Two unknowns of one name could not be told apart in a report, nor held by it.
TEST(model_fit, EveryUnknownHasANameOfItsOwn) {
  for (const catalogue_entry* entry : catalogue()) {
    const any_model model(*entry);
    record rec = rich_motion(model, 20);
    for (const channel& each : model.at().outputs)
      rec.channels.push_back({each.name, std::vector<double>(rec.t.size(), 1.0)});
    std::vector<std::string> names;
    try {
      for (const auto& each : model_fit(model, {rec}, {}).problem().unknowns)
        names.push_back(each.name);
    } catch (const error&) {
      continue;  // cannot be fitted
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << entry->key;
    if (entry->key == std::string("dai_multistate")) {
      EXPECT_NE(std::find(names.begin(), names.end(), "kappa[1]"), names.end());
    }
  }
}

// Elements drawn one by one, which may change places: of the intervals that are told nearly all hold the
// truth, whatever the start about which elements are believed to be.
TEST(model_fit, IntervalsOfElementsHoldTheTruth) {
  constexpr int records = 30;
  std::vector<int> told(4), missed(4);
  for (unsigned seed = 0; seed < records; ++seed) {
    std::mt19937_64 random(seed);
    const auto drawn = [&](double about) {
      return about * std::exp(1.2 * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5));
    };
    const double k[] = {drawn(1), drawn(1.8)}, Delta[] = {drawn(0.15), drawn(0.24)};
    const any_model truth =
        model_with("maxwell_slip", {"elements=2", fmt::format("k=[{}, {}]", k[0], k[1]),
                                    fmt::format("Delta=[{}, {}]", Delta[0], Delta[1])});
    model_fit_options options;
    options.offset = false;
    fit_options of_fit;
    of_fit.threads = 1;
    const model_report r = fit_model(model_with("maxwell_slip", {"elements=2"}),
                                     {record_of(truth, 0.01, seed, 100)}, options, of_fit);
    const std::size_t first = Delta[0] < Delta[1] ? 0 : 1;
    const double values[] = {k[first], k[1 - first], Delta[first], Delta[1 - first]};
    const char* names[] = {"k[1]", "k[2]", "Delta[1]", "Delta[2]"};
    for (std::size_t i = 0; i < 4; ++i) {
      const estimate* e = r.result.find(names[i]);
      ASSERT_NE(e, nullptr);
      if (e->is != estimate::verdict::determined) continue;
      ++told[i];
      if (values[i] < e->lower || values[i] > e->upper) ++missed[i];
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    // Of 30 intervals of 95 % more than 6 miss in 1 of 2000 cases.
    EXPECT_LE(missed[i], 6) << i;
    EXPECT_GE(told[i], records / 2) << i;
  }
}

// Ten elements cannot be told one by one from such a record, and nobody is told that they were.
TEST(model_fit, ManyElementsAreSaidNotToBeToldApart) {
  const any_model truth(find_entry("maxwell_slip"));
  model_fit_options options;
  options.offset = false;
  const model_report r = fit_model(truth, {record_of(truth, 0.01, 5, 60)}, options, {});
  for (std::size_t i = 0; i < r.result.unknowns.size(); ++i) {
    const std::string& name = r.result.unknowns[i].name;
    const double value = truth.get(name.substr(0, name.find('[')))[i % 10];
    const estimate& e = r.result.estimates[i];
    EXPECT_TRUE(e.is != estimate::verdict::determined || (e.lower <= value && value <= e.upper))
        << name;
  }
  const auto says = [](const std::string& each) {
    return each.find("does not determine these elements individually") != std::string::npos;
  };
  EXPECT_TRUE(std::any_of(r.findings.begin(), r.findings.end(), says));
}

// A model whose memory branches, at a port that has no step of its own, is stepped in plain numbers.
TEST(model_fit, FindsAContactWithABranchAgain) {
  const any_model truth(find_entry("azad_featherstone_stribeck"));
  model_fit_options options;
  options.offset = false;
  options.free = {"K_n"};
  fit_options once;
  once.starts = 4;
  once.intervals = false;
  const model_report r = fit_model(truth, {record_of(truth, 0.005, 3, 20)}, options, once);
  ASSERT_EQ(r.result.how, fit_result::ending::converged) << r.result.detail;
  const double value = truth.get("K_n").front();
  EXPECT_NEAR(r.result.find("K_n")->value, value, 0.02 * value);
}

// The cells of a patch are too many for the stages of other models: their rows are followed in steps of any
// length, as `evaluate` does, and finer bounds bring the two together.
TEST(model_fit, FindsAPatchAgain) {
  const auto rms = [](const std::vector<double>& of) {
    double squares = 0;
    for (const double each : of) squares += each * each;
    return std::sqrt(squares / static_cast<double>(of.size()));
  };
  const std::pair<const char*, const char*> laws[] = {{"patch_dai", "K"},
                                                      {"patch_lugre", "sigma_0"}};
  for (const auto& [key, stiffness] : laws) {
    const any_model truth = model_with(
        key, {"radius=0.03", "F_c=1.2", "F_s=1.5", fmt::format("{}=5e4", stiffness), "cells=6"});
    model_fit_options options;
    options.offset = false;
    options.free = {stiffness, "F_c", "radius"};
    model_fit at_truth(truth, {record_of(truth, 0, 3, 20)}, options);
    const std::vector<double> values{5e4, 1.2, 0.03};
    std::vector<double> r(at_truth.problem().residuals());
    ASSERT_EQ(at_truth.problem().unknowns[0].name, stiffness);
    ASSERT_TRUE(at_truth.problem().residual(values, r)) << key;
    const double coarse = rms(r), error = at_truth.step_error(values);
    EXPECT_LT(coarse, 1e-4 * at_truth.measured_deviation()) << key;
    for (int k = 0; k < 4; ++k) at_truth.refine(values, error, error / 50);
    ASSERT_TRUE(at_truth.problem().residual(values, r)) << key;
    EXPECT_LT(rms(r), std::max(0.3 * coarse, 1e-7 * at_truth.measured_deviation())) << key;

    fit_options once;
    once.starts = 2;
    once.intervals = false;
    const model_report found = fit_model(truth, {record_of(truth, 0.005, 3, 20)}, options, once);
    ASSERT_EQ(found.result.how, fit_result::ending::converged) << found.result.detail;
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(found.result.values[i], values[i], 0.03 * values[i])
          << key << " " << found.result.unknowns[i].name;
  }
}

// Elements that could not carry F_s together, or an elastic range beyond it, would be refused: a fit
// starts where the rules of its model allow it, and keeps them.
TEST(model_fit, StartsKeepTheRulesOfTheModel) {
  for (const catalogue_entry* entry : catalogue()) {
    const any_model model(*entry);
    record rec = rich_motion(model, 20);
    for (const channel& each : model.at().outputs)
      rec.channels.push_back({each.name, std::vector<double>(rec.t.size(), 1.0)});
    try {
      EXPECT_TRUE(model_fit(model, {rec}, {}).notes().empty()) << entry->key;
    } catch (const error&) {
      continue;  // cannot be fitted
    }
  }
}

// F_0 of two breaks must be at least F_c, but may be below F_s.
TEST(model_fit, ARuleIsNotTakenForThatOfAnother) {
  const any_model model(find_entry("stribeck_two_break"));
  const fit_problem p = model_fit(model, {record_of(model, 0.01, 1, 20)}, {}).problem();
  EXPECT_EQ(p.unknowns[static_cast<std::size_t>(p.find("F_0"))].not_below, p.find("F_c"));
  EXPECT_EQ(p.unknowns[static_cast<std::size_t>(p.find("F_s"))].not_below, p.find("F_c"));
}

// The bristles of a sawtooth let go elsewhere when their distance changes; nothing else makes a force jump.
// Slopes of a smooth curve never do.
TEST(model_fit, FindsTheUnknownsWithWhichTheForceJumps) {
  const auto names_of = [](const char* key, bool unknown::*has) {
    const any_model model(find_entry(key));
    const model_fit fit_of(model, {record_of(model, 0.01, 1, 60)}, {});
    std::string names;
    for (const unknown& x : fit_of.problem().unknowns)
      if (x.*has) names += x.name;
    return names;
  };
  EXPECT_EQ(names_of("drbm_sawtooth", &unknown::jumps), "Delta");
  for (const char* key : {"coulomb_viscous", "dahl", "dai", "lugre", "play", "stribeck_linear"})
    EXPECT_EQ(names_of(key, &unknown::jumps), "") << key;
  for (const char* key : {"coulomb_viscous", "stribeck_exponential", "duhem"})
    EXPECT_EQ(names_of(key, &unknown::kinks), "") << key;
}

// Where bristles are close together each of them hardly counts, so that a start there shows no jump.
TEST(model_fit, JumpsOfBristlesAreFoundWhereTheyAreFarApart) {
  const any_model truth = model_with("drbm", {"kappa=0.14", "Delta=0.006"});
  model_fit_options options;
  options.free = {"kappa", "Delta"};
  options.offset = false;
  const fit_problem p =
      model_fit(any_model(find_entry("drbm")), {record_of(truth, 0.01, 3, 60)}, options).problem();
  ASSERT_EQ(p.find("kappa"), 0);
  ASSERT_EQ(p.find("Delta"), 1);
  const std::vector<bool> none{false, false}, of_delta{false, true};
  EXPECT_EQ(p.jumps_at(std::vector<double>{1e-4, 1e-5}), none);
  EXPECT_EQ(p.jumps_at(std::vector<double>{0.14, 0.006}), of_delta);
  EXPECT_EQ(p.jumps_at(std::vector<double>{0.2, 0.003}), of_delta);
}

// Of a thousand rows hardly one jumps where slopes are compared with differences; teeth are felt for all the
// same.
TEST(model_fit, TeethOfASawtoothAreFoundInARecordOfManyRows) {
  const any_model truth = model_with("drbm_sawtooth", {"Delta=0.13", "F_min=0.7", "F_max=1.6"});
  model_fit_options options;
  options.offset = false;
  const model_report r = fit_model(any_model(find_entry("drbm_sawtooth")),
                                   {record_of(truth, 0.01, 3, 125)}, options, {});
  EXPECT_TRUE(r.result.has_exact_derivatives);
  EXPECT_TRUE(r.result.came_back.value_or(false));
  EXPECT_NEAR(r.result.find("F_min")->value, 0.7, 0.01);
  EXPECT_NEAR(r.result.find("F_max")->value, 1.6, 0.01);
  EXPECT_NEAR(r.result.find("Delta")->value, 0.13, 1e-4);
  for (const estimate& e : r.result.estimates)
    EXPECT_EQ(e.is, estimate::verdict::determined) << e.words;
}

// Most of the error of steps is made in few rows: about reversals, and where it breaks away. Shorter steps
// there do what steps that are shorter everywhere do with many more.
TEST(model_fit, StepsAreShortenedWhereTheyMakeTheError) {
  const any_model model = model_with("lugre", {});
  model_fit_options options;
  options.own_start = true;
  options.offset = false;
  model_fit some(model, {record_of(model, 0, 1, 50)}, options);
  const std::vector<double> values = starts_of(some.problem());
  const double error = some.step_error(values), wanted = error / 50;
  for (int k = 0; k < 4 && some.step_error(values) > wanted; ++k)
    some.refine(values, some.step_error(values), wanted);
  EXPECT_LE(some.step_error(values), wanted);
  model_fit everywhere(model, {record_of(model, 0, 1, 50)}, options);
  const std::size_t coarse = everywhere.steps();
  while (everywhere.step_error(values) > wanted) everywhere.refine();
  EXPECT_GE(everywhere.steps(), 8 * coarse);
  EXPECT_LT(3 * some.steps(), everywhere.steps());
  // The same force.
  for (int k = 0; k < 2; ++k) everywhere.refine();
  const auto fine = everywhere.predicted(values, 0), here = some.predicted(values, 0);
  double squares = 0;
  for (std::size_t k = 0; k < fine.size(); ++k) squares += std::pow(fine[k] - here[k], 2);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(fine.size())), 2 * wanted);
}

// Steps in closed form have no error, and where rates jump, so that stages do not settle, a model's own steps
// are taken.
TEST(model_fit, AModelsOwnStepsAreTakenWhereStagesAreWorse) {
  model_fit_options options;
  options.own_start = true;
  options.offset = false;
  const any_model ffbm = model_with("ffbm", {});
  const model_fit of_ffbm(ffbm, {record_of(ffbm, 0, 1, 50)}, options);
  EXPECT_TRUE(of_ffbm.has_exact_derivatives());
  EXPECT_LT(of_ffbm.step_error(starts_of(of_ffbm.problem())), 1e-9 * of_ffbm.measured_deviation());
  const any_model leuven = model_with("leuven_modified", {});
  const model_fit of_leuven(leuven, {record_of(leuven, 0, 1, 50)}, options);
  EXPECT_LT(of_leuven.step_error(starts_of(of_leuven.problem())),
            0.05 * of_leuven.measured_deviation());
  const any_model lugre = model_with("lugre", {});
  EXPECT_TRUE(model_fit(lugre, {record_of(lugre, 0, 1, 50)}, options).has_exact_derivatives());
}

// Slow at first and fast at the end. A force that rises with the speed at first, and hardly at the end,
// misleads the model with a slope there, which is the better one of the whole record.
TEST(model_fit, TheVerdictPrefersWhatHoldsOnThePartHeldOut) {
  const auto verdict_of = [](double slope_at_first) {
    record rec;
    rec.name = "two speeds";
    std::vector<double> v, f;
    std::mt19937 random(4);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 400; ++k) {
      const bool is_fast = k >= 300;
      rec.t.push_back(0.01 * k);
      v.push_back((is_fast ? 1.0 : 0.02) * std::sin(0.37 * k + 0.1));
      f.push_back((v.back() > 0 ? 1 : -1) + (is_fast ? 0.2 : slope_at_first) * v.back() +
                  0.01 * normal(random));
    }
    rec.channels = {{"v", v}, {"f", f}};
    rec.pieces = {{0, 400}};
    compare_options options;
    options.of_model.offset = false;
    options.of_model.hold_out = 0.25;
    options.of_fit.intervals = false;
    const comparison c =
        compare_models({any_model(find_entry("coulomb")), any_model(find_entry("coulomb_viscous"))},
                       {rec}, options);
    EXPECT_EQ(c.ranking.size(), 2U);
    EXPECT_EQ(c.ranking.front().model, "coulomb_viscous");
    return c.verdict;
  };
  EXPECT_NE(verdict_of(5).find("On the part held out, coulomb is better"), std::string::npos)
      << verdict_of(5);
  EXPECT_NE(verdict_of(5).find("prefer it."), std::string::npos);
  EXPECT_EQ(verdict_of(0.2).find("prefer it"), std::string::npos) << verdict_of(0.2);
}

// A poor model leaves residuals that are correlated: it says nothing about the noise, and what the others are to
// each other does not depend on whether it was tried.
TEST(model_fit, APoorModelDoesNotChangeHowOthersCompare) {
  record rec;
  rec.name = "slow waves";
  std::vector<double> v, f;
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 400; ++k) {
    rec.t.push_back(0.01 * k);
    v.push_back(std::sin(0.05 * k + 0.1));
    f.push_back((v.back() > 0 ? 1 : -1) + 2 * v.back() + 0.02 * normal(random));
  }
  rec.channels = {{"v", v}, {"f", f}};
  rec.pieces = {{0, 400}};
  compare_options options;
  options.of_model.offset = false;
  options.of_fit.intervals = false;
  const auto gap_with = [&](std::vector<const char*> keys) {
    std::vector<any_model> models;
    for (const char* key : keys) models.emplace_back(find_entry(key));
    const comparison c = compare_models(models, {rec}, options);
    double simple = 0, curved = 0;
    for (const model_report& each : c.ranking) {
      if (each.model == "coulomb_viscous") simple = each.result.bic;
      if (each.model == "stribeck_linear") curved = each.result.bic;
      if (each.model == "coulomb") {
        EXPECT_LT(each.result.effective_samples, 100);
      }
    }
    return curved - simple;
  };
  const double alone = gap_with({"coulomb_viscous", "stribeck_linear"});
  EXPECT_GT(alone, 1);
  EXPECT_NEAR(gap_with({"coulomb_viscous", "stribeck_linear", "coulomb"}), alone, 1e-6 * alone);
}

// A model in other units of force, length and time is itself: ratios without a unit are those of the card. The
// unit of force is that of least squares, so that residuals are at right angles to the force.
TEST(model_fit, TriesTheModelInOtherUnits) {
  any_model model(find_entry("multiplay"));
  model_fit_options options;
  options.offset = false;
  const model_fit fit_of(model, {record_of(model, 0.01, 5, 30)}, options);
  const fit_problem p = fit_of.problem();
  const auto starts = p.more_starts();
  ASSERT_GT(starts.size(), 20U);
  std::vector<double> residual(p.residuals()), stronger(p.residuals());
  for (const auto& values : starts) {
    const auto of = [&](const char* name) {
      return values[static_cast<std::size_t>(p.find(name))];
    };
    EXPECT_NEAR(of("m[1]") * of("k[1]") / (of("c[1]") * of("c[1]")), 1, 1e-9);
    EXPECT_NEAR(of("Delta[1]") / of("Delta[2]"), 4, 1e-9);
    EXPECT_NEAR(of("k[1]") / of("k[2]"), 1, 1e-9);
    auto moved = values;
    for (const char* name : {"m[1]", "m[2]", "c[1]", "c[2]", "k[1]", "k[2]"})
      moved[static_cast<std::size_t>(p.find(name))] *= 2;
    ASSERT_TRUE(p.residual(values, residual) && p.residual(moved, stronger));
    double product = 0, squares = 0;
    for (std::size_t k = 0; k < residual.size(); ++k) {
      const double force = stronger[k] - residual[k];
      product += residual[k] * force;
      squares += force * force;
    }
    EXPECT_NEAR(product / squares, 0, 1e-6);
  }
}

// A body on bristles that is measured in other units of height alone makes the same force, and nothing tells
// where its bristles end: such parameters are in no record. The number of bristles follows from the others.
TEST(model_fit, HeightsOfCompressedBristlesAreInNoRecord) {
  const any_model model(find_entry("compressed_bristle"));
  model_fit_options options;
  options.offset = false;
  record rec;
  std::vector<double> v, f;
  for (int k = 0; k < 60; ++k) {
    rec.t.push_back(0.01 * k);
    v.push_back(0.1 * std::cos(20 * rec.t.back()));
    f.push_back(v.back() > 0 ? 1 : -1);
  }
  rec.channels = {{"v", v}, {"f", f}};
  rec.pieces = {{0, rec.t.size()}};
  const fit_problem p = model_fit(model, {rec}, options).problem();
  EXPECT_EQ(p.find("N"), -1);
  std::vector<double> values, there(p.residuals()), here(p.residuals());
  for (const unknown& x : p.unknowns) values.push_back(model.get(x.name)[0]);
  ASSERT_TRUE(p.residual(values, here));
  const auto of = [&](const char* name) -> double& {
    return values[static_cast<std::size_t>(p.find(name))];
  };
  const double ratio = 1.7;
  of("k") *= ratio * ratio;
  of("m") *= ratio * ratio;
  of("w") /= ratio;
  of("g") /= ratio;
  of("alpha") = std::atan(ratio * std::tan(of("alpha")));
  of("h_0") *= 3;
  ASSERT_TRUE(p.residual(values, there));
  double largest = 0, difference = 0;
  for (std::size_t k = 0; k < here.size(); ++k) {
    largest = std::max(largest, std::abs(here[k] + f[k]));
    difference = std::max(difference, std::abs(here[k] - there[k]));
  }
  EXPECT_LT(difference, 1e-7 * largest);
}

// Friction with a memory fitted by a curve of the speed alone leaves residuals that are no noise: nothing is
// told then, and it is said why. Fitted by itself it has the same noise and all is told.
TEST(model_fit, AnotherLawIsAMisfitAndTellsNothing) {
  const any_model truth = model_with("dai", {"beta=5e-3"});
  const record rec = record_of(truth, 0.01, 7);
  model_fit_options options;
  options.offset = false;
  for (const char* key : {"coulomb_viscous", "stribeck_exponential", "dai"}) {
    const model_report r = fit_model(any_model(find_entry(key)), {rec}, options, {});
    const bool is_same = std::string(key) == "dai";
    EXPECT_EQ(r.structure > no_noise, !is_same) << key << ' ' << r.structure;
    int misfits = 0;
    for (const estimate& e : r.result.estimates) {
      EXPECT_EQ(e.is == estimate::verdict::determined, is_same) << key << ' ' << to_string(e.is);
      if (e.is != estimate::verdict::misfit) continue;
      ++misfits;
      EXPECT_NE(e.words.find("not noise"), std::string::npos) << e.words;
    }
    EXPECT_EQ(misfits > 0, !is_same) << key;
    EXPECT_EQ(std::any_of(r.findings.begin(), r.findings.end(),
                          [](const std::string& each) {
                            return each.find("No parameter is determined") != std::string::npos;
                          }),
              !is_same)
        << key;
  }
}

// Presliding of DAI friction is a spring of stiffness K behind each reversal, over F/K of strokes that are
// thirty and sixty times as long, and that is what fits of its elements start from.
TEST(model_fit, TheStiffnessAfterReversalsIsThatOfPresliding) {
  for (const double K : {2e4, 1e5, 5e5}) {
    // A stroke of 0.3 mm, to and fro; without damping the force is clamp(f + K dx, -F, F) exactly.
    record rec;
    rec.name = "strokes";
    const double F = 2;
    std::vector<double> v, force;
    double f = 0, x_before = 0;
    for (int k = 0; k < 4000; ++k) {
      const double phase = 6.283185307179586 * k / 1000, x = 3e-4 * std::sin(phase);
      f = std::clamp(f + K * (x - x_before), -F, F);
      x_before = x;
      rec.t.push_back(1e-3 * k);
      v.push_back(3e-4 * 6.283185307179586 * std::cos(phase));
      force.push_back(f);
    }
    rec.channels.push_back({"v", v});
    rec.channels.push_back({"f", force});
    rec.pieces = {{0, rec.t.size()}};
    const double seen = model_fit(any_model(find_entry("dai")), {rec}, {}).scales().stiffness;
    EXPECT_NEAR(seen, K, 0.1 * K);
  }
}

// The residuals of a record that is wrong everywhere are a failure or a poor fit, never a crash.
TEST(model_fit, NonsenseInTheRecordIsSurvived) {
  const any_model model(find_entry("dai"));
  record rec = record_of(model, 0, 1, 20);
  for (double& x : rec.channels.back().values) x = 0;
  const model_report r = fit_model(model, {rec}, {}, {});
  EXPECT_TRUE(std::isfinite(r.result.rms));
}

// Whichever way a model is taken along a record, it ends on the way.
TEST(model_fit, AnInterruptEndsResidualsOfEveryModel) {
  int tried = 0;
  for (const catalogue_entry* entry : catalogue()) {
    const any_model model(*entry);
    if (model.describe().parameters.empty()) continue;
    record rec = rich_motion(model, 40);
    for (const channel& each : model.at().outputs)
      rec.channels.push_back({each.name, std::vector<double>(rec.t.size(), 0.0)});
    std::atomic<bool> stop{false};
    model_fit_options options;
    options.own_start = true;
    options.interrupt = &stop;
    const model_fit fit_of(model, {rec}, options);
    const fit_problem p = fit_of.problem();
    const auto values = starts_of(p);
    std::vector<double> r(p.residuals()), slopes(r.size() * values.size());
    if (!p.residual(values, r)) continue;
    ++tried;
    stop = true;
    EXPECT_FALSE(p.residual(values, r)) << entry->key;
    if (p.derivative) {
      EXPECT_FALSE(p.derivative(values, r, {slopes.data(), r.size(), values.size()})) << entry->key;
    }
    EXPECT_EQ(p.squares(std::vector<std::vector<double>>{values}).front(), unbounded) << entry->key;
    EXPECT_THROW(fit_of.step_error(values), interruption) << entry->key;
    EXPECT_THROW(model_fit(model, {rec}, options), interruption) << entry->key;
    // And so it does for a fit whose time is up.
    stop = false;
    EXPECT_TRUE(p.residual(values, r)) << entry->key;
    ASSERT_NE(p.stop, nullptr);
    *p.stop = true;
    EXPECT_FALSE(p.residual(values, r)) << entry->key;
    EXPECT_THROW(fit_of.step_error(values), interruption) << entry->key;
  }
  EXPECT_GT(tried, 30);
}

// Steps of leuven along a record are of order 1 and long beside the noise of this one: its fit says so and
// determines nothing.
TEST(model_fit, StepsThatStayRoughDetermineNothing) {
  const any_model truth(find_entry("leuven"));
  model_fit_options options;
  options.offset = false;
  options.free = {"kappa", "F_c"};
  record rec = rich_motion(truth, 20).part({0, 80});
  evaluate_options rough;
  rough.relative_tolerance = 1e-5;
  auto f = evaluate(truth, rec, rough)["f"];
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0, 1e-3);
  for (double& each : f) each += normal(random);
  rec.channels.push_back({"f", std::move(f)});
  EXPECT_TRUE(model_fit(truth, {rec}, options).has_rough_steps());
  fit_options once;
  once.starts = 0;
  once.searches_on = 0;
  once.intervals = false;
  const model_report r = fit_model(truth, {rec}, options, once);
  EXPECT_GT(r.step_error, 0.1 * r.result.rms);
  for (const estimate& e : r.result.estimates) EXPECT_NE(e.is, estimate::verdict::determined);
  EXPECT_NE(report_text(r).find("The steps of leuven along the record have an error of"),
            std::string::npos)
      << report_text(r);
  EXPECT_FALSE(model_fit(any_model(find_entry("maxwell_slip")), {rec}, {}).has_rough_steps());
}

// A limit binds before the first residuals, too: there is nothing to show then, and it is said why.
TEST(model_fit, AFitWithoutTimeIsRefusedInWords) {
  const any_model model(find_entry("lugre"));
  fit_options of_fit;
  of_fit.time_limit = 1e-9;
  try {
    static_cast<void>(fit_model(model, {record_of(model, 0.005, 3, 20)}, {}, of_fit));
    ADD_FAILURE() << "it has something to show";
  } catch (const error& told) {
    EXPECT_NE(std::string(told.what()).find("the time limit of 1e-09 s is too short"),
              std::string::npos)
        << told.what();
  }
}

// Interrupted anywhere it shows values whose residuals are what it says, tells none of them, and says
// what was left out; before the first residuals there is nothing to show.
TEST(model_fit, AnInterruptedFitShowsTheBestSoFar) {
  const any_model truth = model_with("lugre", {"sigma_0=6e4", "F_c=1.4", "F_s=1.9"});
  const std::vector<record> records{record_of(truth, 0.005, 3, 200)};
  std::atomic<bool> stop{true};
  fit_options of_fit;
  of_fit.interrupt = &stop;
  of_fit.starts = 4;
  EXPECT_THROW(fit_model(truth, records, {}, of_fit), interruption);
  for (const double at : {0.05, 0.3, 0.36, 0.6, 0.86}) {
    for (const double hold_out : {0.0, 0.25}) {
      SCOPED_TRACE(fmt::format("at {} with {} held out", at, hold_out));
      stop = false;
      of_fit.progress = [&](double share) { stop = stop || share >= at; };
      model_fit_options of_model;
      of_model.hold_out = hold_out;
      const model_report r = fit_model(truth, records, of_model, of_fit);
      EXPECT_EQ(r.result.how, fit_result::ending::interrupted);
      EXPECT_NE(r.result.detail.find("left out, since it was interrupted"), std::string::npos)
          << r.result.detail;
      for (const estimate& each : r.result.estimates)
        EXPECT_NE(each.is, estimate::verdict::determined) << each.words;
      double squares = 0;
      for (const double each : r.result.residual) squares += each * each;
      EXPECT_GT(squares, 0);
      EXPECT_NEAR(r.result.rms, std::sqrt(squares / static_cast<double>(r.samples)),
                  1e-12 * r.result.rms);
      // The same residuals from the values, if steps are as long.
      model_fit_options of_rows = of_model;
      of_rows.hold_out = r.samples == records[0].t.size() ? 0 : hold_out;
      const fit_problem again = model_fit(truth, records, of_rows).problem();
      ASSERT_EQ(again.residuals(), r.samples);
      std::vector<double> residual(r.samples);
      ASSERT_TRUE(again.residual(r.result.values, residual));
      double other = 0;
      for (const double each : residual) other += each * each;
      EXPECT_NEAR(other, squares, 0.05 * squares);
    }
  }
}

// A program may fill a record in by itself: what it lacks is said, and nothing is read beyond its end.
// The force is exact, and constant in the last quarter, which the first fit has to foretell: that part
// alone moves backwards, so that what came before does not tell friction from an offset.
TEST(model_fit, ARecordWithoutNoiseAndAConstantEndHaveFiniteShares) {
  record rec;
  std::vector<double> v, f;
  for (int i = 0; i < 60; ++i) {
    rec.t.push_back(0.1 * i);
    v.push_back(std::array{0.5, 1.0, 0.7, -1.0}[static_cast<std::size_t>(i / 15)]);
    f.push_back(std::copysign(2.0, v.back()) + 3 * v.back());
  }
  rec.channels = {{"v", v}, {"f", f}};
  model_fit_options of_model;
  of_model.hold_out = 0.25;
  const model_report r = fit_model(model_with("coulomb_viscous", {}), {rec}, of_model, {});
  ASSERT_EQ(r.result.how, fit_result::ending::converged);
  EXPECT_NEAR(r.result.find("F_c")->value, 2, 1e-9);
  EXPECT_NEAR(r.result.find("sigma_2")->value, 3, 1e-9);
  for (const auto& row : r.result.correlation)
    for (const double each : row) EXPECT_LE(std::abs(each), 1 + 1e-6);
  EXPECT_GT(r.held_out_rms, 0.1);
  EXPECT_NEAR(r.held_out(), r.held_out_rms / r.deviation, 1e-12);
  for (const auto& each : r.findings)
    EXPECT_EQ(each.find("residuals depend"), std::string::npos) << each;
  EXPECT_NE(report_text(r).find(fmt::format("{:.2f} %", 100 * r.held_out())), std::string::npos)
      << report_text(r);
}

// Friction that falls from a peak while the motion goes one way, and friction on a sensor whose zero is
// off by more than itself: the sign is right in both, and the other one is noticed.
TEST(model_fit, OnlyAForceThatDrivesIsSaidToDrive) {
  const auto drives = [](double sign, double zero, bool turns) {
    record rec;
    std::vector<double> v, f;
    for (int i = 0; i < 400; ++i) {
      rec.t.push_back(0.1 * i);
      v.push_back(turns ? 0.05 * std::sin(0.5 * rec.t.back())
                        : 0.025 * (1 - std::cos(0.5 * rec.t.back())) + 0.001);
      const double peak = std::exp(-std::pow(v.back() / 0.005, 2));
      f.push_back(zero + sign * std::copysign(1 + 0.5 * peak, v.back()));
    }
    rec.channels = {{"v", v}, {"f", f}};
    rec.pieces = {{0, rec.t.size()}};
    return work_of(rec).drives();
  };
  EXPECT_FALSE(drives(1, 0, false));
  EXPECT_TRUE(drives(-1, 0, false));
  for (const double zero : {0.0, 5.0, -5.0}) EXPECT_FALSE(drives(1, zero, true)) << zero;
  EXPECT_TRUE(drives(-1, 0, true));
}

TEST(model_fit, AChannelWithoutAValueForEachTimeIsRefused) {
  const any_model model(find_entry("dai"));
  for (const std::size_t which : {0U, 1U}) {
    record rec = record_of(model, 0, 1, 20);
    ASSERT_GT(rec.channels.size(), which);
    rec.channels[which].values.pop_back();
    const std::string words =
        fmt::format("has {} values for {} times", rec.t.size() - 1, rec.t.size());
    try {
      model_fit(model, {rec}, {});
      FAIL() << "it was taken";
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  }
}

// A force that was not measured for a while: the motion is known all along, so the model moves on through
// these rows, and what is left of the residuals is what the whole record has there.
TEST(model_fit, RowsWithoutAForceAreNotComparedAndNothingElse) {
  for (const char* key : {"dai", "lugre", "maxwell_slip", "prandtl_ishlinskii"}) {
    const any_model model(find_entry(key));
    const record whole = record_of(model, 0.01, 5, 40);
    record holes = whole;
    auto& f = holes.channels.back().values;
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < f.size(); ++k) {
      if (k % 7 == 3 || k < 5 || (k > 100 && k < 140))
        f[k] = std::nan("");
      else
        kept.push_back(k);
    }
    const model_fit of_whole(model, {whole}), of_holes(model, {holes});
    const fit_problem a = of_whole.problem(), b = of_holes.problem();
    ASSERT_EQ(b.residuals(), kept.size()) << key;
    const auto values = starts_of(a);
    std::vector<double> all(a.residuals()), part(b.residuals());
    ASSERT_TRUE(a.residual(values, all));
    ASSERT_TRUE(b.residual(values, part));
    for (std::size_t i = 0; i < kept.size(); ++i) {
      EXPECT_EQ(part[i], all[kept[i]]) << key << ", row " << kept[i];
      EXPECT_EQ(of_holes.place_of(i).row, kept[i]);
    }
    const auto shown = of_holes.predicted(values, 0), wanted = of_whole.predicted(values, 0);
    ASSERT_EQ(shown.size(), wanted.size());
    for (std::size_t k = 0; k < shown.size(); ++k)
      EXPECT_NEAR(shown[k], wanted[k], 1e-12 * (1 + std::abs(wanted[k]))) << key << ", row " << k;
  }
}

TEST(model_fit, ARecordOfHardlyAnyForceIsRefused) {
  const any_model model(find_entry("dai"));
  record rec = record_of(model, 0, 1, 20);
  for (std::size_t k = 2; k < rec.t.size(); ++k) rec.channels.back().values[k] = std::nan("");
  EXPECT_THROW(model_fit(model, {rec}, {}), error);
  // A motion that is not known cannot be moved along, and of a number that is too large there is no square.
  for (const double wrong : {std::nan(""), HUGE_VAL, 1e300, -1e300}) {
    for (const std::size_t channel : {0U, 1U}) {
      if (channel == 1 && std::isnan(wrong)) continue;
      rec = record_of(model, 0, 1, 20);
      rec.channels[channel].values[7] = wrong;
      EXPECT_THROW(model_fit(model, {rec}, {}), error) << channel << ' ' << wrong;
    }
  }
}

// The reason for what a record does not tell is one of the record.
std::string finding_about(const model_report& r, const std::string& name) {
  for (const auto& each : r.findings)
    if (each.find("determine") != std::string::npos &&
        each.find(fmt::format(" {}", name)) != std::string::npos)
      return each;
  return "";
}

// k_tilde y_1 h_0 is one number for a curve of the speed alone, and it has no presliding at all.
TEST(model_fit, WhatNoMotionShowsIsNotBlamedOnTheRecord) {
  const any_model model(find_entry("stribeck_sech"));
  model_fit_options options;
  options.offset = false;
  const model_report r = fit_model(model, {record_of(model, 0.01, 3)}, options, {});
  const std::string said = finding_about(r, "y_1");
  EXPECT_NE(said.find("neither here nor"), std::string::npos) << said;
  EXPECT_EQ(said.find("revers"), std::string::npos) << said;
  for (const auto& each : r.next)
    EXPECT_EQ(each.find("To determine y_1"), std::string::npos) << each;
}

// One and the same model along motions that lack one thing each.
TEST(model_fit, TheReasonIsWhatTheMotionLacks) {
  const any_model truth(find_entry("lugre"));
  const double length = truth.get("F_c")[0] / truth.get("sigma_0")[0];
  const auto report_of = [&](double mean, double amplitude, double omega, double step, int rows) {
    record rec;
    rec.name = "waves";
    std::vector<double> v;
    for (int k = 0; k < rows; ++k) {
      rec.t.push_back(step * k);
      v.push_back(mean + amplitude * std::cos(omega * rec.t.back()));
    }
    std::vector<csv_column> columns{{"t", &rec.t}, {"v", &v}};
    std::vector<double> f = evaluate(truth, csv_table::parse(to_csv(columns), "motion"))["f"];
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 0.01 * truth.get("F_c")[0]);
    for (double& x : f) x += noise(random);
    rec.channels = {{"v", v}, {"f", f}};
    rec.pieces = {{0, rec.t.size()}};
    model_fit_options options;
    options.offset = false;
    options.settle = 0.05 * step * rows;
    return fit_model(truth, {rec}, options, {});
  };
  // Ten periods of 100 rows that never turn.
  const double slow = truth.get("v_s")[0];
  const model_report one_way = report_of(2 * slow, slow, 1, 0.0628, 1000);
  EXPECT_NE(finding_about(one_way, "sigma_0").find("the motion never reverses"), std::string::npos)
      << report_text(one_way);
  // Strokes of many thousand lengths, with rows that are hundreds of lengths apart.
  const double omega = 10 * slow / (5000 * length);
  const model_report coarse = report_of(0, 10 * slow, omega, 6.283 / omega / 100, 1000);
  const std::string said = finding_about(coarse, "sigma_1");
  EXPECT_NE(said.find("rows follow a reversal within"), std::string::npos) << report_text(coarse);
}

TEST(model_fit, OfARecordInWhichNothingMovesNothingElseIsSaid) {
  record rec;
  std::vector<double> x, f;
  for (int k = 0; k < 100; ++k) {
    rec.t.push_back(0.01 * k);
    x.push_back(0.2);
    f.push_back(std::sin(0.3 * k));
  }
  rec.channels = {{"x", x}, {"f", f}};
  rec.pieces = {{0, rec.t.size()}};
  const model_report r = fit_model(any_model(find_entry("dai")), {rec}, {}, {});
  EXPECT_NE(finding_about(r, "K").find("nothing moves"), std::string::npos) << report_text(r);
  for (const auto& each : r.next) EXPECT_EQ(each.find("strokes"), std::string::npos) << each;
}

// beta multiplies gamma and delta of Bouc and Wen, and each of them makes up for the other.
TEST(model_fit, WhatCanBeMadeUpForIsSaidToBe) {
  const any_model model(find_entry("bouc_wen"));
  model_fit_options options;
  options.offset = false;
  const model_report r = fit_model(model, {record_of(model, 0.01, 3, 60)}, options, {});
  const std::string said = finding_about(r, "gamma");
  EXPECT_NE(said.find("made up for by"), std::string::npos) << report_text(r);
}

}  // namespace
}  // namespace asperity
