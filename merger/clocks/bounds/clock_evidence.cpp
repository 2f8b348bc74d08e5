// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/bounds/clock_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "merger/clocks/samples/clock_latency.hpp"
#include "merger/clocks/samples/median.hpp"
#include "merger/model/clock_tuning.hpp"
#include "trace/model/units.hpp"

namespace meridian {

std::vector<double> unobservable_ns(std::span<const ClockMeeting> meetings, std::size_t domains) {
  std::vector<double> least(domains, kInfinity), halves;
  for (std::size_t i = 0; i < meetings.size(); ++i) {  // a pair's meetings are adjacent
    const ClockMeeting& one = meetings[i];
    if (one.messages >= ClockTuning::kEnoughForFloor) halves.push_back(std::max(one.half_ns, one.trip_ns));
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

std::vector<double> unfollowed_rates(std::span<const ClockMeeting> meetings, const ClockCorrection& correction,
                                     std::size_t reference) {
  std::vector<double> rates(correction.domains * correction.knots, 0);
  const auto note = [&](std::size_t domain, double first_ns, double last_ns, double rate) {
    if (domain == reference) return;
    const std::size_t last =
        std::min(correction.place(last_ns).index + 1 + ClockTuning::kBendReach, correction.knots - 1);
    const std::size_t first = correction.place(first_ns).index;
    for (std::size_t k = first < ClockTuning::kBendReach ? 0 : first - ClockTuning::kBendReach; k <= last; ++k) {
      double& most = rates[domain * correction.knots + k];
      most = std::max(most, rate);
    }
  };
  const auto is_quick = [](const ClockMeeting& one) {
    return one.messages >= ClockTuning::kEnoughForFloor && one.doubt_ns < one.half_ns / 2;
  };
  for (std::size_t i = 0; i < meetings.size(); ++i) {  // a pair's meetings are adjacent, in the order of time
    const ClockMeeting& one = meetings[i];
    if (!is_quick(one)) continue;
    for (std::size_t j = i + 1; j < meetings.size() && meetings[j].pair == one.pair; ++j) {
      const ClockMeeting& other = meetings[j];
      const double time = other.low_ns - one.low_ns;
      if (time > ClockTuning::kUnfollowedNs) break;
      if (!is_quick(other) || time <= 0) continue;
      const double moved = std::abs(other.ahead_ns - one.ahead_ns);
      const double doubt = one.doubt_ns + other.doubt_ns + ClockTuning::kSteadyShare * (one.half_ns + other.half_ns);
      if (moved <= doubt) continue;
      note(one.low, one.low_ns, other.low_ns, moved / time);
      note(one.high, one.high_ns, other.high_ns, moved / time);
    }
  }
  return rates;
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

double least_known(std::span<const double> floors) {
  double least = kInfinity;
  for (const double floor : floors)
    if (floor > 0) least = std::min(least, floor);
  return least;
}

std::vector<double> smallest_latencies(const ClockSamples& samples, std::span<const ClockConstraint> tight) {
  const std::size_t pairs = samples.pairs().size();
  std::vector<double> forth(pairs + 1, kInfinity), back(pairs + 1, kInfinity);
  for (const ClockConstraint& one : tight) {
    double& least = one.from < one.to ? forth[one.latency] : back[one.latency];
    least = std::min(least, one.slack_ns);
  }
  std::vector<double> floors(pairs + 1, 0);
  for (std::size_t e = 0; e < pairs; ++e)
    if (const double sum = forth[e] + back[e]; std::isfinite(sum)) floors[e] = std::max(0.0, sum / 2);
  const double usual = usual_latency(samples, floors, 0);
  const double least = least_known(floors);
  for (double& floor : floors)
    if (floor > ClockTuning::kOtherClass * usual) floor = least;
  return floors;
}

}  // namespace meridian
