// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "merger/load/thread_cursor.hpp"

namespace meridian {

/// Bytes to send, or size of the receive buffer.
inline std::uint64_t bytes_of(const PointToPoint& p2p) noexcept {
  return p2p.count > 0 ? static_cast<std::uint64_t>(p2p.count) * p2p.type_size : 0;
}

/// Bytes received; negative if unknown. The status of a truncated message has its full length in some libraries, and
/// none in others.
inline std::int64_t received_bytes(const Call& call, const Completion& completion, std::uint64_t room) noexcept {
  if (!call.has(kFlagFailed) || completion.bytes < 0) return completion.bytes;
  return static_cast<std::int64_t>(std::min(static_cast<std::uint64_t>(completion.bytes), room));
}

}  // namespace meridian
