// SPDX-License-Identifier: Apache-2.0
// Merges synthetic halo exchanges of growing length. One line per size: calls per second of processor time from the rank
// files to the merged file, without analyses; processor time of the first thread, which does all but the compression, and of
// the analyses; wall time; and peak memory, which must not grow with the trace.
//
//   bench_merge [million calls]...          makes the traces, merges them, removes them
//   bench_merge --make DIR million          makes one and keeps it
//   bench_merge --merge DIR                 merges one that is there

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "analysis/analyses.hpp"
#include "merged/merged_trace.hpp"
#include "merger/merge.hpp"
#include "synthetic_patterns.hpp"

namespace {

double cpu_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

constexpr std::int32_t kRanks = 4;
constexpr double kCallsPerStep = 9.1;

std::uint64_t make(const std::filesystem::path& directory, double million) {
  return meridian::test::write_halo(directory, kRanks,
                                    static_cast<std::uint64_t>(million * 1e6 / (kCallsPerStep * kRanks)));
}

bool merge(const std::filesystem::path& directory) {
  const double begin_cpu = cpu_seconds(RUSAGE_SELF), begin_main = cpu_seconds(RUSAGE_THREAD);
  const auto begin = std::chrono::steady_clock::now();
  double analyses = 0;
  meridian::MergeOptions options;
  options.analyse = [&](std::int64_t file, meridian::WaitSink& waits, meridian::Summary& summary) -> meridian::Status {
    const double before = cpu_seconds(RUSAGE_THREAD);
    MERIDIAN_TRY(const meridian::MergedTrace trace, meridian::MergedTrace::borrow(file));
    meridian::Status status = meridian::run_analyses(trace, summary, &waits);
    analyses = cpu_seconds(RUSAGE_THREAD) - before;
    return status;
  };
  const auto outcome = meridian::merge(directory, options);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  const double cpu = cpu_seconds(RUSAGE_SELF) - begin_cpu - analyses;
  const double main = cpu_seconds(RUSAGE_THREAD) - begin_main - analyses;
  if (!outcome) {
    std::fprintf(stderr, "%s\n", outcome.error().what.c_str());
    return false;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto calls = static_cast<double>(outcome->summary.run.calls);
  std::printf(
      "%9.0f calls  cpu %6.3f s  %5.2f M calls/s  first thread %6.3f s  analyses %6.3f s  wall %6.3f s  %5.1f B/call "
      "in the "
      "merged file  peak %ld MB\n",
      calls, cpu, calls / cpu / 1e6, main, analyses, taken.count(),
      static_cast<double>(std::filesystem::file_size(outcome->path)) / calls, usage.ru_maxrss / 1024);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> args{argv + 1, argv + argc};
  if (args.size() == 3 && args[0] == "--make") {
    std::filesystem::create_directories(args[1]);
    return make(args[1], std::atof(argv[3])) == 0;
  }
  if (args.size() == 2 && args[0] == "--merge") return merge(args[1]) ? 0 : 1;
  std::vector<double> millions{1, 8};
  if (!args.empty()) millions.clear();
  for (int i = 1; i < argc; ++i) millions.push_back(std::atof(argv[i]));
  for (const double million : millions) {
    const meridian::test::TempDir directory;
    make(directory.path(), million);
    if (!merge(directory.path())) return 1;
  }
}
