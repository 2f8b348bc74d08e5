// SPDX-License-Identifier: Apache-2.0
#include "summary/problems/problem_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "summary/measures.hpp"
#include "summary/problems/problems.hpp"
#include "summary/problems/wait_groups.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr double kStandardErrors = 2;    ///< standard errors that an excess has at least
constexpr double kLeastExplained = 0.2;  ///< share of the cost, for each rank that waits, that an excess has at least
constexpr double kBesideLargest = 0.25;  ///< share of the largest excess that another one has, to be named with it
constexpr std::size_t kFunctionsNamed = 2;  ///< in a sentence
constexpr double kMostOfCost = 0.5;         ///< share of the cost that functions called by MPI have, to be the remedy
constexpr std::size_t kFunctionRows = 10;   ///< of a problem, in the table

/// Function, module and source file: functions of several files may have one name, as static ones do.
using FunctionKey = std::tuple<std::string, std::string, std::string>;

FunctionKey key_of(const RankFunctionSummary& row) {
  return {row.function, row.module, row.place.substr(0, row.place.find(':'))};
}

/// What all ranks spend in one function.
struct FunctionLoad {
  double processor_s = 0;
  double variance = 0;

  /// Time without a processor is no work: a rank that has none for a while does not compute more.
  /// with_processor  share of the rank's time outside MPI. More than that is no processor time of the function, whatever the samples say: where
  ///                 a rank gives up its processor all the time in MPI, samples due there come when it computes again.
  void add(const RankFunctionSummary& row, double with_processor) {
    const double row_s = std::min(row.processor_s, row.self_s * with_processor);
    const double error_s = row.self_s > 0 ? row.error_s * row_s / row.self_s : 0;
    processor_s += row_s;
    variance += error_s * error_s;
  }
};

class Excesses {
 public:
  explicit Excesses(const Summary& summary) : summary_{summary} {
    std::set<std::int32_t> ranks;
    std::map<std::int32_t, double> outside;
    for (const RankFunctionSummary& row : summary.rank_functions) outside[row.rank] += row.self_s;
    for (const ReadyTimeSummary& row : summary.ready_times)
      if (const auto all = outside.find(row.rank); all != outside.end() && all->second > 0)
        with_processor_.try_emplace(row.rank, 1).first->second -= row.compute_s / all->second;
    for (const RankFunctionSummary& row : summary.rank_functions) {
      ranks.insert(row.rank);
      loads_[key_of(row)].add(row, with_processor(row.rank));
    }
    // A rank without samples of its functions hardly computes, or was not sampled: it may be in one function all the time.
    const std::map<std::int32_t, std::uint64_t> threads = threads_at_once(summary);
    for (const RankLoad& load : measure_load(summary).ranks)
      if (ranks.insert(load.rank->rank).second)
        unknown_s_ += load.outside_s * static_cast<double>(threads.at(load.rank->rank));
    ranks_ = static_cast<double>(ranks.size());
  }

  /// Of the mean of these ranks against the mean of the others, the largest first.
  std::vector<ProblemFunctionSummary> of(const std::vector<std::int32_t>& ranks) const {
    std::vector<ProblemFunctionSummary> found;
    const auto count = static_cast<double>(ranks.size());
    const double others = ranks_ - count;
    if (count == 0 || others < 1) return found;
    std::map<FunctionKey, std::pair<const RankFunctionSummary*, FunctionLoad>> own;
    for (const RankFunctionSummary& row : summary_.rank_functions) {
      if (std::ranges::find(ranks, row.rank) == ranks.end()) continue;
      auto& [longest, load] = own[key_of(row)];  // several functions may have one shortened name
      load.add(row, with_processor(row.rank));
      if (longest == nullptr || row.self_s > longest->self_s) longest = &row;
    }
    for (const auto& [key, row_and_load] : own) {
      const auto& [row, load] = row_and_load;
      const FunctionLoad& all = loads_.at(key);
      ProblemFunctionSummary excess{0, row->rank, row->function, row->place, row->callers, 0, 0};
      excess.excess_s = load.processor_s / count - (all.processor_s - load.processor_s + unknown_s_) / others;
      excess.error_s =
          std::sqrt(load.variance / (count * count) + std::max(0.0, all.variance - load.variance) / (others * others));
      if (excess.excess_s > 0 && excess.excess_s >= kStandardErrors * excess.error_s)
        found.push_back(std::move(excess));
    }
    std::ranges::stable_sort(found, std::greater{}, &ProblemFunctionSummary::excess_s);
    return found;
  }
  double ranks() const noexcept { return ranks_; }

 private:
  double with_processor(std::int32_t rank) const {
    const auto found = with_processor_.find(rank);
    return found == with_processor_.end() ? 1 : std::clamp(found->second, 0.0, 1.0);
  }

  const Summary& summary_;
  std::map<std::int32_t, double> with_processor_;  ///< [rank]: share of its time outside MPI
  std::map<FunctionKey, FunctionLoad> loads_;
  double ranks_ = 0;
  double unknown_s_ = 0;  // outside MPI, of ranks without samples
};

/// How much of the excesses of late ranks problems have taken so far. Time in a function makes others wait once: the part that explains one
/// problem explains no smaller one.
class Explained {
 public:
  /// Takes out what earlier problems of these ranks have left less than `least_s` of. `waiters`: ranks that an excess keeps waiting.
  void take_out_used(const std::vector<std::int32_t>& causers, double waiters, double least_s,
                     std::vector<ProblemFunctionSummary>& excesses) {
    std::erase_if(excesses, [&](const ProblemFunctionSummary& excess) {
      const double used_s = used(causers, excess);
      return used_s > 0 && excess.excess_s * waiters - used_s < least_s;
    });
  }
  void use(const std::vector<std::int32_t>& causers, double waiters, double cost_s,
           const std::vector<ProblemFunctionSummary>& excesses) {
    for (const ProblemFunctionSummary& excess : excesses) {
      double& used_s = used(causers, excess);
      const double part_s = std::clamp(cost_s, 0.0, std::max(0.0, excess.excess_s * waiters - used_s));
      used_s += part_s;
      cost_s -= part_s;
    }
  }

