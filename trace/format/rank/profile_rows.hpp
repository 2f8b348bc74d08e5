// SPDX-License-Identifier: Apache-2.0
#pragma once

// The profile of a rank: sums over calls that are not stored as events (MERIDIAN_MODE=profile). FORMAT.md describes its tables.

#include <cstdint>
#include <vector>

#include "trace/model/wide_sum.hpp"

namespace meridian {

/// Calls of one function by one thread, from one place of the program, on one communicator.
struct ProfileCallRow {
  std::uint32_t call = 0;  ///< id in RankMeta::call_names
  std::uint32_t thread = 0;
  std::uint32_t node = 0;        ///< row of RankMeta::stacks; 0: none
  std::uint64_t site = 0;        ///< return address; 0: unknown
  std::uint64_t comm = 0;        ///< handle; 0: none, or unknown
  std::uint64_t object = 0;      ///< handle of the file or window, or the program's number of a file; 0: none
  std::uint64_t seen_ticks = 0;  ///< at which these handles meant what they mean here
  std::uint64_t calls = 0;
  std::uint64_t ticks = 0;  ///< inside these calls
  std::uint64_t least_ticks = ~std::uint64_t{0};
  std::uint64_t most_ticks = 0;
  WideSum squares;  ///< sum of the squares of ticks
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t accesses = 0;  ///< calls that access the object's data; others open, synchronize or end an access
};

/// Messages that the rank sent to one member of a communicator.
struct ProfilePeerRow {
  std::uint64_t comm = 0;
  std::uint64_t seen_ticks = 0;
  std::int32_t peer = 0;  ///< rank in the communicator; in the remote group of an intercommunicator
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Calls of one function whose duration is in one range of log_ranges.hpp.
struct ProfileTimeRow {
  std::uint32_t call = 0;  ///< id in RankMeta::call_names
  std::uint32_t range = 0;
  std::uint64_t count = 0;
};

/// Messages, or parts in collectives, of one function and size class.
struct ProfileSizeRow {
  std::uint32_t call = 0;        ///< id in RankMeta::call_names
  std::uint32_t size_class = 0;  ///< 0: no bytes; k: from 2^(k-1) bytes to 2^k - 1
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

struct RankProfile {
  std::vector<ProfileCallRow> calls;
  std::vector<ProfilePeerRow> peers;
  std::vector<ProfileTimeRow> times;
  std::vector<ProfileSizeRow> sizes;
};

/// Key of the text that says that calls of this rank are in its profile. Its value: their number.
inline constexpr const char* kProfileKey = "recording.profile";
/// Key of the text of a trace whose profile has the calls of places with very many short ones: "MPI_Comm_rank 2000 MPI_Wtime 5".
inline constexpr const char* kShortCallsKey = "recording.short_calls";

}  // namespace meridian
