// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records as words in a ring, for those who read them there.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "trace/model/event.hpp"

namespace meridian {

/// Whether the record is an event, with enter and leave.
constexpr bool is_call(Payload payload) noexcept { return payload >= Payload::local && payload <= Payload::thread_op; }

template <class T>
T load_words(const std::uint64_t* words) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(static_cast<void*>(&value), words, sizeof value);
  return value;
}

}  // namespace meridian
