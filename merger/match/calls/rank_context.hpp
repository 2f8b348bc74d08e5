// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "merger/load/thread_cursor.hpp"
#include "merger/match/calls/object_totals.hpp"
#include "merger/match/calls/value_totals.hpp"
#include "merger/match/collectives/match_collectives.hpp"
#include "merger/match/files/file_waits.hpp"
#include "merger/match/locks/awaited_threads.hpp"
#include "merger/match/locks/lock_order.hpp"
#include "merger/match/locks/lock_table.hpp"
#include "merger/match/messages/match_messages.hpp"
#include "merger/match/windows/window_waits.hpp"
#include "merger/model/clock_map.hpp"
#include "merger/model/definitions/sites.hpp"
#include "merger/model/event_row.hpp"
#include "merger/model/findings.hpp"
#include "merger/model/recording_gaps.hpp"
#include "merger/model/user_definitions.hpp"
#include "trace/definitions/communicators.hpp"
#include "trace/model/message_bytes.hpp"

namespace meridian {

/// The consumers of a trace's calls.
struct Matchers {
  MessageMatcher& messages;
  CollectiveMatcher& collectives;
  MessageMatcher& user_messages;       ///< of user message layers
  std::vector<ValueTotals>& counters;  ///< [UserDefinitions::list]
  ObjectTotals& objects;
  WindowWaits& windows;
  FileWaits& files;
};

/// Data that the trackers of one rank share.
struct RankContext {
  std::uint32_t rank_index = 0;  ///< index among the ranks present
  std::int32_t rank = 0;         ///< in MPI_COMM_WORLD
  std::size_t threads = 0;
  std::uint16_t unknown_call = 0;  ///< number in /calls for calls unknown to this build
  ClockMap clock;
  const std::vector<Communicator>* communicators = nullptr;
  CommResolver* resolver = nullptr;
  Findings* findings = nullptr;
  LockTable* locks = nullptr;    ///< receives the lock calls; may be null
  Matchers* matchers = nullptr;  ///< nullptr: only rows are needed, and findings are not counted again
  const UserDefinitions* user = nullptr;
  RankSites* sites = nullptr;
  const RecordingGaps* gaps = nullptr;        ///< set if `matchers` is
  std::uint64_t end_ticks = 0;                ///< at which the end of the rank was seen; 0: unknown
  AwaitedThreads* threads_awaited = nullptr;  ///< receives all calls; may be null
  LockOrder* lock_order = nullptr;            ///< likewise

  Caller caller(const Call& call) const noexcept;
  /// Index of the stretch of the recording, between lost calls, in which the call began.
  std::size_t stretch(const Call& call) const noexcept { return gaps == nullptr ? 0 : gaps->stretch(call.enter_ticks); }
  /// The communicator of the handle at the time of this call; nullptr, with a finding, if unknown.
  const LocalComm* resolve(std::uint64_t handle, const Call& call) const;
};

/// Fills in communicator, peer and tag. comm: may be null; peer: in comm, or negative.
void describe(EventRow& row, const LocalComm* comm, std::int32_t peer, std::int32_t tag) noexcept;
/// For calls with several messages.
void describe_nobody(EventRow& row) noexcept;

/// Whether the call had no effect. A failed call may have received a message that was too long.
inline bool did_nothing(const Call& call) noexcept { return call.has(kFlagFailed) && call.completion_count == 0; }

/// Data kept from the enter of a call to its leave.
struct Pending {
  ReceiveId receive = kNoReceive;
  PartId part;
  std::uint32_t series = 0;
  std::uint64_t send_number = 0;
  std::uint32_t open_send = OpenSends::kNone;
  const LocalComm* comm = nullptr;
  std::vector<std::uint32_t> requests;  ///< one per completion
};

}  // namespace meridian
