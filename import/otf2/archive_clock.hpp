// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "import/otf2/definitions.hpp"

namespace meridian::imported {

/// Converts the ticks of an archive to those of imported rank files: ns, plus one, because 0 is no time there.
class ArchiveClock {
 public:
  explicit ArchiveClock(const Definitions& definitions) : ticks_per_second_{definitions.ticks_per_second} {}

  /// Times beyond 2^62 ns are cut to it.
  std::uint64_t ticks(std::uint64_t archive_ticks) const noexcept {
    constexpr std::uint64_t kTicksPerSecond = 1'000'000'000, kLatest = std::uint64_t{1} << 62U;
    __extension__ using Wide = unsigned __int128;
    const Wide ticks = Wide{archive_ticks} * kTicksPerSecond / ticks_per_second_ + 1;
    return ticks < kLatest ? static_cast<std::uint64_t>(ticks) : kLatest;
  }

 private:
  std::uint64_t ticks_per_second_;
};

}  // namespace meridian::imported
