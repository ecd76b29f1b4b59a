// SPDX-License-Identifier: Apache-2.0
#pragma once

// The page of a model or a system, for the report and for the documentation.

#include <asperity/publish/markdown.hpp>
#include <asperity/publish/model_code.hpp>
#include <asperity/publish/model_pages.hpp>
#include <asperity/publish/model_study.hpp>
#include <set>

namespace asperity {

// Plots and code of a page, made once.
struct model_extras {
  std::string plots;      // figures, as HTML
  std::string thumbnail;  // of the first plot
  std::string code;       // as HTML
  std::optional<model_properties> properties;
  std::set<std::string> problems;  // such as a missing gnuplot
};

// Runs the model and draws what it does. Throws asperity::interruption.
model_extras extras_of(const model_page&, const std::atomic<bool>* interrupt = nullptr);

// Title, plots, the sections of its file, parameters, code. `more` stands at its end.
std::string model_body(const model_page&, const model_links&, const model_extras*,
                       const std::string& more);

// A block of code with its name.
std::string code_html(const code_block&);

}  // namespace asperity
