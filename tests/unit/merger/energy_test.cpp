// SPDX-License-Identifier: Apache-2.0
// The energy of hosts over time from rank files to the merged file, its reader, the summary and findings. One tick is one ns.

#include <gmock/gmock.h>
#include <hdf5.h>

#include <algorithm>
#include <filesystem>

#include "analysis/analyses.hpp"
#include "analysis/energy/energy_curve.hpp"
#include "edit/write_edit.hpp"
#include "merged/energy_reader.hpp"
#include "query/query_table.hpp"
#include "synthetic_trace.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/model/energy_keys.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kTurnNs = 10'000'000;
constexpr std::int64_t kEpochNs = -1'000'000'000;  // of the clocks of these ranks
constexpr std::uint64_t kMillijoule = 1000;        // in microjoules

constexpr std::int64_t turns(std::int64_t step) { return step * static_cast<std::int64_t>(kTurnNs); }

/// Three ranks, the first two on one host: 100 barriers, one in each step. Until step 40 all are in region `a`; then ranks 0 and 2 are in `b`.
class RunWithEnergy : public testing::Test {
 protected:
  RunWithEnergy() {
    for (std::size_t i = 0; i < 3; ++i) {
      SyntheticRank& rank = run[i];
      rank->call(CallId::Init, {0, kTurnNs});
      rank.meta.hostname = i < 2 ? "north" : "south";
      rank.meta.user_definitions = {{1, UserKind::region, "region", "a", ""}, {2, UserKind::region, "region", "b", ""}};
      for (std::uint64_t step = 1; step <= 100; ++step) {
        if (step == 10) mark(rank, 1, step * kTurnNs, kFlagBegins);
        if (step == 20) mark(rank, 2, step * kTurnNs, kFlagBegins);  // within a
        if (step == 30) mark(rank, 2, step * kTurnNs, kFlagEnds);
        if (step == 40) mark(rank, 1, step * kTurnNs, kFlagEnds);
        if (step == 50 && i != 1) mark(rank, 2, step * kTurnNs, kFlagBegins);
        if (step == 90 && i != 1) mark(rank, 2, step * kTurnNs, kFlagEnds);
        rank->collective(CallId::Barrier, {step * kTurnNs + 10, step * kTurnNs + 100});
      }
      rank->call(CallId::Finalize, {101 * kTurnNs, 102 * kTurnNs});
    }
  }
  static void mark(SyntheticRank& rank, std::uint32_t region, std::uint64_t ticks, std::uint8_t flags) {
    rank->call(CallId::UserEvent, {ticks, ticks}, Payload::user, flags);
    rank->batch.user.push_back({region, 0});
  }
  static void name(SyntheticRank& rank, const std::vector<std::string>& zones) {
    for (std::size_t i = 0; i < zones.size(); ++i) rank.meta.texts.push_back({kEnergyZoneKey, zones[i], i, 0});
  }
  /// Zone i uses millijoules[i] in a step; readings in each step from `first` to `last`.
  static void read(SyntheticRank& rank, const std::vector<std::uint64_t>& millijoules, std::uint64_t first = 0,
                   std::uint64_t last = 102) {
    for (std::uint64_t step = first; step <= last; ++step)
      for (std::uint32_t zone = 0; zone < millijoules.size(); ++zone)
        rank.energy.push_back({step * kTurnNs, (step - first) * millijoules[zone] * kMillijoule, zone});
  }
  Summary merged_summary() {
    auto outcome = run.merge();
    EXPECT_TRUE(outcome) << outcome.error().what;
    const auto trace = MergedTrace::open(run.merged());
    EXPECT_TRUE(trace) << trace.error().what;
    EXPECT_TRUE(run_analyses(*trace, outcome->summary));
    return outcome->summary;
  }
  static std::vector<std::string> findings(const Summary& summary) {
    std::vector<std::string> found;
    for (const Finding& finding : summary.findings)
      if (finding.name.starts_with("energy."))
        found.push_back(finding.name + " " + std::to_string(finding.count) + " " + finding.detail);
    return found;
  }

  SyntheticRun run{3};
};

TEST_F(RunWithEnergy, IsOfEachZoneAndOnlyPackagesAreAdded) {
  name(run[0], {"package package-0", "part package-0/dram", "platform psys", "socket amd_energy/Esocket0"});
  read(run[0], {100, 30, 500, 90});
  name(run[2], {"socket amd_energy/Esocket0", "sensor gpu/energy1"});
  read(run[2], {200, 700});
  const Summary summary = merged_summary();
  std::vector<std::string> rows;
  for (const EnergySummary& row : summary.energy) {
    rows.push_back(row.host + " " + row.zone + " " + row.kind + (row.is_added ? " added " : " ") +
                   std::to_string(std::lround(row.joules * 1e3)) + " " + std::to_string(std::lround(row.watts * 1e3)) +
                   " " + std::to_string(std::lround(row.inner_joules * 1e3)));
    EXPECT_NEAR(row.begin_s, 0, 1e-9);
    EXPECT_NEAR(row.time_s, 1.02, 1e-9);
    EXPECT_NEAR(row.inner_s, 1.00, 1e-9);
  }
  EXPECT_THAT(rows,
              ElementsAre("north package-0 package added 10200 10000 10000", "north package-0/dram part 3060 3000 3000",
                          "north psys platform 51000 50000 50000", "north amd_energy/Esocket0 socket 9180 9000 9000",
                          "south amd_energy/Esocket0 socket added 20400 20000 20000",
                          "south gpu/energy1 sensor 71400 70000 70000"));
  EXPECT_THAT(findings(summary), IsEmpty());
}

