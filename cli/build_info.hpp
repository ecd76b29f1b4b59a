// SPDX-License-Identifier: Apache-2.0
#pragma once

// What this program was built from, and with what.

#include <string>

namespace asperity::cli {

// "asperity 0.1.0 (commit 1234abc)" and what the build has and has not, a line each. Where the sources
// were no git checkout when they were built, that stands in place of the commit.
std::string build_text();

}  // namespace asperity::cli
