// SPDX-License-Identifier: Apache-2.0
#pragma once

// The ping-pong exchanges between clock domains.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "merger/model/clocks.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// a - b; wraps, because damaged stamps may have any value.
inline std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// A ping-pong exchange on corrected clocks.
struct CorrectedExchange {
  std::uint32_t from = 0;  ///< domain that asked
  std::uint32_t to = 0;    ///< domain that answered
  AnchorPhase phase{};
  std::uint64_t sent_ticks = 0;      ///< of the domain that asked
  std::uint64_t received_ticks = 0;  ///< of the domain that answered
  std::int64_t sent_ns = 0;
  std::int64_t out_ns = 0;   ///< received minus sent
  std::int64_t back_ns = 0;  ///< returned minus replied

  std::int64_t length_ns() const noexcept { return out_ns + back_ns; }
  /// How far the answering clock is ahead, if both directions took equally long.
  double ahead_ns() const noexcept { return (static_cast<double>(out_ns) - static_cast<double>(back_ns)) / 2; }
};

/// Calls visit(index of the asking rank, index of the answering rank, row) for each exchange between domains whose
/// stamps are consistent.
template <class Visit>
void for_each_exchange(std::span<const RankMeta* const> metas, std::span<const std::uint32_t> domain_of,
                       Visit&& visit) {
  std::map<std::int32_t, std::size_t> index_of;
  for (std::size_t i = 0; i < metas.size(); ++i) index_of.try_emplace(metas[i]->rank, i);
  for (std::size_t i = 0; i < metas.size(); ++i)
    for (const ExchangeRow& row : metas[i]->exchanges) {
      const auto peer = index_of.find(row.peer);
      if (peer == index_of.end() || domain_of[peer->second] == domain_of[i]) continue;
      if (row.returned_ticks < row.sent_ticks || row.replied_ticks < row.received_ticks) continue;
      visit(i, peer->second, row);
    }
}

/// Calls visit(CorrectedExchange) for each of them, on these clocks.
template <class Visit>
void for_each_corrected_exchange(std::span<const RankMeta* const> metas, const Clocks& clocks, Visit&& visit) {
  for_each_exchange(metas, clocks.domain_of, [&](std::size_t asker, std::size_t answerer, const ExchangeRow& row) {
    const ClockMap &here = clocks.maps[asker], &there = clocks.maps[answerer];
    CorrectedExchange exchange;
    exchange.from = clocks.domain_of[asker];
    exchange.to = clocks.domain_of[answerer];
    exchange.phase = row.phase;
    exchange.sent_ticks = row.sent_ticks;
    exchange.received_ticks = row.received_ticks;
    exchange.sent_ns = here.to_global(row.sent_ticks);
    exchange.out_ns = wrapping_difference(there.to_global(row.received_ticks), exchange.sent_ns);
    exchange.back_ns = wrapping_difference(here.to_global(row.returned_ticks), there.to_global(row.replied_ticks));
    visit(exchange);
  });
}

}  // namespace meridian
