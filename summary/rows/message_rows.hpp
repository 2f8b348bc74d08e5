// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on messages, communicators, windows and files.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

struct MessageSummary {
  std::uint64_t matched = 0;
  std::uint64_t bytes = 0;
  std::uint64_t unmatched_sends = 0;
  std::uint64_t unmatched_receives = 0;
  std::uint64_t collectives = 0;  ///< instances, each counted once
  std::uint64_t collective_calls = 0;
  std::uint64_t collective_bytes_sent = 0;
  std::uint64_t collective_bytes_received = 0;

  /// In files both tables share one group of columns.
  template <class All>
  static constexpr auto kColumns = Columns{
      column<&All::messages, &MessageSummary::matched>("matched", "", "messages with both sides in the trace"),
      column<&All::messages, &MessageSummary::bytes>("bytes", "bytes", "in them"),
      column<&All::messages, &MessageSummary::unmatched_sends>("unmatched_sends", "", "without their receive"),
      column<&All::messages, &MessageSummary::unmatched_receives>("unmatched_receives", "", "without their send"),
      column<&All::messages, &MessageSummary::collectives>("collectives", "",
                                                           "collective operations, each counted once")
          .shown_in(kInFile),
      column<&All::messages, &MessageSummary::collective_calls>("collective_calls", "", "calls that took part in them")
          .shown_in(kInFile),
      column<&All::messages, &MessageSummary::collective_bytes_sent>("collective_bytes_sent", "bytes", "over all calls")
          .shown_in(kInFile),
      column<&All::messages, &MessageSummary::collective_bytes_received>("collective_bytes_received", "bytes",
                                                                         "over all calls")
          .shown_in(kInFile),
  };
  template <class All>
  static constexpr auto kCollectiveColumns = Columns{
      column<&All::messages, &MessageSummary::collectives>("count", "", "collective operations, each counted once"),
      column<&All::messages, &MessageSummary::collective_calls>("calls", "", "calls that took part in them"),
      column<&All::messages, &MessageSummary::collective_bytes_sent>("bytes_sent", "bytes", "over all calls"),
      column<&All::messages, &MessageSummary::collective_bytes_received>("bytes_received", "bytes", "over all calls"),
  };
};

/// Messages from one world rank to another; only pairs with messages, ordered by (source, dest).
struct PairSummary {
  std::int32_t source = 0;
  std::int32_t dest = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  template <class Row = PairSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::source>("source", "", "rank in MPI_COMM_WORLD"),
      column<&Row::dest>("dest", "", "rank in MPI_COMM_WORLD"),
      column<&Row::messages>("messages", "", "sent from the one to the other"),
      column<&Row::bytes>("bytes", "bytes", "in these messages"),
  };
};

/// Calls on the communicators of one name, kind and size, over all ranks. Calls on several communicators are not
/// included.
struct CommSummary {
  std::string name;  ///< empty: communicators without a name
  std::string kind;  ///< "world", "self", "intra", "inter"
  std::uint64_t communicators = 0;
  std::uint64_t ranks = 0;  ///< in each communicator
  std::uint64_t p2p_calls = 0;
  double p2p_s = 0;
  std::uint64_t collective_calls = 0;
  double collective_s = 0;
  std::uint64_t other_calls = 0;
  double other_s = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;

  template <class Row = CommSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::name>("name", "", "given by the program or by MPI; empty: those without one"),
      column<&Row::kind>("kind", "", "world, self, intra, inter"),
      column<&Row::communicators>("communicators", "", "number of them"),
      column<&Row::ranks>("ranks", "", "in each; both groups of an intercommunicator"),
      column<&Row::p2p_calls>("p2p_calls", "", "point-to-point calls"),
      column<&Row::p2p_s>("p2p_s", "s", "time in them"),
      column<&Row::collective_calls>("collective_calls", "", "collective calls"),
      column<&Row::collective_s>("collective_s", "s", "time in them"),
      column<&Row::other_calls>("other_calls", "", "all other calls on it"),
      column<&Row::other_s>("other_s", "s", "time in them"),
      column<&Row::bytes_sent>("bytes_sent", "bytes", "by messages and collectives"),
      column<&Row::bytes_received>("bytes_received", "bytes", "by messages and collectives"),
  };
};

/// Calls on the windows of one name on one communicator, over all ranks.
struct WindowSummary {
  std::string name;  ///< may be empty
  std::string comm;
  std::uint64_t windows = 0;
  std::uint64_t ranks = 0;
  std::uint64_t puts = 0;  ///< Put, Accumulate and similar
  std::uint64_t put_bytes = 0;
  std::uint64_t gets = 0;
  std::uint64_t get_bytes = 0;
  std::uint64_t exchanges = 0;  ///< calls that do both
  std::uint64_t exchange_bytes = 0;
  double access_s = 0;      ///< in all of these calls
  std::uint64_t syncs = 0;  ///< fences, locks, flushes, creation and freeing...
  double sync_s = 0;

