// SPDX-License-Identifier: Apache-2.0
#include "merger/match/match.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <string_view>

#include "merger/load/rank_cursor.hpp"
#include "merger/match/calls/call_tracker.hpp"
#include "merger/match/collectives/collective_alignment.hpp"
#include "merger/match/row_queue.hpp"
#include "merger/match/slice_rows.hpp"
#include "merger/model/event_row.hpp"
#include "trace/containers/tournament.hpp"
#include "trace/format/rank/rank_end.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kDrainEvery = 1 << 11;  // calls
constexpr std::uint64_t kCountEvery = 1 << 16;
constexpr std::uint64_t kLeastInSlice = 1 << 11;  // calls
constexpr std::uint64_t kOfRankInSlice = 16;      // calls, on average
constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

/// A cancel takes effect between the ends of other calls, so both ends have to be replayed in order.
bool may_cancel(const Trace& trace) {
  for (const RankFile* file : trace.files)
    for (const std::string& name : file->meta().call_names)
      if (name == "MPI_Cancel") return true;
  return false;
}

/// [ranks]: several threads send or receive. Which message a receive got can then depend on all calls until it returned.
std::vector<bool> racing_ranks(const Trace& trace) {
  std::vector<bool> races;
  for (const RankFile* file : trace.files) {
    std::optional<std::uint32_t> thread;
    bool is_racing = false;
    for (const SegmentRow& segment : file->meta().segments) {
      if (segment.p2p + segment.completions == 0) continue;
      is_racing = is_racing || thread.value_or(segment.thread) != segment.thread;
      thread = segment.thread;
    }
    races.push_back(is_racing);
  }
  return races;
}

/// Messages and collectives are matched by identity, so that ranks may be replayed one after the other for a while. Not
/// where times decide: cancels, races, gaps of the recording, locks of windows.
bool needs_order_of_time(const Trace& trace) {
  return may_cancel(trace) || trace.gaps.has_gaps || !trace.objects.window_members.empty() ||
         std::ranges::count(racing_ranks(trace), true) != 0;
}

class Replay {
 public:
  /// awaited  receives the waits of threads
  Replay(Trace& trace, Matchers matchers, std::vector<LockTable>& locks, std::vector<LockOrder>& lock_orders,
         std::vector<AwaitedCall>& awaited, Findings& findings)
      : matchers_{matchers},
        locks_{locks},
        lock_orders_{lock_orders},
        threads_{awaited_threads(trace, awaited)},
        clocks_{trace.clocks.maps},
        races_{racing_ranks(trace)},
        keys_{open(trace, findings), kEnd} {}

  bool is_over() const noexcept { return keys_.is_over(); }
  /// Global time of the next end of a call.
  std::int64_t next_ns() const noexcept { return keys_.top_key(); }

  /// Replays calls of the rank that is next until `end_ns`, at least one end, at most `most` ends. Returns where it
  /// stopped.
  ///
  /// store  void(const EventRow&)
  template <class Store>
  std::int64_t run(std::int64_t end_ns, std::uint64_t most, Store&& store) {
    const std::uint32_t rank = keys_.top();
    RankCursor& cursor = cursors_[rank];
    CallTracker& tracker = trackers_[rank];
    std::int64_t next_ns = kEnd;
    for (std::uint64_t ends = 1;; ++ends) {
      const Phase phase = cursor.phase();
      if (races_[rank]) matchers_.messages.advance(rank, cursor.ticks());
      if (phase != Phase::leave) store(tracker.enter(cursor.call(), cursor.thread_index()));
      if (phase != Phase::enter) tracker.leave(cursor.call(), cursor.thread_index());
      cursor.advance();
      if (cursor.is_over()) {
        end(rank);
        return kEnd;
      }
      next_ns = clocks_[rank].to_global(cursor.ticks());
      if (next_ns >= end_ns || ends >= most) break;
    }
    keys_.update(rank, next_ns);
    return next_ns;
  }

 private:
  void end(std::uint32_t rank) {
    keys_.end(rank);
    trackers_[rank].end();
    if (threads_[rank]) threads_[rank]->end();
    matchers_.messages.end_rank(rank);
    matchers_.user_messages.end_rank(rank);
    matchers_.collectives.end_rank(rank);
  }

