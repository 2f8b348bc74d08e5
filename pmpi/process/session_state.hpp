// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of tracing in this process. Cold: used at the first call, at thread starts, when a block is full, and in
// MPI_Init and MPI_Finalize.

#include <atomic>
#include <cstdint>

#include "pmpi/process/losses.hpp"
#include "trace/model/options.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {

enum class SessionState : int {
  idle = 0,      ///< no MPI call has been seen
  starting = 1,  ///< a thread is starting the session; others pass through
  on = 2,
  off = 3,  ///< permanently: no MPI library, an error, or a forked child
};

/// Reason why a process is not traced although it could be.
enum class Refusal : int {
  none,
  unwanted,  ///< its options have errors and MERIDIAN_STRICT is set, or it is set-uid
  filtered,  ///< MERIDIAN_RANKS leaves this rank out
  no_ring,   ///< there is no room for a ring file
};

struct Session {
  std::atomic<SessionState> state{SessionState::idle};
  Refusal refusal = Refusal::none;  ///< a refusing rank still takes part in the tracer's collective calls
  std::atomic<bool> writer_started{false};
  std::atomic<int> writer_pid{0};  ///< of the started process; for its start see process_start()
  std::uint64_t writer_start = 0;
  std::atomic<bool> is_aborting{false};     ///< MPI_Abort was called: the launcher kills processes that do not exit
  std::atomic<bool> is_initialized{false};  ///< after_init() has run
  std::atomic<bool> is_finalizing{false};   ///< before_finalize() has run
  std::atomic<bool> is_finalized{false};    ///< after_finalize() has run
  RingFileHeader* ring = nullptr;           ///< mapped; null unless on
  RingSlot* slots = nullptr;
  std::uint64_t** slot_data = nullptr;    ///< [slot_count]: address of the slot's data; null: not mapped yet
  std::atomic<bool> is_recording{false};  ///< according to options and switches; single calls may still be filtered
  ThreadCard* cards = nullptr;            ///< [ring->card_count]; null: out of memory
  int pid = 0;
  bool is_first = false;             ///< the first of the ranks that record: prints where the trace is
  std::uint64_t finished_bytes = 0;  ///< stored when the rank file was requested in MPI_Finalize
  OptionValues options;
  char ring_path[kPathBytes] = {};
};
extern Session g_session;

/// Starts the session if it is idle. True if tracing is on. Defined in session/, as is stop_session().
bool start_session() noexcept;

/// Ends tracing in this process permanently; prints `why` once on standard error unless it is null.
void stop_session(const char* why) noexcept;

/// Ends tracing in a child process, which must not touch the parent's recording. fork() calls it; in a child made without
/// fork()'s handlers (_Fork, clone), the first traced call does. Defined in session/.
void stop_in_child() noexcept;

/// One line on standard error: "meridian: ..." with the launcher's rank where known.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

}  // namespace meridian
