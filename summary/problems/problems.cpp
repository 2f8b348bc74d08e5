// SPDX-License-Identifier: Apache-2.0
#include "summary/problems/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "summary/measures.hpp"
#include "summary/problems/problem_waits.hpp"
#include "summary/units.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

constexpr double kLeastShare = 0.01;    ///< of the ranks' time: less is not worth a user's
constexpr double kSmallMessage = 1024;  ///< bytes, mean
constexpr double kManySmall = 10'000;
constexpr double kMuchTransfer = 0.05;  ///< share of one function in the ranks' time, without its waits
constexpr double kManySwitches = 50;    ///< involuntary ones, a second and rank
constexpr double kTimeSlice = 0.003;    ///< seconds that another process computes after such a switch: Linux's least
constexpr unsigned long kMostProcessors = 4096;  ///< a number in a list of processors is at most this

/// Numbers in a list like "0-3,8".
std::set<unsigned long> processors_of(const std::string& list) {
  std::set<unsigned long> all;
  const char* at = list.c_str();
  while (*at >= '0' && *at <= '9') {
    char* end = nullptr;
    const unsigned long first = std::strtoul(at, &end, 10);
    const unsigned long last = *end == '-' ? std::strtoul(end + 1, &end, 10) : first;
    for (unsigned long i = first; i <= last && i <= kMostProcessors; ++i) all.insert(i);
    if (*end != ',') break;
    at = end + 1;
  }
  return all;
}

struct HostLoad {
  std::set<unsigned long> processors;
  double ranks = 0;
};

/// Time that the ranks were ready to run and had no processor; 0: not known.
double ready_seconds(const Summary& summary) {
  double ready_s = 0;
  for (const UsageSummary& usage : summary.usage)
    if (usage.thread == -1) ready_s += usage.ready_s;
  return ready_s;
}

/// "They waited 2.1 s for one."
std::string describe_ready(const Summary& summary) {
  const double ready_s = ready_seconds(summary);
  return ready_s > 0 ? fmt::format(" In all, they were ready to run for {} without one.", human_duration(ready_s)) : "";
}

/// Ranks, or their threads, that wait for a processor.
void find_lack_of_processors(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems) {
  std::map<std::string, HostLoad> hosts;
  for (const ContextSummary& rank : summary.context) {
    HostLoad& host = hosts[rank.host];
    host.processors.merge(processors_of(rank.cpus));
    ++host.ranks;
  }
  const double ranks = static_cast<double>(summary.ranks.size());
  for (const auto& [name, host] : hosts) {
    const double processors = static_cast<double>(host.processors.size());
    if (processors == 0 || host.ranks <= processors) continue;
    ProblemSummary& problem = problems.emplace_back();
    problem.problem = problem_name(ProblemKind::too_many_ranks);
    problem.cost_s = load.time_s * (host.ranks - processors) / ranks;
    problem.text = fmt::format(
        "{:.0f} ranks share {:.0f} processors of {}: ranks wait for a processor, and the calls in "
        "which they are then seem to be slow.{}",
        host.ranks, processors, name, describe_ready(summary));
    problem.remedy = fmt::format("Start at most {:.0f} ranks there, or use more computers.", processors);
    return;  // waits of the kind below follow from this one
  }
  double switches = 0;
  for (const UsageSummary& usage : summary.usage)
    if (usage.thread == -1) switches += static_cast<double>(usage.involuntary_switches);
  if (!(summary.run.time_s > 0) || switches < kManySwitches * ranks * summary.run.time_s) return;
  ProblemSummary& problem = problems.emplace_back();
  problem.problem = problem_name(ProblemKind::too_many_threads);
  const double ready_s = ready_seconds(summary);
  // As much of it in MPI_Init and MPI_Finalize, which are not part of time_s, as of the other time.
  const double rest = load.time_s > 0 ? load.time_s / (load.time_s + ends_seconds(summary)) : 0;
  problem.cost_s =
      ready_s > 0 ? std::min(ready_s * rest, load.time_s) : std::min(switches * kTimeSlice, load.time_s / 2);
  problem.text = fmt::format(
      "Processors were taken away from the program {} times, {:.0f} times a second and rank: more "
      "threads want to compute than there are processors.{}",
      human_count(static_cast<std::uint64_t>(switches)), switches / ranks / summary.run.time_s,
      ready_s > 0 ? describe_ready(summary) : " The cost is estimated.");
  problem.remedy = "Start fewer threads or ranks, bind them to processors, or keep other programs off.";
}

/// Time in this function that is no wait for another rank.
double transfer_seconds(const Summary& summary, const FunctionSummary& function) {
  double waits_s = 0;
  for (const WaitSummary& row : summary.waits)
    if (row.function == function.name) waits_s += row.total_s;
  return std::max(0.0, function.total_s - waits_s);
}

const SiteSummary* longest_site(const Summary& summary, const std::string& function) {
  const SiteSummary* longest = nullptr;
  for (const SiteSummary& site : summary.sites)
    if (site.function == function && (longest == nullptr || site.total_s > longest->total_s)) longest = &site;
  return longest;
}

