#pragma once

// Runs of programs on hosts whose clocks are known: what every rank would have stamped, and the truth beside it.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "merger/clocks/clock_refine.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian::test {

enum class Drift {
  linear,   ///< an offset and a skew
  thermal,  ///< also a slow sine, warming up, and a random walk: what oscillators do
  slewed,   ///< also rate changes of up to 10 ppm, as NTP makes them, every 32 s
  wild,     ///< also a fast wobble that no oscillator has, beyond every assumption
};
enum class Pattern { ring, random, one_way, torus, none };
enum class Pings {
  star,       ///< domain 0 with every other one
  hypercube,  ///< and three random matchings
};

enum class Fault {
  none,
  wrong_domain,   ///< hosts 1 and 2 say that they share a clock
  swapped_ranks,  ///< a rank of host 1 and one of host 2 say that they are on each other's host
  // Of the middle host, from 55 % of the run on:
  stands_still,       ///< its clock, for 2 ms, while its ranks go on
  suspended,          ///< clock and ranks, for 0.7 s
  rate_step,          ///< its clock goes 30 ppm faster
  false_trips,        ///< what it says of its round trips at the end is 20 us off
  false_messages,     ///< 2 % of what it receives seems to come before it was sent
  reference_wobbles,  ///< the clock of host 0, as in Drift::wild, all the time
};

/// Something that happens to a host's clock.
struct ClockSet {
  int host = 0;
  double at_s = 0;     ///< after the start
  double size_ns = 0;  ///< set by so much
  double still_s = 0;  ///< stands still for so long, in which its ranks say nothing; the others go on without it
};

struct Scenario {
  std::string name = "ring";
  int hosts = 16;
  int ranks_per_host = 2;
  double seconds = 300;
  double iteration_ms = 20;
  double latency_ns = 1300;  ///< L: the smallest; pairs have up to 1.3 times as much
  double asymmetry = 0;      ///< directions of a pair differ by up to this share of L, either way
  Drift drift = Drift::thermal;
  Pattern pattern = Pattern::ring;
  Pings pings = Pings::star;
  bool is_congested = false;
  double step_ns = 0;         ///< of the middle host's clock, after 55 % of the run
  int only_every = 1;         ///< iterations with messages between hosts
  int collective_every = 50;  ///< iterations; 0: no collectives
  double epoch_s = 0;         ///< between rounds of 10 round trips a pair, star; 0: none
  bool has_finish = true;     ///< round trips at the end
  bool has_start = true;
  Fault fault = Fault::none;
  std::vector<ClockSet> sets{};  ///< of one host by time
  std::uint64_t seed = 1;

  int victim() const { return hosts / 2; }                 ///< of steps and of most faults
  double fault_s() const { return 5 + 0.5511 * seconds; }  ///< when it happens
};

/// A host's clock over true time, in ns since its base.
class SimulatedClock {
 public:
  SimulatedClock() = default;
  SimulatedClock(const Scenario& scenario, int host, std::mt19937_64& random);
  double raw(double seconds) const;
  bool is_still_at(double seconds) const;
  /// What it shows beyond what it would if nothing had happened to it.
  std::int64_t set_by_ns(double seconds) const;
  std::uint64_t ticks(double seconds) const { return static_cast<std::uint64_t>(std::llround(raw(seconds))); }

 private:
  static constexpr double kGrid = 0.05;
  double offset_ns_ = 0;
  double skew_ = 0;
  struct Set {
    double at_s = 0, size_ns = 0, still_s = 0;
  };
  std::vector<Set> sets_;         // by time
  std::vector<double> phase_ns_;  // beyond offset and skew, on a grid of time
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
  /// with_calls  keeps what every rank called, in order, for rank files.
  explicit SimulatedRun(const Scenario& scenario, bool with_calls = false);

  Scenario scenario;
  std::vector<SimulatedClock> clocks;    ///< [hosts]
  std::vector<RankMeta> metas;           ///< [ranks]
  std::vector<MatchedMessage> messages;  ///< times are raw ticks; those within a host only with calls or faults
  std::vector<std::vector<CollectivePart>> collectives;
  std::vector<std::vector<SimulatedCall>> calls;  ///< [ranks]
  double begin_s = 0, end_s = 0;                  ///< of the part that round trips enclose

  int ranks() const { return scenario.hosts * scenario.ranks_per_host; }
  /// Whether it is suspended, and others go on.
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
  double ping(int from, int to, AnchorPhase phase, double time_s);
  double ping_round(AnchorPhase phase, double time_s, int trips);
  void anchor(AnchorPhase phase, double time_s);
  void simulate();

  bool with_calls_;
  std::mt19937_64 random_;
  std::vector<std::vector<std::pair<double, double>>> congestion_;  // [from * hosts + to]
};

/// The run's clocks as the merger finds them, and how good they are.
struct ClockTrial {
  ClockTrial(const SimulatedRun& run, const ClockOptions& options);
  Clocks first, clocks;
  ClockResidual residual;
  double fit_s = 0;            ///< processor time of all after the first lines, without matching
  std::uint64_t reversed = 0;  ///< messages and collectives, on the clocks found
  bool is_split = false;       ///< ranks turned out not to share the clock that they name
};

struct ErrorFigures {
  double p50 = 0, p99 = 0, max = 0;  ///< in L
};
/// Of what each host and the reference have for the same moment.
ErrorFigures errors(const SimulatedRun& run, const Clocks& clocks, int moments = 400);

struct BoundFigures {
  std::uint64_t points = 0, outside = 0, uncertified = 0;
  double p50 = 0, p99 = 0;  ///< half widths, in L
};
BoundFigures bounds(const SimulatedRun& run, const Clocks& clocks, BoundLevel level, int moments = 400);

struct BrokenFigures {
  std::uint64_t points = 0, outside = 0, uncertified = 0;  ///< of T1
  bool is_said =
      false;  ///< one of the findings that are wanted, or none is wanted and nothing goes without a bound unsaid
  std::string findings;
};
/// What becomes of a run in which something is not as it should be.
BrokenFigures try_broken(const Scenario& scenario, const std::vector<std::string>& wanted, int moments);

/// The worst excess of |error of an interval| over ppm of its length, ns, over intervals of 1 ms to 1 s.
double worst_distortion(const SimulatedRun& run, const Clocks& clocks, double ppm);

}  // namespace meridian::test
