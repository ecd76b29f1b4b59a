// SPDX-License-Identifier: Apache-2.0
// LAMMPS on the conformance cards, with its own law of grains and with that of this library:
//
//   lammps_conformance > lammps.json && asperity conformance --only-measured --measured lammps.json
//
// It talks to the programs through pipes, and links nothing of them. `lmp` has `granular`
// with hertz/material, its default damping (viscoelastic) and tangential mindlin; asperity-lammps,
// where ASPERITY_LAMMPS names it or PATH has it, has dai_contact with DAI friction.

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asperity/text/find_program.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <vector>

#include "adapters/conformance/peer.hpp"

namespace {

using namespace asperity;
using peers::json;

// A law of grains and the program that knows it.
struct law {
  std::string program, style, wall;               // style of the pair and of the wall
  std::function<std::string(double mu)> impacts;  // parameters, of spheres that collide
  std::function<std::string(double mu)> at_rest;  // and of grains that shall soon be at rest
};

constexpr double modulus = 1e7, damping = 500, lossy = 5e4;
law granular() {
  const auto of = [](double loss) {
    return [loss](double mu) {
      return fmt::format("hertz/material {} {} 0.3 tangential mindlin NULL 1.0 {}", modulus, loss,
                         mu);
    };
  };
  return {"lmp", "granular", "wall/gran granular", of(damping), of(lossy)};
}
law dai(const std::string& program) {
  const auto parameters = [](double mu) {
    std::string text = "K 5e4 beta 4e-3 alpha 2.8e-3";
    if (mu > 0) text += fmt::format(" tangential K 2.5e4 beta 4e-3 mu {}", mu);
    return text;
  };
  return {program, "asperity dai_contact", "wall/asperity dai_contact", parameters, parameters};
}

// A program that reads commands, and the folder with the named pipe through which it answers.
class program {
 public:
  explicit program(const std::string& name_of) {
    std::string name = (std::filesystem::temp_directory_path() / "lammps-cards-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    // It is open for writing here, too: so it opens at once, and never ends.
    const std::string pipe = folder_ / answers;
    if (mkfifo(pipe.c_str(), 0600) != 0 || (from_ = open(pipe.c_str(), O_RDWR | O_CLOEXEC)) < 0)
      throw std::runtime_error("no named pipe");
    const std::string command =
        fmt::format("cd '{}' && OMP_NUM_THREADS=1 exec '{}' -log none -nocite >>said 2>&1",
                    folder_.string(), name_of);
    to_ = popen(command.c_str(), "w");
    if (to_ == nullptr) throw std::runtime_error(name_of + " cannot be started");
  }
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program() {
    close(from_);
    pclose(to_);
    std::error_code none;
    std::filesystem::remove_all(folder_, none);
  }
  static constexpr const char* answers = "answers";
  void tell(const std::string& text) { std::fputs(text.c_str(), to_); }
  void flush() { std::fflush(to_); }
  // What it has said so far need not be kept: each run says some lines.
  void forget() {
    std::error_code none;
    std::filesystem::resize_file(folder_ / "said", 0, none);
  }
  std::string next_line() {
    std::size_t end;
    while ((end = read_.find('\n', at_)) == std::string::npos) {
      read_.erase(0, at_);
      at_ = 0;
      constexpr int a_minute = 60'000;
      pollfd one = {from_, POLLIN, 0};
      char some[1 << 16];
      if (poll(&one, 1, a_minute) <= 0) throw std::runtime_error(silence());
      const ssize_t count = read(from_, some, sizeof some);
      if (count <= 0) throw std::runtime_error("the answers of LAMMPS cannot be read");
      read_.append(some, static_cast<std::size_t>(count));
    }
    std::string line = read_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }

 private:
  std::filesystem::path folder_;
  FILE* to_ = nullptr;
  int from_ = -1;
  std::string read_;
  std::size_t at_ = 0;

  std::string silence() const {
    std::ifstream said(folder_ / "said");
    std::string line, last;
    while (std::getline(said, line))
      if (!line.empty()) last = line;
    return "LAMMPS does not answer: " + last;
  }
};

// Grains in a box without walls, with the lines that are printed of them.
class grains {
 public:
  explicit grains(law of) : law_(std::move(of)), program_(law_.program) {}

