// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Set to "auto" by `meridian run`, unless --mpi names the MPI library: a process in which the tracer finds another MPI library
/// than its own then starts again with the tracer for that library, and "auto PID" says that it has. Not a MERIDIAN_ variable,
/// because users do not set it.
inline constexpr const char* kTracerChoice = "_MERIDIAN_TRACER";
inline constexpr const char* kTracerChosenByLibrary = "auto";

}  // namespace meridian
