// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <fstream>

#include "merged_reader.hpp"
#include "merger/sites/run_apart.hpp"
#include "merger/sites/source_names.hpp"
#include "modules.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using testing::ElementsAre;

/// The last call of the thread was made from here.
void at(SyntheticThread& thread, std::uint64_t address) {
  thread.batch.flags.back() |= kFlagSite;
  thread.batch.sites.push_back(address);
}

TEST(CallSites, AreTheSameInRanksThatLoadedTheirFileElsewhere) {
  SyntheticRun run{2};
  load_module(run[0], "10000", "20000", kBuildId, "/nowhere/app");
  load_module(run[1], "70000", "80000", kBuildId, "/nowhere/of/another/host/app");
  run[0]->collective(CallId::Barrier, {100, 110});
  at(run[0].thread(), 0x10400);
  run[1]->collective(CallId::Barrier, {100, 130});
  at(run[1].thread(), 0x70400);
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  ASSERT_EQ(outcome->summary.sites.size(), 1u);
  const SiteSummary& site = outcome->summary.sites[0];
  EXPECT_EQ(site.function, "MPI_Barrier");
  EXPECT_EQ(site.module, "/nowhere/app");
  EXPECT_EQ(site.offset, 0x400u);
  EXPECT_EQ(site.count, 2u);
  EXPECT_EQ(site.ranks, 2u);
  EXPECT_EQ(count_of(outcome->summary, "site.file_missing"), 1u);
  EXPECT_THAT(MergedReader{run.merged()}.strings("modules/path"), ElementsAre("", "/nowhere/app"));
}

TEST(CallSites, HaveTheStatisticsOfTheirCalls) {
  SyntheticRun run{1};
  load_module(run[0], "10000", "20000", kBuildId, "/nowhere/app");
  const std::vector<std::uint64_t> durations{10, 20, 60, 30};
  std::uint64_t now = 100;
  for (std::size_t i = 0; i < durations.size(); ++i) {  // the first three from one place, the last from another
    run[0]->collective(CallId::Allreduce, {now, now + durations[i]}, 8, 8);
    at(run[0].thread(), i < 3 ? 0x10400 : 0x10500);
    now += 100;
  }
  run[0]->call(CallId::Wtime, {now, now + 40});
  at(run[0].thread(), 0x10500);  // two functions through one pointer
  run[0]->call(CallId::Wtime, {now + 50, now + 90});
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  const auto& sites = outcome->summary.sites;
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].offset, 0x400u);
  EXPECT_EQ(sites[0].count, 3u);
  EXPECT_DOUBLE_EQ(sites[0].total_s, 90e-9);
  EXPECT_DOUBLE_EQ(sites[0].mean_s, 30e-9);
  EXPECT_DOUBLE_EQ(sites[0].min_s, 10e-9);
  EXPECT_DOUBLE_EQ(sites[0].max_s, 60e-9);
  EXPECT_NEAR(sites[0].sd_s, std::sqrt((400.0 + 100 + 900) / 3) * 1e-9, 1e-15);
  EXPECT_DOUBLE_EQ(sites[0].share, 90.0 / 200);
  EXPECT_EQ(sites[0].bytes_sent, 24u);
  EXPECT_EQ(sites[1].function, "MPI_Wtime");
  EXPECT_EQ(sites[1].offset, 0x500u);
  EXPECT_EQ(sites[1].count, 1u);
  EXPECT_EQ(sites[2].function, "MPI_Allreduce");
  EXPECT_EQ(sites[2].offset, 0x500u);
  // By function nothing changes: the call without a site counts, too.
  const auto& functions = outcome->summary.functions;
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].name, "MPI_Allreduce");
  EXPECT_EQ(functions[0].count, 4u);
  EXPECT_DOUBLE_EQ(functions[0].min_s, 10e-9);
  EXPECT_EQ(functions[1].count, 2u);
  const MergedReader merged{run.merged()};
  EXPECT_THAT(merged.event_column<std::uint32_t>("site"), ElementsAre(1u, 1u, 1u, 2u, 2u, 0u));
  EXPECT_THAT(merged.column<std::uint64_t>("sites/offset"), ElementsAre(0u, 0x400u, 0x500u));
}

