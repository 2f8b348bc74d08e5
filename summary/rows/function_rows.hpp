// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on functions of the program, from samples: docs/FUNCTIONS.md.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// Time outside MPI in one function, of all ranks.
struct ProgramFunctionSummary {
  std::string function;
  std::string place;   ///< source file and the line with most samples; the file of the code without lines
  std::string module;  ///< program or library
  double self_s = 0;
  double error_s = 0;
  double processor_s = 0;
  double share = 0;
  double inclusive_s = 0;
  double mean_s = 0;
  double most_s = 0;
  std::int32_t most_rank = -1;
  double imbalance_s = 0;
  std::uint64_t samples = 0;

  template <class Row = ProgramFunctionSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::function>("function", "",
                             "of the program; functions of the system's libraries count for their callers"),
      column<&Row::place>("place", "",
                          "source file and the line with most samples; without lines the program or library"),
      column<&Row::module>("module", "", "program or library that contains it"),
      column<&Row::self_s>("self_s", "s", "time outside MPI in it, of all ranks, by samples"),
      column<&Row::error_s>("error_s", "s", "standard error of self_s"),
      column<&Row::processor_s>("processor_s", "s", "processor time in it, outside MPI, of all ranks"),
      column<&Row::share>("share", "", "of the time outside MPI of all ranks"),
      column<&Row::inclusive_s>("inclusive_s", "s", "self_s with the functions that it calls"),
      column<&Row::mean_s>("mean_s", "s", "self_s of a rank, on average"),
      column<&Row::most_s>("most_s", "s", "self_s of the rank with most of it"),
      column<&Row::most_rank>("most_rank", "", "that rank"),
      column<&Row::imbalance_s>("imbalance_s", "s", "most_s - mean_s"),
      column<&Row::samples>("samples", "", "in it"),
  };
};

/// Time of the critical path in one function, outside MPI.
struct PathFunctionSummary {
  std::string function;
  std::string place;
  std::string module;
  double path_s = 0;
  double error_s = 0;
  double share = 0;
  std::uint64_t samples = 0;

  template <class Row = PathFunctionSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::function>("function", "", "as in program_functions"),
      column<&Row::place>("place", "", "source file and the line with most samples on the path"),
      column<&Row::module>("module", "", "program or library that contains it"),
      column<&Row::path_s>("path_s", "s", "time of the critical path in it, by samples"),
      column<&Row::error_s>("error_s", "s", "standard error of path_s"),
      column<&Row::share>("share", "", "of the path, which is as long as the run"),
      column<&Row::samples>("samples", "", "on the path in it"),
  };
};

/// Time outside MPI of one rank in one function.
struct RankFunctionSummary {
  std::int32_t rank = 0;
  std::string function;
  std::string place;
  std::string module;
  double self_s = 0;
  double error_s = 0;
  double processor_s = 0;
  double inclusive_s = 0;
  std::uint64_t samples = 0;
  std::string callers;  ///< of most of these samples

  template <class Row = RankFunctionSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::function>("function", "", "as in program_functions"),
      column<&Row::place>("place", "", "source file and the line with most samples of this rank"),
      column<&Row::module>("module", "", "program or library that contains it"),
      column<&Row::self_s>("self_s", "s", "time outside MPI in it, by samples"),
      column<&Row::error_s>("error_s", "s", "standard error of self_s"),
      column<&Row::processor_s>("processor_s", "s", "processor time in it, outside MPI"),
      column<&Row::inclusive_s>("inclusive_s", "s", "self_s with the functions that it calls"),
      column<&Row::samples>("samples", "", "in it"),
      column<&Row::callers>("callers", "", "of most of these samples, the nearest first"),
  };
};

/// Time outside MPI in one function while a region is the innermost one of its thread.
struct RegionFunctionSummary {
  std::string region;
  std::string function;
  std::string place;
  std::string module;
  double self_s = 0;
  double error_s = 0;
  double share = 0;
  double most_s = 0;
  std::int32_t most_rank = -1;
  std::uint64_t samples = 0;

