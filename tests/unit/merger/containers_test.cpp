// SPDX-License-Identifier: Apache-2.0
// The small data structures that the passes stand on, against the standard library's.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <unordered_map>
#include <vector>

#include "merger/match/messages/channel_table.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/containers/index_map.hpp"
#include "trace/containers/ring_queue.hpp"
#include "trace/containers/sort_rows.hpp"
#include "trace/containers/temp_spool.hpp"
#include "trace/containers/tournament.hpp"

namespace meridian::test {
namespace {

TEST(IndexMap, BehavesLikeAStandardMap) {
  std::mt19937_64 random{test::seeded(1)};
  IndexMap<HandleKey> map;
  std::unordered_map<std::uint64_t, std::uint32_t> oracle;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t handle = 0x1000 + 64 * (random() % 500);
    switch (random() % 3) {
      case 0: {
        const auto index = static_cast<std::uint32_t>(random() % 1000);
        map.set({handle}, index);
        oracle[handle] = index;
        break;
      }
      case 1:
        map.erase({handle});
        oracle.erase(handle);
        break;
      default: {
        const auto at = oracle.find(handle);
        ASSERT_EQ(map.find({handle}), at == oracle.end() ? IndexMap<HandleKey>::kNone : at->second);
      }
    }
    ASSERT_EQ(map.size(), oracle.size());
  }
}

TEST(IndexMap, HoldsTheZeroHandleToo) {
  IndexMap<HandleKey> map;
  EXPECT_EQ(map.find({0}), IndexMap<HandleKey>::kNone);
  map.set({0}, 3);
  EXPECT_EQ(map.find({0}), 3U);
}

TEST(RingQueue, BehavesLikeADeque) {
  std::mt19937_64 random{test::seeded(2)};
  RingQueue<int> queue;
  std::deque<int> oracle;
  for (int i = 0; i < 100'000; ++i) {
    const auto choice = random() % 8;
    if (choice < 4 || oracle.empty()) {
      queue.push_back(i);
      oracle.push_back(i);
    } else if (choice < 6) {
      queue.pop_front();
      oracle.pop_front();
    } else if (choice == 6) {
      queue.pop_back();
      oracle.pop_back();
    } else {
      const std::size_t place = random() % oracle.size();
      queue.erase(place);
      oracle.erase(oracle.begin() + static_cast<std::ptrdiff_t>(place));
    }
    ASSERT_EQ(queue.size(), oracle.size());
    if (!oracle.empty()) {
      const std::size_t place = random() % oracle.size();
      ASSERT_EQ(queue[place], oracle[place]);
    }
  }
}

TEST(RowSorter, SortsAsAStableSort) {
  struct Row {
    std::uint64_t key = 0;
    std::size_t number = 0;
    bool operator==(const Row&) const = default;
  };
  std::mt19937_64 random{test::seeded(3)};
  RowSorter<Row> sorter;
  for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{5000}, std::uint64_t{1} << 31,
                                    std::uint64_t{1} << 32, std::uint64_t{1} << 60, ~std::uint64_t{0}})
    for (const std::size_t count : {0UL, 1UL, 2UL, 3000UL}) {
      const std::uint64_t first = range == ~std::uint64_t{0} ? 0 : random() % (std::uint64_t{1} << 60);
      std::vector<Row> rows;
      for (std::size_t i = 0; i < count; ++i) rows.push_back({first + random() % range, i});
      std::vector<Row> expected = rows;
      std::ranges::stable_sort(expected, {}, &Row::key);
      sorter.sort(rows);
      EXPECT_EQ(rows, expected) << range << " " << count;
    }
}

TEST(Tournament, GivesTheSmallestKeyAndTheLowerStreamOnTies) {
  std::mt19937_64 random{test::seeded(3)};
  for (std::size_t streams = 1; streams < 20; ++streams) {
    std::vector<std::int64_t> keys(streams);
    for (auto& key : keys) key = static_cast<std::int64_t>(random() % 5);
    Tournament<std::int64_t> tournament{keys, 1000};
    while (!tournament.is_over()) {
      const auto expected = static_cast<std::uint32_t>(std::ranges::min_element(keys) - keys.begin());
      ASSERT_EQ(tournament.top(), expected);
      ASSERT_EQ(tournament.top_key(), keys[expected]);
      keys[expected] += static_cast<std::int64_t>(random() % 4);
      if (keys[expected] > 50) {
        keys[expected] = 1000;
        tournament.end(expected);
      } else {
        tournament.update(expected, keys[expected]);
      }
    }
    for (const std::int64_t key : keys) EXPECT_EQ(key, 1000);
  }
}

