// SPDX-License-Identifier: Apache-2.0
// meridian watch: reports who waits for whom when a running program makes no progress, and ends it if asked.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/summary_source.hpp"
#include "cli/where/complete_report.hpp"
#include "cli/where/watch_report.hpp"
#include "live/progress.hpp"
#include "live/rings.hpp"

namespace meridian {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kShortestPause = 0.05;
constexpr double kLongestPause = 1;
constexpr double kLooksInTime = 10;  ///< readings in the time without progress
constexpr double kTimeToEnd = 30;    ///< seconds after SIGTERM

struct WatchArguments {
  std::string directory = kLatest;
  double after_s = 60;
  double start_s = 10;
  bool is_ending = false;
  bool is_json = false;
};

void pause_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>{seconds}); }

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>{Clock::now() - begin}.count(); }

/// Alive ranks without a call in progress that use no processor.
std::vector<std::int32_t> idle_ranks(const WhereReport& report, const std::vector<std::int32_t>& computing) {
  std::vector<std::int32_t> idle;
  for (const RankNow& rank : report.ranks) {
    const bool is_in_call =
        std::ranges::any_of(rank.threads, [](const ThreadNow& thread) { return thread.call != CallId::none; });
    if (rank.is_alive && !is_in_call && std::ranges::find(computing, rank.meta.rank) == computing.end())
      idle.push_back(rank.meta.rank);
  }
  return idle;
}

class Watch {
 public:
  explicit Watch(const WatchArguments& arguments) : arguments_{arguments}, ranks_{arguments.directory} {}

  int run() {
    const auto begin = Clock::now();
    while (!ranks_.find_new()) {
      if (seconds_since(begin) >= arguments_.start_s)
        return fail(nothing_runs(arguments_.directory, find_rings(arguments_.directory)));
      pause_for(kShortestPause);
    }
    moved();
    const double pause_s = std::clamp(arguments_.after_s / kLooksInTime, kShortestPause, kLongestPause);
    while (ranks_.is_any_alive() || ranks_.find_new()) {
      pause_for(pause_s);
      if (has_moved()) continue;
      if (is_reported_ || seconds_since(last_move_) < arguments_.after_s) continue;
      if (ranks_.find_new()) {
        moved();
        continue;
      }
      const auto code = stalled();
      if (code != kGoesOn) return code;
    }
    return is_deadlock_ ? kExitTraceHasErrors : kExitFine;
  }

 private:
  static constexpr int kGoesOn = -1;

  void moved() {
    mark_ = ranks_.mark();
    cpu_ = ranks_.cpu_times();
    last_move_ = Clock::now();
    is_reported_ = false;
  }

  bool has_moved() {
    if (ranks_.mark() == mark_) return false;
    moved();
    return true;
  }

  /// Reports the stall. Returns the exit code, or kGoesOn.
  int stalled() {
    auto report = complete_report(arguments_.directory);
    const double stalled_s = seconds_since(last_move_);
    Stall stall{.length_s = stalled_s, .elsewhere = ranks_.elsewhere()};
    if (report) stall.computing = computing_ranks(report->ranks, cpu_, ranks_.cpu_times(), stalled_s);
    if (has_moved() || !ranks_.is_any_alive()) return kGoesOn;  // while it was looked at
    if (!report) return fail(report.error());
    is_reported_ = true;
    const bool is_stuck = !report->deadlock.threads.empty();
    is_deadlock_ = is_deadlock_ || is_stuck;
    stall.idle = idle_ranks(*report, stall.computing);
    if (!print(arguments_.is_json ? stall_json(stall, *report) : stall_text(stall, *report))) return kExitCouldNotRun;
    if (!arguments_.is_ending) return kGoesOn;
    if (is_stuck || (stall.computing.empty() && stall.elsewhere == 0)) return end_job();
    return arguments_.is_json || print("The program is not ended.\n") ? kGoesOn : int{kExitCouldNotRun};
  }

  int end_job() {
    const std::size_t ended = ranks_.terminate();
    const auto begin = Clock::now();
    while (ranks_.is_any_alive() && seconds_since(begin) < kTimeToEnd) pause_for(kShortestPause);
    if (ended == 0 || ranks_.is_any_alive()) {
      report({Errc::io, "cannot end the program: a rank goes on after SIGTERM",
              "end it with the launcher, or with SIGKILL"});
      return kExitTraceHasErrors;
    }
    (void)print(arguments_.is_json ? end_json(ended)
                                   : fmt::format("Ended by SIGTERM: {} {}. What it recorded: meridian merge '{}'\n",
                                                 ended, ended == 1 ? "rank" : "ranks", arguments_.directory));
    return kExitTraceHasErrors;
  }

  const WatchArguments& arguments_;
  WatchedRanks ranks_;
  std::vector<std::uint64_t> mark_;
  CpuTimes cpu_;  // at the last move
  Clock::time_point last_move_{};
  bool is_reported_ = false;
  bool is_deadlock_ = false;
};

}  // namespace

Command watch_command() {
  const auto arguments = std::make_shared<WatchArguments>();
  return {"watch",
          "Watch a running program, and show who waits for whom when it makes no progress",
          {{"directory", "DIR", "Output directory of the program (default: latest)", &arguments->directory},
           {"--after", "SECONDS", "Without the begin or end of a call on any rank. Default: 60", &arguments->after_s,
            AllowedRange{0.1, 1e6}},
           {"--start", "SECONDS", "How long to wait for the program to start. Default: 10", &arguments->start_s,
            AllowedRange{0, 1e6}},
           {"--end-job", "", "Then end the ranks with SIGTERM, unless one is computing", &arguments->is_ending},
           {"--json", "", "Print one JSON object per line and nothing else", &arguments->is_json}},
          [arguments] { return Watch{*arguments}.run(); },
          "Exit codes: 0 the program has ended by itself, 1 could not run, 2 there was a\ndeadlock, or the program was "
          "ended."};
}

}  // namespace meridian
