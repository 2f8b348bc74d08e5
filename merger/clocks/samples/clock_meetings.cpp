// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/samples/clock_meetings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "merger/model/clock_tuning.hpp"
#include "trace/model/units.hpp"

namespace meridian {

std::vector<ClockMeeting> find_meetings(std::span<const ClockConstraint> tight) {
  std::vector<ClockMeeting> meetings;
  for (std::size_t i = 0; i + 1 < tight.size(); ++i) {
    // The two directions of a pair's window are adjacent, the one from the lower domain first.
    const ClockConstraint &forth = tight[i], &back = tight[i + 1];
    if (forth.latency != back.latency || forth.window != back.window || forth.from != back.to || forth.to != back.from)
      continue;
    const double half = (forth.slack_ns + back.slack_ns) / 2;
    if (!std::isfinite(half) || half <= 0) continue;
    const double of_window = std::isfinite(forth.round_trip_ns) ? forth.round_trip_ns / 2 : half;
    meetings.push_back({forth.latency, forth.from, forth.to, forth.window, (forth.sent_ns + back.received_ns) / 2,
                        (forth.received_ns + back.sent_ns) / 2, (forth.slack_ns - back.slack_ns) / 2, half, of_window,
                        of_window, std::min(forth.messages, back.messages)});
  }
  std::vector<double> halves;
  for (auto first = meetings.begin(); first != meetings.end();) {  // a pair's meetings are adjacent
    const auto last =
        std::find_if(first, meetings.end(), [&](const ClockMeeting& one) { return one.pair != first->pair; });
    halves.clear();
    for (auto one = first; one != last; ++one) halves.push_back(one->doubt_ns);
    // Not the quickest of all: where a clock is slewed within a window, round trips seem too short.
    const auto quick = halves.begin() + static_cast<std::ptrdiff_t>(halves.size() / ClockTuning::kQuickShare);
    std::ranges::nth_element(halves, quick);
    for (; first != last; ++first) first->doubt_ns = std::max(0.0, first->doubt_ns - *quick);
  }
  return meetings;
}

std::vector<ClockMeeting> contradictions_among(std::span<const ClockMeeting> meetings, double usual_ns) {
  std::vector<ClockMeeting> found;
  std::ranges::copy_if(meetings, std::back_inserter(found), [&](const ClockMeeting& one) {
    return one.messages >= ClockTuning::kEnoughForFloor && one.half_ns < ClockTuning::kOtherClass * usual_ns &&
           one.doubt_ns < ClockTuning::kQuickDoubt * one.half_ns &&
           std::abs(one.ahead_ns) > ClockTuning::kLopsided * one.half_ns;
  });
  return found;
}

std::vector<double> raised_latencies(std::span<const ClockConstraint> tight) {
  std::vector<double> raised(tight.size(), 0);
  std::size_t place = 0;
  for (const ClockMeeting& one : find_meetings(tight)) {
    if (one.messages < ClockTuning::kEnoughForFloor) continue;
    while (tight[place].latency != one.pair || tight[place].window != one.window) ++place;
    raised[place] = raised[place + 1] = one.doubt_ns;
  }
  return raised;
}

}  // namespace meridian
