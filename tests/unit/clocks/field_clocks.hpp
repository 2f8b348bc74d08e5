// SPDX-License-Identifier: Apache-2.0
#pragma once

// How others synchronise clocks: reference implementations of published methods that yield a clock for each host of a simulated
// run. Host 0 is the reference; global time is what its clock shows, in ns.

#include <functional>
#include <span>
#include <vector>

#include "clock_simulator.hpp"

namespace meridian::test {

/// global = local + offset_ns + slope * (local - at_ns), all in ns.
struct ClockLine {
  double at_ns = 0, offset_ns = 0, slope = 0;

  double operator()(double local_ns) const { return local_ns + offset_ns + slope * (local_ns - at_ns); }
  /// The line to the clock that `next` leads to.
  ClockLine then(const ClockLine& next) const;
};

/// [host]: global time, ns, of a time of the host's clock.
using FieldClocks = std::vector<std::function<double(double)>>;

/// One line through the quickest ping-pong exchange at the start and the quickest at the end, as Score-P and Scalasca do. It gets the
/// exchanges that the tracer records: a hundred with each host at either end.
FieldClocks line_between_ends(const SimulatedRun& run);

/// T. Jones, G. A. Koenig, "Clock synchronization in high-end computing environments: a strategy for minimizing clock variance at
/// runtime", Concurrency and Computation: Practice and Experience 25 (6), 2013. Host 0 makes ping-pongs with each host in turn. The
/// quickest of kPingPongs is a point, and the line is the least squares through kFitPoints of them. Times of the first: `start_s`.
std::vector<ClockLine> jones_koenig(SimulatedRun& run, double start_s);

/// S. Hunold, A. Carpen-Amarie, "Hierarchical clock synchronization in MPI", IEEE Cluster 2018: HCA3 with SKaMPI's offset and the
/// intercept measured anew. In each round of a binomial tree, hosts that are synchronised serve as references of others. A point is the middle between the
/// largest and the smallest offset that kPingPongs leave.
std::vector<ClockLine> hca3(SimulatedRun& run, double start_s);

inline constexpr int kFitPoints = 1000, kPingPongs = 100;  ///< the settings of Hunold and Carpen-Amarie

/// Lines from a phase before the run, extrapolated.
FieldClocks extrapolated(std::vector<ClockLine> before);
/// Lines from phases before and after the run; each counts the more the nearer it is.
FieldClocks interpolated(std::vector<ClockLine> before, std::vector<ClockLine> after);

/// A bound of the difference of two clocks at a time of one of them, ns.
struct HullPoint {
  double at_ns = 0, difference_ns = 0;
};
struct HullLineOfDuda {
  ClockLine line;
  bool exists = true;  ///< otherwise every line puts some message before its sending; this one by the least
};
/// A. Duda, G. Harrus, Y. Haddad, G. Bernard, "Estimating global time in distributed systems", ICDCS 1987: the convex hulls of the
/// messages both ways leave a corridor. The line is the mean of the steepest and the flattest line in it.
HullLineOfDuda duda_line(std::span<const HullPoint> at_least, std::span<const HullPoint> at_most);

/// Duda's line for each pair of neighbours in a ring, from all their messages, composed along the shorter way to host 0. Adds the
/// number of pairs without a line to `without`.
FieldClocks duda_hull(const SimulatedRun& run, int& without);

}  // namespace meridian::test
