// SPDX-License-Identifier: Apache-2.0
#include "merger/output/event_table.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "merger/model/definitions/sites.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kReleaseEvery = 1 << 20;  // rows; 8 MiB of row numbers
// Each entry of index/sequence has 8 bytes a location, so with many locations entries are farther apart.
constexpr std::uint64_t kRowsPerLocation = 32;

}  // namespace

Result<EventTable::Columns> EventTable::open(ColumnParent file, const Trace& trace) {
  const std::size_t optional = !trace.has_sites ? 0 : trace.has_stacks ? 2 : 1;
  MERIDIAN_TRY(StoredEventWriter rows, StoredEventWriter::create(file, kEventColumnsAlways + optional));
  MERIDIAN_TRY(NumberWriter enter, create_numbers(file, kIndexEnter));
  MERIDIAN_TRY(NumberWriter leave, create_numbers(file, kIndexLeave));
  MERIDIAN_TRY(NumberWriter sequence, create_numbers(file, kIndexSequence));
  return Columns{std::move(rows), std::move(enter), std::move(leave), std::move(sequence)};
}

EventTable::EventTable(Columns columns, const Trace& trace)
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
  const std::uint64_t locations = first_slot_.size() - 1;
  next_sequence_.resize(locations);
  while (sequence_rows_ < kRowsPerLocation * locations) sequence_rows_ += kIndexRows;
}

Result<EventTable> EventTable::create(ColumnParent file, const Trace& trace, const std::filesystem::path& scratch) {
  MERIDIAN_TRY(Columns columns, open(file, trace));
  EventTable table{std::move(columns), trace};
  MERIDIAN_TRY(table.rows_,
               MappedArray<std::uint64_t>::create(scratch.empty() ? "." : scratch, table.first_slot_.back()));
  MERIDIAN_TRY_DO(h5::write_attribute(file.id, kSequenceRows, static_cast<std::int64_t>(table.sequence_rows_)));
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

Status EventTable::begin_block(const EventRow& row) {
  if (written_ != 0) MERIDIAN_TRY_DO(columns_.index_leave.push(latest_leave_ns_));
  latest_leave_ns_ = std::numeric_limits<std::int64_t>::min();
  MERIDIAN_TRY_DO(columns_.index_enter.push(row.enter_ns));
  if (written_ % sequence_rows_ != 0) return {};
  for (const std::uint64_t sequence : next_sequence_)
    MERIDIAN_TRY_DO(columns_.index_sequence.push(static_cast<std::int64_t>(sequence)));
  return {};
}

Status EventTable::append(std::span<const EventRow> rows) {
  for (const EventRow& row : rows) {
    const std::uint32_t at = location(row.rank, row.thread);
    if (written_ % kIndexRows == 0) MERIDIAN_TRY_DO(begin_block(row));
    if (!has_slot(at, row.sequence)) return no_call({row.rank, row.thread, row.sequence});
    rows_[first_slot_[at] + row.sequence] = ++written_;
    latest_leave_ns_ = std::max(latest_leave_ns_, row.enter_ns + row.duration_ns);
    const StoredTime time{.step_ns = row.enter_ns - std::exchange(last_enter_ns_, row.enter_ns),
                          .duration_ns = row.duration_ns,
                          .location = static_cast<std::int32_t>(at)};
    const std::uint64_t expected = std::exchange(next_sequence_[at], row.sequence + 1);
    const bool is_full =
        columns_.rows.push(time, {.skipped = static_cast<std::int64_t>(row.sequence - expected),
                                  .bytes_sent = static_cast<std::int64_t>(row.sent()),
                                  .bytes_received = static_cast<std::int64_t>(row.received()),
                                  .calls = static_cast<std::int64_t>(row.calls()),
                                  .outside_ns = row.outside_ns(),
                                  .call = static_cast<std::int32_t>(row.call),
                                  .flags = static_cast<std::int32_t>(row.flags),
                                  .comm = static_cast<std::int32_t>(row.comm),
                                  .peer = row.peer,
                                  .tag = row.tag,
                                  .site = has_sites_ ? static_cast<std::int32_t>(site_of_path_[row.path]) : 0,
                                  .path = static_cast<std::int32_t>(row.path)});
    if (is_full) MERIDIAN_TRY_DO(columns_.rows.store());
    if (written_ % kReleaseEvery == 0) rows_.release_pages();
  }
  return {};
}

Status EventTable::finish() {
  if (written_ != 0) MERIDIAN_TRY_DO(columns_.index_leave.push(latest_leave_ns_));
  MERIDIAN_TRY_DO(columns_.rows.finish());
  MERIDIAN_TRY_DO(columns_.index_enter.finish());
  MERIDIAN_TRY_DO(columns_.index_leave.finish());
  return columns_.index_sequence.finish();
}

}  // namespace meridian
