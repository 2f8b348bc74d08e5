// SPDX-License-Identifier: Apache-2.0
#pragma once

// The peak of heap memory, for programs that link counted_heap.cpp.

#include <cstdint>

namespace meridian::test {

/// Starts the measurement.
void begin_heap_peak();
/// Peak in bytes, as malloc rounds them, above what was in use at the start.
std::uint64_t heap_peak();

}  // namespace meridian::test
