// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "edit/remaining_summary.hpp"
#include "edit/row_facts.hpp"
#include "merger/output/merged_output.hpp"
#include "merger/output/row_map.hpp"
#include "merger/statistics/count_events.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Copies /counters for the events that remain, and adds up their values. The counts of a call that is gone belong to
/// the time before the thread's next counted call; without one, or before its first one, they are gone, too.
///
/// Nothing is written if the trace has no counters. errors: damaged, io
Result<CounterTotals> copy_counters(const StoredTrace& stored, const RemainingSummary& remaining, const RowFacts& facts,
                                    const RowMap& map, MergedOutput& output);

}  // namespace meridian
