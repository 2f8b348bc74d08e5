// SPDX-License-Identifier: Apache-2.0
// Section WAIT STATES of the text.

#include <gtest/gtest.h>

#include "cli/summary/text/text.hpp"

namespace meridian {
namespace {

WaitSummary wait(std::string pattern, std::int32_t rank, std::string function, std::string place, std::int32_t causer,
                 double total_s) {
  WaitSummary row;
  row.pattern = std::move(pattern);
  row.rank = rank;
  row.function = std::move(function);
  row.place = std::move(place);
  row.causer = causer;
  row.count = 1;
  row.total_s = total_s;
  return row;
}

TEST(WaitsText, AddsUpTheRanksOfAPlaceAndNamesTheMainCauser) {
  Summary summary;
  summary.waits = {
      wait("late sender", 1, "MPI_Recv", "ring.c:30", 0, 3), wait("late sender", 2, "MPI_Recv", "ring.c:30", 1, 1),
      wait("wait at barrier", 1, "MPI_Barrier", "ring.c:44", 2, 1), wait("wait at init", 1, "MPI_Init", "", 0, 0.5)};
  EXPECT_EQ(waits_section(summary, Paint{false}),
            "WAIT STATES (all 3; share: of 5.00 s)\n"
            "  called at in           wait               total   share      mostly for\n"
            "  ring.c:30 MPI_Recv     late sender       4.00 s  80.0 %   rank 0 (75 %)\n"
            "  ring.c:44 MPI_Barrier  wait at barrier   1.00 s  20.0 %  rank 2 (100 %)\n"
            "            MPI_Init     wait at init      500 ms          rank 0 (100 %)\n");
}

TEST(WaitsText, CountsWaitsBelowTheBoundsOfTheClocks) {
  Summary summary;
  summary.waits = {wait("late sender", 1, "MPI_Recv", "", 0, 1)};
  summary.waits[0].unresolved = 12;
  const std::string text = waits_section(summary, Paint{false});
  EXPECT_NE(text.find("\n  12 further waits are shorter than the bounds of the clocks\n"), std::string::npos) << text;
}

TEST(WaitsText, NamesThePairsOfRanksWithTheLongestWaits) {
  Summary summary;
  summary.wait_pairs = {{1, 0, 1200, 3, 0.75}, {2, -1, 4, 1, 0.25}};
  EXPECT_EQ(wait_pairs_section(summary, Paint{false}),
            "WAITS BY PAIRS OF RANKS (all 2)\n"
            "  rank  waited for  waits   total   share\n"
            "     1      rank 0   1200  3.00 s  75.0 %\n"
            "     2     several      4  1.00 s  25.0 %\n");
  summary.wait_pairs.resize(1);
  EXPECT_EQ(wait_pairs_section(summary, Paint{false}), "") << "the section of the waits names the causer";
}

TEST(WaitsText, AddsUpTheRanksOfARootCause) {
  Summary summary;
  summary.delays = {{2, 0, "call", "", "pthread_mutex_lock", "a.c:7", 3, 2, 1},
                    {1, 0, "compute", "solve", "MPI_Recv", "a.c:9", 1, 0.75, 0},
                    {3, 0, "call", "", "pthread_mutex_lock", "a.c:7", 1, 0.25, 0}};
  EXPECT_EQ(delays_section(summary, Paint{false}),
            "ROOT CAUSES OF WAITS (all 2; share: of 4.00 s waited)\n"
            "  late in            at          region direct passed on  share         mostly\n"
            "  pthread_mutex_lock a.c:7              2.25 s    1.00 s 81.2 %  rank 2 (92 %)\n"
            "  compute            after a.c:9 solve  750 ms       0 s 18.8 % rank 1 (100 %)\n");
}

TEST(WaitsText, IsAbsentWithoutWaits) {
  Summary summary;
  EXPECT_EQ(waits_section(summary, Paint{false}), "");
  EXPECT_EQ(wait_pairs_section(summary, Paint{false}), "");
  EXPECT_EQ(delays_section(summary, Paint{false}), "");
}

}  // namespace
}  // namespace meridian
