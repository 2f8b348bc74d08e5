// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "merger/match/messages/match_messages.hpp"
#include "merger/model/event_ref.hpp"

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
  std::map<std::int32_t, std::map<std::int32_t, bool>> held_;  // rank -> target -> is exclusive
  std::vector<Use> calls_;                                     // that may have waited
  std::vector<Use> unlocks_;
};

}  // namespace meridian
