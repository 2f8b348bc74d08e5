// SPDX-License-Identifier: Apache-2.0
#pragma once

// Simulated runs on hosts with known clocks: the stamps of every rank, and the truth.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "merger/clocks/clock_refine.hpp"
#include "merger/model/clocks.hpp"
#include "merger/model/event_ref.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian::test {

enum class Drift {
  linear,   ///< an offset and a skew
  thermal,  ///< also a slow sine, warming up, and a random walk, like real oscillators
  slewed,   ///< also rate changes of up to 10 ppm, as NTP makes them, every 32 s
  wild,     ///< also a fast wobble that no oscillator has, which violates the assumptions
};
enum class Pattern { ring, random, one_way, torus, none };
enum class ExchangePattern {
  star,       ///< domain 0 with every other one
  hypercube,  ///< and three random matchings
};

enum class Fault {
  none,
  wrong_domain,   ///< hosts 1 and 2 claim to share a clock
  swapped_ranks,  ///< a rank of host 1 and one of host 2 claim to be on each other's host
  // Faults of the middle host, from 55 % of the run on:
  stands_still,       ///< its clock stops for 2 ms while its ranks go on
  suspended,          ///< clock and ranks stop for 0.7 s
  rate_step,          ///< its clock runs 30 ppm faster
  false_exchanges,    ///< its stamps of the exchanges at the end are wrong by 20 us
  false_messages,     ///< 2 % of its messages seem to be received before they were sent
  reference_wobbles,  ///< the clock of host 0 behaves as in Drift::wild all the time
};

/// A step or a stop of a host's clock.
struct ClockSet {
  int host = 0;
  double at_s = 0;     ///< after the start
  double size_ns = 0;  ///< size of the step
  double still_s = 0;  ///< stops for this long, while its ranks do nothing; the others go on without it
};

/// How delays are spread above the smallest one.
enum class DelayShape {
  mixture,   ///< half of them close to it, and a heavy tail
  gamma,     ///< hardly any of them close to it
  pareto,    ///< a heavy tail from the smallest one on
  recorded,  ///< those of tcp_round_trips.hpp, in their order
};

/// From this moment on, all delays are so many times as long.
struct FloorChange {
  double at_s = 0, factor = 1;
};

/// Time during which a clock is slewed.
struct Slew {
  int host = 0;
  double at_s = 0, seconds = 0, ppm = 0;
};

/// Time during which a host is so busy that it sends and receives late.
struct HostLoad {
  int host = 0;
  double at_s = 0, seconds = 0, late_ns = 0;
};

struct Scenario {
  std::string name = "ring";
  int hosts = 16;
  int ranks_per_host = 2;
  double seconds = 300;
  double iteration_ms = 20;
  double latency_ns = 1300;  ///< L, the smallest; that of a pair is up to 1.3 times as long
  double asymmetry = 0;      ///< the directions of a pair differ by up to this share of L
  Drift drift = Drift::thermal;
  bool has_walk = true, has_warmth = true;  ///< whether drift includes the random walk; the sine and warming up
  Pattern pattern = Pattern::ring;
  ExchangePattern exchange_pattern = ExchangePattern::star;
  bool is_congested = false;
  double step_ns = 0;         ///< step of the middle host's clock, after 55 % of the run
  int only_every = 1;         ///< only every n-th iteration has messages between hosts
  int collective_every = 50;  ///< iterations; 0: no collectives
  double epoch_s = 0;         ///< between rounds of 10 exchanges per pair, in a star; 0: none
  bool has_finish = true;     ///< exchanges at the end
  bool has_start = true;
  Fault fault = Fault::none;
  std::vector<ClockSet> sets{};  ///< those of each host by time
  std::vector<Slew> slews{};
  DelayShape delays = DelayShape::mixture;
  std::vector<FloorChange> floors{};  ///< by time
  std::vector<HostLoad> loads{};
  bool has_queues = false;      ///< on links in one direction, that build and drain
  double tick_ns = 1;           ///< clocks advance by this
  int hosts_without_start = 0;  ///< the last ones have no exchanges at the start
  std::uint64_t seed = 1;
  bool has_skew = true;  ///< otherwise all clocks have one rate, but for their drift

  int victim() const { return hosts / 2; }                 ///< host that has the step and most faults
  double fault_s() const { return 5 + 0.5511 * seconds; }  ///< when that happens
};

