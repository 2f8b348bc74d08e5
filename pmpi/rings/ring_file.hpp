// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace meridian {

/// Creates the ring file in the scratch directory and maps its head. False with the reason printed.
bool create_ring() noexcept;

/// Maps a part of the ring file, with memory for every page: a full disk is no SIGBUS later. Not in forked children. Null: errno.
void* map_ring_part(std::uint64_t offset, std::uint64_t bytes) noexcept;

}  // namespace meridian
