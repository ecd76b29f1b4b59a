// SPDX-License-Identifier: Apache-2.0
#pragma once

// The subcommands. Each file registers one: it declares its options and leaves what it does in
// `run`, which main calls after parsing and whose answer is the exit code.

#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace asperity::cli {

enum exit_code {
  success = 0,
  numerical_failure = 1,
  bad_input = 2,
  differs = 3,  // from what it was compared with
  was_interrupted = 130
};

// What a subcommand does when it was chosen.
using action = std::function<int()>;

void add_models(CLI::App& app, action& run);
void add_show(CLI::App& app, action& run);
void add_run(CLI::App& app, action& run);
void add_eval(CLI::App& app, action& run);
void add_equilibria(CLI::App& app, action& run);
void add_inclusion(CLI::App& app, action& run);
void add_restitution(CLI::App& app, action& run);
void add_hysteresis(CLI::App& app, action& run);
void add_loops(CLI::App& app, action& run);
void add_invert(CLI::App& app, action& run);
void add_limit_surface(CLI::App& app, action& run);
void add_slip_map(CLI::App& app, action& run);
void add_sweep(CLI::App& app, action& run);
void add_experiments(CLI::App& app, action& run);
void add_reproduce(CLI::App& app, action& run);

// ---- shared ------------------------------------------------------------------------------------

// Set by Ctrl-C and by a request to end. A second Ctrl-C ends the program at once.
const std::atomic<bool>& interrupted();

void warn(const std::string& message);      // "asperity: warning: ..." on standard error
void complain(const std::string& message);  // "asperity: error: ..." on standard error

// Text to standard output; throws asperity::error if it cannot take it (a full disk).
void print(const std::string& text);

// An option that may be given several times, one KEY=VALUE each.
CLI::Option* add_settings(CLI::App& command, std::vector<std::string>& settings,
                          const std::string& description);

// Rows of text with their columns lined up, two blanks between them.
std::string lined_up(const std::vector<std::vector<std::string>>& rows,
                     const std::string& indent = "");

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
