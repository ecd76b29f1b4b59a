// SPDX-License-Identifier: Apache-2.0
// Measured data as input of eval, loops and run: columns of any name, sign, factor and unit.

#include <asperity/text/csv.hpp>
#include <cmath>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

class cli_measured : public program_test {
 protected:
  static std::string clean(int rows = 400) {
    std::string text = "t,x,v,f\n";
    for (int i = 0; i < rows; ++i) {
      const double t = 0.005 * i;
      text += fmt::format("{},{},{},{}\n", t, 1e-5 * std::sin(3 * t), 3e-5 * std::cos(3 * t),
                          0.5 * std::sin(3 * t));
    }
    return text;
  }
  // The same as a rig writes it: milliseconds, micrometres, the force of the other body.
  static std::string as_measured(int rows = 400) {
    std::string text = "\xef\xbb\xbf# rig 5\r\nZeit [ms];Weg, roh;F-Reib (N);normal_N\r\n";
    for (int i = 0; i < rows; ++i) {
      const double t = 0.005 * i;
      std::string line =
          fmt::format("{};{};{};12.5\r\n", 1000 * t, 10 * std::sin(3 * t), -0.5 * std::sin(3 * t));
      std::replace(line.begin(), line.end(), '.', ',');
      text += line;
    }
    return text;
  }
  std::vector<double> column(const std::string& file, const std::string& name) const {
    return csv_table::read(path(file)).column(name);
  }
  static std::string data_folder() {
    std::vector<fs::path> places;
    if (const char* named = std::getenv("ASPERITY_DATA")) places.emplace_back(named);
    const fs::path source(ASPERITY_SOURCE_DIR);
    places.push_back(source / "../shared/data");
    places.push_back(source / "../../shared/data");
    for (const auto& place : places)
      if (fs::exists(place / "rig_presliding_train.csv")) return place.string();
    return "";
  }
};

TEST_F(cli_measured, EvalTakesColumnsOfAnyNameSignFactorAndUnit) {
  write("clean.csv", clean());
  write("rig.csv", as_measured());
  ASSERT_EQ(run({"eval", "dai", "--input", "clean.csv", "--drive", "x", "--out", "a.csv"}), 0);
  const answer told =
      run({"eval", "dai", "--input", "rig.csv", "--t", "Zeit [ms]", "--x", "Weg, roh:um", "--f",
           "-F-Reib (N)", "--load", "normal_N/12.5", "--out", "b.csv"});
  ASSERT_EQ(told, 0);
  for (const char* word :
       {"rig.csv: 400 rows from 0 s to 1.995 s, 0.005 s apart", "x = Weg, roh:um [m]",
        "f = -F-Reib (N) [N]", "load = normal_N/12.5 (the factor converts N to -)",
        "f: measured and simulated values differ by"})
    EXPECT_NE(told.err.find(word), std::string::npos) << word << "\n" << told.err;
  const auto a = column("a.csv", "f"), b = column("b.csv", "f");
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9);
  const auto measured = column("b.csv", "f_measured"), t = column("b.csv", "t");
  for (std::size_t i = 0; i < t.size(); ++i)
    EXPECT_NEAR(measured[i], 0.5 * std::sin(3 * t[i]), 1e-12);
}

TEST_F(cli_measured, EvalTakesTheVelocityUpToABandwidth) {
  write("rig.csv", as_measured());
  const answer told = run({"eval", "lugre", "--input", "rig.csv", "--t", "Zeit [ms]", "--x",
                           "#2:um", "--bandwidth", "20 Hz", "--force", "--out", "b.csv"});
  ASSERT_EQ(told, 0);
  EXPECT_NE(told.err.find("-3 dB at 20 Hz"), std::string::npos) << told.err;
  const auto t = column("b.csv", "t"), v = column("b.csv", "v");
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_NEAR(v[i], 3e-5 * std::cos(3 * t[i]), 2e-7);
  EXPECT_NE(run({"eval", "lugre", "--input", "rig.csv", "--t", "Zeit [ms]", "--x", "#2:um",
                 "--bandwidth", "auto", "--force", "--out", "b.csv"})
                .err.find("-3 dB at 10 Hz"),
            std::string::npos);
  refuses({"eval", "lugre", "--input", "rig.csv", "--t", "Zeit [ms]", "--x", "#2:um", "--bandwidth",
           "100 Hz"},
          {"100 Hz", "up to 44.29"});
  refuses({"eval", "lugre", "--input", "rig.csv", "--bandwidth", "20 N"}, {"--bandwidth 20 N"});
}

