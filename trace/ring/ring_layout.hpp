// SPDX-License-Identifier: Apache-2.0
#pragma once

// Layout of a rank's ring file, which the traced process and the writer share by mmap. The traced process stores
// records, the writer drains them; stored records survive the death of either.
//
//   [RingFileHeader, one page][RingSlot x slot_count][ring data x slot_count, ring_bytes each, from data_offset on]
//   [ThreadCard x card_count, from cards_offset on][samples by signal, from sample_buffers_offset on]
//
// A slot belongs to one live thread. Its positions (head, tail) count bytes and never wrap; the byte at position p is
// at data_offset + slot * ring_bytes + p % ring_bytes. A record never crosses a block boundary: the rest of a block is
// filled by a pad record.

#include <atomic>
#include <cstdint>

#include "trace/unwind/python_layout.hpp"

namespace meridian {

inline constexpr std::uint64_t kRingMagic = 0x474e49524952454dULL;  // "MERIRING" in memory order
inline constexpr std::uint32_t kRingVersion = 3;
inline constexpr std::uint32_t kRingPageBytes = 4096;
inline constexpr std::size_t kPathBytes = 1024;
inline constexpr std::size_t kNameBytes = 256;
inline constexpr std::size_t kControlBytes = 512;
/// Shards of the counters of calls that were not recorded. A shard has one 64-bit word for each CallId; that of
/// CallId::none is set from outside, like RingSlot::asked. Each live thread has its own shard; threads beyond their
/// number share the last one.
inline constexpr std::uint32_t kPassedShards = 64;

enum class RunState : std::uint32_t {
  starting = 0,   ///< ring is being laid out
  running = 1,    ///< records are being stored
  finalized = 2,  ///< MPI_Finalize has returned; further records are possible
  ended = 3,      ///< the process has announced that it stores no more
};

enum class WriterState : std::uint32_t {
  none = 0,  ///< never started
  draining = 1,
  left = 2,    ///< rank file complete, ring no longer needed
  failed = 3,  ///< gave up; the contents of ring and spool are for the merger
};

enum class ClockKind : std::uint32_t { tsc = 0, monotonic_raw = 1, monotonic = 2, warped = 3 };

/// Request from outside.
enum class ControlState : std::uint32_t { none = 0, on = 1, off = 2 };

/// Reasons for events that could not be stored. Each has its own counter and becomes a finding of the same name.
enum class Loss : std::uint32_t {
  ring_full = 0,     ///< the writer did not make room in time
  no_slot = 1,       ///< more live threads than slots
  no_memory = 2,     ///< out of memory for rings
  too_long = 3,      ///< a record longer than a block
  writer_gone = 4,   ///< the writer process has died and the ring is full
  damaged = 5,       ///< stored records that were no longer readable; counted by the process that makes the rank file
  no_card = 6,       ///< more threads in total than cards: lock counts of the others are missing
  user_nested = 7,   ///< user events from inside an MPI call (callbacks, signal handlers)
  user_refused = 8,  ///< user events before there was an MPI, or with more names than the limit
  stack_full = 9,    ///< call stacks of calls, which have only their call site: a thread has too many different ones
  nested_deep = 10,  ///< MPI calls from callbacks inside callbacks, deeper than is recorded
  count_ = 12
};

struct RingFileHeader {
  std::uint64_t magic = 0;
  std::uint32_t version = 0;
  std::uint32_t slot_count = 0;
  std::uint64_t ring_bytes = 0;   ///< per slot; a multiple of block_bytes
  std::uint64_t block_bytes = 0;  ///< at most 512 KiB - 8
  std::uint64_t data_offset = 0;  ///< of slot 0's data; a multiple of the page size
  std::uint64_t domain = 0;       ///< hash of the clock domain's identity
  std::int32_t pid = 0;
  ClockKind clock = ClockKind::tsc;
  std::uint64_t process_start = 0;  ///< field 22 of /proc/PID/stat: identifies a reused pid
  std::atomic<std::int32_t> world_rank{-1};
  std::atomic<std::int32_t> world_size{-1};
  std::atomic<RunState> run_state{RunState::starting};
  std::atomic<WriterState> writer_state{WriterState::none};
  std::atomic<std::int32_t> writer_pid{0};
  std::atomic<std::uint32_t> next_thread{0};  ///< ThreadId of the next thread
  std::atomic<std::uint64_t> losses[static_cast<std::size_t>(Loss::count_)]{};

  alignas(64) std::atomic<std::uint32_t> wake{0};    ///< futex word the writer waits on; bumped by the application
  std::atomic<std::uint32_t> writer_asleep{0};       ///< 1 while the writer waits: only then is a wake a system call
  alignas(64) std::atomic<std::uint32_t> served{0};  ///< futex word the application waits on; bumped by the writer
  std::atomic<std::uint32_t> finish_requested{0};    ///< number of complete rank files requested
  std::atomic<std::uint32_t> finish_served{0};       ///< number of answered requests (also after a failure)
  std::uint32_t card_count = 0;                      ///< 0: the file has no cards
  std::uint64_t cards_offset = 0;                    ///< a multiple of the page size

  /// Absolute; empty: not yet agreed. Set before world_rank, whose release publishes it: the writer may read it at any
  /// time.
  alignas(64) char output_dir[kPathBytes] = {};
  char executable[kPathBytes] = {};
  char hostname[kNameBytes] = {};

