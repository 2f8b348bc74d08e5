// SPDX-License-Identifier: Apache-2.0
#include "pmpi/rings/emit.hpp"

#include <string.h>

namespace meridian {

bool emit_text(const char* key, const char* value, std::uint64_t value_bytes, std::uint64_t handle) noexcept {
  constexpr std::uint64_t kPiece = 4096;
  const std::uint64_t key_bytes = strlen(key) + 1;
  std::uint64_t done = 0;
  do {
    const std::uint64_t piece = value_bytes - done < kPiece ? value_bytes - done : kPiece;
    const std::uint64_t bytes = key_bytes + piece;
    const std::uint64_t words = words_of<RecordHead> + words_of<Text> + (bytes + kWordBytes - 1) / kWordBytes;
    const std::uint64_t now = read_ticks();
    const bool stored = emit(Payload::text, words, now, now, [&](std::uint64_t* body) {
      auto& text = *reinterpret_cast<Text*>(body);
      text.bytes = static_cast<std::uint32_t>(bytes);
      text.more = done + piece < value_bytes ? 1 : 0;
      text.handle = handle;
      std::uint64_t* const bytes_at = body + words_of<Text>;
      bytes_at[words - words_of<RecordHead> - words_of<Text> - 1] = 0;  // padding
      memcpy(bytes_at, key, key_bytes);
      memcpy(reinterpret_cast<char*>(bytes_at) + key_bytes, value + done, piece);
    });
    if (!stored) return false;
    done += piece;
  } while (done < value_bytes);
  return true;
}

void emit_anchor(AnchorPhase phase) noexcept {
  const ClockAnchor anchor = read_recorded_anchor();
  emit(
      Payload::anchor, words_of<RecordHead> + words_of<Anchor>, anchor.before_ticks, anchor.after_ticks,
      [&](std::uint64_t* body) {
        *reinterpret_cast<Anchor*>(body) = {static_cast<std::uint64_t>(phase), anchor.monotonic_ns, anchor.realtime_ns};
      });
}

namespace {

void emit_interval(std::uint64_t kind, std::uint64_t begin_ticks, std::uint64_t ticks, std::uint64_t count) noexcept {
  emit(Payload::overhead, words_of<RecordHead> + words_of<Overhead>, begin_ticks, begin_ticks + ticks,
       [&](std::uint64_t* body) {
         *reinterpret_cast<Overhead*>(body) = {kind, count};
       });
}

}  // namespace

void emit_overhead(OverheadKind kind, std::uint64_t begin_ticks, std::uint64_t count) noexcept {
  emit_interval(static_cast<std::uint64_t>(kind), begin_ticks, read_ticks() - begin_ticks, count);
}

void emit_cost(CostKind kind, std::uint64_t begin_ticks, std::uint64_t ticks, std::uint64_t count) noexcept {
  emit_interval(static_cast<std::uint64_t>(kind), begin_ticks, ticks, count);
}

}  // namespace meridian
