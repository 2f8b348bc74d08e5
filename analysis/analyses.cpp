// SPDX-License-Identifier: Apache-2.0
#include "analysis/analyses.hpp"

#include <memory>
#include <string>
#include <utility>

#include "analysis/walk/trace_walk.hpp"
#include "summary/problems/problems.hpp"

namespace meridian {

// To add an analysis: its file, its declaration and row here, and its table in summary/.
Status count_communication_sizes(const MergedTrace& trace, Summary& summary);
Status find_link_speeds(const MergedTrace& trace, Summary& summary);
Status find_late_arrivals(const MergedTrace& trace, Summary& summary);
Status find_delays(const MergedTrace& trace, Summary& summary);
Status find_iterations(const MergedTrace& trace, Summary& summary);

// Those that share a walk.
Result<std::unique_ptr<TraceVisitor>> efficiency_finder(const MergedTrace& trace, const Summary& summary);
Result<std::unique_ptr<TraceVisitor>> critical_path_finder(const MergedTrace& trace, const Summary& summary);
std::unique_ptr<TraceVisitor> openmp_region_finder(const MergedTrace& trace);

/// Comes before all analyses, which read the waits of calls from the file.
Status find_waits(const MergedTrace& trace, Summary& summary, WaitSink* waits);

namespace {

Status list_problems(const MergedTrace&, Summary& summary) {
  summary.problems = find_problems(summary);
  return {};
}

Status find_times(const MergedTrace& trace, Summary& summary) {
  MERIDIAN_TRY(const auto efficiencies, efficiency_finder(trace, summary));
  MERIDIAN_TRY(const auto critical_path, critical_path_finder(trace, summary));
  const auto regions = openmp_region_finder(trace);
  const auto look = [&](const WalkedEvent& walked) -> Status {
    MERIDIAN_TRY_DO(efficiencies->look_at(walked));
    MERIDIAN_TRY_DO(regions->look_at(walked));
    return critical_path->look_at(walked);
  };
  {
    MERIDIAN_TRY(TraceWalk walk, TraceWalk::open(trace, kAllLinks));
    MERIDIAN_TRY_DO(walk.run(look));
  }
  MERIDIAN_TRY_DO(efficiencies->finish(summary));
  MERIDIAN_TRY_DO(regions->finish(summary));
  return critical_path->finish(summary);
}

constexpr Analysis kAnalyses[] = {
    {"sizes of messages and collectives", count_communication_sizes},
    {"latency and bandwidth", find_link_speeds},
    {"late arrivals", find_late_arrivals},
    {"efficiencies and critical path", find_times},
    {"root causes of waits", find_delays},
    {"iterations", find_iterations},
    {"problems", list_problems},  // last: from the tables of all others
};

Status named(std::string_view name, Status status) {
  if (status) return status;
  Error error = std::move(status).error();
  error.what = std::string{name} + ": " + error.what;
  return error;
}

}  // namespace

std::span<const Analysis> analyses() { return kAnalyses; }

Status run_analyses(const MergedTrace& trace, Summary& summary, WaitSink* waits) {
  MERIDIAN_TRY_DO(named("wait states", find_waits(trace, summary, waits)));
  for (const Analysis& analysis : analyses()) MERIDIAN_TRY_DO(named(analysis.name, analysis.run(trace, summary)));
  return {};
}

}  // namespace meridian
