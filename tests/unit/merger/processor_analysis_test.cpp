// SPDX-License-Identifier: Apache-2.0
// What analyses make of intervals without a processor. One tick is one ns.

#include <gmock/gmock.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analysed.hpp"
#include "analysis/walk/ready_times.hpp"
#include "trace/format/rank/dropped_rows.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/model/event.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Both ranks need 1000 for their work, from 100 on; rank 0 takes 1800 for it, and both leave a barrier at 2000.
class LateWithoutProcessor : public testing::Test {
 protected:
  LateWithoutProcessor() {
    for (std::size_t i = 0; i < 2; ++i) {
      run[i]->call(CallId::Init, {10, 100});
      run[i]->collective(CallId::Barrier, {i == 0 ? 1900U : 1100U, 2000});
      run[i]->call(CallId::Finalize, {2000, 2100});
    }
  }
  /// Rank 0 has no processor from 500 to 1300; meanwhile rank 1 begins to wait.
  void take_processor() { run[0].processor = {{1300, 800, 0, 0, 1, true}}; }
  static std::vector<std::string> states(const Summary& summary) {
    std::vector<std::string> found;
    for (const StateSummary& row : summary.states)
      found.push_back(std::to_string(row.rank) + " " + row.state + " " + std::to_string(ns(row.total_s)));
    return found;
  }
  static std::vector<std::string> delays(const Summary& summary) {
    std::vector<std::string> found;
    for (const DelaySummary& row : summary.delays)
      found.push_back(std::to_string(row.rank) + " " + row.what + " " + std::to_string(ns(row.short_term_s)));
    return found;
  }
  static std::vector<std::string> problems(const Summary& summary) {
    std::vector<std::string> found;
    for (const ProblemSummary& row : summary.problems)
      if (row.problem != "transfer") found.push_back(row.problem + " " + std::to_string(ns(row.cost_s)));
    return found;
  }
  static const EfficiencySummary& whole(const Summary& summary) { return summary.efficiencies.at(0); }

  SyntheticRun run{2};
};

TEST_F(LateWithoutProcessor, ReadyIsAStateInsteadOfComputing) {
  take_processor();
  const Summary summary = analysed(run);
  EXPECT_THAT(states(summary), ElementsAre("0 compute 1000", "0 mpi-transfer 290", "0 ready 800", "1 compute 1000",
                                           "1 mpi-transfer 290", "1 mpi-wait 800"));
  ASSERT_EQ(summary.ready_times.size(), 1U);
  EXPECT_EQ(summary.ready_times[0].rank, 0);
  EXPECT_EQ(ns(summary.ready_times[0].compute_s), 800);
  EXPECT_EQ(ns(summary.ready_times[0].mpi_s), 0);
  EXPECT_EQ(ns(summary.ready_times[0].wait_s), 0);
}

TEST_F(LateWithoutProcessor, TheProcessorIsAFactorOfItsOwnAndTheLoadIsEven) {
  take_processor();
  const EfficiencySummary row = whole(analysed(run));
  EXPECT_DOUBLE_EQ(row.load_balance, 1);
  EXPECT_DOUBLE_EQ(row.processor, 1000.0 / 1800);
  EXPECT_DOUBLE_EQ(row.serialisation, 1);
  EXPECT_DOUBLE_EQ(row.transfer, 1800.0 / 1900);
  EXPECT_DOUBLE_EQ(row.parallel, 1000.0 / 1900);
}

TEST_F(LateWithoutProcessor, WithoutIntervalsTheLoadIsUneven) {
  const Summary summary = analysed(run);
  EXPECT_DOUBLE_EQ(whole(summary).load_balance, 1400.0 / 1800);
  EXPECT_DOUBLE_EQ(whole(summary).processor, 1);
  EXPECT_THAT(summary.ready_times, IsEmpty());
  EXPECT_THAT(delays(summary), ElementsAre("0 compute 800"));
  EXPECT_THAT(problems(summary), ElementsAre("wait at barrier 800"));
}

TEST_F(LateWithoutProcessor, TheWaitOfTheOtherRankIsChargedToTheLack) {
  take_processor();
  const Summary summary = analysed(run);
  EXPECT_THAT(delays(summary), ElementsAre("0 ready 800"));
  ASSERT_THAT(problems(summary), ElementsAre("lack of processors 1600"));
  EXPECT_THAT(summary.problems[0].text,
              ::testing::StartsWith("Ranks were ready to run for 800 ns and had no processor, and others waited 800 ns "
                                    "for them."));
}

TEST_F(LateWithoutProcessor, PartOfAWaitIsThatOfTheWork) {
  run[0].processor = {{700, 200, 0, 0, 1, true}};  // and 600 more of work
  const Summary summary = analysed(run);
  EXPECT_THAT(delays(summary), ElementsAre("0 compute 600", "0 ready 200"));
  EXPECT_THAT(problems(summary), ElementsAre("wait at barrier 600", "lack of processors 400"));
}

