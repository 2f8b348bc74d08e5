// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// One event of a batch with its rows; only those of its payload are set. Valid as long as the batch.
struct BatchEvent {
  std::size_t index = 0;
  CallId call{};
  Payload payload{};
  std::uint8_t flags = 0;
  std::uint64_t enter_ticks = 0, leave_ticks = 0;
  std::uint64_t site = 0;  ///< return address; 0: not recorded
  std::uint32_t node = 0;  ///< row of RankMeta::stacks; 0: not recorded
  std::span<const PointToPoint> p2p;
  std::span<const Completion> completions;
  const Collective* coll = nullptr;
  const Rma* rma = nullptr;
  const FileAccess* io = nullptr;
  const PollUse* polls = nullptr;
  const HandleUse* handle = nullptr;

  bool has(RecordFlag flag) const noexcept { return (flags & flag) != 0; }
};

/// Adds the rows that an event with this payload has in the table of its payload.
void add_row(SegmentRow& rows, Payload payload) noexcept;

/// Calls visit(event, rows) for each event in order; `rows`: of each table, those before the event. The batch has_all_rows().
template <class Visit>
void for_each_event(const EventBatch& batch, Visit&& visit) {
  SegmentRow rows;
  BatchEvent event;
  for (std::size_t i = 0; i < batch.call.size(); ++i) {
    event.index = i;
    event.call = batch.call[i];
    event.payload = batch.payload[i];
    event.flags = batch.flags[i];
    event.enter_ticks = batch.enter_ticks[i];
    event.leave_ticks = batch.leave_ticks[i];
    const bool has_site = event.has(kFlagSite);
    event.site = has_site ? batch.sites[rows.sites] : 0;
    event.node = has_site && !batch.nodes.empty() ? batch.nodes[rows.sites] : 0;
    event.completions = {batch.completions.data() + rows.completions, batch.completion_count[i]};
    const std::size_t pairs = event.payload == Payload::sendrecv ? 2 : event.payload == Payload::p2p ? 1 : 0;
    event.p2p = {batch.p2p.data() + rows.p2p, pairs};
    event.coll = event.payload == Payload::coll ? &batch.coll[rows.coll] : nullptr;
    event.rma = event.payload == Payload::rma ? &batch.rma[rows.rma] : nullptr;
    event.io = event.payload == Payload::io ? &batch.io[rows.io] : nullptr;
    event.polls = event.payload == Payload::polls ? &batch.polls[rows.polls] : nullptr;
    event.handle = event.payload == Payload::handle ? &batch.handles[rows.handles] : nullptr;
    visit(std::as_const(event), std::as_const(rows));
    ++rows.events;
    rows.sites += has_site ? 1 : 0;
    rows.completions += batch.completion_count[i];
    if (event.payload == Payload::user) rows.user_values += batch.user[rows.user].words;
    add_row(rows, event.payload);
  }
}

/// Appends an event of another batch with its rows, but without counters.
void append_event(const EventBatch& from, const BatchEvent& event, const SegmentRow& rows, EventBatch& to);

}  // namespace meridian
