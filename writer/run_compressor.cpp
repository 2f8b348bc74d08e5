// SPDX-License-Identifier: Apache-2.0
#include "writer/run_compressor.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "trace/format/chunks/chunk_codec.hpp"
#include "trace/format/chunks/chunk_log.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/records/finish/places.hpp"
#include "trace/records/finish/rank_checkpoint.hpp"
#include "trace/records/record_decoder.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kFirstBytes = std::uint64_t{1} << 20;  // of a spool before anything is converted
constexpr std::uint64_t kLeastBytes = std::uint64_t{4} << 20;  // of a spool between checkpoints
// A checkpoint grows with the run, slowly: at most this part of all written bytes is checkpoints.
constexpr std::uint64_t kBytesPerStateByte = 8;

}  // namespace

struct RunCompressor::Run {
  Run(const RingFile& ring, RankPieces places, ChunkLogWriter log)
      : pieces{std::move(places)},
        chunks{std::move(log)},
        encoder{RankFileWriter::into_log(chunks)},
        decoder{ring.geometry().slot_count, ring.geometry().block_bytes, meta,
                [this](ThreadId thread, const EventBatch& batch) { return encoder.append(thread, batch); }} {}

  RankPieces pieces;
  ChunkLogWriter chunks;
  RankMeta meta;
  RankFileWriter encoder;
  RecordDecoder decoder;
  std::uint64_t number = 0;  // of the last checkpoint
};

RunCompressor::RunCompressor(RingFile& ring)
    : ring_{ring}, most_{has_own_deflate() ? ring.header().spool_bytes / 2 : 0}, next_{std::min(most_, kLeastBytes)} {}

RunCompressor::~RunCompressor() = default;

template <class Step>
void RunCompressor::attempt(Step&& step) {
  if (most_ == 0) return;
  bool is_done = false;
  try {
    is_done = static_cast<bool>(step());
  } catch (const std::exception&) {  // out of memory: the spool remains
  }
  if (is_done) return;
  most_ = 0;
  run_.reset();
}

void RunCompressor::take(SpoolWriter& spool, std::uint32_t slot, std::uint64_t position,
                         std::span<const std::uint64_t> words) {
  attempt([&] { return advance(spool, slot, position, words); });
}

void RunCompressor::settle(SpoolWriter& spool) {
  attempt([&] { return run_ && spool.bytes() > 0 ? commit(spool) : Status{}; });
}

Status RunCompressor::advance(SpoolWriter& spool, std::uint32_t slot, std::uint64_t position,
                              std::span<const std::uint64_t> words) {
  if (run_) {
    MERIDIAN_TRY_DO(run_->decoder.feed(slot, position, words));
  } else if (spool.bytes() >= std::min(kFirstBytes, most_)) {
    MERIDIAN_TRY_DO(begin(spool));
  }
  return run_ && spool.bytes() >= next_ ? commit(spool) : Status{};
}

Status RunCompressor::begin(const SpoolWriter& spool) {
  const std::filesystem::path output_dir = ring_.output_dir();
  const std::int32_t rank = ring_.world_rank();
  if (output_dir.empty() || rank < 0) return {};
  RankPieces pieces = pieces_of(ring_.path(), output_dir, rank);
  std::error_code problem;
  if (std::filesystem::exists(std::filesystem::symlink_status(pieces.checkpoint, problem)))
    return Error{Errc::io, "cannot create '" + pieces.checkpoint.string() + "': it exists", ""};
  MERIDIAN_TRY(ChunkLogWriter chunks, ChunkLogWriter::create(pieces.chunks));
  run_ = std::make_unique<Run>(ring_, std::move(pieces), std::move(chunks));
  MERIDIAN_TRY(SpoolReader reader, SpoolReader::open(spool.path(), ring_.geometry()));
  SpoolReader::Segment segment;
  while (reader.next(segment)) MERIDIAN_TRY_DO(run_->decoder.feed(segment.slot, segment.position, segment.words));
  return reader.status();
}

// In this order: chunks are written; checkpoint in place; ring informed; spool empty. Nothing is synced: a crash of the
// machine loses the ring, too.
Status RunCompressor::commit(SpoolWriter& spool) {
  StateWriter state;
  run_->decoder.save(state);
  run_->encoder.save(state);
  const std::uint64_t state_bytes = state.bytes().size(), chunk_bytes = run_->chunks.bytes();
  MERIDIAN_TRY_DO(write_checkpoint(run_->pieces.checkpoint, ring_, {run_->number + 1, chunk_bytes, state.take()}));
  ++run_->number;
  ring_.shared_header().compressed_bytes.store(chunk_bytes + state_bytes, std::memory_order_relaxed);
  ring_.shared_header().compressions.store(run_->number, std::memory_order_release);
  next_ = std::min(std::max(kLeastBytes, kBytesPerStateByte * state_bytes), most_);
  return spool.restart();
}

}  // namespace meridian
