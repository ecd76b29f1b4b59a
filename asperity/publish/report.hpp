// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `asperity reproduce` tells: a table, a JSON file and what changed since an earlier run. Its
// report is asperity/publish/site.hpp. Nothing depends on the clock or the number of threads.

#include <asperity/draw/figure.hpp>
#include <asperity/publish/experiment.hpp>

namespace asperity {

struct perform_options {
  unsigned threads = 1;
  simulate_options limits = {};  // of each run
  bool audits = false;           // energy balances, as the report shows them
  // Called for each experiment in the thread that performed it, several at once; it may take the
  // data of the runs away, which are most of the memory. Where it throws asperity::interruption,
  // the experiment is not finished.
  std::function<void(experiment_result&)> digest = nullptr;
  // Called after each, from one thread at a time.
  std::function<void(std::size_t finished)> done = nullptr;
};

// Performs experiments; results come in the order asked for, without those that an interruption
// kept from finishing.
std::vector<experiment_result> perform_all(const std::string& folder,
                                           const std::vector<std::string>& ids,
                                           const perform_options& = {});

// "0.00579945 m", or "1, 0.77, 0.59 m": our number or numbers.
std::string ours_text(const judgement&);

// Columns: id, claim, what the source's words amount to, ours, verdict; one line for each
// execution.
std::string table_text(const std::vector<experiment_result>&);
std::string report_json(const std::vector<experiment_result>&);

// Most claims are judged twice, on the source's own step and converged: a verdict each.
struct verdict_counts {
  long experiments = 0, figures = 0, claims = 0;
  long met = 0, failed = 0, explained = 0, skipped = 0;
  long verdicts() const { return met + failed + explained + skipped; }
};
enum class whose { published, own, all };
verdict_counts count(const std::vector<experiment_result>&, whose = whose::all);
// "70 published experiments with 127 figures and tables, 550 claims, 960 verdicts: 921 met, ...",
// and a line for our own.
std::string summary_text(const std::vector<experiment_result>&);

// What changed from an earlier report.json to the results. Values count as changed when their sixth
// digit does, beside the bounds they are judged by. Of experiments that this run left out
// (`ids`), nothing is said.
struct report_changes {
  std::vector<std::string> lost, found;  // experiments
  std::vector<std::string> claims;       // "id: claim (converged): met -> NOT MET", and lost, new
  std::vector<std::string> values;       // "id: claim (converged): 1.2 m -> 1.3 m"
  bool empty() const { return lost.empty() && found.empty() && claims.empty() && values.empty(); }
};
// Throws asperity::error where `file` is no such report.
report_changes compare_with(const std::string& file, const std::vector<std::string>& ids,
                            const std::vector<experiment_result>&);
std::string to_string(const report_changes&, const std::string& file);

}  // namespace asperity
