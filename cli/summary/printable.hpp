// SPDX-License-Identifier: Apache-2.0
#pragma once

// Texts from a trace may contain escape sequences, line ends or broken UTF-8. All of them are printed through these
// functions.

#include <cstddef>
#include <string>
#include <string_view>

namespace meridian {

/// `text` with every byte or character that a terminal would interpret, hide or misread written as \xNN or \u{NNNN}:
/// control characters, invalid UTF-8, marks that change the direction of writing.
std::string printable(std::string_view text);

/// A path without its folders.
std::string_view file_name(std::string_view path);

/// Number of columns that printable() text takes on a terminal.
std::size_t display_width(std::string_view text);

/// `text` in at most `width` columns (at least 5): the middle of longer texts is replaced by "...".
std::string shortened(std::string_view text, std::size_t width);

/// A function's name in at most `width` columns (at least 5). What tells least is removed first, as far as necessary:
/// the parameters, then namespaces from the outermost on, then template arguments, then the middle.
std::string shortened_function(std::string_view name, std::size_t width);

/// A path in at most `width` columns (at least 5): folders are removed first, from the outermost on.
std::string shortened_path(std::string_view path, std::size_t width);

/// "function, file:line" in at most `width` columns (at least 5): the function is shortened first, then left out.
std::string shortened_place(std::string_view place, std::size_t width);

/// Wraps text to lines of at most `width` columns, at blanks; longer words are split. Each line begins with `indent`
/// blanks. Ends with a line end unless empty.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace meridian
