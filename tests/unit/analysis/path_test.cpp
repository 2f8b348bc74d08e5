// SPDX-License-Identifier: Apache-2.0
// Critical path and active paths of small runs with known ones. Times are ms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analysis/paths/active_paths.hpp"
#include "analysis/paths/path_walk.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;

constexpr std::uint32_t kA = 0, kB = 1, kC = 2;

/// Threads and their waits, in the order in which they begin.
struct Tasks {
  std::vector<LocationLife> lives;
  std::vector<WaitSpan> waits;
};

std::string text(std::uint32_t task, std::int64_t begin, std::int64_t end) {
  return std::string(1, static_cast<char>('A' + task)) + std::to_string(begin) + "-" + std::to_string(end);
}

std::vector<PathVisit> exact_visits(const Tasks& tasks) {
  SpilledStacks<WaitSpan> waits{::testing::TempDir(), tasks.lives.size(), 2};  // small chunks: most are in the file
  std::vector<WaitSpan> sorted = tasks.waits;
  std::ranges::stable_sort(sorted, {}, &WaitSpan::begin_ns);
  for (const WaitSpan& wait : sorted) EXPECT_TRUE(waits.push(wait.location, wait));
  const auto last = std::ranges::max_element(tasks.lives, {}, &LocationLife::end_ns);
  std::vector<PathVisit> visits;
  EXPECT_TRUE(walk_critical_path(waits, tasks.lives, static_cast<std::uint32_t>(last - tasks.lives.begin()), 0,
                                 last->end_ns, [&](const PathVisit& visit) -> Status {
                                   visits.insert(visits.begin(), visit);
                                   return {};
                                 }));
  return visits;
}

TEST(SpilledStacks, GiveBackWhatTheyGotAndLeaveNothingInTheirDirectory) {
  const std::filesystem::path directory = ::testing::TempDir() + "spilled-" + std::to_string(::getpid());
  std::filesystem::create_directory(directory);
  SpilledStacks<std::uint64_t> stacks{directory, 3, 100};
  for (std::uint64_t i = 0; i < 100'000; ++i) ASSERT_TRUE(stacks.push(i % 3, i));
  EXPECT_TRUE(std::filesystem::is_empty(directory)) << "the file has no name";
  for (std::uint64_t i = 100'000; i-- > 0;) {
    const auto top = stacks.top(i % 3);
    ASSERT_TRUE(top && *top != nullptr);
    ASSERT_EQ(**top, i);
    stacks.pop(i % 3);
  }
  EXPECT_EQ(*stacks.top(0), nullptr);
  std::filesystem::remove(directory);
}

TEST(SpilledStacks, NameTheDirectoryThatTheyCannotWriteTo) {
  SpilledStacks<std::uint64_t> stacks{"/nowhere/at/all", 1, 1};
  ASSERT_TRUE(stacks.push(0, 1));
  const Status status = stacks.push(0, 2);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "cannot make a temporary file in '/nowhere/at/all': No such file or directory");
}

/// "A0-10": in order of time; "?": before the thread begins.
std::vector<std::string> exact(const Tasks& tasks) {
  std::vector<std::string> list;
  for (const PathVisit& visit : exact_visits(tasks))
    list.push_back(text(visit.location, visit.begin_ns, visit.end_ns) + (visit.is_before_begin ? "?" : ""));
  return list;
}

struct Stretch {
  std::uint32_t on = 0;
  std::int64_t begin = 0, end = 0;
};

/// The active path of each task; stretches on the same task are one.
std::vector<std::vector<Stretch>> active_paths(const Tasks& tasks) {
  std::vector<std::vector<Stretch>> paths(tasks.lives.size());
  ActivePaths active{tasks.lives, [&](std::uint32_t task, std::uint32_t on, std::int64_t begin, std::int64_t end) {
                       if (!paths[task].empty() && paths[task].back().on == on && paths[task].back().end == begin)
                         paths[task].back().end = end;
                       else
                         paths[task].push_back({on, begin, end});
                     }};
  std::vector<WaitSpan> sorted = tasks.waits;
  std::ranges::stable_sort(sorted, {}, &WaitSpan::begin_ns);
  for (const WaitSpan& wait : sorted) {
    active.advance(wait.begin_ns);
    active.wait(wait);
  }
  std::int64_t end = 0;
  for (const LocationLife& life : tasks.lives) end = std::max(end, life.end_ns);
  active.advance(end);
  for (std::uint32_t i = 0; i < tasks.lives.size(); ++i) active.end(i, tasks.lives[i].end_ns);
  return paths;
}

