// SPDX-License-Identifier: Apache-2.0
#include "merger/load/thread_cursor.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "trace/format/rank/batch_rows.hpp"
#include "trace/format/rank/rank_end.hpp"
#include "trace/model/result.hpp"

namespace meridian {
namespace {

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

/// When the thread ended, or otherwise the rank, as far as it is known.
std::uint64_t end_of(const RankMeta& meta, std::uint32_t thread) {
  for (const ThreadRow& row : meta.threads)
    if (row.thread == thread && row.end_ticks != 0) return row.end_ticks;
  if (const std::uint64_t ticks = rank_end_of(meta).ticks; ticks != 0) return ticks;
  return meta.anchors.empty() ? 0 : meta.anchors.back().before_ticks;
}

}  // namespace

ThreadSegments segments_by_thread(const RankMeta& meta) {
  ThreadSegments segments;
  for (std::size_t i = 0; i < meta.segments.size(); ++i) segments[meta.segments[i].thread].push_back(i);
  return segments;
}

void announce_first_segments(RankFile& file) {
  for (const auto& [thread, segments] : segments_by_thread(file.meta())) file.announce(segments.front());
}

ThreadCursor::ThreadCursor(RankFile& file, std::uint32_t thread, std::vector<std::size_t> segments, Findings& findings)
    : file_{&file}, findings_{&findings}, segments_{std::move(segments)} {
  call_.thread = thread;
  const std::uint64_t begin = begin_of(file.meta());
  earliest_ticks_ = begin - std::min(begin, kLongestRun);
  end_ticks_ = end_of(file.meta(), thread);
  latest_ticks_ = begin + std::min(UINT64_MAX - begin, kLongestRun);
  advance();
}

bool ThreadCursor::load() {
  rows_ = next_row_ = 0;
  while (rows_ == 0) {
    const bool is_first = pieces_.left() == 0;
    if (is_first && next_segment_ == segments_.size()) {
      is_over_ = true;
      return false;
    }
    if (is_first) pieces_ = file_->pieces(segments_[next_segment_++]);
    const std::uint64_t left = pieces_.left();
    const Status status = file_->read(pieces_, batch_);
    if (status && batch_.payload.size() == left - pieces_.left() && has_all_rows(batch_)) {
      rows_ = batch_.payload.size();
      for (const Unreadable& lack : batch_.unreadable) {
        if (is_first)
          findings_->add(FindingId::rank_damaged_columns, lack.count,
                         name_of(file_->meta(), call_.thread) + ": " + lack.what);
        else
          findings_->add(FindingId::rank_damaged_columns, lack.count);
      }
      if (pieces_.left() == 0 && next_segment_ < segments_.size()) file_->announce(segments_[next_segment_]);
      break;
    }
    pieces_ = {};
    next_event_ += left;
    findings_->add(FindingId::rank_damaged, left,
                   name_of(file_->meta(), call_.thread) + ": " +
                       (status ? "tables of a segment contradict each other" : status.error().what));
  }
  call_.payload = Payload::local;  // no rows to skip
  call_.completion_count = 0;
  call_.completions = batch_.completions.data();
  call_.user_values = batch_.user_values.data();
  site_ = batch_.sites.data();
  node_ = batch_.nodes.empty() ? nullptr : batch_.nodes.data();
#define MERIDIAN_EVENT(name, Row, table) call_.name = batch_.table.data();
#define MERIDIAN_PAIR(payload, of, Row, table)
#define MERIDIAN_OTHER(payload, Body)
#include "trace/model/payloads.def"
  return true;
}

void ThreadCursor::skip_rows() {
  call_.completions += call_.completion_count;
  if (call_.payload == Payload::user) call_.user_values += call_.user->words;
  switch (call_.payload) {
#define MERIDIAN_EVENT(name, Row, table) \
  case Payload::name:                    \
    ++call_.name;                        \
    break;
#define MERIDIAN_PAIR(name, of, Row, table) \
  case Payload::name:                       \
    call_.of += 2;                          \
    break;
#define MERIDIAN_OTHER(name, Body)
#include "trace/model/payloads.def"
    default:
      break;
  }
}

/// Threads of a team wait in the OpenMP library until they have another share or end: that is no call that never returned, and
/// no call that was left.
void ThreadCursor::end_idle() {
  constexpr int kEnds = kFlagUnfinished | kFlagAbandoned | kFlagFailed;
  if (call_.has(kFlagUnfinished)) {
    if (end_ticks_ <= call_.enter_ticks) return;
    call_.leave_ticks = end_ticks_;
  }
  call_.flags = static_cast<std::uint8_t>(call_.flags & ~kEnds);
}

void ThreadCursor::take() {
  skip_rows();
  const std::size_t row = next_row_++;
  call_.call = batch_.call[row];
  call_.payload = batch_.payload[row];
  call_.flags = batch_.flags[row];
  call_.event = next_event_++;
  call_.enter_ticks = batch_.enter_ticks[row];
  call_.leave_ticks = batch_.leave_ticks[row];
  call_.completion_count = batch_.completion_count[row];
  call_.site = call_.has(kFlagSite) ? *site_++ : 0;
  call_.node = call_.has(kFlagSite) && node_ != nullptr ? *node_++ : 0;
  if (call_.call == CallId::omp_implicit_barrier) end_idle();
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
