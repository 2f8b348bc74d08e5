// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analysis/walk/location_states.hpp"
#include "merged/model/event_waits.hpp"

namespace meridian {

/// What a thread does, as the page colours it: the states of docs/EFFICIENCY.md, waits of MPI by what is waited for.
enum class StateClass : std::uint8_t {
  compute,
  transfer,
  message_wait,
  collective_wait,
  thread_wait,
  sleep,
  io,
  unknown,
  ready
};
inline constexpr std::string_view kStateClassNames[] = {"compute",
                                                        "MPI transfer",
                                                        "wait for a message or access",
                                                        "wait in a collective",
                                                        "wait for a thread",
                                                        "sleep",
                                                        "file access",
                                                        "unknown",
                                                        "no processor"};
inline constexpr std::size_t kStateClasses = std::size(kStateClassNames);

/// Whether a thread without a processor loses time in the state, so that the time is that of StateClass::ready.
constexpr bool needs_processor(LocationState state) noexcept {
  return state == LocationState::compute || state == LocationState::mpi_transfer || state == LocationState::io;
}

constexpr StateClass class_of(WaitKind kind) noexcept {
  if (is_of_threads(kind)) return StateClass::thread_wait;
  switch (kind) {
    case WaitKind::late_sender:
    case WaitKind::late_receiver:
    case WaitKind::wrong_order_same_source:
    case WaitKind::wrong_order_other_sources:
    case WaitKind::late_post:
    case WaitKind::early_wait:
    case WaitKind::late_complete:
    case WaitKind::window_lock:
      return StateClass::message_wait;
    default:
      return StateClass::collective_wait;
  }
}

/// The class of a state that is no wait of MPI; of one that is, without its kind.
constexpr StateClass class_of(LocationState state) noexcept {
  switch (state) {
    case LocationState::compute:
      return StateClass::compute;
    case LocationState::mpi_transfer:
      return StateClass::transfer;
    case LocationState::mpi_wait:
      return StateClass::collective_wait;
    case LocationState::sync_wait:
      return StateClass::thread_wait;
    case LocationState::sleep:
      return StateClass::sleep;
    case LocationState::io:
      return StateClass::io;
    case LocationState::ready:
      return StateClass::ready;
    default:
      return StateClass::unknown;
  }
}

}  // namespace meridian
