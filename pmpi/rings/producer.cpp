// SPDX-License-Identifier: Apache-2.0
// The cold side of a thread's ring: attaching, next blocks, waiting for room.

#include "pmpi/rings/producer.hpp"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmpi/process/own_thread.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/drops.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/rings/polls.hpp"
#include "pmpi/rings/ring_file.hpp"
#include "pmpi/rings/small.hpp"
#include "pmpi/rings/spill.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "pmpi/rings/writer_process.hpp"
#include "trace/ring/ring_futex.hpp"

namespace meridian {

constinit thread_local ThreadState t_state;
constinit std::uint64_t g_lost_call = 0;

namespace {

/// Restores errno for the application.
class ErrnoKeeper {
 public:
  ErrnoKeeper() noexcept : saved_{errno} {}
  ~ErrnoKeeper() { errno = saved_; }
  ErrnoKeeper(const ErrnoKeeper&) = delete;
  ErrnoKeeper& operator=(const ErrnoKeeper&) = delete;

 private:
  int saved_;
};

/// Calls that a thread without a ring skips before it requests one again: a request takes system calls.
constexpr std::uint32_t kAttachPause = 1023;
constexpr std::uint64_t kWaitSliceNs = 10'000'000;

std::uint64_t block_words() noexcept { return g_session.ring->block_bytes / kWordBytes; }

/// Moves the thread's cursor to `position` of its slot, which is in a free block.
void place(ThreadState& thread, std::uint64_t position) noexcept {
  const RingFileHeader& ring = *g_session.ring;
  const std::uint64_t in_block = position % ring.block_bytes;
  std::uint64_t* const cursor = thread.ring + (position % ring.ring_bytes) / kWordBytes;
  std::uint64_t* const block = cursor - in_block / kWordBytes;
  *cursor = 0;
  forget_learned(thread);
  thread.cursor = cursor;
  thread.bias = position - reinterpret_cast<std::uintptr_t>(cursor);
  // One word stays free for the zero after the last record, or for the pad.
  thread.block_limit = block + block_words() - 1 - kMaxFixedWords;
  thread.limit = thread.block_limit;
}

/// True if all of the `bytes` from `position` on have been drained.
bool is_free(const RingSlot& slot, std::uint64_t position, std::uint64_t bytes) noexcept {
  return position + bytes - slot.tail.load(std::memory_order_acquire) <= g_session.ring->ring_bytes;
}

bool is_block_free(const RingSlot& slot, std::uint64_t position) noexcept {
  return is_free(slot, position, g_session.ring->block_bytes);
}

/// The same for a thread that does not wait. A thread that is losing calls resumes when half of its ring is free: a few
/// long gaps are better than many short ones. Without a writer, threads empty their rings themselves.
bool has_room_to_go_on(ThreadState& thread, std::uint64_t position) noexcept {
  constexpr std::uint64_t kLookEvery = 1024;
  const RingFileHeader& ring = *g_session.ring;
  const std::uint64_t lost = thread.slot->lost.load(std::memory_order_relaxed);
  if (is_free(*thread.slot, position, lost != 0 ? ring.ring_bytes / 2 : ring.block_bytes)) return true;
  wake_writer();
  return lost % kLookEvery == 0 && !is_writer_alive() && spill(thread);
}

/// Waits until the writer has made room. False: there is no writer, and the records cannot be spilled.
bool wait_for_room(ThreadState& thread, std::uint64_t position) noexcept {
  RingFileHeader& ring = *g_session.ring;
  const std::uint64_t begin = read_ticks();
  while (!is_block_free(*thread.slot, position)) {
    const std::uint32_t served = ring.served.load(std::memory_order_acquire);
    wake_writer();
    if (is_block_free(*thread.slot, position)) break;
    if (!is_writer_alive()) {
      if (!spill(thread)) return false;
      continue;
    }
    futex_wait(ring.served, served, kWaitSliceNs);
  }
  place(thread, position);
  emit_overhead(OverheadKind::flush_wait, begin, 1);
  return true;
}

/// Opens the block that starts at the thread's head, which is a block boundary. False: this record is lost.
bool open_block(ThreadState& thread) noexcept {
  const std::uint64_t position = thread.head->load(std::memory_order_relaxed);
  if (may_drop(thread) && !has_room_to_go_on(thread, position)) {
    count_drop(thread);
    return false;
  }
  if (is_block_free(*thread.slot, position)) {
    place(thread, position);
  } else if (!wait_for_room(thread, position)) {
    count_loss(Loss::writer_gone);
    return false;
  }
  end_drops(thread);
  return true;
}

/// Ends the block with a pad and opens the next one.
bool next_block(ThreadState& thread) noexcept {
  const RingFileHeader& ring = *g_session.ring;
  const std::uint64_t position = reinterpret_cast<std::uintptr_t>(thread.cursor) + thread.bias;
  const std::uint64_t left = ring.block_bytes - position % ring.block_bytes;
  store_release(*thread.cursor, header_word(CallId::none, Payload::pad, left / kWordBytes));
  thread.head->store(position + left, std::memory_order_release);
  thread.limit = nullptr;
  thread.block_limit = nullptr;
  const std::uint64_t waiting = position + left - thread.slot->tail.load(std::memory_order_acquire);
  if (waiting >= ring.ring_bytes / 4) wake_writer();
  const bool is_open = open_block(thread);
  if (count_towards_size(ring.block_bytes)) end_recording();
  return is_open;
}

RingSlot* take_slot() noexcept {
  RingFileHeader& ring = *g_session.ring;
  for (std::uint32_t i = 0; i < ring.slot_count; ++i) {
    RingSlot& slot = g_session.slots[i];
    SlotState state = slot.state.load(std::memory_order_relaxed);
    if (state == SlotState::active) continue;
    if (slot.state.compare_exchange_strong(state, SlotState::active, std::memory_order_acq_rel)) return &slot;
  }
  return nullptr;
}

/// Whether a limit on the address space (`ulimit -v`) leaves enough for the program after a ring is mapped.
bool has_addresses_to_spare() noexcept {
  constexpr std::uint64_t kSpareBytes = 64u << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  char text[64] = {};
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  const ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  if (got <= 0) return true;
  const std::uint64_t used = strtoull(text, nullptr, 10) * kRingPageBytes;
  if (used + g_session.ring->ring_bytes + kSpareBytes <= limit.rlim_cur) return true;
  errno = ENOMEM;
  return false;
}

/// Maps the data of slot `index` with memory for every page: a store to it can then no longer fail.
std::uint64_t* map_slot(std::uint32_t index) noexcept {
  const RingFileHeader& ring = *g_session.ring;
  if (!has_addresses_to_spare()) return nullptr;
  return static_cast<std::uint64_t*>(map_ring_part(ring.data_offset + index * ring.ring_bytes, ring.ring_bytes));
}

/// The call is lost, and so are the next kAttachPause calls.
bool give_up_attaching(ThreadState& thread, Loss cause) noexcept {
  count_loss(cause);
  thread.attach_loss = cause;
  thread.attach_pause = kAttachPause;
  static constinit std::atomic<bool> has_said{false};
  if (!has_said.exchange(true, std::memory_order_relaxed)) {
    if (cause == Loss::no_slot)
      say("more than %u threads are in MPI at once; calls of further ones are counted, not recorded "
          "(MERIDIAN_MAX_THREADS)",
          g_session.ring->slot_count);
    else
      say("no room for another ring of %llu bytes in '%s' (%s); calls of its thread are counted, not recorded",
          static_cast<unsigned long long>(g_session.ring->ring_bytes), g_session.ring_path, strerror(errno));
  }
  return false;
}

bool attach_thread(ThreadState& thread) noexcept {
  if (thread.attach_pause != 0) {
    --thread.attach_pause;
    count_loss(thread.attach_loss);
    return false;
  }
  const std::uint64_t begin = read_ticks();
  RingSlot* const slot = take_slot();
  if (slot == nullptr) return give_up_attaching(thread, Loss::no_slot);
  const auto index = static_cast<std::uint32_t>(slot - g_session.slots);
  std::uint64_t*& data = g_session.slot_data[index];
  if (data == nullptr) data = map_slot(index);
  if (data == nullptr) {
    slot->state.store(SlotState::closed, std::memory_order_release);
    return give_up_attaching(thread, Loss::no_memory);
  }
  thread.slot = slot;
  thread.head = &slot->head;
  thread.ring = data;
  make_learned(thread);
  const bool is_nested = thread.inside != kNoThread;
  slot->thread = is_nested ? nested_thread_id(thread.inside) : own_thread_id();
  slot->kernel_tid = is_nested ? 0 : static_cast<std::int32_t>(syscall(SYS_gettid));
  watch_thread_end();
  const std::uint64_t position = slot->head.load(std::memory_order_relaxed);
  if (position % g_session.ring->block_bytes == 0) {
    const KeptRecord kept{thread};
    if (!open_block(thread)) return false;
  } else {
    place(thread, position);
  }
  emit(Payload::thread, words_of<RecordHead> + words_of<ThreadBegin>, begin, begin, [&](std::uint64_t* body) {
    *reinterpret_cast<ThreadBegin*>(body) = {slot->thread, slot->kernel_tid};
  });
  if (is_nested) {
    char text[16];
    snprintf(text, sizeof text, "%u", thread.inside);
    emit_text(kInsideKey, text, strlen(text), slot->thread);
  }
  equip_thread(thread);
  emit_overhead(OverheadKind::thread_attach, begin, 1);
  return true;
}

/// True if `frame` is inside the call in progress: deeper in the stack, and the frame of that call is unchanged. After
/// a longjmp or an exception that frame was left, or overwritten by later calls.
bool is_call_alive(const ThreadState& thread, const void* frame) noexcept {
  const bool has_other = is_named_site(thread.site) && thread.stacks != nullptr;
  const std::uint64_t before = has_other ? thread.call_address : thread.site;
  return frame < static_cast<const void*>(thread.frame) && return_address(thread.frame) == before;
}

/// Words between the cursor and the end of its block, minus one for the zero after the record.
std::uint64_t room_in_block(const ThreadState& thread) noexcept {
  return static_cast<std::uint64_t>(thread.block_limit + kMaxFixedWords - thread.cursor);
}

}  // namespace

bool is_defining() noexcept { return g_session.state.load(std::memory_order_acquire) == SessionState::on; }

void abandon_call(ThreadState& thread) noexcept {
  if (thread.block_limit == &g_lost_call) {
    thread.block_limit = nullptr;
    return;
  }
  if (thread.polls.places != 0) return abandon_poll(thread);
  std::uint64_t* const at = thread.cursor;
  restore_record(thread, at);
  forget_learned(thread);
  // The entries hold the pending requests; which of them completed is unknown.
  const std::uint64_t behind = words_in(at[0]);
  const std::uint64_t words = behind - (at[0] >> 48) * words_of<Completion>;
  if ((at[0] >> 24 & kFlagSite) != 0) at[words - 1] = at[behind - 1];
  at[2] = read_ticks();
  at[0] = (at[0] & 0xffffffff) | std::uint64_t{kFlagAbandoned | kFlagFailed} << 24 | words << 32;
  leave_call(thread, at, words);
}

std::uint64_t* make_room(ThreadState& thread, std::uint64_t words, const void* frame) noexcept {
  const ErrnoKeeper keeper;
  const BusyThread busy;
  while (is_inside_call()) {
    if (is_call_alive(thread, frame)) return nullptr;  // see make_nested_room()
    abandon_call(thread);
    leave_nested_call(thread);
  }
  if (thread.polls.places != 0) {
    enter_call(thread, frame);  // the ring is closed to signal handlers
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (thread.polls.places != 0)
      close_polls(thread, read_ticks());
    else
      thread.limit = thread.block_limit;
  }
  if (thread.block_limit == nullptr) {
    if (thread.slot != nullptr) {
      if (!open_block(thread)) return nullptr;
    } else {
      if (g_session.state.load(std::memory_order_acquire) != SessionState::on && !start_session()) return nullptr;
      if (!attach_thread(thread)) return nullptr;
    }
  }
  if (words > block_words() - 1) {
    count_loss(Loss::too_long);
    return nullptr;
  }
  if (room_in_block(thread) >= words && thread.cursor < thread.limit) return thread.cursor;
  if (room_in_block(thread) >= words && words > kMaxFixedWords) return thread.cursor;
  return next_block(thread) ? thread.cursor : nullptr;
}

std::uint64_t* begin_again(ThreadState& thread, const void* frame, std::uint64_t words) noexcept {
  thread.limit = thread.block_limit;
  std::uint64_t* const at = make_room(thread, words, frame);
  if (at != nullptr) {
    enter_call(thread, frame);
  } else {
    miss_call(thread);
    leave_nested_call(thread);
  }
  return at;
}

void* thread_scratch(ThreadState& thread, std::uint64_t bytes) noexcept {
  const ErrnoKeeper keeper;
  if (thread.scratch_bytes < bytes) {
    if (thread.scratch != nullptr) munmap(thread.scratch, thread.scratch_bytes);
    thread.scratch_bytes = 0;
    thread.scratch = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (thread.scratch == MAP_FAILED) {
      thread.scratch = nullptr;
      count_loss(Loss::no_memory);
      return nullptr;
    }
    thread.scratch_bytes = bytes;
  }
  return thread.scratch;
}

}  // namespace meridian
