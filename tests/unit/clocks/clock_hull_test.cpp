// SPDX-License-Identifier: Apache-2.0
// Placement by messages and collectives of clocks that exchanges do not connect to the reference.

#include "merger/clocks/fit/clock_hull.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "durations.hpp"

namespace meridian {
namespace {

/// Ten seconds of domains whose clocks show true time + offset.
struct Hosts {
  explicit Hosts(std::vector<std::int64_t> offsets_ns) : offsets{std::move(offsets_ns)}, samples{offsets.size()} {}
  void send(std::uint32_t from, std::uint32_t to, std::int64_t time_ns, std::int64_t delay_ns) {
    samples.add({time_ns + offsets[from], time_ns + delay_ns + offsets[to], from, to});
  }
  void exchange(std::uint32_t a, std::uint32_t b) {
    for (std::int64_t at = kSecond; at < 11 * kSecond; at += kSecond / 20) {
      send(a, b, at, 2 * kMicrosecond);
      send(b, a, at, 2 * kMicrosecond);
    }
  }
  /// All enter at a time, but for domain 0, which does so later_ns later, and leave 10 us after the others entered.
  void wait_for_all(std::int64_t time_ns, std::int64_t later_ns) {
    std::vector<CollectiveSide> sides;
    for (std::uint32_t h = 0; h < offsets.size(); ++h)
      sides.push_back({h, time_ns + (h == 0 ? later_ns : 0) + offsets[h], time_ns + 10 * kMicrosecond + offsets[h]});
    samples.add_collective(sides);
  }
  std::vector<HullLine> lines() {
    samples.seal();
    std::vector<HullLine> roots(offsets.size());
    roots[0].is_placed = roots[0].is_two_way = true;
    return hull_lines(samples, roots);
  }
  /// The remaining offset of a domain, in the middle of the run.
  double error(const HullLine& line, std::uint32_t domain) const {
    const auto middle = static_cast<double>(6 * kSecond + offsets[domain] - samples.origin_ns());
    return static_cast<double>(offsets[domain]) + line.offset_ns + line.slope * middle;
  }
  std::vector<std::int64_t> offsets;
  ClockSamples samples;
};

TEST(ClockHull, CollectivesSufficeToPlaceADomain) {
  Hosts hosts{{0, -300 * kMillisecond}};
  for (int i = 0; i < 200; ++i) hosts.wait_for_all(kSecond + i * kSecond / 20, i % 2 == 0 ? 5 * kMicrosecond : 0);
  const std::vector<HullLine> lines = hosts.lines();
  EXPECT_TRUE(lines[1].is_placed);
  EXPECT_LE(std::abs(hosts.error(lines[1], 1)), 10 * kMicrosecond);
}

TEST(ClockHull, MessagesBothWaysCountMoreThanCollectives) {
  Hosts hosts{{0, 4 * kMillisecond}};
  for (int i = 0; i < 200; ++i) hosts.wait_for_all(kSecond + i * kSecond / 20, 9 * kMicrosecond);
  hosts.exchange(0, 1);
  EXPECT_LE(std::abs(hosts.error(hosts.lines()[1], 1)), 1);
}

TEST(ClockHull, ADomainWithMessagesBothWaysIsPlacedRelativeToOnePlacedByMessagesOneWay) {
  Hosts hosts{{0, 20 * kMillisecond, -7 * kMillisecond}};
  for (int i = 0; i < 200; ++i) hosts.send(0, 1, kSecond + i * kSecond / 20, 50 * kMicrosecond);
  hosts.exchange(1, 2);
  const std::vector<HullLine> lines = hosts.lines();
  EXPECT_TRUE(lines[1].is_placed);
  EXPECT_TRUE(lines[2].is_placed);
  EXPECT_FALSE(lines[2].is_two_way);
  EXPECT_LE(std::abs(hosts.error(lines[2], 2) - hosts.error(lines[1], 1)), 1);
}

/// A spawned program, whose first line follows a realtime clock that is off by 300 ms, and by 300 ppm over a short run.
TEST(ClockHull, ADomainFarAwayIsPlacedAsExactlyAsANearOne) {
  constexpr double kFaster = 3e-4;
  constexpr std::int64_t kDelayNs = 2 * kMicrosecond;
  const auto shown = [](std::int64_t time_ns) {
    return time_ns + std::llround(kFaster * static_cast<double>(time_ns)) - 300 * kMillisecond;
  };
  ClockSamples samples{2};
  for (std::int64_t at = kSecond; at < 2 * kSecond; at += kMillisecond) {
    samples.add({at, shown(at + kDelayNs), 0, 1});
    samples.add({shown(at), at + kDelayNs, 1, 0});
  }
  samples.seal();
  std::vector<HullLine> roots(2);
  roots[0].is_placed = roots[0].is_two_way = true;
  const HullLine line = hull_lines(samples, roots)[1];
  for (const std::int64_t at : {kSecond, 2 * kSecond}) {
    const double since = static_cast<double>(shown(at) - samples.origin_ns());
    const double found = static_cast<double>(shown(at) - at) + line.offset_ns + line.slope * since;
    EXPECT_LE(std::abs(found), 10) << at;
  }
}

TEST(ClockHull, MessagesOneWayAreNoSteeperThanOscillators) {
  Hosts hosts{{0, 0}};
  for (int i = 0; i < 200; ++i) hosts.send(0, 1, kSecond + i * kSecond / 20, kMicrosecond + i * kMillisecond);
  EXPECT_LE(std::abs(hosts.lines()[1].slope), 2.0001e-4);
}

TEST(ClockHull, AnUnconnectedDomainStaysInItsPlace) {
  Hosts hosts{{0, 0, 5}};
  hosts.exchange(0, 1);
  const std::vector<HullLine> lines = hosts.lines();
  EXPECT_TRUE(lines[1].is_placed);
  EXPECT_FALSE(lines[2].is_placed);
  EXPECT_EQ(lines[2].offset_ns, 0);
}

}  // namespace
}  // namespace meridian
