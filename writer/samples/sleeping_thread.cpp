// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/sleeping_thread.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace meridian {
namespace {

constexpr std::size_t kCopiedBytes = 16384;
constexpr std::size_t kPieceBytes = 4096;  // a page: what lies behind the stack is not mapped

}  // namespace

// "NUMBER ARGUMENT x 6 SP PC", "-1 SP PC" outside of system calls, or "running".
std::optional<SleepingThread> look_at_sleeping_thread(std::int32_t pid, std::int32_t kernel_tid,
                                                      ProcessMemory& memory) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/task/" + std::to_string(kernel_tid) + "/syscall"};
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  std::istringstream words{line};
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  if (all.size() < 3) return std::nullopt;
  SleepingThread thread;
  try {
    thread.sp = std::stoull(all[all.size() - 2], nullptr, 16);
    thread.ip = std::stoull(all[all.size() - 1], nullptr, 16);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  std::vector<unsigned char> piece;
  while (thread.stack.size() < kCopiedBytes) {
    const std::uint64_t at = thread.sp + thread.stack.size();
    piece.resize(kPieceBytes - at % kPieceBytes);
    if (!memory.copy(at, piece)) break;
    std::ranges::transform(piece, std::back_inserter(thread.stack),
                           [](unsigned char byte) { return static_cast<std::byte>(byte); });
  }
  return thread;
}

}  // namespace meridian
