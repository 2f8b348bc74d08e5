// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on functions, call sites and call paths.

#include <cstdint>
#include <string>

#include "trace/format/table_column.hpp"

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
      column<&Row::name>("name"),
      column<&Row::group>("group"),
      column<&Row::count>("count"),
      column<&Row::total_s>("total_s", "s"),
      column<&Row::mean_s>("mean_s", "s"),
      column<&Row::min_s>("min_s", "s"),
      column<&Row::max_s>("max_s", "s"),
      column<&Row::sd_s>("sd_s", "s"),
      column<&Row::bytes_sent>("bytes_sent", "bytes"),
      column<&Row::bytes_received>("bytes_received", "bytes"),
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
      meridian::column<&Row::function>("function"),
      meridian::column<&Row::caller>("caller"),
      meridian::column<&Row::outer>("outer"),
      meridian::column<&Row::file>("file"),
      meridian::column<&Row::line>("line"),
      meridian::column<&Row::column>("column"),
      meridian::column<&Row::module>("module"),
      meridian::column<&Row::offset>("offset"),
      meridian::column<&Row::count>("count"),
      meridian::column<&Row::ranks>("ranks"),
      meridian::column<&Row::total_s>("total_s", "s"),
      meridian::column<&Row::mean_s>("mean_s", "s"),
      meridian::column<&Row::min_s>("min_s", "s"),
      meridian::column<&Row::max_s>("max_s", "s"),
      meridian::column<&Row::sd_s>("sd_s", "s"),
      meridian::column<&Row::share>("share"),
      meridian::column<&Row::bytes_sent>("bytes_sent", "bytes"),
      meridian::column<&Row::bytes_received>("bytes_received", "bytes"),
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
      column<&Row::path>("path"),
      column<&Row::function>("function"),
      column<&Row::begins>("begins"),
      column<&Row::frames>("frames"),
      column<&Row::count>("count"),
      column<&Row::ranks>("ranks"),
      column<&Row::total_s>("total_s", "s"),
      column<&Row::share>("share"),
      column<&Row::bytes_sent>("bytes_sent", "bytes"),
      column<&Row::bytes_received>("bytes_received", "bytes"),
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
      column<&Row::path>("path"),     column<&Row::frame>("frame"),   column<&Row::caller>("caller"),
      column<&Row::outer>("outer"),   column<&Row::file>("file"),     column<&Row::line>("line"),
      column<&Row::module>("module"), column<&Row::offset>("offset"),
  };
};

}  // namespace meridian
