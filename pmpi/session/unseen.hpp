// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Stores the names of MPI functions that the program, or a library in front of the tracer, defines itself by calling
/// PMPI functions: the tracer does not see calls of them. A library that passes calls on to the next MPI function in the
/// order of loading is not meant.
void store_unseen_calls() noexcept;

}  // namespace meridian
