// SPDX-License-Identifier: Apache-2.0
#include "trace/records/finish/places.hpp"

#include <cstdio>

#include "trace/ring/ring_note.hpp"
#include "trace/ring/spool.hpp"

namespace meridian {
namespace {

std::filesystem::path in_output(const std::filesystem::path& output_dir, std::int32_t rank, const char* extension) {
  char name[40];
  std::snprintf(name, sizeof name, "rank-%05d.%s", rank, extension);
  return output_dir / name;
}

std::filesystem::path beside(std::filesystem::path ring, const char* extension) { return ring += extension; }

}  // namespace

std::filesystem::path spool_in_output(const std::filesystem::path& output_dir, std::int32_t rank) {
  return in_output(output_dir, rank, "spool");
}
std::filesystem::path spill_in_output(const std::filesystem::path& output_dir, std::int32_t rank) {
  return in_output(output_dir, rank, "spill");
}
std::filesystem::path samples_in_output(const std::filesystem::path& output_dir, std::int32_t rank) {
  return in_output(output_dir, rank, "samples");
}
std::filesystem::path note_in_output(const std::filesystem::path& output_dir, std::int32_t rank) {
  return in_output(output_dir, rank, "ring");
}
std::filesystem::path head_in_output(const std::filesystem::path& output_dir, std::int32_t rank) {
  return in_output(output_dir, rank, "head");
}
std::filesystem::path finished_note(const std::filesystem::path& note) {
  return std::filesystem::path{note}.replace_extension(kFinishedNote);
}
std::filesystem::path spool_beside(const std::filesystem::path& ring) { return beside(ring, ".spool"); }
std::filesystem::path spill_beside(const std::filesystem::path& ring) { return beside(ring, ".spill"); }

std::filesystem::path checkpoint_in_output(const std::filesystem::path& output_dir, std::int32_t rank) {
  return in_output(output_dir, rank, "state");
}
std::filesystem::path chunks_in_output(const std::filesystem::path& output_dir, std::int32_t rank) {
  return in_output(output_dir, rank, "chunks");
}

RankPieces pieces_of(const std::filesystem::path& ring, const std::filesystem::path& output_dir, std::int32_t rank) {
  RankPieces pieces;
  const auto add_spool = [&](const std::filesystem::path& spool) {
    pieces.spools.push_back(spool);
    pieces.spools.push_back(next_spool(spool));
  };
  const bool has_output = !output_dir.empty() && rank >= 0;
  add_spool(spool_beside(ring));
  if (has_output) add_spool(spool_in_output(output_dir, rank));
  pieces.spools.push_back(spill_beside(ring));
  if (!has_output) return pieces;
  pieces.spools.push_back(spill_in_output(output_dir, rank));
  pieces.checkpoint = checkpoint_in_output(output_dir, rank);
  pieces.chunks = chunks_in_output(output_dir, rank);
  pieces.samples = samples_in_output(output_dir, rank);
  pieces.head = head_in_output(output_dir, rank);
  return pieces;
}

}  // namespace meridian
