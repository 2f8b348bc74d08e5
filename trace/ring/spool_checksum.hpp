// SPDX-License-Identifier: Apache-2.0
#pragma once

// The checksum that distinguishes a complete spool segment from a torn one. Header-only: used by the writer process,
// and by the traced process when it has to spill because no writer drains its rings.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "trace/ring/ring_layout.hpp"

namespace meridian {

/// Over slot, position, bytes, and the payload of `segment.bytes / 8` words. Four independent lanes, so that it runs at
/// about the speed of memory.
inline std::uint64_t spool_checksum(const SpoolSegment& segment, const std::uint64_t* words) noexcept {
  constexpr std::uint64_t kOdd = 0x9fb21c651e98df25ULL;
  std::uint64_t lanes[4] = {segment.slot + kOdd, segment.position ^ kOdd, segment.bytes + 1, segment.magic};
  const auto mix = [](std::uint64_t& lane, std::uint64_t word) { lane = std::rotl((lane ^ word) * kOdd, 29); };
  const std::size_t count = segment.bytes / 8;
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) mix(lanes[lane], words[i + lane]);
  for (; i < count; ++i) mix(lanes[0], words[i]);
  std::uint64_t sum = 0;
  for (const std::uint64_t lane : lanes) mix(sum, lane);
  return sum;
}

}  // namespace meridian
