// SPDX-License-Identifier: Apache-2.0
#pragma once

// The energy of a rank's host over time, as the kernel counts it. Events do not refer to it: it has a reader of its own.

#include <cstdint>

#include "trace/format/rank/row_table.hpp"

namespace meridian {

inline constexpr std::uint32_t kMostEnergyZones = 1024;  ///< of a host

/// What a zone of the host, such as a processor, had used at one time since its first reading.
struct EnergyRow {
  std::uint64_t ticks = 0;
  std::uint64_t energy_uj = 0;
  std::uint32_t zone = 0;  ///< handle of the text kEnergyZoneKey

  friend bool operator==(const EnergyRow&, const EnergyRow&) = default;
  /// Whether a host can have used that: sums of a few such numbers do not overflow.
  bool is_valid() const noexcept { return energy_uj < std::uint64_t{1} << 56 && zone < kMostEnergyZones; }
};

/// The readings of a rank's writer, in order of time: one that is not valid is damage.
using EnergyTableWriter = RowTableWriter<EnergyRow>;
using EnergyTable = RowTable<EnergyRow>;

}  // namespace meridian
