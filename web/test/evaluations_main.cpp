// SPDX-License-Identifier: Apache-2.0

// The native half of the comparison of evaluations (web/test/compare.mjs).

#include <cstdio>

#include "web/core/evaluations.hpp"

int main() { std::fputs(asperity::web::evaluations().c_str(), stdout); }
