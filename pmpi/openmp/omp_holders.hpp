// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who has a lock or critical region of OpenMP: the library does not say, so it is noted here.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "pmpi/process/own_thread.hpp"

namespace meridian {

/// By address: the kernel tid of the holder in the low half, and a part of the address. Locks may share a place: then the last
/// holder is known, only.
inline constexpr std::size_t kOmpHolderPlaces = 1024;
inline constinit std::atomic<std::uint64_t> g_omp_holders[kOmpHolderPlaces]{};
inline constexpr std::uint64_t kTidBits = 32;
inline constexpr std::int32_t kSomebody = -1;  ///< a thread without a card

[[gnu::always_inline]] inline std::uint64_t omp_holder_tag(const volatile void* lock) noexcept {
  return reinterpret_cast<std::uintptr_t>(lock) << (kTidBits - 2) >> kTidBits << kTidBits;
}
[[gnu::always_inline]] inline std::atomic<std::uint64_t>& omp_holder_place(const volatile void* lock) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(lock);
  return g_omp_holders[(address >> 3 ^ address >> 13) % kOmpHolderPlaces];
}

/// 0: nobody, as far as is noted.
[[gnu::always_inline]] inline std::int32_t noted_holder(const volatile void* lock) noexcept {
  const std::uint64_t place = omp_holder_place(lock).load(std::memory_order_relaxed);
  return place >> kTidBits << kTidBits == omp_holder_tag(lock) ? static_cast<std::int32_t>(place) : 0;
}
[[gnu::always_inline]] inline void note_holder(const volatile void* lock) noexcept {
  const std::int32_t tid = t_own.card != nullptr ? t_own.card->kernel_tid : kSomebody;
  omp_holder_place(lock).store(omp_holder_tag(lock) | static_cast<std::uint32_t>(tid), std::memory_order_relaxed);
}
[[gnu::always_inline]] inline void note_release(const volatile void* lock) noexcept {
  std::atomic<std::uint64_t>& place = omp_holder_place(lock);
  if (place.load(std::memory_order_relaxed) >> kTidBits << kTidBits == omp_holder_tag(lock))
    place.store(0, std::memory_order_relaxed);
}

}  // namespace meridian
