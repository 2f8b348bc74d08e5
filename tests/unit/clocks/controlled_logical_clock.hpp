// SPDX-License-Identifier: Apache-2.0
#pragma once

// The controlled logical clock (CLC), which moves events until no message is received before it was sent.

#include <cstddef>
#include <vector>

namespace meridian::test {

/// An event of a trace that was corrected before.
struct TracedEvent {
  std::size_t process = 0;
  double time_ns = 0;
  std::vector<std::size_t>
      causes;  ///< events that must be a latency earlier: the send of a receive, the enters of a collective's exit
};

struct LogicalClockSettings {
  double latency_ns = 0;  ///< the least
  double control =
      .99;  ///< after an event that was moved, times advance at this share of their pace until they are reached again
  double ramp = .01;  ///< before such an event, others are moved by this share of their distance less
};

/// R. Rabenseifner, "The controlled logical clock - a global time for trace-based software monitoring of parallel applications in
/// workstation clusters", PDP 1997; D. Becker, R. Rabenseifner, F. Wolf, J. Linford, "Scalable timestamp synchronization for event traces
/// of message-passing applications", Parallel Computing 35, 2009: forward amortization, then linear backward amortization, in which no
/// event moves beyond what follows from it. The control share is fixed; theirs adapts. `events`: causes first, those of a
/// process in order. Returns the times of the events.
std::vector<double> controlled_logical_clock(const std::vector<TracedEvent>& events,
                                             const LogicalClockSettings& settings);

}  // namespace meridian::test
