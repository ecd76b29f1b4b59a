// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/catalogue/plugin.hpp>
#include <asperity/error.hpp>
#include <asperity/text.hpp>
#include <asperity/text/pieces.hpp>
#include <asperity/text/remove_tree.hpp>
#include <atomic>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>

#include "cli/build_info.hpp"
#include "cli/commands.hpp"
#include "cli/free_output.hpp"

namespace {

using namespace asperity::cli;

// "a", "b" and "c" of "...{a,b,c}...", as the reader of the command line writes what is allowed.
std::vector<std::string> listed_words(const std::string& text) {
  const auto begin = text.rfind('{'), end = text.rfind('}');
  std::vector<std::string> words;
  if (begin == std::string::npos || end == std::string::npos || end < begin) return words;
  for (const auto word :
       asperity::split(std::string_view(text).substr(begin + 1, end - begin - 1), ','))
    words.emplace_back(word);
  return words;
}

// What the command line's reader says, with what is allowed in place of its own limits.
std::string told(const CLI::App& app, const std::string& problem) {
  std::string what = problem.substr(0, problem.find('\n'));
  if (what.ends_with(": ")) what += "''";  // an empty argument
  const auto kind_of = [&](const std::string& name) -> std::string {
    for (const CLI::App* command : app.get_subcommands())
      if (const CLI::Option* option = command->get_option_no_throw(name))
        return option->get_type_name();
    return "";
  };
  const std::string conversion = "Could not convert: ";
  if (what.starts_with(conversion)) {
    what = what.substr(conversion.size());
    const bool is_whole = kind_of(what.substr(0, what.find(' '))).find("INT") != std::string::npos;
    return what + (is_whole ? ": it must be a whole number with at most 9 digits"
                            : ": it must be a number, without a unit");
  }
  if (const auto at = what.find(" was given a disallowed flag override"); at != std::string::npos)
    return fmt::format("--{} is a flag: it takes no value", what.substr(0, at));
  // "--plot: SVG not in {svg,png,none}", "SHELL is required", "--out: 1 required FOLDER missing".
  const auto colon = what.find(": ");
  const std::string name = what.substr(0, colon);
  if (const auto at = what.rfind(" not in {"); at != std::string::npos && colon < at) {
    const auto words = listed_words(what);
    const std::string value = what.substr(colon + 2, at - colon - 2);
    const std::string nearest = asperity::nearest_names(value, words);
    const std::string allowed = fmt::format("allowed: {}", fmt::join(words, ", "));
    return fmt::format(
        "{}: unknown word '{}': {}", name, asperity::shortened(value, 60),
        nearest.starts_with("allowed") ? allowed : fmt::format("{} ({})", nearest, allowed));
  }
  if (const std::string end = " is required"; what.ends_with(end)) {
    const auto words = listed_words(kind_of(what.substr(0, what.size() - end.size())));
    return words.empty() ? what : fmt::format("{}: {}", what, fmt::join(words, ", "));
  }
  const std::string one = ": 1 required ", none = " missing";
  if (what.substr(std::min(colon, what.size())).starts_with(one) && what.ends_with(none)) {
    const auto begin = colon + one.size();
    const std::string kind = what.substr(begin, what.size() - none.size() - begin);
    const std::string value = kind.substr(0, kind.find(':'));
    return fmt::format("{}: its {} is missing", name, value == "TEXT" ? "value" : value);
  }
  // "--jobs: Value two not in range 1 to 1024".
  const std::string outside = " not in range ", given = ": Value ";
  if (const auto at = what.find(outside); at != std::string::npos &&
                                          what.substr(std::min(colon, at)).starts_with(given) &&
                                          kind_of(name).find("INT") != std::string::npos) {
    const auto begin = colon + given.size();
    const std::string limits = what.substr(at + outside.size());
    return fmt::format("{}: '{}' must be a whole number from {}", name,
                       asperity::shortened(what.substr(begin, at - begin), 60), limits);
  }
  // The greatest double has 309 digits.
  const auto range = what.find(" not in range "), end = what.find(" to 179769313486231");
  if (range != std::string::npos && end != std::string::npos) {
    const std::string name = what.substr(0, what.find(':'));
    const bool is_above = kind_of(name).find("POSITIVE") != std::string::npos;
    return what.substr(0, range) +
           (is_above ? " must be a number above 0" : " must be a number, 0 or more");
  }
  return what;
}

// Models of the user's own, from ASPERITY_PLUGINS and the command line, before any command looks.
void load_plugins(const std::vector<std::string>& files) {
  if (const char* listed = std::getenv("ASPERITY_PLUGINS"))
    read_option("ASPERITY_PLUGINS", [&] { return asperity::load_plugins(listed); });
  for (const auto& each : files)
    read_option("--plugin", [&] { return asperity::load_plugin(each); });
}

// Whether --plugin stands behind a command, whose options do not have it.
bool has_late_plugin(const CLI::App& app, int count, char** arguments) {
  bool has_command = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (has_command && (word == "--plugin" || word.starts_with("--plugin="))) return true;
    for (const CLI::App* command : app.get_subcommands())
      has_command = has_command || command->get_name() == word;
  }
  return false;
}

