// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "merger/load/thread_cursor.hpp"
#include "merger/match/locks/lock_uses.hpp"

namespace meridian {

/// How long the threads of one rank had each lock: from the end of the call that took it to the beginning of the one that
/// released it. Known only where releases are recorded (MERIDIAN_LOCKS=all). A wait for a condition releases its mutex.
class LockHolds {
 public:
  struct Sum {
    std::uint64_t count = 0;
    std::int64_t total_ns = 0;
    std::int64_t longest_ns = 0;
  };

  /// A call about a lock of a known kind, in order of enter; times are global.
  void add(const Call& call, std::int64_t enter_ns, std::int64_t leave_ns);
  /// nullptr: no end of a hold was seen.
  const Sum* of(const LockObject& object) const;

 private:
  static constexpr std::size_t kMostHeld = 1 << 16;  // at one time, and locks with sums

  struct Held {
    std::int64_t since_ns = 0;
    std::uint32_t times = 1;  // recursive
  };
  struct ThreadAndLock {
    std::uint32_t thread = 0;
    LockObject lock;
    bool operator==(const ThreadAndLock&) const = default;
  };
  struct Hash {
    std::size_t operator()(const ThreadAndLock& key) const noexcept {
      return LockObjectHash{}(key.lock) ^ (key.thread * std::size_t{0x85ebca6b});
    }
  };
  void take(std::uint32_t thread, const LockObject& lock, std::int64_t ns);
  void release(std::uint32_t thread, const LockObject& lock, std::int64_t ns);

  std::unordered_map<ThreadAndLock, Held, Hash> held_;
  std::unordered_map<LockObject, Sum, LockObjectHash> sums_;
};

}  // namespace meridian
