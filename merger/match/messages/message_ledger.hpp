// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "merger/match/messages/channel.hpp"
#include "merger/match/messages/receive_table.hpp"
#include "merger/model/event_ref.hpp"
#include "merger/model/findings.hpp"

namespace meridian {

struct RankTraffic {
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_received = 0;
};

struct PairTraffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct MessageTotals {
  std::uint64_t matched = 0;
  std::uint64_t bytes = 0;
  std::uint64_t unmatched_sends = 0;
  std::uint64_t unmatched_receives = 0;
  std::uint64_t reversed = 0;                                          ///< matched, but received no later than sent
  std::vector<RankTraffic> ranks;                                      ///< [ranks present]
  std::map<std::pair<std::int32_t, std::int32_t>, PairTraffic> pairs;  ///< (source, dest) world ranks
};

/// Records the results of message matching: a row for every pair, totals, and findings for messages and receives
/// without their other side.
class MessageLedger {
 public:
  /// world_rank  [ranks present].
  /// messages    receives the rows; its owner empties it.
  MessageLedger(std::vector<std::int32_t> world_rank, std::vector<MatchedMessage>& messages, Findings& findings);

  /// ranks  [ranks present]: ended without MPI_Finalize, so that unmatched messages at their end are not an error.
  void set_cut(std::vector<bool> ranks) { is_cut_ = std::move(ranks); }
  /// All ranks that are not in the trace ran without the tracer.
  void set_partners_untraced() { partner_missing_ = FindingId::message_partner_untraced; }

  /// If threads raced on the channel, the pair is a guess: it is marked as such, its sizes are no error, and it is left
  /// out if it cannot be because the receive ended before the send began on one clock.
  void matched(const Channel& at, const SentMessage& send, const Receive& receive, bool has_one_clock);
  void unmatched_send(const Channel& at, const SentMessage& send);
  /// Counts a receive of this channel without a message.
  void unmatched_receive(const Channel& at, const EventRef& post, std::uint32_t waited_for);
  /// waited_for  the rank whose early end would explain it.
  void unmatched_receive(const EventRef& post, std::uint32_t waited_for, std::int32_t source, std::int32_t tag);
  /// Counts the rest of the channel after the end of all ranks.
  void unmatched_rest(const Channel& at, const ReceiveTable& receives);

  /// Counts a message to a rank that is not in the trace. dest_world: negative if even its number is unknown.
  void sent_to_missing(std::uint32_t rank_index, std::int32_t dest_world, std::uint64_t bytes);
  void received_from_missing() { findings_.add(partner_missing_); }
  void never_completed(const Receive& receive);
  void ambiguous(const EventRef& call);
  /// Counts a completed receive of the rank. bytes: negative if unknown.
  void received(std::uint32_t rank_index, std::int64_t bytes);
  /// Adds the traffic of the channel since the last call.
  void count(Channel& at);

  OpenSends& open_sends() noexcept { return open_sends_; }
  bool has_gaps() const noexcept { return findings_.has_gaps(); }
  std::uint64_t reversed() const noexcept { return totals_.reversed; }
  MessageTotals take_totals() { return std::move(totals_); }

 private:
  FindingId or_cut_off(FindingId id, std::uint32_t rank_index) const noexcept;

  std::vector<std::int32_t> world_rank_;  // [ranks present]
  std::vector<MatchedMessage>& messages_;
  Findings& findings_;
  std::vector<bool> is_cut_;  // [ranks present]
  FindingId partner_missing_ = FindingId::message_partner_missing;
  MessageTotals totals_;
  OpenSends open_sends_;
};

}  // namespace meridian
