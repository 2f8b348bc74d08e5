#pragma once

// The state of tracing in this process. Cold: reached at the first call, at thread starts, when a block is full, and at
// MPI_Init and MPI_Finalize.

#include <atomic>
#include <cstdint>

#include "trace/model/options.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {

enum class SessionState : int {
  idle = 0,      ///< no MPI call has been seen
  starting = 1,  ///< a thread is at it; others pass through
  on = 2,
  off = 3,  ///< for good: nothing to trace with, an error, or a forked child
};

/// Why a process that could be traced is not.
enum class Refusal : int {
  none,
  unwanted,  ///< its options have mistakes and MERIDIAN_STRICT is set, or it is set-uid
  no_ring,   ///< there is no room to record into
};

struct ThreadState;

struct Session {
  std::atomic<SessionState> state{SessionState::idle};
  Refusal refusal = Refusal::none;  ///< the other ranks count on this one's part in what they agree on all the same
  std::atomic<bool> writer_started{false};
  std::atomic<int> writer_pid{0};  ///< of the process that was started; its start, see process_start()
  std::uint64_t writer_start = 0;
  std::atomic<bool> is_aborting{false};     ///< MPI_Abort was called: the launcher kills what does not leave at once
  std::atomic<bool> is_initialized{false};  ///< after_init() has run
  std::atomic<bool> is_finalizing{false};   ///< before_finalize() has run
  std::atomic<bool> is_finalized{false};    ///< after_finalize() has run
  RingFileHeader* ring = nullptr;           ///< mapped; null unless on
  RingSlot* slots = nullptr;
  std::uint64_t** slot_data = nullptr;    ///< [slot_count] where a slot's data is mapped, null: not yet
  std::atomic<bool> is_recording{false};  ///< as options and switches have it; single calls may be left out
  ThreadCard* cards = nullptr;            ///< [ring->card_count]; null: there was no memory for them
  int pid = 0;
  std::uint64_t finished_bytes = 0;  ///< stored when the rank file was asked for at MPI_Finalize
  OptionValues options;
  char ring_path[kPathBytes] = {};
};
extern Session g_session;

/// Starts the session if it is idle. True when tracing is on.
bool start_session() noexcept;

/// Ends tracing in this process for good; says `why` once on standard error if it is not null.
void stop_session(const char* why) noexcept;

/// One line on standard error: "meridian: ..." with the launcher's rank where known.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

/// Counts an event that could not be stored.
void count_loss(Loss cause) noexcept;

/// Makes g_enabled what options and switches ask for.
void apply_levels(bool recording) noexcept;

/// Reads environment and configuration file into g_session.options; reports mistakes if `report`.
/// False: MERIDIAN_STRICT is set and there is a mistake.
bool read_options(bool report) noexcept;

/// Decides what to count of MERIDIAN_COUNTERS; reports what cannot be counted if `report`. False: MERIDIAN_STRICT is
/// set and there is a mistake.
bool choose_counters(bool report) noexcept;

/// Whether there is anything to count; known before the first event is recorded.
bool is_counting() noexcept;

/// Starts and ends the calling thread's counters.
void attach_counters(ThreadState& thread) noexcept;
void detach_counters(ThreadState& thread) noexcept;

/// Stores the names and units of what is counted.
void store_counter_names() noexcept;

/// Maps a text file for as long as the process lives. False: it cannot be read.
bool map_file(std::string_view path, std::string_view& text) noexcept;

/// The path of the program; empty if it cannot be had.
void read_executable(char* path, std::size_t room) noexcept;

/// Creates the ring file in the scratch directory and maps its head. False with the reason said.
bool create_ring() noexcept;

/// Starts the writer process. False: the rings stay for `meridian merge`.
bool start_writer() noexcept;

/// Wakes the writer if it sleeps.
void wake_writer() noexcept;

/// Asks for a complete rank file and waits for it, at most MERIDIAN_FINALIZE_TIMEOUT.
void request_rank_file() noexcept;

/// True while somebody drains the rings.
bool is_writer_alive() noexcept;

/// What all ranks have agreed on, those that cannot record among them.
struct Agreement {
  bool has_directory = false;  ///< for anybody
  bool is_recording = false;   ///< this rank does
  bool is_refused = false;     ///< a rank with MERIDIAN_STRICT set has no place for its trace
};

/// Agrees on the output directory with all ranks (collective over MPI_COMM_WORLD) and creates it; sets
/// ring->output_dir where this rank records.
Agreement agree_on_directory(int rank) noexcept;

/// Lets go of the calling thread's slot, and of its counters of calls that were not recorded; a call under way is left
/// for good.
void release_thread() noexcept;

/// Makes release_thread() and end_thread() run when the calling thread ends. AS-safe once the session is on.
void watch_thread_end() noexcept;

}  // namespace meridian
