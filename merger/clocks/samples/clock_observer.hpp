// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merger/clocks/samples/clock_samples.hpp"
#include "merger/containers/temp_spool.hpp"
#include "merger/model/clocks.hpp"
#include "merger/model/event_ref.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// Collects samples for the clocks while messages and collectives are matched on the first lines.
class ClockObserver {
 public:
  /// first  result of fit_clocks()
  /// spool  receives every message between domains; may be null. Both must outlive the observer.
  ClockObserver(std::span<const RankMeta* const> metas, const Clocks& first, TempSpool<DomainMessage>* spool = nullptr);

  void add(std::span<const MatchedMessage> messages);
  /// The rows of an instance must be consecutive, also across calls.
  void add(std::span<const CollectivePart> parts);
  /// Call after the last row: adds the ping-pong exchanges and returns the samples.
  ClockSamples& finish();

  /// Finds ranks that share a domain although their messages show that they do not share a clock. Returns [ranks] the
  /// part of its domain that each rank belongs to; empty if there are none.
  std::vector<std::uint32_t> find_split() const;

 private:
  struct Inner {                                 // messages between ranks of one domain
    std::uint64_t messages[2]{}, reversed[2]{};  // within a host, between hosts
  };
  std::uint32_t index_of(std::int32_t rank) const noexcept;
  void add_instance();
  void add_across();
  void check_within(const std::vector<CollectiveSide>& sides, const std::vector<const CollectivePart*>& last);

  std::span<const RankMeta* const> metas_;
  const Clocks& first_;
  TempSpool<DomainMessage>* spool_;
  ClockSamples samples_;
  std::vector<std::uint32_t> index_of_rank_;  // [world rank]
  std::vector<std::uint32_t> host_of_;        // [ranks given]
  std::vector<Inner> inner_;                  // [domains]
  std::vector<CollectivePart> instance_;
};

}  // namespace meridian
