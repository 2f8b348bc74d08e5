// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trace/model/energy_keys.hpp"

namespace meridian {

/// A counter of energy that the kernel has.
struct EnergyZone {
  EnergyKind kind{};
  std::string name;            ///< "package-0", "package-0/dram", "amd_energy/Esocket0"
  std::filesystem::path file;  ///< with the energy in microjoules
  std::uint64_t range_uj = 0;  ///< at which it begins at zero again; 0: it does not
};

/// The counters below a folder like /sys/class: zones of RAPL in `powercap/`, sensors of energy in `hwmon/`; at most kMostEnergyZones. Nothing
/// that is wrong there is an error: a zone whose range cannot be read has none.
std::vector<EnergyZone> find_energy_zones(const std::filesystem::path& folder);

/// A number in a file, or why there is none.
struct EnergyNumber {
  std::optional<std::uint64_t> value;
  int error = 0;  ///< errno; 0 without a value: the file has something else
};
EnergyNumber read_energy_number(const std::filesystem::path& file) noexcept;

}  // namespace meridian
