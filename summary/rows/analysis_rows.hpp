// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tables that analyses fill, each with the type of its rows.

#include <cstdint>
#include <string>

#include "summary/rows/communication_rows.hpp"
#include "summary/rows/critical_path_rows.hpp"
#include "summary/rows/efficiency_rows.hpp"
#include "summary/rows/energy_rows.hpp"
#include "summary/rows/function_rows.hpp"
#include "summary/rows/iteration_rows.hpp"
#include "summary/rows/openmp_rows.hpp"
#include "trace/format/tables/table_column.hpp"

/// name      of the table, and of the member of Summary, a vector of rows
/// Row       their type
/// heading   of the section in the text; there is none where the table is empty. Null: cli/summary/ has its own section
/// text      what its rows are
// clang-format off
#define MERIDIAN_ANALYSIS_TABLES(TABLE) \
  TABLE(communication_sizes, SizeSummary, "SIZES OF MESSAGES AND COLLECTIVES", "one row for each group of functions and range of sizes") \
  TABLE(send_protocols, ProtocolSummary, "SENDS BEFORE THEIR RECEIVE (MPI_Send: eager ones return, rendezvous waits)", "one row for each range of sizes of MPI_Send whose receive was posted later") \
  TABLE(links, LinkSummary, "LATENCY AND BANDWIDTH", "one row for each pair of ranks, then of hosts, with messages") \
  TABLE(comm_pairs, CommPairSummary, nullptr, "one row for each communicator and pair of ranks with messages on it") \
  TABLE(collective_arrivals, ArrivalSummary, "LATE ARRIVALS AT COLLECTIVES", "one row for each function and communicator, most time between first and last enter first") \
  TABLE(waits, WaitSummary, nullptr, "one row for each kind of wait, waiting rank, function and place, and rank, function and place that caused it, longest total first") \
  TABLE(wait_pairs, WaitPairSummary, nullptr, "one row for each pair of a waiting rank and a rank that it waited for, longest total first") \
  TABLE(delays, DelaySummary, nullptr, "one row for each activity of a thread that made others wait, most time first") \
  TABLE(late_functions, LateFunctionSummary, nullptr, "one row for each kind of wait, call and place in which ranks wait, and function in which those that are waited for spend more time, largest excess of each place first") \
  TABLE(states, StateSummary, nullptr, "one row for each thread and state in which it was") \
  TABLE(ready_times, ReadyTimeSummary, nullptr, "one row for each thread of which it is known when it had a processor: the time in which it was ready to run and had none; docs/FUNCTIONS.md has the definitions") \
  TABLE(efficiencies, EfficiencySummary, nullptr, "one row for the run, for each region and for each of twenty windows of time; docs/EFFICIENCY.md has the definitions") \
  TABLE(what_if, WhatIfSummary, nullptr, "one row for each thing that could cost nothing, the one that saves most first") \
  TABLE(critical_path, CriticalPathSummary, nullptr, "one row for each thread, function, place, region and state on the critical path, longest first; docs/CRITICAL_PATH.md has the definitions") \
  TABLE(critical_imbalance, CriticalImbalanceSummary, nullptr, "one row for each function, place, region and state on the critical path, largest imbalance first") \
  TABLE(critical_segments, CriticalSegmentSummary, nullptr, "the thousand longest stretches of the critical path in one function, place, region and state, longest first") \
  TABLE(critical_line, CriticalLineSummary, nullptr, "the critical path from thread to thread, in order of time") \
  TABLE(active_paths, ActivePathSummary, nullptr, "one row for each thread and thread that worked for it, by thread, longest first") \
  TABLE(phases, PhaseSummary, nullptr, "one row for each stretch of the run that repeats itself, in order of time; docs/PHASES.md has the definitions") \
  TABLE(iterations, IterationSummary, nullptr, "one row for each iteration of a phase, or for equally many consecutive ones, a thousand of a phase at most") \
  TABLE(iteration_findings, IterationFindingSummary, nullptr, "one row for each slow iteration and each drift, by phase, most expensive first") \
  TABLE(openmp_regions, OpenmpRegionSummary, "OPENMP REGIONS", "one row for each rank and place with parallel regions, longest barrier waits first; docs/OPENMP.md has the definitions") \
  TABLE(program_functions, ProgramFunctionSummary, nullptr, "one row for each function of the program that was sampled outside MPI, longest first; docs/FUNCTIONS.md has the definitions") \
  TABLE(path_functions, PathFunctionSummary, nullptr, "one row for each function of the program in which the critical path computes, longest first; docs/CRITICAL_PATH.md has the definitions") \
  TABLE(rank_functions, RankFunctionSummary, nullptr, "one row for each rank and function of the program, by rank, longest first") \
  TABLE(region_functions, RegionFunctionSummary, "FUNCTIONS BY REGION", "one row for each region of the program and function that was sampled in it outside MPI, by region, the one with most time first") \
  TABLE(thread_functions, ThreadFunctionSummary, "FUNCTIONS BY THREAD", "one row for each thread and function of the program, by thread, longest first; of ranks with several sampled threads") \
  TABLE(called_functions, CalledFunctionSummary, "FUNCTIONS OF THE PROGRAM THAT MPI CALLS", "one row for each MPI call and function of the program that it called, most time first") \
  TABLE(energy, EnergySummary, nullptr, "one row for each counter of energy of a host; docs/ENERGY.md has the definitions") \
  TABLE(energy_regions, RegionEnergySummary, nullptr, "one row for each host and region of the program that is in no other one") \
  TABLE(energy_phases, PhaseEnergySummary, nullptr, "one row for each phase with iterations and host, by phase") \
  TABLE(problems, ProblemSummary, nullptr, "one row for each problem of the program, most expensive first") \
  TABLE(problem_functions, ProblemFunctionSummary, nullptr, "one row for each problem and function in which its rank spends more time than the others, by problem, largest excess first")
