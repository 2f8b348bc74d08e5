// SPDX-License-Identifier: Apache-2.0
#pragma once

// The direct cost of recording: what a call takes longer because it is recorded.

namespace meridian {

/// Measures records of calls in memory of its own, which no ring has, and stores the costs as the calling thread's records
/// (CostKind). Takes about a tenth of a millisecond.
void calibrate_recording() noexcept;

}  // namespace meridian
