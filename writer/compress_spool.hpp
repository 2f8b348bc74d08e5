// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "trace/model/result.hpp"
#include "trace/records/places.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// Converts the records in `spool`, which follow all compressed ones, to chunks, and removes it. In this order: chunks
/// on disk; checkpoint in place; ring informed; spool removed. If the process dies in between, each record is in the
/// checkpoint, in the spool, or in both, and readers skip duplicates. Works while the program runs and its ring is
/// drained; uses no HDF5.
/// errors  those of OpenPieces; io. The spool then remains.
Status compress_spool(RingFile& ring, const std::filesystem::path& spool, const RankPieces& pieces);

}  // namespace meridian
