// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a rank is doing now, or was doing when its trace ended: the call in progress of each thread, and what that call
// waits for.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "merger/model/worlds.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// One thing that a call in progress needs before it can return. Ranks are those of the communicator.
struct WaitedFor {
  enum class Kind : std::uint8_t {
    send,
    receive,
    collective,
    lock,    ///< one of `threads` has to release `object`
    thread,  ///< the thread in `threads` has to end
    others,  ///< any other thread of the process has to do something to `object`: signal, post, arrive
  };
  Kind kind{};
  CallId call{};            ///< that started it: the call in progress, or the one that made its request
  std::uint64_t comm = 0;   ///< handle
  std::uint64_t ticks = 0;  ///< when the handle was used, or the lock requested
  std::int32_t peer = 0;    ///< kAnySource: whoever sends
  std::int32_t tag = kAnyTag;
  std::uint64_t instance = 0;       ///< collectives that the rank had begun on the communicator before
  std::uint64_t posted_before = 0;  ///< pending earlier receives with the same arguments
  std::uint64_t object = 0;         ///< address of the lock; 0: not a lock
  LockKind lock{};
  std::int32_t holder_tid = 0;   ///< kernel tid of the lock's holder when it was requested; 0: unknown
  bool is_from_outside = false;  ///< another process may act instead of `others`
  /// By number. Locks: the holder, or the possible holders. Empty: unknown, so another thread may act.
  std::vector<std::uint32_t> threads{};
};

/// Source location of a call. Unknown parts are empty or 0.
struct CallPlace {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
  std::string module;        ///< path of the file loaded there
  std::uint64_t offset = 0;  ///< return address in it; without a module, the address itself. 0: not recorded
};

struct ThreadNow {
  std::uint32_t thread = 0;
  std::int32_t kernel_tid = 0;
  std::string name;                    ///< empty: none was set
  bool is_alive = false;               ///< for a process that has ended: when it ended
  bool has_called_mpi = false;         ///< as far as recorded
  bool is_asleep = false;              ///< has not run between the two readings
  CallId call{};                       ///< none: outside the recorded calls
  std::uint64_t since_ticks = 0;       ///< enter of the call, or leave of the last one
  std::int64_t since_realtime_ns = 0;  ///< the same; 0: the rank's clock is unknown
  std::uint64_t calls = 0;             ///< MPI calls recorded so far
  std::uint64_t thread_calls = 0;      ///< likewise, of threads, locks and sleep
  std::uint64_t user_events = 0;       ///< likewise; a region has two
  bool is_one_enough = false;          ///< one of `waits` (Waitany, Waitsome); else all are needed
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
  std::string ring;  ///< path; empty: read from a rank file
  std::int32_t writer_pid = 0;
  bool is_alive = false;
  bool has_others_at_work = false;               ///< threads not in `threads` have run between the two readings
  std::int64_t last_realtime_ns = 0;             ///< of the latest event or clock reading
  std::vector<ThreadNow> threads;                ///< the known ones, by number
  std::map<std::uint64_t, std::uint64_t> begun;  ///< handle of a communicator -> collectives begun on it
  MessageCounts sent;                            ///< sends begun that have returned
  MessageCounts received;                        ///< completed receives
};

}  // namespace meridian
