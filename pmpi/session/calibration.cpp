// SPDX-License-Identifier: Apache-2.0
#include "pmpi/session/calibration.hpp"

#include <sys/mman.h>

#include <new>

#include "pmpi/calls/record.hpp"
#include "pmpi/calls/traced.hpp"
#include "pmpi/rings/counting.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/rings/polls.hpp"
#include "pmpi/threads/lock_call.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kCalls = 64;  ///< in a round
constexpr int kRounds = 16;           ///< the quickest counts: others were interrupted, or met cold caches
constexpr std::uint64_t kRoom = (kCalls + 1) * kMaxFixedWords;

/// A ring that nobody reads, and a thread's position in it.
struct Bench {
  RingSlot slot;
  ThreadState thread;
  std::uint64_t words[kRoom];

  /// Empties the ring. What the thread learned remains, as between the records of a loop.
  void rewind() noexcept {
    thread.cursor = words;
    thread.block_limit = words + kRoom - kMaxFixedWords;
    thread.limit = thread.block_limit;
  }
};

struct Cost {
  std::uint64_t all = ~std::uint64_t{0};  ///< ticks of kCalls calls
  std::uint64_t inside = 0;               ///< the part of it between the enters and leaves
};

/// one(ThreadState&) records a call that does nothing, and returns the ticks between its enter and its leave.
template <class One>
Cost measure(Bench& bench, One one) noexcept {
  Cost quickest;
  for (int round = 0; round < kRounds; ++round) {
    bench.rewind();
    Cost cost{.all = 0};
    const std::uint64_t begin = read_ticks();
    for (std::uint64_t i = 0; i < kCalls; ++i) cost.inside += one(bench.thread);
    cost.all = read_ticks() - begin;
    if (cost.all < quickest.all) quickest = cost;
  }
  return quickest;
}

std::uint64_t record_message(ThreadState& thread) noexcept {
  auto what = record::Send(1, g_mpi.byte, 0, 0, g_mpi.world);
  std::uint64_t hidden = 0;
  std::uint64_t* const at = open_record(thread, __builtin_frame_address(0), CallId::Send, hidden);
  if (at == nullptr) return 0;
  const std::uint64_t site = fill_before(what, thread, at, CallId::Send, 0);
  at[2] = read_ticks();
  count_leave(thread);
  const std::uint64_t inside = at[2] - at[1];
  end_call(what, thread, at, CallId::Send, site, 0, false, MPI_SUCCESS);
  return inside;
}

/// As recorded() does; without begin_record(), because this thread is busy with the tracer's own work.
std::uint64_t record_lock(ThreadState& thread) noexcept {
  constexpr std::uint64_t kWords = words_of<RecordHead> + kLockWords;
  constexpr CallId kCall = CallId::pthread_mutex_lock;
  if (thread.limit == nullptr || thread.cursor >= thread.block_limit) return 0;
  enter_call(thread, __builtin_frame_address(0));
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::uint64_t* const at = thread.cursor;
  LockBody{&thread, nullptr, LockKind::mutex, true, 0, nullptr}(at + words_of<RecordHead>);
  at[kWords] = thread.site;
  at[1] = read_ticks();
  store_release(at[0], header_word(kCall, Payload::lock, kWords) + thread.site_header);
  at[2] = read_ticks_after_loads();
  const std::uint64_t inside = at[2] - at[1];
  LockResult{}(at + words_of<RecordHead>, 0);
  leave_plain_call(thread, at, header_word(kCall, Payload::lock, kWords) + thread.site_header, kLockWords);
  return inside;
}

/// A phase of polls.
Cost measure_polls(Bench& bench) noexcept {
  const void* const frame = __builtin_frame_address(0);
  const PollPhase::Place place = poll_place(CallId::Test, return_address(frame));
  ThreadState& thread = bench.thread;
  Cost quickest;
  for (int round = 0; round < kRounds; ++round) {
    bench.rewind();
    std::uint64_t hidden = 0;
    std::uint64_t* const at = open_record(thread, frame, CallId::Test, hidden);
    if (at == nullptr) return {};
    at[1] = read_ticks();
    at[2] = at[1];
    begin_polls(thread, at, place);
    const std::uint64_t begin = read_ticks();
    for (std::uint64_t i = 0; i < kCalls; ++i) {
      PollTurn turn;
      if (!begin_poll(thread, turn, frame, place)) return {};
      end_poll(thread, turn, place);
    }
    const std::uint64_t all = read_ticks() - begin;
    if (all < quickest.all) quickest = {all, all};
    close_polls(thread, read_ticks());
  }
  return quickest;
}

void store(CostKind kind, std::uint64_t begin, std::uint64_t ticks) noexcept {
  if (ticks != ~std::uint64_t{0}) emit_cost(kind, begin, ticks, kCalls);
}

/// Two readings of the counters, both outside of the call: see counting.hpp.
std::uint64_t with_counters(std::uint64_t ticks) noexcept { return ticks + 2 * reading_ticks() * kCalls; }

}  // namespace

void calibrate_recording() noexcept {
  void* const memory = mmap(nullptr, sizeof(Bench), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  const std::uint64_t begin = read_ticks();
  auto& bench = *new (memory) Bench;
  ThreadState& thread = bench.thread;
  thread.head = &bench.slot.head;
  thread.ring = bench.words;
  thread.polls.is_wanted = true;
  thread.site_header = t_state.site_header;
  make_learned(thread);
  const Cost call = measure(bench, &record_message);
  const Cost lock = measure(bench, &record_lock);
  const Cost poll = measure_polls(bench);
  release_learned(thread);
  munmap(memory, sizeof(Bench));
  store(CostKind::call, begin, call.all);
  store(CostKind::call_inside, begin, call.inside);
  store(CostKind::other_call, begin, lock.all);
  store(CostKind::other_call_inside, begin, lock.inside);
  store(CostKind::poll, begin, poll.all);
  if (t_state.counters == nullptr || call.all == ~std::uint64_t{0}) return;
  store(CostKind::counted_call, begin, with_counters(call.all));
  store(CostKind::counted_call_inside, begin, call.inside);
}

}  // namespace meridian
