// SPDX-License-Identifier: Apache-2.0
#include <asperity/text/record.hpp>
//
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/port.hpp>
#include <asperity/run/output.hpp>
#include <cmath>
#include <random>

#include "tests/folder.hpp"

namespace asperity {
namespace {

using values = std::vector<double>;

record read(const std::string& text, record_columns wanted) {
  return read_record(measured_table::parse(text, "rig.csv", wanted.skip), wanted);
}
record_columns x_as(const std::string& expression, std::optional<unit> in = units::metre) {
  record_columns result;
  result.columns = {{"x", expression, in}};
  return result;
}
// The one message that reading gives, which holds all of the words.
void is_refused(const std::string& text, const record_columns& wanted,
                const std::vector<std::string>& words) {
  try {
    read(text, wanted);
    ADD_FAILURE() << "it was read: " << text;
  } catch (const error& problem) {
    for (const auto& each : words)
      EXPECT_NE(std::string(problem.what()).find(each), std::string::npos) << each << "\n"
                                                                           << problem.what();
  }
}

// ---- expressions --------------------------------------------------------------------------------

TEST(record, AColumnHasASignAFactorAndAUnit) {
  const std::string text = "t,pos,Force (N),normal_N,counts,a/2,speed [m/s]\n0,3,4,25,100,7,9\n";
  const auto x = [&](const std::string& expression, std::optional<unit> in = units::metre) {
    return read(text, x_as(expression, in)).channels[0].values[0];
  };
  EXPECT_EQ(x("pos"), 3);
  EXPECT_EQ(x("-pos"), -3);
  EXPECT_EQ(x(" - pos * 2 "), -6);
  EXPECT_EQ(x("pos/4"), 0.75);
  EXPECT_DOUBLE_EQ(x("pos:mm"), 3e-3);
  EXPECT_DOUBLE_EQ(x("-pos*2:um"), -6e-6);
  EXPECT_DOUBLE_EQ(x("counts*0.01:mm"), 1e-3);
  EXPECT_DOUBLE_EQ(x("counts*2e-3"), 0.2);
  EXPECT_EQ(x("#2"), 3);
  EXPECT_EQ(x("-#2*3"), -9);
  EXPECT_EQ(x("\"pos\"*2"), 6);
  EXPECT_EQ(x("-'pos'"), -3);
  EXPECT_EQ(x("Force (N)", units::newton), 4);
  EXPECT_EQ(x("-Force (N)*2", units::newton), -8);
  EXPECT_EQ(x("\"Force (N)\"/2", units::newton), 2);
  EXPECT_EQ(x("Force", units::newton), 4);
  EXPECT_EQ(x("Force:kN", units::newton), 4000);  // an explicit unit wins
  EXPECT_EQ(x("normal_N/12.5", units::one), 2);
  EXPECT_EQ(x("normal_N/12.5 N", units::one), 2);
  EXPECT_EQ(x("a/2"), 7);  // the name, not the half of a
  EXPECT_EQ(x("a/2/2"), 3.5);
  EXPECT_EQ(x("speed [m/s]", units::metre / units::second), 9);
  EXPECT_EQ(x("speed [m/s]/3", units::metre / units::second), 3);
  EXPECT_EQ(x("speed", units::metre / units::second), 9);
}

TEST(record, UnitsInNamesAreUnderstood) {
  const double turn = std::acos(-1.0) / 180;
  const struct {
    const char* name;
    unit in;
    double scale;
  } cases[] = {{"x_mm", units::metre, 1e-3},
               {"x [mm]", units::metre, 1e-3},
               {"x (um)", units::metre, 1e-6},
               {"x [\u00b5m]", units::metre, 1e-6},
               {"x [\u03bcm]", units::metre, 1e-6},
               {"x_m", units::metre, 1},
               {"force_kN", units::newton, 1e3},
               {"force_mN", units::newton, 1e-3},
               {"angle_deg", units::radian, turn},
               {"angle [\u00b0]", units::radian, turn},
               {"angle_rad", units::radian, 1},
               {"speed_rad_s", units::radian / units::second, 1},
               {"speed_mm_s", units::metre / units::second, 1e-3},
               {"speed [mm/s]", units::metre / units::second, 1e-3},
               {"torque_Nm", units::torque, 1},
               {"torque_mN_m", units::torque, 1e-3},
               {"nothing", units::metre, 1},
               {"the_number_1", units::metre, 1}};
  for (const auto& each : cases) {
    SCOPED_TRACE(each.name);
    const record r = read(fmt::format("t,{}\n0,1\n1,2\n", each.name), x_as(each.name, each.in));
    EXPECT_DOUBLE_EQ(r.channels[0].values[1], 2 * each.scale);
  }
  // Without a kind that is wanted the unit is told.
  const record any = read("t,x [mm]\n0,5\n", x_as("x", {}));
  EXPECT_DOUBLE_EQ(any.channels[0].values[0], 5e-3);
  EXPECT_EQ(any.channels[0].in, units::metre);
  EXPECT_FALSE(read("t,x\n0,5\n", x_as("x", {})).channels[0].in.has_value());
  // Times, too.
  EXPECT_EQ(read("t_ms,x\n0,1\n5,1\n", x_as("x")).t, (values{0, 5e-3}));
  EXPECT_EQ(read("Time [ms],x\n0,1\n5,1\n", x_as("x")).t, (values{0, 5e-3}));
}

TEST(record, AUnitOfAnotherKindIsRefused) {
  is_refused("t,pos_N\n0,1\n", x_as("pos_N"), {"rig.csv:1", "pos_N", "N", "x is in m", "pos_N:m"});
  is_refused("t,pos [N]\n0,1\n", x_as("pos"), {"pos [N]", "is in N", "is in m"});
  is_refused("t,pos [V]\n0,1\n", x_as("pos"), {"'V'", "not a known unit"});
  is_refused("t,pos\n0,1\n", x_as("pos:N"), {"is in N", "m is wanted"});
  is_refused("t,pos\n0,1\n", x_as("pos:parsec"), {"unknown unit 'parsec'"});
  is_refused("t_N,pos\n0,1\n",
             [] {
               auto wanted = x_as("pos");
               wanted.time = "t_N";
               return wanted;
             }(),
             {"t_N", "t is in s"});
  record_columns load;
  load.columns = {{"load", "normal_N", units::one}};
  is_refused("t,normal_N\n0,1\n", load, {"normal_N/12.5", "load 1"});
  is_refused("t,normal_N\n0,1\n", x_as("normal_N/2 s", units::one), {"is in"});
  // A factor says what a unit that is not known, or of another kind, means.
  EXPECT_EQ(read("t,pos [V]\n0,3\n", x_as("pos*2e-3")).channels[0].values[0], 6e-3);
  // Frequencies and angular velocities are of one dimension, but not the same.
  is_refused("t,speed [Hz]\n0,1\n", x_as("speed", units::radian / units::second), {"Hz"});
}

TEST(record, AColumnThatIsNotThereIsToldWithTheNearest) {
  is_refused("t,position_mm,force\n0,1,2\n", x_as("positon_mm"),
             {"rig.csv:1", "'positon_mm'", "did you mean 'position_mm'", "force"});
  is_refused("t,x\n0,1\n", x_as("#3"), {"column #3 does not exist", "there are 2"});
  is_refused("t,x\n0,1\n", x_as("#0"), {"column #0 does not exist"});
  is_refused("t,x\n0,1\n", x_as("x*"), {"number"});
  is_refused("t,x\n0,1\n", x_as("x*two"), {"two"});
  is_refused("t,x\n0,1\n", x_as("x*0"), {"other than 0"});
  is_refused("t,x\n0,1\n", x_as("x/1e-320"), {"factor"});
  is_refused("t,x\n0,1\n", x_as("-"), {"column"});
  is_refused("t,x,x\n0,1,2\n", x_as("x"), {"'x' appears twice", "#2"});
  is_refused("a,x\n0,1\n", x_as("x"), {"no column 't'", "a, x"});
  EXPECT_EQ(read("t,x,x\n0,1,2\n", x_as("#3")).channels[0].values[0], 2);
}

TEST(record, AColumnOfTheChannelsNameNeedsNoExpression) {
  record_columns wanted;
  wanted.columns = {
      {"x", "", units::metre}, {"v", "", units::metre / units::second}, {"load", "", units::one}};
  const record r = read("t,x [mm],load_N,other\n0,4,7,a\n", wanted);
  ASSERT_EQ(r.channels.size(), 1U);  // load_N is no load, and nobody asked for it
  EXPECT_DOUBLE_EQ((*r.find("x"))[0], 4e-3);
  EXPECT_EQ(r.find("v"), nullptr);
  wanted.columns[1].is_required = true;
  is_refused("t,x\n0,1\n", wanted, {"no column 'v'"});
}

// ---- shapes of tables ---------------------------------------------------------------------------

TEST(record, EveryShapeOfTheSameTableGivesTheSameNumbers) {
  const values t{0, 0.5, 1}, x{1.5, -2.5, 30};
  const std::string shapes[] = {
      "t,x\n0,1.5\n0.5,-2.5\n1,3e1\n",
      "\xef\xbb\xbft,x\r\n0,1.5\r\n0.5,-2.5\r\n1,3e1\r\n",
      "t,x\r0,1.5\r0.5,-2.5\r1,3e1",
      "t;x\n0;1,5\n0,5;-2,5\n1;3e1\n",
      "t;x\n0;1.5\n0.5;-2.5\n1;30\n",
      "t\tx\n0\t1,5\n0,5\t-2,5\n1\t3e1\n",
      "t  x\n 0   1.5\n 0.5  -2.5\n1 3e1\n",
      "# made by a rig\n% on a Monday\n\nt,x\n# begin\n0,1.5\n0.5,-2.5\n\n1,+3e1\n# end\n",
      "\"t\",\"x\"\n\"0\",\"1.5\"\n0.5,-2.5\n1,30\n",
      "t,x,\n0,1.5,\n0.5,-2.5,\n1,30,\n",
      "t,x\n0,1.5,\n0.5,-2.5,\n1,30,\n",
      "t,x\ns,m\n0,1.5\n0.5,-2.5\n1,30\n",
      "t,x\n[s],[m]\n0,1.5\n0.5,-2.5\n1,30\n",
      "t;x\n(ms);(mm)\n0;1500\n500;-2500\n1000;30000\n",
      "# t, x\n0,1.5\n0.5,-2.5\n1,30\n"};
  for (const auto& text : shapes) {
    SCOPED_TRACE(text);
    const record r = read(text, x_as("x"));
    EXPECT_EQ(r.t, t);
    EXPECT_EQ(r.channels[0].values, x);
    EXPECT_EQ(r.pieces, (std::vector<record::piece>{{0, 3}}));
    EXPECT_TRUE(r.warnings.empty());
  }
  // Without names columns have numbers; lines above the names can be skipped.
  auto by_number = x_as("#2");
  by_number.time = "#1";
  EXPECT_EQ(read("0,1.5\n0.5,-2.5\n1,30\n", by_number).channels[0].values, x);
  auto below = x_as("x");
  below.skip = 2;
  EXPECT_EQ(read("Rig 5,,\n\"a, b\"\nt,x\n0,1.5\n0.5,-2.5\n1,30\n", below).t, t);
}

TEST(record, NamesMayHoldSeparatorsInQuotes) {
  const record r = read("t,\"x, along\"\n0,5\n", x_as("x, along"));
  EXPECT_EQ(r.channels[0].values[0], 5);
  // Quotes and signs that are a part of a name stay one.
  for (const char* name : {"'a' b", "'; c('d'); ' x", "-x", "x:mm", "x*2", "x*"}) {
    EXPECT_EQ(read(fmt::format("t,{}\n0,5\n", name), x_as(name)).channels[0].values[0], 5) << name;
  }
}

TEST(record, WhatIsNoTableIsRefusedWithItsLine) {
  const auto x = x_as("x");
  is_refused("", x, {"rig.csv:1", "empty"});
  is_refused("# nothing\n", x, {"empty"});
  is_refused("t,x\n", x, {"rig.csv:1", "no rows"});
  is_refused("t,x\n0,1\n1\n", x, {"rig.csv:3", "1 values", "2 columns"});
  is_refused("t,x\n0,1\n1,2,3\n", x, {"rig.csv:3", "3 values"});
  is_refused("t,x\n0,1\n1,two\n", x, {"rig.csv:3", "'x'", "'two'", "finite number"});
  is_refused("t,x\n0,1\n1,inf\n", x, {"rig.csv:3", "'inf'"});
  is_refused("t,x\n0,1\n1,1e999\n", x, {"rig.csv:3", "1e999"});
  is_refused("t,x\n0,1\n1,0x10\n", x, {"rig.csv:3"});
  is_refused("t;x\n0;1.000,5\n", x, {"1.000,5"});
  is_refused("t;x\n0;1,5\n1;2.5\n", x, {"rig.csv:3", "decimal points", "decimal commas"});
  is_refused(std::string("\xff\xfet\0,\0", 6), x, {"UTF-16"});
  is_refused("t,x_km\n0,1\n1,1e307\n", x_as("x_km"), {"rig.csv:3", "finite number in m"});
  // At most the cell that is wrong, and that cut.
  is_refused("t,x\n0," + std::string(1000, 'a') + "\n", x, {"aaa...", "rig.csv:2"});
  is_refused("\x89HDF\r\n\x1a\n and nothing more", x, {"HDF5"});
}

// ---- times --------------------------------------------------------------------------------------

TEST(record, TimesRise) {
  is_refused("t,x\n0,1\n1,1\n1,1\n", x_as("x"), {"rig.csv:4", "'t'", "above 1"});
  is_refused("t,x\n0,1\n1,1\n0.5,1\n", x_as("x"), {"rig.csv:4", "'0.5'", "above 1"});
  auto steps = x_as("x");
  steps.step = 0.25;
  EXPECT_EQ(read("x\n1\n2\n3\n", steps).t, (values{0, 0.25, 0.5}));
  auto rows = x_as("x");
  rows.needs_time = false;
  EXPECT_EQ(read("x\n1\n2\n", rows).t, (values{0, 1}));
  auto part = x_as("x");
  part.from = 1;
  part.to = 2;
  EXPECT_EQ(read("t,x\n0,1\n1,2\n2,3\n3,4\n", part).channels[0].values, (values{2, 3}));
  part.from = 7;
  part.to = 8;
  is_refused("t,x\n0,1\n1,2\n", part, {"no rows from 7 s to 8 s"});
}

std::string even_rows(int count, const std::function<bool(int)>& is_there,
                      const std::function<std::string(int)>& cell) {
  std::string text = "t,x\n";
  for (int i = 0; i < count; ++i)
    if (is_there(i)) text += fmt::format("{},{}\n", 0.5 * i, cell(i));
  return text;
}

TEST(record, GapsSplitIt) {
  const auto number = [](int i) { return fmt::format("{}", i); };
  const auto always = [](int) { return true; };
  // Cells that are missing, whatever stands in their place.
  for (const char* nothing : {"", "NaN", "nan", "NA", "null", "-"}) {
    const std::string text =
        even_rows(10, always, [&](int i) { return i == 4 || i == 5 ? nothing : number(i); });
    const record r = read(text, x_as("x"));
    EXPECT_EQ(r.pieces, (std::vector<record::piece>{{0, 4}, {4, 8}})) << nothing;
    EXPECT_EQ(r.t[4], 3);
    ASSERT_EQ(r.warnings.size(), 2U);
    EXPECT_NE(r.warnings[0].find("2 of 10 rows"), std::string::npos);
    auto bridged = x_as("x");
    bridged.bridge_gaps = true;
    const record whole = read(text, bridged);
    EXPECT_EQ(whole.pieces, (std::vector<record::piece>{{0, 8}}));
    EXPECT_EQ(whole.t, r.t);
  }
  // Rows that are missing: 15 steps at once.
  const std::string text = even_rows(
      60, [](int i) { return i <= 20 || i > 34; }, number);
  const record r = read(text, x_as("x"));
  EXPECT_EQ(r.pieces, (std::vector<record::piece>{{0, 21}, {21, 46}}));
  EXPECT_NE(r.warnings[0].find("1 gap of more than 5 s, the widest of 7.5 s at t = 10 s"),
            std::string::npos)
      << r.warnings[0];
  auto wide = x_as("x");
  wide.gap = 16;
  EXPECT_EQ(read(text, wide).pieces.size(), 1U);
  wide.gap = 14;
  EXPECT_EQ(read(text, wide).pieces.size(), 2U);
  // What is missing at the ends makes no gap.
  EXPECT_EQ(read("t,x\n0,\n1,1\n2,2\n3,\n", x_as("x")).pieces.size(), 1U);
  is_refused("t,x\n0,\n1,\n", x_as("x"), {"no row has a number"});
}

// What is only compared may be missing: its rows stay, with nothing in them, and no piece ends there.
TEST(record, WhatMayLackANumberMakesNoGap) {
  record_columns wanted = x_as("x");
  wanted.columns.push_back({.channel = "f", .may_lack = true});
  const std::string text = "t,x,f\n0,5,\n1,6,2\n2,,3\n3,8,4\n4,9,NaN\n5,10,9\n";
  const record r = read(text, wanted);
  EXPECT_EQ(r.t, (values{0, 1, 3, 4, 5}));
  EXPECT_EQ(r.pieces, (std::vector<record::piece>{{0, 2}, {2, 5}}));
  const values f = *r.find("f");
  EXPECT_TRUE(std::isnan(f[0]) && std::isnan(f[3]));
  EXPECT_EQ((values{f[1], f[2], f[4]}), (values{2, 4, 9}));
  EXPECT_NE(r.warnings[0].find("1 of 6 rows"), std::string::npos) << r.warnings[0];
  EXPECT_NE(r.warnings[1].find("2 of 6 rows lack a number that is only compared"),
            std::string::npos)
      << r.warnings[1];
  is_refused("t,x,f\n0,5,\n1,6,\n", wanted, {"no row has a number"});
  is_refused("t,x,f\n0,5,1\n1,6,inf\n", wanted, {"finite number"});
  // Drift is that of the numbers there are: f = 1 + t + 0 t^2 but for what is missing.
  const auto rest_of = [&](const char* how) {
    auto of = wanted;
    of.detrend = {how};
    const values all = *read("t,x,f\n0,5,\n1,6,2\n2,7,3\n3,8,\n4,9,5\n", of).find("f");
    return values{all[1], all[2], all[4]};
  };
  EXPECT_EQ(rest_of("f=start"), (values{0, 1, 3}));
  for (const double each : rest_of("f=line")) EXPECT_NEAR(each, 0, 1e-15);
  double sum = 0;
  for (const double each : rest_of("f=mean")) sum += each;
  EXPECT_NEAR(sum, 0, 1e-15);
}

TEST(record, AColumnThatIsThereTwiceIsSaidNotToBeRead) {
  const record r = read("t,x,x\n0,1,2\n1,1,2\n", x_as(""));
  EXPECT_EQ(r.find("x"), nullptr);
  ASSERT_EQ(r.warnings.size(), 1U);
  EXPECT_NE(r.warnings[0].find("'x' appears 2 times"), std::string::npos) << r.warnings[0];
  EXPECT_NE(r.warnings[0].find("#2"), std::string::npos) << r.warnings[0];
}

TEST(record, DoubledQuotesInANameAreQuotes) {
  const record r = read("t,\"fo\"\"r,ce\"\n0,1\n1,2\n", x_as("fo\"r,ce"));
  EXPECT_EQ(*r.find("x"), (values{1, 2}));
}

TEST(record, StepsThatVaryAreNoGaps) {
  std::string text = "t,x\n";
  double t = 0, step = 1e-6;
  for (int i = 0; i < 100; ++i, t += step *= 1.2) text += fmt::format("{},{}\n", t, i);
  EXPECT_EQ(read(text, x_as("x")).pieces.size(), 1U);
}

TEST(record, APieceIsARecordOfItsOwn) {
  const record r = read("t,x\n0,5\n1,\n2,7\n3,8\n", x_as("x"));
  ASSERT_EQ(r.pieces.size(), 2U);
  const record second = r.part(r.pieces[1]);
  EXPECT_EQ(second.t, (values{2, 3}));
  EXPECT_EQ(*second.find("x"), (values{7, 8}));
  EXPECT_EQ(second.lines, (std::vector<long>{4, 5}));
  EXPECT_THROW(second.fail("x", 0, "no"), error);
}

// ---- drift --------------------------------------------------------------------------------------

TEST(record, DriftIsRemovedAndTold) {
  std::string text = "t,x\n";
  for (int i = 0; i <= 100; ++i)
    text += fmt::format("{},{}\n", 0.1 * i, 3 + 0.2 * 0.1 * i + (i % 2 == 0 ? 1 : -1));
  const auto with = [&](const std::string& how) {
    auto wanted = x_as("x");
    wanted.detrend = {how};
    return read(text, wanted);
  };
  const record line = with("x=line");
  double sum = 0, moment = 0;
  for (std::size_t i = 0; i < line.t.size(); ++i) {
    sum += (*line.find("x"))[i];
    moment += (*line.find("x"))[i] * line.t[i];
  }
  EXPECT_NEAR(sum, 0, 1e-10);
  EXPECT_NEAR(moment, 0, 1e-9);
  EXPECT_NE(line.notes[1].find("m/s"), std::string::npos) << line.notes[1];
  EXPECT_NEAR((*with("x=start").find("x"))[0], 0, 1e-15);
  EXPECT_NEAR((*with("x=3 mm").find("x"))[0], 3.997, 1e-15);
  const values mean = *with("x").find("x");
  double total = 0;
  for (const double each : mean) total += each;
  EXPECT_NEAR(total, 0, 1e-10);
  // The mean of the first rows, 0 to 0.3 s: 3.03.
  const record start = with("x=start 0.31 s");
  EXPECT_NEAR((*start.find("x"))[0], 4 - 3.03, 1e-12);
  EXPECT_NE(start.notes[1].find("4 rows"), std::string::npos) << start.notes[1];
  const auto refused = [&](const std::string& how, const std::vector<std::string>& words) {
    auto wanted = x_as("x");
    wanted.detrend = {how};
    is_refused(text, wanted, words);
  };
  refused("y=mean", {"'y'", "channels are: x"});
  refused("x=parabola", {"parabola", "it must be mean"});
  refused("x=3 N", {"is in N", "m is wanted"});
  refused("x=start -1 s", {"above 0"});
}

// ---- slopes -------------------------------------------------------------------------------------

TEST(record, NoiseBelow0IsTakenAs0AndTold) {
  const auto of = [](const std::string& text) {
    record_columns wanted;
    wanted.columns = {{"load", "", units::one}};
    record r = read(text, wanted);
    take_noise_below_0_as_0(r, "load");
    take_noise_below_0_as_0(r, "x");  // which it does not have
    return r;
  };
  const record noisy = of("t,load\n0,-0.01\n1,1\n2,-0.002\n3,0.5\n");
  EXPECT_EQ(noisy.channels[0].values, (values{0, 1, 0, 0.5}));
  ASSERT_EQ(noisy.warnings.size(), 1U);
  EXPECT_NE(noisy.warnings[0].find("load: 2 of 4 values are below 0, by at most 0.01"),
            std::string::npos)
      << noisy.warnings[0];
  // More than that is a load that lifts, or a wrong sign.
  for (const char* text :
       {"t,load\n0,-0.0101\n1,1\n", "t,load\n0,-1\n1,-2\n", "t,load\n0,1\n1,2\n"}) {
    const record same = of(text);
    EXPECT_TRUE(same.warnings.empty()) << text;
    EXPECT_NE(same.channels[0].values[0], 0) << text;
  }
}

TEST(record, TheSlopeOfASineIsItsVelocityAndNothingIsJoinedAcrossAGap) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> jitter(-0.3, 0.3);
  std::string text = "t,x\n";
  for (int i = 0; i < 2000; ++i) {
    if (700 <= i && i < 800) continue;
    const double t = 1e-3 * (i + jitter(random));
    // Behind the gap there is another offset: a slope across it would be seen.
    text += fmt::format("{},{}\n", t, std::sin(6 * t) + (i < 750 ? 0 : 100));
  }
  auto wanted = x_as("x");
  wanted.slopes = {{"v", "x"}};
  wanted.bandwidth = 50;
  const record r = read(text, wanted);
  ASSERT_EQ(r.pieces.size(), 2U);
  const auto& v = *r.find("v");
  for (std::size_t i = 0; i < v.size(); ++i)
    EXPECT_NEAR(v[i], 6 * std::cos(6 * r.t[i]), 0.01) << r.t[i];
  EXPECT_EQ(r.find_channel("v")->in, units::metre / units::second);
  EXPECT_NE(r.notes.back().find("-3 dB at 50 Hz"), std::string::npos) << r.notes.back();
  // One that is in the file stays.
  auto given = wanted;
  given.columns.push_back({"v", "x*2:m/s", units::metre / units::second});
  EXPECT_EQ((*read(text, given).find("v"))[5], 2 * (*r.find("x"))[5]);
  wanted.bandwidth = 400;
  is_refused(text, wanted, {"400 Hz", "allow up to"});
  wanted.bandwidth = 0.01;
  is_refused(text, wanted, {"no piece of the record"});
}

// ---- HDF5 ---------------------------------------------------------------------------------------

class record_files : public testing::in_folder {};

TEST_F(record_files, ARunOfOursIsReadBackFromHdf5) {
  if (!reads_hdf5()) GTEST_SKIP() << "built without HDF5";
  run_data run;
  run.columns = {{"t", units::second, {0, 1, 2}},
                 {"x", units::metre, {0.1, -1.0 / 3, 1e-300}},
                 {"f", units::newton, {5, 6, 7}}};
  run.event_names = {"slip"};
  run.events = {{"slip", 0.5, {}}};
  write("series.h5", series_hdf5(run));
  record_columns wanted;
  wanted.columns = {{"x", "", units::metre}, {"f", "-f*2", units::newton}};
  const record r = read_record(path("series.h5"), wanted);
  EXPECT_EQ(r.t, run.columns[0].values);
  EXPECT_EQ(*r.find("x"), run.columns[1].values);
  EXPECT_EQ(*r.find("f"), (values{-10, -12, -14}));
  wanted.columns[1].expression = "x";  // a length is no force
  EXPECT_THROW(read_record(path("series.h5"), wanted), error);
  wanted.columns = {{"x", "slip", {}}};                         // in the group of events
  EXPECT_THROW(read_record(path("series.h5"), wanted), error);  // one number, not three
  wanted.needs_time = false;
  EXPECT_EQ(*read_record(path("series.h5") + ":/events", wanted).find("x"), (values{0.5}));
  EXPECT_THROW(read_record(path("series.h5") + ":/nowhere", wanted), error);
  // Any part of it is refused or read, never more.
  const std::string whole = content("series.h5");
  for (std::size_t size = 8; size < whole.size(); size += 97) {
    write("part.h5", whole.substr(0, size));
    EXPECT_THROW(read_record(path("part.h5"), wanted), error) << size;
  }
}

}  // namespace
}  // namespace asperity
