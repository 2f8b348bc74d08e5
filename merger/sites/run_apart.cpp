// SPDX-License-Identifier: Apache-2.0
#include "merger/sites/run_apart.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

namespace meridian {
namespace {

constexpr rlim_t kMostMemory = rlim_t{8} << 30;

void limit(int resource, rlim_t most) {
  rlimit limits{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limits) != 0) return;
  limits.rlim_cur = std::min(limits.rlim_cur, most);
  (void)::setrlimit(static_cast<__rlimit_resource_t>(resource), &limits);
}

[[noreturn]] void run(const std::function<void(int)>& work, int output, std::chrono::seconds most) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) (void)::signal(signal, SIG_DFL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(most.count()));
  limit(RLIMIT_FSIZE, 0);  // only the answer has to be written
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  limit(RLIMIT_DATA, kMostMemory);
#endif
  // Its error messages are not useful to the user.
  if (const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC); nowhere >= 0) {
    (void)::dup2(nowhere, STDOUT_FILENO);
    (void)::dup2(nowhere, STDERR_FILENO);
  }
  work(output);
  ::_exit(0);
}

/// False if the output was not complete in time.
bool collect(int input, std::chrono::seconds most, std::size_t most_bytes, std::string& output) {
  const auto deadline = std::chrono::steady_clock::now() + most;
  std::array<char, 1 << 16> piece;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || output.size() > most_bytes) return false;
    pollfd ready{input, POLLIN, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(left.count()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    const ssize_t bytes = ::read(input, piece.data(), piece.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return bytes == 0;
    output.append(piece.data(), static_cast<std::size_t>(bytes));
  }
}

}  // namespace

Apart run_apart(const std::function<void(int)>& work, std::chrono::seconds most, std::size_t most_bytes) {
  Apart apart;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return apart;
  (void)std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    run(work, ends[1], most);
  }
  ::close(ends[1]);
  if (child > 0) {
    // The process may sleep as well as compute, so twice its CPU limit is enough.
    const bool is_in_time = collect(ends[0], 2 * most, most_bytes, apart.output);
    if (!is_in_time) (void)::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    apart.is_complete = is_in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  ::close(ends[0]);
  return apart;
}

}  // namespace meridian
