// SPDX-License-Identifier: Apache-2.0
#include "summary/problems/problem_waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "summary/problems/problem_files.hpp"
#include "summary/problems/problem_imbalance.hpp"
#include "summary/problems/problem_locks.hpp"
#include "summary/problems/problem_openmp.hpp"
#include "summary/problems/problem_processors.hpp"
#include "summary/problems/problem_sleeps.hpp"
#include "summary/problems/problem_window_locks.hpp"
#include "summary/problems/problems.hpp"
#include "summary/problems/wait_groups.hpp"
#include "summary/problems/wait_texts.hpp"
#include "summary/units.hpp"
#include "trace/model/call_facts.hpp"
#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

constexpr double kLeastRest = 0.05;  ///< of the waits in a place: fewer for other ranks are not mentioned
constexpr double kMainShare = 0.4;   ///< of the waits in a place, charged to one activity, for which it is named
constexpr double kMostlyLack =
    0.8;  ///< of what is charged to a rank: that it had no processor is the reason for all of it
constexpr double kWorthComparing = 1.05;  ///< of a rank's time outside MPI, of the mean: less explains no wait
constexpr std::size_t kMostNumbers = 8;   ///< of ranks, in a sentence
constexpr double kSideEffect =
    0.1;  ///< of what OpenMP threads of a rank wait for each other: shorter waits have other causes

bool is_poll(std::string_view function) { return facts_of(function).facts.poll != Poll::no; }

using WaitKey = std::tuple<std::string, std::string, std::string>;  ///< pattern, function, place

std::string with(std::string_view text, const std::string& rank, const std::string& late, const std::string& target) {
  std::string result{text};
  for (const auto& [name, value] :
       {std::pair<std::string_view, const std::string&>{"{rank}", rank}, {"{late}", late}, {"{target}", target}})
    if (const std::size_t at = result.find(name); at != std::string::npos) result.replace(at, name.size(), value);
  return result;
}

class WaitingFinder {
 public:
  WaitingFinder(const Summary& summary, const Load& load)
      : summary_{summary}, load_{load}, threads_{threads_at_once(summary)} {
    for (const WaitSummary& row : summary.waits) {
      // Completions are times of the library and the network; a rank loses only a part of the waits of its threads.
      if (row.count == 0 || is_of_threads(row) || row.pattern == "wait at init" || row.pattern == "wait at finalize" ||
          row.pattern.ends_with("completion"))
        continue;
      groups_[{row.pattern, row.function, row.place}].add(row);
    }
    for (const DelaySummary& delay : summary.delays) {
      ReadyDelays& lack = lacks_[delay.rank];
      lack.all_s += delay.of_ranks_s();
      if (delay.what == "ready") lack.ready_s += delay.of_ranks_s();
    }
  }

  std::map<std::string, ChargedWaits> find(std::vector<ProblemSummary>& problems) {
    std::vector<const std::pair<const WaitKey, WaitGroup>*> longest_first;
    for (const auto& each : groups_) longest_first.push_back(&each);
    std::ranges::stable_sort(longest_first, std::greater{}, [](const auto* each) { return each->second.total_s; });
    for (const auto* const each : longest_first) {
      const WaitKey& key = each->first;
      const WaitGroup& group = each->second;
      const std::int32_t causer = causer_of(key, group);
      const RankLoad* const rank = load_of(causer);
      const double by_openmp_s = late_by_openmp(causer, group), rest_s = group.total_s - by_openmp_s;
      if (by_openmp_s > 0) {
        openmp_victims_[causer] += by_openmp_s;
        if (!(rest_s > 0)) continue;
      }
      if (rank != nullptr && waits_much(*rank) && worst_lock(summary_, causer) != nullptr) {
        victims_[causer] += rest_s;
        continue;
      }
      const bool has_holders = causer < 0 && is_window_lock(key);  // each is late by its own work under the lock
      const DelaySummary* delay = has_holders ? nullptr : causer < 0 ? main_root(group) : main_delay(causer, group);
      if (const DelaySummary* const file =
              is_file_call(delay) ? delay : main_file_delay(summary_, causer, kMainShare * group.total_s);
          file != nullptr && take_from_files(file->rank, group)) {
        charged_[file->function].add(rest_s, file->rank);
        continue;
      }
      if (is_file_call(delay)) delay = nullptr;
      problems.push_back(describe(key, group, causer, delay));
      if (!(by_openmp_s > 0)) continue;
      ProblemSummary& rest = problems.back();
      rest.cost_s = rest_s;
      rest.text += fmt::format(" {} of that is part of the {}.", human_duration(by_openmp_s),
                               problem_name(ProblemKind::openmp_imbalance));
    }
    for (const OpenmpRegionSummary& region : summary_.openmp_regions) {
      if (!(region.lost_s > 0)) continue;
      const bool is_worst = &region == worst_openmp_region(summary_, region.rank);
      const auto victims = openmp_victims_.find(region.rank);
      const bool has_victims = is_worst && victims != openmp_victims_.end();
      problems.push_back(describe_openmp_imbalance(region, has_victims ? victims->second : 0));
    }
    find_imbalance(summary_, load_, problems);
    for (const RankLoad& rank : load_.ranks)
      if (const LockSummary* const lock = worst_lock(summary_, rank.rank->rank); lock != nullptr)
        problems.push_back(describe_lock(summary_, *lock, *rank.rank, threads_.at(rank.rank->rank), victims_of(rank)));
    return charged_;
  }