CallGroup group_of(const FunctionSummary& function) { return group_by_name(function.group); }

bool has_partitions(const Summary& summary) {
  return std::ranges::any_of(summary.functions, [](const FunctionSummary& row) {
    const Role role = facts_of(row.name).facts.role;
    return role == Role::psend_init || role == Role::precv_init;
  });
}

/// Calls whose waits for other ranks are in no table: they are matched with no call of another rank.
bool has_unknown_waits(const Summary& summary, const FunctionSummary& function) {
  // Partitions: their waits are not found, those of other requests are.
  if (group_of(function) == CallGroup::request && has_partitions(summary)) return true;
  if (std::ranges::find(summary.waits, function.name, &WaitSummary::function) != summary.waits.end()) return false;
  const auto [id, group, facts] = facts_of(function.name);
  if (group == CallGroup::rma) return !is_access(facts.role);
  return facts.is_collective_io || facts.bytes == BytesRule::over_neighbours;
}

/// Others wait in such a call for a rank that works longer, as far as no wait for it is known. Returns the time that they do.
double waits_for_slowest(const Summary& summary, const FunctionSummary& function, const std::string& place,
                         double cost_s, std::vector<ProblemSummary>& problems) {
  const auto imbalance = std::ranges::find(problems, problem_name(ProblemKind::imbalance), &ProblemSummary::problem);
  if (!has_unknown_waits(summary, function) || imbalance == problems.end() || !imbalance->function.empty()) return 0;
  if (cost_s < kKnownShare * imbalance->cost_s) return 0;
  imbalance->function = function.name;
  imbalance->place = place;
  imbalance->text += fmt::format(" Others seem to wait for it in {}{}, in which waits are not known.", function.name,
                                 in_brackets(place));
  return std::min(cost_s, imbalance->cost_s);
}

std::string_view transfer_remedy(const FunctionSummary& function) {
  const auto [id, group, facts] = facts_of(function.name);
  if (facts.role == Role::make_window || id == CallId::Win_free)
    return "Do so less often: create a window once, and use it for the whole run.";
  if (group != CallGroup::io) return "Fewer calls with more data, or non-blocking ones with work in the meantime.";
  if (facts.is_metadata_io) return "Do so less often: keep files open, or have one file of all ranks instead of many.";
  return "Write less often or larger pieces, all ranks together (MPI_File_write_all), or meanwhile (MPI_File_iwrite).";
}

void find_transfers(const Summary& summary, const Load& load, const std::map<std::string, ChargedWaits>& charged,
                    std::vector<ProblemSummary>& problems) {
  const double messages = static_cast<double>(summary.messages.matched);
  const double mean = messages > 0 ? static_cast<double>(summary.messages.bytes) / messages : 0;
  const bool are_small = messages >= kManySmall && mean < kSmallMessage;
  double small_s = 0;
  const FunctionSummary* longest = nullptr;
  for (const FunctionSummary& function : summary.functions) {
    if (!moves_data(group_of(function))) continue;
    double cost_s = transfer_seconds(summary, function);
    const bool moves_messages = group_of(function) == CallGroup::p2p || group_of(function) == CallGroup::request;
    if (are_small && moves_messages) {
      small_s += cost_s;
      if (longest == nullptr || cost_s > transfer_seconds(summary, *longest)) longest = &function;
      continue;
    }
    const auto waits = charged.find(function.name);
    if (waits == charged.end() && cost_s < kMuchTransfer * load.time_s) continue;
    const SiteSummary* const site = longest_site(summary, function.name);
    const std::string place = site != nullptr ? place_text(*site) : "";
    cost_s -= waits_for_slowest(summary, function, place, cost_s, problems);
    if (waits == charged.end() && cost_s < kMuchTransfer * load.time_s) continue;
    ProblemSummary& problem = problems.emplace_back();
    problem.problem =
        problem_name(group_of(function) == CallGroup::io ? ProblemKind::input_and_output : ProblemKind::transfer);
    problem.cost_s = cost_s;
    problem.function = function.name;
    problem.place = place;
    problem.text =
        fmt::format("{}{} takes {}{}: {} calls, mean {}.", function.name, in_brackets(place), human_duration(cost_s),
                    has_unknown_waits(summary, function) ? ", in which waits for other ranks are not known"
                                                         : " besides waits for other ranks",
                    human_count(function.count), human_duration(function.mean_s));
    if (waits != charged.end()) {
      problem.cost_s += waits->second.total_s;
      problem.causer = waits->second.rank;
      problem.text += fmt::format(" Therefore other ranks wait {} for rank {}.", human_duration(waits->second.total_s),
                                  waits->second.rank);
    }
    problem.remedy = transfer_remedy(function);
  }
  if (longest == nullptr) return;
  ProblemSummary& problem = problems.emplace_back();
  problem.problem = problem_name(ProblemKind::small_messages);
  problem.cost_s = small_s;
  problem.function = longest->name;
  if (const SiteSummary* const site = longest_site(summary, longest->name)) problem.place = place_text(*site);
  problem.text = fmt::format("{} messages carry {} on average and take {} besides waits, most in {}{}.",
                             human_count(summary.messages.matched), human_bytes(mean), human_duration(small_s),
                             longest->name, in_brackets(problem.place));
  problem.remedy = "Send fewer and larger ones: each costs the latency of the network.";
}

