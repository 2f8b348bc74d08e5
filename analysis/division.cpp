// SPDX-License-Identifier: Apache-2.0
#include "analysis/division.hpp"

#include <algorithm>
#include <climits>
#include <utility>

namespace meridian {
namespace {

using Groups = std::vector<std::vector<std::size_t>>;

class Divisions {
 public:
  Divisions(std::span<const AnalysisCost> costs, std::size_t processes) : costs_{costs}, processes_{processes} {}

  Groups best() {
    add(0);
    return std::move(best_);
  }

 private:
  /// Tries all groups for this analysis. A new group is the last one, so that no division comes twice.
  void add(std::size_t analysis) {
    if (analysis == costs_.size()) return compare();
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      groups_[i].push_back(analysis);
      add(analysis + 1);
      groups_[i].pop_back();
    }
    if (groups_.size() == processes_) return;
    groups_.push_back({analysis});
    add(analysis + 1);
    groups_.pop_back();
  }

  void compare() {
    std::pair<int, int> cost{0, 0};  // of the largest group, of all
    for (const std::vector<std::size_t>& group : groups_) {
      std::vector<AnalysisCost> analyses;
      analyses.reserve(group.size());
      for (const std::size_t analysis : group) analyses.push_back(costs_[analysis]);
      const int one = cost_of(analyses);
      cost = {std::max(cost.first, one), cost.second + one};
    }
    if (cost >= best_cost_) return;
    best_cost_ = cost;
    best_ = groups_;
  }

  std::span<const AnalysisCost> costs_;
  std::size_t processes_;
  Groups groups_, best_;
  std::pair<int, int> best_cost_{INT_MAX, INT_MAX};
};

}  // namespace

int cost_of(std::span<const AnalysisCost> analyses) {
  if (analyses.empty()) return 0;
  int cost = kWalkCost;
  for (const AnalysisCost& analysis : analyses) cost += analysis.own;
  if (std::ranges::any_of(analyses, &AnalysisCost::reads_links)) cost += kLinksCost;
  if (std::ranges::any_of(analyses, &AnalysisCost::walks_twice)) cost += kWalkCost;
  return cost;
}

std::vector<std::vector<std::size_t>> divide_analyses(std::span<const AnalysisCost> costs, std::size_t processes) {
  return Divisions{costs, processes}.best();
}

}  // namespace meridian