 private:
  /// Of the group's waits, those that end if the threads of the rank waited for do not wait for each other in a parallel
  /// region; 0 if that is not the main reason, or they wait longer for a lock.
  double late_by_openmp(std::int32_t causer, const WaitGroup& group) const {
    const OpenmpRegionSummary* const region = causer < 0 ? nullptr : worst_openmp_region(summary_, causer);
    const LockSummary* const lock = worst_lock(summary_, causer);
    if (region != nullptr && lock != nullptr && lock->wait_s > region->barrier_s) return 0;
    if (region == nullptr || group.total_s < kSideEffect * region->lost_s) return 0;
    const std::size_t others = group.waiters.size() - (group.waiters.contains(causer) ? 1 : 0);
    const auto known = openmp_victims_.find(causer);
    const double left_s = region->lost_s * static_cast<double>(std::max<std::size_t>(others, 1)) -
                          (known == openmp_victims_.end() ? 0 : known->second);
    return left_s >= kMainShare * group.total_s ? std::min(left_s, group.total_s) : 0;
  }

  /// Why `causer` is late: the activity, its own or of a rank that makes it wait, to which most of the group's waits are
  /// charged; nullptr: there is no single one.
  const DelaySummary* main_delay(std::int32_t causer, const WaitGroup& group) const {
    if (causer < 0) return nullptr;
    const DelaySummary* most = nullptr;
    const auto charged_s = [&](const DelaySummary& delay) {
      return delay.rank == causer ? delay.short_term_s : delay.long_term_s;
    };
    for (const DelaySummary& delay : summary_.delays)
      if (is_worth_naming(delay) && charged_s(delay) >= kMainShare * own_part(delay) * group.total_s &&
          (most == nullptr || charged_s(delay) > charged_s(*most)))
        most = &delay;
    return most;
  }

  /// Whether a rank's calls on files explain these waits. What they cost is charged to them for all waits together, so that what
  /// longer waits have taken explains no further ones.
  bool take_from_files(std::int32_t rank, const WaitGroup& group) {
    const double own_s = (1 - lack_of(rank)) * group.total_s;
    double& left_s = files_left_.try_emplace(rank, file_delays_of(summary_, rank)).first->second;
    if (left_s < kMainShare * own_s) return false;
    left_s -= own_s;
    return true;
  }

  /// The rank, and its most expensive activity, that makes the ranks of a group wait although they wait for several: most of
  /// the group's waits are charged to it even if all that is charged to other ranks were waits of this group.
  const DelaySummary* main_root(const WaitGroup& group) const {
    std::map<std::int32_t, double> charged;
    double all_s = 0;
    for (const DelaySummary& delay : summary_.delays) {
      const double cost_s = delay.of_ranks_s();
      charged[delay.rank] += cost_s;
      all_s += cost_s;
    }
    const auto most = std::ranges::max_element(charged, {}, [](const auto& rank) { return rank.second; });
    if (most == charged.end() || all_s - most->second > (1 - kMostly) * group.total_s) return nullptr;
    const DelaySummary* main = nullptr;
    for (const DelaySummary& delay : summary_.delays)
      if (delay.rank == most->first && is_worth_naming(delay) &&
          (main == nullptr || delay.of_ranks_s() > main->of_ranks_s()))
        main = &delay;
    return main;
  }

