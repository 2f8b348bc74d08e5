// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "merger/model/clocks.hpp"
#include "merger/repair/repair_tables.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Events without a bound give way to events that have one. Around a step of a clock, and where messages contradict a
/// clock, times may be off by the size of the step. A send or the enter of a collective there that is later than an
/// event with a bound that must follow it is put before that event, so that replay_forward() need not move the latter.
///
/// The calls before it in the rank move by as much, up to one that followed an event with a bound and would come before
/// it, or to the last event with a bound. Deadlines pass from rank to rank through messages between events without
/// bounds, over at most three of them. Times in tables.times only decrease, and no event with a bound moves. The
/// deadlines themselves go to tables.moved, as stamps, where replay_forward() finds them.
///
/// scratch  directory for two numbers a collective
/// returns  the number of calls that moved; 0 if clocks have no bounds, or bounds everywhere. errors: io
Result<std::uint64_t> give_way(RepairTables& tables, const Clocks& clocks, const std::filesystem::path& scratch);

}  // namespace meridian
