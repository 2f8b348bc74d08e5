// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Whether the record is an event, with enter and leave.
constexpr bool is_call(Payload payload) noexcept { return payload >= Payload::local && payload <= Payload::polls; }

/// The rows of each table that the batch's events refer to; `counters`: events with counters; `user_values`: what the
/// rows of `user` refer to. The columns of events have the same length.
SegmentRow rows_of_events(const EventBatch& batch);

/// Whether the columns of events have the same length, and each table has exactly the rows that these events refer to.
/// Counters are not looked at.
bool has_all_rows(const EventBatch& batch);

}  // namespace meridian
