// SPDX-License-Identifier: Apache-2.0
// Merges generated halo exchanges (`meridian generate`) of several sizes, and prints a line for each, or JSON: calls per
// second of processor time from the rank files to the merged file, without analyses; processor time of the first thread,
// of the analyses and of each pass; wall time; peak memory, which must not grow with the trace; bytes.
//
//   bench_merge [OPTION]... [RANKSxCALLS]...       makes the traces, merges them, removes them; calls of all ranks: 4x8e6
//   bench_merge [OPTION]... --merge DIR            merges one that is there
//
// --json          JSON
// --no-analyses   leaves out the analyses, which take several times as long as the rest
//
// Each size is merged in a process of its own, so that the peak of one is not that of another.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analyses.hpp"
#include "cli/generate/generated_halo.hpp"
#include "merged/merged_trace.hpp"
#include "merger/merge.hpp"
#include "tests/support/temp_dir.hpp"

namespace {

namespace fs = std::filesystem;

double cpu_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct PassTime {
  std::string name;
  double cpu_s = 0, wall_s = 0;
};

/// Adds up the times between the beginnings of passes.
class PassTimes {
 public:
  void begin(std::string_view name) {
    end();
    passes_.push_back({std::string{name}, -cpu_seconds(RUSAGE_SELF), -wall_seconds()});
    is_open_ = true;
  }
  void end() {
    if (!std::exchange(is_open_, false)) return;
    passes_.back().cpu_s += cpu_seconds(RUSAGE_SELF);
    passes_.back().wall_s += wall_seconds();
  }
  const std::vector<PassTime>& passes() const { return passes_; }

 private:
  static double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  std::vector<PassTime> passes_;
  bool is_open_ = false;
};

struct Options {
  bool as_json = false, has_analyses = true;
};

bool merge(const fs::path& directory, const Options& chosen) {
  const double begin_cpu = cpu_seconds(RUSAGE_SELF), begin_first = cpu_seconds(RUSAGE_THREAD);
  const auto begin = std::chrono::steady_clock::now();
  PassTimes times;
  double analyses = 0, analyses_first = 0;
  meridian::MergeOptions options;
  options.watch = [&](std::string_view pass) { times.begin(pass); };
  const auto analyse = [&](std::int64_t file, meridian::WaitSink& waits,
                           meridian::Summary& summary) -> meridian::Status {
    times.begin("analyses");
    const double before = cpu_seconds(RUSAGE_SELF), before_first = cpu_seconds(RUSAGE_THREAD);
    MERIDIAN_TRY(const meridian::MergedTrace trace, meridian::MergedTrace::borrow(file));
    meridian::Status status = meridian::run_analyses(trace, summary, &waits);
    analyses = cpu_seconds(RUSAGE_SELF) - before;
    analyses_first = cpu_seconds(RUSAGE_THREAD) - before_first;
    times.begin("writing the summary");
    return status;
  };
  if (chosen.has_analyses) options.analyse = analyse;
  const auto outcome = meridian::merge(directory, options);
  times.end();
  if (!outcome) {
    fmt::print(stderr, "{}\n", outcome.error().what);
    return false;
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const double cpu = cpu_seconds(RUSAGE_SELF) - begin_cpu - analyses;
  const double first = cpu_seconds(RUSAGE_THREAD) - begin_first - analyses_first;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto calls = static_cast<double>(outcome->summary.run.calls);
  const auto bytes = fs::file_size(outcome->path);
  const long peak_mb = usage.ru_maxrss / 1024;
  if (!chosen.as_json) {
    fmt::print(
        "{:5} ranks  {:10.0f} calls  cpu {:7.3f} s  {:5.2f} M calls/s  first thread {:7.3f} s  analyses {:7.3f} s"
        "  wall {:7.3f} s  {:4.2f} B/call  peak {} MB\n",
        outcome->summary.run.ranks_present, calls, cpu, calls / cpu / 1e6, first, analyses, wall.count(),
        static_cast<double>(bytes) / calls, peak_mb);
    return true;
  }
  std::string passes;
  for (const PassTime& pass : times.passes())
    passes += fmt::format("{}{{\"pass\": \"{}\", \"cpu_s\": {:.4f}, \"wall_s\": {:.4f}}}", passes.empty() ? "" : ", ",
                          pass.name, pass.cpu_s, pass.wall_s);
  fmt::print(
      "{{\"ranks\": {}, \"calls\": {:.0f}, \"cpu_s\": {:.4f}, \"first_thread_s\": {:.4f}, \"analyses_s\": {:.4f}, "
      "\"wall_s\": {:.4f}, \"calls_per_cpu_s\": {:.0f}, \"peak_mb\": {}, \"merged_bytes\": {}, \"rank_bytes\": {}, "
      "\"passes\": [{}]}}\n",
      outcome->summary.run.ranks_present, calls, cpu, first, analyses, wall.count(), calls / cpu, peak_mb, bytes,
      outcome->summary.run.trace_bytes, passes);
  return true;
}

bool make_and_merge(const std::string& size, const Options& chosen) {
  const auto by = size.find('x');
  if (by == std::string::npos) return false;
  const meridian::test::TempDir directory;
  const double ranks = std::atof(size.c_str()), calls = std::atof(size.c_str() + by + 1);
  const auto made = meridian::generate_halo(
      directory.path(),
      {.ranks = static_cast<std::int32_t>(ranks), .calls = static_cast<std::uint64_t>(calls / ranks), .seed = 1});
  if (!made) {
    fmt::print(stderr, "{}\n", made.error().what);
    return false;
  }
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<std::string> words{"bench_merge", "--merge", directory.path().string()};
    if (chosen.as_json) words.emplace_back("--json");
    if (!chosen.has_analyses) words.emplace_back("--no-analyses");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv("/proc/self/exe", arguments.data());
    ::_exit(1);
  }
  int state = 0;
  return child > 0 && ::waitpid(child, &state, 0) == child && state == 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> args{argv + 1, argv + argc};
  Options chosen;
  chosen.as_json = std::erase(args, "--json") != 0;
  chosen.has_analyses = std::erase(args, "--no-analyses") == 0;
  if (args.size() == 2 && args[0] == "--merge") return merge(args[1], chosen) ? 0 : 1;
  if (args.empty()) args = {"4x1e6", "4x8e6"};
  for (const std::string& size : args)
    if (!make_and_merge(size, chosen)) return 1;
}
