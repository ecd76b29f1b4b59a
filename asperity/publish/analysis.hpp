// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an experiment can judge besides runs: [[analysis]] kind = "..." in an experiment file, which
// gives a table like that of a run. A new kind is a file in publish/analyses/ and nothing else.

#include <asperity/run/simulate.hpp>
#include <asperity/text/reader.hpp>

namespace asperity {

// As the source did it, or as exactly as we can.
enum class execution { source, converged };
const char* to_string(execution);

class analysis {
 public:
  analysis() = default;
  analysis(const analysis&) = delete;
  analysis& operator=(const analysis&) = delete;
  virtual ~analysis() = default;

  virtual bool has(execution) const = 0;
  virtual std::string method(execution) const { return "closed form"; }
  // The first column, along which measures look.
  virtual column_header axis() const = 0;
  virtual run_data tabulate(execution, const std::atomic<bool>* interrupt) const = 0;
};

struct analysis_row {
  const char* name;
  const char* what;  // one line for people
  std::unique_ptr<analysis> (*read)(reader& table);
};
std::span<const analysis_row* const> analyses();  // by file

}  // namespace asperity
