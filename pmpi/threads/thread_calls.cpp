// SPDX-License-Identifier: Apache-2.0
// Threads: create, join, detach, exit, cancel, name. Cold, except for the records.

#include <string.h>
#include <sys/syscall.h>

#include "pmpi/process/own_thread.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "pmpi/threads/lock_call.hpp"

namespace meridian {

namespace {

constexpr std::uint64_t kThreadWords = words_of<ThreadOp>;

struct ThreadBody {
  std::uint64_t handle;
  std::uint64_t routine;
  std::uint32_t thread;
  void operator()(std::uint64_t* body) const noexcept {
    body[0] = handle;
    body[1] = routine;
    body[2] = thread;
  }
};

struct ThreadResult {
  bool operator()(std::uint64_t* body, int result) const noexcept {
    body[2] |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(result)) << 32;
    return result == 0;
  }
};

/// Runs in the new thread: takes its card and records its begin. The destructor of its key records its end, however the
/// thread ends.
ThreadCard& begin_thread(void* given) noexcept {
  auto& card = *static_cast<ThreadCard*>(given);
  OwnThread& own = t_own;
  own.card = &card;
  if (card.state.load(std::memory_order_acquire) == CardState::library) {
    own.role = ThreadRole::library;
  } else {
    own.thread = static_cast<std::uint32_t>(&card - g_session.cards);
    own.counts = card.counts;
    card.state.store(CardState::live, std::memory_order_release);
  }
  __atomic_store_n(&card.handle, static_cast<std::uint64_t>(pthread_self()), __ATOMIC_RELAXED);
  card.kernel_tid = static_cast<std::int32_t>(syscall(SYS_gettid));
  watch_thread_end();
  card.begin_ticks = read_ticks();
  if (own.role == ThreadRole::application) tell_thread_begin();
  return card;
}

void* run_thread(void* given) noexcept(false) {
  ThreadCard& card = begin_thread(given);
  return reinterpret_cast<void* (*)(void*)>(card.routine)(reinterpret_cast<void*>(card.argument));
}

int run_c11_thread(void* given) noexcept(false) {
  ThreadCard& card = begin_thread(given);
  return reinterpret_cast<thrd_start_t>(card.routine)(reinterpret_cast<void*>(card.argument));
}

/// A card for the thread with this start routine and argument; null: the thread is created untraced.
ThreadCard* card_for(std::uint64_t routine, void* argument, const void* caller) noexcept {
  if (*g_is_same_process == 0 || g_session.state.load(std::memory_order_acquire) != SessionState::on) return nullptr;
  // Threads that MPI creates inside its calls, and their children, are the library's own.
  const bool is_library =
      is_inside_call() || t_own.is_busy || is_in_library(caller) || t_own.role == ThreadRole::library;
  const std::uint32_t creator = is_library ? kNoThread : own_thread_id();
  std::uint32_t thread = kNoThread;
  ThreadCard* const card = is_library ? take_library_card() : take_card(thread);
  if (card == nullptr) return nullptr;
  card->routine = routine;
  card->argument = reinterpret_cast<std::uintptr_t>(argument);
  card->creator = creator;
  card->state.store(is_library ? CardState::library : CardState::taken, std::memory_order_release);
  return card;
}

/// Creates a thread: `create(card)` with a card or without one. The thread's handle is written to `handle`.
template <CallId id, class Create>
int make_thread(ThreadCard* card, const pthread_t* handle, Create create, const void* caller) noexcept(false) {
  if (card == nullptr || card->state.load(std::memory_order_relaxed) == CardState::library || is_off(id, caller)) {
    const int result = create();
    if (result != 0 && card != nullptr) card->state.store(CardState::failed, std::memory_order_release);
    return result;
  }
  const auto thread = static_cast<std::uint32_t>(card - g_session.cards);
  return recorded<id, Payload::thread_op, kThreadWords>(
      ThreadBody{0, card->routine, thread}, create,
      [&](std::uint64_t* body, int result) {
        if (result == 0) {
          body[0] = static_cast<std::uint64_t>(*handle);
          __atomic_store_n(&card->handle, body[0], __ATOMIC_RELAXED);  // it may be joined before it has begun
        } else {
          card->state.store(CardState::failed, std::memory_order_release);
        }
        return ThreadResult{}(body, result);
      },
      caller);
}

/// Records a call about another thread, which still exists when the call begins.
template <CallId id, class Call>
int about_thread(pthread_t thread, Call call, const void* caller) noexcept(false) {
  if (is_off(id, caller)) return call();
  const auto handle = static_cast<std::uint64_t>(thread);
  return recorded<id, Payload::thread_op, kThreadWords>(ThreadBody{handle, 0, find_thread(handle)}, call,
                                                        ThreadResult{}, caller);
}

template <CallId id>
void note_exit(const void* caller) noexcept {
  if (is_off(id, caller)) return;
  record_now<id, Payload::thread_op, kThreadWords>(
      ThreadBody{static_cast<std::uint64_t>(pthread_self()), 0, t_own.thread});
}

}  // namespace

