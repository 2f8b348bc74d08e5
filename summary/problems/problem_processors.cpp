// SPDX-License-Identifier: Apache-2.0
// Ranks that are ready to run and have no processor: how long, and who has the processors.
#include "summary/problems/problem_processors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "summary/measures.hpp"
#include "summary/problems/problems.hpp"
#include "summary/recorded_part.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr double kLeastReady = 0.03;  ///< of the ranks' time: every machine has other work now and then
constexpr double kLeastKnown = 0.5;   ///< of the time that the kernel counts: intervals with less are incomplete
constexpr double kDoubtful = 0.1;     ///< of the ranks' time, from which on other figures are in doubt
constexpr double kManySwitches = 50;  ///< involuntary ones, a second and rank
constexpr double kTimeSlice = 0.003;  ///< seconds that another process computes after such a switch: Linux's least
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

/// Ranks of a host, or those of them that are bound to the same processors.
struct Sharers {
  std::string host;
  std::set<unsigned long> processors;
  std::uint64_t ranks = 0, threads = 0;
  std::string bound_to;  ///< list of processors; empty: all that the host is known to have
};

class Hosts {
 public:
  explicit Hosts(const Summary& summary) {
    std::map<std::int32_t, std::uint64_t> threads = threads_at_once(summary);
    for (const ContextSummary& rank : summary.context) {
      add(hosts_[rank.host], rank, threads[rank.rank]);
      Sharers& bound = bound_[{rank.host, rank.cpus}];
      bound.bound_to = rank.cpus;
      add(bound, rank, threads[rank.rank]);
    }
  }
  /// The ranks with the fewest processors for each of them, if they are more than these; first those that are bound to a part of
  /// what the ranks of their host have.
  std::optional<Sharers> with_too_many_ranks() const {
    for (const auto& [key, bound] : bound_)
      if (bound.ranks > bound.processors.size() && !bound.processors.empty() &&
          bound.processors.size() < hosts_.at(key.first).processors.size())
        return bound;
    for (const auto& [name, host] : hosts_)
      if (host.ranks > host.processors.size() && !host.processors.empty()) {
        Sharers sharers = host;
        // Processors are numbered from 0 on: the host has those below the last one too.
        if (*host.processors.rbegin() >= host.processors.size())
          sharers.bound_to = fmt::format("{}", fmt::join(host.processors, ","));
        return sharers;
      }
    return std::nullopt;
  }
  std::optional<Sharers> with_too_many_threads() const {
    for (const auto& [name, host] : hosts_)
      if (host.threads > host.processors.size() && !host.processors.empty()) return host;
    return std::nullopt;
  }
  bool are_known() const {
    return !hosts_.empty() &&
           std::ranges::none_of(hosts_, [](const auto& host) { return host.second.processors.empty(); });
  }

 private:
  static void add(Sharers& sharers, const ContextSummary& rank, std::uint64_t threads) {
    sharers.host = rank.host;
    sharers.processors.merge(processors_of(rank.cpus));
    ++sharers.ranks;
    sharers.threads += threads;
  }
  std::map<std::string, Sharers> hosts_;
  std::map<std::pair<std::string, std::string>, Sharers> bound_;
};

/// Time that the threads of a rank lost. Threads that live at the same time are ready at the same time; threads that live in turn lose in turn:
/// the sum of the threads of such a chain, of the chain that lost most.
class ThreadLosses {
 public:
  ThreadLosses(const Summary& summary, std::int32_t rank) {
    for (const ThreadSummary& row : summary.threads)
      if (row.rank == rank) lives_[row.thread] = {row.begin_s, row.begin_s + row.life_s};
  }
  void add(std::int64_t thread, double lost_s) {
    const auto life = lives_.find(thread);
    losses_.push_back({life != lives_.end() ? life->second : Life{}, lost_s});
    all_s_ += lost_s;
  }
  double all_s() const { return all_s_; }
  double longest_s() {
    std::ranges::sort(losses_, {}, [](const Loss& loss) { return loss.life.end_s; });
    std::vector<double> most;  // of chains of the first i threads
    most.reserve(losses_.size() + 1);
    most.push_back(0);
    for (const Loss& loss : losses_) {
      const auto before =
          std::ranges::upper_bound(losses_.begin(), losses_.begin() + static_cast<std::ptrdiff_t>(most.size()) - 1,
                                   loss.life.begin_s, {}, [](const Loss& each) { return each.life.end_s; });
      most.push_back(std::max(most.back(), most[static_cast<std::size_t>(before - losses_.begin())] + loss.lost_s));
    }
    return most.back();
  }

