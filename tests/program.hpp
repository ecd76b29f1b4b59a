// SPDX-License-Identifier: Apache-2.0
#pragma once

// A test that starts the program in a folder of its own.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <ostream>
#include <utility>
#include <vector>

#include "tests/folder.hpp"

namespace asperity::testing {

// The program that was built beside the test; ASPERITY_PROGRAM names another, such as a sanitized one.
inline const std::string program = [] {
  const char* other = std::getenv("ASPERITY_PROGRAM");
  return std::string(other != nullptr ? other : ASPERITY_BINARY_DIR "/cli/asperity");
}();
inline const std::string examples = ASPERITY_SOURCE_DIR "/examples";

// Whether a text has the line of output that a page shows, which begins so; with ... for anything.
inline bool prints(const std::string& text, const std::string& page, const std::string& begin) {
  std::ifstream stream(std::string(ASPERITY_SOURCE_DIR "/") + page);
  for (std::string line; std::getline(stream, line);) {
    const auto first = line.find_first_not_of(' ');
    if (first == std::string::npos || line.compare(first, begin.size(), begin) != 0) continue;
    std::size_t at = 0;
    for (line.erase(0, first); at != std::string::npos;) {
      const auto end = line.find("...");
      const std::string part = line.substr(0, end);
      at = text.find(part, at);
      if (end == std::string::npos || at == std::string::npos) break;
      at += part.size();
      line.erase(0, end + 3);
    }
    return at != std::string::npos;
  }
  return false;  // the page shows no such line
}

// The words of a command that starts the program: from the line that one types after its name, or
// from the words after it.
struct command {
  std::vector<std::string> words;

  command(const std::string& line) : words{"/bin/sh", "-c", "exec '" + program + "' " + line} {}
  command(const char* line) : command(std::string(line)) {}
  command(const std::vector<std::string>& arguments) : words{program} {
    words.insert(words.end(), arguments.begin(), arguments.end());
  }
  command(std::initializer_list<std::string> arguments)
      : command(std::vector<std::string>(arguments)) {}
};

// Compares with the exit code that is expected; where there is another, all that was said is shown.
struct answer {
  int code;  // of exit; negative: the signal that ended it
  std::string out, err;

  std::string text() const { return out + err; }
  bool operator==(int expected) const { return code == expected; }
  friend void PrintTo(const answer& a, std::ostream* stream) {
    *stream << "exit code " << a.code << " and\n" << a.text();
  }
};

struct surroundings {
  std::string out = "out", err = "err";  // files in the folder
  long largest_file = 0;                 // [bytes]; 0: no limit
  std::vector<std::pair<std::string, std::string>> environment = {};
};

class program_test : public in_folder {
 protected:
  // Starts any program in the folder.
  pid_t launch(std::vector<std::string> words, const surroundings& around = {}) const {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (auto& each : words) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    const auto open_as = [&](const std::string& file, int as) {
      dup2(open(path(file).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), as);
    };
    open_as(around.out, STDOUT_FILENO);
    open_as(around.err, STDERR_FILENO);
    for (const auto& [name, value] : around.environment) setenv(name.c_str(), value.c_str(), 1);
    if (around.largest_file > 0) {
      const rlimit limit{static_cast<rlim_t>(around.largest_file),
                         static_cast<rlim_t>(around.largest_file)};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (chdir(folder.c_str()) != 0) _exit(99);
    execvp(pointers[0], pointers.data());
    _exit(98);
  }
  pid_t start(const command& line, const surroundings& around = {}) const {
    return launch(line.words, around);
  }

  static int finish(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  // What the program says also stays in the folder, in the files `out` and `err`.
  answer run(const command& line, const surroundings& around = {}) const {
    const int code = finish(start(line, around));
    return {code, content(around.out), content(around.err)};
  }

  // The program must refuse, saying nothing but one line that holds all of the words.
  void refuses(const command& line, const std::vector<std::string>& words, int code = 2) const {
    const answer told = run(line);
    EXPECT_EQ(told, code);
    EXPECT_EQ(told.out, "");
    EXPECT_EQ(told.err.rfind("asperity: error: ", 0), 0U) << told.err;
    EXPECT_EQ(std::count(told.err.begin(), told.err.end(), '\n'), 1) << told.err;
    for (const auto& each : words)
      EXPECT_NE(told.err.find(each), std::string::npos) << each << "\n" << told.err;
  }
};

}  // namespace asperity::testing
