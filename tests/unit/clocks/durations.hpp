// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace meridian {

/// In nanoseconds.
inline constexpr std::int64_t kMicrosecond = 1000, kMillisecond = 1'000'000, kSecond = 1'000'000'000;

}  // namespace meridian