// An output that is named, but not said, as --out "$RESULTS" does where there is no such variable.
bool has_empty_output(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    const CLI::Option* out = command->get_option_no_throw("--out");
    if (out != nullptr && out->count() > 0 && out->results().back().empty()) return true;
  }
  return false;
}

// What stands behind the name of the program and the plug-ins, as far as it can be a command or an
// option.
std::vector<std::string> words_of(int count, char** arguments) {
  std::vector<std::string> words(arguments + std::min(count, 1), arguments + count);
  words.erase(std::find(words.begin(), words.end(), "--"), words.end());
  while (!words.empty() && words.front().starts_with("--plugin"))
    words.erase(words.begin(),
                words.begin() + (words.front() == "--plugin" && words.size() > 1 ? 2 : 1));
  return words;
}

const CLI::App* command_of(const CLI::App& app, const std::vector<std::string>& words) {
  for (const CLI::App* each : app.get_subcommands({}))
    if (!words.empty() && each->get_name() == words.front()) return each;
  return nullptr;
}

// The first word that is no command or option, with the nearest that there is. The reader of the command
// line looks at other things first: it takes what follows a misspelt option for something else.
std::string misspelt(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = command_of(app, words);
  if (command == nullptr && !words.empty() && !words.front().starts_with('-')) {
    std::vector<std::string> names;
    for (const CLI::App* each : app.get_subcommands({}))
      if (!each->get_group().empty()) names.push_back(each->get_name());
    // As other programs have it.
    if (app.get_option_no_throw("--" + words.front()) != nullptr)
      return fmt::format("there is no command '{0}': did you mean '--{0}'?", words.front());
    return fmt::format("there is no command '{}': {}", asperity::shortened(words.front(), 60),
                       asperity::nearest_names(words.front(), names));
  }
  const CLI::App& of = command == nullptr ? app : *command;
  for (const auto& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const bool is_long = name.starts_with("--");
    // Numbers may be negative.
    const bool is_short =
        !is_long && name.size() > 1 && name[0] == '-' && std::isalpha(name[1]) != 0;
    if ((!is_long && !is_short) || of.get_option_no_throw(name) != nullptr) continue;
    std::vector<std::string> names, first_letter;
    for (const CLI::Option* each : of.get_options())
      for (const auto& long_name : each->get_lnames()) {
        names.push_back("--" + long_name);
        if (std::tolower(name[1]) == long_name[0]) first_letter.push_back("--" + long_name);
      }
    const bool is_letter = is_short && name.size() == 2 && !first_letter.empty();
    return fmt::format(
        "there is no option '{}'{}{}: {}", asperity::shortened(name, 60),
        command == nullptr ? "" : " of asperity ", command == nullptr ? "" : of.get_name(),
        is_letter ? fmt::format("did you mean '{}'?", fmt::join(first_letter, "' or '"))
                  : asperity::nearest_names(is_short ? "-" + name : name, names));
  }
  return "";
}

