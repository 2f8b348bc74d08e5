// SPDX-License-Identifier: Apache-2.0
#pragma once

// Traced programs and writers as real processes.

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <functional>
#include <thread>

#include "tests/support/ring_producer.hpp"

extern char** environ;

namespace meridian::test {

/// Waits for a condition that must come true; false after half a minute, which is a failure and no measurement.
inline bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 30'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

class Child {
 public:
  explicit Child(pid_t pid) : pid_{pid} {}
  Child(Child&& other) noexcept : pid_{std::exchange(other.pid_, -1)} {}
  ~Child() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  pid_t pid() const { return pid_; }
  void send(int signal) const { ::kill(pid_, signal); }
  /// Exit code, or minus the signal that ended it.
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_;
};

/// A process that is the ring's traced program: runs `body`, then ends with _exit(0).
inline Child start_program(TestRing& ring, const std::function<void()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ring.header().pid = ::getpid();
    ring.header().process_start = start_of(::getpid());
    ring.header().run_state.store(RunState::running);
    body();
    ::_exit(0);
  }
  EXPECT_TRUE(eventually([&] { return ring.header().run_state.load() != RunState::starting; }));
  return Child{pid};
}

inline Child start_writer(const TestRing& ring) {
  std::string program = MERIDIAN_WRITER, path = ring.path().string();
  char* arguments[] = {program.data(), path.data(), nullptr};
  pid_t pid = -1;
  EXPECT_EQ(::posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments, environ), 0);
  return Child{pid};
}

[[noreturn]] inline void sleep_for_good() {
  for (;;) ::pause();
}

}  // namespace meridian::test
