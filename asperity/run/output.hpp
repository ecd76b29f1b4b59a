// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run leaves behind: a folder with series.csv or series.h5, summary.json, resolved.toml and
// a plot. Nothing in it depends on the clock or the machine: the same scenario gives the same
// bytes.

#include <asperity/draw/figure.hpp>
#include <asperity/run/simulate.hpp>
#include <asperity/text/record.hpp>

namespace asperity {

enum class series_format { csv, h5 };

struct output_options {
  std::string folder;
  series_format series = series_format::csv;
  plot_format plot = plot_format::svg;
  const std::atomic<bool>* interrupt = nullptr;  // leaves the plot out
  const record* measured = nullptr;              // shown beside the run, and kept as measured.csv
  bool replaces = true;  // results that came there meanwhile; otherwise it takes the next free name
};

// Throws asperity::error if this cannot be written at all; to be asked before a long run.
void check_output(const output_options&);

struct written_run {
  std::string folder;
  std::vector<std::string> warnings;  // such as a missing gnuplot
};
// Writes the folder, complete or not at all.
written_run write_run(const scenario&, const run_data&, const output_options&);

// The parts, for those who want them elsewhere.
std::string series_csv(const run_data&);
std::string series_hdf5(const run_data&);  // throws asperity::error where has_hdf5() is false
std::string audit_csv(const run_data&);    // where there is an audit
std::string summary_json(const scenario&, const run_data&);
figure figure_of(const scenario&, const run_data&, const record* measured = nullptr);

bool has_hdf5();

const char* version();

}  // namespace asperity
