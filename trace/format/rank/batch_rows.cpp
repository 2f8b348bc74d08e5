// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/batch_rows.hpp"

#include <array>

namespace meridian {

SegmentRow rows_of_events(const EventBatch& batch) {
  SegmentRow rows;
  std::array<std::uint64_t, 256> by_payload{};
  rows.events = batch.payload.size();
  for (std::size_t i = 0; i < batch.payload.size(); ++i) {
    ++by_payload[static_cast<std::uint8_t>(batch.payload[i])];
    rows.completions += batch.completion_count[i];
    rows.sites += (batch.flags[i] & kFlagSite) != 0;
    rows.counters += (batch.flags[i] & kFlagCounters) != 0;
  }
  const auto events_of = [&](Payload payload) { return by_payload[static_cast<std::uint8_t>(payload)]; };
#define MERIDIAN_EVENT(payload, Row, table) rows.table += events_of(Payload::payload);
#define MERIDIAN_PAIR(payload, of, Row, table) rows.table += 2 * events_of(Payload::payload);
#define MERIDIAN_OTHER(payload, Body)
#include "trace/model/payloads.def"
  for (const UserUse& use : batch.user) rows.user_values += use.words;
  return rows;
}

bool has_all_rows(const EventBatch& batch) {
  const std::size_t events = batch.payload.size();
  if (batch.enter_ticks.size() != events || batch.leave_ticks.size() != events || batch.call.size() != events ||
      batch.flags.size() != events || batch.completion_count.size() != events)
    return false;
  const SegmentRow rows = rows_of_events(batch);
  bool has_all = true;
#define MERIDIAN_EVENT(payload, Row, table) has_all = has_all && batch.table.size() == rows.table;
#define MERIDIAN_PAIR(payload, of, Row, table)
#define MERIDIAN_OTHER(payload, Body)
#include "trace/model/payloads.def"
  return has_all && rows.completions == batch.completions.size() && rows.sites == batch.sites.size() &&
         (batch.nodes.empty() || rows.sites == batch.nodes.size()) && rows.user_values == batch.user_values.size();
}

}  // namespace meridian
