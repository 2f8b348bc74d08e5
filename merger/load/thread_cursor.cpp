// SPDX-License-Identifier: Apache-2.0
#include "merger/load/thread_cursor.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "trace/model/result.hpp"

namespace meridian {
namespace {

/// Whether the tables have all rows that the events refer to.
bool is_consistent(const EventBatch& batch) {
  const std::size_t rows = batch.payload.size();
  if (batch.enter_ticks.size() != rows || batch.leave_ticks.size() != rows || batch.call.size() != rows ||
      batch.flags.size() != rows || batch.completion_count.size() != rows)
    return false;
  std::uint64_t completions = 0;
  std::uint64_t sites = 0;
  std::array<std::uint64_t, 256> used{};
  for (std::size_t i = 0; i < rows; ++i) {
    completions += batch.completion_count[i];
    sites += (batch.flags[i] & kFlagSite) != 0;
    ++used[static_cast<std::uint8_t>(batch.payload[i])];
  }
  const auto uses = [&](Payload payload) { return used[static_cast<std::uint8_t>(payload)]; };
  return completions == batch.completions.size() && sites == batch.sites.size() &&
         (batch.nodes.empty() || sites == batch.nodes.size()) &&
         uses(Payload::p2p) + 2 * uses(Payload::sendrecv) == batch.p2p.size() &&
         uses(Payload::coll) == batch.coll.size() && uses(Payload::rma) == batch.rma.size() &&
         uses(Payload::io) == batch.io.size() && uses(Payload::handle) == batch.handles.size() &&
         uses(Payload::user) == batch.user.size() &&
         std::accumulate(batch.user.begin(), batch.user.end(), std::size_t{0},
                         [](std::size_t sum, const UserUse& use) { return sum + use.words; }) ==
             batch.user_values.size() &&
         uses(Payload::lock) == batch.locks.size() && uses(Payload::thread_op) == batch.thread_ops.size();
}

std::string name_of(const RankMeta& meta, std::uint32_t thread) {
  return "rank " + std::to_string(meta.rank) + " thread " + std::to_string(thread);
}

/// The longest accepted run, in ticks: 208 days of a counter at 4 GHz. Later times are damaged, and would overflow.
constexpr std::uint64_t kLongestRun = std::uint64_t{1} << 56;

/// The approximate time at which the rank began to record.
std::uint64_t begin_of(const RankMeta& meta) {
  if (!meta.anchors.empty()) return meta.anchors.front().before_ticks;
  std::uint64_t begin = UINT64_MAX;
  for (const SegmentRow& segment : meta.segments) begin = std::min(begin, segment.first_ticks);
  return begin == UINT64_MAX ? 0 : begin;
}

}  // namespace

ThreadSegments segments_by_thread(const RankMeta& meta) {
  ThreadSegments segments;
  for (std::size_t i = 0; i < meta.segments.size(); ++i) segments[meta.segments[i].thread].push_back(i);
  return segments;
}

ThreadCursor::ThreadCursor(RankFile& file, std::uint32_t thread, std::vector<std::size_t> segments, Findings& findings)
    : file_{&file}, findings_{&findings}, segments_{std::move(segments)} {
  call_.thread = thread;
  const std::uint64_t begin = begin_of(file.meta());
  earliest_ticks_ = begin - std::min(begin, kLongestRun);
  latest_ticks_ = begin + std::min(UINT64_MAX - begin, kLongestRun);
  advance();
}

bool ThreadCursor::load() {
  const RankMeta& meta = file_->meta();
  rows_ = next_row_ = 0;
  while (rows_ == 0) {
    if (next_segment_ == segments_.size()) {
      is_over_ = true;
      return false;
    }
    const SegmentRow& segment = meta.segments[segments_[next_segment_]];
    const Status status = file_->read(segments_[next_segment_++], batch_);
    if (status && batch_.payload.size() == segment.events && is_consistent(batch_)) {
      rows_ = batch_.payload.size();
      for (const Unreadable& lack : batch_.unreadable)
        findings_->add(FindingId::rank_damaged_columns, lack.count, name_of(meta, call_.thread) + ": " + lack.what);
      break;
    }
    next_event_ += segment.events;
    findings_->add(FindingId::rank_damaged, segment.events,
                   name_of(meta, call_.thread) + ": " +
                       (status ? "tables of a segment contradict each other" : status.error().what));
  }
  p2p_ = batch_.p2p.data();
  coll_ = batch_.coll.data();
  completions_ = batch_.completions.data();
  rma_ = batch_.rma.data();
  io_ = batch_.io.data();
  handle_ = batch_.handles.data();
  user_ = batch_.user.data();
  user_values_ = batch_.user_values.data();
  site_ = batch_.sites.data();
  node_ = batch_.nodes.empty() ? nullptr : batch_.nodes.data();
  lock_ = batch_.locks.data();
  thread_op_ = batch_.thread_ops.data();
  return true;
}

void ThreadCursor::take() {
  const std::size_t row = next_row_++;
  call_.call = batch_.call[row];
  call_.payload = batch_.payload[row];
  call_.flags = batch_.flags[row];
  call_.event = next_event_++;
  call_.enter_ticks = batch_.enter_ticks[row];
  call_.leave_ticks = batch_.leave_ticks[row];
  call_.p2p = p2p_;
  call_.coll = coll_;
  call_.completions = completions_;
  call_.completion_count = batch_.completion_count[row];
  call_.rma = rma_;
  call_.io = io_;
  call_.handle = handle_;
  call_.user = user_;
  call_.user_values = user_values_;
  call_.lock = lock_;
  call_.thread_op = thread_op_;
  switch (call_.payload) {
    case Payload::p2p:
      ++p2p_;
      break;
    case Payload::sendrecv:
      p2p_ += 2;
      break;
    case Payload::coll:
      ++coll_;
      break;
    case Payload::rma:
      ++rma_;
      break;
    case Payload::io:
      ++io_;
      break;
    case Payload::handle:
      ++handle_;
      break;
    case Payload::user:
      user_values_ += user_->words;
      ++user_;
      break;
    case Payload::lock:
      ++lock_;
      break;
    case Payload::thread_op:
      ++thread_op_;
      break;
    default:
      break;
  }
  completions_ += call_.completion_count;
  call_.site = call_.has(kFlagSite) ? *site_++ : 0;
  call_.node = call_.has(kFlagSite) && node_ != nullptr ? *node_++ : 0;
  if (call_.has(kFlagUnfinished)) call_.leave_ticks = call_.enter_ticks;
  if (call_.enter_ticks < earliest_ticks_) [[unlikely]] {
    findings_->add(FindingId::rank_time_backwards, 1, [&] { return name_of(file_->meta(), call_.thread); });
    call_.enter_ticks = earliest_ticks_;
  }
  call_.leave_ticks = std::max(call_.leave_ticks, call_.enter_ticks);
  if (call_.leave_ticks > latest_ticks_) [[unlikely]] {
    findings_->add(FindingId::rank_damaged, 1,
                   [&] { return name_of(file_->meta(), call_.thread) + ": an invalid time"; });
    call_.enter_ticks = std::min(call_.enter_ticks, latest_ticks_);
    call_.leave_ticks = latest_ticks_;
  }
  earliest_ticks_ = call_.leave_ticks;
}

}  // namespace meridian
