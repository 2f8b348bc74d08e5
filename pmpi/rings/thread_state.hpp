// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A thread's position in its ring. Only that thread uses it.

#include <atomic>
#include <cstdint>

#include "pmpi/process/own_thread.hpp"
#include "trace/model/call_id.hpp"
#include "trace/model/event.hpp"
#include "trace/model/small_records.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {

struct Stacks;
struct ThreadCounters;
struct LostRegion;
struct Nest;

/// The longest record, in words, that a call stores without requesting room first.
inline constexpr std::uint64_t kMaxFixedWords = 48 + 2 * kMaxCounters;
/// The addition to a record's header for a call site: the flag, and one word.
inline constexpr std::uint64_t kSiteHeader = std::uint64_t{kFlagSite} << 24 | std::uint64_t{1} << 32;

/// Replaces a thread's block_limit while the call in progress is lost because the ring is full. Calls made inside it
/// are the library's own. Its address is also the cursor of a thread without a ring, which no record has.
extern constinit std::uint64_t g_lost_call;

/// The table of threads without one: always empty, and never written.
extern constinit LearnedCalls g_nothing_learned;

/// A phase of polls that find nothing (polls.hpp): its record lies at the cursor of its thread, and the head does not go past
/// it. While it is open, block_limit and limit are the start of the ring, so that every other record first asks for room.
struct PollPhase {
  /// What a poll has in common with the others of its place.
  struct Place {
    std::uint64_t from = 0;   ///< return address, and CallId in the highest bits
    std::uint64_t comm = 0;   ///< as in PollPlace
    std::uint64_t route = 0;  ///< peer and tag of a probe
    bool operator==(const Place&) const = default;
  };
  std::uint32_t places = 0;              ///< of the open record; 0: none is open
  std::uint32_t recent = 0;              ///< the place of the poll in progress
  std::uint32_t left = 0;                ///< polls before the one at which the clock is read
  std::uint32_t step = 0;                ///< value of `left` after a reading of the clock
  std::uint32_t near = 0;                ///< polls, one after another, that were close together
  bool is_wanted = false;                ///< for this thread and MERIDIAN_POLLS
  std::uint64_t last_ticks = 0;          ///< leave of the poll at which the clock was last read
  std::uint64_t* block_limit = nullptr;  ///< that of the thread, otherwise
  Place place[kMaxPollPlaces];
};

struct ThreadState {
  std::uint64_t* cursor = &g_lost_call;  ///< address of the next record; never null
  std::uint64_t* limit = nullptr;        ///< a record may start below this; null inside a call and when not attached
  std::uint64_t* block_limit = nullptr;  ///< the value of limit outside of calls; null when not attached
  std::uint64_t bias = 0;                ///< address + bias = position in the slot's stream
  std::atomic<std::uint64_t>* head = nullptr;  ///< in the ring file: end of complete records
  const std::uint64_t* frame = nullptr;        ///< stack of the call in progress: distinguishes a nested call from an
                                               ///< abandoned one
  std::uint64_t site = 0;                      ///< of that call: its return address, or is_named_site()
  std::uint64_t site_header = 0;               ///< kSiteHeader, or 0 if sites are not recorded
  LearnedCalls* learned = &g_nothing_learned;  ///< for small records (small.hpp)
  std::uint64_t last_leave = 0;                ///< leave ticks of the last record
  Stacks* stacks = nullptr;                    ///< null: call stacks are not recorded
  ThreadCounters* counters = nullptr;          ///< null: no counters
  std::uint64_t* passed = nullptr;             ///< its shard (ring_layout.hpp); null: none
  PollPhase polls;
  // Cold from here on.
  RingSlot* slot = nullptr;
  ThreadCounters* all_counters = nullptr;  ///< value of `counters` before a reading failed
  std::uint64_t* ring = nullptr;
  void* scratch = nullptr;  ///< for calls with very many requests
  std::uint64_t scratch_bytes = 0;
  std::uint32_t attach_pause = 0;  ///< calls until a thread without a ring requests one again
  Loss attach_loss{};              ///< the reason why it has none
  bool is_kept = false;            ///< its present records wait for room, regardless of MERIDIAN_FULL
  std::uint16_t lost_regions = 0;  ///< regions begun while calls are lost, and not ended yet
  LostRegion* lost_region_list = nullptr;
  std::uintptr_t call_address = 0;   ///< frame[1] of the call in progress if is_named_site()
  Nest* nest = nullptr;              ///< for calls from callbacks (nested.hpp); null: there were none
  std::uint32_t inside = kNoThread;  ///< of a Nest: the ThreadId of the thread in whose calls these calls are made
};

extern constinit thread_local ThreadState t_state __attribute__((tls_model("initial-exec")));

