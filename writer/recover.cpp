// SPDX-License-Identifier: Apache-2.0
#include "writer/recover.hpp"

#include <algorithm>
#include <string>

#include "trace/records/finish/finish_rank.hpp"
#include "trace/records/finish/places.hpp"
#include "trace/ring/ring_file.hpp"
#include "trace/ring/ring_note.hpp"

namespace meridian {

void remove_leftovers(RingFile& ring, const std::filesystem::path& output_dir) {
  ring.shared_header().is_complete.store(1, std::memory_order_release);
  std::error_code ignored;
  const std::int32_t rank = ring.world_rank();
  const bool has_note = !output_dir.empty() && rank >= 0;
  const auto path = has_note ? note_in_output(output_dir, rank) : std::filesystem::path{};
  const auto leads_here = [&](const std::filesystem::path& to) {
    const auto note = read_ring_note(to);
    return note && note->ring == ring.path();
  };
  if (has_note && leads_here(path)) std::filesystem::rename(path, finished_note(path), ignored);
  const RankPieces pieces = pieces_of(ring.path(), output_dir, rank);
  for (const auto& spool : pieces.spools) std::filesystem::remove(spool, ignored);
  if (!pieces.samples.empty()) std::filesystem::remove(pieces.samples, ignored);
  if (!pieces.checkpoint.empty())
    for (const auto& piece : {std::filesystem::path{pieces.checkpoint} += ".part", pieces.checkpoint, pieces.chunks})
      std::filesystem::remove(piece, ignored);
  // The ring is removed last, so that leftovers of an interruption can still be found and removed.
  if (ring.is_at_its_path()) std::filesystem::remove(ring.path(), ignored);
  if (!has_note) return;
  for (const auto& way : {path, finished_note(path)})
    if (leads_here(way)) std::filesystem::remove(way, ignored);
}

namespace {

// The output directory may have been moved: a piece is in its old or in its new location.
RankPieces pieces_wherever(const RingFile& ring, const std::filesystem::path& output_dir) {
  const std::filesystem::path recorded = ring.output_dir();
  const std::int32_t rank = ring.world_rank();
  RankPieces pieces = pieces_of(ring.path(), recorded, rank);
  std::error_code ignored;
  if (std::filesystem::equivalent(recorded, output_dir, ignored)) return pieces;
  RankPieces moved = pieces_of(ring.path(), output_dir, rank);
  for (const auto& spool : moved.spools)
    if (std::ranges::find(pieces.spools, spool) == pieces.spools.end()) pieces.spools.push_back(spool);
  if (pieces.checkpoint.empty() || !std::filesystem::exists(pieces.checkpoint, ignored)) {
    pieces.checkpoint = std::move(moved.checkpoint);
    pieces.chunks = std::move(moved.chunks);
  }
  if (pieces.samples.empty() || !std::filesystem::exists(pieces.samples, ignored))
    pieces.samples = std::move(moved.samples);
  return pieces;
}

}  // namespace

Result<RecoveredRank> recover_rank(const std::filesystem::path& source, const std::filesystem::path& output_dir) {
  const auto note = read_ring_note(source);
  if (note && note->host != own_hostname())
    return Error{Errc::invalid_argument,
                 "cannot finish the rank of '" + source.string() + "': its records are on host '" + note->host + "'",
                 "run `meridian merge` there once, or end the job so that its writer can finish"};
  const auto path = note ? note->ring : source;
  std::error_code ignored;
  if (note && source.extension() == kFinishedNote && !std::filesystem::exists(path, ignored) && !ignored) {
    std::filesystem::remove(source, ignored);
    return RecoveredRank{.outcome = Recovery::finished, .ring = path};
  }
  MERIDIAN_TRY(RingFile ring, note ? open_noted_ring(source, *note, RingFile::Access::drain)
                                   : RingFile::open(path, RingFile::Access::drain));
  RecoveredRank recovered{.rank = ring.world_rank(), .ring = path};
  if (ring.is_process_alive() || !ring.lock()) {
    recovered.outcome = Recovery::still_running;
    return recovered;
  }
  if (recovered.rank < 0) {
    recovered.outcome = Recovery::rank_unknown;
    return recovered;
  }
  if (ring.header().is_complete.load(std::memory_order_acquire) != 0 &&
      std::filesystem::exists(output_dir / rank_file_name(recovered.rank), ignored)) {
    recovered.outcome = Recovery::finished;
    remove_leftovers(ring, output_dir);
    return recovered;
  }
  MERIDIAN_TRY(const FinishedRank finished, finish_rank(ring, pieces_wherever(ring, output_dir), output_dir));
  recovered.outcome = Recovery::finished;
  recovered.events = finished.events;
  recovered.damaged = finished.damaged;
  remove_leftovers(ring, output_dir);
  return recovered;
}

}  // namespace meridian
