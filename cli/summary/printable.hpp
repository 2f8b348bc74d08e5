// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text from a trace is not ours: it may hold escape sequences, line ends or broken UTF-8. Whatever is printed goes
// through here.

#include <cstddef>
#include <string>
#include <string_view>

namespace meridian {

/// `text` with every byte or character that a terminal would obey, hide or misread written as \xNN or \u{NNNN}: control
/// characters, invalid UTF-8, marks that change the direction of writing.
std::string printable(std::string_view text);

/// Columns that printable() text takes on a terminal.
std::size_t display_width(std::string_view text);

/// `text` in at most `width` columns (at least 5): what is too much is cut out of the middle and replaced by "...".
std::string shortened(std::string_view text, std::size_t width);

/// Lines of at most `width` columns, broken at blanks, words that are too long anywhere; each begins with `indent`
/// blanks. Ends with a line end unless empty.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace meridian
