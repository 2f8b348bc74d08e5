// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "merger/load/thread_cursor.hpp"

namespace meridian {

/// Bytes to send, or that there is room for.
inline std::uint64_t bytes_of(const PointToPoint& p2p) noexcept {
  return p2p.count > 0 ? static_cast<std::uint64_t>(p2p.count) * p2p.type_size : 0;
}

/// What came in, negative when that is not known. The status of a message that was too long has its whole length in
/// some libraries, and none in others.
inline std::int64_t received_bytes(const Call& call, const Completion& completion, std::uint64_t room) noexcept {
  if (!call.has(kFlagFailed) || completion.bytes < 0) return completion.bytes;
  return static_cast<std::int64_t>(std::min(static_cast<std::uint64_t>(completion.bytes), room));
}

}  // namespace meridian
