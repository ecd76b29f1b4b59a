// SPDX-License-Identifier: Apache-2.0
// The JSON of an earlier report, compared with results: `asperity reproduce --compare FILE`.

#include <asperity/publish/report.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

std::vector<experiment_result> some_results() {
  experiment_result result;
  result.what.id = "a/b";
  for (const auto how : {execution::source, execution::converged}) {
    judgement each;
    each.experiment = "a/b";
    each.about.text = "it slides";
    each.about.at_most = 2;
    each.measured = "maximum of x";
    each.wanted = "at most 2 m";
    each.how = how;
    each.ours = {1.5};
    each.in = units::metre;
    each.answer = verdict::met;
    result.judgements.push_back(each);
  }
  return {result};
}

}  // namespace

void try_input(std::string_view input) {
  static const auto results = some_results();
  const std::string file = scratch_file("report.json", input);
  const auto changes = compare_with(file, {"a/b"}, results);
  require(!to_string(changes, file).empty(), "changes have words");
}

}  // namespace asperity::fuzz
