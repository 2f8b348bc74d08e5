#pragma once

namespace meridian {

struct ThreadState;

/// Moves what is complete in the thread's ring into "rank-NNNNN.spill" of the output directory, or, before there is
/// one,
/// "<ring file>.spill". Only when no writer drains the ring: both would move the tail. False: the file cannot be
/// written (said once).
bool spill(ThreadState& thread) noexcept;

}  // namespace meridian
