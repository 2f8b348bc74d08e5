// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "trace/format/chunks/chunk_log.hpp"
#include "trace/records/finish/places.hpp"
#include "trace/records/finish/rank_checkpoint.hpp"
#include "trace/ring/spool.hpp"

namespace meridian {

/// The pieces of a rank at one moment, opened so that they remain available whatever a writer does: together with the
/// ring, they contain every record.
struct OpenPieces {
  std::optional<RankCheckpoint> checkpoint;
  std::optional<ChunkLogReader> chunks;  ///< if there is a checkpoint
  std::vector<SpoolReader> spools;       ///< those that exist, in the order in which they were written

  /// errors  damaged: compressed records are missing or unreadable; io
  static Result<OpenPieces> open(const RankPieces& pieces, const RingFile& ring);
};

}  // namespace meridian
