// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "analysis/paths/path_samples.hpp"
#include "analysis/paths/path_walk.hpp"
#include "analysis/walk/call_places.hpp"
#include "analysis/walk/recent_numbers.hpp"
#include "analysis/walk/tiles.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Adds up the critical path by what the threads on it did. Every ns of the path is counted once. Memory is bounded by the
/// kinds of calls, places and regions, and by the threads.
class PathShares {
 public:
  /// Gives the visits in order of time, the first one first; nullptr: no more.
  using Visits = std::function<Result<const PathVisit*>()>;

  PathShares(const MergedDefinitions& definitions, PathSamples& samples, std::int64_t begin_ns, std::int64_t end_ns,
             std::uint64_t visits, Visits next);

  /// Tiles of each thread in order of time; a thread's tile ends when all visits that begin before have been walked.
  Status add(const Tile& tile);
  /// threads  over which the mean time is taken
  Status finish(std::size_t threads, Summary& summary);

 private:
  struct Key {
    std::uint32_t call = kNoCall, place = 0, region = kNoCall;
    LocationState state = LocationState::unknown;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      std::uint64_t mixed = (std::uint64_t{key.call} << 32 | key.place) * 0x9e3779b97f4a7c15U;
      mixed ^= (std::uint64_t{key.region} << 8 | static_cast<std::uint64_t>(key.state)) * 0xc2b2ae3d27d4eb4fU;
      return static_cast<std::size_t>(mixed ^ mixed >> 29);
    }
  };
  struct Sums {
    std::int64_t run_ns = 0, path_ns = 0;
  };
  struct OnPath {
    std::uint64_t segments = 0;
    std::int64_t ns = 0;
  };
  struct Segment {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::uint32_t location = 0, key = 0;
    std::int64_t length_ns() const { return end_ns - begin_ns; }
    bool operator>(const Segment& right) const {
      return length_ns() != right.length_ns() ? length_ns() > right.length_ns() : begin_ns < right.begin_ns;
    }
  };
  struct Thread {
    std::deque<PathVisit> visits{};  // that have not been passed by tiles
    Segment last{};                  // may go on
  };

  std::uint32_t number(const Key& key);
  std::uint32_t found_number(const Key& key);
  Status read_visits(std::int64_t until_ns);
  void draw(const PathVisit& visit);
  void take(std::uint32_t location, std::uint32_t key, std::int64_t begin_ns, std::int64_t end_ns);
  void keep(const Segment& segment);
  template <class Row>
  void describe(std::uint32_t key, Row& row) const;

  const MergedDefinitions& definitions_;
  PathSamples& samples_;
  CallPlaces places_;
  std::int64_t begin_ns_, end_ns_;
  std::int64_t least_drawn_ns_ = 0;
  Visits next_;
  const PathVisit* ahead_ = nullptr;
  bool is_at_end_ = false;
  std::vector<Key> keys_;
  RecentNumbers<Key, Hash> recent_;
  std::unordered_map<Key, std::uint32_t, Hash> numbers_;
  std::vector<Sums> sums_;                             // [key]
  std::unordered_map<std::uint64_t, OnPath> on_path_;  // location, key
  std::vector<Thread> threads_;
  std::vector<Segment> longest_;  // a heap, the shortest first
  std::vector<PathVisit> line_;
};

}  // namespace meridian
