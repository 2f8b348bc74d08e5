// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on functions, call sites and call paths.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

struct FunctionSummary {
  std::string name;
  std::string group;
  std::uint64_t count = 0;
  double total_s = 0, mean_s = 0, min_s = 0, max_s = 0, sd_s = 0;  ///< sd: of the population of calls
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;

  template <class Row = FunctionSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::name>("name", "", "such as MPI_Send"),
      column<&Row::group>("group", "", "p2p; the groups are those of MERIDIAN_LEVELS"),
      column<&Row::count>("count", "", "calls"),
      column<&Row::total_s>("total_s", "s", "time in the calls"),
      column<&Row::mean_s>("mean_s", "s", "mean of a call"),
      column<&Row::min_s>("min_s", "s", "shortest call"),
      column<&Row::max_s>("max_s", "s", "longest call"),
      column<&Row::sd_s>("sd_s", "s", "standard deviation over the calls (of the population)"),
      column<&Row::bytes_sent>("bytes_sent", "bytes", "what the calls sent"),
      column<&Row::bytes_received>("bytes_received", "bytes", "what the calls received"),
  };
};

/// How the durations of a function's calls are distributed. Quantiles are known to about 3 %.
struct FunctionTimesSummary {
  std::string function;
  std::uint64_t count = 0;  ///< calls that returned
  double mean_s = 0;
  double trimmed_mean_s = 0;  ///< without the slowest tenth
  double confidence90_s = 0, confidence95_s = 0, confidence99_s = 0;
  double decile1_s = 0, decile2_s = 0, decile3_s = 0, decile4_s = 0, decile5_s = 0, decile6_s = 0, decile7_s = 0,
         decile8_s = 0, decile9_s = 0;

  template <class Row = FunctionTimesSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::function>("function", "", "such as MPI_Send"),
      column<&Row::count>("count", "", "calls that returned; of polls in a phase, each with their mean"),
      column<&Row::mean_s>("mean_s", "s", "mean of a call"),
      column<&Row::trimmed_mean_s>("trimmed_mean_s", "s", "mean without the slowest tenth"),
      column<&Row::confidence90_s>("confidence90_s", "s",
                                   "the true mean is this close to mean_s with 90 %: 1.645 s/sqrt(n)"),
      column<&Row::confidence95_s>("confidence95_s", "s", "the same with 95 %: 1.960 s/sqrt(n)"),
      column<&Row::confidence99_s>("confidence99_s", "s", "the same with 99 %: 2.576 s/sqrt(n)"),
      column<&Row::decile1_s>("decile1_s", "s", "10 % of the calls are not longer"),
      column<&Row::decile2_s>("decile2_s", "s", "20 % of the calls are not longer"),
      column<&Row::decile3_s>("decile3_s", "s", "30 % of the calls are not longer"),
      column<&Row::decile4_s>("decile4_s", "s", "40 % of the calls are not longer"),
      column<&Row::decile5_s>("decile5_s", "s", "the median"),
      column<&Row::decile6_s>("decile6_s", "s", "60 % of the calls are not longer"),
      column<&Row::decile7_s>("decile7_s", "s", "70 % of the calls are not longer"),
      column<&Row::decile8_s>("decile8_s", "s", "80 % of the calls are not longer"),
      column<&Row::decile9_s>("decile9_s", "s", "90 % of the calls are not longer"),
  };
};

/// The calls of one function from one call site.
struct SiteSummary {
  std::string function;  ///< the called function: "MPI_Send"
  std::string caller;    ///< function that contains the call; empty: unknown
  std::string outer;     ///< function into which the caller was inlined; empty: none
  std::string file;      ///< source file; empty: unknown
  std::uint32_t line = 0;
  std::uint32_t column = 0;  ///< 0: unknown
  std::string module;        ///< loaded file; empty: unknown
  std::uint64_t offset = 0;  ///< of the return address in the module
  std::uint64_t count = 0;
  std::uint64_t ranks = 0;  ///< ranks that called from here
  double total_s = 0, mean_s = 0, min_s = 0, max_s = 0, sd_s = 0;
  double share = 0;  ///< share of the time of all calls of the run
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;

