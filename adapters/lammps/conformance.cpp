// SPDX-License-Identifier: Apache-2.0
// LAMMPS with its own laws of grains on the conformance cards of impacts:
//
//   lammps_conformance > lammps.json && asperity conformance --only-measured --measured lammps.json
//
// It talks to the program `lmp` through a pipe and files, and links nothing of it. The law is
// `granular` with hertz/material, its default damping (viscoelastic) and tangential mindlin.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>

#include "adapters/conformance/peer.hpp"

namespace {

using namespace asperity;
using peers::json;

constexpr double modulus = 1e7, damping = 500;

// A `lmp` that reads commands, and the folder in which it answers.
class program {
 public:
  program() {
    std::string name = (std::filesystem::temp_directory_path() / "lammps-cards-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    const std::string command = fmt::format(
        "cd '{}' && OMP_NUM_THREADS=1 exec lmp -log none -nocite >said 2>&1", folder_.string());
    to_ = popen(command.c_str(), "w");
    if (to_ == nullptr) throw std::runtime_error("lmp cannot be started");
  }
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program() {
    pclose(to_);
    std::error_code none;
    std::filesystem::remove_all(folder_, none);
  }
  void tell(const std::string& text) { std::fputs(text.c_str(), to_); }
  void flush() { std::fflush(to_); }
  // From here on lines are read from another file.
  void read_from(const std::string& name) {
    source_ = folder_ / name;
    read_ = 0;
  }
  std::string next_line() {
    std::string line;
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::seconds(60)) {
      if (!in_.is_open() || read_ == 0) {
        in_.close();
        in_.clear();
        in_.open(source_, std::ios::binary);
      }
      in_.clear();
      in_.seekg(read_);
      if (std::getline(in_, line) && !in_.eof()) {
        read_ += static_cast<std::streamoff>(line.size()) + 1;
        return line;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    std::ifstream said(folder_ / "said");
    std::string last;
    while (std::getline(said, line))
      if (!line.empty()) last = line;
    throw std::runtime_error("LAMMPS does not answer: " + last);
  }

 private:
  std::filesystem::path folder_, source_;
  std::ifstream in_;
  FILE* to_ = nullptr;
  std::streamoff read_ = 0;
};

class lammps_spheres final : public peers::spheres {
 public:
  lammps_spheres() {
    timestep = 1e-5;
    has_force = true;
  }
  void restart(double mass, double radius, double mu, const std::vector<body>& bodies) override {
    const std::string law = fmt::format("hertz/material {} {} 0.3 tangential mindlin NULL 1.0 {}",
                                        modulus, damping, mu);
    std::string script = fmt::format(
        "clear\nunits si\natom_style sphere\natom_modify map array\nnewton off\ncomm_modify vel "
        "yes\n"
        "boundary f f f\n"
        "region box block -5 5 -5 5 -5 5 units box\ncreate_box 1 box\nneighbor 0.05 nsq\n"
        "neigh_modify delay 0\npair_style granular\npair_coeff * * {}\nfix move all nve/sphere\n"
        "timestep {:.17g}\n",
        law, timestep);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const body& b = bodies[i];
      script += fmt::format(
          "create_atoms 1 single {0:.17g} {1:.17g} {2:.17g} units box\nset atom {3} diameter "
          "{4:.17g} mass {5:.17g}\nset atom {3} omega {6:.17g} {7:.17g} {8:.17g}\nset atom {3} vx "
          "{9:.17g} vy {10:.17g} vz {11:.17g}\n",
          b.x[0], b.x[1], b.x[2], i + 1, 2 * radius, mass, b.omega[0], b.omega[1], b.omega[2],
          b.v[0], b.v[1], b.v[2]);
    }
    if (bodies.size() == 1)
      script += fmt::format("fix floor all wall/gran granular {} zplane 0 NULL\n", law);
    script +=
        "compute w all property/atom omegax omegay omegaz\nthermo 0\nthermo_style custom step\n"
        "fix keep all ave/atom 1 1 1 c_w[1] c_w[2] c_w[3]\n"
        "fix out all print 1 \"$(step) $(fz[1]:%.17g)";
    for (std::size_t i = 1; i <= bodies.size(); ++i) {
      for (const char* each : {"x", "y", "z", "vx", "vy", "vz"})
        script += fmt::format(" $({}[{}]:%.17g)", each, i);
      for (int k = 1; k <= 3; ++k) script += fmt::format(" $(f_keep[{}][{}]:%.17g)", i, k);
    }
    const std::string file = fmt::format("out{}", ++runs_);
    program_.tell(script + fmt::format("\" append {} screen no\n", file));
    program_.read_from(file);
    now_ = bodies;
    step_ = told_ = 0;
  }
  // Nothing acts from outside: LAMMPS goes ahead by some hundred steps, which are read one by one.
  void step() override {
    if (step_ == told_) {
      constexpr long more = 500;
      program_.tell(fmt::format("run {} post no\n", more));
      program_.flush();
      told_ += more;
    }
    for (;;) {
      const std::string line = program_.next_line();
      if (line.starts_with('#')) continue;
      char* end = nullptr;
      if (std::strtol(line.c_str(), &end, 10) <= step_) continue;  // where a run begins
      force_ = std::strtod(end, &end);
      for (body& b : now_)
        for (double* each : {b.x, b.v, b.omega})
          for (int k = 0; k < 3; ++k) each[k] = std::strtod(end, &end);
      ++step_;
      return;
    }
  }
  body state(int i) const override { return now_[static_cast<std::size_t>(i)]; }
  double contact_force() const override { return force_; }

 private:
  program program_;
  std::vector<body> now_;
  long runs_ = 0, step_ = 0, told_ = 0;
  double force_ = 0;
};

}  // namespace

int main() {
  try {
    json result = peers::row(
        "LAMMPS grains",
        fmt::format(
            "LAMMPS of Debian 12 (29 Sep 2021), granular hertz/material with E = {:g} Pa, "
            "default viscoelastic damping {:g} 1/(m s), tangential mindlin, velocity Verlet, "
            "10 us (impacts: 1/2000 to 1/5000 of the contact)",
            modulus, damping));
    lammps_spheres world;
    peers::impact_cards(result["cards"], world);
    fmt::print("{}\n", json::array({result}).dump(2));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "lammps_conformance: {}\n", problem.what());
    return 1;
  }
}
