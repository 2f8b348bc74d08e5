// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/model/event.hpp"

namespace meridian {

/// Bytes to send, or size of the receive buffer.
inline std::uint64_t bytes_of(const PointToPoint& p2p) noexcept {
  return p2p.count > 0 ? static_cast<std::uint64_t>(p2p.count) * p2p.type_size : 0;
}

/// Bytes received by a call with these flags (RecordFlag); negative if unknown. The status of a truncated message has its
/// full length in some libraries, and none in others.
inline std::int64_t received_bytes(std::uint8_t flags, const Completion& completion, std::uint64_t room) noexcept {
  if ((flags & kFlagFailed) == 0 || completion.bytes < 0) return completion.bytes;
  return static_cast<std::int64_t>(std::min(static_cast<std::uint64_t>(completion.bytes), room));
}

/// Whether the completion describes a message.
inline bool has_message(const Completion& completion) noexcept { return completion.source >= 0 && completion.tag >= 0; }

}  // namespace meridian
