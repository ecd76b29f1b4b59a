// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text that came from a user, a file or the name of a file, which may hold any bytes. What is written
// is UTF-8: a byte that is not part of it becomes %E9, so that it can be seen and found again. Names
// of files keep their bytes. A file that somebody sent must not move the cursor of a terminal, forge
// a line of a message or break a picture.

#include <string>
#include <string_view>

namespace asperity {

// How many bytes at the start of `text` are valid UTF-8: all of them where it is.
std::size_t valid_bytes(std::string_view text);
inline bool is_utf8(std::string_view text) { return valid_bytes(text) == text.size(); }

// The text with %E9 for each byte that is not UTF-8.
std::string as_utf8(std::string_view text);

// For a terminal: the same, and control characters and the marks that reorder text are written out,
// such as \u001b. Line breaks and tabs remain.
std::string printable(std::string_view text);

// For a message of one line: the same, line breaks and tabs written out, too.
std::string in_one_line(std::string_view text);

// For a message about a value: in one line and at most so many characters, "..." where it was cut.
std::string shortened(std::string_view text, std::size_t most = 60);

// For a picture: always UTF-8, in one line, at most 200 characters. What no picture can hold
// (control characters, bytes that are not UTF-8) becomes U+FFFD.
std::string drawable(std::string_view text);

// Without blanks at its ends, and without any.
std::string_view trimmed(std::string_view text, const char* blanks = " \t");
std::string without_blanks(std::string_view text);

}  // namespace asperity
