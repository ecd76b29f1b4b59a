// SPDX-License-Identifier: Apache-2.0
#include <asperity/error.hpp>
#include <asperity/mechanics/lammps_run.hpp>

#ifdef __EMSCRIPTEN__

namespace asperity {

class lammps_run::process {};
lammps_run::lammps_run(const grains&, lammps_setting setting) : setting_(setting) {}
lammps_run::~lammps_run() = default;
outcome lammps_run::onward(double, grains&, const std::function<outcome()>&) {
  throw error(
      "engine = \"lammps\": a web page cannot start programs; run the file with the command-line "
      "tool");
}

}  // namespace asperity

#else

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asperity/text.hpp>
#include <asperity/text/find_program.hpp>
#include <asperity/text/open_file.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

extern char** environ;

namespace asperity {

namespace {

std::string find_lammps() {
  const char* const name = "asperity-lammps";
  if (const char* given = std::getenv("ASPERITY_LAMMPS"); given != nullptr && *given != '\0') {
    if (!is_program(given))
      throw error(fmt::format("ASPERITY_LAMMPS is '{}', which is not a program", given));
    return given;
  }
  std::error_code none;
  const auto tool = std::filesystem::read_symlink("/proc/self/exe", none);
  if (const auto beside = tool.parent_path() / name; !none && is_program(beside)) return beside;
  std::string found = find_in_path(name);
  if (found.empty())
    throw error(
        "engine = \"lammps\" needs the program asperity-lammps, which is neither beside this one "
        "nor "
        "in PATH: build it with `./dev lammps` (docs/lammps.md) and name it in the environment, "
        "ASPERITY_LAMMPS=build/lammps/asperity-lammps");
  return found;
}

// A folder that nobody can foresee, and that goes with its owner.
class temporary_folder {
 public:
  temporary_folder() {
    std::error_code none;
    const auto place = std::filesystem::temp_directory_path(none);
    path_ = ((none ? std::filesystem::path("/tmp") : place) / "asperity-lammps-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr)
      throw error(
          fmt::format("cannot create the temporary folder '{}': {}", path_, std::strerror(errno)));
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  std::string file(const char* name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Of all that was said, the last error of LAMMPS, else what mpirun puts between lines of dashes, else
// the signal that ended it, else the last line that says something.
std::string reason_in(const std::string& said, int status, int ranks) {
  std::string last, of_lammps, of_mpirun;
  bool is_mpirun = false;
  std::string_view rest = said;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    is_mpirun = is_mpirun || line.starts_with("-----");
    if (line.find_first_not_of(" -=*\r\t") == std::string_view::npos) continue;
    if (is_mpirun) of_mpirun += std::string(line) + ' ';
    if (line.starts_with("ERROR")) of_lammps = line;
    last = line;
  }
  if (of_lammps.empty() && of_mpirun.find("not enough slots") != std::string::npos)
    return fmt::format(
        "mpirun does not start {} ranks here, by default no more than there are cores: give fewer, "
        "or let ranks share a core with OMPI_MCA_rmaps_base_oversubscribe=1 in the environment",
        ranks);
  const std::string& told = !of_lammps.empty() ? of_lammps : !of_mpirun.empty() ? of_mpirun : last;
  if (WIFSIGNALED(status) && &told == &last)  // what it said last is not why
    return fmt::format("LAMMPS ended: by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  if (told.empty())
    return fmt::format("LAMMPS ended: with status {} and without a message", WEXITSTATUS(status));
  return "LAMMPS ended: " + shortened(in_one_line(told), 300);
}

// All processes that a process started, and those that they started.
void add_descendants(pid_t of, std::vector<pid_t>& all) {
  std::ifstream in(fmt::format("/proc/{}/task/{}/children", of, of));
  for (pid_t child = 0; in >> child;) {
    all.push_back(child);
    add_descendants(child, all);
  }
}

}  // namespace

class lammps_run::process {
 public:
  process(const std::string& script, const std::string& data, int ranks) : ranks_(ranks) {
    const std::string program = find_lammps();
    std::vector<std::string> words;
    if (ranks > 1) {
      words = {find_in_path("mpirun"), "-np", std::to_string(ranks)};
      if (words.front().empty())
        throw error(
            fmt::format("engine = \"lammps\" on {} ranks needs mpirun, which is not in PATH "
                        "(Debian: openmpi-bin)",
                        ranks));
    }
    words.push_back(std::filesystem::absolute(program));
    for (const char* each : {"-log", "none", "-nocite"}) words.emplace_back(each);
    std::ofstream(folder_.file("grains.data")) << data;
    std::ofstream(folder_.file("answers")).close();

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw error(fmt::format("cannot open a pipe to LAMMPS: {}", std::strerror(errno)));
    commands_ = open_file(ends[1]);
    const open_file input(ends[0]);
    const open_file said(
        open(folder_.file("said").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder_.path().c_str());
    posix_spawn_file_actions_adddup2(&actions, input.descriptor(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, said.descriptor(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, said.descriptor(), STDERR_FILENO);
    // A group of its own: keys pressed at the terminal are for us, who end it.
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&how, 0);
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& each : words) arguments.push_back(each.data());
    arguments.push_back(nullptr);
    // What MPI leaves behind when it is ended goes with our folder.
    std::string temporary = "TMPDIR=" + folder_.path();
    std::vector<char*> variables{temporary.data()};
    for (char** each = environ; *each != nullptr; ++each)
      if (!std::string_view(*each).starts_with("TMPDIR=")) variables.push_back(*each);
    variables.push_back(nullptr);
    const int failed = posix_spawn(&process_, words.front().c_str(), &actions, &how,
                                   arguments.data(), variables.data());
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
      process_ = 0;
      throw error(fmt::format("{}: {}", words.front(), std::strerror(failed)));
    }
    tell(script);
  }
  process(const process&) = delete;
  process& operator=(const process&) = delete;
  ~process() { end(); }

  void tell(std::string_view text) {
    // A program that has ended is no reason to end with it.
    struct quiet {
      struct sigaction before = {};
      quiet() {
        struct sigaction ignore = {};
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGPIPE, &ignore, &before);
      }
      ~quiet() { sigaction(SIGPIPE, &before, nullptr); }
    } const without_signal;
    write_all(commands_.descriptor(), text);  // where it fails, `answer` says why
  }

  // The next line of answers, or what the watch said.
  outcome answer(std::string& line, const std::function<outcome()>& watch) {
    using std::chrono::microseconds;
    for (microseconds pause{100};; pause = std::min(2 * pause, microseconds(10000))) {
      std::ifstream in(folder_.file("answers"), std::ios::binary);
      in.seekg(static_cast<std::streamoff>(read_));
      if (std::getline(in, line) && !in.eof()) {
        read_ += line.size() + 1;
        return outcome::completed;
      }
      if (const outcome ends = watch(); ends != outcome::completed) {
        end();
        return ends;
      }
      int status = 0;
      if (process_ == 0 || waitpid(process_, &status, WNOHANG) == process_) {
        process_ = 0;
        throw error(fmt::format("engine = \"lammps\": {}",
                                reason_in(text_of(folder_.file("said")), status, ranks_)));
      }
      std::this_thread::sleep_for(pause);
    }
  }

  std::string state() const { return text_of(folder_.file("state")); }

 private:
  temporary_folder folder_;
  open_file commands_;
  int ranks_;
  pid_t process_ = 0;
  std::size_t read_ = 0;

  // The ranks of mpirun are in groups of their own, and mpirun ends when it has none left.
  void end() {
    if (process_ == 0) return;
    commands_ = open_file();
    std::vector<pid_t> ranks;
    add_descendants(process_, ranks);
    for (const pid_t each : ranks) kill(each, SIGKILL);
    kill(process_, SIGTERM);
    for (int i = 0; i < 50; ++i) {
      const pid_t ended = waitpid(process_, nullptr, WNOHANG);
      if (ended == process_ || (ended < 0 && errno != EINTR)) {
        process_ = 0;
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
  }
};

lammps_run::lammps_run(const grains& all, lammps_setting setting) : setting_(setting) {
  if (!(setting_.longest_step > 0)) setting_.longest_step = good_step(all);
}
lammps_run::~lammps_run() = default;

// The grains, and how they move and touch.
void lammps_run::start(const grains& all) {
  double low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, R = 0;
  for (const auto& b : all.bodies) {
    R = std::max(R, b.R);
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], b.x[k] - 2 * b.R);
      high[k] = std::max(high[k], b.x[k] + 2 * b.R);
    }
  }
  std::string data = fmt::format("grains\n\n{} atoms\n1 atom types\n\n", all.bodies.size());
  for (int k = 0; k < 3; ++k)
    data += fmt::format("{:.17g} {:.17g} {}lo {}hi\n", low[k], high[k], "xyz"[k], "xyz"[k]);
  data += "\nAtoms # sphere\n\n";
  const double ball = 4 * M_PI / 3;
  for (std::size_t i = 0; i < all.bodies.size(); ++i) {
    const auto& b = all.bodies[i];
    data += fmt::format("{} 1 {:.17g} {:.17g} {:.17g} {:.17g} {:.17g}\n", i + 1, 2 * b.R,
                        b.m / (ball * b.R * b.R * b.R), b.x[0], b.x[1], b.x[2]);
  }
  data += "\nVelocities\n\n";
  for (std::size_t i = 0; i < all.bodies.size(); ++i) {
    const auto& b = all.bodies[i];
    data += fmt::format("{} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g}\n", i + 1, b.v[0],
                        b.v[1], b.v[2], b.omega[0], b.omega[1], b.omega[2]);
  }
  const auto& law = all.law;
  const std::string contact = fmt::format(
      "K {:.17g} beta {:.17g} alpha {:.17g} tangential K {:.17g} beta {:.17g} mu {:.17g}", law.K_1,
      law.beta_1, law.alpha, law.K_2, law.beta_2, law.mu);
  std::string walls;
  for (const auto& p : all.planes)
    walls += fmt::format(" plane {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g}", p.point[0],
                         p.point[1], p.point[2], p.normal[0], p.normal[1], p.normal[2]);
  const double g = norm(all.gravity);
  std::string script = fmt::format(
      "units si\natom_style sphere\nnewton off\ncomm_modify vel yes\nboundary s {} s\n"
      "read_data grains.data\nneighbor {:.17g} bin\nneigh_modify delay 0 every 1 check yes\n"
      "pair_style asperity dai_contact\npair_coeff * * {}\n",
      all.flat ? "f" : "s", 0.3 * R, contact);
  if (!walls.empty())
    script += fmt::format("fix walls all wall/asperity dai_contact {}{}\n", contact, walls);
  if (g > 0)
    script += fmt::format("fix weight all gravity {:.17g} vector {:.17g} {:.17g} {:.17g}\n", g,
                          all.gravity[0], all.gravity[1], all.gravity[2]);
  script +=
      "fix move all nve/sphere\ncompute sums all asperity\n"
      "thermo_style custom step c_sums[3] c_sums[10] c_sums[11]\nthermo 0\n";
  process_ = std::make_unique<process>(script, data, setting_.ranks);
}

outcome lammps_run::onward(double length, grains& all, const std::function<outcome()>& watch) {
  if (!process_) start(all);
  const double count = std::max(1.0, std::ceil(length / setting_.longest_step * (1 - 1e-9)));
  if (!(count < 2e9))
    throw error(fmt::format("engine = \"lammps\": {:g} steps of {:g} s are too many for one sample",
                            count, setting_.longest_step));
  std::string script;
  if (const double h = length / count; h != h_) {
    script = fmt::format("timestep {:.17g}\n", h);
    h_ = h;
  }
  script += fmt::format(
      "run {:.0f} post no\n"
      "write_dump all custom state id x y z vx vy vz omegax omegay omegaz modify sort id format "
      "float %.17g\n"
      "print \"$(c_sums[3]:%.17g) $(c_sums[10]+c_sums[11]:%.17g)\" append answers\n",
      count);
  process_->tell(script);
  std::string line;
  if (const outcome ends = process_->answer(line, watch); ends != outcome::completed) return ends;
  if (std::sscanf(line.c_str(), "%lf %lf", &stored_, &touching_) != 2)
    throw error(fmt::format("engine = \"lammps\": cannot read sums from '{}'", in_one_line(line)));
  const std::string state = process_->state();
  const char* at = state.c_str();
  for (int skipped = 0; skipped < 9 && at != nullptr; ++skipped) {
    at = std::strchr(at, '\n');
    if (at != nullptr) ++at;
  }
  for (std::size_t i = 0; i < all.bodies.size(); ++i) {
    auto& b = all.bodies[i];
    char* end = nullptr;
    const bool is_next = at != nullptr && std::strtoul(at, &end, 10) == i + 1;
    if (!is_next) throw error(fmt::format("engine = \"lammps\": grain {} was lost", i + 1));
    for (auto* each : {&b.x, &b.v, &b.omega})
      for (int k = 0; k < 3; ++k) {
        at = end;
        (*each)[k] = std::strtod(at, &end);
      }
    at = end;
  }
  steps_ += static_cast<long>(count);
  return outcome::completed;
}

}  // namespace asperity

#endif

namespace asperity {

// Of the frequencies of a contact a fiftieth period or less; friction that is viscous while it
// sticks, on a grain that several others hold, is stable.
double lammps_run::good_step(const grains& all) {
  double m = HUGE_VAL;
  for (const auto& b : all.bodies) m = std::min(m, b.m);
  const auto& law = all.law;
  const double rigid = law.K_1 * std::max(1.0, law.beta_1 / law.alpha);
  return std::min({0.02 * std::sqrt(m / rigid), 0.02 * std::sqrt(m / law.K_2), 0.02 * law.alpha,
                   0.02 * law.beta_1, 0.05 * m / (law.K_2 * law.beta_2)});
}

}  // namespace asperity
