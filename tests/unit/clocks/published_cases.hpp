// SPDX-License-Identifier: Apache-2.0
#pragma once

// Published measurements of clocks, and the same on simulated clocks.
//
// E. Clement, "Synchronisation de traces dans un reseau distribue", Ecole Polytechnique de Montreal, 2006.
// F.-G. Ottogalli, "Observations et analyses quantitatives multi-niveaux d'applications a objets reparties", Grenoble,
// 2001.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock_case.hpp"

namespace meridian::test {

inline constexpr double kNone = -1;  ///< not published
inline constexpr double kNinety = 1.64;

/// Clement's two nodes, one setting varied. Times are published in us, those of offsets in s.
struct PublishedPeriod {
  const char* name;
  double period_s, mean_half_us, er_us, ex, ed0_s;
  Delay delay{};
};
/// Back to back, both hosts only make exchanges: the least delay is lower, the jitter larger.
inline constexpr Delay kBackToBack{.least_s = 39.6e-6, .jitter_s = 4.7e-6};
inline constexpr std::array<PublishedPeriod, 6> kPeriods{{
    {"990 a second", 1 / 990., 43.9, 2.82, 2.16e-11, 7.57e-9, kBackToBack},
    {"1 s", 1, 45.2, 1.01, 2.46e-10, 8.63e-8},
    {"10 s", 10, 46.5, 1.03, 8.08e-10, 2.83e-7},
    {"20 s", 20, 46.5, 1.24, 1.34e-9, 4.66e-7},
    {"30 s", 30, 46.1, .846, 1.11e-9, 3.71e-7},
    {"1 min", 60, 45.8, 1.46, 2.69e-9, 8.74e-7},
}};
inline constexpr double kPeriodSeconds = 600, kPeriodDrift = -2.07e-4, kUnfilteredErUs = 1.55;  // at 1 s

struct PublishedDuration {
  const char* name;
  double seconds, er_us, drift;
  double period_s = 1;
};
inline constexpr std::array<PublishedDuration, 8> kDurations{{
    {"10 min", 600, .954, 1.13e-4},
    {"30 min", 1800, 1.24, 1.13e-4},
    {"45 min", 2700, 2.49, 1.13e-4},
    {"1 h", 3600, 3.01, 1.13e-4},
    {"2 h", 7200, 5.61, 1.13e-4},
    {"5 h", 18000, 34.7, 1.13e-4},
    {"12 h", 43200, 82.8, -2.07e-4},
    {"12 h, one a minute", 43200, kNone, -2.07e-4, 60},
}};

struct PublishedLoad {
  const char* name;
  double both_us, one_us;            ///< E_r, "90 %"
  double unfiltered_us;              ///< E_r, all round trips, one node loaded
  double both_wait_us, one_wait_us;  ///< fitted to the first two: half of the messages to a loaded host wait up to this
};
inline constexpr std::array<PublishedLoad, 6> kLoads{{
    {"bzip2", 24.4, 33.7, 939, 104, 271},
    {"bzip2, make", 6.99, 6.06, 2130, 29.2, 46},
    {"bzip2, make, swap", 26.9, 24.2, 6320, 115, 194},
    {"busy loop", 3.72, 4.84, 1390, 14.8, 35.5},
    {"process creation", 9.09, 15.6, 16.3, 38.5, 125},
    {"disk read/write", 7.62, 17.0, 20.3, 32, 136},
}};
inline constexpr double kLoadSeconds = 1800, kLongestHalfUs = 186;

/// Eight hosts in a row.
struct PublishedHop {
  double drift, er_us;                 ///< of the link
  double direct_us, summed_us, d0_us;  ///< from the first host; D0: direct against composed
  double jitter_us;                    ///< fitted to er_us
  double asymmetry_us;                 ///< fitted to d0_us: twice what this link adds
};
inline constexpr std::array<PublishedHop, 7> kHops{{
    {-4.85e-6, .672, .672, kNone, 0, .95, 0},
    {1.93e-5, 1.16, 1.15, 1.83, 7.80, 1.8, 15.6},
    {-1.32e-5, .775, .835, 2.61, 7.90, 1.1, 0},
    {1.66e-4, 7.38, 1.51, 9.99, 14.4, 12.6, 13.0},
    {-1.64e-4, 1.79, .701, 11.8, 14.1, 3.0, 0},
    {3.01e-6, .812, .664, 12.6, 14.4, 1.1, 0},
    {-4.77e-5, .807, .781, 13.4, 14.4, 1.1, 0},
}};
inline constexpr double kHopSeconds = 1800, kHopWalk = kWalk / 3;  // less than his other clocks
inline constexpr Delay kDirect{.jitter_s = 1.35e-6};               // fitted to the mean of direct_us

/// Two hosts; times in ns, means over the repetitions.
struct TwoHosts {
  double seconds = kPeriodSeconds, period_s = 1, drift = 0;
  Link link{};
  std::uint64_t seed = 1;    ///< of the first repetition
  bool as_recorded = false;  ///< exchanges as the tracer makes them, instead of the period
};
struct CaseFigures {
  OffsetLine line, unfiltered;  ///< least squares
  double longest_half_ns = 0;
  double line_ns = 0, linear_ns = 0, regression_ns = 0, fit_ns = 0;  ///< largest errors; fit: of the model `meridian`
  double t1_ns = 0, t2_ns = 0;                                       ///< middle half widths
  Checked checked{};
};
CaseFigures two_hosts(const TwoHosts& set_up, int repetitions);

/// A loaded host receives late.
Link loaded(double wait_us, bool is_both);

struct HopFigures {
  double direct_er_ns = 0, summed_er_ns = 0, d0_ns = 0;
  double regression_ns = 0, fit_ns = 0, t1_ns = 0;
  Checked checked{};
};
/// with_asymmetry  the links whose asymmetry was fitted have it.
std::array<HopFigures, kHops.size()> hops(bool with_asymmetry, int repetitions);

/// The drift of hop `last` against host 0, as maps compose, and as a sum.
struct PathDrift {
  double composed, added;
};
PathDrift path_drift(std::size_t hop);

/// Ottogalli's cone: the length of the 90 % interval this long after one early batch.
constexpr double cone_us(double after_s) { return 89.8 + 5.9 * after_s; }
struct ConeFigures {
  double interval_ns = 0;                                    ///< of the line from the early batch
  double early_ns = 0;                                       ///< its error, middle of the repetitions
  double alone_ns = 0, alone_t1_ns = 0;                      ///< Meridian's, from that batch only
  double ends_ns = 0, ends_t1_ns = 0;                        ///< with another batch at the end
  double epochs_ns = 0, epochs_t1_ns = 0, epochs_t2_ns = 0;  ///< and with ten exchanges every 10 s
  Checked checked{};
};
inline constexpr double kConeSeconds = 60;
inline constexpr std::array<double, 6> kConeAfter{1, 2, 10, 28, 40, 58};
std::array<ConeFigures, kConeAfter.size()> cone(int repetitions);

/// The largest error over a minute, drift 9e-6, middle of the repetitions: of an earlier simulation of his set-up.
struct PublishedBatches {
  const char* name;
  double off_us;
  bool has_end;
  double kept;  ///< share of the exchanges that is kept, the quickest
  double asymmetry_us;
};
inline constexpr std::array<PublishedBatches, 5> kBatches{{
    {"start, all", 1900, false, 1, 0},
    {"start, slowest tenth dropped", 399, false, .9, 0},
    {"start and end, all", 2.1, true, 1, 0},
    {"start and end, slowest tenth dropped", .46, true, .9, 0},
    {"the same, directions differ by 20 us", 10.3, true, .9, 20},
}};
struct BatchFigures {
  double line_ns = 0, linear_ns = 0, regression_ns = 0, fit_ns = 0, t1_ns = 0;
  Checked checked{};
};
BatchFigures batches(const PublishedBatches& set_up, int repetitions);

}  // namespace meridian::test
