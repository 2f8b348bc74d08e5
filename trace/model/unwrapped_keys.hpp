// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Key of the texts about functions that a file of the program imports and the tracer does not wrap: "PATH: MPI_Send_c
/// MPI_Allreduce_c". The last text about a file is valid; it may have no names.
inline constexpr const char* kUnwrappedKey = "calls.unwrapped";
/// Key of the text about functions that the MPI library exports and the tracer does not wrap, in the same form, whether
/// or not the program calls them.
inline constexpr const char* kExportedKey = "calls.exported";

}  // namespace meridian
