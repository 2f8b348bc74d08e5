#include "writer/recover.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

#include "trace/ring/ring_file.hpp"
#include "writer/finish_rank.hpp"
#include "writer/places.hpp"

namespace meridian {

// Two lines: host, ring file. Nothing else may call itself a note, so that a foreign file is not taken for one.
std::optional<RingNote> read_ring_note(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) > 8192 || ignored) return std::nullopt;
  std::ifstream in{path};
  RingNote note;
  std::string ring;
  if (!std::getline(in, note.host) || !std::getline(in, ring) || !ring.starts_with('/')) return std::nullopt;
  note.ring = ring;
  return note;
}

std::string own_hostname() {
  char name[kNameBytes] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

void remove_leftovers(const RingFile& ring, const std::filesystem::path& output_dir) {
  std::error_code ignored;
  const std::int32_t rank = ring.world_rank();
  for (const auto& spool : spools_of(ring.path(), output_dir, rank)) std::filesystem::remove(spool, ignored);
  // The way to the ring goes last: whoever is interrupted in between leaves something that can be finished.
  if (ring.is_at_its_path()) std::filesystem::remove(ring.path(), ignored);
  if (output_dir.empty() || rank < 0) return;
  const auto path = note_in_output(output_dir, rank);
  const auto note = read_ring_note(path);
  if (note && note->ring == ring.path()) std::filesystem::remove(path, ignored);
}

Result<RecoveredRank> recover_rank(const std::filesystem::path& source, const std::filesystem::path& output_dir) {
  const auto note = read_ring_note(source);
  if (note && note->host != own_hostname())
    return Error{Errc::invalid_argument,
                 "cannot finish the rank of '" + source.string() + "': its records are on host '" + note->host + "'",
                 "run `meridian merge` there once, or end the job so that its writer can finish"};
  const auto path = note ? note->ring : source;
  MERIDIAN_TRY(const RingFile ring, RingFile::open(path, RingFile::Access::read_only));
  RecoveredRank recovered{.rank = ring.world_rank(), .ring = path};
  if (ring.is_process_alive() || !ring.lock()) {
    recovered.outcome = Recovery::still_running;
    return recovered;
  }
  if (recovered.rank < 0) {
    recovered.outcome = Recovery::rank_unknown;
    return recovered;
  }
  // The output directory may have been moved since; a spool lies where it was, or where it is now.
  const std::filesystem::path recorded = ring.output_dir();
  auto spools = spools_of(path, recorded, recovered.rank);
  std::error_code ignored;
  if (!std::filesystem::equivalent(recorded, output_dir, ignored))
    for (const auto& spool : {spool_in_output(output_dir, recovered.rank), spill_in_output(output_dir, recovered.rank)})
      spools.push_back(spool);
  MERIDIAN_TRY(const FinishedRank finished, finish_rank(ring, spools, output_dir));
  recovered.outcome = Recovery::finished;
  recovered.events = finished.events;
  recovered.damaged = finished.damaged;
  remove_leftovers(ring, output_dir);
  return recovered;
}

}  // namespace meridian
