// SPDX-License-Identifier: Apache-2.0
#include "live/where_report.hpp"

#include <algorithm>
#include <utility>

#include "live/look.hpp"
#include "trace/model/system_clock.hpp"

namespace meridian {

bool WhereReport::is_running() const { return std::ranges::any_of(ranks, &RankNow::is_alive); }

Result<WhereReport> look_at_trace(const std::filesystem::path& directory) {
  WhereReport report;
  MERIDIAN_TRY(RanksNow now, look_at_ranks(directory, report.problems));
  report.ranks = std::move(now.ranks);
  report.worlds = std::move(now.worlds);
  if (report.worlds.empty()) report.worlds.push_back({0, 1, directory.string(), -1});
  if (report.is_running()) look_again(report.ranks);
  for (const RankNow& rank : report.ranks)
    report.now_realtime_ns = std::max(report.now_realtime_ns, rank.last_realtime_ns);
  if (report.is_running()) report.now_realtime_ns = system_clock_ns(CLOCK_REALTIME);
  return report;
}

void find_deadlock(WhereReport& report) {
  const WhoWaits waits = who_waits(report.ranks, report.communicators, report.is_running());
  report.deadlock = find_deadlock(waits.waits, waits.free, waits.ended);
}

WaitFacts facts_of(WhereReport& report, std::size_t rank, const WaitedFor& what) {
  WaitFacts facts{what.kind, what.call, "?", what.peer, what.tag};
  if (const LocalComm* comm = report.communicators.resolvers[rank].at(what.comm, what.ticks)) {
    facts.comm = communicator_name(report.communicators.list[comm->comm], comm->comm);
    if (what.peer >= 0) facts.peer = comm->world_rank(what.peer);
  }
  return facts;
}

double seconds_in(const WhereReport& report, const ThreadNow& thread) {
  if (thread.since_realtime_ns == 0) return -1;
  return std::max(0.0, static_cast<double>(report.now_realtime_ns - thread.since_realtime_ns) * 1e-9);
}

}  // namespace meridian