  void begin(const std::string& parameters, double timestep, double half_width) {
    program_.forget();
    program_.tell(
        fmt::format("clear\nprint \"begin {}\" append {} screen no\n", ++runs_, program::answers));
    step_ = before_;
    program_.tell(fmt::format(
        "units si\natom_style sphere\natom_modify map array\nnewton off\ncomm_modify vel "
        "yes\nboundary f f f\nregion box block -{0} {0} -{0} {0} -{0} {0} units box\n"
        "create_box 1 box\nneighbor 0.05 nsq\nneigh_modify delay 0\npair_style {1}\n"
        "pair_coeff * * {2}\ntimestep {3:.17g}\nthermo 0\nthermo_style custom step\n",
        half_width, law_.style, parameters, timestep));
  }
  void add(int id, double mass, double radius, const peers::spheres::body& b) {
    program_.tell(fmt::format(
        "create_atoms 1 single {0:.17g} {1:.17g} {2:.17g} units box\nset atom {3} diameter "
        "{4:.17g} mass {5:.17g}\nset atom {3} omega {6:.17g} {7:.17g} {8:.17g}\nset atom {3} vx "
        "{9:.17g} vy {10:.17g} vz {11:.17g}\n",
        b.x[0], b.x[1], b.x[2], id, 2 * radius, mass, b.omega[0], b.omega[1], b.omega[2], b.v[0],
        b.v[1], b.v[2]));
  }
  void add_floor(const std::string& parameters) {
    program_.tell(fmt::format("fix floor all {} {} zplane 0 NULL\n", law_.wall, parameters));
  }
  void print(long every, const std::string& expressions) {
    program_.tell(fmt::format("fix out all print {} \"$(step){}\" append {} screen no\n", every,
                              expressions, program::answers));
  }
  void tell(const std::string& text) { program_.tell(text); }
  void flush() { program_.flush(); }
  // The numbers of the next line. Where a run begins the line of its start is printed again.
  std::vector<double> next() {
    for (;;) {
      const std::string line = program_.next_line();
      if (line.starts_with('#')) continue;
      // What an earlier run had to say may not have been read.
      if (step_ == before_) {
        if (line == fmt::format("begin {}", runs_)) step_ = 0;
        continue;
      }
      char* end = nullptr;
      const long step = std::strtol(line.c_str(), &end, 10);
      if (step <= step_) continue;
      step_ = step;
      std::vector<double> values;
      for (char* at = end;; at = end) {
        const double value = std::strtod(at, &end);
        if (end == at) return values;
        values.push_back(value);
      }
    }
  }
  const law& of() const { return law_; }

 private:
  law law_;
  program program_;
  static constexpr long before_ = -1;  // the run
  long runs_ = 0, step_ = before_;
};

class lammps_spheres final : public peers::spheres {
 public:
  explicit lammps_spheres(const law& of) : grains_(of) {
    timestep = 1e-5;
    has_force = true;
  }
  void restart(double mass, double radius, double mu, const std::vector<body>& bodies) override {
    const std::string parameters = grains_.of().impacts(mu);
    grains_.begin(parameters, timestep, 5);
    int id = 0;
    for (const body& b : bodies) grains_.add(++id, mass, radius, b);
    grains_.tell("fix move all nve/sphere\n");
    if (bodies.size() == 1) grains_.add_floor(parameters);
    grains_.tell(
        "compute w all property/atom omegax omegay omegaz\n"
        "fix keep all ave/atom 1 1 1 c_w[1] c_w[2] c_w[3]\n");
    std::string seen = " $(fz[1]:%.17g)";
    for (std::size_t i = 1; i <= bodies.size(); ++i) {
      for (const char* each : {"x", "y", "z", "vx", "vy", "vz"})
        seen += fmt::format(" $({}[{}]:%.17g)", each, i);
      for (int k = 1; k <= 3; ++k) seen += fmt::format(" $(f_keep[{}][{}]:%.17g)", i, k);
    }
    grains_.print(1, seen);
    now_ = bodies;
    ahead_ = 0;
  }
  // Nothing acts from outside: LAMMPS goes ahead by some hundred steps, which are read one by one.
  void step() override {
    if (ahead_ == 0) {
      ahead_ = 500;
      grains_.tell(fmt::format("run {} post no\n", ahead_));
      grains_.flush();
    }
    --ahead_;
    const auto values = grains_.next();
    auto value = values.begin();
    force_ = *value++;
    for (body& b : now_)
      for (double* each : {b.x, b.v, b.omega})
        for (int k = 0; k < 3; ++k) each[k] = *value++;
  }
  body state(int i) const override { return now_[static_cast<std::size_t>(i)]; }
  double contact_force() const override { return force_; }

