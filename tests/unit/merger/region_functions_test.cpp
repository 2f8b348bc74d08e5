// SPDX-License-Identifier: Apache-2.0
// Functions of the program by region and by thread, from samples in the rank files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "analysed.hpp"
#include "modules.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kInAssemble = 1, kInSolver = 2;
constexpr std::uint32_t kOuter = 1, kInner = 2;

/// Rank 0 is in assemble until 1000, rank 1 also in solve until 1900; all of it in `outer`, from 500 to 900 in `inner`.
class SampledRegions : public testing::Test {
 protected:
  SampledRegions() {
    for (std::size_t i = 0; i < 2; ++i) {
      SyntheticRank& rank = run[i];
      const std::string id(40, 'a');
      load_module(rank, "10000", "20000", id, "/nowhere/assemble");
      load_module(rank, "30000", "40000", id + "44", "/nowhere/solve");
      rank.sample_stacks = {{}, {0, 0x10400}, {0, 0x30400}};
      rank.meta.user_definitions = {{kOuter, UserKind::region, "region", "outer", ""},
                                    {kInner, UserKind::region, "region", "inner", ""}};
      rank->call(CallId::Init, {0, 100});
      mark(rank, kOuter, 110, kFlagBegins);
      mark(rank, kInner, 500, kFlagBegins);
      mark(rank, kInner, 900, kFlagEnds);
      rank->collective(CallId::Barrier, {i == 0 ? 1000U : 1900U, 2000});
      mark(rank, kOuter, 2010, kFlagEnds);
      rank->call(CallId::Finalize, {2010, 2100});
      sample(i, 150, 9, kInAssemble);
      sample(i, 1050, 9, kInSolver);  // of rank 0 in the barrier
    }
  }
  static void mark(SyntheticRank& rank, std::uint32_t region, std::uint64_t ticks, std::uint8_t flags) {
    rank->call(CallId::UserEvent, {ticks, ticks}, Payload::user, flags);
    rank->batch.user.push_back({region, 0});
  }
  void sample(std::size_t rank, std::uint64_t first, std::uint64_t count, std::uint32_t stack,
              std::uint32_t thread = 0) {
    for (std::uint64_t i = 0; i < count; ++i) run[rank].samples.push_back({first + 100 * i, thread, stack});
  }
  static std::string ns(double seconds) { return std::to_string(std::lround(seconds * 1e9)) + " ns"; }

  SyntheticRun run{2};
};

TEST_F(SampledRegions, FunctionsAreThoseOfTheInnermostRegionOfTheThread) {
  std::vector<std::string> rows;
  for (const RegionFunctionSummary& row : analysed(run).region_functions)
    rows.push_back(row.region + " " + row.module + " " + ns(row.self_s) + " " +
                   std::to_string(std::lround(row.share * 100)) + "% " + std::to_string(row.samples) + ", rank " +
                   std::to_string(row.most_rank) + " " + ns(row.most_s));
  // A sample of rank 0 stands for 910 / 9 ns (outside MPI until 2010), one of rank 1 for 1810 / 18.
  EXPECT_THAT(rows,
              ElementsAre("outer assemble 1008 ns 53% 10, rank 0 506 ns", "outer solve 905 ns 47% 9, rank 1 905 ns",
                          "inner assemble 807 ns 100% 8, rank 0 404 ns"));
}

TEST_F(SampledRegions, WithOneThreadARankHasNoRowsByThread) { EXPECT_THAT(analysed(run).thread_functions, IsEmpty()); }

TEST_F(SampledRegions, ThreadsHaveTheirOwnFunctions) {
  run[1].thread(1).lock(CallId::pthread_mutex_lock, {1990, 1995}, LockKind::mutex, 1, false);
  sample(1, 150, 4, kInSolver, 1);
  std::vector<std::string> rows;
  for (const ThreadFunctionSummary& row : analysed(run).thread_functions)
    rows.push_back(std::to_string(row.rank) + "." + std::to_string(row.thread) + " " + row.function + " " + row.place +
                   " " + std::to_string(std::lround(row.share * 100)) + "% " + std::to_string(row.samples));
  EXPECT_THAT(rows, ElementsAre("1.0 (no symbols) assemble 50% 9", "1.0 (no symbols) solve 50% 9",
                                "1.1 (no symbols) solve 100% 4"));
}

}  // namespace
}  // namespace meridian::test
