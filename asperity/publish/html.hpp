// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text that stands in HTML as it is.

#include <asperity/text/markup.hpp>

namespace asperity {

// A relative path as the address of a link: a folder called "javascript:..." stays a folder.
std::string address_of(std::string_view path);

// The same with micrometres (um) as people write them.
std::string with_unit_signs(std::string_view text);

// " · doi:10.1155/2013/320276" with a link to it; nothing where there is none.
std::string doi_html(std::string_view doi);

// Text of a page in which numbers of errata ("E-14", "erratum 14") lead to `address`#E-14.
std::string with_errata_linked(std::string_view html, std::string_view address);

}  // namespace asperity
