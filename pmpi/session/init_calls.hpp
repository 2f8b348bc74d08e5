// SPDX-License-Identifier: Apache-2.0
#pragma once

// Actions around MPI_Init* and MPI_Finalize, in every language binding.

namespace meridian {

void before_init() noexcept;      ///< starts the session and the writer
void after_init() noexcept;       ///< collective over MPI_COMM_WORLD: output directory, clocks
void before_finalize() noexcept;  ///< the last chance to communicate
void after_finalize() noexcept;   ///< waits for the rank file

/// At the end of the process: does what after_finalize() does if MPI_Finalize was a function of the program that does not call
/// the tracer's.
void after_hidden_finalize() noexcept;

void before_abort() noexcept;  ///< the launcher may kill this process from now on

/// True if something was stored since after_finalize().
bool has_unwritten_records() noexcept;

}  // namespace meridian
