// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "trace/model/call_id.hpp"
#include "trace/model/event.hpp"

namespace meridian {

/// The effect of a call on the object that threads synchronize with.
enum class LockUseKind : std::uint8_t { other, take, release, wake_one, wake_all, birth, open, close, death };

/// Derived from the name of the call, so that it works for calls of other builds, too.
constexpr LockUseKind lock_use_of(std::string_view name) noexcept {
  const auto ends_with_any = [&](std::initializer_list<std::string_view> ends) {
    for (const std::string_view end : ends)
      if (name.ends_with(end)) return true;
    return false;
  };
  if (ends_with_any({"_unset_lock", "_unset_nest_lock", "omp_critical_end"})) return LockUseKind::release;
  if (ends_with_any({"omp_critical", "omp_ordered", "omp_barrier", "omp_implicit_barrier"})) return LockUseKind::take;
  if (name.ends_with("_init")) return LockUseKind::birth;
  if (name.ends_with("_open")) return LockUseKind::open;
  if (name.ends_with("_close")) return LockUseKind::close;
  if (name.ends_with("_destroy")) return LockUseKind::death;
  if (name.ends_with("unlock")) return LockUseKind::release;
  if (ends_with_any({"_post", "_signal"})) return LockUseKind::wake_one;
  if (name.ends_with("_broadcast")) return LockUseKind::wake_all;
  if (ends_with_any({"lock", "wait"})) return LockUseKind::take;
  return LockUseKind::other;
}

/// [CallId]
inline constexpr std::array<LockUseKind, kCallCount> kLockUses = [] {
  std::array<LockUseKind, kCallCount> uses{};
  for (std::size_t i = 0; i < kCallCount; ++i) uses[i] = lock_use_of(kCalls[i].name);
  return uses;
}();

/// Several kinds may refer to one object.
constexpr LockKind object_kind(LockKind kind) noexcept { return kind == LockKind::read ? LockKind::write : kind; }

/// Whether the call waits for the end of another thread.
constexpr bool waits_for_thread(CallId call) noexcept {
  return call == CallId::pthread_join || call == CallId::pthread_timedjoin_np || call == CallId::pthread_clockjoin_np ||
         call == CallId::thrd_join;
}

/// An object that threads synchronize with, in one rank: its address, until it is made again.
struct LockObject {
  LockKind kind{};  ///< object_kind()
  std::uint64_t address = 0;
  bool operator==(const LockObject&) const = default;
};
struct LockObjectHash {
  std::size_t operator()(const LockObject& object) const noexcept {
    return static_cast<std::size_t>((object.address ^ static_cast<std::uint64_t>(object.kind)) * 0x9e3779b97f4a7c15ULL);
  }
};

}  // namespace meridian