  template <class Row = WindowSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::name>("name", "", "given by any rank; empty: those without one"),
      column<&Row::comm>("comm", "", "what the window was made on"),
      column<&Row::windows>("windows", "", "number of them"),
      column<&Row::ranks>("ranks", "", "ranks that made one"),
      column<&Row::puts>("puts", "", "Put, Accumulate and their like"),
      column<&Row::put_bytes>("put_bytes", "bytes", "at the origin"),
      column<&Row::gets>("gets", "", "Get"),
      column<&Row::get_bytes>("get_bytes", "bytes", "at the origin"),
      column<&Row::exchanges>("exchanges", "", "calls that do both"),
      column<&Row::exchange_bytes>("exchange_bytes", "bytes", "of both directions"),
      column<&Row::access_s>("access_s", "s", "time in all of these, without waits for requests"),
      column<&Row::syncs>("syncs", "", "all other calls: fences, locks, flushes, making, freeing"),
      column<&Row::sync_s>("sync_s", "s", "time in them"),
  };
};

/// How long a rank had the locks of one target of a window, and how often others waited for it. Targets that nobody waited for
/// have no rows.
struct WindowLockSummary {
  std::string window;       ///< its name; may be empty
  std::string comm;         ///< what the window was made on
  std::int32_t target = 0;  ///< in the group of the window; -1: all of them (MPI_Win_lock_all)
  std::int32_t rank = 0;    ///< that had the lock
  std::uint64_t holds = 0;
  double hold_s = 0;  ///< from the end of the call that locks to the begin of the one that unlocks
  double longest_hold_s = 0;
  std::uint64_t waits = 0;  ///< calls of other ranks that ended waiting when this rank unlocked

  template <class Row = WindowLockSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::window>("window", "", "its name; empty: those without one"),
      column<&Row::comm>("comm", "", "what the window was made on"),
      column<&Row::target>("target", "", "rank of the window whose memory is locked; -1: all (MPI_Win_lock_all)"),
      column<&Row::rank>("rank", "", "that had the lock, in MPI_COMM_WORLD"),
      column<&Row::holds>("holds", "", "times that it had it"),
      column<&Row::hold_s>("hold_s", "s",
                           "in those, from the end of the call that locks to the begin of that which unlocks"),
      column<&Row::longest_hold_s>("longest_hold_s", "s", "the longest of them"),
      column<&Row::waits>("waits", "", "calls of other ranks that waited until this one unlocked"),
  };
};

/// MPI calls on one file, over all ranks. Calls that begin an access have its bytes; the wait for its completion is not
/// part of their time.
struct FileSummary {
  std::string name;       ///< as passed to MPI_File_open; path of a file that the program accesses itself
  std::string interface;  ///< "MPI-IO"; "POSIX" also of stdio
  std::uint64_t ranks = 0;
  std::uint64_t opens = 0;
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  double read_s = 0;
  std::uint64_t writes = 0;
  std::uint64_t write_bytes = 0;
  double write_s = 0;
  std::uint64_t others = 0;  ///< open, close, seek, set_view...
  double other_s = 0;

  bool is_posix() const { return interface == kPosix; }
  static constexpr const char* kMpiIo = "MPI-IO";
  static constexpr const char* kPosix = "POSIX";

  template <class Row = FileSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::name>("name", "", "as it was given to MPI_File_open; the path, if the program accesses it itself"),
      column<&Row::interface>("interface", "", "MPI-IO; POSIX, also of stdio"),
      column<&Row::ranks>("ranks", "", "ranks that opened it"),
      column<&Row::opens>("opens", "", "over all ranks"),
      column<&Row::reads>("reads", "", "a split collective counts once"),
      column<&Row::read_bytes>("read_bytes", "bytes", "in them"),
      column<&Row::read_s>("read_s", "s", "both halves of a split collective; without waits for requests"),
      column<&Row::writes>("writes", "", "a split collective counts once"),
      column<&Row::write_bytes>("write_bytes", "bytes", "in them"),
      column<&Row::write_s>("write_s", "s", "both halves of a split collective; without waits for requests"),
      column<&Row::others>("others", "", "open, close, seek, set_view and the like"),
      column<&Row::other_s>("other_s", "s", "time in them"),
  };
};

}  // namespace meridian