/// A host's clock over true time, in ns since its base.
class SimulatedClock {
 public:
  SimulatedClock() = default;
  SimulatedClock(const Scenario& scenario, int host, std::mt19937_64& random);
  double raw(double seconds) const;
  bool is_still_at(double seconds) const;
  /// By how much its steps and stops have changed it.
  std::int64_t set_by_ns(double seconds) const;
  std::uint64_t ticks(double seconds) const {
    if (tick_ns_ == 1) return static_cast<std::uint64_t>(std::llround(raw(seconds)));
    return static_cast<std::uint64_t>(std::llround(std::floor(raw(seconds) / tick_ns_) * tick_ns_));
  }

 private:
  static constexpr double kGrid = 0.05;
  double tick_ns_ = 1;
  double offset_ns_ = 0;
  double skew_ = 0;
  struct Set {
    double at_s = 0, size_ns = 0, still_s = 0;
  };
  std::vector<Set> sets_;         // by time
  std::vector<double> phase_ns_;  // deviation from offset and skew, on a grid of time
};

struct SimulatedCall {
  enum Kind : std::uint8_t { send, receive, allreduce } kind{};
  std::int32_t peer = -1;
  std::uint64_t enter_ticks = 0;
  std::uint64_t leave_ticks = 0;
  double enter_s = 0;  ///< true time
  double leave_s = 0;
};

/// Ticks are ns of each host's clock.
class SimulatedRun {
 public:
  /// with_calls  keeps the calls of every rank, in order, for rank files
  explicit SimulatedRun(const Scenario& scenario, bool with_calls = false);

  Scenario scenario;
  std::vector<SimulatedClock> clocks;    ///< [hosts]
  std::vector<RankMeta> metas;           ///< [ranks]
  std::vector<MatchedMessage> messages;  ///< times are raw ticks; those within a host only with calls or faults
  std::vector<std::vector<CollectivePart>> collectives;
  std::vector<std::vector<SimulatedCall>> calls;  ///< [ranks]
  double begin_s = 0, end_s = 0;                  ///< of the part between the exchanges at start and end

  int ranks() const { return scenario.hosts * scenario.ranks_per_host; }
  /// Whether a host is suspended while others go on.
  bool is_away(int host, double time_s) const {
    return std::ranges::any_of(scenario.sets, [&](const ClockSet& one) {
      const double since_s = time_s - 5 - one.at_s;
      return one.host == host && since_s >= 0 && since_s < one.still_s;
    });
  }
  bool has_fault(Fault fault, int host, double time_s) const {
    return scenario.fault == fault && host == scenario.victim() && time_s >= scenario.fault_s();
  }
  int host_of(int rank) const { return rank / scenario.ranks_per_host; }
  std::vector<const RankMeta*> meta_pointers() const;
  double delay(int from, int to, double time_s);

 private:
  double uniform(double low = 0, double high = 1);
  double exponential(double mean);
  double normal();
  double smallest_delay(int from, int to) const;
  double excess(int from, int to, double time_s);
  double exchange(int from, int to, AnchorPhase phase, double time_s);
  double exchange_round(AnchorPhase phase, double time_s, int trips);
  void anchor(AnchorPhase phase, double time_s);
  void simulate();

  bool with_calls_;
  std::mt19937_64 random_;
  std::vector<std::vector<std::pair<double, double>>> congestion_;  // [from * hosts + to]
};

/// The clocks that the merger fits to a run, and their quality.
struct ClockTrial {
  ClockTrial(const SimulatedRun& run, const ClockOptions& options);
  Clocks first, clocks;
  ClockCorrection correction;
  double fit_s = 0;            ///< processor time after the first lines, without matching
  std::uint64_t reversed = 0;  ///< messages and collectives, on the fitted clocks
  bool is_split = false;       ///< ranks do not share the clock that they name
};

struct ErrorFigures {
  double p50 = 0, p99 = 0, max = 0;  ///< in L
};
/// Differences between each host and the reference for the same moment.
ErrorFigures errors(const SimulatedRun& run, const Clocks& clocks, int moments = 400);

struct BoundFigures {
  std::uint64_t points = 0, outside = 0, uncertified = 0;
  double p50 = 0, p99 = 0;  ///< half widths, in L
};
BoundFigures bounds(const SimulatedRun& run, const Clocks& clocks, BoundLevel level, int moments = 400);

struct BrokenFigures {
  std::uint64_t points = 0, outside = 0, uncertified = 0;  ///< of T1
  /// There is one of the expected findings; or, if none is expected, all points without a bound are reported.
  bool is_said = false;
  std::string findings;
};
/// The result of a run that violates assumptions.
BrokenFigures try_broken(const Scenario& scenario, const std::vector<std::string>& wanted, int moments);

/// The worst excess of |error of an interval| over ppm of its length, ns, over intervals of 1 ms to 1 s.
double worst_distortion(const SimulatedRun& run, const Clocks& clocks, double ppm);

}  // namespace meridian::test