 private:
  /// Of a thread that is not known: all of the run.
  struct Life {
    double begin_s = 0, end_s = std::numeric_limits<double>::infinity();
  };
  struct Loss {
    Life life;
    double lost_s = 0;
  };
  std::map<std::int64_t, Life> lives_;
  std::vector<Loss> losses_;
  double all_s_ = 0;
};

/// Time that a rank's threads in MPI were ready to run and had no processor.
double ready_seconds(const Summary& summary, const RankSummary& rank) {
  double process_s = 0;
  ThreadLosses threads{summary, rank.rank};
  for (const UsageSummary& usage : summary.usage) {
    if (usage.rank != rank.rank) continue;
    if (usage.thread == -1)
      process_s = usage.ready_s;
    else
      threads.add(usage.thread, usage.ready_s);
  }
  const double part = threads.all_s() > 0 ? threads.longest_s() / threads.all_s() : 1;
  const double most_s = thread_seconds(rank) - rank.ends_s;
  return std::clamp(process_s * part * static_cast<double>(std::max<std::uint64_t>(rank.threads, 1)), 0.0,
                    std::max(most_s, 0.0));
}

/// Time that a rank loses without a processor, by intervals: while it waits it loses nothing. nullopt: they are not known, or most are
/// missing of what the kernel counts.
std::optional<double> lost_by_intervals(const Summary& summary, const RankSummary& rank) {
  double all_s = 0, counted_s = 0;
  ThreadLosses threads{summary, rank.rank};
  for (const ReadyTimeSummary& row : summary.ready_times) {
    if (row.rank != rank.rank) continue;
    threads.add(row.thread, row.compute_s + row.mpi_s);
    all_s += row.compute_s + row.mpi_s + row.wait_s;
  }
  for (const UsageSummary& usage : summary.usage)
    if (usage.rank == rank.rank && usage.thread == -1) counted_s = usage.ready_s;
  if (summary.ready_times.empty() || all_s < kLeastKnown * counted_s) return std::nullopt;
  const double most_s = thread_seconds(rank) - rank.ends_s;
  return std::clamp(threads.longest_s() * static_cast<double>(std::max<std::uint64_t>(rank.threads, 1)), 0.0,
                    std::max(most_s, 0.0));
}

/// Where the kernel does not count that time: estimated from the numbers of processors, or of switches. 0: unknown.
double estimate(const Summary& summary, const Load& load, const std::optional<Sharers>& ranks) {
  const auto count = static_cast<double>(summary.ranks.size());
  if (ranks)
    return load.time_s * (static_cast<double>(ranks->ranks) - static_cast<double>(ranks->processors.size())) / count;
  if (may_be_a_part(summary)) return 0;
  double switches = 0;
  for (const UsageSummary& usage : summary.usage)
    if (usage.thread == -1) switches += static_cast<double>(usage.involuntary_switches);
  if (!(summary.run.time_s > 0) || switches < kManySwitches * count * summary.run.time_s) return 0;
  return std::min(switches * kTimeSlice, load.time_s / 2);
}

