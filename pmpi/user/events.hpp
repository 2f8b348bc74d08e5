// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// User events (meridian/user.h). Definitions live as long as the process, because call sites in shared objects that are
// loaded and unloaded may keep their addresses.

#include <atomic>
#include <cstdint>
#include <string_view>

#include "include/meridian/user_abi.h"
#include "pmpi/rings/thread_state.hpp"

namespace meridian {

/// One definition; `gate` is its first member, because call sites hold the gate.
struct UserEventDefinition {
  meridian_gate gate{};
  std::uint32_t id = 0;
  CallId call{};
  std::uint8_t words = 0;              ///< of an event without texts
  std::uint8_t texts = 0;              ///< bit i: field i is a text
  std::atomic<bool> is_stored{false};  ///< its text is in a ring, so that events may refer to it
  // Cold from here on.
  UserKind kind{};
  std::string_view level;
  std::string_view name;
  std::string_view fields;                    ///< "name:type ..."
  UserEventDefinition* next = nullptr;        ///< list of all definitions, the latest first
  UserEventDefinition* next_equal = nullptr;  ///< with the same hash
};

/// meridian_gate::record of every definition: without and with counters.
void record_user_event(const meridian_gate* gate, unsigned what, const std::uint64_t* words) noexcept;
void record_counted_user_event(const meridian_gate* gate, unsigned what, const std::uint64_t* words) noexcept;

/// The same outside the fast path: texts, first use, no room.
[[gnu::cold, gnu::noinline]] void record_user_event_slowly(UserEventDefinition& definition, unsigned what,
                                                           const std::uint64_t* words, const void* frame) noexcept;

/// Closes all gates of user events permanently.
void close_user_gates() noexcept;

/// The definition with these properties, created if there is none; null: not now. `name` as in
/// meridian_user_api::define.
UserEventDefinition* define_user_event(int kind, std::string_view level, std::string_view name) noexcept;

/// Opens (`MERIDIAN_BEGINS`) or closes the region of this name, which need not be a literal.
void record_named_region(std::string_view name, unsigned what) noexcept;

/// Records that recording of `what` was switched.
void note_switch(const char* what, bool is_on) noexcept;

}  // namespace meridian
