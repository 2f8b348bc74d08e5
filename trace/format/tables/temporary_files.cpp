// SPDX-License-Identifier: Apache-2.0
#include "trace/format/tables/temporary_files.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <mutex>

namespace meridian {
namespace {

struct Slot {
  std::atomic<bool> is_used{false};
  char path[PATH_MAX] = {};
};
constinit std::array<Slot, 8> g_slots{};
constinit std::mutex g_mutex;

}  // namespace

void note_temporary_file(const std::filesystem::path& path) noexcept {
  if (path.native().size() >= PATH_MAX) return;
  const std::scoped_lock lock{g_mutex};
  for (Slot& slot : g_slots) {
    if (slot.is_used.load(std::memory_order_relaxed)) continue;
    std::strcpy(slot.path, path.c_str());
    slot.is_used.store(true, std::memory_order_release);
    return;
  }
}

void forget_temporary_file(const std::filesystem::path& path) noexcept {
  const std::scoped_lock lock{g_mutex};
  for (Slot& slot : g_slots)
    if (slot.is_used.load(std::memory_order_relaxed) && path == slot.path) {
      slot.is_used.store(false, std::memory_order_release);
      return;
    }
}

void remove_temporary_files() noexcept {
  for (const Slot& slot : g_slots)
    if (slot.is_used.load(std::memory_order_acquire)) ::unlink(slot.path);
}

}  // namespace meridian