int run_command(int count, char** arguments) {
  CLI::App app{"Friction, contact and hysteresis: models, simulations, published experiments"};
  app.name("asperity");
  app.set_version_flag("--version", build_text(),
                       "Print the version and the features of this build");
  app.footer(R"text(Examples: each can be pasted as it is
  asperity models                         # lists the models; likewise systems, methods, measures
  asperity show lugre                     # its equations, parameters and sources
  asperity examples                       # lists the scenarios that come with the tool
  asperity run stick_slip                 # writes stick_slip.run with series and plot
  asperity run stick_slip --set friction.F_s=2 --set "system.mass=2 kg" --out heavy
  asperity eval dai --input stick_slip.run/series.csv --out force.csv  # the force along a motion
  asperity equilibria dahl --stiffness "1 N/m" --from -3 --to 3  # where a mass on a spring can rest
  asperity inclusion two_bodies --show    # a system of formulas: its ODE and constants
  asperity inclusion two_bodies --emit c --main --out two_bodies.c
  asperity restitution --all --speed "1, 2, 5"  # contact models in impacts
  asperity design contact --mass 1 --restitution 0.7@2m/s --time 2ms  # parameters for a wanted impact
  asperity hysteresis dahl                # its hysteresis map: rate dependence, memory
  asperity loops stick_slip.run/series.csv --x x --y f  # loops in a record, measured or simulated
  asperity invert play --wanted stick_slip.run/series.csv --column f  # the input for a wanted output
  asperity limit-surface --set shape=disc --set "radius=20 mm"  # forces that a contact patch can hold
  asperity slip-map pushed_box            # where it sticks and slips during a run
  asperity sweep stick_slip_onset --over "speed=log(0.01, 0.3, 20)" --measure stick_slip_period
  asperity export lugre --lang c --out lugre.c  # a model as source code
  asperity experiments                    # published figures that can be run
  asperity reproduce xiong_2013/fig_3_4 --out report  # one of them, run again and judged
With a file of your own:
  asperity fit lugre --data rig.csv --x position_m --f "-friction_N"  # parameters from a measurement
  asperity new model my_law               # files of a model of your own; asperity check my_law.so
  asperity --plugin my_law.so show my_law # with the models of a plug-in

`asperity help run` or `asperity run --help` explains a command.

Exit codes:
  0    success
  1    numerical failure, or a claim that fails
  2    bad input: nothing was written
  3    reproduce --compare found changes
  130  interrupted: results so far are kept
  141  standard output was closed by its reader)text");

  std::vector<std::string> plugins;
  add_repeated(app, "--plugin FILE", plugins,
               "Load the models of this shared object, built from the files of `asperity new "
               "model`; give it before the command; may be repeated. The variable ASPERITY_PLUGINS "
               "can name further ones, separated by colons");
  action chosen;
  add_commands(app, chosen);
  add_everywhere(app);
  app.require_subcommand(0, 1);

  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text;
      app.exit(problem, text, text);
      print_help(text.str());
      return success;
    }
    const auto words = words_of(count, arguments);
    const CLI::App* command = command_of(app, words);
    std::string what =
        has_late_plugin(app, count, arguments)
            ? "--plugin must be given before the command, as in: asperity --plugin my_law.so models"
            : misspelt(app, words);
    if (what.empty()) what = told(app, problem.what());
    complain(fmt::format("{} (asperity {}--help shows how)", what,
                         command == nullptr ? "" : command->get_name() + ' '));
    return bad_input;
  }
  if (has_empty_output(app)) {
    complain("--out is empty: name the file or folder to write, or leave out --out");
    return bad_input;
  }
  if (!chosen) {
    print_help(app.help());
    return count > 1 ? bad_input : success;
  }
  for (const CLI::App* command : app.get_subcommands()) heed_everywhere(*command);
  load_plugins(plugins);
  const int code = chosen();
  if (code == success && interrupted()) {
    complain("interrupted near the end: all results were written, but a plot may be missing");
    return was_interrupted;
  }
  return code;
}

// ---- out of memory ------------------------------------------------------------------------------

constexpr const char* out_of_memory =
    "out of memory before the end: record fewer rows (a longer run.sample), use fewer threads, or "
    "give the program more memory";
std::atomic<bool> memory_ran_out{false};
// Given back when memory runs out, so that there is some to tidy up with.
std::atomic<void*> reserve{nullptr};

[[noreturn]] void note_lack_of_memory() {
  memory_ran_out = true;
  std::free(reserve.exchange(nullptr));
  throw std::bad_alloc();
}

// Destructors of other libraries need memory, and cannot say that there is none.
[[noreturn]] void end_for_lack_of_memory() {
  asperity::remove_unfinished();
  if (!memory_ran_out) std::abort();
  complain_without_memory(out_of_memory);
  _exit(numerical_failure);
}

// What is thrown while an exception is told, for want of memory, goes on to main.
int run_guarded(int count, char** arguments) {
  try {
    return run_command(count, arguments);
  } catch (const closed_output&) {
    return output_was_closed;  // quietly: who reads has what he wanted
  } catch (const asperity::interruption&) {
    complain("interrupted before the end");
    return was_interrupted;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const asperity::error& problem) {
    complain(problem.what());
    return bad_input;
  } catch (const std::exception& problem) {
    complain(told_plainly(problem));
    return bad_input;
  }
}

}  // namespace

int main(int count, char** arguments) {
  keep_streams_open();
  listen_for_interrupts();
  // A limit on file sizes and a reader who has gone are errors of writing, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  reserve = std::malloc(1 << 20);
  std::set_new_handler(note_lack_of_memory);
  std::set_terminate(end_for_lack_of_memory);
  try {
    return run_guarded(count, arguments);
  } catch (...) {
    complain_without_memory(out_of_memory);
    return numerical_failure;
  }
}