 private:
  using Key = std::tuple<std::vector<std::int32_t>, std::string, std::string>;  // function and its place
  double& used(const std::vector<std::int32_t>& causers, const ProblemFunctionSummary& excess) {
    return used_s_[Key{causers, excess.function, excess.place}];
  }
  std::map<Key, double> used_s_;
};

std::string sentence(std::string_view beginning, const std::vector<ProblemFunctionSummary>& excesses) {
  std::string text{beginning};
  for (std::size_t i = 0; i < excesses.size() && i < kFunctionsNamed; ++i) {
    const ProblemFunctionSummary& excess = excesses[i];
    if (i != 0 && excess.excess_s < kBesideLargest * excesses.front().excess_s) break;
    text += fmt::format("{} +{} in {} ({})", i == 0 ? "" : ",", human_duration(excess.excess_s), excess.function,
                        excess.place);
    if (!excess.callers.empty()) text += " <- " + excess.callers;
  }
  return text + ".";
}

/// Whether what a rank computes for longer than others may be the reason: not of its end, not of what its threads wait for each other, and not of
/// noise, which has no remedy.
bool has_functions(const ProblemSummary& problem) {
  if (problem.problem == problem_name(ProblemKind::slow_iterations) && problem.remedy.empty()) return false;
  constexpr std::array kWithout{ProblemKind::unfinished_calls, ProblemKind::deadlock, ProblemKind::openmp_imbalance,
                                ProblemKind::lock};
  return std::ranges::none_of(kWithout, [&](ProblemKind kind) { return problem.problem == problem_name(kind); });
}

/// The excesses of the ranks that are late, another rank each time; the largest first.
std::vector<ProblemFunctionSummary> late_excesses(const Summary& summary, const ProblemSummary& problem) {
  std::vector<ProblemFunctionSummary> found;
  for (const LateFunctionSummary& row : summary.late_functions)
    if (row.pattern == problem.problem && row.call == problem.function && row.call_place == problem.place &&
        row.excess_s >= kStandardErrors * row.error_s)
      found.push_back({0, -1, row.function, row.place, row.callers, row.excess_s, row.error_s});
  return found;
}

/// Functions of the program that MPI calls in the call that the problem is: a shorter message makes them no faster.
void name_called_functions(const Summary& summary, ProblemSummary& problem) {
  constexpr std::array kOfCalls{ProblemKind::transfer, ProblemKind::input_and_output, ProblemKind::other_calls};
  if (std::ranges::none_of(kOfCalls, [&](ProblemKind kind) { return problem.problem == problem_name(kind); })) return;
  double all_s = 0;
  std::vector<const CalledFunctionSummary*> rows;  // the largest first
  for (const CalledFunctionSummary& row : summary.called_functions) {
    if (row.call != problem.function || !(row.processor_s >= kStandardErrors * row.error_s)) continue;
    all_s += row.processor_s;
    rows.push_back(&row);
  }
  if (rows.empty() || all_s < kLeastExplained * problem.cost_s) return;
  std::string names;
  for (std::size_t i = 0; i < rows.size() && i < kFunctionsNamed; ++i) {
    const CalledFunctionSummary& row = *rows[i];
    if (i != 0 && row.processor_s < kBesideLargest * rows.front()->processor_s) break;
    names += fmt::format("{}{} ({}) takes {}", i == 0 ? "" : " and ", row.function, row.place,
                         human_duration(row.processor_s));
  }
  problem.text +=
      fmt::format(" MPI calls functions of the program in {}: {} of processor time.", problem.function, names);
  if (all_s >= kMostOfCost * problem.cost_s)
    problem.remedy = fmt::format("Make {} faster, or let MPI call it less often.", rows.front()->function);
}

}  // namespace

void name_functions(Summary& summary) {
  summary.problem_functions.clear();
  const Excesses excesses{summary};
  Explained explained;  // problems are in order of their cost
  for (std::size_t i = 0; i < summary.problems.size(); ++i) {
    ProblemSummary& problem = summary.problems[i];
    name_called_functions(summary, problem);
    if (!has_functions(problem)) continue;
    const std::vector<std::int32_t> causers = causers_of(problem);
    const double waiters = excesses.ranks() - static_cast<double>(causers.size());
    const auto explain = [&](std::vector<ProblemFunctionSummary> found, double costs, std::string_view beginning) {
      if (found.empty() || found.front().excess_s * costs < kLeastExplained * problem.cost_s) return false;
      problem.text += sentence(beginning, found);
      found.resize(std::min(found.size(), kFunctionRows));
      for (ProblemFunctionSummary& row : found) {
        row.problem = i;
        summary.problem_functions.push_back(std::move(row));
      }
      return true;
    };
    std::vector<ProblemFunctionSummary> found = excesses.of(causers);
    explained.take_out_used(causers, waiters, kLeastExplained * problem.cost_s, found);
    if (explain(found, waiters,
                causers.size() == 1 ? " More than in the other ranks:" : " More than in the other ranks, on average:"))
      explained.use(causers, waiters, problem.cost_s, found);
    else
      explain(late_excesses(summary, problem), 1, " Each time, more in the rank that is waited for:");
  }
}

}  // namespace meridian
