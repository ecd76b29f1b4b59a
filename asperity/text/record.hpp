// SPDX-License-Identifier: Apache-2.0
#pragma once

// Measured data: columns of a CSV or HDF5 file as channels of a model or a system, in SI. Which
// column a channel is, with its sign, factor and unit, is said by expressions such as "-friction_N",
// "normal_N/12.5" or "pos:mm" (docs/measured-data.md). What was read, converted, removed and found
// is told in notes and warnings.

#include <asperity/text/measured_table.hpp>
#include <asperity/units.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace asperity {

struct record {
  struct channel {
    std::string name;
    std::vector<double> values;   // in SI, one for each time; NaN where it may lack one
    std::optional<unit> in = {};  // where the file or the expression says it, or the caller did
    std::string from = {};        // the expression, or the column
    // Where they are means of repetitions: their noise, rms, and from how many values more than there are
    // means it is known. 0: unknown.
    double noise = 0, noise_samples = 0;
  };
  // Rows first to last - 1, between which nothing is missing.
  struct piece {
    std::size_t first, last;
    friend bool operator==(const piece&, const piece&) = default;
  };

  std::string name;       // of the file
  std::vector<double> t;  // [s], rising
  std::vector<channel> channels;
  std::vector<piece> pieces =
      {};  // together all rows, in order; more than one where there are gaps
  std::vector<std::string> notes = {};     // what was read and done, in sentences
  std::vector<std::string> warnings = {};  // what is missing
  std::vector<long> lines = {};  // of the file, one for each row; none where it has no lines
  std::vector<std::string> file_columns = {};  // all names in the file

  const channel* find_channel(std::string_view channel_name) const;      // null where there is none
  const std::vector<double>* find(std::string_view channel_name) const;  // its values
  // Throws asperity::error where a channel does not have one value for each time.
  void check_lengths() const;
  // The rows of a piece as a record of their own, without notes.
  record part(const piece&) const;
  // "rig.csv:5: column 'load' = '-1': <message>"
  [[noreturn]] void fail(std::string_view channel_name, std::size_t row,
                         const std::string& message) const;
};

// What is wanted of a file.
struct record_columns {
  struct column {
    std::string channel;          // "x", "v", "load", "f" and what else a port or a system names
    std::string expression = {};  // empty: the column of the channel's own name, if there is one
    std::optional<unit> in = {};  // of the channel; none: whatever the column is in
    bool is_required = false;     // also where there is no expression
    bool may_lack = false;        // rows without a number of it stay, and make no gap
  };
  // A channel that is the slope of another where the file does not have it.
  struct slope {
    std::string rate, place;
  };

  std::vector<column> columns = {};
  std::string time = {};   // expression of the times; empty: a column t or time
  double step = 0;         // [s] between rows of a file without times; 0: it has times
  bool needs_time = true;  // otherwise rows are counted, unless times are asked for
  long skip = 0;           // lines of the file before the names of its columns
  double from = -std::numeric_limits<double>::infinity();  // [s] rows before it are left out
  double to = std::numeric_limits<double>::infinity();     // [s] and those after it
  // Steps above this multiple of the median step are gaps; 0: 10 where steps are mostly alike, and
  // none are where they are not. Rows that lack a number are gaps in any case.
  double gap = 0;
  bool bridge_gaps = false;  // leave what is missing out and go on, as if it had not been there
  // Drift of zero: what is taken off a channel. "f" and "f=mean" its mean, "f=start" its first
  // value, "f=start 0.5 s" the mean of its first half second, "f=line" the straight line that fits
  // best, "f=0.3 N" so much.
  std::vector<std::string> detrend = {};
  std::vector<slope> slopes = {};
  double bandwidth = 0;  // [Hz] of slopes, at -3 dB; 0: a twentieth of the sampling rate
};

// A quantity that cannot be below 0, such as a load, is measured about 0 where there is none of it: values
// below 0 by at most a hundredth of the largest are taken as 0, and a warning tells of them.
void take_noise_below_0_as_0(record&, std::string_view channel_name);

// Throws asperity::error with file, line, column and value. HDF5 is known by its first bytes:
// "run.h5", or "run.h5:/group" for the datasets of a group.
record read_record(const std::string& path, const record_columns&);
// The same of a table that was read already.
record read_record(const measured_table&, const record_columns&);

}  // namespace asperity
