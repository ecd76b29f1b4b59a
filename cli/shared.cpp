// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "commands.hpp"

namespace asperity::cli {

namespace {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void warn(const std::string& message) { fmt::print(stderr, "asperity: warning: {}\n", message); }

void complain(const std::string& message) { fmt::print(stderr, "asperity: error: {}\n", message); }

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw error(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

CLI::Option* add_settings(CLI::App& command, std::vector<std::string>& settings,
                          const std::string& description) {
  return command.add_option("--set", settings, description)
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)  // what follows a value is not another value
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::string lined_up(const std::vector<std::vector<std::string>>& rows, const std::string& indent) {
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

progress_bar::progress_bar(bool wanted)
    : wanted_(wanted && isatty(STDERR_FILENO) != 0), started_(now()), last_(started_) {}

progress_bar::~progress_bar() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
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
  fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {:3.0f} %  {:.0f} s left", "", full, "",
             width - full, 100 * fraction, left);
  std::fflush(stderr);
}

}  // namespace asperity::cli
