// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes of a merge, each a function from the state to the state; merge.cpp lists them with their needs. A pass
// returns whether what it was to establish holds now.

#include "merger/merge_state.hpp"
#include "trace/model/result.hpp"

namespace meridian::passes {

/// Opens the rank files, which all stay open. errors: those of meridian::load_ranks().
Result<bool> load_ranks(Merge& merge);
/// errors  invalid_argument: the output exists and is no merged file.
Result<bool> check_output(Merge& merge);
/// Gives communicators, objects and names of all ranks one numbering.
Result<bool> unify_definitions(Merge& merge);
/// Fits a line to every clock, from ping-pong exchanges only. errors: those of meridian::fit_clocks().
Result<bool> fit_clocks(Merge& merge);
/// Fits the clocks that were asked for, from messages too. Reads nothing where all ranks share one clock.
Result<bool> refine_clocks(Merge& merge);
/// Matches, orders and writes everything while reading once. False, and nothing is kept, when a message or collective
/// is reversed.
Result<bool> match_in_one_go(Merge& merge);
/// Gives clocks of their own to ranks whose messages show that they do not share the clock that they name. False when
/// there are none.
Result<bool> split_clocks(Merge& merge);
/// Matches messages and collectives, and keeps the pairs on disk.
Result<bool> match_messages(Merge& merge);
/// Moves events until no pair is reversed. A trace that contradicts itself stays as it is, with a finding.
Result<bool> repair_causality(Merge& merge);
/// Writes all events in global order, with their repaired times.
Result<bool> order_events(Merge& merge);
Result<bool> write_pairs(Merge& merge);
/// False when parts of rank files turned out to be unreadable that were not known before: matching has to know where
/// calls are missing. All of them are known then.
Result<bool> find_damage(Merge& merge);
Result<bool> resolve_sites(Merge& merge);
/// Writes what the numbers in the rows mean, and how the clocks were corrected.
Result<bool> write_definitions(Merge& merge);
/// Adds up hardware counters and writes those of every call.
Result<bool> count_events(Merge& merge);
Result<bool> summarize(Merge& merge);
/// Stores the summary; the file gets its final name.
Result<bool> finish_output(Merge& merge);

}  // namespace meridian::passes
