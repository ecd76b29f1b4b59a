// SPDX-License-Identifier: Apache-2.0
#pragma once

// The table of a sweep for people and other programs.

#include <asperity/draw/figure.hpp>
#include <asperity/sweep/store.hpp>

namespace asperity {

// Attractors that runs reach, told apart by the period and the extremes of a column. Runs at rest
// belong together where their places have no gap: friction holds a body anywhere in a band.
struct attractors {
  struct kind {
    enum { rest, periodic, irregular } what;
    double lowest, highest;  // of the column
    double period;           // NaN unless periodic
    long long points;
  };
  std::size_t measure;      // "attractor(x)", followed by its minimum and maximum
  std::vector<kind> found;  // in the order of their first points
  std::vector<int> of_row;  // from 1; 0 where the run failed
};
std::vector<attractors> find_attractors(const sweep_table& table);

// One line of names, then one per point: point, branch (with continuation), parameters, measures,
// number of the attractor, outcome. Nothing stands where there was nothing to measure.
std::string sweep_csv(const sweep_table& table, const std::atomic<bool>* interrupt = nullptr);
// Extrema and such, one line per value; empty where there are none.
std::string sweep_lists_csv(const sweep_table& table);
// The same as columns, for HDF5.
run_data sweep_columns(const sweep_table& table);

// By the ending: .csv (and NAME.lists.csv where there are lists) or .h5. Throws asperity::error, and
// asperity::interruption where nothing was written.
void check_export(const std::string& file);
void export_sweep(const sweep_table& table, const std::string& file,
                  const std::atomic<bool>* interrupt = nullptr);

// Heat maps of two parameters, lines and diagrams of one, histograms of samples; no panel where
// there is nothing of these.
figure figure_of(const sweep_table& table);
// Returns what went wrong, or nothing.
std::string draw_sweep(const sweep_table& table, plot_format format, const std::string& file,
                       const std::atomic<bool>* interrupt = nullptr);
// SVG up to so many shapes, PNG beyond.
plot_format fitting_format(const sweep_table& table);

}  // namespace asperity
