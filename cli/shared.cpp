// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/model.hpp>
#include <asperity/quantity.hpp>
#include <asperity/run/memory.hpp>
#include <asperity/text.hpp>
#include <asperity/text/open_file.hpp>
#include <asperity/text/pieces.hpp>
#include <asperity/text/remove_tree.hpp>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/free_output.hpp"

namespace asperity::cli {

namespace {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// Characters; a file may hold a key of a megabyte, and a message quotes it.
constexpr std::size_t longest_message = 2000;

std::atomic<bool> stop_requested{false}, command_polls{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// As much as standard error takes; also called where nothing may allocate or throw.
void write_to_error(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (written == 0 || errno != EINTR)
      return;
  }
}

void request_stop(int which) {
  if (stop_requested.exchange(true)) {
    remove_unfinished();
    std::signal(which, SIG_DFL);
    std::raise(which);
  }
  if (command_polls) return;
  remove_unfinished();
  write_to_error("asperity: error: interrupted; no results were written\n");
  _exit(was_interrupted);
}

// A terminal that is closed may say so twice, itself and through its shell: that is one request.
void hang_up(int which) {
  if (!stop_requested || !command_polls) request_stop(which);
}

}  // namespace

const std::atomic<bool>& interrupted() {
  command_polls = true;
  return stop_requested;
}

void listen_for_interrupts() {
  struct sigaction action = {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_NODEFER | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // Under nohup it stays ignored.
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  action.sa_handler = hang_up;
  sigaction(SIGHUP, &action, nullptr);
}

std::string coloured(const std::string& text, colour in, int stream) {
  const char* refused = std::getenv("NO_COLOR");  // https://no-color.org
  const char* terminal = std::getenv("TERM");
  if (isatty(stream) == 0 || (refused != nullptr && *refused != '\0') || terminal == nullptr ||
      std::string_view(terminal) == "dumb")
    return text;
  const int code = in == colour::red ? 31 : in == colour::yellow ? 33 : 32;
  return fmt::format("\033[1;{}m{}\033[0m", code, text);
}

// Messages hold texts and names of files that may have come from anybody.
void warn(const std::string& message) {
  write_to_error(fmt::format("asperity: {} {}\n",
                             coloured("warning:", colour::yellow, STDERR_FILENO),
                             shortened(message, longest_message)));
}

void complain(const std::string& message) {
  write_to_error(fmt::format("asperity: {} {}\n", coloured("error:", colour::red, STDERR_FILENO),
                             shortened(message, longest_message)));
}

std::string told_plainly(const std::exception& problem) {
  namespace fs = std::filesystem;
  if (const auto* of_file = dynamic_cast<const fs::filesystem_error*>(&problem)) {
    std::error_code is_gone;
    static_cast<void>(fs::current_path(is_gone));
    if (is_gone)
      return fmt::format(
          "the current folder cannot be used ({}): change to another folder, and give absolute "
          "paths of files",
          is_gone == std::errc::no_such_file_or_directory ? "it was deleted" : is_gone.message());
    return fmt::format("cannot use '{}': {}", of_file->path1().string(), of_file->code().message());
  }
  if (const auto* of_system = dynamic_cast<const std::system_error*>(&problem))
    return fmt::format("the operating system refused: {}", of_system->code().message());
  return fmt::format(
      "this is a bug in asperity: please report it with the command and its files ({})",
      problem.what());
}

namespace {
bool is_quiet = false, is_silent = false;
}

void be_quiet(bool prints_nothing) {
  is_quiet = true;
  is_silent = prints_nothing;
}

void say(const std::string& text) {
  if (!is_quiet) write_to_error(text);
}

void complain_without_memory(const char* message) noexcept {
  for (const char* part : {"asperity: error: ", message, "\n"}) write_to_error(part);
}

void print(std::string_view text) { print_bytes(printable(text)); }

void print_verdicts(const std::string& text) {
  constexpr std::pair<std::string_view, colour> verdicts[] = {{"NOT MET", colour::red},
                                                              {"UNEXPECTED", colour::red},
                                                              {"met", colour::green},
                                                              {"explained", colour::yellow}};
  const std::string plain = printable(text);
  const auto is_apart = [&](std::size_t at) {
    return at >= plain.size() || std::isalnum(static_cast<unsigned char>(plain[at])) == 0;
  };
  std::string shown;
  for (std::size_t at = 0; at < plain.size();) {
    const auto* found =
        std::find_if(std::begin(verdicts), std::end(verdicts), [&](const auto& each) {
          return std::string_view(plain).substr(at).starts_with(each.first) &&
                 (at == 0 || is_apart(at - 1)) && is_apart(at + each.first.size());
        });
    if (found == std::end(verdicts)) {
      shown += plain[at++];
      continue;
    }
    shown += coloured(std::string(found->first), found->second, STDOUT_FILENO);
    at += found->first.size();
  }
  print_bytes(shown);
}

void print_help(const std::string& text) {
  winsize size = {};
  const bool is_terminal =
      isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  print(is_terminal ? wrapped_help(text, size.ws_col) : text);
}

std::string wrapped_help(const std::string& text, std::size_t width) {
  constexpr std::size_t column = 30;  // of the explanations
  const std::size_t indent = width >= 60 ? column : 6;
  std::string result;
  bool is_list = false, is_after_gap = false;  // "Options:" and the like; all else stays as it is
  for (const std::string_view line : split(text, '\n')) {
    if (is_after_gap && line.ends_with(':')) {
      is_list = !line.starts_with("Examples");
    } else if (!line.empty() && !line.starts_with(' ')) {
      is_list = false;
    }
    is_after_gap = line.empty();
    const bool is_entry =
        line.starts_with("  ") && line.find_first_not_of(' ') != std::string_view::npos;
    if (!is_list || line.size() <= width || !is_entry) {
      result += std::string(line) + '\n';
      continue;
    }
    // The name, and what explains it.
    const std::size_t gap = line.find("  ", line.find_first_not_of(' '));
    std::string_view words = line.substr(std::min(gap, line.size()));
    std::string now(line.substr(0, line.size() - words.size()));
    if (line.find_first_not_of(' ') >= column) {  // explained in a line of its own
      words = line;
      now.clear();
    }
    if (indent < column && !now.empty()) {
      result += now + '\n';
      now.clear();
    }
    now.resize(std::max(now.size() + (now.empty() ? 0 : 2), indent), ' ');
    bool is_first = true;
    for (const std::string_view word : split(words, ' ')) {
      if (word.empty()) continue;
      if (!is_first && now.size() + 1 + word.size() > width) {
        result += now + '\n';
        now.assign(indent, ' ');
        is_first = true;
      }
      now += is_first ? "" : " ";
      now += word;
      is_first = false;
    }
    result += now + '\n';
  }
  result.pop_back();
  return result;
}

void print_bytes(std::string_view text) {
  if (is_silent) return;
  // A pipe may have a reader who has stopped reading: then only short pieces never wait.
  constexpr std::size_t short_piece = 4096;
  constexpr int patience_ms = 100;
  struct stat about = {};
  const bool may_wait = fstat(STDOUT_FILENO, &about) == 0 && !S_ISREG(about.st_mode);
  while (!text.empty()) {
    if (may_wait) {
      pollfd ready{STDOUT_FILENO, POLLOUT, 0};
      const int is_ready = poll(&ready, 1, patience_ms);
      if (is_ready == 0 && stop_requested) throw interruption();
      if (is_ready == 0 || (is_ready < 0 && errno == EINTR)) continue;
    }
    const ssize_t written = write(STDOUT_FILENO, text.data(),
                                  may_wait ? std::min(text.size(), short_piece) : text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || (errno != EINTR && errno != EAGAIN)) {
      const int problem = written == 0 ? EIO : errno;
      if (problem == EPIPE) throw closed_output();
      throw error(fmt::format("cannot write to standard output: {}", std::strerror(problem)));
    }
  }
}

std::string default_output(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(name, ignored))
    throw error(fmt::format(
        "'{0}' is a symbolic link: give --out '{0}' to write to its target, or give another name",
        name));
  return name;
}

std::string input_name(const std::string& given) {
  if (given != "-") return given;
  const std::string name = "stdin";
  static bool is_read = false;
  if (is_read) throw error("-: standard input can be read only once");
  is_read = true;
  std::string text;
  std::vector<char> part(1 << 16);
  for (;;) {
    // A writer who never comes must not outlast Ctrl-C.
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    constexpr int patience_ms = 100;
    const int is_ready = poll(&ready, 1, patience_ms);
    if (interrupted()) throw interruption();
    if (is_ready == 0 || (is_ready < 0 && errno == EINTR)) continue;
    const ssize_t count = read(STDIN_FILENO, part.data(), part.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) throw error(fmt::format("cannot read standard input: {}", std::strerror(errno)));
    if (count == 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
    if (text.size() > largest_table)
      throw error(
          fmt::format("standard input has more than {} bytes, which is the limit", largest_table));
  }
  read_instead_of_file(name, std::move(text));
  return name;
}

void keep_streams_open() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest number that is free is this one. Standard output stays one that takes nothing, so
    // that results which cannot be printed are an error; messages are lost.
    const int mode = stream == STDERR_FILENO ? O_WRONLY : O_RDONLY;
    static_cast<void>(open("/dev/null", mode));
  }
}

