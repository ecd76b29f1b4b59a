// SPDX-License-Identifier: Apache-2.0
#include "cli/free_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <asperity/text.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/commands.hpp"

namespace asperity::cli {

std::string free_output(const std::string& name, bool replaces, const std::string& ending) {
  std::error_code ignored;
  std::string free = default_output(name + ending);
  // What is empty holds no results.
  for (int number = 2; !replaces && std::filesystem::exists(free, ignored) &&
                       !std::filesystem::is_empty(free, ignored);
       ++number)
    free = default_output(fmt::format("{}.{}{}", name, number, ending));
  return free;
}

void add_force(CLI::App& command, bool& replaces, const std::string& name,
               const std::string& ending) {
  command.add_flag(
      "--force", replaces,
      fmt::format("Replace earlier results (default: write {0}.2{1}, {0}.3{1} ... if {0}{1} "
                  "exists; what --out names must be new)",
                  name, ending));
}

namespace {

// What --out names is not replaced there, but added to.
bool adds_to_output(const CLI::App& command) {
  const std::string& name = command.get_name();
  return name == "sweep" || name == "new" || name == "manual";
}

const CLI::Option* output_of(const CLI::App& command) {
  return command.get_option_no_throw("--out");
}

bool is_given(const CLI::App& command, const char* name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  return option != nullptr && option->count() > 0;
}

// Results that would be lost. A device, a pipe and /dev/stdout take what comes.
bool holds_results(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status is = fs::status(name, ignored);
  if (fs::is_directory(is)) return !fs::is_empty(name, ignored);
  return fs::is_regular_file(is) && fs::file_size(name, ignored) > 0;
}

// What cannot be written is told before the work, not after it.
void check_place(const char* option, const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status is = fs::symlink_status(name, ignored);
  if (fs::exists(is) && !fs::is_regular_file(is)) return;  // a device, a folder, a link
  fs::path folder = fs::path(name).parent_path();
  if (folder.empty()) folder = ".";
  const auto refuse = [&](const std::string& why) {
    throw error(fmt::format("{}: cannot write '{}': {}", option, in_one_line(name), why));
  };
  if (!fs::exists(folder, ignored))
    refuse(fmt::format("there is no folder '{}': create it first", in_one_line(folder.string())));
  if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    refuse(std::strerror(errno));
}

}  // namespace

void add_everywhere(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    const auto add = [&](const char* name, const std::string& meaning) {
      if (command->get_option_no_throw(name) == nullptr)
        command->add_flag(name)->description(meaning);
    };
    const bool writes = output_of(*command) != nullptr;
    add("--quiet", writes ? "Print no notes and progress bars, and with --out no results"
                          : "Print no notes and progress bars");
    if (writes && command->get_name() != "new" && command->get_name() != "manual")
      add("--force",
          adds_to_output(*command)
              ? "Replace existing plots and tables (default: those to be written must be new); the "
                "file after --out is continued, never replaced"
              : "Replace existing files and folders (default: those to be written must be new)");
    // A value behind a flag is a mistake, which would otherwise pass: --force=-9.81.
    for (CLI::Option* option : command->get_options())
      if (option->get_items_expected_max() == 0) option->disable_flag_override();
  }
}

void heed_everywhere(const CLI::App& command) {
  const std::string out = is_given(command, "--out") ? output_of(command)->results().back() : "-";
  const bool writes_files = command.get_name() == "new" || is_given(command, "--copy");
  if (is_given(command, "--quiet"))
    be_quiet(writes_files ||
             (out != "-" && !adds_to_output(command) && !is_given(command, "--json")));
  if (is_given(command, "--out") && out == "-" && output_of(command)->get_type_name() == "FOLDER")
    throw error("--out -: these results are a folder and cannot be written to standard output");
  if (out == "-" && command.get_name() == "sweep" && is_given(command, "--out"))
    throw error(
        "--out -: these results are an SQLite file and cannot be written to standard output");
  for (const char* name : {"--out", "--plot", "--export", "--json"}) {
    const CLI::Option* option = command.get_option_no_throw(name);
    if (option == nullptr) continue;
    const std::string kind = option->get_type_name();
    if (kind != "FILE" && kind != "FOLDER") continue;
    const bool is_replaced = !(option == output_of(command) && adds_to_output(command));
    for (const std::string& each : option->results()) {
      if (each == "-" || each.empty()) continue;
      if (kind == "FILE") check_place(name, each);
      if (is_replaced && !is_given(command, "--force") && holds_results(each))
        throw error(fmt::format("'{}' exists: give --force to replace it, or another name after {}",
                                in_one_line(each), name));
    }
  }
}

}  // namespace asperity::cli
