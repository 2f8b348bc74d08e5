// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "merged/merged_trace.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

inline constexpr std::uint32_t kNoLocation = UINT32_MAX;
inline constexpr std::uint32_t kNoCall = UINT32_MAX;
inline constexpr std::int64_t kUnknownTime = std::numeric_limits<std::int64_t>::min();

/// State of a thread at one time, as docs/EFFICIENCY.md defines it.
enum class LocationState : std::uint8_t { compute, mpi_transfer, mpi_wait, sync_wait, sleep, io, ready, unknown };
inline constexpr std::string_view kStateNames[] = {"compute", "mpi-transfer", "mpi-wait", "sync-wait",
                                                   "sleep",   "io",           "ready",    "unknown"};
inline constexpr std::size_t kStateCount = std::size(kStateNames);

constexpr std::string_view state_name(LocationState state) noexcept {
  return kStateNames[static_cast<std::size_t>(state)];
}

/// The properties of a function that analyses of time use.
struct CallTraits {
  LocationState state = LocationState::unknown;  ///< of a thread that is in the function and waits for nobody
  bool starts_mpi = false;                       ///< MPI or a session
  bool ends_mpi = false;
  bool is_join = false;              ///< waits for the end of another thread
  bool is_user = false;              ///< user event
  bool is_blocking_send = false;     ///< returns only after the receive was posted, unless the message was buffered
  bool is_synchronous_send = false;  ///< returns only after the receive was posted
};

/// By MergedEvent::call.
std::vector<CallTraits> call_traits(const MergedDefinitions& definitions);

/// When a thread began and ended, and who made it; kUnknownTime, kNoLocation: unknown.
struct LocationLife {
  std::int64_t begin_ns = kUnknownTime;
  std::int64_t end_ns = kUnknownTime;
  std::uint32_t creator = kNoLocation;
};

/// By MergedEvent::location, from the table of threads; a rank with one thread has no row there.
/// errors  damaged; io: the first event cannot be read.
Result<std::vector<LocationLife>> location_lives(const MergedTrace& trace, const Summary& summary);

/// The part of a call in which a thread waited, and the thread that ended the wait.
struct WaitSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t location = 0;
  std::uint32_t causer = 0;
  WaitKind kind{};
};

}  // namespace meridian
