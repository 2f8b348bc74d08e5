// SPDX-License-Identifier: Apache-2.0
#pragma once

// MERIDIAN_FULL=drop: calls of a thread whose ring is full are counted, not recorded, until there is room again.
// Records that others depend on are never dropped: the tracer's own and those of calls that create objects wait for
// room, and begins and ends of regions stay paired. Also MERIDIAN_MAX_SIZE, checked at the end of each block. Cold.

#include <cstdint>

#include "pmpi/rings/thread_state.hpp"

namespace meridian {

/// Whether the thread drops records instead of waiting for room.
bool may_drop(const ThreadState& thread) noexcept;

/// Counts a call of the thread that is lost because its ring is full.
void count_drop(ThreadState& thread) noexcept;

/// Called when the thread's ring has room again: stores the number of lost calls, and begins the regions that began in
/// the meantime.
void end_drops(ThreadState& thread) noexcept;

/// A region of the program as identified in its records.
struct LostRegion {
  std::uint32_t id;
  CallId call;
};

/// Called when a region begins or ends in a thread that may be losing calls.
/// begin_lost_region  notes that the begin was not recorded.
/// end_lost_region    true: the begin was lost, so the end is counted as lost, too.
void begin_lost_region(ThreadState& thread, LostRegion region) noexcept;
bool end_lost_region(ThreadState& thread) noexcept;
/// Whether one more begin of a region may be lost.
bool has_room_for_lost_region(ThreadState& thread) noexcept;

void release_drops(ThreadState& thread) noexcept;

/// A thread without a ring has lost a call that matching depends on.
void note_lost_for_good() noexcept;

/// Counts `bytes` more as recorded. True: MERIDIAN_MAX_SIZE is reached.
bool count_towards_size(std::uint64_t bytes) noexcept;

}  // namespace meridian
