// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plots as pages show them: which lines, in which colours, with which legend.

#include <asperity/draw/figure.hpp>
#include <asperity/publish/experiment.hpp>

namespace asperity {

// The published figure: each panel with the lines of its runs, the converged ones where there are.
// `which` is told the place of each among those of the experiment, some of which have no lines.
std::vector<figure_panel> panels_of(const experiment_result&,
                                    std::vector<std::size_t>* which = nullptr);
// Numbers that the source prints of what a panel shows, in its words, and ours beside them; as HTML.
std::string printed_numbers(const experiment_result&, const experiment_panel&);

// A line has the same colour in all panels, and another one than those it shares a panel with. One
// that lies on an earlier line, over most of its length, is dashed.
void choose_looks(std::vector<figure_panel>&);

// Title, picture (or why there is none), legend and a sentence below it.
std::string figure_html(const figure_panel&, const inline_picture&, const std::string& below = "");

}  // namespace asperity