/// Whether a call is recorded: kCallOff, kCallOn, or kCallCloser: is_wanted() decides. On for MPI calls and off for
/// others until the first call of the process has started the session. Reads as kCallOff in a child process, however it was
/// made: the rings are not mapped there.
inline constexpr std::uint8_t kCallOff = 0;
inline constexpr std::uint8_t kCallOn = 1;
inline constexpr std::uint8_t kCallCloser = 2;
inline constexpr std::size_t kEnabledBytes = (kCallCount + kRingPageBytes - 1) / kRingPageBytes * kRingPageBytes;
extern constinit std::uint8_t g_enabled[kEnabledBytes];

/// Called when there is no room below `limit`: not yet attached, inside another call, block full, or switched off.
/// Returns the cursor; null: this call is not recorded.
[[gnu::cold, gnu::noinline]] std::uint64_t* make_room(ThreadState& thread, std::uint64_t words,
                                                      const void* frame) noexcept;

/// Notes that a message, request or collective was not recorded because make_room() found no room, so that others
/// cannot be matched.
[[gnu::cold, gnu::noinline]] void miss_call(const ThreadState& thread) noexcept;

/// Begins a call that is lost because the ring is full (g_lost_call); false: the call is lost for another reason. `is_missed`: calls miss_call(), too.
[[gnu::cold, gnu::noinline]] bool begin_lost_call(ThreadState& thread, const void* frame, bool is_missed) noexcept;

/// Ends the call of `frame` that was not recorded.
[[gnu::always_inline]] inline void end_lost_call(ThreadState& thread, const void* frame) noexcept {
  if (thread.block_limit == &g_lost_call && thread.frame == frame) thread.block_limit = nullptr;
}

/// Whether matching needs the call's record.
[[gnu::always_inline]] constexpr bool is_matched(CallId id) noexcept {
  const CallGroup group = info(id).group;
  return group == CallGroup::p2p || group == CallGroup::request || group == CallGroup::coll;
}

/// While an object of this class exists, the thread's records are never dropped.
class KeptRecord {
 public:
  explicit KeptRecord(ThreadState& thread, bool is_kept = true) noexcept : thread_{thread}, before_{thread.is_kept} {
    thread.is_kept = before_ || is_kept;
  }
  ~KeptRecord() { thread_.is_kept = before_; }
  KeptRecord(const KeptRecord&) = delete;
  KeptRecord& operator=(const KeptRecord&) = delete;

 private:
  ThreadState& thread_;
  bool before_;
};

/// Memory of this thread, of `bytes` bytes, that is valid until its next call; or null. For calls with very many
/// requests.
[[gnu::cold, gnu::noinline]] void* thread_scratch(ThreadState& thread, std::uint64_t bytes) noexcept;

/// True while this thread is inside a traced call: calls made then are the library's own.
[[gnu::always_inline]] inline bool is_inside_call() noexcept {
  return t_state.limit == nullptr && t_state.block_limit != nullptr;
}

/// Whether definitions of calls are recorded although the calls are not.
[[gnu::cold, gnu::noinline]] bool is_defining() noexcept;

/// Whether this call is recorded.
[[gnu::cold, gnu::noinline]] bool is_wanted(CallId id) noexcept;

/// Whether to keep the record at `at` of a successful call for which is_wanted() was called. `completions`: number of
/// entries after its fixed part; `comm`: points to its MPI_Comm, null: it has none.
[[gnu::cold, gnu::noinline]] bool is_kept(CallId id, const std::uint64_t* at, std::uint64_t completions,
                                          const void* comm) noexcept;

/// pass_by() for a thread without counters.
[[gnu::cold, gnu::noinline]] void pass_by_slowly(CallId id) noexcept;
/// Executes the requests of `meridian control` since the last time. Only outside of calls.
[[gnu::cold, gnu::noinline]] void look_outside() noexcept;

/// Counts a call that is not recorded.
[[gnu::always_inline]] inline void pass_by(CallId id) noexcept {
  if (is_inside_call()) return;  // the MPI library's own
  std::uint64_t* const passed = t_state.passed;
  if (passed == nullptr || *g_is_same_process == 0) [[unlikely]]
    return pass_by_slowly(id);
  ++passed[static_cast<std::size_t>(id)];
  if (__atomic_load_n(&passed[0], __ATOMIC_RELAXED) != 0) [[unlikely]]
    look_outside();
}
/// Whether a signal handler recorded between reading the cursor, which was `at`, and closing the ring.
[[gnu::always_inline]] inline bool was_interrupted(const ThreadState& thread, const std::uint64_t* at) noexcept {
  return thread.cursor != at || thread.polls.places != 0;
}
/// Used then: returns the new cursor, with room for `words` and the ring closed. Null: no room.
[[gnu::cold, gnu::noinline]] std::uint64_t* begin_again(ThreadState& thread, const void* frame,
                                                        std::uint64_t words = kMaxFixedWords) noexcept;

