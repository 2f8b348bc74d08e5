// SPDX-License-Identifier: Apache-2.0
#pragma once

// Output of every subcommand: errors, text, terminals.

#include <cstddef>
#include <string>
#include <string_view>

#include "trace/model/result.hpp"

namespace meridian {

enum ExitCode : int {
  kExitFine = 0,
  kExitCouldNotRun = 1,
  kExitTraceHasErrors = 2,
  kExitConditionIsTrue = 2,  ///< one of --fail-if
};

/// Prints "meridian: <what>" and, if there is one, "hint: <hint>", each on a line of standard error.
void report(const Error& error);

/// Reports and returns kExitCouldNotRun.
int fail(const Error& error);

/// Writes to standard output. False, with the error reported, if that fails (full disk); a reader that has closed the
/// pipe (`| head`) is not an error.
bool print(std::string_view text);

/// The same without reporting an error. False: the reader has closed the pipe, so that no more output is wanted.
Result<bool> print_some(std::string_view text);

/// True if the stream (1 standard output, 2 standard error) is a terminal.
bool is_terminal(int stream);

/// Columns for texts on standard output: COLUMNS if it is a number, otherwise the terminal's; 80 in a pipe or file.
std::size_t output_width();

/// True if the stream is a terminal with colours and the user has not set NO_COLOR.
bool wants_colour(int stream);

}  // namespace meridian
