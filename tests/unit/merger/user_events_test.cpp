// SPDX-License-Identifier: Apache-2.0
// Regions, counters and definitions of the program's own events.

#include "merger/statistics/user_statistics.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "merger/load/unify_definitions.hpp"
#include "merger/load/unify_user_definitions.hpp"
#include "merger/match/calls/value_totals.hpp"
#include "trace/model/call_id.hpp"
#include "trace/model/user_fields.hpp"

namespace meridian {
namespace {

constexpr std::uint16_t kFirst = kCallCount;

UserDefinitions regions_called(const std::vector<std::string>& names) {
  UserDefinitions definitions;
  definitions.first_call = kFirst;
  for (const std::string& name : names)
    definitions.list.push_back(
        {UserKind::region, "region", name, "", static_cast<std::uint16_t>(kFirst + definitions.list.size()), kNoComm});
  return definitions;
}

EventRow at(std::int64_t ns, std::size_t definition, int flags, std::uint32_t thread = 0) {
  EventRow row;
  row.enter_ns = ns;
  row.thread = thread;
  row.call = static_cast<std::uint16_t>(kFirst + definition);
  row.flags = static_cast<std::uint8_t>(flags);
  return row;
}

EventRow mpi(std::int64_t ns, std::int64_t duration_ns) {
  EventRow row;
  row.enter_ns = ns;
  row.duration_ns = duration_ns;
  row.call = static_cast<std::uint16_t>(CallId::Barrier);
  return row;
}

const RegionSummary& named(const std::vector<RegionSummary>& regions, const std::string& name) {
  for (const RegionSummary& region : regions)
    if (region.name == name) return region;
  static const RegionSummary none;
  ADD_FAILURE() << "no region " << name;
  return none;
}

TEST(Regions, HaveInclusiveExclusiveAndMpiTime) {
  const auto definitions = regions_called({"outer", "inner"});
  UserStatistics statistics{definitions};
  for (const EventRow& row : {at(100, 0, kFlagBegins), mpi(110, 20), at(200, 1, kFlagBegins), mpi(210, 50),
                              at(300, 1, kFlagEnds), mpi(310, 5), at(500, 0, kFlagEnds), mpi(600, 1000)})
    statistics.add(row);
  Findings findings;
  statistics.finish(findings);
  const auto regions = statistics.regions();
  const RegionSummary& outer = named(regions, "outer");
  EXPECT_EQ(outer.count, 1U);
  EXPECT_DOUBLE_EQ(outer.total_s, 400e-9);
  EXPECT_DOUBLE_EQ(outer.exclusive_s, 300e-9);
  EXPECT_DOUBLE_EQ(outer.mpi_s, 75e-9);
  EXPECT_DOUBLE_EQ(named(regions, "inner").mpi_s, 50e-9);
  EXPECT_TRUE(findings.list().empty());
}

TEST(Regions, ThatAreRecursiveCountTheirTimeOnce) {
  const auto definitions = regions_called({"recurse"});
  UserStatistics statistics{definitions};
  for (const EventRow& row :
       {at(0, 0, kFlagBegins), at(10, 0, kFlagBegins), at(30, 0, kFlagEnds), at(100, 0, kFlagEnds)})
    statistics.add(row);
  const auto regions = statistics.regions();
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_EQ(regions[0].count, 2U);
  EXPECT_DOUBLE_EQ(regions[0].total_s, 100e-9);
  EXPECT_DOUBLE_EQ(regions[0].exclusive_s, 100e-9);
  EXPECT_DOUBLE_EQ(regions[0].min_s, 20e-9);
  EXPECT_DOUBLE_EQ(regions[0].max_s, 100e-9);
}

TEST(Regions, LeftWithoutTheirEndEndWithTheRegionAroundThem) {
  const auto definitions = regions_called({"around", "left"});
  UserStatistics statistics{definitions};
  for (const EventRow& row : {at(0, 0, kFlagBegins), at(10, 1, kFlagBegins), at(50, 0, kFlagEnds)}) statistics.add(row);
  Findings findings;
  statistics.finish(findings);
  EXPECT_DOUBLE_EQ(named(statistics.regions(), "left").total_s, 40e-9);
  EXPECT_EQ(findings.count(FindingId::user_region_open), 1U);
}

TEST(Regions, StillOpenAtTheEndEndWithTheirThread) {
  const auto definitions = regions_called({"open"});
  UserStatistics statistics{definitions};
  statistics.add(at(10, 0, kFlagBegins));
  statistics.add(mpi(20, 70));
  Findings findings;
  statistics.finish(findings);
  EXPECT_DOUBLE_EQ(named(statistics.regions(), "open").total_s, 80e-9);
  EXPECT_EQ(findings.count(FindingId::user_region_open), 1U);
}

TEST(Regions, ThatEndInAnotherThreadAreIgnoredAndCounted) {
  const auto definitions = regions_called({"wanders"});
  UserStatistics statistics{definitions};
  statistics.add(at(10, 0, kFlagBegins, 1));
  statistics.add(at(20, 0, kFlagEnds, 2));
  Findings findings;
  statistics.finish(findings);
  EXPECT_EQ(findings.count(FindingId::user_region_end_alone), 1U);
  EXPECT_EQ(findings.count(FindingId::user_region_open), 1U);
  ASSERT_EQ(findings.list().size(), 2U);
  EXPECT_EQ(findings.list()[1].detail, "'wanders' of rank 0 thread 2");
}

TEST(Counters, KeepTheLatestValueWhateverTheOrder) {
  ValueTotals totals;
  totals.add(3, 100);
  totals.add(-1, 300);
  totals.add(7, 200);
  EXPECT_EQ(totals.count, 3U);
  EXPECT_EQ(totals.min, -1);
  EXPECT_EQ(totals.max, 7);
  EXPECT_EQ(totals.sum, 9);
  EXPECT_EQ(totals.last, -1);
}

TEST(UserDefinitions, AreUnifiedIfTheyAreEqual) {
  RankMeta zero, one;
  zero.rank = 0;
  one.rank = 1;
  zero.user_definitions = {{1, UserKind::region, "region", "solve", ""}, {2, UserKind::send, "message", "queue", "f"}};
  one.user_definitions = {{1, UserKind::receive, "message", "queue", "f"},
                          {4, UserKind::region, "region", "solve", ""}};
  std::vector<NamedCall> calls(10);
  Communicators communicators;
  communicators.groups = {{0, 1}};
  communicators.list.resize(3);
  communicators.list[0].group = 0;
  communicators.world_comms = {0};
  const RankMeta* const metas[] = {&zero, &one};
  const UserDefinitions definitions = unify_user_definitions(metas, calls, communicators);
  ASSERT_EQ(definitions.list.size(), 3U);
  EXPECT_EQ(calls.size(), 13U);
  ASSERT_NE(definitions.find(0, 1), nullptr);
  EXPECT_EQ(definitions.find(0, 1), definitions.find(1, 4));
  EXPECT_EQ(definitions.find(1, 2), nullptr);
  EXPECT_EQ(definitions.find(0, 99), nullptr);
  EXPECT_EQ(definitions.find(0, 2)->layer, definitions.find(1, 1)->layer);  // both ends of one layer
  ASSERT_EQ(communicators.list.size(), 4U);
  EXPECT_EQ(communicators.list[3].name, "queue");
  EXPECT_EQ(definitions.layers[1][0].comm, 3U);
  EXPECT_EQ(definitions.layers[1][0].rank, 1);
}

TEST(UserFields, GiveNamesAndTypesInTheirOrder) {
  const std::vector<UserField> fields = user_fields("thief:i64 why:text a.b:f64 odd:c:u64 none");
  ASSERT_EQ(fields.size(), 5U);
  EXPECT_EQ(fields[0].name + "," + fields[0].type, "thief,i64");
  EXPECT_EQ(fields[2].name + "," + fields[2].type, "a.b,f64");
  EXPECT_EQ(fields[3].name + "," + fields[3].type, "odd:c,u64");
  EXPECT_EQ(fields[4].name + "," + fields[4].type, "none,");
  EXPECT_TRUE(user_fields("").empty());
}

/// "name=value" of all that the words have.
std::string decoded(std::string_view fields, const std::vector<std::uint64_t>& words) {
  std::string text;
  for_each_user_field(user_fields(fields), words, [&](const UserField& field, std::span<const std::uint64_t> own) {
    const UserValue value = user_value(field, own);
    text += field.name + "=";
    if (const auto* const real = std::get_if<double>(&value)) text += std::to_string(*real);
    if (const auto* const number = std::get_if<std::int64_t>(&value)) text += std::to_string(*number);
    if (const auto* const number = std::get_if<std::uint64_t>(&value)) text += std::to_string(*number);
    if (const auto* const held = std::get_if<std::string>(&value)) text += *held;
    text += ";";
  });
  return text;
}

TEST(UserFields, DecodeTheWordsOfAnEvent) {
  std::uint64_t eight = 0, two = 0;
  std::memcpy(&eight, "abcdefgh", 8);
  std::memcpy(&two, "ij", 2);
  EXPECT_EQ(decoded("a:i64 b:u64 c:f64 d:text e:i64",
                    {UINT64_MAX, UINT64_MAX, std::bit_cast<std::uint64_t>(0.5), 10, eight, two, 7}),
            "a=-1;b=18446744073709551615;c=0.500000;d=abcdefghij;e=7;");
  EXPECT_EQ(decoded("a:text b:i64", {0, 5}), "a=;b=5;");
}

TEST(UserFields, OfDamagedWordsAreLeftOut) {
  EXPECT_EQ(decoded("a:i64 b:i64", {1}), "a=1;");
  EXPECT_EQ(decoded("a:text b:i64", {UINT64_MAX, 1, 2}), "");  // a text of which most is missing
  EXPECT_EQ(decoded("a: b:i64", {1, 2}), "");
  EXPECT_EQ(decoded("a:i64", {1, 2, 3}), "a=1;");
  EXPECT_EQ(decoded("", {1}), "");
}

}  // namespace
}  // namespace meridian
