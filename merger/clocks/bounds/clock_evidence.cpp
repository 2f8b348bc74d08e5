// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/bounds/clock_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "merger/clocks/samples/median.hpp"
#include "merger/model/clock_tuning.hpp"
#include "trace/model/units.hpp"

namespace meridian {

std::vector<double> unobservable_ns(std::span<const ClockMeeting> meetings, std::size_t domains) {
  std::vector<double> least(domains, kInfinity), halves;
  for (std::size_t i = 0; i < meetings.size(); ++i) {  // a pair's meetings are adjacent
    const ClockMeeting& one = meetings[i];
    if (one.messages >= ClockTuning::kEnoughForFloor) halves.push_back(one.half_ns);
    if ((i + 1 < meetings.size() && meetings[i + 1].pair == one.pair) || halves.empty()) continue;
    const auto quick = halves.begin() + static_cast<std::ptrdiff_t>(halves.size() / ClockTuning::kQuickShare);
    std::ranges::nth_element(halves, quick);
    for (const std::uint32_t domain : {one.low, one.high}) least[domain] = std::min(least[domain], *quick);
    halves.clear();
  }
  for (double& half : least)
    if (std::isinf(half)) half = 0;
  return least;
}

bool is_network_steady(std::span<const ClockMeeting> meetings, double latency_share) {
  std::vector<double> shares;
  for (const ClockMeeting& one : meetings) shares.push_back((one.half_ns - one.doubt_ns) / one.half_ns);
  return median(std::move(shares), 0) >= latency_share;
}

bool is_t2_contradicted(std::span<const ClockMeeting> meetings, const ClockAssumptions& assumptions) {
  const auto tick_ns = [&](std::uint32_t domain) {
    return domain < assumptions.tick_ns.size() ? assumptions.tick_ns[domain] : 0;
  };
  std::size_t count = 0;
  for (const ClockMeeting& one : meetings) {
    const double beyond = (1 - assumptions.latency_share) * one.half_ns + one.doubt_ns;
    count += one.messages >= ClockTuning::kEnoughForFloor &&
             std::abs(one.ahead_ns) > beyond + tick_ns(one.low) + tick_ns(one.high);
  }
  return count >= ClockTuning::kFewestLopsided && count * ClockTuning::kContradictionsOneIn >= meetings.size();
}

std::size_t excursion_at(const ClockCorrection& correction, std::size_t domain, std::size_t k, double least_ns) {
  for (const std::size_t reach : ClockTuning::kExcursionReaches) {
    if (k < 2 * reach || k + 2 * reach >= correction.knots) return 0;
    if (static_cast<double>(reach) * correction.spacing_ns > ClockTuning::kLongestExcursionNs) return 0;
    const auto at = [&](std::size_t q) { return correction.knot(domain, q); };
    const std::size_t first = k - reach, last = k + reach;
    const auto way = static_cast<double>(last - first);
    const double before = (at(first) - at(first - reach)) * 2 / way, after = (at(last + reach) - at(last)) * 2 / way;
    const double beyond = std::abs(at(last) - at(first) - way * (before + after) / 2);
    if (beyond > least_ns * static_cast<double>(reach) / 2 && way * std::abs(after - before) < beyond / 2) return reach;
  }
  return 0;
}

std::vector<bool> busy_knots(std::span<const ClockMeeting> meetings, const ClockCorrection& correction) {
  std::vector<bool> is_busy(correction.domains * correction.knots);
  for (const ClockMeeting& one : meetings) {
    if (one.messages < ClockTuning::kEnoughForFloor || one.doubt_ns > one.half_ns / 2) continue;
    is_busy[one.low * correction.knots + correction.place(one.low_ns).index] = true;
    is_busy[one.high * correction.knots + correction.place(one.high_ns).index] = true;
  }
  return is_busy;
}

}  // namespace meridian
