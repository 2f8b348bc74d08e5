// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/switch_event.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>

namespace meridian {
namespace {

// Bytes of the kernel's buffer, 16 a switch. Samples need theirs more where the user may lock little memory.
constexpr std::size_t kMostSwitchBuffer = 128 << 10, kLeastSwitchBuffer = 8 << 10;

}  // namespace

// A clock of the thread would count, and interrupt it; the dummy event only has the records.
int SwitchEvent::open_event(std::int32_t kernel_tid, clockid_t clock) noexcept {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_DUMMY;
  event.sample_type = PERF_SAMPLE_TIME;
  event.sample_id_all = 1;
  event.context_switch = 1;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  event.use_clockid = 1;
  event.clockid = clock;
  return static_cast<int>(::syscall(SYS_perf_event_open, &event, kernel_tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

Result<SwitchEvent> SwitchEvent::open(std::int32_t kernel_tid, clockid_t clock, Open open) {
  Descriptor file{open(kernel_tid, clock)};
  if (!file) return Error{errno == ESRCH ? Errc::not_found : Errc::io, refusal(errno), ""};
  MERIDIAN_TRY(KernelBuffer buffer, KernelBuffer::map(std::move(file), kMostSwitchBuffer, kLeastSwitchBuffer));
  return SwitchEvent{std::move(buffer)};
}

double SwitchEvent::drain(const Take& take, const Lose& lose) {
  return buffer_.drain([&](std::uint32_t type, std::uint16_t misc, std::span<const std::byte> bytes) {
    std::uint64_t time_ns = 0;
    if (type == PERF_RECORD_LOST) {
      lose(lost_records(bytes));
    } else if (type == PERF_RECORD_SWITCH && take_part(bytes, time_ns)) {
      const bool is_out = (misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
      const bool is_ready = (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
      take(time_ns, !is_out ? Switch::on : is_ready ? Switch::off_ready : Switch::off_asleep);
    }
  });
}

}  // namespace meridian
