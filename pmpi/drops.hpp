#pragma once

// MERIDIAN_FULL=drop: calls of a thread whose ring is full are counted, not recorded, until there is room again. What
// the records around them need is never dropped: the tracer's own records and what makes objects wait for room, and
// regions of the program stay in pairs. And MERIDIAN_MAX_SIZE, which is looked at where a block ends. Cold.

#include <cstdint>

#include "pmpi/thread_state.hpp"

namespace meridian {

/// Whether the thread loses what it would have to wait for.
bool may_drop(const ThreadState& thread) noexcept;

/// A call of the thread is lost: its ring is full.
void count_drop(ThreadState& thread) noexcept;

/// The thread's ring has room: stores what was lost since it was full, and that the regions begin which began
/// meanwhile.
void end_drops(ThreadState& thread) noexcept;

/// A region begins, or ends, in a thread that may be losing calls.
/// begin_lost_region  when its begin has not been recorded.
/// end_lost_region    true: its begin was lost, and so its end is counted as lost, too.
void begin_lost_region(ThreadState& thread, UserDefinition& region) noexcept;
bool end_lost_region(ThreadState& thread) noexcept;
/// Whether one more begin of a region may be lost.
bool has_room_for_lost_region(ThreadState& thread) noexcept;

void release_drops(ThreadState& thread) noexcept;

/// A thread without a ring has lost a call that others miss.
void note_lost_for_good() noexcept;

/// Bytes that have been recorded; ends recording when they reach MERIDIAN_MAX_SIZE.
void count_towards_size(std::uint64_t bytes) noexcept;

}  // namespace meridian
