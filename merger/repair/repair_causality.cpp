// SPDX-License-Identifier: Apache-2.0
#include "merger/repair/repair_causality.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "merger/load/thread_cursor.hpp"
#include "merger/model/clocks.hpp"
#include "merger/model/findings.hpp"
#include "merger/model/recording_costs.hpp"
#include "merger/repair/remove_overhead.hpp"
#include "merger/repair/repair_streams.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

/// A rank's threads by number with the counts of their calls; their rows follow those of the streams before.
std::vector<RepairStream> streams_of(const RankMeta& meta, std::uint32_t chain, std::uint64_t first_row) {
  std::map<std::uint32_t, std::uint64_t> events;
  for (const SegmentRow& segment : meta.segments) events[segment.thread] += segment.events;
  std::vector<RepairStream> streams;
  for (const auto& [thread, count] : events) {
    streams.push_back({meta.rank, thread, chain, first_row, count});
    first_row += count;
  }
  return streams;
}

/// Global times of one thread's calls, computed as in every other pass.
void read_times(RankFile& file, const ClockMap& clock, const RepairStream& stream, std::vector<std::size_t> segments,
                MappedArray<TimePair>& times) {
  Findings seen_before;
  std::uint64_t next = 0;
  std::int64_t before = 0;
  const auto fill_up_to = [&](std::uint64_t event) {  // rows that are not calls of their own
    for (; next < event; ++next) times[stream.first + next] = {before, before};
  };
  ThreadCursor cursor{file, stream.thread, std::move(segments), seen_before};
  if (!cursor.is_over()) before = clock.to_global(cursor.call().enter_ticks);
  for (; !cursor.is_over(); cursor.advance()) {
    const Call& call = cursor.call();
    fill_up_to(std::min(call.event, stream.events));
    if (next == stream.events) break;
    times[stream.first + next++] = {clock.to_global(call.enter_ticks), clock.to_global(call.leave_ticks)};
    before = clock.to_global(call.leave_ticks);
    if (next % kRowsBetweenReleases == 0) times.release_pages();
  }
  fill_up_to(stream.events);
}

/// Whether another order of events could have given the call another outcome.
bool depends_on_chance(const Call& call) {
  const CallFacts& role = facts_of(call.call);
  const bool is_question = role.role == Role::complete || role.role == Role::look_at || role.role == Role::probe ||
                           role.role == Role::mprobe;
  if (role.blocks == Blocks::for_any || (is_question && role.blocks == Blocks::no)) return true;
  if (call.p2p == nullptr || (call.payload != Payload::p2p && call.payload != Payload::sendrecv)) return false;
  const PointToPoint& received = call.payload == Payload::sendrecv ? call.p2p[1] : call.p2p[0];
  return received.peer == kAnySource;
}

/// Takes the cost of recording from the calls of a thread and the pauses between them.
class CostTaker {
 public:
  CostTaker(const RecordingCosts& costs, RemovedOverhead& sums) : costs_{costs}, sums_{sums} {}

  TimePair take(const Call& call, const TimePair& was) {
    if (depends_on_chance(call)) ++sums_.chance;
    // Of polls, whose time is a wait, nothing.
    const bool is_phase = call.payload == Payload::polls;
    const RecordingCost cost = is_phase ? RecordingCost{} : costs_.of(call.call, call.has(kFlagCounters));
    TimePair now;
    now.enter_ns =
        last_now_ + less(was.enter_ns - last_was_, outside_due_ + cost.all_ns - cost.inside_ns, outside_due_);
    now.leave_ns = now.enter_ns + less(was.leave_ns - was.enter_ns, inside_due_ + cost.inside_ns, inside_due_);
    if (cost.all_ns > 0) ++sums_.calls;
    last_was_ = was.leave_ns;
    last_now_ = now.leave_ns;
    return now;
  }
  void begin(std::int64_t ns) { last_was_ = last_now_ = ns; }
  std::int64_t last_now() const { return last_now_; }