TEST_F(RunWithEnergy, IsDividedAmongTheRanksOfAHostByRegion) {
  name(run[0], {"package package-0", "package package-1"});
  read(run[0], {60, 40});
  name(run[2], {"package package-0"});
  read(run[2], {200});
  const Summary summary = merged_summary();
  std::vector<std::string> rows;
  for (const RegionEnergySummary& row : summary.energy_regions)
    rows.push_back(row.host + " " + row.region + " " + std::to_string(row.count) + " " +
                   std::to_string(std::lround(row.time_s * 1e3)) + " " + std::to_string(std::lround(row.joules * 1e3)) +
                   " " + std::to_string(std::lround(row.watts * 1e3)));
  EXPECT_THAT(rows, ElementsAre("north a 2 600 3000 10000", "north b 1 400 2000 10000", "south a 1 300 6000 20000",
                                "south b 1 400 8000 20000"));
  double all = 0;
  for (const PhaseEnergySummary& row : summary.energy_phases) {
    const PhaseSummary& phase = summary.phases[row.phase];
    EXPECT_NE(phase.unit, "instance");
    EXPECT_NEAR(row.watts, row.host == "north" ? 10 : 20, 1e-6);
    EXPECT_NEAR(row.joules, row.watts * (phase.end_s - phase.begin_s), 1e-6);
    EXPECT_NEAR(row.iteration_joules * static_cast<double>(phase.iterations), row.joules, 1e-9);
    all += row.joules;
  }
  EXPECT_GT(all, 0);
}

TEST_F(RunWithEnergy, OfAHostIsTheLongestSeriesOfItsRanks) {
  for (const std::size_t rank : {0U, 1U}) name(run[rank], {"package package-0"});
  read(run[0], {100}, 0, 5);
  read(run[1], {100}, 5, 102);
  ASSERT_TRUE(run.merge());
  const auto trace = MergedTrace::open(run.merged());
  ASSERT_TRUE(trace) << trace.error().what;
  const auto reader = trace->energy();
  ASSERT_TRUE(reader) << reader.error().what;
  ASSERT_EQ(reader->hosts().size(), 1U);
  EXPECT_EQ(reader->hosts()[0].rank, 1);
  EXPECT_EQ(reader->size(), 98U);
  std::vector<MergedEnergy> rows(2);
  ASSERT_TRUE(reader->read(1, rows));
  EXPECT_THAT(rows, ElementsAre(MergedEnergy{kEpochNs + turns(6), 100 * kMillijoule, 0},
                                MergedEnergy{kEpochNs + turns(7), 200 * kMillijoule, 0}));
}

TEST_F(RunWithEnergy, WithoutReadingsHasNoTablesAndNoRows) {
  const Summary summary = merged_summary();
  EXPECT_TRUE(summary.energy.empty() && summary.energy_regions.empty() && summary.energy_phases.empty());
  EXPECT_THAT(findings(summary), IsEmpty());
  const h5::File file{H5Fopen(run.merged().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)};
  for (const char* const group : {kEnergy, kEnergyZones, kEnergyHosts}) EXPECT_FALSE(h5::exists(file.get(), group));
}

TEST_F(RunWithEnergy, ThatIsMissingIsAFinding) {
  run[0].meta.texts.push_back({kEnergyRefusedKey, "/sys/energy_uj: Permission denied", 0, 0});
  name(run[2], {"package package-0", "part package-0/core"});
  run[2].meta.texts.push_back({kEnergyIncompleteKey, "3 readings: No such device", 1, 0});
  read(run[2], {100});
  EXPECT_THAT(findings(merged_summary()),
              ElementsAre("energy.refused 1 north: /sys/energy_uj: Permission denied",
                          "energy.incomplete 1 south, package-0/core: 3 readings: No such device"));
}

TEST_F(RunWithEnergy, ThatIsDamagedIsAFindingAndTheOthersAreThere) {
  name(run[0], {"package package-0"});
  run[0].energy = {{5, std::uint64_t{1} << 60, 0}};
  name(run[2], {"package package-0", "nothing", "what is this"});
  read(run[2], {100, 5, 5});
  const Summary summary = merged_summary();
  const auto finding = std::ranges::find(summary.findings, "rank.damaged_tables", &Finding::name);
  ASSERT_NE(finding, summary.findings.end());
  EXPECT_THAT(finding->detail, HasSubstr("a reading of 'energy' has more than a host can have"));
  ASSERT_EQ(summary.energy.size(), 1U);
  EXPECT_EQ(summary.energy[0].host, "south");
}

