// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cold side of a thread's ring: what it offers to the folders above it, and what it needs from them.

#include "pmpi/rings/thread_state.hpp"

namespace meridian {

/// A call was left by longjmp or an exception: its record ends now, as it stands.
void abandon_call(ThreadState& thread) noexcept;

/// Defined in session/: sets up what a thread has besides its ring. Its records are the thread's first ones.
void equip_thread(ThreadState& thread) noexcept;

/// Defined in choice/. MERIDIAN_MAX_SIZE is reached: nothing more is recorded, for good.
void end_recording() noexcept;

}  // namespace meridian