  /// Of what is charged to a rank, the part in which it had no processor. That counts for the lack of processors; the cost of a wait is the rest.
  double lack_of(std::int32_t rank) const {
    const auto found = lacks_.find(rank);
    return found == lacks_.end() || !(found->second.all_s > 0) ? 0 : found->second.ready_s / found->second.all_s;
  }
  /// So the lack of a processor is a reason only where hardly anything else is.
  bool is_worth_naming(const DelaySummary& delay) const {
    return delay.what != "ready" || lack_of(delay.rank) >= kMostlyLack;
  }
  double own_part(const DelaySummary& delay) const { return delay.what == "ready" ? 1 : 1 - lack_of(delay.rank); }

  /// Whether ranks are outside MPI for so much longer than their waiters that nothing but less work makes their waits shorter.
  bool work_longer(const std::vector<std::int32_t>& causers, const std::set<std::int32_t>& waiters,
                   double total_s) const {
    double outside_s = 0, own_s = total_s, longer_s = 0;
    for (const std::int32_t causer : causers) {
      const RankLoad* const load = load_of(causer);
      if (load == nullptr) return false;
      outside_s += load->outside_s;
      own_s -= total_s * lack_of(causer) / static_cast<double>(causers.size());
    }
    outside_s /= static_cast<double>(causers.size());
    for (const std::int32_t waiter : waiters)
      if (const RankLoad* const load = load_of(waiter); load != nullptr)
        longer_s += std::max(outside_s - load->outside_s, 0.0);
    return !causers.empty() && longer_s >= kKnownShare * own_s;
  }

  static bool is_window_lock(const WaitKey& key) { return std::get<0>(key) == "window lock"; }

  /// The same; for the lock of a window only a rank that has it for most of the time: of ranks that have it in turn, the one that
  /// was waited for longest is so by chance.
  std::int32_t causer_of(const WaitKey& key, const WaitGroup& group) const {
    const std::int32_t causer = main_causer(group);
    if (causer < 0 || !is_window_lock(key)) return causer;
    const LockedTarget locked = locked_target(group);
    return locked.holders.empty() || locked.main_holder == causer ? causer : -1;
  }

  LockedTarget locked_target(const WaitGroup& group) const {
    std::set<std::int32_t> causers;
    for (const auto& [causer, time_s] : group.causers) causers.insert(causer);
    return worst_locked_target(summary_, causers);
  }

  double victims_of(const RankLoad& load) const {
    const auto victims = victims_.find(load.rank->rank);
    return victims == victims_.end() ? 0 : victims->second;
  }

  const RankLoad* load_of(std::int32_t rank) const {
    const auto found = std::ranges::find(load_.ranks, rank, [](const RankLoad& row) { return row.rank->rank; });
    return found == load_.ranks.end() ? nullptr : &*found;
  }