  template <class Row = SiteSummary>
  static constexpr auto kColumns = Columns{
      meridian::column<&Row::function>("function", "", "the called function"),
      meridian::column<&Row::caller>("caller", "", "function that contains the call; empty: unknown"),
      meridian::column<&Row::outer>("outer", "", "function that the caller was inlined into; empty: none"),
      meridian::column<&Row::file>("file", "", "source file; empty: unknown"),
      meridian::column<&Row::line>("line", "", "0: unknown"),
      meridian::column<&Row::column>("column", "", "0: unknown"),
      meridian::column<&Row::module>("module", "", "loaded file"),
      meridian::column<&Row::offset>("offset", "", "return address in the module"),
      meridian::column<&Row::count>("count", "", "calls"),
      meridian::column<&Row::ranks>("ranks", "", "ranks that made them"),
      meridian::column<&Row::total_s>("total_s", "s", "time in the calls"),
      meridian::column<&Row::mean_s>("mean_s", "s", "mean of a call"),
      meridian::column<&Row::min_s>("min_s", "s", "shortest call"),
      meridian::column<&Row::max_s>("max_s", "s", "longest call"),
      meridian::column<&Row::sd_s>("sd_s", "s", "standard deviation over the calls (of the population)"),
      meridian::column<&Row::share>("share", "", "of the time of all calls"),
      meridian::column<&Row::bytes_sent>("bytes_sent", "bytes", "what the calls sent"),
      meridian::column<&Row::bytes_received>("bytes_received", "bytes", "what the calls received"),
  };
};

/// The calls of one function by one call path.
struct PathSummary {
  std::uint64_t path = 0;  ///< number of the row, used by PathFrameSummary::path
  std::string function;    ///< the called function: "MPI_Send"
  std::string begins;      ///< before the outermost frame: "program"; "deeper", "lost": further callers were not
                           ///< recorded
  std::uint64_t frames = 0;
  std::uint64_t count = 0;
  std::uint64_t ranks = 0;  ///< ranks with this path
  double total_s = 0;
  double share = 0;  ///< share of the time of all calls of the run
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;

  template <class Row = PathSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::path>("path", "", "number of the row; rows of path_frames have it"),
      column<&Row::function>("function", "", "the called function"),
      column<&Row::begins>("begins", "",
                           "program: where the process or a thread begins; deeper: there were more frames; lost: the "
                           "next caller is unknown"),
      column<&Row::frames>("frames", "", "rows of path_frames"),
      column<&Row::count>("count", "", "calls"),
      column<&Row::ranks>("ranks", "", "ranks that made them"),
      column<&Row::total_s>("total_s", "s", "time in the calls"),
      column<&Row::share>("share", "", "of the time of all calls"),
      column<&Row::bytes_sent>("bytes_sent", "bytes", "what the calls sent"),
      column<&Row::bytes_received>("bytes_received", "bytes", "what the calls received"),
  };
};

/// One frame of a call path: the place where a function calls the next one, or the function of the path.
struct PathFrameSummary {
  std::uint64_t path = 0;
  std::uint64_t frame = 0;  ///< 0: the outermost
  std::string caller;       ///< function; empty: unknown
  std::string outer;        ///< function into which the caller was inlined; empty: none
  std::string file;         ///< source file; empty: unknown
  std::uint32_t line = 0;
  std::string module;        ///< loaded file; empty: unknown
  std::uint64_t offset = 0;  ///< of the return address in the module

  template <class Row = PathFrameSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::path>("path", "", "its path"),
      column<&Row::frame>("frame", "", "0 is the outermost"),
      column<&Row::caller>("caller", "", "function that contains the call; empty: unknown"),
      column<&Row::outer>("outer", "", "function that the caller was inlined into; empty: none"),
      column<&Row::file>("file", "", "source file; empty: unknown"),
      column<&Row::line>("line", "", "0: unknown"),
      column<&Row::module>("module", "", "loaded file"),
      column<&Row::offset>("offset", "", "return address in the module"),
  };
};

}  // namespace meridian