 private:
  grains grains_;
  std::vector<body> now_;
  long ahead_ = 0;
  double force_ = 0;
};

// Grains that do not turn (`fix nve`, which moves centres alone) rest on a floor, and one is pushed
// along it. A force over the time is followed as a polygon with a corner at each time step of the
// card, of which LAMMPS makes many; a push is constant over them.
constexpr double friction = 0.5, weight = 9.81, usual_step = 1e-4, settling = 2;

class pushed_grains {
 public:
  explicit pushed_grains(const law& of) : grains_(of) {}
  double own_step = usual_step;

  // `loads` press on the grains, of which each lies on the one before, the first on the floor.
  void restart(double mass, double radius, const std::vector<double>& loads, double timestep) {
    mass_ = mass;
    every_ = std::lround(timestep / own_step);
    const std::string parameters = grains_.of().at_rest(friction);
    grains_.begin(parameters, own_step, 5 + 10 * radius);
    std::string seen;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const int id = static_cast<int>(i) + 1;
      const double height = (2 * static_cast<double>(i) + 1) * radius;
      grains_.add(id, mass, radius, {{0, 0, height}, {0, 0, 0}, {0, 0, 0}});
      grains_.tell(fmt::format(
          "group grain{0} id {0}\nfix load{0} grain{0} addforce 0 0 {1:.17g}\n", id, -loads[i]));
      seen += fmt::format(" $(x[{0}]:%.17g) $(vx[{0}]:%.17g) $(fx[{0}]:%.17g)", id);
    }
    grains_.add_floor(parameters);
    const long settle = std::lround(settling / timestep) * every_;
    grains_.tell(fmt::format(
        "fix move all nve\nvariable pull equal 0\nfix push grain{} addforce v_pull 0 0\n",
        loads.size()));
    grains_.print(every_, seen);
    grains_.tell(fmt::format("run {} post no\n", settle));
    grains_.flush();
    for (long n = 0; n < settle; n += every_) now_ = grains_.next();
    step_ = settle;
    pull_ = 0;
    start_ = now_;
  }
  // From the last force to this one.
  void pull_to(double pull) {
    go(fmt::format("{:.17g}+{:.17g}*(step-{})", pull_, (pull - pull_) / static_cast<double>(every_),
                   step_));
    pull_ = pull;
  }
  void push(double pull) {
    go(fmt::format("{:.17g}", pull));
    pull_ = pull;
  }
  void flush() { grains_.flush(); }
  void read() { now_ = grains_.next(); }
  double x(std::size_t i) const { return now_[3 * i] - start_[3 * i]; }
  double v(std::size_t i) const { return now_[3 * i + 1]; }
  // Velocity Verlet in its other form, the leapfrog: speeds are those of the middle of steps. A force
  // at the end of a step changes the next of them as a whole, which moves the grain to its next place.
  // So a push is in the speed after it, and in none before.
  double next_v(std::size_t i) const { return v(i) + 0.5 * own_step / mass_ * now_[3 * i + 2]; }
  double next_x(std::size_t i) const { return x(i) + own_step * next_v(i); }

 private:
  grains grains_;
  std::vector<double> now_, start_;
  long every_ = 1, step_ = 0;
  double pull_ = 0, mass_ = 1;

  void go(const std::string& pull) {
    grains_.tell(fmt::format("variable pull equal {}\nrun {} pre no post no\n", pull, every_));
    step_ += every_;
  }
};

constexpr double small = 0.1;  // [m], radius
class grain_slider final : public peers::slider {
 public:
  grain_slider(const law& of, double share_of_steps) : grains_(of) {
    grains_.own_step *= share_of_steps;
    timestep *= share_of_steps;
    limit = friction * weight;
    // How far it moves until friction is half of its limit.
    restart();
    constexpr int slowly = 10000;
    for (int i = 1; i <= slowly; ++i) step(0.5 * limit * i / slowly);
    presliding = x();
  }
  void restart() override {
    grains_.restart(mass, small, {weight}, timestep);
    force_ = nullptr;
    told_ = read_ = 0;
  }
  bool follows(const std::function<double(double)>& force) override {
    force_ = force;
    return true;
  }
  void step(double pull) override {
    constexpr long ahead = 50;
    if (told_ == read_) {
      for (long n = 0; n < (force_ ? ahead : 1); ++n, ++told_)
        force_ ? grains_.pull_to(force_(static_cast<double>(told_ + 1) * timestep))
               : grains_.push(pull);
      grains_.flush();
    }
    ++read_;
    grains_.read();
  }
  double x() const override { return force_ ? grains_.x(0) : grains_.next_x(0); }
  double v() const override { return force_ ? grains_.v(0) : grains_.next_v(0); }

