// SPDX-License-Identifier: Apache-2.0
#include "analysis/analysis_list.hpp"

#include <iterator>

#include "summary/problems/problem_functions.hpp"
#include "summary/problems/problems.hpp"

namespace meridian {

using VisitorMade = Result<std::unique_ptr<TraceVisitor>>;
using BackwardMade = Result<std::unique_ptr<BackwardVisitor>>;

// To add an analysis: its file, its declaration and row here, and its table in summary/.
VisitorMade count_communication_sizes(const AnalysisInput& input);
VisitorMade find_efficiencies(const AnalysisInput& input);
VisitorMade find_critical_path(const AnalysisInput& input);
VisitorMade find_openmp_regions(const AnalysisInput& input);
VisitorMade find_delays(const AnalysisInput& input);
VisitorMade find_iterations(const AnalysisInput& input);
VisitorMade find_functions(const AnalysisInput& input);
VisitorMade find_energy(const AnalysisInput& input);
Status find_phase_energy(const MergedTrace& trace, Summary& summary);
Status name_iteration_functions(const MergedTrace& trace, Summary& summary);
BackwardMade find_waits(const EventWindow& window, const Summary& summary, WaitSink* waits);
BackwardMade find_link_speeds(const EventWindow& window, const Summary& summary, WaitSink* waits);
BackwardMade find_late_arrivals(const EventWindow& window, const Summary& summary, WaitSink* waits);

namespace {

Status list_problems(const MergedTrace&, Summary& summary) {
  summary.problems = find_problems(summary);
  name_functions(summary);
  return {};
}

// Costs: the thread's time in look_at(), wants_more() and finish() of each visitor, for `meridian generate --ranks 64
// --calls 60000` (3.8 million events). Those of the walk are the rest of the process's time, with the thread that reads
// ahead. For comparison, the backward visitors take 98, 69 and 1, and their walk 240.
constexpr Analysis kAnalyses[] = {
    {"wait states", find_waits, {"waits", "wait_pairs"}},
    {"latency and bandwidth", find_link_speeds, {"send_protocols", "links", "comm_pairs"}},
    {"late arrivals", find_late_arrivals, {"collective_arrivals"}},
    {"sizes of messages and collectives",
     count_communication_sizes,
     {"communication_sizes"},
     {.own = 37, .reads_links = true}},
    {"efficiencies",
     find_efficiencies,
     {"states", "ready_times", "efficiencies", "what_if"},
     {.own = 134, .reads_links = true}},
    {"critical path",
     find_critical_path,
     {"critical_path", "critical_imbalance", "critical_segments", "critical_line", "active_paths", "path_functions"},
     {.own = 113, .walks_twice = true}},
    {"OpenMP regions", find_openmp_regions, {"openmp_regions"}, {.own = 3}},
    {"root causes of waits", find_delays, {"delays", "late_functions"}, {.own = 177}},
    {"iterations", find_iterations, {"phases", "iterations", "iteration_findings"}, {.own = 54, .walks_twice = true}},
    {"functions of the program",
     find_functions,
     {"program_functions", "rank_functions", "region_functions", "thread_functions", "called_functions"},
     {.own = 20}},
    {"energy", find_energy, {"energy", "energy_regions"}, {.own = 1}},
    {"functions of iterations", name_iteration_functions, {}},
    {"energy of phases", find_phase_energy, {"energy_phases"}},
    {"problems", list_problems, {"problems", "problem_functions"}},
};
static_assert(std::size(kAnalyses) <= 32);

constexpr std::string_view kTablesRead[] = {"regions", "threads", "counters", "region_counters", "usage"};

template <class Make>
AnalysisSet those_of() {
  AnalysisSet set;
  for (std::size_t i = 0; i < std::size(kAnalyses); ++i)
    if (std::holds_alternative<Make>(kAnalyses[i].analyse)) set.add(i);
  return set;
}

}  // namespace

std::span<const Analysis> all_analyses() { return kAnalyses; }
std::span<const std::string_view> tables_for_analyses() { return kTablesRead; }

AnalysisSet AnalysisSet::forwards() { return those_of<VisitorMaker>(); }
AnalysisSet AnalysisSet::backwards() { return those_of<BackwardMaker>(); }
AnalysisSet AnalysisSet::waits() {
  AnalysisSet set;
  for (std::size_t i = 0; i < std::size(kAnalyses); ++i)
    if (const auto* const make = std::get_if<BackwardMaker>(&kAnalyses[i].analyse); make && *make == &find_waits)
      set.add(i);
  return set;
}

std::vector<std::string_view> AnalysisSet::tables() const {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < std::size(kAnalyses); ++i)
    if (has(i))
      for (const std::string_view name : kAnalyses[i].tables)
        if (!name.empty()) names.push_back(name);
  return names;
}

std::vector<AnalysisSet> divide_forwards(std::size_t processes) {
  std::vector<std::size_t> numbers;
  std::vector<AnalysisCost> costs;
  for (std::size_t i = 0; i < std::size(kAnalyses); ++i) {
    if (!AnalysisSet::forwards().has(i)) continue;
    numbers.push_back(i);
    costs.push_back(kAnalyses[i].cost);
  }
  std::vector<AnalysisSet> sets;
  for (const std::vector<std::size_t>& group : divide_analyses(costs, processes)) {
    AnalysisSet& set = sets.emplace_back();
    for (const std::size_t analysis : group) set.add(numbers[analysis]);
  }
  return sets;
}

}  // namespace meridian
