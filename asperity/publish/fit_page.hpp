// SPDX-License-Identifier: Apache-2.0
#pragma once

// A fit as a web page: what was found with intervals and words, the record under the model, residuals,
// and the ranking of other models.

#include <asperity/identify/report.hpp>
#include <asperity/text/pending_folder.hpp>

namespace asperity {

// Writes fit.html into the folder. `shown` is what the fitted model says, row by row of the record;
// `compared` may be null. Returns what could not be drawn.
std::vector<std::string> write_fit_page(const pending_folder&, const model_report&,
                                        const comparison* compared, const record&,
                                        const std::vector<double>& shown,
                                        const std::atomic<bool>* interrupt = nullptr);

}  // namespace asperity
