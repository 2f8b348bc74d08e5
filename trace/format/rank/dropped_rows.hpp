// SPDX-License-Identifier: Apache-2.0
#pragma once

// What later calls of a rank need to know of those that a flight recorder has dropped (MERIDIAN_MODE=recorder). FORMAT.md describes
// its tables.

#include <cstdint>
#include <vector>

namespace meridian {

/// Dropped sends to, and dropped receives from, one member of a communicator with one tag.
struct DroppedMessagesRow {
  std::uint64_t comm = 0;        ///< handle
  std::uint64_t seen_ticks = 0;  ///< at which the handle meant that communicator
  std::int32_t peer = 0;         ///< rank in the communicator; in the remote group of an intercommunicator
  std::int32_t tag = 0;
  std::uint32_t is_partitioned = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;  ///< receives that were posted; of wildcard receives those that have their message
};

/// Dropped collectives on one communicator.
struct DroppedCollectivesRow {
  std::uint64_t comm = 0;         ///< handle
  std::uint64_t seen_ticks = 0;   ///< at which the handle meant that communicator
  std::uint64_t entered = 0;      ///< of blocking and non-blocking ones
  std::uint32_t initialised = 0;  ///< persistent ones
};

/// A persistent request, or a receive that has no message yet, whose call was dropped.
struct OpenRequestRow {
  std::uint64_t request = 0;     ///< handle
  std::uint32_t call = 0;        ///< that made it; id in RankMeta::call_names
  std::uint32_t thread = 0;      ///< that made it
  std::uint64_t comm = 0;        ///< handle
  std::uint64_t made_ticks = 0;  ///< enter of the call
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;  ///< to send, or size of the receive buffer
  std::int32_t root = 0;    ///< of a persistent collective, as its other arguments
  std::uint64_t send_bytes = 0;
  std::uint64_t receive_bytes = 0;
  std::uint32_t series = 0;   ///< its number among the persistent collectives of the communicator, from 1
  std::uint64_t started = 0;  ///< how often
};

struct DroppedPart {
  std::vector<DroppedMessagesRow> messages;
  std::vector<DroppedCollectivesRow> collectives;
  std::vector<OpenRequestRow> requests;
};

/// Key of the text that says that calls of this rank were dropped. Its value: their number; its ticks: the begin of the first call that
/// was not.
inline constexpr const char* kRecorderKey = "recording.recorder";
/// Key of the text that says that they had too many tags to be counted by tag.
inline constexpr const char* kRecorderTagsKey = "recording.recorder_tags";

}  // namespace meridian
