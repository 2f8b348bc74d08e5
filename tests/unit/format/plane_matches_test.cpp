// SPDX-License-Identifier: Apache-2.0
#include "trace/format/chunks/plane_matches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/support/seed.hpp"

namespace meridian {
namespace {

using Bytes = std::vector<std::uint8_t>;

// For each byte from `distance` on: whether it is in a run of at least four bytes that equal those before them.
std::vector<bool> expected(const Bytes& plane, std::size_t distance) {
  std::vector<bool> is_match(plane.size() - distance);
  for (std::size_t i = distance; i < plane.size(); ++i) {
    std::size_t run = 0;
    while (i + run < plane.size() && plane[i + run] == plane[i + run - distance]) ++run;
    if (run < 4) continue;
    for (std::size_t k = 0; k < run; ++k) is_match[i + k - distance] = true;
  }
  return is_match;
}

std::vector<bool> found(const PlaneMatches& matches, std::size_t count) {
  std::vector<bool> is_match(count);
  for (std::size_t at = 0; at < count;) {
    const std::size_t begin = matches.next(at, count, true);
    const std::size_t end = matches.next(begin, count, false);
    for (std::size_t i = begin; i < end; ++i) is_match[i] = true;
    at = end;
  }
  return is_match;
}

TEST(PlaneMatches, AreTheRunsOfAtLeastFourBytesThatEqualThoseBefore) {
  std::mt19937_64 random{test::seeded(1)};
  PlaneMatches matches;
  for (int round = 0; round < 400; ++round) {
    Bytes plane(1 + random() % 700);
    const std::uint64_t distance = 1 + random() % std::min<std::uint64_t>(plane.size(), 9), noise = random() % 60;
    for (std::size_t i = 0; i < plane.size(); ++i)
      plane[i] = i < distance || random() % 100 < noise ? static_cast<std::uint8_t>(random() % 3) : plane[i - distance];
    matches.find(plane, distance);
    EXPECT_EQ(found(matches, plane.size() - distance), expected(plane, distance)) << "round " << round;
  }
}

TEST(PlaneMatches, AreFoundAcrossWordsAndUpToTheEnd) {
  PlaneMatches matches;
  for (const std::size_t count : {1u, 3u, 4u, 63u, 64u, 65u, 127u, 128u, 300u}) {
    const Bytes plane(count + 1, 7);
    matches.find(plane, 1);
    EXPECT_EQ(matches.next(0, count, true), count < 4 ? count : 0u) << count;
    EXPECT_EQ(matches.next(0, count, false), count < 4 ? 0u : count) << count;
  }
}

TEST(PlaneMatches, AreNoneWhereTheDistanceIsThePlane) {
  PlaneMatches matches;
  matches.find(Bytes(9, 7), 9);
  EXPECT_EQ(matches.next(0, 0, true), 0u);
}

}  // namespace
}  // namespace meridian
