// SPDX-License-Identifier: Apache-2.0
#include "summary/problems/problem_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "summary/measures.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr double kStandardErrors = 2;    ///< standard errors that an excess has at least
constexpr double kLeastExplained = 0.2;  ///< share of the cost, for each rank that waits, that an excess has at least
constexpr double kBesideLargest = 0.25;  ///< share of the largest excess that another one has, to be named with it
constexpr std::size_t kFunctionsNamed = 2;  ///< in a sentence
constexpr std::size_t kFunctionRows = 10;   ///< of a problem, in the table

using FunctionKey = std::tuple<std::string, std::string>;  ///< function, module

FunctionKey key_of(const RankFunctionSummary& row) { return {row.function, row.module}; }

/// What all ranks spend in one function.
struct FunctionLoad {
  double processor_s = 0;
  double variance = 0;

  /// Time without a processor is no work: a rank that has none for a while does not compute more.
  void add(const RankFunctionSummary& row) {
    const double error_s = row.self_s > 0 ? row.error_s * row.processor_s / row.self_s : 0;
    processor_s += row.processor_s;
    variance += error_s * error_s;
  }
};

class Excesses {
 public:
  explicit Excesses(const Summary& summary) : summary_{summary} {
    std::set<std::int32_t> ranks;
    for (const RankFunctionSummary& row : summary.rank_functions) {
      ranks.insert(row.rank);
      loads_[key_of(row)].add(row);
    }
    // A rank without samples of its functions hardly computes, or was not sampled: it may be in one function all the time.
    for (const RankLoad& load : measure_load(summary).ranks)
      if (ranks.insert(load.rank->rank).second)
        unknown_s_ += load.outside_s * static_cast<double>(std::max<std::uint64_t>(load.rank->all_threads, 1));
    ranks_ = static_cast<double>(ranks.size());
  }

  /// Of this rank against the mean of the others, the largest first.
  std::vector<ProblemFunctionSummary> of(std::int32_t rank) const {
    std::vector<ProblemFunctionSummary> found;
    if (ranks_ < 2) return found;
    const double others = ranks_ - 1;
    std::map<FunctionKey, std::pair<const RankFunctionSummary*, FunctionLoad>> own;
    for (const RankFunctionSummary& row : summary_.rank_functions) {
      if (row.rank != rank) continue;
      auto& [longest, load] = own[key_of(row)];  // a function may have rows for several files
      load.add(row);
      if (longest == nullptr || row.self_s > longest->self_s) longest = &row;
    }
    for (const auto& [key, row_and_load] : own) {
      const auto& [row, load] = row_and_load;
      const FunctionLoad& all = loads_.at(key);
      ProblemFunctionSummary excess{0, rank, row->function, row->place, row->callers, 0, 0};
      excess.excess_s = load.processor_s - (all.processor_s - load.processor_s + unknown_s_) / others;
      excess.error_s = std::sqrt(load.variance + std::max(0.0, all.variance - load.variance) / (others * others));
      if (excess.excess_s > 0 && excess.excess_s >= kStandardErrors * excess.error_s)
        found.push_back(std::move(excess));
    }
    std::ranges::stable_sort(found, std::greater{}, &ProblemFunctionSummary::excess_s);
    return found;
  }
  double ranks() const noexcept { return ranks_; }

 private:
  const Summary& summary_;
  std::map<FunctionKey, FunctionLoad> loads_;
  double ranks_ = 0;
  double unknown_s_ = 0;  // outside MPI, of ranks without samples
};

std::string sentence(const std::vector<ProblemFunctionSummary>& excesses) {
  std::string text = " More than in the other ranks:";
  for (std::size_t i = 0; i < excesses.size() && i < kFunctionsNamed; ++i) {
    const ProblemFunctionSummary& excess = excesses[i];
    if (i != 0 && excess.excess_s < kBesideLargest * excesses.front().excess_s) break;
    text += fmt::format("{} +{} in {} ({})", i == 0 ? "" : ",", human_duration(excess.excess_s), excess.function,
                        excess.place);
    if (!excess.callers.empty()) text += " <- " + excess.callers;
  }
  return text + ".";
}

}  // namespace

void name_functions(Summary& summary) {
  summary.problem_functions.clear();
  const Excesses excesses{summary};
  for (std::size_t i = 0; i < summary.problems.size(); ++i) {
    ProblemSummary& problem = summary.problems[i];
    if (problem.causer < 0) continue;
    std::vector<ProblemFunctionSummary> found = excesses.of(problem.causer);
    if (found.empty() || found.front().excess_s * (excesses.ranks() - 1) < kLeastExplained * problem.cost_s) continue;
    problem.text += sentence(found);
    found.resize(std::min(found.size(), kFunctionRows));
    for (ProblemFunctionSummary& row : found) {
      row.problem = i;
      summary.problem_functions.push_back(std::move(row));
    }
  }
}

}  // namespace meridian
