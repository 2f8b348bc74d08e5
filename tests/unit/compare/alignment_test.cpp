// SPDX-License-Identifier: Apache-2.0
#include "summary/compare/alignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/compare/made_runs.hpp"

namespace meridian {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// "30>33": the places of a site in two runs; "-" where it is not.
std::vector<std::string> aligned_sites(const Summary& before, const Summary& after) {
  const RunProfile first = profile_of(before, "first");
  const RunProfile second = profile_of(after, "second");
  const std::vector<const RunProfile*> runs{&first, &second};
  std::vector<std::string> result;
  for (const AlignedItem& item : align_items(runs)) {
    if (item.latest->subject != Subject::site) continue;
    const auto place = [&](std::size_t run) {
      return item.of_runs[run] == nullptr ? std::string{"-"} : item.of_runs[run]->place.substr(8);
    };
    result.push_back(item.latest->name + " " + place(0) + ">" + place(1));
  }
  return result;
}

Summary sites(std::initializer_list<std::pair<const char*, std::uint32_t>> rows) {
  Summary summary = made::run_of(2, 10);
  for (const auto& [function, line] : rows) made::add_site(summary, function, line, 1);
  return summary;
}

TEST(Alignment, EqualSitesAreTheSameInAnyOrder) {
  EXPECT_THAT(aligned_sites(sites({{"MPI_Send", 10}, {"MPI_Recv", 20}}), sites({{"MPI_Recv", 20}, {"MPI_Send", 10}})),
              UnorderedElementsAre("MPI_Send 10>10", "MPI_Recv 20>20"));
}

TEST(Alignment, SitesWhoseLinesMovedAreMatchedInTheirOrder) {
  EXPECT_THAT(aligned_sites(sites({{"MPI_Send", 30}, {"MPI_Send", 10}}), sites({{"MPI_Send", 13}, {"MPI_Send", 133}})),
              UnorderedElementsAre("MPI_Send 30>133", "MPI_Send 10>13"));
}

TEST(Alignment, OneSiteMayStayWhileOthersMove) {
  EXPECT_THAT(aligned_sites(sites({{"MPI_Send", 10}, {"MPI_Send", 20}}), sites({{"MPI_Send", 10}, {"MPI_Send", 25}})),
              UnorderedElementsAre("MPI_Send 10>10", "MPI_Send 20>25"));
}

TEST(Alignment, DifferentNumbersOfSitesAreNotGuessed) {
  EXPECT_THAT(aligned_sites(sites({{"MPI_Send", 10}}), sites({{"MPI_Send", 12}, {"MPI_Send", 14}})),
              UnorderedElementsAre("MPI_Send 10>-", "MPI_Send ->12", "MPI_Send ->14"));
}

TEST(Alignment, OtherFunctionsAreOtherSites) {
  EXPECT_THAT(aligned_sites(sites({{"MPI_Send", 10}}), sites({{"MPI_Recv", 10}})),
              UnorderedElementsAre("MPI_Send 10>-", "MPI_Recv ->10"));
}

TEST(Alignment, AMovedSiteIsTheSameInFurtherRuns) {
  const RunProfile first = profile_of(sites({{"MPI_Send", 10}}), "first");
  const RunProfile second = profile_of(sites({{"MPI_Send", 12}}), "second");
  const RunProfile third = profile_of(sites({{"MPI_Send", 12}}), "third");
  const std::vector<const RunProfile*> runs{&first, &second, &third};
  const std::vector<AlignedItem> items = align_items(runs);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_THAT(items[0].of_runs, ElementsAre(first.items.data(), second.items.data(), third.items.data()));
}

TEST(Alignment, SitesWithoutLinesAreMatchedByTheirOffsets) {
  const auto at = [](std::uint64_t offset) {
    Summary summary = made::run_of(1, 1);
    SiteSummary row;
    row.function = "MPI_Send";
    row.module = "/bin/app";
    row.offset = offset;
    summary.sites.push_back(row);
    return profile_of(summary, "run");
  };
  const RunProfile first = at(0x1200);
  const RunProfile second = at(0x1300);
  const std::vector<const RunProfile*> runs{&first, &second};
  EXPECT_EQ(align_items(runs).size(), 1U);
}

}  // namespace
}  // namespace meridian
