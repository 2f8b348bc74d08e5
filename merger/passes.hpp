// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes of a merge, functions that change the state; merge.cpp lists them with their requirements. A pass returns
// whether the facts that it should establish hold.

#include "merger/merge_state.hpp"
#include "trace/model/result.hpp"

namespace meridian::passes {

/// Opens the rank files, and reads all but their calls. errors: those of meridian::load_ranks().
Result<bool> load_ranks(Merge& merge);
/// errors  invalid_argument: the output exists and is not a merged file.
Result<bool> check_output(Merge& merge);
/// See meridian::bound_memory().
Result<bool> bound_memory(Merge& merge);
/// Gives communicators, objects and names of all ranks one numbering.
Result<bool> unify_definitions(Merge& merge);
/// Fits a line to every clock from ping-pong exchanges. errors: those of meridian::fit_clocks().
Result<bool> fit_clocks(Merge& merge);
/// Fits the clocks of the chosen model, using messages. Reads nothing if all ranks share one clock.
Result<bool> refine_clocks(Merge& merge);
/// Matches, orders and writes everything while reading the trace once. False, with nothing kept, if a message or
/// collective is reversed.
Result<bool> match_in_one_go(Merge& merge);
/// Assigns separate clocks to ranks whose messages show that they do not share the clock that they name. False if there
/// are none.
Result<bool> split_clocks(Merge& merge);
/// Matches messages and collectives, and stores the pairs on disk.
Result<bool> match_messages(Merge& merge);
/// Moves events until no pair is reversed. A contradictory trace remains unchanged, with a finding.
Result<bool> repair_causality(Merge& merge);
/// Writes all events in global order, with their repaired times.
Result<bool> order_events(Merge& merge);
Result<bool> write_pairs(Merge& merge);
/// False if it found unreadable parts of rank files that were unknown to matching, which has to know where calls are
/// missing. All of them are known afterwards.
Result<bool> find_damage(Merge& merge);
/// Adds the sums that ranks recorded in place of calls.
Result<bool> add_profiles(Merge& merge);
Result<bool> resolve_sites(Merge& merge);
/// Writes the definitions of the numbers in the rows, and the clock corrections.
Result<bool> write_definitions(Merge& merge);
/// Writes the samples of all ranks, and the intervals in which threads had no processor, on the common time.
Result<bool> merge_samples(Merge& merge);
/// Adds up hardware counters and writes those of every call.
Result<bool> merge_user_values(Merge& merge);
Result<bool> count_events(Merge& merge);
Result<bool> summarize(Merge& merge);
/// Stores the summary and gives the file its final name.
Result<bool> finish_output(Merge& merge);

}  // namespace meridian::passes