 private:
  /// `length` without whole nanoseconds of `due`; what is left of them below one is due next time.
  std::int64_t less(std::int64_t length, double due, double& left) {
    const auto whole = static_cast<std::int64_t>(due);
    left = due - static_cast<double>(whole);
    const std::int64_t taken = std::clamp<std::int64_t>(whole, 0, std::max<std::int64_t>(length, 0));
    sums_.removed_ns += static_cast<double>(taken);
    return length - taken;
  }

  RecordingCosts costs_;
  RemovedOverhead& sums_;
  std::int64_t last_was_ = 0, last_now_ = 0;
  double outside_due_ = 0, inside_due_ = 0;  // ns, below 1
};

/// The times of the calls without the cost of their recording (remove_overhead()).
Result<MappedArray<TimePair>> times_without_costs(std::span<RankFile* const> ranks, const Clocks& clocks,
                                                  const RepairInput& input, const std::filesystem::path& scratch,
                                                  RemovedOverhead& sums) {
  MERIDIAN_TRY(auto without, MappedArray<TimePair>::create(scratch, input.times.size()));
  std::vector<std::uint32_t> threads(ranks.size(), 0);
  for (const RepairStream& stream : input.streams) ++threads[stream.chain];
  for (const RepairStream& stream : input.streams) {
    RankFile& file = *ranks[stream.chain];
    const bool is_first = &stream == input.streams.data() || (&stream)[-1].chain != stream.chain;
    const bool is_kept = threads[stream.chain] > 1;
    const RecordingCosts costs = recording_costs(file.meta(), clocks.maps[stream.chain]);
    if (is_first && is_kept) ++sums.kept_ranks;
    if (is_first && !(costs.call.all_ns > 0)) ++sums.unmeasured_ranks;
    CostTaker taker{is_kept ? RecordingCosts{} : costs, sums};
    Findings seen_before;
    ThreadSegments segments = segments_by_thread(file.meta());
    std::uint64_t next = 0;
    ThreadCursor cursor{file, stream.thread, std::move(segments[stream.thread]), seen_before};
    const auto fill_up_to = [&](std::uint64_t event) {
      for (; next < event; ++next) without[stream.first + next] = {taker.last_now(), taker.last_now()};
    };
    if (stream.events > 0) taker.begin(input.times[stream.first].enter_ns);
    for (; !cursor.is_over(); cursor.advance()) {
      fill_up_to(std::min(cursor.call().event, stream.events));
      if (next == stream.events) break;
      without[stream.first + next] = taker.take(cursor.call(), input.times[stream.first + next]);
      if (++next % kRowsBetweenReleases == 0) {
        without.release_pages();
        input.times.release_pages();
      }
    }
    fill_up_to(stream.events);
  }
  return without;
}

}  // namespace

Result<Repaired> repair_causality(std::span<RankFile* const> ranks, const Clocks& clocks,
                                  TempSpool<MatchedMessage>& messages, TempSpool<CollectivePart>& collectives,
                                  const std::shared_ptr<TempFile>& scratch, bool removes_overhead) {
  MERIDIAN_CHECK(clocks.maps.size() == ranks.size());
  RepairInput input;
  std::uint64_t rows = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    for (const RepairStream& stream : streams_of(ranks[r]->meta(), static_cast<std::uint32_t>(r), rows)) {
      input.streams.push_back(stream);
      rows = stream.first + stream.events;
    }
  MERIDIAN_TRY(input.times, MappedArray<TimePair>::create(scratch->directory(), rows));
  ThreadSegments segments;
  const RankFile* file = nullptr;  // that they are of
  for (const RepairStream& stream : input.streams) {
    RankFile& rank = *ranks[stream.chain];
    if (&rank != std::exchange(file, &rank)) segments = segments_by_thread(rank.meta());
    read_times(rank, clocks.maps[stream.chain], stream, std::move(segments[stream.thread]), input.times);
  }
  RemovedOverhead overhead;
  if (removes_overhead) {
    MERIDIAN_TRY(const auto without, times_without_costs(ranks, clocks, input, scratch->directory(), overhead));
    MERIDIAN_TRY_DO(remove_overhead(input, without, messages, collectives, scratch->directory()));
  }
  MERIDIAN_TRY(Repaired repaired, repair_streams(std::move(input), clocks, messages, collectives, scratch));
  repaired.overhead = overhead;
  return repaired;
}

}  // namespace meridian
