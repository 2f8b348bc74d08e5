// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recent activity of a rank of a running program, read from its rings.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "live/rank_now.hpp"
#include "trace/model/call_id.hpp"
#include "trace/records/record.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

struct RankActivity {
  std::string world;       ///< directory of its world; empty: the first world
  std::int32_t rank = -1;  ///< within that world
  std::string host;
  bool is_alive = false;
  double window_s = 0;        ///< covered by the figures: since the last reading, or as far back as the rings reach
  double calls = 0;           ///< MPI calls that returned in the window
  double mpi_s = 0;           ///< time in these calls, over all threads
  std::uint64_t bytes = 0;    ///< bytes that these calls sent, wrote or put
  std::uint32_t threads = 0;  ///< threads with such calls
  CallId call{};              ///< the longest call in progress; none: outside MPI
  double since_s = 0;         ///< duration of the call in progress
  CallPlace function{};       ///< of the program in which the thread that calls MPI computes; empty: unknown
  double function_share = 0;  ///< of the time that it computed in the window
};

/// Reads one ring repeatedly: only what was stored since the last reading, and at most what a ring holds. The program
/// is not stopped and does not notice.
class ActivityReader {
 public:
  /// world  RankActivity::world
  ActivityReader(RingFile ring, std::string world) : ring_{std::move(ring)}, world_{std::move(world)} {}

  /// Activity since the last reading; the first time, all figures except the call in progress are 0.
  RankActivity look();

 private:
  struct Window;
  /// Polls of one phase, as counted so far.
  struct Polls {
    std::uint64_t position = 0;  ///< of its record in the slot's stream
    std::uint64_t calls = 0;
    std::uint64_t ticks = 0;
  };
  void look_at_slot(std::uint32_t slot, Window& window);
  void count_polls(std::uint32_t slot, std::uint64_t position, const Record& record, Window& window);

  RingFile ring_;
  std::string world_;
  std::map<std::uint32_t, std::uint64_t> seen_;  // slot -> head at the last reading
  std::map<std::uint32_t, Polls> polls_;         // slot -> the last phase
  std::uint64_t last_ticks_ = 0;
  std::int64_t last_ns_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace meridian