MERIDIAN_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attr, void* (*start)(void*),
                                   void* arg) noexcept {
  ThreadCard* const card = card_for(reinterpret_cast<std::uintptr_t>(start), arg, caller());
  return make_thread<CallId::pthread_create>(
      card, thread,
      [=] {
        return card != nullptr ? g_libc.pthread_create(thread, attr, &run_thread, card)
                               : g_libc.pthread_create(thread, attr, start, arg);
      },
      caller());
}

MERIDIAN_EXPORT int thrd_create(thrd_t* thread, thrd_start_t start, void* arg) {
  ThreadCard* const card = card_for(reinterpret_cast<std::uintptr_t>(start), arg, caller());
  return make_thread<CallId::thrd_create>(
      card, thread,
      [=] {
        return card != nullptr ? g_libc.thrd_create(thread, &run_c11_thread, card)
                               : g_libc.thrd_create(thread, start, arg);
      },
      caller());
}

MERIDIAN_EXPORT int pthread_join(pthread_t thread, void** value) {
  return about_thread<CallId::pthread_join>(
      thread, [=] { return g_libc.pthread_join(thread, value); }, caller());
}

MERIDIAN_EXPORT int pthread_tryjoin_np(pthread_t thread, void** value) noexcept {
  return about_thread<CallId::pthread_tryjoin_np>(
      thread, [=] { return g_libc.pthread_tryjoin_np(thread, value); }, caller());
}

MERIDIAN_EXPORT int pthread_timedjoin_np(pthread_t thread, void** value, const timespec* until) {
  return about_thread<CallId::pthread_timedjoin_np>(
      thread, [=] { return g_libc.pthread_timedjoin_np(thread, value, until); }, caller());
}

MERIDIAN_EXPORT int pthread_clockjoin_np(pthread_t thread, void** value, clockid_t clock, const timespec* until) {
  return about_thread<CallId::pthread_clockjoin_np>(
      thread, [=] { return g_libc.pthread_clockjoin_np(thread, value, clock, until); }, caller());
}

MERIDIAN_EXPORT int thrd_join(thrd_t thread, int* value) {
  return about_thread<CallId::thrd_join>(
      thread, [=] { return g_libc.thrd_join(thread, value); }, caller());
}

MERIDIAN_EXPORT int pthread_detach(pthread_t thread) noexcept {
  return about_thread<CallId::pthread_detach>(
      thread, [=] { return g_libc.pthread_detach(thread); }, caller());
}

MERIDIAN_EXPORT int thrd_detach(thrd_t thread) {
  return about_thread<CallId::thrd_detach>(
      thread, [=] { return g_libc.thrd_detach(thread); }, caller());
}

MERIDIAN_EXPORT int pthread_cancel(pthread_t thread) {
  return about_thread<CallId::pthread_cancel>(
      thread, [=] { return g_libc.pthread_cancel(thread); }, caller());
}

MERIDIAN_EXPORT void pthread_exit(void* value) {
  note_exit<CallId::pthread_exit>(caller());
  g_libc.pthread_exit(value);
  __builtin_unreachable();
}

MERIDIAN_EXPORT void thrd_exit(int value) {
  note_exit<CallId::thrd_exit>(caller());
  g_libc.thrd_exit(value);
  __builtin_unreachable();
}

// The name is stored on the thread's card, which outlives the thread.
MERIDIAN_EXPORT int pthread_setname_np(pthread_t thread, const char* name) noexcept {
  const int result = g_libc.pthread_setname_np(thread, name);
  if (result != 0 || g_enabled[static_cast<std::size_t>(CallId::pthread_setname_np)] == kNotRecorded ||
      *g_is_same_process == 0 || !is_application())
    return result;
  const std::uint32_t index =
      pthread_equal(thread, pthread_self()) != 0 ? own_thread_id() : find_thread(static_cast<std::uint64_t>(thread));
  if (index < g_session.ring->card_count) strncpy(g_session.cards[index].name, name, sizeof(ThreadCard::name) - 1);
  return 0;
}

}  // namespace meridian
