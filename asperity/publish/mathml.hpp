// SPDX-License-Identifier: Apache-2.0
#pragma once

// Equations as the pages of the models write them, in plain text, made into MathML, which browsers
// show without scripts or fonts from elsewhere:
//
//   z_dot = v - sigma_0 |v|/(g(v) load) z                 [m/s]  (2.1)
//
// Names are spelt as in docs/notation.md: Greek letters by name, indices after an underscore, _dot
// and _ddot for derivatives. Juxtaposition multiplies; a name directly before a bracket is a
// function; words stay words. What cannot be read so is shown as it is written, in a fixed-width
// font: nothing is ever left out.

#include <string>
#include <string_view>

namespace asperity {

// A block of equations, one a line: a table with the equation and, beside it, unit and number.
std::string equations_html(std::string_view block);

// A formula inside a sentence; empty where the text is none (a command, a file, a type).
std::string formula_html(std::string_view text);

// A sentence with its symbols as such: sigma_0, beta, v. All else is text: marks are escaped, and um
// is the sign for micrometre.
std::string prose_html(std::string_view text);

}  // namespace asperity
