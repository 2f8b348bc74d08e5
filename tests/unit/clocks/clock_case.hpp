// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hosts that make only ping-pong exchanges, on clocks that wander like quartz oscillators over hours: the set-ups of
// published measurements, with known truth.

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "merger/clocks/fit/clock_regression.hpp"
#include "merger/model/clocks.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian::test {

/// Random walk of a clock's rate per second. A line through T seconds of two such clocks leaves an r.m.s. residual of
/// walk sqrt(2 T^3 / 420): 0.14 us in ten minutes, 87 us in twelve hours.
inline constexpr double kWalk = 1.4e-10;

/// A clock over true time: an offset, a skew, and the walk of its rate.
class WanderingClock {
 public:
  WanderingClock(double skew, double walk, double seconds, std::mt19937_64& random);
  std::uint64_t ticks(double t) const;  ///< ns

 private:
  double offset_s_, skew_;
  std::vector<double> wander_s_;  // at every second
};

/// The delay of a message in one direction is the sum of these.
struct Delay {
  double least_s = 44.3e-6;
  double jitter_s = 1.5e-6;                 ///< mean, exponential
  double slow_share = .01, slow_s = 11e-6;  ///< more for this share of the messages: mean, exponential
  double wait_share = 0, wait_s = 0;        ///< more for this share, which wait for a busy processor: uniform from 0

  double sample(std::mt19937_64& random) const;
};

struct Link {
  Delay forth{}, back{};
};

/// Result of comparing bounds with the truth.
struct Checked {
  std::size_t points = 0;
  std::size_t outside = 0;  ///< points outside their bounds
  Checked& operator+=(const Checked& other) {
    points += other.points;
    outside += other.outside;
    return *this;
  }
};

/// The bounds of one host over the run.
struct CaseBounds {
  double t1_ns = -1, t2_ns = -1;  ///< middle half widths; negative: there is none
  Checked checked{};              ///< both levels
};

/// Offset over time by least squares with equal weights, and its errors, as in Clement's thesis. Meridian's own
/// regression does not report these, because it gives quick exchanges more weight.
struct OffsetLine {
  double x = 0;      ///< D = X T + D0
  double d0_ns = 0;  ///< at the first exchange
  double er_ns = 0;  ///< standard deviation of the residuals
  double ex = 0, ed0_ns = 0;
  double mean_half_ns = 0;  ///< E_ij: half of a round trip
  double at_ns(long double time_ns) const { return d0_ns + x * static_cast<double>(time_ns); }
};

class Case {
 public:
  Case(std::size_t hosts, double seconds, std::uint64_t seed);

  /// Adds the next host; call it for every host first.
  void add_clock(double skew, double walk = kWalk);
  /// One ping-pong exchange that host `a` begins at t.
  void exchange(std::size_t a, std::size_t b, double t, AnchorPhase phase, const Link& link);
  /// From the beginning to the end. Those in the first and last fiftieth are the ones at start and end.
  void ping_every(std::size_t a, std::size_t b, double period_s, const Link& link);
  /// `trips` in a row from t on.
  void ping_batch(std::size_t a, std::size_t b, double t, AnchorPhase phase, int trips, double spacing_s,
                  const Link& link);

  /// Meridian's result; host 0 is the reference.
  Clocks fit(ClockModel model) const;
  /// The difference between hosts `h` and 0 about moment t, on these clocks.
  double error_ns(const Clocks& clocks, std::size_t h, double t) const;
  /// The largest over the run, except for half a percent at either end.
  double worst_ns(const Clocks& clocks, std::size_t h) const;
  /// The same for a line through the exchanges from `a` to `b`.
  double worst_ns(const OffsetLine& line, std::size_t a, std::size_t b) const;
  CaseBounds bounds(const Clocks& clocks, std::size_t h) const;
  /// At one moment; negative if there is no bound.
  double half_width_ns(const Clocks& clocks, std::size_t h, double t, BoundLevel level) const;

  /// The exchanges from `a` to `b`: offset of the clock of `b` over that of `a`, both counted from the first one.
  std::vector<ExchangeOffset> trips(std::size_t a, std::size_t b) const;
  /// An ideal exchange at t among them.
  ExchangeOffset truth(std::size_t a, std::size_t b, double t) const;

 private:
  std::vector<const RankMeta*> meta_pointers() const;
  void add_anchor(std::size_t host, double t, AnchorPhase phase);

  double seconds_;
  std::mt19937_64 random_;
  std::vector<WanderingClock> clocks_;
  std::vector<RankMeta> metas_;
};

OffsetLine fit_offsets(std::span<const ExchangeOffset> trips);

/// Clement's filter: keeps E_ij within this many standard deviations of the mean ("90 %": 1.64).
std::vector<ExchangeOffset> within(std::span<const ExchangeOffset> trips, double deviations);
/// Ottogalli's filter: keeps this share, the quickest.
std::vector<ExchangeOffset> quickest(std::vector<ExchangeOffset> trips, double share);
double longest_half_ns(std::span<const ExchangeOffset> trips);

double median(std::vector<double> values);

}  // namespace meridian::test
