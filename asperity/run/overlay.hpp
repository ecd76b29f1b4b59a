// SPDX-License-Identifier: Apache-2.0
#pragma once

// Measured beside simulated: in pictures, and by how much they differ.

#include <asperity/draw/figure.hpp>
#include <asperity/run/simulate.hpp>
#include <asperity/text/record.hpp>
#include <optional>

namespace asperity {

// A channel of a record over another (or over t), with a gap where the record has one; nothing
// where it lacks one of them.
std::optional<figure_series> measured_series(const record&, const std::string& x,
                                             const std::string& y);

// Puts them beneath the lines of the same names that a panel has.
void add_measured(figure_panel&, const record&, const std::string& x,
                  const std::vector<std::string>& y);

// What evaluate() gave along a record: outputs over time, and over the place on which they work.
figure figure_of(const any_model&, const run_data&, const record& measured);

// A column of a run and the channel of the same name of a record, at the times of the record that
// the run reached; between its rows the run is joined by lines.
struct difference {
  std::string name;
  unit in;
  std::size_t rows = 0;
  double rms = 0, largest = 0;
  double spread = 0;  // of what was measured: its standard deviation
};
std::vector<difference> differences(const run_data&, const record& measured,
                                    const std::vector<std::string>& names);
// "f: measured and simulated differ by 0.2 N rms ..."
std::string to_string(const difference&);

// Times and channels, in SI.
std::string record_csv(const record&);

}  // namespace asperity
