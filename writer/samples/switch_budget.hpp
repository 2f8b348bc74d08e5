// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace meridian {

/// Decides when the kernel watches a thread. A watched thread pays for each switch, a microsecond or ten where setting a timer ends
/// in a hypervisor, and threads that yield to one another are switched a hundred thousand times a second. So a thread has a number of
/// watched switches for each second; when these are used up it rests, until the next second's moment. That is the same one in all
/// processes of a host, because ranks wait for the one that is watched, and at no fixed distance, so that no loop is in step with it.
class SwitchBudget {
 public:
  static constexpr std::uint64_t kMost = 1'000;

  /// `switches`: since the last call; `now_ns`: on a clock of the host. Returns whether the thread is watched until the next call.
  bool spend(std::uint64_t switches, std::uint64_t now_ns) noexcept {
    if (now_ns >= next_ns_) {
      used_ = 0;
      next_ns_ = moment_after(now_ns);
    } else if (used_ <= kMost) {
      used_ += switches;
    }
    return used_ <= kMost;
  }
  /// When a thread that rests is watched again.
  std::uint64_t next_ns() const noexcept { return next_ns_; }

 private:
  static constexpr std::uint64_t kSecondNs = 1'000'000'000, kGolden = 0x9e3779b97f4a7c15;

  /// A moment in the first half of each second: a hash of its number (D. E. Knuth, The Art of Computer Programming 3, 6.4), twice.
  static std::uint64_t moment_of(std::uint64_t second) noexcept {
    std::uint64_t hash = second * kGolden;
    hash = (hash ^ hash >> 32) * kGolden;
    return second * kSecondNs + (hash >> 32) * (kSecondNs / 2) / (std::uint64_t{1} << 32);
  }
  static std::uint64_t moment_after(std::uint64_t now_ns) noexcept {
    const std::uint64_t second = now_ns / kSecondNs;
    return moment_of(second) > now_ns ? moment_of(second) : moment_of(second + 1);
  }

  std::uint64_t used_ = 0;
  std::uint64_t next_ns_ = 0;
};

}  // namespace meridian
