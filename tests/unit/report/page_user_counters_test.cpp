// SPDX-License-Identifier: Apache-2.0
// Curves of counters that the program sets, from rank files to the page. One tick is one ns; a bin of the page has 10 ns.
#include "report/data/page_user_counters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "analysed.hpp"
#include "report/data/page_timeline.hpp"
#include "report/data/timeline_rows.hpp"

namespace meridian::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kResidual = 1;

struct CountingRun : SyntheticRun {
  CountingRun() : SyntheticRun{2} {
    for (std::size_t i = 0; i < 2; ++i)
      (*this)[i].meta.user_definitions = {{kResidual, UserKind::counter, "counter", "residual", ""}};
  }
  void set(std::size_t rank, std::uint64_t ticks, double value) {
    (*this)[rank]->call(CallId::UserEvent, {ticks, ticks}, Payload::user);
    (*this)[rank]->batch.user.push_back({kResidual, 1});
    (*this)[rank]->batch.user_values.push_back(std::bit_cast<std::uint64_t>(value));
  }
  void begin() {
    for (std::size_t i = 0; i < 2; ++i) (*this)[i]->call(CallId::Init, {0, 100});
  }
  Json page() {
    for (std::size_t i = 0; i < 2; ++i) (*this)[i]->call(CallId::Finalize, {2000, 2560});
    const Summary summary = analysed(*this);
    const auto trace = MergedTrace::open(merged());
    EXPECT_TRUE(trace) << trace.error().what;
    const auto rows = find_timeline_rows(*trace, summary, PageBudget{}, {});
    EXPECT_TRUE(rows) << rows.error().what;
    const auto timeline = page_timeline(*trace, summary, *rows, PageBudget{}, {});
    EXPECT_TRUE(timeline) << timeline.error().what;
    return (*timeline)["user_counters"];
  }
};

TEST(PageUserCounters, HaveTheMeanAndTheLargestOfWhatTheThreadsSetLast) {
  CountingRun run;
  run.begin();
  run.set(0, 500, 4);
  run.set(1, 1005, -1);
  run.set(0, 1504, 0.000123456);
  const Json list = run.page();
  ASSERT_EQ(list.size(), 1U);
  const Json& curve = list[0];
  EXPECT_EQ(curve["name"], "residual");
  EXPECT_EQ(curve["threads"], 2);
  EXPECT_EQ(curve["bin_ns"], 10);
  ASSERT_EQ(curve["mean"].size(), 256U);
  ASSERT_EQ(curve["largest"].size(), 256U);
  const auto in = [&](const char* what, std::size_t bin) { return curve[what][bin]; };
  EXPECT_TRUE(in("mean", 49).is_null());  // at its end, nobody has set one
  EXPECT_TRUE(in("largest", 49).is_null());
  EXPECT_EQ(in("mean", 50), 4);
  EXPECT_EQ(in("mean", 99), 4);
  EXPECT_EQ(in("mean", 100), 1.5);
  EXPECT_EQ(in("largest", 100), 4);
  EXPECT_EQ(in("mean", 149), 1.5);
  EXPECT_DOUBLE_EQ(in("mean", 150).get<double>(), -0.4999);
  EXPECT_DOUBLE_EQ(in("largest", 150).get<double>(), 0.0001235);  // four digits
  EXPECT_DOUBLE_EQ(in("largest", 255).get<double>(), 0.0001235);
}

TEST(PageUserCounters, AreNoneWhereTheProgramSetsNone) {
  CountingRun run;
  run.begin();
  EXPECT_EQ(run.page(), Json::array());
}

TEST(PageUserCounters, LeaveOutWhatIsNoNumber) {
  CountingRun run;
  run.begin();
  run.set(0, 500, 4);
  run.set(0, 600, std::numeric_limits<double>::quiet_NaN());
  run.set(0, 700, std::numeric_limits<double>::infinity());
  const Json list = run.page();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["mean"][255], 4);
  EXPECT_EQ(list[0]["threads"], 1);
}

}  // namespace
}  // namespace meridian::test
