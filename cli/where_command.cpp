// meridian where: what every rank is doing now, or was doing when it ended.

#include <time.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/summary_source.hpp"
#include "cli/where/where_text.hpp"

namespace meridian {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};

struct WhereArguments {
  std::string directory = kLatest;
  bool is_json = false;
};

/// A call that has returned meanwhile was no obstacle.
void keep_what_lasts(const std::vector<RankNow>& before, std::vector<RankNow>& now) {
  for (RankNow& rank : now) {
    const auto old_rank =
        std::ranges::find_if(before, [&](const RankNow& each) { return each.meta.rank == rank.meta.rank; });
    for (ThreadNow& thread : rank.threads) {
      const auto is_same = [&](const ThreadNow& each) {
        return each.thread == thread.thread && each.call == thread.call && each.since_ticks == thread.since_ticks;
      };
      if (old_rank == before.end() || std::ranges::none_of(old_rank->threads, is_same)) thread.waits.clear();
    }
  }
}

bool is_in_call(const RankNow& rank) {
  return std::ranges::any_of(rank.threads, [](const ThreadNow& thread) { return thread.call != CallId::none; });
}

Result<WhereReport> look(const std::filesystem::path& directory) {
  WhereReport report;
  MERIDIAN_TRY(RanksNow now, look_at_ranks(directory, report.problems));
  report.ranks = std::move(now.ranks);
  const bool is_running = std::ranges::any_of(report.ranks, &RankNow::is_alive);
  if (is_running) {
    const std::vector<RankNow> before = std::move(report.ranks);
    std::this_thread::sleep_for(kBetweenLooks);
    report.problems.clear();
    MERIDIAN_TRY(now, look_at_ranks(directory, report.problems));
    report.ranks = std::move(now.ranks);
    keep_what_lasts(before, report.ranks);
    timespec time{};
    ::clock_gettime(CLOCK_REALTIME, &time);
    report.now_realtime_ns = time.tv_sec * 1'000'000'000 + time.tv_nsec;
  }
  std::vector<const RankMeta*> metas;
  std::set<std::int32_t> ended;
  for (const RankNow& rank : report.ranks) {
    metas.push_back(&rank.meta);
    if (!rank.is_alive && rank.meta.is_finalized && !is_in_call(rank)) ended.insert(rank.meta.rank);
    if (!is_running) report.now_realtime_ns = std::max(report.now_realtime_ns, rank.last_realtime_ns);
  }
  Findings unused;
  if (now.worlds.empty()) now.worlds.push_back({0, 1, directory.string(), -1});
  report.communicators = unify_definitions(metas, now.worlds, unused);
  report.worlds = std::move(now.worlds);
  report.waits = waits_of(report.ranks, report.communicators);
  report.deadlock = find_deadlock(report.waits, ended);
  return report;
}

int where(const WhereArguments& arguments) {
  std::error_code problem;
  if (!std::filesystem::exists(arguments.directory, problem))
    return fail(missing_trace(arguments.directory == kLatest ? "" : arguments.directory));
  auto report = look(arguments.directory);
  if (!report) return fail(report.error());
  if (!print(arguments.is_json ? where_json(*report) : where_text(*report))) return kExitCouldNotRun;
  return report->deadlock.ranks.empty() ? kExitFine : kExitTraceHasErrors;
}

}  // namespace

void add_where(CLI::App& app, Action& chosen) {
  CLI::App* const command = app.add_subcommand(
      "where", "Say what every rank is doing now, or did last, and who waits for whom; exit code 2 on a deadlock");
  const auto arguments = std::make_shared<WhereArguments>();
  command->add_option("directory", arguments->directory, "Directory of the trace (default: latest)")->type_name("DIR");
  command->add_flag("--json", arguments->is_json, "Print one JSON object and nothing else");
  command->callback([arguments, &chosen] { chosen = [arguments] { return where(*arguments); }; });
}

}  // namespace meridian
