// SPDX-License-Identifier: Apache-2.0
#include "merger/output/event_table.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "merged/model/event_waits.hpp"
#include "merger/model/definitions/sites.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {
namespace {

std::size_t count_locations(const Trace& trace) {
  std::size_t locations = 0;
  for (const RankFile* file : trace.files) locations += file->meta().threads.size();
  return locations;
}

}  // namespace

EventTable::EventTable(EventRows columns, const Trace& trace)
    : columns_{std::move(columns)}, has_sites_{trace.has_sites}, rank_index_{trace.rank_index}, first_slot_{0} {
  for (const RankFile* file : trace.files) {
    const RankMeta& meta = file->meta();
    Threads& threads = threads_.emplace_back();
    threads.first = static_cast<std::uint32_t>(first_slot_.size() - 1);
    std::unordered_map<std::uint32_t, std::uint64_t> calls;
    for (const SegmentRow& segment : meta.segments) calls[segment.thread] += segment.events;
    for (const ThreadRow& thread : meta.threads) {
      threads.numbers.push_back(thread.thread);
      // If a thread has two rows, the first one gets its calls.
      first_slot_.push_back(first_slot_.back() + std::exchange(calls[thread.thread], 0));
    }
  }
}

Result<EventTable> EventTable::create(ColumnParent file, const Trace& trace, const std::filesystem::path& scratch) {
  const std::size_t optional = !trace.has_sites ? 0 : trace.has_stacks ? 2 : 1;
  MERIDIAN_TRY(EventRows columns, EventRows::create(file, count_locations(trace), kEventColumnsAlways + optional));
  EventTable table{std::move(columns), trace};
  MERIDIAN_TRY(table.rows_, RowMap::create(scratch, table.first_slot_.back()));
  return table;
}

std::uint32_t EventTable::location(std::int32_t rank, std::uint32_t thread) const {
  const auto number = static_cast<std::size_t>(rank);
  if (number >= rank_index_.size() || rank_index_[number] == kMissingRank) return kNoLocation;
  const Threads& threads = threads_[rank_index_[number]];
  if (thread < threads.numbers.size() && threads.numbers[thread] == thread) return threads.first + thread;
  const auto at = std::ranges::find(threads.numbers, thread);
  if (at == threads.numbers.end()) return kNoLocation;
  return threads.first + static_cast<std::uint32_t>(at - threads.numbers.begin());
}

Error EventTable::no_call(const EventRef& call) {
  return Error{Errc::damaged,
               "rank " + std::to_string(call.rank) + " has no call " + std::to_string(call.event) + " of thread " +
                   std::to_string(call.thread),
               ""};
}

Result<std::uint64_t> EventTable::slot(const EventRef& call) const {
  const std::uint32_t at = location(call.rank, call.thread);
  if (!has_slot(at, call.event)) return no_call(call);
  return first_slot_[at] + call.event;
}

Status EventTable::append(std::span<const EventRow> rows) {
  for (const EventRow& row : rows) {
    const std::uint32_t at = location(row.rank, row.thread);
    if (!has_slot(at, row.sequence)) return no_call({row.rank, row.thread, row.sequence});
    rows_.set(first_slot_[at] + row.sequence, columns_.size());
    MERIDIAN_TRY_DO(
        columns_.append(at, row.enter_ns, row.duration_ns, row.sequence,
                        {.bytes_sent = static_cast<std::int64_t>(row.sent()),
                         .bytes_received = static_cast<std::int64_t>(row.received()),
                         .calls = static_cast<std::int64_t>(row.calls()),
                         .outside_ns = row.outside_ns(),
                         .call = static_cast<std::int32_t>(row.call),
                         .flags = static_cast<std::int32_t>(row.flags | (row.is_any_source ? kEventAnySource : 0)),
                         .comm = static_cast<std::int32_t>(row.comm),
                         .peer = row.peer,
                         .tag = row.tag,
                         .site = has_sites_ ? static_cast<std::int32_t>(site_of_path_[row.path]) : 0,
                         .path = static_cast<std::int32_t>(row.path)}));
    if (columns_.size() % RowMap::kReleaseEvery == 0) rows_.release_pages();
  }
  return {};
}

}  // namespace meridian
