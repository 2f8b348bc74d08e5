// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/walk/location_states.hpp"
#include "merged/merged_trace.hpp"
#include "merged/model/open_regions.hpp"

namespace meridian {

/// An interval of a thread in one state. A call in which the thread waited is several tiles.
struct Tile {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t location = 0;
  LocationState state{};
  std::uint32_t call = kNoCall;  ///< kNoCall: outside of recorded calls
  std::uint32_t site = 0;
  std::uint32_t region = kNoCall;  ///< innermost user region, by its MergedEvent::call
};

/// Cuts the lives of all threads into tiles. Those of a thread follow each other without gaps or overlaps, from its
/// beginning to its end; where these are unknown, from its first enter to its last leave. Calls that a program makes in
/// callbacks of MPI calls belong to the calls around them and have no tiles. Memory is bounded by the number of threads.
class Tiler {
 public:
  using Sink = std::function<void(const Tile&)>;

  Tiler(const MergedDefinitions& definitions, std::span<const LocationLife> lives, Sink sink);

  /// The next event in global order. Emits the tiles of its thread up to its enter. waits: in order of time, disjoint.
  void add(const MergedEvent& event, std::span<const WaitSpan> waits);
  /// After the last event.
  void finish();

  /// Regions that are open on a thread, the innermost last.
  const OpenRegions<>& regions(std::uint32_t location) const { return threads_[location].regions; }
  /// A region that the last event opened or closed. Regions inside themselves count once.
  struct Change {
    std::uint32_t region = 0;
    bool is_open = false;
  };
  std::span<const Change> changes() const noexcept { return changes_; }

  /// The thread whose callbacks a location has; the location itself if it has none.
  std::uint32_t outer(std::uint32_t location) const { return threads_[location].outer; }
  /// Whether it can have callbacks of another thread of its rank.
  bool may_be_inside(std::uint32_t location) const { return !threads_of_rank_[location].empty(); }
  bool is_begun(std::uint32_t location) const { return threads_[location].is_begun; }
  /// Beginning of the thread's first tile.
  std::int64_t begin_ns(std::uint32_t location) const { return threads_[location].begin_ns; }
  /// End of the thread's last tile, so far.
  std::int64_t end_ns(std::uint32_t location) const { return threads_[location].at_ns; }

  const CallTraits& traits(std::uint32_t call) const { return call < traits_.size() ? traits_[call] : none_; }

 private:
  struct Thread {
    bool is_begun = false;
    bool is_in_call = false;
    std::uint32_t outer = 0;
    std::int64_t begin_ns = 0;
    std::int64_t at_ns = 0;  // end of the last tile
    std::int64_t leave_ns = 0;
    std::int64_t inside_from_ns = 0;  // what is outside of the calls of a phase of polls comes first
    std::uint64_t next_sequence = 0;
    std::uint32_t call = kNoCall;  // the last one
    std::uint32_t site = 0;
    std::uint32_t endless_call = kNoCall;  // that never returned
    std::vector<WaitSpan> waits{};         // of the last call
    OpenRegions<> regions{};
  };
  void begin(Thread& thread, const MergedEvent& event);
  void end_call(std::uint32_t location);
  void emit(std::uint32_t location, std::int64_t end_ns, LocationState state, std::uint32_t call, std::uint32_t site);
  void change_regions(Thread& thread, const MergedEvent& event);

  std::vector<CallTraits> traits_;
  CallTraits none_{};
  std::vector<LocationLife> lives_;
  std::vector<Thread> threads_;
  std::vector<std::vector<std::uint32_t>> threads_of_rank_;  // [location that may have callbacks]: the other ones
  std::vector<Change> changes_;
  Sink sink_;
};

}  // namespace meridian
