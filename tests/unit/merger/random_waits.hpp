// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random programs whose ranks wait for each other.

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "synthetic_trace.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {

/// A program of random calls, all ranks at times of their own.
inline void play_waits(SyntheticRun& run, const std::vector<std::size_t>& place_of, std::uint64_t seed) {
  std::mt19937_64 random{test::seeded(seed)};
  const std::size_t ranks = place_of.size();
  std::vector<std::uint64_t> now(ranks, 10);
  const auto at = [&](std::size_t r) -> SyntheticThread& { return run[place_of[r]].thread(); };
  for (int step = 0; step < 60; ++step) {
    for (std::size_t r = 0; r < ranks; ++r) now[r] += 1 + random() % 900;
    const std::size_t from = random() % ranks, to = (from + 1 + random() % (ranks - 1)) % ranks;
    switch (random() % 5) {
      case 0: {
        const std::uint64_t last = *std::ranges::max_element(now);
        for (std::size_t r = 0; r < ranks; ++r) {
          at(r).collective(CallId::Barrier, {now[r], last + 5 + r});
          now[r] = last + 5 + r;
        }
        break;
      }
      case 1:
        at(from).call(CallId::File_write, {now[from], now[from] + 300});
        now[from] += 300;
        break;
      case 2: {  // with a request, of which only some wait for the receive
        const std::uint64_t waits = now[from] + 5 + random() % 900;
        const bool is_rendezvous = random() % 2 == 0;
        at(from).isend({now[from], now[from] + 2}, static_cast<std::int32_t>(place_of[to]), 8, 8, 0xa);
        const std::uint64_t end = is_rendezvous ? std::max(waits, now[to]) + 7 : waits + 3;
        at(from).wait({waits, end}, 0xa);
        at(to).receive({now[to], std::max(now[to], now[from]) + 10}, static_cast<std::int32_t>(place_of[from]), 8, 8);
        now[to] = std::max(now[to], now[from]) + 10;
        now[from] = end;
        break;
      }
      default:
        at(from).send({now[from], now[from] + 5}, static_cast<std::int32_t>(place_of[to]), 7, 8);
        at(to).receive({now[to], std::max(now[to], now[from]) + 10}, static_cast<std::int32_t>(place_of[from]), 7, 8);
        now[to] = std::max(now[to], now[from]) + 10;
        now[from] += 5;
    }
  }
}

}  // namespace meridian::test
