// SPDX-License-Identifier: Apache-2.0
#pragma once

// A fit as a web page: what was found with intervals and words, records beside what the result says,
// residuals, and the ranking of what it was compared with.

#include <asperity/draw/figure.hpp>
#include <asperity/identify/report.hpp>
#include <asperity/identify/scenario_report.hpp>
#include <asperity/text/pending_folder.hpp>

namespace asperity {

// What is on such a page, in plain text.
struct fit_page {
  std::string title;         // "lugre fitted to rig.csv"
  std::string summary;       // sentences
  std::string verdict = {};  // of a comparison
  const fit_report* report = nullptr;
  std::vector<figure_panel> panels = {};  // records and results
  // Heads first; a column of the name in `names` is not of numbers.
  struct table {
    std::string title;
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> names;
  };
  std::vector<table> tables = {};
};

// Writes fit.html into the folder. Returns what could not be drawn.
std::vector<std::string> write_fit_page(const pending_folder&, const fit_page&,
                                        const std::atomic<bool>* interrupt = nullptr);
// Of a model. `shown` is what the fitted model says, row by row of the record; `compared` may be null.
fit_page page_of_fit(const model_report&, const comparison* compared, const record&,
                     const std::vector<double>& shown);
// Of a system; `compared` may be null.
fit_page page_of_fit(const scenario_report&, const scenario_comparison* compared);

}  // namespace asperity
