// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "trace/definitions/communicators.hpp"

namespace meridian {

inline constexpr std::int32_t kNoPeer = -1;
inline constexpr std::int32_t kNoTag = -1;

/// One call as stored in the merged file. Times are global ns.
struct EventRow {
  static constexpr std::uint64_t kMaxSequence = (std::uint64_t{1} << 44) - 1;
  std::int64_t enter_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t sequence : 44 = 0;  ///< index of the call's record in its thread
  std::uint64_t path : 20 = 0;      ///< index in the table of call paths; 0: unknown
  std::int32_t rank = 0;            ///< in MPI_COMM_WORLD
  std::uint32_t thread = 0;
  std::uint32_t comm = kNoComm;  ///< CommId
  std::int32_t peer = kNoPeer;   ///< world rank of the partner or of the root
  std::int32_t tag = kNoTag;
  std::uint16_t call = 0;  ///< index in /calls
  std::uint8_t flags = 0;  ///< RecordFlag
  /// Polls that found nothing: bytes_sent is their number, and bytes_received the time outside, ns.
  bool is_phase : 1 = false;
  bool is_any_source : 1 = false;  ///< a receive or probe that takes messages of any source

  std::uint64_t calls() const noexcept { return is_phase ? bytes_sent : 1; }
  /// Time between enter and leave that is not inside the calls.
  std::int64_t outside_ns() const noexcept { return is_phase ? static_cast<std::int64_t>(bytes_received) : 0; }
  std::int64_t inside_ns() const noexcept { return duration_ns - outside_ns(); }
  std::uint64_t sent() const noexcept { return is_phase ? 0 : bytes_sent; }
  std::uint64_t received() const noexcept { return is_phase ? 0 : bytes_received; }
};
static_assert(sizeof(EventRow) == 64);

}  // namespace meridian
