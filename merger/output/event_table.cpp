// SPDX-License-Identifier: Apache-2.0
#include "merger/output/event_table.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "merger/model/sites.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {
namespace {

constexpr int kTimeLevel = 1;  // of deflate
constexpr std::uint32_t kNoLocation = 0xffffffff;
constexpr std::uint64_t kReleaseEvery = 1 << 20;  // rows; 8 MiB of row numbers
// Each entry of index/sequence has 8 bytes a location, so with many locations entries are farther apart.
constexpr std::uint64_t kRowsPerLocation = 32;

}  // namespace

template <class Action>
Status EventTable::Columns::each(Action&& action) {
  for (LongColumn* column :
       {&step, &duration, &skipped, &bytes_sent, &bytes_received, &index_enter, &index_leave, &index_sequence})
    MERIDIAN_TRY_DO(action(*column));
  for (ShortColumn* column : {&location, &call, &flags, &comm, &peer, &tag}) MERIDIAN_TRY_DO(action(*column));
  if (site) MERIDIAN_TRY_DO(action(*site));
  if (path) MERIDIAN_TRY_DO(action(*path));
  return {};
}

Result<EventTable::Columns> EventTable::open(hid_t file, const Trace& trace) {
  using enum MergedColumn;
  MERIDIAN_TRY(LongColumn step, LongColumn::create(file, event_step, kTimeLevel));
  MERIDIAN_TRY(LongColumn duration, LongColumn::create(file, event_duration, kTimeLevel));
  MERIDIAN_TRY(ShortColumn location, ShortColumn::create(file, event_location));
  MERIDIAN_TRY(LongColumn skipped, LongColumn::create(file, event_skipped));
  MERIDIAN_TRY(ShortColumn call, ShortColumn::create(file, event_call));
  MERIDIAN_TRY(ShortColumn flags, ShortColumn::create(file, event_flags));
  MERIDIAN_TRY(ShortColumn comm, ShortColumn::create(file, event_comm));
  MERIDIAN_TRY(ShortColumn peer, ShortColumn::create(file, event_peer));
  MERIDIAN_TRY(ShortColumn tag, ShortColumn::create(file, event_tag));
  MERIDIAN_TRY(LongColumn sent, LongColumn::create(file, event_bytes_sent));
  MERIDIAN_TRY(LongColumn received, LongColumn::create(file, event_bytes_received));
  MERIDIAN_TRY(LongColumn block_enter, LongColumn::create(file, index_enter));
  MERIDIAN_TRY(LongColumn block_leave, LongColumn::create(file, index_leave));
  MERIDIAN_TRY(LongColumn sequences, LongColumn::create(file, index_sequence));
  Columns columns{std::move(step),
                  std::move(duration),
                  std::move(skipped),
                  std::move(sent),
                  std::move(received),
                  std::move(location),
                  std::move(call),
                  std::move(flags),
                  std::move(comm),
                  std::move(peer),
                  std::move(tag),
                  {},
                  {},
                  std::move(block_enter),
                  std::move(block_leave),
                  std::move(sequences)};
  if (trace.has_sites) {
    MERIDIAN_TRY(columns.site, ShortColumn::create(file, event_site));
    if (trace.has_stacks) {
      MERIDIAN_TRY(columns.path, ShortColumn::create(file, event_path));
    }
  }
  return columns;
}

EventTable::EventTable(Columns columns, const Trace& trace)
    : columns_{std::move(columns)}, paths_{trace.paths.get()}, rank_index_{trace.rank_index}, first_slot_{0} {
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

Result<EventTable> EventTable::create(hid_t file, const Trace& trace, const std::filesystem::path& scratch) {
  MERIDIAN_TRY(Columns columns, open(file, trace));
  EventTable table{std::move(columns), trace};
  MERIDIAN_TRY(table.rows_,
               MappedArray<std::uint64_t>::create(scratch.empty() ? "." : scratch, table.first_slot_.back()));
  MERIDIAN_TRY_DO(h5::write_attribute(file, kSequenceRows, static_cast<std::int64_t>(table.sequence_rows_)));
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

Result<std::uint64_t> EventTable::slot(const EventRef& call) const {
  const std::uint32_t at = location(call.rank, call.thread);
  if (at == kNoLocation || call.event >= first_slot_[at + 1] - first_slot_[at])
    return Error{Errc::damaged,
                 "rank " + std::to_string(call.rank) + " has no call " + std::to_string(call.event) + " of thread " +
                     std::to_string(call.thread),
                 ""};
  return first_slot_[at] + call.event;
}

void EventTable::begin_block(const EventRow& row) {
  if (written_ != 0) columns_.index_leave.push(latest_leave_ns_);
  latest_leave_ns_ = std::numeric_limits<std::int64_t>::min();
  columns_.index_enter.push(row.enter_ns);
  if (written_ % sequence_rows_ == 0)
    for (const std::uint64_t sequence : next_sequence_)
      columns_.index_sequence.push(static_cast<std::int64_t>(sequence));
}

Status EventTable::append(std::span<const EventRow> rows) {
  for (const EventRow& row : rows) {
    const std::uint32_t at = location(row.rank, row.thread);
    if (written_ % kIndexRows == 0) begin_block(row);
    MERIDIAN_TRY(const std::uint64_t slot, this->slot({row.rank, row.thread, row.sequence}));
    rows_[slot] = ++written_;
    columns_.step.push(row.enter_ns - last_enter_ns_);
    last_enter_ns_ = row.enter_ns;
    latest_leave_ns_ = std::max(latest_leave_ns_, row.enter_ns + row.duration_ns);
    columns_.duration.push(row.duration_ns);
    columns_.location.push(static_cast<std::int32_t>(at));
    columns_.skipped.push(static_cast<std::int64_t>(row.sequence - next_sequence_[at]));
    next_sequence_[at] = row.sequence + 1;
    columns_.call.push(row.call);
    columns_.flags.push(row.flags);
    columns_.comm.push(static_cast<std::int32_t>(row.comm));
    columns_.peer.push(row.peer);
    columns_.tag.push(row.tag);
    columns_.bytes_sent.push(static_cast<std::int64_t>(row.bytes_sent));
    columns_.bytes_received.push(static_cast<std::int64_t>(row.bytes_received));
    if (columns_.site) columns_.site->push(static_cast<std::int32_t>(paths_->paths()[row.path].site));
    if (columns_.path) columns_.path->push(static_cast<std::int32_t>(row.path));
    if (written_ % kReleaseEvery == 0) rows_.release_pages();
  }
  return columns_.each([](auto& column) { return column.store(); });
}

Status EventTable::finish() {
  if (written_ != 0) columns_.index_leave.push(latest_leave_ns_);
  return columns_.each([](auto& column) { return column.finish(); });
}

}  // namespace meridian
