// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on threads and locks.

#include <cstdint>
#include <string>

#include "trace/format/table_column.hpp"

namespace meridian {

struct ThreadSummary {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::string name;           ///< as the program set it; may be empty
  std::uint64_t routine = 0;  ///< address of its start routine; 0: not known
  std::string routine_name;   ///< empty: not known
  std::int64_t creator = -1;  ///< thread; -1: not known
  std::int32_t kernel_tid = 0;
  double begin_s = 0;              ///< from the first event of the run on
  double life_s = 0;               ///< until its end, or the rank's last event
  std::uint64_t calls = 0;         ///< MPI calls
  std::uint64_t thread_calls = 0;  ///< of threads, locks and sleep
  std::uint64_t user_events = 0;   ///< of the program itself; a region has two

  template <class Row = ThreadSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank"),
      column<&Row::thread>("thread"),
      column<&Row::name>("name"),
      column<&Row::routine>("routine"),
      column<&Row::routine_name>("routine_name"),
      column<&Row::creator>("creator"),
      column<&Row::kernel_tid>("kernel_tid"),
      column<&Row::begin_s>("begin_s", "s"),
      column<&Row::life_s>("life_s", "s"),
      column<&Row::calls>("calls"),
      column<&Row::thread_calls>("thread_calls"),
      column<&Row::user_events>("user_events"),
  };
};

/// Calls about one lock of one rank, without those that MERIDIAN_LOCKS left out.
struct LockSummary {
  std::int32_t rank = 0;
  std::string kind;                ///< "mutex", "condition", "rwlock", "barrier", "spin", "once", "semaphore"
  std::uint64_t object = 0;        ///< address; 0: those beyond the objects that are kept apart, together
  std::uint64_t lives = 0;         ///< times that something was made at the address; at least 1
  std::uint64_t acquisitions = 0;  ///< successful ones, waited for or not; of conditions: waits that ended well
  std::uint64_t contended = 0;     ///< waits, also those in vain
  double wait_s = 0;               ///< in those waits
  double longest_s = 0;
  std::uint64_t most_waiters = 0;  ///< threads that waited at one moment
  std::int64_t holder = -1;        ///< thread that had it in most waits; -1: not known
  std::uint64_t held = 0;          ///< in how many
  std::int64_t waiter = -1;        ///< thread that waited most often; -1: none
  std::uint64_t waited = 0;        ///< how often

  template <class Row = LockSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank"),
      column<&Row::kind>("kind"),
      column<&Row::object>("object"),
      column<&Row::lives>("lives"),
      column<&Row::acquisitions>("acquisitions"),
      column<&Row::contended>("contended"),
      column<&Row::wait_s>("wait_s", "s"),
      column<&Row::longest_s>("longest_s", "s"),
      column<&Row::most_waiters>("most_waiters"),
      column<&Row::holder>("holder"),
      column<&Row::held>("held"),
      column<&Row::waiter>("waiter"),
      column<&Row::waited>("waited"),
  };
};

/// A name that the program gave to a lock.
struct LockNameSummary {
  std::int32_t rank = 0;
  std::uint64_t object = 0;  ///< as in LockSummary
  std::string name;          ///< several that followed one another: "/a, /b"

  template <class Row = LockNameSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank"),
      column<&Row::object>("object"),
      column<&Row::name>("name"),
  };
};

}  // namespace meridian
