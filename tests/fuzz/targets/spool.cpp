// SPDX-License-Identifier: Apache-2.0
// A spool file.

#include "trace/ring/spool.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace meridian;
  const fuzz::InputFile input{data, size};
  const RingFile::Geometry geometry{
      .slot_count = 4, .ring_bytes = 1 << 16, .block_bytes = 1 << 12, .data_offset = kRingPageBytes};
  auto spool = SpoolReader::open(input.path(), geometry);
  if (!spool) return 0;
  SpoolReader::Segment segment;
  std::size_t bytes = 0;
  while (spool->next(segment)) {
    bytes += segment.words.size_bytes() + sizeof(SpoolSegment);
    if (segment.slot >= geometry.slot_count) std::abort();
  }
  if (bytes > size) std::abort();
  return 0;
}
