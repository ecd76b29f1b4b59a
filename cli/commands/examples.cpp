// SPDX-License-Identifier: Apache-2.0
#include "cli/examples.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/text.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

std::string text_of(const example& which) {
  std::ifstream stream(which.file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.good() && !stream.eof())
    throw error(fmt::format("cannot read the example '{}'", which.file));
  return text;
}

// Into the current folder, where no file of that name may be.
int copy_here(const example& which, bool as_json) {
  const std::string name = which.file.substr(which.file.rfind('/') + 1);
  const std::string text = text_of(which);
  const auto fail = [&](int problem) {
    throw error(problem == EEXIST
                    ? fmt::format("'{}' already exists and is not replaced: move it away, or copy "
                                  "the example into another folder",
                                  name)
                    : fmt::format("cannot write '{}': {}", name, std::strerror(problem)));
  };
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail(errno);
  std::string_view rest = text;
  int problem = 0;
  while (!rest.empty() && problem == 0) {
    const ssize_t written = write(file, rest.data(), rest.size());
    if (written > 0)
      rest.remove_prefix(static_cast<std::size_t>(written));
    else if (written == 0 || errno != EINTR)
      problem = written == 0 ? EIO : errno;
  }
  if (close(file) != 0 && problem == 0) problem = errno;
  if (problem != 0) {
    unlink(name.c_str());
    fail(problem);
  }
  print(as_json ? json_text({{"example", which.name}, {"file", name}}) : name + '\n');
  return success;
}

nlohmann::ordered_json entry_of(const example& which) {
  return {{"example", which.name},
          {"what", what_it_shows(which)},
          {"is_scenario", which.is_scenario},
          {"file", which.file}};
}

int list_them(bool as_json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> scenarios{{"scenario", "what it shows"}},
      programs{{"program", "what it shows"}};
  for (const auto& each : list_examples()) {
    const std::string shows = what_it_shows(each);
    (each.is_scenario ? scenarios : programs).push_back({each.name, shows});
    list.push_back(entry_of(each));
  }
  if (as_json) {
    print(json_text(list));
    return success;
  }
  print(lined_up(scenarios) + '\n' + lined_up(programs));
  print(fmt::format(
      "\n`asperity run stick_slip` runs a scenario, `asperity examples stick_slip` prints it, and "
      "--copy writes it here.\nThe files are in {}\n",
      examples_folder()));
  return success;
}

}  // namespace

void add_examples(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("examples", "List, print or copy the examples");
  const auto name = std::make_shared<std::string>();
  const auto copies = std::make_shared<bool>(false), as_json = std::make_shared<bool>(false);
  auto* which = command->add_option("NAME", *name, "Print this example (default: list all)");
  command
      ->add_flag("--copy", *copies,
                 "Write the example into the current folder; existing files are never replaced")
      ->needs(which);
  command->add_flag("--json", *as_json,
                    "Print JSON for programs: the list, or one example with its text or copy");
  command->footer(R"(Examples:
  asperity examples
  asperity examples stick_slip
  asperity examples stick_slip --copy
  asperity run stick_slip  # commands that take a scenario find the examples by name)");
  command->callback([=, &run] {
    run = [=] {
      if (name->empty()) return list_them(*as_json);
      const example found = get_example(*name);
      if (*copies) return copy_here(found, *as_json);
      if (*as_json) {
        auto entry = entry_of(found);
        entry["text"] = text_of(found);
        print(json_text(entry));
      } else {
        print(text_of(found));
      }
      return static_cast<int>(success);
    };
  });
}

}  // namespace asperity::cli
