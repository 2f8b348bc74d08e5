// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "trace/format/chunk_log.hpp"
#include "trace/records/places.hpp"
#include "trace/records/rank_checkpoint.hpp"
#include "trace/ring/spool.hpp"

namespace meridian {

/// The pieces of a rank at one moment, open, so that what a writer does meanwhile takes nothing away: together with the
/// ring, every record is in them.
struct OpenPieces {
  std::optional<RankCheckpoint> checkpoint;
  std::optional<ChunkLogReader> chunks;  ///< when there is a checkpoint
  std::vector<SpoolReader> spools;       ///< those that exist, in the order in which they were written

  /// errors  damaged: what was compressed is missing or cannot be read; io
  static Result<OpenPieces> open(const RankPieces& pieces, const RingFile& ring);
};

}  // namespace meridian
