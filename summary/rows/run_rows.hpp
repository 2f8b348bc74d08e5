// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on the run as a whole, its ranks and their environment.

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/format/tables/table_column.hpp"
#include "trace/model/call_id.hpp"

namespace meridian {

struct Summary;
struct RankSummary;

// Values that are computed from a summary for output: measures.cpp.

/// Seconds in MPI, over all ranks and threads.
double mpi_seconds(const Summary& summary);
/// Of these, the seconds in MPI_Init and MPI_Finalize.
double ends_seconds(const Summary& summary);
/// Share of MPI in the recorded time of all threads that call it, without MPI_Init and MPI_Finalize.
double mpi_share(const Summary& summary);
/// The same for one rank.
double rank_mpi_share(const RankSummary& rank);
/// RunSummary::begin_realtime_ns in the format of utc_time().
std::string begin_text(const Summary& summary);

/// Values of RankSummary::end.
inline constexpr std::string_view kFinalized = info(CallId::Finalize).name, kAborted = info(CallId::Abort).name;

struct RunSummary {
  std::string executable;
  std::string mpi_library;
  std::int32_t ranks_expected = 0;  ///< size of MPI_COMM_WORLD, or of all of them
  std::int32_t ranks_present = 0;
  std::uint64_t threads = 0;
  std::uint64_t hosts = 0;
  std::int64_t begin_realtime_ns = 0;  ///< UTC of the first event
  double time_s = 0;                   ///< first event to last
  std::uint64_t calls = 0;             ///< MPI calls
  std::uint64_t thread_calls = 0;      ///< calls of threads, locks, sleep and files
  std::uint64_t user_events = 0;       ///< user events; a region counts twice
  std::uint64_t trace_bytes = 0;       ///< of the rank files
  std::uint64_t all_threads = 0;       ///< whether or not they called MPI

  template <class All>
  static constexpr auto kColumns = Columns{
      column<&All::run, &RunSummary::executable>("executable", "", "path of the program"),
      column<&All::run, &RunSummary::mpi_library>("mpi_library", "", "as the MPI library names itself"),
      column<&All::run, &RunSummary::ranks_expected>("ranks_expected", "", "size of MPI_COMM_WORLD, or of all of them"),
      column<&All::run, &RunSummary::ranks_present>("ranks_present", "", "ranks whose file was found"),
      column<&All::run, &RunSummary::threads>("threads", "", "threads that called MPI, over all ranks"),
      column<&All::run, &RunSummary::all_threads>("all_threads", "", "threads, whether or not they called MPI"),
      column<&All::run, &RunSummary::hosts>("hosts", "", "computers"),
      column<&All::run, &RunSummary::begin_realtime_ns>("begin_realtime_ns", "ns", "first event, since 1970-01-01 UTC"),
      column<All, &begin_text>("begin", "", "the same as text; null: unknown").shown_in(kInJson).nullable(),
      column<&All::run, &RunSummary::time_s>("time_s", "s", "from the first event of any rank to the last"),
      column<&All::run, &RunSummary::calls>("calls", "", "MPI calls"),
      column<&All::run, &RunSummary::thread_calls>("thread_calls", "",
                                                   "calls of the C library about threads, locks, sleep and files"),
      column<&All::run, &RunSummary::user_events>(
          "user_events", "",
          "events of the program itself: beginnings and ends of regions, markers, counters, events, messages"),
      column<&All::run, &RunSummary::trace_bytes>("trace_bytes", "bytes", "size of the rank files"),
      column<All, &mpi_seconds>("mpi_s", "s", "in MPI, over all ranks and threads").shown_in(kInPrint),
      column<All, &ends_seconds>("ends_s", "s", "the part of mpi_s in MPI_Init and MPI_Finalize").shown_in(kInPrint),
      column<All, &mpi_share>("mpi_share", "",
                              "(mpi_s - ends_s) / (thread_s - ends_s), over all ranks; without unrecorded_s")
          .shown_in(kInPrint),
  };
};

/// The processes of one MPI_COMM_WORLD, if a trace has several. Their ranks are consecutive.
struct WorldSummary {
  std::int32_t world = 0;  ///< from 1
  std::int32_t first_rank = 0;
  std::int32_t ranks_expected = 0;  ///< size of its MPI_COMM_WORLD
  std::int32_t ranks_present = 0;
  std::int32_t parent = 0;  ///< world that started it; 0: none, or unknown
  std::string executable;
  std::string directory;  ///< of its rank files

