// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/thread_event.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

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
  perf_event_header header;
  std::uint64_t ip;
  std::uint32_t pid, tid;
  std::uint64_t time_ns;
  std::uint64_t registers_abi;  // 0: there are none, and the stack's size follows
};
struct SampleStack {
  std::uint64_t registers[3];
  std::uint64_t bytes;  // of the copy, which follows; then the number of its bytes that are valid
};
struct LostRecord {
  perf_event_header header;
  std::uint64_t id, lost;
};

template <class T>
bool take_part(std::span<const std::byte>& bytes, T& part) {
  if (bytes.size() < sizeof part) return false;
  std::memcpy(&part, bytes.data(), sizeof part);
  bytes = bytes.subspan(sizeof part);
  return true;
}

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

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

std::string reason_of(int problem) {
  switch (problem) {
    case EACCES:
      return "EACCES";
    case EPERM:
      return "EPERM";
    case ENOSYS:
      return "ENOSYS";
    case EMFILE:
      return "EMFILE";
    default:
      return std::strerror(problem);
  }
}

}  // namespace

void ThreadEvent::Unmap::operator()(void* memory) const noexcept { ::munmap(memory, bytes); }

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
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  event.use_clockid = 1;
  event.clockid = clock;
  return static_cast<int>(::syscall(SYS_perf_event_open, &event, kernel_tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

Result<ThreadEvent> ThreadEvent::open(std::int32_t kernel_tid, std::uint64_t period_ns, clockid_t clock, Open open) {
  Descriptor file{open(kernel_tid, period_ns, clock)};
  if (!file) return Error{errno == ESRCH ? Errc::not_found : Errc::io, reason_of(errno), ""};
  for (std::size_t bytes = kMostBuffer; bytes >= kLeastBuffer; bytes /= 2) {
    const std::size_t all = page_bytes() + bytes;
    void* const memory = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory != MAP_FAILED) return ThreadEvent{std::move(file), std::unique_ptr<void, Unmap>{memory, Unmap{all}}};
  }
  return Error{Errc::io, reason_of(errno) + ": no memory may be locked for the kernel's buffer", ""};
}

void ThreadEvent::set_period(std::uint64_t period_ns) noexcept {
  (void)::ioctl(file_.get(), PERF_EVENT_IOC_PERIOD, &period_ns);
}

void ThreadEvent::copy(std::uint64_t position, std::span<std::byte> out) const noexcept {
  const auto* const buffer = static_cast<const std::byte*>(memory_.get()) + page_bytes();
  const std::size_t size = memory_.get_deleter().bytes - page_bytes();
  const std::size_t at = static_cast<std::size_t>(position % size), first = std::min(out.size(), size - at);
  std::memcpy(out.data(), buffer + at, first);
  std::memcpy(out.data() + first, buffer, out.size() - first);
}

std::uint64_t ThreadEvent::drain(const Take& take) {
  auto& page = *static_cast<perf_event_mmap_page*>(memory_.get());
  const std::uint64_t head = __atomic_load_n(&page.data_head, __ATOMIC_ACQUIRE);
  std::uint64_t tail = page.data_tail, lost = 0;
  while (head - tail >= sizeof(perf_event_header)) {
    perf_event_header header;
    copy(tail, std::as_writable_bytes(std::span{&header, 1}));
    if (header.size < sizeof header || header.size > head - tail) {
      tail = head;
      break;
    }
    record_.resize(header.size);
    copy(tail, record_);
    tail += header.size;
    std::uint64_t time_ns = 0;
    CopiedStack stack;
    if (header.type == PERF_RECORD_SAMPLE && read_sample(record_, time_ns, stack)) take(time_ns, stack);
    std::span<const std::byte> bytes = record_;
    if (LostRecord dropped{}; header.type == PERF_RECORD_LOST && take_part(bytes, dropped)) lost += dropped.lost;
  }
  __atomic_store_n(&page.data_tail, tail, __ATOMIC_RELEASE);
  return lost;
}

}  // namespace meridian
