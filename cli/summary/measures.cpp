#include "cli/summary/measures.hpp"

#include <algorithm>

namespace meridian {

Load measure_load(const Summary& summary) {
  Load load;
  double mpi_s = 0;
  double time_s = 0;
  double outside_s = 0;
  for (const RankSummary& rank : summary.ranks) {
    const double threads = rank.threads == 0 ? 1 : static_cast<double>(rank.threads);
    const double thread_s = rank.time_s * threads;
    const double outside = std::max(0.0, rank.time_s - rank.mpi_s / threads);
    load.ranks.push_back({&rank, thread_s > 0 ? rank.mpi_s / thread_s : 0, outside});
    mpi_s += rank.mpi_s;
    time_s += thread_s;
    outside_s += outside;
    if (outside > load.ranks[load.slowest].outside_s) load.slowest = load.ranks.size() - 1;
  }
  if (load.ranks.empty()) return load;
  load.mpi_share = time_s > 0 ? mpi_s / time_s : 0;
  load.mean_outside_s = outside_s / static_cast<double>(load.ranks.size());
  load.max_outside_s = load.ranks[load.slowest].outside_s;
  load.balance = load.max_outside_s > 0 ? load.mean_outside_s / load.max_outside_s : 1;
  return load;
}

double mpi_seconds(const Summary& summary) {
  double total = 0;
  for (const RankSummary& rank : summary.ranks) total += rank.mpi_s;
  return total;
}

std::size_t count_findings(const Summary& summary, Severity severity) {
  return static_cast<std::size_t>(std::count_if(summary.findings.begin(), summary.findings.end(),
                                                [&](const Finding& finding) { return finding.severity == severity; }));
}

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::data_loss:
      return "data_loss";
    case Severity::error:
      break;
  }
  return "error";
}

}  // namespace meridian
