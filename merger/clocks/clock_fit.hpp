#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "merger/clocks/clock_residual.hpp"
#include "merger/clocks/clock_samples.hpp"

namespace meridian {

struct ClockFitSettings {
  std::size_t reference = 0;  ///< domain whose clock is the global one
  double segment_ns = 0;      ///< between knots; 0: as fine as the messages allow
};

/// The message of a window that had the least time to spare, corrected.
struct ClockTight {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t latency = 0;  ///< number of the pair; of collectives, the number of pairs
  double sent_ns = 0;         ///< shifted time of `from`
  double received_ns = 0;     ///< shifted time of `to`
  std::uint32_t window = 0;   ///< group of windows
  double slack_ns = 0;        ///< corrected delay
};

struct ClockFitResult {
  ClockResidual residual;
  std::vector<double> latencies_ns;  ///< [pairs of the samples], then that of collectives: smallest one-way, as fitted
  double latency_ns = 0;             ///< their typical size
  std::uint64_t infeasible = 0;      ///< points of the samples that are still received before they were sent
};

/// Global, piecewise linear clocks from messages, round trips and collectives.
///
/// Every sample says that a corrected delay is its direction's smallest latency plus something that is not negative.
/// The sums of squares are one-sided: a delay below the latency counts in full, one above it the less the larger it is;
/// the scale of "large" goes down step by step (graduated non-convexity), on knots that get finer. Clocks may bend only
/// as oscillators do. What is still reversed then is moved the least that makes it right.
///
/// initial  lines to begin with, on any knots; zeros where the first lines are good to some latencies. Domains that
///          nothing connects to the reference keep theirs.
ClockFitResult fit_residual(const ClockSamples& samples, const ClockResidual& initial,
                            const ClockFitSettings& settings);

/// The tightest message of every window and direction, and the tightest collective constraints, on these clocks.
/// group  windows that are taken together.
std::vector<ClockTight> find_tight(const ClockSamples& samples, const ClockResidual& residual, std::size_t group);

/// Points of the samples (not collectives) that are received no later than sent.
std::uint64_t count_infeasible(const ClockSamples& samples, const ClockResidual& residual);

/// Moves knots as little as needed until every point, and every collective, is in order by margin_ns; returns how many
/// are not. What is out of order by more than most_ns is left alone: something is wrong with it that no small
/// correction could mend.
std::uint64_t make_feasible(const ClockSamples& samples, ClockResidual& residual, std::size_t reference,
                            double margin_ns, double most_ns);

/// Looks for the clock that was set: adds the largest jump that bends and reversals of `residual` point to.
/// latency_ns  what counts as large. False: there is none.
bool add_jump(const ClockSamples& samples, ClockResidual& residual, std::size_t reference, double latency_ns);

}  // namespace meridian
