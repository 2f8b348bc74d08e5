// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merger/clocks/samples/clock_samples.hpp"
#include "merger/model/clocks.hpp"
#include "merger/model/event_ref.hpp"
#include "trace/containers/index_map.hpp"
#include "trace/containers/temp_spool.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Collects samples for the clocks while messages and collectives are matched on the first lines.
class ClockObserver {
 public:
  /// first  result of fit_clocks()
  /// spool  receives every message between domains; may be null. Both must outlive the observer.
  ClockObserver(std::span<const RankMeta* const> metas, const Clocks& first, TempSpool<DomainMessage>* spool = nullptr);

  /// Ambiguous messages are left out: that they contradict a clock is a sign of a wrong guess.
  void add(std::span<const MatchedMessage> messages);
  /// The rows of an instance must be consecutive, also across calls.
  void add(std::span<const CollectivePart> parts);
  /// Call after the last row: adds the ping-pong exchanges and returns the samples.
  ClockSamples& finish();

  /// Finds ranks that share a domain although their messages show that they do not share a clock. Returns [ranks] the
  /// part of its domain that each rank belongs to; empty if there are none. Ranks of one host are only separated if a
  /// distance between their clocks explains the messages of both directions: otherwise these were paired wrongly.
  std::vector<std::uint32_t> find_split() const;

 private:
  struct Inner {                                 // messages between ranks of one domain
    std::uint64_t messages[2]{}, reversed[2]{};  // within a host, between hosts
  };
  /// Messages from one rank to another one on a host that both share a domain.
  struct Way {
    std::uint32_t from = 0, to = 0;
    std::int64_t least_ns = 0;  // the shortest time that a message took; less than 0: reversed
    std::int64_t first_ns = 0, last_ns = 0;
    std::uint64_t reversed = 0;
  };
  void check(std::uint32_t domain, std::uint32_t from, std::uint32_t to, std::int64_t sent_ns,
             std::int64_t received_ns);
  bool is_distance(const Way& way) const noexcept;
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
  IndexMap<HandleKey> way_of_;                // (from, to)
  std::vector<Way> ways_;
  std::vector<CollectivePart> instance_;
};

}  // namespace meridian
