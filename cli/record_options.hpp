// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options that say what is in a file of measured data, the same for every command that takes
// one: --t, --x, --f and others for columns, and what is done about gaps, drift and velocity.

#include <asperity/catalogue/any_model.hpp>
#include <asperity/port.hpp>
#include <asperity/text/record.hpp>
#include <list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"

namespace asperity::cli {

struct record_options {
  std::string time, step, rate, from, to, gap, bandwidth;
  long skip = 0;
  bool bridge_gaps = false;
  // A list, whose strings stay where they are: --x EXPRESSION is {"x", EXPRESSION}.
  std::list<std::pair<std::string, std::string>> named;
  std::vector<std::string> others;  // --column NAME=EXPRESSION
  std::vector<std::string> detrend;

  bool any() const;                           // whether one of them was given
  bool gives(const std::string& name) const;  // whether a column was given for this channel
};

// An option --NAME for each of `channels`; where v is among them also --column NAME=EXPRESSION for
// other ones, and --bandwidth. `given` outlives the command.
void add_record_options(CLI::App& command, record_options& given,
                        const std::vector<std::string>& channels = {"x", "v", "load", "f"});

// One thing that may be read from a file, and what it is measured in.
struct record_channel {
  std::string name;
  std::optional<unit> in = {};
  bool may_lack = false;  // it is only compared: rows without it are no gaps
};

// The columns of the inputs of a port, and of the outputs that options name; of all outputs that the
// file has where `with_outputs`: a table of another model may have a column f. Where a bandwidth is
// given, or `with_slopes`, rates that are not in the file are slopes of their places.
record_columns columns_of(const record_options& given, const port& at, bool with_slopes = false,
                          bool with_outputs = false);
record_columns columns_of(const record_options& given, const std::vector<record_channel>& channels);

// What there is to know of a record, on standard error: warnings, and where an option was given all
// notes.
void tell(const record& of, const record_options& given);

// Loads below 0 by noise are 0, unless the model takes any load. A warning tells of them.
void level_noise_of_loads(record& of, const any_model& model);
// The same for several models that are to see the same loads; and where the bristles of one have no equations
// without a load, it is the least that they need.
void level_loads(record& of, std::span<const any_model> models);

// Reads a record, whose loads are to be taken by these models, and tells of it.
record read_measured(const std::string& file, const record_options& given,
                     const record_columns& columns, std::span<const any_model> models = {});

}  // namespace asperity::cli
