// SPDX-License-Identifier: Apache-2.0
// Starts the writer process, wakes it and waits for it.

#include "pmpi/rings/writer_process.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmpi/process/session_state.hpp"
#include "trace/model/system_clock.hpp"
#include "trace/ring/process_start.hpp"
#include "trace/ring/ring_futex.hpp"

extern "C" char** environ;  // NOLINT: the C library's own name
#ifdef __GLIBC__
extern "C" int __clone(int (*)(void*), void*, int, void*, ...);  // NOLINT: the C library's own name
#endif

namespace meridian {
namespace {

constexpr std::size_t kStackBytes = 64u << 10;
constexpr std::size_t kMaxVariables = 4096;
constexpr std::size_t kCoreMaskBytes = 1024;  // 8192 cores, more than any kernel is built for

struct Start {
  char program[PATH_MAX];
  const char* arguments[3];
  const char* environment[kMaxVariables];
  char inner_stack[kStackBytes];
  char outer_stack[kStackBytes];
  int error;
  int pid;  // of the writer
};

/// Finds the writer: MERIDIAN_WRITER, or libexec two levels above this library's directory.
bool find_writer(char* program) noexcept {
  const std::string_view named = g_session.options.path(OptionId::writer);
  if (!named.empty()) {
    snprintf(program, PATH_MAX, "%.*s", static_cast<int>(named.size()), named.data());
    return named != "none";
  }
  Dl_info self{};
  char library[PATH_MAX];
  if (dladdr(reinterpret_cast<void*>(&g_session), &self) == 0 || realpath(self.dli_fname, library) == nullptr)
    return false;
  // lib/meridian/<flavor>/libmeridian.so, where lib may be lib/<triplet>
  for (int up = 0; up < 5; ++up) {
    char* const slash = strrchr(library, '/');
    if (slash == nullptr) return false;
    *slash = '\0';
    const int length = snprintf(program, PATH_MAX, "%s/libexec/meridian/meridian-writer", library);
    if (length < PATH_MAX && access(program, X_OK) == 0) return true;
  }
  return false;
}

/// The clone() of the C library: ThreadSanitizer defines another one, which treats every child as a fork.
int start_child(int (*function)(void*), char* stack_end, int flags, void* argument) noexcept {
#ifdef __GLIBC__
  return __clone(function, stack_end, flags, argument);
#else
  return clone(function, stack_end, flags, argument);
#endif
}

/// The kernel's struct sigaction: the handler, and no flags. 0: the default action.
struct SignalAction {
  unsigned long handler = 0;
  unsigned long others[7] = {};
};
constexpr std::size_t kKernelMaskBytes = (NSIG - 1) / 8;

/// Runs in the future writer, in memory shared with the application, which stands still. It uses system calls:
/// interposers such as ThreadSanitizer would mistake its files and handlers for those of the application.
int become_writer(void* argument) noexcept {
  auto& start = *static_cast<Start*>(argument);
  syscall(SYS_setsid);
  // The launcher has bound the rank to its cores, but the writer should preferably run on an idle one. The kernel omits
  // cores that the job may not use.
  unsigned char every_core[kCoreMaskBytes];
  for (unsigned char& byte : every_core) byte = 0xff;
  syscall(SYS_sched_setaffinity, 0, sizeof every_core, every_core);
  // No descriptor that the launcher waits for may stay open.
  if (syscall(SYS_close_range, 0u, ~0u, 0u) != 0)
    for (int fd = 0; fd < 65536; ++fd) syscall(SYS_close, fd);
  syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
  syscall(SYS_dup3, 0, 1, 0);
  syscall(SYS_dup3, 0, 2, 0);
  const SignalAction standard;
  for (int signal = 1; signal < NSIG; ++signal) syscall(SYS_rt_sigaction, signal, &standard, nullptr, kKernelMaskBytes);
  const SignalAction ignore{.handler = 1};  // until it handles them: batch systems send them to whole jobs as a warning
  for (const int signal : {SIGUSR1, SIGUSR2}) syscall(SYS_rt_sigaction, signal, &ignore, nullptr, kKernelMaskBytes);
  const unsigned long none[kKernelMaskBytes / sizeof(unsigned long)] = {};
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, nullptr, kKernelMaskBytes);
  syscall(SYS_execve, start.program, start.arguments, start.environment);
  start.error = errno;
  syscall(SYS_exit_group, 127);
  return 0;
}

/// The intermediate process: it exits at once, so that the application cannot wait for the writer as its child.
int start_and_leave(void* argument) noexcept {
  auto& start = *static_cast<Start*>(argument);
  const int pid =
      start_child(&become_writer, start.inner_stack + kStackBytes, CLONE_VM | CLONE_VFORK | SIGCHLD, argument);
  if (pid < 0) start.error = errno;
  start.pid = pid;
  syscall(SYS_exit_group, 0);
  return 0;
}

}  // namespace

