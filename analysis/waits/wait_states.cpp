// SPDX-License-Identifier: Apache-2.0
// Wait states: which calls waited for other ranks, for how long, and which call of which rank ended the wait. The
// patterns are Scalasca's (M. Geimer et al., "The Scalasca performance toolset architecture", Concurrency and
// Computation 22, 2010). docs/WAITS.md has their definitions. Calls are read backwards: what a call waited for is known
// from later ones.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analysis/waits/collective_waits.hpp"
#include "analysis/waits/message_waits.hpp"
#include "analysis/waits/rank_waits.hpp"
#include "analysis/waits/thread_waits.hpp"
#include "analysis/waits/wait_functions.hpp"
#include "analysis/waits/wait_sums.hpp"
#include "analysis/walk/location_states.hpp"
#include "analysis/walk/trace_visitor.hpp"

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

class WaitFinder final : public BackwardVisitor {
 public:
  WaitFinder(const EventWindow& window, ClockBounds bounds, std::vector<LocationLife> lives, WaitSink* waits)
      : trace_{window.trace()},
        functions_{trace_.definitions()},
        sums_{trace_, std::move(bounds), waits},
        messages_{trace_, window, functions_, sums_, overlapped_},
        threads_{window, std::move(lives), sums_},
        ranks_{window, sums_},
        collectives_{trace_, window, functions_, sums_, overlapped_},
        ends_{trace_.definitions()} {}

  Status look_at(const MergedBatch& batch) override {
    awaited_.clear();
    MERIDIAN_TRY_DO(trace_.awaited(batch.events.back().row, batch.events.front().row + 1, awaited_));
    std::span<const EventAwaited> left{awaited_};  // of this event and those before it
    for (const MergedEvent& event : batch.events) {
      while (!left.empty() && left.back().row > event.row) left = left.first(left.size() - 1);
      std::size_t count = 0;
      while (count < left.size() && left[left.size() - 1 - count].row == event.row) ++count;
      const std::span others = left.last(count);
      if (const auto kind = functions_[event.call].of_run) ends_.add(*kind, event);
      MERIDIAN_TRY_DO(messages_.look(event, batch.links_of(event), others));
      if (others.empty()) continue;
      MERIDIAN_TRY_DO(threads_.look(event, others));
      MERIDIAN_TRY_DO(ranks_.look(event, others));
    }
    return collectives_.look(false);
  }

  Status finish(Summary& summary) override {
    MERIDIAN_TRY_DO(collectives_.look(true));
    MERIDIAN_TRY_DO(ends_.wait_for_latest(sums_));
    MERIDIAN_TRY_DO(sums_.store());
    summary.waits = sums_.rows();
    summary.wait_pairs = sums_.pairs();
    return {};
  }

 private:
  const MergedTrace& trace_;
  WaitFunctions functions_;
  WaitSums sums_;
  OverlappedParts overlapped_;
  MessageWaits messages_;
  ThreadWaits threads_;
  RankWaits ranks_;
  CollectiveWaits collectives_;
  EndsOfRun ends_;
  std::vector<EventAwaited> awaited_;  // of the batch
};

}  // namespace

Result<std::unique_ptr<BackwardVisitor>> find_waits(const EventWindow& window, const Summary& summary,
                                                    WaitSink* waits) {
  MERIDIAN_TRY(ClockBounds bounds, bounds_of(window.trace()));
  MERIDIAN_TRY(std::vector<LocationLife> lives, location_lives(window.trace(), summary));
  return std::unique_ptr<BackwardVisitor>{
      std::make_unique<WaitFinder>(window, std::move(bounds), std::move(lives), waits)};
}

}  // namespace meridian
