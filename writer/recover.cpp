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
    for (const auto& piece :
         {std::filesystem::path{pieces.checkpoint} += ".part", pieces.checkpoint, pieces.chunks, pieces.head})
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

/// Makes the rank file from what is in `output_dir`. Nothing is removed: if the host is there after all, its writer makes the file again.
Result<RecoveredRank> recover_without_ring(const std::filesystem::path& source, const RingNote& note,
                                           const std::filesystem::path& output_dir) {
  const std::filesystem::path head = std::filesystem::path{source}.replace_extension(".head");
  auto ring = RingFile::open(head, RingFile::Access::head);
  if (!ring)
    return Error{ring.error().code,
                 "cannot finish the rank of '" + source.string() + "' without its ring, which was on host '" +
                     note.host + "': " + ring.error().what,
                 "a rank leaves something to merge two seconds after MPI_Init"};
  if (note.owner != 0 && note.owner != ring->owner())
    return Error{Errc::invalid_argument, "files '" + source.string() + "' and '" + head.string() + "' are of two users",
                 ""};
  RankPieces pieces = pieces_of({}, output_dir, ring->world_rank());
  std::erase_if(pieces.spools, [&](const auto& spool) { return spool.parent_path() != output_dir; });
  MERIDIAN_TRY(const FinishedRank finished, finish_rank(*ring, pieces, output_dir, RecordSource::pieces_of_lost_host));
  std::error_code ignored;
  std::filesystem::rename(source, std::filesystem::path{source}.replace_extension(".lost"), ignored);
  return RecoveredRank{.outcome = Recovery::finished,
                       .rank = ring->world_rank(),
                       .events = finished.events,
                       .damaged = finished.damaged,
                       .ring = note.ring};
}

}  // namespace

Result<RecoveredRank> recover_rank(const std::filesystem::path& source, const std::filesystem::path& output_dir,
                                   OtherHosts others) {
  const auto note = read_ring_note(source);
  std::error_code ignored;
  const bool is_here = note && note->host == own_hostname();
  const bool is_finished = source.extension() == kFinishedNote;
  const bool has_ring = is_here && (is_finished || std::filesystem::exists(note->ring, ignored));
  if (note && !has_ring) {
    if (others == OtherHosts::are_gone && !is_finished) return recover_without_ring(source, *note, output_dir);
    const bool has_head = std::filesystem::exists(std::filesystem::path{source}.replace_extension(".head"), ignored);
    const std::string or_lost = has_head ? "; if they are lost, `meridian merge --lost-hosts` takes what is here" : "";
    if (!is_here)
      return Error{Errc::invalid_argument,
                   "cannot finish the rank of '" + source.string() + "': its records are on host '" + note->host + "'",
                   "run `meridian merge` there once, or end the job so that its writer can finish" + or_lost};
    if (has_head)
      return Error{
          Errc::not_found,
          "cannot finish the rank of '" + source.string() + "': there is no ring file '" + note->ring.string() + "'",
          "it may have been in the memory of this host, which was started again since, or of a container" + or_lost};
  }
  const auto path = note ? note->ring : source;
  if (note && is_finished && !std::filesystem::exists(path, ignored) && !ignored) {
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