  /// [ranks]; only ranks with several threads have them.
  static std::vector<std::optional<AwaitedThreads>> awaited_threads(const Trace& trace,
                                                                    std::vector<AwaitedCall>& awaited) {
    std::vector<std::optional<AwaitedThreads>> threads(trace.files.size());
    for (std::size_t i = 0; i < threads.size(); ++i)
      if (const RankMeta& meta = trace.files[i]->meta(); meta.threads.size() > 1) threads[i].emplace(meta, awaited);
    return threads;
  }

  std::vector<std::int64_t> open(Trace& trace, Findings& findings) {
    const bool may_race = std::ranges::find(races_, true) != races_.end();
    const bool is_split = may_cancel(trace) || may_race;
    if (may_race) matchers_.messages.set_racing(races_);
    std::vector<std::int64_t> keys;
    for (RankFile* file : trace.files) announce_first_segments(*file);
    cursors_.reserve(trace.files.size());
    for (std::uint32_t i = 0; i < trace.files.size(); ++i) {
      RankFile& file = *trace.files[i];
      const RankCursor& cursor = cursors_.emplace_back(file, is_split, findings);
      trackers_.emplace_back(
          RankContext{i, file.meta().rank, cursor.threads(), trace.unknown_call[i], trace.clocks.maps[i],
                      &trace.communicators.list, &trace.communicators.resolvers[i], &findings, &locks_[i], &matchers_,
                      &trace.user, &trace.rank_sites[i], &trace.gaps.ranks[i], rank_end_of(file.meta()).ticks,
                      threads_[i] ? &*threads_[i] : nullptr, threads_[i] ? &lock_orders_[i] : nullptr});
      if (cursor.is_over()) {
        matchers_.messages.end_rank(i);
        matchers_.user_messages.end_rank(i);
        matchers_.collectives.end_rank(i);
      }
      keys.push_back(cursor.is_over() ? kEnd : trace.clocks.maps[i].to_global(cursor.ticks()));
    }
    if (trace.gaps.begins_late) {
      for (std::uint32_t i = 0; i < trace.files.size(); ++i) trackers_[i].begin_after(trace.files[i]->meta());
      matchers_.messages.begin();
      matchers_.collectives.begin();
    }
    return keys;
  }

  Matchers matchers_;
  std::vector<LockTable>& locks_;
  std::vector<LockOrder>& lock_orders_;
  std::vector<std::optional<AwaitedThreads>> threads_;  // [ranks]
  std::span<const ClockMap> clocks_;
  std::vector<bool> races_;  // [ranks]
  std::vector<RankCursor> cursors_;
  std::deque<CallTracker> trackers_;  // they do not move
  Tournament<std::int64_t> keys_;     // global time of each rank's next end
};

/// Chooses the lengths of slices of time, so that each has about as many calls as asked for.
class SliceLength {
 public:
  /// calls  0: a slice is one end of a call
  explicit SliceLength(std::uint64_t calls) : calls_{calls} {}

  bool is_one_call() const noexcept { return calls_ == 0; }
  std::int64_t end_ns(std::int64_t begin_ns) const noexcept {
    return begin_ns > kEnd - length_ns_ ? kEnd : begin_ns + length_ns_;
  }
  /// Bounds memory where one rank makes very many calls at once.
  std::uint64_t most_of_rank(std::size_t ranks) const noexcept { return is_one_call() ? 1 : 8 * calls_ / ranks; }
  /// calls  of the last slice
  void adapt(std::uint64_t calls) noexcept {
    if (is_one_call()) return;
    if (calls < calls_ / 2) length_ns_ = std::min(2 * length_ns_, kLongestNs);
    if (calls > 2 * calls_) length_ns_ = std::max<std::int64_t>(length_ns_ / 2, 1);
  }

 private:
  static constexpr std::int64_t kLongestNs = std::int64_t{1} << 40;
  std::uint64_t calls_;
  std::int64_t length_ns_ = 1 << 16;
};

/// Passes the rows to the sink.
template <class Row>
Status drain(std::vector<Row>& rows, const std::function<Status(std::span<const Row>)>& sink) {
  if (sink && !rows.empty()) MERIDIAN_TRY_DO(sink(rows));
  rows.clear();
  return {};
}

}  // namespace

