// SPDX-License-Identifier: Apache-2.0
#pragma once

// One line of the table that `./dev bench` collects from all benchmarks: what was computed, what it
// cost us and what it cost what users would take instead, in the same run.

#include <cstdio>
#include <string>

namespace asperity {

inline void print_ratio(const std::string& what, const std::string& ours, double our_ns,
                        const std::string& peer, double peer_ns) {
  std::printf("ratio | %-40s | %-22s %12.1f ns | %-22s %12.1f ns | %8.2f\n", what.c_str(),
              ours.c_str(), our_ns, peer.c_str(), peer_ns, our_ns / peer_ns);
}

}  // namespace asperity
