// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "merger/match/messages/channel.hpp"
#include "merger/match/messages/message_ledger.hpp"
#include "merger/match/messages/race_settler.hpp"
#include "merger/match/messages/receive_table.hpp"

namespace meridian {

/// Ranks that lost calls on a communicator, so that their later messages on it cannot be matched.
class LostSides {
 public:
  explicit LostSides(std::size_t ranks) : ranks_{ranks} {}
  void add(std::uint32_t rank_index, std::uint32_t comm);
  bool contain(std::uint32_t rank_index, std::uint32_t comm) const noexcept {
    return !comms_.empty() && has(comms_[rank_index], comm);
  }

 private:
  static bool has(const std::vector<std::uint32_t>& comms, std::uint32_t comm) noexcept;

  std::size_t ranks_;
  std::vector<std::vector<std::uint32_t>> comms_;  // [rank] ascending; empty: no calls were lost
};

/// Pairs the messages of a channel with its places: the i-th message belongs to the i-th place. A message whose send or
/// receive may be cancelled delays all messages after it, and the order of racing calls is found first.
class ChannelPairing {
 public:
  ChannelPairing(ReceiveTable& receives, const LostSides& lost, MessageLedger& ledger, RaceSettler& races)
      : receives_{receives}, lost_{lost}, ledger_{ledger}, races_{races} {}

  /// domains  [ranks present]: ranks with equal values share a clock. Used if threads race or the recording has gaps.
  void set_domains(std::span<const std::uint32_t> domains) { domains_.assign(domains.begin(), domains.end()); }

  /// Pairs the receive at `place` if it is complete and its message is there, and removes it from the table.
  void pair(Channel& at, std::size_t place);
  /// Pairs all receives that can be paired.
  void pair_all(Channel& at);
  /// Called at the end of the trace: determines which of the sends with an open cancel were cancelled. All other
  /// messages of a correct program have a receive, so their number is that of the sends without one.
  void end_cancels(Channel& at);

 private:
  bool is_certain(const Channel& at, std::size_t place) const noexcept;
  bool leave_apart(Channel& at, std::size_t place);
  bool has_one_clock(const Channel& at) const noexcept {
    return domains_.empty() || domains_[at.source] == domains_[at.dest];
  }
  void pair_here(Channel& at, std::size_t place);
  void pair_race(Channel& at, ReceiveId id);

  ReceiveTable& receives_;
  const LostSides& lost_;
  MessageLedger& ledger_;
  RaceSettler& races_;
  std::vector<std::uint32_t> domains_;  // [rank]; empty: all ranks share one clock
};

}  // namespace meridian
