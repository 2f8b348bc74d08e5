// SPDX-License-Identifier: Apache-2.0
#include "merger/repair/repair_causality.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "merger/load/thread_cursor.hpp"
#include "merger/model/clocks.hpp"
#include "merger/model/findings.hpp"
#include "merger/repair/repair_streams.hpp"

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

}  // namespace

Result<Repaired> repair_causality(std::span<RankFile* const> ranks, const Clocks& clocks,
                                  TempSpool<MatchedMessage>& messages, TempSpool<CollectivePart>& collectives,
                                  const std::shared_ptr<TempFile>& scratch) {
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
  return repair_streams(std::move(input), messages, collectives, scratch);
}

}  // namespace meridian
