// SPDX-License-Identifier: Apache-2.0
#include "pmpi/samples/sample_handler.hpp"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "pmpi/process/own_thread.hpp"
#include "trace/model/system_clock.hpp"
#include "trace/ring/ring_futex.hpp"

namespace meridian {

SampledThread g_sampled_threads[kSampleBuffers];

namespace {

constexpr std::uint64_t kShortestStepNs = 100'000;

// Set once, before the first timer.
std::uint64_t g_period_ns = 0;
std::uint64_t g_tick_ns = 0;  // grain of the kernel's timers of processor time
clockid_t g_sampled_clock = CLOCK_MONOTONIC;

std::uint64_t read_clock(clockid_t clock) noexcept { return static_cast<std::uint64_t>(system_clock_ns(clock)); }

struct Registers {
  std::uint64_t ip, sp, bp;
};

Registers registers_of(const ucontext_t& context) noexcept {
  const mcontext_t& at = context.uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<std::uint64_t>(at.gregs[REG_RIP]), static_cast<std::uint64_t>(at.gregs[REG_RSP]),
          static_cast<std::uint64_t>(at.gregs[REG_RBP])};
#elif defined(__aarch64__)
  return {at.pc, at.sp, at.regs[29]};
#else
#error "which registers this processor has is not known"
#endif
}

/// Copies what is at `from`, up to the end of the mapped memory: the kernel reads it, so that no address does harm. Page by page, because
/// it copies whole pieces only.
std::uint64_t copy_stack(std::uint64_t from, std::byte* to) noexcept {
  constexpr std::size_t kPieces = kSampledStackBytes / kRingPageBytes + 1;
  iovec remote[kPieces];
  std::size_t pieces = 0;
  for (std::uint64_t at = from, left = kSampledStackBytes; left != 0 && pieces < kPieces; ++pieces) {
    const std::uint64_t in_page = kRingPageBytes - at % kRingPageBytes, bytes = in_page < left ? in_page : left;
    remote[pieces] = {reinterpret_cast<void*>(at), bytes};
    at += bytes;
    left -= bytes;
  }
  const iovec local{to, kSampledStackBytes};
  const long copied = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local, 1, remote, pieces, 0);
  if (copied >= 0) return static_cast<std::uint64_t>(copied);
  if (errno != ENOSYS && errno != EPERM) return 0;
  // A container whose list of system calls lacks it. The page of the stack pointer is there.
  memcpy(to, remote[0].iov_base, remote[0].iov_len);
  return remote[0].iov_len;
}

void store_sample(const SampledThread& sampled, SignalSample* samples, const ucontext_t& context) noexcept {
  SampleBuffer& buffer = *sampled.buffer;
  const std::uint64_t number = buffer.taken.load(std::memory_order_relaxed);
  if (number - buffer.read.load(std::memory_order_acquire) < kSampleRoom) {
    SignalSample& sample = samples[number % kSampleRoom];
    const Registers registers = registers_of(context);
    sample.time_ns = read_clock(g_sampled_clock);
    sample.ip = registers.ip;
    sample.sp = registers.sp;
    sample.bp = registers.bp;
    sample.bytes = copy_stack(registers.sp, sample.stack);
    buffer.taken.store(number + 1, std::memory_order_release);
  } else {
    buffer.dropped.fetch_add(1, std::memory_order_relaxed);
  }
  buffer.processor_ns.store(read_clock(sampled.clock) - sampled.begin_ns, std::memory_order_release);
  if (buffer.is_watched.load(std::memory_order_acquire) == 0) return;
  buffer.bell.fetch_add(1, std::memory_order_release);
  futex_wake_all(buffer.bell);
}

// The program may use the same signal, with timers of its own.
void take_sample(int, siginfo_t* info, void* context) noexcept {
  const auto thread = static_cast<std::uint32_t>(info->si_value.sival_int);
  if (info->si_code != SI_TIMER || *g_is_same_process == 0 || thread != t_own.thread || thread >= kSampleBuffers)
    return;
  const SampledThread& sampled = g_sampled_threads[thread];
  SignalSample* const samples = sampled.samples.load(std::memory_order_acquire);
  if (samples == nullptr || info->si_timerid != sampled.timer ||
      sampled.buffer->state.load(std::memory_order_acquire) == SampleState::ended)
    return;
  const int saved_errno = errno;
  set_next_sample(sampled);  // first: a handler of the program that interrupts this one may leave both by longjmp
  store_sample(sampled, samples, *static_cast<const ucontext_t*>(context));
  errno = saved_errno;
}

}  // namespace

bool prepare_handler(int number, std::uint64_t period_ns, clockid_t sampled_clock) noexcept {
  g_period_ns = period_ns;
  g_sampled_clock = sampled_clock;
  timespec tick{};
  if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0) g_tick_ns = static_cast<std::uint64_t>(tick.tv_nsec);
  struct sigaction action {};
  action.sa_sigaction = &take_sample;
  // Nothing is blocked meanwhile: another thread would get signals that are for the whole process.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER;
  return sigaction(number, &action, nullptr) == 0;
}

// Steps are drawn from 20 % around the period, so that no loop is in step with them (xorshift, as in the writer). The kernel looks at its
// ticks only, on average half of one too late.
void set_next_sample(const SampledThread& sampled) noexcept {
  std::uint64_t random = read_clock(g_sampled_clock) | 1;
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  std::uint64_t step_ns = g_period_ns * (800 + random % 401) / 1000;
  step_ns = step_ns > g_tick_ns / 2 + kShortestStepNs ? step_ns - g_tick_ns / 2 : kShortestStepNs;
  itimerspec next{};
  next.it_value = {static_cast<time_t>(step_ns / kSampledSecondNs), static_cast<long>(step_ns % kSampledSecondNs)};
  syscall(SYS_timer_settime, sampled.timer, 0, &next, nullptr);
}

}  // namespace meridian
