// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "merger/match/channel_pairing.hpp"
#include "merger/match/channel_table.hpp"
#include "merger/match/message_ledger.hpp"
#include "merger/match/receive_table.hpp"
#include "merger/match/waiting_receives.hpp"
#include "merger/model/communicators.hpp"
#include "merger/model/event_ref.hpp"
#include "merger/model/findings.hpp"

namespace meridian {

/// A call, as the matchers need it.
struct Caller {
  std::uint32_t rank_index = 0;  ///< among the ranks present
  CallSpan span;
  EventRef call;
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = 0;
  std::uint32_t epoch = 0;  ///< of the call's beginning (RecordingGaps)
};

/// Pairs sends with receives by identity: the n-th message of a channel belongs to the n-th receive on that channel, in
/// posting order (MPI 4.1, 3.5: messages do not overtake). Times decide nothing; they only keep the set of messages
/// under way small.
///
/// A receive from any source or with any tag has no channel until it completes (WaitingReceives). A send or receive
/// that the program tries to cancel keeps its place, but nothing behind it is paired until the outcome is known
/// (ChannelPairing). Where several threads of a process send or receive on one channel at once, MPI defines no order:
/// of the possible ones, one is taken in which no message is received before it was sent, and in which each has the
/// size that was received, if there is one (settle_overlaps).
class MessageMatcher {
 public:
  /// rank_index   [world size]: place among the ranks present; kMissingRank where there is no file.
  /// comms        [ranks present]: number of communicators that the rank made.
  /// messages     gets a row for every pair, in the order in which they are found; its owner empties it.
  MessageMatcher(std::vector<std::uint32_t> rank_index, const std::vector<std::size_t>& comms,
                 std::vector<MatchedMessage>& messages, Findings& findings);
  MessageMatcher(const MessageMatcher&) = delete;  // its parts refer to each other
  MessageMatcher& operator=(const MessageMatcher&) = delete;

  /// See ChannelPairing.
  void set_domains(std::span<const std::uint32_t> domains) { pairing_.set_domains(domains); }
  /// See MessageLedger.
  void set_cut(std::vector<bool> ranks) { ledger_.set_cut(std::move(ranks)); }

  /// Number of the message in its channel; for cancel_send.
  std::uint64_t send(const Caller& caller, const LocalComm& comm, std::int32_t dest, std::int32_t tag,
                     std::uint64_t bytes, bool is_partitioned = false);
  void ask_to_cancel_send(const ChannelKey& key, std::uint64_t number);
  /// The outcome of the cancel is known.
  void end_cancel_send(const ChannelKey& key, std::uint64_t number, bool is_cancelled);

  /// A receive takes its place in its channel. source and tag may be kAnySource, kAnyTag; if it is known already which
  /// message a wildcard found (a blocking call), the source and tag of that message.
  ReceiveId post(const Caller& caller, const LocalComm& comm, std::int32_t source, std::int32_t tag,
                 bool is_partitioned = false);
  /// The call that the user sees as the receive, where that is not the one that posted it (Mrecv).
  void set_receiver(ReceiveId id, const Caller& caller);
  /// bytes  from the status; negative when unknown.
  void complete(ReceiveId id, const Caller& caller, std::int32_t source, std::int32_t tag, std::int64_t bytes);
  void ask_to_cancel(ReceiveId id);
  void cancelled(ReceiveId id);
  /// The receive's completion is not in the trace.
  void abandon(ReceiveId id);
  /// The receive may have completed unseen: see WaitingReceives.
  void silence_behind(ReceiveId id) { waiting_.silence_behind(id); }
  /// Calls of this rank were lost: later messages on the communicator cannot be matched.
  void give_up(std::uint32_t rank_index, const LocalComm& comm) { lost_.add(rank_index, comm.comm); }
  /// A receive that never returned, with a wildcard: it can have no place.
  void count_stale_receive(const Caller& caller, std::int32_t source, std::int32_t tag);

  /// The rank has no more calls.
  void end_rank(std::uint32_t rank_index);
  /// After all ranks: what is left is unmatched.
  MessageTotals finish();
  std::uint64_t reversed() const noexcept { return ledger_.reversed(); }

  static ChannelKey send_key(const LocalComm& comm, std::int32_t dest, std::int32_t tag, bool is_partitioned,
                             std::uint32_t epoch = 0) noexcept;

 private:
  std::uint32_t rank_of(const Group& group, std::int32_t rank) const noexcept;
  std::uint32_t channel_of(const ChannelKey& key, std::uint32_t source, std::uint32_t dest) {
    return channels_.get(key, source, dest, [this](Channel& idle) { ledger_.count(idle); });
  }
  void place(ReceiveId id);
  void place_all(std::span<const ReceiveId> released);

  std::vector<std::uint32_t> rank_index_;
  ChannelTable channels_;
  ReceiveTable receives_;
  WaitingReceives waiting_;
  LostSides lost_;
  MessageLedger ledger_;
  ChannelPairing pairing_;
  std::vector<bool> has_ended_;    // [rank]
  std::uint64_t next_number_ = 0;  // of sends and places
};

}  // namespace meridian
