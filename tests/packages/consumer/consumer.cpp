// SPDX-License-Identifier: Apache-2.0
// As examples/scenario.cpp: a scenario file, read and run.

#include <asperity/asperity.hpp>
#include <cstdio>

int main(int count, char** arguments) {
  if (count < 2) {
    std::puts("usage: scenario FILE.toml");
    return 2;
  }
  try {
    const asperity::scenario s = asperity::read_scenario(arguments[1]);
    const asperity::run_data run = asperity::simulate(s);
    std::printf("%s after %ld steps\n", to_string(run.result.how), run.result.steps);
    std::printf("greatest force: %g N\n", evaluate(asperity::parse_measure("maximum(f)"), run));
    return is_failure(run.result.how) ? 1 : 0;
  } catch (const asperity::error& problem) {  // names file, line, key, value and what is allowed
    std::puts(problem.what());
    return 2;
  }
}