Result<Matched> match(Trace& trace, MatchUntil until, const MatchSinks& sinks, Findings& findings,
                      const CallCounter& counter) {
  std::vector<std::size_t> comms;
  for (const CommResolver& resolver : trace.communicators.resolvers) comms.push_back(resolver.size());
  std::vector<MatchedMessage> message_rows;
  std::vector<CollectivePart> part_rows;
  MessageMatcher messages{trace.rank_index, comms, message_rows, findings};
  messages.set_domains(trace.clocks.domain_of);
  CollectiveMatcher collectives{trace.communicators.resolvers, trace.communicators.list.size(), part_rows, findings};
  collectives.set_starts(find_collective_starts(trace));
  std::vector<bool> cut;
  for (const RankFile* file : trace.files) cut.push_back(!file->meta().is_finalized);
  if (std::ranges::find(cut, true) != cut.end()) collectives.expect_cuts();
  messages.set_cut(std::move(cut));
  const auto has = [&findings](FindingId id) { return findings.count(id) != 0; };
  if (has(FindingId::rank_untraced) && !has(FindingId::rank_missing) && !has(FindingId::rank_unreadable))
    messages.set_partners_untraced();
  const std::vector<std::size_t> layers(trace.files.size(),
                                        trace.user.layers.empty() ? 0 : trace.user.layers[0].size());
  MessageMatcher user_messages{trace.rank_index, layers, message_rows, findings};
  std::vector<ValueTotals> counters(trace.user.list.size());
  ObjectTotals objects{trace.objects};
  std::vector<LockTable> locks(trace.files.size());
  std::vector<LockOrder> lock_orders(trace.files.size());
  std::vector<AwaitedCall> awaited_rows;
  collectives.set_sources(trace.communicators.sources, awaited_rows);
  WindowWaits windows{trace, awaited_rows};
  FileWaits files{trace, awaited_rows};
  Replay replay{trace,        {messages, collectives, user_messages, counters, objects, windows, files},
                locks,        lock_orders,
                awaited_rows, findings};
  RowQueue queue{sinks.rows};
  SliceRows slice;
  SliceLength length{needs_order_of_time(trace) ? 0 : std::max(kLeastInSlice, kOfRankInSlice * trace.files.size())};
  const std::uint64_t most = length.most_of_rank(trace.files.size());
  std::uint64_t calls = 0, drained = 0, counted = 0;
  const auto store = [&](const EventRow& row) {
    ++calls;
    if (!sinks.rows) return;
    if (length.is_one_call())
      queue.push(row);
    else
      slice.push(row);
  };
  while (!replay.is_over()) {
    const std::uint64_t before = calls;
    std::int64_t end_ns = length.end_ns(replay.next_ns());
    do {
      end_ns = std::min(end_ns, replay.run(end_ns, most, store));
    } while (replay.next_ns() < end_ns);
    if (!length.is_one_call()) slice.pass_on(replay.next_ns(), queue);
    length.adapt(calls - before);
    if (calls - drained < kDrainEvery) continue;
    drained = calls;
    if (until == MatchUntil::reversed && messages.reversed() + collectives.reversed() + user_messages.reversed() != 0)
      break;
    MERIDIAN_TRY_DO(queue.drain());
    MERIDIAN_TRY_DO(drain(message_rows, sinks.messages));
    MERIDIAN_TRY_DO(drain(part_rows, sinks.parts));
    MERIDIAN_TRY_DO(drain(messages.open_sends().awaited(), sinks.awaited));
    MERIDIAN_TRY_DO(drain(awaited_rows, sinks.awaited));
    if (calls - counted < kCountEvery) continue;
    counted = calls;
    counter(calls);
  }
  MERIDIAN_TRY_DO(queue.flush());
  windows.end();
  Matched matched{messages.finish(),  collectives.finish(), user_messages.finish(), std::move(counters),
                  std::move(objects), windows.locks(),      std::move(locks),       std::move(lock_orders)};
  MERIDIAN_TRY_DO(drain(message_rows, sinks.messages));
  MERIDIAN_TRY_DO(drain(part_rows, sinks.parts));
  MERIDIAN_TRY_DO(drain(messages.open_sends().awaited(), sinks.awaited));
  MERIDIAN_TRY_DO(drain(awaited_rows, sinks.awaited));
  return matched;
}

}  // namespace meridian
