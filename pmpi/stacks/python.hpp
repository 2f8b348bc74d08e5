// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Looks for an interpreter in this process, before threads get rings.
void find_python() noexcept;

/// Called before MPI_Init: if a Python program makes the call, compares the frames of this thread with what is known of the
/// interpreter's version. They are read from then on if they agree.
void start_python() noexcept;

/// Called before MPI_Init, with the writer there: lets it read which lines of Python samples are in.
void permit_python() noexcept;

/// Called after MPI_Init: stores the version if frames cannot be read.
void store_python() noexcept;

}  // namespace meridian
