// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "merger/load/thread_cursor.hpp"
#include "merger/match/locks/lock_uses.hpp"

namespace meridian {

/// One lock of a cycle, and the place where a thread that holds it takes the next one.
struct LockStep {
  std::uint64_t object = 0;  ///< address
  std::uint32_t thread = 0;
  std::uint32_t held_path = 0;   ///< index in the table of call paths: where the thread took this lock
  std::uint32_t taken_path = 0;  ///< where it took the next one
};
using LockCycle = std::vector<LockStep>;

/// Finds locks of one rank that threads take in different orders, so that they may wait for each other for ever, whether
/// they do in this run or not: a thread takes one while it holds another one, and so on in a circle.
///
/// No cycle are locks that one thread only takes so, that are taken under a common third lock, or that are all held for
/// reading; a successful try does not wait. Needs releases of locks: without any, nothing is known.
/// Memory is bounded by the locks that threads hold at a time and by the pairs of locks.
/// Source: the graph of lock orders of the Linux kernel's lockdep; gate locks as in K. Havelund, "Using runtime analysis
/// to guide model checking of Java programs", SPIN 2000.
class LockOrder {
 public:
  /// Calls of the rank in order of enter. path  of the call
  void add(const Call& call, std::uint32_t path);

  /// One cycle for each pair of locks that is part of one, shortest first.
  std::vector<LockCycle> cycles() const;

 private:
  static constexpr std::size_t kMostThreads = 4;  // of an edge that are kept

  struct Held {
    std::uint32_t lock = 0;  // number
    std::uint32_t path = 0;
    std::uint32_t times = 1;  // recursive
    bool is_read = false;
  };
  /// Where a thread first did so.
  struct Example {
    std::uint32_t thread = 0;
    std::uint32_t held_path = 0, taken_path = 0;
  };
  /// Threads took a lock while they held another one.
  struct Edge {
    std::vector<Example> threads{};              // different ones
    std::vector<std::uint32_t> guards{};         // other locks that were held each time
    bool reads_held = true, reads_taken = true;  // each time
  };
  using Edges = std::map<std::pair<std::uint32_t, std::uint32_t>, Edge>;  // [held lock, taken lock]

  std::uint32_t number_of(const LockObject& object);
  void take(const Call& call, const LockObject& object, std::uint32_t path, bool is_read, bool waits);
  void release(std::uint32_t thread, const LockObject& object);
  bool is_possible(const std::vector<Edges::const_iterator>& cycle) const;
  LockCycle described(const std::vector<Edges::const_iterator>& edges) const;
  std::vector<Edges::const_iterator> shortest_cycle(Edges::const_iterator edge) const;

  std::unordered_map<LockObject, std::uint32_t, LockObjectHash> numbers_;  // of live locks
  std::vector<std::uint64_t> addresses_;                                   // [number]
  std::unordered_map<std::uint32_t, std::vector<Held>> held_;              // by thread
  Edges edges_;
  bool sees_releases_ = false;
};

}  // namespace meridian
