// SPDX-License-Identifier: Apache-2.0
#include "trace/records/finish/snapshot_rank.hpp"

#include <thread>
#include <vector>

#include "trace/records/finish/places.hpp"
#include "trace/ring/ring_futex.hpp"

namespace meridian {
namespace {

constexpr std::chrono::milliseconds kNap{2};

std::vector<std::uint64_t> heads_of(const RingFile& ring) {
  std::vector<std::uint64_t> heads(ring.geometry().slot_count);
  for (std::uint32_t slot = 0; slot < heads.size(); ++slot)
    heads[slot] = ring.slot(slot).head.load(std::memory_order_acquire);
  return heads;
}

bool is_drained(const RingFile& ring, const std::vector<std::uint64_t>& heads) {
  for (std::uint32_t slot = 0; slot < heads.size(); ++slot)
    if (ring.slot(slot).tail.load(std::memory_order_acquire) < heads[slot]) return false;
  return true;
}

bool has_writer(const RingFile& ring) {
  const WriterState state = ring.header().writer_state.load(std::memory_order_acquire);
  return state == WriterState::draining;
}

}  // namespace

Result<FinishedRank> snapshot_rank(RingFile& ring, const std::filesystem::path& output_dir,
                                   std::chrono::milliseconds patience) {
  if (!ring.is_process_alive()) return Error{Errc::not_found, "the program has ended", "merge its directory"};
  const auto pieces = pieces_of(ring.path(), ring.output_dir(), ring.world_rank());
  // Without a writer the program moves full rings into a spill itself, and no other process changes the ring.
  if (!has_writer(ring))
    return finish_rank(ring, pieces, output_dir, RecordSource::pieces_and_ring, rank_runs_now(ring.clock()));
  RingFileHeader& header = ring.shared_header();
  const auto heads = heads_of(ring);
  for (auto waited = std::chrono::milliseconds{0}; !is_drained(ring, heads); waited += kNap) {
    if (waited >= patience)
      return Error{Errc::io, "the writer of '" + ring.path().string() + "' does not drain it",
                   "see whether its disk is full, and whether it is stopped"};
    header.wake.fetch_add(1, std::memory_order_seq_cst);
    futex_wake_all(header.wake);
    std::this_thread::sleep_for(kNap);
  }
  return finish_rank(ring, pieces, output_dir, RecordSource::pieces, rank_runs_now(ring.clock()));
}

}  // namespace meridian
