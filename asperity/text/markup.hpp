// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text inside of HTML and XML, between marks or inside of quotation marks.

#include <string>
#include <string_view>

namespace asperity {

// Always UTF-8 (asperity/text.hpp), and no part of it is a mark.
std::string escaped(std::string_view text);

}  // namespace asperity