// clang-format on

namespace meridian {

/// Messages, or participants of collectives, in one range of sizes: from at_least_bytes to below twice that. By group and
/// size; empty ranges are omitted.
struct SizeSummary {
  std::string group;                 ///< group of the functions that sent
  std::uint64_t at_least_bytes = 0;  ///< 0: no bytes
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  ///< for collectives, the bytes that the participants sent

  template <class Row = SizeSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::group>("group", "", "of the functions that sent: p2p, coll, user"),
      column<&Row::at_least_bytes>("at_least_bytes", "bytes",
                                   "least size of the range, which ends below twice that; 0: no bytes"),
      column<&Row::count>("count", "", "messages, or participants of collectives"),
      column<&Row::bytes>("bytes", "bytes", "sum of their sizes; of collectives, what the participants sent"),
  };
};

/// What a user may change to make the program faster.
struct ProblemSummary {
  std::string problem;  ///< "late sender": docs/PROBLEMS.md defines them
  double cost_s = 0;    ///< time of all ranks that is lost
  double share = 0;     ///< of all ranks' time, without MPI_Init and MPI_Finalize
  double shared_s = 0;  ///< further time of the problem that counts for other ones
  std::string function;
  std::string place;  ///< where it is lost: function, then source file and line or module and offset; empty: unknown
  std::int32_t causer = -1;     ///< rank; -1: several, or none
  std::string causer_function;  ///< what it was busy with, or called late
  std::string causer_place;
  std::string text;          ///< a sentence
  std::string remedy;        ///< a sentence
  std::string causers = {};  ///< ranks, "2,3", where several are the cause

  template <class Row = ProblemSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::problem>("problem", "", "its kind, as docs/PROBLEMS.md defines it"),
      column<&Row::cost_s>("cost_s", "s", "time of all ranks that is lost"),
      column<&Row::share>("share", "", "of all ranks' time, without MPI_Init and MPI_Finalize"),
      column<&Row::shared_s>("shared_s", "s", "further time of the problem that counts for other ones"),
      column<&Row::function>("function", "", "in which it is lost"),
      column<&Row::place>("place", "",
                          "of that call: function, then source file and line or module and offset; empty: unknown"),
      column<&Row::causer>("causer", "", "rank that is the cause; -1: several, or none"),
      column<&Row::causer_function>("causer_function", "", "function in which that rank was, or which it called late"),
      column<&Row::causer_place>("causer_place", "", "as place"),
      column<&Row::text>("text", "", "the problem in a sentence"),
      column<&Row::remedy>("remedy", "", "what usually helps"),
      column<&Row::causers>("causers", "", "ranks that are the cause, where they are several: 2,3").optional(),
  };
};

