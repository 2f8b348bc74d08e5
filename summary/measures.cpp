// SPDX-License-Identifier: Apache-2.0
#include "summary/measures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>
#include <set>
#include <utility>

namespace meridian {

namespace {

/// The time from a rank's first event to its last, less the time in which recording was switched off.
double recorded_seconds(const RankSummary& rank) { return rank.time_s - rank.unrecorded_s; }

double share(double part, double whole) { return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0; }

/// Time of the threads that call MPI outside of it without a processor, averaged over them.
double away_outside_s(const Summary& summary, const RankSummary& rank, double ReadyTimeSummary::*time_s) {
  double all_s = 0;
  for (const ReadyTimeSummary& row : summary.ready_times)
    if (row.rank == rank.rank && (row.thread == 0 || rank.threads > 1)) all_s += row.*time_s;
  return all_s / static_cast<double>(std::max<std::uint64_t>(rank.threads, 1));
}

}  // namespace

double thread_seconds(const RankSummary& rank) {
  if (!(rank.thread_s > 0)) return recorded_seconds(rank);
  return rank.thread_s * (1 - share(rank.unrecorded_s, rank.time_s));
}

double rank_mpi_share(const RankSummary& rank) {
  return share(rank.mpi_s - rank.ends_s, thread_seconds(rank) - rank.ends_s);
}

std::map<std::int32_t, std::uint64_t> threads_at_once(const Summary& summary) {
  std::map<std::int32_t, std::vector<std::pair<double, int>>> changes;  // by rank: time, +1 or -1
  for (const ThreadSummary& row : summary.threads) {
    changes[row.rank].emplace_back(row.begin_s, 1);
    changes[row.rank].emplace_back(row.begin_s + row.life_s, -1);
  }
  std::map<std::int32_t, std::uint64_t> most;
  for (const RankSummary& rank : summary.ranks) {
    std::uint64_t& count = most[rank.rank] = std::max<std::uint64_t>(rank.all_threads, 1);
    const auto known = changes.find(rank.rank);
    if (known == changes.end() || known->second.size() < 2 * count) continue;
    std::ranges::sort(known->second);  // at one time, the ends come first
    std::int64_t alive = 0, most_alive = 1;
    for (const auto& [time_s, change] : known->second) most_alive = std::max(most_alive, alive += change);
    // Calls from callbacks are rows, too, and no threads: there are never more of these than all threads of the rank.
    const auto alive_at_once = static_cast<std::uint64_t>(most_alive);
    count = rank.all_threads > 0 ? std::min(alive_at_once, rank.all_threads) : alive_at_once;
  }
  return most;
}

Load measure_load(const Summary& summary) {
  Load load;
  load.knows_ready = !summary.ready_times.empty();
  double mpi_s = 0;
  double outside_s = 0;
  for (const RankSummary& rank : summary.ranks) {
    const double all_outside = recorded_seconds(rank) * (1 - share(rank.mpi_s, thread_seconds(rank)));
    const double outside =
        all_outside - std::min(away_outside_s(summary, rank, &ReadyTimeSummary::compute_s), all_outside);
    load.ranks.push_back({&rank, rank_mpi_share(rank), outside,
                          std::min(away_outside_s(summary, rank, &ReadyTimeSummary::slept_s), outside)});
    mpi_s += rank.mpi_s - rank.ends_s;
    load.time_s += thread_seconds(rank) - rank.ends_s;
    outside_s += outside;
    if (outside > load.ranks[load.slowest].outside_s) load.slowest = load.ranks.size() - 1;
  }
  if (load.ranks.empty()) return load;
  load.mpi_share = share(mpi_s, load.time_s);
  load.mean_outside_s = outside_s / static_cast<double>(load.ranks.size());
  load.max_outside_s = load.ranks[load.slowest].outside_s;
  load.balance =
      load.max_outside_s > 0 || !std::isfinite(load.max_outside_s) ? load.mean_outside_s / load.max_outside_s : 1;
  return load;
}

double load_balance(const Summary& summary, const Load& load) {
  const auto run = std::ranges::find(summary.efficiencies, "run", &EfficiencySummary::scope);
  return run == summary.efficiencies.end() ? load.balance : run->load_balance;
}

std::vector<EfficiencySummary> efficiencies_of_sums(const Summary& summary) {
  const Load load = measure_load(summary);
  if (load.ranks.empty() || !(load.time_s > 0)) return {};
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  EfficiencySummary run;
  run.scope = "run";
  run.processes = load.ranks.size();
  run.threads = summary.run.threads;
  run.time_s = load.time_s / static_cast<double>(load.ranks.size());
  run.compute_s = load.mean_outside_s * static_cast<double>(load.ranks.size());
  run.ideal_s = run.serialisation = run.transfer = kUnknown;
  run.load_balance = load.balance;
  run.communication = share(load.max_outside_s, run.time_s);
  run.mpi_factor = run.parallel = run.load_balance * run.communication;
  run.thread_factor = 1;
  return {run};
}

Energy measure_energy(const Summary& summary) {
  Energy energy;
  std::set<std::string_view> hosts;
  for (const EnergySummary& row : summary.energy) {
    if (!row.is_added || row.inner_s <= 0) continue;
    hosts.insert(row.host);
    energy.joules += row.inner_joules;
    energy.watts += row.inner_joules / row.inner_s;
  }
  energy.hosts = hosts.size();
  return energy;
}

double mpi_share(const Summary& summary) { return measure_load(summary).mpi_share; }

double mpi_seconds(const Summary& summary) { return sum_of(summary.ranks, &RankSummary::mpi_s); }

double ends_seconds(const Summary& summary) { return sum_of(summary.ranks, &RankSummary::ends_s); }

std::size_t count_findings(const Summary& summary, Severity severity) {
  return static_cast<std::size_t>(std::count_if(summary.findings.begin(), summary.findings.end(),
                                                [&](const Finding& finding) { return finding.severity == severity; }));
}

const char* severity_name(Severity severity) {
  return kSeverityNames[std::min(static_cast<std::size_t>(severity), kSeverityNames.size() - 1)].data();
}

std::string utc_time(std::int64_t realtime_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kFirstMpi =
      767'923'200 * kSecond;  // 1994-05-03: a clock that shows an earlier time was never set
  const std::time_t seconds = static_cast<std::time_t>(realtime_ns / kSecond - (realtime_ns % kSecond < 0 ? 1 : 0));
  std::tm parts{};
  std::array<char, 40> text{};
  if (realtime_ns < kFirstMpi || gmtime_r(&seconds, &parts) == nullptr) return {};
  if (std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts) == 0) return {};
  return text.data();
}

std::string begin_text(const Summary& summary) { return utc_time(summary.run.begin_realtime_ns); }

}  // namespace meridian
