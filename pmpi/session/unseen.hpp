// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Stores the names of MPI functions that the program, or a library in front of the tracer, defines itself by calling
/// PMPI functions: the tracer does not see calls of them. A library that passes calls on to the next MPI function in the
/// order of loading is not meant. If MPI_Finalize is such a function, before_finalize() is called all the same.
/// may_speak  report them, too
void store_unseen_calls(bool may_speak) noexcept;

}  // namespace meridian