void add_experiments_folder(CLI::App& command, std::string& folder) {
  add_option(command, "--experiments FOLDER", folder,
             "Folder with the experiment files (default: the one installed with asperity)");
}

void add_repeated(CLI::App& command, const std::string& synopsis, std::vector<std::string>& values,
                  const std::string& description) {
  add_option(command, synopsis, values, description)
      ->expected(1)
      ->allow_extra_args(false)  // what follows a value is not another value
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_limit_options(CLI::App& command, limit_arguments& limits) {
  add_option(command, "--time-limit TIME", limits.time,
             "Stop each run after this wall-clock time, such as 60 (seconds) or \"10 min\", and "
             "keep the results so far (default: no limit)");
  add_option(command, "--memory-limit SIZE", limits.memory,
             "Stop each run whose record would exceed this size, such as \"2 GB\", and keep the "
             "results so far (default: 80 % of the free memory)");
}

void add_limits(const limit_arguments& limits, std::vector<std::string>& settings) {
  if (!limits.time.empty()) settings.push_back("run.time_limit=" + limits.time);
  if (!limits.memory.empty()) settings.push_back("run.memory_limit=" + limits.memory);
}

double time_limit_of(const limit_arguments& limits) {
  if (limits.time.empty()) return unbounded;
  return read_option(fmt::format("--time-limit {}", limits.time), [&] {
    const double seconds = in_si(limits.time, units::second);
    if (!(seconds > 0)) throw error("it must be above 0");
    return seconds;
  });
}

double memory_limit_of(const limit_arguments& limits) {
  if (limits.memory.empty()) return 0;
  return read_option("--memory-limit", [&] { return parse_bytes(limits.memory); });
}

std::string lined_up(const std::vector<std::vector<std::string>>& given,
                     const std::string& indent) {
  auto rows = given;
  for (auto& row : rows)
    for (auto& cell : row) cell = in_one_line(cell);
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return out;
}

void add_list(CLI::App& app, action& run, const char* name, const char* about, const char* examples,
              listing (*all)()) {
  auto* command = app.add_subcommand(name, about);
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print JSON for programs");
  command->footer(examples);
  command->callback([=, &run] {
    run = [=] {
      const listing found = all();
      print(*as_json ? json_text(found.list) : lined_up(found.rows) + found.note);
      return success;
    };
  });
}

progress_bar::progress_bar(bool wanted)
    : wanted_(wanted && !is_quiet && isatty(STDERR_FILENO) != 0),
      started_(now()),
      last_(started_) {}

progress_bar::~progress_bar() {
  if (drawn_) write_to_error("\r\033[K");
}

void progress_bar::show(double fraction) {
  if (!wanted_) return;
  const double time = now();
  if (time - started_ < 1 || time - last_ < 0.1) return;
  last_ = time;
  drawn_ = true;
  constexpr int width = 40;
  const int full = static_cast<int>(width * std::clamp(fraction, 0.0, 1.0));
  const double left = fraction > 0 ? (time - started_) * (1 - fraction) / fraction : 0;
  say(fmt::format("\r\033[K[{:#<{}}{:.<{}}] {:3.0f} %  {:.0f} s left", "", full, "", width - full,
                  100 * fraction, left));
}

}  // namespace asperity::cli