TEST_F(RunWithEnergy, HostsOrZonesOfTheMergedFileThatContradictTheReadingsAreDamage) {
  for (const char* const column : {"energy_hosts/count", "energy/zone", "energy_zones/kind"}) {
    name(run[0], {"package package-0"});
    run[0].energy.clear();
    read(run[0], {100});
    ASSERT_TRUE(run.merge());
    {
      const h5::File file{H5Fopen(run.merged().c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
      const h5::Dataset data{H5Dopen2(file.get(), column, H5P_DEFAULT)};
      const h5::Space space{H5Dget_space(data.get())};
      const hsize_t one = 1, index = 0;
      const h5::Space memory{H5Screate_simple(1, &one, nullptr)};
      const std::uint64_t value = 77;
      ASSERT_GE(H5Sselect_elements(space.get(), H5S_SELECT_SET, 1, &index), 0);
      ASSERT_GE(H5Dwrite(data.get(), H5T_NATIVE_UINT64, memory.get(), space.get(), H5P_DEFAULT, &value), 0);
    }
    const auto trace = MergedTrace::open(run.merged());
    ASSERT_TRUE(trace) << trace.error().what;
    const auto reader = trace->energy();
    std::vector<MergedEnergy> rows(1);
    const Status status = !reader ? Status{reader.error()} : reader->read(0, rows);
    ASSERT_FALSE(status) << column;
    EXPECT_EQ(status.error().code, Errc::damaged) << column;
  }
}

TEST_F(RunWithEnergy, IsATableWithoutRowsBeforeTheWindow) {
  name(run[2], {"package package-0", "part package-0/core"});
  read(run[2], {100, 10});
  ASSERT_TRUE(run.merge());
  const auto trace = MergedTrace::open(run.merged());
  ASSERT_TRUE(trace) << trace.error().what;
  const QueryTrace source{*trace};
  const auto table = std::ranges::find(query_tables(), "energy", &QueryTable::name);
  ASSERT_NE(table, query_tables().end());
  EXPECT_NE(std::ranges::find(query_tables(), "summary_energy", &QueryTable::name), query_tables().end());
  const auto rows = table->open(source, {.from_ns = kEpochNs + turns(100)});
  ASSERT_TRUE(rows) << rows.error().what;
  std::vector<std::string> names;
  for (const QueryColumn& column : table->columns) names.emplace_back(column.column.name);
  EXPECT_THAT(names, ElementsAre("host", "zone", "kind", "is_added", "time_s", "joules"));
  std::size_t count = 0;
  while (*(*rows)->next()) ++count;
  EXPECT_EQ(count, 6U);
}

TEST_F(RunWithEnergy, StaysInAnEditInTheTimeOfTheRemainingEvents) {
  name(run[0], {"package package-0"});
  read(run[0], {100});
  ASSERT_TRUE(run.merge());
  const auto trace = MergedTrace::open(run.merged());
  ASSERT_TRUE(trace) << trace.error().what;
  auto choice = EventChoice::make(*trace, {.ranks = {{1, 1}}, .to_ns = kEpochNs + turns(10) + 50},
                                  run.merged().parent_path(), {});
  ASSERT_TRUE(choice) << choice.error().what;
  SelectEvents edit{*std::move(choice)};
  const auto stored = StoredTrace::open(run.merged());
  ASSERT_TRUE(stored) << stored.error().what;
  const auto output = run.directory / "cut.h5";
  const auto counts = write_edit(*stored, output, edit, {.description = "filter"});
  ASSERT_TRUE(counts) << counts.error().what;
  const auto cut = MergedTrace::open(output);
  ASSERT_TRUE(cut) << cut.error().what;
  const auto reader = cut->energy();
  ASSERT_TRUE(reader) << reader.error().what;
  ASSERT_EQ(reader->hosts().size(), 1U);
  EXPECT_EQ(reader->hosts()[0].host, "north");
  EXPECT_EQ(reader->zones()[0].name, "package-0");
  std::vector<MergedEnergy> rows(reader->size());
  ASSERT_TRUE(reader->read(0, rows));
  EXPECT_EQ(rows.front().time_ns, kEpochNs);
  EXPECT_EQ(rows.back().time_ns, kEpochNs + turns(40));  // where the region ends that had begun
}

TEST(EnergyCurve, KeepsItsEndsAndItsShapeOfManyReadings) {
  EnergyCurve curve;
  EXPECT_EQ(curve.at(5), 0);
  constexpr std::int64_t kReadings = 1'000'000;
  constexpr std::int64_t kHalf = kReadings / 2;
  for (std::int64_t i = 0; i <= kReadings; ++i) curve.add(10 * i, static_cast<double>(std::max(i, kHalf) - kHalf));
  EXPECT_EQ(curve.between(0, 10 * kReadings), 0.5e6);
  EXPECT_EQ(curve.between(-100, 20 * kReadings), 0.5e6);
  EXPECT_NEAR(curve.between(0, 5 * kReadings), 0, 1e3);
  EXPECT_NEAR(curve.between(6 * kReadings, 7 * kReadings), 0.1e6, 1e3);
}

}  // namespace
}  // namespace meridian::test