 private:
  pushed_grains grains_;
  std::function<double(double)> force_;
  long told_ = 0, read_ = 0;
};

// The carriage is a grain on the floor, the body a grain on the carriage. Their radius is so great
// that the body can slip by a metre without leaving the top of the carriage.
constexpr double great = 100;  // [m]
class grain_brakes final : public peers::two_sliders {
 public:
  explicit grain_brakes(const law& of) : grains_(of) { limit = friction * weight; }
  void restart(double mass, double weaker) override {
    grains_.restart(mass, great, {(1 - weaker) * weight, weaker * weight}, timestep);
  }
  void step(double pull) override {
    grains_.pull_to(pull);
    grains_.flush();
    grains_.read();
  }
  double slip(int brake) const override {
    return brake == 0 ? grains_.x(0) : grains_.x(1) - grains_.x(0);
  }

 private:
  pushed_grains grains_;
};

json cards_of(const law& of, const std::string& name, const std::string& settings,
              const peers::wishes& wishes) {
  json result = peers::row(
      name, fmt::format(
                "LAMMPS of Debian 12 (29 Sep 2021), velocity Verlet, {}; impacts: 10 us, or 1/2000 "
                "to 1/5000 of the contact; friction: a grain of 1 kg and {:g} m that does not turn "
                "(fix nve) on a wall with mu {:g}, {:g} ms, forces along polygons with corners "
                "every 50 ms (break_away {:g} ms, two_brakes 1 ms), or pushes of {:g} ms where it "
                "is moved; two brakes: grains of {:g} m, one on the other",
                settings, small, friction, 1e3 * usual_step * wishes.steps, 1e3 * usual_step,
                wishes.steps, great));
  json& cards = result["cards"];
  lammps_spheres world(of);
  peers::impact_cards(cards, world, wishes);
  grain_slider body(of, wishes.steps);
  peers::motion_cards(cards, body, wishes);
  body.timestep = usual_step;
  wishes.put(cards, "break_away", [&] { return peers::break_away(body); });
  body.timestep = 0.05;
  wishes.put(cards, "drift_under_vibration", [&] { return peers::drift_under_vibration(body); });
  wishes.put(cards, "hold_for_an_hour", [&] { return peers::hold_for_an_hour(body); });
  grain_brakes pair(of);
  wishes.put(cards, "two_brakes", [&] { return peers::two_brakes(pair); });
  wishes.put(cards, "slide_and_spin", [] {
    return peers::does_not_apply("grains touch in a point, not under even pressure");
  });
  return result;
}

}  // namespace

int main(int count, char** words) {
  try {
    const auto wishes = peers::read_wishes(count, words);
    json all = json::array();
    all.push_back(cards_of(
        granular(), "LAMMPS grains",
        fmt::format("granular hertz/material with E = {:g} Pa and nu = 0.3, default viscoelastic "
                    "damping {:g} 1/(m s) (holding: {:g}), tangential mindlin",
                    modulus, damping, lossy),
        wishes));
    const char* given = std::getenv("ASPERITY_LAMMPS");
    const bool has_name = given != nullptr && *given != '\0';
    if (has_name && !is_program(given))
      throw std::runtime_error(fmt::format("ASPERITY_LAMMPS is '{}', which is no program", given));
    const std::string ours =
        has_name ? std::filesystem::absolute(given).string() : find_in_path("asperity-lammps");
    if (ours.empty())
      fmt::print(
          stderr,
          "lammps_conformance: no row of asperity-lammps, which ASPERITY_LAMMPS could name\n");
    else
      all.push_back(cards_of(dai(ours), "LAMMPS grains, asperity dai",
                             "asperity-lammps, dai_contact " + dai(ours).at_rest(friction),
                             wishes));
    fmt::print("{}\n", all.dump(2));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "lammps_conformance: {}\n", problem.what());
    return 1;
  }
}
