// SPDX-License-Identifier: Apache-2.0
#pragma once

// Factors between units, for times and rates that are floating-point numbers.

#include <cstdint>
#include <limits>

namespace meridian {

inline constexpr double kSecondsPerNs = 1e-9;
inline constexpr double kNsPerSecond = 1e9;
inline constexpr double kPpm = 1e6;      ///< in one: a ratio times this is in ppm
inline constexpr double kOnePpm = 1e-6;  ///< as a ratio
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr double seconds(std::int64_t ns) noexcept { return static_cast<double>(ns) * kSecondsPerNs; }

}  // namespace meridian
