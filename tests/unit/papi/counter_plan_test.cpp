// SPDX-License-Identifier: Apache-2.0
#include "papi/counter_plan.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <thread>
#include <vector>

#include "papi/thread_counters.hpp"

namespace meridian {
namespace {

std::vector<std::string> counted(const CounterPlan& plan) {
  std::vector<std::string> names;
  for (int i = 0; i < plan.count; ++i) names.emplace_back(plan.at(i).name);
  return names;
}

std::string problems(const CounterPlan& plan) {
  char text[1024];
  describe_problems(plan, text, sizeof text);
  return text;
}

const std::vector<std::string> kAllOfRusage{"rusage:minflt", "rusage:majflt",   "rusage:nvcsw",
                                            "rusage:nivcsw", "rusage:utime_us", "rusage:stime_us"};

TEST(CounterPlan, CountsNothingWithoutNames) {
  for (const char* list : {"", "none", " , ,"}) {
    CounterPlan plan;
    plan_counters(list, true, plan);
    EXPECT_EQ(plan.count, 0) << list;
    EXPECT_FALSE(plan.has_problems()) << list;
  }
}

TEST(CounterPlan, TakesTheNameRusageForAllItsFields) {
  CounterPlan plan;
  plan_counters("rusage", true, plan);
  EXPECT_EQ(counted(plan), kAllOfRusage);
  char units[64];
  list_counters(plan, true, units, sizeof units);
  EXPECT_STREQ(units, "1,1,1,1,us,us");
}

TEST(CounterPlan, CountsANameOnceAndInTheOrderGiven) {
  CounterPlan plan;
  plan_counters("rusage:nvcsw, rusage:minflt,rusage:nvcsw", true, plan);
  EXPECT_EQ(counted(plan), (std::vector<std::string>{"rusage:nvcsw", "rusage:minflt"}));
  EXPECT_FALSE(plan.has_problems());
  EXPECT_EQ(plan.papi, nullptr);  // not even loaded
}

TEST(CounterPlan, NamesTheNearestAndCountsTheRest) {
  CounterPlan plan;
  plan_counters("rusage:minftl,rusage:majflt", true, plan);
  EXPECT_EQ(counted(plan), std::vector<std::string>{"rusage:majflt"});
  EXPECT_EQ(problems(plan), "there is no event rusage:minftl (did you mean rusage:minflt?); counting rusage:majflt");
}

TEST(CounterPlan, FallsBackToRusageIfNoNameCanBeCounted) {
  CounterPlan plan;
  plan_counters("rusage:nonsense", true, plan);
  EXPECT_TRUE(plan.is_fallback);
  EXPECT_EQ(counted(plan), kAllOfRusage);
  plan_counters("rusage:nonsense", false, plan);
  EXPECT_EQ(plan.count, 0);
  EXPECT_EQ(problems(plan), "there is no event rusage:nonsense; nothing is counted");
}

TEST(CounterPlan, TruncatesItsMessageToTheRoom) {
  CounterPlan plan;
  plan_counters("rusage:nonsense", true, plan);
  char text[16];
  describe_problems(plan, text, sizeof text);
  EXPECT_STREQ(text, "there is no eve");
}

void touch_fresh_pages(std::size_t pages) {
  const std::size_t bytes = pages * 4096;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * 4096] = 1;
  ::munmap(memory, bytes);
}

TEST(ThreadCounters, CountTheFaultsOfTheirOwnThread) {
  CounterPlan plan;
  plan_counters("rusage:majflt,rusage:minflt", true, plan);
  ThreadCounters counters;
  const char* why = "";
  ASSERT_TRUE(start_counters(plan, counters, why));
  read_counters(counters, counters.at_enter);
  touch_fresh_pages(100);
  read_counters(counters, counters.at_leave);
  const long long own = counters.at_leave[1] - counters.at_enter[1];
  EXPECT_GE(own, 100);
  EXPECT_LE(own, 110);

  std::thread other{[] { touch_fresh_pages(1000); }};
  other.join();
  read_counters(counters, counters.at_enter);
  EXPECT_LT(counters.at_enter[1] - counters.at_leave[1], 1000);
  EXPECT_FALSE(counters.has_failed);
  stop_counters(plan, counters);
}

}  // namespace
}  // namespace meridian
