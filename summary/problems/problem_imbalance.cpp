// SPDX-License-Identifier: Apache-2.0
// Ranks that work longer than others, and ranks that wait for one another in a row.
#include "summary/problems/problem_imbalance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "summary/problems/problem_sleeps.hpp"
#include "summary/problems/problem_transfers.hpp"
#include "summary/problems/problem_waits.hpp"
#include "summary/problems/problems.hpp"
#include "summary/problems/wait_groups.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr double kUneven = 0.1;       ///< 1 - load balance
constexpr double kMuchWaiting = 0.3;  ///< share of waits for locks and threads in a rank's time outside MPI
constexpr double kFirstPlace = 0.95;  ///< of the most work: ranks with more share the first place
constexpr double kNearlyAll = 0.8;    ///< of all messages
constexpr double kHub = 0.4;          ///< of all messages
constexpr double kMostOfOwn = 0.6;    ///< of a rank's waits, for one other rank
constexpr std::size_t kMostListed = 8;

/// "Ranks 0, 1 and 3 work", "Rank 2 works"; of ranks that do not run meanwhile: "Rank 2 spends".
std::string who_works(const std::vector<std::int32_t>& ranks, bool is_asleep) {
  const std::string verb = is_asleep ? "spend" : "work";
  if (ranks.size() > kMostListed) return fmt::format("{} ranks {}", ranks.size(), verb);
  std::string text = list_of_ranks(ranks);
  text.front() = 'R';
  return fmt::format("{} {}{}", text, verb, ranks.size() == 1 ? "s" : "");
}

/// Of all messages, those that a rank sends and receives.
struct Shares {
  double sent = 0, received = 0;
};
Shares shares_of(const Summary& summary, const RankSummary& rank) {
  double sent = 0, received = 0;
  for (const RankSummary& each : summary.ranks) {
    sent += static_cast<double>(each.messages_sent);
    received += static_cast<double>(each.messages_received);
  }
  return {sent > 0 ? static_cast<double>(rank.messages_sent) / sent : 0,
          received > 0 ? static_cast<double>(rank.messages_received) / received : 0};
}

}  // namespace

bool waits_much(const RankLoad& load) {
  return load.rank->waits_s > 0 && load.rank->waits_s > kMuchWaiting * load.outside_s;
}

void find_imbalance(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems) {
  if (load.ranks.size() < 2 || !(1 - load.balance >= kUneven) || waits_much(load.ranks[load.slowest])) return;
  std::map<std::int32_t, double> known;  // waits of ranks
  for (const WaitSummary& row : summary.waits)
    if (!is_of_threads(row) && row.pattern != "wait at init" && row.pattern != "wait at finalize")
      known[row.rank] += row.total_s;
  double cost_s = 0, others_s = 0, all_s = 0;
  std::vector<std::int32_t> slowest;
  for (const RankLoad& rank : load.ranks) {
    if (rank.outside_s >= kFirstPlace * load.max_outside_s) {
      slowest.push_back(rank.rank->rank);
      continue;
    }
    others_s += rank.outside_s;
    all_s += load.max_outside_s - rank.outside_s;
    // A rank that works less loses only what it spends in MPI: others, and MPI_Finalize, may come before the slow one.
    const double unexplained_s = rank.rank->mpi_s - rank.rank->ends_s - known[rank.rank->rank];
    cost_s += std::clamp(load.max_outside_s - rank.outside_s, 0.0, std::max(unexplained_s, 0.0));
  }
  cost_s = std::min(cost_s, unknown_seconds(summary));
  if (!(cost_s > 0) || slowest.size() == load.ranks.size()) return;
  ProblemSummary& problem = problems.emplace_back();
  problem.problem = problem_name(ProblemKind::imbalance);
  problem.cost_s = cost_s;
  set_causers(problem, slowest);
  const double mean_others_s = others_s / static_cast<double>(load.ranks.size() - slowest.size());
  const bool has_one_other = load.ranks.size() - slowest.size() == 1;
  const bool is_asleep = is_late_by_sleep(summary, load, slowest);
  problem.text = fmt::format("{} {} outside MPI, the {} {}{}.", who_works(slowest, is_asleep),
                             human_duration(load.max_outside_s), has_one_other ? "other" : "others",
                             human_duration(mean_others_s), has_one_other ? "" : " on average");
  // Where known waits are the larger part, these problems say what the imbalance costs: this one has a remainder only.
  if (is_asleep && slowest.size() == 1) problem.text += describe_sleep(summary, load, load.ranks[load.slowest]);
  problem.remedy = is_asleep ? sleep_remedy(slowest)
                             : fmt::format("Share {} work evenly{}.{}", slowest.size() == 1 ? "its" : "their",
                                           cost_s >= kKnownShare * all_s
                                               ? fmt::format(": that would save up to {}",
                                                             human_duration(load.max_outside_s - load.mean_outside_s))
                                               : "",
                                           balance_hint(summary));
  if (cost_s < kKnownShare * all_s) problem.text += " Most of what that costs is counted as waits.";
}

std::string balance_hint(const Summary& summary) {
  const std::string& path = summary.run.executable;
  const std::string_view name = std::string_view{path}.substr(path.rfind('/') + 1);
  return name == "lmp" || name.starts_with("lmp_") || name == "lammps" ? " (LAMMPS: `fix balance`)" : "";
}

bool is_hub(const Summary& summary, const RankSummary& rank) {
  const Shares shares = shares_of(summary, rank);
  return summary.ranks.size() >= 3 && shares.sent > kHub && shares.received > kHub;
}

bool sends_to_all(const Summary& summary, const RankSummary& rank) {
  const Shares shares = shares_of(summary, rank);
  return summary.ranks.size() >= 3 && shares.sent > kNearlyAll && shares.received < 1 - kNearlyAll;
}

std::vector<std::int32_t> chain_of(const std::map<std::int32_t, std::map<std::int32_t, double>>& by_waiter) {
  std::map<std::int32_t, std::int32_t> next;
  std::set<std::int32_t> waited_for;
  for (const auto& [waiter, causers] : by_waiter) {
    double all_s = 0;
    for (const auto& [causer, time_s] : causers) all_s += time_s;
    const auto most = std::ranges::max_element(causers, {}, [](const auto& causer) { return causer.second; });
    if (most->second < kMostOfOwn * all_s || !waited_for.insert(most->first).second) return {};
    next[waiter] = most->first;
  }
  std::vector<std::int32_t> chain;
  for (const auto& [waiter, causer] : next)
    if (!waited_for.contains(waiter)) chain = {waiter};
  while (!chain.empty() && next.contains(chain.back())) chain.push_back(next[chain.back()]);
  return chain.size() == next.size() + 1 && chain.size() >= 3 ? chain : std::vector<std::int32_t>{};
}

std::string describe_chain(const std::vector<std::int32_t>& chain, double total_s, const std::string& function,
                           const std::string& place) {
  std::string ranks;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (i == kMostListed && chain.size() > kMostListed + 1) {
      ranks += fmt::format(", ..., {}", chain.back());
      break;
    }
    ranks += fmt::format("{}{}", i == 0 ? "" : ", ", chain[i]);
  }
  return fmt::format(
      "{} ranks wait {} in {}{}, one behind the other: the sends of the chain of ranks {} end from its "
      "end on, each when the next rank receives.",
      chain.size() - 1, human_duration(total_s), function, in_brackets(place), ranks);
}

}  // namespace meridian