std::string count_of(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string waits_text(double waits_s) {
  return waits_s > 0 ? fmt::format(", and others waited {} for them", human_duration(waits_s)) : "";
}

struct Sentences {
  std::string who, remedy;
};

Sentences describe(const Summary& summary, const Hosts& hosts, const std::optional<Sharers>& ranks) {
  if (ranks && !ranks->bound_to.empty())
    return {fmt::format("{} are bound to {} of {} ({})", count_of(ranks->ranks, "rank"),
                        count_of(ranks->processors.size(), "processor"), ranks->host, ranks->bound_to),
            "Bind them to different processors (mpirun --map-by core --bind-to core)."};
  if (ranks)
    return {
        fmt::format("{} share {} of {}", count_of(ranks->ranks, "rank"),
                    count_of(ranks->processors.size(), "processor"), ranks->host),
        fmt::format("Start at most {} there, or use more computers.{}", count_of(ranks->processors.size(), "rank"),
                    ranks->processors.size() > 1 ? ""
                                                 : " If that computer has more processors, let the ranks use them (no "
                                                   "taskset, mpirun --bind-to none).")};
  if (const std::optional<Sharers> threads = hosts.with_too_many_threads())
    return {
        fmt::format("{} of {} share {} of {}", count_of(threads->threads, "thread"), count_of(threads->ranks, "rank"),
                    count_of(threads->processors.size(), "processor"), threads->host),
        "Start fewer threads (OMP_NUM_THREADS) or ranks, or use more computers."};
  if (lacks_ranks(summary))
    return {"Other programs had them, or ranks that are not recorded",
            "Start no more ranks and threads than processors, and keep other programs off these."};
  if (hosts.are_known())
    return {"The program has no more threads than processors, so other programs had them",
            "Keep other programs off these processors, and measure again."};
  return {"There are more threads than processors", "Start fewer threads or ranks, or keep other programs off."};
}

}  // namespace

ReadyDelays ready_delays(const Summary& summary, std::int32_t rank) {
  ReadyDelays sum;
  for (const DelaySummary& delay : summary.delays) {
    if (rank >= 0 && delay.rank != rank) continue;
    const double delay_s = delay.of_ranks_s();
    sum.all_s += delay_s;
    if (delay.what == "ready") sum.ready_s += delay_s;
  }
  return sum;
}

Lack find_lack_of_processors(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems) {
  Lack lack{.knows_intervals = !summary.ready_times.empty()};
  for (const RankSummary& rank : summary.ranks) {
    const std::optional<double> lost_s = lost_by_intervals(summary, rank);
    lack.own_s += lost_s ? *lost_s : ready_seconds(summary, rank);
    lack.knows_intervals = lack.knows_intervals && lost_s;
  }
  const double waits_s = lack.knows_intervals ? ready_delays(summary, -1).ready_s : 0;
  double cost_s = lack.own_s + waits_s;
  const bool is_counted = cost_s > 0;
  const Hosts hosts{summary};
  const std::optional<Sharers> ranks = hosts.with_too_many_ranks();
  // A rank that ended early has not said how long it was ready.
  const bool has_ended = std::ranges::all_of(summary.ranks, [](const auto& rank) { return rank.end == kFinalized; });
  if (!is_counted && has_ended) cost_s = lack.own_s = estimate(summary, load, ranks);
  if (!(cost_s >= kLeastReady * load.time_s) || cost_s == 0) return {};
  const Sentences sentences = describe(summary, hosts, ranks);
  ProblemSummary& problem = problems.emplace_back();
  problem.problem = problem_name(ProblemKind::no_processor);
  problem.cost_s = cost_s;
  problem.text = is_counted ? fmt::format("Ranks were ready to run for {} and had no processor{}. {}.",
                                          human_duration(lack.own_s), waits_text(waits_s), sentences.who)
                            : fmt::format("{}: ranks wait for a processor. The cost is estimated.", sentences.who);
  if (cost_s >= kDoubtful * load.time_s)
    problem.text += " Calls take longer meanwhile: the figures of all other problems are in doubt.";
  problem.remedy = sentences.remedy;
  return lack;
}

}  // namespace meridian
