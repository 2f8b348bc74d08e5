// SPDX-License-Identifier: Apache-2.0
#include "report/data/exact_windows.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace meridian {
namespace {

using Windows = std::vector<TimeWindow>;

TEST(ExactWindows, AreTheWholeRunIfItFits) {
  const std::vector<std::uint32_t> counts{5, 0, 7, 1};
  EXPECT_EQ(choose_windows(counts, 100, 10, {}, 13), (Windows{{100, 140}}));
}

TEST(ExactWindows, HaveWhatIsWantedFirst) {
  const std::vector<std::uint32_t> counts(100, 10);
  EXPECT_EQ(choose_windows(counts, 0, 10, std::vector<std::size_t>{70}, 10), (Windows{{700, 710}}));
}

TEST(ExactWindows, ThenWhatIsAroundIt) {
  const std::vector<std::uint32_t> counts(100, 10);
  EXPECT_EQ(choose_windows(counts, 0, 10, std::vector<std::size_t>{70, 20}, 40), (Windows{{200, 210}, {690, 720}}));
  EXPECT_EQ(choose_windows(counts, 0, 10, std::vector<std::size_t>{0, 99}, 40), (Windows{{0, 20}, {980, 1000}}));
}

TEST(ExactWindows, LeaveOutASlotThatIsTooFull) {
  const std::vector<std::uint32_t> counts{3, 1000, 3};
  EXPECT_EQ(choose_windows(counts, 0, 1, std::vector<std::size_t>{1}, 6), (Windows{{0, 1}, {2, 3}}));
}

TEST(ExactWindows, OfARunWithoutWishesAreSpread) {
  const std::vector<std::uint32_t> counts(64, 1);
  const Windows windows = choose_windows(counts, 0, 1, {}, 4);
  EXPECT_EQ(windows, (Windows{{0, 1}, {16, 17}, {32, 33}, {48, 49}}));
}

TEST(ExactWindows, NeverHaveMoreEventsThanAllowed) {
  std::mt19937 random{7};  // one seed: the draws are part of the test
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> counts(1 + random() % 50);
    for (std::uint32_t& count : counts) count = static_cast<std::uint32_t>(random() % 20);
    std::vector<std::size_t> wanted(random() % 10);
    for (std::size_t& slot : wanted) slot = random() % counts.size();
    const std::uint64_t most = random() % 300;
    std::uint64_t sum = 0;
    std::int64_t last = -1;
    for (const TimeWindow& window : choose_windows(counts, 0, 1, wanted, most)) {
      EXPECT_GT(window.from_ns, last) << "windows that touch are one";
      last = window.to_ns;
      for (std::int64_t slot = window.from_ns; slot < window.to_ns; ++slot)
        sum += counts[static_cast<std::size_t>(slot)];
    }
    EXPECT_LE(sum, most);
  }
}

}  // namespace
}  // namespace meridian
