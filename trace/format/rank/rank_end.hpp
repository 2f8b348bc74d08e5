// SPDX-License-Identifier: Apache-2.0
#pragma once

// How and when a rank without MPI_Finalize ended, as a text of its rank file.

#include <cstdint>
#include <optional>
#include <string>

#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Key of the text. Its ticks are the time at which the end was seen.
inline constexpr const char* kRankEndKey = "process.end";
/// Key of another text: the host whose memory held the last records of the rank, and which is gone.
inline constexpr const char* kHostLostKey = "recording.host_lost";

struct RankEnd {
  std::uint64_t ticks = 0;  ///< of the rank's clock; 0: unknown
  std::string how;          ///< "signal 11", "exit 4", "exit", "running" (a snapshot); empty: unknown
};

/// Of a rank that has ended now. `status` as from wait(); nullopt: unknown.
RankEnd rank_ended_now(ClockKind clock, std::optional<int> status);
/// Of a rank that is in exit() now.
RankEnd rank_exits_now(ClockKind clock);
/// Of a rank that is running now.
RankEnd rank_runs_now(ClockKind clock);

/// Without effect for a rank that reached MPI_Finalize, and for an end at an unknown time.
void add_rank_end(RankMeta& meta, RankEnd end);
/// The end that add_rank_end() stored; without one, all unknown.
RankEnd rank_end_of(const RankMeta& meta);

/// "signal 11 (SIGSEGV)" for "signal 11"; any other text unchanged.
std::string describe_end(const std::string& how);

}  // namespace meridian
