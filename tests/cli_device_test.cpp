// SPDX-License-Identifier: Apache-2.0
// Sweeps on a device: kernels for a GPU, here on threads of the processor, give the table of points run
// one by one; and what the tool says where it has no kernels or no GPU.

#include <signal.h>

#include <asperity/batch/device.hpp>
#include <asperity/error.hpp>
#include <asperity/identify/model_fit.hpp>
#include <asperity/identify/motion.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/sweep/evaluate.hpp>
#include <asperity/sweep/packs.hpp>
#include <asperity/text/csv.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tests/program.hpp"
#include "tests/sweep_scenarios.hpp"

namespace asperity::testing {
namespace {

const fs::path kernel_folder = ASPERITY_BINARY_DIR "/tests/kernels";

class cli_device : public program_test {
 protected:
  // Shorter than those of packs: kernels on threads are slow.
  void SetUp() override {
    const std::map<std::string, std::string> lengths{
        {"pulled.toml", "duration = 0.5\nsample = 1e-3\n"},
        {"shaken.toml", "duration = 0.2\nsample = 1e-3\n"},
        {"ball.toml", "duration = 0.15\nsample = 1e-3\n"},
        {"sphere.toml", "duration = 0.1\nsample = 1e-3\n"}};
    for (auto [name, text] : sweep_scenarios::all) {
      if (const auto found = lengths.find(name); found != lengths.end())
        text.replace(text.find("duration"), std::string::npos, found->second);
      // Kernels are of laws with their own curves.
      if (const auto curve = text.find("curve"); curve != std::string::npos)
        text.erase(curve, text.find('\n', curve) + 1 - curve);
      write(name, text);
    }
  }

  sweep_plan plan(const std::string& file, std::vector<std::string> axes,
                  std::vector<std::string> measures, std::vector<std::string> settings = {}) const {
    sweep_request wanted;
    wanted.file = path(file);
    wanted.axes = std::move(axes);
    wanted.measures = std::move(measures);
    wanted.settings = std::move(settings);
    wanted.chunk = 64;
    return sweep_plan(wanted);
  }