  ProblemSummary describe(const WaitKey& key, const WaitGroup& group, std::int32_t causer,
                          const DelaySummary* delay) const {
    const std::string &pattern = std::get<0>(key), &function = std::get<1>(key), &place = std::get<2>(key);
    const auto texts =
        std::ranges::find_if(kWaitTexts, [&](const WaitTexts& row) { return pattern.starts_with(row.begins); });
    ProblemSummary problem;
    problem.problem = pattern;
    problem.cost_s = group.total_s;
    problem.function = function;
    problem.place = place;
    problem.causer_function = group.longest->causer_function;
    problem.causer_place = group.longest->causer_place;
    std::string late = problem.causer_function;
    if (!problem.causer_place.empty()) late += (late.empty() ? "" : " in ") + problem.causer_place;
    if (!late.empty()) late = " (" + late + ")";
    const bool has_joint = causer < 0 && delay == nullptr && !is_window_lock(key);
    const std::vector<std::int32_t> causers = causer >= 0 ? std::vector{causer}
                                              : has_joint ? joint_causers(group)
                                                          : std::vector<std::int32_t>{};
    set_causers(problem, causers);
    const std::set<std::int32_t> ranks = causers.empty() ? group.waiters : waiters_for(causers, group);
    const double rest_s = causers.empty()       ? 0
                          : causers.size() == 1 ? group.total_s - group.causers.at(causer)
                                                : group.total_s - waits_for(causers, group);
    const bool has_rest = rest_s >= kLeastRest * group.total_s;
    const LockedTarget locked = is_window_lock(key) ? locked_target(group) : LockedTarget{};
    const std::string target = locked.holders.empty() ? "of a window" : describe_target(locked);
    const std::string_view cause = causers.empty()       ? texts->several
                                   : causers.size() == 1 ? texts->cause
                                                         : texts->causes;
    problem.text = fmt::format("{} {} in {}{} {}{}.", waiting(ranks, causers.size() > 1),
                               human_duration(group.total_s - (has_rest ? rest_s : 0)), function, in_brackets(place),
                               with(cause, causers.empty() ? "" : list_of_ranks(causers), late, target),
                               has_rest ? fmt::format("; other waits there take {}", human_duration(rest_s)) : "");
    if (const std::vector<std::int32_t> chain = chain_of(group.by_waiter);
        causer < 0 && pattern == "late receiver" && !chain.empty()) {
      set_causers(problem, {});
      problem.problem = problem_name(ProblemKind::serialisation);
      problem.text = describe_chain(chain, group.total_s, function, place);
      problem.remedy = kBreakChain;
      return problem;
    }
    problem.text += describe_holds(locked);
    if (is_poll(function)) problem.text += " Only the time inside these calls counts, not that between them.";
    if (delay != nullptr && (delay->rank != causer || delay->what != "compute")) {
      if (causer < 0)
        problem.text += fmt::format(" In the end they wait for rank {}{}{}.", delay->rank,
                                    delay->what == "call" ? " and its " : "", describe(*delay));
      else if (delay->rank == causer)
        problem.text += delay->what == "ready" ? std::string{" It is late because it has no processor meanwhile."}
                                               : fmt::format(" It is late because of {}.", describe(*delay));
      else
        problem.text += fmt::format(" It is late because it waits itself, in the end for rank {}{}{}.", delay->rank,
                                    delay->what == "call" ? " and its " : "", describe(*delay));
      if (delay->what != "ready" || delay->rank != causer) {  // its own lack of a processor has no place
        problem.causer_function = delay->function;
        problem.causer_place = delay->place;
      }
      problem.causer = delay->rank;
      problem.remedy = remedy(*texts, pattern, *delay, ranks, group.total_s);
      return problem;
    }
    const RankLoad* const rank = load_of(causer);
    if (rank != nullptr && rank->outside_s >= kWorthComparing * load_.mean_outside_s)
      problem.text += describe_outside(*rank);
    problem.remedy = remedy(*texts, pattern, causers, ranks, group.total_s);
    return problem;
  }

  /// "Rank 1 waits", "3 ranks wait"; all of a few by their numbers.
  static std::string waiting(const std::set<std::int32_t>& ranks, bool by_number) {
    if (ranks.size() == 1) return fmt::format("Rank {} waits", *ranks.begin());
    if (!by_number || ranks.size() > kMostNumbers) return fmt::format("{} ranks wait", ranks.size());
    std::string list = list_of_ranks({ranks.begin(), ranks.end()});
    list.front() = 'R';
    return list + " wait";
  }

  /// " Rank 1 is outside MPI with a processor for 2.00 s, the mean is 1.50 s."
  std::string describe_outside(const RankLoad& rank) const {
    const std::string sleep = describe_sleep(summary_, load_, rank);
    return fmt::format(" Rank {} is outside MPI{} for {}, the mean is {}.{}", rank.rank->rank,
                       load_.knows_ready && sleep.empty() ? " with a processor" : "", human_duration(rank.outside_s),
                       human_duration(load_.mean_outside_s), sleep);
  }