TEST_F(LateWithoutProcessor, AThreadThatWaitsLosesNothing) {
  run[1].processor = {{1500, 300, 0, 0, 1, true}};
  const Summary summary = analysed(run);
  EXPECT_THAT(delays(summary), ElementsAre("0 compute 800"));
  ASSERT_EQ(summary.ready_times.size(), 1U);
  EXPECT_EQ(ns(summary.ready_times[0].wait_s), 300);
  EXPECT_EQ(ns(summary.ready_times[0].compute_s), 0);
  EXPECT_DOUBLE_EQ(whole(summary).processor, 1);
  EXPECT_THAT(problems(summary), ElementsAre("wait at barrier 800"));
}

/// Short intervals of a rank that polls are one sum for a tenth of a second, which may be spread over a sleep.
TEST(SleepWithoutProcessor, ARankThatSleepsIsNotLateForThatReason) {
  SyntheticRun run{2};
  for (std::size_t i = 0; i < 2; ++i) run[i]->call(CallId::Init, {10, 100});
  run[0]->call(CallId::nanosleep, {100, 1100});
  for (std::size_t i = 0; i < 2; ++i) {
    run[i]->collective(CallId::Barrier, {i == 0 ? 1100U : 100U, 1200});
    run[i]->call(CallId::Finalize, {1200, 1300});
  }
  run[0].processor = {{1100, 1000, 0, 0, 1, true}};
  const Summary summary = analysed(run);
  ASSERT_EQ(summary.delays.size(), 1U);
  EXPECT_EQ(summary.delays[0].what, "call");
  EXPECT_EQ(summary.delays[0].function, "nanosleep");
  EXPECT_EQ(ns(summary.delays[0].short_term_s), 1000);
  ASSERT_EQ(summary.ready_times.size(), 1U);
  EXPECT_EQ(ns(summary.ready_times[0].wait_s), 1000);
}

TEST_F(LateWithoutProcessor, WhatIfSaysWhatProcessorsWouldSave) {
  take_processor();
  const Summary summary = analysed(run);
  const auto row = std::ranges::find(summary.what_if, "processor", &WhatIfSummary::kind);
  ASSERT_NE(row, summary.what_if.end());
  EXPECT_EQ(ns(row->saved_s), 800);
}

TEST_F(LateWithoutProcessor, IntervalsThatAThreadSleptChangeNothing) {
  const Summary before = analysed(run);
  run[0].processor = {{1300, 800, 0, 0, 1, false}};
  const Summary after = analysed(run);
  EXPECT_EQ(states(after), states(before));
  EXPECT_EQ(delays(after), delays(before));
  EXPECT_EQ(problems(after), problems(before));
}

TEST_F(LateWithoutProcessor, ARankThatSleptNeedsNoLessWork) {
  run[0].processor = {{1300, 800, 0, 0, 1, false}};
  run[1].processor = {{1900, 600, 0, 0, 1, false}};  // in MPI
  const Summary summary = analysed(run);
  ASSERT_EQ(summary.ready_times.size(), 1U);
  EXPECT_EQ(ns(summary.ready_times[0].slept_s), 800);
  EXPECT_EQ(ns(summary.ready_times[0].compute_s), 0);
  ASSERT_FALSE(summary.problems.empty());
  EXPECT_THAT(
      summary.problems[0].text,
      ::testing::HasSubstr(" Rank 0 is outside MPI for 1.80 us, the mean is 1.40 us. In 800 ns of that it does not "
                           "run: it sleeps, is stopped, or waits for something that is not recorded."));
  EXPECT_EQ(summary.problems[0].remedy,
            "Find out what stops rank 0, or what it waits for: a timer, another process, a page of memory, a device.");
}

TEST_F(LateWithoutProcessor, FewerIntervalsThanTheKernelCountsLeaveItsCount) {
  run[0].processor = {{600, 100, 0, 0, 1, true}};
  const auto kind = [](UsageKind of) { return static_cast<std::uint32_t>(of); };
  run[0].meta.usages = {{100, {.kind = kind(UsageKind::process_begin), .ready_us = 1}},
                        {2000, {.kind = kind(UsageKind::process_end), .ready_us = 2}}};  // 1000 ns
  const Summary summary = analysed(run);
  const auto lack = std::ranges::find(summary.problems, "lack of processors", &ProblemSummary::problem);
  ASSERT_NE(lack, summary.problems.end());
  EXPECT_EQ(ns(lack->cost_s), 1000);
}

