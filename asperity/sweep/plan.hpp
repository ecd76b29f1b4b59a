// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a sweep computes: one scenario, the parameters that change from point to point, and what is
// measured at each. Points are counted from 0; everything about a point follows from its number, so
// that it is the same whoever computes it, and when.

#include <asperity/run/measure.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/sweep/distribution.hpp>
#include <cstdint>
#include <span>

namespace asperity {

// A parameter on a grid: "friction.F_s=lin(1, 2, 100)". The last axis runs fastest.
struct sweep_axis {
  std::string name;  // full: "system.mass"
  unit in;
  std::string text;            // as given
  std::vector<double> values;  // in SI
  bool is_log = false;
};

// A parameter drawn at random: "system.mass=normal(1, 0.1)".
struct sweep_draw {
  std::string name;
  unit in;
  std::string text;
  distribution from;
};

struct sweep_measure {
  std::string name;  // of the column: as given, without blanks
  measure what;
  unit in;
  // Extrema per period: as many values as there are, for bifurcation diagrams.
  bool is_list = false;
};

// Where each run of the last axis starts from the end of the one before.
enum class continuation { none, up, down, both };
const char* to_string(continuation);

struct sweep_request {
  std::string file;
  std::vector<std::string> settings, axes, draws;  // KEY=...
  std::vector<std::string> measures;
  long long samples = 0;
  std::uint64_t seed = 1;
  continuation along = continuation::none;
  bool in_float = false;  // on a device
  long long chunk = 0;    // points of a chunk; 0 chooses
};

class quick_points;  // packs.hpp

class sweep_plan {
 public:
  // Reads and checks everything. Throws asperity::error.
  explicit sweep_plan(const sweep_request&);

  const scenario& base() const { return base_; }
  const std::vector<sweep_axis>& axes() const { return axes_; }
  const std::vector<sweep_draw>& draws() const { return draws_; }
  const std::vector<sweep_measure>& measures() const { return measures_; }
  continuation along() const { return along_; }
  bool in_float() const { return in_float_; }
  long long samples() const { return samples_; }
  std::uint64_t seed() const { return seed_; }
  const std::string& document_text() const { return document_text_; }
  // The same for the same sweep: ranks compare it.
  std::uint64_t fingerprint() const;

  long long points() const { return points_; }
  long long chunk_size() const { return chunk_size_; }
  long long chunks() const { return (points_ + chunk_size_ - 1) / chunk_size_; }
  // A chunk that another file remembers.
  void set_chunk_size(long long size) { chunk_size_ = size; }

  int branches() const { return along_ == continuation::both ? 2 : 1; }
  // Of a sweep with continuation: whether this point is reached from below.
  bool goes_up(long long point) const;
  // Whether every axis has its first or its last value, and a draw its least or its greatest.
  bool is_corner(long long point) const;
  // Values of the axes, then of the draws.
  std::vector<double> parameters(long long point) const;
  void parameters(long long point, std::span<double> to) const;
  // The scenario of a point, without what files and pictures of a run need. Throws asperity::error where its parameters do not go together.
  scenario at(long long point) const;
  // The same with other values of the parameters; messages name the point.
  scenario with(std::span<const double> values, long long point) const;
  // How to come by points without reading them; null where they must be read.
  const quick_points* quick() const { return quick_.get(); }

 private:
  toml_value document_;
  std::string name_, folder_, document_text_;
  scenario base_;
  std::vector<sweep_axis> axes_;
  std::vector<sweep_draw> draws_;
  std::vector<long long> extreme_samples_;
  std::vector<sweep_measure> measures_;
  continuation along_ = continuation::none;
  bool in_float_ = false;
  long long samples_ = 1, points_ = 1, chunk_size_ = 1;
  std::uint64_t seed_ = 1;
  std::shared_ptr<const quick_points> quick_;

  void read_parameters(const sweep_request&);
  void read_measures(const sweep_request&);
};

// Measures that a sweep knows beside those of a run: they give several columns, or lists.
struct sweep_only_measure {
  const char *word, *in, *meaning;
};
std::span<const sweep_only_measure> sweep_only_measures();

// "a(b, c), d" at the commas outside of brackets.
std::vector<std::string> split_measures(std::string_view text);

}  // namespace asperity
