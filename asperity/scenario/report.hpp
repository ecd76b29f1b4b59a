// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `asperity reproduce` tells and leaves behind: a table, a JSON file and a folder with a page
// of plots and verdicts. Nothing depends on the clock or the number of threads.

#include <asperity/scenario/experiment.hpp>
#include <asperity/scenario/plot.hpp>

namespace asperity {

// Performs experiments on `threads` threads; results come in the order asked for, without those
// that an interruption kept from finishing. `done` is called after each, from one thread at a time.
std::vector<experiment_result> perform_all(
    const std::string& folder, const std::vector<std::string>& ids, unsigned threads,
    const std::atomic<bool>* interrupt,
    const std::function<void(const experiment_result&, std::size_t finished)>& done);

// "0.00579945 m", or "1, 0.77, 0.59 m": our number or numbers.
std::string ours_text(const judgement&);

// One line for each judgement, in columns.
std::string table_text(const std::vector<experiment_result>&);
std::string report_json(const std::vector<experiment_result>&);

struct verdict_counts {
  long met = 0, failed = 0, explained = 0, skipped = 0;
};
verdict_counts count(const std::vector<experiment_result>&);

// Writes the folder complete or not at all: index.html, report.json and, for each experiment, its
// plot and the series of its runs. Returns warnings, such as a missing gnuplot.
std::vector<std::string> write_report(const std::vector<experiment_result>&,
                                      const std::string& folder);

}  // namespace asperity
