// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format/rank_file.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// Adds what only the ring file's head knows of calls that were lost (kLostKey): by threads whose rings are full now,
/// and by those that never got one. Looked at before the records are, for a gap that ends meanwhile is among these.
void add_open_gaps(const RingFile& ring, RankMeta& meta);

}  // namespace meridian
