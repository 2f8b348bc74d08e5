// SPDX-License-Identifier: Apache-2.0
#include "cli/where/past_deadlock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "cli/where/call_places.hpp"
#include "cli/where/complete_report.hpp"
#include "merger/model/findings.hpp"
#include "summary/run_end.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostParties = 8;

/// " in MPI_Recv (a.c:7)"; empty: unknown.
std::string call_of(const WhereReport& report, const Party& party) {
  for (const RankNow& rank : report.ranks) {
    if (rank.meta.rank != party.rank) continue;
    for (const ThreadNow& thread : rank.threads) {
      if (thread.waits.empty() || (party.thread != kAnyThread && thread.thread != party.thread)) continue;
      const std::string place = short_place(thread.place);
      return fmt::format(" in {}{}", info(thread.call).name, place.empty() ? "" : " (" + place + ")");
    }
  }
  return "";
}

/// "rank 0 waits in MPI_Recv (a.c:7) for rank 1, rank 1 in MPI_Recv (a.c:7) for rank 0"
std::string describe_circle(const WhereReport& report) {
  const auto& circle = report.deadlock.cycle;
  std::string text;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    if (i == kMostParties) return text + fmt::format(" and {} more", circle.size() - i);
    text += fmt::format("{}rank {}{}{} for rank {}", i == 0 ? "" : ", ", circle[i].rank, i == 0 ? " waits" : "",
                        call_of(report, circle[i]), circle[(i + 1) % circle.size()].rank);
  }
  return text;
}

/// Whether the rank left a call, as a watchdog of the program does: not by a fault or MPI_Abort.
bool may_have_waited(const RankSummary& rank) {
  constexpr std::array kFaults{"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGSYS", "SIGTRAP"};
  const auto is_its_end = [&](const char* name) { return rank.end.find(name) != std::string::npos; };
  return !rank.end_call.empty() && rank.end != kAborted && std::ranges::none_of(kFaults, is_its_end);
}

}  // namespace

void add_past_deadlock(const std::filesystem::path& directory, Summary& summary) {
  const bool has_ended_early = std::ranges::any_of(
      summary.ranks, [](const RankSummary& rank) { return rank.end != kFinalized && rank.end != "running"; });
  const RankSummary* const cause = cause_of_end(summary);
  if (!has_ended_early || (cause != nullptr && !may_have_waited(*cause))) return;
  const Result<WhereReport> report = complete_report(directory);
  if (!report || report->is_running() || report->deadlock.cycle.empty()) return;
  // A rank of the circle ended what all of them waited in.
  const auto is_cause = [&](const Party& party) { return party.rank == cause->rank; };
  if (cause != nullptr && std::ranges::none_of(report->deadlock.cycle, is_cause)) return;
  Finding finding = describe(FindingId::rank_deadlock);
  finding.count = report->deadlock.ranks.size();
  finding.detail = describe_circle(*report);
  summary.findings.push_back(std::move(finding));
}

}  // namespace meridian
