// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "trace/model/result.hpp"
#include "trace/records/places.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// Makes chunks of the records in `spool`, which comes next after all that was compressed before, and removes it. In
/// this order: chunks on disk; checkpoint in place; ring told; spool gone. Whoever dies in between leaves each record
/// in the checkpoint or in the spool, or in both, and readers skip what they have. Works while the program runs and
/// others drain its ring; uses no HDF5.
/// errors  those of OpenPieces; io. The spool stays then.
Status compress_spool(RingFile& ring, const std::filesystem::path& spool, const RankPieces& pieces);

}  // namespace meridian
