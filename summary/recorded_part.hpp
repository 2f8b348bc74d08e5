// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "summary/summary.hpp"

namespace meridian {

/// How much of a run the trace has.
struct RecordedPart {
  std::uint64_t calls = 0;    ///< of MPI, made while the program was traced
  std::uint64_t missing = 0;  ///< of these, calls that were not recorded
  std::string reason;         ///< "MERIDIAN_MAX_SIZE"
  bool misleads = false;      ///< times of calls that were not recorded count as time outside MPI
};
RecordedPart recorded_part(const Summary& summary);

/// Whether the summary is of sums over calls, without their times (MERIDIAN_MODE=profile).
bool is_profile(const Summary& summary);

/// Whether the summary is of the last calls of a run (MERIDIAN_MODE=recorder).
bool is_last_part(const Summary& summary);

/// Whether recording was switched off for a while: that time is in no share.
bool was_switched_off(const Summary& summary);

/// The time that shares are parts of: " between MPI_Init and MPI_Finalize", " while recording was on", or empty for the whole time.
std::string_view measured_time(const Summary& summary);

/// The time that efficiencies are about. It includes times without recording that lie between two recorded pieces; they count as time
/// outside MPI.
std::string_view analysed_time(const Summary& summary);

/// Whether the summary may be of less time than the counts that the system keeps for the whole run.
bool may_be_a_part(const Summary& summary);

/// Whether ranks of the program are missing, as with MERIDIAN_RANKS: how long others waited for them is not known.
bool lacks_ranks(const Summary& summary);

/// Whether calls were lost although nobody asked for that, as MERIDIAN_FULL=drop does.
bool has_lost_calls(const Summary& summary);

/// "Of 372010 calls 312353 were not recorded (MERIDIAN_MAX_SIZE): the figures below are of the recorded part.", "1 of 2 ranks is
/// recorded: waits for the others are not known." Empty: no rank and less than a hundredth of the calls is missing.
std::string describe_part(const Summary& summary);

}  // namespace meridian
