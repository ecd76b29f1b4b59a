// SPDX-License-Identifier: Apache-2.0
// faults list HEADER               a line per fault: number, kind, line number, fault, text of the line
// faults make HEADER NUMBER ...    the header with these faults, one of which SEEDED_FAULT chooses
#include "tests/seeded_faults/faults.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>

int main(int count, char** arguments) {
  const std::string_view wanted = count > 2 ? arguments[1] : "";
  std::ifstream file(count > 2 ? arguments[2] : "");
  if (!file || (wanted != "make" && (wanted != "list" || count > 3))) {
    std::fputs("usage: faults list HEADER | faults make HEADER NUMBER ...\n", stderr);
    return 2;
  }
  const std::string header{std::istreambuf_iterator<char>(file), {}};
  const auto faults = asperity::seeded::faults_of(header);
  if (wanted == "list") {
    for (std::size_t i = 0; i < faults.size(); ++i)
      std::printf("%zu\t%s\t%zu\t%s\t%s\n", i + 1, faults[i].kind.c_str(), faults[i].line_number,
                  faults[i].what.c_str(), faults[i].line.c_str());
    return 0;
  }
  std::vector<std::size_t> numbers;
  for (int i = 3; i < count; ++i) {
    numbers.push_back(std::strtoul(arguments[i], nullptr, 10));
    if (numbers.back() < 1 || numbers.back() > faults.size()) {
      std::fprintf(stderr, "faults: %s has %zu faults, and none with the number %s\n", arguments[2],
                   faults.size(), arguments[i]);
      return 2;
    }
  }
  std::fputs(asperity::seeded::with_faults(header, faults, numbers).c_str(), stdout);
  return 0;
}
