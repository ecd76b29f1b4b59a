// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace asperity::web {

// Every model of the catalogue, with every curve it takes, along the same motion: one line per evaluation,
// "lugre/stribeck_exponential respond 12 f rate...", numbers exact. The page's module and a native program
// print it, and a test compares them.
std::string evaluations();

}  // namespace asperity::web
