// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <asperity/draw/gnuplot.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/text.hpp>
#include <asperity/text/find_program.hpp>
#include <asperity/text/open_file.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

extern char** environ;

namespace asperity {

namespace {

// A file without a name, in memory: nobody can foresee, plant or read it.
open_file memory_file() { return open_file(memfd_create("asperity", MFD_CLOEXEC)); }

// All variables but those that change what gnuplot does.
std::vector<char*> neutral_environment() {
  std::vector<char*> result;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry = *each;
    const bool changes_plots =
        entry.starts_with("GNU") || entry.starts_with("FIT_") || entry.starts_with("GDFONTPATH=");
    if (!changes_plots) result.push_back(*each);
  }
  result.push_back(nullptr);
  return result;
}

// Waits until a process has ended; an interrupt ends it. Returns its status, as waitpid does.
int wait_for(pid_t process, const std::atomic<bool>* interrupt) {
  using std::chrono::microseconds;
  constexpr microseconds longest{5000};
  int status = 0;
  // Short waits first: most pictures are drawn in some 50 ms.
  for (microseconds pause{200}; interrupt != nullptr; pause = std::min(2 * pause, longest)) {
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process) return status;
    if (ended < 0 && errno != EINTR) return status;
    if (is_set(interrupt)) kill(process, SIGKILL);
    std::this_thread::sleep_for(pause);
  }
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Of what gnuplot says, the reason: "line 7: undefined variable: x".
std::string reason_in(std::string_view complaints) {
  std::string_view found;
  while (!complaints.empty() && found.empty()) {
    const std::size_t end = std::min(complaints.find('\n'), complaints.size());
    const std::string_view line = complaints.substr(0, end);
    complaints.remove_prefix(std::min(end + 1, complaints.size()));
    if (line.find("line ") != std::string_view::npos && line.find(": ") != std::string_view::npos)
      found = line.substr(line.find("line "));
  }
  return shortened(found, 200);
}

bool is_whole_picture(std::string_view bytes) {
  const std::string_view end = bytes.substr(bytes.size() - std::min<std::size_t>(bytes.size(), 16));
  return end.find(bytes.starts_with("\x89PNG") ? "IEND" : "</svg>") != std::string_view::npos;
}

}  // namespace

std::string gnuplot_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : drawable(text)) {
    const bool is_letter = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z');
    // Digits, too: gnuplot would read one that follows a code as a part of it.
    result += is_letter || c == ' '
                  ? std::string(1, c)
                  : fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return result + '"';
}

gnuplot_picture run_gnuplot(const std::string& program, const std::atomic<bool>* interrupt) {
  const auto fails = [](const std::string& why) { return gnuplot_picture{"", "no plot: " + why}; };
  if (is_set(interrupt)) return fails("interrupted");
  std::string file = find_in_path("gnuplot");
  if (file.empty()) return fails("gnuplot is not installed");
  const open_file input = memory_file(), picture = memory_file(), complaints = memory_file();
  if (!input || !picture || !complaints)
    return fails(fmt::format("cannot create a file in memory: {}", std::strerror(errno)));
  if (const int code = write_all(input.descriptor(), program); code != 0)
    return fails(fmt::format("cannot write the script for gnuplot: {}", std::strerror(code)));
  lseek(input.descriptor(), 0, SEEK_SET);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, picture.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, complaints.descriptor(), STDERR_FILENO);
  std::string default_settings = "-d";  // no ~/.gnuplot
  char* arguments[] = {file.data(), default_settings.data(), nullptr};
  std::vector<char*> environment = neutral_environment();
  pid_t process = 0;
  const int failed =
      posix_spawn(&process, file.c_str(), &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return fails(fmt::format("gnuplot: {}", std::strerror(failed)));
  const int status = wait_for(process, interrupt);
  if (is_set(interrupt)) return fails("interrupted");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return fails(fmt::format("gnuplot failed: {}", reason_in(read_all(complaints.descriptor()))));
  std::string bytes = read_all(picture.descriptor());
  if (!is_whole_picture(bytes)) return fails("gnuplot wrote only a part of the picture");
  return {std::move(bytes), ""};
}

}  // namespace asperity
