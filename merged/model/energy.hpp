// SPDX-License-Identifier: Apache-2.0
#pragma once

// The energy of the hosts of a merged file over time. FORMAT.md, "Energy".

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"
#include "trace/model/energy_keys.hpp"

namespace meridian {

inline constexpr const char* kEnergy = "energy";
inline constexpr const char* kEnergyZones = "energy_zones";
inline constexpr const char* kEnergyHosts = "energy_hosts";

/// The energy that a zone had used by one time. The readings of a host follow one another, in order of time.
struct MergedEnergy {
  std::int64_t time_ns = 0;
  std::uint64_t energy_uj = 0;
  std::uint32_t zone = 0;

  friend bool operator==(const MergedEnergy&, const MergedEnergy&) = default;
};
inline constexpr Columns kEnergyColumns{
    column<&MergedEnergy::time_ns>("time_ns", "ns", "global time"),
    column<&MergedEnergy::energy_uj>("energy_uj", "uJ", "used since the first reading of the zone"),
    column<&MergedEnergy::zone>("zone", "", "row of /energy_zones"),
};

/// A counter of energy of a host.
struct MergedEnergyZone {
  std::string host, name;
  EnergyKind kind{};
  bool is_added = false;  ///< to the energy of the host; of the others it contains a part, or they a part of it
};
inline constexpr Columns kEnergyZoneColumns{
    column<&MergedEnergyZone::host>("host"),
    column<&MergedEnergyZone::name>("name", "", "a part has the name of its package before its own"),
    column<&MergedEnergyZone::kind>("kind", "", "0 package, 1 part, 2 platform, 3 socket, 4 sensor"),
    column<&MergedEnergyZone::is_added>("is_added", "", "1: the energy of the host is the sum of such zones"),
};

struct EnergyHost {
  std::string host;
  std::int32_t rank = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
inline constexpr Columns kEnergyHostColumns{
    column<&EnergyHost::host>("host"),
    column<&EnergyHost::rank>("rank", "", "whose writer read the counters, in MPI_COMM_WORLD"),
    column<&EnergyHost::first>("first", "", "row of /energy"),
    column<&EnergyHost::count>("count", "", "readings, which follow one another"),
};

}  // namespace meridian
