// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the subcommands share. Each declares its options and leaves what it does in `run`, which main
// calls after parsing and whose answer is the exit code.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/watch.hpp>
#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace asperity::cli {

enum exit_code {
  success = 0,
  numerical_failure = 1,
  bad_input = 2,
  differs = 3,  // from what it was compared with
  was_interrupted = 130,
  output_was_closed = 141  // as the signal SIGPIPE would end it
};

// What a subcommand does when it was chosen.
using action = std::function<int()>;

// Each file of cli/commands adds one: NAME.cpp defines add_NAME, and the build lists the files.
void add_commands(CLI::App& app, action& run);

// ---- shared ------------------------------------------------------------------------------------

// Ctrl-C (SIGINT), SIGTERM and SIGHUP end the program at once, as long as it has nothing to keep. From the
// first call of interrupted() on they set this flag instead: the command sees it within a fraction
// of a second, keeps what there is and ends with was_interrupted. A second one ends the program at
// once in any case, but a second SIGHUP does not.
const std::atomic<bool>& interrupted();
void listen_for_interrupts();

// A word as a terminal shows it in this colour. It is left as it is where the stream goes elsewhere,
// NO_COLOR is set, or the terminal has no colours.
enum class colour { red, yellow, green };
std::string coloured(const std::string& text, colour in, int stream);

// On standard error, "asperity: warning: ...", "asperity: error: ..." and notes, which --quiet leaves
// out. Where it is closed or full nothing is said, and nothing else happens.
void warn(const std::string& message);
void complain(const std::string& message);
void say(const std::string& text);
// --quiet: no notes, no bars. `prints_nothing`: results are written, and need not be printed as well.
void be_quiet(bool prints_nothing);
// What was thrown and is no asperity::error, as a sentence: libraries write for programmers.
std::string told_plainly(const std::exception& problem);
// The same without taking memory.
void complain_without_memory(const char* message) noexcept;

// Text to standard output, control characters written out. Throws asperity::error if it cannot take
// it (a full disk), closed_output if nobody reads it any more (`asperity ... | head`), and
// asperity::interruption where an interrupt came and nobody reads on.
void print(std::string_view text);
// A table with verdicts, which have colours on a terminal.
void print_verdicts(const std::string& text);
// What explains commands and options: on a terminal its columns stay within the width.
void print_help(const std::string& text);
std::string wrapped_help(const std::string& text, std::size_t width);
struct closed_output : std::exception {
  const char* what() const noexcept override { return "standard output was closed"; }
};

// The name under which a file given as - is read: standard input. Other names are as they are.
std::string input_name(const std::string& given);

// Opens /dev/null for each standard stream that is closed: the first file that is opened would
// otherwise take its place, and be written to.
void keep_streams_open();

// The name of an output that the user did not give. Throws asperity::error where it is a link,
// which somebody else may have made: only links that are named are followed.
std::string default_output(const std::string& name);

// An option as a synopsis has it: "--out FOLDER".
template <class Value>
CLI::Option* add_option(CLI::App& command, const std::string& synopsis, Value& value,
                        const std::string& description) {
  const auto blank = synopsis.find(' ');
  return command.add_option(synopsis.substr(0, blank), value, description)
      ->type_name(synopsis.substr(blank + 1));
}
// One that may be given several times, a value each.
void add_repeated(CLI::App& command, const std::string& synopsis, std::vector<std::string>& values,
                  const std::string& description);
inline void add_settings(CLI::App& command, std::vector<std::string>& settings,
                         const std::string& description) {
  add_repeated(command, "--set KEY=VALUE", settings, description);
}
// What `read` makes of the value of an option; an error names the option in front of it.
template <class Read>
auto read_option(const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const error& problem) {
    throw error(fmt::format("{}: {}", name, problem.what()));
  }
}
// --experiments FOLDER.
void add_experiments_folder(CLI::App& command, std::string& folder);

// --time-limit and --memory-limit of each run.
struct limit_arguments {
  std::string time, memory;
};
void add_limit_options(CLI::App& command, limit_arguments& limits);
// As run.time_limit and run.memory_limit of a scenario, or as numbers.
void add_limits(const limit_arguments& limits, std::vector<std::string>& settings);
double time_limit_of(const limit_arguments& limits);    // [s]; unbounded where there is none
double memory_limit_of(const limit_arguments& limits);  // [bytes]; 0 where there is none

// Rows of text with their columns lined up, two blanks between them.
std::string lined_up(const std::vector<std::vector<std::string>>& rows,
                     const std::string& indent = "");

// A command that lists something: a table and how to use it, or JSON.
struct listing {
  std::vector<std::vector<std::string>> rows;  // the names of its columns first
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string note = {};
};
void add_list(CLI::App& app, action& run, const char* name, const char* about, const char* examples,
              listing (*all)());

// A bar on standard error, for runs that last: only on a terminal, and only after a second.
class progress_bar {
 public:
  explicit progress_bar(bool wanted);
  ~progress_bar();  // wipes it away
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  void show(double fraction);

 private:
  bool wanted_, drawn_ = false;
  double started_, last_;
};

}  // namespace asperity::cli
