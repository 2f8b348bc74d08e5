#pragma once

// How much memory from the heap something takes at most; for programs that link counted_heap.cpp.

#include <cstdint>

namespace meridian::test {

/// From here on.
void begin_heap_peak();
/// Bytes, as malloc rounds them, beyond those that were in use when it began.
std::uint64_t heap_peak();

}  // namespace meridian::test
