// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hosts with known clocks, and the metadata that tracing them would record.

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "merger/clocks/fit/fit_clocks.hpp"
#include "merger/model/clocks.hpp"
#include "tests/support/seed.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian::test {

/// A host's clock over true time t, in ns: CLOCK_MONOTONIC is offset + t (1 + drift), a tick is 1/ghz of its ns.
struct TrueClock {
  long double offset_ns = 0;
  long double drift = 0;
  long double ghz = 2.6L;
  std::uint64_t first_ticks = 1ULL << 40;  ///< at CLOCK_MONOTONIC 0
  long double realtime_error_ns = 0;

  long double monotonic(long double t) const { return offset_ns + t + t * drift; }
  std::uint64_t ticks(long double t) const {
    return first_ticks + static_cast<std::uint64_t>(static_cast<std::int64_t>(std::llround(monotonic(t) * ghz)));
  }
  std::int64_t realtime(long double t) const {
    return 1'700'000'000'000'000'000 + static_cast<std::int64_t>(std::llround(t + realtime_error_ns));
  }
};

struct World {
  long double run_ns = 10e9L;     ///< MPI_Init's end to MPI_Finalize
  long double latency_ns = 1300;  ///< smallest, one way
  long double jitter_ns = 0;      ///< mean of the added delay; one in 200 is 1000 times longer
  long double asymmetry_ns = 0;   ///< added to messages from the rank that starts the exchange
  int trips = 100;                ///< exchanges per batch
  std::vector<TrueClock> clocks;  ///< [hosts]; one rank each
  std::vector<RankMeta> metas;    ///< [hosts]
  std::mt19937_64 random{test::seeded(1)};

  explicit World(std::vector<TrueClock> truth) : clocks{std::move(truth)} {
    for (std::size_t host = 0; host < clocks.size(); ++host) {
      RankMeta& meta = metas.emplace_back();
      meta.rank = static_cast<std::int32_t>(host);
      meta.hostname = "node" + std::to_string(host);
      meta.domain = 1000 + host;
      meta.texts.push_back({"tick_hz", std::to_string(std::llround(clocks[host].ghz * 1e9L)), 0, 0});
    }
  }

  /// Anchors of every rank at the start, and at the end if it gets there.
  void add_anchors(bool has_finish = true) {
    for (std::size_t host = 0; host < clocks.size(); ++host) {
      add_anchor(host, AnchorPhase::start, 0);
      if (has_finish) add_anchor(host, AnchorPhase::finish, run_ns);
    }
  }

  void add_anchor(std::size_t host, AnchorPhase phase, long double t, long double width_ns = 80) {
    const TrueClock& clock = clocks[host];
    metas[host].anchors.push_back({phase, clock.ticks(t - width_ns / 2), clock.ticks(t + width_ns / 2),
                                   std::llround(clock.monotonic(t)), clock.realtime(t)});
  }

  void add_exchanges(std::size_t from, std::size_t to, AnchorPhase phase) {
    long double t = phase == AnchorPhase::start ? 1e6L : run_ns - 5e6L;
    for (int i = 0; i < trips; ++i) t = add_exchange(from, to, phase, t) + 100;
  }

  /// One ping-pong exchange from true time t on; returns its end.
  long double add_exchange(std::size_t from, std::size_t to, AnchorPhase phase, long double t) {
    const long double received = t + delay() + asymmetry_ns;
    const long double replied = received + 150;
    const long double returned = replied + delay();
    metas[from].exchanges.push_back({static_cast<std::int32_t>(to), phase, clocks[from].ticks(t),
                                     clocks[to].ticks(received), clocks[to].ticks(replied),
                                     clocks[from].ticks(returned)});
    return returned;
  }

  /// Exchanges from host 0 with every other one, at start and end.
  void add_star(bool has_finish = true) {
    for (std::size_t host = 1; host < clocks.size(); ++host) {
      add_exchanges(0, host, AnchorPhase::start);
      if (has_finish) add_exchanges(0, host, AnchorPhase::finish);
    }
  }

  Result<Clocks> fit(ClockModel model = ClockModel::linear) const {
    std::vector<const RankMeta*> pointers;
    for (const RankMeta& meta : metas) pointers.push_back(&meta);
    return fit_clocks(pointers, model);
  }

  std::int64_t global(const Clocks& found, std::size_t rank, long double t) const {
    return found.maps[rank].to_global(clocks[rank].ticks(t));
  }

  /// The largest difference over the run between the global times of a rank and of rank 0 for the same true moment.
  std::int64_t worst_error_ns(const Clocks& found, std::size_t rank) const {
    std::int64_t worst = 0;
    for (int i = 0; i <= 100; ++i) {
      const long double t = run_ns * i / 100;
      worst = std::max(worst, std::abs(global(found, rank, t) - global(found, 0, t)));
    }
    return worst;
  }

 private:
  long double delay() {
    if (jitter_ns == 0) return latency_ns;
    std::exponential_distribution<double> tail{1.0};
    const bool is_stuck = random() % 200 == 0;
    return latency_ns + jitter_ns * static_cast<long double>(tail(random)) * (is_stuck ? 1000 : 1);
  }
};

}  // namespace meridian::test
