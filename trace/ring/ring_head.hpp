// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

#include "trace/model/result.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// Writes what a ring file holds beside records, so that drained records can become a rank file where the ring is gone: the header, the slots and
/// cards in use, and counts of calls that were not recorded (kPassedShards shards of `calls` words, all in the first). RingFile::open() takes the copy
/// with Access::head. It is written in place.
/// errors  io
Status write_ring_head(const RingFile& ring, const std::filesystem::path& path, std::size_t calls);

}  // namespace meridian
