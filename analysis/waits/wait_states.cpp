// SPDX-License-Identifier: Apache-2.0
// Wait states: which calls waited for other ranks, for how long, and which call of which rank ended the wait. The
// patterns are Scalasca's (M. Geimer et al., "The Scalasca performance toolset architecture", Concurrency and
// Computation 22, 2010). docs/WAITS.md has their definitions. Calls are read backwards: what a call waited for is known
// from later ones.

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/waits/collective_waits.hpp"
#include "analysis/waits/message_waits.hpp"
#include "analysis/waits/rank_waits.hpp"
#include "analysis/waits/thread_waits.hpp"
#include "analysis/waits/wait_functions.hpp"
#include "analysis/waits/wait_sums.hpp"
#include "analysis/walk/event_window.hpp"
#include "analysis/walk/location_states.hpp"

namespace meridian {
namespace {

/// Waits in the calls that begin and end a run: of all ranks of a world, and no collectives in the trace.
class EndsOfRun {
 public:
  explicit EndsOfRun(const MergedDefinitions& definitions) {
    for (const MergedLocation& location : definitions.locations) {
      const MergedRank* const rank = definitions.find_rank(location.rank);
      worlds_.push_back(rank == nullptr ? 0 : rank->world);
    }
  }
  void add(WaitKind kind, const MergedEvent& event) {
    calls_[{kind, worlds_[event.location]}].push_back(WindowEvent::of(event));
  }
  Status wait_for_latest(WaitSums& sums) {
    for (auto& [key, calls] : calls_) {
      std::ranges::reverse(calls);  // of equal times, the first one counts
      const WindowEvent& latest = *std::ranges::max_element(calls, {}, &WindowEvent::enter_ns);
      for (const WindowEvent& here : calls) {
        const std::int64_t ns = std::min(latest.enter_ns, here.leave_ns) - here.enter_ns;
        if (ns > 0) MERIDIAN_TRY_DO(sums.add({key.first, ns, latest}, here));
      }
    }
    return {};
  }

 private:
  std::vector<std::uint32_t> worlds_;                                             // [location]
  std::map<std::pair<WaitKind, std::uint32_t>, std::vector<WindowEvent>> calls_;  // [kind, world]
};

Result<ClockBounds> bounds_of(const MergedTrace& trace) {
  auto bounds = trace.clock_bounds();
  if (!bounds && bounds.error().code == Errc::not_found) return ClockBounds{};
  return bounds;
}

}  // namespace

Status find_waits(const MergedTrace& trace, Summary& summary, WaitSink* waits) {
  const WaitFunctions functions{trace.definitions()};
  MERIDIAN_TRY(EventWindow window,
               EventWindow::open(trace, {.is_backwards = true,
                                         .fields = MessageWaits::kFields | kFieldBytesSent,
                                         .links = link_bit(LinkKind::sent) | link_bit(LinkKind::received) |
                                                  link_bit(LinkKind::left)}));
  MERIDIAN_TRY(ClockBounds bounds, bounds_of(trace));
  WaitSums sums{trace, std::move(bounds), waits};
  MessageWaits messages{trace, window, functions, sums};
  MERIDIAN_TRY(std::vector<LocationLife> lives, location_lives(trace, summary));
  ThreadWaits threads{window, std::move(lives), sums};
  RankWaits ranks{window, sums};
  CollectiveWaits collectives{trace, window, functions, sums};
  EndsOfRun ends{trace.definitions()};
  std::vector<EventAwaited> awaited;
  for (;;) {
    MERIDIAN_TRY(const bool has_events, window.next());
    if (!has_events) break;
    const MergedBatch& batch = window.current();
    awaited.clear();
    MERIDIAN_TRY_DO(trace.awaited(batch.events.back().row, batch.events.front().row + 1, awaited));
    for (const MergedEvent& event : batch.events) {
      const auto from = std::ranges::lower_bound(awaited, event.row, {}, &EventAwaited::row);
      const std::span<const EventAwaited> others{from,
                                                 std::ranges::upper_bound(awaited, event.row, {}, &EventAwaited::row)};
      if (const auto kind = functions[event.call].of_run) ends.add(*kind, event);
      MERIDIAN_TRY_DO(messages.look(event, batch.links_of(event), others));
      if (others.empty()) continue;
      MERIDIAN_TRY_DO(threads.look(event, others));
      MERIDIAN_TRY_DO(ranks.look(event, others));
    }
    MERIDIAN_TRY_DO(collectives.look(false));
  }
  MERIDIAN_TRY_DO(collectives.look(true));
  MERIDIAN_TRY_DO(ends.wait_for_latest(sums));
  MERIDIAN_TRY_DO(sums.store());
  summary.waits = sums.rows();
  summary.wait_pairs = sums.pairs();
  return {};
}

}  // namespace meridian
