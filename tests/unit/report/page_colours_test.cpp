// SPDX-License-Identifier: Apache-2.0
// What rows can be coloured by, from rank files to the page. One tick is one ns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysed.hpp"
#include "modules.hpp"
#include "report/data/page_timeline.hpp"
#include "report/data/timeline_rows.hpp"
#include "unpacked.hpp"

namespace meridian::test {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;

/// Rank 0 computes from 100 to 1000, rank 1 until 1900; both leave a barrier at 2000.
struct UnbalancedRun : SyntheticRun {
  UnbalancedRun() : SyntheticRun{2} {
    for (std::size_t i = 0; i < 2; ++i) {
      SyntheticRank& rank = (*this)[i];
      load_module(rank, "10000", "20000", kBuildId, "/nowhere/assemble");
      load_module(rank, "30000", "40000", std::string{kBuildId} + "44", "/nowhere/solve");
      rank.sample_stacks = {{}, {0, 0x10400}, {0, 0x30400}};
      rank->call(CallId::Init, {0, 100});
      rank->collective(CallId::Barrier, {i == 0 ? 1000U : 1900U, 2000});
      rank->call(CallId::Finalize, {2000, 2100});
    }
  }
};

/// The colourings of its page by name.
std::map<std::string, Json> colours_of(UnbalancedRun& run) {
  const Summary summary = analysed(run);
  const auto trace = MergedTrace::open(run.merged());
  EXPECT_TRUE(trace) << trace.error().what;
  const auto rows = find_timeline_rows(*trace, summary, PageBudget{}, {});
  EXPECT_TRUE(rows) << rows.error().what;
  const auto timeline = page_timeline(*trace, summary, *rows, PageBudget{}, {});
  EXPECT_TRUE(timeline) << timeline.error().what;
  std::map<std::string, Json> found;
  for (const Json& each : (*timeline)["colours"]) found.emplace(each["name"], each);
  return found;
}

/// ns of each slot of a row: computing, in calls, the names, others.
std::vector<double> times(const Json& colouring, std::size_t row) {
  const std::size_t slots = colouring["slots"].size() + 3, bins = colouring["bins"];
  const std::string shares = unpacked(colouring["shares"], 2 * slots * bins);
  EXPECT_EQ(shares.size(), 2 * slots * bins);
  std::vector<double> sums(slots);
  for (std::size_t i = 0; i < slots * bins; ++i)
    sums[i / bins] +=
        static_cast<unsigned char>(shares[row * slots * bins + i]) / 255.0 * colouring["bin_ns"].get<double>();
  return sums;
}

TEST(PageColours, HaveTheTimeInEachFunctionAndOutsideOfCalls) {
  UnbalancedRun run;
  const Json functions = colours_of(run).at("function");
  EXPECT_THAT(functions["slots"].get<std::vector<std::string>>(),
              ElementsAre("MPI_Barrier", "MPI_Finalize", "MPI_Init"));
  const std::vector<double> expected[] = {{900, 0, 1000, 100, 100, 0}, {1800, 0, 100, 100, 100, 0}};
  for (std::size_t row = 0; row < 2; ++row)
    EXPECT_THAT(times(functions, row), ::testing::Pointwise(::testing::DoubleNear(4), expected[row]));
}

TEST(PageColours, HaveTheTimeOfEachWaitAndOfTheRankThatIsWaitedFor) {
  UnbalancedRun run;
  const auto colours = colours_of(run);
  EXPECT_THAT(colours.at("wait")["slots"].get<std::vector<std::string>>(), ElementsAre("wait at barrier"));
  EXPECT_THAT(colours.at("causer")["slots"].get<std::vector<std::string>>(), ElementsAre("rank 1"));
  for (const char* const name : {"wait", "causer"}) {
    EXPECT_THAT(times(colours.at(name), 0), ::testing::Pointwise(::testing::DoubleNear(4), {900.0, 300.0, 900.0, 0.0}));
    EXPECT_THAT(times(colours.at(name), 1), ::testing::Pointwise(::testing::DoubleNear(4), {1800.0, 300.0, 0.0, 0.0}));
  }
  EXPECT_FALSE(colours.contains("program")) << "there are no samples";
}

TEST(PageColours, DivideTheTimeOutsideOfCallsByItsSamples) {
  UnbalancedRun run;
  for (std::uint64_t i = 0; i < 9; ++i)
    for (std::size_t rank = 0; rank < 2; ++rank) run[rank].samples.push_back({150 + 100 * i, 0, 1});
  for (std::uint64_t i = 0; i < 9; ++i)
    for (std::size_t rank = 0; rank < 2; ++rank) run[rank].samples.push_back({1050 + 100 * i, 0, 2});
  const Json program = colours_of(run).at("program");
  EXPECT_THAT(program["slots"].get<std::vector<std::string>>(),
              ElementsAre("(no symbols) of assemble", "(no symbols) of solve"));
  const double bin = program["bin_ns"];
  EXPECT_LT(bin, 200);
  // Those of rank 0 in the barrier are in no function of the program. A bin without a sample has none.
  EXPECT_THAT(times(program, 0), ::testing::Pointwise(::testing::DoubleNear(bin), {0.0, 1200.0, 900.0, 0.0, 0.0}));
  EXPECT_EQ(times(program, 0)[3], 0);
  EXPECT_THAT(times(program, 1), ::testing::Pointwise(::testing::DoubleNear(bin), {0.0, 300.0, 900.0, 900.0, 0.0}));
}

}  // namespace
}  // namespace meridian::test
