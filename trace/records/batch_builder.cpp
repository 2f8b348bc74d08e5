// SPDX-License-Identifier: Apache-2.0
#include "trace/records/batch_builder.hpp"

#include "trace/format/rank/batch_rows.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMaxBatch = std::size_t{1} << 22;  // events in a restored batch; more mean damage

template <class Row>
[[gnu::always_inline]] inline void append(std::vector<Row>& rows, const std::uint64_t* words) {
  rows.push_back(load_words<Row>(words));
}

}  // namespace

void BatchBuilder::clear() {
  batch_.enter_ticks.clear();
  batch_.leave_ticks.clear();
  batch_.call.clear();
  batch_.payload.clear();
  batch_.flags.clear();
  batch_.completion_count.clear();
  batch_.completions.clear();
  batch_.user_values.clear();
#define MERIDIAN_EVENT(payload, Row, table) batch_.table.clear();
#define MERIDIAN_PAIR(payload, of, Row, table)
#define MERIDIAN_OTHER(payload, Body)
#include "trace/model/payloads.def"
  batch_.sites.clear();
  batch_.nodes.clear();
  batch_.counters.clear();
  batch_.counters_between.clear();
}

void BatchBuilder::begin_thread() {
  is_more_expected_ = false;
  counters_.clear();
}

bool BatchBuilder::is_continuation(const Record& record) noexcept {
  const bool continues = record.payload() == Payload::requests && !record.has(kFlagCounters) && !batch_.call.empty() &&
                         (record.has(kFlagMore) || is_more_expected_) &&
                         record.head.enter_ticks == record.head.leave_ticks &&
                         (batch_.payload.back() == Payload::requests || batch_.payload.back() == Payload::handle) &&
                         batch_.call.back() == static_cast<CallId>(record.head.header.call);
  is_more_expected_ = record.has(kFlagMore);
  return continues;
}

void BatchBuilder::add_rows(Payload payload, const std::uint64_t* body) {
  switch (payload) {
#define MERIDIAN_EVENT(payload, Row, table) \
  case Payload::payload:                    \
    append(batch_.table, body);             \
    break;
#define MERIDIAN_PAIR(payload, of, Row, table)  \
  case Payload::payload:                        \
    append(batch_.table, body);                 \
    append(batch_.table, body + words_of<Row>); \
    break;
#define MERIDIAN_OTHER(payload, Body)
#include "trace/model/payloads.def"
    default:
      break;
  }
}

std::uint64_t BatchBuilder::add_same(const KnownCalls& calls, std::span<const std::uint8_t> entries,
                                     const std::uint64_t* words, std::uint64_t ticks) {
  const std::size_t first = events(), count = entries.size();
  resize(first + count);
  std::uint64_t* const enter = batch_.enter_ticks.data() + first;
  std::uint64_t* const leave = batch_.leave_ticks.data() + first;
  for (std::size_t i = 0; i < count; ++i) {
    enter[i] = ticks + small_pause(words[i]);
    ticks = enter[i] + small_duration(words[i]);
    leave[i] = ticks;
  }
  const KnownCalls::Prepared* const prepared = calls.prepared();
  CallId* const ids = batch_.call.data() + first;
  Payload* const payloads = batch_.payload.data() + first;
  std::uint8_t* const flags = batch_.flags.data() + first;
  std::size_t sites = 0;
  bool has_bodies = false, has_nodes = !batch_.nodes.empty();
  for (std::size_t i = 0; i < count; ++i) {
    const KnownCalls::Prepared& call = prepared[entries[i]];
    ids[i] = call.call;
    payloads[i] = call.payload;
    flags[i] = call.flags;
    sites += (call.flags & kFlagSite) != 0;
    has_nodes |= call.site.row != 0;
    has_bodies |= call.body != 0;
  }
  if (sites == count && !has_nodes) {
    batch_.sites.resize(batch_.sites.size() + count);
    std::uint64_t* const addresses = batch_.sites.data() + batch_.sites.size() - count;
    for (std::size_t i = 0; i < count; ++i) addresses[i] = prepared[entries[i]].site.address;
  } else {
    for (const std::uint8_t entry : entries)
      if ((prepared[entry].flags & kFlagSite) != 0) add_site(prepared[entry].site);
  }
  for (std::size_t i = 0; has_bodies && i < count; ++i) {
    const KnownCalls::Prepared& call = prepared[entries[i]];
    const std::uint64_t* const body = calls.body(entries[i]);
    if (call.fixed != 0) add_rows(call.payload, body);
    if (call.body != call.fixed)
      count_completions(batch_.completion_count[first + i], {body + call.fixed, body + call.body}, call.payload, true);
  }
  return ticks;
}

void BatchBuilder::add_row(const Record& record, std::span<const std::uint64_t> values) {
  batch_.payload.back() = record.payload();
  add_rows(record.payload(), record.body());
  batch_.user_values.insert(batch_.user_values.end(), values.begin(), values.end());
}

bool BatchBuilder::count_completions(std::uint32_t& count, std::span<const std::uint64_t> words, Payload payload,
                                     bool has_outcome) {
  const bool has_requests = payload == Payload::requests;
  if (!has_outcome && !has_requests) return true;
  for (std::size_t at = 0; at < words.size(); at += words_of<Completion>) {
    auto entry = load_words<Completion>(words.data() + at);
    if (has_requests && entry.request == 0) continue;  // an unused entry, left by a null request
    if (!has_outcome) entry = {.request = entry.request, .source = 0, .tag = 0, .bytes = kNotKnown};
    if (count == kMaxCompletions) return false;
    batch_.completions.push_back(entry);
    ++count;
  }
  return true;
}

void BatchBuilder::add_node(std::uint32_t row) {
  batch_.nodes.resize(batch_.sites.size());  // earlier events have none
  batch_.nodes.back() = row;
}

void BatchBuilder::add_counters(std::span<const std::uint64_t> words) {
  const std::size_t count = words.size() / 2;
  const auto at_enter = words.first(count);
  const auto at_leave = words.last(count);
  if (counters_.size() != count) counters_.assign(at_enter.begin(), at_enter.end());
  for (std::size_t i = 0; i < count; ++i) {
    batch_.counters.push_back(static_cast<std::int64_t>(at_leave[i] - at_enter[i]));
    batch_.counters_between.push_back(static_cast<std::int64_t>(at_enter[i] - counters_[i]));
  }
  counters_.assign(at_leave.begin(), at_leave.end());
}

bool BatchBuilder::is_consistent(std::uint32_t counters_per_event) const {
  return batch_.call.size() <= kMaxBatch && has_all_rows(batch_) &&
         rows_of_events(batch_).counters * counters_per_event == batch_.counters.size() &&
         batch_.counters.size() == batch_.counters_between.size();
}

}  // namespace meridian
