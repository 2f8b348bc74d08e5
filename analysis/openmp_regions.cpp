// SPDX-License-Identifier: Apache-2.0
// Parallel regions of OpenMP by place: how the threads share the work, and what they wait for each other. docs/OPENMP.md has
// the definitions.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/walk/call_places.hpp"
#include "analysis/walk/trace_visitor.hpp"
#include "summary/summary.hpp"
#include "trace/model/call_id.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

class OpenmpRegionFinder final : public TraceVisitor {
 public:
  explicit OpenmpRegionFinder(const MergedTrace& trace)
      : definitions_{trace.definitions()}, places_{trace.definitions()}, threads_(definitions_.locations.size()) {
    for (const MergedCall& call : definitions_.calls) {
      const CallId id = call_by_name(call.name);
      ids_.push_back(id != CallId::none && info(id).group == CallGroup::openmp ? id : CallId::none);
    }
  }

  Status look_at(std::span<const WalkedEvent> events) override {
    for (const WalkedEvent& walked : events) look_at(walked);
    return {};
  }

  Status finish(Summary& summary) override {
    summary.openmp_regions.clear();
    for (const auto& [key, place] : regions_) {
      OpenmpRegionSummary& row = summary.openmp_regions.emplace_back();
      row.rank = key.first;
      row.place = places_.name(key.second);
      row.function = place.function;
      row.regions = place.regions;
      row.shares = place.shares;
      row.time_s = seconds(place.time_ns);
      row.barrier_s = seconds(place.barrier_ns);
      row.serial_s = seconds(place.serial_ns);
      std::int64_t share_ns = 0;
      for (const auto& [thread, ns] : place.share_ns) {
        share_ns += ns;
        if (row.slowest >= 0 && seconds(ns) <= row.slowest_s) continue;
        row.slowest = thread;
        row.slowest_s = seconds(ns);
      }
      row.share_s = seconds(share_ns);
      if (place.shares != 0 && place.regions != 0)
        row.lost_s = row.barrier_s * static_cast<double>(place.regions) / static_cast<double>(place.shares);
    }
    std::ranges::stable_sort(summary.openmp_regions, std::greater<>{}, &OpenmpRegionSummary::barrier_s);
    return {};
  }

 private:
  struct Place {
    std::string function{};
    std::uint64_t regions = 0, shares = 0;
    std::int64_t time_ns = 0, barrier_ns = 0, serial_ns = 0;
    std::map<std::uint32_t, std::int64_t> share_ns{};  // by thread
  };
  struct Share {
    Place* place = nullptr;
    std::uint32_t site = 0;
    std::int64_t begin_ns = 0;
    std::int64_t waits_ns = 0;  // at barriers
    bool is_masters = false;
  };
  struct Thread {
    std::vector<Share> shares{};  // the innermost last
    Share last{};                 // that ended; without a place: a share has begun since
    std::int64_t joined_ns = -1;  // end of the last region that it made
  };

  void look_at(const WalkedEvent& walked) {
    const MergedEvent& event = walked.event;
    if (event.call >= ids_.size() || event.location >= threads_.size()) return;
    switch (ids_[event.call]) {
      case CallId::omp_parallel:
      case CallId::omp_share:
        begin(event, ids_[event.call] == CallId::omp_parallel);
        break;
      case CallId::omp_implicit_barrier:
        end(walked);
        break;
      case CallId::omp_barrier:
        if (Thread& thread = threads_[event.location]; !thread.shares.empty()) {
          thread.shares.back().waits_ns += event.duration_ns;
          thread.shares.back().place->barrier_ns += barrier_ns(walked);
        }
        break;
      default:
        break;
    }
  }

  /// Of a thread in a region that another one of its team leaves later.
  static std::int64_t barrier_ns(const WalkedEvent& walked) {
    std::int64_t ns = 0;
    for (const WaitSpan& wait : walked.waits)
      if (wait.kind == WaitKind::thread_barrier) ns += wait.end_ns - wait.begin_ns;
    return ns;
  }

  void begin(const MergedEvent& event, bool is_masters) {
    const MergedLocation& location = definitions_.locations[event.location];
    Place& place = regions_[{location.rank, places_.of_site(event.site)}];
    if (place.function.empty() && event.site < definitions_.sites.size())
      place.function = definitions_.sites[event.site].function;
    Thread& thread = threads_[event.location];
    if (is_masters) {
      ++place.regions;
      if (thread.shares.empty() && thread.joined_ns >= 0) place.serial_ns += event.enter_ns - thread.joined_ns;
    }
    ++place.shares;
    thread.shares.push_back({&place, event.site, event.enter_ns, 0, is_masters});
    thread.last = {};
  }

  /// A thread that runs tasks there has several such calls; the share ends with the first one.
  void end(const WalkedEvent& walked) {
    const MergedEvent& event = walked.event;
    Thread& thread = threads_[event.location];
    if (thread.last.place == nullptr || thread.last.site != event.site) {
      if (thread.shares.empty()) return;  // the calls before are lost
      thread.last = thread.shares.back();
      thread.shares.pop_back();
      const std::uint32_t number = definitions_.locations[event.location].thread;
      thread.last.place->share_ns[number] += event.enter_ns - thread.last.begin_ns - thread.last.waits_ns;
      if (thread.last.is_masters) thread.last.place->time_ns += event.enter_ns - thread.last.begin_ns;
    } else if (thread.last.is_masters) {
      thread.last.place->time_ns += event.enter_ns - thread.joined_ns;  // the task
    }
    thread.last.place->barrier_ns += barrier_ns(walked);
    if (!thread.last.is_masters) return;
    thread.last.place->time_ns += event.duration_ns;
    thread.joined_ns = event.leave_ns();
  }

  const MergedDefinitions& definitions_;
  CallPlaces places_;
  std::vector<CallId> ids_;  // by MergedEvent::call; none: not OpenMP's
  std::vector<Thread> threads_;
  std::map<std::pair<std::int32_t, std::uint32_t>, Place> regions_;  // [rank, place]
};

}  // namespace

Result<std::unique_ptr<TraceVisitor>> find_openmp_regions(const AnalysisInput& input) {
  return std::unique_ptr<TraceVisitor>{std::make_unique<OpenmpRegionFinder>(input.trace)};
}

}  // namespace meridian
