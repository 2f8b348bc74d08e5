// SPDX-License-Identifier: Apache-2.0
#pragma once

// Texts of a rank about the energy of its host, and the kinds of zones.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace meridian {

/// Handle: number of the zone. Value: its kind, a blank, its name: "package package-0", "part package-0/dram".
inline constexpr const char* kEnergyZoneKey = "energy.zone";
/// Value: the file that may not be read, and why: "/sys/class/powercap/intel-rapl:0/energy_uj: Permission denied".
inline constexpr const char* kEnergyRefusedKey = "energy.refused";
/// Handle: number of the zone. Value: how many readings are missing in its energy, and why.
inline constexpr const char* kEnergyIncompleteKey = "energy.incomplete";

/// What a counter of energy is about.
///   package   a processor: the zones at the top of powercap
///   part      of a package: cores, graphics, and what the kernel lists there, such as memory
///   platform  the whole computer, with its packages (psys)
///   socket    a processor, by a sensor of hwmon
///   sensor    any other sensor of hwmon: it is not known what it contains
enum class EnergyKind : std::uint8_t { package, part, platform, socket, sensor };
inline constexpr std::array<std::string_view, 5> kEnergyKindNames{"package", "part", "platform", "socket", "sensor"};

/// The inverse of kEnergyKindNames.
constexpr std::optional<EnergyKind> energy_kind(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kEnergyKindNames.size(); ++i)
    if (kEnergyKindNames[i] == name) return static_cast<EnergyKind>(i);
  return std::nullopt;
}

}  // namespace meridian