/// Waits of one kind in one place, with one cause.
struct WaitSummary {
  std::string pattern;    ///< "late sender": docs/WAITS.md defines them
  std::int32_t rank = 0;  ///< the one that waited
  std::string function;
  std::string place;         ///< of the call: function, then source file and line or module and offset; empty: unknown
  std::int32_t causer = -1;  ///< the rank that came last; -1: several, beyond the number of rows that are kept
  std::string causer_function;   ///< the call in which it came
  std::string causer_place;      ///< as place
  std::uint64_t count = 0;       ///< waits
  std::uint64_t unresolved = 0;  ///< further ones that are shorter than the bounds of the two clocks, not in total_s
  double total_s = 0;
  double longest_s = 0;

  template <class Row = WaitSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::pattern>("pattern", "", "kind of wait, as docs/WAITS.md defines it"),
      column<&Row::rank>("rank", "", "that waited, in MPI_COMM_WORLD"),
      column<&Row::function>("function", "", "in which it waited"),
      column<&Row::place>("place", "",
                          "of that call: function, then source file and line or module and offset; empty: unknown"),
      column<&Row::causer>("causer", "", "rank that came last; -1: several, beyond the number of rows that are kept"),
      column<&Row::causer_function>("causer_function", "", "in which it came"),
      column<&Row::causer_place>("causer_place", "",
                                 "of that call: function, then source file and line or module and offset"),
      column<&Row::count>("count", "", "waits"),
      column<&Row::unresolved>("unresolved", "",
                               "further waits that are shorter than the bounds of the two clocks, not in the times"),
      column<&Row::total_s>("total_s", "s", "time waited"),
      column<&Row::longest_s>("longest_s", "s", "longest of the waits"),
  };
};

/// All waits of one rank for another one.
struct WaitPairSummary {
  std::int32_t rank = 0;     ///< the one that waited
  std::int32_t causer = -1;  ///< -1: several, beyond the number of rows that are kept
  std::uint64_t count = 0;   ///< waits
  double total_s = 0;
  double share = 0;  ///< of the time of all waits

  template <class Row = WaitPairSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "that waited, in MPI_COMM_WORLD"),
      column<&Row::causer>("causer", "", "rank that it waited for; -1: several, beyond the number of rows kept"),
      column<&Row::count>("count", "", "waits"),
      column<&Row::total_s>("total_s", "s", "time waited"),
      column<&Row::share>("share", "", "of the time of all waits"),
  };
};

/// What a thread did when others waited for it: the root causes of waits. The times of all rows together are those of all
/// waits that are not below the bounds of the clocks.
struct DelaySummary {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::string what;      ///< "call": time in calls; "compute": time after them; "ready": in both, without a processor
  std::string region;    ///< innermost user region; empty: none
  std::string function;  ///< the call, or the last one before; empty: before the first one
  std::string place;     ///< as of waits
  std::uint64_t waits = 0;  ///< that it caused directly
  double short_term_s = 0;  ///< of those waits
  double long_term_s = 0;   ///< of waits for threads that it had made wait
  double of_threads_s = 0;  ///< of both: waits for threads of the same rank

  double of_ranks_s() const { return short_term_s + long_term_s - of_threads_s; }

  template <class Row = DelaySummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "that was late, in MPI_COMM_WORLD"),
      column<&Row::thread>("thread", "", "of that rank"),
      column<&Row::what>("what", "",
                         "what it spent time on: call, compute (outside calls), or ready (without a processor)"),
      column<&Row::region>("region", "", "innermost user region; empty: none"),
      column<&Row::function>("function", "", "the call; for compute the one before; empty: before the first call"),
      column<&Row::place>("place", "",
                          "of that call: function, then source file and line or module and offset; empty: unknown"),
      column<&Row::waits>("waits", "", "waits of others that it caused directly"),
      column<&Row::short_term_s>("short_term_s", "s", "its part of the time of these waits"),
      column<&Row::long_term_s>("long_term_s", "s",
                                "its part of the time of further waits, for ranks that it had made wait"),
      column<&Row::of_threads_s>("of_threads_s", "s", "what of both are waits of threads for others of their rank")
          .optional(),
  };
};

}  // namespace meridian