TEST_F(cli_measured, EvalDrawsMeasuredBesideSimulated) {
  write("rig.csv", as_measured());
  const answer told = run({"eval", "dai", "--input", "rig.csv", "--t", "Zeit [ms]", "--x", "#2:um",
                           "--f", "-#3", "--plot", "f.svg", "--out", "f.csv"});
  ASSERT_EQ(told, 0);
  if (told.err.find("gnuplot is not installed") != std::string::npos)
    GTEST_SKIP() << "gnuplot is not installed";
  const std::string picture = content("f.svg");
  for (const char* word : {"f measured", "f simulated", "f over t", "f over x", "t [s]", "x [um]"})
    EXPECT_NE(picture.find(word), std::string::npos) << word;
  refuses({"eval", "dai", "--input", "rig.csv", "--plot", "f.jpg"}, {"f.jpg", ".svg or .png"});
}

TEST_F(cli_measured, AGapIsToldAndTheModelBeginsAnew) {
  std::string text = "t,x,f\n";
  for (int i = 0; i < 100; ++i)
    text += fmt::format("{},{},{}\n", 0.01 * i, i == 50 ? "" : fmt::format("{}", 1e-9 * i), i);
  write("gap.csv", text);
  const answer told = run("eval dai --input gap.csv --f f --out f.csv");
  ASSERT_EQ(told, 0);
  EXPECT_NE(told.err.find("1 of 100 rows lack a number"), std::string::npos) << told.err;
  EXPECT_NE(told.err.find("2 pieces"), std::string::npos) << told.err;
  EXPECT_NE(told.err.find("--bridge-gaps"), std::string::npos) << told.err;
  const auto f = column("f.csv", "f");
  ASSERT_EQ(f.size(), 99U);
  EXPECT_GT(f[49], f[0]);
  EXPECT_NEAR(f[50], f[0], 1e-9);  // at the beginning again
  ASSERT_EQ(run("eval dai --input gap.csv --bridge-gaps --out g.csv"), 0);
  EXPECT_GT(column("g.csv", "f")[50], column("g.csv", "f")[49]);
}