/// Slow iterations of a rank, or of most, in one phase.
ProblemSummary slow_iterations(const PhaseSummary& phase, const IterationFindingSummary& worst, double cost_s,
                               std::size_t count) {
  ProblemSummary problem;
  problem.problem = problem_name(ProblemKind::slow_iterations);
  problem.cost_s = cost_s;
  problem.text = worst.text;
  if (count > 1)
    problem.text += fmt::format(" {} of {} iterations are slow.", human_count(count), human_count(phase.iterations));
  problem.remedy = "Look at these iterations in a timeline: what is only done in some of them, or by other programs?";
  return problem;
}

/// Problems of iterations. Where another problem names their rank and costs as much, they only explain it.
void find_slow_iterations(const Summary& summary, std::vector<ProblemSummary>& problems) {
  // Instances of regions say the same once more.
  const auto is_iteration = [&](const IterationFindingSummary& finding) {
    return finding.phase < summary.phases.size() && summary.phases[finding.phase].unit != "instance";
  };
  std::map<std::tuple<std::uint64_t, std::int32_t>, std::pair<double, std::size_t>> slow;  // phase, rank
  for (const IterationFindingSummary& finding : summary.iteration_findings)
    if (finding.kind == "slow iteration" && is_iteration(finding)) {
      auto& [cost_s, count] = slow[{finding.phase, finding.rank}];
      cost_s += finding.cost_s;
      ++count;
    }
  const std::size_t others = problems.size();
  for (const IterationFindingSummary& finding : summary.iteration_findings) {
    if (!is_iteration(finding) || finding.kind == "slow in MPI") continue;
    const PhaseSummary& phase = summary.phases[finding.phase];
    ProblemSummary problem;
    if (finding.kind == "slow iteration") {
      const auto all = slow.find({finding.phase, finding.rank});
      if (all == slow.end()) continue;  // told with the worst one
      problem = slow_iterations(phase, finding, all->second.first, all->second.second);
      slow.erase(all);
    } else {
      problem.problem = problem_name(ProblemKind::drift);
      problem.cost_s = finding.cost_s;
      problem.text = finding.text;
      problem.remedy =
          "Look for what grows with the iterations: work, data, fragments of memory, heat of the processor.";
    }
    problem.function = phase.function;
    problem.place = phase.place;
    problem.causer = finding.rank;
    const auto cause = std::find_if(
        problems.begin(), problems.begin() + static_cast<std::ptrdiff_t>(others), [&](const ProblemSummary& other) {
          return problem.causer >= 0 && other.causer == problem.causer && other.cost_s >= kKnownShare * problem.cost_s;
        });
    if (cause == problems.begin() + static_cast<std::ptrdiff_t>(others)) {
      problems.push_back(std::move(problem));
    } else if (problem.cost_s >= kKnownShare * cause->cost_s) {
      cause->text += " " + problem.text;
    }
  }
}

/// Calls take longer while a rank has no processor: that is named before the calls that suffer from it.
void put_cause_first(std::vector<ProblemSummary>& problems) {
  const auto is = [](const ProblemSummary& problem, ProblemKind kind) { return problem.problem == problem_name(kind); };
  const auto lack = std::ranges::find_if(problems, [&](const ProblemSummary& problem) {
    return is(problem, ProblemKind::too_many_ranks) || is(problem, ProblemKind::too_many_threads);
  });
  const auto suffers = [&](const ProblemSummary& problem) {
    return is(problem, ProblemKind::transfer) || is(problem, ProblemKind::small_messages);
  };
  if (lack == problems.end()) return;
  std::rotate(std::find_if(problems.begin(), lack, suffers), lack, lack + 1);
}

}  // namespace

std::vector<ProblemSummary> find_problems(const Summary& summary) {
  const Load load = measure_load(summary);
  std::vector<ProblemSummary> problems;
  const std::map<std::string, ChargedWaits> charged = find_waiting(summary, load, problems);
  find_transfers(summary, load, charged, problems);
  find_lack_of_processors(summary, load, problems);
  find_slow_iterations(summary, problems);
  for (ProblemSummary& problem : problems) problem.share = load.time_s > 0 ? problem.cost_s / load.time_s : 0;
  std::erase_if(problems, [](const ProblemSummary& problem) { return !(problem.share >= kLeastShare); });
  std::ranges::stable_sort(problems, std::greater{}, &ProblemSummary::cost_s);
  put_cause_first(problems);
  return problems;
}

}  // namespace meridian
