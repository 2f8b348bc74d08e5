// SPDX-License-Identifier: Apache-2.0
#include "trace/records/finish/open_pieces.hpp"

#include <algorithm>

namespace meridian {
namespace {

constexpr int kMostTries = 1000;  // a checkpoint takes longer than a look

// A checkpoint that an earlier run left in the directory is ignored unless this run has made one itself.
Result<std::optional<RankCheckpoint>> checkpoint_of(const RankPieces& pieces, const RingFile& ring) {
  if (pieces.checkpoint.empty()) return std::optional<RankCheckpoint>{};
  auto checkpoint = read_checkpoint(pieces.checkpoint, ring);
  const bool is_foreign = !checkpoint && checkpoint.error().code == Errc::invalid_argument;
  if (is_foreign && ring.header().compressions.load(std::memory_order_acquire) == 0)
    return std::optional<RankCheckpoint>{};
  return checkpoint;
}

// A spool that is restarted meanwhile follows a checkpoint, so that all is opened again.
Result<std::vector<SpoolReader>> open_spools(const RankPieces& pieces, const RingFile& ring) {
  std::vector<SpoolReader> spools;
  for (auto path = pieces.spools.rbegin(); path != pieces.spools.rend(); ++path) {
    auto spool = SpoolReader::open(*path, ring.geometry());
    if (spool)
      spools.push_back(*std::move(spool));
    else if (spool.error().code != Errc::not_found)
      return spool.error();
  }
  std::ranges::reverse(spools);
  return spools;
}

Error is_gone(const RankPieces& pieces, const RingFile& ring, std::uint64_t compressions) {
  std::string what{"the writer of '"};
  what.append(ring.path().string()).append("' has compressed what was recorded ").append(std::to_string(compressions));
  what.append(" times, but '").append(pieces.checkpoint.string()).append("' is missing or older");
  return {Errc::damaged, what, "put back what was in the directory, with " + pieces.chunks.filename().string()};
}

}  // namespace

Result<OpenPieces> OpenPieces::open(const RankPieces& pieces, const RingFile& ring) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const std::uint64_t compressions = ring.header().compressions.load(std::memory_order_acquire);
    OpenPieces opened;
    MERIDIAN_TRY(opened.checkpoint, checkpoint_of(pieces, ring));
    const std::uint64_t number = opened.checkpoint ? opened.checkpoint->number : 0;
    if (number < compressions) return is_gone(pieces, ring, compressions);
    MERIDIAN_TRY(opened.spools, open_spools(pieces, ring));
    if (opened.checkpoint && opened.checkpoint->chunk_bytes != 0) {
      MERIDIAN_TRY(opened.chunks, ChunkLogReader::open(pieces.chunks, opened.checkpoint->chunk_bytes));
    }
    MERIDIAN_TRY(const auto now, checkpoint_of(pieces, ring));
    if ((now ? now->number : 0) == number) return opened;
  }
  return Error{Errc::io, "cannot read '" + pieces.checkpoint.string() + "': it changes too quickly", "try again"};
}

}  // namespace meridian
