// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cold side of a thread's ring: its interface to the folders above it, and its requirements on them.

#include "pmpi/rings/thread_state.hpp"

namespace meridian {

/// A call was left by longjmp or an exception: ends its record in its present state.
void abandon_call(ThreadState& thread) noexcept;

/// Defined in session/: sets up a thread's resources besides its ring. Its records are the thread's first ones.
void equip_thread(ThreadState& thread) noexcept;

/// Defined in choice/. MERIDIAN_MAX_SIZE is reached: stops recording permanently.
void end_recording() noexcept;

}  // namespace meridian
