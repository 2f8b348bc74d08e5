#pragma once

// What a rank is doing at this moment, or was doing when its trace ended: the call under way of each thread, and what
// that call waits for.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "merger/load/worlds.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// One thing that a call under way needs before it can return. Ranks are those of the communicator.
struct WaitedFor {
  enum class Kind : std::uint8_t {
    send,
    receive,
    collective,
    lock,    ///< one of `threads` has to give `object` back
    thread,  ///< the thread in `threads` has to end
    others,  ///< any other thread of the process has to do something to `object`: signal, post, arrive
  };
  Kind kind{};
  CallId call{};            ///< that began it: the call under way, or the one that made its request
  std::uint64_t comm = 0;   ///< handle
  std::uint64_t ticks = 0;  ///< when the handle was used, or the lock wanted
  std::int32_t peer = 0;    ///< kAnySource: whoever sends
  std::int32_t tag = kAnyTag;
  std::uint64_t instance = 0;       ///< collectives that the rank had begun on the communicator before
  std::uint64_t posted_before = 0;  ///< receives with the same arguments that were begun before and have not ended
  std::uint64_t object = 0;         ///< address of the lock; 0: it is none
  LockKind lock{};
  std::int32_t holder_tid = 0;   ///< kernel tid of who had the lock when it was wanted; 0: not known
  bool is_from_outside = false;  ///< `others` of another process may do it as well
  /// By number. Locks: who has it, or those of which one must have it. Empty: not known, so that somebody may act.
  std::vector<std::uint32_t> threads{};
};

/// Where a call stands in the program. What is not known is empty or 0.
struct CallPlace {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
  std::string module;        ///< path of the file that was loaded there
  std::uint64_t offset = 0;  ///< return address in it; without a module, the address itself. 0: not recorded
};

struct ThreadNow {
  std::uint32_t thread = 0;
  std::int32_t kernel_tid = 0;
  std::string name;                    ///< empty: none was set
  bool is_alive = false;               ///< of a process that has ended: lived until then
  bool has_called_mpi = false;         ///< as far as it is recorded
  bool is_asleep = false;              ///< has not run between the two looks
  CallId call{};                       ///< none: outside of what is recorded
  std::uint64_t since_ticks = 0;       ///< enter of the call; else leave of the last one
  std::int64_t since_realtime_ns = 0;  ///< the same; 0: the rank's clock is not known
  std::uint64_t calls = 0;             ///< recorded so far
  bool is_one_enough = false;          ///< of `waits` (Waitany, Waitsome); else all are needed
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
  std::string ring;  ///< path; empty: what is known is from a rank file
  std::int32_t writer_pid = 0;
  bool is_alive = false;
  bool has_others_at_work = false;               ///< threads that are not in `threads` have run between the two looks
  std::int64_t last_realtime_ns = 0;             ///< of the latest event or look at the clocks
  std::vector<ThreadNow> threads;                ///< those that are known, by number
  std::map<std::uint64_t, std::uint64_t> begun;  ///< handle of a communicator -> collectives begun on it
  MessageCounts sent;                            ///< sends begun, but for those that have not returned
  MessageCounts received;                        ///< receives ended
};

}  // namespace meridian