std::vector<std::string> active(const Tasks& tasks, std::uint32_t task = kA) {
  std::vector<std::string> list;
  const auto paths = active_paths(tasks);
  for (const Stretch& stretch : paths[task]) list.push_back(text(stretch.on, stretch.begin, stretch.end));
  return list;
}

// A creates B at 10, waits for its end from 20 to 50.
const Tasks kJoin{{{0, 60, kNoLocation}, {10, 50, kA}}, {{20, 50, kA, kB, {}}}};

TEST(CriticalPath, GoesThroughTheThreadThatWasJoined) {
  EXPECT_THAT(exact(kJoin), ElementsAre("A0-10", "B10-50", "A50-60"));
}
TEST(ActivePath, IsOnTheJoinedThreadDuringTheWait) {
  EXPECT_THAT(active(kJoin), ElementsAre("A0-20", "B20-50", "A50-60"));
  EXPECT_THAT(active(kJoin, kB), ElementsAre("B10-50"));
}

// A creates B at 10 and C at 20, waits for B from 30 to 60 and for C from 65 to 90.
const Tasks kTwoJoins{{{0, 100, kNoLocation}, {10, 60, kA}, {20, 90, kA}},
                      {{30, 60, kA, kB, {}}, {65, 90, kA, kC, {}}}};

TEST(CriticalPath, GoesThroughTheLongerOfTwoThreads) {
  EXPECT_THAT(exact(kTwoJoins), ElementsAre("A0-20", "C20-90", "A90-100"));
}
TEST(ActivePath, IsOnOneThreadAfterTheOther) {
  EXPECT_THAT(active(kTwoJoins), ElementsAre("A0-30", "B30-60", "A60-65", "C65-90", "A90-100"));
}

// A creates B at 10 and waits from 20 to 80; B creates C at 30 and waits from 40 to 70.
const Tasks kNested{{{0, 90, kNoLocation}, {10, 80, kA}, {30, 70, kB}}, {{20, 80, kA, kB, {}}, {40, 70, kB, kC, {}}}};

TEST(CriticalPath, GoesThroughNestedThreads) {
  EXPECT_THAT(exact(kNested), ElementsAre("A0-10", "B10-30", "C30-70", "B70-80", "A80-90"));
}
TEST(ActivePath, FollowsAWaitInsideAWait) {
  EXPECT_THAT(active(kNested), ElementsAre("A0-20", "B20-40", "C40-70", "B70-80", "A80-90"));
}

// A runs to 20 and is blocked to 30 by B.
const Tasks kBlocked{{{0, 40, kNoLocation}, {0, 30, kNoLocation}}, {{20, 30, kA, kB, {}}}};

TEST(CriticalPath, GoesThroughTheThreadThatBlocks) { EXPECT_THAT(exact(kBlocked), ElementsAre("B0-30", "A30-40")); }
TEST(ActivePath, IsOnTheThreadThatBlocks) { EXPECT_THAT(active(kBlocked), ElementsAre("A0-20", "B20-30", "A30-40")); }

/// Four tasks with barriers: in stage k task i works ((i + k) mod 4) + 1 of 4.
Tasks imbalanced() {
  Tasks tasks{std::vector<LocationLife>(4, {0, 16, kNoLocation}), {}};
  for (std::uint32_t k = 0; k < 4; ++k)
    for (std::uint32_t i = 0; i < 4; ++i)
      if (const std::uint32_t works = (i + k) % 4 + 1; works < 4)
        tasks.waits.push_back({4 * k + works, 4 * k + 4, i, 3 - k, {}});
  return tasks;
}

TEST(CriticalPath, OfRotatingImbalanceIsEqualOnAllTasks) {
  EXPECT_THAT(exact(imbalanced()), ElementsAre("D0-4", "C4-8", "B8-12", "A12-16"));
}
TEST(ActivePath, OfRotatingImbalanceHasTheSharesOfTheLiterature) {
  std::map<std::uint32_t, std::int64_t> on;
  const auto paths = active_paths(imbalanced());
  for (const Stretch& stretch : paths[kA]) on[stretch.on] += stretch.end - stretch.begin;
  EXPECT_EQ(on, (std::map<std::uint32_t, std::int64_t>{{0, 10}, {1, 1}, {2, 2}, {3, 3}}));  // 62.5, 6.25, 12.5, 18.75 %
}

TEST(CriticalPath, LeavesAThreadOnlyWhereAWaitEnds) {
  // The first wait ends after the path has left B for A.
  const Tasks tasks{{{0, 100, kNoLocation}, {0, 90, kNoLocation}}, {{50, 80, kB, kA, {}}, {20, 40, kA, kB, {}}}};
  EXPECT_THAT(exact(tasks), ElementsAre("B0-40", "A40-100"));
}

