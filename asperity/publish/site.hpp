// SPDX-License-Identifier: Apache-2.0
#pragma once

// The report as a web site of plain files: an index by source and by model, a page for each
// experiment and a page for each model. Every page stands alone: no script, no network, no other
// file but the pages it links to. Nothing depends on the clock or the number of threads.

#include <asperity/publish/report.hpp>
#include <asperity/text/pending_folder.hpp>
#include <map>
#include <mutex>
#include <set>

namespace asperity {

class report_site {
 public:
  // `ids` are the experiments to come, in their order. With `series`, the series of all runs are
  // written beside the pages. `lab` is the address of the lab, as seen from the folder of the report;
  // empty: no link. Throws asperity::error where the folder must not be replaced.
  report_site(const std::string& folder, std::vector<std::string> ids, bool series = false,
              const std::atomic<bool>* interrupt = nullptr, std::string lab = "");

  // Writes the page of an experiment; from any thread. Nothing is run for it: it has the energy
  // balances of runs that were made with audits (perform_options::audits). Throws
  // asperity::interruption where the page is not written.
  void add(const experiment_result&);

  // Writes all other pages and report.json, and puts the folder in its place. `results` need no
  // data any more. Returns warnings, such as a missing gnuplot.
  std::vector<std::string> finish(const std::vector<experiment_result>& results);

 private:
  std::vector<std::string> ids_;
  bool series_;
  const std::atomic<bool>* interrupt_;
  std::string lab_;
  pending_folder folder_;
  std::mutex guard_;
  std::map<std::string, std::set<std::string>> users_;  // of each model: ids of experiments
  std::map<std::string, std::string> thumbnails_;       // of each experiment: its first plot
  std::set<std::string> warnings_;
};

// All that an experiment's scenarios name and that has a page: models, curves, systems.
std::vector<std::string> models_of(const experiment&);

}  // namespace asperity
