// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

struct ThreadState;

/// Moves the complete records of the thread's ring into "rank-NNNNN.spill" of the output directory or, before that
/// exists, "<ring file>.spill". Only while no writer drains the ring, since both would move the tail. False: the file
/// cannot be written (reported once).
bool spill(ThreadState& thread) noexcept;

}  // namespace meridian
