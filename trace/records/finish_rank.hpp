// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "trace/format/rank_file.hpp"
#include "trace/model/result.hpp"
#include "trace/records/places.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

struct FinishedRank {
  std::filesystem::path path;
  std::uint64_t events = 0;
  std::uint64_t unfinished = 0;  ///< calls that had not returned
  std::uint64_t damaged = 0;     ///< streams that ended early because of damage
};

/// Where records are taken from. What a writer drains meanwhile would be missed between the two: of a program that runs
/// and has a writer, only the pieces are complete up to some moment.
enum class RecordSource : std::uint8_t { pieces_and_ring, pieces };

/// Makes rank-NNNNN.h5 in `output_dir` from what was compressed, then from the spools, then from what is still in the
/// ring, then from the calls under way. Changes none of them; works while the program runs. Memory does not depend on
/// how much was recorded.
/// errors  invalid_argument: the process never learned its rank; damaged: what was compressed is missing or cannot be
///         read; io.
Result<FinishedRank> finish_rank(const RingFile& ring, const RankPieces& pieces,
                                 const std::filesystem::path& output_dir,
                                 RecordSource source = RecordSource::pieces_and_ring);

/// Decodes the same without making a file: events go to `sink`, everything else to `meta`. What is under way is there
/// as unfinished. errors: those of the sink; damaged; io.
Status decode_rank(const RingFile& ring, const RankPieces& pieces, RankMeta& meta,
                   const std::function<Status(ThreadId, const EventBatch&)>& sink);

/// Counts the calls in ring and pieces without making a file.
Result<std::uint64_t> count_calls(const RingFile& ring, const RankPieces& pieces);

/// Tells whether something was stored between two moments: ends of streams, calls under way, losses, run state.
std::vector<std::uint64_t> progress_of(const RingFile& ring);

}  // namespace meridian