  template <class Row = WorldSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::world>("world", "", "number, from 1"),
      column<&Row::first_rank>("first_rank", "", "rank of its first process"),
      column<&Row::ranks_expected>("ranks_expected", "", "its size"),
      column<&Row::ranks_present>("ranks_present", "", "ranks whose file was found"),
      column<&Row::parent>("parent", "", "world that started it; 0: none, or not known"),
      column<&Row::executable>("executable", "", "path of its first rank's program"),
      column<&Row::directory>("directory", "", "of its rank files"),
  };
};

struct RankSummary {
  std::int32_t rank = 0;
  std::string host;
  std::uint64_t threads = 0;
  std::uint64_t calls = 0;         ///< MPI calls
  std::uint64_t thread_calls = 0;  ///< calls of threads, locks, sleep and files
  std::uint64_t user_events = 0;   ///< user events; a region counts twice
  double time_s = 0;               ///< first to last event of this rank
  double mpi_s = 0;                ///< in MPI, summed over threads
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;  ///< point to point
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t all_threads = 0;  ///< whether or not they called MPI
  double thread_s =
      0;               ///< lives of the threads that called MPI, without their waits for each other's end; 0: not known
  double ends_s = 0;   ///< in MPI_Init and MPI_Finalize
  double waits_s = 0;  ///< in calls about threads and locks, of the threads that called MPI
  double sleep_s = 0;  ///< asleep, of the threads that called MPI
  std::uint64_t other_bytes_sent = 0;  ///< by collectives and one-sided accesses
  std::uint64_t other_bytes_received = 0;
  /// How the rank ended: "MPI_Finalize", "MPI_Abort", "signal 11 (SIGSEGV)", "exit 1", "exit" (without its code),
  /// "running" (a snapshot); empty: without MPI_Finalize, nothing else is known.
  std::string end{kFinalized};
  double end_s = -1;       ///< when an end without MPI_Finalize was seen, since the first event of the run; -1: unknown
  std::string end_call{};  ///< the call in progress then, with its call site: "MPI_Recv (a.c:7)"; empty: none
  double end_call_s = 0;   ///< since when
  double unrecorded_s = 0;  ///< of time_s, in which recording was switched off
  double recorded_from_s =
      -1;  ///< of the piece that nearly all of the record is in, on the common time; -1: there is none
  double recorded_to_s = -1;

  template <class Row = RankSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD; counted on in further worlds"),
      column<&Row::host>("host", "", "computer that it ran on"),
      column<&Row::threads>("threads", "", "threads that called MPI"),
      column<&Row::all_threads>("all_threads", "", "threads, whether or not they called MPI"),
      column<&Row::calls>("calls", "", "MPI calls"),
      column<&Row::thread_calls>("thread_calls", "", "calls of the C library about threads, locks, sleep and files"),
      column<&Row::user_events>(
          "user_events", "",
          "events of the program itself: beginnings and ends of regions, markers, counters, events, messages"),
      column<&Row::time_s>("time_s", "s", "from its first event to its last"),
      column<&Row::thread_s>("thread_s", "s",
                             "lives of the threads that called MPI, without the time that one waits for another one of "
                             "them to end"),
      column<&Row::mpi_s>("mpi_s", "s", "in MPI, summed over its threads"),
      column<&Row::ends_s>("ends_s", "s", "the part of mpi_s in MPI_Init and MPI_Finalize"),
      column<Row, &rank_mpi_share>("mpi_share", "", "(mpi_s - ends_s) / (thread_s - ends_s), without unrecorded_s")
          .shown_in(kInPrint),
      column<&Row::waits_s>("waits_s", "s", "in calls about threads and locks, over the threads that called MPI"),
      column<&Row::sleep_s>("sleep_s", "s", "asleep, over the threads that called MPI"),
      column<&Row::messages_sent>("messages_sent", "", "point to point"),
      column<&Row::bytes_sent>("bytes_sent", "bytes", "in these messages"),
      column<&Row::messages_received>("messages_received", "", "point to point"),
      column<&Row::bytes_received>("bytes_received", "bytes", "in these messages"),
      column<&Row::other_bytes_sent>("other_bytes_sent", "bytes", "by collectives and one-sided accesses"),
      column<&Row::other_bytes_received>("other_bytes_received", "bytes", "by collectives and one-sided accesses"),
      column<&Row::end>("end", "",
                        "how it ended: MPI_Finalize, MPI_Abort, signal 11 (SIGSEGV), exit 1 (the code, if known); "
                        "running: it did not, this is "
                        "a snapshot; empty: without MPI_Finalize, nothing else is known"),
      column<&Row::end_s>("end_s", "s",
                          "when an end without MPI_Finalize was seen, relative to the first event of the run; -1: not "
                          "known"),
      column<&Row::end_call>("end_call", "", "the call in progress at that end, with its call site; empty: none"),
      column<&Row::end_call_s>("end_call_s", "s", "how long it had been in progress, as far as known"),
      column<&Row::unrecorded_s>("unrecorded_s", "s", "of time_s, in which recording was switched off").optional(),
      column<&Row::recorded_from_s>(
          "recorded_from_s", "s",
          "begin of the piece that nearly all of the record is in, if recording was switched off "
          "and on; -1: all, or there is none")
          .optional(),
      column<&Row::recorded_to_s>("recorded_to_s", "s", "its end; -1: as before").optional(),
  };
};

