// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records other than calls: definitions, anchors, texts. Cold code inside the application. They are never dropped,
// because all other records depend on them.

#include "pmpi/process/clock.hpp"
#include "pmpi/process/own_thread.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "trace/model/recording_cost.hpp"

namespace meridian {

/// Stores one record of `words` words: the head with `enter` and `leave`, then the body that `fill` writes. False: no
/// room.
template <class Fill>
bool emit(Payload payload, std::uint64_t words, std::uint64_t enter, std::uint64_t leave, Fill fill,
          CallId call = CallId::none, std::uint64_t completions = 0, std::uint64_t flags = 0) noexcept {
  const BusyThread busy;  // keeps signal handlers from recording here
  ThreadState& thread = t_state;
  const KeptRecord kept{thread};
  std::uint64_t* const at = make_room(thread, words, __builtin_frame_address(0));
  if (at == nullptr) return false;
  at[1] = enter;
  at[2] = leave;
  fill(at + words_of<RecordHead>);
  store_release(at[0], header_word(call, payload, words, completions, flags));
  leave_call(thread, at, words);
  return true;
}

/// Stores "key\0value" about the object with this handle (0: the process), split into several records if needed. False:
/// not stored completely.
bool emit_text(const char* key, const char* value, std::uint64_t value_bytes, std::uint64_t handle) noexcept;

void emit_anchor(AnchorPhase phase) noexcept;

/// Stores the tracer's own time since `begin_ticks`.
void emit_overhead(OverheadKind kind, std::uint64_t begin_ticks, std::uint64_t count) noexcept;

/// Stores what `count` operations cost.
void emit_cost(CostKind kind, std::uint64_t begin_ticks, std::uint64_t ticks, std::uint64_t count) noexcept;

}  // namespace meridian
