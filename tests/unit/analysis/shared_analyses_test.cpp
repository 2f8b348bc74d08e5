// SPDX-License-Identifier: Apache-2.0
// Several processes share the analyses of a merge, and write the same file as one.

#include "analysis/shared_analyses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "analysed.hpp"
#include "processes/work.hpp"
#include "random_program.hpp"
#include "summary/summary_tables.hpp"
#include "synthetic_trace.hpp"
#include "tests/support/forked_processes.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/whole_file.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/model/energy_keys.hpp"

namespace meridian::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Ranks with regions, iterations, threads and locks, in which nearly all analyses find something.
void play(SyntheticRun& run) {
  constexpr std::uint64_t kMutex = 0x601040, kEnd = 2'000'000;
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    run[rank].meta.user_definitions = {{1, UserKind::region, "region", "solve", ""}};
    const auto region = [&](std::uint64_t at, std::uint8_t flag) {
      run[rank]->call(CallId::UserRegion, {at, at}, Payload::user, flag);
      run[rank]->batch.user.push_back({.definition = 1});
    };
    run[rank]->call(CallId::Init, {0, 10 + rank});
    region(20, kFlagBegins);
  }
  RandomProgram{run, 7}.play(3000);
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const auto region = [&](std::uint64_t at, std::uint8_t flag) {
      run[rank]->call(CallId::UserRegion, {at, at}, Payload::user, flag);
      run[rank]->batch.user.push_back({.definition = 1});
    };
    region(kEnd, kFlagEnds);
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::uint64_t begin = kEnd + 1000 + 20'000 * i;
      run[rank]->collective(CallId::Alltoall, {begin + 3000 * rank, begin + 12'000 + rank}, 8, 8);
    }
    SyntheticThread& other = run[rank].thread(1);
    other.lock(CallId::pthread_mutex_lock, {500, 501}, LockKind::mutex, kMutex, false);
    other.lock(CallId::pthread_mutex_unlock, {kEnd, kEnd + 1}, LockKind::mutex, kMutex, false);
    run[rank]->call(CallId::Finalize, {kEnd + 7'000'000, kEnd + 7'000'500});
  }
}

/// Answers as the command does, until process 0 has ended.
bool serve(Processes& processes) {
  for (;;) {
    const auto request = processes.receive(0);
    if (!request) return true;
    if (request->empty() || request->front() != static_cast<std::uint8_t>(Work::analyses)) return false;
    if (!processes.send(0, answer_analyses(std::span{*request}.subspan(1)))) return false;
  }
}

struct SharedMerge {
  Status status;
  Summary summary;
  std::string bytes;  ///< of the merged file
};

/// others  null: one process
/// file    that they read; empty: the one that is being written
SharedMerge merge_with(SyntheticRun& run, Processes* others, fs::path file = {}) {
  if (file.empty()) file = run.directory / "merged.h5.part";
  MergeOptions options;
  options.analyse = [&](std::int64_t id, WaitSink& waits, Summary& summary) -> Status {
    for (std::int32_t rank = 0; rank < 3; ++rank) {
      summary.counters.push_back({rank, "PAPI_TOT_INS", "1", 100, 1000 + rank});
      summary.counters.push_back({rank, "PAPI_TOT_CYC", "1", 100, 3000 + rank});
    }
    summary.region_counters.push_back({"solve", "PAPI_TOT_INS", "1", 70, 60, 50, 20});
    summary.region_counters.push_back({"solve", "PAPI_TOT_CYC", "1", 90, 80, 70, 20});
    MERIDIAN_TRY(const MergedTrace trace, MergedTrace::borrow(id));
    return run_analyses(trace, summary, &waits, {}, others, file);
  };
  auto outcome = run.merge(options);
  if (!outcome) return {outcome.error(), {}, {}};
  return {{}, std::move(outcome->summary), whole_file(run.merged())};
}

class SharedAnalysesTest : public testing::Test {
 protected:
  SharedAnalysesTest() {
    play(run_);
    for (SyntheticRank& rank : run_.ranks) sample(rank);
  }
  /// Of code that is in no file.
  static void sample(SyntheticRank& rank) {
    rank.meta.texts.push_back({"module", "10000 20000 10000 - - /nowhere/app", 0, 0});
    rank.sample_stacks = {{}, {0, 0x10400}, {1, 0x10500}};
    const std::uint64_t end = rank.thread().batch.leave_ticks.back(), step = end / 1000 + 1;
    for (std::uint64_t ticks = 0; ticks < end; ticks += step)
      rank.samples.push_back({ticks, ticks / step % 5 == 0 ? 1U : 0U, static_cast<std::uint32_t>(ticks / step % 3)});
    for (std::uint64_t ticks = 2 * step; ticks < end; ticks += 10 * step)
      rank.processor.push_back({ticks, step, 0, 0, 1, ticks % 3 != 0});
    rank.meta.texts.push_back({kEnergyZoneKey, "package package-0", 0, 0});
    for (std::uint64_t ticks = 0; ticks < end; ticks += 10 * step) rank.energy.push_back({ticks, ticks / 100, 0});
  }
  SyntheticRun run_{4};
};

