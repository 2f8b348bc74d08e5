// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format/rank/rank_file.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// Adds lost calls (kLostKey) that only the header of the ring file contains: of threads whose rings are full now, and
/// of threads that never got one. Called before the records are read, because a gap that ends in the meantime is among
/// these.
void add_open_gaps(const RingFile& ring, RankMeta& meta);

}  // namespace meridian