bool start_writer() noexcept {
  void* const memory = mmap(nullptr, sizeof(Start), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto& start = *static_cast<Start*>(memory);
  bool started = false;
  if (find_writer(start.program)) {
    start.arguments[0] = start.program;
    start.arguments[1] = g_session.ring_path;
    std::size_t count = 0;
    for (char** entry = environ; entry != nullptr && *entry != nullptr && count + 1 < kMaxVariables; ++entry)
      if (strncmp(*entry, "LD_PRELOAD=", 11) != 0) start.environment[count++] = *entry;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of the application may run in shared memory
    // Exit signal 0: neither SIGCHLD nor wait() of the application see this child.
    const int pid = start_child(&start_and_leave, start.outer_stack + kStackBytes, CLONE_VM | CLONE_VFORK, memory);
    if (pid > 0) {
      while (waitpid(pid, nullptr, static_cast<int>(__WCLONE)) < 0 && errno == EINTR) continue;
      started = start.error == 0 && start.pid > 0;
      g_session.writer_start = started ? process_start(start.pid) : 0;
      g_session.writer_pid.store(start.pid);
    } else {
      start.error = errno;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  if (!started && g_session.options.path(OptionId::writer) != "none")
    say("the writer '%s' could not be started (%s); `meridian merge` will finish the rank file", start.program,
        start.error != 0 ? strerror(start.error) : "not found");
  munmap(memory, sizeof(Start));
  g_session.writer_started.store(started, std::memory_order_release);
  return started;
}

bool is_writer_alive() noexcept {
  if (!g_session.writer_started.load(std::memory_order_acquire)) return false;
  const WriterState state = g_session.ring->writer_state.load(std::memory_order_acquire);
  if (state == WriterState::left || state == WriterState::failed) return false;
  // A process without a parent that waits (in a container, say) stays as a zombie; a process that dies at once writes
  // no state.
  const int started = g_session.writer_pid.load(std::memory_order_relaxed);
  const int own = g_session.ring->writer_pid.load(std::memory_order_acquire);  // of a writer that another program wraps
  return own == 0 || own == started ? is_running(started, g_session.writer_start) : is_running(own, process_start(own));
}

void wake_writer() noexcept {
  RingFileHeader& ring = *g_session.ring;
  ring.wake.fetch_add(1, std::memory_order_seq_cst);
  if (ring.writer_asleep.load(std::memory_order_seq_cst) != 0) futex_wake_all(ring.wake);
}

void request_rank_file() noexcept {
  if (!g_session.writer_started.load(std::memory_order_acquire)) return;
  RingFileHeader& ring = *g_session.ring;
  const std::uint32_t wanted = ring.finish_requested.fetch_add(1, std::memory_order_seq_cst) + 1;
  const std::int64_t bound_ns = g_session.options.number(OptionId::finalize_timeout) * 1'000'000'000;
  const std::int64_t end_ns = monotonic_now_ns() + bound_ns;
  while (static_cast<std::int32_t>(ring.finish_served.load(std::memory_order_acquire) - wanted) < 0) {
    const std::uint32_t served = ring.served.load(std::memory_order_acquire);
    wake_writer();
    if (static_cast<std::int32_t>(ring.finish_served.load(std::memory_order_acquire) - wanted) >= 0) break;
    if (!is_writer_alive()) break;
    futex_wait(ring.served, served, 100'000'000);
    if (monotonic_now_ns() > end_ns) return;  // the writer continues alone
  }
  char path[kPathBytes + 64];
  snprintf(path, sizeof path, "%s/rank-%05d.h5", ring.output_dir, ring.world_rank.load(std::memory_order_relaxed));
  if (ring.output_dir[0] != '\0' && access(path, F_OK) != 0)
    say("'%s' could not be written; `meridian merge` tries again with the stored data", path);
}

}  // namespace meridian