  // A copy of the tool with the kernels beside it.
  command with_kernels(const std::vector<std::string>& arguments) const {
    if (!fs::exists(path("bin/asperity"))) {
      fs::create_directory(path("bin"));
      fs::copy_file(program, path("bin/asperity"));
      fs::copy_file(kernel_folder / kernel_library, fs::path(path("bin")) / kernel_library);
    }
    command made(arguments);
    made.words[0] = path("bin/asperity");
    return made;
  }
  std::vector<std::string> sweep(const std::string& out,
                                 const std::vector<std::string>& more) const {
    std::vector<std::string> all{"sweep",     "shaken.toml",
                                 "--over",    "mass=lin(0.5, 2, 9)",
                                 "--over",    "friction.K=log(1e4, 1e6, 7)",
                                 "--measure", "amplitude(v), maximum(x)",
                                 "--plot",    "none",
                                 "--threads", "2",
                                 "--out",     out,
                                 "--export",  out + ".csv"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

std::vector<point_result> all_points(const sweep_plan& plan, const pack_device* device) {
  std::vector<point_result> all;
  for (long long chunk = 0; chunk < plan.chunks(); ++chunk) {
    const auto some = evaluate_chunk(plan, chunk, {}, device != nullptr, device);
    EXPECT_TRUE(some.has_value());
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// The kernels on threads, how often they were asked to run, and what they gave back.
struct counting_device : lane_device {
  std::unique_ptr<lane_device> kernels = open_lane_device({kernel_folder}, kernels_on::threads);
  std::size_t systems = 0, sure = 0, sets = 0, left_over = 0;
  long rows = 0;
  std::string where() const override { return kernels->where(); }
  bool has(const lane_kernel_name& name) const override { return kernels->has(name); }
  lane_outcome run(const lane_job& job, std::vector<char>& is_sure, std::string& problem) override {
    lane_job watched = job;
    watched.take = [&](long first, long count, const double* values) {
      rows += count;
      job.take(first, count, values);
    };
    const auto how = kernels->run(watched, is_sure, problem);
    systems += job.numbers.size();
    sure += static_cast<std::size_t>(std::count(is_sure.begin(), is_sure.end(), 1));
    return how;
  }
  bool has_for_records(const lane_kernel_name& name) const override {
    return kernels->has_for_records(name);
  }
  lane_outcome run(const record_job& job, std::vector<double>& squares,
                   std::string& problem) override {
    const auto how = kernels->run(job, squares, problem);
    sets += squares.size();
    left_over += static_cast<std::size_t>(
        std::count_if(squares.begin(), squares.end(), [](double x) { return std::isnan(x); }));
    return how;
  }
};

// The kernels have the text of every other run, so that plain numbers have the same bits. Returns how
// many rows came back.
long expect_same_bits(const sweep_plan& plan) {
  counting_device counted;
  const pack_device device{&counted};
  const auto there = all_points(plan, &device), alone = all_points(plan, nullptr);
  EXPECT_EQ(counted.sure, there.size());
  EXPECT_EQ(there.size(), alone.size());
  for (std::size_t i = 0; i < there.size(); ++i) {
    EXPECT_EQ(there[i].outcome, alone[i].outcome);
    for (std::size_t k = 0; k < there[i].values.size(); ++k)
      EXPECT_TRUE(same_bits(there[i].values[k], alone[i].values[k]) ||
                  (std::isnan(there[i].values[k]) && std::isnan(alone[i].values[k])))
          << i << " " << plan.measures()[k].name << ": " << there[i].values[k] << " and "
          << alone[i].values[k];
    EXPECT_EQ(there[i].lists, alone[i].lists) << i;
  }
  return counted.rows;
}

// The greatest difference between points on kernels of this kind and points run alone, of the largest
// value of a column. All points must have stayed on the kernels.
double worst_difference(const sweep_plan& plan, pack_device device) {
  counting_device counted;
  device.kernels = &counted;
  const auto there = all_points(plan, &device), alone = all_points(plan, nullptr);
  EXPECT_EQ(counted.sure, there.size());
  double worst = 0;
  for (std::size_t k = 0; k < plan.measures().size(); ++k) {
    double size = 1e-300, apart = 0;
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(there[i].outcome, alone[i].outcome);
      size = std::max(size, std::abs(alone[i].values[k]));
      const double d = std::abs(there[i].values[k] - alone[i].values[k]);
      apart = std::isnan(d) ? unbounded : std::max(apart, d);
    }
    worst = std::max(worst, apart / size);
  }
  return worst;
}

TEST_F(cli_device, KernelsGiveTheBitsOfPointsRunAlone) {
  const std::vector<std::string> speeds{"speed=log(0.01, 0.3, 9)", "damping=lin(0, 4, 8)"};
  const std::vector<std::string> seen{"amplitude(v)", "extrema(v)", "last(x)", "maximum(z)"};
  for (const char* method : {"rk4", "euler"}) {
    SCOPED_TRACE(method);
    expect_same_bits(plan("pulled.toml", speeds, seen,
                          {std::string("integrator.method=") + method, "friction.sigma_0=1e3"}));
  }
  // A force is shown as well, in between states.
  expect_same_bits(
      plan("pulled.toml", {"friction.F_s=lin(1.1, 3, 70)"}, {"mean(f)", "maximum(x)"}));
  // A sine that differs from point to point, and laws that step in closed form.
  expect_same_bits(
      plan("shaken.toml", {"force.frequency=lin(1, 5, 33)"}, {"loop_area(f, over=x)"}));
  for (const char* law : {"dai", "coulomb"}) {
    SCOPED_TRACE(law);
    expect_same_bits(plan("shaken.toml", {"amplitude=lin(0.5, 4, 20)", "mass=1, 2"},
                          {"amplitude(v)", "last(x)"},
                          {std::string("friction={model=\"") + law + "\"}",
                           "integrator.method=backward_euler", "integrator.step=1e-3"}));
  }
  expect_same_bits(
      plan("belt.toml", {"speed=lin(0.1, 1, 12)"}, {"stick_slip_period", "maximum(f)", "last(p)"}));
}

TEST_F(cli_device, KernelsOfContactsGiveTheBitsOfPointsRunAlone) {
  const std::vector<std::string> seen{"maximum(x)", "last(v)", "maximum(f)", "mean(f)"};
  const std::vector<std::string> heights{"initial.x=lin(-1e-4, 0.02, 5)", "force.amplitude=1, 3"};
  for (const char* law : {"dai_contact", "hunt_crossley", "azad_featherstone"}) {
    SCOPED_TRACE(law);
    EXPECT_EQ(expect_same_bits(plan("ball.toml", heights, seen,
                                    {std::string("contact={model=\"") + law + "\"}"})),
              0);
    EXPECT_GT(expect_same_bits(plan("ball.toml", {"mass=0.2, 0.5, 1"}, {"largest_jump(v)"},
                                    {std::string("contact={model=\"") + law + "\"}",
                                     "integrator.method=euler", "integrator.step=2e-6"})),
              0);
  }
  expect_same_bits(plan("ball.toml", heights, seen,
                        {"integrator.method=backward_euler", "integrator.step=1e-4"}));
}

TEST_F(cli_device, KernelsOfSpheresGiveTheBitsOfPointsRunAlone) {
  const std::vector<std::string> seen{"last(x)",         "last(omega_y)",       "last(q_z)",
                                      "maximum(f_n)",    "mean(f_x)",           "span(slip_y)",
                                      "last(elevation)", "maximum(coefficient)"};
  for (const char* law : {"dai_frictional_contact", "azad_featherstone_clutch"})
    for (const char* inertia : {"4e-3", "[3e-3, 4e-3, 5e-3]"})
      for (const char* method : {"rk4", "euler"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", law, inertia, method));
        const auto wanted = plan(
            "sphere.toml", {"contact.mu=lin(0, 0.5, 4)", "initial.v_x=0.1, 2"}, seen,
            {fmt::format("contact.model=\"{}\"", law), fmt::format("system.inertia={}", inertia),
             fmt::format("integrator.method={}", method), "integrator.step=2e-5"});
        expect_same_bits(wanted);
      }
}

// Crossings are found by the text of packs, hence in steps of the same bits as theirs.
TEST_F(cli_device, KernelsOfContactsThatJumpGiveTheTableOfPointsRunAlone) {
  const std::vector<std::string> heights{"initial.x=lin(-1e-4, 0.02, 5)", "contact.B=0, 5, 20"};
  for (const char* law : {"kelvin_voigt", "kelvin_voigt_clamped"})
    for (const char* method : {"rk4", "euler"})
      for (std::string seen : {"maximum(x), last(v)", "largest_jump(v), last(x)"}) {
        // Where it holds the body, the law of the other leaves its force open.
        if (std::string_view(law) == "kelvin_voigt") seen += ", maximum(f), mean(f)";
        SCOPED_TRACE(fmt::format("{} {} {}", law, method, seen));
        EXPECT_LT(worst_difference(plan("ball.toml", heights, {seen},
                                        {fmt::format("contact={{model=\"{}\"}}", law),
                                         fmt::format("integrator.method={}", method)}),
                                   {}),
                  1e-12);
      }
}

TEST_F(cli_device, KernelsOfPlanarLawsGiveTheBitsOfPointsRunAlone) {
  const std::vector<std::string> seen{"last(x)", "last(theta)", "maximum(f_x)", "mean(torque)",
                                      "maximum(speed)"};
  for (const char* law : {"planar_lugre", "planar_elastoplastic"})
    for (const char* coupling : {"ellipsoid", "disc"}) {
      SCOPED_TRACE(fmt::format("{} {}", law, coupling));
      const auto friction = fmt::format(
          "friction={{model=\"{}\", coupling=\"{}\", R=0.05, sigma_0=1e4}}", law, coupling);
      expect_same_bits(plan("planar.toml", {"mass=1, 2", "initial.omega=lin(-9, 9, 4)"}, seen,
                            {friction, "run.duration=0.1"}));
      expect_same_bits(plan("moved.toml", {"load=0.5, 2", "friction.F_c=lin(0.5, 1.4, 4)"}, seen,
                            {friction, "run.duration=0.1", "integrator.method=euler"}));
    }
}

// ---- float --------------------------------------------------------------------------------------

// The error of float against double, of the same kernels, is what docs/gpu.md states: rounding of
// steps, neither less (then it would not be float) nor more.
TEST_F(cli_device, FloatIsRightToItsDigits) {
  const auto expect_float = [](const sweep_plan& plan, double most) {
    for (const bool is_fast : {false, true}) {
      const double found = worst_difference(plan, {nullptr, is_fast, true});
      EXPECT_LT(found, most);
      EXPECT_GT(found, 1e-9);
    }
  };
  for (const char* law : {"lugre", "dai", "coulomb"})
    for (const char* method : {"rk4", "euler"}) {
      SCOPED_TRACE(fmt::format("{} {}", law, method));
      expect_float(plan("shaken.toml", {"mass=lin(0.5, 2, 7)"}, {"amplitude(v), last(x), mean(x)"},
                        {fmt::format("friction={{model=\"{}\"}}", law),
                         fmt::format("integrator.method={}", method)}),
                   1e-4);
    }
  expect_float(plan("shaken.toml", {"mass=lin(0.5, 2, 7)"}, {"amplitude(v), last(x)"},
                    {"integrator.method=backward_euler", "integrator.step=1e-3"}),
               1e-4);
  expect_float(plan("belt.toml", {"speed=lin(0.1, 1, 5)"}, {"maximum(f)", "maximum(v)"}), 1e-3);
  for (const char* law : {"dai_contact", "kelvin_voigt_clamped"}) {
    SCOPED_TRACE(law);
    expect_float(plan("ball.toml", {"initial.x=lin(0.001, 0.02, 5)"}, {"maximum(v), last(v)"},
                      {fmt::format("contact={{model=\"{}\"}}", law), "run.duration=0.08"}),
                 1e-3);
  }
  for (const char* coupling : {"ellipsoid", "disc"}) {
    SCOPED_TRACE(coupling);
    expect_float(
        plan("planar.toml", {"mass=lin(0.5, 2, 5)"}, {"last(x), last(theta), maximum(f_x)"},
             {fmt::format("friction.coupling={}", coupling)}),
        1e-3);
  }
}

// Late in a long run a sine and a ramp are as exact as early: a float alone would know the time to
// 1e-4 s.
TEST_F(cli_device, FloatKnowsTheTimeOfLongRuns) {
  const std::vector<std::string> late{"force={kind=\"sine\", amplitude=2, frequency=300, phase=1}",
                                      "integrator.step=2e-5", "run.duration=20", "run.sample=0.02"};
  EXPECT_LT(worst_difference(plan("shaken.toml", {"mass=5, 6"}, {"last(v)"}, late),
                             {nullptr, false, true}),
            1e-3);
}

TEST_F(cli_device, FloatIsAskedForAndRefusedByName) {
  const auto cpu = run(with_kernels(sweep("double", {"--device", "kernels"})));
  const auto single =
      run(with_kernels(sweep("float", {"--device", "kernels", "--precision", "float"})));
  ASSERT_EQ(cpu, 0) << cpu.err;
  ASSERT_EQ(single, 0) << single.err;
  EXPECT_NE(content("float.csv"), content("double.csv"));
  // A table is of one kind.
  for (const char* each : {"float.csv", "double.csv"}) fs::remove(path(each));
  for (const auto& other : {sweep("float", {"--device", "kernels"}),
                            sweep("double", {"--device", "kernels", "--precision", "float"})}) {
    const auto told = run(with_kernels(other));
    EXPECT_NE(told, 0);
    EXPECT_NE(told.err.find("contains a different sweep: precision"), std::string::npos)
        << told.err;
    EXPECT_NE(told.err.find("'double'"), std::string::npos) << told.err;
  }
  refuses(sweep("none", {"--precision", "float"}), {"--precision float", "--device cuda"});
  refuses(with_kernels(sweep("none", {"--precision", "float", "--device", "auto"})), {"no GPU"});
  refuses(with_kernels(sweep("none", {"--device", "kernels", "--precision", "float", "--set",
                                      "integrator.step=1e-9", "--set", "run.duration=0.1"})),
          {"in float", "100000000 steps"});
  refuses(with_kernels({"sweep", "sphere.toml", "--over", "mass=1, 2", "--measure", "last(x)",
                        "--device", "kernels", "--precision", "float"}),
          {"float has too few digits for 'sphere_on_plane'"});
  EXPECT_FALSE(fs::exists(path("none")));
}

// ---- many elements ------------------------------------------------------------------------------

// A law of so many elements, which let go one after the other.
std::string law_of(int elements) {
  std::string kappa, lambda;
  for (int i = 1; i <= elements; ++i) {
    kappa += fmt::format("{}{}", i > 1 ? ", " : "", 2e4 / i);
    lambda += fmt::format("{}{}", i > 1 ? ", " : "", 2.0 * i / (elements * (elements + 1)));
  }
  return fmt::format(
      "friction={{model=\"dai_multistate\", elements={}, kappa=[{}], lambda=[{}], sigma={}, "
      "v_s=1e-2, tau_d=1e-3}}",
      elements, kappa, lambda, 300.0 / elements);
}

// Kernels have room for 1, 2, 4, 8, 10, 16 and 32 elements: what is left over carries nothing, to the
// last bit. Other laws count their elements at run time.
TEST_F(cli_device, ElementsThatAKernelHasToSpareCarryNothing) {
  for (const int elements : {1, 2, 3, 7, 10, 12, 17, 32}) {
    SCOPED_TRACE(elements);
    expect_same_bits(plan("shaken.toml", {"mass=lin(0.5, 2, 3)"},
                          {"amplitude(v)", "last(x)", "maximum(gamma)", "mean(a_1)", "maximum(f)",
                           fmt::format("maximum(a_{})", elements)},
                          {law_of(elements), "run.duration=0.05"}));
  }
  expect_same_bits(
      plan("belt.toml", {"speed=lin(0.1, 1, 3)"}, {"maximum(f)", "last(p)"},
           {law_of(5), "integrator.step=1e-4", "run.duration=2", "integrator.method=euler"}));
  for (const char* elements : {"3", "8"})
    expect_same_bits(plan(
        "shaken.toml", {"mass=lin(0.5, 2, 3)"}, {"amplitude(v)", "last(z)", "maximum(w_3)"},
        {std::string("friction={model=\"leuven_modified\", k=5e4, elements=") + elements + "}"}));
}

// The grid of steps and rows, whatever their numbers.
TEST_F(cli_device, RowsLieWhereTheyLieElsewhere) {
  const std::vector<std::string> axis{"mass=lin(0.5, 2, 5)"};
  const std::vector<std::string> seen{"mean(v)", "last(x)", "extrema(v)"};
  for (const auto& [duration, step, sample] : std::vector<std::array<const char*, 3>>{
           {"0.2", "2e-5", "0"},       // every step
           {"0.2", "2e-5", "6e-5"},    // the end is no multiple of the samples
           {"0.1", "3e-5", "9e-5"},    // nor of the steps: the last one is shorter
           {"0.1", "3e-5", "0"},       //
           {"2e-5", "2e-5", "0"},      // one step
           {"0.2", "2e-5", "0.2"}}) {  // one row
    SCOPED_TRACE(fmt::format("{} {} {}", duration, step, sample));
    const std::vector<std::string> grid{std::string("run.duration=") + duration,
                                        std::string("integrator.step=") + step,
                                        std::string("run.sample=") + sample};
    EXPECT_GT(expect_same_bits(plan("shaken.toml", axis, seen, grid)), 0);
    EXPECT_EQ(expect_same_bits(plan("shaken.toml", axis, {"mean(v)", "last(x)", "span(v)"}, grid)),
              0);
  }
}

// Rows of which only ends, extremes and means are wanted stay where they are.
TEST_F(cli_device, MeasuresAreReducedWhereTheRowsAre) {
  const std::vector<std::string> axis{"mass=lin(0.5, 2, 6)"};
  EXPECT_EQ(expect_same_bits(plan("shaken.toml", axis,
                                  {"first(v)", "last(v)", "change(x)", "maximum(v)", "minimum(v)",
                                   "span(x)", "amplitude(v)", "mean(x)", "mean(f)", "maximum(f)"})),
            0);
  // Windows: between rows, of one row, of none.
  EXPECT_EQ(expect_same_bits(plan("shaken.toml", axis,
                                  {"mean(v, from=0.0503, to=0.1207)", "first(x, from=0.05)",
                                   "last(x, to=0.0505)", "mean(x, from=0.1, to=0.1)",
                                   "maximum(x, from=0.0501, to=0.0505)", "amplitude(v, to=0.15)"})),
            0);
  // What needs rows has them, and so have more windows than there is room for.
  EXPECT_GT(expect_same_bits(plan("shaken.toml", axis, {"maximum(v)", "largest_jump(v)"})), 0);
  EXPECT_GT(expect_same_bits(plan("shaken.toml", axis, {"maximum(v, ewma=0.5)"})), 0);
  std::vector<std::string> many;
  many.reserve(9);
  for (int k = 0; k < 9; ++k) many.push_back(fmt::format("maximum(v, from={})", 0.01 * k));
  EXPECT_GT(expect_same_bits(plan("shaken.toml", axis, many)), 0);
  many.pop_back();
  EXPECT_EQ(expect_same_bits(plan("shaken.toml", axis, many)), 0);
}

// Multiplying by reciprocals changes last bits, and no more.
TEST_F(cli_device, FastKernelsDifferInLastBitsAlone) {
  const auto wanted = plan("pulled.toml", {"speed=log(0.01, 0.3, 40)"}, {"amplitude(v)", "last(x)"},
                           {"friction.sigma_0=1e3"});
  counting_device counted;
  const pack_device device{&counted, true};
  const auto there = all_points(wanted, &device), alone = all_points(wanted, nullptr);
  int different = 0;
  for (std::size_t i = 0; i < there.size(); ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(there[i].values[k], alone[i].values[k], 1e-9 * std::abs(alone[i].values[k]));
      different += same_bits(there[i].values[k], alone[i].values[k]) ? 0 : 1;
    }
  EXPECT_GT(different, 0);
  EXPECT_EQ(counted.sure, there.size());
}

// What diverges, or is not sure not to, is told by simulate().
TEST_F(cli_device, RunsThatFailSayWhyAsElsewhere) {
  const auto wanted =
      plan("pulled.toml", {"friction.sigma_0=log(1e3, 1e9, 13)"}, {"amplitude(v)", "mean(f)"});
  counting_device counted;
  const pack_device device{&counted};
  const auto there = all_points(wanted, &device), alone = all_points(wanted, nullptr);
  int failed = 0;
  for (std::size_t i = 0; i < there.size(); ++i) {
    EXPECT_EQ(there[i].outcome, alone[i].outcome) << i;
    EXPECT_EQ(there[i].detail, alone[i].detail) << i;
    failed += alone[i].outcome == "completed" ? 0 : 1;
  }
  EXPECT_GT(failed, 0);
  EXPECT_LT(failed, 13);
  EXPECT_EQ(counted.systems, 13U);
  EXPECT_LE(counted.sure, 13U - static_cast<std::size_t>(failed));
}

TEST_F(cli_device, TheTableOfTheToolIsTheSame) {
  ASSERT_EQ(run(sweep("cpu", {})), 0);
  for (const char* chunk : {"5", "63"}) {
    const std::string out = std::string("kernels") + chunk;
    ASSERT_EQ(run(with_kernels(sweep(out, {"--device", "kernels", "--chunk", chunk}))), 0);
    EXPECT_EQ(content(out + ".csv"), content("cpu.csv")) << chunk;
  }
  // `auto` goes on without a GPU, says so, and gives the same.
  const answer told = run(with_kernels(sweep("auto", {"--device", "auto"})));
  EXPECT_EQ(told, 0);
  EXPECT_NE(told.err.find("the processor is used, since device 'cuda': no GPU can be used here"),
            std::string::npos)
      << told.err;
  EXPECT_EQ(content("auto.csv"), content("cpu.csv"));
}

TEST_F(cli_device, AnInterruptKeepsWhatIsDoneAndAnotherDeviceGoesOn) {
  const std::vector<std::string> longer{"--device", "kernels", "--chunk",
                                        "7",        "--set",   "run.duration=10"};
  const pid_t child = start(with_kernels(sweep("stopped", longer)));
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  kill(child, SIGINT);
  EXPECT_EQ(finish(child), 130) << content("err");
  EXPECT_NE(content("err").find("run the same command again"), std::string::npos);
  ASSERT_EQ(run(sweep("stopped", {"--set", "run.duration=10"})), 0);
  ASSERT_EQ(run(sweep("whole", {"--set", "run.duration=10"})), 0);
  EXPECT_EQ(content("stopped.csv"), content("whole.csv"));
}

// ---- fits ---------------------------------------------------------------------------------------

// A model with other numbers, along a motion, with an offset.
record record_of(const std::string& key, const std::vector<std::string>& settings, int rows) {
  std::vector<std::string> warnings;
  const any_model model = make_any_model(key, "", settings, warnings);
  record made = rich_motion(model, rows);
  made.channels.push_back({"f", std::vector<double>(made.t.size(), 0.0)});
  model_fit_options options;
  options.own_start = true;
  const model_fit of(model, {made}, options);
  std::vector<double> values;
  for (const unknown& each : of.problem().unknowns) values.push_back(each.start);
  made.channels.back().values = of.predicted(values, 0);
  for (double& f : made.channels.back().values) f += 0.1;
  return made;
}

// The sums of squares of the processor, at values all over the place, of several records, with
// everything the sensor may do, rows that are not compared, and models that refuse their values.
TEST_F(cli_device, StartingPointsHaveTheCostsOfTheProcessor) {
  for (const auto& [key, settings] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"lugre", {"sigma_0=1e4", "sigma_1=50"}},
           {"dai", {"K=1e4"}},
           {"dai_multistate",
            {"elements=3", "lambda=[0.2, 0.3, 0.5]", "kappa=1e4", "sigma=30", "v_s=1e-2"}}}) {
    SCOPED_TRACE(key);
    std::vector<std::string> warnings;
    const any_model model = make_any_model(key, "", settings, warnings);
    const std::vector<record> records{record_of(key, settings, 120), record_of(key, settings, 70)};
    counting_device counted;
    model_fit_options options;
    options.gain = options.stiffness = true;
    options.hold_out = 0.2;
    options.settle = 3 * (records[1].t[1] - records[1].t[0]);
    ASSERT_EQ(why_not_on_device(counted, model, options), "");
    const fit_problem here = model_fit(model, records, options).problem();
    options.device = &counted;
    const fit_problem there = model_fit(model, records, options).problem();
    std::mt19937_64 random(7);
    std::vector<std::vector<double>> points;
    for (int k = 0; k < 150; ++k) {
      auto& values = points.emplace_back();
      for (const unknown& x : here.unknowns) {
        const double factor = std::exp(3.0 * (static_cast<double>(random() >> 11) * 0x1p-52 - 1));
        values.push_back(std::clamp(x.start == 0 ? 0.1 * factor : x.start * factor, x.allowed.lower,
                                    x.allowed.upper));
      }
    }
    const auto alone = here.squares(points), together = there.squares(points);
    int finite = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      EXPECT_EQ(std::isfinite(alone[k]), std::isfinite(together[k])) << k;
      if (!std::isfinite(alone[k])) continue;
      ++finite;
      EXPECT_NEAR(together[k], alone[k], 1e-12 * alone[k]) << k;
    }
    EXPECT_GT(finite, 40);
    EXPECT_GE(counted.sets, static_cast<std::size_t>(finite));
    EXPECT_LT(counted.left_over, counted.sets / 2);
  }
}

TEST_F(cli_device, AFitOnADeviceFindsWhatTheProcessorFinds) {
  const record made = record_of("lugre", {"sigma_0=1e4", "sigma_1=50"}, 200);
  std::vector<csv_column> columns{{"t", &made.t}};
  for (const auto& each : made.channels) columns.push_back({each.name, &each.values});
  write("rub.csv", to_csv(columns));
  const auto fit = [](std::vector<std::string> more) {
    std::vector<std::string> all{"fit",      "lugre", "--data",        "rub.csv",
                                 "--starts", "200",   "--no-intervals"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const auto values_of = [](const std::string& text) {
    std::map<std::string, double> found;
    const auto report = nlohmann::json::parse(text);
    for (const auto& each : report["parameters"]) found[each["name"]] = each["value"];
    return found;
  };
  const answer cpu = run(fit({"--json"}));
  const answer kernels = run(with_kernels(fit({"--json", "--device", "kernels"})));
  ASSERT_EQ(cpu, 0) << cpu.err;
  ASSERT_EQ(kernels, 0) << kernels.err;
  const auto here = values_of(cpu.out), there = values_of(kernels.out);
  ASSERT_EQ(here.size(), there.size()) << cpu.out;
  for (const auto& [name, value] : here)
    EXPECT_NEAR(there.at(name), value, 1e-9 * std::abs(value)) << name;
  EXPECT_NEAR(here.at("sigma_0"), 1e4, 10);

  const answer told = run(with_kernels(fit({"--device", "kernels"})));
  EXPECT_NE(told.err.find("starting points on threads of this machine"), std::string::npos);
  const answer automatic = run(with_kernels(fit({"--device", "auto"})));
  EXPECT_EQ(automatic, 0);
  EXPECT_NE(automatic.err.find("the processor is used, since device 'cuda': no GPU"),
            std::string::npos);
  refuses(with_kernels(fit({"--device", "cuda"})), {"no GPU can be used here"});
  refuses(with_kernels(fit({"--device", "kernels", "--sensor", "delay"})),
          {"device 'kernels'", "delay"});
  const auto model = [&](const char* key) {
    auto all = fit({"--device", "kernels"});
    all[1] = key;
    return with_kernels(all);
  };
  refuses(model("dahl"), {"the model 'dahl'", "has no kernel", "--device cpu"});
  refuses(model("coulomb_viscous"), {"the model 'coulomb_viscous' has no memory"});
  refuses(model("leuven_modified"), {"'leuven_modified'", "depend on each other mutually"});
  refuses(model("gms"), {"the model 'gms'", "does not have a memory along a line"});
}

// ---- what is refused ----------------------------------------------------------------------------

static_assert(gpu_for(0, 4) == 0 && gpu_for(3, 4) == 3 && gpu_for(5, 4) == 1 && gpu_for(2, 1) == 0);

// Ranks say where they are, and give the same table.
TEST_F(cli_device, RanksTellTheirDevices) {
  if (std::system("command -v mpirun >/dev/null 2>&1") != 0 || !fs::exists(program + "_mpi.so"))
    GTEST_SKIP() << "no mpirun, or built without MPI";
  ASSERT_EQ(run(sweep("cpu", {})), 0);
  command wanted = with_kernels(sweep("ranks", {"--device", "kernels", "--chunk", "5"}));
  fs::copy_file(program + "_mpi.so", path("bin/asperity_mpi.so"));
  wanted.words.insert(wanted.words.begin(), {"mpirun", "-n", "2"});
  surroundings around;
  around.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                        {"OMPI_MCA_rmaps_base_oversubscribe", "1"}};
  ASSERT_EQ(finish(launch(wanted.words, around)), 0) << content("err");
  for (const char* each :
       {"rank 0 on threads of this machine", "rank 1 on threads of this machine"})
    EXPECT_NE(content("err").find(each), std::string::npos) << content("err");
  EXPECT_EQ(content("ranks.csv"), content("cpu.csv"));
}

TEST_F(cli_device, WithoutKernelsItSaysHowToGetThem) {
  if (fs::exists(fs::path(program).parent_path() / kernel_library)) GTEST_SKIP();
  // The current folder is no place to look in.
  fs::copy_file(kernel_folder / kernel_library, path(kernel_library));
  refuses(sweep("none", {"--device", "cuda"}), {"device 'cuda'", "there is no asperity_cuda.so in",
                                                "-DASPERITY_CUDA_LIBRARY=ON", "--device cpu"});
  EXPECT_FALSE(fs::exists(path("none")));
  refuses(sweep("none", {"--fast"}), {"--fast", "--device cuda"});
}

TEST_F(cli_device, WithoutAGpuItSaysWhatToDo) {
  refuses(with_kernels(sweep("none", {"--device", "cuda"})),
          {"no GPU can be used here", "--device cpu"});
  EXPECT_FALSE(fs::exists(path("none")));
}

TEST_F(cli_device, KernelsOfAnotherBuildAreNotStarted) {
  const command wanted = with_kernels(sweep("none", {"--device", "kernels"}));
  const std::string whole = content("bin/asperity_cuda.so");
  const auto at = whole.find(", headers ");
  ASSERT_NE(at, std::string::npos);
  std::string other = whole;
  other[at + 10] = other[at + 10] == 'x' ? 'y' : 'x';
  write("bin/asperity_cuda.so", other);
  refuses(wanted, {"was built for another version of asperity", "build both together"});
  write("bin/asperity_cuda.so", "no library");
  refuses(wanted, {"asperity_cuda.so", "cannot be loaded"});
  fs::remove(path("bin/asperity_cuda.so"));
  fs::copy_file(ASPERITY_BINARY_DIR "/tests/faults.so", path("bin/asperity_cuda.so"));
  refuses(wanted, {"is not a kernel library of asperity"});
}

TEST_F(cli_device, WhatHasNoKernelIsRefusedByName) {
  const auto refused = [&](const std::vector<std::string>& more,
                           const std::vector<std::string>& words) {
    std::vector<std::string> all{"--device", "kernels"};
    all.insert(all.end(), more.begin(), more.end());
    SCOPED_TRACE(more.back());
    refuses(with_kernels(sweep("none", all)), words);
    EXPECT_FALSE(fs::exists(path("none")));
  };
  refused({"--set", "integrator={}"}, {"'automatic'", "integrator.method"});
  refused({"--set", "integrator={method=\"advance\", step=1e-4}"}, {"'advance'", "rk4, euler"});
  refused({"--set", "run.sample=3e-5"}, {"inside steps", "multiple of integrator.step"});
  refused({"--continue", "up"}, {"--continue"});
  // Laws that are not in this library, and systems that are never stepped side by side.
  const auto alone = [&](const std::string& file, const std::vector<std::string>& settings) {
    const bool is_planar = file == "planar.toml";
    std::vector<std::string> all{
        "sweep",    file,      "--over",    "mass=1, 2",
        "--device", "kernels", "--measure", is_planar ? "maximum(speed)" : "maximum(v)"};
    for (const auto& each : settings) all.insert(all.end(), {"--set", each});
    return with_kernels(all);
  };
  refuses(alone("shaken.toml", {"friction={model=\"dahl\"}"}),
          {"no kernel for 'dahl' in 'mass_under_force' by rk4", "four states"});
  refuses(
      alone("shaken.toml", {"friction={model=\"dai_multistate\", curve=\"stribeck_rational\"}"}),
      {"no kernel for 'dai_multistate' with the curve 'stribeck_rational'", "their default curve"});
  refuses(alone("ball.toml",
                {"contact={model=\"rigid\"}", "integrator={method=\"backward_euler\", step=1e-4}"}),
          {"the system 'bouncing_mass' with 'rigid'", "single runs", "docs/sweeps.md"});
  refuses(alone("planar.toml", {"friction={model=\"disc_coulomb\", R=0.05}"}),
          {"'planar_body' are stepped side by side only with 'planar_lugre'"});
  refuses(alone("ball.toml", {"contact={model=\"hertz\"}"}),
          {"no kernel for 'hertz' in 'bouncing_mass'"});
  refused({"--measure", "events(stick)"}, {"events"});
  refused({"--measure", "maximum(force)"}, {"uses an input"});
  refused({"--set", "force={kind=\"nodes\", times=[0, 1], values=[0, 1]}"},
          {"an input is not a constant"});
}

}  // namespace
}  // namespace asperity::testing