/// Host, processor and command of a rank.
struct ContextSummary {
  std::int32_t rank = 0;
  std::string host;
  std::string cpu_model;
  std::string cpus;  ///< processors that it may run on: "0-3,8"
  std::string command;

  template <class Row = ContextSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::host>("host", "", "computer"),
      column<&Row::cpu_model>("cpu_model", "", "as the system names it"),
      column<&Row::cpus>("cpus", "", "processors that it may run on: 0-3,8"),
      column<&Row::command>("command", "", "the command line"),
  };
};

/// The resources that a thread or the process used from its beginning to its end.
struct UsageSummary {
  std::int32_t rank = 0;
  std::int32_t thread = -1;  ///< -1: the process
  double user_s = 0;
  double system_s = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t high_water_bytes = 0;  ///< largest resident memory; only for the process
  double ready_s = 0;

  template <class Row = UsageSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::thread>("thread", "", "-1: the process"),
      column<&Row::user_s>("user_s", "s", "CPU time in the program"),
      column<&Row::system_s>("system_s", "s", "CPU time in the kernel"),
      column<&Row::minor_faults>("minor_faults", "", "page faults without I/O"),
      column<&Row::major_faults>("major_faults", "", "page faults with I/O"),
      column<&Row::voluntary_switches>("voluntary_switches", "", "of context"),
      column<&Row::involuntary_switches>("involuntary_switches", "", "of context"),
      column<&Row::high_water_bytes>("high_water_bytes", "bytes", "most memory that was resident; 0 for threads"),
      column<&Row::ready_s>("ready_s", "s",
                            "time without a processor although ready to run, of the process while it was recorded "
                            "between MPI_Init and MPI_Finalize; 0: not known"),
  };
};

/// An environment variable with one of its values.
struct VariableSummary {
  std::string name;
  std::string value;
  std::int32_t first_rank = 0;
  std::uint64_t ranks = 0;  ///< ranks with this value

  template <class Row = VariableSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::name>("name", "", "of the variable"),
      column<&Row::value>("value", "", "of these ranks"),
      column<&Row::first_rank>("first_rank", "", "lowest rank that has it"),
      column<&Row::ranks>("ranks", "", "number of ranks that have it"),
  };
};

/// Calls of one function on one rank that were filtered out by levels, a filter, a limit or a switch.
struct PassedSummary {
  std::int32_t rank = 0;
  std::string name;
  std::string group;
  std::uint64_t count = 0;

  template <class Row = PassedSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::name>("name", "", "function"),
      column<&Row::group>("group", "", "of functions"),
      column<&Row::count>("count", "", "calls that were filtered out"),
  };
};

/// The tracer's own time: measured, or for recording calls, their number times the cost of one.
struct OverheadSummary {
  std::string name;
  std::uint64_t count = 0;
  double total_s = 0;
  double share = 0;   ///< of ranks x run time
  double unit_s = 0;  ///< one; 0: unknown

  template <class Row = OverheadSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::name>("name", "", "of the work"),
      column<&Row::count>("count", "", "how often"),
      column<&Row::total_s>("total_s", "s", "the tracer's own time"),
      column<&Row::share>("share", "", "of the ranks' run time"),
      column<&Row::unit_s>("unit_s", "s", "mean of one; of recording calls as measured at the start of the ranks"),
  };
};

}  // namespace meridian
