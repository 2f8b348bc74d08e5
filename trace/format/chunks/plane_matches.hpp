// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a plane of a chunk (chunk_codec.hpp) repeats itself at one distance.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace meridian {

/// How well a plane repeats itself.
struct Repeats {
  std::size_t distance = 0;  ///< bytes, at most kMostDistance; 0: it does not repeat at all
  double share = 0;          ///< of the sampled bytes that equal the byte `distance` before them
};
inline constexpr std::size_t kMostDistance = 256;
Repeats find_repeats(std::span<const std::uint8_t> plane);

/// The bytes that equal those one distance before them, in runs that are worth a match.
class PlaneMatches {
 public:
  /// Bytes are counted from the first one that has a byte `distance` before it.
  void find(std::span<const std::uint8_t> plane, std::size_t distance);
  /// The first byte from `at` on that is part of a match, or is not; `end` if there is none before.
  std::size_t next(std::size_t at, std::size_t end, bool is_match) const noexcept;

 private:
  void find_same(std::span<const std::uint8_t> plane, std::size_t distance);
  void drop_short_runs();

  std::vector<std::uint64_t> same_;  // a bit for each byte
};

}  // namespace meridian
