// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "merger/match/channel.hpp"
#include "merger/match/message_ledger.hpp"
#include "merger/match/receive_table.hpp"

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
/// receive may be cancelled delays all messages after it.
class ChannelPairing {
 public:
  ChannelPairing(ReceiveTable& receives, const LostSides& lost, MessageLedger& ledger)
      : receives_{receives}, lost_{lost}, ledger_{ledger} {}

  /// domains  [ranks present]: ranks with equal values share a clock. Used if the recording has gaps.
  void set_domains(std::span<const std::uint32_t> domains) { domains_.assign(domains.begin(), domains.end()); }

  /// Pairs the receive at `place` if it is complete and its message is there, and removes it from the table.
  void pair(Channel& at, std::size_t place);
  /// Pairs all receives that can be paired.
  void pair_all(Channel& at);

 private:
  bool is_certain(const Channel& at, std::size_t place) const noexcept;
  bool leave_apart(Channel& at, std::size_t place);

  ReceiveTable& receives_;
  const LostSides& lost_;
  MessageLedger& ledger_;
  std::vector<std::uint32_t> domains_;  // [rank]; empty: all ranks share one clock
};

}  // namespace meridian