TEST_F(cli_measured, WhatDoesNotFitIsRefusedInOneLine) {
  write("rig.csv", as_measured(20));
  const auto eval = [](std::vector<std::string> more) {
    std::vector<std::string> all{"eval", "dai", "--input", "rig.csv"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  refuses(eval({}), {"rig.csv:2", "no column 't'"});
  refuses(eval({"--t", "Zeit [ms]"}), {"no column 'v' or 'x'"});
  refuses(eval({"--t", "Zeit", "--x", "Weg"}), {"rig.csv:2", "no column 'Weg'"});
  refuses(eval({"--t", "Zeit", "--x", "F-Reib"}), {"is in N", "x is in m"});
  refuses(eval({"--t", "Zeit", "--x", "#9"}), {"#9", "there are 4"});
  refuses(eval({"--t", "Zeit", "--x", "#2:um", "--load", "normal_N"}), {"normal_N/12.5"});
  refuses(eval({"--t", "Zeit", "--column", "gap=#2"}), {"--column gap=#2", "'gap'", "x, v, load"});
  refuses(eval({"--t", "Zeit", "--column", "x"}), {"--column x", "NAME=COLUMN"});
  refuses(eval({"--t", "Zeit", "--dt", "1 ms", "--x", "#2"}), {"--t", "--dt"});
  refuses(eval({"--dt", "1 ms", "--rate", "1 kHz", "--x", "#2"}),
          {"--rate cannot be combined with --dt"});
  refuses(eval({"--dt", "-1 ms", "--x", "#2"}), {"--dt -1 ms", "above 0"});
  refuses(eval({"--dt", "1 mm", "--x", "#2"}), {"--dt 1 mm", "s is wanted"});
  refuses(eval({"--t", "Zeit", "--x", "#2", "--gap", "1"}), {"--gap 1", "above 1"});
  refuses(eval({"--t", "Zeit", "--x", "#2", "--skip", "-1"}), {"--skip"});
  refuses(eval({"--t", "Zeit", "--x", "#2", "--from", "1 h"}), {"no rows"});
  refuses(eval({"--t", "Zeit", "--x", "#2", "--detrend", "f"}), {"'f'", "channels are: x"});
  // Times are given by options where the file has none.
  EXPECT_EQ(run(eval({"--rate", "2 kHz", "--x", "#2:um", "--out", "o.csv"})), 0);
  EXPECT_DOUBLE_EQ(column("o.csv", "t")[4], 0.002);
}

// A sensor without load shows noise about 0, as the record of the rig does before its body is put down.
TEST_F(cli_measured, NoiseOfAnUnloadedSensorIsNoLoadBelowZero) {
  const auto text = [](double noise) {
    std::string result = "t,x,load,f\n";
    for (int i = 0; i < 60; ++i)
      result += fmt::format("{},{},{},{}\n", 0.01 * i, 1e-4 * std::sin(0.3 * i),
                            i < 5 ? noise : 2.0, std::sin(0.3 * i));
    return result;
  };
  write("noisy.csv", text(-0.01));
  write("zero.csv", text(0));
  write("lifted.csv", text(-0.1));
  const answer noisy = run({"eval", "dai", "--input", "noisy.csv", "--out", "noisy_f.csv"});
  ASSERT_EQ(noisy, 0);
  EXPECT_NE(noisy.err.find("load: 5 of 60 values are below 0, by at most 0.01"), std::string::npos)
      << noisy.err;
  ASSERT_EQ(run({"eval", "dai", "--input", "zero.csv", "--out", "zero_f.csv"}), 0);
  EXPECT_EQ(column("noisy_f.csv", "f"), column("zero_f.csv", "f"));
  ASSERT_EQ(run({"fit", "dai", "--data", "noisy.csv", "--free", "F", "--starts", "0"}), 0);
  // LuGre's equations divide by the load: at none they take the least one.
  const answer least = run({"fit", "lugre", "--data", "noisy.csv", "--free", "F_c", "--starts", "0",
                            "--no-intervals", "--time-limit", "20 s", "--out", "least.fit"});
  ASSERT_EQ(least, 0);
  EXPECT_NE(least.err.find("load: 5 of 60 values are below 0.001, the least load with which"),
            std::string::npos)
      << least.err;
  EXPECT_EQ(column("least.fit/motion.csv", "load")[4], 1e-3);
  EXPECT_EQ(column("least.fit/motion.csv", "load")[5], 2);
  const answer ended = run({"eval", "lugre", "--input", "noisy.csv"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("lugre needs a load above 0"), std::string::npos) << ended.err;
  // Models that are compared see the same loads.
  const answer compared = run({"fit", "dai", "--data", "noisy.csv", "--compare", "dahl", "--starts",
                               "0", "--time-limit", "20 s"});
  ASSERT_EQ(compared, 0);
  EXPECT_NE(compared.err.find("models such as dahl"), std::string::npos) << compared.err;
  EXPECT_EQ(compared.out.find("not fitted"), std::string::npos) << compared.out;
  for (const char* command : {"eval", "fit"})
    refuses({command, "dai", command == std::string("fit") ? "--data" : "--input", "lifted.csv"},
            {"lifted.csv:2", "'load' = '-0.1'", "at least 0"});
}

// The same of the load of a system.
TEST_F(cli_measured, NoiseOfAnUnloadedSensorIsNoLoadOfASystemBelowZero) {
  std::string text = "t,F_N,x_m,normal\n";
  for (int i = 0; i < 200; ++i) {
    const double t = 0.01 * i, load = std::max(std::sin(2 * t), 0.0);
    text += fmt::format("{},{},{},{}\n", t, 2 * std::sin(5 * t), -0.08 * std::sin(5 * t),
                        load == 0 || i == 0 ? -1e-3 : load);
  }
  write("rig.csv", text);
  write("mass.toml", R"([system]
kind = "mass_under_force"
mass = 1
[friction]
model = "coulomb"
F_c = 0.1
[force]
kind = "constant"
value = 0
[run]
duration = 1
)");
  const answer told =
      run({"fit", "mass.toml", "--data", "rig.csv", "--input", "force=F_N", "--input",
           "load=normal", "--match", "x=x_m", "--free", "system.mass", "--no-intervals"});
  ASSERT_EQ(told, 0) << told.err;
  EXPECT_NE(told.err.find("they are taken as 0, as the noise of a sensor without load"),
            std::string::npos)
      << told.err;
}

TEST_F(cli_measured, LoopsTakesTheSameColumns) {
  std::string text = "ms;s [mm];F\n", other = "t,x,f\n";
  for (int i = 0; i <= 3000; ++i) {
    const double t = 2 * 3.14159265358979 * i / 1000;
    text += fmt::format("{};{};{}\n", i, 2 * std::sin(t), 7 - 3 * std::sin(t + 0.5));
    other += fmt::format("{},{},{}\n", i, 2e-3 * std::sin(t), 3 * std::sin(t + 0.4));
  }
  write("data.csv", text);
  write("series.csv", other);
  const answer told = run({"loops", "data.csv", "--x", "s", "--f", "-F:N", "--noise", "10 um",
                           "--detrend", "y=mean", "--beside", "series.csv", "--out", "found"});
  ASSERT_EQ(told, 0);
  // pi a b sin(phase), in J.
  EXPECT_NE(told.out.find("area of a cycle: 0.00903"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("for comparison, series.csv: area of a cycle: 0.0073"), std::string::npos)
      << told.out;
  EXPECT_NE(told.err.find("y: -6.99952 N was removed, its mean"), std::string::npos) << told.err;
  EXPECT_NE(told.err.find("x = s [m] (read in mm)"), std::string::npos) << told.err;
  const std::string picture = content("found/plot.svg");
  if (picture.empty()) GTEST_SKIP() << "gnuplot is not installed";
  EXPECT_NE(picture.find("series.csv"), std::string::npos);
  EXPECT_NE(picture.find("record"), std::string::npos);
}

TEST_F(cli_measured, RunShowsWhatWasMeasured) {
  ASSERT_EQ(run("run " + examples + "/creep.toml --out a"), 0);
  const auto t = column("a/series.csv", "t"), x = column("a/series.csv", "x");
  std::string text = "zeit_ms;pos_um\n";
  for (std::size_t i = 0; i < t.size(); ++i)
    text += fmt::format("{};{}\n", 1e3 * t[i], 1e6 * x[i] + 2);
  write("rig.csv", text);
  const answer told =
      run("run " + examples +
          "/creep.toml --out b --measured rig.csv --t zeit_ms --x pos_um --gap none");
  ASSERT_EQ(told, 0);
  EXPECT_NE(told.out.find("x: measured and simulated values differ by 2e-06 m rms"),
            std::string::npos)
      << told.text();
  EXPECT_EQ(content("a/series.csv"), content("b/series.csv"));
  const auto kept = column("b/measured.csv", "x");
  ASSERT_EQ(kept.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(kept[i], x[i] + 2e-6, 1e-12);
  const std::string picture = content("b/plot.svg");
  if (!picture.empty()) {
    EXPECT_NE(picture.find("x measured"), std::string::npos);
    EXPECT_NE(picture.find("x simulated"), std::string::npos);
  }
  refuses("run " + examples + "/creep.toml --x pos_um --out c", {"--measured"});
  refuses("run " + examples + "/creep.toml --measured rig.csv --t zeit_ms --out c",
          {"no column of this file"});
  EXPECT_FALSE(fs::exists(folder / "c"));
}

TEST_F(cli_measured, AnInputSignalTakesTheSameColumns) {
  const std::string body =
      "[system]\nkind = \"mass_under_force\"\nmass = 1\n[friction]\nmodel = \"dai\"\n"
      "[run]\nduration = 1\nsample = 0.1\n[force]\nkind = \"csv\"\n";
  write("plain.csv", "t,f\n0,0\n0.5,-0.4\n1,0\n");
  write("rig.csv", "zeit_ms;Kraft [mN]\n0;0\n500;800\n1000;0\n");
  write("a.toml", body + "file = \"plain.csv\"\ncolumn = \"f\"\n");
  write("b.toml", body + "file = \"rig.csv\"\ntime = \"zeit\"\ncolumn = \"-Kraft [mN]/2\"\n");
  ASSERT_EQ(run("run a.toml --out a --plot none"), 0);
  ASSERT_EQ(run("run b.toml --out b --plot none"), 0);
  EXPECT_EQ(content("a/series.csv"), content("b/series.csv"));
  ASSERT_EQ(run("run b/resolved.toml --out c --plot none"), 0);
  EXPECT_EQ(content("c/series.csv"), content("b/series.csv"));
  write("c.toml", body + "file = \"rig.csv\"\ntime = \"zeit\"\ncolumn = \"zeit_ms\"\n");
  refuses("run c.toml", {"zeit_ms", "is in ms", "in N"});
  write("rig.csv", "zeit_ms;Kraft [mN]\n0;0\n500;\n1000;0\n");
  refuses("run b.toml", {"force.file", "1 of 3 rows"});
}

TEST_F(cli_measured, HostileTablesNeitherHangNorSpeak) {
  const std::string escape = "\x1b]0;owned\x07";
  const std::string files[] = {std::string(100000, ';'),
                               std::string(100000, '\n'),
                               std::string(100000, '"'),
                               "t,x\n" + std::string(50000, '"') + "\n",
                               std::string("t,x\n0,1\0\n", 9),
                               std::string("\xff\xfet\0,\0x\0\n\0", 10),
                               "t," + escape + "\n0," + escape + "\n",
                               "t;x\n0;1,2,3\n",
                               "t,x\n" + std::string(2000, '9') + ",1\n",
                               "\x89HDF\r\n\x1a\n" + std::string(3000, '\xff')};
  for (const auto& text : files) {
    write("rig.csv", text);
    for (const char* x :
         {"x", "#2", "#1*2:mm", "\"x", "x:", ":", "*", "-", "--", "#999999999999"}) {
      const answer told = run({"eval", "dai", "--input", "rig.csv", fmt::format("--x={}", x)});
      EXPECT_TRUE(told == 0 || told == 2);  // one column of it may be one
      EXPECT_EQ(told.text().find('\x1b'), std::string::npos);
      EXPECT_EQ(std::count(told.err.begin(), told.err.end(), '\n'), 1) << told.err;
      EXPECT_LT(told.err.size(), 2100U);
    }
  }
}

TEST_F(cli_measured, ASeriesInHdf5IsReadAsInCsv) {
  if (run("run " + examples + "/stick_slip.toml --format h5 --plot none --out a").code == 2)
    GTEST_SKIP() << "built without HDF5";
  ASSERT_EQ(run("run " + examples + "/stick_slip.toml --plot none --out b"), 0);
  ASSERT_EQ(run("eval lugre --input a/series.h5 --out a.csv"), 0);
  ASSERT_EQ(run("eval lugre --input b/series.csv --out b.csv"), 0);
  EXPECT_EQ(content("a.csv"), content("b.csv"));
  refuses("eval lugre --input a/series.h5:/nowhere", {"nowhere"});
  refuses("eval lugre --input a/series.h5 --x f", {"is in N"});
}

// Records of real rigs, where they are.
TEST_F(cli_measured, RealRecordsAreRead) {
  const std::string data = data_folder();
  if (data.empty())
    GTEST_SKIP() << "the records are not here; $ASPERITY_DATA can name their folder";
  ASSERT_EQ(run({"eval",
                 "maxwell_slip",
                 "--input",
                 data + "/rig_presliding_train.csv",
                 "--t",
                 "t_s",
                 "--x",
                 "position_m",
                 "--f=-friction_N",
                 "--load",
                 "normal_N/12.5",
                 "--from",
                 "5",
                 "--to",
                 "10",
                 "--detrend",
                 "f=mean",
                 "--force",
                 "--out",
                 "f.csv"}),
            0);
  EXPECT_NEAR(static_cast<double>(column("f.csv", "t").size()), 1001, 5);
  ASSERT_EQ(run({"loops", data + "/boucwen_train.csv", "--x", "displacement_m", "--y", "force_N",
                 "--to", "1", "--no-crossings"}),
            0);
  for (const auto& entry : fs::directory_iterator(data + "/servo")) {
    const answer told =
        run({"eval", "bouc_wen", "--input", entry.path().string(), "--t", "t_s", "--x",
             "position_rad", "--bandwidth", "10 Hz", "--force", "--out", "s.csv"});
    EXPECT_NE(told.err.find("-3 dB at 10 Hz"), std::string::npos) << told.err;
  }
}

}  // namespace
}  // namespace asperity::testing