TEST(CallSites, InNoFileOrInTwoAreUnknown) {
  SyntheticRun run{1};
  load_module(run[0], "10000", "20000", kBuildId, "/nowhere/early.so");
  load_module(run[0], "18000", "30000", "44", "/nowhere/late.so");  // when the first had been unloaded
  for (const std::uint64_t address : {0x19000u, 0x99000u, 0x20000u, 0x20001u}) {
    run[0]->call(CallId::Wtime, {address, address + 1});
    at(run[0].thread(), address);
  }
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(count_of(outcome->summary, "site.unknown"), 3u);
  EXPECT_EQ(std::ranges::count(outcome->summary.sites, "/nowhere/late.so", &SiteSummary::module), 1);
}

TEST(CallSites, OfInvalidFilesAreOffsets) {
  SyntheticRun run{1};
  const TempDir files;
  ::mkfifo((files / "fifo").c_str(), 0600);
  std::ofstream{files / "text"} << "no ELF file";
  std::ofstream{files / "short"} << "\177ELF\2\1\1";
  std::uint64_t begin = 0x10000;
  for (const char* name : {"fifo", "text", "short", "none"}) {
    char address[32];
    std::snprintf(address, sizeof address, "%llx", static_cast<unsigned long long>(begin));
    char end[32];
    std::snprintf(end, sizeof end, "%llx", static_cast<unsigned long long>(begin) + 0x1000);
    load_module(run[0], address, end, address, (files / name).string());  // each has another build id
    run[0]->call(CallId::Wtime, {begin, begin + 1});
    at(run[0].thread(), begin + 0x10);
    begin += 0x1000;
  }
  run[0].meta.texts.push_back({"module", "zz", 0, 0});
  run[0].meta.texts.push_back({"module", "10 20", 0, 0});
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(count_of(outcome->summary, "site.file_missing"), 2u);
  EXPECT_EQ(count_of(outcome->summary, "site.unreadable"), 2u);
  for (const SiteSummary& site : outcome->summary.sites) {
    EXPECT_EQ(site.offset, 0x10u);
    EXPECT_EQ(site.line, 0u);
  }
}

void load_line(SyntheticRank& rank, std::uint64_t address, const std::string& text) {
  rank.meta.texts.push_back({kScriptKey, text, address, 0});
}

TEST(CallSites, AreLinesOfScriptsInAllRanksAndThreads) {
  SyntheticRun run{2};
  load_line(run[0], 0x1000, "41\x1fSolver.assemble\x1f/home/user/solver.py");
  load_line(run[0], 0x1001, "41\x1fSolver.assemble.<locals>.<lambda>\x1f/home/user/solver.py");
  load_line(run[0], 0x1002, "41\x1fSolver.assemble\x1f/home/user/solver.py");  // as another thread counts
  load_line(run[1], 0x1000, "41\x1fSolver.assemble\x1f/home/user/other.py");
  load_line(run[1], 0x1001, "41\x1fSolver.assemble\x1f/home/user/solver.py");
  std::uint64_t now = 100;
  for (const std::uint64_t address : {0x1000u, 0x1001u, 0x1002u}) {
    run[0]->call(CallId::Wtime, {now, now + 10});
    at(run[0].thread(), address);
    now += 20;
  }
  for (const std::uint64_t address : {0x1000u, 0x1001u}) {
    run[1]->call(CallId::Wtime, {now, now + 10});
    at(run[1].thread(), address);
    now += 20;
  }
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  std::vector<std::string> found;
  for (const SiteSummary& site : outcome->summary.sites) {
    EXPECT_EQ(site.line, 41u);
    EXPECT_EQ(site.module, site.file);
    found.push_back(site.caller + " " + site.file + " " + std::to_string(site.count));
  }
  EXPECT_THAT(found, testing::UnorderedElementsAre("Solver.assemble /home/user/solver.py 3",
                                                   "Solver.assemble.<locals>.<lambda> /home/user/solver.py 1",
                                                   "Solver.assemble /home/user/other.py 1"));
  for (const char* finding : {"site.unknown", "site.file_missing", "site.unreadable"})
    EXPECT_EQ(count_of(outcome->summary, finding), 0u) << finding;
}

