// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/mechanics/lammps_run.hpp>
#include <asperity/run/simulate.hpp>
#include <asperity/text/find_program.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace asperity {
namespace {

// Sets a variable of the environment for the time of a test.
class with_variable {
 public:
  with_variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name); before != nullptr) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~with_variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  with_variable(const with_variable&) = delete;
  with_variable& operator=(const with_variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};
constexpr const char* variable = "ASPERITY_LAMMPS";

// Where `./dev lammps` puts it, or where the environment says.
std::string program() {
  if (const char* given = std::getenv("ASPERITY_LAMMPS"); given != nullptr) return given;
  const std::string built = ASPERITY_SOURCE_DIR "/build/lammps/asperity-lammps";
  return is_program(built) ? built : find_in_path("asperity-lammps");
}
#define NEEDS_LAMMPS                                                                 \
  if (program().empty())                                                             \
    GTEST_SKIP() << "asperity-lammps is not built: `./dev lammps` (docs/lammps.md)"; \
  const with_variable with_program(variable, program())

scenario bed(const std::string& more, const char* kind = "spheres", double duration = 0.05,
             int side = 3) {
  const std::string text = fmt::format(
      "system = {{ kind = '{}', columns = {}, rows = {}, {}radius = 0.01, mass = 0.01, {} }}\n"
      "contact = {{ model = 'dai_frictional_contact', K_1 = 1e4, beta_1 = 1e-3, alpha = 7e-4, "
      "K_2 = 1e4, beta_2 = 5e-4, mu = 0.4 }}\nrun = {{ duration = {}, sample = 0.005 }}\n"
      "integrator = {{ relative_tolerance = 1e-9 }}\n",
      kind, side, side, std::string(kind) == "spheres" ? fmt::format("layers = {}, ", side) : "",
      more, duration);
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// Largest difference of two series, relative to the range of the first.
double apart(const run_data& a, const run_data& b, const char* name) {
  const auto x = a[name], y = b[name];
  EXPECT_EQ(x.size(), y.size());
  double most = 0;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    most = std::max(most, std::abs(x[i] - y[i]));
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  return most / (*high - *low);
}

// A small bed that falls and meets the floor and itself. Both engines solve the same equations, so
// that they differ by the error of LAMMPS' steps, which is of first order.
TEST(lammps_run, BothEnginesAgreeOnASmallBed) {
  NEEDS_LAMMPS;
  for (const char* kind : {"spheres", "discs"}) {
    const auto ours = simulate(bed("engine = 'own'", kind));
    const auto coarse = simulate(bed("engine = 'lammps', timestep = 4e-6", kind));
    const auto fine = simulate(bed("engine = 'lammps', timestep = 1e-6", kind));
    EXPECT_GT(ours["touching"].back(), 2) << kind;
    EXPECT_GT(ours["dissipated_energy"].back(), 0.2 * ours["kinetic_energy"].front()) << kind;
    for (const char* name :
         {"kinetic_energy", "potential_energy", "dissipated_energy", "mean_height", "highest"}) {
      EXPECT_LT(apart(ours, fine, name), 1e-3) << kind << ' ' << name;
      EXPECT_NEAR(apart(ours, coarse, name) / apart(ours, fine, name), 4, 1) << kind << ' ' << name;
    }
  }
}

// Grains run together and across the border of two ranks, 3000 steps of 20 us. Later, what rounding
// began would be seen: grains amplify it.
TEST(lammps_run, OneRankAndTwoGiveTheSameSeries) {
  NEEDS_LAMMPS;
  if (find_in_path("mpirun").empty()) GTEST_SKIP() << "mpirun is not installed (openmpi-bin)";
  // Two ranks may share a core, and mpirun may be started by anyone.
  const with_variable shared("OMPI_MCA_rmaps_base_oversubscribe", "1"),
      root("OMPI_ALLOW_RUN_AS_ROOT", "1"), indeed("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  const auto run = [](const char* more) {
    return simulate(
        bed(std::string("engine = 'lammps', speed = 0.5, ") + more, "spheres", 3000 * 2e-5, 5));
  };
  const auto one = run("timestep = 2e-5"), two = run("timestep = 2e-5, ranks = 2"),
             shorter = run("timestep = 1.9e-5");
  EXPECT_GT(one["touching"].back(), 50);
  for (const char* name :
       {"kinetic_energy", "potential_energy", "stored_energy", "dissipated_energy", "touching",
        "deepest", "fastest", "highest", "mean_height"}) {
    EXPECT_LT(apart(one, two, name), 1e-10) << name;
    // Other steps are seen, so a lost memory would be.
    if (std::string(name) == "touching") continue;
    EXPECT_GT(apart(one, shorter, name), 1e-7) << name;
  }
}

// Until something touches both follow the parabola.
TEST(lammps_run, GrainsFallFreely) {
  NEEDS_LAMMPS;
  const auto data = simulate(bed("engine = 'lammps', spacing = 0.1, speed = 0", "spheres", 0.05));
  const double fallen = 0.5 * 9.81 * 0.05 * 0.05;
  EXPECT_EQ(data["touching"].back(), 0);
  EXPECT_NEAR(data["mean_height"].front() - data["mean_height"].back(), fallen, 1e-12);
  EXPECT_NEAR(data["kinetic_energy"].back(), 27 * 0.01 * 9.81 * fallen, 1e-12);
  EXPECT_NEAR(data["dissipated_energy"].back(), 0, 1e-12);
}

TEST(lammps_run, AnInterruptEndsItAndLeavesNothing) {
  NEEDS_LAMMPS;
  std::string folder = testing::TempDir() + "/lammps_run_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const with_variable temporary("TMPDIR", folder);
  grains all;
  all.bodies = {{{{0, 0, 0.02}}, {}, {}, 0.01, 0.01, 4e-7}};
  all.planes = {{{}, {{0, 0, 1}}}};
  {
    lammps_run run(all, {.ranks = 1, .longest_step = 1e-9});
    int asked = 0;
    std::size_t folders = 0;
    const auto start = std::chrono::steady_clock::now();
    // Minutes of work.
    const auto watch = [&] {
      for (const auto& each : std::filesystem::directory_iterator(folder))
        folders += each.is_directory() ? 1U : 0U;
      return ++asked > 20 ? outcome::interrupted : outcome::completed;
    };
    EXPECT_EQ(run.onward(1.0, all, watch), outcome::interrupted);
    EXPECT_GT(folders, 0U);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove(folder);
}

TEST(lammps_run, WhatLammpsRefusesIsOurError) {
  NEEDS_LAMMPS;
  grains all;
  all.bodies = {{{{0, 0, 0.02}}, {}, {}, 0.01, 0.01, 4e-7}};
  all.law.mu = -1;
  lammps_run run(all, {});
  try {
    run.onward(1e-3, all, [] { return outcome::completed; });
    FAIL();
  } catch (const error& problem) {
    EXPECT_NE(std::string(problem.what()).find("ERROR: "), std::string::npos) << problem.what();
    EXPECT_NE(std::string(problem.what()).find("mu"), std::string::npos) << problem.what();
  }
}

TEST(lammps_run, SaysWhatToDoWithoutTheProgram) {
  const auto message = [](const std::string& file) -> std::string {
    const with_variable missing(variable, file);
    try {
      simulate(bed("engine = 'lammps'"));
    } catch (const error& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_NE(message("/nowhere/asperity-lammps").find("'/nowhere/asperity-lammps'"),
            std::string::npos);
  EXPECT_NE(message("/bin/false").find("LAMMPS ended: with status 1"), std::string::npos)
      << message("/bin/false");
}

// Programs that stand for LAMMPS and mpirun and fail as they do.
TEST(lammps_run, SaysWhyTheProgramEnded) {
  std::string folder = testing::TempDir() + "/lammps_ended_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const auto write_program = [&](const char* name, const std::string& text) {
    const std::string file = folder + "/" + name;
    std::ofstream(file) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  };
  const auto message = [](const std::string& more) -> std::string {
    try {
      simulate(bed("engine = 'lammps'" + more));
    } catch (const error& problem) {
      return problem.what();
    }
    return "";
  };
  const with_variable killed(variable,
                             write_program("killed", "echo '  Unit style    : si'\nkill -9 $$\n"));
  EXPECT_EQ(message(""), "engine = \"lammps\": LAMMPS ended: by signal 9 (Killed)");
  // As Open MPI says it, between lines of dashes.
  write_program("mpirun",
                "echo -----\necho 'There are not enough slots available in the system to satisfy'\n"
                "echo 'the 7 slots that were requested'\necho -----\nexit 1\n");
  const with_variable found("PATH", folder + ":/usr/bin:/bin");
  const std::string too_many = message(", ranks = 7");
  for (const char* part : {"does not start 7 ranks", "OMPI_MCA_rmaps_base_oversubscribe=1"})
    EXPECT_NE(too_many.find(part), std::string::npos) << too_many;
  std::filesystem::remove_all(folder);
}

TEST(lammps_run, OnlyThatEngineHasRanks) {
  EXPECT_THROW(bed("ranks = 2"), error);
  EXPECT_THROW(bed("engine = 'lamps'"), error);
  EXPECT_THROW(bed("engine = 'lammps', ranks = 0"), error);
  // What a run was resolved to can be run again.
  const scenario s = bed("seed = 3");
  EXPECT_NO_THROW(read_scenario(s.resolved, "again", ""));
}

}  // namespace
}  // namespace asperity
