// SPDX-License-Identifier: Apache-2.0
#pragma once

// Measured data: columns of a CSV or HDF5 file as channels of a model or a system, in SI. What is in
// a file is said by expressions such as "-friction_N" or "normal_N/12.5" (docs/measured-data.md);
// nothing is guessed without a note that says so.

#include <asperity/units.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace asperity {

struct record {
  struct channel {
    std::string name;
    std::vector<double> values;  // in SI, one for each time
  };
  // Rows first to last - 1, between which nothing is missing.
  struct piece {
    std::size_t first, last;
    friend bool operator==(piece, piece) = default;
  };

  std::string name;       // of the file
  std::vector<double> t;  // [s], rising
  std::vector<channel> channels;
  std::vector<piece> pieces;       // together all rows, in order; more than one where there are gaps
  std::vector<std::string> notes;  // what was read, converted, removed and found, in sentences

  const std::vector<double>* find(std::string_view channel) const;  // null where there is none
  // The rows of a piece as a record of their own.
  record part(piece) const;
};

// What is wanted of a file.
struct record_columns {
  struct column {
    std::string channel;     // "x", "v", "load", "f" and what else a port or a system names
    std::string expression;  // empty: the column of the channel's own name, where the file has one
    std::optional<unit> in = {};  // of the channel; none: whatever the column is in
    bool is_required = false;     // also where there is no expression
  };
  // A channel that is the slope of another where the file does not have it.
  struct slope {
    std::string rate, place;
  };

  std::vector<column> columns;
  std::string time;  // expression of the times; empty: a column t or time
  double step = 0;   // [s] between rows of a file without times; 0: it has times
  double from, to;   // [s] rows before and after are left out
  // Steps above this multiple of their median are gaps, and so are cells without a number.
  double gap = 10;
  bool bridge_gaps = false;  // join over them by straight lines instead
  // Drift of zero: "f", "x=line", "f=start", ... what is removed from a channel.
  std::vector<std::string> detrend;
  std::vector<slope> slopes;
  double bandwidth = 0;  // [Hz] of the differentiator, -3 dB; 0: chosen from the sampling

  record_columns();
};

// Throws asperity::error with file, line, column and value. A file that ends in .h5, .hdf5 or .hdf,
// or starts as HDF5 does, is read as such: "run.h5", or "run.h5:/group" for the datasets of a group.
record read_record(const std::string& path, const record_columns&);

}  // namespace asperity
