// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory as a resource: how much there is, and how people write it.

#include <string_view>

namespace asperity {

// What this process may still take, in bytes: four fifths of what the machine, its control group
// and the limits of the process leave free. Asked for once.
double free_memory();

// "2 GB", "500 MB" or a plain number of bytes; 1 kB is 1000 bytes, 1 KiB is 1024. Throws
// asperity::error.
double parse_bytes(std::string_view text);

}  // namespace asperity
