// SPDX-License-Identifier: Apache-2.0
#pragma once

// The results of a sweep in one SQLite file. A chunk is written in one transaction: a process that
// is killed leaves a valid file, without the chunks that it had in hand. Several processes may work
// on one file. Each claims the chunks that it computes; a claim only avoids doing work twice, since
// whoever computes a chunk writes the same rows.
//
// SQLite keeps a rollback journal, not a write-ahead log: the table is one file wherever it is
// carried, and transactions are few and large.

#include <asperity/sweep/evaluate.hpp>
#include <memory>

namespace asperity {

class sweep_store {
 public:
  // Makes the file, or opens one that holds this very sweep. Throws asperity::error with the
  // difference where it holds another. Takes over the size of chunks that the file has.
  sweep_store(const std::string& file, sweep_plan& plan);
  ~sweep_store();
  sweep_store(const sweep_store&) = delete;
  sweep_store& operator=(const sweep_store&) = delete;

  // A chunk that nobody has, for this process to compute; nothing where there is none left. Chunks
  // claimed by a process that is gone are free again.
  std::optional<long long> claim(int threads);
  // Writes chunks in one transaction, complete or not at all.
  struct finished_chunk {
    long long chunk;
    std::vector<point_result> results;
  };
  void finish(const std::vector<finished_chunk>& chunks);
  // Gives back what was claimed and not finished.
  void release();

  long long finished_points();
  bool complete() { return finished_points() == points_; }

 private:
  class impl;
  std::unique_ptr<impl> impl_;
  long long points_;
};

// ---- reading ------------------------------------------------------------------------------------

// The table of a file, complete or as far as it goes, in the order of the points.
struct sweep_table {
  struct list_value {
    std::size_t row, measure;
    double value;
  };
  std::string title, version;
  std::string scenario;  // resolved, as TOML
  continuation along = continuation::none;
  std::uint64_t seed = 0;
  long long points = 0, samples = 1;
  std::vector<sweep_axis> axes, draws;          // of draws only name, unit and text
  std::vector<sweep_measure> measures;          // `what` is not filled in
  std::vector<long long> point;                 // of each row
  std::vector<std::string> branch;              // "up", "down"; empty without continuation
  std::vector<std::vector<double>> parameters;  // axes, then draws; one column each
  std::vector<std::vector<double>> values;      // one column for each measure
  std::vector<std::string> outcome, detail;
  std::vector<list_value> lists;

  bool complete() const { return static_cast<long long>(point.size()) == points; }
};

bool is_sweep_file(const std::string& file);
sweep_table read_sweep(const std::string& file);

}  // namespace asperity