TEST(CriticalPath, BeforeAThreadThatNobodyMadeIsUnknown) {
  const Tasks tasks{{{0, 20, kNoLocation}, {30, 90, kNoLocation}}, {}};
  EXPECT_THAT(exact(tasks), ElementsAre("B0-30?", "B30-90"));
}

TEST(CriticalPath, EndsAlthoughThreadsWaitForEachOther) {
  const Tasks tasks{{{0, 50, kNoLocation}, {0, 50, kNoLocation}}, {{10, 40, kA, kB, {}}, {10, 40, kB, kA, {}}}};
  EXPECT_THAT(exact(tasks), ElementsAre("A0-40", "A40-50"));
}

TEST(ActivePath, OfThreadsThatWaitForEachOtherStaysOnOne) {
  const Tasks tasks{{{0, 50, kNoLocation}, {0, 50, kNoLocation}}, {{10, 40, kA, kB, {}}, {11, 41, kB, kA, {}}}};
  EXPECT_THAT(active(tasks), ElementsAre("A0-10", "B10-40", "A40-50"));
  EXPECT_THAT(active(tasks, kB), ElementsAre("B0-50"));
}

TEST(ActivePath, OfAWaitForAThreadBeforeItsBeginIsOnItsCreator) {
  const Tasks tasks{{{0, 50, kNoLocation}, {0, 50, kNoLocation}, {30, 50, kB}}, {{20, 40, kA, kC, {}}}};
  EXPECT_THAT(active(tasks), ElementsAre("A0-20", "B20-30", "C30-40", "A40-50"));
}

/// Random threads; each wait ends when its causer does not wait.
Tasks random_tasks(std::uint64_t seed, std::uint32_t count, std::int64_t length) {
  std::mt19937_64 random{test::seeded(seed)};
  Tasks tasks;
  std::vector<std::int64_t> at(count);
  for (std::uint32_t i = 0; i < count; ++i)
    tasks.lives.push_back({0, length + static_cast<std::int64_t>(i), kNoLocation});
  for (int n = 0; n < 400; ++n) {
    const auto waiter = static_cast<std::uint32_t>(random() % count);
    const auto causer = static_cast<std::uint32_t>((waiter + 1 + random() % (count - 1)) % count);
    const std::int64_t begin = at[waiter] + static_cast<std::int64_t>(random() % 20);
    const std::int64_t end = std::max(begin, at[causer]) + 1 + static_cast<std::int64_t>(random() % 20);
    if (end >= length) continue;
    tasks.waits.push_back({begin, end, waiter, causer, {}});
    at[waiter] = end;
    at[causer] = std::max(at[causer], end);  // does not wait then
  }
  return tasks;
}

TEST(CriticalPath, TilesRandomRunsWithoutTheirWaits) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Tasks tasks = random_tasks(seed, 5, 2000);
    std::int64_t at = 0;
    for (const PathVisit& visit : exact_visits(tasks)) {
      EXPECT_EQ(visit.begin_ns, at);
      EXPECT_LT(visit.begin_ns, visit.end_ns);
      at = visit.end_ns;
      for (const WaitSpan& wait : tasks.waits)
        EXPECT_FALSE(wait.location == visit.location && wait.begin_ns < visit.end_ns && wait.end_ns > visit.begin_ns)
            << "seed " << seed << ": waits from " << wait.begin_ns << " to " << wait.end_ns;
    }
    EXPECT_EQ(at, 2004);
  }
}

TEST(ActivePath, TilesRandomRunsAndFollowsTheWaitsOfEachMoment) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Tasks tasks = random_tasks(seed, 5, 300);
    const auto paths = active_paths(tasks);
    const auto who_works = [&](std::uint32_t task, std::int64_t t) {
      for (std::size_t steps = 0; steps < tasks.lives.size(); ++steps)
        for (const WaitSpan& wait : tasks.waits)
          if (wait.location == task && wait.begin_ns <= t && t < wait.end_ns) {
            task = wait.causer;
            break;
          }
      return task;
    };
    for (std::uint32_t task = 0; task < paths.size(); ++task) {
      std::int64_t at = 0;
      for (const Stretch& stretch : paths[task]) {
        EXPECT_EQ(stretch.begin, at);
        at = stretch.end;
        for (std::int64_t t = stretch.begin; t < stretch.end; ++t)
          ASSERT_EQ(stretch.on, who_works(task, t)) << "seed " << seed << " at " << t;
      }
      EXPECT_EQ(at, tasks.lives[task].end_ns);
    }
  }
}

}  // namespace
}  // namespace meridian::test
