// SPDX-License-Identifier: Apache-2.0
#pragma once

// Selection of calls and events to record: options, the filter file, limits, and switches by the program or `meridian
// control`. Cold.

#include <cstdint>
#include <string_view>

#include "pmpi/rings/thread_state.hpp"

namespace meridian {

/// Reads MERIDIAN_FILTER. False: it has errors, printed on standard error if `report`.
bool read_filter_file(bool report) noexcept;

/// Whether the filter file excludes a call or an event of this name.
bool is_filtered(std::string_view name) noexcept;

/// The list of levels in force: MERIDIAN_LEVELS, or its replacement by `meridian control`.
std::string_view current_levels() noexcept;

/// Sets g_enabled according to options and switches.
void apply_levels(bool recording) noexcept;

/// Once, when the session starts: from then on g_enabled reads as kCallOff in child processes.
void forget_levels_in_children() noexcept;

/// MPI_Pcontrol. The switch itself is recorded, so that the merger knows what is missing.
void switch_recording(bool is_on) noexcept;

/// The value of g_enabled for a call.
std::uint8_t choice_of(CallId id, bool recording) noexcept;

/// Reads the options that select single calls; the clock must have been chosen.
void prepare_selection() noexcept;

/// Whether each call of this function has to be checked.
bool is_selective(CallId id) noexcept;

/// Called after MPI_Init: MERIDIAN_WINDOW begins here.
void start_window() noexcept;

/// Whether the time is before or after MERIDIAN_WINDOW, or MERIDIAN_MAX_SIZE was reached; is_over() only covers the
/// latter two.
bool is_outside_window() noexcept;
bool is_over() noexcept;
bool is_full() noexcept;  ///< MERIDIAN_MAX_SIZE is reached
/// The name of the limit (MERIDIAN_MAX_SIZE, MERIDIAN_MAX_CALLS) that this rank has reached; null: it has reached neither.
const char* limit_reached() noexcept;

/// Records that the next switch is not made by the program, so that it is not at the same call on every rank.
void note_outside_switch() noexcept;
/// Opens and closes the window by the clock. True: it is open, or there is none.
bool look_at_window() noexcept;

/// Undoes the count of is_wanted(): the call is not recorded after all.
void uncount_towards_limit(CallId id) noexcept;

/// Stores from now on which parts recording omits; `only_gaps`: stores nothing if there are none.
void store_recording(bool only_gaps) noexcept;

/// Releases the counters of pass_by().
void give_back_shard(ThreadState& thread) noexcept;

}  // namespace meridian
