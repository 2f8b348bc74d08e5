// SPDX-License-Identifier: Apache-2.0
#include "pmpi/samples/signal_samples.hpp"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pmpi/process/own_thread.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/rings/ring_file.hpp"
#include "pmpi/samples/sample_handler.hpp"
#include "trace/model/sample_keys.hpp"
#include "trace/model/system_clock.hpp"
#include "trace/ring/sample_layout.hpp"

namespace meridian {
namespace {

/// For a handler of ours, and for the largest set of registers that the kernel saves (11 KB with AMX).
constexpr std::size_t kHandlerStackBytes = 64 << 10;

std::atomic<int> g_signal{0};  ///< 0: no samples are taken

/// A thread of this process on the kernel's clock of its processor time.
constexpr clockid_t processor_clock(std::int32_t kernel_tid) noexcept {
  constexpr clockid_t kOfThread = 4, kScheduler = 2;  // CPUCLOCK_PERTHREAD_MASK, CPUCLOCK_SCHED
  return static_cast<clockid_t>(~static_cast<unsigned>(kernel_tid) << 3) | kOfThread | kScheduler;
}

/// A real-time signal that still has its default; 0: all have handlers. The last three signals are left to other tools, which take them first.
int unused_signal() noexcept {
  for (int number = SIGRTMAX - 3; number > SIGRTMIN; --number) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL)
      return number;
  }
  return 0;
}

/// Whether a thread has the signal blocked, as the kernel says ("SigBlk:\t0000000000000000").
bool is_blocked_in(std::int32_t kernel_tid, int number) noexcept {
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/self/task/%d/status", kernel_tid);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  text[bytes > 0 ? bytes : 0] = '\0';
  static constexpr char kLabel[] = "\nSigBlk:";
  const char* const line = strstr(text, kLabel);
  unsigned long long blocked = 0;
  return line != nullptr && sscanf(line + sizeof kLabel - 1, "%llx", &blocked) == 1 &&
         (blocked >> (number - 1) & 1) != 0;
}

/// Makes and starts the timer; false: errno.
bool make_timer(SampledThread& sampled, std::int32_t kernel_tid, int number) noexcept {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = number;
  event.sigev_value.sival_int = static_cast<int>(&sampled - g_sampled_threads);
  event._sigev_un._tid = kernel_tid;
  sampled.clock = processor_clock(kernel_tid);
  sampled.begin_ns = static_cast<std::uint64_t>(system_clock_ns(sampled.clock));
  // By its number: before glibc 2.34 (2021) the function is in another library.
  if (syscall(SYS_timer_create, sampled.clock, &event, &sampled.timer) != 0) return false;
  set_next_sample(sampled);
  return true;
}

/// Makes an alternate stack if the calling thread has none: the thread may run on the stack of a coroutine, with little room.
void make_handler_stack(SampledThread& sampled) noexcept {
  stack_t now{};
  if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  void* const memory =
      mmap(nullptr, kHandlerStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t own{};
  own.ss_sp = memory;
  own.ss_size = kHandlerStackBytes;
  if (sigaltstack(&own, nullptr) == 0)
    sampled.handler_stack = memory;
  else
    munmap(memory, kHandlerStackBytes);
}

void remove_handler_stack(SampledThread& sampled) noexcept {
  stack_t now{};
  if (sampled.handler_stack == nullptr || sigaltstack(nullptr, &now) != 0) return;
  if (now.ss_sp == sampled.handler_stack) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    if (sigaltstack(&none, nullptr) != 0) return;  // the thread ends on it
  }
  munmap(sampled.handler_stack, kHandlerStackBytes);
  sampled.handler_stack = nullptr;
}

void sample(std::uint32_t thread, std::int32_t kernel_tid, bool is_self) noexcept {
  const int number = g_signal.load(std::memory_order_seq_cst);
  if (number == 0 || thread >= kSampleBuffers || kernel_tid <= 0) return;
  SampledThread& sampled = g_sampled_threads[thread];
  if (sampled.is_taken.exchange(true)) return;
  SampleBuffer& buffer = *sampled.buffer;
  if (is_blocked_in(kernel_tid, number)) {
    buffer.state.store(SampleState::blocked, std::memory_order_release);
    return;
  }
  auto* const samples = static_cast<SignalSample*>(
      map_ring_part(samples_at(g_session.ring->sample_buffers_offset, thread), kSampleBufferBytes));
  sampled.samples.store(samples, std::memory_order_release);
  if (samples != nullptr && is_self) make_handler_stack(sampled);
  if (samples == nullptr || !make_timer(sampled, kernel_tid, number)) {
    buffer.problem = errno;
    buffer.state.store(SampleState::refused, std::memory_order_release);
    return;
  }
  buffer.state.store(SampleState::taking, std::memory_order_release);
}

void end_timer(SampledThread& sampled) noexcept {
  SampleState taking = SampleState::taking;
  if (!sampled.is_taken.load() || !sampled.buffer->state.compare_exchange_strong(taking, SampleState::ended)) return;
  syscall(SYS_timer_delete, sampled.timer);
}

}  // namespace

void begin_signal_samples() noexcept {
  const RingFileHeader& ring = *g_session.ring;
  if (ring.sample_buffers_offset == 0) return;
  auto* const buffers = static_cast<SampleBuffer*>(map_ring_part(ring.sample_buffers_offset, kSampleHeadBytes));
  const int number = buffers != nullptr ? unused_signal() : 0;
  if (number == 0 || !prepare_handler(number, kSampledSecondNs / ring.sample_hz, sampled_clock(ring.clock))) {
    const char* const why = buffers == nullptr ? "no memory for them" : "the program uses all real-time signals";
    emit_text(kSamplesRefusedKey, why, strlen(why), 0);
    return;
  }
  for (std::uint32_t i = 0; i < kSampleBuffers; ++i) g_sampled_threads[i].buffer = &buffers[i];
  g_signal.store(number, std::memory_order_seq_cst);
  (void)own_thread_id();  // the calling thread has a card
  begin_thread_samples();
  for (std::uint32_t i = 0; i < ring.card_count; ++i) {
    const ThreadCard& card = g_session.cards[i];
    if (card.state.load(std::memory_order_acquire) == CardState::live) sample(i, card.kernel_tid, false);
  }
}

void end_signal_samples() noexcept {
  if (g_signal.exchange(0) == 0) return;
  for (SampledThread& sampled : g_sampled_threads) end_timer(sampled);
}

void begin_thread_samples() noexcept {
  const OwnThread& own = t_own;
  if (own.card != nullptr && own.thread != kNoThread) sample(own.thread, own.card->kernel_tid, true);
}

void end_thread_samples() noexcept {
  const std::uint32_t thread = t_own.thread;
  if (thread >= kSampleBuffers || *g_is_same_process == 0) return;
  SampledThread& sampled = g_sampled_threads[thread];
  if (!sampled.is_taken.load()) return;
  end_timer(sampled);
  // A signal that is under way finds no memory to write to.
  if (SignalSample* const samples = sampled.samples.exchange(nullptr)) munmap(samples, kSampleBufferBytes);
  remove_handler_stack(sampled);
}

}  // namespace meridian
