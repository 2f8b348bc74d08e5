// SPDX-License-Identifier: Apache-2.0
// Cards, thread ids and counts. Cold.

#include "pmpi/process/own_thread.hpp"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <type_traits>

#include "pmpi/libraries/libc_calls.hpp"
#include "pmpi/libraries/library_objects.hpp"
#include "pmpi/process/clock.hpp"
#include "pmpi/process/session_state.hpp"

namespace meridian {

constinit thread_local OwnThread t_own;

namespace {

constexpr std::uint8_t kYes = 1;
static_assert(std::is_trivially_destructible_v<ThreadCard>);
pthread_key_t g_thread_end;
bool g_has_key = false;
void (*g_at_begin)() noexcept = nullptr;
void (*g_at_end)() noexcept = nullptr;

}  // namespace

constinit const volatile std::uint8_t* g_is_same_process = &kYes;

void prepare_threads(void (*at_begin)() noexcept, void (*at_end)() noexcept) noexcept {
  g_at_begin = at_begin;
  g_at_end = at_end;
  find_libc();
  find_library_objects();
  void* const page = mmap(nullptr, kRingPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) {
    *static_cast<std::uint8_t*>(page) = 1;
    if (madvise(page, kRingPageBytes, MADV_WIPEONFORK) == 0) g_is_same_process = static_cast<std::uint8_t*>(page);
  }
  g_has_key = pthread_key_create(&g_thread_end, [](void*) {
                g_at_end();
                end_thread();
              }) == 0;
}

void tell_thread_begin() noexcept { g_at_begin(); }

void watch_thread_end() noexcept {
  if (g_has_key) pthread_setspecific(g_thread_end, &t_own);
}

ThreadCard* take_card(std::uint32_t& thread) noexcept {
  thread = g_session.ring->next_thread.fetch_add(1, std::memory_order_relaxed);
  if (thread < g_session.ring->card_count) return &g_session.cards[thread];
  count_loss(Loss::no_card);
  return nullptr;
}

ThreadCard* take_library_card() noexcept {
  static constinit std::atomic<std::uint32_t> taken{0};
  if (g_session.cards == nullptr) return nullptr;
  const std::uint32_t number = taken.fetch_add(1, std::memory_order_relaxed);
  return number < kLibraryCards ? &g_session.cards[kCards + number] : nullptr;
}

std::uint32_t own_thread_id() noexcept {
  OwnThread& own = t_own;
  if (own.thread != kNoThread) return own.thread;
  own.card = take_card(own.thread);
  if (own.card != nullptr) {
    own.card->handle = static_cast<std::uint64_t>(pthread_self());
    own.card->creator = kNoThread;
    own.card->kernel_tid = static_cast<std::int32_t>(syscall(SYS_gettid));
    own.card->begin_ticks = read_ticks();
    own.card->state.store(CardState::live, std::memory_order_release);
    if (!own.is_busy) own.counts = own.card->counts;
    tell_thread_begin();
  }
  return own.thread;
}

std::uint32_t nested_thread_id(std::uint32_t outer) noexcept {
  const std::uint32_t thread = g_session.ring->next_thread.fetch_add(1, std::memory_order_relaxed);
  if (thread >= g_session.ring->card_count) return thread;
  ThreadCard& card = g_session.cards[thread];
  card.creator = outer;
  card.begin_ticks = read_ticks();
  strcpy(card.name, "callbacks");
  card.state.store(CardState::ended, std::memory_order_release);
  return thread;
}

void end_thread() noexcept {
  OwnThread& own = t_own;
  own.role = ThreadRole::ended;
  own.counts = nullptr;
  own.thread = kNoThread;  // records of later destructors belong to another thread
  if (own.card == nullptr) return;
  own.card->end_ticks = read_ticks();
  if (own.card->state.load(std::memory_order_relaxed) == CardState::live)
    own.card->state.store(CardState::ended, std::memory_order_release);
  own.card = nullptr;
}

std::uint32_t find_thread(std::uint64_t handle) noexcept {
  if (*g_is_same_process == 0 || g_session.ring == nullptr) return kNoThread;
  const std::uint32_t made = g_session.ring->next_thread.load(std::memory_order_acquire);
  const std::uint32_t cards = g_session.ring->card_count;
  for (std::uint32_t i = made < cards ? made : cards; i-- > 0;) {
    const ThreadCard& card = g_session.cards[i];
    const CardState state = card.state.load(std::memory_order_acquire);
    if (__atomic_load_n(&card.handle, __ATOMIC_RELAXED) != handle || state == CardState::failed) continue;
    return i;
  }
  return kNoThread;
}

void count_elsewhere(LockCount* counts, std::uint64_t key, const void* caller) noexcept {
  constexpr std::size_t kSteps = 8;
  const std::size_t home = home_of(key);
  LockCount* free = nullptr;
  for (std::size_t i = 0; i < kSteps && free == nullptr; ++i) {
    LockCount& at = counts[(home + i) % kLockObjects];
    if (at.key == 0) free = &at;
    if (at.key != key) continue;
    ++at.count;
    return;
  }
  if (is_library_use(reinterpret_cast<const void*>(key >> kLockKindBits), caller)) return;
  if (free != nullptr) {
    *free = {key, 1};
    return;
  }
  const std::uint64_t kind = key & ((1u << kLockKindBits) - 1);
  counts[kLockObjects + kind].key = kind;
  ++counts[kLockObjects + kind].count;
}

}  // namespace meridian
