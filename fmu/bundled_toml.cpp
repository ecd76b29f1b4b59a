// SPDX-License-Identifier: Apache-2.0
// toml++, compiled into the run-time of FMUs instead of linked.

#define TOML_HEADER_ONLY 0
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
