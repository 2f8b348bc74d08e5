// SPDX-License-Identifier: Apache-2.0
// A rank that makes others wait because it accesses files.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "problem_samples.hpp"

namespace meridian {
namespace {

using namespace samples;

/// Rank 0 writes a checkpoint for 3 of 10 s, in three functions, and rank 1 waits for it.
Summary checkpoint() {
  Summary summary = even_ranks(2);
  add_wait(summary, "wait at barrier", 1, 0, 2.5);
  summary.functions = {{"MPI_Barrier", "coll", 10, 2.5, 0.25},
                       {"write", "files", 80, 1, 0.0125},
                       {"fsync", "files", 10, 1.5, 0.15},
                       {"open", "files", 10, 0.5, 0.05}};
  for (const auto& [function, time_s] : {std::pair{"write", 0.8}, {"fsync", 1.2}, {"open", 0.4}}) {
    DelaySummary& delay = summary.delays.emplace_back();
    delay.what = "call";
    delay.function = function;
    delay.short_term_s = time_s;
  }
  FileSummary& file = summary.files.emplace_back();
  file.name = "/scratch/ckpt.bin";
  file.interface = FileSummary::kPosix;
  file.ranks = 1;
  file.writes = 80;
  file.write_bytes = std::uint64_t{80} << 20;
  file.write_s = 1;
  file.others = 20;
  file.other_s = 1.9;
  return summary;
}

TEST(FileProblems, NameTheFileTheCallAndTheRankThatOthersWaitFor) {
  const Summary summary = checkpoint();
  EXPECT_EQ(found(summary), std::vector<std::string>{"input and output 0.28 of rank 0"});
  const ProblemSummary problem = find_problems(summary).front();
  EXPECT_EQ(
      problem.text,
      "Rank 0 takes 3.00 s for files, 2.90 s of it for /scratch/ckpt.bin: 80.0 MiB written in 1.00 s (80.0 MiB/s), "
      "1.90 s "
      "in other calls, such as open, fsync and close. fsync takes longest, 1.50 s. Therefore other ranks wait 2.50 s "
      "for rank 0.");
  EXPECT_EQ(problem.function, "fsync");
  EXPECT_NE(problem.remedy.find("Call it less often"), std::string::npos);
}

TEST(FileProblems, AreThoseOfTheRankForWhichOthersWaitLongest) {
  Summary summary = checkpoint();
  add_wait(summary, "wait at N x N", 0, 1, 0.02, "MPI_File_open", "MPI_File_open");
  summary.functions.push_back({"fopen", "files", 1, 0.02, 0.02});
  DelaySummary& delay = summary.delays.emplace_back();
  delay.rank = 1;
  delay.what = "call";
  delay.function = "fopen";
  delay.short_term_s = 0.02;
  EXPECT_EQ(found(summary), std::vector<std::string>{"input and output 0.28 of rank 0"});
}

TEST(FileProblems, LeaveWaitsToTheRankWhoseCallsOnFilesAreNotWhyItIsLate) {
  Summary summary = checkpoint();
  for (DelaySummary& delay : summary.delays) delay.short_term_s = 0.3;
  EXPECT_EQ(found(summary), (std::vector<std::string>{"input and output 0.15", "wait at barrier 0.12 of rank 0"}));
}

TEST(FileProblems, ExplainNoMoreWaitsThanTheyCost) {
  Summary summary = checkpoint();
  add_wait(summary, "wait at N x N", 1, 0, 2, "MPI_Allreduce", "MPI_Allreduce");
  add_wait(summary, "late broadcast", 1, 0, 1.5, "MPI_Bcast", "MPI_Bcast");
  EXPECT_EQ(found(summary), (std::vector<std::string>{"input and output 0.28 of rank 0", "wait at N x N 0.10 of rank 0",
                                                      "late broadcast 0.07 of rank 0"}));
  for (const ProblemSummary& problem : find_problems(summary))
    EXPECT_EQ(problem.text.find("late because of"), std::string::npos) << problem.text;
  for (DelaySummary& delay : summary.delays) delay.short_term_s *= 2;
  EXPECT_EQ(found(summary),
            (std::vector<std::string>{"input and output 0.38 of rank 0", "late broadcast 0.07 of rank 0"}));
}

TEST(FileProblems, AreThereWithoutWaitsAndAskForLargerPieces) {
  Summary summary = even_ranks(2);
  summary.functions = {{"read", "files", 1'000'000, 2, 2e-6}};
  FileSummary& file = summary.files.emplace_back();
  file.name = "/scratch/in.dat";
  file.interface = FileSummary::kPosix;
  file.ranks = 2;
  file.reads = 1'000'000;
  file.read_bytes = 100'000'000;
  file.read_s = 2;
  EXPECT_EQ(found(summary), std::vector<std::string>{"input and output 0.10"});
  const ProblemSummary problem = find_problems(summary).front();
  EXPECT_TRUE(problem.text.starts_with("Ranks take 2.00 s for files, 2.00 s of it for /scratch/in.dat: "))
      << problem.text;
  EXPECT_EQ(problem.remedy, "Access the file in larger pieces: 64 KiB or more at a time.");
}

/// Two ranks read this many files, each as often and for as long.
Summary reading(std::uint64_t files, std::uint64_t reads, std::uint64_t read_bytes) {
  Summary summary = even_ranks(2);
  summary.functions = {{"read", "files", files * reads, 2, 2e-6}};
  for (std::uint64_t i = 0; i < files; ++i) {
    FileSummary& file = summary.files.emplace_back();
    file.name = "/usr/lib/module" + std::to_string(i);
    file.interface = FileSummary::kPosix;
    file.ranks = 2;
    file.reads = reads;
    file.read_bytes = read_bytes;
    file.read_s = 2.0 / static_cast<double>(files);
  }
  return summary;
}

TEST(FileProblems, OfManyFilesAskForFewerOfThem) {
  Summary summary = reading(10, 2, 40'000);
  const ProblemSummary problem = find_problems(summary).front();
  EXPECT_EQ(problem.text,
            "Ranks take 2.00 s for files, 200 ms of it for /usr/lib/module0: 39.1 KiB read in 200 ms (195 KiB/s); most "
            "is for other files. read takes longest, 2.00 s.");
  EXPECT_EQ(problem.remedy, "Access fewer files, or let one rank read them and send their contents (MPI_Bcast).");
  for (FileSummary& file : summary.files) {
    std::swap(file.reads, file.writes);
    std::swap(file.read_s, file.write_s);
  }
  EXPECT_EQ(find_problems(summary).front().remedy, "Access fewer files: put the contents of several into one.");
}

TEST(FileProblems, OfASmallFileAskForNoPiecesThatAreLargerThanIt) {
  EXPECT_EQ(find_problems(reading(1, 40'000, 40'000)).front().remedy, "Access the file in one piece.");
  EXPECT_EQ(find_problems(reading(1, 2, 40'000)).front().remedy,
            "Access the file less often, or all ranks together (MPI_File_write_all).");
}

TEST(FileProblems, AreNoneBelowAFiftiethOfTheTime) {
  Summary summary = even_ranks(2);
  summary.functions = {{"read", "files", 10, 0.39, 0.039}};
  EXPECT_TRUE(found(summary).empty());
  summary.functions[0].total_s = 0.41;
  EXPECT_EQ(found(summary), std::vector<std::string>{"input and output 0.02"});
}

}  // namespace
}  // namespace meridian
