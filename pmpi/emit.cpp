#include "pmpi/emit.hpp"

#include <string.h>

#include "pmpi/record_object.hpp"
#include "pmpi/request_list.hpp"

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

void emit_overhead(OverheadKind kind, std::uint64_t begin_ticks, std::uint64_t count) noexcept {
  emit(Payload::overhead, words_of<RecordHead> + words_of<Overhead>, begin_ticks, read_ticks(),
       [&](std::uint64_t* body) {
         *reinterpret_cast<Overhead*>(body) = {static_cast<std::uint64_t>(kind), count};
       });
}

void store_name(std::uint64_t handle, const char* key, const char* name) noexcept {
  if (name != nullptr) emit_text(key, name, strlen(name), handle);
}

void store_window_comm(std::uint64_t window, std::uint64_t comm) noexcept {
  char digits[2 * sizeof comm];
  for (std::size_t i = 0; i < sizeof digits; ++i) digits[i] = "0123456789abcdef"[comm >> (60 - 4 * i) & 15];
  emit_text(kWindowCommKey, digits, sizeof digits, window);
}

bool record::is_truncated(int call_result) noexcept {
  int error_class = MPI_SUCCESS;
  g_real.Error_class(call_result, &error_class);
  return error_class == MPI_ERR_TRUNCATE;
}

bool is_refused(int call_result) noexcept {
  int error_class = MPI_SUCCESS;
  g_real.Error_class(call_result, &error_class);
  return error_class != MPI_ERR_IN_STATUS;
}

bool is_pending(int call_result, const MPI_Status& status) noexcept {
  if (is_refused(call_result)) return true;  // nothing is known of the single requests
  int error_class = MPI_SUCCESS;
  g_real.Error_class(status.MPI_ERROR, &error_class);
  return error_class == MPI_ERR_PENDING;
}

void store_more(CallId id, const RequestList& list, const std::uint64_t* saved, const MPI_Status* statuses, int first,
                int completed, int result) noexcept {
  const std::uint64_t null_word = handle_word(g_mpi.request_null);
  for (int k = first; k < completed;) {
    const int left = completed - k < kMaxEntries ? completed - k : kMaxEntries;
    const std::uint64_t room = words_of<RecordHead> + static_cast<std::uint64_t>(left) * words_of<Completion>;
    const std::uint64_t now = read_ticks();
    std::uint64_t filled = 0;
    // Null requests leave holes at the end of the record, filled with handle 0, which is no request.
    const bool stored = emit(
        Payload::requests, room, now, now,
        [&](std::uint64_t* body) {
          for (int i = 0; i < left; ++i, ++k)
            filled += fill_entry(record::body<Completion>(body + filled * words_of<Completion>), list, saved, statuses,
                                 k, result, null_word);
          for (auto i = filled; i < static_cast<std::uint64_t>(left); ++i)
            record::body<Completion>(body + i * words_of<Completion>) = {};
        },
        id, static_cast<std::uint64_t>(left), kFlagMore);
    if (!stored) return;
  }
}

}  // namespace meridian