  /// Where these ranks are late by themselves.
  std::string remedy(const WaitTexts& texts, const std::string& pattern, const std::vector<std::int32_t>& causers,
                     const std::set<std::int32_t>& waiters, double total_s) const {
    if (work_longer(causers, waiters, total_s) && is_late_by_sleep(summary_, load_, causers))
      return sleep_remedy(causers);
    if (work_longer(causers, waiters, total_s))
      return fmt::format("Give {} less work: {} waiters then wait less.{}", list_of_ranks(causers),
                         causers.size() == 1 ? "its" : "their", balance_hint(summary_));
    if (causers.size() != 1) return std::string{texts.shared_remedy};
    return remedy_of_sender(texts, pattern, causers.front());
  }

  std::string remedy_of_sender(const WaitTexts& texts, const std::string& pattern, std::int32_t sender) const {
    const RankLoad* const rank = pattern == "late sender" ? load_of(sender) : nullptr;
    if (rank != nullptr && is_hub(summary_, *rank->rank))
      return fmt::format("Rank {} answers all other ranks in turn: give them larger tasks, or have several such ranks.",
                         sender);
    if (rank != nullptr && sends_to_all(summary_, *rank->rank))
      return fmt::format(
          "Rank {} sends to the other ranks in turn: a collective (MPI_Bcast, MPI_Scatter) takes fewer steps.", sender);
    return std::string{texts.remedy};
  }

  /// Where it is known what the rank is late with that they wait for in the end.
  std::string remedy(const WaitTexts& texts, const std::string& pattern, const DelaySummary& delay,
                     std::set<std::int32_t> waiters, double total_s) const {
    if (delay.what == "ready") return fmt::format("See that rank {} has a processor.", delay.rank);
    waiters.erase(delay.rank);
    if (delay.what == "compute") return remedy(texts, pattern, std::vector{delay.rank}, waiters, total_s);
    const CallGroup group = facts_of(delay.function).group;
    if (group == CallGroup::sleep)
      return fmt::format("Let rank {} wait there for what it sleeps for, or sleep for a shorter time.", delay.rank);
    if (group == CallGroup::thread)
      return fmt::format("Give the threads that rank {} waits for there less work, or share it among more.",
                         delay.rank);
    if (group == CallGroup::lock)
      return fmt::format("Find out what rank {} waits for there: another of its threads, or a timeout.", delay.rank);
    return group == CallGroup::p2p ? remedy_of_sender(texts, pattern, delay.rank) : std::string{texts.remedy};
  }

  /// "MPI_Comm_split (a.c:9)"; of computation ", which computes after MPI_Barrier (a.c:9)".
  static std::string describe(const DelaySummary& delay) {
    std::string call = delay.function + in_brackets(delay.place);
    if (delay.what == "call") return call;
    if (delay.what == "ready") return ", which is ready to run and has no processor";
    if (!delay.region.empty()) return fmt::format(", which computes in {}", delay.region);
    return delay.function.empty() ? std::string{", which computes"} : fmt::format(", which computes after {}", call);
  }

  const Summary& summary_;
  const Load& load_;
  std::map<WaitKey, WaitGroup> groups_;
  std::map<std::int32_t, ReadyDelays> lacks_;  ///< by rank: what is charged to it
  std::map<std::string, ChargedWaits> charged_;
  std::map<std::int32_t, double> files_left_;  ///< by rank: what its calls on files cost others in waits not seen yet
  std::map<std::int32_t, double> openmp_victims_;  ///< the same, for threads that wait for each other
  std::map<std::int32_t, std::uint64_t> threads_;  ///< of a rank, at the same time
  std::map<std::int32_t, double> victims_;         ///< rank that waits for locks -> waits of other ranks for it
};

}  // namespace

bool is_of_threads(const WaitSummary& row) {
  return row.pattern.starts_with("wait for ") || row.pattern == "wait at thread barrier";
}

std::string place_text(const SiteSummary& site) {
  return place_text({site.caller, site.file, site.line, site.module, site.module.empty() ? 0 : site.offset});
}

std::string in_brackets(const std::string& place) { return place.empty() ? place : " (" + place + ")"; }

std::map<std::string, ChargedWaits> find_waiting(const Summary& summary, const Load& load,
                                                 std::vector<ProblemSummary>& problems) {
  return WaitingFinder{summary, load}.find(problems);
}

}  // namespace meridian
