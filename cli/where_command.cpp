// meridian where: what every rank is doing now, or was doing when it ended.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/summary_source.hpp"
#include "cli/where/call_places.hpp"
#include "cli/where/look.hpp"
#include "cli/where/where_text.hpp"
#include "trace/model/system_clock.hpp"

namespace meridian {
namespace {

struct WhereArguments {
  std::string directory = kLatest;
  bool is_json = false;
};

Result<WhereReport> look(const std::filesystem::path& directory) {
  WhereReport report;
  MERIDIAN_TRY(RanksNow now, look_at_ranks(directory, report.problems));
  report.ranks = std::move(now.ranks);
  if (std::ranges::any_of(report.ranks, &RankNow::is_alive)) look_again(report.ranks);
  const bool is_running = std::ranges::any_of(report.ranks, &RankNow::is_alive);
  std::vector<const RankMeta*> metas;
  for (const RankNow& rank : report.ranks) {
    metas.push_back(&rank.meta);
    report.now_realtime_ns = std::max(report.now_realtime_ns, rank.last_realtime_ns);
  }
  if (is_running) {
    report.now_realtime_ns = system_clock_ns(CLOCK_REALTIME);
  }
  Findings unused;
  if (now.worlds.empty()) now.worlds.push_back({0, 1, directory.string(), -1});
  report.communicators = unify_definitions(metas, now.worlds, unused);
  report.worlds = std::move(now.worlds);
  const WhoWaits waits = who_waits(report.ranks, report.communicators, is_running);
  report.deadlock = find_deadlock(waits.waits, waits.free, waits.ended);
  find_call_places(report.ranks);
  return report;
}

int where(const WhereArguments& arguments) {
  std::error_code problem;
  if (!std::filesystem::exists(arguments.directory, problem))
    return fail(missing_trace(arguments.directory == kLatest ? "" : arguments.directory));
  auto report = look(arguments.directory);
  if (!report) return fail(report.error());
  if (!print(arguments.is_json ? where_json(*report) : where_text(*report))) return kExitCouldNotRun;
  return report->deadlock.threads.empty() ? kExitFine : kExitTraceHasErrors;
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
