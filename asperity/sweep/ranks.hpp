// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many processes, one of which, rank 0, gives out the work. What carries their messages is behind
// this interface: MPI lives in a module of its own, which is loaded only under mpirun.

#include <optional>
#include <string>

namespace asperity {

class ranks {
 public:
  struct message {
    int from;
    std::string bytes;
  };

  virtual ~ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual int rank_here() const = 0;  // among those of this machine
  // Returns when the bytes may be forgotten, which may be before they arrive.
  virtual void send(int to, const std::string& bytes) = 0;
  // A message that has arrived, if any; messages of one sender keep their order.
  virtual std::optional<message> receive() = 0;
  // Whether all ranks say yes; every rank must ask.
  virtual bool all(bool yes) = 0;
  // Ends all ranks at once: after an error others may wait for messages that will never come.
  virtual void abandon(int exit_code) = 0;
};

// The function that the module exports, and its name.
using start_ranks = ranks* (*)();
inline constexpr const char* start_ranks_name = "asperity_start_ranks";

}  // namespace asperity
