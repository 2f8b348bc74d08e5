// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/thread_event.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>

namespace meridian {
namespace {

constexpr std::uint32_t kStackBytes = 8192;  // of a copy
// Bytes of the kernel's buffer: sixty samples, and fewer where the user may lock no more memory.
constexpr std::size_t kMostBuffer = 512 << 10, kLeastBuffer = 32 << 10;

#if defined(__x86_64__)
constexpr std::uint64_t kRegisters = 1ULL << 6 | 1ULL << 7 | 1ULL << 8;  // bp, sp, ip
constexpr std::size_t kBp = 0, kSp = 1, kIp = 2;
#elif defined(__aarch64__)
constexpr std::uint64_t kRegisters = 1ULL << 29 | 1ULL << 31 | 1ULL << 32;  // x29, sp, pc
constexpr std::size_t kBp = 0, kSp = 1, kIp = 2;
#else
#error "which registers this processor has is not known"
#endif

/// The beginning of a sample, as `sample_type` below orders its parts.
struct SampleHead {
  std::uint64_t ip;
  std::uint32_t pid, tid;
  std::uint64_t time_ns;
  std::uint64_t registers_abi;  // 0: there are none, and the stack's size follows
};
struct SampleStack {
  std::uint64_t registers[3];
  std::uint64_t bytes;  // of the copy, which follows; then the number of its bytes that are valid
};

/// False: a kernel thread's, or without registers.
bool read_sample(std::span<const std::byte> bytes, std::uint64_t& time_ns, CopiedStack& stack) {
  SampleHead head;
  SampleStack registers;
  if (!take_part(bytes, head) || head.registers_abi == PERF_SAMPLE_REGS_ABI_NONE || !take_part(bytes, registers))
    return false;
  time_ns = head.time_ns;
  stack = {registers.registers[kIp], registers.registers[kSp], registers.registers[kBp], {}};
  if (registers.bytes == 0) return true;
  if (registers.bytes > bytes.size()) return false;
  const std::span<const std::byte> copy = bytes.first(registers.bytes);
  bytes = bytes.subspan(copy.size());
  std::uint64_t valid = 0;
  if (!take_part(bytes, valid)) return false;
  stack.bytes = copy.first(std::min<std::uint64_t>(valid, copy.size()));
  return true;
}

}  // namespace

int ThreadEvent::open_event(std::int32_t kernel_tid, std::uint64_t period_ns, clockid_t clock) noexcept {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_TASK_CLOCK;
  event.sample_period = period_ns;
  event.sample_type =
      PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  event.sample_regs_user = kRegisters;
  event.sample_stack_user = kStackBytes;
  event.wakeup_events = 1;  // for PythonWatch; without anybody who waits it costs nothing that can be measured
  event.exclude_hv = 1;
  event.use_clockid = 1;
  event.clockid = clock;
  // Time in system calls and page faults belongs to the function that causes it; with perf_event_paranoid 2 it has no samples.
  const auto open = [&] {
    return static_cast<int>(::syscall(SYS_perf_event_open, &event, kernel_tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
  };
  if (const int file = open(); file >= 0 || (errno != EACCES && errno != EPERM)) return file;
  event.exclude_kernel = 1;
  return open();
}

Result<ThreadEvent> ThreadEvent::open(std::int32_t kernel_tid, std::uint64_t period_ns, clockid_t clock, Open open) {
  Descriptor file{open(kernel_tid, period_ns, clock)};
  if (!file) return Error{errno == ESRCH ? Errc::not_found : Errc::io, refusal(errno), ""};
  MERIDIAN_TRY(KernelBuffer buffer, KernelBuffer::map(std::move(file), kMostBuffer, kLeastBuffer));
  return ThreadEvent{std::move(buffer)};
}

void ThreadEvent::set_period(std::uint64_t period_ns) noexcept {
  (void)::ioctl(buffer_.event(), PERF_EVENT_IOC_PERIOD, &period_ns);
}

std::uint64_t ThreadEvent::drain(const Take& take) {
  std::uint64_t lost = 0;
  buffer_.drain([&](std::uint32_t type, std::uint16_t, std::span<const std::byte> bytes) {
    std::uint64_t time_ns = 0;
    CopiedStack stack;
    if (type == PERF_RECORD_SAMPLE && read_sample(bytes, time_ns, stack)) take(time_ns, stack);
    if (type == PERF_RECORD_LOST) lost += lost_records(bytes);
  });
  return lost;
}

}  // namespace meridian