  template <class Row = RegionFunctionSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::region>("region", "", "the innermost one of the thread"),
      column<&Row::function>("function", "", "as in program_functions"),
      column<&Row::place>("place", "", "source file and the line with most samples in the region"),
      column<&Row::module>("module", "", "program or library that contains it"),
      column<&Row::self_s>("self_s", "s", "time outside MPI in it, by samples"),
      column<&Row::error_s>("error_s", "s", "standard error of self_s"),
      column<&Row::share>("share", "", "of the time outside MPI in this region"),
      column<&Row::most_s>("most_s", "s", "self_s of the rank with most of it"),
      column<&Row::most_rank>("most_rank", "", "that rank"),
      column<&Row::samples>("samples", "", "in it"),
  };
};

/// Time outside MPI of one thread in one function.
struct ThreadFunctionSummary {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::string function;
  std::string place;
  double self_s = 0;
  double error_s = 0;
  double share = 0;
  std::uint64_t samples = 0;

  template <class Row = ThreadFunctionSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::thread>("thread", "", "of the rank"),
      column<&Row::function>("function", "", "as in program_functions"),
      column<&Row::place>("place", "", "source file and the line with most samples of this thread"),
      column<&Row::self_s>("self_s", "s", "time outside MPI in it, by samples"),
      column<&Row::error_s>("error_s", "s", "standard error of self_s"),
      column<&Row::share>("share", "", "of the thread's time outside MPI"),
      column<&Row::samples>("samples", "", "in it"),
  };
};

/// A function of the program that ran while its thread was in an MPI call: MPI called it, as it does the functions of user-defined operations.
struct CalledFunctionSummary {
  std::string call;
  std::string function;
  std::string place;
  std::string module;
  double processor_s = 0;
  double error_s = 0;
  double most_s = 0;
  std::int32_t most_rank = -1;
  std::uint64_t samples = 0;

  template <class Row = CalledFunctionSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::call>("call", "", "of MPI, in which the function ran"),
      column<&Row::function>("function", "", "as in program_functions"),
      column<&Row::place>("place", "", "source file and the line with most samples"),
      column<&Row::module>("module", "", "program or library that has it"),
      column<&Row::processor_s>("processor_s", "s", "processor time in it, in that call, of all ranks, by samples"),
      column<&Row::error_s>("error_s", "s", "standard error of processor_s"),
      column<&Row::most_s>("most_s", "s", "processor time of the rank with most"),
      column<&Row::most_rank>("most_rank", "", "the rank with most of it"),
      column<&Row::samples>("samples", "", "in it"),
  };
};

/// A function in which ranks that are waited for spend more time than ranks that wait, in one place.
struct LateFunctionSummary {
  std::string pattern;
  std::string call;
  std::string call_place;
  std::string function;
  std::string place;
  std::string callers;
  double excess_s = 0;
  double error_s = 0;

  template <class Row = LateFunctionSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::pattern>("pattern", "", "kind of wait, as in waits"),
      column<&Row::call>("call", "", "in which threads wait, function of waits"),
      column<&Row::call_place>("call_place", "", "of that call, place of waits"),
      column<&Row::function>("function", "", "as in program_functions"),
      column<&Row::place>("place", "", "source file and the line with most of the excess"),
      column<&Row::callers>("callers", "", "of most of the excess, the nearest first"),
      column<&Row::excess_s>("excess_s", "s",
                             "processor time in it of those that are waited for, less that of those that wait, each "
                             "time since both were last at one instant; the sum over all waits"),
      column<&Row::error_s>("error_s", "s", "standard error of excess_s"),
  };
};

/// A function in which the rank that causes a problem spends more time than the others.
struct ProblemFunctionSummary {
  std::uint64_t problem = 0;  ///< row of the table of problems
  std::int32_t rank = -1;
  std::string function;
  std::string place;
  std::string callers;
  double excess_s = 0;
  double error_s = 0;

  template <class Row = ProblemFunctionSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::problem>("problem", "", "row of problems, from 0"),
      column<&Row::rank>("rank", "", "that causes it; -1: another one each time, those that are waited for"),
      column<&Row::function>("function", "", "as in program_functions"),
      column<&Row::place>("place", "", "source file and the line with most samples of that rank"),
      column<&Row::callers>("callers", "", "as in rank_functions"),
      column<&Row::excess_s>("excess_s", "s",
                             "its processor time in it, outside MPI, less the mean of the other ranks; of rank -1, "
                             "that of late_functions"),
      column<&Row::error_s>("error_s", "s", "standard error of excess_s, which is at least twice as large"),
  };
};

}  // namespace meridian