TEST(ChannelTable, ForgetsIdleChannelsBeforeItGrows) {
  ChannelTable table;
  std::uint64_t forgotten = 0;
  const auto forget = [&](Channel& channel) { forgotten += channel.messages; };
  const std::uint32_t busy = table.get({0, 1, 2, 3}, 1, 2, forget);
  table[busy].sends.push_back({});
  for (std::int32_t tag = 100; tag < 1'000'100; ++tag) table[table.get({0, 0, 0, tag}, 0, 0, forget)].messages = 1;
  std::size_t kept = 0;
  table.for_each([&](Channel& channel) { kept += channel.messages; });
  EXPECT_EQ(forgotten + kept, 1'000'000U) << "no channel goes unseen";
  EXPECT_LT(kept, 10'000U);
  EXPECT_EQ(table.find({0, 1, 2, 3}), busy);
}

struct Row {
  std::uint64_t a, b, c;
};

TEST(TempSpool, KeepsAppendedRowsOfAnyNumber) {
  const TempDir directory;
  auto file = TempFile::create(directory.path());
  ASSERT_TRUE(file) << file.error().what;
  constexpr std::uint64_t kBlock = TempSpool<Row>::kRowsPerBlock;
  for (const std::uint64_t rows :
       {std::uint64_t{0}, std::uint64_t{1}, kBlock - 1, kBlock, kBlock + 1, 5 * kBlock + 7}) {
    TempSpool<Row> spool{*file};
    for (std::uint64_t i = 0; i < rows; ++i) spool.append({i, i * i, ~i});
    ASSERT_TRUE(spool.seal());
    ASSERT_EQ(spool.size(), rows);
    TempSpoolReader<Row> reader{spool};
    std::uint64_t i = 0;
    for (const Row* row = reader.next(); row != nullptr; row = reader.next(), ++i) ASSERT_EQ(row->b, i * i);
    EXPECT_TRUE(reader.status());
    EXPECT_EQ(i, rows);
  }
}

TEST(TempSpool, RowsCanBeReadAndOverwrittenAnywhere) {
  const TempDir directory;
  auto file = TempFile::create(directory.path());
  ASSERT_TRUE(file);
  TempSpool<Row> spool{*file};
  constexpr std::uint64_t kRows = 3 * TempSpool<Row>::kRowsPerBlock + 100;
  std::vector<Row> oracle;
  for (std::uint64_t i = 0; i < kRows; ++i) {
    oracle.push_back({i, 0, 0});
    spool.append(oracle.back());
  }
  std::mt19937_64 random{test::seeded(4)};
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t first = random() % kRows;
    std::vector<Row> rows(random() % std::min<std::uint64_t>(kRows - first, 6000));
    for (Row& row : rows) row = {random(), random(), random()};
    ASSERT_TRUE(spool.write(first, rows));
    std::ranges::copy(rows, oracle.begin() + static_cast<std::ptrdiff_t>(first));
  }
  std::vector<Row> all(kRows);
  ASSERT_TRUE(spool.read(0, all));
  for (std::uint64_t i = 0; i < kRows; ++i) ASSERT_EQ(all[i].a, oracle[i].a);
  EXPECT_FALSE(spool.read(kRows - 1, std::span{all}.first(2)));
}

TEST(TempSpool, SharesOneFileAndGivesItsBlocksBack) {
  const TempDir directory;
  auto file = TempFile::create(directory.path());
  ASSERT_TRUE(file);
  TempSpool<Row> kept{*file};
  for (std::uint64_t i = 0; i < 10'000; ++i) kept.append({i, 0, 0});
  for (int round = 0; round < 10; ++round) {
    TempSpool<Row> passing{*file};
    for (std::uint64_t i = 0; i < 10'000; ++i) passing.append({~i, 0, 0});
    TempSpool<Row> moved{std::move(passing)};
    EXPECT_EQ(moved.size(), 10'000U);
  }
  std::vector<Row> rows(10'000);
  ASSERT_TRUE(kept.read(0, rows));
  for (std::uint64_t i = 0; i < 10'000; ++i) ASSERT_EQ(rows[i].a, i);
  EXPECT_LT((*file)->take_block(), 20U);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path())) << "the file has no name";
}

TEST(TempFile, UnwritableDirectoryIsNamed) {
  const auto file = TempFile::create("/no/such/place");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().what, "cannot make a temporary file in '/no/such/place': No such file or directory");
}

}  // namespace
}  // namespace meridian::test