TEST(CallSites, WithDamagedLinesOfScriptsAreUnknown) {
  SyntheticRun run{1};
  for (const char* text : {"", "41", "41\x1fmain", "x\x1fmain\x1fsolver.py", "\x1f\x1f"})
    load_line(run[0], 0x1000, text);
  load_line(run[0], 0x99000, "41\x1fmain\x1fsolver.py");  // not an address of a line
  for (const std::uint64_t address : {0x1000u, 0x1001u, 0x99000u}) {
    run[0]->call(CallId::Wtime, {address, address + 10});
    at(run[0].thread(), address);
  }
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(count_of(outcome->summary, "site.unknown"), 3u);
}

TEST(CallSites, OfAnInterpreterThatCannotBeReadAreReported) {
  SyntheticRun run{1};
  run[0].meta.texts.push_back({kScriptUnreadKey, "CPython 3.14.0", 0, 0});
  run[0]->call(CallId::Wtime, {100, 110});
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(count_of(outcome->summary, "site.python_unread"), 1u);
}

TEST(CallSites, AreMissingIfNoneWereRecorded) {
  SyntheticRun run{1};
  load_module(run[0], "10000", "20000", kBuildId, "/nowhere/app");
  run[0]->call(CallId::Wtime, {1, 2});
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_TRUE(outcome->summary.sites.empty());
  const auto file = h5::open_read_only(run.merged());
  EXPECT_FALSE(h5::exists(file->get(), "sites"));
  EXPECT_FALSE(h5::exists(file->get(), "events/site"));
}

TEST(SourceNames, AreThoseInTheSource) {
  EXPECT_EQ(source_name("main"), "main");
  EXPECT_EQ(source_name("_ZN4mesh8exchangeEi"), "mesh::exchange(int)");
  EXPECT_EQ(source_name("_Znonsense"), "_Znonsense");
  EXPECT_EQ(source_name("__halo_MOD_exchange"), "halo::exchange");
  EXPECT_EQ(source_name("solve_"), "solve");
  EXPECT_EQ(source_name("MAIN__"), "MAIN__");
  EXPECT_EQ(source_name("_"), "_");
  EXPECT_EQ(source_path("/home/user/build", "../src/./a.c"), "/home/user/src/a.c");
  EXPECT_EQ(source_path("/home/user/build", "/src/a.c"), "/src/a.c");
}

TEST(RunApart, ReturnsTheOutput) {
  const Apart apart = run_apart([](int output) { (void)!::write(output, "hello", 5); }, std::chrono::seconds{10}, 1000);
  EXPECT_TRUE(apart.is_complete);
  EXPECT_EQ(apart.output, "hello");
}

TEST(RunApart, SurvivesACrash) {
  const Apart apart = run_apart(
      [](int output) {
        (void)!::write(output, "half", 4);
        (void)std::raise(SIGKILL);
      },
      std::chrono::seconds{10}, 1000);
  EXPECT_FALSE(apart.is_complete);
  EXPECT_EQ(apart.output, "half");
}

TEST(RunApart, EndsWorkThatDoesNotEnd) {
  const Apart apart = run_apart(
      [](int) {
        std::atomic<int> count{0};
        for (;;) ++count;
      },
      std::chrono::seconds{1}, 1000);
  EXPECT_FALSE(apart.is_complete);
}

TEST(RunApart, EndsWorkWithTooMuchOutput) {
  const Apart apart = run_apart(
      [](int output) {
        while (::write(output, "more", 4) > 0) {
        }
      },
      std::chrono::seconds{10}, 100'000);
  EXPECT_FALSE(apart.is_complete);
}

}  // namespace
}  // namespace meridian::test