/// The header as a word of the ring.
[[gnu::always_inline]] constexpr std::uint64_t header_word(CallId call, Payload payload, std::uint64_t words,
                                                           std::uint64_t completions = 0,
                                                           std::uint64_t flags = 0) noexcept {
  return static_cast<std::uint64_t>(call) | static_cast<std::uint64_t>(payload) << 16 | flags << 24 | words << 32 |
         completions << 48;
}

/// Stores a ring word so that neither compiler nor processor moves earlier stores after it.
[[gnu::always_inline]] inline void store_release(std::uint64_t& word, std::uint64_t value) noexcept {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

/// Whether a call site is not a return address, but a node of a stack or a line of a script.
[[gnu::always_inline]] constexpr bool is_named_site(std::uint64_t site) noexcept {
  return (site & kStackSite) != 0 || is_script_site(site);
}

/// The return address of the function with this frame.
[[gnu::always_inline]] inline std::uint64_t return_address(const void* frame) noexcept {
  return static_cast<const std::uint64_t*>(frame)[1];
}

/// Closes the ring for the duration of a call: nested calls pass through until leave_call().
[[gnu::always_inline]] inline void enter_call(ThreadState& thread, const void* frame) noexcept {
  thread.limit = nullptr;
  thread.frame = static_cast<const std::uint64_t*>(frame);
  thread.site = return_address(frame);
}

/// Stores the call site after the record's other `words`, whether calls have sites or not: there is always room.
/// Returns the addition to the header.
[[gnu::always_inline]] inline std::uint64_t append_site(const ThreadState& thread, std::uint64_t* at,
                                                        std::uint64_t words) noexcept {
  at[words] = thread.site;
  return thread.site_header;
}

/// The number of words in a header or in an addition to one.
[[gnu::always_inline]] constexpr std::uint64_t words_in(std::uint64_t header) noexcept { return header >> 32 & 0xffff; }

/// The flag in a call site's addition to a header.
[[gnu::always_inline]] constexpr std::uint64_t site_flag(std::uint64_t header) noexcept { return header >> 24 & 0xff; }

/// Commits the record [at, at + words) and opens the ring for the next one.
[[gnu::always_inline]] inline void commit(ThreadState& thread, std::uint64_t* at, std::uint64_t words) noexcept {
  std::uint64_t* const next = at + words;
  *next = 0;  // no record is in progress there: the rest of an earlier lap is not a record
  thread.cursor = next;
  thread.head->store(reinterpret_cast<std::uintptr_t>(next) + thread.bias, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_release);  // a signal handler may record as soon as the ring is open
  thread.limit = thread.block_limit;
}

/// Commits a whole record.
[[gnu::always_inline]] inline void leave_call(ThreadState& thread, std::uint64_t* at, std::uint64_t words) noexcept {
  thread.last_leave = at[2];
  commit(thread, at, words);
}

/// Replaces leave_call(): discards the record.
[[gnu::always_inline]] inline void drop_call(ThreadState& thread, std::uint64_t* at, CallId id) noexcept {
  store_release(at[0], 0);
  thread.limit = thread.block_limit;
  pass_by(id);
}

/// The cold side of look_if_asked(). Of the ring of a nested call, `asked` is always set, so that its end costs other
/// calls nothing: it returns to the call around it.
[[gnu::cold, gnu::noinline]] void look_after_call() noexcept;

/// Called after leave_call(), last: executes a pending request of `meridian control`.
[[gnu::always_inline]] inline void look_if_asked(const ThreadState& thread) noexcept {
  const auto* const slot = reinterpret_cast<const RingSlot*>(thread.head);  // its first member
  if (slot->asked.load(std::memory_order_relaxed) != 0) [[unlikely]]
    look_after_call();
}

/// Returns to the state before a call that the program made inside another one; does nothing outside of such calls.
[[gnu::cold, gnu::noinline]] void leave_nested_call(ThreadState& thread) noexcept;

/// Called when a call returns and the thread's cursor is not at its record: a callback has left calls that it made, by an
/// exception or longjmp. Ends their records. False: the record at `at` has been ended, too.
[[gnu::cold, gnu::noinline]] bool resume_call(ThreadState& thread, const std::uint64_t* at) noexcept;

/// Called if make_room() returns null: room for a call that the program makes inside another call, from a callback or a
/// signal handler. Null: it is the library's own call, or cannot be recorded. `is_matched`: see the function.
[[gnu::cold, gnu::noinline]] std::uint64_t* make_nested_room(ThreadState& thread, std::uint64_t words,
                                                             const void* frame, bool is_matched) noexcept;

}  // namespace meridian
