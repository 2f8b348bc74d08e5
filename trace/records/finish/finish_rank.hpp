// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "trace/format/rank/rank_end.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"
#include "trace/records/finish/places.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

struct FinishedRank {
  std::filesystem::path path;
  std::uint64_t events = 0;
  std::uint64_t unfinished = 0;  ///< calls that had not returned
  std::uint64_t damaged = 0;     ///< streams that ended early because of damage
  bool has_dropped = false;      ///< a recorder has dropped calls: they are in the sums of another file
};

/// The sources of records. A writer may move records between reading the pieces and the ring: for a running program
/// with a writer, only the pieces are complete up to some moment. pieces_of_lost_host: the ring is a copy of its head, and the trace says that what
/// the ring held is missing.
enum class RecordSource : std::uint8_t { pieces_and_ring, pieces, pieces_of_lost_host };

/// Makes rank-NNNNN.h5 in `output_dir` from the compressed records, then the spools, then the rest in the ring, then
/// the calls in progress. Changes none of them; works while the program runs. Memory does not depend on the number of
/// records. `end` is stored if it is known and the rank did not reach MPI_Finalize. Of a recorder that has dropped calls it holds the last
/// ones, and kWholeDirectory has the profile of the whole run.
/// errors  invalid_argument: the rank of the process is unknown; damaged: compressed records are missing or unreadable;
///         io.
Result<FinishedRank> finish_rank(const RingFile& ring, const RankPieces& pieces,
                                 const std::filesystem::path& output_dir,
                                 RecordSource source = RecordSource::pieces_and_ring, RankEnd end = {});

/// Decodes the same without making a file: events go to `sink`, everything else to `meta`. Calls in progress are
/// included as unfinished. errors: those of the sink; damaged; io.
Status decode_rank(const RingFile& ring, const RankPieces& pieces, RankMeta& meta,
                   const std::function<Status(ThreadId, const EventBatch&)>& sink);

/// Values that change if something was stored in between: ends of streams, calls in progress, losses, run state.
std::vector<std::uint64_t> progress_of(const RingFile& ring);

}  // namespace meridian
