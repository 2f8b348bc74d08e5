// SPDX-License-Identifier: Apache-2.0
#pragma once

// The present state of a rank, or its state when its trace ended: the call in progress of each thread, and what that
// call waits for.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trace/definitions/worlds.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// An object that a call in progress needs before it can return. Ranks are those of the communicator.
struct WaitedFor {
  enum class Kind : std::uint8_t {
    send,
    receive,
    collective,
    lock,    ///< one of `threads` has to release `object`
    thread,  ///< the thread in `threads` has to end
    others,  ///< any other thread of the process has to signal, post or arrive at `object`
  };
  Kind kind{};
  CallId call{};            ///< the call in progress, or the one that started its request
  std::uint64_t comm = 0;   ///< handle
  std::uint64_t ticks = 0;  ///< when the handle was used or the lock requested
  std::int32_t peer = 0;    ///< kAnySource: any sender
  std::int32_t tag = kAnyTag;
  std::uint64_t instance = 0;       ///< number of collectives that the rank began on the communicator before
  std::uint64_t posted_before = 0;  ///< pending earlier receives with the same arguments
  std::uint64_t object = 0;         ///< address of the lock; 0: not a lock
  LockKind lock{};
  std::int32_t holder_tid = 0;   ///< kernel tid of the holder when the lock was requested; 0: unknown
  bool is_from_outside = false;  ///< another process may act instead of `others`
  /// Thread numbers. Locks: the holder or the possible holders. Empty: unknown, so any other thread may act.
  std::vector<std::uint32_t> threads{};
};

/// Source location of a call. Unknown parts are empty or 0.
struct CallPlace {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
  std::string module;        ///< path of the file
  std::uint64_t offset = 0;  ///< return address within the module, or the address itself without one. 0: not recorded
};

struct ThreadNow {
  std::uint32_t thread = 0;
  std::int32_t kernel_tid = 0;
  std::string name;               ///< empty: no name was set
  bool is_alive = false;          ///< for a process that has ended: at its end
  bool has_called_mpi = false;    ///< as far as recorded
  bool is_asleep = false;         ///< did not run between the two readings
  CallId call{};                  ///< none: outside recorded calls
  std::uint32_t recorded_as = 0;  ///< ThreadId under which the call is recorded: of a call from a callback, another
  std::uint64_t since_ticks = 0;  ///< enter of the call, or leave of the last one
  std::int64_t since_realtime_ns = 0;  ///< the same; 0: the rank's clock is unknown
  std::uint64_t calls = 0;             ///< MPI calls recorded so far
  std::uint64_t thread_calls = 0;      ///< the same for thread calls
  std::uint64_t user_events = 0;       ///< the same for user events; a region counts twice
  bool is_one_enough = false;          ///< one of `waits` is enough (Waitany, Waitsome); otherwise all are needed
  std::uint64_t polls = 0;             ///< not 0: it polls with `call`, which has found nothing this many times
  std::vector<WaitedFor> waits;
  std::uint64_t return_address = 0;  ///< of the call; 0: not recorded
  std::uint32_t stack_node = 0;      ///< row of RankMeta::stacks
  CallPlace place;                   ///< of the call
};

/// Messages of a rank by communicator (handle), then by peer and tag.
using PeerAndTag = std::pair<std::int32_t, std::int32_t>;
using MessageCounts = std::map<std::uint64_t, std::map<PeerAndTag, std::uint64_t>>;

struct RankNow {
  RankMeta meta;
  std::string ring;  ///< path; empty: the rank was read from a rank file
  std::int32_t writer_pid = 0;
  bool is_alive = false;
  bool has_others_at_work = false;               ///< threads outside `threads` ran between the two readings
  std::int64_t last_realtime_ns = 0;             ///< of the latest event or clock reading
  std::vector<ThreadNow> threads;                ///< known threads, by number
  std::map<std::uint64_t, std::uint64_t> begun;  ///< handle of a communicator -> number of collectives begun on it
  MessageCounts sent;                            ///< sends that have been begun and have returned
  MessageCounts received;                        ///< completed receives
  std::vector<WaitedFor> posted;                 ///< receives that have returned and are not known to be complete
};

}  // namespace meridian
