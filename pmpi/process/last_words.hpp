// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lines that the tracer prints once, at the end of a job. Cold.

namespace meridian {

/// Whether `meridian run` started the program, or a program that started it, and may say something at the end.
bool may_speak_at_end() noexcept;

/// Whether this process is the one that `meridian run` became, and that is no launcher.
bool is_run_process() noexcept;

/// Rank and size of the launcher's job as the environment had them before the program ran, or -1: a process of Open MPI
/// without a launcher sets these variables itself.
struct LaunchedAs {
  int rank = -1;
  int size = -1;
};
LaunchedAs launched_as() noexcept;

/// Whether this is the process in which this library was loaded, not a fork of it.
bool is_loaded_here() noexcept;

/// One line on standard error, "meridian: ...", if this is still the launcher's standard error (a program may have closed it
/// and opened a file of its own in its place) and takes the line at once. Raises no signal.
[[gnu::format(printf, 1, 2)]] void say_at_end(const char* format, ...) noexcept;

}  // namespace meridian
