// SPDX-License-Identifier: Apache-2.0
#pragma once

// gnuplot as a child process. Every text of a user goes through gnuplot_text(), and no file name is
// in a program at all: what gnuplot draws comes back as bytes.

#include <atomic>
#include <string>
#include <string_view>

namespace asperity {

// The text as a string constant of gnuplot that holds nothing but letters, blanks and octal codes:
// there is no quote, backtick, macro or line end in it that gnuplot could act on. Long texts are
// cut (see drawable()).
std::string gnuplot_text(std::string_view text);

struct gnuplot_picture {
  std::string bytes, problem;  // one of them
};

// Runs a program that sets an SVG or PNG terminal and no output. Neither files nor variables of the
// user that set gnuplot up have an effect on it, and only a gnuplot in an absolute folder of PATH
// is started. An interrupt ends gnuplot.
gnuplot_picture run_gnuplot(const std::string& program,
                            const std::atomic<bool>* interrupt = nullptr);

}  // namespace asperity
