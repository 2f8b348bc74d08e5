// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/batch_events.hpp"

namespace meridian {
namespace {

template <class Row>
void append(const std::vector<Row>& from, std::uint64_t first, std::uint64_t count, std::vector<Row>& to) {
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
  to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

void add_row(SegmentRow& rows, Payload payload) noexcept {
  switch (payload) {
#define MERIDIAN_EVENT(payload_, Row, table) \
  case Payload::payload_:                    \
    ++rows.table;                            \
    break;
#define MERIDIAN_PAIR(payload_, of, Row, table) \
  case Payload::payload_:                       \
    rows.table += 2;                            \
    break;
#define MERIDIAN_OTHER(payload_, Body)
#include "trace/model/payloads.def"
    default:
      break;
  }
}

void append_event(const EventBatch& from, const BatchEvent& event, const SegmentRow& rows, EventBatch& to) {
  to.enter_ticks.push_back(event.enter_ticks);
  to.leave_ticks.push_back(event.leave_ticks);
  to.call.push_back(event.call);
  to.payload.push_back(event.payload);
  to.flags.push_back(static_cast<std::uint8_t>(event.flags & ~kFlagCounters));
  to.completion_count.push_back(static_cast<std::uint32_t>(event.completions.size()));
  append(from.completions, rows.completions, event.completions.size(), to.completions);
  if (event.has(kFlagSite)) {
    to.sites.push_back(event.site);
    if (!from.nodes.empty()) to.nodes.push_back(event.node);
  }
  if (event.payload == Payload::user)
    append(from.user_values, rows.user_values, from.user[rows.user].words, to.user_values);
  SegmentRow own;
  add_row(own, event.payload);
#define MERIDIAN_EVENT(payload_, Row, table) append(from.table, rows.table, own.table, to.table);
#define MERIDIAN_PAIR(payload_, of, Row, table)
#define MERIDIAN_OTHER(payload_, Body)
#include "trace/model/payloads.def"
}

}  // namespace meridian
