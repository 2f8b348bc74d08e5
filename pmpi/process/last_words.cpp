// SPDX-License-Identifier: Apache-2.0
#include "pmpi/process/last_words.hpp"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "pmpi/process/launch.hpp"
#include "trace/model/options.hpp"

namespace meridian {
namespace {

struct Facts {
  bool may_speak = false;
  int run_pid = 0;  ///< 0: none
  int own_pid = 0;
  LaunchedAs launched;
  std::uint64_t device = 0;  ///< of standard error
  std::uint64_t inode = 0;   ///< the same; 0: unknown
};
constinit Facts g_facts{};

/// Reads the environment as it is before the program runs.
[[gnu::constructor]] void learn_facts() noexcept {
  if (getauxval(AT_SECURE) != 0) return;  // a set-uid program must not do what its user's environment says
  g_facts.own_pid = getpid();
  g_facts.launched = {launched_rank(), launched_size()};
  if (const char* text = getenv(kRunProcess); text != nullptr) {
    char* end = nullptr;
    g_facts.run_pid = static_cast<int>(strtol(text, &end, 10));
    g_facts.device = strtoull(end, &end, 10);
    g_facts.inode = strtoull(end, &end, 10);
    g_facts.may_speak = *end == '\0';
    // Below a launcher that a script or a wrapper has started, standard error is the launcher's.
    const bool is_of_launcher = g_facts.run_pid != g_facts.own_pid && is_first_of_rank();
    if ((g_facts.inode != 0 && !is_of_launcher) || !g_facts.may_speak) return;
  }
  struct stat status {};
  if (fstat(STDERR_FILENO, &status) != 0) return;
  g_facts.device = status.st_dev;
  g_facts.inode = status.st_ino;
}

/// Whether standard error is the same file as before, and a write would not wait.
bool is_ready() noexcept {
  struct stat status {};
  if (g_facts.inode == 0 || fstat(STDERR_FILENO, &status) != 0 || status.st_dev != g_facts.device ||
      status.st_ino != g_facts.inode)
    return false;
  pollfd stream{STDERR_FILENO, POLLOUT, 0};
  return poll(&stream, 1, 0) == 1 && stream.revents == POLLOUT;
}

/// Writes without a signal: not for a pipe without a reader, a file that may not grow, a terminal of another job.
void write_quietly(const char* line, std::size_t length) noexcept {
  constexpr int kSignals[] = {SIGPIPE, SIGXFSZ, SIGTTOU};
  sigset_t ours, before, pending;
  sigemptyset(&ours);
  for (const int signal : kSignals) sigaddset(&ours, signal);
  pthread_sigmask(SIG_BLOCK, &ours, &before);
  sigpending(&pending);
  const ssize_t ignored = write(STDERR_FILENO, line, length);
  static_cast<void>(ignored);
  for (const int signal : kSignals) {
    if (sigismember(&pending, signal) != 0) continue;  // it is the program's
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    constexpr timespec kNow{};
    while (sigtimedwait(&one, nullptr, &kNow) < 0 && errno == EINTR) continue;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

bool may_speak_at_end() noexcept { return g_facts.may_speak; }

bool is_run_process() noexcept { return g_facts.may_speak && g_facts.run_pid == getpid(); }

LaunchedAs launched_as() noexcept { return g_facts.launched; }

bool is_loaded_here() noexcept { return g_facts.own_pid == getpid(); }

void say_at_end(const char* format, ...) noexcept {
  const int saved_errno = errno;
  char line[3072] = "meridian: ";
  const auto begin = strlen(line);
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(line + begin, sizeof line - begin - 1, format, args);
  va_end(args);
  const std::size_t end = length < 0 ? begin : begin + static_cast<std::size_t>(length);
  const std::size_t last = end < sizeof line - 1 ? end : sizeof line - 2;
  line[last] = '\n';
  if (is_ready()) write_quietly(line, last + 1);
  errno = saved_errno;
}

}  // namespace meridian
