// SPDX-License-Identifier: Apache-2.0
#include "live/activity.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "trace/model/call_facts.hpp"
#include "trace/model/event.hpp"
#include "trace/model/system_clock.hpp"
#include "trace/records/known_calls.hpp"
#include "trace/records/poll_phase.hpp"
#include "trace/records/record.hpp"
#include "trace/ring/ring_clock.hpp"

namespace meridian {
namespace {

/// Bytes that a call sends, puts or writes.
std::uint64_t bytes_out(CallId call, Payload payload, const std::uint64_t* body, std::uint64_t words) {
  const auto fits = [&](std::uint64_t needed) { return words >= needed; };
  switch (payload) {
    case Payload::p2p:
    case Payload::sendrecv: {
      if (!fits(words_of<PointToPoint>)) return 0;
      const Role role = facts_of(call).role;
      if (role != Role::send && role != Role::isend && role != Role::sendrecv && role != Role::isendrecv) return 0;
      const auto message = load_words<PointToPoint>(body);
      return message.peer == kProcNull || message.count < 0
                 ? 0
                 : static_cast<std::uint64_t>(message.count) * message.type_size;
    }
    case Payload::coll:
      return fits(words_of<Collective>) ? load_words<Collective>(body).send_bytes : 0;
    case Payload::rma:
      return fits(words_of<Rma>) && facts_of(call).role != Role::get ? load_words<Rma>(body).bytes : 0;
    case Payload::io:
      return fits(words_of<FileAccess>) && facts_of(call).role != Role::get ? load_words<FileAccess>(body).bytes : 0;
    default:
      return 0;
  }
}

}  // namespace

struct ActivityReader::Window {
  std::uint64_t begin = 0;  // ticks
  std::uint64_t end = 0;
  std::uint64_t reaches = 0;  // all records from here on are known
  std::uint64_t mpi = 0;      // ticks in calls
  std::uint64_t under_way = 0;
  RankActivity activity;
};

RankActivity ActivityReader::look() {
  Window window;
  RankActivity& activity = window.activity;
  activity.world = world_;
  activity.rank = ring_.world_rank();
  activity.host = ring_.hostname();
  activity.is_alive = ring_.is_process_alive();
  const std::int64_t ns = system_clock_ns(CLOCK_MONOTONIC);
  // The clock of a test is near the one that it distorts.
  window.end = ticks_now(ring_.clock() == ClockKind::warped ? ClockKind::monotonic_raw : ring_.clock());
  window.begin = last_ticks_;
  window.reaches = window.begin;
  for (std::uint32_t slot = 0; slot < ring_.geometry().slot_count; ++slot) look_at_slot(slot, window);
  const bool is_first = last_ticks_ == 0;
  const double ticks = static_cast<double>(window.end - last_ticks_);
  const double s_per_tick = is_first || ticks <= 0 ? 0 : static_cast<double>(ns - last_ns_) * 1e-9 / ticks;
  activity.window_s = static_cast<double>(window.end - std::min(window.reaches, window.end)) * s_per_tick;
  activity.mpi_s = static_cast<double>(window.mpi) * s_per_tick;
  activity.since_s = static_cast<double>(window.under_way) * s_per_tick;
  last_ticks_ = window.end;
  last_ns_ = ns;
  return activity;
}

/// Counts those polls of a phase that were not counted before; it may be growing.
void ActivityReader::count_polls(std::uint32_t slot, std::uint64_t position, const Record& record, Window& window) {
  const auto phase = poll_phase(record);
  if (!phase) return;
  Polls now{.position = position};
  for (const PollEvent& event : *phase) {
    now.calls += event.row.calls;
    now.ticks += event.row.inside_ticks;
  }
  const Polls before = std::exchange(polls_[slot], now);
  const bool is_same = before.position == position;
  if (window.begin == 0) return;  // the first reading
  const bool is_nested = ring_.slot(slot).kernel_tid == 0;
  window.activity.calls += static_cast<double>(now.calls - (is_same ? std::min(before.calls, now.calls) : 0));
  if (!is_nested) window.mpi += now.ticks - (is_same ? std::min(before.ticks, now.ticks) : 0);
}

void ActivityReader::look_at_slot(std::uint32_t slot, Window& window) {
  const auto& geometry = ring_.geometry();
  const std::uint64_t head = ring_.slot(slot).head.load(std::memory_order_acquire);
  if (head == 0 || head % kWordBytes != 0) return;
  const bool is_first = window.begin == 0;
  const bool is_nested = ring_.slot(slot).kernel_tid == 0;  // in the time of the calls around them
  const std::uint64_t oldest =
      head > geometry.ring_bytes - geometry.block_bytes
          ? (head - geometry.ring_bytes) / geometry.block_bytes * geometry.block_bytes + 2 * geometry.block_bytes
          : 0;
  std::uint64_t at = is_first ? head : std::max(seen_[slot], std::min(oldest, head));
  const bool is_cut = !is_first && at != seen_[slot];  // the ring no longer holds everything that was stored
  seen_[slot] = head;
  bool has_called = false;
  bool is_start = is_cut;
  KnownCalls calls;
  while (at < head) {
    // From the beginning of the block on, because small records refer to others of their block.
    const std::uint64_t block = at - at % geometry.block_bytes;
    const std::uint64_t end = std::min(head, block + geometry.block_bytes);
    words_.resize((end - block) / kWordBytes);
    if (!ring_.read(slot, block, words_)) return;
    // Overwritten in the meantime: the rest cannot be trusted, and what follows is newer.
    const bool is_gone = ring_.slot(slot).head.load(std::memory_order_acquire) >= block + geometry.ring_bytes;
    calls.clear();
    std::uint64_t last_ticks = 0;
    for (std::span<const std::uint64_t> left{words_}; !is_gone && !left.empty();) {
      const std::uint64_t position = end - left.size_bytes();
      const Cut cut = calls.cut(left, (block + geometry.block_bytes - position) / kWordBytes, last_ticks);
      if (cut.kind != Cut::Kind::record) break;
      left = left.subspan(cut.words);
      const RecordHead& record = cut.record.head;
      last_ticks = record.leave_ticks;
      if (position < at || !is_call(cut.record.payload()) || !is_mpi(static_cast<CallId>(record.header.call))) continue;
      if (is_start) window.reaches = std::max(window.reaches, record.enter_ticks);
      is_start = false;
      has_called = !is_nested;
      if (cut.record.payload() == Payload::polls) {
        count_polls(slot, position, cut.record, window);
        continue;
      }
      const std::uint64_t begin = std::max(record.enter_ticks, window.begin);
      const std::uint64_t leave = std::min(record.leave_ticks, window.end);
      if (leave > begin && !is_nested) window.mpi += leave - begin;
      window.activity.calls += 1;
      window.activity.bytes += bytes_out(static_cast<CallId>(record.header.call), cut.record.payload(),
                                         cut.record.body(), cut.record.body_words());
    }
    if (is_gone) is_start = true;
    at = end;
  }
  // The call in progress.
  if (head % geometry.block_bytes != 0 && geometry.block_bytes - head % geometry.block_bytes >= sizeof(RecordHead)) {
    words_.resize(words_of<RecordHead>);
    if (ring_.read(slot, head, words_) && words_[0] != 0 && !is_small(words_[0]) &&
        ring_.slot(slot).head.load(std::memory_order_acquire) == head) {
      const RecordHead record = whole_head(words_.data());
      const auto call = static_cast<CallId>(record.header.call);
      if (is_mpi(call) && !is_nested && record.enter_ticks < window.end) {
        has_called = true;
        const std::uint64_t begin = std::max(record.enter_ticks, window.begin);
        const std::uint64_t left = (geometry.block_bytes - head % geometry.block_bytes) / kWordBytes;
        if (static_cast<Payload>(record.header.payload) != Payload::polls) {
          if (!is_first) window.mpi += window.end - begin;
        } else if (record.header.words >= words_of<RecordHead> && record.header.words <= left) {
          words_.resize(record.header.words);
          if (ring_.read(slot, head, words_)) count_polls(slot, head, {record, words_}, window);
        }
        if (window.end - record.enter_ticks >= window.under_way) {
          window.under_way = window.end - record.enter_ticks;
          window.activity.call = call;
        }
      }
    }
  }
  window.activity.threads += has_called ? 1 : 0;
}

}  // namespace meridian
