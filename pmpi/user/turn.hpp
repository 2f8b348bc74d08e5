// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace meridian {

/// Admits one thread at a time. A signal handler that interrupts gets nothing instead of waiting for itself.
class Turn {
 public:
  /// owner  the thread that has the turn; 0: nobody
  explicit Turn(std::atomic<long>& owner) noexcept : owner_{owner} {
    const long self = syscall(SYS_gettid);
    long nobody = 0;
    while (!owner_.compare_exchange_weak(nobody, self, std::memory_order_acquire)) {
      if (nobody == self) return;
      nobody = 0;
      sched_yield();
    }
    has_it_ = true;
  }
  ~Turn() {
    if (has_it_) owner_.store(0, std::memory_order_release);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  bool has_it() const noexcept { return has_it_; }

 private:
  std::atomic<long>& owner_;
  bool has_it_ = false;
};

}  // namespace meridian
