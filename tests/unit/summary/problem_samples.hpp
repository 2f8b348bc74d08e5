// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs in which problems are planted, and what is found in them.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "summary/problems/problems.hpp"
#include "summary/summary.hpp"

namespace meridian::samples {

/// Ranks of 10 s each, 6 s of them in MPI, without anything else.
inline Summary even_ranks(std::int32_t count) {
  Summary summary;
  summary.run.calls = 100;
  summary.run.time_s = 10;
  summary.run.ranks_present = count;
  summary.run.hosts = 1;
  for (std::int32_t i = 0; i < count; ++i) {
    RankSummary& rank = summary.ranks.emplace_back();
    rank.rank = i;
    rank.threads = rank.all_threads = 1;
    rank.time_s = rank.thread_s = 10;
    rank.mpi_s = 6;
  }
  return summary;
}

inline void add_wait(Summary& summary, const char* pattern, std::int32_t rank, std::int32_t causer, double total_s,
                     const char* function = "MPI_Barrier", const char* late = "MPI_Barrier") {
  WaitSummary& row = summary.waits.emplace_back();
  row.pattern = pattern;
  row.rank = rank;
  row.function = function;
  row.place = "a.c:7";
  row.causer = causer;
  row.causer_function = late;
  row.causer_place = "a.c:9";
  row.count = 1;
  row.total_s = total_s;
}

inline void end(RankSummary& rank, const char* how, double end_s, const char* call = "", double call_s = 0) {
  rank.end = how;
  rank.end_s = end_s;
  rank.end_call = call;
  rank.end_call_s = call_s;
}

/// "late sender 0.20 of rank 1": kind, share, causer; most expensive first.
inline std::vector<std::string> found(const Summary& summary) {
  std::vector<std::string> all;
  for (const ProblemSummary& problem : find_problems(summary)) {
    char share[16];
    std::snprintf(share, sizeof share, " %.2f", problem.share);
    all.push_back(problem.problem + share + (problem.causer < 0 ? "" : " of rank " + std::to_string(problem.causer)));
  }
  return all;
}

inline ProblemSummary first(const Summary& summary) {
  const std::vector<ProblemSummary> problems = find_problems(summary);
  return problems.empty() ? ProblemSummary{} : problems.front();
}

/// Each rank has been ready to run for so long, and had no processor.
inline void are_ready(Summary& summary, double each_s) {
  for (const RankSummary& rank : summary.ranks) {
    UsageSummary& usage = summary.usage.emplace_back();
    usage.rank = rank.rank;
    usage.thread = -1;
    usage.ready_s = each_s;
  }
}

}  // namespace meridian::samples
