// SPDX-License-Identifier: Apache-2.0
#pragma once

// Summaries that show only what a comparison is about.

#include <string>
#include <utility>

#include "summary/compare/comparison.hpp"

namespace meridian::made {

inline Summary run_of(std::int32_t ranks, double time_s) {
  Summary summary;
  summary.run.executable = "/home/user/solve";
  summary.run.ranks_present = ranks;
  summary.run.time_s = time_s;
  return summary;
}

inline void add_function(Summary& summary, std::string name, double total_s, std::uint64_t count = 1,
                         std::uint64_t bytes = 0) {
  FunctionSummary row;
  row.name = std::move(name);
  row.total_s = total_s;
  row.count = count;
  row.bytes_sent = bytes;
  summary.functions.push_back(row);
}

inline void add_site(Summary& summary, std::string function, std::uint32_t line, double total_s) {
  SiteSummary row;
  row.function = std::move(function);
  row.caller = "main";
  row.file = "/home/user/solve.c";
  row.line = line;
  row.total_s = total_s;
  summary.sites.push_back(row);
}

inline void add_wait(Summary& summary, std::string pattern, std::string function, std::string place, double total_s) {
  WaitSummary row;
  row.pattern = std::move(pattern);
  row.function = std::move(function);
  row.place = std::move(place);
  row.total_s = total_s;
  row.count = 1;
  summary.waits.push_back(row);
}

inline void add_program_function(Summary& summary, std::string name, std::string place, double self_s, double error_s) {
  ProgramFunctionSummary row;
  row.function = std::move(name);
  row.place = std::move(place);
  row.self_s = self_s;
  row.error_s = error_s;
  summary.program_functions.push_back(row);
}

inline void add_problem(Summary& summary, std::string name, double cost_s) {
  ProblemSummary row;
  row.problem = std::move(name);
  row.cost_s = cost_s;
  summary.problems.push_back(row);
}

/// The row of the run: T, parallel efficiency and computing of all threads.
inline void add_efficiency(Summary& summary, std::uint64_t threads, double time_s, double compute_s) {
  EfficiencySummary row;
  row.scope = "run";
  row.threads = threads;
  row.time_s = time_s;
  row.compute_s = compute_s;
  row.parallel = compute_s / (static_cast<double>(threads) * time_s);
  summary.efficiencies.push_back(row);
}

inline RunGroup group_of(std::string label, const std::vector<Summary>& summaries) {
  RunGroup group{.label = std::move(label), .runs = {}};
  for (const Summary& summary : summaries) group.runs.push_back(profile_of(summary, group.label));
  return group;
}

}  // namespace meridian::made
