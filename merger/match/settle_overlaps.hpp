// SPDX-License-Identifier: Apache-2.0
#pragma once

// Channels on which several threads of a process send or receive at the same time. MPI orders two calls only if one
// ended before the other began; the order of other calls is chosen when a receive completes.

#include <cstddef>

#include "merger/match/channel.hpp"
#include "merger/match/receive_table.hpp"

namespace meridian {

/// Moves the completed receive at `place` as far to the front of its channel as MPI's order permits, because incomplete
/// receives can wait longer. If its size shows which message it got, it moves to that message, and sends may change
/// places for it. Returns its new place.
std::size_t settle_overlaps(Channel& at, std::size_t place, ReceiveTable& receives);

}  // namespace meridian
