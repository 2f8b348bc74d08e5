// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "live/lock_holders.hpp"
#include "live/rank_now.hpp"

namespace meridian {

/// Replays a rank's events, each thread's in order, and keeps the data that determines the rank's present state.
class RankTracker {
 public:
  void take(std::uint32_t thread, const EventBatch& batch);

  /// The state after the last event. `look` reads locks of a running process.
  RankNow finish(RankMeta meta, bool is_alive, const LockHolders::Look& look);

 private:
  struct Rows {
    std::size_t completions = 0, sites = 0;
#define MERIDIAN_EVENT(payload, Row, table) std::size_t table = 0;
#define MERIDIAN_PAIR(payload, of, Row, table)
#define MERIDIAN_OTHER(payload, Body)
#include "trace/model/payloads.def"
  };
  /// A call, with the indexes of its rows in the batch.
  struct Call;

  static void count(ThreadNow& thread, const Call& call);
  void take_call(ThreadNow& thread, const Call& call);
  void take_rows(ThreadNow& thread, const Call& call);
  void take_side(ThreadNow& thread, const Call& call, std::size_t side);
  void take_collective(ThreadNow& thread, const Call& call);
  void take_lock(ThreadNow& thread, const Call& call);
  void take_join(ThreadNow& thread, const Call& call) const;
  void take_request(ThreadNow& thread, const Call& call, const Completion& completion);
  void forget(std::uint64_t comm);
  void add(ThreadNow& thread, const Call& call, const WaitedFor& what, std::uint64_t request);
  void count_received(const Call& call, std::uint64_t comm);
  void count_posted();
  std::vector<WaitedFor> posted() const;
  void fold_nested(const RankMeta& meta);
  void add_silent_threads(const RankMeta& meta, bool is_alive);
  void set_times(RankNow& now) const;

  std::map<std::uint32_t, ThreadNow> threads_;
  std::map<std::uint64_t, WaitedFor> requests_;   // not known to be complete
  std::set<std::uint64_t> started_;               // the persistent ones of them that are under way
  std::map<std::uint64_t, std::uint64_t> begun_;  // RankNow::begun
  MessageCounts sent_;
  MessageCounts received_;
  LockHolders holders_;
  std::uint64_t last_ticks_ = 0;
};

}  // namespace meridian
