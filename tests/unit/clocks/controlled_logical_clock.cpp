// SPDX-License-Identifier: Apache-2.0
#include "controlled_logical_clock.hpp"

#include <algorithm>
#include <limits>

namespace meridian::test {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// [event]: the one before it in its process, or kNone.
std::vector<std::size_t> predecessors(const std::vector<TracedEvent>& events) {
  std::vector<std::size_t> before(events.size(), kNone), last;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].process >= last.size()) last.resize(events[i].process + 1, kNone);
    before[i] = last[events[i].process];
    last[events[i].process] = i;
  }
  return before;
}

}  // namespace

std::vector<double> controlled_logical_clock(const std::vector<TracedEvent>& events,
                                             const LogicalClockSettings& settings) {
  const std::vector<std::size_t> before = predecessors(events);
  std::vector<double> forward(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const TracedEvent& event = events[i];
    double time = event.time_ns;
    if (const std::size_t b = before[i]; b != kNone)
      time = std::max(time, forward[b] + settings.control * (event.time_ns - events[b].time_ns));
    for (const std::size_t cause : event.causes) time = std::max(time, forward[cause] + settings.latency_ns);
    forward[i] = time;
  }
  std::vector<double> room(events.size(),
                           std::numeric_limits<double>::infinity());  // before what follows from an event
  for (std::size_t i = 0; i < events.size(); ++i)
    for (const std::size_t cause : events[i].causes)
      room[cause] = std::min(room[cause], forward[i] - settings.latency_ns - forward[cause]);
  std::vector<double> shift(events.size(), 0);
  for (std::size_t i = events.size(); i-- > 0;) {
    const std::size_t b = before[i];
    if (b == kNone) continue;
    const double gap = forward[i] - forward[b];
    const double jump = std::max(0.0, gap - (events[i].time_ns - events[b].time_ns));
    const double wanted = shift[i] + jump - settings.ramp * gap;
    shift[b] = std::clamp(wanted, 0.0, std::max(0.0, std::min(room[b], shift[i] + gap)));
  }
  for (std::size_t i = 0; i < events.size(); ++i) forward[i] += shift[i];
  return forward;
}

}  // namespace meridian::test
