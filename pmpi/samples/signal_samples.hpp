// SPDX-License-Identifier: Apache-2.0
#pragma once

// Samples of what threads compute, taken by a signal (MERIDIAN_SAMPLES_BY=signal): a timer for each thread, of its processor time.
// Its handler copies the thread's registers and the innermost part of its stack to the ring file; the writer unwinds it. Cold.

namespace meridian {

/// Begins, if the options ask for it: with the threads that there are now. Others begin with begin_thread_samples().
void begin_signal_samples() noexcept;

/// Ends them in all threads. The handler stays, for signals that are under way.
void end_signal_samples() noexcept;

/// The calling thread has got its card. Does nothing before begin_signal_samples().
void begin_thread_samples() noexcept;

/// The calling thread ends.
void end_thread_samples() noexcept;

}  // namespace meridian