TEST_F(SharedAnalysesTest, GiveTheSameFileForAnyNumberOfProcesses) {
  const SharedMerge one = merge_with(run_, nullptr);
  ASSERT_TRUE(one.status) << one.status.error().what;
  const std::vector<std::string_view> tables = AnalysisSet{~0U}.tables();
  for (const SummaryTable& each : summary_tables()) {
    const std::string_view table = each.name;
    const bool is_filled = std::ranges::count(tables, table) != 0 && table != "openmp_regions" &&
                           table != "iteration_findings" && table != "problem_functions" && table != "called_functions";
    if (is_filled) {
      EXPECT_GT(each.count(one.summary), 0U) << table;
    }
  }
  for (const int count : {1, 2, 3, 4, 9}) {
    ForkedProcesses processes{count, serve};
    const SharedMerge shared = merge_with(run_, &processes);
    ASSERT_TRUE(shared.status) << shared.status.error().what;
    EXPECT_TRUE(shared.bytes == one.bytes) << count;
    EXPECT_TRUE(processes.join());
  }
}

TEST_F(SharedAnalysesTest, FailWhereTheFileIsNotFound) {
  ForkedProcesses processes{3, serve};
  const SharedMerge shared = merge_with(run_, &processes, "/nowhere/merged.h5");
  ASSERT_FALSE(shared.status);
  EXPECT_EQ(shared.status.error().what, "cannot write '/nowhere/merged.h5': No such file or directory");
}

TEST_F(SharedAnalysesTest, ReportTheProcessWhoseFileIsDamaged) {
  const fs::path other = run_.directory / "other";
  std::ofstream{other} << "no HDF5 file";
  ForkedProcesses processes{3, serve};
  const SharedMerge shared = merge_with(run_, &processes, other);
  ASSERT_FALSE(shared.status);
  EXPECT_THAT(shared.status.error().what, HasSubstr("process 1: cannot open '" + other.string() + "'"));
}

/// Overwrites the first values of a dataset.
void damage(const fs::path& path, const char* dataset) {
  hsize_t size = 0;
  haddr_t at = HADDR_UNDEF;
  {
    auto file = h5::open_read_only(path);
    ASSERT_TRUE(file) << file.error().what;
    const h5::Dataset data{H5Dopen2(file->get(), dataset, H5P_DEFAULT)};
    ASSERT_TRUE(data);
    const h5::Properties creation{H5Dget_create_plist(data.get())};
    if (H5Pget_layout(creation.get()) == H5D_CHUNKED) {
      hsize_t first = 0;
      unsigned filters = 0;
      ASSERT_GE(H5Dget_chunk_info_by_coord(data.get(), &first, &filters, &at, &size), 0);
    } else {
      at = H5Dget_offset(data.get());
      size = H5Dget_storage_size(data.get());
    }
  }
  ASSERT_NE(at, HADDR_UNDEF);
  std::fstream out{path, std::ios::binary | std::ios::in | std::ios::out};
  out.seekp(static_cast<std::streamoff>(at));
  out << std::string(size, '\xff');
}

TEST_F(SharedAnalysesTest, NameAnAnalysisThatFailedInAnotherProcess) {
  ASSERT_TRUE(merge_with(run_, nullptr).status);
  const fs::path other = run_.directory / "other";
  fs::copy_file(run_.merged(), other);
  damage(other, "parts/comm_rank");  // only analyses read it
  ForkedProcesses processes{2, serve};
  const SharedMerge shared = merge_with(run_, &processes, other);
  ASSERT_FALSE(shared.status);
  EXPECT_THAT(shared.status.error().what, StartsWith("process 1: late arrivals: "));
}

TEST_F(SharedAnalysesTest, FailIfAnotherProcessDies) {
  for (const int dying : {1, 2}) {
    ForkedProcesses processes{3, [&](Processes& self) {
                                if (self.rank() == dying) (void)self.receive(0), ::_exit(1);
                                return serve(self);
                              }};
    const SharedMerge shared = merge_with(run_, &processes);
    ASSERT_FALSE(shared.status);
    EXPECT_EQ(shared.status.error().what,
              dying == 1 ? "process 1: process 1 has ended" : "process 2: process 2 has ended");
    EXPECT_FALSE(fs::exists(run_.merged()));
  }
}

