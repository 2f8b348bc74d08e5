// SPDX-License-Identifier: Apache-2.0
// Section EFFICIENCY: how well the run used its ranks, what would save most, and what the critical path consists of.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/recorded_part.hpp"
#include "summary/units.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostSavings = 3;
constexpr double kLeastShare = 0.001;
constexpr double kLeastSleep = 0.01;
constexpr double kHang = 0.1;  // of the ranks' time: efficiencies of such a run say nothing about the program

std::string comma_list(const std::vector<std::string>& parts) {
  std::string result;
  for (const std::string& part : parts) result += (result.empty() ? "" : ", ") + part;
  return result;
}

std::string savings_text(const Summary& summary) {
  std::vector<std::string> parts;
  for (const WhatIfSummary& row : summary.what_if) {
    if (parts.size() == kMostSavings || row.saved_share < kLeastShare) break;
    const std::string name = row.kind == "region" ? "computing in " + printable(row.name) : printable(row.name);
    parts.push_back(fmt::format("{} ({})", name, human_percent(row.saved_share)));
  }
  return parts.empty() ? ""
                       : wrapped("The run would be shorter without " + comma_list(parts) + ".", kIndent, prose_width());
}

/// Shares of the time that the factors cover. MPI_Init and MPI_Finalize, through which the path leads too, are left out: they would count as
/// transfer. So is the time before the path's first rank starts, which would count as unknown.
std::string critical_path_text(const Summary& summary, const EfficiencySummary& run) {
  std::map<std::string, double> times;
  double inner_s = 0;
  for (const CriticalPathSummary& row : summary.critical_path) {
    if (starts_or_ends_mpi(facts_of(row.function).facts.role)) continue;
    times[row.state] += row.total_s;
    inner_s += row.total_s;
  }
  if (const auto unknown = times.find("unknown"); unknown != times.end()) {
    const double known_s = inner_s - unknown->second;
    unknown->second = std::clamp(run.time_s - known_s, 0.0, unknown->second);
    inner_s = known_s + unknown->second;
  }
  std::vector<std::pair<std::string, double>> sorted{times.begin(), times.end()};
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [state, time_s] : sorted)
    if (time_s > 0 && time_s >= kLeastShare * inner_s)
      parts.push_back(fmt::format("{} {}", printable(state), human_percent(time_s / inner_s)));
  return parts.empty() ? "" : wrapped("Critical path: " + comma_list(parts) + ".", kIndent, prose_width());
}

/// Sleep is no computing, and no transfer: it lowers the factor of the ranks that wait.
std::string sleep_text(const Summary& summary, const EfficiencySummary& run) {
  double sleep_s = 0;
  for (const StateSummary& row : summary.states)
    if (row.state == "sleep") sleep_s += row.total_s;
  const double share = run.time_s > 0 ? sleep_s / (run.time_s * static_cast<double>(run.threads)) : 0;
  if (share < kLeastSleep) return "";
  return wrapped(
      fmt::format("Threads sleep for {} of their time, which counts as waiting.", human_percent(std::min(share, 1.0))),
      kIndent, prose_width());
}

}  // namespace

std::string efficiency_section(const Summary& summary, const Paint& paint) {
  const auto run = std::ranges::find(summary.efficiencies, "run", &EfficiencySummary::scope);
  if (run == summary.efficiencies.end()) return {};
  if (recorded_part(summary).misleads)
    return paint.heading("EFFICIENCY") + "\n" +
           wrapped("None: too many calls were not recorded.", kIndent, prose_width());
  if (lacks_ranks(summary))
    return paint.heading("EFFICIENCY") + "\n" +
           wrapped("None: waits for ranks that are not recorded are not known.", kIndent, prose_width());
  for (const ProblemSummary& problem : summary.problems)
    if ((problem.problem == "deadlock" || problem.problem == "unfinished calls") && problem.share >= kHang)
      return paint.heading("EFFICIENCY") + "\n" +
             wrapped(fmt::format("None: {} of the ranks' time is in calls that never returned.",
                                 human_percent(problem.share)),
                     kIndent, prose_width());
  Table table{{{"factor", Align::left}, {"value"}, {"less than 100 % if", Align::left}}};
  table.add({"parallel efficiency", human_percent(run->parallel), "(the product of the others)"});
  table.add({"load balance", human_percent(run->load_balance), "ranks compute for different times"});
  if (is_profile(summary)) {
    table.add({"communication", human_percent(run->communication), "ranks wait in turn, or data under way take time"});
  } else {
    table.add({"serialisation", human_percent(run->serialisation), "ranks wait for each other in turn"});
    table.add({"transfer", human_percent(run->transfer), "MPI itself and data under way take time"});
  }
  if (!summary.ready_times.empty())
    table.add({"processor", human_percent(run->processor), "threads that could run have no processor"});
  if (run->threads != run->processes)
    table.add({"threads", human_percent(run->thread_factor), "threads of a rank have nothing to do"});
  return paint.heading(fmt::format("EFFICIENCY ({}{})", human_duration(run->time_s), analysed_time(summary))) + "\n" +
         table.text([&](const std::string& line) { return paint.title(line); }) + sleep_text(summary, *run) +
         energy_text(summary) + savings_text(summary) + critical_path_text(summary, *run);
}

}  // namespace meridian
