#include "merger/match.hpp"

#include <limits>
#include <string_view>

#include "merger/call_tracker.hpp"
#include "merger/rank_cursor.hpp"
#include "merger/row_queue.hpp"
#include "merger/tournament.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kCountEvery = 1 << 16;  // calls
constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

/// A cancel takes effect between the ends of other calls, so then these have to be met in order.
bool may_cancel(const Trace& trace) {
  for (const RankFile* file : trace.files)
    for (const std::string& name : file->meta().call_names)
      if (name == "MPI_Cancel") return true;
  return false;
}

class Replay {
 public:
  Replay(Trace& trace, Matchers matchers, Findings& findings)
      : matchers_{matchers}, clocks_{trace.clocks.maps}, keys_{open(trace, findings), kEnd} {}

  /// Matches the next end of a call; false when there is none left.
  bool step(EventRow& row, bool& has_row) {
    if (keys_.is_over()) return false;
    const std::uint32_t rank = keys_.top();
    RankCursor& cursor = cursors_[rank];
    CallTracker& tracker = trackers_[rank];
    const Phase phase = cursor.phase();
    has_row = phase != Phase::leave;
    if (has_row) row = tracker.enter(cursor.call(), cursor.thread_index());
    if (phase != Phase::enter) tracker.leave(cursor.call(), cursor.thread_index());
    cursor.advance();
    if (cursor.is_over()) {
      keys_.end(rank);
      tracker.end();
      matchers_.messages.end_rank(rank);
      matchers_.collectives.end_rank(rank);
    } else {
      keys_.update(rank, clocks_[rank].to_global(cursor.ticks()));
    }
    return true;
  }

 private:
  std::vector<std::int64_t> open(Trace& trace, Findings& findings) {
    const bool is_split = may_cancel(trace);
    std::vector<std::int64_t> keys;
    cursors_.reserve(trace.files.size());
    for (std::uint32_t i = 0; i < trace.files.size(); ++i) {
      RankFile& file = *trace.files[i];
      const RankCursor& cursor = cursors_.emplace_back(file, is_split, findings);
      trackers_.emplace_back(CallTracker::Context{i, file.meta().rank, cursor.threads(), trace.unknown_call[i],
                                                  trace.clocks.maps[i], &trace.communicators.list,
                                                  &trace.communicators.resolvers[i], &findings, &matchers_});
      if (cursor.is_over()) {
        matchers_.messages.end_rank(i);
        matchers_.collectives.end_rank(i);
      }
      keys.push_back(cursor.is_over() ? kEnd : trace.clocks.maps[i].to_global(cursor.ticks()));
    }
    return keys;
  }

  Matchers matchers_;
  std::span<const ClockMap> clocks_;
  std::vector<RankCursor> cursors_;
  std::vector<CallTracker> trackers_;
  Tournament<std::int64_t> keys_;  // global time of each rank's next end
};

}  // namespace

Result<Matched> match(Trace& trace, const std::shared_ptr<TempFile>& scratch, Findings& findings, const RowSink& rows,
                      const CallCounter& counter) {
  Matched matched{TempSpool<MatchedMessage>{scratch}, TempSpool<CollectivePart>{scratch}, {}, {}, true};
  std::vector<std::size_t> comms;
  for (const CommResolver& resolver : trace.communicators.resolvers) comms.push_back(resolver.size());
  MessageMatcher messages{trace.rank_index, comms, matched.messages, findings};
  CollectiveMatcher collectives{trace.communicators.resolvers, trace.communicators.list.size(), matched.collectives,
                                findings};
  Replay replay{trace, {messages, collectives}, findings};
  RowQueue queue{rows};
  EventRow row;
  bool has_row = false;
  std::uint64_t calls = 0;
  while (replay.step(row, has_row)) {
    if (!has_row) continue;
    if (++calls % kCountEvery == 0) {
      counter(calls);
      matched.is_ordered = messages.reversed() + collectives.reversed() == 0;
    }
    if (matched.is_ordered) MERIDIAN_TRY_DO(queue.push(row));
  }
  MERIDIAN_TRY_DO(queue.flush());
  matched.message_totals = messages.finish();
  matched.collective_totals = collectives.finish();
  matched.is_ordered = matched.message_totals.reversed + matched.collective_totals.reversed == 0;
  MERIDIAN_TRY_DO(matched.messages.seal());
  MERIDIAN_TRY_DO(matched.collectives.seal());
  return matched;
}

}  // namespace meridian
