// SPDX-License-Identifier: Apache-2.0
#pragma once

// Channels on which several threads of a process send or receive at once. MPI orders two calls only if one ended before
// the other began; among the rest an order is chosen when a receive completes.

#include <cstddef>

#include "merger/match/channel.hpp"
#include "merger/match/receive_table.hpp"

namespace meridian {

/// Moves the completed receive at `place` as far to the front of its channel as MPI's order allows, because receives
/// that have not completed can wait longer. If its size shows which message it got, it moves to that message, and
/// sends may change places for it. Returns its place.
std::size_t settle_overlaps(Channel& at, std::size_t place, ReceiveTable& receives);

}  // namespace meridian
