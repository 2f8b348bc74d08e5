// SPDX-License-Identifier: Apache-2.0
#include "merger/order/order_events.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "merger/load/rank_cursor.hpp"
#include "merger/match/calls/call_tracker.hpp"
#include "merger/match/row_queue.hpp"
#include "merger/model/event_row.hpp"
#include "merger/model/findings.hpp"
#include "trace/containers/tournament.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kOrderedPerDrain = 1 << 11;  // calls
constexpr std::uint64_t kOrderedPerCount = 1 << 16;
constexpr std::int64_t kAfterAll = std::numeric_limits<std::int64_t>::max();

/// Makes a rank's rows, thread by thread. The rank is replayed in the order of its own clock; rows of other threads are
/// kept until they are requested.
class RankRows {
 public:
  RankRows(RankFile& file, const RankContext& context)
      : findings_{std::make_unique<Findings>()},
        cursor_{file, false, *findings_},
        tracker_{[&] {
          RankContext own = context;
          own.threads = cursor_.threads();
          own.findings = findings_.get();
          return own;
        }()},
        ready_(cursor_.threads()) {}

  /// The next row of a thread, with times of the rank's own clock; false if there is none.
  bool next(std::uint32_t thread_index, EventRow& row) {
    std::deque<EventRow>& rows = ready_[thread_index];
    while (rows.empty()) {
      if (cursor_.is_over()) return false;
      const Phase phase = cursor_.phase();
      const std::uint32_t index = cursor_.thread_index();
      if (phase != Phase::leave) ready_[index].push_back(tracker_.enter(cursor_.call(), index));
      if (phase != Phase::enter) tracker_.leave(cursor_.call(), index);
      cursor_.advance();
    }
    row = rows.front();
    rows.pop_front();
    return true;
  }

 private:
  std::unique_ptr<Findings> findings_;  // already counted by match()
  RankCursor cursor_;
  CallTracker tracker_;
  std::vector<std::deque<EventRow>> ready_;  // [thread]
};

/// The calls of one thread: rows and times.
struct Stream {
  Stream(RankRows* rank_, std::uint32_t thread_index_) : rank{rank_}, thread_index{thread_index_} {}

  RankRows* rank;
  std::uint32_t thread_index;  // index in the rank file
  std::optional<TempSpoolReader<TimePair>> times;
  std::uint64_t next_time = 0;  // number of the call of the next times.next()
  EventRow row;

  /// Advances to the next call; false if there is none. Calls in damaged segments have no row, and are skipped.
  bool advance() {
    if (!rank->next(thread_index, row)) return false;
    if (!times) return true;
    const TimePair* time = nullptr;
    do {
      time = times->next();
    } while (time != nullptr && next_time++ < row.sequence);
    if (time == nullptr) return false;
    const std::int64_t before_ns = std::exchange(row.duration_ns, time->leave_ns - time->enter_ns);
    row.enter_ns = time->enter_ns;
    // The time inside the calls of a phase remains, as long as there is room for it.
    if (row.is_phase) {
      const std::int64_t inside_ns = std::min(before_ns - row.outside_ns(), row.duration_ns);
      row.bytes_received = static_cast<std::uint64_t>(row.duration_ns - inside_ns);
    }
    return true;
  }
};

}  // namespace

Status order_events(Trace& trace, std::vector<StreamTimes>& times, const RowSink& rows, const CallCounter& counter) {
  std::deque<RankRows> ranks;  // they do not move
  std::map<std::pair<std::int32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>> places;
  for (std::uint32_t i = 0; i < trace.files.size(); ++i) {
    RankFile& file = *trace.files[i];
    const RankMeta& meta = file.meta();
    ranks.emplace_back(file, RankContext{i, meta.rank, 0, trace.unknown_call[i], trace.clocks.maps[i],
                                         &trace.communicators.list, &trace.communicators.resolvers[i], nullptr, nullptr,
                                         nullptr, &trace.user, &trace.rank_sites[i]});
    for (std::uint32_t t = 0; t < meta.threads.size(); ++t) places[{meta.rank, meta.threads[t].thread}] = {i, t};
  }

  std::map<std::pair<std::int32_t, std::uint32_t>, StreamTimes*> moved;
  for (StreamTimes& stream : times) moved[{stream.rank, stream.thread}] = &stream;
  std::vector<Stream> streams;  // by (rank, thread), the order of ties
  std::vector<std::int64_t> keys;
  for (const auto& [name, place] : places) {
    Stream& stream = streams.emplace_back(&ranks[place.first], place.second);
    if (const auto at = moved.find(name); at != moved.end()) stream.times.emplace(at->second->times);
    keys.push_back(stream.advance() ? stream.row.enter_ns : kAfterAll);
  }
  if (keys.empty()) return {};

  Tournament<std::int64_t> order{std::move(keys), kAfterAll};
  RowQueue queue{rows};
  for (std::uint64_t calls = 1; !order.is_over(); ++calls) {
    const std::uint32_t top = order.top();
    Stream& stream = streams[top];
    queue.push(stream.row);
    if (calls % kOrderedPerDrain == 0) MERIDIAN_TRY_DO(queue.drain());
    if (stream.advance())
      order.update(top, stream.row.enter_ns);
    else
      order.end(top);
    if (calls % kOrderedPerCount == 0) counter(calls);
  }
  for (const Stream& stream : streams)
    if (stream.times) MERIDIAN_TRY_DO(stream.times->status());
  return queue.flush();
}

}  // namespace meridian
