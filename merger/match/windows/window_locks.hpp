// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "merger/match/messages/match_messages.hpp"
#include "merger/model/event_ref.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Locks of the targets of one window. Depending on the library, a rank waits for a lock in the call that locks, in one
/// that accesses the target or flushes, or in the one that unlocks: in each of these a conflicting lock counts if its
/// holder began to unlock meanwhile.
class WindowLocks {
 public:
  static constexpr std::int32_t kAllTargets = -1;

  explicit WindowLocks(std::vector<AwaitedCall>& awaited) : awaited_{&awaited} {}

  void lock(const Caller& call, std::int32_t target, bool is_exclusive);
  /// A flush or an access.
  void use(const Caller& call, std::int32_t target);
  void unlock(const Caller& call, std::int32_t target);
  /// After the last call.
  void end() { settle(calls_.size()); }
  /// How long ranks had the locks of targets that others waited for: target, rank, holds, times and waits are filled in.
  std::vector<WindowLockSummary> rows() const;

 private:
  struct Use {
    Caller call{};
    std::int32_t target = 0;
    bool is_exclusive = false;
  };
  static constexpr std::size_t kMostCalls = 8192;

  void add(const Caller& call, std::int32_t target);
  void settle(std::size_t count);

  std::vector<AwaitedCall>* awaited_;
  struct Held {
    bool is_exclusive = false;
    std::int64_t since_ns = 0;
  };
  struct Holds {
    std::uint64_t count = 0, waits = 0;
    std::int64_t total_ns = 0, longest_ns = 0;
  };
  std::map<std::int32_t, std::map<std::int32_t, Held>> held_;     // rank -> target -> lock
  std::map<std::pair<std::int32_t, std::int32_t>, Holds> holds_;  // (target, rank)
  std::vector<Use> calls_;                                        // that may have waited
  std::vector<Use> unlocks_;
};

}  // namespace meridian
