// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/samples/clock_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "merger/clocks/samples/clock_slack.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kNoWindow = std::numeric_limits<std::uint32_t>::max();

bool is_out(const std::vector<bool>& left_out, std::size_t window) {
  return window < left_out.size() && left_out[window];
}

void add_collectives(const ClockSamples& samples, const ClockCorrection& correction, std::size_t group,
                     const std::vector<bool>& left_out, std::vector<ClockConstraint>& tight) {
  const auto latency = static_cast<std::uint32_t>(samples.pairs().size());
  const double length = static_cast<double>(group) * static_cast<double>(samples.window_ns());
  std::vector<ClockConstraint> best(correction.domains);  // [domain that leaves], of the present group
  std::uint32_t present = 0;
  const auto flush = [&] {
    for (ClockConstraint& one : best)
      if (one.slack_ns < kInfinity) tight.push_back(one);
    for (ClockConstraint& one : best) one.slack_ns = kInfinity;
  };
  for (ClockConstraint& one : best) one.slack_ns = kInfinity;
  for (const std::vector<CollectiveSide>& sides : samples.collectives()) {
    const LastEnter last = last_enter(sides, correction);
    const double since = std::max(0.0, last.shifted_ns - static_cast<double>(samples.origin_ns()));
    if (is_out(left_out, static_cast<std::size_t>(since / static_cast<double>(samples.window_ns())))) continue;
    const auto window = static_cast<std::uint32_t>(since / length);
    if (window != present) flush();
    present = window;
    for_each_wait(sides, last, correction, [&](ClockConstraint one) {
      one.latency = latency;
      one.window = window;
      if (one.slack_ns < best[one.to].slack_ns) best[one.to] = one;
    });
  }
  flush();
}

}  // namespace

LastEnter last_enter(std::span<const CollectiveSide> sides, const ClockCorrection& correction) {
  LastEnter last;
  for (const CollectiveSide& side : sides) {
    const auto raw = static_cast<double>(side.last_enter_ns);
    if (correction.is_ambiguous_at(side.domain, raw)) continue;  // the enters of the others still count
    const double shifted = correction.shifted(side.domain, raw);
    const double corrected = shifted + correction.at(side.domain, shifted);
    if (corrected > last.corrected_ns) last = {side.domain, shifted, corrected};
  }
  return last;
}

std::vector<ClockConstraint> find_tight(const ClockSamples& samples, const ClockCorrection& correction,
                                        std::size_t group, const std::vector<bool>& left_out) {
  std::vector<ClockConstraint> tight;
  const auto length = static_cast<std::uint32_t>(group);
  std::vector<double> quickest(group);  // [window of the group]: the least slack one way
  for (std::uint32_t e = 0; e < samples.pairs().size(); ++e) {
    const PairSamples& pair = samples.pairs()[e];
    ClockSlack slacks[2] = {{correction, pair.low, pair.high}, {correction, pair.high, pair.low}};
    std::span<const ClockCell> left[2] = {pair.sides[0].cells(), pair.sides[1].cells()};  // not yet visited
    while (!left[0].empty() || !left[1].empty()) {
      std::uint32_t window = kNoWindow;
      for (const auto& cells : left)
        if (!cells.empty()) window = std::min(window, cells.front().window);
      window /= length;
      const std::uint32_t end = (window + 1) * length;
      std::ranges::fill(quickest, kInfinity);
      double round_trip = kInfinity;
      const std::size_t before = tight.size();
      for (int direction = 0; direction < 2; ++direction) {
        const ClockCells& side = pair.sides[direction];
        ClockSlack& slack = slacks[direction];
        ClockSlack::Message best{0, 0, kInfinity};
        std::uint32_t messages = 0;
        auto& cells = left[direction];
        for (; !cells.empty() && cells.front().window < end; cells = cells.subspan(1)) {
          if (is_out(left_out, cells.front().window)) continue;
          messages += cells.front().messages;
          double least = kInfinity;
          for (const ClockPoint& point : side.points(cells.front())) {
            const auto one = slack(point);
            least = std::min(least, one.slack_ns);
            if (one.slack_ns < best.slack_ns) best = one;
          }
          double& forth = quickest[cells.front().window % length];
          if (direction == 1) round_trip = std::min(round_trip, forth + least);
          forth = least;
        }
        if (best.slack_ns == kInfinity) continue;
        tight.push_back({pair.from(direction), pair.to(direction), e, best.sent_ns, best.received_ns, window,
                         best.slack_ns, messages});
      }
      for (std::size_t i = before; i < tight.size(); ++i) tight[i].round_trip_ns = round_trip;
    }
  }
  add_collectives(samples, correction, group, left_out, tight);
  return tight;
}

std::uint64_t count_infeasible(const ClockSamples& samples, const ClockCorrection& correction) {
  std::uint64_t count = 0;
  for (const PairSamples& pair : samples.pairs())
    for (const int direction : {0, 1})
      for_each_message(pair, direction, correction,
                       [&](const ClockConstraint& one, const ClockPoint&) { count += one.slack_ns <= 0; });
  return count;
}

std::uint64_t count_early_exits(const ClockSamples& samples, const ClockCorrection& correction) {
  std::uint64_t count = 0;
  for (const std::vector<CollectiveSide>& sides : samples.collectives())
    for_each_wait(sides, last_enter(sides, correction), correction,
                  [&](const ClockConstraint& one) { count += one.slack_ns < 0; });
  return count;
}

}  // namespace meridian
