// SPDX-License-Identifier: Apache-2.0
#include "pmpi/process/kept_memory.hpp"

#include <string.h>
#include <sys/mman.h>

namespace meridian {
namespace {

constexpr std::size_t kArenaBytes = std::size_t{256} << 10;

char* g_arena = nullptr;
std::size_t g_arena_left = 0;

}  // namespace

void* keep_bytes(std::size_t bytes) noexcept {
  bytes = (bytes + 15) / 16 * 16;
  if (bytes > g_arena_left) {
    if (bytes > kArenaBytes) return nullptr;
    void* const fresh =
        mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fresh == MAP_FAILED) return nullptr;
    g_arena = static_cast<char*>(fresh);
    g_arena_left = kArenaBytes;
  }
  void* const kept = g_arena;
  g_arena += bytes;
  g_arena_left -= bytes;
  return kept;
}

std::string_view keep_text(std::string_view text) noexcept {
  if (text.empty()) return {};
  void* const kept = keep_bytes(text.size());
  if (kept == nullptr) return {};
  memcpy(kept, text.data(), text.size());
  return {static_cast<const char*>(kept), text.size()};
}

}  // namespace meridian
