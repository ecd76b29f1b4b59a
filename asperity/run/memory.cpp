// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/portable.hpp>
#include <asperity/run/memory.hpp>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace asperity {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// The first number of a file that has just one; a word such as "max" is no limit.
double number_in(const std::string& file) {
  std::ifstream stream(file);
  double value = 0;
  return stream >> value ? value : unlimited;
}

// In bytes, from a line such as "MemAvailable:   123 kB".
double line_of(const char* file, const std::string& name) {
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line)) {
    if (line.rfind(name + ":", 0) != 0) continue;
    std::istringstream words(line.substr(name.size() + 1));
    double value = 0;
    if (words >> value) return 1024 * value;
  }
  return unlimited;
}

double free_in_machine() {
  const double available = line_of("/proc/meminfo", "MemAvailable");
  if (available < unlimited) return available;
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<double>(pages) * static_cast<double>(size) : unlimited;
}

// Control groups, version 2 and 1, as a container sees its own.
double free_in_group() {
  const std::string two = "/sys/fs/cgroup/memory.", one = "/sys/fs/cgroup/memory/memory.";
  const auto left = [](double limit, double used) {
    return limit < unlimited ? std::max(0.0, limit - (used < unlimited ? used : 0)) : unlimited;
  };
  return std::min(left(number_in(two + "max"), number_in(two + "current")),
                  left(number_in(one + "limit_in_bytes"), number_in(one + "usage_in_bytes")));
}

double free_in_process() {
  double least = unlimited;
  for (const auto& [which, used] : {std::pair{RLIMIT_AS, "VmSize"}, {RLIMIT_DATA, "VmData"}}) {
    rlimit limit{};
    if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
    const double taken = line_of("/proc/self/status", used);
    least = std::min(least, std::max(0.0, static_cast<double>(limit.rlim_cur) -
                                              (taken < unlimited ? taken : 0)));
  }
  return least;
}

}  // namespace

double free_memory() {
  static const double found =
      0.8 * std::min({free_in_machine(), free_in_group(), free_in_process()});
  return found;
}

double parse_bytes(std::string_view text) {
  struct unit_of_memory {
    const char* name;
    double size;
  };
  constexpr unit_of_memory units[] = {
      {"", 1},      {"B", 1},        {"kB", 1e3},     {"KB", 1e3},     {"MB", 1e6},    {"GB", 1e9},
      {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, code] = detail::from_chars(text.data(), end, value);
  std::string_view name(rest, static_cast<std::size_t>(end - rest));
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  for (const auto& each : units)
    if (code == std::errc{} && name == each.name && value > 0 && std::isfinite(value * each.size))
      return value * each.size;
  throw error(
      fmt::format("'{}' is not an amount of memory: it must be a number above 0 with a unit, such "
                  "as \"2 GB\" (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), or a number of bytes",
                  text));
}

}  // namespace asperity
