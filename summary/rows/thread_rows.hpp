// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on threads and locks.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

struct ThreadSummary {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::string name;           ///< set by the program; may be empty
  std::uint64_t routine = 0;  ///< address of its start routine; 0: unknown
  std::string routine_name;   ///< empty: unknown
  std::int64_t creator = -1;  ///< thread; -1: unknown
  std::int32_t kernel_tid = 0;
  double begin_s = 0;              ///< since the first event of the run
  double life_s = 0;               ///< until its end, or the rank's last event
  std::uint64_t calls = 0;         ///< MPI calls
  std::uint64_t thread_calls = 0;  ///< calls of threads, locks, sleep and files
  std::uint64_t user_events = 0;   ///< user events; a region counts twice

  template <class Row = ThreadSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::thread>("thread", "", "number in its rank"),
      column<&Row::name>("name", "", "as the program set it; may be empty"),
      column<&Row::routine>("routine", "", "address of its start routine; 0: unknown"),
      column<&Row::routine_name>("routine_name", "", "empty: unknown"),
      column<&Row::creator>("creator", "", "the thread that made it; -1: not known"),
      column<&Row::kernel_tid>("kernel_tid", "", "its number in the kernel"),
      column<&Row::begin_s>("begin_s", "s", "its beginning, relative to the first event of the run"),
      column<&Row::life_s>("life_s", "s", "how long it lived, or was observed"),
      column<&Row::calls>("calls", "", "MPI calls"),
      column<&Row::thread_calls>("thread_calls", "", "calls of the C library about threads, locks, sleep and files"),
      column<&Row::user_events>(
          "user_events", "",
          "events of the program itself: beginnings and ends of regions, markers, counters, events, messages"),
  };
};

/// Calls on one lock of one rank, without those that MERIDIAN_LOCKS excluded.
struct LockSummary {
  std::int32_t rank = 0;
  std::string kind;                ///< "mutex", "condition", "rwlock", "barrier", "spin", "once", "semaphore"
  std::uint64_t object = 0;        ///< address; 0: all objects that are not kept individually
  std::uint64_t lives = 0;         ///< number of objects created at the address; at least 1
  std::uint64_t acquisitions = 0;  ///< successful ones, with or without a wait; for conditions: waits that were
                                   ///< signalled
  std::uint64_t contended = 0;     ///< waits, including unsuccessful ones
  double wait_s = 0;               ///< in those waits
  double longest_s = 0;
  std::uint64_t most_waiters = 0;  ///< largest number of threads that waited at the same time
  std::int64_t holder = -1;        ///< thread that held it in most waits; -1: unknown
  std::uint64_t held = 0;          ///< number of these waits
  std::int64_t waiter = -1;        ///< thread that waited most often; -1: none
  std::uint64_t waited = 0;        ///< number of its waits
  std::uint64_t holds = 0;         ///< whose begin and end were recorded (MERIDIAN_LOCKS=all)
  double hold_s = 0;               ///< from the end of the taking call to the beginning of the releasing one
  double longest_hold_s = 0;

  template <class Row = LockSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::kind>("kind", "", "mutex, condition, rwlock, barrier, spin, once, semaphore"),
      column<&Row::object>("object", "", "address; 0: all objects beyond those that a thread counts individually"),
      column<&Row::lives>("lives", "", "number of objects made at the address, as far as recorded; at least 1"),
      column<&Row::acquisitions>(
          "acquisitions", "", "successful ones, immediate or after waiting; of a condition: waits that were signalled"),
      column<&Row::contended>("contended", "", "waits, including unsuccessful ones; of a barrier: all"),
      column<&Row::wait_s>("wait_s", "s", "time in those waits"),
      column<&Row::longest_s>("longest_s", "s", "the longest of them"),
      column<&Row::most_waiters>("most_waiters", "", "largest number of threads that waited at the same time"),
      column<&Row::holder>("holder", "", "thread that held it in most waits; -1: unknown"),
      column<&Row::held>("held", "", "number of these waits"),
      column<&Row::waiter>("waiter", "", "thread that waited most often; -1: none"),
      column<&Row::waited>("waited", "", "how often it did"),
      column<&Row::holds>("holds", "", "times that threads had it, as far as recorded: only with MERIDIAN_LOCKS=all"),
      column<&Row::hold_s>("hold_s", "s", "in those, from taking it until releasing it"),
      column<&Row::longest_hold_s>("longest_hold_s", "s", "the longest of them"),
  };
};

/// A name of a lock: given by the program, or its symbol.
struct LockNameSummary {
  std::int32_t rank = 0;
  std::uint64_t object = 0;  ///< as in LockSummary
  std::string name;          ///< consecutive names of one object: "/a, /b"

  template <class Row = LockNameSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::object>("object", "", "as in locks"),
      column<&Row::name>("name", "",
                         "as in sem_open, several at one address separated by commas; of a lock in the memory of a "
                         "program or library, its symbol"),
  };
};

}  // namespace meridian
