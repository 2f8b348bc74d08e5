// SPDX-License-Identifier: Apache-2.0
#include "live/process.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include "trace/ring/process_memory.hpp"

namespace meridian {

std::optional<std::uint64_t> times_stopped(std::int32_t pid, std::int32_t kernel_tid) {
  std::ifstream status{fmt::format("/proc/{}/task/{}/status", pid, kernel_tid)};
  std::uint64_t times = 0;
  bool is_stopped = false;
  for (std::string key; status >> key;) {
    if (key == "State:") {
      char state = 0;
      status >> state;
      is_stopped = state == 'S';
    } else if (key == "voluntary_ctxt_switches:" || key == "nonvoluntary_ctxt_switches:") {
      std::uint64_t count = 0;
      status >> count;
      times += count;
    }
    status.ignore(4096, '\n');
  }
  return is_stopped ? std::optional{times} : std::nullopt;
}

std::set<std::int32_t> threads_of(std::int32_t pid) {
  std::set<std::int32_t> threads;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator{fmt::format("/proc/{}/task", pid), ignored}) {
    const std::string name = entry.path().filename().string();
    std::int32_t tid = 0;
    std::from_chars(name.data(), name.data() + name.size(), tid);
    threads.insert(tid);
  }
  return threads;
}

std::optional<double> cpu_seconds(std::int32_t pid, std::int32_t kernel_tid) {
  constexpr int kUserTime = 14;  // field of the file; the third one follows the name in brackets
  std::ifstream file{fmt::format("/proc/{}/task/{}/stat", pid, kernel_tid)};
  std::string line;
  if (!std::getline(file, line) || line.rfind(')') == std::string::npos) return std::nullopt;
  std::istringstream fields{line.substr(line.rfind(')') + 1)};
  std::string skipped;
  for (int field = 3; field < kUserTime; ++field) fields >> skipped;
  double user = 0;
  double system = 0;
  if (!(fields >> user >> system)) return std::nullopt;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::optional<std::int32_t> lock_holder([[maybe_unused]] std::int32_t pid, [[maybe_unused]] std::uint64_t object,
                                        [[maybe_unused]] LockKind kind) {
#ifdef __GLIBC__
  const bool is_mutex = kind == LockKind::mutex;
  if (!is_mutex && kind != LockKind::read && kind != LockKind::write) return std::nullopt;
  const std::size_t offset =
      is_mutex ? offsetof(pthread_mutex_t, __data.__owner) : offsetof(pthread_rwlock_t, __data.__cur_writer);
  std::array<unsigned char, sizeof(std::int32_t)> copied{};
  if (!ProcessMemory{pid}.copy(object + offset, copied)) return std::nullopt;
  const auto tid = std::bit_cast<std::int32_t>(copied);
  // The C library does not store readers.
  return is_mutex || tid != 0 ? std::optional{tid} : std::nullopt;
#else
  return std::nullopt;
#endif
}

}  // namespace meridian
