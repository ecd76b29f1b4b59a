// SPDX-License-Identifier: Apache-2.0
// Scripts are run by the program, alone and on several ranks, and what it wrote is compared with the
// models stepped here, with our own `grains`, and with what mechanics says.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asperity/error.hpp>
#include <asperity/mechanics/grains.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "laws.hpp"

namespace asperity::lammps {
namespace {

namespace files = std::filesystem;

struct grain_state {
  vector x, v, omega;
};
using bed = std::map<int, grain_state>;

// The largest differences of two beds, in radii of 5 mm and m/s.
struct difference {
  double x = 0, v = 0;
};
difference compare(const bed& a, const bed& b) {
  difference most;
  EXPECT_EQ(a.size(), b.size());
  for (const auto& [id, one] : a) {
    const auto& other = b.at(id);
    most.x = std::max(most.x, norm(one.x - other.x) / 5e-3);
    most.v = std::max({most.v, norm(one.v - other.v), 5e-3 * norm(one.omega - other.omega)});
  }
  return most;
}

class lammps : public ::testing::Test {
 protected:
  files::path folder;
  std::string output;

  void SetUp() override {
    std::string name = (files::temp_directory_path() / "asperity_lammps_XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  void TearDown() override { files::remove_all(folder); }

  int run(const std::string& script, int ranks = 1) {
    std::ofstream(folder / "script.in") << script;
    std::string command = "cd '" + folder.string() + "' && ";
    if (ranks > 1)
      command += "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " MPI_RUN
                 " --oversubscribe -np " +
                 std::to_string(ranks) + " ";
    command += ASPERITY_LAMMPS " -in script.in -log none > out 2>&1 < /dev/null";
    const int status = std::system(command.c_str());
    std::stringstream text;
    text << std::ifstream(folder / "out").rdbuf();
    output = text.str();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void must_run(const std::string& script, int ranks = 1) {
    ASSERT_EQ(run(script, ranks), 0) << output;
  }

  bed read(const char* name) const {
    std::ifstream in(folder / name);
    EXPECT_TRUE(in) << name;
    std::string line;
    while (std::getline(in, line) && line.find("ITEM: ATOMS") != 0) {
    }
    bed all;
    int id = 0;
    for (grain_state g; in >> id;) {
      for (vector* each : {&g.x, &g.v, &g.omega})
        for (int k = 0; k < 3; ++k) in >> (*each)[k];
      all[id] = g;
    }
    return all;
  }

  // The columns of the last `print` or of each line that begins with "numbers".
  std::vector<std::vector<double>> numbers() const {
    std::vector<std::vector<double>> result;
    std::istringstream in(output);
    for (std::string line; std::getline(in, line);) {
      if (line.rfind("numbers ", 0) != 0) continue;
      std::istringstream words(line.substr(8));
      auto& row = result.emplace_back();
      for (double each; words >> each;) row.push_back(each);
    }
    return result;
  }
};

// ---- scripts --------------------------------------------------------------------------------------

struct placed_grain {
  grain_state at;
  double R;
};
constexpr double density = 2000;

const std::string head =
    "units si\natom_style sphere\nnewton off\ncomm_modify vel yes\nboundary f f f\n";

void write_data(const files::path& path, const std::vector<placed_grain>& grains,
                const vector& box) {
  std::ofstream out(path);
  out.precision(17);
  out << "grains\n\n" << grains.size() << " atoms\n1 atom types\n";
  const char* names[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k)
    out << "0 " << box[k] << " " << names[k] << "lo " << names[k] << "hi\n";
  out << "\nAtoms # sphere\n\n";
  for (std::size_t i = 0; i < grains.size(); ++i) {
    const auto& [at, R] = grains[i];
    out << i + 1 << " 1 " << 2 * R << " " << density << " " << at.x[0] << " " << at.x[1] << " "
        << at.x[2] << "\n";
  }
  out << "\nVelocities\n\n";
  for (std::size_t i = 0; i < grains.size(); ++i) {
    out << i + 1;
    for (const vector* each : {&grains[i].at.v, &grains[i].at.omega})
      for (int k = 0; k < 3; ++k) out << " " << (*each)[k];
    out << "\n";
  }
}

// With all digits.
std::string write_bed(const std::string& name) {
  return "write_dump all custom " + name +
         " id x y z vx vy vz omegax omegay omegaz modify sort id format float %.17g\n";
}
// Printed every `every` steps: what compute asperity gives.
std::string print_sums(int every) {
  std::string names;
  for (int k = 1; k <= 11; ++k) names += " $(c_sums[" + std::to_string(k) + "]:%.17g)";
  return "compute sums all asperity\nthermo_style custom step c_sums[1] c_sums[2] c_sums[3] "
         "c_sums[4] "
         "c_sums[5] c_sums[6] c_sums[7] c_sums[8] c_sums[9] c_sums[10] c_sums[11]\nfix say all "
         "print " +
         std::to_string(every) + " \"numbers" + names + "\" screen yes\n";
}

const std::string all_friction =
    " tangential K 5000 beta 2e-4 mu 0.4 rolling K 3000 beta 3e-4 mu 0.1"
    " twisting K 2000 beta 1e-4 mu 0.2 ";
struct named_model {
  const char *name, *parameters;
};
constexpr named_model models[] = {
    {"dai_contact", "K 6000 beta 2e-4 alpha 1.4e-4"},
    {"dai_contact_nonlinear", "K 1e5 lambda 1.5 gamma 5000 beta_1 1e-4 beta_2 0.1"},
    {"hunt_crossley", "K 1e5 lambda 1.5 b 0.2"},
    {"hertz", "E_1 1e6 nu_1 0.3 E_2 2e6 nu_2 0.2"}};
std::string pair_commands(const named_model& model, const std::string& friction) {
  return std::string("pair_style asperity ") + model.name + "\npair_coeff * * " + model.parameters +
         friction + "\n";
}

// Two grains that meet beside their centres, turning, and part again within 1500 steps of 1e-5 s.
const std::vector<placed_grain> meeting{
    {{{{0.0402, 0.0513, 0.0498}}, {{0.5, 0.1, -0.05}}, {{20, -30, 50}}}, 5e-3},
    {{{{0.0521, 0.0489, 0.0507}}, {{-0.4, 0.02, 0.1}}, {{-10, 40, 25}}}, 6e-3}};
const vector meeting_box{{0.1, 0.1, 0.1}};
std::string meeting_script(const named_model& model, const std::string& friction, double h,
                           int steps) {
  std::ostringstream script;
  script << head << "read_data meeting.data\n"
         << pair_commands(model, friction) << "fix move all nve/sphere\ntimestep " << h << "\n"
         << print_sums(steps / 100) << "run " << steps << "\n"
         << write_bed("end.dump");
  return script.str();
}

// A bed that flows across the border of two ranks, which is at x = 0.08.
const vector flowing_box{{0.16, 0.04, 0.2}};
std::vector<placed_grain> flowing() {
  std::vector<placed_grain> grains;
  unsigned random = 12345;
  const auto any = [&] { return ((random = random * 1664525U + 1013904223U) >> 8U) / 16777216.0; };
  for (int k = 0; k < 7; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 9; ++i) {
        placed_grain g;
        g.R = 5e-3 - 5e-4 * any();
        g.at.x = {{0.006 + 0.0115 * i + 1e-3 * any(), 0.007 + 0.0115 * j + 1e-3 * any(),
                   0.006 + 0.0115 * k + 1e-3 * any()}};
        g.at.v = {{0.8 + 0.2 * any(), 0.2 * any() - 0.1, -0.3 * any()}};
        g.at.omega = {{20 * any(), 20 * any(), 20 * any()}};
        grains.push_back(g);
      }
  return grains;
}
const std::string flowing_laws =
    pair_commands(models[0],
                  " tangential K 5000 beta 2e-4 mu 0.4 rolling K 3000 beta 3e-4 mu 0.1"
                  " twisting K 2000 beta 1e-4 mu 0.2");
const std::string flowing_walls =
    std::string("fix walls all wall/asperity dai_contact ") + models[0].parameters + all_friction +
    "xplane 0 0.16 yplane 0 0.04 zplane 0 NULL\n"
    "fix weight all gravity 9.81 vector 0 0 -1\nfix move all nve/sphere\ntimestep 2e-5\n"
    "thermo_modify lost error\nneigh_modify delay 0 every 1\n";
std::string flowing_start() {
  return head + "processors * 1 1\nread_data flowing.data\n" + flowing_laws + flowing_walls;
}

// ---- one contact ----------------------------------------------------------------------------------

// Momentum and angular momentum stay where they are, for every law and while the grains stick, slide,
// roll and twist.
TEST_F(lammps, CollisionsKeepMomentumAndAngularMomentum) {
  for (const auto& model : models) {
    SCOPED_TRACE(model.name);
    write_data(folder / "meeting.data", meeting, meeting_box);
    must_run(meeting_script(model, all_friction, 1e-5, 1500));
    const auto rows = numbers();
    ASSERT_GT(rows.size(), 90U);
    bool touched = false;
    for (const auto& row : rows) {
      touched = touched || row[9] > 0;
      for (std::size_t k = 3; k < 9; ++k) {
        // Momenta are about 1e-3 kg m/s; angular momenta with their arms of 0.05 m 5e-5 kg m^2/s.
        EXPECT_NEAR(row[k], rows[0][k], (k < 6 ? 1e-3 : 5e-5) * 1e-12) << k;
      }
    }
    EXPECT_TRUE(touched);
    EXPECT_EQ(rows.back()[9], 0);
    EXPECT_LT(rows.back()[0] + rows.back()[1], rows[0][0] + rows[0][1]);
  }
}

// The motion that velocity Verlet gives with the models of asperity/models, written out here once
// more with their own implicit steps; `ball` in place of `quick_ball`.
template <class Normal>
std::vector<placed_grain> stepped(std::vector<placed_grain> all, const Normal& normal,
                                  const dai_vector<double, 3>& friction, double h, int steps) {
  double m[2], I[2];
  for (std::size_t k = 0; k < 2; ++k) {
    m[k] = density * 4 * std::acos(-1.0) / 3 * all[k].R * all[k].R * all[k].R;
    I[k] = 0.4 * m[k] * all[k].R * all[k].R;
  }
  vector a{}, f{};
  vec<double, Normal::states> e{};
  double arms[2] = {};
  vector n{};
  auto &one = all[0].at, &two = all[1].at;
  const auto kick = [&](double length) {
    one.v = one.v - (length / m[0]) * f;
    two.v = two.v + (length / m[1]) * f;
    one.omega = one.omega - (length / I[0]) * cross(arms[0] * n, f);
    two.omega = two.omega - (length / I[1]) * cross(arms[1] * n, f);
  };
  for (int step = 0; step < steps; ++step) {
    kick(0.5 * h);
    one.x = one.x + h * one.v;
    two.x = two.x + h * two.v;
    const auto [r, direction] = to_polar(two.x - one.x);
    n = direction;
    const double gap = r - all[0].R - all[1].R;
    arms[0] = all[0].R + gap / 2;
    arms[1] = all[1].R + gap / 2;
    const vector point_1 = one.v + cross(one.omega, arms[0] * n),
                 point_2 = two.v + cross(two.omega, -arms[1] * n);
    const double gap_rate = dot(point_2 - point_1, n);
    const vector slip = point_2 - point_1 - gap_rate * n;
    double f_n = 0;
    if constexpr (Normal::states == 1) {
      f_n = normal.react(e, 1.0, h).solve(gap, 0.0);
      e = normal.settle(e, f_n, h);
    } else {
      f_n = normal(e, {gap, gap_rate}).f;
    }
    const double length = norm(a);
    a = a - dot(a, n) * n;
    if (norm(a) > 0) a = (length / norm(a)) * a;
    const vector f_t = friction.react(a, slip, 0.0, math::max<double>(0.0, f_n), h);
    a = friction.settle(a, f_t, h);
    f = f_n * n - f_t;
    kick(0.5 * h);
  }
  return all;
}

TEST_F(lammps, OneContactIsTheModelSteppedDirectly) {
  const std::string friction = " tangential K 5000 beta 2e-4 mu 0.4";
  const dai_vector<double, 3> sliding{5000, 0.4, 2e-4};
  write_data(folder / "meeting.data", meeting, meeting_box);
  for (const auto& model : {models[0], models[3]}) {
    SCOPED_TRACE(model.name);
    must_run(meeting_script(model, friction, 1e-5, 1500));
    const auto end = read("end.dump");
    const auto direct =
        model.name == std::string("hertz")
            ? stepped(meeting, hertz<double>{1e6, 0.3, 5e-3, 2e6, 0.2, 6e-3}, sliding, 1e-5, 1500)
            : stepped(meeting, dai_contact<double>{6000, 2e-4, 1.4e-4}, sliding, 1e-5, 1500);
    for (int id : {1, 2}) {
      const grain_state &here = direct[static_cast<std::size_t>(id - 1)].at, &there = end.at(id);
      EXPECT_LT(norm(here.x - there.x), 1e-12 * 0.05);
      EXPECT_LT(norm(here.v - there.v), 1e-12);
      EXPECT_LT(norm(here.omega - there.omega), 1e-12 * 60);
      EXPECT_GT(norm(there.omega - meeting[static_cast<std::size_t>(id - 1)].at.omega), 1.0);
    }
  }
}

// How far velocities are from those that our own `grains`, another method with another list of
// contacts, finds.
double off_our_grains(const bed& end, double duration) {
  grains own;
  own.law = {6000, 2e-4, 1.4e-4, 5000, 2e-4, 0.4};
  own.gravity = {};
  for (const auto& [at, R] : meeting) {
    const double m = density * 4 * std::acos(-1.0) / 3 * R * R * R;
    own.bodies.push_back({at.x, at.v, at.omega, R, m, 0.4 * m * R * R});
  }
  EXPECT_EQ(own.advance(duration, 1e-10), outcome::completed);
  double off = 0;
  for (int id : {1, 2}) {
    const auto& body = own.bodies[static_cast<std::size_t>(id - 1)];
    off = std::max({off, norm(body.v - end.at(id).v), 5e-3 * norm(body.omega - end.at(id).omega)});
  }
  return off;
}

// Halved steps are half as far off, whether forces are explicit or come from sweeps.
TEST_F(lammps, SmallStepsConvergeToOurGrains) {
  write_data(folder / "meeting.data", meeting, meeting_box);
  for (const char* sweeps : {"", " sweeps 2"}) {
    SCOPED_TRACE(sweeps);
    double off[2] = {};
    for (int k = 0; k < 2; ++k) {
      const int steps = 3000 << k;
      std::string script =
          meeting_script(models[0], " tangential K 5000 beta 2e-4 mu 0.4", 0.012 / steps, steps);
      script.insert(script.find("pair_style asperity dai_contact") + 31, sweeps);
      must_run(script);
      off[k] = off_our_grains(read("end.dump"), 0.012);
    }
    EXPECT_LT(off[0], 2e-2);
    EXPECT_NEAR(off[0] / off[1], 2, 0.3);
  }
}

// ---- sweeps ---------------------------------------------------------------------------------------

// Contacts of two ranks are solved by one of them: nothing is lost on the way, and a single contact is
// the same on one rank.
TEST_F(lammps, SweepsKeepMomentumAcrossRanks) {
  write_data(folder / "meeting.data", meeting, {{0.092, 0.1, 0.1}});
  std::string script = meeting_script(models[0], all_friction, 1e-4, 200);
  script.insert(script.find("pair_style asperity dai_contact") + 31, " sweeps 3");
  script.insert(0, "processors * 1 1\n");
  must_run(script, 1);
  const bed one = read("end.dump");
  must_run(script, 2);
  const auto rows = numbers();
  ASSERT_GT(rows.size(), 90U);
  bool touched = false;
  for (const auto& row : rows) {
    touched = touched || row[9] > 0;
    for (std::size_t k = 3; k < 9; ++k)
      EXPECT_NEAR(row[k], rows[0][k], (k < 6 ? 1e-3 : 5e-5) * 1e-12) << k;
  }
  EXPECT_TRUE(touched);
  const auto off = compare(one, read("end.dump"));
  EXPECT_LT(off.x, 1e-12);
  EXPECT_LT(off.v, 1e-12);
}

// A thousand times the stiffness at a step of 1 ms, which is 40 times the period of such a contact.
TEST_F(lammps, StiffBedComesToRestInLongSteps) {
  auto grains = flowing();
  double weight = 0;
  for (auto& [at, R] : grains) {
    at.v = at.omega = {};
    weight += 9.81 * density * 4 * std::acos(-1.0) / 3 * R * R * R;
  }
  write_data(folder / "bed.data", grains, {{0.11, 0.04, 0.2}});
  const std::string law =
      "K 6e6 beta 7e-3 alpha 5e-3 tangential K 6e6 beta 7e-3 mu 0.5 rolling K 6e6 beta 7e-3 mu "
      "0.05 ";
  for (int ranks : {1, 2}) {
    SCOPED_TRACE(ranks);
    must_run(
        head + "processors * 1 1\nread_data bed.data\npair_style asperity dai_contact sweeps 10\n" +
            "pair_coeff * * " + law + "\nfix walls all wall/asperity dai_contact " + law +
            "xplane 0 0.11 yplane 0 0.04 zplane 0 NULL\nfix weight all gravity 9.81 vector 0 0 -1\n"
            "fix move all nve/sphere\nneigh_modify delay 0 every 1\ntimestep 1e-3\n" +
            print_sums(100) + "run 800\nprint 'numbers $(f_walls[3]:%.17g)'\n",
        ranks);
    const auto rows = numbers();
    const auto& sums = rows[rows.size() - 2];
    EXPECT_LT(sums[0] + sums[1], 1e-6);
    EXPECT_NEAR(rows.back()[0], -weight, 1e-2 * weight);
  }
}

// ---- beds -----------------------------------------------------------------------------------------

TEST_F(lammps, RanksAgree) {
  write_data(folder / "flowing.data", flowing(), flowing_box);
  const std::string script = flowing_start() + "run 3000\n" + write_bed("end.dump");
  must_run(script, 1);
  const bed one = read("end.dump");
  ASSERT_EQ(one.size(), 189U);
  // Grains did cross the border with what their contacts remember.
  int crossed = 0;
  for (const auto& [id, g] : one)
    crossed += g.x[0] > 0.08 && flowing()[static_cast<std::size_t>(id - 1)].at.x[0] < 0.08 ? 1 : 0;
  EXPECT_GT(crossed, 20);
  must_run(script, 2);
  const auto off = compare(one, read("end.dump"));
  EXPECT_LT(off.x, 1e-10);
  EXPECT_LT(off.v, 1e-10);
}

TEST_F(lammps, RunsInPartsAndFromRestartFilesAreTheSame) {
  write_data(folder / "flowing.data", flowing(), flowing_box);
  must_run(flowing_start() + "run 3000\n" + write_bed("end.dump"));
  const bed whole = read("end.dump");

  must_run(flowing_start() +
           "restart 1000 half.*\nrun 1500\nwrite_restart half.now\nwrite_data half.data\n"
           "run 1500\n" +
           write_bed("end.dump"));
  auto off = compare(whole, read("end.dump"));
  EXPECT_LT(off.x, 1e-10);
  EXPECT_LT(off.v, 1e-10);

  // The pair style is in the file; walls belong to the script. Also on another number of ranks, and
  // from a file that was written within a run.
  const auto resumed = [&](const std::string& file, int steps, int ranks) {
    must_run("newton off\ncomm_modify vel yes\nprocessors * 1 1\nread_restart " + file + "\n" +
                 flowing_walls + "run " + std::to_string(steps) + "\n" + write_bed("end.dump"),
             ranks);
    return compare(whole, read("end.dump"));
  };
  for (const auto& [file, steps, ranks] :
       {std::tuple{"half.now", 1500, 1}, {"half.now", 1500, 2}, {"half.1000", 2000, 1}}) {
    SCOPED_TRACE(std::string(file) + " on ranks: " + std::to_string(ranks));
    off = resumed(file, steps, ranks);
    EXPECT_LT(off.x, 1e-10);
    EXPECT_LT(off.v, 1e-10);
  }

  // A data file holds places and velocities, but not what the contacts remember: that is noticed.
  must_run(head + "processors * 1 1\nread_data half.data\n" + flowing_laws + flowing_walls +
           "run 1500\n" + write_bed("end.dump"));
  EXPECT_GT(compare(whole, read("end.dump")).x, 1e-4);
}

// A bed at rest presses on the floor with its weight.
TEST_F(lammps, FloorCarriesTheWeight) {
  auto grains = flowing();
  double weight = 0;
  for (auto& [at, R] : grains) {
    at.v = at.omega = {};
    weight += 9.81 * density * 4 * std::acos(-1.0) / 3 * R * R * R;
  }
  write_data(folder / "flowing.data", grains, {{0.11, 0.04, 0.2}});
  std::string script = flowing_start();
  script.replace(script.find("xplane 0 0.16"), 13, "xplane 0 0.11");
  must_run(script + print_sums(100) +
           "fix calm all viscous 0.02\nrun 30000\n"
           "print 'numbers $(f_walls[1]:%.17g) $(f_walls[2]:%.17g) $(f_walls[3]:%.17g)'\n");
  const auto rows = numbers();
  const auto& force = rows.back();
  const auto& sums = rows[rows.size() - 2];
  EXPECT_NEAR(force[2], -weight, 1e-3 * weight);
  EXPECT_LT(sums[0] + sums[1], 1e-7);
  EXPECT_GT(sums[9], 189);  // contacts
}

// A heap on a shaking floor stays where it is: to rounding where friction alone decides, and but for
// what grains roll by geometry where they turn. LAMMPS' own law of the same stiffness is on the page.
TEST_F(lammps, ShakenHeapStaysAtRest) {
  std::stringstream heap;
  heap << std::ifstream(EXAMPLES "/heap.in").rdbuf();
  for (const auto& [turning, most] : {std::pair{"no", 1e-13}, {"yes", 1e-11}}) {
    SCOPED_TRACE(turning);
    must_run("variable amplitude index 5e-6\nvariable turning index " + std::string(turning) +
             "\n" + heap.str());
    const std::size_t at = output.rfind("creep: ");
    ASSERT_NE(at, std::string::npos) << output;
    const double creep = std::stod(output.substr(at + 7));
    EXPECT_LT(creep, most);
    EXPECT_NE(output.find("Created 25 atoms"), std::string::npos);
  }
}

// Fixes that remove and add grains between steps leave the memories of the others alone.
TEST_F(lammps, GrainsMayComeAndGo) {
  write_data(folder / "flowing.data", flowing(), flowing_box);
  const std::string script =
      flowing_start() +
      "region top block 0.01 0.15 0.008 0.032 0.15 0.19\nregion out block 0.14 0.16 0 0.04 0 0.02\n"
      "fix more all pour 20 1 4711 region top diam range 0.008 0.01 dens 2000 2000 vol 0.2 100\n"
      "fix fewer all evaporate 100 1 out 4712\n" +
      print_sums(500) + "run 3000\n" + write_bed("end.dump");
  must_run(script, 1);
  const bed one = read("end.dump");
  EXPECT_GT(one.size(), 150U);
  for (const auto& row : numbers())
    for (const double each : row) EXPECT_TRUE(std::isfinite(each));
}

// ---- wrong inputs ---------------------------------------------------------------------------------

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string each; in >> each;) words.push_back(each);
  return words;
}

TEST_F(lammps, WrongParametersAreRefusedWithTheReason) {
  const std::string good = models[0].parameters;
  const std::pair<std::string, const char*> cases[] = {
      {"K 6000 beta 2e-4", "here: dai_contact.alpha is missing: filter time"},
      {"K 6000 betta 2e-4", "'betta' is not known here. Allowed: K, beta, alpha"},
      {"K -6 beta 2e-4 alpha 1e-4",
       "here: dai_contact.K = -6 N/m is not allowed: it must be above 0"},
      {"K nan beta 2e-4 alpha 1e-4", "dai_contact.K"},
      {"K 1e999 beta 2e-4 alpha 1e-4", "dai_contact.K"},
      {"K 6kg beta 2e-4 alpha 1e-4", "dai_contact.K"},
      {"K \xff beta 2e-4 alpha 1e-4", "dai_contact.K"},
      {"K 6000 beta 2e-4 alpha", "dai_contact.alpha has no value"},
      {"K 6000 K 6000 beta 2e-4 alpha 1e-4", "dai_contact.K is given twice"},
      {good + " tangential K 6000 beta 2e-4", "tangential.mu is missing"},
      {good + " rolling K 6000 beta 2e-4 mu -1",
       "rolling.mu = -1 is not allowed: it must be at least 0"},
      {good + " rolling K 1 beta 1 mu 1 rolling K 1 beta 1 mu 1", "'rolling' is given twice"},
      {good + " sliding K 6000", "'sliding' is not known here"},
      {"", "dai_contact.K is missing"},
  };
  for (const auto& [text, message] : cases) {
    SCOPED_TRACE(text);
    const auto laws = make_laws("dai_contact", 2);
    try {
      laws->set(1, 2, words_of(text), "here");
      ADD_FAILURE() << "not refused";
    } catch (const error& why) {
      EXPECT_NE(std::string(why.what()).find(message), std::string::npos) << why.what();
    }
    EXPECT_FALSE(laws->is_set(1, 2));
  }
  EXPECT_THROW(make_laws("hertz", 1)
                   ->set(1, 1, words_of(std::string(models[3].parameters) + " r_1 1"), "here"),
               error);
  EXPECT_THROW(make_laws("lugre", 1), error);
  EXPECT_EQ(
      make_laws("dai_contact", 1)->set(1, 1, words_of("K 1 beta 1e-4 alpha 2e-4"), "here").size(),
      1U);
  EXPECT_TRUE(make_laws("dai_contact", 1)
                  ->set(1, 1, {"K", "6 N/mm", "beta", "0.2 ms", "alpha", "1e-4"}, "here")
                  .empty());
}

TEST_F(lammps, WrongScriptsAreRefusedWithTheReason) {
  write_data(folder / "meeting.data", meeting, meeting_box);
  const std::string read_two = head + "read_data meeting.data\n", good = models[0].parameters;
  const std::string pair = read_two + "pair_style asperity dai_contact\npair_coeff * * ";
  const std::string walls = pair + good + "\nfix w all wall/asperity ";
  const auto without = [&](const std::string& line) {
    std::string script = pair + good + "\nrun 1\n";
    return script.erase(script.find(line), line.size());
  };
  const std::pair<std::string, const char*> cases[] = {
      {read_two + "pair_style asperity\n", "takes the model of contact and, if wanted, 'sweeps N'"},
      {read_two + "pair_style asperity hertz sweeps 3\n",
       "'sweeps' needs a model with a closed-form"},
      {read_two + "pair_style asperity dai_contact sweeps 0\n", "sweeps = 0 is not allowed"},
      {read_two + "pair_style asperity dai_contract\n", "no model of contact 'dai_contract' here"},
      {pair + "K 6000 beta 2e-4\n", "pair_coeff * *: dai_contact.alpha is missing"},
      {read_two +
           "pair_style asperity dai_contact_nonlinear\npair_coeff * * K 1e5 lambda 1.5 gamma "
           "2e5 beta_1 1e-4 beta_2 0\ntimestep 1e-5\nrun 1\n",
       "a timestep of 1e-05 s is too long for dai_contact_nonlinear.gamma = 200000 1/s"},
      {walls + "dai_contact " + good + "\n", "fix w wall/asperity has no wall"},
      {walls + "dai_contact " + good + " zplane 1\n", "the upper end of 'zplane' is missing"},
      {walls + "dai_contact " + good + " zplane 1 0\n", "must be below the upper"},
      {walls + "dai_contact " + good + " plane 0 0 0 0 0 0\n", "the normal of 'plane' is 0 0 0"},
      {walls + "dai_contact " + good + " zplane 0 NULL wiggle x 1 0\n",
       "the period of 'wiggle' = 0 s is not allowed"},
      {walls + "nothing\n", "fix w wall/asperity: there is no model of contact 'nothing' here"},
      {pair + good + "\nfix h all asperity/history\n", "is made by pair_style asperity"},
      {pair + good + "\ncompute c all asperity ball\n",
       "takes one word at most, 'disc', not 'ball'"},
      {without("newton off\n"), "needs 'newton off'"},
      {without("comm_modify vel yes\n"), "needs 'comm_modify vel yes'"},
      {without("units si\n"), "needs 'units si'"},
      {pair + good + "\nset atom 2 x 0.0402 y 0.0513 z 0.0498\nrun 1\n",
       "grains 1 and 2 have the same centre"},
  };
  for (const auto& [script, message] : cases) {
    EXPECT_NE(run(script), 0) << script;
    EXPECT_NE(output.find(message), std::string::npos) << script << "\n" << output;
  }
}

TEST_F(lammps, HelpTeaches) {
  const std::string command = ASPERITY_LAMMPS " --help > '" + (folder / "help").string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::stringstream text;
  text << std::ifstream(folder / "help").rdbuf();
  for (const auto& model : models) EXPECT_NE(text.str().find(model.name), std::string::npos);
}

}  // namespace
}  // namespace asperity::lammps
