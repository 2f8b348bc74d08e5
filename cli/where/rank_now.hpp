#pragma once

// What a rank is doing at this moment, or was doing when its trace ended: the call under way of each thread, and what
// that call waits for.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "merger/load/worlds.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// One thing that a call under way needs before it can return. Ranks are those of the communicator.
struct WaitedFor {
  enum class Kind : std::uint8_t { send, receive, collective };
  Kind kind{};
  CallId call{};            ///< that began it: the call under way, or the one that made its request
  std::uint64_t comm = 0;   ///< handle
  std::uint64_t ticks = 0;  ///< when the handle was used
  std::int32_t peer = 0;    ///< kAnySource: whoever sends
  std::int32_t tag = kAnyTag;
};

struct ThreadNow {
  std::uint32_t thread = 0;
  std::int32_t kernel_tid = 0;
  bool is_alive = false;               ///< of a process that has ended: the first thread counts as alive
  CallId call{};                       ///< none: outside of what is recorded
  std::uint64_t since_ticks = 0;       ///< enter of the call; else leave of the last one
  std::int64_t since_realtime_ns = 0;  ///< the same; 0: the rank's clock is not known
  std::uint64_t calls = 0;             ///< recorded so far
  bool is_one_enough = false;          ///< of `waits` (Waitany, Waitsome); else all are needed
  std::vector<WaitedFor> waits;
};

struct RankNow {
  RankMeta meta;
  bool is_alive = false;
  std::int64_t last_realtime_ns = 0;  ///< of the latest event or look at the clocks
  std::vector<ThreadNow> threads;     ///< those that have called anything, by number
};

/// All of a trace.
struct RanksNow {
  std::vector<World> worlds;
  std::vector<RankNow> ranks;
};

/// Looks at every rank of the trace in `directory` and in its folders world-*: at its ring while it runs (or nobody
/// finished it), else at its rank file. Nothing is changed, and nothing waits for us. Ordered by rank. problems  gets a
/// sentence for each rank that cannot be looked at (its ring is on another host...). errors    not_found: no such
/// directory, or no rank in it.
Result<RanksNow> look_at_ranks(const std::filesystem::path& directory, std::vector<std::string>& problems);

}  // namespace meridian
