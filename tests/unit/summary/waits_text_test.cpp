// SPDX-License-Identifier: Apache-2.0
// Section WAIT STATES of the text.

#include <gtest/gtest.h>

#include "cli/summary/text.hpp"

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
            "WAIT STATES (all 3; share: of 5.00 s between MPI_Init and MPI_Finalize)\n"
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

TEST(WaitsText, IsAbsentWithoutWaits) {
  Summary summary;
  EXPECT_EQ(waits_section(summary, Paint{false}), "");
}

}  // namespace
}  // namespace meridian
