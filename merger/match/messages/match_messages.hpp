// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "merger/match/messages/channel_pairing.hpp"
#include "merger/match/messages/channel_table.hpp"
#include "merger/match/messages/message_ledger.hpp"
#include "merger/match/messages/receive_table.hpp"
#include "merger/match/messages/waiting_receives.hpp"
#include "merger/model/event_ref.hpp"
#include "merger/model/findings.hpp"
#include "trace/definitions/communicators.hpp"
#include "trace/format/rank/dropped_rows.hpp"

namespace meridian {

/// The data of a call that the matchers need.
struct Caller {
  std::uint32_t rank_index = 0;  ///< index among the ranks present
  CallSpan span;
  EventRef call;
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = 0;
  std::uint32_t epoch = 0;      ///< at the enter of the call (RecordingGaps)
  bool is_uncountable = false;  ///< likewise: a collective that is not matched
};

/// Pairs sends with receives by identity: the n-th message of a channel belongs to the n-th receive on that channel, in
/// posting order (MPI 4.1, 3.5: messages do not overtake). Times do not affect the result; they only keep the set of
/// pending messages small.
///
/// A receive from any source or with any tag has no channel until it completes (WaitingReceives). A send or receive
/// that the program tries to cancel keeps its place, but nothing after it is paired until the outcome is known
/// (ChannelPairing). If several threads of a process send or receive on one channel at the same time, MPI defines no
/// order: RaceSettler finds one in which no message is received before it was sent, and each message has the size that
/// was received, if there is such an order.
class MessageMatcher {
 public:
  /// rank_index   [world size]: index among the ranks present; kMissingRank if there is no file.
  /// comms        [ranks present]: number of communicators of the rank.
  /// messages     receives a row for every pair, in the order in which pairs are found; its owner empties it.
  MessageMatcher(std::vector<std::uint32_t> rank_index, const std::vector<std::size_t>& comms,
                 std::vector<MatchedMessage>& messages, Findings& findings);
  MessageMatcher(const MessageMatcher&) = delete;  // its parts refer to each other
  MessageMatcher& operator=(const MessageMatcher&) = delete;

  /// See ChannelPairing.
  void set_domains(std::span<const std::uint32_t> domains) { pairing_.set_domains(domains); }
  /// See RaceSettler.
  void set_racing(std::vector<bool> races) { races_.set_racing(std::move(races)); }
  /// Call before each call of a rank that races: its calls up to this time are known.
  void advance(std::uint32_t rank_index, std::uint64_t ticks) {
    races_.advance(rank_index, ticks, [this](ReceiveId id, std::uint64_t number) { try_again(id, number); });
  }
  /// See MessageLedger.
  void set_partners_untraced() { ledger_.set_partners_untraced(); }
  void set_cut(std::vector<bool> ranks) { ledger_.set_cut(std::move(ranks)); }

  /// Before the trace begins, the rank has sent that many messages to the member `peer` with the tag, and posted as many receives from
  /// it. Call for all ranks before the first call, then begin().
  void skip(std::uint32_t rank_index, const LocalComm& comm, const DroppedMessagesRow& row);
  void begin();
  /// A wildcard receive that was posted before the trace begins.
  ReceiveId post_before(const Caller& caller, const LocalComm& comm, std::int32_t source, std::int32_t tag);

  /// Returns the number of the message in its channel, for cancel_send.
  /// open  of open_sends(), if the send has a request
  std::uint64_t send(const Caller& caller, const LocalComm& comm, std::int32_t dest, std::int32_t tag,
                     std::uint64_t bytes, bool is_partitioned = false, std::uint32_t open = OpenSends::kNone);
  OpenSends& open_sends() noexcept { return ledger_.open_sends(); }
  void ask_to_cancel_send(const ChannelKey& key, std::uint64_t number);
  /// Call when the outcome of the cancel is known.
  void end_cancel_send(const ChannelKey& key, std::uint64_t number, bool is_cancelled);

  /// The outcome of the cancel remains unknown.
  void leave_cancel_open(const ChannelKey& key, std::uint64_t number);

  /// Posts a receive. source and tag may be kAnySource, kAnyTag; for a blocking call with a wildcard, pass the source
  /// and tag of the received message.
  ReceiveId post(const Caller& caller, const LocalComm& comm, std::int32_t source, std::int32_t tag,
                 bool is_partitioned = false);
  /// The call that the user sees as the receive, if it is not the one that posted it (Mrecv).
  void set_receiver(ReceiveId id, const Caller& caller);
  /// bytes       from the status; negative: unknown.
  /// has_failed  the call returned an error, so that the message may have been longer.
  void complete(ReceiveId id, const Caller& caller, std::int32_t source, std::int32_t tag, std::int64_t bytes,
                bool has_failed = false);
  void ask_to_cancel(ReceiveId id);
  void cancelled(ReceiveId id);
  /// The receive's completion is not in the trace.
  void abandon(ReceiveId id);
  /// The receive may have completed outside the recording: see WaitingReceives.
  void silence_behind(ReceiveId id) { waiting_.silence_behind(id); }
  /// Calls of this rank were lost: later messages on the communicator cannot be matched.
  void give_up(std::uint32_t rank_index, const LocalComm& comm) { lost_.add(rank_index, comm.comm); }
  /// Counts a wildcard receive that never returned: it has no place.
  void count_stale_receive(const Caller& caller, std::int32_t source, std::int32_t tag);

  /// Call after the last call of the rank.
  void end_rank(std::uint32_t rank_index);
  /// Call after the end of all ranks: the rest is unmatched.
  MessageTotals finish();
  std::uint64_t reversed() const noexcept { return ledger_.reversed(); }

  static ChannelKey send_key(const LocalComm& comm, std::int32_t dest, std::int32_t tag, bool is_partitioned,
                             std::uint32_t epoch = 0) noexcept;

 private:
  std::uint32_t rank_of(const Group& group, std::int32_t rank) const noexcept;
  std::uint32_t channel_of(const ChannelKey& key, std::uint32_t source, std::uint32_t dest) {
    return channels_.get(key, source, dest, [this](Channel& idle) { ledger_.count(idle); });
  }
  void leave_alone(ReceiveId id);
  ChannelKey receive_key(const Receive& receive) const noexcept;
  void place(ReceiveId id);
  /// Places receives of the rank that waited for their channels.
  void place_all(std::uint32_t rank_index, std::span<const ReceiveId> released);
  void try_again(ReceiveId id, std::uint64_t number);

  std::vector<std::uint32_t> rank_index_;
  ChannelTable channels_;
  ReceiveTable receives_;
  WaitingReceives waiting_;
  LostSides lost_;
  MessageLedger ledger_;
  RaceSettler races_;
  ChannelPairing pairing_;
  std::vector<bool> has_ended_;    // [rank]
  std::uint64_t next_number_ = 0;  // of sends and places
};

}  // namespace meridian