TEST_F(SharedAnalysesTest, FailIfAnAnswerMakesNoSense) {
  ForkedProcesses processes{2, [](Processes& self) {
                              while (self.receive(0)) (void)self.send(0, {1, 2, 3});
                              return true;
                            }};
  const SharedMerge shared = merge_with(run_, &processes);
  ASSERT_FALSE(shared.status);
  EXPECT_EQ(shared.status.error().what, "process 1: the answer is not one of this version");
}

/// Remembers the requests.
class Recorder final : public Processes {
 public:
  int rank() const noexcept override { return 0; }
  int count() const noexcept override { return 2; }
  Status send(int to, Message message) override {
    messages.push_back(message);
    return other_.send(to, std::move(message));
  }
  Result<Message> receive(int from) override { return other_.receive(from); }
  std::vector<Message> messages;

 private:
  ForkedProcesses other_{2, serve};
};

TEST_F(SharedAnalysesTest, AnswerAGarbledRequestWithAnError) {
  Recorder recorder;
  ASSERT_TRUE(merge_with(run_, &recorder).status);
  ASSERT_EQ(recorder.messages.size(), 2U);  // backwards, forwards
  fs::rename(run_.merged(), run_.directory / "merged.h5.part");
  const auto has_failed = [](const Message& answer) { return answer.front() == 1; };
  std::mt19937_64 random{test::seeded(4)};
  for (const Message& message : recorder.messages) {
    const std::span request = std::span{message}.subspan(1);
    EXPECT_FALSE(has_failed(answer_analyses(request)));
    for (std::size_t length = 0; length < request.size(); length += 1 + length / 9)
      EXPECT_TRUE(has_failed(answer_analyses(request.first(length))));
    for (int i = 0; i < 100; ++i) {  // may be a valid one
      Message garbled{request.begin(), request.end()};
      garbled[random() % garbled.size()] = static_cast<std::uint8_t>(random());
      (void)answer_analyses(garbled);
    }
    Message longer{request.begin(), request.end()};
    longer.push_back(0);
    EXPECT_TRUE(has_failed(answer_analyses(longer)));
  }
}

TEST(AnalysisList, HasEveryTableOfTheSummaryOnce) {
  std::vector<std::string_view> filled = AnalysisSet{~0U}.tables();
  std::vector<std::string_view> tables;
#define MERIDIAN_TABLE(name, Row, heading, text) tables.push_back(#name);
  MERIDIAN_ANALYSIS_TABLES(MERIDIAN_TABLE)
#undef MERIDIAN_TABLE
  std::ranges::sort(filled);
  std::ranges::sort(tables);
  EXPECT_EQ(filled, tables);
}

TEST(AnalysisList, DividesEachAnalysisOnce) {
  for (std::size_t processes = 1; processes < 12; ++processes) {
    const std::vector<AnalysisSet> sets = divide_forwards(processes);
    ASSERT_FALSE(sets.empty());
    EXPECT_LE(sets.size(), processes);
    AnalysisSet all;
    for (const AnalysisSet set : sets) {
      EXPECT_FALSE(set.is_empty());
      EXPECT_TRUE((all & set).is_empty());
      all = all | set;
    }
    EXPECT_EQ(all, AnalysisSet::forwards());
  }
}

TEST(Division, GivesTheLargestShareAsLittleAsPossible) {
  constexpr AnalysisCost kCosts[] = {{100}, {90}, {60}, {50}};
  using Groups = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(divide_analyses(kCosts, 1), (Groups{{0, 1, 2, 3}}));
  EXPECT_EQ(divide_analyses(kCosts, 2), (Groups{{0, 3}, {1, 2}}));
  EXPECT_EQ(divide_analyses(kCosts, 3), (Groups{{0}, {1}, {2, 3}}));
}

TEST(Division, KeepsAnalysesThatWalkTwiceTogether) {
  constexpr AnalysisCost kCosts[] = {{10, false, true}, {80}, {90}, {20, false, true}};
  using Groups = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(divide_analyses(kCosts, 2), (Groups{{0, 3}, {1, 2}}));
}

TEST(Division, KeepsAnalysesThatReadLinksTogether) {
  constexpr AnalysisCost kCosts[] = {{10, true}, {80}, {90}, {20, true}};
  using Groups = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(divide_analyses(kCosts, 2), (Groups{{0, 3}, {1, 2}}));
}

TEST(Division, LeavesProcessesWithoutWorkWhereItWouldNotHelp) {
  constexpr AnalysisCost kCosts[] = {{500}, {1}, {1}};
  using Groups = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(divide_analyses(kCosts, 9), (Groups{{0}, {1, 2}}));
  EXPECT_EQ(divide_analyses({}, 9), Groups{});
}

}  // namespace
}  // namespace meridian::test