TEST_F(LateWithoutProcessor, OfTheLastPartOfARunTheKernelCountsTooMuch) {
  run[0].processor = {{600, 100, 0, 0, 1, true}};
  const auto kind = [](UsageKind of) { return static_cast<std::uint32_t>(of); };
  run[0].meta.usages = {{100, {.kind = kind(UsageKind::process_begin), .ready_us = 1}},
                        {2000, {.kind = kind(UsageKind::process_end), .involuntary_switches = 100, .ready_us = 2}}};
  run[0].meta.texts.push_back({kRecorderKey, "100", 0, 10});
  const Summary summary = analysed(run);
  ASSERT_FALSE(summary.usage.empty());
  EXPECT_EQ(summary.usage[0].thread, -1);
  EXPECT_EQ(summary.usage[0].ready_s, 0);
  EXPECT_THAT(problems(summary), ElementsAre("wait at barrier 700", "lack of processors 200"));
  run[0].processor.clear();
  EXPECT_THAT(problems(analysed(run)), ElementsAre("wait at barrier 800"));
}

TEST_F(LateWithoutProcessor, FilesOfBeforeTheFactorAreRead) {
  analysed(run);
  {
    const h5::File file{H5Fopen(run.merged().c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
    ASSERT_GE(H5Ldelete(file.get(), "summary/efficiencies/processor", H5P_DEFAULT), 0);
  }
  const auto summary = MergedTrace::read_summary(run.merged());
  ASSERT_TRUE(summary) << summary.error().what;
  EXPECT_DOUBLE_EQ(whole(*summary).processor, 1);
  EXPECT_THAT(summary->ready_times, IsEmpty());
}

/// Reads what a merge of rank 0's intervals made of them.
class ReadyTime : public LateWithoutProcessor {
 protected:
  ReadyTimes read(std::size_t most = ReadyTimes::kMost) {
    EXPECT_TRUE(run.merge());
    const auto trace = MergedTrace::open(run.merged());
    EXPECT_TRUE(trace) << trace.error().what;
    auto times = ReadyTimes::read(*trace, most);
    EXPECT_TRUE(times) << times.error().what;
    zero_ns = trace->event(0)->enter_ns - 10;
    return *std::move(times);
  }
  std::int64_t between(const ReadyTimes& times, std::uint32_t location, std::int64_t begin_ns, std::int64_t end_ns) {
    return times.between(location, zero_ns + begin_ns, zero_ns + end_ns);
  }

  std::int64_t zero_ns = 0;  // tick 0
};

TEST_F(ReadyTime, IsThatOfTheIntervalsInASpan) {
  run[0].processor = {{300, 100, 0, 0, 1, true}, {900, 100, 0, 0, 1, true}};
  const ReadyTimes times = read();
  EXPECT_EQ(between(times, 0, 0, 2000), 200);
  EXPECT_EQ(between(times, 0, 250, 850), 100);
  EXPECT_EQ(between(times, 0, 300, 800), 0);
  EXPECT_EQ(between(times, 0, 820, 830), 10);
  EXPECT_EQ(between(times, 1, 0, 2000), 0);
  EXPECT_EQ(between(times, 0, 900, 800), 0);
}

TEST_F(ReadyTime, OfASumIsSpreadOverItsSpanWithSingleIntervalsInside) {
  run[0].processor = {{600, 100, 0, 0, 1, true}, {1000, 800, 600, 0, 4, true}};
  const ReadyTimes times = read();
  EXPECT_EQ(between(times, 0, 0, 2000), 300);
  EXPECT_EQ(between(times, 0, 200, 400), 50);
  EXPECT_EQ(between(times, 0, 500, 600), 100);  // no more than the span has
}

TEST_F(ReadyTime, OfMoreIntervalsThanFitIsTheirSum) {
  for (std::uint64_t i = 1; i <= 1000; ++i) run[0].processor.push_back({2 * i, 1, 0, 0, 1, true});
  const ReadyTimes times = read(10);
  EXPECT_EQ(between(times, 0, 0, 3000), 1000);
  EXPECT_NEAR(static_cast<double>(between(times, 0, 500, 1500)), 500, 2);
}

TEST_F(ReadyTime, CutsASpanIntoPieces) {
  run[0].processor = {{300, 100, 0, 0, 1, true}, {550, 100, 50, 0, 2, true}, {900, 100, 0, 0, 1, true}};
  const ReadyTimes times = read();
  std::vector<std::string> pieces;
  times.cut(0, zero_ns + 250, zero_ns + 850, [&](std::int64_t begin_ns, std::int64_t end_ns, bool is_ready) {
    pieces.push_back(std::to_string(begin_ns - zero_ns) + ".." + std::to_string(end_ns - zero_ns) +
                     (is_ready ? " ready" : ""));
  });
  EXPECT_THAT(pieces,
              ElementsAre("250..300 ready", "300..450", "450..500 ready", "500..550", "550..800", "800..850 ready"));
}

TEST_F(ReadyTime, IsUnknownWithoutIntervals) {
  EXPECT_FALSE(read().is_known());
  EXPECT_EQ(between(read(), 0, 0, 2000), 0);
}

}  // namespace
}  // namespace meridian::test