  // The request of `meridian control`, which adds 1 to the sequence and then sets `asked` of slots and shards.
  std::atomic<std::uint32_t> control_sequence{0};
  std::atomic<std::uint32_t> control_state{0};  ///< ControlState
  char control_levels[kControlBytes] = {};      ///< replaces MERIDIAN_LEVELS; empty: no request
  std::atomic<std::uint32_t> passed_calls{0};   ///< words in a shard; 0: there are none yet
  std::uint64_t passed_offset = 0;              ///< of kPassedShards shards

  // Long runs: drained records are compressed, and their spool is removed.
  std::uint64_t spool_bytes = 0;                   ///< limit of all spools together; 0: none
  std::atomic<std::uint64_t> compressions{0};      ///< number of checkpoints; set by the writer before it restarts
                                                   ///< a spool
  std::atomic<std::uint64_t> compressed_bytes{0};  ///< size on disk of the data that they cover
  std::atomic<std::uint32_t> is_complete{0};       ///< 1: the rank file is complete; all other files are to be removed
  /// Ticks since which messages, requests or collectives of threads without a ring are permanently lost; 0: none are.
  std::atomic<std::uint64_t> lost_since{0};
  std::uint32_t sample_hz =
      0;  ///< samples of each thread that the writer takes, per second of its processor time; 0: none
  std::uint32_t is_profile = 0;  ///< 1: the rank file has sums of calls in place of events (MERIDIAN_MODE=profile)
  std::uint64_t short_calls =
      0;                         ///< calls from one place before short ones become sums (MERIDIAN_THROTTLE); 0: none do
  std::uint64_t keep_bytes = 0;  ///< of records that are kept at least (MERIDIAN_MODE=recorder); 0: no such limit
  std::uint64_t keep_ns = 0;     ///< time for which records are kept at least (likewise); 0: no such limit

  std::uint64_t sample_buffers_offset = 0;  ///< of samples by signal (sample_layout.hpp); 0: there are none

  std::atomic<std::uint32_t> has_python{0};  ///< 1: the program runs Python, whose frames are at `python`
  PythonPlace python;

  /// Whether older records become sums.
  bool is_recorder() const noexcept { return keep_bytes + keep_ns != 0; }
};
static_assert(sizeof(RingFileHeader) <= kRingPageBytes);

enum class SlotState : std::uint32_t {
  free = 0,    ///< never used, or drained and returned
  active = 1,  ///< belongs to a live thread
  closed = 2,  ///< its thread has ended; the next thread may take it and continue at head
};

struct RingSlot {
  alignas(64) std::atomic<std::uint64_t> head{0};  ///< end of complete records; written only by the owning thread
  std::atomic<SlotState> state{SlotState::free};
  std::uint32_t thread = 0;             ///< ThreadId of the owner
  std::int32_t kernel_tid = 0;          ///< 0: for calls that a thread makes inside its MPI calls (kInsideKey)
  std::atomic<std::uint32_t> asked{0};  ///< set from outside: the owner checks the request of `meridian
                                        ///< control`
  alignas(64) std::atomic<std::uint64_t> tail{0};  ///< start of records that are not drained; written only by the
                                                   ///< writer
  // Written by the owner while it loses calls because its ring is full (MERIDIAN_FULL=drop).
  std::atomic<std::uint64_t> lost_since{0};   ///< ticks; 0: it loses none
  std::atomic<std::uint64_t> lost{0};         ///< calls since then
  std::atomic<std::uint32_t> lost_matter{0};  ///< 1: they include messages, requests or collectives
};
static_assert(sizeof(RingSlot) == 128);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Number of times that a thread took an object that was free, which is not recorded individually.
struct LockCount {
  std::uint64_t key = 0;  ///< address << kLockKindBits | LockKind; address 0: objects that are not in the table
  std::uint64_t count = 0;
};
inline constexpr std::size_t kLockObjects = 64;                ///< objects that a thread counts individually
inline constexpr std::size_t kLockCounts = kLockObjects + 16;  ///< then the rest: one for each LockKind

enum class CardState : std::uint32_t {
  free = 0,
  taken = 1,  ///< assigned to a thread that has not begun
  live = 2,
  ended = 3,
  library = 4,  ///< a thread of the MPI library: it is not traced
  failed = 5,   ///< the thread was never created
};

/// Data about one thread of the process, whether or not it has records. Written by the thread itself, except for its
/// creator's data.
struct ThreadCard {
  alignas(64) std::uint64_t handle = 0;  ///< pthread_t; 0: unknown
  std::uint64_t routine = 0;             ///< start routine; 0: its creation was not traced
  std::uint64_t argument = 0;
  std::uint64_t begin_ticks = 0;
  std::uint64_t end_ticks = 0;  ///< 0: running
  std::uint32_t creator = 0;    ///< ThreadId; 0xffffffff: unknown
  std::int32_t kernel_tid = 0;
  std::atomic<CardState> state{CardState::free};
  alignas(64) char name[16] = {};  ///< empty: none
  alignas(64) LockCount counts[kLockCounts] = {};
};
static_assert(sizeof(ThreadCard) % 64 == 0);
inline constexpr std::uint32_t kCards = 1024;       ///< indexed by ThreadId
inline constexpr std::uint32_t kLibraryCards = 64;  ///< after these: for threads of the MPI library, which have no id

/// One drained piece in a spool file. Follows its predecessor directly; `bytes` of records follow the header.
struct SpoolSegment {
  std::uint32_t magic = 0;
  std::uint32_t slot = 0;
  std::uint64_t position = 0;  ///< of the first byte in the slot's stream
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  ///< of header fields and payload; reveals a torn end
};
inline constexpr std::uint32_t kSpoolMagic = 0x4c4f5053;  // "SPOL"

}  // namespace meridian
